"""The demo: how long a visitor waits, and what it does with requests that are made to exhaust it.

    python tests/benchmarks/demo.py

Files are uploaded in a browser, and bodies sent to endpoints, while a second visitor explains sentences. Linux only.
"""

import json
import re
import statistics
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from common import corpus, print_table
from playwright.sync_api import Page, expect, sync_playwright
from space_server import open_chromium, serve_space

SEGMENTS = 20_000
FILES = {  # that are small when compressed, too large or not valid
    "JSONL, 4 million short lines": ("short.jsonl", lambda: b'{"p": "a"}\n' * 4_300_000),
    "JSONL, an integer of 200,000 digits": ("digits.jsonl", lambda: b'{"prediction": ' + b"9" * 200_000 + b"}\n"),
    "text, 49 million empty lines": ("lines.txt", lambda: b"\n" * 49_000_000),
    "text, a line of 49 MB": ("line.txt", lambda: b"a" * 49_000_000),
    "text, 49 MB, not UTF-8 at its end": ("latin.txt", lambda: (b"a" * 499 + b"\n") * 98_000 + b"\xff\n"),
    "CSV, 2 million columns": ("columns.csv", lambda: b"a," * 2_000_000 + b"\n"),
    "CSV, a quotation mark that never ends": ("quote.csv", lambda: b'prediction,x\n"' + b"a\n" * 24_000_000),
    "ZIP that is called CSV": ("zip.csv", lambda: b"PK\x03\x04" + b"\x00" * 1_000_000),
}  # fmt: skip
MANY = ["a b c d"] * 90_000
BODIES: dict[str, tuple[str, Any]] = {  # endpoint, and its arguments or a body
    "a token list of 10 MB": ("explain", [["a"] * 2_000_000, ["a"], None]),
    "references nested 500,000 deep": ("explain", '{"data": ["a", ' + "[" * 500_000 + "]" * 500_000 + ", null]}"),
    "a text of 19 MB": ("explain", ["a b " * 4_750_000, ["a"], None]),
    "a text of 60 MB": ("score", [["a" * 60_000_000], ["a"], None]),
    "100,000 segments of 20 references": ("score", [["a"] * 100_000, [["a"] * 20] * 100_000, None]),
    "10,000 resamples of 90,000 segments": ("score", [MANY, MANY, {"confidence": 0.9, "n_resamples": 10_000}]),
    "n-grams up to 10^400": ("score", [["a"], ["a"], {"max_order": 10**400}]),
    "an option with a name of 5 MB": ("score", [["a"], ["a"], {"x" * 5_000_000: 1}]),
    "a number of 5 MB": ("reconcile", [["a"], ["a"], "9" * 5_000_000, None, None]),
    "no JSON": ("score", "{" * 1000),
}


def visit(browser: Any, address: str) -> Page:
    """Open the demo in a new browser context."""
    page = browser.new_context().new_page()
    page.goto(address)
    expect(page.locator("#sentence-score strong").first).to_be_visible()
    return page


def upload(page: Page, folder: Path) -> float:
    """Upload a system and two references; return the seconds until the references have been read."""
    page.get_by_role("tab", name="Corpus").click()
    for role, names in (("systems", ["p"]), ("references", ["r0", "r1"])):
        start = time.perf_counter()
        page.set_input_files(f"#{role}-file input[type=file]", [folder / f"{name}.txt" for name in names])
        expect(page.locator(f"#{role}-note")).to_contain_text(f"{SEGMENTS:,}", timeout=30_000)
    return time.perf_counter() - start


def type_word(page: Page) -> float:
    """Type a word in the first tab; return the seconds until its score is shown."""
    words = len(page.locator("#candidate textarea").input_value().split())
    page.locator("#candidate textarea").press("End")
    start = time.perf_counter()
    page.locator("#candidate textarea").press_sequentially(" a")
    page.locator(".bleu-tokens .bleu-label", has_text=f"{words + 1} tokens").first.wait_for()
    return time.perf_counter() - start


