"""Tokenizers: native, sacreBLEU's own, functions, one without a kernel; lowercase."""

import csv
import importlib
import itertools
import json
import random
import re
import shlex
import shutil
import subprocess
import sys
import unicodedata
from functools import partial
from types import MethodType

import helpers
import numpy as np
import pyarrow as pa
import pytest
from bleu.bleu_core.options.options import Options
from bleu.bleu_core.rules.chosen_tokenizer import (
    OTHER_TOKENIZERS,
    SACREBLEU_PACKAGES,
    _load_from_sacrebleu,
    choose_tokenizer,
    lower_case,
    name_function,
    prepare_texts,
)
from bleu.bleu_core.rules.tokenizers import TOKENIZERS
from bleu.bleu_core.text.read import read_corpus
from both_ways import count, count_both_ways
from conftest import HAS_NUMBA, needs_wmt21
from helpers import (
    PARTS,
    ROOT,
    WMT21,
    count_with_sacrebleu,
    examples,
    find_difference,
    further,
    random_rows,
    read_lines,
    run_python,
    shift_offsets,
    widen,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU
from sacremoses import MosesTokenizer

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# Native tokenizers, compiled and in Python, against sacreBLEU: characters, random segments, any text.


SACREBLEUS = [name for name in TOKENIZERS if name in BLEU.TOKENIZERS]


@pytest.mark.parametrize("lowercase", [True, *further([False])])
@pytest.mark.parametrize("tokenize", SACREBLEUS)
def test_random_segments_have_sacrebleus_rows(tokenize, lowercase):
    """12,000 segments in all; `tests/fuzz.py` tests more."""
    for max_order in range(1, 7):
        options = {"tokenize": tokenize, "lowercase": lowercase, "max_order": max_order}
        predictions, references = random_rows(seed=max_order, count=200)
        difference = find_difference(
            predictions, references, count_both_ways(predictions, references, **options), count_with_sacrebleu(predictions, references, **options)
        )  # fmt: skip
        assert difference is None


@pytest.mark.filterwarnings("ignore:There are . predictions with . references each")
@pytest.mark.parametrize("tokenize", SACREBLEUS)
@settings(max_examples=examples(150))
@given(
    data=st.lists(
        st.tuples(st.text(max_size=30), st.lists(st.text(max_size=30), min_size=1, max_size=3)),
        min_size=1,
        max_size=8,
    ),
    lowercase=st.booleans(),
)
def test_any_text_has_sacrebleus_rows(tokenize, data, lowercase):
    predictions, references = map(list, zip(*data))
    expected = count_with_sacrebleu(predictions, references, tokenize=tokenize, lowercase=lowercase)
    np.testing.assert_array_equal(
        count_both_ways(predictions, references, tokenize=tokenize, lowercase=lowercase), expected
    )


def test_the_bounds_of_chinese_are_sacrebleus():
    """The first and last characters of each block with a rule of `zh`, between letters, in segments of 500."""
    blocks = [(0x1FF0, 0x3410), (0x4D90, 0x4E10), (0x9F90, 0x9FD0), (0xF8F0, 0xFB00), (0xFE00, 0xFE60), (0xFEF0, 0xFFFF), (0x1FFF0, 0x20010), (0x2A6D0, 0x2A6E0)]  # fmt: skip
    every = [chr(c) for first, end in blocks for c in range(first, end)]
    texts = [" ".join(f"a{c}b" for c in every[i : i + 500]) for i in range(0, len(every), 500)]
    references = [[text.replace(" ", "")] for text in texts]
    expected = count_with_sacrebleu(texts, references, tokenize="zh", max_order=1)
    np.testing.assert_array_equal(
        count_both_ways(texts, references, tokenize="zh", max_order=1), expected
    )


# Codes of letters without case, for private use and of no characters: rules treat all of a range alike, but those of
# Chinese, whose bounds are tested above.
UNIFORM = [range(0x20000, 0x30000), range(0x30000, 0xE0000), range(0xE1000, 0xF0000), range(0xF0000, 0x110000)]  # fmt: skip


def test_uniform_codes():
    for codes in UNIFORM:
        assert {unicodedata.category(chr(code)) for code in codes} <= {"Lo", "Co", "Cn"}


def list_every_character():
    """Return all characters of Unicode but surrogates, and of codes that are uniform the first 256."""
    codes = [*range(0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xE1000)]
    for uniform in UNIFORM:
        codes += uniform[:256]
    return [chr(code) for code in codes]


EVERY = list_every_character()


@pytest.mark.parametrize("tokenize", SACREBLEUS)
def test_every_character_is_split_as_by_sacrebleu(tokenize):
    """Beside letters and beside digits, in segments of 4,000 characters."""
    for left, right in (("a", "b"), ("1", "2")):
        texts = [
            " ".join(left + c + right for c in EVERY[i : i + 4000])
            for i in range(0, len(EVERY), 4000)
        ]
        references = [[text.replace(" ", "")] for text in texts]
        table = count_with_sacrebleu(texts, references, tokenize=tokenize, max_order=1)
        np.testing.assert_array_equal(
            count_both_ways(texts, references, tokenize=tokenize, max_order=1), table
        )


# Whitespace in Python and not in the script, then whitespace in both.
INSIDE = [
    "\u00a0", "\u0085", "\u1680", "\u2003", "\u2009", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\x1c", "\x1d", "\x1e",
    "\x1f",
]  # fmt: skip

BETWEEN = [" ", "\t", "\n", "\r", "\x0b", "\x0c"]


def split_as_script(text, lowercase=False):
    """Return the tokens of multi-bleu.perl by Python's bytes: ASCII whitespace, lowercase of ASCII letters."""
    text = text.encode()
    return [token.decode() for token in (text.lower() if lowercase else text).split()]


SPACED = [
    "a b\n",
    "\n",
    "\n\n a",
    " a\r\n",
    "a&amp;b <skipped>-\n",
    "東京\u3000x\u00a0",
    "",
    "é😀 ",
]


def count_characters(predictions, references, lowercase):
    """Count lists of characters, which no tokenizer splits."""

    def split(text):
        return list(text.lower() if lowercase else text)

    lists = [[split(text) for text in row] for row in references]
    return count_both_ways([split(text) for text in predictions], lists)


@pytest.mark.parametrize("lowercase", [False, True])
def test_list_has_pythons_characters_with_blanks(bleu, lowercase):
    """Also line feeds at the end, which all other tokenizers remove."""
    predictions, references = random_rows(seed=5, count=400)
    predictions = [*predictions, *SPACED]
    references = [*references, *([text[::-1]] for text in SPACED)]
    for name in ("list", list):
        rows = count_both_ways(predictions, references, tokenize=name, lowercase=lowercase)
        expected = count_characters(predictions, references, lowercase)
        np.testing.assert_array_equal(rows, expected)
    made = bleu.compute(predictions=["a b c"], references=["a b d"], tokenize=list)
    assert "tok:list" in made["signature"]


@pytest.mark.parametrize("language", ["en", "de", "fr", "ru", "zh", "ja"])
@pytest.mark.parametrize("compounds", ["", "-compounds"])
def test_moses_tokenizers_are_sacremoses(bleu, language, compounds):
    """Without escapes; compounds are split by the substitution of the Transformer's script."""
    moses = MosesTokenizer(language)
    texts = [
        "It's 5 o'clock, isn't it? Mr. Smith & Co. paid 3,5 % (approx. 1.000 $).",
        "Die Ost-West-Frage z.B. ist state-of-the-art; a-b-c - d.",
        "L'été, c'est l'amour... <tag> |x| [y]",
        "東京は日本の首都です。 Это т.е. так-то.",
        "",
    ]
    for text in texts:
        tokens = moses.tokenize(text, escape=False)
        if compounds:
            tokens = re.sub(r"(\S)-(\S)", r"\1 ##AT##-##AT## \2", " ".join(tokens)).split()
        shown = bleu.explain(text, [text], tokenize=f"moses-{language}{compounds}")
        assert shown["prediction"]["tokens"] == tokens
    name = f"tok:moses-{language}{compounds}"
    made = bleu.compute(predictions=texts, references=texts, tokenize=name[4:])
    assert name in made["signature"]


def test_a_language_that_sacremoses_has_not(bleu, load):
    with pytest.raises(ValueError, match=r"no language 'xx'\. Pass moses- and one of as, bn,"):
        bleu.compute(predictions=["a"], references=["a"], tokenize="moses-xx")
    loaded = load(signature="nrefs:1|case:lc|eff:no|tok:moses-de|smooth:none|version:2.0.0")
    assert "tok:moses-de" in loaded.compute(predictions=["a"], references=["a"])["signature"]


def test_texts_are_split_as_sacremoses_splits_them():
    """Under each language, with punctuation beside abbreviations, and in all scripts."""
    predictions, references = random_rows(seed=6, count=60)
    texts = [*predictions, *(text for row in references for text in row)]
    texts += ["(Prof. Smith) x", "l'M. Dupont", "5. Mai", "z.B. so", "“Dr. No”", "No. 5.", "²No. 5"]
    for language in ("en", "de", "fr", "it", "hu", "ru", "is", "ja"):
        split = choose_tokenizer(Options(tokenize=f"moses-{language}"), "text").split
        moses = MosesTokenizer(language)
        for text in texts:
            assert split(text) == moses.tokenize(text, escape=False), (language, text)


@pytest.mark.parametrize("mark", INSIDE, ids=ascii)
def test_multi_bleu_keeps_other_whitespace_in_tokens(bleu, mark):
    explained = bleu.explain(f"10{mark}000 km", [f"10{mark}000 km"], tokenize="multi-bleu")
    assert explained["prediction"]["tokens"] == [f"10{mark}000", "km"]
    result = bleu.compute(
        predictions=[f"a{mark}b c"], references=[f"a{mark}b d"], tokenize="multi-bleu"
    )
    assert (result["counts"], result["totals"]) == ([1, 0, 0, 0], [2, 1, 0, 0])


@pytest.mark.parametrize("mark", BETWEEN, ids=ascii)
def test_multi_bleu_splits_at_ascii_whitespace(bleu, mark):
    result = bleu.compute(
        predictions=[f"{mark}a{mark}{mark}b{mark}"], references=["a b"], tokenize="multi-bleu"
    )
    assert (result["counts"], result["totals"]) == ([2, 1, 0, 0], [2, 1, 0, 0])


# A text, and its lowercase in the script.
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
def test_multi_bleu_lowercases_ascii_only(bleu, text, lowered):
    explained = bleu.explain(text, [text], tokenize="multi-bleu", lowercase=True)
    assert explained["prediction"]["tokens"] == lowered.split()
    same = bleu.compute(
        predictions=[text], references=[lowered], tokenize="multi-bleu", lowercase=True
    )
    assert same["counts"] == same["totals"]


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("how", ["tokenize", "convention"])
@pytest.mark.parametrize("seed", [1, 2])
def test_multi_bleu_of_any_text(load, lowercase, how, seed):
    """Random text of all scripts, whitespace and controls has the rows of its tokens."""
    predictions, references = random_rows(seed, count=400)
    bleu = load("moses") if how == "convention" else load()
    options = {
        "lowercase": lowercase,
        **({} if how == "convention" else {"tokenize": "multi-bleu"}),
    }
    rows = bleu.statistics(predictions=predictions, references=references, **options)
    expected = load().statistics(
        predictions=[split_as_script(text, lowercase) for text in predictions],
        references=[[split_as_script(text, lowercase) for text in row] for row in references],
    )
    assert rows.to_pydict() == expected.to_pydict()


def test_multi_bleu_is_the_tokenizer_of_moses(load):
    """The signature has its own name: it is not `tokenizer.perl`, and not Python's whitespace."""
    corpus = {"predictions": ["a b\u00a0c d e"], "references": ["a b\u00a0c d e"]}
    assert "|tok:multi-bleu|" in load("moses").compute(**corpus)["signature"]
    assert load("moses").compute(**corpus) == load(
        tokenize="multi-bleu", smooth_method="none"
    ).compute(**corpus)
    assert load("moses").compute(**corpus)["totals"] == [4, 3, 2, 1]
    assert (
        load("moses").reconcile(**corpus)["moses"]["signature"]
        == load("moses").compute(**corpus)["signature"]
    )
    assert load("nltk").compute(**corpus)["totals"] == [5, 4, 3, 2]


def test_reconcile_finds_multi_bleu(load):
    predictions, references = random_rows(seed=5, count=60)
    score = load("moses").compute(predictions=predictions, references=references)["score"]
    matches = load().reconcile(predictions, references, f"{score:.6f}")["matches"]
    assert any(match["options"]["tokenize"] == "multi-bleu" for match in matches)


def test_other_calls_take_multi_bleu(bleu):
    texts = ["a\u00a0b c", "a\u00a0b d", "a b"]
    split = [split_as_script(text) for text in texts]
    assert bleu.pairwise(texts, tokenize="multi-bleu").tolist() == bleu.pairwise(split).tolist()
    assert (
        bleu.self_bleu(texts, tokenize="multi-bleu")["segment_bleu"]
        == bleu.self_bleu(split)["segment_bleu"]
    )


def read_printed():
    with open(WMT21 / "multi-bleu.tsv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t")) if WMT21.is_dir() else []


