"""The tab for one sentence, by who comes to it: a teacher, a student, a visitor with a telephone or with other scripts."""

import json
import math
import re

import pytest
from tutorials import CANDIDATE_1, REFERENCES

from .visitor import asked_by, example, expect, fill, score_of, settle, tab, text, unfold

pytestmark = pytest.mark.filterwarnings("ignore")

CHIP = "#sentence-options > button"


def ends_within(page, selector, height):
    box = page.locator(selector).first.bounding_box()
    return box["y"] + box["height"] <= height


def test_a_teacher_at_a_projector_sees_all_at_once(open_page, bleu):
    page = open_page(1280, height=720)
    expected = bleu.explain(CANDIDATE_1, REFERENCES)
    score_of(page, "#sentence-score", expected["score"])
    expect(page.locator(".bleu-formula").first).to_contain_text("17/18 · 10/17 · 7/16 · 4/15")
    for selector in ("#sentence-score strong", "#sentence .token", "#sentence table"):
        assert ends_within(page, selector, 720), selector
    expect(page.locator(".bleu-head p")).to_contain_text("How many sequences of one to four words")
    expect(page.locator(CHIP)).to_contain_text("Settings: sacreBLEU’s")
    candidate = page.locator("#sentence .bleu-tokens").first
    expect(candidate.locator(".stretch")).to_have_text(
        [
            *("It is a guide to action", "which", "ensures that the military", "always"),
            *("the", "commands", "of the party"),
        ]
    )
    expect(candidate.locator(".missed")).to_have_text(["obeys"])
    numbers = candidate.locator(".stretch > :first-child").evaluate_all(
        "all => all.map((one) => getComputedStyle(one, '::after').content)"
    )
    shown = [number.partition(" /")[0].replace('"', "") for number in numbers]
    assert shown == ["6 in a row", "none", "4", "none", "none", "none", "3"]
    rows = page.locator("#sentence [data-step=''] tbody tr").all_inner_texts()
    assert [row.split("\t") for row in rows][:4] == [
        ["6 in a row", "6", "5", "4", "3"],
        ["4 in a row", "4", "3", "2", "1"],
        ["3 in a row", "3", "2", "1", "0"],
        ["4 single words", "4", "0", "0", "0"],
    ]
    page.locator("#sentence .token", has_text="guide").first.hover()
    expect(page.locator(".token.lit")).to_have_text(["It", "is", "a", "guide", "to", "action"] * 2)


STEPS = ("match", "clipping", "longer", "mean", "brevity")


@pytest.mark.parametrize("step", STEPS)
def test_a_link_to_a_step_shows_it_without_scrolling(open_page, step):
    page = open_page(1280, height=720, link=f"#step={step}")
    shown = page.locator(f"#sentence [data-step={step}]")
    expect(shown).to_be_visible()
    expect(page.locator("#sentence [data-step]:visible")).to_have_count(1)
    expect(page.locator("#steps [aria-current]")).to_have_attribute("href", f"#step={step}")
    page.wait_for_function(  # the page itself scrolls once it's there
        f"document.querySelector('#sentence [data-step={step}]').getBoundingClientRect().bottom <= 720"
    )


def test_what_a_teacher_writes_on_the_board(open_page, bleu):
    """The numbers of each step are those of `explain`, and lead to the score."""
    page = open_page(link="#step=match")
    expected = bleu.explain(CANDIDATE_1, REFERENCES)
    step = page.locator("#sentence [data-step]:visible")
    first, *others = expected["orders"]
    expect(step.locator(".sentence")).to_contain_text(
        f"{first['unclipped_matches']} of {first['total']} tokens"
    )
    expect(step.locator(".bleu-tokens").first.locator(".missed")).to_have_text(["obeys"])
    page.keyboard.press("ArrowRight")
    expect(step.locator(".sentence")).to_contain_text("None is too many: 17/18 count.")
    page.keyboard.press("ArrowRight")
    expect(step.locator(".sentence")).to_contain_text("10/17, 7/16, 4/15")
    step.locator("summary").click()
    for order, table in zip(others, step.locator("details table").all(), strict=True):
        rows = [
            [cell.inner_text() for cell in row.locator("td").all()]
            for row in table.locator("tbody tr").all()
        ]
        assert sum(int(row[1]) for row in rows) == order["total"]
        assert sum(int(row[3]) for row in rows) == order["matches"]
        assert all(int(row[3]) == min(int(row[1]), int(row[2])) for row in rows)
    text(page, "#candidate").press("End")
    text(page, "#candidate").press_sequentially(" now", delay=60)
    expect(step.locator("details table").first).to_contain_text("now")  # step and table stay open
    text(page, "#candidate").press("ArrowRight")
    expect(step).to_have_attribute("data-step", "longer")  # the key belongs to the field
    fill(page, "#candidate", CANDIDATE_1)
    page.locator("#steps [aria-current]").focus()
    page.keyboard.press("ArrowRight")
    expect(step.locator(".sentence")).to_contain_text(
        "17/18 · 10/17 · 7/16 · 4/15 = 0.06481, is 0.5046"
    )
    page.keyboard.press("ArrowRight")
    expect(step).to_contain_text("1 · 0.5046 · 100 = 50.46 BLEU")
    expect(step.locator(".bleu-signature")).to_have_text(expected["signature"])
    expect(page.locator("#steps [aria-current]")).to_be_focused()
    page.wait_for_function("location.hash === '#step=brevity'")
    page.keyboard.press("ArrowLeft")
    page.locator("#steps a", has_text="Overview").click()
    expect(page.locator("#sentence .bleu-formula")).to_be_visible()
    page.wait_for_function("location.hash === ''")


