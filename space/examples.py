"""The page's examples: sentences of the paper, as tutorials that build BLEU by hand use them, and a small corpus."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Example(NamedTuple):
    """One or two candidates for the same references, and how they are scored.

    candidate, second: the texts; the second may be empty.
    references: one a line.
    convention: a name in the metric's `CONVENTIONS`.
    options: what differs from it.
    """

    candidate: str
    second: str
    references: str
    convention: str
    options: dict[str, bool]


_REFERENCES = """\
It is a guide to action that ensures that the military will forever heed Party commands
It is the guiding principle which guarantees the military forces always being under the command of the Party
It is the practical guide for the army always to heed the directions of the party"""

_FIRST = "It is a guide to action which ensures that the military always obeys the commands of the party"
_SECOND = "It is to insure the troops forever hearing the activity guidebook that party direct"
_SHUFFLED = "the that military a is It guide ensures which to commands the of action obeys always party the"

EXAMPLES = {
    # The first is what the page opens with: as sacreBLEU scores it, which here is the paper's number as well.
    "Papineni, example 1": Example(_FIRST, "", _REFERENCES, "default", {}),
    "two candidates": Example(_FIRST, _SECOND, _REFERENCES, "default", {}),
    "the same words, shuffled": Example(_SHUFFLED, _FIRST, _REFERENCES, "nltk", {"lowercase": True}),
    "the the the the": Example(
        # Papineni's example 2 without its full stops, so that it's 2 of 7 as in the paper.
        "the the the the the the the",
        "",
        "The cat is on the mat\nThere is a cat on the mat",
        "papineni",
        {"lowercase": True},
    ),
    "one word, thirteen times": Example(" ".join(["It"] * 13), "", _REFERENCES, "nltk", {"lowercase": True}),
    "a short sentence": Example("the cat", "", "the cat", "default", {}),
    "日本語": Example("猫がマットの上に座っています。", "", "猫はマットの上に座っています。", "default", {}),
    "العربية": Example("جلست القطة على السجادة .", "", "جلست القطة فوق السجادة .", "default", {}),
}

EXAMPLE_NOTE = (
    "40 segments written for this page, with two references, and three systems: atlas translates freely and well,"
    " birch word by word, cedar in a hurry."
)


def read_example() -> tuple[dict[str, list[str]], list[list[str]]]:
    """The example's systems and references.

    >>> systems, references = read_example()
    >>> list(systems), len(references)
    (['atlas', 'birch', 'cedar'], 40)
    """
    text = Path(__file__).with_name("example.tsv").read_text(encoding="utf-8")
    (_, _, *names), *rows = [line.split("\t") for line in text.splitlines()]
    return {name: [row[i] for row in rows] for i, name in enumerate(names, 2)}, [row[:2] for row in rows]
