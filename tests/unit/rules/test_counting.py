"""Statistics rows: the kernel and the Python implementation against each other, and both against sacreBLEU."""

import itertools
import random

import numpy as np
import pyarrow as pa
import pytest
from bleu.bleu_core.rows import compiling, kernels
from bleu.bleu_core.rules.counting import (
    REFERENCE_LENGTHS,
    CountingRule,
    ReferenceLength,
    count_segment,
)
from bleu.bleu_core.text.read import read_corpus
from both_ways import count, count_both_ways, kernels_only
from conftest import needs_numba
from helpers import count_with_sacrebleu, random_rows
from hypothesis import example, given
from hypothesis import strategies as st

TEXT = "the cat sat on the mat"

# Prediction, references, options, the row (matches and totals by order, both lengths), and its source.
TABLE = [
    ("the " * 7, ["the cat is on the mat", "there is a cat on the mat"], {"max_order": 1}, [2, 7, 7, 7], "the paper, 2.1"),
    ("a b a b", ["a b", "b a b"], {"max_order": 2}, [3, 2, 4, 3, 4, 3], "by hand: a 1, b 2; ab 1, ba 1"),
    ("a", ["b"], {"max_order": 2}, [0, 0, 1, 0, 1, 1], "no match"),
    ("", ["b c"], {"max_order": 2}, [0, 0, 0, 0, 0, 2], "an empty prediction counts as length 0"),
    ("a", [""], {"max_order": 1}, [0, 1, 1, 0], "an empty reference is a reference"),
    ("a", ["", "a"], {"max_order": 1}, [1, 1, 1, 1], "the closest of 0 and 1"),
    ("a b c", ["a b", "a b c d"], {"max_order": 1}, [3, 3, 3, 2], "a tie of lengths: the shorter"),
    ("a b c", ["a b c d", "a b"], {"max_order": 1}, [3, 3, 3, 2], "whatever the order of the references"),
    ("a b c", ["a b", "a b c d"], {"max_order": 1, "reference_length": "shortest"}, [3, 3, 3, 2], "min"),
    ("a b c", ["a", "a b c d"], {"max_order": 1, "reference_length": "longest"}, [3, 3, 3, 4], "max"),
    ("a b c", ["a b c", "a b c d"], {"max_order": 1, "reference_length": "longest"}, [3, 3, 3, 3], "an exact one wins"),
    ("a-\nb", ["ab"], {"max_order": 1}, [1, 1, 1, 1], "13a joins what a line break has parted"),
    ("x<skipped>y", ["xy"], {"max_order": 1}, [1, 1, 1, 1], "13a takes <skipped> out"),
    ("x-<skipped>\ny", ["xy"], {"max_order": 1}, [1, 1, 1, 1], "<skipped> first, then the hyphen"),
    ("<skip<skipped>ped>", ["< skipped >"], {"max_order": 1}, [3, 3, 3, 3], "once, from left to right"),
    ("x--\n\ny", ["x- y"], {"max_order": 1}, [2, 2, 2, 2], "once again"),
    ("x-\n\n ", ["x-"], {"max_order": 1}, [1, 1, 1, 1], "what is at the end isn't in the middle"),
    ("x&am<skipped>p;y", ["x & y"], {"max_order": 1}, [3, 3, 3, 3], "an entity that comes about"),
    ("ΟΔΟΣ", ["οδος"], {"max_order": 1, "lowercase": True}, [1, 1, 1, 1], "str.lower writes a final sigma"),
    ("İ", ["i̇"], {"max_order": 1, "lowercase": True}, [1, 1, 1, 1], "str.lower makes two characters of it"),
    ("a b", ["c"], {"max_order": 3, "minimum_total": 1}, [0, 0, 0, 2, 1, 1, 2, 1], "NLTK counts one n-gram at least"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("prediction", "references", "options", "row", "source"), TABLE, ids=[row[-1] for row in TABLE]
)
def test_segments_by_hand(prediction, references, options, row, source):
    assert count_both_ways([prediction], [references], **options).tolist() == [row]


class Token(str):
    """A token that counts how often Python looks a token up."""

    lookups = 0

    def __hash__(self):
        Token.lookups += 1
        return super().__hash__()


def test_steps_grow_with_the_references():
    """Ten times as many references take about ten times as many steps in the Python implementation."""

    def count_lookups(references):
        texts = [[Token(f"w{i}"), Token("a"), Token("b")] for i in range(references)]
        Token.lookups = 0
        row = count_segment([Token("a"), Token("b")], texts, CountingRule(max_order=2))
        assert row == [2, 1, 2, 1, 2, 3]
        return Token.lookups

    assert count_lookups(200) <= 11 * count_lookups(20)


def test_totals_are_never_negative():
    assert count_segment(["a"], [["a", "b"]], CountingRule(max_order=4)) == [1, 0, 0, 0, 1, 0, 0, 0, 1, 2]  # fmt: skip


SIZES = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 62, 63, 64, 65, 66, 127, 128, 129, 1000]


