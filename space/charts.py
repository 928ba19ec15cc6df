"""Charts as HTML and SVG, each with its numbers as text: bars, and shapes whose points can be clicked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .metric import bleu

show = bleu.html.show

_KINDS = {-1: "first", 0: "tie", 1: "second"}  # of points, by which system is better


class Point(NamedTuple):
    """A segment by its number, and its scores under two systems, from 0 to 100."""

    segment: int
    first: float
    second: float


class Change(NamedTuple):
    """What it is in words, and a score or the change of one."""

    words: str
    value: float


def precision_bars(
    counts: Sequence[int], totals: Sequence[int], precisions: Sequence[float], unclipped: Sequence[int] = ()
) -> str:
    """The precision of each order as a bar, hollow where smoothing made it.

    Args:
        counts: clipped matches.
        totals: n-grams.
        precisions: from 0 to 1, after smoothing.
        unclipped: matches before clipping; shown where they differ.

    >>> "<b>2/7</b> <small>7 before clipping</small>" in precision_bars([2], [7], [2 / 7], [7])
    True
    >>> "<b>0/6</b> <small>smoothed to 0.5/6</small>" in precision_bars([0], [6], [1 / 12])
    True
    """
    before = unclipped or counts
    bars = zip(range(1, len(counts) + 1), counts, totals, precisions, before)
    return f'<div class="bleu-orders">{"".join(_precision_bar(len(counts), *bar) for bar in bars)}</div>'


def _precision_bar(orders: int, order: int, count: int, total: int, precision: float, before: int) -> str:
    is_smoothed = abs(precision * total - count) > 1e-9 * max(total, 1)
    remarks = [f"{before:,} before clipping"] * (before > count) + [
        f"smoothed to {precision * total:.3g}/{total:,}"
    ] * is_smoothed
    unclipped = f'<i class="unclipped" style="width:{_percent(before, total)}"></i>' if before > count else ""
    kind = "smoothed" if is_smoothed else "clipped"
    bar = f'<i class="{kind}" style="width:{_percent(precision * total, total)};--match:{order / orders:.2g}"></i>'
    small = f" <small>{'; '.join(remarks)}</small>" if remarks else ""
    return (
        f'<div class="order"><span>{order}-gram</span> <span class="track" aria-hidden="true">{unclipped}{bar}</span>'
        f" <span><b>{count:,}/{total:,}</b>{small}</span></div>"
    )


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole if whole else 0:.1f}%"


def histogram(values: Any, low: float, high: float, bins: int, title: str) -> str:
    """How many values there are in each step from `low` to `high`; what lies beyond is in the last step.

    >>> histogram([1.0, 1.5, 9.0], 0, 4, 4, "Lengths").count("<i")
    4
    """
    counts, edges = np.histogram(np.clip(values, low, high), bins=bins, range=(low, high))
    tallest = max(counts.max(), 1)
    steps = [
        f'<i style="height:{100 * count / tallest:.1f}%" title="{start:g} to {end:g}: {count:,}"></i>'
        for count, start, end in zip(counts.tolist(), edges, edges[1:])
    ]
    most = int(np.argmax(counts))
    words = f"{title}: most, {counts[most]:,} of {counts.sum():,}, from {edges[most]:g} to {edges[most + 1]:g}"
    ends = f"<span>{low:g}</span><span>{(low + high) / 2:g}</span><span>{high:g}{' and more' * (high < 100)}</span>"
    return (
        f'<figure class="bleu-histogram"><figcaption class="bleu-label">{show(title)}</figcaption>'
        f'<div role="img" aria-label="{show(words)}">{"".join(steps)}</div>'
        f'<div class="ends" aria-hidden="true">{ends}</div></figure>'
    )


def scatter(points: Sequence[Point], names: tuple[str, str], words: str) -> str:
    """Segments of one system against those of another, as points that can be clicked.

    Args:
        points: those to draw.
        names: of the systems, along the axis from left to right and from bottom to top.
        words: what the chart shows, for those who can't see it.

    >>> 'data-segment="3"' in scatter([Point(3, 10.0, 20.0)], ("A", "B"), "B is better")
    True
    """
    circles = "".join(
        f'<circle class="{_KINDS[(second > first) - (second < first)]}" data-action="open" data-segment="{segment}"'
        f' cx="{first:.1f}" cy="{100 - second:.1f}" r="1.2">'
        f"<title>Segment {segment}: {first:.1f} and {second:.1f}</title></circle>"
        for segment, first, second in points
    )
    grid = "".join(f'<path class="grid" d="M{at},0V100M0,{at}H100"/>' for at in range(0, 101, 25))
    first, second = map(show, names)
    return (
        f'<figure class="bleu-scatter"><figcaption class="bleu-label">BLEU of {second} ↑ against {first} → by segment'
        f'</figcaption><svg viewBox="-3 -3 106 106" role="img" aria-label="{show(words)}">{grid}'
        f'<path class="equal" d="M0,100L100,0"/>{circles}'
        f'<text x="2" y="6">{second} is better</text><text x="98" y="98" text-anchor="end">{first} is better</text>'
        "</svg></figure>"
    )


def waterfall(start: Change, changes: Sequence[Change], end: Change) -> str:
    """From one score to another, a bar a change.

    Args:
        start, end: what they are, and the scores.
        changes: what each is, and by how much it changes the score.

    >>> waterfall(Change("yours", 50.0), [Change("case is ignored", 2.0)], Change("this", 52.0)).count("bleu-step")
    3
    """
    levels = [start.value]
    for change in changes:
        levels.append(levels[-1] + change.value)
    highest = max([*levels, end.value, 1.0])
    bars = [_step(start.words, 0, start.value, highest, "end", f"{start.value:.2f}")]
    bars += [
        _step(change.words, min(a, b), max(a, b), highest, "more" if b > a else "less", f"{change.value:+.2f}")
        for change, a, b in zip(changes, levels, levels[1:])
    ]
    bars.append(_step(end.words, 0, end.value, highest, "end", f"{end.value:.2f}"))
    return f'<ol class="bleu-waterfall">{"".join(bars)}</ol>'


def _step(words: str, low: float, high: float, highest: float, kind: str, value: str) -> str:
    style = f"left:{_percent(low, highest)};width:{_percent(high - low, highest)}"
    return (
        f'<li class="bleu-step"><span>{show(words)}</span> <span class="track" aria-hidden="true">'
        f'<i class="{kind}" style="{style}"></i></span> <b>{value}</b></li>'
    )
