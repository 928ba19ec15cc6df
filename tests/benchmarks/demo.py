"""The demo: how long a visitor waits, and what it does with requests that are made to exhaust it.

    python tests/benchmarks/demo.py

A browser measures how long a visitor waits. The attacks go over HTTP, from this process or from sixteen clients at
once, while a second visitor types in another process: every request should be answered within 0.5 s and 100 MB, and a
keystroke within 0.3 s, alone on the machine. Linux only.
"""

import json
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from common import corpus, print_table
from playwright.sync_api import Page, expect, sync_playwright
from space_server import open_chromium, serve_space

SEGMENTS = 20_000
CLIENTS = 16
FLOOD_SECONDS = 20

FILES = {  # that are small when compressed, too large or not valid
    "JSONL, 2 million short lines": ("short.jsonl", lambda: b'{"p": "a"}\n' * 2_200_000),
    "JSONL, an integer of 200,000 digits": ("digits.jsonl", lambda: b'{"prediction": ' + b"9" * 200_000 + b"}\n"),
    "JSONL, 24 MB of [[],[],…": ("lists.jsonl", lambda: (b'{"p": [' + b"[]," * 130_000 + b"[]]}\n") * 61),
    "JSONL, 24 MB, not JSON at its end": ("end.jsonl", lambda: (b'{"p": "' + b"a" * 230 + b'"}\n') * 99_999 + b"a\n"),
    "text, 24 million empty lines": ("lines.txt", lambda: b"\n" * 24_000_000),
    "text, a line of 24 MB": ("line.txt", lambda: b"a" * 24_000_000),
    "text, 24 MB, not UTF-8 at its end": ("latin.txt", lambda: (b"a" * 243 + b"\n") * 98_000 + b"\xff\n"),
    "CSV, 2 million columns": ("columns.csv", lambda: b"a," * 2_000_000 + b"\n"),
    "CSV, a quotation mark that never ends": ("quote.csv", lambda: b'prediction,x\n"' + b"a\n" * 12_000_000),
    "TSV, 20 million cells": ("cells.tsv", lambda: (b"\t" * 90 + b"\n") * 220_000),
    "Parquet with a false footer": ("a.parquet", lambda: b"PAR1" + b"\xff" * 31_000 + b"\xff\x7f\x00\x00PAR1"),
    "Parquet that is called text": ("a.txt", lambda: b"PAR1" + b"\xff" * 31_000 + b"\xff\x7f\x00\x00PAR1"),
    "ZIP that is called CSV": ("zip.csv", lambda: b"PK\x03\x04" + b"\x00" * 1_000_000),
}  # fmt: skip
MANY = ["a b c d"] * 60_000
LISTS = b'{"data": [' + b"[]," * 10_000_000 + b"[]]}"
BODIES: dict[str, tuple[str, Any]] = {  # path, and the arguments of an endpoint or a body
    "30 MB of [],[],… to /call/upload": ("call/upload", LISTS),
    "30 MB of [],[],… to /run/upload": ("run/upload", LISTS),
    "30 MB of [],[],… to /api/upload": ("api/upload", LISTS),
    "30 MB of [],[],… to /component_server": ("component_server", LISTS),
    "30 MB of [],[],… as a corpus": ("call/score", LISTS),
    "9 MB of [],[],… as a corpus": ("call/score", LISTS[:9_000_000]),
    "a token list of 10 MB": ("call/explain", [["a"] * 2_000_000, ["a"], None]),
    "references nested 500,000 deep": ("call/explain", b'{"data": ["a", ' + b"[" * 500_000 + b"]" * 500_000 + b", null]}"),
    "a text of 19 MB": ("call/explain", ["a b " * 4_750_000, ["a"], None]),
    "a text of 9 MB": ("call/score", [["a" * 9_000_000], ["a"], None]),
    "a text of 60 MB": ("call/score", [["a" * 60_000_000], ["a"], None]),
    "100,000 segments of 20 references": ("call/score", [["a"] * 100_000, [["a"] * 20] * 100_000, None]),
    "10,000 resamples of 60,000 segments": ("call/score", [MANY, MANY, {"confidence": 0.9, "n_resamples": 10_000}]),
    "n-grams up to 10^400": ("call/score", [["a"], ["a"], {"max_order": 10**400}]),
    "an option with a name of 5 MB": ("call/score", [["a"], ["a"], {"x" * 5_000_000: 1}]),
    "a number of 5 MB": ("call/reconcile", [["a"], ["a"], "9" * 5_000_000, None, None]),
    "the longest texts that are explained": ("call/explain", ["a " * 1000, ["a " * 1000] * 4, {"max_order": 10}]),
    "test=[…], baseline=[…]": ("call/compare", [{"A": ["a"], "B": ["b"]}, ["a"], ["A"], ["bootstrap"], None]),
    "no JSON": ("call/score", b"{" * 1000),
    "/monitoring": ("../monitoring", None),
    "/monitoring/summary": ("../monitoring/summary", None),
}  # fmt: skip
TEXTS = {  # candidate, second candidate and references in the first tab
    "10,000 spaces": (" " * 9_998, "", "a"),
    "15,000 spaces": (" " * 15_000, "", "a"),
    "9 MB of spaces": (" " * 9_000_000, "", "a"),
    "9 MB of empty references": ("a", "", "\n" * 4_500_000),
    "1,000 tokens against 1,000": ("a x " * 500, "a y " * 500, "a z " * 500),
    "the longest texts": ("a x " * 500, "a y " * 500, "\n".join(["a z " * 500] * 3)[:-2]),
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


@cache
def config(address: str) -> dict[str, Any]:
    """Return Gradio's description of the page."""
    return json.loads(urllib.request.urlopen(f"{address}config").read())


def send(address: str, path: str, body: bytes | None, content: str = "application/json") -> tuple[float, str]:
    """Send a request; return the seconds until the answer, and the answer."""
    request = urllib.request.Request(f"{address}gradio_api/{path}", body, {"Content-Type": content})
    start = time.perf_counter()
    try:
        answer = urllib.request.urlopen(request, timeout=120).read()
    except urllib.error.HTTPError as error:
        answer = error.read()
    except (urllib.error.URLError, ConnectionError):  # the server reads 80 MB of a request that it rejects
        answer = b"closed"
    return time.perf_counter() - start, answer.decode()


def call(address: str, path: str, data: Any) -> tuple[float, str]:
    """Send arguments to an endpoint, or a body; return the seconds until the result, and the result."""
    body = data if data is None or isinstance(data, bytes) else json.dumps({"data": data}).encode()
    seconds, answer = send(address, path, body)
    if '"event_id"' not in answer:
        return seconds, answer
    more, answer = send(address, f"{path}/{json.loads(answer)['event_id']}", None)
    return seconds + more, answer


def press(address: str, element: str, event: str, values: Sequence[Any], **event_data: str) -> tuple[float, str]:
    """Do what the page does at an event of an element, with the first values of its fields; return time and answer."""
    ids = [part["id"] for part in config(address)["components"] if part["props"].get("elem_id") == element]
    functions = [
        one for one in config(address)["dependencies"] if one["backend_fn"] and [ids[0], event] in one["targets"]
    ]
    defaults = {part["id"]: part["props"].get("value") for part in config(address)["components"]}
    data = [*values, *(defaults[one] for one in functions[0]["inputs"][len(values) :])]
    session = secrets.token_hex(8)
    body = {"data": data, "fn_index": functions[0]["id"], "session_hash": session, "event_data": event_data}
    body["trigger_id"] = ids[0]
    encoded, start = json.dumps(body).encode(), time.perf_counter()
    _, answer = send(address, "queue/join", encoded)
    if '"event_id"' in answer:
        answer = send(address, f"queue/data?session_hash={session}", None)[1]
    return time.perf_counter() - start, answer


def upload_parts(address: str, *parts: tuple[str, bytes]) -> tuple[float, Any]:
    """Upload form parts, each with what identifies it; return the seconds and the paths, or the answer."""
    pieces = [
        b'--b\r\nContent-Disposition: form-data; name="files"%b\r\n\r\n%b\r\n' % (kind.encode(), data)
        for kind, data in parts
    ]
    body = b"".join([*pieces, b"--b--\r\n"])
    seconds, answer = send(address, "upload", body, "multipart/form-data; boundary=b")
    return seconds, json.loads(answer) if answer.startswith("[") else answer


def describe(paths: Sequence[str]) -> list[dict[str, Any]]:
    """Return paths as the page sends them."""
    return [{"path": path, "meta": {"_type": "gradio.FileData"}} for path in paths]


def send_file(address: str, name: str, data: bytes) -> tuple[float, str]:
    """Upload a file as a system; return the seconds of the slower request, and the page's message."""
    seconds, paths = upload_parts(address, (f'; filename="{name}"', data))
    then, answer = press(address, "systems-file", "upload", [describe(paths)])
    return max(seconds, then), answer


def send_corpus(address: str, name: str, data: bytes, times: int, columns: Sequence[str]) -> tuple[float, str]:
    """Upload a file, and score it as a system with the same file, some times, as references."""
    _, system = upload_parts(address, ('; filename="a.txt"', b"a\n" * 100_000))
    _, paths = upload_parts(address, (f'; filename="{name}"', data))
    return press(address, "score", "click", ["Files", describe(system), [], describe(paths * times), list(columns)])


def show_text(address: str, texts: Sequence[str], fix: str) -> tuple[float, str]:
    """Type texts, and press the button of a finding; return the seconds of the slower request, and its answer."""
    typed = press(address, "candidate", "input", [None, *texts])
    return max(typed, press(address, "sentence-score", "click", texts, fix=fix, options="{}"))


def keep_texts(address: str) -> tuple[float, str]:
    """Type 9 MB in each of thirty sessions; return the seconds of the slowest, and its answer."""
    return max(press(address, "candidate", "input", [None, "a " * 4_500_000, "", "a"]) for _ in range(30))


CALLS: dict[str, Callable[[str], tuple[float, Any]]] = {
    **{name: partial(call, path=path, data=data) for name, (path, data) in BODIES.items()},
    **{f"{name}, typed and detokenized": partial(show_text, texts=texts, fix="detokenize") for name, texts in TEXTS.items()},
    "9 MB typed in each of 30 sessions": keep_texts,
    "a form field of 24 MB instead of a file": lambda address: upload_parts(address, ("", b"a" * 24_000_000)),
    "1,000 files in an upload": lambda address: upload_parts(address, *[('; filename="a"', b"a")] * 1000),
    "an upload of 200 MB": lambda address: upload_parts(address, ('; filename="a"', b"a" * 200_000_000)),
    "100,000 paths of files": lambda address: press(address, "systems-file", "upload", [describe(["/a"] * 60_000)]),
    "100 columns as references": partial(
        send_corpus, name="r.csv", times=1, columns=[f"c{i}" for i in range(100)],
        data=b",".join(b"c%d" % i for i in range(100)) + b"\n" + (b"a," * 99 + b"a\n") * 19_000,
    ),
    "20 columns as references, 2 million cells": partial(
        send_corpus, name="r.csv", times=1, columns=[f"c{i}" for i in range(20)],
        data=b",".join(b"c%d" % i for i in range(20)) + b"\n" + (b"a," * 19 + b"a\n") * 99_000,
    ),
    "one file of 24 MB, four times": partial(
        send_corpus, name="r.txt", data=(b"a" * 239 + b"\n") * 100_000, times=4, columns=[]
    ),
}  # fmt: skip
CALLS |= {name: partial(send_file, name=file, data=write()) for name, (file, write) in FILES.items()}


def type_forever(address: str) -> None:
    """Type a word after the other, and print when each was answered, and after how many seconds."""
    while True:
        seconds, answer = press(address, "candidate", "input", [None, f"a b {time.time()}", "", "a b c d"])
        assert "bleu-tokens" in answer, answer
        print(time.monotonic(), seconds, flush=True)
        time.sleep(0.02)


def flood(address: str) -> None:
    """Ask for much from sixteen clients at once, again and again, for a while."""
    systems = {str(i): ["a b c d e"] * 6_000 for i in range(6)}
    heavy: list[tuple[str, Any]] = [
        ("call/score", [MANY, MANY, {"confidence": 0.95}]),
        ("call/compare", [systems, ["a b c d"] * 6_000, None, "bootstrap", {"n_resamples": 10_000}]),
        ("call/reconcile", [MANY[:20_000], ["a b c"] * 20_000, "12.3", None, None]),
    ]
    bodies = [(path, json.dumps({"data": data}).encode()) for path, data in heavy]
    end = time.monotonic() + FLOOD_SECONDS

    def ask(number: int) -> None:
        while time.monotonic() < end:
            call(address, *bodies[number % len(bodies)])
            time.sleep(0.1)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def peak_memory(process: int) -> float:
    """Return the peak of a process's memory since the last call, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    Path(f"/proc/{process}/clear_refs").write_text("5")
    return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1000


def run_beside(task: Callable[[str], None], address: str) -> subprocess.Popen[str]:
    """Run a function of this module in another process."""
    return subprocess.Popen([sys.executable, __file__, task.__name__, address], stdout=subprocess.PIPE, text=True)


def attacks(address: str, process: int) -> Iterator[list[str]]:
    """Yield the rows of the table of requests that are made to exhaust the demo."""
    typed: list[tuple[float, float]] = []
    typist = run_beside(type_forever, address)
    threading.Thread(
        target=lambda: typed.extend(tuple(map(float, line.split())) for line in typist.stdout), daemon=True
    ).start()
    while len(typed) < 20:
        time.sleep(0.1)

    def row(name: str, attack: Callable[[], tuple[float, Any]]) -> list[str]:
        time.sleep(1)
        peak_memory(process)
        before, start = peak_memory(process), time.monotonic()
        seconds, answer = attack()
        time.sleep(0.5)
        slowest = max([took for at, took in typed if at > start], default=float("nan"))
        is_answered = re.search('^event: complete|"success":true', str(answer)) and "bleu-message error" not in answer
        cells = [f"{seconds:.2f}", f"{peak_memory(process) - before:.0f}", f"{slowest:.2f}"]
        return [name, *cells, "answered" if is_answered else "rejected"]

    for name, attack in CALLS.items():
        yield row(name, partial(attack, address))
    crowd = run_beside(flood, address)
    time.sleep(3)
    for _ in range(3):
        yield row(
            f"the example's corpus, while {CLIENTS} clients ask for much",
            partial(press, address, "score", "click", ["Files"]),
        )
    crowd.wait()
    typist.terminate()


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    with serve_space(folder) as address:
        if "attacks" not in sys.argv:
            with sync_playwright() as playwright, open_chromium(playwright) as browser:
                print_table([corpus(1)[0], "median, seconds", "longest"], waits(browser, address, folder))
        header = ["case", "seconds", "MB above the start", "another visitor's keystroke meanwhile, seconds", "answer"]
        print_table(header, attacks(address, int((folder / "pid").read_text())))


if __name__ == "__main__":
    task = {"type_forever": type_forever, "flood": flood}.get(sys.argv[1] if len(sys.argv) > 1 else "")
    task(sys.argv[2]) if task else main()
