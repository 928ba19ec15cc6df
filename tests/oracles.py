"""sacreBLEU asked live, and both of this project's implementations asked at once."""

import contextlib
import itertools
from unittest import mock

import numpy as np
from bleu import bleu_statistics, bleu_tokenizer_choice
from bleu.bleu_compiler import COMPILED
from bleu.bleu_inputs import read_corpus
from bleu.bleu_options import Options
from bleu.bleu_twins import Twins
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


@contextlib.contextmanager
def definition_only():
    """The readable definitions run meanwhile, and nothing that is compiled."""
    with (
        mock.patch.object(Twins, "get_ready", return_value=False),
        mock.patch.object(bleu_tokenizer_choice, "COMPILED", False),
        mock.patch.object(bleu_statistics, "warn_once_that_numba_is_missing"),
    ):
        yield


@contextlib.contextmanager
def kernels_only():
    """The compiled twins run meanwhile, where numba can be used."""
    with mock.patch.object(Twins, "get_ready", return_value=COMPILED):
        yield


def both_ways(call):
    """What a call returns, after a look that the definitions return the same."""
    with kernels_only():
        answer = call()
    with definition_only():
        np.testing.assert_array_equal(answer, call())
    return answer


def our_rows(predictions, references, **options):
    """Our rows, after a look that the kernel and the definition agree on them."""
    corpus, options = read_corpus(predictions, references), Options().override(options)
    return both_ways(lambda: bleu_statistics.count_corpus(corpus, options))


def first_difference(predictions, references, rows, expected):
    """In words, the first segment whose rows differ; None if there is none."""
    different = np.flatnonzero((rows != expected).any(axis=1))
    if not len(different):
        return None
    i = different[0]
    return (
        f"{len(different)} differ, first {i}: {predictions[i]!r} {references[i]!r} {rows[i]} instead of {expected[i]}"
    )
