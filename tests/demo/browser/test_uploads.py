"""Uploads in one field: what the page says about each file, what it asks, and what it rejects."""

import re

import pandas as pd
import pytest
from test_space_files import HEADLESS, TEXT, WRONG, write_wmt_xml

from .corpus import write_corpus
from .visitor import (
    FILES,
    READ,
    asked_by,
    change_files,
    clear_files,
    column,
    expect,
    press,
    score_of,
    settle,
    tab,
    upload,
    wait_for_answer,
)

pytestmark = pytest.mark.filterwarnings("ignore")

# Rejected for its text, its form and its size; test_space_files.py has all, without a browser.
REJECTED = ["damaged", "text that is Parquet", "too many lines"]
SUMMARY = "#corpus-summary"


def test_refused_at_once(page, tmp_path):
    """Each in its line, with what to do about it; and no result of it."""
    tab(page, "Corpus")
    for number, (name, data, message) in enumerate(map(WRONG.get, REJECTED)):
        path = tmp_path / f"{number}" / name
        path.parent.mkdir()
        path.write_bytes(data)
        page.set_input_files(FILES, path)
        line = page.locator(f"{READ} li")
        expect(line).to_contain_text(message)
        expect(page.locator("#corpus-message")).to_contain_text(f"{name} can’t be read")
        expect(page.locator("#corpus")).to_be_hidden()
        assert not re.search(r"Traceback|Error|/tmp|\.py|pyarrow|lxml", line.inner_text())
        page.get_by_role("button", name=f"Remove {name}", exact=True).click()
        expect(line).to_have_count(0)


def test_all_files_at_once_are_scored_at_once(page, bleu, tmp_path):
    """The example leaves with the first file, and comes back after the last one."""
    tab(page, "Corpus")
    expect(page.locator(SUMMARY)).to_contain_text("This is an example")
    (tmp_path / "wmttest2022.de-en.all.xml").write_text(write_wmt_xml())
    upload(page, "systems", tmp_path / "wmttest2022.de-en.all.xml")
    expect(page.locator("#files-line")).to_contain_text("LT22, Online-B 3 lines each")
    expect(page.locator(SUMMARY)).not_to_contain_text("example")
    predictions = [f"2 {text}" for text in TEXT]
    references = [[f"A {text}", f"B {text}"] for text in TEXT]
    expected = bleu.compute(predictions=predictions, references=references)["score"]
    row = page.locator(f"{SUMMARY} .bleu-board tbody tr", has_text="LT22")
    expect(row).to_contain_text(f"{expected:.1f}")
    change_files(page)
    expect(page.locator(READ)).to_contain_text("WMT’s XML, 3 lines, 2 documents")
    clear_files(page)
    expect(page.locator(SUMMARY)).to_contain_text("This is an example")


def test_the_place_of_the_result_is_empty_while_other_files_are_scored(page, tmp_path):
    tab(page, "Corpus")
    expect(page.locator(".bleu-verdict")).to_be_visible()
    for name in ("mt", "ref"):
        (tmp_path / f"{name}.txt").write_text("a b c d e\n" * 30)
    page.route("**/queue/join*", lambda way: (page.wait_for_timeout(1500), way.continue_()))
    page.set_input_files(FILES, [tmp_path / "mt.txt", tmp_path / "ref.txt"])
    expect(page.locator(".bleu-verdict")).to_be_hidden()
    expect(page.locator(f"{SUMMARY} strong")).to_have_text("100.00")
    expect(page.locator(f"{SUMMARY} strong")).to_be_visible()


def test_of_the_first_file_alone_the_page_says_what_is_missing(page, tmp_path):
    tab(page, "Corpus")
    (tmp_path / "mt.txt").write_text("a b c d\n")
    upload(page, "systems", tmp_path / "mt.txt")
    expect(page.locator("#corpus-message")).to_contain_text("The references are missing.")
    expect(page.locator("#corpus")).to_be_hidden()


