"""The tab for a corpus: a researcher with files of one system or several, who asks for a score, where and why."""

import json

import pandas as pd
import pyarrow.parquet as pq
import pytest

from .corpus import PREDICTIONS, REFERENCE_SETS, ROWS, SECOND_PREDICTIONS, write_corpus
from .visitor import (
    choose,
    copied,
    download,
    expect,
    fill,
    origin,
    paste,
    score,
    score_files,
    score_of,
    tab,
    text,
    upload,
)

pytestmark = pytest.mark.filterwarnings("ignore")

SUMMARY = "#corpus-summary"


@pytest.mark.parametrize("kind", ["txt", "csv", "tsv", "jsonl"])
def test_each_format(page, bleu, tmp_path, kind):
    system, references, has_columns = write_corpus(tmp_path, kind)
    tab(page, "Corpus")
    upload(page, "systems", system, has_columns)
    expect(page.locator("#systems-note")).to_contain_text(f"{system.name}: 40 segments")
    upload(page, "references", references, has_columns)
    score(page)
    result = bleu.compute(predictions=PREDICTIONS, references=ROWS, confidence=0.95)
    score_of(page, SUMMARY, result["score"])
    low, high = (100 * end for end in result["confidence_interval"])
    expect(page.locator(SUMMARY)).to_contain_text(f"95% interval {low:.2f} to {high:.2f}, 40 segments")
    expect(page.locator(SUMMARY)).to_contain_text("40 segments are few")
    assert copied(page, SUMMARY) == (
        f"{system.stem} scores {result['score']:.2f} BLEU on 40 segments (95% interval {low:.2f} to {high:.2f};"
        f" {result['signature']})."
    )


def test_a_researcher_opens_segments_comes_back_and_downloads(page, bleu, tmp_path):
    score_files(page, tmp_path)
    result = bleu.compute(predictions=PREDICTIONS, references=ROWS, segments=True, confidence=0.95)
    scores = result["segment_bleu"]
    lowest = scores.index(min(scores))
    row = page.locator("#segments tbody tr").first
    expect(row).to_contain_text(f"{100 * scores[lowest]:.2f}")
    row.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(text(page, "#candidate")).to_have_value(PREDICTIONS[lowest])
    expect(text(page, "#references")).to_have_value("\n".join(ROWS[lowest]))
    score_of(page, "#sentence-score", 100 * scores[lowest])
    expect(page.locator("#back")).to_be_focused()
    page.keyboard.press("Enter")
    expect(row.get_by_role("button")).to_be_focused()
    fill(page, "#search", "naïve")
    expect(page.locator("#segments tbody tr").first).to_contain_text("naïve")
    csv = pd.read_csv(download(page, "csv", tmp_path))
    assert csv["bleu"].tolist() == pytest.approx(scores, abs=1e-15)
    assert (csv["prediction"].tolist(), csv["references_2"].tolist()) == (PREDICTIONS, REFERENCE_SETS[1])
    parquet = pq.read_table(download(page, "parquet", tmp_path))
    assert parquet["bleu"].to_pylist() == result.pop("segment_bleu")
    assert parquet["references"].to_pylist() == ROWS
    assert json.loads(download(page, "json", tmp_path).read_text()) == result


def test_a_result_is_old_as_soon_as_something_changes(page):
    paste(page, "a b c d e\na b c d", "a b c d e\na b c d")
    score(page)
    old = page.get_by_text("Something has changed since: press Score.")
    expect(old).not_to_be_visible()
    text(page, "#system-text").press("End")
    text(page, "#system-text").press_sequentially("x")
    expect(old).to_be_visible()
    score(page)
    page.locator("#corpus-options > button").click()
    page.get_by_label("Ignore case").first.check()
    expect(old).to_be_visible()
    score(page)
    expect(page.locator("#corpus-options > button")).to_contain_text("but case is ignored")


