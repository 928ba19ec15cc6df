"""What the metric warns of, when, and that it says the cause."""

import re
import warnings

import pytest
from bleu.bleu_inputs import read_corpus
from bleu.bleu_warnings import BleuWarning


def test_square_input_warns_once():
    with pytest.warns(BleuWarning, match=r"2 predictions with 2 references each.*zip") as caught:
        read_corpus(["a", "b"], [["a", "b"], ["c", "d"]])
    assert len(caught) == 1
    for predictions, references in ((["a"], [["a"]]), (["a", "b"], [["a"], ["b"]]), (["a", "b"], [["a", "b"], ["c"]])):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read_corpus(predictions, references)


UNSPACED = ["我们用的是中文。", "カタカナとひらがな", "ภาษาไทยไม่มีช่องว่าง", "ພາສາລາວ", "ភាសាខ្មែរ", "မြန်မာဘာသာ"]


@pytest.mark.parametrize("text", UNSPACED)
@pytest.mark.parametrize("tokenize", ["13a", "none", "intl", "zh", "char"])
def test_unspaced_scripts_warn_where_the_tokenizer_doesnt_cut_them(bleu, text, tokenize):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bleu.compute(predictions=["hello", text], references=["hello", text], tokenize=tokenize)
    told = [warning for warning in caught if "no spaces between words" in str(warning.message)]
    assert len(told) == (tokenize in ("13a", "none", "intl"))
    assert all(warning.filename == __file__ for warning in told)


@pytest.mark.parametrize(
    "text", ["Plain ASCII here.", "Größe — «naïve» 😀 …", "Русский текст", "한국어 문장입니다", "हिन्दी में"]
)
def test_spaced_scripts_dont_warn(bleu, text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="numba")
        bleu.compute(predictions=[text * 3], references=[text * 3])


@pytest.mark.parametrize(("count", "tokenize", "warns"), [(99, "13a", 0), (100, "13a", 1), (100, "none", 0)])
def test_detached_periods_look_tokenised(bleu, count, tokenize, warns):
    text = ["It works well here ."] * count + ["It works well here."]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", message="numba")
        bleu.compute(predictions=text, references=text, tokenize=tokenize)
    assert [warning.category for warning in caught] == [BleuWarning_of(bleu)] * warns


def BleuWarning_of(bleu):  # noqa: N802
    import sys

    package = type(bleu).__module__.rpartition(".")[0]
    return sys.modules[f"{package}.bleu_warnings"].BleuWarning


ZEROS = [
    (["", "", "a"], ["x", "y", "z"], {}, "2 empty predictions and no 1-gram of the predictions is in its references"),
    (["", " \t"], ["x", "y"], {}, "2 empty predictions"),
    (["a b c d e"], ["a b c d x"], {"smooth_method": "none", "max_order": 5}, "no 5-gram"),
    (["a b c"], ["a b c"], {"smooth_method": "none"}, "no prediction has 4 tokens"),
    (["a b c"], ["a b c"], {}, "no prediction has 4 tokens"),
]


@pytest.mark.parametrize(("predictions", "references", "options", "why"), ZEROS)
def test_a_score_of_0_says_why(bleu, predictions, references, options, why):
    with pytest.warns(UserWarning, match=re.escape(f"The score is 0: {why}")):
        assert bleu.compute(predictions=predictions, references=references, **options)["bleu"] == 0.0
