"""The limits of the demo: sizes, counts, and how long files are kept."""

import re
import time

import pytest
from space_server import serve_space

from .visitor import ask_why, choose, expect, fill, score, tab, unfold, upload

pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_file_of_200_megabytes(page, tmp_path):
    with open(tmp_path / "large.txt", "wb") as file:
        file.write(b"a line of text\n" * (200_000_000 // 15))
    tab(page, "Corpus")
    page.set_input_files("#files input[type=file]", tmp_path / "large.txt")
    expect(
        page.get_by_text('File(s) exceed the maximum allowed size of 25.0 Mb: "large.txt"')
    ).to_be_visible()
    expect(page.locator("#read-files li")).to_have_count(0)


ONE = {"predictions": ["a"], "references": ["a"]}


@pytest.mark.parametrize(
    ("endpoint", "arguments", "message"),
    [
        ("/score", {"predictions": ["a"], "references": [["a"] * 21]}, "Line 1 has 21 references; the limit is 20"),
        ("/score", {"predictions": ["a" * 100_001], "references": ["a"]}, "Line 1 has 100,001 characters"),
        ("/score", {"predictions": ["a" * 10] * 30_000, "references": ["a"]}, "413 Request Entity Too Large"),
        ("/score", {**ONE, "options": {"tokenize": "flores200"}}, "Others need the metric"),
        ("/score", {**ONE, "options": {"x" * 200: 1}}, "The name of an option has 200 characters"),
        ("/score", {**ONE, "options": {"max_order": 10**400}}, "max_order has more than 20 digits"),
        ("/explain", {"prediction": ["a"] * 2001, "references": [["a"]]}, "2,001 tokens; the limit is 2,000"),
        ("/reconcile", {**ONE, "reported": "9" * 401}, "reported has 401 characters"),
        ("/score", {**ONE, "options": {"max_order": 11}}, "max_order: the limit is 10"),
        ("/score", {**ONE, "options": {"confidence": 0.9, "n_resamples": 10**9}}, "n_resamples: the limit is 10,000"),
        ("/explain", {"prediction": "a" * 2001, "references": ["a"]}, "the limit is 2,000"),
        ("/compare", {"systems": {str(n): ["a"] for n in range(31)}, "references": ["a"]}, "31 systems; the limit is 30"),
    ],
)  # fmt: skip
def test_programs_are_told_the_limits(client, endpoint, arguments, message):
    with pytest.raises(Exception, match=message) as raised:
        client.predict(**arguments, api_name=endpoint)
    assert "Traceback" not in str(raised.value)


@pytest.mark.slow
def test_uploads_and_downloads_are_deleted(browser, tmp_path):
    """After fifteen seconds here, and a visitor who comes back learns it."""
    (tmp_path / "a.txt").write_text("a line\n")
    with serve_space(tmp_path, "import space.limits; space.limits.SECONDS_KEPT = 15") as address:
        page = browser.new_page()
        page.goto(address)
        tab(page, "Corpus")
        upload(page, "systems", tmp_path / "a.txt")
        upload(page, "references", tmp_path / "a.txt")
        score(page)
        # The example that was scored when the tab opened has downloads as well.
        assert files_kept(tmp_path) >= {"a.txt", "segments.csv"}
        deadline = time.monotonic() + 60
        while files_kept(tmp_path) and time.monotonic() < deadline:
            page.wait_for_timeout(500)
        assert files_kept(tmp_path) == set()
        page.locator("#score").click()
        expect(page.locator("#corpus-message")).to_contain_text("a.txt was deleted")
        page.close()


@pytest.mark.slow
def test_a_result_outlives_the_sessions_of_other_visitors(browser, tmp_path):
    """One session is kept here, so each visitor who types evicts the one before."""
    with serve_space(tmp_path, "import space.limits; space.limits.SESSIONS = 1") as address:
        page, other = browser.new_page(), browser.new_page()
        for one in (page, other):
            one.goto(address)
        tab(page, "Corpus")

        def evict(word):
            fill(other, "#candidate", f"{word} sat on the mat")
            expect(other.locator("#sentence .bleu-tokens").first).to_contain_text(word)

        evict("cat")
        ask_why(page, "12.34")
        expect(page.locator("#why-answer")).to_contain_text("No setting gives 12.34")
        evict("dog")
        page.locator("#difference-list button").first.click()
        expect(page.locator("#opened h2")).to_be_visible()
        evict("cow")
        choose(page, "#second-system", "cedar")
        expect(page.locator("#overview")).to_contain_text("cedar scores higher in")
        evict("fox")
        unfold(page, "#tested")
        choose(page, "#baseline", "birch")
        expect(page.locator("#corpus-statistics tr", has_text="baseline")).to_contain_text("birch")
        for one in (page, other):
            one.close()


def test_a_page_of_which_the_result_was_deleted_says_so(page):
    tab(page, "Corpus")
    expired = "Results are deleted after 60 minutes. Press Score again."
    page.route(
        "**/queue/join*",
        lambda route: route.continue_(
            post_data=re.sub('"[0-9a-f]{32}"', f'"{"0" * 32}"', route.request.post_data)
        ),
    )
    page.locator("#why").click()
    expect(page.locator("#why-answer")).to_contain_text(expired)


def files_kept(folder):
    return {path.name for path in (folder / "temporary").glob("bleu-*/**/*.*")}
