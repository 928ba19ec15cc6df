"""Warnings about scores that are 0 or almost 0, with the reason and the option that helps.

Called by every method that prints a score. The reasons are one `Notice` each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..shared.arrays import Int64, Label
from ..shared.messages import Notice, count_things, show_value, warn
from .counting import Layout
from .scoring import bleu
from .smoothing import SMOOTH_METHODS

if TYPE_CHECKING:
    from ..options.options import Options


_NO_TOKENS = Notice("zero", "{name} is 0: {predictions}")
_NO_REFERENCE_TOKENS = Notice("zero", "{name} is 0: the references are empty")
_NO_MATCH = Notice("zero", "{name} is 0: no token of the predictions occurs in the references")
_TOO_SHORT = Notice(
    "zero",
    "{name} is 0: every prediction is shorter than {tokens}, so there are no {order}-grams",
    " (effective_order=True scores only the n-grams that exist)",
    option="effective_order",
    value=True,
)
_TOO_SHORT_FOR_WEIGHTS = Notice(
    "zero",
    "{name} is 0: every prediction is shorter than {tokens}, the shortest n-gram with a weight",
    " (pass weights for shorter ones)",
)
_NO_LONG_MATCH = Notice(
    "zero",
    "{name} is 0: no {order}-gram of the predictions occurs in the references",
    " (smooth_method='exp' avoids this)",
    option="smooth_method",
    value="exp",
)
_ALMOST_ZERO = Notice(
    "zero",
    "{name} is close to 0: no {order}-gram of the predictions occurs in the references",
    " (`bleu_by_order` has the scores of shorter n-grams)",
)
_FAR_TOO_SHORT = Notice(
    "zero",
    "{name} is 0: the predictions are far too short ({length:,} against {tokens}),"
    " so the brevity penalty rounds to 0",
)


def warn_if_zero(
    score: float, row: Int64, segments: int | None, options: Options, name: str = "The score"
) -> None:
    """Warn if a score is 0, or would be 0 without tiny numbers, with the cause and the fix.

    Args:
        score: the score of the row.
        row: int64 [2 N + 2], the statistics row of the corpus.
        segments: the number of predictions; None if unknown.
        options: supplies `weights`, `max_order`, `smooth_method` and `effective_order`.
        name: the score, as the subject of the message.
    """
    if not _is_zero(score, row, options):
        return
    layout = Layout.of_width(len(row))
    matches = row[layout.matches]
    totals = row[layout.totals]
    length = int(row[layout.length])
    reference_length = int(row[layout.reference_length])
    weights = options.weights or (1.0,) * options.max_order
    orders = [order for order, weight in enumerate(weights, 1) if weight]
    shortest = orders[0]
    longest = orders[-1]
    unmatched = [order for order in orders if totals[order - 1] and not matches[order - 1]]
    if not length:
        empty = count_things(segments, "empty prediction") if segments else ""
        warn(_NO_TOKENS, name=name, predictions=empty or "the predictions are empty")
    elif SMOOTH_METHODS[options.smooth_method].smooths_lengths:
        first = next((order for order in orders if not matches[order - 1]), longest)
        warn(_ALMOST_ZERO, name=name, order=first)
    elif not reference_length:
        warn(_NO_REFERENCE_TOKENS, name=name)
    elif not matches[0]:
        warn(_NO_MATCH, name=name)
    elif not totals[longest - 1] and not options.effective_order:
        warn(_TOO_SHORT, name=name, tokens=count_things(longest, "token"), order=longest)
    elif not totals[shortest - 1] and options.effective_order:
        warn(_TOO_SHORT_FOR_WEIGHTS, name=name, tokens=count_things(shortest, "token"))
    elif unmatched:
        warn(_NO_LONG_MATCH, name=name, order=unmatched[0])
    else:
        tokens = count_things(reference_length, "token")
        warn(_FAR_TOO_SHORT, name=name, length=length, tokens=tokens)


def _is_zero(score: float, row: Int64, options: Options) -> bool:
    """Return True if a score is 0, or if only the tiny numbers of `coco` keep it above 0."""
    if score == 0:
        return True
    if not SMOOTH_METHODS[options.smooth_method].smooths_lengths:
        return False
    weights = options.weights or (1.0,) * options.max_order
    matches = row[Layout.of_width(len(row)).matches].tolist()
    return any(weight and not count for weight, count in zip(weights, matches))


def warn_about_zeros(
    rows: Int64,
    options: Options,
    name: str,
    groups: Mapping[Label, Int64],
    *,
    has_segments: bool = True,
) -> None:
    """Warn if the score of a system is 0, in all or in a group.

    Args:
        rows: int64 [segments, 2 N + 2].
        options: as for `warn_if_zero`.
        name: the score of the system, as the subject of the message.
        groups: the segments of each label.
        has_segments: True if each row is that of one segment.
    """
    segments_of: dict[str, Int64 | slice] = {name: slice(None)}
    segments_of |= {f"{name} in group {show_value(label)}": groups[label] for label in groups}
    for subject, of_subject in segments_of.items():
        part = rows[of_subject]
        total = part.sum(axis=0)
        score = float(bleu(total, options))
        warn_if_zero(score, total, len(part) if has_segments else None, options, subject)
