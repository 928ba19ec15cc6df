"""Messages: whole sentences of errors and warnings as a table; the conditions of warnings, their cause and their fix."""

import importlib.util
import os
import re
import warnings

import numpy as np
import pyarrow as pa
import pytest
from bleu.bleu_core.rules.tokenizers import TOKENIZERS
from bleu.bleu_core.shared.messages import BleuWarning
from bleu.bleu_core.text.read import read_corpus
from helpers import ROOT, Words, record_warnings, run_python
from sacrebleu.metrics import BLEU

# Calls, and the messages of their errors: place, problem, fix.
ERRORS = [
    pytest.param(
        lambda bleu: bleu.compute(["a"], ["a"]),
        "compute() takes its columns by name. Write compute(predictions=..., references=...).",
        id="compute by position",
    ),
    pytest.param(
        lambda bleu: bleu.add("a", "b"),
        "add() takes its columns by name. Write add(prediction=..., reference=...).",
        id="add by position",
    ),
    pytest.param(
        lambda bleu: bleu.add_batch(["a"], ["b"]),
        "add_batch() takes its columns by name. Write add_batch(predictions=..., references=...).",
        id="add_batch by position",
    ),
    pytest.param(
        lambda bleu: bleu.add(source="a"),
        "Unknown column 'source'. Pass predictions and references only.",
        id="unknown column",
    ),
    pytest.param(
        lambda bleu: bleu.compute(prediction=["a"], references=["a"]),
        "Unknown option `prediction`: write `predictions`, one per segment.",
        id="singular prediction",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a"], max_odrer=2),
        "Unknown option `max_odrer`. Did you mean `max_order`?",
        id="misspelled option",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a"], max_order=0),
        "max_order=0: pass a whole number of 1 or more.",
        id="max_order of 0",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a"], weights=[1, 2]),
        "weights=[1, 2]: pass one weight per order (4 in all), or change max_order.",
        id="too few weights",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a"], weights="uniform"),
        "weights='uniform': pass a list with one weight per order, such as [0.25, 0.25, 0.25, 0.25], or None for equal weights.",
        id="weights as a text",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a"], weights=[(1, 0, 0, 0), (0.5, 0.5, 0, 0)]),
        "weights: got 2 lists of weights. Pass one per call, with max_order as its length. "
        "For BLEU-1 to BLEU-N with equal weights, read `bleu_by_order` of a result.",
        id="two lists of weights",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a"], weights=[0.5, "a", 0, 0]),
        "weights[1]='a': pass a number, an int or a float.",
        id="a weight as a text",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a"], smooth_method="method1"),
        "smooth_method='method1': NLTK's method1 is 'floor' here. Pass smooth_method='floor'.",
        id="NLTK's name of a smoothing",
    ),
    pytest.param(
        lambda bleu: bleu.explain("a", "a", segments=True),
        "`segments` is not an option of explain(). Remove it. "
        "explain() takes tokenize, lowercase, max_order, weights, smooth_method, smooth_value, effective_order, "
        "reference_length, minimum_total.",
        id="option of another method",
    ),
    pytest.param(
        lambda bleu: bleu.compute(),
        "There are no segments to score. Pass predictions and references with at least one item.",
        id="no columns",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"]),
        "references: expected one item per segment, got None. Pass predictions and references.",
        id="no references",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a", "b"]),
        "Got 1 prediction and 2 references. Pass one str or one list of references per prediction. "
        "If all of them belong to this prediction, pass a list of one list: references=[[...]].",
        id="fewer predictions than references",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a", "b", "c"], references=[["a", "b", "c"]]),
        "Got 3 predictions and 1 reference. The references are in sacreBLEU's layout, 1 list of 3. "
        "Pass one list per prediction: references=list(zip(*references)).",
        id="sacreBLEU's layout",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a", None], references=["a", "b"]),
        'predictions[1]: expected a str, got None. Pass "" for an empty prediction.',
        id="None as a prediction",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a", 1], references=["a", "b"]),
        "predictions[1]: expected a str, a list of str tokens or a list of int token ids, got int. "
        "Pass str(value), or one list of ids per segment.",
        id="number as a prediction",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=[7]),
        "references[0]: expected a list of references or one str, got int. Pass str(value), or one list of ids per reference.",
        id="number as references",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=[[7]]),
        "references[0]: expected a list of references or one str, got a list of int. "
        "Pass str(value), or one list of ids per reference.",
        id="number in references",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=[b"a"], references=["a"]),
        "predictions[0]: expected a str, a list of str tokens or a list of int token ids, got bytes. Decode it: value.decode().",
        id="bytes as a prediction",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=[[b"a"]]),
        "references[0]: expected a list of references or one str, got bytes. Decode it: value.decode().",
        id="bytes in references",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a", "b"], references=[["a"], []]),
        'references[1]: expected at least one reference, got none. Pass "" for an empty reference.',
        id="no reference",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions="a", references=["a"]),
        "predictions: expected a list, array or Series with one item per segment, got str. "
        'For a file with one segment per line, pass open(path, encoding="utf-8"); '
        r"for the lines of a str, text.removesuffix('\n').split('\n'); for a single text, [text].",
        id="text as predictions",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=[[5, -100]], references=[[[5]]]),
        "predictions[0]: got the token id -100. Ids are never negative. "
        "Remove label padding such as -100: [id for id in row if id >= 0].",
        id="label padding",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=[[1]], references=[[[1]]], tokenize="zh"),
        "tokenize='zh': these rows are ids already. Remove `tokenize`, or pass text.",
        id="tokenizer for ids",
    ),
    pytest.param(
        lambda bleu: bleu.diff({"A": ["a"], "B": ["a"]}, ["a"], by=["x", "y"]),
        "by: got 2 labels for 1 prediction. Pass one label per segment.",
        id="fewer segments than labels",
    ),
    pytest.param(
        lambda bleu: bleu.compare({"A": ["a"]}, ["a"]),
        "systems: expected two or more systems, got 1. Pass another system, or score one with compute().",
        id="a single system",
    ),
    pytest.param(
        lambda bleu: bleu.compare({"A": ["a"], "B": [1]}, ["a"]),
        "System 'B': predictions[0]: expected a str, a list of str tokens or a list of int token ids, got int. "
        "Pass str(value), or one list of ids per segment.",
        id="number in a system",
    ),
    pytest.param(
        lambda bleu: bleu.self_bleu(["a"]),
        "texts: expected at least two texts, got 1. Pass the texts to compare with each other.",
        id="a single text in self_bleu",
    ),
    pytest.param(
        lambda bleu: bleu.reconcile(["a"], ["a"], "x"),
        "reported='x': pass a number, or a str such as '27.30'.",
        id="reported is not a number",
    ),
    pytest.param(
        lambda bleu: bleu.statistics(["a"], ["a"]),
        "statistics() takes its columns by name. Write statistics(predictions=..., references=...).",
        id="statistics by position",
    ),
    pytest.param(
        lambda bleu: bleu.compare(["a"], ["b"], ["a"]),
        "compare() takes systems as a dict. Write compare({'A': [...], 'B': [...]}, references), and the others by name.",
        id="baseline by position",
    ),
    pytest.param(
        lambda bleu: bleu.explain("a", "b", "13a"),
        "explain() takes 2 positional arguments: prediction, references. Write explain(prediction, references).",
        id="option by position in explain",
    ),
    pytest.param(
        lambda bleu: bleu.reconcile(["a"], ["b"], 27.3, 1),
        "reconcile() takes 3 positional arguments: predictions, references, reported. Write reconcile(predictions, references).",
        id="decimals by position",
    ),
    pytest.param(
        lambda bleu: bleu.compute_metrics(None, ["a"]),
        "compute_metrics() takes 1 positional argument: tokenizer. Write compute_metrics(tokenizer).",
        id="references by position in compute_metrics",
    ),
    pytest.param(
        lambda bleu: bleu.rank({"A": ["a"], "B": ["b"]}, ["a"], documents=[None]),
        "documents[0]: got None. Pass a label of its own for a segment that belongs to no document.",
        id="None as a document",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a"], minimum_total=2**62),
        "minimum_total=4611686018427387904: pass a whole number up to 2,147,483,647.",
        id="minimum_total too large",
    ),
    pytest.param(
        lambda bleu: bleu.compute(statistics=[[2**62] * 4] * 3),
        "statistics: the sum of a column is 2**63 or more. Pass tables from statistics().",
        id="statistics too large",
    ),
    pytest.param(
        lambda bleu: bleu.compare({"A": bleu.statistics(predictions=["a"], references=["a"]), "B": ["a"]}, ["a"]),
        "references: the systems are tables, which contain the counts. Leave out `references`.",
        id="tables beside texts",
    ),
    pytest.param(
        lambda bleu: bleu.rank({"A": ["a"], "B": ["b"]}, ["a"], family_wise="no"),
        "family_wise='no': pass True or False.",
        id="family_wise as a text",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a"], by=[b"x"]),
        "by[0]: expected a str or a number, got bytes. Decode it: value.decode().",
        id="bytes as a label",
    ),
    pytest.param(
        lambda bleu: bleu.compute(statistics=["a"], references=["b"]),
        "compute() takes either `statistics`, or `predictions` and `references`. To score texts with tables, count them: "
        "statistics=[*tables, bleu.statistics(predictions=..., references=...)].",
        id="statistics with references",
    ),
    pytest.param(
        lambda bleu: bleu.compute(statistics=["a"]),
        "statistics: expected tables from statistics(), got texts. For texts, write compute(predictions=..., references=...).",
        id="texts as statistics",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a"], like=bleu.statistics(predictions=["a"], references=["a"])),
        "like: describes how sums were counted. Write compute(statistics=sums, like=table).",
        id="like without statistics",
    ),
    pytest.param(
        lambda bleu: bleu.compute(statistics=bleu.compute(predictions=["a"], references=["a"], max_order=1)),
        "statistics: got a result, which has no rows. Pass what it was computed from, or tables from statistics().",
        id="result in the place of statistics",
    ),
    pytest.param(
        lambda bleu: bleu.compute(statistics={"matches_1": 1, "totals_1": 2, "prediction_length": 2, "reference_length": 2}),
        "statistics: not a statistics table, but sums. Pass a list: [sums[name] for name in table.column_names].",
        id="sums as a dict",
    ),
    pytest.param(
        lambda bleu: bleu.compare(dict.fromkeys("AB", bleu.compute(predictions=["a"], references=["a"], max_order=1))),
        "System 'A': got a result, which has no rows. Pass what it was computed from, or tables from statistics().",
        id="results as systems in compare",
    ),
    pytest.param(
        lambda bleu: bleu.rank(bleu.compute(predictions=["a"], references=["a"], max_order=1), ["a"]),
        "systems: got a result, which has no rows. Pass what it was computed from, or tables from statistics().",
        id="result as systems in rank",
    ),
    pytest.param(
        lambda bleu: bleu.compare({"A": ["a"], "B": ["b"]}, ["a"], baseline=["the cat sat"] * 40),
        "baseline=<list of length 40>: pass one of 'A', 'B'.",
        id="baseline as a list",
    ),
    pytest.param(
        lambda bleu: bleu.compare({"A": ["a"], "B": ["b"]}, ["a"], test=["the cat sat"]),
        "test=<list of length 1>: pass one of 'bootstrap', 'randomization', 'runs'.",
        id="test as a list",
    ),
    pytest.param(
        lambda bleu: bleu.explain(5, ["a"]),
        "prediction: expected a str, a list of str tokens or a list of int token ids, got int. "
        "Pass str(value), or one list of ids per segment.",
        id="number as a prediction in explain",
    ),
    pytest.param(
        lambda bleu: bleu.explain("a", [None]),
        'references[0]: expected at least one reference, got none. Pass "" for an empty reference.',
        id="None as a reference in explain",
    ),
    pytest.param(
        lambda bleu: bleu.explain(["a b"], ["a b"]),
        "prediction: got a list with one str. A list of str is read as tokens, but the references are plain text. "
        "If each list holds a sentence, pass that str. "
        "explain() takes one prediction with its references: for columns, write explain(predictions[0], references[0]).",
        id="column of predictions in explain",
    ),
    pytest.param(
        lambda bleu: bleu.explain(["a b", "c"], ["a b", "c"]),
        "references[0]: expected a list of references, each a list of str tokens like the predictions (a single reference is "
        "[[...]]), got a list of str. "
        "explain() takes one prediction with its references: for columns, write explain(predictions[0], references[0]).",
        id="columns in explain",
    ),
    pytest.param(
        lambda bleu: bleu.explain("a", "a", max_order=10**5000),
        "max_order=<int>: pass a whole number up to 10,000.",
        id="max_order of 5,000 digits",
    ),
    pytest.param(
        lambda bleu: bleu.compute(statistics=[]),
        "statistics: got no rows. Pass tables from statistics() with at least one row.",
        id="statistics without rows",
    ),
    pytest.param(
        lambda bleu: bleu.compute(statistics=[1, 1, 1, 1], segments=True),
        "`segments` needs one statistics row per segment, but these rows are sums. "
        "Pass the tables from statistics(), or leave `segments` out (segments=False).",
        id="segments of sums",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), ERRORS)