def waits(browser: Any, address: str, folder: Path) -> Iterator[list[str]]:
    """Yield the rows of the table of waiting times."""
    predictions, references = corpus(SEGMENTS)[1]
    for name, lines in zip(("p", "r0", "r1"), (predictions, *zip(*references))):
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    typing, uploads, scores, meanwhile = visit(browser, address), [], [], []
    alone = [type_word(typing) for _ in range(10)]
    for is_typing in [True, False] * 5:
        page = visit(browser, address)
        uploads.append(upload(page, folder))
        start = time.perf_counter()
        page.locator("#score").click()
        if is_typing:
            meanwhile += [type_word(typing) for _ in range(3)]
        else:
            page.locator("#corpus-summary strong").wait_for(timeout=60_000)
            scores.append(time.perf_counter() - start)
        page.context.close()
    seconds = {
        "uploading 2 files of references, until the demo has read them": uploads,
        f"{SEGMENTS:,} segments, 2 references, interval: from the click to the score": scores,
        "a keystroke in the first tab, until its score is there": alone,
        "the same while another visitor's corpus is scored": meanwhile,
    }
    for name, times in seconds.items():
        yield [name, f"{statistics.median(times):.2f}", f"{max(times):.2f}"]


def send_file(browser: Any, address: str, path: Path) -> tuple[float, str]:
    """Upload a file as a system; return the seconds from the end of the upload to the message, and the message."""
    page = visit(browser, address)
    page.get_by_role("tab", name="Corpus").click()
    with page.expect_response(re.compile(r"/upload\?")):
        page.set_input_files("#systems-file input[type=file]", path)
    start = time.perf_counter()
    message = page.locator("#systems-note .error").inner_text(timeout=60_000)
    seconds = time.perf_counter() - start
    page.context.close()
    return seconds, message


def send_body(address: str, endpoint: str, data: Any) -> tuple[float, str]:
    """Send a body to an endpoint; return the seconds until the answer, and the answer."""
    body = data if isinstance(data, str) else json.dumps({"data": data})
    call = f"{address}gradio_api/call/{endpoint}"
    request = urllib.request.Request(call, body.encode(), {"Content-Type": "application/json"})
    start = time.perf_counter()
    try:
        event = json.loads(urllib.request.urlopen(request, timeout=120).read())["event_id"]
        answer = urllib.request.urlopen(f"{call}/{event}", timeout=120).read()
    except urllib.error.HTTPError as error:
        answer = error.read()
    return time.perf_counter() - start, answer.decode()


def peak_memory(process: int) -> float:
    """Return the peak of a process's memory since the last call, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    Path(f"/proc/{process}/clear_refs").write_text("5")
    return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1000


def attacks(browser: Any, address: str, folder: Path) -> Iterator[list[str]]:
    """Yield the rows of the table of requests that are made to exhaust the demo."""
    process, meanwhile, is_done = int((folder / "pid").read_text()), [0.0], threading.Event()

    def explain() -> None:
        while not is_done.wait(0.02):
            meanwhile.append(send_body(address, "explain", [f"a b {time.time()}", ["a b"], None])[0])

    calls = {
        name: partial(send_file, browser, address, folder / name_of_file) for name, (name_of_file, _) in FILES.items()
    }
    calls |= {name: partial(send_body, address, *call) for name, call in BODIES.items()}
    for name_of_file, write in FILES.values():
        (folder / name_of_file).write_bytes(write())
    visitor = threading.Thread(target=explain, daemon=True)
    visitor.start()
    for name, call in calls.items():
        peak_memory(process)
        start, meanwhile[:] = peak_memory(process), [0.0]
        seconds, answer = call()
        time.sleep(0.3)
        is_refused = not answer.startswith("event: complete")
        row = [f"{seconds:.2f}", f"{peak_memory(process) - start:.0f}", f"{max(meanwhile):.2f}"]
        yield [name, *row, "rejected" if is_refused else "ANSWERED"]
    is_done.set()
    visitor.join()


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    with serve_space(folder) as address, sync_playwright() as playwright, open_chromium(playwright) as browser:
        print_table([corpus(1)[0], "median, seconds", "longest"], waits(browser, address, folder))
        header = ["case", "seconds", "MB above the start", "another visitor's `explain` meanwhile, seconds", "answer"]
        print_table(header, attacks(browser, address, folder))


if __name__ == "__main__":
    main()
