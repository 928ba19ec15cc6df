"""The demo against its threat model in SECURITY.md, and what its server needs.

    python tests/benchmarks/demo.py        # one row per rule, about 10 minutes
    python tests/benchmarks/demo.py start  # a first start, and memory, for docs/space.md

Rules are checked over HTTP, beside a second visitor who types in another process. Linux only.
"""

import http.server
import json
import os
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
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from common import corpus, print_table  # which adds the folders of the next imports

# isort: split
from browser import visitor
from playwright.sync_api import expect, sync_playwright
from space_server import open_chromium, serve_space

VISITORS = 50
SECONDS_BETWEEN_KEYS = 0.2
TYPING_SECONDS = 20
FLOOD_SECONDS = 60
FLOOD_CLIENTS = 8  # of each kind
OTHER_SESSIONS = 540
STARTED_LINES = 40_000

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
LISTS = b'{"data": [' + b"[]," * 10_000_000 + b"[]]}"
FEW = ["a b c d e f"] * 12_000  # predictions and references together have 290 kB
SYSTEMS = {str(i): ["a b c d"] * 3_000 for i in range(8)}
BODIES: dict[str, tuple[str, Any]] = {  # path, and the arguments of an endpoint or a body
    "30 MB of [],[],…": ("call/score", LISTS),
    "300 kB of [],[],…": ("call/score", b'{"data": [' + b"[]," * 99_990 + b"[]]}"),
    "300 kB of [],[],… as predictions": ("call/score", b'{"data": [[' + b"[]," * 99_980 + b'[]], ["a"], null]}'),
    "300 kB of [[[…": ("call/score", b"[" * 299_000),
    "300 kB of strings, in a list nested 200 deep": ("call/score", [json.loads("[" * 200 + '"a",' * 70_000 + '"a"' + "]" * 200), ["a"], None]),
    "100,000 empty segments": ("call/score", b'{"data": [[' + b'"",' * 49_980 + b'""], [' + b'"",' * 49_980 + b'""], null]}'),
    "a token list of 300 kB": ("call/explain", [["a"] * 58_000, ["a"], None]),
    "a text of 300 kB": ("call/explain", ["a b " * 74_000, ["a"], None]),
    "the longest texts that are explained": ("call/explain", ["a " * 1000, ["a " * 1000] * 4, {"max_order": 10}]),
    "10,000 resamples": ("call/score", [FEW[:9_500], FEW[:9_500], {"confidence": 0.9, "n_resamples": 10_000}]),
    "8 systems, 10,000 resamples": ("call/compare", [SYSTEMS, ["a b c d"] * 3_000, None, "bootstrap", {"n_resamples": 10_000}]),
    "a search through all settings": ("call/reconcile", [FEW[:9_500], FEW[:9_500], "12.3", None, None]),
    "a search, 29,000 short segments": ("call/reconcile", [["a"] * 29_000, ["b"] * 29_000, "12.3", None, None]),
    "all conventions": ("call/reconcile", [FEW[:9_500], FEW[:9_500]]),
    "n-grams up to 10^400": ("call/score", [["a"], ["a"], {"max_order": 10**400}]),
    "an option with a name of 290 kB": ("call/score", [["a"], ["a"], {"x" * 290_000: 1}]),
    "a number of 290 kB": ("call/reconcile", [["a"], ["a"], "9" * 290_000, None, None]),
    "an integer of 290,000 digits": ("call/score", b'{"data": [' + b"9" * 290_000 + b"]}"),
    "test=[…], baseline=[…]": ("call/compare", [{"A": ["a"], "B": ["b"]}, ["a"], ["A"], ["bootstrap"], None]),
}  # fmt: skip
TEXTS = {  # candidate, second candidate and references in the first tab
    "10,000 spaces": (" " * 9_998, "", "a"),
    "290 kB of spaces": (" " * 290_000, "", "a"),
    "140,000 empty references": ("a", "", "\n" * 140_000),
    "1,000 tokens against 1,000": ("a x " * 500, "a y " * 500, "a z " * 500),
    "the longest texts": ("a x " * 500, "a y " * 500, "\n".join(["a z " * 500] * 3)[:-2]),
}


