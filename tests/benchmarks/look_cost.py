"""Time and memory of looks, of small calls and of slow methods, by processes of checkouts that take turns.

`time_looks`, `time_calls` and `measure_call` are for `checks.py cost` and `speed.py --budget`. Run as a script, this
file is one of the processes: it reads the names of calls and numbers of rows from its input, and prints seconds and
bytes.

    python tests/benchmarks/look_cost.py PATH
"""

import itertools
import json
import random
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import evaluate
import numpy as np
from common import TO_JAPANESE, corpus, outputs, renew
from methods import make_systems

TURNS = 9  # the best of these turns counts
SECONDS_PER_TURN = 0.1  # a shorter call is repeated until its turn has taken as long
CALLBACK_LENGTH = 128  # ids per row
CALLS_PER_LOOP = 100
FIRST_ID = 5  # of a word; smaller ones are padding and the like


class Texts(NamedTuple):
    """Predictions, one reference per row, and options."""

    predictions: list[str]
    references: list[str]
    options: dict[str, Any]


# --- Texts ----------------------------------------------------------------------------------------


@cache
def _read_english(rows: int) -> tuple[list[str], list[str]]:
    _, (predictions, references) = corpus(rows)
    return predictions, [row[0] for row in references]


@cache
def _list_words() -> list[str]:
    predictions, _ = _read_english(3_000)
    return sorted({word for text in predictions for word in re.findall(r"[a-z]+", text.lower())})


def make_ordinary(rows: int) -> Texts:
    return Texts(*_read_english(rows), {})


def _change(change: Callable[[str, int, random.Random], str]) -> Callable[[int], Texts]:
    """Return a function that makes ordinary rows with other predictions."""

    def make(rows: int) -> Texts:
        predictions, references = _read_english(rows)
        generator = random.Random(1)
        changed = [change(text, row, generator) for row, text in enumerate(predictions)]
        return Texts(changed, references, {})

    return make


def _draw_words(text: str, row: int, generator: random.Random) -> str:
    return " ".join(generator.choices(_list_words(), k=len(text.split())))


def _repeat_words(text: str, row: int, generator: random.Random) -> str:
    words = generator.choices(_list_words()[:40], k=3)
    return " ".join(itertools.islice(itertools.cycle(words), len(text.split())))


def _make_json(rows: int) -> Texts:
    predictions, references = _read_english(rows)
    write = lambda text: json.dumps({"text": text, "language": "en"}, ensure_ascii=False)
    return Texts([write(text) for text in predictions], [write(text) for text in references], {})


def _make_chinese(rows: int) -> Texts:
    predictions, references = outputs("en-zh", 5_000)
    first = [row[0] for row in references]
    repeat = lambda texts: list(itertools.islice(itertools.cycle(texts), rows))
    return Texts(repeat(predictions), repeat(first), {"tokenize": "zh"})


def _make_kana(rows: int) -> Texts:
    predictions, references = _read_english(rows)
    write = lambda text: text.lower().translate(TO_JAPANESE)
    columns = [write(text) for text in predictions], [write(text) for text in references]
    return Texts(*columns, {"tokenize": "char"})


TEXTS: dict[str, Callable[[int], Texts]] = {
    "ordinary rows": make_ordinary,
    "a model that hasn't learned: random words": _change(_draw_words),
    "a model that hasn't learned: repeated words": _change(_repeat_words),
    "one text in all rows": _change(lambda text, row, generator: "the cat sat on the mat ."),
    "`</s>` in each row": _change(lambda text, row, generator: f"{text}</s>"),
    "`<unk>` in 1% of the rows": _change(
        lambda text, row, generator: f"{text} <unk>" if row % 100 == 50 else text
    ),
    "JSON in each row": _make_json,
    "Chinese": _make_chinese,
    "Kana": _make_kana,
}
CHECK = "check: "  # before the name of texts: `check` is called instead of `compute`
BLIND = "blind: "  # before the name of texts: `compute` doesn't look at them
CALLBACK = "the callback"
LOOPS: dict[str, Callable[[Any, list[str], list[list[str]]], object]] = {
    "`compute(segments=True)`": lambda bleu, predictions, references: bleu.compute(
        predictions=predictions, references=references, segments=True
    ),
    "`statistics`": lambda bleu, predictions, references: bleu.statistics(
        predictions=predictions, references=references
    ),
    "`explain`": lambda bleu, predictions, references: bleu.explain(predictions[0], references[0]),
}
SLOW: dict[str, Callable[[Any, int], object]] = {
    "`rank`, 60 systems of": lambda bleu, rows: bleu.rank(
        make_systems(corpus(rows)[1][0], 60), corpus(rows)[1][1]
    ),
    "`reconcile`,": lambda bleu, rows: bleu.reconcile(*corpus(rows)[1], 27.3),
}