@needs_wmt21
@pytest.mark.more
def test_multi_bleu_has_the_scores_of_the_script(load):
    """Every system with all references of its pair, without and with `-lc`, to the two decimals of the script."""
    bleu, wrong = load("moses"), []
    rows = read_printed()
    for row in rows if HAS_NUMBA else rows[::10]:  # a row takes 0.2 seconds without the kernel
        target = row["pair"].split("-")[1]
        output = next(
            (WMT21 / "system-outputs").glob(f"*.{row['pair']}.hyp.{row['system']}.{target}")
        )
        streams = sorted((WMT21 / "references").glob(f"*.{row['pair']}.ref.*.{target}"))
        corpus = {
            "predictions": read_lines(output),
            "references": list(zip(*map(read_lines, streams))),
        }
        for key, options in (("bleu", {}), ("bleu_lc", {"lowercase": True})):
            score = bleu.compute(**corpus, **options)["score"]
            if f"{score:.2f}" != row[key]:
                wrong.append((row["pair"], row["system"], key, row[key], round(score, 4)))
    assert len(rows) == 255
    assert wrong == []


# Tokenizers that are not native: sacreBLEU's classes, and functions.


@pytest.mark.parametrize(
    ("tokenize", "prediction", "reference"),
    [
        ("ja-mecab", "私は猫が好きです。", "私は犬が好きだ。"),
        ("ko-mecab", "나는 고양이를 좋아합니다.", "나는 개를 좋아한다."),
    ],
)
@pytest.mark.parametrize("lowercase", [False, True])
def test_sacrebleus_own_tokenizers(tokenize, prediction, reference, lowercase):
    assert tokenize in SACREBLEU_PACKAGES
    expected = count_with_sacrebleu(
        [prediction + " "], [[reference]], tokenize=tokenize, lowercase=lowercase
    )
    np.testing.assert_array_equal(
        count_both_ways([prediction + " "], [[reference]], tokenize=tokenize, lowercase=lowercase),
        expected,
    )


