"""Uploads that the demo rejects, and their messages."""

import re

import pandas as pd
import pytest
from test_space_files import WRONG

from .corpus import write_corpus
from .visitor import (
    asked_by,
    change_files,
    column,
    expect,
    score,
    score_of,
    settle,
    tab,
    unfold,
    upload,
    wait_for_fields,
)

pytestmark = pytest.mark.filterwarnings("ignore")

# Rejected for its text, its name and its size; test_space_files.py has all, without a browser.
REJECTED = ["latin-1", "Parquet", "too many lines"]


def test_refused_at_once(page, tmp_path):
    """Each beside its field, with what to do about it; and no result of it."""
    tab(page, "Corpus")
    for name, data, message in map(WRONG.get, REJECTED):
        (tmp_path / name).write_bytes(data)
        upload(page, "systems", tmp_path / name)
        note = page.locator("#systems-note")
        expect(note).to_contain_text(message)
        page.locator("#score").click()
        expect(page.locator("#corpus-message")).to_contain_text(
            f"{name} can’t be read. The message at Systems says why."
        )
        assert not re.search(r"Traceback|Error|/tmp|\.py|pyarrow", note.inner_text())
        page.locator("#systems-file").get_by_role("button", name="Clear").click()
        expect(note).to_contain_text("One file per system")


def test_different_numbers_of_lines(page, tmp_path):
    for name, lines in (("a.txt", "a\nb\n"), ("r.txt", "a\nb\n\n"), ("s.txt", "a\n")):
        (tmp_path / name).write_text(lines)
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.txt")
    upload(page, "references", tmp_path / "r.txt")
    page.locator("#score").click()
    expect(page.locator("#corpus-message")).to_contain_text(
        "a has 2 segments, and there are references for 3."
    )
    page.set_input_files(
        "#references-file input[type=file]", tmp_path / "s.txt"
    )  # another one, to the first
    expect(page.locator("#references-note")).to_contain_text("s.txt: 1 segment")
    page.locator("#score").click()
    expect(page.locator("#corpus-message")).to_contain_text(
        "s.txt has 1 segment, and the references before it 3."
    )


def test_quoted_cells_are_told_and_can_be_kept(page, bleu, tmp_path):
    """What pandas writes with `sep="\\t"` is scored as the same texts in CSV are."""
    references = [f'He said "{word}" twice, number {i}.' for i, word in enumerate("ab" * 20)]
    predictions = [text.replace("twice", "again") for text in references]
    frame = pd.DataFrame({"mt": predictions, "refA": references})
    frame.to_csv(tmp_path / "a.tsv", sep="\t", index=False)
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.tsv", has_columns=True)
    expect(page.locator("#systems-note")).to_contain_text("quoted as by pandas; quotes removed")
    score(page)
    expected = bleu.compute(predictions=predictions, references=references)["score"]
    score_of(page, "#corpus-summary", expected)
    change_files(page)
    page.get_by_label("Keep the quotation marks around cells").check()
    expect(page.locator("#systems-note")).to_contain_text("quoted as by pandas; quotes kept")
    expect(page.locator(".bleu-results.old")).to_have_count(1)
    score(page)
    written = [
        ['"' + text.replace('"', '""') + '"' for text in texts]
        for texts in (predictions, references)
    ]
    kept = bleu.compute(predictions=written[0], references=written[1])["score"]
    score_of(page, "#corpus-summary", kept)


def test_a_score_in_doubt_stands_below_its_reason(page, tmp_path):
    lines = [f"我们用的是中文第{i}句话。" for i in range(40)]
    (tmp_path / "r.txt").write_text("\n".join(lines))
    (tmp_path / "A.txt").write_text("\n".join(line.replace("中文", "英文") for line in lines))
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "A.txt")
    upload(page, "references", tmp_path / "r.txt")
    score(page)
    reason = page.get_by_role("button", name="Score as Chinese")
    page.get_by_role("button", name="Keep as it is").click()
    doubtful = page.locator(".bleu-doubtful strong")
    caution = page.locator("#corpus-summary .caution", has_text="text without spaces")
    expect(doubtful).to_be_visible()
    assert caution.bounding_box()["y"] < doubtful.bounding_box()["y"]
    color = "element => getComputedStyle(element).color"
    grey = doubtful.evaluate(color)
    page.get_by_role("button", name="Take back").click()
    reason.click()
    expect(page.locator("#corpus-summary .bleu-signature")).to_contain_text("tok:zh")
    expect(doubtful).to_have_count(0)
    assert page.locator("#corpus-summary strong").first.evaluate(color) != grey


def hold_first(page):
    """Hold back the first request to describe uploads."""
    held, is_about_files = (
        [],
        [asked_by(page, f"{role}-file") for role in ("systems", "references")],
    )

    def hold(way):
        isnt_held = held or not any(asks(way.request) for asks in is_about_files)
        way.continue_() if isnt_held else held.append(way)

    page.route("**/queue/join*", hold)
    return held