def test_different_numbers_of_lines_have_two_answers(page, tmp_path):
    lines = [f"a b c d {number}\n" for number in range(30)]
    (tmp_path / "mt.txt").write_text("".join(lines[:-1]))
    (tmp_path / "ref.txt").write_text("".join(lines))
    tab(page, "Corpus")
    upload(page, "systems", [tmp_path / "mt.txt", tmp_path / "ref.txt"])
    message = page.locator("#corpus-message")
    expect(message).to_contain_text("mt has 29 lines, and there are references for 30.")
    press(page, "Count line 30 as empty", "#corpus-message")
    expect(page.locator(SUMMARY)).to_contain_text("mt: 1 missing line counted as empty")
    change_files(page)
    (tmp_path / "b.txt").write_text("".join(lines[:-2]))
    upload(page, "systems", tmp_path / "b.txt")  # other lengths are another question
    press(page, "Score the first 28", "#corpus-message")
    expect(page.locator(SUMMARY)).to_contain_text("only the first 28 of 30 lines")


def test_quoted_cells_are_told_and_can_be_kept(page, bleu, tmp_path):
    """What pandas writes with `sep="\\t"` is scored as the same texts in CSV are."""
    references = [f'He said "{word}" twice, number {i}.' for i, word in enumerate("ab" * 20)]
    predictions = [text.replace("twice", "again") for text in references]
    frame = pd.DataFrame({"mt": predictions, "refA": references})
    frame.to_csv(tmp_path / "a.tsv", sep="\t", index=False)
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.tsv")
    expected = bleu.compute(predictions=predictions, references=references)["score"]
    score_of(page, SUMMARY, expected)
    change_files(page)
    expect(page.locator(READ)).to_contain_text("quoted as by pandas; quotes removed")
    column(page, "Quotation marks around cells").select_option("keep")
    wait_for_answer(page)
    expect(page.locator(READ)).to_contain_text("quoted as by pandas; quotes kept")
    written = [
        ['"' + text.replace('"', '""') + '"' for text in texts]
        for texts in (predictions, references)
    ]
    kept = bleu.compute(predictions=written[0], references=written[1])["score"]
    score_of(page, SUMMARY, kept)


def test_another_encoding_is_offered_with_its_words(page, tmp_path):
    polish = ["Zażółć gęślą jaźń.", "Idę do domu."] * 20
    (tmp_path / "mt.txt").write_bytes("\n".join(polish).encode("cp1250"))
    (tmp_path / "ref.txt").write_text("\n".join(polish))
    tab(page, "Corpus")
    upload(page, "systems", [tmp_path / "mt.txt", tmp_path / "ref.txt"])
    if page.get_by_role("button", name="Change files").is_visible():
        change_files(page)
    column(page, "Encoding").select_option("cp1250")
    wait_for_answer(page)
    expect(page.locator(READ)).to_contain_text("read as Windows-1250: Zażółć, gęślą, jaźń")
    score_of(page, SUMMARY, 100)


def test_a_score_in_doubt_stands_below_its_reason(page, tmp_path):
    lines = [f"我们用的是中文第{i}句话。" for i in range(40)]
    (tmp_path / "ref.txt").write_text("\n".join(lines))
    (tmp_path / "A.txt").write_text("\n".join(line.replace("中文", "英文") for line in lines))
    tab(page, "Corpus")
    upload(page, "systems", [tmp_path / "A.txt", tmp_path / "ref.txt"])
    press(page, "Keep as it is", SUMMARY)
    doubtful = page.locator(".bleu-doubtful strong")
    caution = page.locator(f"{SUMMARY} .caution", has_text="without spaces")
    expect(doubtful).to_be_visible()
    assert caution.bounding_box()["y"] < doubtful.bounding_box()["y"]
    color = "element => getComputedStyle(element).color"
    gray = doubtful.evaluate(color)
    press(page, "Take back", "#corpus-findings")
    press(page, "Apply the fix", SUMMARY)
    expect(page.locator(f"{SUMMARY} .bleu-signature")).to_contain_text("tok:zh")
    expect(doubtful).to_have_count(0)
    assert page.locator(f"{SUMMARY} strong").first.evaluate(color) != gray


def hold_first(page):
    """Hold back the first request to describe uploads."""
    held, is_about_files = [], asked_by(page, "files")

    def hold(way):
        is_held = not held and is_about_files(way.request)
        held.append(way) if is_held else way.continue_()

    page.route("**/queue/join*", hold)
    return held


