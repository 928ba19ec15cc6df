"""Python's lists to Arrow: the compiled twin against the definition, which looks at each type and leaves the rest to Arrow."""

import gc
import sys

import pyarrow as pa
import pytest
from bleu import bleu_inputs_lists, bleu_inputs_lists_compiled
from bleu.bleu_compiler import COMPILED
from bleu.bleu_warnings import count_unspaced_characters
from hypothesis import given, settings
from hypothesis import strategies as st

SURROGATE = "a\ud800"

# What is read, as the strings, bounds and so on that it must become.
READ = {
    "texts": ([["a", "bc"], [], ["", "日本🙂é"]], ["a", "bc", "", "日本🙂é"], [0, 2, 2, 4]),
    "one list": ([["a"]], ["a"], [0, 1]),
    "tokens": ([[["a"], []], [], [["b", "c"]]], [["a"], [], ["b", "c"]], [0, 2, 2, 3]),
    "ids": ([[[1, 2**63 - 1], []], [[0]]], [[1, 2**63 - 1], [], [0]], [0, 2, 3]),
    "a null byte": ([["a\0b"]], ["a\0b"], [0, 1]),
    "a text longer than all before": ([["a", "b" * 10_000, "c" * 100_000, "d"]], ["a", "b" * 10_000, "c" * 100_000, "d"], [0, 4]),
    "more items than are asked for ahead": ([[str(i) for i in range(100)]], [str(i) for i in range(100)], [0, 100]),
}  # fmt: skip
# What isn't, since nobody could say what it is, or somebody has to say what is wrong with it.
REFUSED = {
    "nothing": [],
    "no item": [[], []],
    "no token": [[[], []], [[]]],
    "None": [["a", None]],
    "None for tokens": [[["a"], None]],
    "None for a list": [["a"], None],
    "a number among texts": [["a", 1]],
    "a text among numbers": [[[1, "a"]]],
    "a text among lists": [[["a"], "a"]],
    "numbers": [[1, 2]],
    "bytes": [[b"a", "a"]],
    "a bool": [[[1, True]]],
    "bools": [[[True, False]]],
    "a float": [[[1, 1.0]]],
    "a number below 0": [[[1, -1]]],
    "a number too large": [[[1, 2**63]]],
    "half a character": [["a", SURROGATE]],
    "half a character in a token": [[["a"], [SURROGATE]]],
    "a deeper list": [[[["a"]]]],
    "something without items": [[["a"]], 7],
    "a str for a list": [["a"], "ab"],
}

READERS = [bleu_inputs_lists.read_lists]
READERS += [bleu_inputs_lists_compiled.read_lists] if COMPILED else []
readers = pytest.mark.parametrize("read", READERS, ids=["definition", "compiled"][: len(READERS)])
needs_numba = pytest.mark.skipif(not COMPILED, reason="numba isn't here: there is no twin to compare")


def as_python(read):
    return read and (read.items.to_pylist(), read.bounds.tolist())


@readers
@pytest.mark.parametrize(("lists", "items", "bounds"), READ.values(), ids=READ)
def test_what_is_read(read, lists, items, bounds):
    assert as_python(read(lists)) == (items, bounds)


@readers
@pytest.mark.parametrize("lists", REFUSED.values(), ids=REFUSED)
def test_what_is_left_to_others(read, lists):
    assert read(lists) is None


_LEAF = st.one_of(st.text(max_size=12), st.integers(-1, 9), st.none(), st.booleans(), st.just(SURROGATE))
_LEAVES = st.one_of(st.lists(st.text(max_size=12), max_size=40), st.lists(st.integers(0), max_size=4), st.lists(_LEAF))


@needs_numba
@settings(deadline=None)  # the first compiles
@given(st.lists(st.one_of(_LEAVES, st.lists(_LEAVES, max_size=5)), max_size=5))
def test_twins_read_and_refuse_the_same(lists):
    definition, compiled = (as_python(read(lists)) for read in READERS)
    assert compiled == definition


@needs_numba
def test_bytes_are_as_arrow_has_them():
    """Each code point but surrogates, alone and between others: the same UTF-8 and the same offsets."""
    texts = [f"a{chr(c)}z" for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    strings = bleu_inputs_lists_compiled.read_lists([texts]).items
    strings.validate(full=True)
    assert strings.equals(pa.array(texts, pa.large_string()))


@needs_numba
def test_scripts_without_spaces_are_noticed():
    """Wherever `count_unspaced_characters` counts one; and not for an accent, a quotation mark, Hangul or an emoji."""
    read = bleu_inputs_lists_compiled.read_lists
    for character in map(chr, [*range(0, 0xD800, 64), *range(0xE000, 0x20000, 64)]):  # two of three bytes decide
        counted = count_unspaced_characters(pa.array([character]), "13a")
        assert read([["az", f"a{character}z"]]).may_lack_spaces >= bool(counted), hex(ord(character))
    assert not read([["", "az é Ω й “–” 한국 🙂"]]).may_lack_spaces


@needs_numba
@pytest.mark.parametrize("lists", [[["a b", "é"]], [[["a b"], ["c"]]], [["a b", None]], [[[10**6, 10**7]]], [["a"], 7]])
def test_objects_are_as_they_were(lists):
    """Python counts who holds an object, and frees it once nobody does: reading holds nothing, whatever comes of it."""
    read = bleu_inputs_lists_compiled.read_lists
    read(lists)  # some texts get their UTF-8 kept by Python, once
    gc.collect()
    objects = [lists, *lists, *lists[0], *(item for item in lists[0] if isinstance(item, list))]
    before = [sys.getrefcount(thing) for thing in objects]
    for _ in range(1000):
        read(lists)
    assert [sys.getrefcount(thing) for thing in objects] == before


@needs_numba
def test_arrow_keeps_what_was_read():
    lists = [[f"text {i}" for i in range(5000)]]
    items = bleu_inputs_lists_compiled.read_lists(lists).items
    expected = list(lists[0])
    lists[0].clear()
    gc.collect()
    assert items.to_pylist() == expected
