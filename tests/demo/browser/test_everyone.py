"""The page as a whole, for everyone: no violation that axe finds, on a telephone, by keyboard, light and dark."""

import re
import shutil
import subprocess

import pytest

from .visitor import (
    BUTTONS,
    ask_why,
    change_files,
    choose,
    clear_files,
    expect,
    expect_view,
    fill,
    origin,
    paste,
    score,
    settle,
    tab,
    text,
    unfold,
    upload,
    wait_for_fields,
    wait_for_view,
)

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def axe(tmp_path_factory):
    """Return the rules of axe-core as JavaScript, from npm."""
    if not shutil.which("npm"):
        pytest.skip("npm isn't there")
    folder = tmp_path_factory.mktemp("axe")
    subprocess.run(["npm", "pack", "axe-core@4"], cwd=folder, check=True, capture_output=True)
    (archive,) = folder.glob("axe-core-*.tgz")
    shutil.unpack_archive(archive, folder)
    return (folder / "package" / "axe.min.js").read_text(encoding="utf-8")


def find_violations(page, categories=()):
    """Return the violations of all rules, or of those of some of axe's categories."""
    options = {"resultTypes": ["violations"]}
    if categories:
        # A category also runs its rule of level AAA, which is off otherwise.
        rules = {"color-contrast-enhanced": {"enabled": False}}
        options |= {"runOnly": list(categories), "rules": rules}
    found = page.evaluate("options => axe.run(document, options)", options)["violations"]
    return [(one["id"], [node["html"][:150] for node in one["nodes"]][:3]) for one in found]


# axe's categories of rules that read colors: those of rows may tell a table of data.
READ_COLORS = ("cat.color", "cat.tables")
# The height of the page, and what is elsewhere, of another size or hidden in one of the themes.
HEIGHT_AND_WHAT_DIFFERS_IN_DARK = """() => {
  const all = [...document.querySelectorAll("body *")];
  const measure = () => all.map((one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    const { visibility, fontWeight, textDecorationLine } = getComputedStyle(one);
    return [x, y, width, height, visibility, fontWeight, textDecorationLine].join(" ");
  });
  document.body.classList.remove("dark");
  const light = measure();
  document.body.classList.add("dark");
  const dark = measure();
  const differing = all.filter((one, i) => light[i] !== dark[i]);
  const { scrollHeight } = document.scrollingElement;
  return [scrollHeight, ...differing.map((one) => one.outerHTML.slice(0, 90))];
}"""


