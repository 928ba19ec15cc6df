"""Millions of segments: rows per second and memory, by size and by the way in which they are read; intervals; systems.

    python tests/benchmarks/scale.py [folder for files of 3 GB]

Each measurement has a process of its own. Memory is what the process has allocated, without the pages of a mapped file,
which the system may take back at any time. Linux only.
"""

import re
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import evaluate
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from common import METRIC, corpus, print_table

SIZES = (1_000_000, 3_000_000, 10_000_000)
BATCH = 40_000  # rows per record batch
BLOCK = 10_000  # rows that are summed as one document
DOCUMENT = 10  # rows of a document of systems that are compared


def write(path: Path) -> None:
    """Fill an Arrow file with the same record batch again and again, and a Parquet file with the first rows of it."""
    predictions, references = corpus(BATCH)[1]
    batch = pa.record_batch(
        {"predictions": predictions, "references": [row[:1] for row in references]}
    )
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        for _ in range(SIZES[-1] // BATCH):
            writer.write_batch(batch)
    with pq.ParquetWriter(path.with_suffix(".parquet"), batch.schema) as writer:
        for _ in range(SIZES[0] // BATCH):
            writer.write_batch(batch)


def memory() -> float:
    """Return the resident MiB of this process without pages of files."""
    return (
        int(re.search(r"RssAnon:\s+(\d+)", Path("/proc/self/status").read_text()).group(1)) / 1024
    )


def map_file(path: str, rows: int) -> pa.Table:
    file = pa.ipc.open_file(pa.memory_map(path))
    return pa.Table.from_batches([file.get_batch(i) for i in range(rows // BATCH)])


def compute_columns(bleu: evaluate.Metric, path: str, rows: int) -> None:
    table = map_file(path, rows)
    bleu.compute(predictions=table["predictions"], references=table["references"])


def sum_statistics(bleu: evaluate.Metric, path: str, rows: int) -> None:
    file, total = pq.ParquetFile(Path(path).with_suffix(".parquet")), 0
    for batch in file.iter_batches(10_000):
        table = bleu.statistics(predictions=batch["predictions"], references=batch["references"])
        total = total + table.to_pandas().sum().to_numpy()
    bleu.compute(statistics=total)


def add_batches(bleu: evaluate.Metric, path: str, rows: int) -> None:
    for batch in pq.ParquetFile(Path(path).with_suffix(".parquet")).iter_batches(10_000):
        bleu.add_batch(predictions=batch["predictions"], references=batch["references"])
    bleu.compute()


def compute_lists(bleu: evaluate.Metric, path: str, rows: int) -> None:
    table = pq.read_table(Path(path).with_suffix(".parquet"))
    bleu.compute(
        predictions=table["predictions"].to_pylist(), references=table["references"].to_pylist()
    )


def sum_documents(bleu: evaluate.Metric, path: str, rows: int) -> None:
    """Keep one summed row per block, and resample the blocks."""
    table = map_file(path, rows)
    sums = []
    for start in range(0, rows, BLOCK):
        block = table.slice(start, BLOCK)
        counted = bleu.statistics(predictions=block["predictions"], references=block["references"])
        sums.append(np.array([np.sum(column.to_numpy()) for column in counted.columns]))
    blocks = list(range(len(sums)))
    bleu.compute(statistics=np.array(sums), like=counted, documents=blocks, confidence=0.95)


def resample_segments(bleu: evaluate.Metric, path: str, rows: int) -> None:
    table = map_file(path, rows)
    bleu.compute(predictions=table["predictions"], references=table["references"], confidence=0.95)


def count_systems(bleu: evaluate.Metric, path: str, count: int) -> dict[str, pa.Table]:
    """Return the tables of systems; system k lacks the first 3 k characters of each row."""
    columns = map_file(path, SIZES[0])
    tables = {}
    for k in range(count):
        texts = pc.utf8_slice_codeunits(columns["predictions"], start=3 * k)
        tables[f"system {k}"] = bleu.statistics(predictions=texts, references=columns["references"])
    return tables


class Comparison(NamedTuple):
    """A call for several systems: its method, the number of systems, and the arguments beside their tables."""

    method: str
    systems: int
    arguments: dict[str, Any]


# Systems of one million segments.
COMPARISONS = {
    "`compare`, bootstrap, 5 systems, by segment": Comparison("compare", 5, {"test": "bootstrap"}),
    "`compare`, bootstrap, 5 systems, by document of 10": Comparison(
        "compare", 5, {"test": "bootstrap", "documents": DOCUMENT}
    ),
    "`compare`, randomization, 5 systems, by document of 10": Comparison(
        "compare", 5, {"documents": DOCUMENT}
    ),
    "`rank`, 30 systems, by document of 10": Comparison("rank", 30, {"documents": DOCUMENT}),
}


WAYS: dict[str, Callable[[evaluate.Metric, str, int], None]] = {
    "`compute` on columns of a memory-mapped file": compute_columns,
    "`statistics` of Parquet batches, summed": sum_statistics,
    "`add_batch` of Parquet batches, then `compute`": add_batches,
    "`compute` on Python lists": compute_lists,
}
# The interval of a score, by what is resampled, and the number of rows.
INTERVALS: dict[str, tuple[Callable[[evaluate.Metric, str, int], None], int]] = {
    "segments": (resample_segments, SIZES[0]),
    "blocks of 10,000 segments": (sum_documents, SIZES[0]),
    "blocks of 10,000 segments, of more rows": (sum_documents, SIZES[-1]),
}


class Measured(NamedTuple):
    """Seconds of a call, and MiB before it and at its peak."""

    seconds: float
    before: float
    peak: float


def measure_call(call: Callable[[], object]) -> Measured:
    peak, is_done = 0.0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not is_done.wait(0.02):
            peak = max(peak, memory())

    before, watcher = memory(), threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    is_done.set()
    watcher.join()
    return Measured(seconds, before, max(peak, before))


def measure(way: str, path: str, rows: int) -> list[str]:
    """Score the first rows of the file in one way and return seconds, rows per second and memory."""
    warnings.simplefilter("ignore")
    bleu = evaluate.load(METRIC)
    bleu.warm_up()
    if way in COMPARISONS:
        return compare(bleu, path, COMPARISONS[way])
    call = INTERVALS[way][0] if way in INTERVALS else WAYS[way]
    seconds, before, peak = measure_call(lambda: call(bleu, path, rows))
    return [f"{seconds:.2f}", f"{rows / seconds:,.0f}", f"{before:.0f}", f"{peak:.0f}"]


def compare(bleu: evaluate.Metric, path: str, comparison: Comparison) -> list[str]:
    """Compare tables of systems; return seconds, memory, and what is added per segment."""
    tables = count_systems(bleu, path, comparison.systems)
    arguments = dict(comparison.arguments)
    if "documents" in arguments:
        arguments["documents"] = [i // DOCUMENT for i in range(SIZES[0])]
    method = getattr(bleu, comparison.method)
    seconds, before, peak = measure_call(lambda: method(tables, **arguments))
    added = (peak - before) * 1024 * 1024 / SIZES[0]
    return [f"{seconds:.2f}", f"{before:.0f}", f"{peak:.0f}", f"{added:.0f}"]


def main(folder: str | None = None) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "segments.arrow"
        write(path)

        def run(way: str, rows: int) -> list[str]:
            command = [sys.executable, __file__, "measure", way, str(path), str(rows)]
            return subprocess.check_output(command, text=True).strip().split("\t")

        columns = ["seconds", "rows per second", "MiB before", "MiB at the peak"]
        print_table([f"{SIZES[0]:,} rows", *columns], ([way, *run(way, SIZES[0])] for way in WAYS))
        print_table(
            ["rows", *columns], ([f"{size:,}", *run(next(iter(WAYS)), size)] for size in SIZES)
        )
        print_table(
            ["interval, from draws of", "rows", *columns],
            ([way, f"{rows:,}", *run(way, rows)] for way, (_, rows) in INTERVALS.items()),
        )
        print_table(
            [
                f"tables of {SIZES[0]:,} segments",
                "seconds",
                "MiB before",
                "MiB at the peak",
                "bytes added per segment",
            ],
            ([way, *run(way, SIZES[0])] for way in COMPARISONS),
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        print(*measure(sys.argv[2], sys.argv[3], int(sys.argv[4])), sep="\t")
    else:
        main(*sys.argv[1:])