@pytest.mark.parametrize("vocabulary", [1, 2, 5, 1000])
def test_sizes_around_the_kernels_limits(vocabulary):
    """Numbers of tokens around a word's 64 bits and around the sizes of tables, in small and large vocabularies."""
    generator = random.Random(vocabulary)
    words = [f"w{i}" * generator.choice((1, 2, 5)) for i in range(vocabulary)]
    texts = {size: " ".join(generator.choices(words, k=size)) for size in SIZES}
    predictions, references = zip(
        *[(texts[a], [texts[b]]) for a, b in itertools.product(SIZES, SIZES)]
    )
    for max_order in (1, 4, 6):
        expected = count_with_sacrebleu(
            predictions, references, tokenize="none", max_order=max_order
        )
        rows = count_both_ways(
            list(predictions), list(references), tokenize="none", max_order=max_order
        )
        np.testing.assert_array_equal(rows, expected)


def count_by_definition(prediction, references, order):
    """Return the sum over distinct n-grams of min(its count, its highest count in a reference)."""

    def list_ngrams(tokens):
        return [tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1)]

    ngrams = list_ngrams(prediction)
    of_references = [list_ngrams(reference) for reference in references]
    matches = 0
    for ngram in set(ngrams):
        most = max(of_reference.count(ngram) for of_reference in of_references)
        matches += min(ngrams.count(ngram), most)
    return matches


def repeat(period, size):
    """Return a text of `size` token ids that repeats a shorter one: its n-grams occur many times."""
    return list(itertools.islice(itertools.cycle(period), size))


SIZES_AT_A_WORD = st.sampled_from([0, 1, 2, 61, 62, 63, 64, 65, 66, 130])
PERIODIC = st.builds(repeat, st.lists(st.integers(0, 2), min_size=1, max_size=5), SIZES_AT_A_WORD)
PIECES = st.lists(PERIODIC, min_size=1, max_size=3).map(
    lambda pieces: list(itertools.chain.from_iterable(pieces))
)


@given(PIECES, st.lists(PIECES, min_size=1, max_size=3), st.sampled_from([1, 4, 63, 64, 65, 70]))
@example([0] * 62 + [1], [[0] * 62, [1] * 9, [0, 1]], 64)
@example([0] * 63, [[0] * 64, [0]], 64)
@example([0] * 64, [[0] * 64, [0]], 65)
@example([0] * 65, [[0] * 64, [0]], 65)
@example(list(range(63)), [list(range(63)), [62]], 63)
@example([0, 1] * 4, [[0, 1, 9, 0, 1], [1, 0, 9, 1, 0, 9, 1, 0], []], 4)
def test_matches_are_those_of_the_definition(prediction, references, max_order):
    """Around the bits of a word, with repeated n-grams, several references, and orders above both lengths."""
    rows = count_both_ways([prediction], [references], max_order=max_order)
    orders = range(1, max_order + 1)
    expected = [count_by_definition(prediction, references, order) for order in orders]
    assert rows[0, :max_order].tolist() == expected


