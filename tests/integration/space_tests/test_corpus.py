"""The tab for a corpus: formats, results, downloads."""

import json

import pandas as pd
import pyarrow.parquet as pq
import pytest

from .corpus import PREDICTIONS, REFERENCE_SETS, ROWS, write_corpus
from .visitor import choose, download, expect, fill, score_files, score_of, tab, text, upload

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("kind", ["txt", "csv", "tsv", "jsonl", "parquet"])
def test_each_format(page, bleu, tmp_path, kind):
    predictions, references, has_columns = write_corpus(tmp_path, kind)
    tab(page, "Corpus")
    upload(page, "predictions", predictions, has_columns)
    upload(page, "references", references, has_columns)
    page.locator("#score").click()
    result = bleu.compute(predictions=PREDICTIONS, references=ROWS, confidence=0.95)
    score_of(page, "#corpus-summary", result["score"])
    expect(text(page, "#signature")).to_have_value(result["signature"])
    low, high = result["confidence_interval"]
    expect(page.locator("#corpus-summary")).to_contain_text(f"{100 * low:.2f} to {100 * high:.2f}, 40 segments")
    for order, score in enumerate(result["bleu_by_order"], 1):
        expect(page.locator("#corpus-summary dl")).to_contain_text(f"BLEU-{order}{100 * score:.2f}")


def test_pasted_text_with_options(page, load):
    tab(page, "Corpus")
    fill(page, "#predictions-text", "a b c d\na b\n")
    fill(page, "#references-text", "a b c d\ta b c\nb a\n")
    page.locator("#corpus-options button").first.click()
    choose(page, "#corpus-convention", "hf")
    page.locator("#score").click()
    result = load("hf").compute(predictions=["a b c d", "a b"], references=[["a b c d", "a b c"], ["b a"]])
    score_of(page, "#corpus-summary", result["score"])


def test_a_segment_opens_in_the_first_tab(page, bleu, tmp_path):
    score_files(page, tmp_path)
    scores = bleu.compute(predictions=PREDICTIONS, references=ROWS, segments=True)["segment_bleu"]
    for end, best in (("lowest", min), ("highest", max)):
        tab(page, "Corpus")
        page.get_by_label(end).check()
        row = scores.index(best(scores))
        cell = page.locator("#segments [role=gridcell]").first
        expect(cell).to_contain_text(str(row + 1))
        cell.click()
        expect(text(page, "#candidate")).to_have_value(PREDICTIONS[row])
        expect(text(page, "#references")).to_have_value("\n".join(ROWS[row]))
        score_of(page, "#sentence", 100 * scores[row])


def test_downloads_are_what_was_computed(page, bleu, tmp_path):
    score_files(page, tmp_path)
    result = bleu.compute(predictions=PREDICTIONS, references=ROWS, segments=True, confidence=0.95)
    csv = pd.read_csv(download(page, "csv", tmp_path))
    assert csv["bleu"].tolist() == pytest.approx(result["segment_bleu"], abs=1e-15)
    assert (csv["prediction"].tolist(), csv["references_2"].tolist()) == (PREDICTIONS, REFERENCE_SETS[1])
    parquet = pq.read_table(download(page, "parquet", tmp_path))
    assert parquet["bleu"].to_pylist() == result.pop("segment_bleu")
    assert parquet["references"].to_pylist() == ROWS
    assert parquet["matches_1"].to_numpy().sum() == result["counts"][0]
    assert json.loads(download(page, "json", tmp_path).read_text()) == result


def test_two_visitors_have_their_own_results(open_page):
    pages = [open_page(), open_page()]
    for number, page in enumerate(pages):
        tab(page, "Corpus")
        fill(page, "#predictions-text", f"visitor {number} has a line\n" * (number + 1))
        fill(page, "#references-text", f"visitor {number} has a line\n" * (number + 1))
        page.locator("#score").click()
    for number, page in enumerate(pages):
        expect(page.locator("#corpus-summary")).to_contain_text(f"{number + 1} segment")
        page.locator("#segments [role=gridcell]").first.click()
        expect(text(page, "#candidate")).to_have_value(f"visitor {number} has a line")
