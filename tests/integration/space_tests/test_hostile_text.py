"""Texts and names that would be code elsewhere."""

import pandas as pd
import pyarrow.parquet as pq
import pytest

from .visitor import download, expect, fill, tab, upload

pytestmark = pytest.mark.filterwarnings("ignore")

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)> \"><b onmouseover='alert(3)'>"


def test_text_is_shown_as_text(page):
    fill(page, "#candidate", SCRIPT)
    fill(page, "#references", SCRIPT)
    expect(page.locator(".bleu-tokens").first).to_contain_text("script")
    tab(page, "Corpus")
    for source in ("predictions", "references"):
        fill(page, f"#{source}-text", SCRIPT)
    page.locator("#score").click()
    expect(page.locator("#segments [role=row]").nth(1)).to_contain_text("<script>")
    tab(page, "Systems")
    fill(page, "#name-b", SCRIPT)
    for source in ("system-a", "system-b", "system-references"):
        fill(page, f"#{source}-text", SCRIPT)
    page.locator("#compare").click()
    expect(page.locator(".bleu-quote")).to_contain_text("<script>")
    assert (
        page.locator("#sentence script, #sentence img, #systems img, #corpus img, .bleu-page b[onmouseover]").count()
        == 0
    )


def test_a_file_name_is_shown_as_text(page, tmp_path):
    path = tmp_path / "<img src=x onerror=alert(4)>.txt"
    path.write_bytes(b"")
    tab(page, "Corpus")
    upload(page, "predictions", path)
    expect(page.locator("#predictions-note")).to_contain_text("is empty")
    assert page.locator("#predictions-note img").count() == 0


def test_formulas_are_defused_in_csv(page, tmp_path):
    cells = ['=HYPERLINK("http://evil","x")', "+1", "-1", "@A1", "＝A1", "fine = text"]
    tab(page, "Corpus")
    for source in ("predictions", "references"):
        fill(page, f"#{source}-text", "\n".join(cells))
    page.locator("#score").click()
    expect(page.locator("#corpus-summary strong")).to_be_visible()
    frame = pd.read_csv(download(page, "csv", tmp_path))
    assert frame["prediction"].tolist() == [f"'{cell}" for cell in cells[:5]] + cells[5:]
    assert frame["references_1"].tolist() == frame["prediction"].tolist()
    assert pq.read_table(download(page, "parquet", tmp_path))["prediction"].to_pylist() == cells
