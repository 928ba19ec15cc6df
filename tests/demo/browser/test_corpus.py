"""The tab for a corpus: a researcher with files of one system or several, who asks for a score, where and why."""

import re
import struct

import pandas as pd
import pytest
from helpers import ROOT

from .corpus import PREDICTIONS, REFERENCE_SETS, ROWS, SECOND_PREDICTIONS, write_corpus
from .visitor import (
    ask_why,
    change_files,
    choose,
    clear_files,
    copied,
    download,
    expect,
    fill,
    open_folds,
    origin,
    paste,
    press,
    score,
    score_files,
    score_of,
    tab,
    text,
    unfold,
    upload,
    wait_for_fields,
    wait_for_view,
)

pytestmark = pytest.mark.filterwarnings("ignore")

SUMMARY = "#corpus-summary"


def test_each_format(page, bleu, tmp_path):
    """One after the other on one page; the files before are cleared."""
    result = bleu.compute(predictions=PREDICTIONS, references=ROWS, confidence=0.95)
    low, high = (100 * end for end in result["confidence_interval"])
    interval = f"95% interval {low:.1f} to {high:.1f}, 40 lines"
    tab(page, "Corpus")
    for kind in ("txt", "csv", "tsv", "jsonl"):
        system, references, has_columns = write_corpus(tmp_path, kind)
        upload(page, "systems", system, has_columns)
        upload(page, "references", references, has_columns)
        score_of(page, SUMMARY, result["score"])
        expect(page.locator(SUMMARY)).to_contain_text(interval)
        expect(page.locator(SUMMARY)).to_contain_text("40 lines are a small sample")
        sentence = f"{system.stem}, 40 lines: {result.report().splitlines()[0]}"
        assert copied(page, SUMMARY).startswith(sentence)
        change_files(page)
        expect(page.locator("#read-files")).to_contain_text("40 lines")
        clear_files(page)


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
    assert (csv["prediction"].tolist(), csv["references_2"].tolist()) == (
        PREDICTIONS,
        REFERENCE_SETS[1],
    )


def test_a_result_is_old_as_soon_as_something_changes(page):
    paste(page, "a b c d e\na b c d", "a b c d e\na b c d")
    score(page)
    old = page.get_by_text("These are the results of before.")
    expect(old).not_to_be_visible()
    text(page, "#system-text").press("End")
    text(page, "#system-text").press_sequentially("x")
    expect(old).to_be_visible()
    page.route("**/queue/join*", lambda route: (page.wait_for_timeout(1000), route.continue_()))
    page.locator("#score").click()
    expect(
        old
    ).to_be_hidden()  # it has been pressed; the result is old until the answer comes, and can be read
    expect(page.locator("#corpus .pending")).to_have_count(0)
    expect(page.locator(OLD)).to_have_count(1)
    page.unroute_all(behavior="ignoreErrors")
    score(page)
    unfold(page, "#corpus-options")
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
    systems = {"system": PREDICTIONS, "cats": SECOND_PREDICTIONS}
    comparison = bleu.compare(systems, ROWS, baseline="system")
    cats, first = comparison["systems"]["cats"], comparison["systems"]["system"]
    assert cats["score"] > first["score"]
    by = f"{cats['score'] - first['score']:.2f}"
    expect(page.locator(".bleu-verdict")).to_have_text(
        f"cats scores higher than system, by {by} BLEU."
    )
    assert copied(page, SUMMARY).startswith(comparison.report().splitlines()[0])
    expect(page.locator(f"{SUMMARY} .bleu-lead")).to_have_text("40 lines, 2 references.")
    board = page.locator(f"{SUMMARY} .bleu-board .name")
    expect(board).to_have_text(["cats", "system"])
    unfold(page, "#tested")
    statistics = page.locator("#corpus-statistics")
    expect(text(page, "#baseline")).to_have_value("the first: system")
    expect(statistics).to_contain_text(f"cats scores {by} points higher than system")
    expect(statistics.locator("tr", has_text="cats").first).to_contain_text(f"+{by}")
    tables = [button.get_attribute("data-copy") for button in page.locator(f"{SUMMARY} [data-copy]:not(.bleu-link)").all()[1:]]  # fmt: skip
    assert tables == [comparison.to_markdown(), comparison.to_latex()]
    detectable = (
        f"true differences below about {100 * cats['detectable_delta']:.1f} often go unnoticed"
    )
    expect(statistics).to_contain_text(detectable)
    difference = bleu.diff({"A": PREDICTIONS, "B": SECOND_PREDICTIONS}, ROWS)
    expect(page.locator("#overview")).to_contain_text(
        f"cats scores higher in {difference['wins']} line"
    )
    expect(page.locator("#overview circle")).to_have_count(40)
    page.locator('#overview circle[data-segment="7"]').dispatch_event("click")
    expect(page.locator("#opened h2")).to_have_text("Line 7")
    expect(page.locator("#opened .bleu-tokens").first).to_contain_text(PREDICTIONS[6].split()[0])
    assert page.locator("#opened mark").count() > 0


