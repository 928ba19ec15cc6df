"""The tab for one sentence."""

import pytest
from test_tutorials import CANDIDATE_1, REFERENCES

from .visitor import choose, expect, fill, score_of, text

pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_score_changes_while_one_types(page, load):
    score_of(page, "#sentence", 50.46)  # of the text "BLEU from scratch": 0.5045666840058485
    text(page, "#candidate").press("End")
    text(page, "#candidate").press_sequentially(" now")
    expected = load("nltk", lowercase=True).explain(f"{CANDIDATE_1} now", REFERENCES)
    score_of(page, "#sentence", expected["score"])
    expect(page.locator(".bleu-formula b").first).to_have_text(f"{expected['bleu']:.4f}")
    tokens = page.locator(".bleu-tokens").first.locator(".token")
    expect(tokens.last).to_have_text("now")  # "no" has the same score, and may still be shown
    shown = tokens.all_inner_texts()
    wanted = zip(expected["prediction"]["tokens"], expected["prediction"]["longest_match"])
    assert ["".join(mark.split()) for mark in shown] == [
        token + (str(order) if order else "") for token, order in wanted
    ]


def test_nothing_jumps_while_one_types(page):
    def places():
        seen = (
            "#candidate",
            "#references",
            "#sentence strong",
            "#sentence .bleu-tokens .bleu-label",
            "#sentence .token",
        )
        return [(box["x"], box["y"]) for box in (page.locator(one).first.bounding_box() for one in seen)]

    page.wait_for_timeout(1000)  # Gradio puts the fields in their places one after the other
    before = places()
    text(page, "#candidate").press("End")
    text(page, "#candidate").press_sequentially(" party" * 12)
    expect(page.locator(".bleu-tokens").first).to_contain_text("30 tokens")
    assert places() == before


def test_the_word_that_is_repeated_explains_itself(page):
    choose(page, "#example", "the the the the (Papineni et al., example 2)")
    chart = page.locator(".bleu-chart .group").first
    expect(chart.locator(".column").nth(0)).to_have_attribute("title", "Candidate, unclipped: 7 of 7 = 1.0000")
    expect(chart.locator(".column").nth(1)).to_have_attribute("title", "Candidate, clipped: 2 of 7 = 0.2857")
    page.locator(".bleu-ngrams summary").click()
    expect(page.locator(".bleu-ngrams")).to_contain_text("the (2 of 7 count)")


def test_two_candidates_side_by_side(page):
    expect(page.locator("#sentence strong")).to_have_count(2)
    expect(page.locator(".bleu-chart .group").first.locator(".column")).to_have_count(4)
    fill(page, "#second", "")
    expect(page.locator("#sentence strong")).to_have_count(1)


def test_options(page, bleu):
    page.locator("#sentence-options button").first.click()
    choose(page, "#sentence-convention", "default")
    options = {"effective_order": False}
    score_of(page, "#sentence", bleu.explain(CANDIDATE_1, REFERENCES, **options)["score"])
    choose(page, "#sentence-tokenize", "char")
    score_of(page, "#sentence", bleu.explain(CANDIDATE_1, REFERENCES, tokenize="char")["score"])


@pytest.mark.parametrize(
    ("filled", "message"),
    [("", "empty prediction"), ("x y", "no token of the predictions"), ("a" * 2001, "the limit is 2,000")],
)
def test_what_there_is_to_say(page, filled, message):
    fill(page, "#second", "")
    fill(page, "#candidate", filled)
    expect(page.locator("#sentence .bleu-message").first).to_contain_text(message)