def test_message_of_an_error(bleu, call, message):
    with pytest.raises((TypeError, ValueError)) as raised:
        call(bleu)
    assert str(raised.value) == message


# Calls and the messages of their warnings.
WARNINGS = [
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["b"]),
        "The score is 0: no token of the predictions occurs in the references.",
        id="no token matches",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=[""], references=["b"]),
        "The score is 0: 1 empty prediction.",
        id="an empty prediction",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a b"], references=["a b"]),
        "The score is 0: every prediction is shorter than 4 tokens, so there are no 4-grams (effective_order=True scores only "
        "the n-grams that exist).",
        id="shorter than four tokens",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a " * 999], max_order=1),
        "The score is 0: the predictions are far too short (1 against 999 tokens), so the brevity penalty rounds to 0.",
        id="far too short",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a"], max_order=1, smooth_value=0.1),
        "smooth_method='exp' takes no smooth_value; smooth_value=0.1 is ignored. Remove it.",
        id="smooth_value without effect",
    ),
    pytest.param(
        lambda bleu: bleu.statistics(predictions=["我们"], references=["我们"]),
        "references[0] is written without spaces, at which tokenize='13a' splits. Write: tokenize='zh'.",
        id="script written without spaces",
    ),
    pytest.param(
        lambda bleu: bleu.statistics(predictions=["a", "b"], references=[["a", "b"], ["c", "d"]]),
        "There are 2 predictions with 2 references each, which were read as one list per prediction. "
        "If they are in sacreBLEU's layout, one list per reference set, pass references=list(zip(*references)).",
        id="perhaps transposed",
    ),
    pytest.param(
        lambda bleu: bleu.compute(predictions=["a"], references=["a"], max_order=1, confidence=0.9),
        "One segment has no interval and no p-value, because every resample equals it. Pass more segments.",
        id="an interval of one segment",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), WARNINGS)