def test_equal_systems_are_told_to_be_identical(page, tmp_path):
    for name, lines in {"A": "a b c d e\nf g", "B": "a b c d\nf g", "C": "a b c d\nf g"}.items():
        (tmp_path / f"{name}.txt").write_text(lines)
    paste(page, "a b c d e\nf g", "a b c d\nf g h", second="a b c d e\nf g")
    score(page)
    expect(page.locator(".bleu-verdict")).to_have_text("System and Second system are identical.")
    page.get_by_label("Files", exact=True).check()
    upload(page, "systems", [tmp_path / f"{name}.txt" for name in "ABC"])
    upload(page, "references", tmp_path / "A.txt")
    score(page)
    expect(page.locator(".bleu-lead")).to_contain_text("C is identical to B.")


def test_the_tab_opens_with_the_example_scored_and_own_files_replace_it(page, tmp_path):
    tab(page, "Corpus")
    expect(page.locator(".bleu-verdict")).to_have_text("atlas and birch may be first.")
    ranked = [
        [cell.inner_text() for cell in row.locator("td, th").all()]
        for row in page.locator(f"{SUMMARY} .bleu-board tbody tr").all()
    ]
    shown = [[row[0], *row[1:3], *row[5:8]] for row in ranked]
    assert shown == [
        ["may be first", "atlas", "78.3", "–", "", "1–2"],
        ["", "birch", "77.9", "−0.4", "1.00", "1–3"],
        ["behind", "cedar", "76.6", "−1.7", "0.047", "2–3"],
    ]
    assert [row[8] for row in ranked][:1] == ["91.7/82.4/74.4/66.7"]
    expect(page.locator(SUMMARY)).to_contain_text("This is an example")
    score_files(page, tmp_path)
    expect(page.locator(SUMMARY)).to_contain_text("40 lines")
    expect(page.locator(SUMMARY)).not_to_contain_text("This is an example")
    change_files(page)
    clear_files(page)
    score(page)
    expect(page.locator(SUMMARY)).to_contain_text("This is an example")


def test_files_named_like_runs_are_runs_of_one_system(page, tmp_path):
    """They are compared by their means, unless the visitor says that they are systems."""
    references = [f"The cat number {n} sat on the mat." for n in range(40)]
    (tmp_path / "refs.txt").write_text("\n".join(references))
    files = []
    for number, name in enumerate(["base.seed1", "base.seed2", "new.seed1", "new.seed2"]):
        worse = [text.replace("sat on", "lay at") for text in references[number * 6 :]]
        files.append(tmp_path / f"{name}.txt")
        files[-1].write_text("\n".join(references[: number * 6] + worse))
    tab(page, "Corpus")
    upload(page, "systems", files)
    upload(page, "references", tmp_path / "refs.txt")
    choice = page.get_by_label("Score the mean of runs: base (2 runs), new (2 runs)")
    expect(choice).to_be_checked()
    score(page)
    board = page.locator(f"{SUMMARY} .bleu-board .name")
    expect(board).to_have_text(["new", "base"])
    expect(page.locator(f"{SUMMARY} .bleu-lead")).to_contain_text("means of 2 runs")
    change_files(page)
    choice.uncheck()
    score(page)
    expect(board).to_have_text(["new.seed2", "new.seed1", "base.seed2", "base.seed1"])


