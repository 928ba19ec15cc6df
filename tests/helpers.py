"""Helpers of the tests: random text, WMT21's data, sacreBLEU's counts, both implementations, processes, files.

Processes of their own import this module beside the metric as a user loads it. So the package `bleu` of conftest.py and
sacreBLEU are imported by the functions that use them.
"""

import builtins
import contextlib
import csv
import itertools
import json
import os
import random
import socket
import statistics
import string
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa

ROOT = Path(__file__).resolve().parent.parent

# Random text: segments that are hard for a tokenizer. All scripts, all whitespace, controls, markup, digits beside
# punctuation.

WHITESPACE = [chr(c) for c in range(sys.maxunicode + 1) if chr(c).isspace()]
CONTROLS = [
    chr(c)
    for c in (
        *range(0x20),
        *range(0x7F, 0xA0),
        0xAD,
        0x200B,
        0x200D,
        0x200E,
        0x2060,
        0xFE0F,
        0xFEFF,
    )
]
MARKUP = [
    "&quot;",
    "&amp;",
    "&lt;",
    "&gt;",
    "&amp;lt;",
    "&amp;amp;",
    "&amp;quot;",
    "&apos;",
    "&",
    "&lt",
    "<skipped>",
]
MARKUP += ["<skip", "ped>", "<skip<skipped>ped>", "-\n", "--\n\n", "\n", "-\r\n", "<", "<s>"]
DIGITS = ["1", "23", "1990", "٣", "²", "½", "Ⅷ", "９", "१"]
MARKS = [
    ".",
    ",",
    "..",
    "...",
    ".,",
    "-",
    "--",
    "–",
    "'",
    "’",
    "。",
    "、",
    "«",
    "…",
    "·",
    "€",
    "+",
    "^",
    "¡",
    "؟",
    "।",
]
WORDS = [
    "the",
    "cat",
    "on",
    "Mat",
    "a",
    "A",
    "naïve",
    "Straße",
    "ΟΔΟΣ",
    "Σ",
    "ΣΑΣ",
    "ας",
    "İstanbul",
    "ılık",
    "ǅ",
    "Ⱥ",
]
WORDS += [
    "Москва",
    "наш",
    "你好",
    "世界",
    "日本語",
    "カタカナ",
    "ひらがな",
    "한국어",
    "ไทย",
    "ລາວ",
    "ខ្មែរ",
    "မြန်မာ",
]
WORDS += [
    "हिन्दी",
    "বাংলা",
    "العربية",
    "עברית",
    "ქართული",
    "አማርኛ",
    "𝔘𝔫𝔦",
    "🙂",
    "👩‍👩‍👧",
    "🫠",
    "ﬁ",
    "e\u0301",
    "𐐀",
]
WORDS += [
    "x" * 8,
    "x" * 9,
    "y" * 40,
    "abcdefgh",
    "abcdefgi",
    "abcdefghabcdefgh",
    "abcdefghabcdefgi",
    "zbcdefghabcdefgh",
]
WORDS += ["\x00", "\x00a"]


def random_character(generator: random.Random) -> str:
    """Return one character of any plane; the lower planes, which hold the living scripts, more often."""
    while True:
        c = generator.randrange(generator.choice((0x250, 0x3000, 0x10000, 0x20000, 0x110000)))
        if not 0xD800 <= c < 0xE000:
            return chr(c)


def random_piece(generator: random.Random) -> str:
    """Return a word, a mark, digits, markup, a control or whitespace."""
    kind = generator.random()
    if kind < 0.45:
        return generator.choice(WORDS)
    if kind < 0.60:
        return generator.choice(MARKS)
    if kind < 0.72:
        return generator.choice(DIGITS)
    if kind < 0.80:
        return generator.choice(string.punctuation)
    if kind < 0.87:
        return generator.choice(MARKUP)
    if kind < 0.93:
        return random_character(generator)
    return generator.choice(CONTROLS if kind < 0.95 else WHITESPACE)