def test_a_result_asked_for_before_the_page_has_said_how_it_reads_the_files_is_not_old(
    page, tmp_path
):
    tab(page, "Corpus")
    system, references, _ = write_corpus(tmp_path, "txt")
    held = hold_first(page)
    for role, paths in {"systems": system, "references": references}.items():
        page.set_input_files(f"#{role}-file input[type=file]", paths)
        expect(page.locator(f"#{role}-file td.filename").first).to_be_visible()
    score(page)
    held[0].continue_()
    for role in ("systems", "references"):
        expect(page.locator(f"#{role}-note")).to_contain_text("one per line")
    assert settle(page, lambda: page.locator(".bleu-results.old").count()) == 0


def test_of_two_files_that_are_read_at_once_both_are_described(page, tmp_path):
    """The answer about the first one, which was asked for before the second one was there, comes late."""
    (tmp_path / "a.tsv").write_text("A\tB\na b\ta c\n")
    (tmp_path / "r.tsv").write_text("C\tD\na b\ta c\n")
    tab(page, "Corpus")
    held = hold_first(page)
    for role, name in {"systems": "a.tsv", "references": "r.tsv"}.items():
        page.set_input_files(f"#{role}-file input[type=file]", tmp_path / name)
        expect(page.locator(f"#{role}-file td.filename")).to_have_count(1)
    page.wait_for_timeout(1000)
    held[0].continue_()
    expect(page.locator("#systems-note")).to_contain_text("columns: A, B")
    expect(page.locator("#references-note")).to_contain_text("columns: C, D")
    expect(column(page, "A")).to_have_value("systems")
    expect(column(page, "D")).to_have_value("references")
    assert settle(page, lambda: page.locator("#references-note").inner_text()).startswith("r.tsv")


def test_a_file_that_is_uploaded_while_another_is_removed(page, tmp_path):
    (tmp_path / "a.tsv").write_text("reference\tA\tB\na b\ta b\ta c\n")
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.tsv", has_columns=True)
    held, is_about_systems = [], asked_by(page, "systems-file")
    page.route(
        "**/queue/join*",
        lambda way: held.append(way) if is_about_systems(way.request) else way.continue_(),
        times=1,
    )
    with page.expect_request(is_about_systems):
        page.locator("#systems-file").get_by_role("button", name="Clear").click()
    page.set_input_files("#systems-file input[type=file]", tmp_path / "a.tsv")
    expect(page.locator("#systems-file td.filename")).to_have_count(1)
    with page.expect_request(is_about_systems):
        held.pop().continue_()
    expect(page.locator("#systems-note")).to_contain_text("columns: reference, A, B")
    told = "Columns: A and B are systems, reference is the reference"
    expect(page.locator("#columns > button")).to_contain_text(told)
    score(page)


def test_rows_that_are_no_text(page, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"prediction": "a"}\n{"prediction": 3}\n')
    (tmp_path / "r.txt").write_text("a\nb\n")
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.jsonl", has_columns=True)
    upload(page, "references", tmp_path / "r.txt")
    page.locator("#score").click()
    expect(page.locator("#corpus-message")).to_contain_text(
        "a.jsonl, segment 2: the text is missing."
    )


def test_each_table_has_columns_of_its_own(page, bleu, tmp_path):
    """Beside a text, and beside tables whose columns are called otherwise."""
    (tmp_path / "one.txt").write_text("a b c d\ne f g h\n")
    (tmp_path / "two.csv").write_text("prediction,note\na b c x,1\ne f g h,2\n")
    (tmp_path / "three.csv").write_text("mt,id\na b y x,1\ne f g h,2\n")
    (tmp_path / "reference.txt").write_text("a b c d\ne f g h\n")
    tab(page, "Corpus")
    upload(
        page,
        "systems",
        [tmp_path / name for name in ("one.txt", "two.csv", "three.csv")],
        has_columns=True,
    )
    upload(page, "references", tmp_path / "reference.txt")
    score(page)
    references = ["a b c d", "e f g h"]
    for name, first in (("one", "a b c d"), ("two", "a b c x"), ("three", "a b y x")):
        expected = bleu.compute(predictions=[first, "e f g h"], references=references)["score"]
        row = page.locator(
            "#corpus-summary tr", has=page.get_by_role("rowheader", name=name, exact=True)
        )
        expect(row).to_contain_text(f"{expected:.1f}")


