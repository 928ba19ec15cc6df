"""WMT21's system outputs, references and published scores, read from where they lie: no part of the project."""

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path

WMT21 = Path(__file__).resolve().parents[2] / "shared" / "wmt21"


TOKENIZERS = {"zh": "zh", "ja": "char"}  # as WMT scored Chinese and Japanese; 13a otherwise


@cache
def read_lines(path: Path) -> list[str]:
    """The segments of a file, one a line."""
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def read_published() -> Iterator[dict[str, str]]:
    """The rows of published scores."""
    with open(WMT21 / "published-bleu.tsv", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def read_system(row: dict[str, str]) -> tuple[list[str], list[tuple[str, ...]], str]:
    """A row's segments, their references (all of them for `bleu-all`, else the named one), and its tokenizer."""
    target = row["pair"].split("-")[1]
    which = row["metric"].removeprefix("bleu-").replace("all", "*")
    output = next((WMT21 / "system-outputs").glob(f"*.{row['pair']}.hyp.{row['system']}.{target}"))
    streams = sorted((WMT21 / "references").glob(f"*.{row['pair']}.ref.{which}.{target}"))
    return read_lines(output), list(zip(*map(read_lines, streams))), TOKENIZERS.get(target, "13a")