def test_of_two_uploads_that_overlap_both_are_described(page, tmp_path):
    """The answer about the first one, which was asked for before the second one was there, comes late."""
    tab(page, "Corpus")
    system, references, _ = write_corpus(tmp_path, "txt")
    held = hold_first(page)
    page.set_input_files(FILES, system)
    expect(page.locator("#files td.filename")).to_have_count(1)
    page.set_input_files(FILES, references)
    expect(page.locator("#files td.filename")).to_have_count(1 + len(references))
    page.wait_for_timeout(1000)
    held[0].continue_()
    lines = page.locator(f"{READ} .bleu-read > li")
    expect(lines).to_have_count(1 + len(references))
    assert settle(page, lines.count) == 1 + len(references)


def test_a_column_of_labels_gives_a_score_per_group(page, bleu, tmp_path):
    """A column `domain` is chosen already; another one, or none, can be chosen."""
    lines = ["a b c d\tnews\tx", "e f g x\tchat\ty"] * 30
    table = "mt\tdomain\ttopic\n" + "".join(f"{line}\n" for line in lines)
    (tmp_path / "system.tsv").write_text(table)
    (tmp_path / "reference.txt").write_text("a b c d\ne f g h\n" * 30)
    tab(page, "Corpus")
    upload(page, "systems", [tmp_path / "system.tsv", tmp_path / "reference.txt"])
    page.locator("#corpus-details summary", has_text="Score per group").click()
    groups = page.locator("#corpus-details table", has_text="mean of the groups")
    for label, prediction, reference in (
        ("news", "a b c d", "a b c d"),
        ("chat", "e f g x", "e f g h"),
    ):
        expected = bleu.compute(predictions=[prediction] * 30, references=[reference] * 30)["score"]
        row = groups.locator("tr", has=page.get_by_role("cell", name=label, exact=True))
        expect(row).to_contain_text(f"{expected:.2f}")
    change_files(page)
    column(page, "topic").select_option("group")
    wait_for_answer(page)
    expect(groups).to_contain_text("y")
    change_files(page)
    expect(column(page, "domain")).to_have_value("")  # one column has groups
    for name in ("topic", "domain"):
        column(page, name).select_option("not used")
        wait_for_answer(page)
        change_files(page)
    expect(page.locator("#corpus-details")).not_to_contain_text("mean of the groups")


def test_columns_whose_names_tell_too_little_are_chosen_by_keyboard(page, bleu, tmp_path):
    """The question is asked with the file; each choice has the column's name and its first text."""
    (tmp_path / "a.csv").write_text("x,y\n" + "a b c d,a b c e\ne f g h,e f g h\n" * 20)
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.csv")
    expect(page.locator("#corpus-message")).to_contain_text("Which text is the reference?")
    choice = column(page, "y")
    expect(page.locator(f"{READ} li li", has=choice)).to_contain_text("a b c e")
    choice.focus()
    page.keyboard.press("r")  # the first letter of "reference"
    wait_for_answer(page)
    expected = bleu.compute(
        predictions=["a b c d", "e f g h"] * 20, references=["a b c e", "e f g h"] * 20
    )
    score_of(page, SUMMARY, expected["score"])


def test_choices_stay_while_other_files_are_uploaded(page, tmp_path):
    (tmp_path / "a.csv").write_text("mt,mt2,other\n" + "a b c d,a b c e,a b c f\n" * 20)
    (tmp_path / "ref.txt").write_text("a b c d\n" * 20)
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.csv")
    column(page, "other").select_option("system")
    wait_for_answer(page)
    upload(page, "systems", tmp_path / "ref.txt")
    rows = page.locator(f"{SUMMARY} .bleu-board .name")
    expect(rows).to_have_count(3)
    expect(rows.filter(has_text="other")).to_have_count(1)


