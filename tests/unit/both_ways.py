"""Both implementations: the Python one and the kernels. Only unit tests and tests/fuzz.py look inside of bleu_core/."""

import contextlib
from unittest import mock

import numpy as np
import pyarrow as pa
from bleu.bleu_core.options.options import Options
from bleu.bleu_core.rows import compiling, kernels
from bleu.bleu_core.rows.statistics import count_corpus
from bleu.bleu_core.rules.chosen_tokenizer import choose_tokenizer
from bleu.bleu_core.text.read import read_corpus
from helpers import cut_into_chunks, shift_offsets


@contextlib.contextmanager
def python_only():
    """Run the Python implementations within the block, and no kernel."""
    functions = {function.__name__: function for function in compiling._kernels}
    with (
        mock.patch.object(compiling, "_is_ready", False),
        mock.patch.object(compiling, "_can_compile", False),
        mock.patch.object(kernels, "_count_common", functions["_count_common"]),
    ):
        yield


@contextlib.contextmanager
def kernels_only():
    """Run the kernels within the block, if numba is available."""
    compiling.warm_up()
    yield


def run_both_ways(call):
    """Return the result of a call with the kernels; assert that the Python implementations return the same."""
    with kernels_only():
        result = call()
    with python_only():
        np.testing.assert_array_equal(result, call())
    return result


def count_both_ways(predictions, references, **options):
    """Return this project's statistics rows; assert that both implementations count the same.

    The kernels count the rows as they are passed, and as slices of longer Arrow data. The Python implementations count
    them as data whose first offset isn't 0.
    """
    corpus = read_corpus(predictions, references)
    slices = read_corpus(cut_into_chunks(predictions), cut_into_chunks(references))
    shifted = read_corpus(
        *(shift_offsets(pa.array(column)) for column in (predictions, references))
    )
    with kernels_only():
        expected = count(corpus, **options)
        np.testing.assert_array_equal(count(slices, **options), expected)
    with python_only():
        np.testing.assert_array_equal(count(shifted, **options), expected)
    return expected


def count(corpus, **options):
    """Return the statistics rows of a corpus."""
    chosen = Options().override(options)
    return count_corpus(corpus, choose_tokenizer(chosen, corpus.kind), chosen)
