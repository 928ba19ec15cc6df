"""What a user should be told though it isn't an error: one class of warnings, at most one of each kind a call."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .bleu_arrow import kind, slices, utf8
from .bleu_options import Options

DETACHED_PERIODS = 100  # so many, and the text looks tokenised; sacreBLEU draws the line there too
UNSPACED_SHARE = 0.1  # of the predictions' characters

# Han, Kana, Thai, Lao, Khmer and Burmese: the first two bytes that their characters have in UTF-8.
_UNSPACED = {0xE0: (0xB8, 0xBB), 0xE3: (0x81, 0xBF), **dict.fromkeys(range(0xE4, 0xEA), (0x80, 0xBF))}
_IS_UNSPACED = np.zeros((0x100, 0x100), bool)
for _first, (_low, _high) in _UNSPACED.items():
    _IS_UNSPACED[_first, _low : _high + 1] = True
_IS_UNSPACED[0xE1, [0x80, 0x81, 0x82, 0x9E, 0x9F]] = True
_IS_UNSPACED[0xE3, 0x84:0x90] = False  # Bopomofo and Hangul letters, and what is enclosed or squared


class BleuWarning(UserWarning):
    """A score that's right as asked for, but perhaps not what was meant."""


def warn(message: str) -> None:
    """Warns with the line that called the metric, be it through evaluate or not."""
    inside = (__name__.split(".")[0], "evaluate")
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in inside:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, BleuWarning, stacklevel=level)


def warn_about_text(table: pa.Table, options: Options) -> None:
    """Warns where the predictions are text that doesn't look like what the tokenizer is for.

    Args:
        table: what `bleu_inputs.columns` returns.
        options: `tokenize` is looked at.
    """
    if kind(table) != "text":
        return
    predictions = table["predictions"]
    if options.tokenize in ("13a", "intl", "zh"):
        detached = sum(map(_ends_in_detached_period, slices(predictions)))
        if detached >= DETACHED_PERIODS:
            warn(
                f"{detached:,} predictions end in a period that stands alone: they look tokenised, and tokenize="
                f"{options.tokenize!r} is for text that isn't. Detokenise it, or choose tokenize='none'."
            )
    if options.tokenize in ("13a", "intl", "none"):
        found, characters = np.sum([unspaced_characters(utf8(piece)[0]) for piece in slices(predictions)], axis=0)
        if found > UNSPACED_SHARE * characters:
            warn(
                f"{found / characters:.0%} of the predictions' characters are of a script that has no spaces between"
                f" words, which tokenize={options.tokenize!r} doesn't cut. Choose tokenize='zh', 'ja-mecab' or 'char'."
            )


def _ends_in_detached_period(predictions: pa.Array) -> int:
    return pc.sum(pc.ends_with(predictions, " .")).as_py() or 0


def unspaced_characters(text: np.ndarray) -> tuple[int, int]:
    """How many characters are of scripts without spaces between words, and how many there are.

    >>> unspaced_characters(np.frombuffer("BLEU 是".encode(), np.uint8))
    (1, 6)
    """
    characters = int(np.count_nonzero(text.view(np.int8) >= -0x40))  # all bytes but the continuing ones, 0x80 to 0xBF
    first = np.flatnonzero(text[:-1] >= 0xE0)
    return int(np.count_nonzero(_IS_UNSPACED[text[first], text[first + 1]])), characters


def warn_about_zero(row: np.ndarray, empty: int | None) -> None:
    """Warns that a score is 0, and why.

    Args:
        row: int64 [2 N + 2], the corpus's statistics row.
        empty: how many predictions have no token, None if unknown.
    """
    max_order = len(row) // 2 - 1
    reasons = [f"{empty:,} empty prediction{'s' if empty > 1 else ''}"] if empty else []
    without_match = np.flatnonzero(row[:max_order] == 0)
    if row[-2] and len(without_match):
        n = int(without_match[0])
        if row[max_order + n]:
            reasons.append(f"no {n + 1}-gram of the predictions is in its references")
        else:
            reasons.append(f"no prediction has {n + 1} tokens (effective_order=True leaves longer n-grams out)")
    warn(f"The score is 0: {' and '.join(reasons) or 'there is no token in any prediction'}.")
