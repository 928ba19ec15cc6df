"""Uploads that aren't what was meant: what the page says, and what its buttons do. All sentences are invented."""

import mistakes
import pytest
from test_space_files import BETTER, MEANT, REFERENCES, RIGHT, UPLOADS, drop_words

from .visitor import copied, expect, press, score, score_of, tab, upload

pytestmark = pytest.mark.filterwarnings("ignore")

SUMMARY = "#corpus-summary"
BOX = f"{SUMMARY} .bleu-undecided"
VERDICT = f"{SUMMARY} .bleu-verdict"
FINDINGS = "#corpus-findings .bleu-findings"
FOUND = f"{FINDINGS} details"

GOOD = drop_words(0.12, 1)


def score_texts(page, folder, systems, references):
    """Upload a file per system and one of references, and score them."""
    paths = []
    for name, lines in {**systems, "ref": references}.items():
        paths.append(folder / f"{name}.txt")
        paths[-1].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    tab(page, "Corpus")
    upload(page, "systems", paths[:-1])
    upload(page, "references", paths[-1])
    page.locator("#score").click()
    expect(page.locator("#files-line .bleu-files")).to_be_visible()
    expect(page.locator(".pending")).to_have_count(0)


def test_a_finding_opens_to_its_lines(page, tmp_path):
    few = [*BETTER[:3], "", *BETTER[4:]]
    score_texts(page, tmp_path, {"atlas": GOOD, "birch": few}, REFERENCES)
    expect(page.locator(VERDICT)).to_be_visible()
    finding = page.locator(FOUND)
    expect(finding).to_have_count(1)
    expect(finding.locator("summary")).to_contain_text("“birch”: line 4 is empty")
    expect(finding.locator("table")).to_be_hidden()
    finding.locator("summary").click()
    expect(finding.locator("table")).to_contain_text(REFERENCES[3])


def test_a_system_in_lower_case_is_a_question_and_the_answer_is_in_all_copies(page, bleu, tmp_path):
    lower = [text.lower() for text in BETTER]
    score_texts(page, tmp_path, {"baseline": GOOD, "new": lower}, REFERENCES)
    box = page.locator(BOX)
    expect(box).to_contain_text("What should count?")
    expect(page.locator(FOUND)).to_contain_text(
        "“new”: the predictions are in lower case, unlike the references"
    )
    systems = {"baseline": GOOD, "new": lower}
    for options in ({}, {"lowercase": True}):
        for name, result in bleu.compare(systems, REFERENCES, **options)["systems"].items():
            expect(box.locator(".bleu-rows tr", has_text=name).first).to_contain_text(
                f"{result['score']:.1f}"
            )
    expect(page.locator(VERDICT)).to_have_count(0)
    expect(page.locator(f"{SUMMARY} [data-copy]")).to_have_count(0)
    press(page, "Apply the fix", BOX)
    expect(page.locator("#corpus-options > button")).to_contain_text(
        "case is ignored (for these texts)"
    )
    expect(page.locator(VERDICT)).to_contain_text("which may be chance")
    assert "case:lc" in copied(page, SUMMARY)
    press(page, "Take back", FINDINGS)
    expect(box).to_be_visible()
    press(page, "Keep as it is", BOX)
    expect(page.locator(".bleu-doubtful .bleu-verdict")).to_be_visible()
    for button in page.locator(f"{SUMMARY} [data-copy]:not(.bleu-link)").all():
        text = button.get_attribute("data-copy")
        assert "Caution: " in text, text


def test_of_two_fixes_one_can_be_chosen(page, bleu, tmp_path):
    lower = [text.lower() for text in BETTER]
    score_texts(page, tmp_path, {"mt": [f"{text}</s>" for text in lower]}, REFERENCES)
    expect(page.locator(BOX)).to_contain_text("after both fixes. What should count?")
    press(page, "Fix", FINDINGS)
    expect(page.locator(f"{FINDINGS} .chosen")).to_have_count(1)
    press(page, "Keep as it is", BOX)
    expect(page.locator(BOX)).to_have_count(0)
    score_of(page, SUMMARY, bleu.compute(predictions=lower, references=REFERENCES)["score"])


MOVED = BETTER[:60] + BETTER[61:] + [""]


def test_a_missing_line_is_shown_beside_its_partner_and_moved_back(page, bleu, tmp_path):
    score_texts(page, tmp_path, {"cedar": GOOD, "elm": MOVED}, REFERENCES)
    found = page.locator(
        FOUND, has_text="from line 61 on, the predictions fit the references 1 line"
    )
    found.locator("summary").click()
    row = found.locator(".bleu-rows tr", has_text=REFERENCES[60][:30])
    expect(row).to_contain_text(BETTER[61][:30])
    expect(row.locator("td").last).to_have_text("62")
    press(page, "Score the first 60 lines", FINDINGS)
    expect(page.locator(".bleu-lead")).to_contain_text("only the first 60 of 120 lines")
    press(page, "Take back", FINDINGS)
    press(page, "Apply the fix", BOX)
    expect(page.locator(".bleu-lead")).to_contain_text("119 of 120 lines")
    rows = [row for row in range(120) if row != 60]
    kept = [[texts[row] for row in rows] for texts in (GOOD, BETTER, REFERENCES)]
    expected = bleu.compare({"cedar": kept[0], "elm": kept[1]}, kept[2])["systems"]["elm"]["score"]
    expect(page.locator(f"{SUMMARY} .bleu-board tr", has_text="elm")).to_contain_text(
        f"{expected:.1f}"
    )
    for button in page.locator(f"{SUMMARY} [data-copy]:not(.bleu-link)").all():
        text = button.get_attribute("data-copy")
        assert "119 of 120 lines" in text, text