def test_axe_finds_nothing_in_forced_colors(page, axe):
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    page.evaluate(axe)
    found = {"sentence": find_violations(page)}
    for link in page.locator("#steps a").all()[1:]:
        link.click()
        found[link.inner_text()] = find_violations(page)
    assert len(found) == 6
    assert {name: violations for name, violations in found.items() if violations} == {}


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(open_page, axe, tmp_path, width):
    page = open_page(width)
    page.emulate_media(reduced_motion="reduce")  # colors that fade have no contrast yet
    page.evaluate(axe)
    violations = {}

    def look(name):
        """Look at a state of the page, light and dark."""
        expect(page.locator(".pending")).to_have_count(0)
        # The dark theme differs in colors only: other rules find what they find in light.
        _height, *differing = settle(
            page, lambda: page.evaluate(HEIGHT_AND_WHAT_DIFFERS_IN_DARK), 100
        )
        assert differing == [], name
        violations[f"{name}, dark"] = find_violations(page, READ_COLORS)
        page.evaluate("document.body.classList.remove('dark')")
        violations[f"{name}, light"] = find_violations(page)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width, name

    unfold(page, "#sentence-options")
    look("sentence")
    for link in page.locator("#steps a").all()[1:]:
        link.click()
        page.locator("#sentence details:visible").evaluate_all(
            "all => all.forEach((one) => (one.open = true))"
        )
        look(f"step {link.inner_text()}")
    page.locator("#steps a").first.click()
    page.get_by_role("button", name="too short", exact=True).click()
    expect(page.locator("#sentence .bleu-formula")).to_contain_text("Brevity penalty exp(1 − 11/4)")
    look("too short")
    tab(page, "Corpus")
    look("corpus, the example")
    unfold(page, "#corpus-options")
    expect(page.locator("#difference-list tbody tr")).to_have_count(20)
    page.locator("#difference-list").get_by_role("button").first.click()
    expect(page.locator("#opened h2")).to_be_visible()
    unfold(page, "#tested")
    ask_why(page, "60.5")
    expect(page.locator("#why-answer table").first).to_be_attached()
    look("corpus, several systems")
    origin(page, "Pasted text")
    look("corpus, pasted, old")
    page.get_by_label("Files", exact=True).check()
    for role, name in (
        ("systems", "newstest2021.en-de.hyp.A.de"),
        ("references", "newstest2021.en-de.ref.A.de"),
    ):
        (tmp_path / name).write_text("Das ist ein Satz mit Wörtern.\nNoch einer.\n")
        upload(page, role, tmp_path / name)
    score(page)
    look("corpus, files")
    lines = [f"The ferry number {i} leaves the harbour at {i % 12} o’clock." for i in range(40)]
    change_files(page)
    clear_files(page)
    for name, role, texts in (
        ("lower", "systems", [line.lower().replace("leaves", "left") for line in lines]),
        ("ref", "references", lines),
    ):
        (tmp_path / f"{name}.txt").write_text("\n".join(texts), encoding="utf-8")
        upload(page, role, tmp_path / f"{name}.txt")
    score(page)
    expect(page.locator("#corpus-summary .bleu-undecided")).to_be_visible()
    look("corpus, no verdict yet")
    page.get_by_role("button", name="Keep as it is").click()
    expect(page.locator("#corpus-summary .caution")).to_be_visible()
    look("corpus, kept as it is")
    change_files(page)
    rows = [
        f"{'news' if i % 2 else 'chat'}\td{i // 5}\tthe cat sat on mat {i}\tthe cat {i}\ta cat"
        for i in range(60)  # 30 per group, as a mean of groups needs
    ]
    (tmp_path / "wmt.tsv").write_text(
        "\n".join(["domain\tdoc\treference\tFacebook-AI\tHuaweiTSC", *rows])
    )
    clear_files(page)
    upload(page, "systems", tmp_path / "wmt.tsv", has_columns=True)
    change_files(page)
    page.locator("#read-files summary").click()
    look("corpus, the columns of a table")
    page.locator("#corpus-details details").evaluate_all(
        "all => all.forEach((one) => (one.open = true))"
    )
    expect(page.locator("#corpus-details table", has_text="mean of the groups")).to_be_visible()
    look("corpus, an organizer's table")
    page.wait_for_function("location.hash.includes('&result=')")
    link = page.evaluate("location.hash")
    tab(page, "About")
    look("about")
    tab(page, "Sentence")
    page.evaluate("hash => { location.hash = hash; location.reload(); }", link)
    expect(page.locator(".bleu-linked table")).to_be_visible()
    page.evaluate(axe)
    look("a link to a result")
    assert {name: found for name, found in violations.items() if found} == {}


MOVING = """() => [...document.querySelectorAll("*")].filter((one) => {
  const { animationName, transitionDuration } = getComputedStyle(one);
  return animationName !== "none" || /[1-9]/.test(transitionDuration);
}).map((one) => one.outerHTML.slice(0, 90))"""


def test_nothing_moves_for_those_who_asked_for_that(page):
    assert page.evaluate(MOVING) != []  # Gradio's buttons, for others
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(MOVING) == []
    tab(page, "Corpus")
    assert page.evaluate(MOVING) == []


def test_keys_alone_do_everything(page):
    """From the top of the page to a segment of the example and back, with Tab, Space and Enter."""
    page.get_by_role("button", name="Choose files").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect_view(page, "Corpus")
    page.locator("#differences > button").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#difference-list tbody tr")).to_have_count(20)
    page.locator("#difference-list button").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#opened h2")).to_be_focused()
    outline = page.locator("#opened button").first
    outline.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator("#difference-list button").first).to_be_focused()


