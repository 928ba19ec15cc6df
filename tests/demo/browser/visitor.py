"""What a visitor does on the page. Tests that import this are skipped without Playwright or chromium."""

import re

import pytest
from space_server import CHROMIUM

from .corpus import write_corpus

sync_api = pytest.importorskip("playwright.sync_api")
if not CHROMIUM:
    pytest.skip("Debian's chromium isn't there", allow_module_level=True)

expect = sync_api.expect
expect.set_options(timeout=30_000)  # a slow machine is not an error


BUTTONS = {"Sentence": "BLEU", "Corpus": re.compile("^(Try an example|Score)$"), "About": "About"}


def expect_view(page, name):
    expect(page.locator("main > .column")).to_have_attribute("data-view", name.lower())


def tab(page, name):
    """Open a view by the button that leads to it, and its folds; that of a corpus opens with a result."""
    page.get_by_role("button", name=BUTTONS[name], exact=True).click()
    expect_view(page, name)
    wait_for_view(page, name)
    if name == "Corpus":
        open_folds(page)


def wait_for_view(page, name):
    # Gradio fetches a view's fields when it's first opened.
    shown = {
        "Sentence": "#candidate",
        "Corpus": "#corpus-summary .bleu-copies, #corpus-summary .bleu-undecided, #corpus-message p",
        "About": "#card",
    }
    expect(page.locator(shown[name])).to_be_visible()
    expect(page.locator(".pending")).to_have_count(0)
    wait_for_fields(page)


def open_folds(page):
    """Open the question about a score, and where systems differ, or the lines of a single system."""
    folds = "#expected:visible, #differences:visible, #segments-part:visible"
    for fold in page.locator(folds).all():
        if fold.locator("> button:not(.open)").count():
            fold.locator("> button").click()
            wait_for_fields(page)


def unfold(page, selector):
    """Open or close a fold."""
    page.locator(f"{selector} > button").click()
    wait_for_fields(page)


def wait_for_fields(page):
    """Wait until Gradio has set the fields of a tab or fold again, a frame after it's opened; a robot types earlier."""
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def text(page, selector):
    return page.locator(f"{selector} textarea, {selector} input").first


def fill(page, selector, value):
    field = text(page, selector)
    field.fill(value)
    expect(field).to_have_value(value)


def example(page, title):
    """Press the button of an example; what is on it begins with the title."""
    page.locator(".bleu-examples").get_by_role("button", name=re.compile(f"^{title}")).click()


def choose(page, selector, option):
    text(page, selector).click()
    options = page.get_by_role("option", name=option, exact=True)
    expect(options).to_have_count(1)  # the list of the dropdown before may still be fading
    options.click()


def origin(page, name):
    """Choose where the corpus comes from."""
    if page.locator("[data-view=corpus]").count() == 0:
        tab(page, "Corpus")
    page.get_by_label(name, exact=True).check()


FILES = "#files input[type=file]"
READ = "#read-files"


def upload(page, role, paths, has_columns=False):
    """Add files, wait until the page has said how it read them, and choose which are references.

    Files with columns have the roles that the page gives them. The page scores as soon as it can.
    """
    paths = paths if isinstance(paths, list) else [paths]
    lines = page.locator(f"{READ} .bleu-read > li")
    before = lines.count()
    page.set_input_files(FILES, paths)
    expect(lines).to_have_count(before + len(paths))
    wait_for_answer(page)
    if role == "systems" or has_columns:
        return
    for number in range(before, before + len(paths)):
        choice = lines.nth(number).locator("select[data-field=role]")
        if choice.input_value() != role:
            if page.get_by_role("button", name="Change files").is_visible():
                change_files(page)
            choose_role(page, choice, "reference")


def choose_role(page, choice, role):
    """Choose the role of a column, and wait for the answer."""
    with page.expect_response("**/queue/join*"):
        choice.select_option(role)
    wait_for_answer(page)


def wait_for_answer(page):
    """Wait until there is a result of what is in the fields, or a message."""
    page.wait_for_timeout(300)  # the page asks for a result after the answer about the files
    expect(page.locator(".bleu-results.old")).to_have_count(0)
    expect(page.locator(".pending")).to_have_count(0)
    open_folds(page)


def column(page, name):
    """Return the choice of the role of a column, or of a file of plain text."""
    return page.get_by_role("combobox", name=name, exact=True)


def paste(page, system, references, second=""):
    origin(page, "Pasted text")
    fill(page, "#system-text", system)
    fill(page, "#second-system-text", second)
    fill(page, "#references-text", references)


def settle(page, measure, milliseconds=300):
    """Return what is measured on the page as soon as it stays the same for some time."""
    before = measure()
    for _ in range(50):
        page.wait_for_timeout(milliseconds)
        if (now := measure()) == before:
            break
        before = now
    return now


def asked_by(page, element):
    """Return a function that says whether a request was made by an element."""
    trigger = page.evaluate(
        f"gradio_config.components.find((one) => one.props.elem_id === '{element}').id"
    )
    return lambda request: f'"trigger_id":{trigger},' in (request.post_data or "")


def score(page):
    """Press the button, and wait for the result of what is in the fields now."""
    with page.expect_request(asked_by(page, "score")):
        page.locator("#score").click()
    expect(page.locator(".bleu-results.old")).to_have_count(
        0
    )  # once it was asked for, the result before is old
    expect(page.locator("#corpus-summary :is(.bleu-copies, .bleu-undecided)")).to_be_visible()
    expect(page.locator(".pending")).to_have_count(0)
    open_folds(page)


def press(page, name, within="body"):
    """Press a button by its name, or by how its name begins."""
    page.locator(within).get_by_role("button", name=name).first.click()
    wait_for_answer(page)


def change_files(page):
    """Open the fields of the files, for which a line stands once they are scored."""
    page.get_by_role("button", name="Change files").click()


def clear_files(page):
    """Remove all files, after which the example is there again."""
    page.locator("#files").get_by_role("button", name="Clear").click()
    expect(page.locator(f"{READ} li")).to_have_count(0)
    wait_for_answer(page)


def score_of(page, selector, score):
    expect(page.locator(f"{selector} strong").first).to_have_text(f"{score:.2f}")


def score_files(page, folder):
    """Upload the corpus as text files, and score it."""
    system, references, _ = write_corpus(folder, "txt")
    tab(page, "Corpus")
    upload(page, "systems", system)
    upload(page, "references", references)
    score(page)


def ask_why(page, reported):
    """Ask which settings give a score."""
    fill(page, "#reported", reported)
    page.locator("#why").click()


def download(page, kind, folder):
    with page.expect_download() as expected:
        page.locator(f"#download-{kind}").click()
    expected.value.save_as(path := folder / f"download.{kind}")
    return path


def copied(page, selector):
    """Return the text that the first copy button within an element copies."""
    return page.locator(f"{selector} [data-copy]:not(.bleu-link)").first.get_attribute("data-copy")
