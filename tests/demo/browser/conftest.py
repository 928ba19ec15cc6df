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
    # Pages share a process, and with it the compiled scripts: an eighth of the processors' time.
    shared = "--process-per-site"
    with sync_api.sync_playwright() as playwright, open_chromium(playwright, shared) as browser:
        yield browser


@pytest.fixture(scope="session")
def context(address, browser):
    """Open a window in which the scripts are already there: pages open in half the time.

    The first page's process stays for them, with a style sheet in it: a page of Gradio draws 60 times a second while it
    is idle, because a clock of its loading screen is never stopped.
    """
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        page.locator("#sentence-score strong").first.wait_for()
        page.goto(f"{address}theme.css")
        yield context


@pytest.fixture
def open_page(address, context):
    """Pages of visitors who don't know each other, because a page keeps its data in itself.

    No other host is requested, no script fails, and no cookie or stored item is left.
    """
    from .visitor import expect

    pages, problems = [], []

    def open_page(width=1280, theme="light", height=900, link=""):
        pages.append(page := context.new_page())
        page.set_viewport_size({"width": width, "height": height})
        page.on(
            "request",
            lambda r: (
                None if r.url.startswith((address, "data:", "blob:")) else problems.append(r.url)
            ),
        )
        page.on("pageerror", lambda error: problems.append(error.stack or str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.goto(f"{address}?__theme={theme}{link}")
        expect(
            page.locator("#sentence-score strong, #sentence .bleu-message").first
        ).to_be_attached()
        return page

    yield open_page
    left = [page.evaluate("[document.cookie, ...Object.keys(localStorage)]") for page in pages]
    for page in pages:
        page.close()
    context.clear_permissions()
    assert problems == []
    assert all(items == [""] for items in left)


@pytest.fixture
def page(open_page):
    return open_page()


@pytest.fixture(scope="session")
def client(address):
    gradio_client = pytest.importorskip("gradio_client")
    return gradio_client.Client(address, verbose=False)
