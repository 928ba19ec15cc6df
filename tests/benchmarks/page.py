"""How long a visitor of the Space waits: 20,000 segments from the click to the score, and a keystroke meanwhile.

python tests/benchmarks/page.py
"""

import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "integration")]

from corpora import corpus
from space_server import open_chromium, serve_space

SEGMENTS = 20_000
LABELS = {
    "upload": "uploading 2 files of references, until the page has looked at them",
    "score": f"{SEGMENTS:,} segments, 2 references, interval: from the click to the score",
    "alone": "a keystroke in the first tab, until its score is there",
    "meanwhile": "the same while another visitor's corpus is scored",
}


def main():
    folder = Path(tempfile.mkdtemp())
    data, predictions, references = corpus(SEGMENTS)
    files = {"p.txt": predictions, "r0.txt": [row[0] for row in references], "r1.txt": [row[1] for row in references]}
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    seconds = {name: [] for name in LABELS}
    with serve_space(folder) as address, sync_playwright() as playwright, open_chromium(playwright) as browser:
        typing = visit(browser, address)
        seconds["alone"] += [keystroke(typing) for _ in range(10)]
        for _ in range(5):
            page = visit(browser, address)
            upload(page, folder)
            page.locator("#score").click()
            seconds["meanwhile"] += [keystroke(typing) for _ in range(3)]
            page.close()
        for _ in range(5):
            page = visit(browser, address)
            seconds["upload"].append(upload(page, folder))
            start = time.perf_counter()
            page.locator("#score").click()
            page.locator("#corpus-summary strong").wait_for(timeout=60_000)
            seconds["score"].append(time.perf_counter() - start)
            page.close()
    print(f"| {data} | median, seconds | longest |\n| --- | ---: | ---: |")
    for name, label in LABELS.items():
        print(f"| {label} | {sorted(seconds[name])[len(seconds[name]) // 2]:.2f} | {max(seconds[name]):.2f} |")


def visit(browser, address):
    page = browser.new_context().new_page()
    page.goto(address)
    expect(page.locator("#sentence-score strong").first).to_be_visible()
    return page


def upload(page, folder):
    page.get_by_role("tab", name="Corpus").click()
    page.set_input_files("#systems-file input[type=file]", folder / "p.txt")
    expect(page.locator("#systems-note")).to_contain_text(f"{SEGMENTS:,}", timeout=30_000)
    start = time.perf_counter()
    page.set_input_files("#references-file input[type=file]", [folder / "r0.txt", folder / "r1.txt"])
    expect(page.locator("#references-note")).to_contain_text(f"{SEGMENTS:,}", timeout=30_000)
    return time.perf_counter() - start


def keystroke(page):
    words = len(page.locator("#candidate textarea").input_value().split())
    page.locator("#candidate textarea").press("End")
    start = time.perf_counter()
    page.locator("#candidate textarea").press_sequentially(" a")
    page.locator(".bleu-tokens .bleu-label", has_text=f"{words + 1} tokens").first.wait_for()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