SENTENCEPIECE = r"""
import json, os, sys
import sentencepiece
import helpers
folder = os.path.join(os.environ["SACREBLEU"], "models")
os.makedirs(folder)
predictions, references = helpers.random_rows(seed=2, count=200)
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=(text.replace("\0", "") for text in predictions), vocab_size=1000, hard_vocab_limit=False,
    model_prefix=os.path.join(folder, "m"), minloglevel=2, byte_fallback=True, character_coverage=0.98,
)
for name in ("sacrebleu_tokenizer_spm.model", "flores200sacrebleuspm"):  # sacreBLEU's names for its downloads
    os.symlink("m.model", os.path.join(folder, name))
for name in ("spm", "flores101", "flores200"):
    rows = helpers.count_both_ways(predictions, references, tokenize=name)
    expected = helpers.count_with_sacrebleu(predictions, references, tokenize=name)
    assert helpers.find_difference(predictions, references, rows, expected) is None
print(json.dumps(int(rows[:, 0].sum())))
"""


@pytest.mark.slow
@pytest.mark.processes
def test_sentencepiece_tokenizers(tmp_path):
    """A model that is trained here replaces sacreBLEU's models, which would be downloaded."""
    assert run_python("import conftest" + SENTENCEPIECE, SACREBLEU=str(tmp_path)) > 0