# --- The process of a checkout --------------------------------------------------------------------


class _Decoder:
    """A tokenizer that returns ready texts, and measures its own time."""

    pad_token_id = 0

    def __init__(self, texts: list[str]) -> None:
        self.texts = [""] * FIRST_ID + texts
        self.seconds = 0.0

    def batch_decode(self, rows: Any, skip_special_tokens: bool) -> list[str]:
        start = time.perf_counter()
        decoded = [self.texts[row[0]] for row in rows]
        self.seconds += time.perf_counter() - start
        return decoded


def _make_ids(rows: int) -> tuple[Any, Any]:
    """Return ids of predictions and labels, padded at the end as a trainer does."""
    generator = np.random.default_rng(0)
    shape = (rows, CALLBACK_LENGTH)
    ids = generator.integers(FIRST_ID, 30_000, shape)
    labels = generator.integers(FIRST_ID, 30_000, shape)
    for column in (ids, labels):
        lengths = generator.integers(10, CALLBACK_LENGTH, rows)
        column[np.arange(CALLBACK_LENGTH) >= lengths[:, None]] = -100
    ids[:, 0] = np.arange(rows) + FIRST_ID  # the text of a row, for the decoder
    labels[:, 0] = np.arange(rows) + rows + FIRST_ID
    return ids, labels


class _Blind:
    """Takes the place of what looks at the texts of calls."""

    def begin_call(self) -> Callable[..., None]:
        return lambda *texts: None


class _Worker:
    """Calls of a checkout's metric."""

    def __init__(self, metric: str) -> None:
        self.bleu = evaluate.load(metric)
        self.bleu.warm_up()
        self.watch = getattr(self.bleu, "_watch", None)  # earlier commits have none
        self.made: dict[tuple[str, int], Callable[[], float]] = {}

    def make(self, name: str, rows: int) -> Callable[[], float]:
        """Return a call that returns its seconds, without the making of new strings."""
        if (name, rows) not in self.made:
            self.made[name, rows] = self._prepare(name, rows)
        return self.made[name, rows]

    def _prepare(self, name: str, rows: int) -> Callable[[], float]:
        if name == CALLBACK:
            return self._prepare_callback(rows)
        if name in LOOPS:
            return self._prepare_loop(LOOPS[name], rows)
        if name in SLOW:
            return self._prepare_slow(SLOW[name], rows)
        texts = TEXTS[name.removeprefix(CHECK).removeprefix(BLIND)](rows)
        method = self.bleu.check if name.startswith(CHECK) else self.bleu.compute
        fresh = [renew((texts.predictions, texts.references))]  # not part of the call's memory

        def call() -> float:
            predictions, references = fresh.pop()
            if name.startswith(BLIND):
                self.bleu._watch = _Blind()
            start = time.perf_counter()
            method(predictions=predictions, references=references, **texts.options)
            seconds = time.perf_counter() - start
            self.bleu._watch = self.watch
            fresh.append(renew((texts.predictions, texts.references)))
            return seconds

        return call

    def _prepare_loop(
        self, work: Callable[[Any, list[str], list[list[str]]], object], rows: int
    ) -> Callable[[], float]:
        """Return a call that is the mean of a loop over blocks of new texts, looks included."""
        predictions, references = corpus(40_000)[1]
        starts = itertools.cycle(range(0, 40_000 - rows, rows))

        def call() -> float:
            blocks = [
                renew((predictions[start : start + rows], references[start : start + rows]))
                for start in itertools.islice(starts, CALLS_PER_LOOP)
            ]
            began = time.process_time()
            for block in blocks:
                work(self.bleu, *block)
            return (time.process_time() - began) / len(blocks)

        return call

    def _prepare_slow(self, work: Callable[[Any, int], object], size: int) -> Callable[[], float]:
        def call() -> float:
            start = time.perf_counter()
            work(self.bleu, size)
            return time.perf_counter() - start

        return call

    def _prepare_callback(self, rows: int) -> Callable[[], float]:
        texts = make_ordinary(rows)
        decoder = _Decoder([*texts.predictions, *texts.references])
        callback = self.bleu.compute_metrics(decoder)
        ids = _make_ids(rows)

        def call() -> float:
            decoder.seconds = 0.0
            start = time.perf_counter()
            callback(ids)
            return time.perf_counter() - start - decoder.seconds

        return call


