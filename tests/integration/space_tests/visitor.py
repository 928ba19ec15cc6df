"""What a visitor does on the page. Tests that import this are skipped without Playwright or chromium."""

import re

import pytest
from space_server import CHROMIUM

from .corpus import write_corpus

sync_api = pytest.importorskip("playwright.sync_api")
if not CHROMIUM:
    pytest.skip("Debian's chromium isn't there", allow_module_level=True)

expect = sync_api.expect
expect.set_options(timeout=15_000)  # a slow machine is not an error


def tab(page, name):
    page.get_by_role("tab", name=name).click()
    expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
    # Gradio fetches a tab's fields when it's first opened; Corpus opens with a result.
    shown = {
        "Sentence": "#candidate",
        "Corpus": "#corpus-summary .bleu-copies, #corpus-summary .bleu-undecided, #corpus-message p",
        "About": "#card",
    }
    expect(page.locator(shown[name])).to_be_visible()
    expect(page.locator(".pending")).to_have_count(0)
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
    tab(page, "Corpus")
    page.get_by_label(name, exact=True).check()


def upload(page, role, paths, has_columns=False):
    """Upload systems or references, and wait until the page has said how it read them."""
    # A note is empty for a moment when it's set again, as it is with each upload of the other role.
    read = f"(document.querySelector('#{role}-note')?.textContent.trim() ?? '')"
    before = page.wait_for_function(read).json_value()
    page.set_input_files(f"#{role}-file input[type=file]", paths)
    page.wait_for_function(f"before => !['', before].includes({read})", arg=before)
    if has_columns:
        expect(page.locator("#columns")).to_be_visible()


def column(page, name):
    """Return the choice of a column's role, in the list that is open."""
    return page.locator(f"#columns select[data-name='{name}']")


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


def change_files(page):
    """Open the fields of the files, for which a line stands once they are scored."""
    page.get_by_role("button", name="Change files").click()


def clear_files(page):
    """Remove the files of both roles, and wait until the page has said what it takes."""
    for role in ("systems", "references"):
        page.locator(f"#{role}-file").get_by_role("button", name="Clear").click()
        expect(page.locator(f"#{role}-file tr.file")).to_have_count(0)
    expect(page.locator("#systems-note")).to_contain_text("One file per system")
    expect(page.locator("#references-note")).to_contain_text("The same segments in the same order")


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
    """Ask which settings give a score; all conventions for an empty one."""
    fill(page, "#reported", reported)
    page.locator("#why").click()


def download(page, kind, folder):
    with page.expect_download() as expected:
        page.locator(f"#download-{kind}").click()
    expected.value.save_as(path := folder / f"download.{kind}")
    return path


def copied(page, selector):
    """Return the text that the first copy button within an element copies."""
    return page.locator(f"{selector} [data-copy]").first.get_attribute("data-copy")