def test_a_function_is_a_tokenizer():
    rows = count_both_ways(
        ["a,b C"],
        [["a,b c", "x"]],
        tokenize=lambda text: text.split(","),
        lowercase=True,
        max_order=2,
    )
    assert rows.tolist() == [[2, 1, 2, 1, 2, 2]]


class Tokens(list):
    """A subclass of list."""


@pytest.mark.parametrize("answer", [tuple, Tokens, lambda tokens: list(map(np.str_, tokens))])
def test_a_function_may_return_any_sequence_of_str(answer):
    rows = count_both_ways(
        ["a b a", ""], [["a b"], ["c"]], tokenize=lambda text: answer(text.split()), max_order=1
    )
    assert rows.tolist() == [[2, 3, 3, 2], [0, 0, 0, 1]]


@pytest.mark.parametrize("error", [StopIteration, KeyError, RecursionError])
def test_a_function_that_fails_names_the_row(bleu, error):
    """Any error, also in a later chunk of texts; StopIteration would end a loop silently."""
    texts = ["a"] * 700

    def fail(text):
        if text == "fails":
            raise error("why")
        return [text]

    with pytest.raises(
        ValueError, match=rf"references\[600\]: the tokenizer failed: {error.__name__}: .*why"
    ):
        bleu.compute(
            predictions=texts, references=[*texts[:600], "fails", *texts[:99]], tokenize=fail
        )


def test_unknown_names():
    with pytest.raises(ValueError, match=r"tokenize='13b'.*13a, none, intl, zh, char, .*flores200"):
        _load_from_sacrebleu("13b")


@pytest.mark.parametrize("name", SACREBLEU_PACKAGES)
def test_sacrebleus_own_tokenizers_say_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    _load_from_sacrebleu.cache_clear()
    with pytest.raises(ImportError, match=f"tokenize='{name}'.*pip install .*sacrebleu") as raised:
        _load_from_sacrebleu(name)
    command = str(raised.value).rpartition(": ")[2]
    assert not re.search(r"""(?<!")\b[\w-]+\[""", command)  # zsh looks for files of such a name
    *_, package = shlex.split(command)
    assert package in ("sentencepiece", "sacrebleu[ja]", "sacrebleu[ko]")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_token_with_a_lone_surrogate(bleu):
    with pytest.raises(ValueError, match=r"references\[1\]: .*got a lone surrogate"):
        bleu.compute(
            predictions=["a", "b"],
            references=["c", "d"],
            tokenize=lambda text: [text, "\ud83d"[: text == "d"] or "x"],
        )


# Lowercase, compared with `str.lower`.

# The lowercase of a sigma depends on the letters around it, across accents and apostrophes.
SIGMAS = ["Σ", "ΑΣ", "ΣΑ", "ΑΣΑ", "ΑΣΣ", "ΣΣΣ", "Α'Σ", "Α'Σ'Α", "'Σ", "ΑΣ'", "Α\u0301Σ\u0301 Α", "ΑΣ.Α", "1Σ", "Α Σ", "İΣ"]  # fmt: skip


def change(texts, function):
    """Return what a function of arrays makes of texts; assert that parts of longer arrays have the same result."""
    changed = function(pa.array(texts, pa.large_string())).to_pylist()
    for part in PARTS.values():
        column = read_corpus(part(texts), texts).predictions
        assert [text for chunk in column.chunks for text in function(chunk).to_pylist()] == changed
    return changed


def lower(texts):
    return change(texts, lower_case)


@pytest.mark.parametrize("text", SIGMAS)
def test_sigmas(text):
    around = ["", "a", "A ", " A", "'", "abcdefgh", "ABCDEFGH", "日本", "🙂"]
    texts = [before + text + behind for before in around for behind in around]
    assert lower(texts) == [text.lower() for text in texts]


def test_every_character():
    assert lower(EVERY) == [text.lower() for text in EVERY]


def test_every_character_beside_a_sigma():
    """Each before and behind a sigma, with and without a letter beyond."""
    texts = [
        " ".join(f"A{c}Σ {c}Σ AΣ{c}A AΣ{c}" for c in EVERY[i : i + 4000])
        for i in range(0, len(EVERY), 4000)
    ]
    assert lower(texts) == [text.lower() for text in texts]