def _reset_peak() -> None:
    """Let the peak of this process's memory begin at its present size. Linux only."""
    Path("/proc/self/clear_refs").write_text("5")


def _read_peak() -> int:
    """Return the peak of this process's memory since the last reset, in bytes."""
    (line,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return 1024 * int(line)


def _time(call: Callable[[], float]) -> tuple[float, int]:
    """Return the best seconds of a turn."""
    times = []
    end = time.monotonic() + SECONDS_PER_TURN
    while not times or time.monotonic() < end:
        times.append(call())
    return min(times), 0


def _measure(worker: _Worker, name: str, rows: int) -> tuple[float, int]:
    """Return the seconds of the first call with a given number of rows, and the bytes that it adds."""
    if name not in SLOW:
        worker.make(name, 64)()  # so that everything is imported
    call = worker.make(name, rows)
    _reset_peak()
    before = _read_peak()
    seconds = call()
    return seconds, _read_peak() - before


def serve(metric: str) -> None:
    """Answer each line of the input: whether to measure memory, the name of texts and the rows."""
    warnings.simplefilter("ignore")
    worker = _Worker(metric)
    for line in sys.stdin:
        with_memory, name, rows = json.loads(line)
        answer = _measure(worker, name, rows) if with_memory else _time(worker.make(name, rows))
        print(json.dumps(answer), flush=True)


# --- Measuring ------------------------------------------------------------------------------------


class Process:
    """A process of a checkout, which measures on request."""

    def __init__(self, metric: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", __file__, str(Path(metric).resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, name: str, rows: int, with_memory: bool = False) -> tuple[float, int]:
        """Return the seconds of a call, and with memory the bytes that it adds at its peak."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([with_memory, name, rows]) + "\n")
        self.process.stdin.flush()
        seconds, size = json.loads(self.process.stdout.readline())
        return seconds, size

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *error: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def time_in_turns(calls: Sequence[tuple[Process, str, int]], turns: int = TURNS) -> list[float]:
    """Return the best seconds of each call, which has a name and a number of rows; the calls take turns."""
    best = [float("inf")] * len(calls)
    for _ in range(turns):
        for index, (process, name, rows) in enumerate(calls):
            best[index] = min(best[index], process.ask(name, rows)[0])
    return best


def time_looks(metric: str, calls: Iterable[tuple[str, int]]) -> Iterator[list[float]]:
    """Yield the best seconds of `compute` per name of texts and rows, with and without its look."""
    with Process(metric) as process:
        for name, rows in calls:
            yield time_in_turns([(process, name, rows), (process, BLIND + name, rows)])


def time_calls(metric: str, other: str, calls: Iterable[tuple[str, int]]) -> Iterator[list[float]]:
    """Yield the best seconds of each call, here and in another checkout."""
    with Process(metric) as process, Process(other) as other_process:
        for name, rows in calls:
            yield time_in_turns([(process, name, rows), (other_process, name, rows)])


def measure_call(metric: str, name: str, rows: int) -> tuple[float, int]:
    """Return the seconds of a call in a process of its own, and the bytes that it adds."""
    with Process(metric) as process:
        return process.ask(name, rows, with_memory=True)


if __name__ == "__main__":
    serve(sys.argv[1])