@pytest.mark.parametrize("length", range(1, 41))
def test_token_lengths_around_a_word(length):
    """Tokens that differ in one byte, or in their length only, are different at any place in the buffer."""
    token = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"[:length]
    others = [token[:i] + "#" + token[i + 1 :] for i in range(length)] + [token + "#", token[:-1]]
    for other in others:
        assert count_both_ways([token], [[other]], tokenize="none", max_order=1)[0, 0] == 0
        assert (
            count_both_ways([f"{other} {token}"], [[token]], tokenize="none", max_order=1)[0, 0]
            == 1
        )


def compile_call(name):
    """Return a function that calls a part of a kernel, because Python itself cannot call one."""
    from numba import njit

    compiling.warm_up()
    helper = getattr(kernels, name)
    return njit(lambda first, second, third: helper(first, second, third))


@needs_numba
@pytest.mark.parametrize(
    "token",
    ["abcdefgh{:07}abcdefgh", "{:09}", "{:07}abcdefghijkl", "abcdefghijkl{:07}", "{0:08}{0:08}"],
)
def test_long_tokens_have_keys_of_their_own(token):
    """Tokens that share both ends have different keys; equal keys would make every lookup compare all tokens."""
    texts = [token.format(i).encode() for i in range(2_000)]
    text = np.frombuffer(b"".join(texts), np.uint8)
    starts = range(text.ctypes.data, text.ctypes.data + len(text), len(texts[0]))
    make_key = compile_call("_make_key")
    keys = {make_key(start, len(texts[0]), kernels._FACTOR) for start in starts}
    assert len(keys) == 2_000


@needs_numba
@pytest.mark.parametrize(
    "step", [1, 1 << 20, 1 << 40, 1 << 52, pow(0x9E3779B97F4A7C15, -1, 1 << 64)]
)
def test_chosen_ids_spread_over_the_slots(step):
    """A thousand chosen ids spread over the slots; a constant hash factor would let an attacker put all into one."""
    ids = (np.arange(1_000, dtype=np.uint64) * np.uint64(step)).astype(np.int64)
    first_slot = compile_call("_first_slot")
    assert len({first_slot(key, 13, 0x2545F4914F6CDD1D) for key in ids}) > 250


def test_a_segment_of_a_million_tokens_takes_linear_time():
    """Counts known by construction: a cycle of ten words, and a reference with one more word."""
    cycle = " ".join(f"word{i % 10}" for i in range(1_000_000))
    corpus = read_corpus([cycle], [[cycle + " end"]])
    rows = count(corpus)
    assert rows.tolist() == [[10**6, 10**6 - 1, 10**6 - 2, 10**6 - 3] * 2 + [10**6, 10**6 + 1]]


def test_many_batches_keep_their_order():
    """More rows than a batch holds, in chunks of other sizes, and as slices with an offset."""
    predictions, references = random_rows(seed=9, count=1_000)
    expected = count_both_ways(predictions, references)
    many = read_corpus(predictions * 20, references * 20)
    chunks = [slice(None, 3), slice(3, 12_345), slice(12_345, None)]
    columns = [many.predictions.combine_chunks(), many.references.combine_chunks()]
    uneven = read_corpus(
        *(pa.chunked_array([column[chunk] for chunk in chunks]) for column in columns)
    )
    assert len(uneven.batches) == 3
    for corpus in (many, uneven):
        rows = count(corpus)
        np.testing.assert_array_equal(rows, np.tile(expected, (20, 1)))