def test_what_counts_is_what_explain_counts(page, bleu):
    """The surplus is struck out, and words in a row add up to what counts."""
    example(page, "the the the the")
    page.locator("#steps a", has_text="Clipping").click()
    step = page.locator("#sentence [data-step]:visible")
    expect(step.locator("del")).to_have_text(["the"] * 5)
    expect(step.locator(".sentence")).to_contain_text("5 are too many and struck out: 2/7 count.")
    page.locator("#steps a", has_text="Longer").click()
    texts = "the cat the cat sat on a mat .", "the cat sat on the mat ."
    fill(page, "#candidate", texts[0])
    fill(page, "#references", texts[1])
    expected = bleu.explain(*texts)
    pairs = zip(expected["counts"], expected["totals"])
    matches = "\t".join(["matches", *(f"{count}/{total}" for count, total in pairs)])
    expect(step.locator("tr", has_text="matches")).to_have_text(matches, use_inner_text=True)


def test_brevity_is_a_curve_with_the_candidate_on_it_and_a_factor(page, bleu):
    formula = page.locator("#sentence .bleu-formula")
    expect(formula).to_contain_text("No brevity penalty: 18 tokens against 18")
    example(page, "too short")
    penalty = math.exp(1 - 11 / 4)
    score_of(page, "#sentence-score", 100 * penalty)
    expect(formula).to_contain_text(f"100 · {penalty:.4f} · (4/4 · 3/3 · 2/2 · 1/1)")
    expect(formula).to_contain_text("Brevity penalty exp(1 − 11/4): 4 tokens against 11")
    page.locator("#steps a", has_text="Brevity").click()
    dot = page.locator("#sentence .bleu-curve circle")
    assert float(dot.get_attribute("cx")) == pytest.approx(100 * 4 / 11, abs=0.05)
    assert float(dot.get_attribute("cy")) == pytest.approx(100 - 100 * penalty, abs=0.05)
    fill(page, "#candidate", "The cat is on the mat and looks")
    expect(dot).not_to_have_attribute("cx", "36.4")
    assert float(dot.get_attribute("cy")) == pytest.approx(
        100 - 100 * math.exp(1 - 11 / 8), abs=0.05
    )


def test_the_arrow_keys_light_what_the_mouse_does(page):
    line = page.locator("#sentence [data-step=''] .bleu-tokens p").first
    line.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    # In the candidate, and in the one reference that has it.
    expect(page.locator(".token.lit")).to_have_text(["It", "is", "a", "guide", "to", "action"] * 2)
    expect(page.locator("body > p.bleu-unseen")).to_have_text(
        "guide: part of “It is a guide to action”"
    )
    page.keyboard.press("Tab")
    expect(page.locator(".token.lit")).to_have_count(0)


def test_nothing_moves_for_those_who_prefer_it(open_page):
    page = open_page(link="#step=match")
    page.emulate_media(reduced_motion="reduce")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.getAnimations().length") == 0


def test_results_are_marked_while_they_are_of_another_text(page):
    """Here the answer takes its time."""
    page.route("**/queue/join*", lambda route: (page.wait_for_timeout(1500), route.continue_()))
    text(page, "#candidate").press("End")
    text(page, "#candidate").press_sequentially(" now")
    expect(page.locator("#sentence-score.old, #sentence.old")).to_have_count(2)
    expect(page.locator("#sentence .bleu-tokens").first).to_contain_text("19 tokens")
    expect(page.locator("#sentence-score.old, #sentence.old")).to_have_count(0)
    page.unroute_all(behavior="ignoreErrors")


