"""Where a number comes from: the tools whose scores `reconcile` recognizes are asked for them."""

import json
import re
import statistics

import pytest
import sacrebleu
from bleu.bleu_core.options.option_names import NLTK_METHODS
from bleu.bleu_core.options.options import choose_options
from bleu.bleu_core.reconcile.calls import Setting
from bleu.bleu_core.reconcile.settings import Scorer
from bleu.bleu_core.text.read import read_corpus
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from pages import cells
from sacremoses import MosesTokenizer
from test_search import HOME_P, HOME_R, HOME_TWO, PREDICTIONS, REFERENCES, compute_setting

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# One row per kind of score: the tool is asked for it, and the answer must name the call and
# reproduce it.

THIRDS = (0.33, 0.33, 0.33, 0)


def home_mean(split, method="method0", weights=(0.25, 0.25, 0.25, 0.25), swapped=False):
    """Return the mean of NLTK's scores of sentences."""
    smooth = getattr(SmoothingFunction(), method)
    first, second = (HOME_R, HOME_P) if swapped else (HOME_P, HOME_R)
    return statistics.fmean(
        sentence_bleu([split(reference)], split(prediction), weights, smooth)
        for prediction, reference in zip(first, second)
    )


def home_corpus(split, method="method0", weights=(0.25, 0.25, 0.25, 0.25)):
    """Return NLTK's score of the corpus."""
    references = [[split(text)] for text in HOME_R]
    predictions = [split(text) for text in HOME_P]
    smooth = getattr(SmoothingFunction(), method)
    return corpus_bleu(references, predictions, weights, smooth)


def lower_words(text):
    return text.lower().split()


def same(text):  # a str, which NLTK takes for a list of characters
    return text


def home_sacrebleu(predictions=HOME_P, references=HOME_R, **options):
    return sacrebleu.BLEU(**options).corpus_score(predictions, [references]).score / 100


def home_moses(language, compounds, **options):
    """Return BLEU at spaces of text that Moses' tokenizer split."""
    moses = MosesTokenizer(language)

    def tokenized(texts):
        lines = [moses.tokenize(text, escape=False, return_str=True) for text in texts]
        if compounds:  # perl -ple 's{(\S)-(\S)}{$1 ##AT##-##AT## $2}g'
            lines = [re.sub(r"(\S)-(\S)", r"\1 ##AT##-##AT## \2", line) for line in lines]
        return lines

    return home_sacrebleu(
        tokenized(HOME_P), tokenized(HOME_R), tokenize="none", smooth_method="none", **options
    )