def test_every_character_under_multi_bleu():
    """The script lowercases bytes: ASCII letters change, and no other character."""
    tokenizer = choose_tokenizer(
        Options().override({"tokenize": "multi-bleu", "lowercase": True}), "text"
    )
    texts = [*EVERY, *(f"A{c}Σ" for c in EVERY)]
    prepare = lambda array: prepare_texts(array, tokenizer, "predictions", int)
    assert change(texts, prepare) == [text.encode().lower().decode() for text in texts]


@pytest.mark.parametrize("seed", range(20))
def test_capital_letters_anywhere(seed):
    """ASCII texts take a fast path; slices, empty texts and lists of tokens have the same lowercase."""
    generator = random.Random(seed)
    texts = [
        "".join(generator.choices("AZaz@[`{ \x00\x7fé日", k=generator.randrange(40)))
        for _ in range(500)
    ]
    lowered = [text.lower() for text in texts]
    assert lower(texts) == lowered
    tokenizer = choose_tokenizer(Options(lowercase=True), "tokens")
    prepare = lambda array: prepare_texts(array, tokenizer, "predictions", int)
    for part in PARTS.values():
        column = read_corpus(part([texts, []]), [[texts], [[]]]).predictions
        prepared = [row for chunk in column.chunks for row in prepare(chunk).to_pylist()]
        assert prepared == [lowered, []]


@st.composite
def draw_part(draw, rows):
    """Draw Arrow data of these rows: offsets of 32 or 64 bits, from 0 or above, cut into slices before or after a cast."""
    before, behind = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    filler = [rows[0]] * before, [rows[-1]] * behind
    array = pa.array([*filler[0], *rows, *filler[1]])
    if draw(st.booleans()):
        array = shift_offsets(array)
    if draw(st.booleans()):
        array = array.cast(widen(array.type))
    array = array.slice(before, len(rows))
    if draw(st.booleans()):
        array = array.cast(widen(array.type))
    ends = sorted([0, len(rows), *draw(st.lists(st.integers(0, len(rows)), max_size=3))])
    chunks = [array.slice(start, end - start) for start, end in itertools.pairwise(ends)]
    return draw(st.sampled_from([array, pa.chunked_array(chunks, array.type)]))


@settings(max_examples=examples(200))
@given(
    data=st.data(), tokenize=st.sampled_from([*SACREBLEUS, "multi-bleu"]), lowercase=st.booleans()
)
def test_slices_count_as_their_lists(data, tokenize, lowercase):
    """Texts and tokens of any slices have the rows of lists, which the tests above compare with sacreBLEU."""
    text = st.text("aB É日Σİ.,", max_size=6)
    predictions = data.draw(st.lists(text, min_size=1, max_size=6))
    references = [data.draw(st.lists(text, min_size=1, max_size=3)) for _ in predictions]
    options = {"tokenize": tokenize, "lowercase": lowercase}
    if data.draw(st.booleans()):
        predictions = [text.split() for text in predictions]
        references = [[text.split() for text in row] for row in references]
        del options["tokenize"]
        assume(any(predictions) and any(references[0]))  # empty lists could be of ids as well
    expected = count(read_corpus(predictions, references), **options)
    corpus = read_corpus(data.draw(draw_part(predictions)), data.draw(draw_part(references)))
    np.testing.assert_array_equal(count(corpus, **options), expected)


# A tokenizer that has a function and a record, and no kernel.

XYZ = r"""


def tokenize_xyz(segment: str) -> list[str]:
    return re.findall(r"\w+(?='s)|'s|\w+|[^\w\s]", segment)


TOKENIZERS["xyz"] = Tokenizer(tokenize_xyz, "text is split by xyz")
"""

# A segment with contractions, then random ones, short enough that scoring all of them twice never compiles.
ROWS_OF_XYZ = """
predictions, references = helpers.random_rows(seed=6, count=5_000)
predictions = ["The dog's bone isn't there.", *(text[:20] for text in predictions[1:])]
references = [["The Dog's bone is here."], *([text[:20] for text in row] for row in references[1:])]
"""

SCORES_OF_XYZ = """
scores = []
for size in (1, 5_000):
    for options in ({}, {"lowercase": True}):
        result = bleu.compute(predictions=predictions[:size], references=references[:size], **options)
        assert "|tok:xyz|" in result.pop("signature")
        scores.append(result)
scores += [bleu.pairwise(predictions[:9]).tolist(), bleu.self_bleu(predictions[:9])["segment_bleu"]]
scores.append(bleu.diff({"A": predictions[:99], "B": predictions[99:198]}, references[:99])["ngrams"])
"""

