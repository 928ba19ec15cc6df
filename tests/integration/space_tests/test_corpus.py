"""The tab for a corpus: a researcher with files of one system or several, who asks for a score, where and why."""

import json
import re

import pandas as pd
import pyarrow.parquet as pq
import pytest
from helpers import ROOT

from .corpus import PREDICTIONS, REFERENCE_SETS, ROWS, SECOND_PREDICTIONS, write_corpus
from .visitor import (
    choose,
    copied,
    download,
    expect,
    fill,
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
    sentence = page.locator("#corpus-details tr", has_text="cats").locator("[data-copy]").get_attribute("data-copy")
    assert (
        sentence
        == copied(page, SUMMARY)
        == (
            f"cats scores {cats['score']:.2f} BLEU and system {first['score']:.2f}: {100 * cats['delta']:+.2f} (95% interval"
            f" {low:+.2f} to {high:+.2f}, p = {cats['p_value']:.4f}, paired approximate randomization; {comparison['signature']}). With"
            f" this test set, true differences below about {100 * cats['detectable_delta']:.1f} often go unnoticed."
        )
    )
    difference = bleu.diff({"A": PREDICTIONS, "B": SECOND_PREDICTIONS}, ROWS)
    expect(page.locator("#overview")).to_contain_text(f"cats is better in {difference['wins']} segment")
    expect(page.locator("#overview circle")).to_have_count(40)
    page.locator('#overview circle[data-segment="7"]').dispatch_event("click")
    expect(page.locator("#opened h3")).to_have_text("Segment 7")
    expect(page.locator("#opened .bleu-tokens").first).to_contain_text(PREDICTIONS[6].split()[0])
    assert page.locator("#opened mark").count() > 0


def test_equal_systems_are_told_to_be_identical(page, tmp_path):
    for name, lines in {"A": "a b c d e\nf g", "B": "a b c d\nf g", "C": "a b c d\nf g"}.items():
        (tmp_path / f"{name}.txt").write_text(lines)
    paste(page, "a b c d e\nf g", "a b c d\nf g h", second="a b c d e\nf g")
    score(page)
    expect(page.locator(".bleu-verdict")).to_have_text("Second system and System are identical.")
    expect(page.locator(SUMMARY)).to_contain_text("have the same text in every segment")
    expect(page.locator("#corpus-details tr", has_text="Second system")).to_contain_text("identical to System")
    page.get_by_label("Files", exact=True).check()
    upload(page, "systems", [tmp_path / f"{name}.txt" for name in "ABC"])
    upload(page, "references", tmp_path / "A.txt")
    score(page)
    expect(page.locator("#corpus-details tbody tr").last).to_contain_text("identical to B")


def test_the_tab_opens_with_the_example_scored_and_own_files_replace_it(page, tmp_path):
    tab(page, "Corpus")
    expect(page.locator(".bleu-verdict")).to_have_text(
        "Of 3 systems, atlas is best: it is better than each of the others."
    )
    ranked = [
        [cell.inner_text() for cell in row.locator("td").all()[:3]]
        for row in page.locator("#corpus-details tbody tr").all()
    ]
    assert ranked == [["atlas", "1", "90.74"], ["birch", "2", "64.21"], ["cedar", "3", "17.56"]]
    expect(page.locator(SUMMARY)).to_contain_text("This is an example")
    score_files(page, tmp_path)
    expect(page.locator(SUMMARY)).to_contain_text("40 segments")
    expect(page.locator(SUMMARY)).not_to_contain_text("This is an example")
    for role in ("systems", "references"):
        page.locator(f"#{role}-file").get_by_role("button", name="Clear").click()
    score(page)
    expect(page.locator(SUMMARY)).to_contain_text("This is an example")


def test_names_without_their_common_prefix_in_tables_that_scroll_in_their_boxes(open_page, tmp_path):
    names = ["Facebook-AI", "HuaweiTSC", "VolcTrans-AT", "CUNI-Transformer2018"]
    files = [tmp_path / f"newstest2021.en-de.hyp.{name}.de" for name in names]
    for number, file in enumerate(files):
        file.write_text("\n".join(f"The cat number {i} sat on mat {i * number}." for i in range(150)))
    for width in (1280, 390):
        page = open_page(width)
        tab(page, "Corpus")
        upload(page, "systems", files)
        upload(page, "references", files[0])
        score(page)
        first = page.locator("#corpus-details td:first-child")
        expect(first).to_have_text(names)
        assert page.locator("#corpus-details, #overview").evaluate_all(
            "all => all.every((one) => !one.innerText.includes('newstest'))"
        )
        clipped = page.evaluate(
            """() => [...document.querySelectorAll("#corpus *, #corpus-inputs *")].filter((one) =>
              one.offsetParent && one.getBoundingClientRect().right > innerWidth
              && !one.closest(".bleu-box, .bleu-unseen, svg")).map((one) => one.outerHTML.slice(0, 90))"""
        )
        assert clipped == []
        narrow = "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)"
        assert page.locator("#systems-file td.filename").evaluate_all(narrow) == []
        assert page.locator("#systems-file td.filename span").evaluate_all(narrow) == []
        assert width < 1280 or page.locator("#overview .bleu-box").evaluate_all(narrow) == []


def test_the_focus_of_a_radio_button_is_visible(page):
    tab(page, "Corpus")
    label = page.locator("#origin label", has_text="Files")
    outline = "element => getComputedStyle(element).outlineStyle"
    assert label.evaluate(outline) == "none"
    page.locator("#corpus-options > button").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Files", exact=True)).to_be_focused()
    assert label.evaluate(outline) == "solid"


def test_another_baseline(page):
    tab(page, "Corpus")
    choose(page, "#baseline", "cedar")
    expect(page.locator(f"{SUMMARY} .bleu-quote")).to_contain_text("atlas scores 90.74 BLEU and cedar 17.56: +73.18")
    expect(page.locator("#corpus-details tr", has_text="cedar")).to_contain_text("baseline")
    expect(page.locator(OLD)).to_have_count(0)
    expect(text(page, "#first-system")).to_have_value("cedar")


def test_the_table_as_markdown_and_latex(page, bleu):
    tab(page, "Corpus")
    tables = [button.get_attribute("data-copy") for button in page.locator(f"{SUMMARY} .bleu-copies button").all()[1:]]
    assert tables[0].startswith("| system | BLEU |")
    assert "| atlas (baseline) | 90.74 |" in tables[0]
    assert tables[1].startswith(r"\begin{tabular}")


def test_ten_segments_and_more(page):
    tab(page, "Corpus")
    rows = page.locator("#difference-list tbody tr")
    expect(rows.locator("visible=true")).to_have_count(10)
    page.locator("#difference-list").get_by_role("button", name="10 more").click()
    expect(rows.locator("visible=true")).to_have_count(20)
    expect(rows.nth(10).get_by_role("button")).to_be_focused()
    expect(rows.first.get_by_role("button")).to_have_accessible_name(re.compile(r"Open segment \d+"))


def test_another_number_is_asked_for_beside_the_score(page):
    tab(page, "Corpus")
    verdict, why = (page.locator(one).bounding_box() for one in (".bleu-verdict", "#why-part"))
    assert abs(verdict["y"] - why["y"]) < 30
    assert why["x"] > verdict["x"] + verdict["width"] / 2


def test_a_file_shows_in_its_own_line_how_it_was_read(page, tmp_path):
    system, _, _ = write_corpus(tmp_path, "csv")
    tab(page, "Corpus")
    zone = "element => getComputedStyle(element).borderTopStyle"
    assert page.locator("#systems-file").evaluate(zone) == "dashed"
    upload(page, "systems", system, has_columns=True)
    line = page.locator("#systems-file td.filename")
    expect(line).to_have_attribute("data-note", "40 segments, columns: id, prediction, reference, reference_2")


def test_the_chip_says_what_was_applied(page):
    tab(page, "Corpus")
    page.locator("#corpus-options > button").click()
    choose(page, "#which-references", "only number 2")
    page.get_by_label("Make quotes straight").check()
    score(page)
    expect(page.locator("#corpus-options > button")).to_contain_text(
        "Scored as sacreBLEU does (only the second reference is used, quotes made straight)"
    )


def test_zh_is_not_proposed_for_text_with_spaces(page, bleu):
    """It gives the same score as 13a there, but for those who read Chinese only."""
    tab(page, "Corpus")
    lower = bleu.compute(**{"predictions": [], "references": []} | read_example(), lowercase=True)["score"]
    fill(page, "#reported", f"{lower:.2f}")
    page.locator("#why").click()
    answer = page.locator("#why-answer")
    expect(answer.locator(".bleu-quote")).to_contain_text("if case is ignored")
    expect(answer).not_to_contain_text("Chinese")
    expect(answer.locator(".bleu-step").last).to_contain_text("the reported number")
    fill(page, "#reported", "12.34")
    page.locator("#why").click()
    expect(answer).to_contain_text("No setting gives 12.34")
    expect(answer.locator(".bleu-step").last).to_contain_text("the nearest")


def read_example():
    rows = [line.split("\t") for line in (ROOT / "space" / "example.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    return {"predictions": [row[2] for row in rows], "references": [row[:2] for row in rows]}


def test_the_example_shows_everything(page):
    tab(page, "Corpus")
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


@pytest.mark.parametrize("number", ["27,3,1", "127"])
def test_what_is_no_score(page, number):
    paste(page, "a b c d e", "a b c d")
    score(page)
    fill(page, "#reported", number)
    page.locator("#why").click()
    expect(page.locator("#why-answer")).to_contain_text("Type the score as a number from 0 to 100, such as 27.30.")


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
    tab(page, "Corpus")
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
    tab(page, "Corpus")
    fill(page, "#search-differences", "ferry")
    expect(page.locator("#difference-list tbody tr")).to_have_count(1)
    choose(page, "#second-system", "cedar")
    expect(page.locator("#overview")).to_contain_text("cedar")
    expect(page.locator("#difference-list tbody tr")).to_have_count(1)
    choose(page, "#first-system", "cedar")
    expect(page.locator("#overview")).to_contain_text("Choose two different systems")
