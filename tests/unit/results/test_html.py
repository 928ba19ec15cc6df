"""HTML: self-contained, escaped, and right for text of any direction; the formula."""

import math
import re

import pytest
from bleu.bleu_core.methods.compare import Comparison
from bleu.bleu_core.results.html import STYLE, formula
from helpers import random_rows
from test_report import MAKE, read

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


HOSTILE = "<script>alert(1)</script> \" onerror=alert(2) ' &amp; </style> \u202egnp.exe \x1b[31m \x00 \x85 \u2066x"


def test_the_style_applies_to_reports_only():
    """Every selector starts with a class of the reports, and no rule depends on the system's color scheme."""
    selectors = [
        part.strip() for rule in re.findall(r"([^{}]+)\{", STYLE) for part in rule.split(",")
    ]
    assert len(selectors) > 20
    assert all(selector.startswith(".bleu-") for selector in selectors)
    assert "@media" not in STYLE


def hostile_results(bleu):
    yield bleu.explain(
        HOSTILE, [HOSTILE + " x", "y " + HOSTILE], tokenize=lambda text: text.split(" ")
    )
    yield bleu.explain([HOSTILE, "b"], [["c", HOSTILE]])
    system = {"bleu": 0.5, "score": 50.0, "confidence_interval": [0.4, 0.6]}
    yield Comparison(
        baseline=HOSTILE,
        systems={HOSTILE: system},
        test="bootstrap",
        n_resamples=1,
        signature=HOSTILE,
    )


@pytest.mark.parametrize("number", range(3))
def test_texts_are_escaped(bleu, number):
    html = list(hostile_results(bleu))[number].to_html()
    reader = read(html)
    assert "script" not in reader.tags
    assert not any(name.startswith("on") for name in reader.attributes)
    assert "<script>" in reader.text
    assert html.count("</style>") == 1
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)
    assert r"\u202egnp" in reader.text
    assert html.encode("utf-8")


def test_direction_follows_the_text(bleu):
    html = bleu.explain("ذهب الولد إلى المدرسة", ["ذهب الولد إلى البيت"]).to_html()
    assert html.count('<p dir="auto">') == 2
    assert '<code class="code" dir="auto">المدرسة</code>' in html


def test_tokens_carry_their_number_and_a_shade(bleu):
    html = bleu.explain("a b x", ["a b y x"], max_order=2).to_html()
    marks = re.findall(
        r'<span class="token( missed)?"(?: style="--match:(.*?)")? title="(.*?)">(.*?)</span>', html
    )
    assert marks[:3] == [
        ("", "1", "part of a matching 2-gram", "a<sub>2</sub>"),
        ("", "1", "part of a matching 2-gram", "b<sub>2</sub>"),
        ("", "0.5", "part of a matching 1-gram", "x<sub>1</sub>"),
    ]
    assert (" missed", "", "in no n-gram that counts", "y") in marks


FORMULAS = [  # prediction, reference, options, the formula
    ("a b c d e", "a b c d f", {}, "BLEU = 1 · (4/5 · 3/4 · 2/3 · 1/2)1/4 = 0.6687"),
    ("a b c d", "a b c d e", {}, "BLEU = 0.7788 · (4/4 · 3/3 · 2/2 · 1/1)1/4 = 0.7788"),
    ("a b c", "a b d", {"max_order": 3}, "BLEU = 1 · (2/3 · 1/2 · 0.5/1)1/3 = 0.5503"),
    ("a b", "a b", {}, "BLEU = 1 · (2/2 · 1/1 · 0/0 · 0/0)1/4 = 0.0000"),
    ("a b", "a b", {"effective_order": True}, "BLEU = 1 · (2/2 · 1/1)1/2 = 1.0000"),
    ("a", "a", {"effective_order": True}, "BLEU = 1 · (1/1) = 1.0000"),
    ("a b", "a b", {"minimum_total": 1, "smooth_method": "none"}, "BLEU = 1 · (2/2 · 1/1 · 0/1 · 0/1)1/4 = 0.0000"),
    ("a c", "a b", {"max_order": 2, "weights": (0.75, 0.25)}, "BLEU = 1 · (1/2)0.75 · (0.5/1)1/4 = 0.5000"),
    ("a", "b", {"max_order": 2, "smooth_method": "laplace"}, "BLEU = 1 · (0.5/1 · 1)1/2 = 0.7071"),
    ("", "a", {}, "BLEU = 0 · (0/0 · 0/0 · 0/0 · 0/0)1/4 = 0.0000"),
    ("", "a", {"effective_order": True}, "BLEU = 0 · no n-gram = 0.0000"),
]  # fmt: skip


@pytest.mark.parametrize(("prediction", "reference", "options", "text"), FORMULAS)
def test_the_formula(bleu, prediction, reference, options, text):
    """The formula has fractions of counts, or the matches that smoothing assumes, and never the logarithm of 0."""
    shown = read(formula(bleu.explain(prediction, [reference], **options))).text
    assert shown.startswith(text)
    assert "ln" not in shown


