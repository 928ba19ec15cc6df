"""Texts and names that would be code elsewhere."""

import pandas as pd
import pytest

from .visitor import copied, download, expect, fill, paste, score, tab, upload

pytestmark = pytest.mark.filterwarnings("ignore")

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)> \"><b onmouseover='alert(3)'>"


def test_text_is_shown_as_text(page):
    fill(page, "#candidate", SCRIPT)
    fill(page, "#references", SCRIPT)
    expect(page.locator("#sentence .bleu-tokens").first).to_contain_text("script")
    paste(page, SCRIPT, SCRIPT, second=f"{SCRIPT} a")
    score(page)
    expect(page.locator("#difference-list tbody tr").first).to_contain_text("<script>")
    page.locator("#difference-list button").first.click()
    expect(page.locator("#opened .bleu-tokens").first).to_contain_text("script")
    found = page.locator(".bleu-page script, .bleu-page img, .bleu-page b[onmouseover]")
    assert found.count() == 0


def test_a_file_name_is_shown_as_text(page, tmp_path):
    path = tmp_path / "<img src=x onerror=alert(4)>.txt"
    path.write_bytes(b"a\n")
    tab(page, "Corpus")
    upload(page, "systems", path)
    upload(page, "references", path)
    score(page)
    assert copied(page, "#corpus-summary").startswith(
        "img src=x onerror=alert(4), 1 line"
    )  # Gradio drops < and >
    assert page.locator(".bleu-page img").count() == 0


def test_formulas_are_defused_in_csv(page, tmp_path):
    cells = ['=HYPERLINK("http://evil","x")', "+1", "-1", "@A1", "＝A1", "fine = text"]
    paste(page, "\n".join(cells), "\n".join(cells))
    score(page)
    frame = pd.read_csv(download(page, "csv", tmp_path))
    assert frame["prediction"].tolist() == [f"'{cell}" for cell in cells[:5]] + cells[5:]
    assert frame["references_1"].tolist() == frame["prediction"].tolist()
