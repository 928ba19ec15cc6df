"""Options: what each may be, where they come from, and the signature that says which were in effect."""

import pytest
import random_text

PREDICTIONS, REFERENCES = random_text.rows(seed=8, count=300)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


SIGNATURES = [
    ({}, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"),
    ({"lowercase": True, "effective_order": True}, "nrefs:1|case:lc|eff:yes|tok:13a|smooth:exp|version:"),
    ({"smooth_method": "floor"}, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:"),
    ({"smooth_method": "add-k", "smooth_value": 0.005}, "|smooth:add-k[0.01]|value:0.005|version:"),
    ({"confidence": 0.9, "n_resamples": 20, "seed": 0}, "nrefs:1|bs:20|seed:0|case:mixed|"),
    ({"max_order": 2, "weights": [1, 0.5]}, "|smooth:exp|order:2|weights:1/0.5|version:"),
    ({"reference_length": "longest"}, "|smooth:exp|reflen:longest|version:"),
    ({"tokenize": str.split}, "|tok:str.split|"),
]


WRONG = [
    ({"tokenizer": "13a"}, TypeError, "no option `tokenizer` here: write `tokenize`"),
    ({"smooth": True}, TypeError, "smooth_method='laplace'"),
    ({"use_effective_order": True}, TypeError, "write `effective_order`"),
    ({"max_ngram_order": 4}, TypeError, "write `max_order`"),
    ({"trg_lang": "zh"}, TypeError, "tokenize='zh'"),
    ({"force": True}, TypeError, "leave it out"),
    ({"lowercased": True}, TypeError, "Did you mean `lowercase`"),
    ({"tokenize": "13b"}, ValueError, "tokenize='13b'"),
    ({"tokenize": None}, TypeError, "tokenize=None"),
    ({"lowercase": "no"}, TypeError, "lowercase='no'"),
    ({"max_order": 0}, ValueError, "max_order=0"),
    ({"max_order": 4.0}, TypeError, "max_order=4.0"),
    ({"max_order": True}, TypeError, "max_order=True"),
    ({"weights": [1]}, ValueError, "one weight an order, 4 in all"),
    ({"weights": [1, 1, 1, float("nan")]}, ValueError, "weights: nan"),
    ({"weights": [1, 1, 1, "a"]}, TypeError, "weights: 'a'"),
    ({"weights": [0, 0, 0, 0]}, ValueError, "not all 0"),
    ({"smooth_method": "chen"}, ValueError, "'none', 'floor', 'add-k', 'exp', 'laplace'"),
    ({"smooth_value": 1}, ValueError, "smooth_method='exp' takes none"),
    ({"smooth_method": "floor", "smooth_value": -1}, ValueError, "smooth_value: -1"),
    ({"reference_length": "average"}, ValueError, "'closest', 'shortest', 'longest'"),
    ({"confidence": 95}, ValueError, "confidence: 95"),
    ({"confidence": True}, TypeError, "confidence: True"),
    ({"n_resamples": 0}, ValueError, "n_resamples=0"),
    ({"seed": -1}, ValueError, "seed=-1"),
]


def test_at_load_they_are_the_defaults_of_every_call(load):
    bleu = load(tokenize="zh", lowercase=True, seed=7)
    result = bleu.compute(predictions=["我们 A 用"], references=["我们 a 用"], max_order=3)
    assert result["bleu"] == 1
    assert "|case:lc|eff:no|tok:zh|" in result["signature"]
    assert "tok:char" in bleu.compute(predictions=["我们"], references=["我们"], tokenize="char")["signature"]


@pytest.mark.parametrize(("options", "signature"), SIGNATURES)
def test_signature(bleu, options, signature):
    assert signature in bleu.compute(predictions=["a b"], references=["a b"], **options)["signature"]


def test_signature_of_tokens_ids_and_references(bleu):
    assert "nrefs:var|" in bleu.compute(predictions=["a", "b"], references=[["a"], ["b", "c"]])["signature"]
    assert "|tok:tokens|" in bleu.compute(predictions=[["a"]], references=[[["a"]]])["signature"]
    assert "|tok:ids|" in bleu.compute(predictions=[[1]], references=[[[1]]])["signature"]


@pytest.mark.parametrize(("options", "error", "message"), WRONG)
def test_wrong_ones(bleu, load, options, error, message):
    with pytest.raises(error, match=message):
        bleu.compute(predictions=["a"], references=["a"], **options)
    if options != {"tokenize": "13b"}:  # a later sacreBLEU may know it: the name is looked up when it is needed
        with pytest.raises(error, match=message):
            load(**options)


def test_unknown_convention(load):
    with pytest.raises(ValueError, match="'default', 'papineni', 'hf', 'nltk', 'moses'"):
        load("google")


@pytest.mark.parametrize(
    "rows", [{"predictions": [["a"]], "references": [[["a"]]]}, {"predictions": [[1]], "references": [[[1]]]}]
)
def test_no_tokenizer_for_what_is_tokenised(bleu, load, rows):
    for call in (bleu.compute, bleu.statistics):
        with pytest.raises(ValueError, match="leave it out, or give text"):
            call(**rows, tokenize="13a")
    with pytest.raises(ValueError, match="leave it out, or give text"):
        load(tokenize="zh").compute(**rows)
    assert load("nltk").compute(**rows, max_order=1)["bleu"] == 1


def test_no_case_for_ids(bleu):
    with pytest.raises(ValueError, match="lowercase=True"):
        bleu.compute(predictions=[[1]], references=[[[1]]], lowercase=True)


def test_a_tokenizer_that_returns_something_else(bleu):
    for tokenize in (lambda text: text, lambda text: [1], lambda text: None):
        with pytest.raises(TypeError, match="predictions, row 0: the tokenizer must return a list of str"):
            bleu.compute(predictions=["a", "b"], references=["a", "b"], tokenize=tokenize)
