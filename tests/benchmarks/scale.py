"""Millions of segments from a memory-mapped Arrow file: rows a second, and memory that doesn't grow with the corpus.

    python tests/benchmarks/scale.py [folder for a file of 2.5 GB]

Each size is scored in a process of its own. "own memory" is what the process has allocated at its peak; pages of the
mapped file, which the system may take back at any time, are in "with the file's pages" too. Linux only.
"""

import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import pyarrow as pa
from corpora import corpus

ROOT = Path(__file__).resolve().parents[2]
SIZES = (1_000_000, 3_000_000, 10_000_000)
PIECE = 40_000  # rows a record batch


def write(path: Path) -> str:
    """Fills the file with the same piece over and over; returns what the data is called."""
    name, predictions, references = corpus(PIECE)
    batch = pa.record_batch({"predictions": predictions, "references": [row[:1] for row in references]})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        for _ in range(SIZES[-1] // PIECE):
            writer.write_batch(batch)
    return name


def memory(kind: str) -> int:
    """Resident kilobytes of this process: `RssAnon` its own, `VmRSS` with the pages of files."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(kind + ":"):
            return int(line.split()[1])
    raise RuntimeError(f"no {kind} in /proc/self/status")


def measure(path: str, rows: int) -> None:
    """Scores the first rows of the file and prints a line of the table."""
    import evaluate

    warnings.simplefilter("ignore")
    bleu = evaluate.load(str(ROOT / "bleu_metric.py"))
    bleu.compute(predictions=["the cat sat"], references=["the cat sat"])
    with pa.memory_map(path) as source:
        file = pa.ipc.open_file(source)
        table = pa.Table.from_batches([file.get_batch(i) for i in range(rows // PIECE)])
        peaks, done = {"RssAnon": 0, "VmRSS": 0}, threading.Event()

        def watch() -> None:
            while not done.wait(0.02):
                for kind in peaks:
                    peaks[kind] = max(peaks[kind], memory(kind))

        before, watcher = memory("RssAnon"), threading.Thread(target=watch)
        watcher.start()
        start = time.perf_counter()
        result = bleu.compute(predictions=table["predictions"], references=table["references"])
        seconds = time.perf_counter() - start
        done.set()
        watcher.join()
    print(
        f"{rows:>11,} {seconds:>8.2f} {rows / seconds:>12,.0f} {before / 1024:>14.0f} {peaks['RssAnon'] / 1024:>11.0f}"
        f" {peaks['VmRSS'] / 1024:>22.0f}   {result['score']:.4f}",
        flush=True,
    )


def main(folder: str | None = None) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "segments.arrow"
        name = write(path)
        print(f"{name}, one reference each, {path.stat().st_size / 1e9:.1f} GB; memory in MiB\n")
        print(
            f"{'rows':>11} {'seconds':>8} {'rows/second':>12} {'before, own':>14} {'peak, own':>11} {'with file pages':>22}   BLEU"
        )
        for rows in SIZES:
            subprocess.run([sys.executable, __file__, "measure", str(path), str(rows)], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(sys.argv[2], int(sys.argv[3]))
    else:
        main(*sys.argv[1:])