def test_names_without_their_common_prefix_in_tables_that_scroll_in_their_boxes(page, tmp_path):
    names = ["Facebook-AI", "HuaweiTSC", "VolcTrans-AT", "CUNI-Transformer2018"]
    files = [tmp_path / f"newstest2021.en-de.hyp.{name}.de" for name in names]
    for number, file in enumerate(files):
        file.write_text(
            "\n".join(f"The cat number {i} sat on mat {i * number}." for i in range(150))
        )
    references = tmp_path / "references.txt"
    references.write_text("\n".join(f"A cat number {i} sat on mat 0." for i in range(150)))
    tab(page, "Corpus")
    upload(page, "systems", files)
    upload(page, "references", references)
    score(page)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        wait_for_fields(page)
        expect(page.locator(f"{SUMMARY} .bleu-board .name")).to_have_text(names)
        prefix = page.locator("#corpus-summary, #overview").get_by_text("newstest2021.en-de.hyp.")
        expect(prefix).to_have_text("newstest2021.en-de.hyp.…")  # once, as the head of the names
        clipped = page.evaluate(
            """() => [...document.querySelectorAll("#corpus *, #corpus-inputs *")].filter((one) =>
              one.offsetParent && one.getBoundingClientRect().right > innerWidth
              && !one.closest(".bleu-box, .bleu-unseen, svg")).map((one) => one.outerHTML.slice(0, 90))"""
        )
        assert clipped == []
        narrow = "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)"
        assert page.locator("#read-files .file").evaluate_all(narrow) == []
        assert page.locator("#files-line span").evaluate_all(narrow) == []
        assert width < 1280 or page.locator("#pair-tables .bleu-box").evaluate_all(narrow) == []


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
    unfold(page, "#tested")
    statistics = page.locator("#corpus-statistics")
    expect(statistics).to_contain_text("atlas (baseline)")  # the best
    expect(text(page, "#baseline")).to_have_value("the best: atlas")
    choose(page, "#baseline", "cedar")
    expect(statistics).to_contain_text("cedar (baseline)")
    expect(page.locator(f"{SUMMARY} .bleu-board thead")).to_contain_text("to cedar")
    expect(page.locator(f"{SUMMARY} .bleu-board tr", has_text="atlas")).to_contain_text("+1.7")
    expect(page.locator(OLD)).to_have_count(0)
    expect(text(page, "#first-system")).to_have_value("cedar")


def test_the_leaderboard_is_saved_as_a_picture(page, tmp_path):
    """As it is on the page, at twice its size."""
    tab(page, "Corpus")
    with page.expect_download() as expected:
        page.get_by_role("button", name="Save picture").click()
    assert expected.value.suggested_filename == "bleu.png"
    expected.value.save_as(tmp_path / "picture.png")
    picture = (tmp_path / "picture.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", picture[16:24])
    board = page.locator(f"{SUMMARY} .bleu-board").bounding_box()
    assert width >= 2 * board["width"]
    assert height > 2 * board["height"]
    assert len(picture) > 20_000


def test_lines_that_differ_scroll_in_their_box(page):
    tab(page, "Corpus")
    rows = page.locator("#difference-list tbody tr")
    expect(rows).to_have_count(20)
    assert page.locator("#difference-list .bleu-box").bounding_box()["height"] < 440
    expect(rows.first.get_by_role("button")).to_have_accessible_name(re.compile(r"Open line \d+"))