def test_two_systems_are_compared_in_a_sentence_to_copy(page, bleu, tmp_path):
    system, references, _ = write_corpus(tmp_path, "txt")
    (tmp_path / "cats.txt").write_text("\n".join(SECOND_PREDICTIONS))
    tab(page, "Corpus")
    upload(page, "systems", [system, tmp_path / "cats.txt"])
    upload(page, "references", references)
    score(page)
    comparison = bleu.compare({"system": PREDICTIONS, "cats": SECOND_PREDICTIONS}, ROWS)
    cats, first = comparison["systems"]["cats"], comparison["systems"]["system"]
    low, high = (100 * end for end in cats["delta_interval"])
    sentence = page.locator(f"{SUMMARY} tr", has_text="cats").locator("[data-copy]").get_attribute("data-copy")
    assert sentence == (
        f"cats scores {cats['score']:.2f} BLEU and system {first['score']:.2f}: {100 * cats['delta']:+.2f} (95% interval"
        f" {low:+.2f} to {high:+.2f}, p = {cats['p_value']:.4f}, paired approximate randomization; {comparison['signature']}). With"
        f" this test set, true differences below {100 * cats['detectable_delta']:.1f} often go unnoticed."
    )
    difference = bleu.diff(PREDICTIONS, SECOND_PREDICTIONS, ROWS)
    expect(page.locator("#overview")).to_contain_text(f"cats is better in {difference['wins']} segment")
    expect(page.locator("#overview circle")).to_have_count(40)
    page.locator('#overview circle[data-segment="7"]').dispatch_event("click")
    expect(page.locator("#opened h3")).to_have_text("Segment 7")
    expect(page.locator("#opened .bleu-tokens").first).to_contain_text(PREDICTIONS[6].split()[0])
    assert page.locator("#opened mark").count() > 0


def test_equal_files_are_told_to_be_identical(page):
    paste(page, "a b c d e\nf g", "a b c d\nf g h", second="a b c d e\nf g")
    score(page)
    expect(page.locator(SUMMARY)).to_contain_text(
        "Second system and System are identical: the same text in every segment"
    )
    expect(page.locator(f"{SUMMARY} td", has_text="identical")).to_be_visible()


def test_the_example_shows_everything_in_one_click(page):
    origin(page, "The example")
    expect(page.locator(SUMMARY)).to_contain_text("birch scores")
    expect(page.locator("#difference-list tbody tr")).to_have_count(20)
    choose(page, "#second-system", "cedar")
    expect(page.locator("#overview")).to_contain_text("atlas is better")
    fill(page, "#search-differences", "ferry")
    expect(page.locator("#difference-list tbody tr")).to_have_count(1)
    page.locator("#difference-list").get_by_role("button").click()
    expect(page.locator("#opened h3")).to_be_focused()
    page.locator("#opened").get_by_role("button", name="Open in Sentence").click()
    expect(text(page, "#second")).to_have_value("The boat goes to the island at half past seven.")
    page.locator("#back").click()
    expect(page.locator("#difference-list").get_by_role("button")).to_be_focused()


def test_a_reader_of_a_paper_learns_why_and_applies_it(page, bleu, tmp_path):
    score_files(page, tmp_path)
    default = bleu.compute(predictions=PREDICTIONS, references=ROWS)["score"]
    first = bleu.compute(predictions=PREDICTIONS, references=REFERENCE_SETS[0])["score"]
    fill(page, "#reported", f"{first:.6f}")
    page.locator("#why").click()
    expect(page.locator("#why-answer .bleu-quote")).to_have_text(
        f"Your {default:.2f} becomes {first:.2f} if only the first reference is used."
    )
    expect(page.locator(".bleu-step")).to_have_count(3)
    page.locator("#why-answer").get_by_role("button", name="Apply").first.click()
    score_of(page, SUMMARY, first)
    expect(page.locator(SUMMARY)).to_contain_text("only the first reference is used")
    fill(page, "#reported", "")
    page.locator("#why").click()
    nltk = page.locator("#why-answer tr", has_text="NLTK")
    nltk.get_by_role("button", name="Apply").click()
    expect(page.locator("#corpus-options > button")).to_contain_text("Scored as NLTK does")


