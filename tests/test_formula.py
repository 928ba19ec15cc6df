"""The formula with its numbers: that they multiply to the score, whatever the options are."""

import math
import re

import pytest
from helpers import random_rows

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

OPTIONS = [
    {},
    {"effective_order": True},
    {"smooth_method": "add-k"},
    {"smooth_method": "laplace", "max_order": 2},
    {"smooth_method": "chen-cherry-7"},
    {"smooth_method": "nltk-5"},
    {"smooth_method": "none", "minimum_total": 1, "weights": (0.4, 0.3, 0.2, 0.1)},
]


def evaluate_formula(text):
    """The value of `"1 · (17/18 · 10/17)^(1/2)"`; an order without n-grams, `0/0`, counts for nothing."""
    assert re.fullmatch(r"[\d,./()^· ]+", text), text
    code = text.replace(",", "").replace("0/0", "0").replace("·", "*").replace("^", "**")
    return eval(code)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_gives_the_score(bleu, options):
    for prediction, references in zip(*random_rows(seed=5, count=60)):
        explanation = bleu.explain(prediction, references, **options)
        _, text = explanation.title().split(" = 100 · ")
        if "no n-gram" in text:
            assert explanation["score"] == 0
        else:  # what is written has four digits
            assert math.isclose(100 * evaluate_formula(text), explanation["score"], rel_tol=2e-3, abs_tol=1e-9), text
