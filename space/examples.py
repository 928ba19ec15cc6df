"""The texts that the fields hold at first: the paper's examples, as tutorials that build BLEU by hand use them."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """Two candidates for the same references, and how they are scored.

    candidate, second: the texts; `second` may be empty.
    references: one a line.
    convention: a name in the metric's `CONVENTIONS`.
    lowercase: the metric's option.
    """

    candidate: str
    second: str
    references: str
    convention: str
    lowercase: bool


_REFERENCES = """\
It is a guide to action that ensures that the military will forever heed Party commands
It is the guiding principle which guarantees the military forces always being under the command of the Party
It is the practical guide for the army always to heed the directions of the party"""

_FIRST = "It is a guide to action which ensures that the military always obeys the commands of the party"
_SECOND = "It is to insure the troops forever hearing the activity guidebook that party direct"
_SHUFFLED = "the that military a is It guide ensures which to commands the of action obeys always party the"

EXAMPLES = {
    "Two candidates (Papineni et al., example 1)": Example(_FIRST, _SECOND, _REFERENCES, "nltk", True),
    "The same words, shuffled": Example(_SHUFFLED, _FIRST, _REFERENCES, "nltk", True),
    "One word, thirteen times": Example(" ".join(["It"] * 13), "", _REFERENCES, "nltk", True),
    "the the the the (Papineni et al., example 2)": Example(
        # Without their full stops, so that it's 2 of 7 as in the paper.
        "the the the the the the the",
        "",
        "The cat is on the mat\nThere is a cat on the mat",
        "papineni",
        True,
    ),
    "A Chinese tutorial’s order of words": Example(
        "hello this is my code", "", "hello this code is not mine", "moses", False
    ),
}

CORPUS_PREDICTIONS = """\
The cat is sitting on the mat.
There is a dog in the garden.
He reads books."""

CORPUS_REFERENCES = """\
The cat sits on the mat.\tA cat is sitting on the mat.
There's a dog in the garden.
He is reading a book."""

SECOND_PREDICTIONS = """\
A cat sits on a mat.
There's a dog in the garden.
He is reading books."""
