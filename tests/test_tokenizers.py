"""Native tokenizers, compiled and by definition, against sacreBLEU: characters, random segments, any text."""

import sys

import numpy as np
import oracles
import pytest
import random_text
from bleu.bleu_options import TOKENIZERS
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import our_rows, sacrebleu_rows


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", TOKENIZERS)
def test_random_segments_have_sacrebleus_rows(tokenize, lowercase):
    """24,000 segments in all; `tests/fuzz.py` goes on from there."""
    for max_order in range(1, 7):
        options = {"tokenize": tokenize, "lowercase": lowercase, "max_order": max_order}
        predictions, references = random_text.rows(seed=max_order, count=400)
        difference = oracles.first_difference(
            predictions, references, our_rows(predictions, references, **options), sacrebleu_rows(predictions, references, **options)
        )  # fmt: skip
        assert difference is None


@pytest.mark.filterwarnings("ignore:There are . predictions with . references each")
@pytest.mark.parametrize("tokenize", TOKENIZERS)
@settings(max_examples=150, deadline=None)
@given(
    data=st.lists(
        st.tuples(st.text(max_size=30), st.lists(st.text(max_size=30), min_size=1, max_size=3)), min_size=1, max_size=8
    ),
    lowercase=st.booleans(),
)
def test_any_text_has_sacrebleus_rows(tokenize, data, lowercase):
    predictions, references = map(list, zip(*data))
    expected = sacrebleu_rows(predictions, references, tokenize=tokenize, lowercase=lowercase)
    np.testing.assert_array_equal(our_rows(predictions, references, tokenize=tokenize, lowercase=lowercase), expected)


@pytest.mark.parametrize("tokenize", TOKENIZERS)
@pytest.mark.slow
def test_every_character_is_cut_as_sacrebleu_cuts_it(tokenize):
    """All of Unicode but surrogates, beside letters and beside digits, in 4,000 characters a segment."""
    every = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    for left, right in (("a", "b"), ("1", "2")):
        texts = [" ".join(left + c + right for c in every[i : i + 4000]) for i in range(0, len(every), 4000)]
        references = [[text.replace(" ", "")] for text in texts]
        table = sacrebleu_rows(texts, references, tokenize=tokenize, max_order=1)
        np.testing.assert_array_equal(our_rows(texts, references, tokenize=tokenize, max_order=1), table)


@pytest.mark.slow
def test_every_character_is_lowered_as_python_does():
    every = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    rows = our_rows(every, [[c.lower()] for c in every], tokenize="none", lowercase=True, max_order=1)
    assert (rows[:, 0] == rows[:, 1]).all()