def test_a_table_without_a_head_asks_what_line_1_has(page, tmp_path):
    (tmp_path / "a.tsv").write_text(HEADLESS)
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.tsv")
    expect(page.locator("#corpus-message")).to_contain_text("Line 1 of a.tsv looks like the lines")
    column(page, "Line 1 has").select_option("texts")
    wait_for_answer(page)
    expect(page.locator(READ)).to_contain_text("3 lines, without names of columns")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_wide_table_does_not_fill_the_screen(open_page, tmp_path, width):
    """Of a hundred columns, the line says what they are; the list of them is folded."""
    page = open_page(width)
    names = ["reference", *(f"system {number}" for number in range(24)), "name " * 40]
    cells = "\t".join(["a b c d " * 30] * len(names))
    (tmp_path / "a.tsv").write_text("\t".join(names) + "\n" + f"{cells}\n" * 2)
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.tsv")
    change_files(page)
    summary = page.locator(f"{READ} summary", has_text="25 systems · 1 reference")
    expect(page.locator(f"{READ} select").first).to_be_hidden()
    summary.click()
    expect(page.locator(f"{READ} select").last).to_be_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    last = page.locator(f"{READ} select").last
    last.focus()
    expect(last).to_be_in_viewport()
    assert last.bounding_box()["height"] >= 40


DROP = """(page, files) => {
  const transfer = new DataTransfer();
  for (const [name, text] of files) transfer.items.add(new File([text], name));
  const options = { bubbles: true, cancelable: true, dataTransfer: transfer };
  for (const kind of ["dragover", "drop"]) page.dispatchEvent(new DragEvent(kind, options));
}"""


def test_files_dropped_anywhere_turn_the_page_into_their_result(page):
    """The focus goes to the result, from where the next Tab key leads on, and not back to the top."""
    lines = "".join(f"The ferry number {i} leaves at noon.\n" for i in range(40))
    expect(page.get_by_text("Drop files here")).to_be_in_viewport()
    page.locator("#sentence").evaluate(DROP, [["ref.txt", lines], ["mt.txt", lines]])
    expect(page.locator(f"{SUMMARY} strong")).to_have_text("100.00")
    expect(page.locator(f"{SUMMARY} .bleu-score")).to_be_focused()
    expect(page.locator("#sentence-score")).to_be_hidden()
    page.keyboard.press("Tab")
    expect(page.locator(f"{SUMMARY} .bleu-copies button").first).to_be_focused()


def test_files_that_are_chosen_with_the_keyboard_leave_the_focus_at_the_result(page, tmp_path):
    for name in ("mt", "ref"):
        (tmp_path / f"{name}.txt").write_text("a b c d e\n" * 30)
    button = page.get_by_role("button", name="Choose files", exact=True)
    settle(page, button.bounding_box)  # Gradio puts the fields in their places one after the other
    with page.expect_file_chooser() as chosen:
        button.press("Enter")
    chosen.value.set_files([tmp_path / "mt.txt", tmp_path / "ref.txt"])
    expect(page.locator(f"{SUMMARY} .bleu-score")).to_be_focused()


def test_a_file_without_the_other_side_leaves_the_focus_at_what_is_missing(page):
    page.locator("#sentence").evaluate(DROP, [["ref.txt", "a b c d e\n" * 30]])
    expect(page.locator("#corpus-message p").first).to_be_focused()
    expect(page.locator(f"{READ} .bleu-read > li")).to_have_count(1)


def test_the_sentence_is_as_it_was_after_a_look_at_files(page, tmp_path):
    page.locator("#candidate textarea").fill("a guide to action")
    for name in ("mt", "ref"):
        (tmp_path / f"{name}.txt").write_text("a b c d e\n" * 30)
    page.set_input_files(FILES, [tmp_path / "mt.txt", tmp_path / "ref.txt"])
    expect(page.locator(f"{SUMMARY} strong")).to_be_visible()
    tab(page, "Sentence")
    expect(page.locator("#candidate textarea")).to_have_value("a guide to action")
    expect(page.locator("#files-line")).to_contain_text("mt")  # stands for the drop line
    page.get_by_role("button", name="Change files").click()
    expect(page.locator(f"{READ} .bleu-read > li")).to_have_count(2)


def test_lines_are_pasted_from_the_first_screen(page):
    page.get_by_role("button", name="Paste lines").click()
    page.get_by_label("System, one text per line").fill("a b c d e")
    page.get_by_label("References, tabs between several").fill("a b c d e")
    page.locator("#score").click()
    expect(page.locator(f"{SUMMARY} strong")).to_have_text("100.00")