def test_a_column_of_labels_gives_a_score_per_group(page, bleu, tmp_path):
    """A column `domain` is chosen already; another one, or none, can be chosen."""
    lines = ["a b c d\tnews\tx", "e f g x\tchat\ty"] * 15
    (tmp_path / "system.tsv").write_text(
        "mt\tdomain\ttopic\n" + "".join(f"{line}\n" for line in lines)
    )
    (tmp_path / "reference.txt").write_text("a b c d\ne f g h\n" * 15)
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "system.tsv", has_columns=True)
    upload(page, "references", tmp_path / "reference.txt")
    expect(page.locator("#columns > button")).to_contain_text("a score per domain; 1 is not used")
    score(page)
    groups = page.locator("#corpus-details table", has_text="mean of the groups")
    for label, prediction, reference in (
        ("news", "a b c d", "a b c d"),
        ("chat", "e f g x", "e f g h"),
    ):
        expected = bleu.compute(predictions=[prediction] * 15, references=[reference] * 15)["score"]
        row = groups.locator("tr", has=page.get_by_role("cell", name=label, exact=True))
        expect(row).to_contain_text(f"{expected:.2f}")
    change_files(page)
    unfold(page, "#columns")
    column(page, "topic").select_option("group")
    expect(page.locator("#columns > button")).to_contain_text("a score per topic; 1 is not used")
    expect(column(page, "domain")).to_have_value("")  # one column has groups
    score(page)
    expect(page.locator("#corpus-details table", has_text="mean of the groups")).to_contain_text(
        "y"
    )
    change_files(page)
    column(page, "topic").select_option("not used")
    expect(page.locator("#columns > button")).to_contain_text("2 are not used")
    score(page)
    expect(page.locator("#corpus-details")).not_to_contain_text("mean of the groups")


def test_columns_whose_names_tell_too_little_are_chosen_by_keyboard(page, bleu, tmp_path):
    """The list is open with the question; each choice has the column's name and its first text."""
    (tmp_path / "a.csv").write_text("x,y\n" + "a b c d,a b c e\ne f g h,e f g h\n" * 20)
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.csv", has_columns=True)
    fold = page.get_by_role("button", name="Which column has the reference?")
    expect(fold).to_have_attribute("aria-expanded", "true")
    choice = page.get_by_role("combobox", name="y", exact=True)
    expect(choice).to_have_accessible_description("a b c e")
    choice.focus()
    page.keyboard.press("r")  # the first letter of "reference"
    told = "Columns: x is the system, y is the reference"
    expect(page.locator("#columns > button")).to_contain_text(told)
    # The list stays as it is, and with it the focus.
    expect(choice).to_be_focused()
    expect(page.locator("#columns-list")).to_be_visible()
    score(page)
    expected = bleu.compute(
        predictions=["a b c d", "e f g h"] * 20, references=["a b c e", "e f g h"] * 20
    )
    score_of(page, "#corpus-summary", expected["score"])
    # It stays so when the list is closed and opened.
    change_files(page)
    for state in ("false", "true"):
        unfold(page, "#columns")
        expect(page.locator("#columns > button")).to_have_attribute("aria-expanded", state)
    expect(choice).to_have_value("references")
    # Another choice is a change.
    column(page, "x").select_option("reference")
    expect(page.locator(".bleu-results.old")).to_have_count(1)
    expect(page.locator("#columns > button")).to_contain_text("Which column has the system?")
    page.locator("#score").click()
    expect(page.locator("#corpus-message")).to_contain_text(
        "Which column has the system? Choose it in the list of columns."
    )


def test_choices_stay_while_files_of_the_other_role_are_uploaded(page, tmp_path):
    (tmp_path / "a.csv").write_text("mt,mt2,other\n" + "a b c d,a b c e,a b c f\n" * 20)
    (tmp_path / "r.txt").write_text("a b c d\n" * 20)
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.csv", has_columns=True)
    column(page, "other").select_option("system")
    column(page, "mt2").select_option("not used")
    expect(page.locator("#columns > button")).to_contain_text("Which column has the reference?")
    upload(page, "references", tmp_path / "r.txt")
    told = "Columns: mt and other are systems; 1 is not used"
    expect(page.locator("#columns > button")).to_contain_text(told)
    options = column(page, "mt").locator("option")
    expect(options).to_have_count(4)  # no longer the reference
    # Pasted text has no columns.
    page.get_by_label("Pasted text", exact=True).check()
    expect(page.locator("#columns")).to_be_hidden()


def test_a_wide_table_does_not_fill_the_screen(page, tmp_path):
    """A hundred columns are in a box that scrolls, in which the keyboard reaches each one."""
    names = ["reference", *(f"system {number}" for number in range(98)), "name " * 40]
    (tmp_path / "a.tsv").write_text(
        "\t".join(names) + "\n" + ("\t".join(["a b c d " * 30] * 100) + "\n") * 2
    )
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.tsv", has_columns=True)
    expect(page.locator("#columns-list")).to_be_hidden()
    unfold(page, "#columns")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        wait_for_fields(page)
        assert page.locator("#columns").bounding_box()["height"] <= 400
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
        page.locator("#columns select").first.focus()
        last = page.locator("#columns select").last
        last.focus()
        expect(last).to_be_in_viewport()
        assert last.bounding_box()["height"] >= 40
