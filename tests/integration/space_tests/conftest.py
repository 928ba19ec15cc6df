"""The page as it is served, its visitors, and a program that calls its endpoints."""

import pytest
from space_server import open_chromium, serve_space


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    with serve_space(tmp_path_factory.mktemp("space")) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright, open_chromium(playwright) as browser:
        yield browser


@pytest.fixture
def open_page(address, browser):
    """Pages of visitors who don't know each other; no other host is requested, and no script fails."""
    from .visitor import expect

    contexts, problems = [], []

    def open_page(width=1280, theme="light", height=900, link=""):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}))
        page = contexts[-1].new_page()
        page.on(
            "request",
            lambda r: (
                None if r.url.startswith((address, "data:", "blob:")) else problems.append(r.url)
            ),
        )
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.goto(f"{address}?__theme={theme}{link}")
        expect(
            page.locator("#sentence-score strong, #sentence .bleu-message").first
        ).to_be_attached()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def page(open_page):
    return open_page()


@pytest.fixture(scope="session")
def client(address):
    gradio_client = pytest.importorskip("gradio_client")
    return gradio_client.Client(address, verbose=False)