# Results of the copied metric, whose kernels are never compiled: in scores, in words, and from the demo.
CALLS_OF_XYZ = f"""
import importlib.util, json, sys
import evaluate, helpers

folder = sys.argv[1]
bleu = evaluate.load(folder + "/bleu_metric.py", tokenize="xyz")
kernels = importlib.import_module(type(bleu).__module__.rpartition(".")[0] + ".bleu_core")
{ROWS_OF_XYZ}
{SCORES_OF_XYZ}
answer = {{"scores": scores, "is_ready": kernels.is_ready()}}
answer["tokens"] = bleu.explain(predictions[0], references[0])["prediction"]["tokens"]
try:
    bleu.compute(predictions=["a"], references=["a"], tokenize="xyzzy")
except ValueError as error:
    answer["error"] = str(error)
answer["description"] = bleu.inputs_description
found = bleu.reconcile(predictions[:1], references[:1], 100 * scores[0]["bleu"])
answer["reconciled"] = found["matches"][0]["options"]["tokenize"]

if importlib.util.find_spec("gradio"):
    sys.path.insert(0, folder)
    import gradio as gr
    import space.options

    with gr.Blocks() as blocks:
        space.options.add_options("corpus", space.options.ALL_OPTIONS)
    (field,) = (block for block in blocks.blocks.values() if block.elem_id == "corpus-tokenize")
    answer["choices"] = [value for _, value in field.choices]
    answer["label"] = space.options.fold_label({{**space.options.OPTIONS, "tokenize": "xyz"}})
print(json.dumps(answer))
"""


def split_as_xyz(text):
    return re.findall(r"\w+(?='s)|'s|\w+|[^\w\s]", text)


@pytest.fixture(scope="module")
def xyz(tmp_path_factory):
    """Return the results of a copy of the metric to whose tokenizers `xyz` is added."""
    folder = tmp_path_factory.mktemp("xyz")
    for name in ("bleu_metric.py", "app.py"):
        shutil.copy(ROOT / name, folder)
    for name in ("bleu_core", "package", "space"):
        shutil.copytree(ROOT / name, folder / name)
    with open(folder / "bleu_core/rules/tokenizers.py", "a", encoding="utf-8") as file:
        file.write(XYZ)
    subprocess.run([sys.executable, folder / "package" / "join.py"], check=True)  # make core
    return run_python(CALLS_OF_XYZ, folder)


@pytest.mark.processes
def test_a_tokenizer_without_a_kernel_runs_at_any_size(xyz, load, bleu, monkeypatch):
    """Scores of 1 and of 5,000 segments are those of the function, before and after the kernels are compiled."""
    names = {"helpers": helpers}
    exec(ROWS_OF_XYZ, names)
    predictions, references, expected = names["predictions"], names["references"], []
    for size in (1, 5_000):
        for options in ({}, {"lowercase": True}):
            corpus = {"predictions": predictions[:size], "references": references[:size]}
            result = bleu.compute(**corpus, tokenize=split_as_xyz, **options)
            del result["signature"]
            expected.append(result)
    assert expected[0]["counts"] == [4, 1, 0, 0]  # by hand: The, 's, bone, the period; 's bone
    assert expected[1]["counts"] == [5, 3, 2, 1]  # and dog
    expected.append(bleu.pairwise(predictions[:9], tokenize=split_as_xyz).tolist())
    expected.append(bleu.self_bleu(predictions[:9], tokenize=split_as_xyz)["segment_bleu"])
    difference = bleu.diff(
        {"A": predictions[:99], "B": predictions[99:198]}, references[:99], tokenize=split_as_xyz
    )
    expected.append(difference["ngrams"])
    assert not xyz["is_ready"]
    assert xyz["scores"] == expected
    # The kernels of `bleu` are compiled already; compiling those of the copy would take ten seconds.
    core = importlib.import_module(type(bleu).__module__.rpartition(".")[0] + ".bleu_core")
    monkeypatch.setitem(
        core.TOKENIZERS, "xyz", core.Tokenizer(split_as_xyz, "text is split by xyz")
    )
    names["bleu"] = load(tokenize="xyz")
    exec(SCORES_OF_XYZ, names)
    assert core.is_ready() == HAS_NUMBA
    assert names["scores"] == expected


@pytest.mark.processes
def test_a_tokenizer_without_a_kernel_is_named_everywhere(xyz):
    """`explain` shows its tokens; errors, the description and `reconcile` name it."""
    assert xyz["tokens"] == ["The", "dog", "'s", "bone", "isn", "'", "t", "there", "."]
    assert re.search(r"tokenize='xyzzy'.*'xyz'", xyz["error"])
    assert "'xyz'" in xyz["description"]
    assert xyz["reconciled"] == "xyz"


@pytest.mark.processes
def test_a_tokenizer_without_a_kernel_is_a_choice_in_the_demo(xyz):
    pytest.importorskip("gradio")
    assert "xyz" in xyz["choices"]
    assert "text is split by xyz" in xyz["label"]


class Signed:
    """A tokenizer that names itself."""

    def __init__(self, name):
        self.name = name

    def signature(self):
        return self.name

    def __call__(self, text):
        return text.split()


@pytest.mark.parametrize("name", [*TOKENIZERS, "tokens", "ids", "var", "?"])
def test_a_function_can_not_take_the_name_of_another_tokenizer(bleu, name):
    """Its signature would be read as that tokenizer, whose scores differ."""
    with pytest.raises(
        ValueError,
        match=rf"returns {name!r}, which is the name of a built-in tokenizer".replace("?", r"\?"),
    ):
        bleu.compute(predictions=["a b"], references=["a b"], tokenize=Signed(name))


