"""Native tokenizers, compiled and by definition, against sacreBLEU: characters, random segments, any text."""

import csv
import sys

import numpy as np
import pytest
from bleu.bleu_options import TOKENIZERS
from bleu.bleu_tokenizers import DEFINITIONS
from helpers import WMT21, count_both_ways, count_with_sacrebleu, find_difference, random_rows, read_lines
from hypothesis import given, settings
from hypothesis import strategies as st

SACREBLEUS = [name for name in TOKENIZERS if name != "multi-bleu"]


def test_every_name_has_a_definition():
    assert tuple(DEFINITIONS) == TOKENIZERS


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", SACREBLEUS)
def test_random_segments_have_sacrebleus_rows(tokenize, lowercase):
    """24,000 segments in all; `tests/fuzz.py` goes on from there."""
    for max_order in range(1, 7):
        options = {"tokenize": tokenize, "lowercase": lowercase, "max_order": max_order}
        predictions, references = random_rows(seed=max_order, count=400)
        difference = find_difference(
            predictions, references, count_both_ways(predictions, references, **options), count_with_sacrebleu(predictions, references, **options)
        )  # fmt: skip
        assert difference is None


@pytest.mark.filterwarnings("ignore:There are . predictions with . references each")
@pytest.mark.parametrize("tokenize", SACREBLEUS)
@settings(max_examples=150, deadline=None)
@given(
    data=st.lists(
        st.tuples(st.text(max_size=30), st.lists(st.text(max_size=30), min_size=1, max_size=3)), min_size=1, max_size=8
    ),
    lowercase=st.booleans(),
)
def test_any_text_has_sacrebleus_rows(tokenize, data, lowercase):
    predictions, references = map(list, zip(*data))
    expected = count_with_sacrebleu(predictions, references, tokenize=tokenize, lowercase=lowercase)
    np.testing.assert_array_equal(
        count_both_ways(predictions, references, tokenize=tokenize, lowercase=lowercase), expected
    )


def test_the_edges_of_chinese_are_sacrebleus():
    """All characters for which `zh` has a rule of its own begin and end here; between letters, some hundreds a segment."""
    blocks = [(0x1FF0, 0x3410), (0x4D90, 0x4E10), (0x9F90, 0x9FD0), (0xF8F0, 0xFB00), (0xFE00, 0xFE60), (0xFEF0, 0xFFFF), (0x1FFF0, 0x20010), (0x2A6D0, 0x2A6E0)]  # fmt: skip
    every = [chr(c) for first, end in blocks for c in range(first, end)]
    texts = [" ".join(f"a{c}b" for c in every[i : i + 500]) for i in range(0, len(every), 500)]
    references = [[text.replace(" ", "")] for text in texts]
    expected = count_with_sacrebleu(texts, references, tokenize="zh", max_order=1)
    np.testing.assert_array_equal(count_both_ways(texts, references, tokenize="zh", max_order=1), expected)


@pytest.mark.parametrize("tokenize", SACREBLEUS)
@pytest.mark.slow
def test_every_character_is_cut_as_sacrebleu_cuts_it(tokenize):
    """All of Unicode but surrogates, beside letters and beside digits, in 4,000 characters a segment."""
    every = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    for left, right in (("a", "b"), ("1", "2")):
        texts = [" ".join(left + c + right for c in every[i : i + 4000]) for i in range(0, len(every), 4000)]
        references = [[text.replace(" ", "")] for text in texts]
        table = count_with_sacrebleu(texts, references, tokenize=tokenize, max_order=1)
        np.testing.assert_array_equal(count_both_ways(texts, references, tokenize=tokenize, max_order=1), table)


@pytest.mark.slow
def test_every_character_is_lowered_as_python_does():
    every = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    rows = count_both_ways(every, [[c.lower()] for c in every], tokenize="none", lowercase=True, max_order=1)
    assert (rows[:, 0] == rows[:, 1]).all()


pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# White space to Python and not to the script, then white space to both.
INSIDE = [
    "\u00a0",
    "\u0085",
    "\u1680",
    "\u2003",
    "\u2009",
    "\u2028",
    "\u2029",
    "\u202f",
    "\u205f",
    "\u3000",
    "\x1c",
    "\x1d",
    "\x1e",
    "\x1f",
]


BETWEEN = [" ", "\t", "\n", "\r", "\x0b", "\x0c"]


def tokens(text, lowercase=False):
    """The script's, by Python's own bytes: `split` at ASCII white space, `lower` of ASCII letters."""
    text = text.encode()
    return [token.decode() for token in (text.lower() if lowercase else text).split()]


@pytest.mark.parametrize("mark", INSIDE, ids=ascii)
def test_white_space_that_stays_inside_a_token(bleu, mark):
    explained = bleu.explain(f"10{mark}000 km", [f"10{mark}000 km"], tokenize="multi-bleu")
    assert explained["prediction"]["tokens"] == [f"10{mark}000", "km"]
    result = bleu.compute(predictions=[f"a{mark}b c"], references=[f"a{mark}b d"], tokenize="multi-bleu")
    assert (result["counts"], result["totals"]) == ([1, 0, 0, 0], [2, 1, 0, 0])


