"""Statistics rows: the kernel and the readable definition against each other, and both against sacreBLEU."""

import itertools
import random
import sys

import numpy as np
import oracles
import pytest
import random_text
from bleu.bleu_counting import REFERENCE_LENGTHS
from bleu.bleu_tokenizers import BORROWED, NATIVE, borrowed_tokenizer
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import our_rows, sacrebleu_rows
from processes import python

TEXT = "the cat sat on the mat"

# prediction, references, options, matches and totals by order, lengths, where the numbers come from
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
    ("ΟΔΟΣ", ["οδος"], {"max_order": 1, "lowercase": True}, [1, 1, 1, 1], "str.lower writes a final sigma"),
    ("İ", ["i̇"], {"max_order": 1, "lowercase": True}, [1, 1, 1, 1], "str.lower makes two characters of it"),
    ("a b", ["c"], {"max_order": 3, "minimum_total": 1}, [0, 0, 0, 2, 1, 1, 2, 1], "NLTK counts one n-gram at least"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("prediction", "references", "options", "row", "source"), TABLE, ids=[row[-1] for row in TABLE]
)
def test_table(prediction, references, options, row, source):
    assert our_rows([prediction], [references], **options).tolist() == [row]


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", NATIVE)
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
@pytest.mark.parametrize("tokenize", NATIVE)
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


@pytest.mark.parametrize("tokenize", NATIVE)
def test_every_character_is_cut_as_sacrebleu_cuts_it(tokenize):
    """All of Unicode but surrogates, beside letters and beside digits, in 4,000 characters a segment."""
    every = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    for left, right in (("a", "b"), ("1", "2")):
        texts = [" ".join(left + c + right for c in every[i : i + 4000]) for i in range(0, len(every), 4000)]
        references = [[text.replace(" ", "")] for text in texts]
        table = sacrebleu_rows(texts, references, tokenize=tokenize, max_order=1)
        np.testing.assert_array_equal(our_rows(texts, references, tokenize=tokenize, max_order=1), table)


def test_every_character_is_lowered_as_python_does():
    every = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    rows = our_rows(every, [[c.lower()] for c in every], tokenize="none", lowercase=True, max_order=1)
    assert (rows[:, 0] == rows[:, 1]).all()


SIZES = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 62, 63, 64, 65, 66, 127, 128, 129, 1000]


@pytest.mark.parametrize("vocabulary", [1, 2, 5, 1000])
def test_sizes_around_the_kernels_limits(vocabulary):
    """Numbers of tokens around a word's 64 bits and where tables grow, with few different tokens and with many."""
    generator = random.Random(vocabulary)
    words = [f"w{i}" * generator.choice((1, 2, 5)) for i in range(vocabulary)]
    texts = {size: " ".join(generator.choices(words, k=size)) for size in SIZES}
    predictions, references = zip(*[(texts[a], [texts[b]]) for a, b in itertools.product(SIZES, SIZES)])
    for max_order in (1, 4, 6):
        expected = sacrebleu_rows(predictions, references, tokenize="none", max_order=max_order)
        rows = our_rows(list(predictions), list(references), tokenize="none", max_order=max_order)
        np.testing.assert_array_equal(rows, expected)


@pytest.mark.parametrize("length", range(1, 41))
def test_token_lengths_around_a_word(length):
    """Tokens that differ in one byte, or only in length, are different tokens, wherever in the buffer they lie."""
    token = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"[:length]
    others = [token[:i] + "#" + token[i + 1 :] for i in range(length)] + [token + "#", token[:-1]]
    for other in others:
        assert our_rows([token], [[other]], tokenize="none", max_order=1)[0, 0] == 0
        assert our_rows([f"{other} {token}"], [[token]], tokenize="none", max_order=1)[0, 0] == 1


def test_a_segment_of_a_million_tokens_takes_linear_time():
    """Counts known by construction: a cycle of ten words, and a reference of one more."""
    cycle = " ".join(f"word{i % 10}" for i in range(1_000_000))
    table = oracles.columns([cycle], [[cycle + " end"]])
    rows = oracles.bleu_statistics.corpus_rows(table, oracles.Options())
    assert rows.T.tolist() == [[10**6, 10**6 - 1, 10**6 - 2, 10**6 - 3] * 2 + [10**6, 10**6 + 1]]