def test_an_expected_score_is_asked_for_below_the_result(page):
    """Usual settings come first, and settings that give it by chance are folded."""
    tab(page, "Corpus")
    expect(page.get_by_label("You expected")).to_be_visible()
    ask_why(page, "BLEU = 60.5")
    expect(page.locator("#why-answer .bleu-quote")).not_to_be_empty()
    expect(page.locator("#why-answer .bleu-rows").first).to_contain_text("case is ignored")
    ask_why(page, "no idea")
    expect(page.locator("#why-answer")).to_contain_text("Type the score as a number from 0 to 100")


def test_the_chip_says_what_was_applied(page):
    tab(page, "Corpus")
    unfold(page, "#corpus-options")
    choose(page, "#which-references", "only number 2")
    score(page)
    expect(page.locator("#corpus-options > button")).to_contain_text(
        "Settings: sacreBLEU’s (only the second reference is used)"
    )


def test_zh_is_not_proposed_for_text_with_spaces(page, bleu):
    """It gives the same score as 13a there, but for those who read Chinese only."""
    tab(page, "Corpus")
    trigrams = bleu.compute(**read_example(), max_order=3)["score"]
    ask_why(page, f"{trigrams:.2f}")
    answer = page.locator("#why-answer")
    expect(answer.locator(".bleu-quote")).to_contain_text("n-grams go up to 3.")
    expect(answer).not_to_contain_text("Chinese")
    question = copied(page, "#why-answer")
    assert question.startswith(f"You report a BLEU score of {trigrams:.2f}. For the output of ")
    assert "Which signature" in question
    ask_why(page, "12.34")
    expect(answer.locator(".bleu-quote")).to_contain_text("No setting gives 12.34")
    expect(answer).to_contain_text("Settings that come nearest to 12.34")


def read_example():
    rows = [
        line.split("\t")
        for line in (ROOT / "space" / "example.tsv").read_text(encoding="utf-8").splitlines()[1:]
    ]
    return {"predictions": [row[2] for row in rows], "references": [row[:2] for row in rows]}


def test_the_example_shows_everything(page):
    tab(page, "Corpus")
    expect(page.locator("#difference-list tbody tr")).to_have_count(20)
    largest = page.locator("#difference-list button").first.inner_text()
    expect(page.locator("#opened")).to_contain_text(
        f"Contributes most to the difference: line {largest}"
    )
    choose(page, "#second-system", "cedar")
    expect(page.locator("#overview")).to_contain_text("cedar scores higher in")
    fill(page, "#search-differences", "doctor")
    expect(page.locator("#difference-list tbody tr")).to_have_count(1)
    page.locator("#difference-list").get_by_role("button").click()
    expect(page.locator("#opened h2")).to_be_focused()
    page.locator("#opened").get_by_role("button", name="Open in Sentence").click()
    expect(text(page, "#second")).to_have_value(
        "The doctor said to him to drink more water and to sleep longer."
    )
    page.locator("#back").click()
    expect(page.locator("#difference-list").get_by_role("button")).to_be_focused()


def test_a_reader_of_a_paper_learns_why_and_applies_it(page, bleu, tmp_path):
    score_files(page, tmp_path)
    default = bleu.compute(predictions=PREDICTIONS, references=ROWS)["score"]
    first = bleu.compute(predictions=PREDICTIONS, references=REFERENCE_SETS[0])["score"]
    assert default != first
    ask_why(page, f"{first:.6f}")
    expect(page.locator("#why-answer .bleu-quote")).to_contain_text(
        "only the first reference is used."
    )
    page.locator("#why-answer").get_by_role("button", name="Apply").first.click()
    expect(page.locator(SUMMARY)).to_contain_text(f"{first:.1f}")
    expect(page.locator("#corpus-options > button")).to_contain_text(
        "only the first reference is used"
    )


