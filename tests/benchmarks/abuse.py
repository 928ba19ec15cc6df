"""Sends the demo requests that would exhaust a server: time and memory until each is rejected, and the time of a second
visitor's keystroke meanwhile.

python tests/benchmarks/abuse.py
"""

import json
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "integration")]

from space_server import serve_space

SECONDS, MEGABYTES, KEYSTROKE = 0.5, 100, 0.3  # what each case must stay within
BATCH = 100_000


def files(folder):
    """Files that are small, or say they are, and hold too much or nonsense; each with its name."""

    def text(name, data):
        (folder / name).write_bytes(data)
        return name

    yield "JSONL, 4 million short lines", text("short.jsonl", b'{"p": "a"}\n' * 4_300_000)
    yield "JSONL, lines of {}", text("nothing.jsonl", b"{}\n" * 50)
    yield "JSONL, nested 100,000 deep", text("deep.jsonl", b'{"prediction": ' + b"[" * 100_000 + b"\n")
    yield "JSONL, an integer of 200,000 digits", text("digits.jsonl", b'{"prediction": ' + b"9" * 200_000 + b"}\n")
    yield "text, 49 million empty lines", text("lines.txt", b"\n" * 49_000_000)
    yield "text, a line of 49 MB", text("line.txt", b"a" * 49_000_000)
    yield "text, 49 MB, not UTF-8 at its end", text("latin.txt", (b"a" * 499 + b"\n") * 98_000 + b"\xff\n")
    yield "text, a line of 40 MB with one emoji", text("wide.txt", b"a" * 40_000_000 + "😀".encode())
    yield "CSV, 2 million columns", text("columns.csv", b"a," * 2_000_000 + b"\n")
    yield "CSV, a quotation mark that never ends", text("quote.csv", b'prediction,x\n"' + b"a\n" * 24_000_000)
    yield "TSV, 49 MB of tabs", text("tabs.tsv", b"\t" * 49_000_000)
    yield "ZIP that is called CSV", text("zip.csv", b"PK\x03\x04" + b"\x00" * 1_000_000)


def bodies():
    """Bodies for endpoints, each with the endpoint."""
    one = {"predictions": ["a"], "references": ["a"]}
    tokens = json.dumps(["a"] * 2_000_000)
    yield "a token list of 10 MB", "explain", f'{{"data": [{tokens}, ["a"], null]}}'
    yield "a token list of 2 MB", "explain", json.dumps({"data": [["a"] * 400_000, ["a"], None]})
    yield "references nested 500,000 deep", "explain", '{"data": ["a", ' + "[" * 500_000 + "]" * 500_000 + ", null]}"
    yield "a text of 19 MB", "explain", json.dumps({"data": ["a b " * 4_750_000, ["a"], None]})
    yield "a text of 60 MB", "score", json.dumps({"data": [["a" * 60_000_000], ["a"], None]})
    yield (
        "100,000 segments of 20 references",
        "score",
        json.dumps({"data": [["a"] * BATCH, [["a"] * 20] * BATCH, None]}),
    )
    yield "10 million resamples", "score", body(one, {"confidence": 0.9, "n_resamples": 10**7})
    many = {"predictions": ["a b c d"] * 90_000, "references": ["a b c d"] * 90_000}
    yield "10,000 resamples of 90,000 segments", "score", body(many, {"confidence": 0.9, "n_resamples": 10_000})
    yield "n-grams up to a million", "score", body(one, {"max_order": 10**6})
    yield "n-grams up to 10^400", "score", '{"data": [["a"], ["a"], {"max_order": 1' + "0" * 400 + "}]}"
    yield "an option with a name of 5 MB", "score", body(one, {"x" * 5_000_000: 1})
    yield "an option with a value of 5 MB", "score", body(one, {"tokenize": "x" * 5_000_000})
    systems = {"x" * 1_000_000 + str(i): ["a"] for i in range(2)}
    yield "systems with names of 1 MB", "compare", json.dumps({"data": [systems, ["a"], None, "bootstrap", None]})
    yield "a number of 5 MB", "reconcile", json.dumps({"data": [["a"], ["a"], "9" * 5_000_000, None, None]})
    yield "10^9 decimals", "reconcile", json.dumps({"data": [["a"], ["a"], "9", 10**400, None]})
    yield "no JSON", "score", "{" * 1000


def body(corpus, options):
    return json.dumps({"data": [corpus["predictions"], corpus["references"], options]})