def random_pieces(generator: random.Random) -> list[str]:
    """Return the pieces of a segment: often as many as a sentence has, sometimes none or about the kernel's 64 tokens."""
    size = generator.choice(
        (0, 1, 2, 3, 5, 8, 13, 20, 30, generator.randrange(55, 75), generator.randrange(400))
    )
    vocabulary = [
        random_piece(generator) for _ in range(max(1, size // generator.choice((1, 2, 8))))
    ]
    pieces = [generator.choice(vocabulary) for _ in range(size)]
    spaces = generator.choice((0.1, 0.5, 0.9))
    return [text + (" " if generator.random() < spaces else "") for text in pieces]


def edit_pieces(pieces: list[str], generator: random.Random) -> list[str]:
    """Delete, double, exchange or replace some pieces, so that n-grams of all orders match."""
    pieces = list(pieces)
    for _ in range(generator.randrange(4)):
        start = generator.randrange(len(pieces) + 1)
        end = min(len(pieces), start + generator.randrange(8))
        pieces[start:end] = generator.choice(
            (pieces[:3], [], pieces[start:end] * 2, [random_piece(generator)])
        )
    return pieces


def random_rows(seed: int, count: int) -> tuple[list[str], list[list[str]]]:
    """Return predictions, and one to four references per prediction."""
    generator = random.Random(seed)
    predictions, references = [], []
    for _ in range(count):
        pieces = random_pieces(generator)
        predictions.append("".join(pieces))
        references.append(
            [
                "".join(edit_pieces(pieces, generator))
                for _ in range(generator.choice((1, 1, 2, 3, 4)))
            ]
        )
    return predictions, references


def random_captions(seed: int, count: int) -> tuple[list[str], list[list[str]]]:
    """Return random rows that the convention `coco` is for: short, without line breaks."""
    predictions, references = random_rows(seed, count)
    shorten = lambda text: " ".join(text.split())[:60]
    return list(map(shorten, predictions)), [list(map(shorten, row)) for row in references]


def small_corpora(count: int = 40, seed: int = 0) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Yield corpora of one to five short segments, many without a match at some order, some without any match."""
    generator = random.Random(seed)
    words = ["the", "cat", "sat", "on", "a", "mat"]
    for _ in range(count):
        rows = generator.randrange(1, 6)
        sentence = lambda: " ".join(generator.choices(words, k=generator.randrange(0, 9)))
        yield (
            [sentence() for _ in range(rows)],
            [[sentence() for _ in range(3)] for _ in range(rows)],
        )


def shift_offsets(array):
    """Return an array of equal rows whose first offset isn't 0, nor that of the strings in its lists.

    Arrow allows it, and other libraries make such arrays. A cast of a slice makes them in Arrow 23 and later.
    """
    is_large = array.type in (pa.large_string(), pa.large_binary()) or pa.types.is_large_list(
        array.type
    )
    is_string = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    is_list = pa.types.is_list(array.type) or pa.types.is_large_list(array.type)
    if not len(array) or not (is_string or is_list):
        return array
    width = 8 if is_large else 4
    longer = pa.concat_arrays([array.slice(0, 1), array])
    _, offsets, *data = longer.buffers()
    buffers = [None, offsets.slice(width)]
    if is_string:
        return pa.Array.from_buffers(array.type, len(array), [*buffers, *data])
    values = shift_offsets(longer.values)
    return pa.Array.from_buffers(array.type, len(array), buffers, children=[values])


def widen(type_):
    """Return an Arrow type with offsets of 64 bits instead of 32."""
    if pa.types.is_string(type_):
        return pa.large_string()
    return pa.large_list(widen(type_.value_type)) if pa.types.is_list(type_) else type_


def cut(rows):
    """Return an Arrow array of rows as a slice of a longer one."""
    return pa.array([rows[-1], *rows, rows[0]]).slice(1, len(rows))


def cut_into_chunks(rows):
    """Return rows as a chunked array of slices of one array, some empty."""
    array = cut(rows)
    ends = sorted([0, 0, 1, len(rows) // 2, len(rows)])
    chunks = [array.slice(start, end - start) for start, end in itertools.pairwise(ends)]
    return pa.chunked_array(chunks, array.type)


def select_rows(rows):
    """Return rows as a column of a part of a `datasets.Dataset`."""
    import datasets

    longer = datasets.Dataset.from_dict({"column": [rows[-1], *rows, rows[0]]})
    return longer.select(range(1, 1 + len(rows)))["column"]


# Parts of longer Arrow data, which users have instead of lists: by kind, a function of rows.
PARTS = {
    "a slice": cut,
    "a slice, 64 bits": lambda rows: cut(rows).cast(widen(pa.array(rows).type)),
    "offsets from above 0": lambda rows: shift_offsets(pa.array(rows)),
    "offsets from above 0, 64 bits": lambda rows: shift_offsets(pa.array(rows, widen(pa.array(rows).type))),
    "a slice of offsets from above 0": lambda rows: shift_offsets(pa.array([rows[-1], *rows])).slice(1),
    "chunks": cut_into_chunks,
    "rows of a dataset": select_rows,
}  # fmt: skip


class Tensor:
    """A tensor as torch has them: on a device, with a gradient, and without rows that Arrow can read.

    NumPy has no `bfloat16`; such a tensor converts only after `float()`.
    """

    def __init__(self, values, dtype=None, is_on_device=True):
        self._values, self._is_on_device = np.asarray(values), is_on_device
        self.dtype = f"torch.{dtype or self._values.dtype}"

    def __repr__(self):
        return f"Tensor({self._values.tolist()})"  # an id of tests, equal in each process

    ndim = property(lambda self: self._values.ndim)
    shape = property(lambda self: self._values.shape)

    def __len__(self):
        return len(self._values)

    def __getitem__(self, index):
        return Tensor(self._values[index], self.dtype[6:])

    def __iter__(self):
        return (self[index] for index in range(len(self)))

    def __ne__(self, other):
        return Tensor(self._values != np.asarray(other.cpu()))

    __hash__ = object.__hash__

    def item(self):
        return self._values.item()

    def detach(self):
        return self

    def cpu(self):
        return Tensor(self._values, self.dtype[6:], is_on_device=False)

    def float(self):
        return Tensor(self._values.astype(np.float32), is_on_device=self._is_on_device)

    def __array__(self, dtype=None, copy=None):
        if self._is_on_device:
            raise TypeError("can't convert a tensor on a device")
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self._values


def make_string_array(rows: list[bytes]) -> pa.StringArray:
    """Return an Arrow array of strings with these bytes, valid UTF-8 or not: Arrow doesn't check them."""
    ends = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(rows), pa.py_buffer(ends), pa.py_buffer(b"".join(rows)))


def split_words(text: str) -> list[str]:
    """Split at whitespace: a function that every process can import."""
    return text.split()


class Words:
    """A tokenizer for the callback: id 1 is the token "a", id 2 "b", and so on; 0 is padding."""

    pad_token_id = 0

    def batch_decode(self, rows, skip_special_tokens):
        return [" ".join("abcdefghij"[(i - 1) % 10] for i in row if i) for row in rows]


def calls_of_columns(bleu):
    """Return, by method and column, the calls of all public methods that read a column beside one of two rows.

    Each call takes the column; the other columns have text, and one reference per row.
    """
    texts, compare = ["a b", "c d"], {"n_resamples": 5}
    return {
        "compute, predictions": lambda rows: bleu.compute(predictions=rows, references=texts),
        "compute, references": lambda rows: bleu.compute(predictions=texts, references=rows),
        "add_batch, predictions": lambda rows: bleu.add_batch(predictions=rows, references=texts),
        "add_batch, references": lambda rows: bleu.add_batch(predictions=texts, references=rows),
        "statistics, predictions": lambda rows: bleu.statistics(predictions=rows, references=texts),
        "statistics, references": lambda rows: bleu.statistics(predictions=texts, references=rows),
        "compare, baseline": lambda rows: bleu.compare({"A": rows, "B": texts}, texts, **compare),
        "compare, system": lambda rows: bleu.compare({"A": texts, "B": rows}, texts, **compare),
        "compare, references": lambda rows: bleu.compare({"A": texts, "B": texts}, rows, **compare),
        "diff, first": lambda rows: bleu.diff({"A": rows, "B": texts}, texts),
        "diff, second": lambda rows: bleu.diff({"A": texts, "B": rows}, texts),
        "diff, references": lambda rows: bleu.diff({"A": texts, "B": texts}, rows),
        "conventions, predictions": lambda rows: bleu.reconcile(rows, texts),
        "conventions, references": lambda rows: bleu.reconcile(texts, rows),
        "reconcile, predictions": lambda rows: bleu.reconcile(rows, texts, 50),
        "reconcile, references": lambda rows: bleu.reconcile(texts, rows, 50),
    }


def calls_of_values(bleu):
    """Return calls by method and argument that read a column of any length, or a single row in its place."""
    ids, texts = np.array([[1], [2]]), ["a b", "c d"]
    names = "matches_1", "totals_1", "prediction_length", "reference_length"
    return {
        "diff, by": lambda rows: bleu.diff({"A": texts, "B": texts}, texts, by=rows),
        "compute, by": lambda rows: bleu.compute(predictions=texts, references=texts, by=rows),
        "compare, by": lambda rows: bleu.compare(
            {"A": texts, "B": texts}, texts, by=rows, n_resamples=5
        ),
        "compute_metrics, by": lambda rows: bleu.compute_metrics(Words(), by=rows)((ids, ids)),
        "fingerprint": lambda rows: bleu.fingerprint(rows),
        "add, prediction": lambda rows: bleu.add(prediction=next(iter(rows)), reference="a"),
        "add, reference": lambda rows: bleu.add(prediction="a", reference=next(iter(rows))),
        "explain, prediction": lambda rows: bleu.explain(next(iter(rows)), ["a"]),
        "explain, references": lambda rows: bleu.explain("a", rows),
        "pairwise": lambda rows: bleu.pairwise(rows),
        "pairwise, references": lambda rows: bleu.pairwise(texts, rows),
        "self_bleu": lambda rows: bleu.self_bleu(rows),
        "compute, statistics": lambda rows: bleu.compute(statistics=rows),
        "statistics, a dict": lambda rows: bleu.compute(statistics=dict.fromkeys(names, rows)),
        "statistics, a frame": lambda rows: bleu.compute(
            statistics=pd.DataFrame({name: pd.Series(rows) for name in names})
        ),
        "compute_metrics, references": lambda rows: bleu.compute_metrics(Words(), references=rows)(
            (ids, ids)
        ),
        "the callback, predictions": lambda rows: bleu.compute_metrics(Words())((rows, ids)),
        "weights": lambda rows: bleu.compute(predictions=texts, references=texts, weights=rows),
        "tokenize": lambda rows: bleu.compute(
            predictions=texts, references=texts, tokenize=lambda text: rows
        ),
    }


# WMT21's system outputs, references and published scores. They are not part of the project; tests skip without them.

WMT21 = ROOT.parent / "shared" / "wmt21"
WMT21_TOKENIZERS = {"zh": "zh", "ja": "char"}  # as WMT scored Chinese and Japanese; 13a otherwise


@cache
def read_lines(path: Path) -> list[str]:
    """Return the segments of a file, which has one per line."""
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def read_published() -> Iterator[dict[str, str]]:
    """Yield the rows of published scores."""
    with open(WMT21 / "published-bleu.tsv", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def read_system(row: dict[str, str]) -> tuple[list[str], list[tuple[str, ...]], str]:
    """Return a row's segments, their references (all for `bleu-all`, else the named one), and its tokenizer."""
    target = row["pair"].split("-")[1]
    which = row["metric"].removeprefix("bleu-").replace("all", "*")
    output = next((WMT21 / "system-outputs").glob(f"*.{row['pair']}.hyp.{row['system']}.{target}"))
    streams = sorted((WMT21 / "references").glob(f"*.{row['pair']}.ref.{which}.{target}"))
    return (
        read_lines(output),
        list(zip(*map(read_lines, streams))),
        WMT21_TOKENIZERS.get(target, "13a"),
    )


# sacreBLEU asked live, and this project's two implementations compared.

# Options that change a segment's score, in combinations.
OPTION_SETS = [
    {},
    {"smooth_method": "none", "tokenize": "none", "max_order": 2, "weights": [0.3, 0.7], "reference_length": "shortest"},
    {"smooth_method": "floor", "smooth_value": 0.3, "tokenize": "intl", "lowercase": True, "minimum_total": 2},
    {"smooth_method": "add-k", "tokenize": "char", "max_order": 6, "reference_length": "longest"},
    {"smooth_method": "laplace", "tokenize": "zh", "max_order": 1, "lowercase": True},
    {"smooth_method": "none", "tokenize": str.split, "lowercase": True, "reference_length": "longest"},
    {"tokenize": "ja-mecab", "effective_order": True},
]  # fmt: skip


def count_with_sacrebleu(predictions, references, *, tokenize="13a", lowercase=False, max_order=4):
    """Return sacreBLEU's statistics per segment in this project's order: matches, totals, both lengths."""
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize=tokenize, lowercase=lowercase, max_ngram_order=max_order, force=True)
    streams = list(itertools.zip_longest(*references))
    rows = np.array(metric._extract_corpus_statistics(predictions, streams))
    return np.concatenate([rows[:, 2:], rows[:, :2]], axis=1)


def find_difference(predictions, references, rows, expected):
    """Return a description of the first segment whose rows differ, or None."""
    different = np.flatnonzero((rows != expected).any(axis=1))
    if not len(different):
        return None
    i = different[0]
    return f"{len(different)} differ, first {i}: {predictions[i]!r} {references[i]!r} {rows[i]} instead of {expected[i]}"


# Cases that the README's command leaves out.


more = False  # conftest.py sets it to the option


def examples(count):
    """Return how many examples hypothesis draws: without `--more`, a fifth."""
    return count if more else count // 5


def further(cases):
    """Return cases as parameters of tests that repeat what other cases show, on more data: they run with `--more`."""
    import pytest

    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.more)
        for case in cases
    ]


