"""The page as a whole, for everyone: no violation that axe finds, on a telephone, by keyboard, light and dark."""

import shutil
import subprocess

import pytest

from .visitor import choose, expect, fill, origin, paste, tab, text

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


def find_violations(page, axe):
    page.evaluate(axe)
    found = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [(one["id"], [node["html"][:150] for node in one["nodes"]][:3]) for one in found]


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(open_page, axe, width, theme):
    page = open_page(width, theme)
    violations = {}

    def look(name):
        page.wait_for_timeout(400)
        violations[name] = find_violations(page, axe)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width, name

    page.locator("#sentence-options > button").click()
    look("sentence")
    tab(page, "Corpus")
    look("corpus, empty")
    page.locator("#corpus-options > button").click()
    origin(page, "The example")
    expect(page.locator("#difference-list tbody tr")).to_have_count(20)
    page.locator("#difference-list").get_by_role("button").first.click()
    expect(page.locator("#opened h3")).to_be_visible()
    page.locator("#why").click()
    expect(page.locator("#why-answer tbody tr")).to_have_count(5)
    look("corpus, several systems")
    origin(page, "Pasted text")
    look("corpus, pasted, old")
    tab(page, "About")
    look("about")
    assert {name: found for name, found in violations.items() if found} == {}


def test_keys_alone_do_everything(page):
    """From the top of the page to a segment of the example and back, with Tab, Space and Enter."""
    page.get_by_role("tab", name="Sentence").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Corpus")).to_have_attribute("aria-selected", "true")
    page.get_by_label("Files", exact=True).focus()
    for key in ("Tab", "Tab", "Space"):
        page.keyboard.press(key)
    expect(page.locator("#difference-list tbody tr")).to_have_count(20)
    page.locator("#difference-list button").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#opened h3")).to_be_focused()
    outline = page.locator("#opened button").first
    outline.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator("#difference-list button").first).to_be_focused()


def test_japanese_by_keyboard_and_a_convention_that_is_chosen(page):
    text(page, "#candidate").fill("the cat sat on")
    page.locator("#sentence-options > button").click()
    choose(page, "#sentence-convention", "NLTK")
    expect(page.locator("#sentence-options > button")).to_contain_text("Scored as NLTK does")
    choose(page, "#sentence-tokenize", "char")
    expect(page.locator("#sentence-options > button")).to_contain_text("but text is split into characters")


def test_an_answer_below_a_telephones_screen_is_brought_into_it(open_page):
    page = open_page(390, height=844)
    paste(page, "one line", "a\nb\nc")
    page.locator("#score").click()
    expect(page.locator("#corpus-message p")).to_be_in_viewport()
    fill(page, "#references-text", "one line more")
    page.locator("#score").click()
    expect(page.locator("#corpus-summary .bleu-score")).to_be_in_viewport()


@pytest.mark.parametrize(
    ("width", "columns", "layout"), [(1280, 7, "table-row"), (390, 7, "block"), (390, 3, "table-row")]
)
def test_numbers_stand_at_the_right_and_a_telephone_has_room_for_three_columns(open_page, width, columns, layout):
    page = open_page(width)
    origin(page, "The example")
    table = page.locator("#overview table" if columns == 3 else "#corpus-summary table").last
    expect(table.locator("tbody tr").first).to_have_css("display", layout)
    alignment = "start" if layout == "block" else "end"
    expect(table.locator("td.number").first).to_have_css("text-align", alignment)


def test_on_a_telephone_the_score_stays_in_sight(open_page):
    page = open_page(390, height=844)
    page.mouse.wheel(0, 500)
    page.wait_for_function("scrollY > 300")
    expect(page.locator("#sentence-score strong").first).to_be_in_viewport(ratio=1)


def test_a_button_that_goes_leaves_the_focus_on_the_page(page):
    """In Sentence on what it has changed, in Corpus on what was pressed for it."""
    page.get_by_role("button", name="a short sentence", exact=True).click()
    page.locator("#sentence-score .bleu-button, #sentence .bleu-button").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#sentence-options > button")).to_be_focused()
    paste(page, "He said “no” to it .", 'He said "no" to it.')
    page.locator("#score").click()
    page.locator("#corpus-summary .bleu-button").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#score")).to_be_focused()