class Visitor:
    """Asks as a browser does: uploads, events by their number, and answers as they come."""

    def __init__(self, address):
        self.address, self.session = f"{address}gradio_api/", uuid.uuid4().hex[:10]
        config = json.loads(self._get(f"{address}config"))
        ids = {part["props"].get("elem_id"): part["id"] for part in config["components"]}
        self._score = next(d for d in config["dependencies"] if (ids["score"], "click") in map(tuple, d["targets"]))
        self._type = next(d for d in config["dependencies"] if (ids["candidate"], "input") in map(tuple, d["targets"]))
        self._uploads = [
            next(d for d in config["dependencies"] if (ids[f"{role}-file"], "upload") in map(tuple, d["targets"]))
            for role in ("systems", "references")
        ]
        self._values = {part["id"]: part["props"].get("value") for part in config["components"]}

    def type(self, text):
        """A keystroke: seconds until its score is there."""
        values = {self._type["inputs"][1]: text}
        start = time.perf_counter()
        assert '"success":true' in self._ask(self._type, values)
        return time.perf_counter() - start

    def score_file(self, path):
        """Upload a file as a system and as references, and score it: the seconds after the upload, and the answer."""
        boundary = uuid.uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{path.name}"\r\n\r\n'
        data = head.encode() + path.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
        kind = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        (there,) = json.loads(self._get(f"{self.address}upload", data, kind))
        file = [{"path": there, "orig_name": path.name, "meta": {"_type": "gradio.FileData"}}]
        inputs, columns = self._score["inputs"], ["prediction"] if path.suffix != ".txt" else []
        start = time.perf_counter()
        described = [self._ask(upload, {upload["inputs"][0]: file}) for upload in self._uploads[:1]]
        if "bleu-message error" in described[0]:
            return time.perf_counter() - start, described[0]
        answer = self._ask(self._score, {inputs[1]: file, inputs[2]: columns, inputs[3]: file, inputs[4]: columns})
        return time.perf_counter() - start, answer

    def call(self, endpoint, data):
        """Send a body to an endpoint: the seconds until the answer, and the answer."""
        start = time.perf_counter()
        try:
            event = json.loads(self._get(f"{self.address}call/{endpoint}", data.encode()))["event_id"]
            answer = self._get(f"{self.address}call/{endpoint}/{event}")
        except urllib.error.HTTPError as error:
            answer = error.read().decode()
        return time.perf_counter() - start, answer

    def _ask(self, event, values):
        data = [values.get(i, self._values[i]) for i in event["inputs"]]
        request = {
            "data": data,
            "fn_index": event["id"],
            "session_hash": self.session,
            "trigger_id": event["targets"][0][0],
        }
        self._get(f"{self.address}queue/join", json.dumps(request).encode())
        with urllib.request.urlopen(f"{self.address}queue/data?session_hash={self.session}", timeout=120) as stream:
            return next(line for line in stream if b"process_completed" in line).decode()

    def _get(self, address, data=None, headers=None):
        request = urllib.request.Request(address, data, headers or {"Content-Type": "application/json"})
        return urllib.request.urlopen(request, timeout=120).read().decode()


class Typist(threading.Thread):
    """A second visitor, who types all the time."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.seconds, self.is_tired, self._visitor, self._number = [0.0], False, Visitor(address), 0

    def run(self):
        while not self.is_tired:
            self._number += 1
            self.seconds.append(self._visitor.type(f"a sentence with {self._number} words"))
            time.sleep(0.02)


def peak(process):
    """The most memory that a process has held since the last call, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    Path(f"/proc/{process}/clear_refs").write_text("5")
    return next(int(line.split()[1]) / 1000 for line in status.splitlines() if line.startswith("VmHWM"))


def main():
    folder = Path(tempfile.mkdtemp())
    print("| case | seconds | MB above the start | a keystroke meanwhile, seconds | answer |")
    print("| --- | ---: | ---: | ---: | --- |")
    uploads = list(files(folder))
    with serve_space(folder) as address:
        visitor, process = Visitor(address), int((folder / "pid").read_text())
        typist = Typist(address)
        typist.start()
        time.sleep(5)
        print(f"| nothing | | | {max(typist.seconds[2:]):.2f} | |", flush=True)
        cases = [(name, lambda file=file: visitor.score_file(folder / file)) for name, file in uploads]
        cases += [(name, lambda call=call: visitor.call(*call)) for name, *call in bodies()]
        results = [measure(name, case, typist, process) for name, case in cases]
        typist.is_tired = True
        typist.join()
    print(f"\n{sum(results)} of {len(results)} within {SECONDS} s, {MEGABYTES} MB and {KEYSTROKE} s")


def measure(name, case, typist, process):
    """Run a case and print its line; whether it was refused within the limits."""
    peak(process)
    start, typist.seconds[:] = peak(process), [0.0]
    seconds, answer = case()
    time.sleep(0.3)
    above, keystroke = peak(process) - start, max(typist.seconds)
    sentence, is_refused = read_answer(answer)
    print(f"| {name} | {seconds:.2f} | {above:.0f} | {keystroke:.2f} | {sentence} |", flush=True)
    return is_refused and seconds < SECONDS and above < MEGABYTES and keystroke < KEYSTROKE


def read_answer(answer):
    """The sentence that a visitor is shown, and whether it is a refusal that names nothing internal."""
    parts = [part for part in answer.replace("\\u003c", "<").split('"') if not part.startswith("event:")]
    sentence = next((part for part in parts if len(part.split()) > 3), answer)
    is_clean = not any(word in answer for word in ("Traceback", "/tmp", "pyarrow", "Error(", "recursion", ".py"))
    is_refused = "bleu-message error" in answer or "detail" in answer or "error" in answer
    return " ".join(sentence.replace("|", "/").strip("> ").split())[:100], is_clean and is_refused


if __name__ == "__main__":
    main()