@pytest.mark.parametrize("reference_length", REFERENCE_LENGTHS)
def test_the_order_of_references_does_not_matter(reference_length):
    predictions, references = random_rows(seed=3, count=300)
    rows = count_both_ways(predictions, references, reference_length=reference_length)
    backwards = [row[::-1] for row in references]
    np.testing.assert_array_equal(
        rows, count_both_ways(predictions, backwards, reference_length=reference_length)
    )


def test_a_rule_for_the_reference_length_without_a_kernel(monkeypatch):
    """A record alone is enough: the rows come from the Python implementation, although the kernels are compiled."""
    monkeypatch.setitem(
        REFERENCE_LENGTHS,
        "second",
        ReferenceLength(lambda _, lengths: sorted(lengths)[1], "by hand"),
    )
    corpus = read_corpus(["a b c"] * 20_000, [["a b c d e", "a", "a b"]] * 20_000)
    with kernels_only():
        rows = count(corpus, max_order=1, reference_length="second", tokenize="none")
    assert rows.shape == (20_000, 4)
    assert set(map(tuple, rows.tolist())) == {(3, 3, 3, 2)}


@pytest.mark.parametrize("lowercase", [False, True])
def test_tokens_have_the_rows_of_their_text(lowercase):
    predictions, references = random_rows(seed=4, count=300)
    tokens = (
        [text.split() for text in predictions],
        [[text.split() for text in row] for row in references],
    )
    rows = count_both_ways(predictions, references, tokenize="none")
    np.testing.assert_array_equal(rows, count_both_ways(*tokens))
    numbers = {}
    ids = [
        [[numbers.setdefault(token, 3**39 + len(numbers)) for token in text] for text in row]
        for row in tokens[1]
    ]
    own = [
        [numbers.setdefault(token, 3**39 + len(numbers)) for token in text] for text in tokens[0]
    ]
    np.testing.assert_array_equal(rows, count_both_ways(own, ids))
    lowered = (
        [[token.lower() for token in text] for text in tokens[0]],
        [[[token.lower() for token in text] for text in row] for row in tokens[1]],
    )
    np.testing.assert_array_equal(
        count_both_ways(*tokens, lowercase=True), count_both_ways(*lowered)
    )


MANY_TOKENS = " ".join(f"w{i}" for i in range(40_000))


@pytest.mark.parametrize("method", ["compute", "statistics"])
def test_orders_that_would_fill_the_memory_are_rejected_before_counting(bleu, method):
    """Both implementations store n-grams: the error names the row, the tokens and the order."""
    columns = {"predictions": ["a b", MANY_TOKENS], "references": ["a b", "w1 w2"]}
    with pytest.raises(
        ValueError,
        match=r"^predictions\[1\]: to count the n-grams of its 40,000 tokens with max_order=5,000"
        r" takes more than 2 GB of memory\. Pass a lower max_order\.$",
    ):
        getattr(bleu, method)(**columns, max_order=5_000)
    assert bleu.compute(**columns, max_order=5)["translation_length"] == 40_002


def test_token_lists_that_would_fill_the_memory(bleu):
    tokens = list(range(40_000))
    with pytest.raises(
        ValueError, match=r"^predictions\[0\]: .* 40,000 tokens with max_order=5,000"
    ):
        bleu.compute(predictions=[tokens], references=[[tokens]], max_order=5_000)


def test_explain_lists_each_ngram(bleu):
    """Its time grows with tokens times orders; what it lists is limited before it is made."""
    with pytest.raises(
        ValueError,
        match=r"^prediction: to list the n-grams of its 40,000 tokens with max_order=500 takes",
    ):
        bleu.explain(MANY_TOKENS, "w1 w2", max_order=500)
    explained = bleu.explain(" ".join(f"w{i}" for i in range(300)), "w1 w2 w3", max_order=300)
    assert [order["total"] for order in explained["orders"]] == list(range(300, 0, -1))
    assert explained["prediction"]["longest_match"][:5] == [0, 3, 3, 3, 0]