@pytest.mark.parametrize("name", ["a|b", "a:b", ""])
def test_a_name_can_not_break_a_signature(load, name):
    with pytest.raises(ValueError, match=r"Return a name without \| and :"):
        load(tokenize=Signed(name))
    assert (
        "|tok:mine-1.0|"
        in load(tokenize=Signed("mine-1.0")).compute(
            predictions=["a b c d"], references=["a b c d"]
        )["signature"]
    )


# The names of functions in signatures, and tables that were counted with functions.


def make_splitter(mark):
    def split(text):
        return text.split(mark)

    return split


class Splitter:
    def __init__(self, mark):
        self.mark = mark

    def __call__(self, text):
        return text.split(self.mark)

    def split(self, text):
        return text.split(self.mark)


class SignedSplitter(Splitter):
    def signature(self):
        return f"splitter-{ord(self.mark)}"

    @classmethod
    def split_always(cls, text):
        return text.split()


class SlottedSplitter:
    __slots__ = ()

    def __call__(self, text):
        return text.split()


COLUMNS = {"predictions": ["a|b c"], "references": ["a|b c"]}

SHARED = Splitter("")

# Makers of functions that no other process can import. Even functions of the same code are different objects.
OBJECTS = {
    "a lambda": lambda mark: lambda text: text.split(mark),
    "a partial": lambda mark: partial(re.split, re.escape(mark)),
    "a nested function": make_splitter,
    "an object": Splitter,
    "a method": lambda mark: Splitter(mark).split,
    "a function bound to one object": lambda mark: MethodType(
        lambda self, text: text.split(mark), SHARED
    ),
    "a partial of a method": lambda mark: partial(Splitter(mark).split),
    "a method called by name": lambda mark: Splitter(mark).__call__,
    "an object without weak references": lambda mark: SlottedSplitter(),
}


@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
@pytest.mark.parametrize("method", ["score", "compare"])
def test_tables_of_different_objects_do_not_add_up(bleu, make, method):
    tables = [bleu.statistics(**COLUMNS, tokenize=make(mark)) for mark in "| "]
    message = (
        r"^statistics: tokenize=\S+ is the name of different functions.*Add a method `signature`"
    )
    with pytest.raises(
        ValueError, match=message.replace("^", "" if method == "compare" else "^")
    ) as raised:
        bleu.compute(statistics=tables) if method == "score" else bleu.compare(
            dict(zip("AB", tables))
        )
    assert "#" not in str(raised.value)
    assert [bleu.compute(statistics=table)["counts"] for table in tables]


@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_tables_of_one_object_add_up(bleu, make):
    function = make("|")
    tables = [bleu.statistics(**COLUMNS, tokenize=function) for _ in range(2)]
    assert (
        bleu.compute(statistics=tables)["translation_length"]
        == 2 * bleu.compute(statistics=tables[0])["translation_length"]
    )
    assert (
        bleu.compute(statistics=tables, tokenize=function)["signature"]
        == bleu.compute(**COLUMNS, tokenize=function)["signature"]
    )
    with pytest.raises(ValueError, match=r"is the name of different functions"):
        bleu.compute(statistics=tables, tokenize=make(" "))


@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_different_objects_have_different_signatures(bleu, make):
    """Scores with equal signatures may be compared."""
    functions = [make(mark) for mark in "| "]
    first, second = (bleu.compute(**COLUMNS, tokenize=each)["signature"] for each in functions)
    assert first != second
    assert bleu.compute(**COLUMNS, tokenize=functions[0])["signature"] == first


def test_the_signature_has_the_name_and_an_id(bleu):
    signature = bleu.compute(**COLUMNS, tokenize=lambda text: [text])["signature"]
    path = re.escape("test_tokenizers.test_the_signature_has_the_name_and_an_id.<locals>.<lambda>")
    assert re.search(rf"\|tok:{path}#[0-9a-f]{{8}}\|", signature)


# Patterns and flags; no two of them are equal.
PATTERNS = [(r"\w+", 0), (r"\w+", re.ASCII), ("a|b: c", 0), ("a|b: c", re.IGNORECASE), (".", 0), ("é", 0)]  # fmt: skip


def test_a_method_of_a_pattern_is_named_by_the_pattern_and_its_flags():
    names = [
        name_function(getattr(re.compile(*pattern), method))
        for pattern in PATTERNS
        for method in ("findall", "split")
    ]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"Pattern\.(findall|split)\([0-9a-f]{8}\)", name) for name in names)
    assert name_function(re.compile("(?i)x").split) != name_function(re.compile("x").split)


def test_tables_of_different_patterns_do_not_add_up(bleu):
    tables = [bleu.statistics(**COLUMNS, tokenize=re.compile(each).findall) for each in "a."]
    with pytest.raises(ValueError, match=r"don't add up: tokenize is 'Pattern\.findall\("):
        bleu.compute(statistics=tables)
    with pytest.raises(ValueError, match=r"counted with tokenize='Pattern\.findall\("):
        bleu.compute(statistics=tables[0], tokenize=re.compile(".").findall)


def test_a_function_that_is_gone_gives_its_token_to_no_other():
    names = {name_function(make_splitter("|")) for _ in range(100)}
    assert len(names) == 100