def test_message_of_a_warning(bleu, call, message):
    _, messages = record_warnings(lambda: call(bleu))
    assert messages == [message]


@pytest.mark.parametrize("column", [list, tuple])  # plain lists take a fast path
def test_square_input_warns_once(column):
    with pytest.warns(BleuWarning, match=r"2 predictions with 2 references each.*zip") as caught:
        read_corpus(column(["a", "b"]), column([["a", "b"], ["c", "d"]]))
    assert len(caught) == 1
    for predictions, references in (
        (["a"], [["a"]]),
        (["a", "b"], [["a"], ["b"]]),
        (["a", "b"], [["a", "b"], ["c"]]),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read_corpus(column(predictions), column(references))


UNSPACED = [
    "我们用的是中文。",
    "カタカナとひらがな",
    "ภาษาไทยไม่มีช่องว่าง",
    "ພາສາລາວ",
    "ភាសាខ្មែរ",
    "မြန်မာဘာသာ",
]


@pytest.mark.parametrize("text", UNSPACED)
@pytest.mark.parametrize("tokenize", TOKENIZERS)
def test_unspaced_scripts_warn_if_the_tokenizer_does_not_split_them(bleu, text, tokenize):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bleu.compute(predictions=["hello", text], references=["hello", text], tokenize=tokenize)
    found = [warning for warning in caught if "written without spaces" in str(warning.message)]
    assert len(found) == (tokenize not in ("zh", "char", "list"))
    assert all(warning.filename == __file__ for warning in found)


HAS_MECAB = importlib.util.find_spec("MeCab") is not None
FOR_JAPANESE = "ja-mecab" if HAS_MECAB else "char"
ADVICE = [
    ("我们用的是中文。", "zh"), ("カタカナとひらがな", FOR_JAPANESE), ("漢字と仮名を使う", FOR_JAPANESE),
    ("ภาษาไทยไม่มีช่องว่าง", "char"), ("ພາສາລາວ", "char"), ("ភាសាខ្មែរ", "char"), ("မြန်မာဘာသာ", "char"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "advice"), ADVICE)
def test_unspaced_scripts_have_the_advice_of_their_languages(bleu, text, advice):
    """Thai is not advised a tokenizer for Chinese or Japanese; sacreBLEU takes each name of the advice."""
    _, messages = record_warnings(lambda: bleu.compute(predictions=[text], references=[text]))
    (message,) = [message for message in messages if "written without spaces" in message]
    assert message.endswith(f"Write: tokenize={advice!r}.")
    assert advice in BLEU.TOKENIZERS


# The number of English and of Chinese predictions, in this order.
@pytest.mark.parametrize(("english", "chinese", "warns"), [(0, 1, True), (1_200, 20_000, True), (20_000, 1_200, False)])  # fmt: skip
def test_unspaced_characters_are_counted_over_all_predictions(bleu, english, chinese, warns):
    """In a sample that is spread over them: a test set may begin with another language."""
    texts = ["English text"] * english + ["我们用的是中文。"] * chinese
    _, messages = record_warnings(lambda: bleu.compute(predictions=texts, references=texts))
    assert any("written without spaces" in message for message in messages) == warns


@pytest.mark.parametrize(
    "text",
    ["Plain ASCII here.", "Größe — «naïve» 😀 …", "Русский текст", "한국어 문장입니다", "हिन्दी में"],
)
def test_spaced_scripts_do_not_warn(bleu, text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bleu.compute(predictions=[text * 3], references=[text * 3])


# Texts, and whether most of their characters are of a script written without spaces.
SHARES = [
    (["The word for it is 是, as they say."], False),
    (["Hello 我们", "A word of it"], False),
    (["我们用的是中文，也用English。"], True),
    (["", "我们用的是中文"], True),
]


@pytest.mark.parametrize(("texts", "warns"), SHARES, ids=str)
def test_the_share_of_a_script_that_warns(bleu, texts, warns):
    """A Chinese word in an English corpus issues no warning."""
    _, messages = record_warnings(lambda: bleu.compute(predictions=texts, references=texts))
    assert any("written without spaces" in message for message in messages) == warns


# Predictions, references and options of a score of 0; patterns that the message must match, and must not match.
ZEROS = {
    "two words, exp": (["a b"], [["b a"]], {}, r"(?i)\b4\b.*effective_order", r"[23]-gram of"),
    "two words that match, exp": (["a b"], [["a b"]], {}, r"(?i)\b4\b.*effective_order", r"in the references"),
    "three words, exp, no bigram matches": (["a c b"], [["a b c"]], {}, r"(?i)\b4\b.*effective_order", r"[23]-gram of"),
    "two words, order 3": (["a b"], [["b a"]], {"max_order": 3}, r"(?i)\b3\b.*effective_order", r"2-gram of"),
    "two words, floor": (["a b"], [["b a"]], {"smooth_method": "floor"}, r"(?i)\b4\b.*effective_order", r"2-gram of"),
    "many short ones": (["a b", "c d e"] * 5, [["b a"], ["e d c"]] * 5, {}, r"(?i)\b4\b.*effective_order", r"2-gram of"),
    "far too short": (["a b c d"], [["a b c d " * 1000]], {}, r"(?i)brevity|too short|shorter|length", r"no token|-gram"),
    "far too short, no smoothing": (["a b c d"], [["a b c d " * 1000]], {"smooth_method": "none"}, r"(?i)brevity|too short|shorter|length", r"no token|-gram"),
    "no order that has a weight has n-grams": (
        ["a b"], [["a b"]], {"weights": [0, 0, 0.5, 0.5], "effective_order": True}, r"shorter than 3 tokens", r"brevity",
    ),
    "an empty reference": (["a b c d"], [[""]], {}, r"(?i)empty.*reference|reference.*empty", r"1-gram"),
    "only empty references": (["a b c d", "e f g h"], [["", ""], [" "]], {}, r"(?i)empty.*reference|reference.*empty", r"1-gram"),
    "no token matches": (["a b c d"], [["w x y z"]], {}, r"(?i)(1-gram|token|word).*reference", r"effective_order|empty"),
    "no smoothing, no 4-gram": (["a b c d e"], [["a b c x d e"]], {"smooth_method": "none"}, r"4-gram.*smooth_method", r"effective_order|empty"),
    "no smoothing, no bigram": (["a b c d e"], [["e d c b a"]], {"smooth_method": "none"}, r"2-gram.*smooth_method", r"effective_order|empty"),
    "empty predictions": (["", " "], [["a"], ["b"]], {}, r"2 empty predictions", r"-gram|reference is"),
    "all is empty": ([""], [[""]], {}, r"1 empty prediction\b", r"-gram"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("predictions", "references", "options", "present", "absent"), ZEROS.values(), ids=ZEROS
)
def test_the_warning_for_a_score_of_0_has_the_cause_and_the_fix(
    bleu, predictions, references, options, present, absent
):
    corpus = {"predictions": predictions, "references": references}
    result, messages = record_warnings(lambda: bleu.compute(**corpus, **options))
    assert result["bleu"] == 0
    (message,) = [message for message in messages if "score is 0" in message]
    assert re.search(present, message)
    assert not re.search(absent, message)


def test_only_rows_with_a_score_of_0_warn(bleu):
    rows = bleu.statistics(predictions=["a b c d", "e"], references=["a b c d", "f"])
    with pytest.warns(bleu.Warning, match="score is 0: no token of the predictions"):
        assert bleu.compute(statistics=rows.slice(1))["bleu"] == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bleu.compute(statistics=rows.slice(0, 1))["bleu"] == 1


FIXES = [
    (["a b"], [["b a"]], {}, {"effective_order": True}),
    (["a b"], [["a b"]], {}, {"effective_order": True}),
    (["a b c d e"], [["a b c x d e"]], {"smooth_method": "none"}, {"smooth_method": "exp"}),
]


@pytest.mark.parametrize(("predictions", "references", "options", "fix"), FIXES, ids=str)
def test_the_fix_helps(bleu, predictions, references, options, fix):
    """The option that the warning names makes the score positive."""
    with pytest.warns(UserWarning, match=next(iter(fix))):
        bleu.compute(predictions=predictions, references=references, **options)
    assert (
        bleu.compute(predictions=predictions, references=references, **{**options, **fix})["bleu"]
        > 0
    )


HAN = ["我们用的是中文", "我们用中文"]
ON_HAN = {
    "compute": lambda bleu: bleu.compute(predictions=HAN, references=HAN),
    "statistics": lambda bleu: bleu.statistics(predictions=HAN, references=HAN),
    "diff": lambda bleu: bleu.diff({"A": HAN, "B": HAN}, HAN),
    "explain": lambda bleu: bleu.explain(HAN[0], HAN[0]),
    "pairwise": lambda bleu: bleu.pairwise(HAN),
    "self_bleu": lambda bleu: bleu.self_bleu(HAN),
}


@pytest.mark.parametrize("call", ON_HAN.values(), ids=ON_HAN)
def test_calls_that_read_text_warn_once(bleu, call):
    _, messages = record_warnings(lambda: call(bleu))
    assert sum("written without spaces" in message for message in messages) == 1


@pytest.mark.processes
def test_a_missing_numba_warns_once_and_only_if_compiling_would_pay():
    code = """
import json, sys
import evaluate, helpers
bleu = evaluate.load(sys.argv[1])
answer = []
for size in (1, 2_000_000, 2_000_000):  # characters of one token
    _, messages = helpers.record_warnings(lambda: bleu.compute(predictions=["x" * size], references=["x" * size], max_order=1))
    answer.append(messages)
print(json.dumps(answer))
"""
    path = os.pathsep.join([str(ROOT / "tests" / "without_numba"), str(ROOT / "tests")])
    first, second, third = run_python(code, ROOT / "bleu_metric.py", PYTHONPATH=path)
    assert (first, third) == ([], [])
    (message,) = second
    assert message.startswith("numba can't be imported")


# Calls that warn, each for another reason.
WARNING = {
    "a score of 0": lambda bleu: bleu.compute(predictions=["a"], references=["b"]),
    "a script written without spaces": lambda bleu: bleu.compute(predictions=["我们用的是中文"], references=["我们用的是中文"]),
    "perhaps transposed": lambda bleu: bleu.statistics(predictions=["a", "b"], references=[["a", "b"], ["c", "d"]]),
}  # fmt: skip


@pytest.mark.parametrize("call", WARNING.values(), ids=WARNING)
@pytest.mark.parametrize("convention", ["default", "hf"])
def test_the_class_of_warnings_is_reached_from_the_metric(load, call, convention):
    """`warnings.filterwarnings("ignore", category=bleu.Warning)` needs no import."""
    bleu = load(convention)
    assert issubclass(bleu.Warning, UserWarning)
    assert bleu.Warning is not UserWarning
    assert type(bleu).Warning is bleu.Warning
    with pytest.warns(bleu.Warning):
        call(bleu)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=bleu.Warning)
        call(bleu)


def test_one_class_for_all_objects(load):
    """One filter applies to objects that are loaded twice, or under another convention."""
    assert load().Warning is load("nltk").Warning


# The texts are a single segment without a match, which other warnings say.
@pytest.mark.filterwarnings("ignore:The score of|One segment has no interval:UserWarning")
@pytest.mark.parametrize("call", ["compare", "rank", "diff"])
@pytest.mark.parametrize("names", ["AB", "BA"])
def test_systems_are_checked_as_a_corpus_is(bleu, call, names):
    """Every system is checked, not only the first."""
    chinese = ["我们用的是中文。"]
    systems = dict(zip(names, (chinese, ["Chinese."])))
    with pytest.warns(UserWarning, match="written without spaces"):
        getattr(bleu, call)({name: systems[name] for name in "AB"}, chinese)


LEFT_OVER = ("special_tokens", "reasoning")
LEFTOVERS = [
    ("<think>The cat.</think> A cat", "</think>"),
    ("reasoning</think> A cat", "</think>"),
    ("A cat<|im_end|>", "<|im_end|>"),
    ("<|assistant|> A cat", "<|assistant|>"),
    ("Translate. [/INST] A cat", "the prompt"),
    ("[INST] A cat", "[INST]"),
]


@pytest.mark.parametrize(("text", "found"), LEFTOVERS)
def test_leftovers_of_language_models(bleu, text, found):
    """One warning names the first row, the text and the number of rows; the score is computed."""
    predictions = ["A dog", text, "A bird", text]
    with pytest.warns(UserWarning, match="of a model|the prompt") as caught:
        result = bleu.compute(predictions=predictions, references=["A dog", "A cat"] * 2)
    (warning,) = [each for each in caught if each.message.kind in LEFT_OVER]
    message = str(warning.message)
    assert message.startswith("predictions[1] contains ")
    assert found in message
    assert "like 2 of 4 rows looked at" in message
    assert warning.filename == __file__
    assert result["translation_length"] > result["reference_length"]


@pytest.mark.parametrize(
    "text",
    ["<b>bold</b>", "<table>", "</td>", "a < b > c", "a <| b |> c", "if (a<b||c>d) {}", "x[i] [I think]", "|x| < |y|", "<i>think</i>", "f <$> x |> g", "P(A|B)", "[INSTALL]"],
)  # fmt: skip
def test_markup_code_and_mathematics_are_not_leftovers(bleu, text):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of what other tests left open
        bleu.compute(predictions=[text], references=["b"])
    assert [each for each in caught if each.message.kind in LEFT_OVER] == []


@pytest.mark.parametrize("markup", ["", "a < b ", "[1] "])
@pytest.mark.parametrize("form", [list, pa.array, lambda texts: pa.array(["<think>", *texts])[1:]])
def test_leftovers_are_found_among_rare_and_frequent_brackets(bleu, markup, form):
    predictions = [f"{markup}the cat <"] * 150
    rows = range(7, 150, 10)
    for row in rows:
        predictions[row] = f"{markup}the cat<|im_end|>"
    message = find_warning(
        lambda: bleu.compute(predictions=form(predictions), references=[f"{markup}the cat"] * 150),
        "special_tokens",
    )
    assert "<|im_end|>" in message
    assert read_row(message) in rows


# --- The place of a warning -----------------------------------------------------------------------

CLEAN = [f"A cat number {number} sat here ." if number % 2 else "A cat" for number in range(60)]


def find_warning(call, kind):
    """Return the message of the only warning of a kind."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    (message,) = [str(each.message) for each in caught if getattr(each.message, "kind", "") == kind]
    return message


def read_row(message):
    """Return the row that a message names."""
    return int(re.search(r"\w+\[(\d+)\]", message)[1])


def replace_rows(rows, text, texts=CLEAN):
    return [text if row in rows else each for row, each in enumerate(texts)]


@pytest.mark.parametrize("size", [200, 5_000])
def test_a_row_among_labels_is_that_of_the_caller(bleu, size):
    """Labels with a tokenizer of their own are counted apart; the row is numbered as in all rows."""
    rows = range(21, size, 20)  # of label "r"
    predictions = replace_rows(rows, "A cat<|im_end|>", ["A cat"] * size)
    labels = ["q", "r"] * (size // 2)
    call = lambda: bleu.compute(
        predictions=predictions, references=["A cat"] * size, by=labels, tokenize={"q": "zh"}
    )
    assert read_row(find_warning(call, "special_tokens")) in rows


@pytest.mark.parametrize("by", [None, ["q", "r"] * 60])
def test_an_evaluation_is_one_column(bleu, by):
    """Whatever its batches: rows count from its start, and it warns once."""
    words = {1: "A cat .", 2: "A cat .<|im_end|>", 3: "A cat ."}

    class Sentences(Words):
        def batch_decode(self, rows, skip_special_tokens):
            return [words.get(int(row[0]), "") for row in rows]

    callback = bleu.compute_metrics(Sentences(), by=by)
    ids = np.array([[1]] * 100 + [[2]] * 20)
    labels = np.array([[1]] * 100 + [[3]] * 20)

    def evaluate():
        for start in (0, 60):
            rows = slice(start, start + 60)
            callback((ids[rows], labels[rows]), compute_result=start == 60)

    assert read_row(find_warning(evaluate, "special_tokens")) >= 100


# Calls of systems A, B and C, of which B and C have a leftover in row 7; the names in their message.
CALLS_OF_SYSTEMS = {
    "compare": (lambda bleu, a, b, c: bleu.compare({"A": a, "B": b, "C": c}, a), "System 'B' and 1 other: "),
    "rank": (lambda bleu, a, b, c: bleu.rank({"A": a, "B": b, "C": c}, a), "System 'B' and 1 other: "),
    "one of two": (lambda bleu, a, b, c: bleu.compare({"A": a, "B": b}, a), "System 'B': "),
    "diff": (lambda bleu, a, b, c: bleu.diff({"A": a, "B": b}, a), "System 'B': "),
    "runs": (lambda bleu, a, b, c: bleu.compare({"A": a, "B": {1: a, 2: b, 3: c}}, a), "System 'B', run 2 and 1 other: "),
}  # fmt: skip


@pytest.mark.parametrize(("call", "name"), CALLS_OF_SYSTEMS.values(), ids=CALLS_OF_SYSTEMS)
def test_a_warning_names_the_first_system(bleu, call, name):
    leftover = replace_rows(range(7, 60, 10), "A cat<|im_end|>")
    message = find_warning(lambda: call(bleu, CLEAN, leftover, leftover), "special_tokens")
    assert message.startswith(f"{name}predictions[7] contains ")
    assert "'<|im_end|>'" in message
    assert "like 6 of 60 rows looked at" in message


def test_a_warning_about_labels_with_a_tokenizer_counts_the_rows_looked_at(bleu):
    leftover = replace_rows(range(7, 60, 10), "A cat<|im_end|>")
    labels = ["q", "r"] * 30
    call = lambda: bleu.compare({"A": CLEAN, "B": leftover}, CLEAN, by=labels, tokenize={"q": "zh"})
    message = find_warning(call, "special_tokens")
    assert message.startswith("System 'B': predictions[7] contains ")
    assert "like 6 of 60 rows looked at" in message


def test_a_warning_names_the_argument(bleu):
    message = find_warning(lambda: bleu.explain("A cat<|im_end|>", "A cat"), "special_tokens")
    assert message.startswith("prediction contains ")
    ended = [f"{text} </s>" for text in CLEAN]
    message = find_warning(lambda: bleu.self_bleu(ended), "special_tokens")
    assert message.startswith("texts[0] contains ")
    message = find_warning(lambda: bleu.pairwise(ended, CLEAN), "special_tokens")
    assert message.startswith("predictions[0] contains ")