@cache
def config(address: str) -> dict[str, Any]:
    """Return Gradio's description of the page."""
    return json.loads(urllib.request.urlopen(f"{address}config").read())


def send(
    address: str, path: str, body: bytes | None, content: str = "application/json"
) -> tuple[float, str]:
    """Send a request; return the seconds until the answer, and the answer."""
    request = urllib.request.Request(f"{address}gradio_api/{path}", body, {"Content-Type": content})
    start = time.perf_counter()
    try:
        answer = urllib.request.urlopen(request, timeout=120).read()
    except urllib.error.HTTPError as error:
        answer = error.read()
    except (
        urllib.error.URLError,
        ConnectionError,
    ):  # the server reads 80 MB of a request that it rejects
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


def press(
    address: str,
    element: str,
    event: str,
    values: Sequence[Any],
    session: str = "",
    **event_data: str,
) -> tuple[float, str]:
    """Do what the page does at an event of an element, with the first values of its fields; return time and answer."""
    ids = [
        part["id"]
        for part in config(address)["components"]
        if part["props"].get("elem_id") == element
    ]
    functions = [
        one
        for one in config(address)["dependencies"]
        if one["backend_fn"] and [ids[0], event] in one["targets"]
    ]
    defaults = {part["id"]: part["props"].get("value") for part in config(address)["components"]}
    data = [*values, *(defaults[one] for one in functions[0]["inputs"][len(values) :])]
    session = session or secrets.token_hex(8)
    body = {
        "data": data,
        "fn_index": functions[0]["id"],
        "session_hash": session,
        "event_data": event_data,
    }
    body["trigger_id"] = ids[0]
    encoded, start = json.dumps(body).encode(), time.perf_counter()
    _, answer = send(address, "queue/join", encoded)
    if '"event_id"' in answer:
        answer = send(address, f"queue/data?session_hash={session}", None)[1]
    return time.perf_counter() - start, answer


