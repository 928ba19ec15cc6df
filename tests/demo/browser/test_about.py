"""The tab about the metric."""

import re

import pytest
from helpers import ROOT

from .visitor import expect, tab

pytestmark = pytest.mark.filterwarnings("ignore")


def test_about_says_how_to_load_and_cite_and_the_limits(page):
    tab(page, "About")
    page.locator("#limits button").first.click()
    expect(page.locator("#limits td", has_text="100,000 lines each")).to_be_visible()
    expect(page.locator(".bleu-code").nth(0)).to_contain_text("evaluate.load")
    page.locator("#citation button").first.click()
    expect(page.locator("#citation .bleu-code")).to_contain_text("papineni-etal-2002-bleu")
    page.locator("#forms button").first.click()
    expect(page.locator("#forms td", has_text="fairseq’s log")).to_be_visible()
    page.locator("#card button").first.click()
    for heading in re.findall(
        "^## (.*)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    ):
        expect(
            page.get_by_role("heading", name=heading.replace("`", ""), exact=True)
        ).to_be_visible()


def test_the_picture_of_the_card_is_shown_and_no_link_leads_nowhere(page):
    """The server of the tests is not a Space, so that only links to other sites remain."""
    tab(page, "About")
    page.locator("#card button").first.click()
    picture = page.locator("#card img")
    expect(picture).to_have_attribute("alt", re.compile("longest matching"))
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") > 400
    links = page.locator("#card a").evaluate_all(
        "links => links.map(link => link.getAttribute('href'))"
    )
    assert links
    assert [link for link in links if not link.startswith("https://aclanthology.org/")] == []