def test_the_chart_of_two_systems_by_keyboard(page):
    """The dots in the order of their differences; back to the chart."""
    tab(page, "Corpus")
    expect(page.locator("#difference-list tbody button")).to_have_count(20)
    chart = page.locator("#overview svg")
    dots = chart.locator("circle[data-segment]").evaluate_all(
        "all => all.map((one) => [one.dataset.segment, Math.abs(one.cx.baseVal.value + one.cy.baseVal.value - 100)])"
    )
    assert [gap for _, gap in dots] == sorted((gap for _, gap in dots), reverse=True)
    chart.focus()
    for number, _ in dots[:3]:
        page.keyboard.press("ArrowRight")
        expect(chart.locator(".here")).to_have_attribute("data-segment", number)
        expect(page.locator("body > [role=status]")).to_contain_text(f"Line {number}: ")
    page.keyboard.press("Enter")
    expect(page.locator("#opened h2")).to_have_text(f"Line {number}")
    expect(page.locator("#opened h2")).to_be_focused()
    assert page.locator("#opened").bounding_box()["x"] > chart.bounding_box()["x"] + 300
    page.locator("#opened").get_by_role("button", name="Close and go back").click()
    expect(chart).to_be_focused()


def test_japanese_by_keyboard_and_a_convention_that_is_chosen(page):
    text(page, "#candidate").fill("the cat sat on")
    unfold(page, "#sentence-options")
    choose(page, "#sentence-convention", "NLTK")
    expect(page.locator("#sentence-options > button")).to_contain_text("Settings: NLTK’s")
    choose(page, "#sentence-tokenize", "char")
    expect(page.locator("#sentence-options > button")).to_contain_text(
        "but text is split into characters"
    )


def test_an_answer_below_a_telephones_screen_is_brought_into_it(open_page):
    page = open_page(390, height=844)
    paste(page, "one line", "a\nb\nc")
    page.locator("#score").click()
    expect(page.locator("#corpus-message p").first).to_be_in_viewport()
    fill(page, "#references-text", "one line more")
    page.locator("#score").click()
    expect(page.locator("#corpus-summary .bleu-score")).to_be_in_viewport()


def test_numbers_stand_at_the_right(page):
    tab(page, "Corpus")
    number = page.locator("#corpus-summary td.number").first
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        wait_for_fields(page)
        expect(number).to_have_css("text-align", "end")
        expect(number).to_have_css("font-variant-numeric", "tabular-nums")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_fields_have_a_border_and_a_focus_that_can_be_seen(open_page, theme):
    """A contrast of 3 to the page, as WCAG 2.2 asks for (1.4.11)."""
    page = open_page(theme=theme)
    paper = luminance(
        page.locator("#sentence-score").evaluate(
            "() => getComputedStyle(document.body).backgroundColor"
        )
    )
    unfold(page, "#sentence-options")
    for selector in (
        "#candidate textarea",
        "#sentence-max-order input",
        "#sentence-options > button",
    ):
        field = page.locator(selector)
        border = luminance(field.evaluate("element => getComputedStyle(element).borderTopColor"))
        expect(field).to_have_css("border-top-width", "1px")
        assert (max(border, paper) + 0.05) / (min(border, paper) + 0.05) >= 3, selector
        field.focus()
        page.keyboard.press("Shift")
        expect(field).to_have_css("outline-width", "2px")


def luminance(color):
    channels = [int(number) / 255 for number in re.findall(r"\d+", color)[:3]]
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    ]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear))


def test_on_a_telephone_the_score_stays_in_sight(open_page):
    page = open_page(390, height=844)
    page.mouse.wheel(0, 500)
    page.wait_for_function("scrollY > 300")
    expect(page.locator("#sentence-score strong").first).to_be_in_viewport(ratio=1)


