"""Millions of segments from a memory-mapped Arrow file: rows per second and memory.

    python tests/benchmarks/scale.py [folder for a file of 2.5 GB]

Each size is scored in a process of its own. Memory is what the process has allocated, without the pages of the mapped
file, which the system may take back at any time. Linux only.
"""

import re
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import evaluate
import pyarrow as pa
from common import METRIC, corpus, print_table

SIZES = (1_000_000, 3_000_000, 10_000_000)
BATCH = 40_000  # rows per record batch


def write(path: Path) -> None:
    """Fill a file with the same record batch again and again."""
    predictions, references = corpus(BATCH)[1]
    batch = pa.record_batch({"predictions": predictions, "references": [row[:1] for row in references]})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        for _ in range(SIZES[-1] // BATCH):
            writer.write_batch(batch)


def memory() -> float:
    """Return the resident MiB of this process without pages of files."""
    return int(re.search(r"RssAnon:\s+(\d+)", Path("/proc/self/status").read_text()).group(1)) / 1024


def measure(path: str, rows: int) -> list[str]:
    """Score the first rows of the file and return a row of the table."""
    warnings.simplefilter("ignore")
    bleu, peak, is_done = evaluate.load(METRIC), 0.0, threading.Event()
    bleu.warm_up()

    def watch() -> None:
        nonlocal peak
        while not is_done.wait(0.02):
            peak = max(peak, memory())

    with pa.memory_map(path) as source:
        file = pa.ipc.open_file(source)
        table = pa.Table.from_batches([file.get_batch(i) for i in range(rows // BATCH)])
        before, watcher = memory(), threading.Thread(target=watch)
        watcher.start()
        start = time.perf_counter()
        bleu.compute(predictions=table["predictions"], references=table["references"])
        seconds = time.perf_counter() - start
        is_done.set()
        watcher.join()
    return [f"{rows:,}", f"{seconds:.2f}", f"{rows / seconds:,.0f}", f"{before:.0f}", f"{peak:.0f}"]


def main(folder: str | None = None) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "segments.arrow"
        write(path)
        command = [sys.executable, __file__, "measure", str(path)]
        rows = (subprocess.check_output([*command, str(size)], text=True).strip().split("\t") for size in SIZES)
        print_table(["rows", "seconds", "rows per second", "MiB before", "MiB at the peak"], rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        print(*measure(sys.argv[2], int(sys.argv[3])), sep="\t")
    else:
        main(*sys.argv[1:])