def upload_parts(address: str, *parts: tuple[str, bytes]) -> tuple[float, Any]:
    """Upload form parts, each with what identifies it; return the seconds and the paths, or the answer."""
    pieces = [
        b'--b\r\nContent-Disposition: form-data; name="files"%b\r\n\r\n%b\r\n'
        % (kind.encode(), data)
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
    then, answer = press(address, "files", "upload", [describe(paths)])
    return max(seconds, then), answer


def score_files(address: str, files: Sequence[tuple[str, bytes]]) -> tuple[float, str]:
    """Upload a system and references, and score them; a missing reference is the first file again."""
    start = time.perf_counter()
    parts = files if len(files) > 1 else [*files, ("ref.txt", files[0][1])]
    paths = [upload_parts(address, (f'; filename="{name}"', data))[1][0] for name, data in parts]
    answer = press(address, "score", "click", ["Files", describe(paths)])[1]
    return time.perf_counter() - start, answer


def find_key(answer: str) -> str:
    """Return the key of a result in the answer to a click on Score."""
    return re.findall(r"/([0-9a-f]{32})/segments\.csv", answer)[0]


def show_text(address: str, texts: Sequence[str], fix: str) -> tuple[float, str]:
    """Type texts and fix them; return the slower request."""
    typed = press(address, "candidate", "input", [None, *texts])
    fixed = press(
        address, "sentence", "click", [None, *texts], action="apply", options="{}", fix=fix
    )
    return max(typed, fixed)


COLUMNS = [f"ref{i}" for i in range(20)]
WIDE = ",".join(COLUMNS).encode() + b"\n" + (b"a," * 19 + b"a\n") * 99_000
REQUESTS: dict[str, Callable[[str], tuple[float, Any]]] = {
    **{name: partial(call, path=path, data=data) for name, (path, data) in BODIES.items()},
    **{f"{name}, typed and fixed": partial(show_text, texts=texts, fix="detokenize") for name, texts in TEXTS.items()},
    **{name: partial(send_file, name=file, data=write()) for name, (file, write) in FILES.items()},
    "a form field of 24 MB instead of a file": lambda address: upload_parts(address, ("", b"a" * 24_000_000)),
    "1,000 files in an upload": lambda address: upload_parts(address, *[('; filename="a"', b"a")] * 1000),
    "an upload of 200 MB": lambda address: upload_parts(address, ('; filename="a"', b"a" * 200_000_000)),
    "4,000 paths of files": lambda address: press(address, "files", "upload", [describe(["/a"] * 4_000)]),
    "20 columns as references, 2 million cells": partial(
        score_files, files=[("a.txt", b"a\n" * 99_000), ("ref.csv", WIDE)]
    ),
    "100,000 segments of 240 characters, 2 files": partial(
        score_files, files=[("a.txt", (b"ab " * 40 + b"\n") * 100_000), ("ref.txt", (b"ac " * 40 + b"\n") * 100_000)]
    ),
    "a file of 24 MB as system and as references": partial(score_files, files=[("a.txt", (b"a" * 239 + b"\n") * 50_000)]),
}  # fmt: skip


def type_forever(address: str) -> None:
    """Type a word after the other, and print when each was answered, and after how many seconds."""
    session = secrets.token_hex(8)
    while True:
        seconds, answer = press(
            address, "candidate", "input", [None, f"a b {time.time()}", "", "a b c d"], session
        )
        assert "bleu-tokens" in answer, answer
        print(time.monotonic(), seconds, flush=True)
        time.sleep(0.02)


def type_at_once(address: str) -> None:
    """Type as many visitors at the pace of a typist, and print the seconds until each answer."""
    for number in range(VISITORS):  # a page that was opened has a session
        press(address, "candidate", "input", [None, "a", "", "b"], f"typist{number}")
    end = time.monotonic() + TYPING_SECONDS

    def type_words(number: int) -> list[float]:
        seconds: list[float] = []
        while time.monotonic() < end:
            text = f"visitor {number} types word {len(seconds)}"
            texts = [None, text, "", "the visitor types a word"]
            took, answer = press(address, "candidate", "input", texts, f"typist{number}")
            assert "bleu-tokens" in answer, answer
            seconds.append(took)
            time.sleep(SECONDS_BETWEEN_KEYS)
        return seconds

    with ThreadPoolExecutor(VISITORS) as visitors:
        for seconds in visitors.map(type_words, range(VISITORS)):
            print(*seconds)


def flood(address: str) -> None:
    """Ask for much from many clients at once, for a minute: programs, pages, and senders that read no answer."""
    systems = {str(i): ["a b c d"] * 3_000 for i in range(8)}
    corpora = [
        (
            "call/compare",
            {"data": [systems, ["a b c d"] * 3_000, None, "bootstrap", {"n_resamples": 10_000}]},
        ),
        ("call/reconcile", {"data": [FEW[:9_500], FEW[:9_500], "12.3", None, None]}),
        ("call/score", {"data": [FEW[:9_500], FEW[:9_500], {"confidence": 0.95}]}),
    ]
    bodies = [(path, json.dumps(body).encode()) for path, body in corpora]
    end = time.monotonic() + FLOOD_SECONDS

    def ask(number: int) -> None:
        call(address, *bodies[number % len(bodies)])

    def post(number: int) -> None:
        send(address, *bodies[number % len(bodies)])

    def type_longest(number: int) -> None:
        press(address, "candidate", "input", [None, *TEXTS["the longest texts"]])

    def read_page(number: int) -> None:
        send(address, "../" if number % 2 else "../config", None)

    def repeat(task: Callable[[int], Any], number: int) -> None:
        while time.monotonic() < end:
            task(number)

    threads = [
        threading.Thread(target=repeat, args=(task, number), daemon=True)
        for task in (ask, post, type_longest, read_page)
        for number in range(FLOOD_CLIENTS)
    ]
    for thread in threads:
        thread.start()
    time.sleep(max(0, end - time.monotonic()))
    os._exit(0)  # the clients are gone, and read no answers


def read_memory(process: int, name: str = "VmRSS") -> float:
    """Return the memory of a process, or its peak since the last call (`VmHWM`), in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    Path(f"/proc/{process}/clear_refs").write_text("5")
    return int(re.search(rf"{name}:\s+(\d+)", status).group(1)) / 1000


def run_beside(task: Callable[[str], None], address: str) -> subprocess.Popen[str]:
    """Run a function of this module in another process."""
    return subprocess.Popen(
        [sys.executable, __file__, task.__name__, address], stdout=subprocess.PIPE, text=True
    )


@contextmanager
def typist(address: str) -> Iterator[list[tuple[float, float]]]:
    """Type in another process; the list of times and seconds grows meanwhile."""
    typed: list[tuple[float, float]] = []
    process = run_beside(type_forever, address)
    reader = lambda: typed.extend(tuple(map(float, line.split())) for line in process.stdout)
    threading.Thread(target=reader, daemon=True).start()
    while len(typed) < 20:
        time.sleep(0.1)
    try:
        yield typed
    finally:
        process.terminate()


def measure_start(folder: Path) -> Iterator[list[str]]:
    """Yield the rows of a first start, which compiles the kernels, and of the memory since then."""
    os.environ["HF_MODULES_CACHE"] = str(folder / "modules")
    start = time.perf_counter()
    with serve_space(folder) as address:
        process = int((folder / "pid").read_text())
        times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
        seconds = sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
        yield ["a first start, seconds", f"{time.perf_counter() - start:.0f}"]
        yield ["of these, of a processor", f"{seconds:.0f}"]
        yield ["memory then, GB", f"{read_memory(process) / 1000:.2f}"]
        predictions, references = corpus(STARTED_LINES)[1]
        texts = predictions, [text[::-1] for text in predictions], [row[0] for row in references]
        files = [
            (f"{name}.txt", "".join(f"{line}\n" for line in lines).encode())
            for name, lines in zip(("A", "B", "ref"), texts)
        ]
        took, answer = score_files(address, files)
        find_key(answer)
        lines = f"{STARTED_LINES:,} lines, two systems"
        yield [f"{lines}, seconds", f"{took:.1f}"]
        yield [f"{lines}, memory at most, GB", f"{read_memory(process, 'VmHWM') / 1000:.2f}"]
        time.sleep(60)
        yield ["memory a minute later, GB", f"{read_memory(process) / 1000:.2f}"]


def check_requests(address: str, process: int) -> Iterator[list[str]]:
    """Yield the rows of the table of single requests."""
    with typist(address) as typed:
        for name, request in REQUESTS.items():
            time.sleep(1)
            read_memory(process)
            before, start = read_memory(process, "VmHWM"), time.monotonic()
            seconds, answer = request(address)
            time.sleep(0.5)
            slowest = max(took for at, took in typed if at > start)
            is_done = (
                re.search('^event: complete|"success":true', str(answer))
                and "bleu-message error" not in answer
            )
            cells = [
                f"{seconds:.2f}",
                f"{read_memory(process, 'VmHWM') - before:.0f}",
                f"{slowest:.2f}",
            ]
            yield [name, *cells, "answered" if is_done else "rejected"]


def check_typing(address: str) -> list[str]:
    """Return the row of many visitors who type at once."""
    lines = run_beside(type_at_once, address).communicate()[0].splitlines()
    seconds = [float(number) for line in lines for number in line.split()]
    assert len(lines) == VISITORS
    found = f"{len(seconds):,} keystrokes: median {statistics.median(seconds):.2f} s, slowest {max(seconds):.2f} s"
    return [
        f"3. {VISITORS} visitors type at once, a key every {SECONDS_BETWEEN_KEYS} s",
        found,
        "2 s",
    ]


def check_results(address: str) -> list[str]:
    """Return the row of an open page whose result is used after the keystrokes of many other sessions."""
    key = find_key(press(address, "score", "click", ["Files"])[1])
    for number in range(OTHER_SESSIONS):
        press(address, "candidate", "input", [None, f"word {number}", "", "a word"])
    after = press(address, "why", "click", [key, "atlas", "12.34"])[1]
    expired = press(address, "why", "click", ["0" * 32, "atlas", "12.34"])[1]
    found = "shown" if "No setting gives 12.34" in after else f"lost: {after[-300:]}"
    told = "press Score" if "Press Score again" in expired else f"not told: {expired[-300:]}"
    return [
        f"4. a result after {OTHER_SESSIONS} other sessions; an expired one",
        f"{found}; {told}",
        "shown; press Score",
    ]


def check_floods(address: str, process: int) -> Iterator[list[str]]:
    """Yield the rows of two floods: the seconds until the demo works as before, and the memory a minute after."""
    memory = [read_memory(process)]
    for number in (1, 2):
        run_beside(flood, address).wait()
        start, works = time.monotonic(), float("nan")
        while time.monotonic() < start + 60:
            seconds, typed = press(address, "candidate", "input", [None, "a b c", "", "a b c d"])
            scored = (
                press(address, "score", "click", ["Files"])[1]
                if seconds < 1 and "bleu-tokens" in typed
                else ""
            )
            if "segments.csv" in scored:
                works = time.monotonic() - start
                break
        time.sleep(max(0, start + 60 - time.monotonic()))
        memory.append(read_memory(process))
        found, limit = (
            f"works after {works:.1f} s; {memory[-2]:,.0f} MB before, {memory[-1]:,.0f} MB a minute after",
            "60 s",
        )
        if number == 2:
            found += f" ({memory[-1] / memory[-2] - 1:+.0%})"
            limit += "; +20%"
        yield [f"6. flood {number}: {4 * FLOOD_CLIENTS} clients, {FLOOD_SECONDS} s", found, limit]


SECRET = "a secret of the server"
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def check_secrecy(address: str, folder: Path) -> list[str]:
    """Return the row of what must not happen: texts of others, files of the server, scripts, requests elsewhere."""
    (folder / "app" / "secret.txt").write_text(SECRET)
    requests: list[str] = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)

        do_HEAD = do_POST = do_GET  # noqa: N815

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    elsewhere = f"http://127.0.0.1:{listener.server_port}/a.txt"
    problems, checks = [], 0

    # 1. Visitors who type, upload and score at once get their own texts only.
    def visit_alone(number: int) -> list[str]:
        mark, others = f"mark{number}x", [f"mark{one}x" for one in range(16) if one != number]
        answers = []
        for _ in range(10):
            answers.append(
                press(address, "candidate", "input", [None, f"{mark} a b", "", f"{mark} a c"])[1]
            )
            answers.append(call(address, "call/explain", [f"{mark} a", [f"{mark} a"], None])[1])
        answers.append(score_files(address, [(f"{mark}.txt", f"{mark} a b c\n".encode() * 30)])[1])
        answers.append(press(address, "why", "click", [find_key(answers[-1]), mark, "12.34"])[1])
        return [a for a in answers[:-1] if mark not in a] + [
            a for a in answers if any(one in a for one in others)
        ]

    with ThreadPoolExecutor(16) as visitors:
        for wrong in visitors.map(visit_alone, range(16)):
            problems += wrong
            checks += 22
    # 2. Files outside the uploads, and other hosts, as paths, as uploads and as keys of results.
    secret = str(folder / "app" / "secret.txt")
    key = find_key(press(address, "score", "click", ["Files"])[1])
    paths = [
        secret,
        f"/{secret}",
        f"../{secret}",
        "secret.txt",
        "space/../secret.txt",
        secret.replace("/", "%2f"),
        elsewhere,
    ]
    for path in paths:
        answers = [send(address, f"file={path}", None)[1], send(address, f"file/{path}", None)[1]]
        answers.append(send(address, f"proxy={path}", None)[1])
        answers.append(send(address, f"stream/{path}", None)[1])
        for form in ({"path": path}, {"path": path, "url": elsewhere}, {"url": elsewhere}):
            file = [{**form, "meta": {"_type": "gradio.FileData"}}]
            answers.append(press(address, "files", "upload", [file])[1])
            answers.append(press(address, "score", "click", ["Files", [*file, *file]])[1])
        for name in (path, f"{key}/../{path}", f"../../..{path}", key[:-1], key.upper() + " "):
            answers.append(press(address, "why", "click", [name, "atlas", "12.34"])[1])
        problems += [answer for answer in answers if SECRET in answer or "1 segment" in answer]
        problems += [answer for answer in answers[-5:] if "No setting gives 12.34" in answer]
        checks += len(answers)
    # 3. Scripts as texts, names and addresses, in a browser that may not ask another host.
    with sync_playwright() as playwright, open_chromium(playwright) as browser:
        page = browser.new_page()
        page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        page.on(
            "request",
            lambda one: (
                None
                if one.url.startswith((address, "data:", "blob:"))
                else problems.append(one.url)
            ),
        )
        page.goto(f"{address}#candidate={SCRIPT}&references={SCRIPT}&tokenize={SCRIPT}")
        expect(page.locator("#sentence .bleu-tokens").first).to_contain_text("script")
        visitor.tab(page, "Corpus")
        for name, word in (("<img src=x onerror=alert(3)>.tsv", "a"), ("ref.tsv", "b")):
            rows = f"{SCRIPT} {word}\t{SCRIPT}\n" * 40
            (file := folder / name).write_text(f"{SCRIPT}\tdomain\n{rows}")
            visitor.upload(page, "systems", file)
        expect(page.locator(visitor.READ)).to_contain_text("onerror=alert")
        visitor.score(page)
        page.wait_for_timeout(2000)
        problems += page.locator(".bleu-page script, .bleu-page img").all_inner_texts()
        checks += 4
    # 4. No request has reached the listener.
    problems += requests
    found = (
        f"none of {checks:,} checks failed"
        if not problems
        else f"{len(problems)} failed: {problems[0][:300]}"
    )
    return ["1. texts of others, files of the server, scripts, other hosts", found, "none"]


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    only = sys.argv[1:]
    if only == ["start"]:
        print_table(["what", "measured"], measure_start(folder))
        return
    with serve_space(folder) as address:
        process = int((folder / "pid").read_text())
        rules: list[list[str]] = []
        if not only or "secrecy" in only:
            rules.append(check_secrecy(address, folder))
        if not only or "requests" in only:
            header = [
                "request",
                "seconds",
                "MB above the start",
                "another visitor's keystroke meanwhile, seconds",
                "answer",
            ]
            print_table(header, (rows := list(check_requests(address, process))))
            slowest = max(rows, key=lambda row: float(row[3]))
            found = f"{len(rows)} requests: slowest keystroke {slowest[3]} s, beside “{slowest[0]}”"
            rules.append(["2. another visitor types beside a single request", found, "1 s"])
        if not only or "typing" in only:
            rules += [check_typing(address), check_results(address)]
        if not only or "floods" in only:
            rules += check_floods(address, process)
        print_table(["rule", "measured", "limit"], rules)


if __name__ == "__main__":
    task = {one.__name__: one for one in (type_forever, type_at_once, flood)}.get(
        sys.argv[1] if len(sys.argv) > 1 else ""
    )
    task(sys.argv[2]) if task else main()