def test_why_starts_from_what_was_scored_and_keeps_the_reference(page, bleu, tmp_path):
    tab(page, "Corpus")
    unfold(page, "#corpus-options")
    choose(page, "#which-references", "only number 2")
    choose(page, "#corpus-tokenize", "none")
    score_files(page, tmp_path)
    second = {"predictions": PREDICTIONS, "references": REFERENCE_SETS[1]}
    score_of(page, SUMMARY, bleu.compute(**second, tokenize="none")["score"])
    wanted = bleu.compute(**second, tokenize="none", max_order=2)["score"]
    ask_why(page, f"{wanted:.6f}")
    expect(page.locator("#why-answer .bleu-quote")).to_contain_text("n-grams go up to 2.")
    page.locator("#why-answer").get_by_role("button", name="Apply").first.click()
    score_of(page, SUMMARY, wanted)


@pytest.mark.parametrize(
    ("method", "value", "searched", "left"),
    [
        ("floor", "0.5", {"smooth_method": "add-k"}, ""),  # another method, with its own value
        ("add-k", "2", {"smooth_method": "add-k", "smooth_value": 2, "max_order": 2}, "2.0"),  # the same
    ],
)  # fmt: skip
def test_what_is_applied_gives_the_score_that_was_promised(
    page, bleu, method, value, searched, left
):
    """Whatever the visitor does to the value of the smoothing meanwhile."""
    paste(
        page, "the cat sat on a mat\na dog ran here", "the cat sat on the mat\nthat dog ran there"
    )
    unfold(page, "#corpus-options")
    choose(page, "#corpus-smooth-method", method)
    fill(page, "#corpus-smooth-value", value)
    score(page)
    corpus = {
        "predictions": ["the cat sat on a mat", "a dog ran here"],
        "references": ["the cat sat on the mat", "that dog ran there"],
    }
    wanted = bleu.compute(**corpus, **searched)["score"]
    ask_why(page, f"{wanted:.6f}")
    expect(page.locator("#why-answer tbody tr").first).to_contain_text(f"{wanted:.2f}")
    fill(page, "#corpus-smooth-value", "0.25")
    page.locator("#why-answer").get_by_role("button", name="Apply").first.click()
    score_of(page, SUMMARY, wanted)
    expect(text(page, "#corpus-smooth-value")).to_have_value(left)


def test_what_is_no_score(page):
    paste(page, "a b c d e", "a b c d")
    for number in ("", "27,3,1", "127"):
        score(page)
        expect(page.locator("#why-answer")).to_have_text("")
        ask_why(page, number)
        expect(page.locator("#why-answer")).to_contain_text(
            "Type the score as a number from 0 to 100, such as 27.30."
        )


def test_typographic_quotes_are_written_alike_on_both_sides(page):
    paste(page, "“It’s here”, he said .\n“No”\n“So”", '"It\'s here", he said.\n"No"\n"So"')
    score(page)
    findings = page.locator("#corpus-findings")
    expect(findings).to_contain_text("of the quotation marks in the references")
    findings.get_by_role("button", name="Write all alike").first.click()
    expect(page.locator(SUMMARY)).to_contain_text("typography made alike")


def test_a_fix_goes_back_with_the_texts_that_needed_it(page, bleu):
    """As in Sentence; a fix that the new texts need as well stays."""
    paste(page, "我们用的是中文", "我们用的是英文")
    score(page)
    chip = page.locator("#corpus-options > button")
    expect(page.locator("#corpus-findings")).to_contain_text("Score as Chinese")
    press(page, "Apply the fix", SUMMARY)
    expect(chip).to_contain_text("(for these texts)")
    paste(page, "这是一个句子", "这是一个长句子")
    score(page)
    expect(chip).to_contain_text("(for these texts)")
    paste(page, "Here is a sentence, said he.", "There is a sentence, said he.")
    score(page)
    expect(chip).to_have_text("Settings: sacreBLEU’s ▼")
    score_of(
        page,
        SUMMARY,
        bleu.explain("Here is a sentence, said he.", "There is a sentence, said he.")["score"],
    )