def test_smoothed_precisions_are_marked(bleu):
    html = formula(bleu.explain("a b c d e", ["a b x y z"]))
    terms = re.findall(r'<span class="term( smoothed)?" title="(.*?)">(.*?)</span>', html)
    assert terms == [
        ("", "2 of 5 match", "2/5"),
        ("", "1 of 4 match", "1/4"),
        (" smoothed", "0 of 3 match; smoothed to 0.5/3", "0.5/3"),
        (" smoothed", "0 of 2 match; smoothed to 0.25/2", "0.25/2"),
    ]
    assert "dashed: smoothed" in html
    assert "dashed" not in formula(bleu.explain("a b c d", ["a b c d"]))


class TestNGrams:
    def test_clipped_and_missed(self, bleu):
        text = read(
            bleu.explain("the the the x", ["the cat is on the mat"], max_order=1).to_html()
        ).text
        assert "2 n-grams don’t count" in text
        assert "1-gram, clippedthe (2 of 3 count)" in text
        assert "1-gram, missedx" in text

    def test_the_legend_has_the_marks_of_all_orders(self, bleu):
        """No bigram is clipped, but a unigram is: the legend has both marks."""
        text = read(bleu.explain("the the x", ["the cat"], max_order=2).to_html()).text
        assert re.search("2-gram, missed.*clipped: .*; missed: ", text)
        assert "2-gram, clipped" not in text

    def test_an_ngram_that_is_missed_twice(self, bleu):
        text = read(bleu.explain("x x a", ["a"], max_order=1).to_html()).text
        assert "2 n-grams don’t count1-gram, missedx × 2missed: " in text
        assert (
            "1 n-gram doesn’t count1-gram, missedxmissed: "
            in read(bleu.explain("x a", ["a"], max_order=1).to_html()).text
        )

    def test_without_such_ngrams_there_is_no_list(self, bleu):
        assert "<details" not in bleu.explain("a b", ["a b"]).to_html()

    def test_a_long_text_lists_the_first_ngrams(self, bleu):
        html = bleu.explain(" ".join(map(str, range(1000))), ["x"]).to_html()
        assert read(html).text.count("and 900 more") == 1
        assert html.count("<code") == 400


def test_the_reference_whose_length_counts_is_named(bleu):
    text = read(bleu.explain("a b", ["a", "a c", "a c"], max_order=2).to_html()).text
    heads = (
        "Prediction 2 tokens",
        "Reference 1 1 token",
        "Reference 2 (sets the brevity penalty) 2 tokens",
        "Reference 3 2 tokens",
    )
    assert re.findall(
        r"(?:Prediction|Reference)[^a-z]*(?:\(sets the brevity penalty\) )?[^a-z]*tokens?", text
    ) == list(heads)
    assert "Longest matching n-gram: none 1-gram1 2-gram2" in text


def test_a_corpus_in_html(bleu):
    """By hand: five of five tokens match, against six; the two segments score 1 and exp(1 - 2/1)."""
    corpus = {"predictions": ["a b c d", "a"], "references": ["a b c d", "a b"], "max_order": 1}
    text = read(bleu.compute(**corpus, segments=True, confidence=0.9).to_html()).text
    assert text.startswith(
        "81.87 BLEU90% CI 36.79 to 100.00, percentile bootstrap. 2 segments: lowest 36.79, median 68.39, highest 100.00."
        " Brevity penalty 0.8187: 5 tokens against 6 in the references"
        "n-gramsmatchestotalprecisionBLEU-n155100.0081.87"
    )
    assert read(bleu.compute(**corpus).to_html()).text.startswith(
        "81.87 BLEUBrevity penalty 0.8187: 5 tokens against 6"
    )


def test_intervals_are_drawn_on_one_scale(bleu):
    html = MAKE["compare"](bleu).to_html()
    assert html.count('class="bleu-interval"') == 2
    assert "--low:0.0%" in html
    assert "--high:100.0%" in html


# The formula: its factors multiply to the score under any options.


FORMULA_OPTIONS = [
    {},
    {"effective_order": True},
    {"smooth_method": "add-k"},
    {"smooth_method": "laplace", "max_order": 2},
    {"smooth_method": "chen-cherry-7"},
    {"smooth_method": "nltk-5"},
    {"smooth_method": "none", "minimum_total": 1, "weights": (0.4, 0.3, 0.2, 0.1)},
]


def evaluate_formula(text):
    """Return the value of `"1 · (17/18 · 10/17)^(1/2)"`; an order without n-grams, `0/0`, counts as 0."""
    assert re.fullmatch(r"[\d,./()^· ]+", text), text
    code = text.replace(",", "").replace("0/0", "0").replace("·", "*").replace("^", "**")
    return eval(code)


@pytest.mark.parametrize("options", FORMULA_OPTIONS, ids=str)
def test_the_formula_multiplies_to_the_score(bleu, options):
    for prediction, references in zip(*random_rows(seed=5, count=60)):
        explanation = bleu.explain(prediction, references, **options)
        _, text = explanation._title().split(" = 100 · ")
        if "no n-gram" in text:
            assert explanation["score"] == 0
        else:  # the formula shows four digits
            assert math.isclose(
                100 * evaluate_formula(text), explanation["score"], rel_tol=2e-3, abs_tol=1e-9
            ), text