# Warnings, processes and files.


def record_warnings(call):
    """Return the result of a call, and the messages of the UserWarnings that it issues."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [
        str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)
    ]


def start_python(code, *arguments, **environment):
    """Start a process that runs this code, and that can import this module."""
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]), **environment},
    )  # fmt: skip


def read_result(process):
    """Return the JSON in the last line that a process prints; assert that it exits with 0."""
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return json.loads(output.splitlines()[-1])


def run_python(code, *arguments, **environment):
    """Run code in a process of its own; return the JSON in the last line that it prints."""
    return read_result(start_python(code, *arguments, **environment))


def run_apart(code):
    """Run code of the demo in another process: a quadratic run would take hours, and hold on to this one."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=300)


def list_files(folder):
    """Return the paths of all files in a folder, relative to it."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@contextlib.contextmanager
def full_disk():
    """Let every write to a file fail within the block, in any library. POSIX only."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


# --- Systems to compare ---------------------------------------------------------------------------


def make_systems(segments):
    """Return four systems, two of which differ in one segment, and two references per segment."""
    generator = random.Random(segments)
    pieces = [random_pieces(generator)[:40] or ["a "] for _ in range(segments)]
    text = lambda rows: ["".join(row) for row in rows]
    systems = {
        name: text(edit_pieces(row, generator) for row in pieces) for name in ("A", "B", "C")
    }
    systems["nearly A"] = [*systems["A"][:-1], systems["B"][-1] + " other words"]
    return systems, list(zip(text(pieces), text(edit_pieces(row, generator) for row in pieces)))


