"""Data to measure on: real system outputs where they are at hand, made-up text of the same shape elsewhere."""

import itertools
import random
import string
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

from helpers import WMT21, read_lines

PAIRS = {"de-en": "AB", "cs-en": "AB", "ru-en": "AB", "en-de": "AC", "en-cs": "AB"}


def wmt21(rows: int) -> tuple[list[str], list[list[str]]]:
    """Rows of WMT21 outputs with two references each, in a fixed random order."""
    found = []
    for pair, names in PAIRS.items():
        target = pair.split("-")[1]
        streams = [read_lines(WMT21 / "references" / f"newstest2021.{pair}.ref.{name}.{target}") for name in names]
        for output in sorted((WMT21 / "system-outputs").glob(f"newstest2021.{pair}.hyp.*.{target}")):
            found.extend(zip(read_lines(output), zip(*streams)))
    random.Random(0).shuffle(found)
    predictions, references = zip(*itertools.islice(itertools.cycle(found), rows))
    return list(predictions), [list(row) for row in references]


def made_up(rows: int) -> tuple[list[str], list[list[str]]]:
    """Sentences of words by Zipf's law; a reference is the prediction with a third of its words exchanged."""
    generator = random.Random(0)
    words = ["".join(generator.choices(string.ascii_lowercase, k=generator.randrange(2, 10))) for _ in range(20_000)]
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    predictions, references = [], []
    for _ in range(rows):
        tokens = generator.choices(words, cum_weights=weights, k=generator.randrange(8, 40))
        predictions.append(" ".join(tokens).capitalize() + ".")
        row = []
        for _ in range(2):
            others = generator.choices(words, cum_weights=weights, k=len(tokens))
            mixed = [other if generator.random() < 1 / 3 else token for token, other in zip(tokens, others)]
            row.append(" ".join(mixed).capitalize() + ".")
        references.append(row)
    return predictions, references


def renew(value: Any) -> Any:
    """The same texts, as strings and lists that are new: Python keeps a string's UTF-8 once somebody has asked for it."""
    if isinstance(value, list):
        return [renew(item) for item in value]
    return value.encode().decode() if isinstance(value, str) else value


def corpus(rows: int) -> tuple[str, list[str], list[list[str]]]:
    """What the data is called, predictions, and two references for each."""
    return ("WMT21", *wmt21(rows)) if WMT21.is_dir() else ("made-up text", *made_up(rows))
