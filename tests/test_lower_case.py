"""Lower case: the compiled twin against `str.lower`."""

import random
import sys

import numpy as np
import pyarrow as pa
import pytest
from bleu import bleu_lower_case, bleu_lower_case_compiled
from bleu.bleu_compiler import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="numba isn't here: there is no twin to compare")

# What a sigma becomes depends on the letters around it, whatever accents and apostrophes lie between.
SIGMAS = [
    "Σ",
    "ΑΣ",
    "ΣΑ",
    "ΑΣΑ",
    "ΑΣΣ",
    "ΣΣΣ",
    "Α'Σ",
    "Α'Σ'Α",
    "'Σ",
    "ΑΣ'",
    "Α\u0301Σ\u0301 Α",
    "ΑΣ.Α",
    "1Σ",
    "Α Σ",
    "İΣ",
]


def lower(texts):
    return bleu_lower_case_compiled.lower_case(pa.array(texts)).to_pylist()


@pytest.mark.parametrize("text", SIGMAS)
def test_sigmas(text):
    around = ["", "a", "A ", " A", "'", "abcdefgh", "ABCDEFGH", "日本", "🙂"]
    texts = [before + text + behind for before in around for behind in around]
    assert lower(texts) == [text.lower() for text in texts]


def test_every_character_beside_a_sigma():
    """All of Unicode but surrogates, before a sigma and behind it, with a letter beyond and without."""
    every = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    texts = [" ".join(f"A{c}Σ {c}Σ AΣ{c}A AΣ{c}" for c in every[i : i + 4000]) for i in range(0, len(every), 4000)]
    assert lower(texts) == [text.lower() for text in texts]


@pytest.mark.parametrize("seed", range(20))
def test_capital_letters_anywhere(seed):
    """Eight ASCII bytes are lowered at once, wherever in them the letters are."""
    generator = random.Random(seed)
    texts = ["".join(generator.choices("AZaz@[`{ \x00\x7fé日", k=generator.randrange(40))) for _ in range(500)]
    assert lower(texts) == [text.lower() for text in texts]
    sliced = pa.array(texts).slice(7)
    assert bleu_lower_case_compiled.lower_case(sliced).equals(
        bleu_lower_case.lower_case(sliced).cast(pa.large_string())
    )


@pytest.mark.parametrize("seed", range(20))
def test_bytes_that_are_no_text(seed):
    """Arrow doesn't look at what it is given: whatever the bytes are, the texts beside them have their lower case."""
    generator = random.Random(seed)
    pieces = [
        "Σ".encode(),
        b"A",
        b"\xcc\x81",
        b"\xff",
        b"\xc3",
        b"\xce",
        b"\xe3\x81",
        b"\xf0\x9f",
        b"\x80",
        b"BCDEFGHIJ",
    ]
    texts = [b"".join(generator.choices(pieces, k=generator.randrange(5))) for _ in range(500)]
    texts[1::2] = ["ΑΣ".encode()] * 250
    lowered = bleu_lower_case_compiled.lower_case(strings(texts))
    ends, text = np.frombuffer(lowered.buffers()[1], np.int64), lowered.buffers()[2].to_pybytes()
    assert [text[a:b].decode() for a, b in zip(ends[1::2], ends[2::2])] == ["ας"] * 250


def test_characters_that_are_cut_off_stay_as_they_are():
    """They need no more room than they had."""
    texts = [bytes([byte]) for byte in range(0x80, 0x100)] * 100
    assert bleu_lower_case_compiled.lower_case(strings(texts)).buffers()[2].to_pybytes().startswith(b"".join(texts))


def strings(texts):
    """An array of strings with these bytes."""
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(b"".join(texts)))