def test_an_organizers_table_is_scored_at_once(page, tmp_path):
    """Labels, documents, references and systems are found by their names."""
    rows = ["domain\tdoc\treference\tFacebook-AI\tHuaweiTSC\tOnline-B"]
    for i in range(60):
        line = f"the cat number {i} sat on mat {i % 7} again"
        rows.append(
            f"{'news' if i % 2 else 'chat'}\td{i // 5}\t{line}\t{line}\t{line[4:]}\t{line[::-1]}"
        )
    (tmp_path / "wmt.tsv").write_text("\n".join(rows) + "\n")
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "wmt.tsv", has_columns=True)
    names = page.locator(f"{SUMMARY} .bleu-board .name")
    expect(names).to_have_text(["Facebook-AI", "HuaweiTSC", "Online-B"])
    expect(page.locator(".bleu-verdict")).to_have_text("Facebook-AI scores highest.")
    groups = page.locator("#corpus-details table", has_text="mean of the groups")
    expect(groups).to_contain_text("news")
    assert copied(page, "#corpus-details").startswith(
        "| group | lines | Facebook-AI | HuaweiTSC | Online-B |"
    )
    change_files(page)
    summary = page.locator("#read-files summary")
    expect(summary).to_contain_text("3 systems · 1 reference · 1 group · 1 document")
    expect(page.locator("#read-files .bleu-columns")).to_be_hidden()


def test_the_example_is_at_most_two_screens_tall_on_a_telephone(open_page):
    """Folds are closed until a visitor opens them."""
    page = open_page(390, height=844)
    page.locator("#score").click()
    wait_for_view(page, "Corpus")
    expect(page.locator("#difference-list tbody tr")).to_have_count(0)
    assert page.evaluate("document.scrollingElement.scrollHeight") <= 1688
    for cell in page.locator(f"{SUMMARY} .bleu-board td:visible").all():
        box = cell.bounding_box()
        assert box["x"] + box["width"] <= 390, "each cell of the leaderboard is in sight"


def test_names_stay_names_in_sentence(page):
    tab(page, "Corpus")
    page.locator("#difference-list").get_by_role("button").first.click()
    page.locator("#opened").get_by_role("button", name="Open in Sentence").click()
    expect(page.locator("#sentence-score")).to_contain_text("atlas")
    expect(page.locator("#sentence-score")).to_contain_text("birch")
    expect(page.get_by_label("atlas", exact=True)).to_be_visible()


def test_two_visitors_have_their_own_results(open_page):
    pages = [open_page(), open_page()]
    for number, page in enumerate(pages):
        paste(page, *[f"visitor {number} has a line\n" * (number + 1)] * 2)
        page.locator("#score").click()
    for number, page in enumerate(pages):
        expect(page.locator(SUMMARY)).to_contain_text(f"{number + 1} line")
        open_folds(page)
        page.locator("#segments tbody button").first.click()
        expect(text(page, "#candidate")).to_have_value(f"visitor {number} has a line")


def test_the_button_says_when_it_scores_the_example(page, tmp_path):
    button = page.locator("#score")
    tab(page, "Corpus")
    expect(button).to_have_text("Try an example")
    origin(page, "Pasted text")
    expect(button).to_have_text("Score")
    origin(page, "Files")
    expect(button).to_have_text("Try an example")
    (tmp_path / "a.txt").write_text("a line\n")
    upload(page, "references", tmp_path / "a.txt")
    expect(button).to_have_text("Score")
    clear_files(page)
    expect(button).to_have_text("Try an example")


OLD = ".bleu-results.old"

# What a visitor changes after a result, with the mouse or with keys; the result is old until it's changed back.
CHANGES = {
    "a tokenizer": lambda page: choose(page, "#corpus-tokenize", "char"),
    "a convention": lambda page: choose(page, "#corpus-convention", "NLTK"),
    "a reference": lambda page: choose(page, "#which-references", "only number 2"),
    "a check box": lambda page: page.locator("#corpus-lowercase input").check(),
    "a number": lambda page: fill(page, "#corpus-max-order", "3"),
    "a text": lambda page: fill(page, "#second-system-text", "a b c d\nb c d e"),
    "a tokenizer, by keys": lambda page: (
        text(page, "#corpus-tokenize").focus(), page.keyboard.press("ArrowDown"), page.keyboard.press("ArrowDown"), page.keyboard.press("Enter")
    ),
    "where the texts are from": lambda page: page.get_by_label("Files", exact=True).check(),
}  # fmt: skip