def test_many_batches_keep_their_order():
    """More rows than a batch has, in chunks of other sizes, and as slices with an offset."""
    predictions, references = random_text.rows(seed=9, count=1_000)
    expected = our_rows(predictions, references)
    many = oracles.columns(predictions * 20, references * 20)
    uneven = oracles.pa.concat_tables([many.slice(0, 3), many.slice(3, 12_345), many.slice(12_348)])
    for table in (many, uneven):
        rows = oracles.bleu_statistics.corpus_rows(table, oracles.Options()).T
        np.testing.assert_array_equal(rows, np.tile(expected, (20, 1)))


@pytest.mark.parametrize("reference_length", REFERENCE_LENGTHS)
def test_order_of_references_doesnt_matter(reference_length):
    predictions, references = random_text.rows(seed=3, count=300)
    rows = our_rows(predictions, references, reference_length=reference_length)
    backwards = [row[::-1] for row in references]
    np.testing.assert_array_equal(rows, our_rows(predictions, backwards, reference_length=reference_length))


@pytest.mark.parametrize("lowercase", [False, True])
def test_tokens_have_the_rows_of_their_text(lowercase):
    predictions, references = random_text.rows(seed=4, count=300)
    tokens = [text.split() for text in predictions], [[text.split() for text in row] for row in references]
    rows = our_rows(predictions, references, tokenize="none")
    np.testing.assert_array_equal(rows, our_rows(*tokens))
    numbers = {}
    ids = [
        [[numbers.setdefault(token, -(3**39) + len(numbers)) for token in text] for text in row] for row in tokens[1]
    ]
    own = [[numbers.setdefault(token, -(3**39) + len(numbers)) for token in text] for text in tokens[0]]
    np.testing.assert_array_equal(rows, our_rows(own, ids))
    lowered = (
        [[token.lower() for token in text] for text in tokens[0]],
        [[[token.lower() for token in text] for text in row] for row in tokens[1]],
    )
    np.testing.assert_array_equal(our_rows(*tokens, lowercase=True), our_rows(*lowered))


@pytest.mark.parametrize(
    ("tokenize", "prediction", "reference"),
    [
        ("ja-mecab", "私は猫が好きです。", "私は犬が好きだ。"),
        ("ko-mecab", "나는 고양이를 좋아합니다.", "나는 개를 좋아한다."),
    ],
)
@pytest.mark.parametrize("lowercase", [False, True])
def test_borrowed_tokenizers(tokenize, prediction, reference, lowercase):
    assert tokenize in BORROWED
    expected = sacrebleu_rows([prediction + " "], [[reference]], tokenize=tokenize, lowercase=lowercase)
    np.testing.assert_array_equal(
        our_rows([prediction + " "], [[reference]], tokenize=tokenize, lowercase=lowercase), expected
    )


SENTENCEPIECE = r"""
import json, os, sys
import sentencepiece
import oracles, random_text
folder = os.path.join(os.environ["SACREBLEU"], "models")
os.makedirs(folder)
predictions, references = random_text.rows(seed=2, count=200)
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=(text.replace("\0", "") for text in predictions), vocab_size=1000, hard_vocab_limit=False,
    model_prefix=os.path.join(folder, "m"), minloglevel=2, byte_fallback=True, character_coverage=0.98,
)
for name in ("sacrebleu_tokenizer_spm.model", "flores200sacrebleuspm"):  # where sacreBLEU keeps what it has downloaded
    os.symlink("m.model", os.path.join(folder, name))
for name in ("spm", "flores101", "flores200"):
    rows = oracles.our_rows(predictions, references, tokenize=name)
    expected = oracles.sacrebleu_rows(predictions, references, tokenize=name)
    assert oracles.first_difference(predictions, references, rows, expected) is None
print(json.dumps(int(rows[:, 0].sum())))
"""


def test_sentencepiece_tokenizers(tmp_path):
    """sacreBLEU's models have to be downloaded; one that is trained here stands in their place."""
    assert python("import conftest" + SENTENCEPIECE, SACREBLEU=str(tmp_path)) > 0


def test_a_function_is_a_tokenizer():
    rows = our_rows(["a,b C"], [["a,b c", "x"]], tokenize=lambda text: text.split(","), lowercase=True, max_order=2)
    assert rows.tolist() == [[2, 1, 2, 1, 2, 2]]


def test_names_that_nobody_knows():
    with pytest.raises(ValueError, match=r"tokenize='13b'.*13a, none, intl, zh, char, .*flores200"):
        borrowed_tokenizer("13b")


@pytest.mark.parametrize("name", BORROWED)
def test_borrowed_tokenizers_say_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    borrowed_tokenizer.cache_clear()
    with pytest.raises(ImportError, match=f"tokenize='{name}'.*pip install .*sacrebleu"):
        borrowed_tokenizer(name)