def test_the_score_follows_while_she_types_and_nothing_jumps(page, bleu):
    seen = (
        "#candidate",
        "#references",
        "#sentence-score strong",
        "#sentence .bleu-label",
        "#sentence .token",
    )

    def places():
        return [
            (box["x"], box["y"]) for box in (page.locator(one).first.bounding_box() for one in seen)
        ]

    before = settle(page, places)  # Gradio puts the fields in their places one after the other
    text(page, "#candidate").press("End")
    text(page, "#candidate").press_sequentially(" party now", delay=60)
    expected = bleu.explain(f"{CANDIDATE_1} party now", REFERENCES)
    score_of(page, "#sentence-score", expected["score"])
    expect(page.locator("#sentence .bleu-tokens").first).to_contain_text("20 tokens")
    assert places() == before
    sentence = f"BLEU {expected['score']:.2f} of “{CANDIDATE_1} party now” against"  # “party no” has the same score
    expect(page.locator("#sentence [data-copy]").first).to_have_attribute(
        "data-copy", re.compile(f"^{re.escape(sentence)}")
    )
    expect(page.locator("body > p.bleu-unseen")).to_have_text(
        f"{expected['score']:.2f} BLEU"
    )  # what a screen reader says


def test_clipping_is_shown_where_it_matters_and_an_examples_options_end_with_own_text(page, bleu):
    example(page, "the the the the")
    expect(page.locator(CHIP)).to_contain_text(
        "Settings: the 2002 paper’s, but case is ignored (this example’s choice)"
    )
    expect(page.locator(".bleu-formula")).to_contain_text("2/7")
    rows = page.locator("#sentence [data-step=''] tbody tr")
    expect(rows.nth(0)).to_have_text("7 single words\t7\t0\t0\t0", use_inner_text=True)
    expect(rows.nth(1)).to_have_text("too many\t−5\t0\t0\t0", use_inner_text=True)
    line = page.locator("#sentence .bleu-tokens").first
    expect(line.locator(".stretch")).to_have_count(2)
    expect(line.locator(".missed")).to_have_count(5)
    text(page, "#candidate").press("End")
    text(page, "#candidate").press_sequentially(" cat", delay=20)
    expect(page.locator(CHIP)).to_have_text("Settings: sacreBLEU’s ▼")
    expect(text(page, "#candidate")).to_have_value("the the the the the the the cat")
    references = ["The cat is on the mat", "There is a cat on the mat"]
    score_of(
        page,
        "#sentence-score",
        bleu.explain("the the the the the the the cat", references)["score"],
    )
    expect(rows.filter(has_text="smoothed")).to_have_text(
        "smoothed\t2/8\t0.5/7\t0.25/6\t0.125/5", use_inner_text=True
    )