def test_whatever_is_changed_the_result_is_marked_as_old(page):
    tab(page, "Corpus")
    unfold(page, "#corpus-options")
    paste(page, "a b c d e\nb c d e", "a b c d f\tb\nb c d e\tc")
    for name, change in CHANGES.items():
        score(page)
        change(page)
        expect(page.locator(OLD), name).to_have_count(1)


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
    expect(page.locator("#corpus-message p").first).to_be_visible()
    fill(page, "#references-text", "a b c d f")
    expect(page.locator("#corpus-message p").first).to_be_hidden()


def test_score_pressed_again_while_it_works_scores_what_is_there_then(page, tmp_path):
    lines = [f"The cat number {i} sat on the mat of house {i % 7}." for i in range(20_000)]
    (tmp_path / "cats.txt").write_text("\n".join(lines))
    tab(page, "Corpus")
    upload(page, "systems", tmp_path / "cats.txt")
    (tmp_path / "ref.txt").write_text("\n".join(line.replace("sat", "lay") for line in lines))
    upload(page, "references", tmp_path / "ref.txt")
    unfold(page, "#corpus-options")
    page.locator("#score").click()
    page.locator("#corpus-lowercase input").check()
    page.locator("#score").click()
    expect(page.locator(f"{SUMMARY} .bleu-signature")).to_contain_text("case:lc", timeout=30_000)
    expect(page.locator(OLD)).to_have_count(0)


def test_a_smoothing_method_has_its_own_value_unless_one_is_given(page, bleu):
    predictions, references = (
        ["the cat sat on my hat", "hello you there"],
        ["the cat lay on your hat", "hello me there"],
    )
    paste(page, "\n".join(predictions), "\n".join(references))
    unfold(page, "#corpus-options")
    expected = {
        method: bleu.compute(predictions=predictions, references=references, smooth_method=method)[
            "score"
        ]
        for method in ("floor", "add-k")
    }
    assert expected["floor"] != pytest.approx(expected["add-k"], abs=0.01)
    for method, wanted in expected.items():
        choose(page, "#corpus-smooth-method", method)
        score(page)
        score_of(page, SUMMARY, wanted)


def test_the_system_asked_about_stays_and_its_answer_goes_with_it(page):
    tab(page, "Corpus")
    expect(page.locator("#difference-list tbody tr")).to_have_count(20)
    choose(page, "#why-system", "cedar")
    ask_why(page, "60.5")
    row = page.get_by_role("cell", name="case is ignored", exact=True).locator("..")
    row.get_by_role("button", name="Apply").click()
    expect(page.locator("#corpus-options > button")).to_contain_text("but case is ignored")
    expect(text(page, "#why-system")).to_have_value("cedar")
    page.locator("#why").click()
    expect(page.locator("#why-answer table").first).to_be_visible()
    choose(page, "#why-system", "birch")
    expect(page.locator("#why-answer table")).to_have_count(0)
    expect(page.locator(OLD)).to_have_count(0)


def test_a_filter_stays_when_another_pair_is_chosen(page):
    tab(page, "Corpus")
    fill(page, "#search-differences", "doctor")
    expect(page.locator("#difference-list tbody tr")).to_have_count(1)
    choose(page, "#second-system", "cedar")
    expect(page.locator("#overview")).to_contain_text("cedar")
    expect(page.locator("#difference-list tbody tr")).to_have_count(1)
    choose(page, "#first-system", "cedar")
    expect(page.locator("#overview")).to_contain_text("Choose two different systems")
