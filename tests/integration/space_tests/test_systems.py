"""The tab for two systems."""

import pytest

from .corpus import PREDICTIONS, ROWS, SECOND_PREDICTIONS, write_corpus
from .visitor import expect, fill, tab, text, upload

pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_sentence_to_quote(page, bleu, tmp_path):
    predictions, references, _ = write_corpus(tmp_path, "txt")
    (tmp_path / "other.txt").write_text("\n".join(SECOND_PREDICTIONS))
    tab(page, "Systems")
    upload(page, "system-a", predictions)
    upload(page, "system-b", tmp_path / "other.txt")
    upload(page, "system-references", references)
    fill(page, "#name-b", "Cats")
    page.locator("#compare").click()
    comparison = bleu.compare({"System A": PREDICTIONS, "Cats": SECOND_PREDICTIONS}, ROWS)
    cats = comparison["systems"]["Cats"]
    low, high = cats["confidence_interval"]
    quote = page.locator(".bleu-quote")
    expect(quote).to_contain_text(
        f"Cats scores {cats['score']:.2f} BLEU (95% interval {100 * low:.2f} to {100 * high:.2f})"
    )
    expect(quote).to_contain_text(
        f"difference of {100 * cats['delta']:+.2f} (p = {cats['p_value']:.4f}, paired bootstrap"
    )
    expect(text(page, "#systems-signature")).to_have_value(comparison["signature"])
    scores = [
        bleu.compute(predictions=p, references=ROWS, segments=True)["segment_bleu"]
        for p in (PREDICTIONS, SECOND_PREDICTIONS)
    ]
    differences = [abs(b - a) for a, b in zip(*scores)]
    expect(page.locator(".bleu-pair h4").first).to_contain_text(f"Segment {differences.index(max(differences)) + 1}:")
    expect(page.locator(".bleu-pair")).to_have_count(10)


def test_randomization(page):
    tab(page, "Systems")
    page.get_by_label("paired approximate randomization").check()
    page.locator("#compare").click()
    expect(page.locator(".bleu-quote")).to_contain_text("paired approximate randomization, 1,000 resamples")


def test_the_same_name_twice(page):
    tab(page, "Systems")
    fill(page, "#name-b", "System A")
    page.locator("#compare").click()
    expect(page.locator("#systems-message")).to_contain_text("Give the two systems different names.")