def read_systems(pair, names):
    """Return up to five systems of a language pair of WMT21, and the references of these names."""
    target = pair.split("-")[1]
    references = [
        read_lines(WMT21 / "references" / f"newstest2021.{pair}.ref.{name}.{target}")
        for name in names
    ]
    outputs = sorted((WMT21 / "system-outputs").glob(f"newstest2021.{pair}.hyp.*.{target}"))[:5]
    return {path.name: read_lines(path) for path in outputs}, list(zip(*references))


# The tests of `compare`, and sacreBLEU's names for them.
TESTS = {"bootstrap": "bs", "randomization": "ar"}
SYSTEMS, REFERENCES = make_systems(60)
# Documents of unequal sizes, whose segments are not adjacent.
DOCUMENTS = [f"document {min(i % 23, i % 29)}" for i in range(len(REFERENCES))]


# --- Intervals of Student's t ---------------------------------------------------------------------


class Interval(NamedTuple):
    """An interval of Student's t, and what it is made from."""

    ends: list[float]
    degrees_of_freedom: float
    standard_error: float


def spread(left_out):
    """Return the degrees of freedom of a value, given the value without each unit, by loops.

    >>> spread([0.1, 0.2, 0.3, 0.4]), round(spread([0.1] * 9 + [0.2]), 2)
    (3.0, 2.81)
    """
    mean = statistics.fmean(left_out)
    squares = sum((one - mean) ** 2 for one in left_out)
    most = len(left_out) - 1.0
    if squares < 1e-22:
        return most
    kurtosis = len(left_out) * sum((one - mean) ** 4 for one in left_out) / squares**2
    return max(1.0, min(most, 2 * len(left_out) / (kurtosis - 1)) if kurtosis > 1 else most)