def test_why_starts_from_what_was_scored_and_keeps_the_reference(page, bleu, tmp_path):
    tab(page, "Corpus")
    page.locator("#corpus-options > button").click()
    choose(page, "#which-references", "only number 2")
    choose(page, "#corpus-tokenize", "none")
    score_files(page, tmp_path)
    second = {"predictions": PREDICTIONS, "references": REFERENCE_SETS[1]}
    score_of(page, SUMMARY, scored := bleu.compute(**second, tokenize="none")["score"])
    wanted = bleu.compute(**second, tokenize="none", max_order=2)["score"]
    fill(page, "#reported", f"{wanted:.6f}")
    page.locator("#why").click()
    expect(page.locator("#why-answer .bleu-quote")).to_have_text(
        f"Your {scored:.2f} becomes {wanted:.2f} if n-grams go up to 2."
    )
    page.locator("#why-answer").get_by_role("button", name="Apply").first.click()
    score_of(page, SUMMARY, wanted)


@pytest.mark.parametrize(
    ("method", "value", "searched", "left"),
    [
        ("floor", "0.5", {"smooth_method": "add-k"}, ""),  # another method, with its own value
        ("add-k", "2", {"smooth_method": "add-k", "smooth_value": 2, "max_order": 2}, "2.0"),  # the same
    ],
)
def test_what_is_applied_gives_the_score_that_was_promised(page, bleu, method, value, searched, left):
    """Whatever the visitor does to the value of the smoothing meanwhile."""
    paste(page, "the cat sat on a mat\na dog ran here", "the cat sat on the mat\nthat dog ran there")
    page.locator("#corpus-options > button").click()
    choose(page, "#corpus-smooth-method", method)
    fill(page, "#corpus-smooth-value", value)
    score(page)
    corpus = {
        "predictions": ["the cat sat on a mat", "a dog ran here"],
        "references": ["the cat sat on the mat", "that dog ran there"],
    }
    wanted = bleu.compute(**corpus, **searched)["score"]
    fill(page, "#reported", f"{wanted:.6f}")
    page.locator("#why").click()
    expect(page.locator("#why-answer .bleu-quote")).to_contain_text(f"becomes {wanted:.2f} if")
    fill(page, "#corpus-smooth-value", "0.25")
    page.locator("#why-answer").get_by_role("button", name="Apply").first.click()
    score_of(page, SUMMARY, wanted)
    expect(text(page, "#corpus-smooth-value")).to_have_value(left)


@pytest.mark.parametrize(("number", "message"), [("27,3,1", "pass a number"), ("127", "pass a score from 0 to 1")])
def test_what_is_no_score(page, number, message):
    paste(page, "a b c d e", "a b c d")
    score(page)
    fill(page, "#reported", number)
    page.locator("#why").click()
    expect(page.locator("#why-answer")).to_contain_text(message)


def test_typographic_quotes_are_recognised_and_mended(page):
    paste(page, "“It’s here”, he said .\n“No”", '"It\'s here", he said.\n"No"')
    score(page)
    page.locator(f"{SUMMARY} .bleu-message", has_text="typographic").get_by_role("button").click()
    expect(page.locator(SUMMARY)).to_contain_text("quotes made straight")


def test_two_visitors_have_their_own_results(open_page):
    pages = [open_page(), open_page()]
    for number, page in enumerate(pages):
        paste(page, *[f"visitor {number} has a line\n" * (number + 1)] * 2)
        page.locator("#score").click()
    for number, page in enumerate(pages):
        expect(page.locator(SUMMARY)).to_contain_text(f"{number + 1} segment")
        page.locator("#segments tbody button").first.click()
        expect(text(page, "#candidate")).to_have_value(f"visitor {number} has a line")


OLD = ".bleu-results.old"