def test_of_two_quick_clicks_on_examples_the_last_one_wins(page):
    """A long calculation starts with the first click, and ends after the second one's."""
    for name in ("two candidates", "two words"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    for names in (
        ["two candidates", "two words"],
        ["two words", "two candidates"],
    ) * 3:
        page.evaluate(
            """(names) => names.forEach((name) =>
            [...document.querySelectorAll("button")].find((button) => button.textContent.trim() === name).click())""",
            names,
        )
        expect(text(page, "#references")).to_have_value(
            "the cat" if names[1] == "two words" else re.compile("Party")
        )
        page.wait_for_timeout(1000)
        expect(text(page, "#references")).to_have_value(
            "the cat" if names[1] == "two words" else re.compile("Party")
        )


def test_a_request_waits_for_the_answer_to_the_one_before(page):
    """Gradio may show answers in another order than it gets them."""
    expect(page.get_by_role("button", name="two words", exact=True)).to_be_visible()
    score_of(page, "#sentence-score", 50.46)
    joined = []
    page.on("request", lambda request: "queue/join" in request.url and joined.append(request))
    held = []
    page.route("**/queue/join*", lambda way: held.append(way), times=1)
    with page.expect_request("**/queue/join*"):
        page.get_by_role("button", name="two candidates", exact=True).click()
    page.get_by_role("button", name="two words", exact=True).click()
    page.wait_for_timeout(1000)
    assert len(joined) == 1
    held.pop().continue_()
    expect(text(page, "#references")).to_have_value("the cat")
    score_of(page, "#sentence-score", 0)


def test_a_request_does_not_wait_for_ever(page):
    """An answer is lost if a laptop sleeps, or changes its network."""
    expect(page.get_by_role("button", name="two words", exact=True)).to_be_visible()
    page.route("**/queue/join*", lambda way: None, times=1)
    with page.expect_request("**/queue/join*"):
        page.get_by_role("button", name="shuffled", exact=True).click()
    example(page, "two words")
    expect(text(page, "#references")).to_have_value("the cat")
    fill(page, "#candidate", "the cat sat on the mat")
    expect(page.locator("#sentence .bleu-label").first).to_contain_text("6 tokens")


def test_after_a_loss_of_the_connection_the_page_goes_on(page):
    """Gradio's page loads again when its server answers again."""
    candidate = text(page, "#candidate").input_value()
    text(page, "#candidate").press("End")
    page.context.set_offline(True)
    text(page, "#candidate").press_sequentially(" x", delay=20)
    expect(page.get_by_text("Connection to the server was lost")).to_be_visible()
    with page.expect_event("load"):
        page.context.set_offline(False)
    expect(text(page, "#candidate")).to_have_value(f"{candidate} x")
    expect(page.locator("#sentence .bleu-label").first).to_contain_text("19 tokens")
    fill(page, "#candidate", "the cat sat on the mat")
    expect(page.locator("#sentence .bleu-label").first).to_contain_text("6 tokens")


@pytest.mark.slow
def test_examples_do_not_race(page):
    """In a browser at a fourth of its speed, each answer belongs to the example that was clicked last."""
    chip, results = page.locator(CHIP), page.locator("#sentence")
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    for gap in (0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4):  # seconds
        page.evaluate(
            """([first, second, gap]) => {
            const click = (name) => [...document.querySelectorAll(".bleu-examples button")]
                .find((button) => button.textContent.trim().startsWith(name)).click();
            click(first);
            return new Promise((done) => setTimeout(() => done(click(second)), 1000 * gap));
            }""",
            ["two words", "the the the the", gap],
        )
        settle(page, lambda: (chip.inner_text(), results.inner_text()), 1000)
        expect(chip).to_contain_text(
            "Settings: the 2002 paper’s, but case is ignored (this example’s"
        )
        expect(text(page, "#references")).to_have_value(re.compile("The cat is on the mat"))
        score_of(page, "#sentence-score", 0)
        expect(page.locator("#sentence.old")).to_have_count(0)


def test_an_example_is_not_taken_for_typed_text(page):
    """A key that the page itself presses 0.7 s after an example takes a second longer than the next example."""
    is_typed = asked_by(page, "candidate")
    page.route(
        "**/queue/join*",
        lambda way: (page.wait_for_timeout(1000 * is_typed(way.request)), way.continue_()),
    )
    for name, reference in (
        ("two words", "the cat"),
        ("the the the the", "The cat is on"),
    ):
        example(page, name)
        expect(text(page, "#references")).to_have_value(re.compile(reference))
        page.wait_for_timeout(800)
    page.wait_for_timeout(2000)
    expect(page.locator(CHIP)).to_contain_text(
        "Settings: the 2002 paper’s, but case is ignored (this"
    )
    score_of(page, "#sentence-score", 0)
    expect(page.locator("#sentence.old")).to_have_count(0)


@pytest.mark.parametrize("answered", ["before the click", "after the click"])
def test_what_is_typed_before_an_example_is_clicked_does_not_win(page, answered):
    """The request for the text is on its way for a second; so is, with `before`, the one for the example."""

    def delay(way):
        is_typed = asked_by(page, "candidate")(way.request)
        if is_typed == (answered == "after the click"):
            page.wait_for_timeout(1000)
        way.continue_()

    expect(text(page, "#candidate")).to_be_visible()
    page.route("**/queue/join*", delay)
    text(page, "#candidate").press("End")
    text(page, "#candidate").press_sequentially(" x", delay=20)
    example(page, "the the the the")
    expect(text(page, "#references")).to_have_value(re.compile("The cat is on the mat"))
    page.wait_for_timeout(2500)
    expect(page.locator(CHIP)).to_contain_text("Settings: the 2002 paper’s")
    score_of(page, "#sentence-score", 0)
    expect(page.locator("#sentence.old")).to_have_count(0)


def test_a_second_candidate_beside_the_first_with_what_differs_marked(page):
    example(page, "two candidates")
    expect(page.locator("#sentence-score strong")).to_have_count(2)
    second = page.locator("#sentence section", has=page.locator(".bleu-tokens")).nth(1)
    marked = second.locator("mark .token").all_inner_texts()
    assert "insure" in marked
    assert "is" not in marked
    expect(text(page, "#second")).to_have_value(re.compile("insure"))
    expect(text(page, "#second")).to_be_visible()
    before = text(page, "#second").input_value()
    unfold(page, "#second-fold")
    expect(page.locator("#sentence-score strong")).to_have_count(1)
    page.wait_for_function("location.hash === ''")  # what is left is the first example
    unfold(page, "#second-fold")
    expect(text(page, "#second")).to_have_value(before)
    expect(page.locator("#sentence-score strong")).to_have_count(2)
    fill(page, "#second", "")
    expect(page.locator("#sentence-score strong")).to_have_count(1)


def test_what_is_deleted_before_the_answer_to_an_opened_fold_stays_deleted(page):
    example(page, "two candidates")
    expect(page.locator("#sentence-score strong")).to_have_count(2)
    unfold(page, "#second-fold")
    expect(page.locator("#sentence-score strong")).to_have_count(1)
    held = []
    page.route("**/queue/join*", lambda way: held.append(way), times=1)
    with page.expect_request("**/queue/join*"):
        unfold(page, "#second-fold")
    expect(text(page, "#second")).to_have_value(re.compile("insure"))
    fill(page, "#second", "")
    held.pop().continue_()
    page.wait_for_timeout(2000)
    expect(text(page, "#second")).to_have_value("")
    expect(page.locator("#sentence-score strong")).to_have_count(1)
    expect(page.locator("#sentence.old")).to_have_count(0)


def test_a_student_learns_why_two_words_score_nothing_and_mends_it(page):
    fill(page, "#references", "the cat")
    fill(page, "#candidate", "the cat")
    score_of(page, "#sentence-score", 0)
    note = page.locator("#sentence .bleu-message")
    expect(note).to_contain_text("The score is 0: every prediction is shorter than 4 tokens")
    note.get_by_role("button").click()
    score_of(page, "#sentence-score", 100)
    expect(page.locator(CHIP)).to_contain_text(
        "but orders that the text is too short for are left out"
    )
    fill(page, "#candidate", "the cat sat")
    expect(page.locator(CHIP)).to_contain_text("are left out")  # the visitor's choice stays


# Candidate, reference, finding, button, and sacreBLEU's scores before and after.
GOES_WRONG = [
    ("猫がマットの上に座っています。", "猫はマットの上に座っています。", "Reference 1 is written without spaces, at which 13a splits.", "Score by characters", 0, 86.66),
    ("我们用的是中文", "我们用的是中文", "Reference 1 is written without spaces, at which 13a splits.", "Score as Chinese", 0, 100),
    ("It is “here”, my friend, “now”", 'It is "here", my friend, "now"', "of the quotation marks", "Write all alike", 24.94, 100),
    ("The cat sat on the mat", "THE CAT SAT ON THE MAT", "in capitals", "Ignore case", 0, 100),
    ("the cat sat on the mat</s>", "the cat sat on the mat", "tokens of a model", "Fix", 51.70, 100),
]  # fmt: skip


def test_what_often_goes_wrong_is_recognised_and_mended(page):
    """One after the other on one page, whose options an example sets back."""
    for candidate, reference, finding, button, score, score_after in GOES_WRONG:
        fill(page, "#references", reference)
        fill(page, "#candidate", candidate)
        note = page.locator("#sentence .bleu-message", has_text=finding)
        scored = re.compile(re.escape(json.dumps([candidate, "", reference])[1:-1]))
        expect(page.locator("[data-scored]")).to_have_attribute("data-scored", scored)
        score_of(page, "#sentence-score", score)
        note.get_by_role("button", name=button).click()
        expect(note).to_have_count(0)
        score_of(page, "#sentence-score", score_after)
        example(page, "Papineni, example 1")
        expect(text(page, "#candidate")).to_have_value(CANDIDATE_1)
        expect(page.locator(CHIP)).to_have_text("Settings: sacreBLEU’s ▼")


def test_french_is_not_called_tokenized(page):
    fill(page, "#references", "Comment allez-vous ? Très bien !")
    fill(page, "#candidate", "Comment allez-vous ? Bien ; merci !")
    expect(page.locator("#sentence .bleu-tokens").first).to_contain_text("merci")
    expect(page.locator("#sentence .bleu-message")).to_have_count(0)


# Candidate and reference, the button, and what it changes.
FIXED = [
    (("猫がマットの上に座っています。", "猫はマットの上に座っています。"), "Score by characters", "split into characters"),
    (("the cat", "the cat"), "Skip n-grams longer", "are left out"),
    (("The cat sat on the mat", "THE CAT SAT ON THE MAT"), "Ignore case", "case is ignored"),
]  # fmt: skip


def test_a_fix_goes_back_with_the_text_that_needed_it(page, bleu):
    """Japanese, `Score by characters`, then English: 70.86 instead of 37.99."""
    for texts, button, other in FIXED:
        fill(page, "#references", texts[1])
        fill(page, "#candidate", texts[0])
        page.locator("#sentence .bleu-message").get_by_role("button", name=button).click()
        expect(page.locator(CHIP)).to_contain_text(f"{other} (for this text)")
        text(page, "#candidate").press("End")
        text(page, "#candidate").press_sequentially(
            "a" if button != "Score by characters" else "猫", delay=20
        )
        expect(page.locator(CHIP)).to_contain_text("(for this text)")
        english = "Here is another sentence of mine.", "There is another sentence of mine."
        fill(page, "#references", english[1])
        fill(page, "#candidate", english[0])
        expect(page.locator(CHIP)).to_have_text("Settings: sacreBLEU’s ▼")
        score_of(page, "#sentence-score", bleu.explain(*english)["score"])


def test_a_telephone_keeps_the_score_in_sight(open_page):
    page = open_page(390, height=844)
    text(page, "#references").scroll_into_view_if_needed()
    text(page, "#references").press("End")
    text(page, "#references").press_sequentially(" now", delay=60)
    page.mouse.wheel(0, 500)
    settle(page, lambda: page.evaluate("scrollY"))
    assert ends_within(page, "#sentence-score strong", 120)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390


def test_with_a_keyboard_open_the_score_is_one_line_and_never_over_the_field(open_page):
    """The keyboard of a telephone takes half of its 844 px."""
    page = open_page(390, height=400)
    line = page.locator("#sentence-score")
    for selector in ("#candidate textarea", "#references textarea"):
        field = page.locator(selector)
        field.click()
        page.keyboard.type("now ")
        score, box = settle(page, lambda field=field: (line.bounding_box(), field.bounding_box()))
        assert score["y"] >= 0, selector
        assert score["height"] < 60, selector
        assert score["y"] + score["height"] <= box["y"], selector
        expect(field).to_have_css("font-size", "16px")
    expect(line).to_have_text(re.compile(r"^\s*[\d.]+ BLEU\s*$"), use_inner_text=True)


def test_a_telephone_shows_examples_in_one_row_first_and_one_reference(open_page):
    page = open_page(390, height=844)
    row = page.locator(".bleu-examples")
    assert row.bounding_box()["height"] < 60
    assert row.evaluate("row => row.scrollWidth > row.clientWidth")
    expect(page.locator("#sentence .bleu-reading")).to_be_visible()
    places = [
        page.locator(one).first.bounding_box()["y"]
        for one in ("#examples", "#sentence-score", "#references", ".bleu-formula")
    ]
    assert places == sorted(places)
    openness = "all => all.map((one) => one.open)"
    assert page.locator(".bleu-reference").evaluate_all(openness) == [True, False, False]
    page.locator(".bleu-reference summary").nth(1).click()
    fill(page, "#candidate", "It is a guide")
    expect(page.locator("#sentence .bleu-label").first).to_contain_text("4 tokens")
    assert page.locator(".bleu-reference").evaluate_all(openness) == [True, True, False]


def test_a_reference_opened_while_the_page_changes_stays_open(open_page):
    page = open_page(390, height=844)
    second = page.locator(".bleu-reference").nth(1)
    second.evaluate("one => { one.querySelector('summary').click(); one.append(' '); }")
    fill(page, "#candidate", "It is a guide")
    expect(page.locator("#sentence .bleu-label").first).to_contain_text("4 tokens")
    assert second.evaluate("one => one.open")


def test_a_telephone_shows_a_step_with_all_links_below_the_score(open_page):
    page = open_page(390, height=844)
    score, links = page.locator("#sentence-score"), page.locator("#steps nav")
    for link in links.locator("a").all()[1:]:
        link.click()
        above, below = settle(page, lambda: (score.bounding_box(), links.bounding_box()))
        assert above["y"] + above["height"] <= below["y"]
        assert ends_within(page, "#sentence [data-step]:visible", 844)


def test_right_to_left_text_runs_so_in_the_fields_as_well(page):
    example(page, "العربية")
    expect(text(page, "#candidate")).to_have_value(re.compile("القطة"))
    expect(text(page, "#candidate")).to_have_attribute("dir", "auto")
    direction = "element => getComputedStyle(element).direction"
    for selector in ("#candidate textarea", "#references textarea", "#sentence .bleu-tokens p"):
        assert page.locator(selector).first.evaluate(direction) == "rtl", selector


def test_what_there_is_to_say(page):
    for filled, message in (
        ("", "Type a candidate"),
        ("x y z w", "no token of the candidate"),
        ("a" * 2001, "the limit is 2,000"),
    ):
        fill(page, "#candidate", filled)
        expect(page.locator("#sentence-results .bleu-message", has_text=message)).to_be_visible()


def test_no_sentence_names_an_option_of_the_api(page):
    """A score of 0 without smoothing: the page offers a button in the place of `smooth_method='exp'`."""
    example(page, "the the the the")
    note = page.locator("#sentence .bleu-message")
    expect(note).to_contain_text(
        "The score is 0: no 2-gram of the candidate occurs in the references."
    )
    assert "=" not in note.inner_text()
    note.get_by_role("button", name="Smooth as sacreBLEU does").click()
    expect(page.locator(CHIP)).to_contain_text("Settings: sacreBLEU’s, but case is ignored")


def test_a_plain_reading_stands_below_the_number(page):
    reading = page.locator("#sentence-score .bleu-reading")
    expect(reading).to_have_text("17 of 18 words match, but only 4 of 15 sequences of four.")
    example(page, "the the the the")
    expect(reading).to_have_text("2 of 7 words match, but none of the 4 sequences of four.")
    example(page, "too short")
    expect(reading).to_have_text(
        "All 4 words match, but the candidate is too short: 4 words against 11."
    )


def test_clipping_ties_what_counts_to_the_reference(page):
    """Two of the seven count, for the two in the first reference; the step has no box about another step."""
    example(page, "the the the the")
    page.locator("#steps a", has_text="Clipping").click()
    step = page.locator("#sentence [data-step]:visible")
    expect(step.locator(".sentence")).to_contain_text(
        "No reference has “the” more than twice, so 2 of the 7 count."
    )
    expect(step.locator("[data-thread]")).to_have_text(["the"] * 4)
    expect(step.locator(".bleu-label")).to_have_text(["Candidate", "Reference 1"])
    curves = step.locator(".bleu-threads > svg path").get_attribute("d")
    assert curves.count("M") == 2
    expect(page.locator("#sentence .bleu-message:visible")).to_have_count(0)


def test_the_dot_of_the_brevity_penalty_moves(page):
    """Ten tokens against eighteen: exp(1 - 18/10) = 0.4493, and 0.4493 of 50.46 are 22.67."""
    page.locator("#steps a", has_text="Brevity").click()
    step = page.locator("#sentence [data-step]:visible")
    dot = step.get_by_role("slider")
    dot.focus()
    for _ in range(8):
        page.keyboard.press("ArrowLeft")
    told = "With 10 tokens, the factor is 0.4493, and the score 22.67 with the same precisions."
    expect(step.locator(".trial")).to_have_text(told)
    expect(dot).to_have_attribute("aria-valuenow", "10")
    start = dot.bounding_box()
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(start["x"] + 1000, start["y"], steps=4)
    page.mouse.up()
    expect(dot).to_have_attribute("aria-valuenow", "27")
    expect(step.locator(".trial")).to_contain_text("With 27 tokens, the factor is 1,")


def test_what_is_presented_by_its_keys(page):
    """P presents, unless it is typed; the arrow keys go from step to step, and P leaves."""
    is_full = "document.fullscreenElement?.id === 'sentence-results'"
    page.locator("#candidate textarea").press("p")
    assert not page.evaluate(is_full)
    page.locator("#steps a").first.focus()
    page.keyboard.press("p")
    page.wait_for_function(is_full)
    step = page.locator("#sentence [data-step]:visible")
    expect(step).to_have_attribute("data-step", "match")  # the score comes last
    page.locator("#steps a").nth(2).focus()
    for name in ("clipping", "longer", "mean", "brevity"):
        page.keyboard.press("ArrowRight")
        expect(step).to_have_attribute("data-step", name)
        assert max(map(len, step.locator(".sentence span").all_inner_texts())) <= 90
    expect(page.locator("#sentence-score strong")).to_be_visible()
    page.keyboard.press("4")
    expect(text(page, "#candidate")).to_have_value("the the the the the the the")
    page.keyboard.press("p")
    page.wait_for_function("!document.fullscreenElement")
    expect(page.locator("#sentence-fields")).to_be_visible()


def test_the_chip_and_present_have_lines_of_their_own(page):
    """Also with three options changed; both columns begin at the same height."""
    example(page, "shuffled")
    expect(page.locator(CHIP)).to_contain_text("NLTK")
    unfold(page, "#sentence-options")
    text(page, "#sentence-max-order").fill("3")
    text(page, "#sentence-max-order").press("Tab")
    page.get_by_label("Leave out orders").check()
    expect(page.locator(CHIP)).to_contain_text("n-grams go up to 3, case is ignored and orders")
    parts = {
        "chip": CHIP,
        "present": "[data-stage]",
        "examples": "#examples",
        "fields": "#candidate",
        "score": "#sentence-score",
    }

    def measure():
        return {name: page.locator(part).first.bounding_box() for name, part in parts.items()}

    for is_open in (True, False):
        for width, height in ((1280, 720), (1024, 768)):
            page.set_viewport_size({"width": width, "height": height})
            boxes = settle(page, measure)
            chip, present = boxes["chip"], boxes["present"]
            assert chip["x"] + chip["width"] <= present["x"]
            assert boxes["fields"]["y"] + boxes["fields"]["height"] <= chip["y"]
            assert chip["y"] + chip["height"] <= boxes["examples"]["y"]
            assert abs(boxes["fields"]["y"] - boxes["score"]["y"]) < 12
        if is_open:
            unfold(page, "#sentence-options")


# The examples that set options, by the beginning of their buttons, and what the settings say then.
WITH_OPTIONS = {
    "shuffled": "Settings: NLTK’s, but case is ignored (this example’s choice)",
    "the the the the": "Settings: the 2002 paper’s, but case is ignored (this example’s choice)",
}


def test_an_example_says_what_it_shows_and_the_settings_say_which_options_it_sets(page):
    labels = page.locator(".bleu-examples button").all_inner_texts()
    assert labels[0] == "Papineni, example 1"
    assert set(labels) > set(WITH_OPTIONS)
    for label in labels[1:]:
        example(page, label)
        expect(page.locator(CHIP)).to_have_text(
            f"{WITH_OPTIONS.get(label, 'Settings: sacreBLEU’s')} ▼"
        )


def test_forced_colors_keep_the_marks_of_n_grams(page):
    """Longer sequences have a thicker border."""
    page.emulate_media(forced_colors="active")
    stretches = page.locator("#sentence .bleu-tokens").first.locator(".stretch")
    widths = stretches.evaluate_all(
        "all => all.map((one) => parseFloat(getComputedStyle(one).borderBottomWidth))"
    )
    assert widths[0] == widths[2] > widths[-1] > widths[1] > 1


def test_forced_colors_keep_what_is_chosen_and_what_is_a_button(page):
    """Gradio marks both by backgrounds, which forced colors take away."""
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    tab(page, "Corpus")
    button = page.get_by_role("button", name="Try an example")
    border = button.evaluate("one => getComputedStyle(one).borderTop")
    assert re.fullmatch(r"1px solid rgb.*", border)
    files = page.get_by_label("Files", exact=True)
    expect(files).to_be_checked()
    chosen = files.screenshot()
    page.get_by_label("Pasted text", exact=True).check()
    assert files.screenshot() != chosen


def test_targets_are_40_pixels_high(page):
    page.locator("#steps a", has_text="Longer").click()
    heights = page.locator("main :is(button, a, summary):visible").evaluate_all(
        "all => all.map((one) => [one.innerText, one.getBoundingClientRect().height])"
    )
    assert [(name, height) for name, height in heights if height < 39.5] == []
    assert len(heights) > 15


def test_a_click_strikes_a_word_of_the_candidate_out_and_another_one_brings_it_back(page, bleu):
    """With the keyboard as well; the text field follows, and what was struck out stays in sight."""
    fill(page, "#candidate", "The cat sat, on the mat")
    fill(page, "#references", "The cat sat on the mat")
    line = page.locator("#sentence .bleu-sides > section > .bleu-tokens p").first
    expect(line.locator(".stretch")).to_have_text(["The cat sat", "on the mat"])
    line.locator(".token", has_text="sat").click()
    expect(text(page, "#candidate")).to_have_value("The cat, on the mat")
    expect(line.locator("s")).to_have_text("sat")
    line.locator(".token", has_text=",").click()
    expect(text(page, "#candidate")).to_have_value("The cat on the mat")
    expect(line.locator("s")).to_have_text(["sat", ","])
    expected = bleu.explain("The cat on the mat", ["The cat sat on the mat"])["score"]
    score_of(page, "#sentence-score", expected)
    line.locator("s").first.click()
    expect(text(page, "#candidate")).to_have_value("The cat sat on the mat")
    score_of(page, "#sentence-score", 100)
    # With the keyboard, the focus stays in the line.
    line.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(text(page, "#candidate")).to_have_value("cat sat on the mat")
    expect(line.locator("s")).to_have_text(["The", ","])
    expect(line).to_be_focused()
    expect(page.locator("body > [role=status]")).to_contain_text("BLEU")
    expect(line.locator(".here")).to_have_text("The")
    page.keyboard.press("Enter")
    expect(text(page, "#candidate")).to_have_value("The cat sat on the mat")
    expect(line.locator("s")).to_have_text([","])
    # A text that is typed has its own words.
    fill(page, "#candidate", "A dog")
    expect(line.locator(".token")).to_have_text(["A", "dog"])
    expect(line.locator("s")).to_have_count(0)


def test_a_struck_word_stands_before_the_box_of_the_words_behind_it(page):
    """“It is a guide” and “action” are two boxes without “to”, which is in neither."""
    line = page.locator("#sentence .candidate p").first
    line.get_by_text("to", exact=True).click()
    expect(line.locator("s")).to_have_text("to")
    expect(line.locator(".stretch").first).to_have_text("It is a guide")
    expect(line.locator(".stretch").nth(1)).to_have_text("action")
