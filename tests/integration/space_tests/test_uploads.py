"""Uploads that the page refuses, and how it says so."""

import pandas as pd
import pytest

from .visitor import expect, fill, tab, upload

pytestmark = pytest.mark.filterwarnings("ignore")

WRONG = {
    "latin-1": ("a.txt", "na\nnaïve\n".encode("latin-1"), "a.txt is not in UTF-8 (line 2, byte 0xEF): save it as UTF-8."),
    "utf-16": ("a.txt", "a\n".encode("utf-16"), "a.txt is in UTF-16: save it as UTF-8."),
    "empty": ("a.txt", b"", "a.txt is empty: choose another file."),
    "text that is Parquet": ("a.txt", b"PAR1....PAR1", "a.txt is a Parquet file, not what its name says"),
    "text that is Excel": ("a.csv", b"PK\x03\x04....", "a.csv is an Excel or ZIP file, not what its name says"),
    "Parquet that is text": ("a.parquet", b"prediction\na\n", "a.parquet is no Parquet file, or a broken one"),
    "JSONL that is text": ("a.jsonl", b'{"prediction": "a"}\nb\n', "a.jsonl, line 2 is not JSON"),
    "JSON": ("a.json", b'[{"prediction": "a"}]', "a.json: give JSON as JSONL, one object a line."),
    "CSV with a cell too many": ("a.csv", b"x,y\n1,2\n1,2,3\n", "a.csv is no table with the same cells in every line"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_refused_at_once(page, tmp_path, case):
    name, data, message = WRONG[case]
    (tmp_path / name).write_bytes(data)
    tab(page, "Corpus")
    upload(page, "predictions", tmp_path / name)
    expect(page.locator("#predictions-note")).to_contain_text(message)
    page.locator("#score").click()
    expect(page.locator("#corpus-message")).to_contain_text(message)
    expect(page.locator("#corpus")).not_to_be_visible()


def test_different_numbers_of_lines(page, tmp_path):
    (tmp_path / "a.txt").write_text("a\nb\n")
    (tmp_path / "r.txt").write_text("a\nb\n\n")
    (tmp_path / "s.txt").write_text("a\n")
    tab(page, "Corpus")
    upload(page, "predictions", tmp_path / "a.txt")
    upload(page, "references", tmp_path / "r.txt")
    page.locator("#score").click()
    expect(page.locator("#corpus-message")).to_contain_text("has 2 segments, and there are references for 3")
    page.set_input_files("#references-file input[type=file]", tmp_path / "s.txt")  # another one, to the first
    expect(page.locator("#references-note")).to_contain_text("s.txt: 1 segment")
    page.locator("#score").click()
    expect(page.locator("#corpus-message")).to_contain_text("s.txt has 1 segment, and the references before 3")


def test_a_missing_column(page, tmp_path):
    """Two files of references, the second without the column that was chosen in the first."""
    pd.DataFrame({"reference": ["a"]}).to_csv(tmp_path / "r.csv", index=False)
    pd.DataFrame({"target": ["a"]}).to_csv(tmp_path / "s.csv", index=False)
    tab(page, "Corpus")
    fill(page, "#predictions-text", "a")
    upload(page, "references", [tmp_path / "r.csv", tmp_path / "s.csv"], column=True)
    page.locator("#score").click()
    expect(page.locator("#corpus-message")).to_contain_text("s.csv: there is no column 'reference'. There are: target.")


@pytest.mark.parametrize("value", ["null", "3"])
def test_rows_that_are_no_text(page, tmp_path, value):
    (tmp_path / "a.jsonl").write_text(f'{{"prediction": "a"}}\n{{"prediction": {value}}}\n')
    tab(page, "Corpus")
    upload(page, "predictions", tmp_path / "a.jsonl", column=True)
    fill(page, "#references-text", "a\nb")
    page.locator("#score").click()
    expect(page.locator("#corpus-message")).to_contain_text("predictions, row 1: found")