def test_a_button_that_goes_leaves_the_focus_on_the_page(page):
    """In Sentence on what it has changed, in Corpus on the next finding, or on what was pressed for it."""
    page.get_by_role("button", name="two words", exact=True).click()
    page.locator("#sentence-score .bleu-button, #sentence .bleu-button").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#sentence-options > button")).to_be_focused()
    # A note in the list, and a question in the verdict's place.
    quotes = "“It’s here”, he said.\n“No”\n“So”", '"It\'s here", he said.\n"No"\n"So"'
    cased = "\n".join(f"The Ferry {i} leaves the Harbour at noon." for i in range(40))
    for button, next_one, system, references in (
        ("#corpus-findings .bleu-button", "#score", *quotes),
        (
            "#corpus-summary .bleu-answers .bleu-button",
            "#corpus-findings summary",
            cased.lower(),
            cased,
        ),
    ):
        paste(page, system, references)
        score(page)
        page.locator(button).first.focus()
        page.keyboard.press("Enter")
        expect(page.locator(next_one).first).to_be_focused()


def test_the_first_tab_key_leads_to_a_link_that_skips_the_fields(page):
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name="Skip to the result")
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#sentence-score")).to_be_focused()


def test_targets_on_a_telephone_are_40_pixels_high(open_page):
    page = open_page(390)
    heights = page.locator(
        "#sentence-results :is(button, #steps a):visible, .bleu-examples button"
    ).evaluate_all("all => all.map((one) => [one.innerText, one.getBoundingClientRect().height])")
    assert [(name, height) for name, height in heights if height < 39.5] == []
    assert len(heights) > 10


def test_an_axis_on_a_telephone_has_room_for_half_of_its_first_and_last_tick(open_page):
    """Ticks are centered, also at the ends of the axis; the widest has four characters."""
    page = open_page(390, height=844)
    tab(page, "Corpus")
    page.locator(".bleu-board thead text").first.evaluate("tick => (tick.textContent = '27.5')")
    tick = page.locator(".bleu-board thead text").first.bounding_box()
    box, axis = (
        page.locator(one).first.bounding_box()
        for one in ("#corpus-summary .bleu-box", ".bleu-board thead svg")
    )
    assert axis["x"] - box["x"] >= tick["width"] / 2
    assert box["x"] + box["width"] - axis["x"] - axis["width"] >= tick["width"] / 2


def test_only_the_page_itself_is_read_aloud(page):
    """Gradio has a region that says "common.complete" after each answer."""
    tab(page, "Corpus")
    score(page)
    heard = "[aria-live=polite], [aria-live=assertive], [role=status], [role=alert]"
    expect(page.locator(heard, has_text="common.")).to_have_count(0)
    expect(page.locator(".sr-only[aria-live=polite]")).to_have_count(0)


# The words in sight without scrolling, besides those that are typed or that an example brings.
COUNT_WORDS = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (texts.nextNode()) {
    const { parentElement, textContent } = texts.currentNode;
    const range = document.createRange();
    range.selectNode(texts.currentNode);
    const { top, bottom, width, height } = range.getBoundingClientRect();
    const isInSight = width && height && top < innerHeight && bottom > 0;
    const isHeardOnly = parentElement.closest(".bleu-unseen, .bleu-skip, .visually-hidden, script, style");
    const isBrought = parentElement.closest(".bleu-tokens p, .bleu-board tbody, #sentence td.number, #sentence tr:has(~ tr b)");
    const isDrawn = parentElement.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true });
    if (isInSight && isDrawn && !isHeardOnly && !isBrought) count += textContent.split(/\\s+/).filter(Boolean).length;
  }
  return count;
}"""


@pytest.mark.parametrize("name", ["Sentence", "Corpus", "About"])
def test_few_words_are_in_sight_at_first(open_page, name):
    page = open_page(height=720)
    page.get_by_role("button", name=BUTTONS[name], exact=True).click()
    wait_for_view(page, name)
    assert 40 < settle(page, lambda: page.evaluate(COUNT_WORDS)) <= 120