# What a visitor changes after a result, with the mouse or with keys; the result is old until it's changed back.
CHANGES = {
    "a tokenizer": lambda page: choose(page, "#corpus-tokenize", "char"),
    "a convention": lambda page: choose(page, "#corpus-convention", "NLTK"),
    "a reference": lambda page: choose(page, "#which-references", "only number 2"),
    "a check box": lambda page: page.locator("#corpus-lowercase input").check(),
    "a number": lambda page: fill(page, "#corpus-max-order", "3"),
    "a text": lambda page: fill(page, "#second-system-text", "a"),
    "where the texts are from": lambda page: page.get_by_label("Files", exact=True).check(),
    "a tokenizer, by keys": lambda page: (
        text(page, "#corpus-tokenize").focus(), page.keyboard.press("ArrowDown"), page.keyboard.press("ArrowDown"), page.keyboard.press("Enter")
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_is_changed_the_result_is_marked_as_old(page, change):
    tab(page, "Corpus")
    page.locator("#corpus-options > button").click()
    paste(page, "a b c d e\nb c d e", "a b c d f\tb\nb c d e\tc")
    score(page)
    change(page)
    expect(page.locator(OLD)).to_have_count(1)


def test_what_is_as_it_was_scored_is_not_old(page):
    paste(page, "a b c d e", "a b c d f")
    score(page)
    fill(page, "#system-text", "a b c d")
    expect(page.locator(OLD)).to_have_count(1)
    fill(page, "#system-text", "a b c d e")
    expect(page.locator(OLD)).to_have_count(0)


def test_an_error_goes_with_its_inputs(page):
    paste(page, "a b c d e", "a b c d f\nb")
    page.locator("#score").click()
    expect(page.locator("#corpus-message p")).to_be_visible()
    fill(page, "#references-text", "a b c d f")
    expect(page.locator("#corpus-message p")).to_be_hidden()


def test_score_pressed_again_while_it_works_scores_what_is_there_then(page, tmp_path):
    lines = [f"The cat number {i} sat on the mat of house {i % 7}." for i in range(20_000)]
    (tmp_path / "cats.txt").write_text("\n".join(lines))
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "cats.txt")
    upload(page, "references", tmp_path / "cats.txt")
    page.locator("#corpus-options > button").click()
    page.locator("#score").click()
    page.locator("#corpus-lowercase input").check()
    page.locator("#score").click()
    expect(page.locator(f"{SUMMARY} .bleu-signature")).to_contain_text("case:lc", timeout=30_000)
    expect(page.locator(OLD)).to_have_count(0)


@pytest.mark.parametrize("method", ["floor", "add-k"])
def test_a_smoothing_method_has_its_own_value_unless_one_is_given(page, bleu, method):
    predictions, references = (
        ["the cat sat on my hat", "hello you there"],
        ["the cat lay on your hat", "hello me there"],
    )
    paste(page, "\n".join(predictions), "\n".join(references))
    page.locator("#corpus-options > button").click()
    choose(page, "#corpus-smooth-method", method)
    score(page)
    expected = bleu.compute(predictions=predictions, references=references, smooth_method=method)
    score_of(page, SUMMARY, expected["score"])


def test_the_system_asked_about_stays_and_its_answer_goes_with_it(page):
    origin(page, "The example")
    expect(page.locator("#difference-list tbody tr")).to_have_count(20)
    choose(page, "#why-system", "cedar")
    page.locator("#why").click()
    page.locator("#why-answer tr", has_text="NLTK").get_by_role("button", name="Apply").click()
    expect(page.locator("#corpus-options > button")).to_contain_text("Scored as NLTK does")
    expect(text(page, "#why-system")).to_have_value("cedar")
    page.locator("#why").click()
    expect(page.locator("#why-answer table")).to_be_visible()
    choose(page, "#why-system", "birch")
    expect(page.locator("#why-answer table")).to_have_count(0)
    expect(page.locator(OLD)).to_have_count(0)


def test_a_filter_stays_when_another_pair_is_chosen(page):
    origin(page, "The example")
    fill(page, "#search-differences", "ferry")
    expect(page.locator("#difference-list tbody tr")).to_have_count(1)
    choose(page, "#second-system", "cedar")
    expect(page.locator("#overview")).to_contain_text("cedar")
    expect(page.locator("#difference-list tbody tr")).to_have_count(1)
    choose(page, "#first-system", "cedar")
    expect(page.locator("#overview")).to_contain_text("Choose two different systems")