@pytest.mark.parametrize("mark", BETWEEN, ids=ascii)
def test_white_space_that_stands_between_tokens(bleu, mark):
    result = bleu.compute(predictions=[f"{mark}a{mark}{mark}b{mark}"], references=["a b"], tokenize="multi-bleu")
    assert (result["counts"], result["totals"]) == ([2, 1, 0, 0], [2, 1, 0, 0])


# A text, and its lower case to the script.
CASES = [
    ("ABC", "abc"),
    ("É", "É"),
    ("ÉA Éa", "Éa Éa"),
    ("СЛОВО", "СЛОВО"),
    ("İI", "İi"),
    ("ΟΔΟΣ", "ΟΔΟΣ"),
    ("ＡB", "Ａb"),
    ("ẞS", "ẞs"),
    ("K\u212a", "k\u212a"),
]


@pytest.mark.parametrize(("text", "lowered"), CASES)
def test_only_ascii_is_lower_cased(bleu, text, lowered):
    explained = bleu.explain(text, [text], tokenize="multi-bleu", lowercase=True)
    assert explained["prediction"]["tokens"] == lowered.split()
    same = bleu.compute(predictions=[text], references=[lowered], tokenize="multi-bleu", lowercase=True)
    assert same["counts"] == same["totals"]


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("how", ["tokenize", "convention"])
@pytest.mark.parametrize("seed", [1, 2])
def test_any_text(load, lowercase, how, seed):
    """Random text of all scripts, white space and controls: the rows are those of the tokens."""
    predictions, references = random_rows(seed, count=400)
    bleu = load("moses") if how == "convention" else load()
    options = {"lowercase": lowercase, **({} if how == "convention" else {"tokenize": "multi-bleu"})}
    rows = bleu.statistics(predictions=predictions, references=references, **options)
    expected = load().statistics(
        predictions=[tokens(text, lowercase) for text in predictions],
        references=[[tokens(text, lowercase) for text in row] for row in references],
    )
    assert rows.to_pydict() == expected.to_pydict()


def test_it_is_what_moses_stands_for(load):
    """By its own name in the signature: the script is no `tokenizer.perl`, and not white space as Python has it either."""
    corpus = {"predictions": ["a b\u00a0c d e"], "references": ["a b\u00a0c d e"]}
    assert "|tok:multi-bleu|" in load("moses").compute(**corpus)["signature"]
    assert load("moses").compute(**corpus) == load(tokenize="multi-bleu", smooth_method="none").compute(**corpus)
    assert load("moses").compute(**corpus)["totals"] == [4, 3, 2, 1]
    assert load("moses").conventions(**corpus)["moses"]["signature"] == load("moses").compute(**corpus)["signature"]
    assert load("nltk").compute(**corpus)["totals"] == [5, 4, 3, 2]


def test_the_search_for_a_setting_knows_it(load):
    predictions, references = random_rows(seed=5, count=60)
    score = load("moses").compute(predictions=predictions, references=references)["score"]
    matches = load().reconcile(predictions, references, f"{score:.6f}")["matches"]
    assert any(match["options"]["tokenize"] == "multi-bleu" for match in matches)


def test_other_calls_know_it(bleu):
    texts = ["a\u00a0b c", "a\u00a0b d", "a b"]
    split = [tokens(text) for text in texts]
    assert bleu.pairwise(texts, tokenize="multi-bleu").tolist() == bleu.pairwise(split).tolist()
    assert bleu.self_bleu(texts, tokenize="multi-bleu")["segment_bleu"] == bleu.self_bleu(split)["segment_bleu"]


def printed():
    with open(WMT21 / "multi-bleu.tsv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t")) if WMT21.is_dir() else []


@pytest.mark.skipif(not WMT21.is_dir(), reason=f"no WMT21 data at {WMT21}")
def test_what_the_script_printed_for_wmt21(load):
    """Every system with all references of its pair, without `-lc` and with it, to the two decimals that it prints."""
    bleu, wrong = load("moses"), []
    rows = printed()
    for row in rows:
        target = row["pair"].split("-")[1]
        output = next((WMT21 / "system-outputs").glob(f"*.{row['pair']}.hyp.{row['system']}.{target}"))
        streams = sorted((WMT21 / "references").glob(f"*.{row['pair']}.ref.*.{target}"))
        corpus = {"predictions": read_lines(output), "references": list(zip(*map(read_lines, streams)))}
        for key, options in (("bleu", {}), ("bleu_lc", {"lowercase": True})):
            score = bleu.compute(**corpus, **options)["score"]
            if f"{score:.2f}" != row[key]:
                wrong.append((row["pair"], row["system"], key, row[key], round(score, 4)))
    assert len(rows) == 255
    assert wrong == []
