"""The tab that tells why a score differs."""

import pytest

from .corpus import PREDICTIONS, REFERENCE_SETS, ROWS, write_corpus
from .visitor import expect, fill, tab, upload

pytestmark = pytest.mark.filterwarnings("ignore")


def test_conventions_and_a_number_explained(page, bleu, tmp_path):
    predictions, references, _ = write_corpus(tmp_path, "txt")
    tab(page, "Why?")
    upload(page, "difference-predictions", predictions)
    upload(page, "difference-references", references)
    second = bleu.compute(predictions=PREDICTIONS, references=REFERENCE_SETS[1], tokenize="char")["score"]
    fill(page, "#reported", f"{second:.9f}")
    page.locator("#why").click()
    conventions, settings = (page.locator("#difference-page table").nth(i) for i in range(2))
    for name, one in bleu.conventions(PREDICTIONS, ROWS).items():
        expect(conventions.locator("tr", has=page.get_by_role("cell", name=name, exact=True))).to_contain_text(
            f"{one['score']:.2f}"
        )
    expect(settings).to_contain_text("references=1")
    expect(settings).to_contain_text("tokenize='char'")
    expect(settings).to_contain_text(bleu.reconcile(PREDICTIONS, ROWS, f"{second:.9f}")["matches"][0]["signature"])


@pytest.mark.parametrize(
    ("number", "message"), [("27,3,1", "give a number"), ("127", "BLEU is from 0 to 1, or from 0 to 100")]
)
def test_what_is_no_score(page, number, message):
    tab(page, "Why?")
    fill(page, "#reported", number)
    page.locator("#why").click()
    expect(page.locator("#difference-message")).to_contain_text(message)