# Functions that every process can import, and objects that name themselves.
IMPORTABLE = {
    "a function of a module": lambda: helpers.split_words,
    "a function in C": lambda: json.encoder.encode_basestring_ascii,
    "a method of str": lambda: str.split,
    "a class method": lambda: SignedSplitter.split_always,
    "a signed object": lambda: SignedSplitter("|"),
    "a method of a pattern": lambda: re.compile("[|]").split,
}


@pytest.mark.parametrize("make", IMPORTABLE.values(), ids=IMPORTABLE)
def test_an_importable_function_has_one_name(make):
    assert name_function(make()) == name_function(make())
    assert "#" not in name_function(make())


NAMES = """
import json, re, sys
from functools import partial
import evaluate, helpers
bleu = evaluate.load(sys.argv[1])
def split(text):
    return text.split()
functions = [split, partial(re.split, " "), lambda text: text.split(), re.compile(" ").split, str.split, helpers.split_words]
tables = [bleu.statistics(predictions=["a b"], references=["a b"], tokenize=function) for function in functions]
print(json.dumps([table.schema.metadata[b"bleu_metric"].decode() for table in tables]))
"""


@pytest.mark.processes
def test_tables_of_two_processes_add_up_if_both_can_import_the_function(bleu):
    """Rows as they come from another process: those of `__main__`, partials and lambdas are of another object."""
    table = bleu.statistics(predictions=["a b"], references=["a b"], tokenize=str.split)
    first, second = (run_python(NAMES, ROOT / "bleu_metric.py") for _ in range(2))
    add_up = []
    for pair in zip(first, second):
        tables = [table.replace_schema_metadata({"bleu_metric": metadata}) for metadata in pair]
        try:
            add_up.append(bleu.compute(statistics=tables)["translation_length"])
        except ValueError as error:
            add_up.append(str(error)[-37:])
    assert add_up == ["tokenizer, and call statistics() again."[-37:]] * 3 + [4, 4, 4]


@pytest.mark.parametrize("text", ["ÄB C D E F", "ΟΔΟΣ A B C D", "İI Éa X Y Z", "K\u212a A B C"])
def test_moses_lowercases_tokens_as_text(load, text):
    moses = load("moses", lowercase=True)
    expected = moses.compute(predictions=[text], references=[text.lower()])
    tokens = moses.compute(predictions=[text.split(" ")], references=[[text.lower().split(" ")]])
    assert {**tokens, "signature": ""} == {**expected, "signature": ""}


# Unknown names of tokenizers, and what to pass.
UNKNOWN = {
    "moses": "Pass 'moses-en', or moses- and the code of another language.",
    "Moses": "Pass 'moses-en', or moses- and the code of another language.",
    "moses_de": "Did you mean 'moses-de'?",
    "MOSES-DE": "Did you mean 'moses-de'?",
    "ja": "Pass 'ja-mecab'.",
    "mecab": "Pass 'ja-mecab' for Japanese or 'ko-mecab' for Korean.",
    "ja_mecab": "Did you mean 'ja-mecab'?",
    "13A": "Did you mean '13a'?",
    "ZH": "Did you mean 'zh'?",
    "zh_CN": "Pass 'zh'.",
    "intl ": "Did you mean 'intl'?",
    "spbleu-1k": "Did you mean 'spBLEU-1K'?",
    "thai": "Pass 'flores200', 'char', or a function from str to a list of words, such as pythainlp.word_tokenize for Thai.",
    "split": "Pass 'none', which splits at spaces.",
    "nltk": "Pass a function from str to a list of tokens, such as nltk.word_tokenize.",
    "de": "Pass '13a' for languages with spaces between words, or 'moses-de'.",
    "en-US": "Pass '13a' for languages with spaces between words, or 'moses-en'.",
    "xyzzy": f"Pass one of {', '.join(dict.fromkeys([*TOKENIZERS, *SACREBLEU_PACKAGES]))}; or a function.",
}  # fmt: skip


@pytest.mark.parametrize(("name", "advice"), UNKNOWN.items())
def test_an_unknown_name_has_advice(bleu, load, name, advice):
    message = f"tokenize={name!r}: unknown tokenizer. {advice}"
    texts = {"predictions": ["a"], "references": ["a"]}
    for call in (
        lambda: bleu.compute(**texts, tokenize=name),
        lambda: bleu.compute(**texts, by=["x"], tokenize={"x": name}),
        lambda: load("sacrebleu").compute(**texts, tokenize=name),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            call()


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_name_has_advice_without_sacrebleu(bleu, name, monkeypatch):
    """A name that means another tokenizer has its advice then, too; any other name may be of a later sacreBLEU."""
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    error = ImportError if name == "xyzzy" else ValueError
    with pytest.raises(error, match=f"tokenize='{name}'"):
        bleu.compute(predictions=["a"], references=["a"], tokenize=name)


def test_other_names_of_tokenizers_mean_known_ones():
    """Each name in the advice is a tokenizer, and no other name is a key of it."""
    known = {*TOKENIZERS, *BLEU.TOKENIZERS, "moses-en"}
    assert not known & set(OTHER_TOKENIZERS)
    for name, advice in OTHER_TOKENIZERS.items():
        assert name == re.sub(r"[\s_]+", "-", name.strip().lower())
        assert set(re.findall("'(.*?)'", advice)) <= known
