"""sacreBLEU asked live, and both of this project's implementations asked at once."""

import itertools
from unittest import mock

import numpy as np
import pyarrow as pa  # noqa: F401
from bleu import bleu_pairs, bleu_statistics, bleu_tokens
from bleu.bleu_inputs import columns
from bleu.bleu_options import Options
from sacrebleu.metrics import BLEU

# Options that change a segment's score, each in company.
OPTION_SETS = [
    {},
    {
        "smooth_method": "none",
        "tokenize": "none",
        "max_order": 2,
        "weights": [0.3, 0.7],
        "reference_length": "shortest",
    },
    {"smooth_method": "floor", "smooth_value": 0.3, "tokenize": "intl", "lowercase": True, "minimum_total": 2},
    {"smooth_method": "add-k", "tokenize": "char", "max_order": 6, "reference_length": "longest"},
    {"smooth_method": "laplace", "tokenize": "zh", "max_order": 1, "lowercase": True},
    {"smooth_method": "none", "tokenize": str.split, "lowercase": True, "reference_length": "longest"},
    {"tokenize": "ja-mecab", "effective_order": True},
]


def sacrebleu_rows(predictions, references, *, tokenize="13a", lowercase=False, max_order=4):
    """sacreBLEU's segment statistics in this project's order: matches, totals, prediction length, reference length."""
    metric = BLEU(tokenize=tokenize, lowercase=lowercase, max_ngram_order=max_order, force=True)
    streams = list(itertools.zip_longest(*references))
    rows = np.array(metric._extract_corpus_statistics(predictions, streams))
    return np.concatenate([rows[:, 2:], rows[:, :2]], axis=1)


def our_rows(predictions, references, **options):
    """Our rows, after a look that the kernel and the readable definition agree on them."""
    table, options = columns(predictions, references), Options().updated(options)
    rows = bleu_statistics.corpus_rows(table, options).T
    if bleu_statistics.COMPILED:
        with mock.patch.multiple(bleu_statistics, COMPILED=False, warn=lambda message: None):
            np.testing.assert_array_equal(rows, bleu_statistics.corpus_rows(table, options).T)
    return rows


def both_ways(call):
    """What a call returns, after a look that it returns the same without what is compiled."""
    answer = call()
    if bleu_tokens.COMPILED:
        with (
            mock.patch.object(bleu_tokens, "COMPILED", False),
            mock.patch.object(bleu_pairs, "_count_common", bleu_pairs._count_common.py_func),
        ):
            np.testing.assert_array_equal(answer, call())
    return answer


def first_difference(predictions, references, rows, expected):
    """In words, the first segment whose rows differ; None if there is none."""
    different = np.flatnonzero((rows != expected).any(axis=1))
    if not len(different):
        return None
    i = different[0]
    return (
        f"{len(different)} differ, first {i}: {predictions[i]!r} {references[i]!r} {rows[i]} instead of {expected[i]}"
    )
