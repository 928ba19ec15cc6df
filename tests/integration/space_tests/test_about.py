"""The tab about the metric."""

import re

import pytest
from helpers import ROOT

from .visitor import expect, tab

pytestmark = pytest.mark.filterwarnings("ignore")


def test_about_says_how_to_load_and_cite_and_the_limits(page):
    tab(page, "About")
    expect(page.get_by_text("100,000 segments of 100,000 characters").first).to_be_visible()
    expect(page.locator(".bleu-code").nth(0)).to_contain_text("evaluate.load")
    expect(page.locator(".bleu-code").nth(1)).to_contain_text("papineni-etal-2002-bleu")
    page.locator("#card button").first.click()
    for heading in re.findall("^## (.*)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE):
        expect(page.get_by_role("heading", name=heading.replace("`", ""), exact=True)).to_be_visible()
