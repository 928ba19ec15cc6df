"""BLEU for lm-evaluation-harness: the functions that translation.yaml names."""

import math

import evaluate

bleu = evaluate.load("./bleu_metric.py")


def process_results(doc, results):
    """Return a segment for both metrics. The error comes second, and replaces lm_eval's "N/A"."""
    segment = (doc["references"], results[0].strip())
    return {"bleu": segment, "bleu_stderr": segment}


def score(segments, **options):
    references, predictions = zip(*segments)
    return bleu.compute(predictions=predictions, references=references, **options)


def aggregate_bleu(segments):
    """Return the BLEU of a corpus, from 0 to 100."""
    return score(segments)["score"]


def aggregate_stderr(segments):
    """Return the standard error in points, which a single segment does not have."""
    return 100 * score(segments, confidence=0.95).get("standard_error", math.nan)
