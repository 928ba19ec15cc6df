"""What a visitor does on the page. Tests that import this are skipped without Playwright or chromium."""

import shutil

import pytest

from .corpus import write_corpus

sync_api = pytest.importorskip("playwright.sync_api")
if not shutil.which("chromium"):
    pytest.skip("Debian's chromium isn't there", allow_module_level=True)

expect = sync_api.expect
expect.set_options(timeout=15_000)  # a slow machine is no wrong answer


def tab(page, name):
    page.get_by_role("tab", name=name).click()
    page.wait_for_timeout(1000)  # Gradio fetches a tab's fields when it's first opened, and then puts their texts in


def text(page, selector):
    return page.locator(f"{selector} textarea, {selector} input").first


def fill(page, selector, value):
    """Fill a field, and again if the text that it holds at first came late and overwrote what was filled in."""
    field = text(page, selector)
    field.fill(value)
    page.wait_for_timeout(300)
    if field.input_value() != value:
        field.fill(value)
    expect(field).to_have_value(value)


def choose(page, selector, option):
    text(page, selector).click()
    page.get_by_role("option", name=option, exact=True).click()


def upload(page, source, paths, column=None):
    """Upload to a source, and wait until the page has described the files."""
    page.set_input_files(f"#{source}-file input[type=file]", paths)
    if column:
        expect(text(page, f"#{source}-column")).to_be_visible()
    else:
        expect(page.locator(f"#{source}-note p")).not_to_contain_text("Text, CSV")


def score_of(page, selector, score):
    expect(page.locator(f"{selector} strong").first).to_have_text(f"{score:.2f}")


def score_files(page, folder):
    """Upload the corpus to its tab as text files, and score it."""
    predictions, references, _ = write_corpus(folder, "txt")
    tab(page, "Corpus")
    upload(page, "predictions", predictions)
    upload(page, "references", references)
    page.locator("#score").click()
    expect(page.locator("#corpus-summary strong")).to_be_visible()


def download(page, kind, folder):
    with page.expect_download() as expected:
        page.locator(f"#download-{kind}").click()
    expected.value.save_as(path := folder / f"download.{kind}")
    return path