def interval_by_t(value, parts, *, lowest=0, confidence=0.95):
    """Return the interval of a mean over groups, or of one group, by scipy's distribution.

    Args:
        value: the observed value.
        parts: for each group, the value on resamples and the value without each unit.
    """
    from scipy.stats import t

    groups = len(parts)
    variances = [
        np.var(drawn) * len(left_out) / (len(left_out) - 1) / groups**2 for drawn, left_out in parts
    ]
    degrees = [spread(left_out) for _, left_out in parts]
    total = sum(variances)
    squares = sum(one**2 / degree for one, degree in zip(variances, degrees))
    degrees_of_freedom = total**2 / squares if squares else min(degrees)
    low, high = t.interval(confidence, degrees_of_freedom, value, total**0.5)
    return Interval([max(lowest, low), min(1, high)], degrees_of_freedom, total**0.5)


# What the file system and the network are asked.

MARK = "k3v9"  # in each hostile text, and nowhere else
_watchers = []


def _hear(event, arguments):
    for watcher in _watchers:
        watcher(event, arguments)


# Functions that no audit event tells of. Those of `os.path` are compiled on Windows.
UNHEARD = [
    (os, ("stat", "lstat", "access", "readlink", "open")),
    (os.path, ("exists", "lexists", "isfile", "isdir", "islink", "getsize", "realpath", "expanduser", "abspath")),
    (builtins, ("open",)),
    (socket, ("getaddrinfo", "create_connection", "gethostbyname")),
]  # fmt: skip


@contextlib.contextmanager
def watch():
    """Collect what the file system or the network is asked with a marked text within the block."""
    if not _watchers:
        sys.addaudithook(_hear)  # for the rest of the process
        _watchers.append(lambda event, arguments: None)
    asked = []

    def note(name, arguments):
        shown = repr(arguments)
        if MARK in shown:
            asked.append(f"{name}{shown}")

    def record(name, function):
        def call(*arguments, **named):
            note(name, (arguments, named))
            return function(*arguments, **named)

        return call

    is_asked = ("open", "os.", "socket.", "shutil.", "glob.", "urllib.", "http.", "subprocess.")

    def hear(event, arguments):
        if event.startswith(is_asked):
            note(event, arguments)

    with contextlib.ExitStack() as patches:
        for module, names in UNHEARD:
            for name in names:
                patches.enter_context(
                    mock.patch.object(module, name, record(name, getattr(module, name)))
                )
        _watchers.append(hear)
        try:
            yield asked
        finally:
            _watchers.remove(hear)