# One upload per way through the page; test_space_files.py has all, without a browser.
WAYS = {
    "a button of the box changes texts": "BPE",
    "a button of the box changes an option": "Chinese",
    "a button beside a finding": "tokenized",
    "only said": "a reference as a system",
}


@pytest.mark.parametrize("name", WAYS.values(), ids=WAYS)
def test_an_upload_that_misleads_is_told_and_has_the_right_score_after_the_fix(
    page, bleu, tmp_path, name
):
    system, references, found, button, waits = UPLOADS[name]
    score_texts(page, tmp_path, {"mt": system}, references)
    told = page.locator(FOUND).filter(has_text=found)
    expect(told).to_have_count(1)
    expect(page.locator(BOX)).to_have_count(1 if waits else 0)
    if not button:
        expect(page.locator(".bleu-doubtful")).to_have_count(1)
        assert found in copied(page, SUMMARY)
        return
    press(page, "Apply the fix" if waits else button, BOX if waits else FINDINGS)
    expect(page.locator(FINDINGS)).to_contain_text("your choice")
    expect(told).to_have_count(0)
    (predictions, meant), options = MEANT.get(name, (RIGHT, {}))
    right = bleu.compute(predictions=predictions, references=meant, **options)["score"]
    score_of(page, SUMMARY, right)


def test_empty_references_are_told_with_their_line(page, tmp_path):
    score_texts(page, tmp_path, {"mt": BETTER}, ["", "", *REFERENCES[2:]])
    expect(page.locator(SUMMARY)).to_contain_text(
        "Line 1 of the references is empty, like 2 of 120 references."
    )


def test_three_seeds_and_a_baseline_are_offered_as_runs(page, tmp_path):
    systems = {f"seed{n}": drop_words(0.1, n) for n in range(3)} | {"baseline": GOOD}
    score_texts(page, tmp_path, systems, REFERENCES)
    expect(page.locator(f"{SUMMARY} .bleu-board .name")).to_have_count(2)
    press(page, "Change files")
    expect(
        page.get_by_label("Score the mean of runs: seed (3 runs), baseline (1 run)")
    ).to_be_checked()


def test_tables_with_ids_in_another_order_are_joined(page, tmp_path):
    rows = list(zip(range(120), BETTER, REFERENCES))
    (tmp_path / "system.tsv").write_text(
        "id\tmt\n" + "".join(f"{n}\t{t}\n" for n, t, _ in sorted(rows, key=lambda row: row[1]))
    )
    (tmp_path / "refs.tsv").write_text("id\tref\n" + "".join(f"{n}\t{t}\n" for n, _, t in rows))
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "system.tsv", has_columns=True)
    upload(page, "references", tmp_path / "refs.tsv", has_columns=True)
    score(page)
    expect(page.locator(SUMMARY)).to_contain_text("lines joined by their ids")
    expect(page.locator(FOUND)).to_have_count(0)


def test_a_table_without_a_head_asks_before_it_is_scored(page, tmp_path):
    (tmp_path / "a.tsv").write_text("".join(f"{t}\t{r}\n" for t, r in zip(BETTER, REFERENCES)))
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "a.tsv", has_columns=True)
    page.locator("#score").click()
    expect(page.locator("#corpus-message")).to_contain_text(
        "Line 1 of a.tsv looks like the lines below it."
    )
    page.get_by_role("combobox", name="Line 1 has").select_option("texts")
    expect(page.locator("#read-files")).to_contain_text("without names of columns")


def test_with_five_systems_verdict_and_table_are_on_the_first_screen(open_page, tmp_path):
    page = open_page(1280, height=720)
    systems = {name: drop_words(0.1 + 0.03 * n, n) for n, name in enumerate("ABCDE")}
    score_texts(page, tmp_path, systems, REFERENCES)
    page.evaluate("scrollTo(0, 0)")
    assert page.locator(VERDICT).bounding_box()["y"] <= 230
    table = page.locator(f"{SUMMARY} .bleu-board").bounding_box()
    assert table["y"] + table["height"] <= 720
    press(page, "Change files")
    expect(page.locator("#files")).to_be_visible()


def test_thirty_systems_are_ranked_on_one_screen(open_page, tmp_path):
    page = open_page(1280, height=720)
    names = [f"news-{name}" for name in mistakes.NAMES] + [f"news-{n}" for n in range(10)]
    systems = {name: drop_words(0.05 + 0.01 * n, n) for n, name in enumerate(names)}
    score_texts(page, tmp_path, systems, REFERENCES)
    expect(page.locator(VERDICT)).to_contain_text("of thirty systems may be first.")
    rows = page.locator(f"{SUMMARY} .bleu-board tbody tr")
    expect(rows).to_have_count(30)
    expect(page.locator(f"{SUMMARY} .bleu-board thead")).to_contain_text("news-…")
    table = page.locator(f"{SUMMARY} .bleu-board").bounding_box()
    assert table["height"] <= 640
    assert 'class="rank"' in page.locator(f"{SUMMARY} .bleu-board").inner_html()