# The kind, as docs/reconcile.md has it; the score; and the call that the answer names.
ORIGINS = {
    "characters with blanks": (lambda: home_mean(same), "the mean of NLTK's `sentence_bleu` given strings: characters, blanks included"),
    "characters, corpus": (lambda: home_corpus(same), "NLTK's `corpus_bleu` given strings: characters, blanks included"),
    "mean, words": (lambda: home_mean(str.split), "the mean of NLTK's `sentence_bleu` given lists of words"),
    "mean, lower-cased": (lambda: home_mean(lower_words, "method1"), "the mean of NLTK's `sentence_bleu` given lists of lower-cased words, with method1"),
    "mean, BLEU-1": (lambda: home_mean(str.split, weights=(1, 0, 0, 0)), "the mean of NLTK's `sentence_bleu` given lists of words, with weights (1, 0, 0, 0)"),
    "mean, BLEU-2": (lambda: home_mean(str.split, weights=(0.5, 0.5, 0, 0)), "the mean of NLTK's `sentence_bleu` given lists of words, with weights (0.5, 0.5, 0, 0)"),
    "mean, BLEU-3": (lambda: home_mean(str.split, weights=THIRDS), "the mean of NLTK's `sentence_bleu` given lists of words, with weights (0.33, 0.33, 0.33, 0)"),
    "mean, thirds": (lambda: home_mean(str.split, weights=(1 / 3, 1 / 3, 1 / 3, 0)), "the mean of NLTK's `sentence_bleu` given lists of words, with weights (0.3333, 0.3333, 0.3333, 0)"),
    "mean, one precision": (lambda: home_mean(str.split, "method1", (0, 0, 0, 1)), "the mean of NLTK's `sentence_bleu` given lists of words, with method1 and weights (0, 0, 0, 1)"),
    "corpus, one precision": (lambda: home_corpus(str.split, weights=(0, 1, 0, 0)), "NLTK's `corpus_bleu` given lists of words, with weights (0, 1, 0, 0)"),
    "corpus, BLEU-3": (lambda: home_corpus(lower_words, weights=THIRDS), "NLTK's `corpus_bleu` given lists of lower-cased words, with weights (0.33, 0.33, 0.33, 0)"),
    "corpus, method5": (lambda: home_corpus(str.split, "method5"), "NLTK's `corpus_bleu` given lists of words, with method5, which depends on the last pair (nltk issue 3903)"),
    "tokenized": (lambda: home_moses("en", False), "tokenized BLEU: `multi-bleu.perl` on tokens of Moses' tokenizer for en"),
    "compounds": (lambda: home_moses("de", True), "tokenized BLEU: `multi-bleu.perl` on tokens of Moses' tokenizer for de, with compounds split"),
    "swapped, sacreBLEU": (lambda: home_sacrebleu(HOME_R, HOME_P), "sacreBLEU's `corpus_bleu`, with predictions and references swapped"),
    "swapped, mean": (lambda: home_mean(str.split, swapped=True), "the mean of NLTK's `sentence_bleu` given lists of words, with predictions and references swapped"),
    "sacreBLEU": (home_sacrebleu, "sacreBLEU's `corpus_bleu`"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ORIGINS)
def test_where_a_number_comes_from(bleu, kind):
    """The tool is asked; the first match names its call, and its options have the score."""
    make_score, says = ORIGINS[kind]
    score = make_score()
    found = bleu.reconcile(HOME_P, HOME_R, f"{100 * score:.4f}")
    first = found["matches"][0]
    assert first["says"] == says
    assert first["plausible"]
    assert (first["swapped"], first["last_pair"]) == ("swapped" in kind, "method" in kind)
    assert first["bleu"] == pytest.approx(score, abs=1e-9)
    if not first["last_pair"]:
        again = compute_setting(bleu, HOME_P, [[text] for text in HOME_R], first)
        assert again == pytest.approx(score, abs=1e-9)
    assert f"Row 1 is the score of {says}." in str(found)
    json.dumps(found)


def test_the_table_of_the_page_has_these_scores():
    """Each row of the page is one of these calls, with the score of its tool."""
    rows = cells("docs/reconcile.md", "Calls that are recognized")[1:]
    assert len(rows) >= 6
    for kind, score, says in rows:
        make_score, call = ORIGINS[kind]
        assert (score, says) == (f"{100 * make_score():.2f}", call)


@pytest.mark.parametrize("method", ["method5", "method6", "method7"])
@pytest.mark.parametrize(
    "texts", [(["a b c d e f g"], ["a b c x d e f"]), (HOME_P[:3], HOME_R[:3])], ids=["1", "3"]
)
def test_what_nltk_makes_of_a_corpus_with_the_last_pair(method, texts):
    """Also precisions above 1 are NLTK's."""
    predictions, references = texts
    options = choose_options("nltk", {"smooth_method": NLTK_METHODS[method]})
    options = options.override({"minimum_total": 0 if method == "method6" else 1})
    setting = Setting.of_options(options)._replace(last_pair=True)
    scorer = Scorer(read_corpus(predictions, references), {}, options, options.max_order)
    scorer.add([setting])
    theirs = corpus_bleu(
        [[text.split()] for text in references],
        [text.split() for text in predictions],
        smoothing_function=getattr(SmoothingFunction(), method),
    )
    assert scorer.scores[setting] == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_a_mean_of_caption_scores_is_found(load, order):
    """Bleu_1 to Bleu_4 of each caption, as pycocoevalcap returns them, averaged."""
    coco = load("coco", max_order=order)
    mean = coco.compute(predictions=HOME_P, references=HOME_TWO, segments=True)["mean_segment_bleu"]
    found = load().reconcile(HOME_P, HOME_TWO, f"{mean:.6f}")
    assert (
        found["matches"][0]["says"] == f"the mean of pycocoevalcap's Bleu_{order} of each caption"
    )
    assert compute_setting(load(), HOME_P, HOME_TWO, found["matches"][0]) == pytest.approx(mean)


def test_equal_scores_have_the_name_of_the_commoner_tool(load):
    """NLTK's defaults come before captions, unless a segment has several references."""
    predictions = ["a 5-4 win for a cat on a mat", "two dogs ran home today"]
    references = ["a 5-4 win for a cat on a mat now", "two dogs ran home"]
    score = load("nltk").compute(predictions=predictions, references=references)["score"]
    captions = load("coco").compute(predictions=predictions, references=references)["score"]
    assert captions == pytest.approx(score, abs=1e-5)
    first = load().reconcile(predictions, references, f"{score:.4f}")["matches"][0]
    assert first["says"] == "NLTK's `corpus_bleu` given lists of words"
    rows = [[text, text] for text in references]
    first = load().reconcile(predictions, rows, f"{score:.4f}")["matches"][0]
    assert first["says"] == "pycocoevalcap's Bleu_4"


def test_a_call_of_nltk_is_tried_as_nltk_has_it(load):
    """NLTK has no defaults of this metric: its weights change more of the starting point than another order does."""
    defaults = {
        "lowercase": False,
        "smooth_method": "exp",
        "minimum_total": 0,
        "max_order": 4,
        "tokenize": "none",
    }
    metric = load(**defaults)
    score = metric.compute(predictions=PREDICTIONS, references=REFERENCES, max_order=2)["score"]
    first = metric.reconcile(PREDICTIONS, REFERENCES, score, decimals=12)["matches"][0]
    assert [(step["factor"], step["value"]) for step in first["steps"]] == [("max_order", 2)]
