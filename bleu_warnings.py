"""What a user should know though it isn't an error: one class of warnings, each given at most once a call."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .bleu_arrow import Int64, is_string, pieces, utf8

DETACHED_PERIODS = 100  # so many, and the text looks tokenised; sacreBLEU draws the line there too
UNSPACED_SHARE = 0.1  # of the predictions' characters

Tokenize = str | Callable[[str], list[str]]  # the option

# Han, Kana, Thai, Lao, Khmer and Burmese: the first two bytes that their characters have in UTF-8.
_UNSPACED = {0xE0: (0xB8, 0xBB), 0xE3: (0x81, 0xBF), **dict.fromkeys(range(0xE4, 0xEA), (0x80, 0xBF))}
_IS_UNSPACED = np.zeros((0x100, 0x100), bool)
for _first, (_low, _high) in _UNSPACED.items():
    _IS_UNSPACED[_first, _low : _high + 1] = True
_IS_UNSPACED[0xE1, [0x80, 0x81, 0x82, 0x9E, 0x9F]] = True
_IS_UNSPACED[0xE3, 0x84:0x90] = False  # Bopomofo and Hangul letters, and what is enclosed or squared


class BleuWarning(UserWarning):
    """A score that is right as asked for, but perhaps not what was meant."""


def warn(message: str) -> None:
    """Warns with the line that called the metric, directly or through evaluate."""
    inside = (__name__.split(".")[0], "evaluate")
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in inside:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, BleuWarning, stacklevel=level)


def warn_about_text(predictions: pa.ChunkedArray, tokenize: Tokenize, unspaced: int | None = None) -> None:
    """Warns where predictions don't look like the text that the tokenizer is for.

    Args:
        predictions: a column of texts; tokens and ids are as they were given, with nothing to warn of.
        tokenize: the option.
        unspaced: the sum of `count_unspaced_characters` over them, if somebody knows it.
    """
    if not is_string(predictions.type):
        return
    if tokenize in ("13a", "intl", "zh") and len(predictions) >= DETACHED_PERIODS:
        detached = sum(map(_count_detached_periods, pieces(predictions)))
        if detached >= DETACHED_PERIODS:
            warn(
                f"{detached:,} predictions end in a period that stands alone: they look tokenised, and tokenize="
                f"{tokenize!r} is for text that isn't. Detokenise it, or choose tokenize='none'."
            )
    if unspaced is None:
        unspaced = sum(count_unspaced_characters(piece, tokenize) for piece in pieces(predictions))
    characters = pc.sum(pc.utf8_length(predictions)).as_py() if unspaced else 0
    if unspaced > UNSPACED_SHARE * characters:
        warn(
            f"{unspaced / characters:.0%} of the predictions' characters are of a script that has no spaces between"
            f" words, which tokenize={tokenize!r} doesn't cut. Choose tokenize='zh', 'ja-mecab' or 'char'."
        )


def count_unspaced_characters(texts: pa.Array, tokenize: Tokenize, may_lack_spaces: bool = True) -> int:
    """How many characters are of scripts without spaces between words, if the tokenizer doesn't cut those.

    Args:
        texts: of any kind.
        tokenize: the option.
        may_lack_spaces: whether any such character may be there, for all that is known.

    >>> texts = pa.array(["BLEU 是"])
    >>> count_unspaced_characters(texts, "13a"), count_unspaced_characters(texts, "zh")
    (1, 0)
    """
    if not may_lack_spaces or tokenize not in ("13a", "intl", "none") or not is_string(texts.type):
        return 0
    text, _ = utf8(texts)
    if np.maximum.reduce(text, initial=0) < 0xE0:  # no character beyond U+07FF, where the first of them is
        return 0
    first = np.flatnonzero(text[:-1] >= 0xE0)
    pairs = text.take(first).astype(np.uint16) << 8 | text.take(first + 1)
    return int(np.count_nonzero(_IS_UNSPACED.take(pairs)))  # in half the time that an index of two arrays takes


def warn_about_zero(row: Int64, segments: int | None, orders: Sequence[int], is_effective: bool) -> None:
    """Warns that a score is 0: the cause, and what to do about it.

    Args:
        row: int64 [2 N + 2], the corpus's statistics row.
        segments: how many predictions there are, None if unknown.
        orders: those that the score is of, ascending.
        is_effective: whether it leaves out orders that the predictions are too short for.
    """
    warn(f"The score is 0: {' and '.join(_explain_zero(row, segments, orders, is_effective))}.")


def _explain_zero(row: Int64, segments: int | None, orders: Sequence[int], is_effective: bool) -> list[str]:
    *counts, length, reference_length = row.tolist()
    matches, totals = counts[: len(counts) // 2], counts[len(counts) // 2 :]
    if not length:
        plural = "" if segments == 1 else "s"
        return [f"{segments:,} empty prediction{plural}" if segments else "the predictions are empty"]
    if not reference_length:
        return ["the references are empty"]
    if not matches[0]:
        return ["no token of the predictions is in its references"]
    reasons = []
    if orders and not totals[orders[-1] - 1] and not is_effective:
        reasons.append(
            f"no prediction has {orders[-1]} tokens, which the longest n-gram takes (effective_order=True leaves out"
            " what they are too short for)"
        )
    if orders and not totals[orders[0] - 1] and is_effective:
        reasons.append(f"no prediction has {orders[0]} tokens, which the shortest n-gram with a weight takes")
    unmatched = [n for n in orders if totals[n - 1] and not matches[n - 1]]
    if unmatched and not reasons:
        reasons.append(
            f"no {unmatched[0]}-gram of the predictions is in its references (smooth_method='exp' counts half a match)"
        )
    return reasons or [
        f"the predictions are far too short, {length:,} tokens against {reference_length:,}: the brevity penalty is 0"
    ]


@cache
def warn_once_that_numba_is_missing() -> None:
    warn("numba can't be imported: the numbers are the same, but take a hundred times longer.")


def _count_detached_periods(predictions: pa.Array) -> int:
    return pc.sum(pc.ends_with(predictions, " .")).as_py() or 0
