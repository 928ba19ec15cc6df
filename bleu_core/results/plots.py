"""Pictures of results, drawn with matplotlib, which is imported when one plots.

Each function draws into `ax`, or into a new figure, and returns the Axes. BLEU is on the scale
0-100. Bars differ by fill and hatch, not by color. A new figure is gray on a transparent
background, to fit light and dark pages. Axes passed as `ax` keep their colors, and a new figure
takes those of a matplotlib style that is in effect.

Called by the `plot` methods of results. To draw another picture, write a function that takes `ax`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .wording import ResultDict, write_difference, write_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # results take it from here
    from matplotlib.typing import ColorType
else:
    Axes = Any


_THICKNESS = 0.6  # of a bar in a waterfall
_LABEL_SIZE = "small"
_RUN_OFFSET = 0.25  # of the dots of training runs from the row of their mean
# Its contrast is 4.5 on white, 4.6 on black, and 4.2 on the #111111 of JupyterLab's dark theme.
_GRAY = "#767676"
_PAGE: dict[Any, str] = {
    "axes.facecolor": "none",
    "text.color": _GRAY,
    "axes.labelcolor": _GRAY,
    "axes.edgecolor": _GRAY,
    "xtick.color": _GRAY,
    "ytick.color": _GRAY,
}
# The hatches of hollow bars, by kind. Bars of other kinds are filled.
_HATCHES = {"before clipping": "", "smoothed": "////", "gain": "", "loss": "////"}


class FormulaStep(NamedTuple):
    """A change of a setting, and the resulting difference of the score in points."""

    label: str
    difference: float


def plot_precisions(result: ResultDict, ax: Axes | None = None) -> Axes:
    """Plot precision by order, after clipping.

    Bars for precision before clipping are added if it is known, and bars for precision after
    smoothing if smoothing changed it.
    """
    ax = _open(ax)
    # 1. The series, in percent.
    totals = np.maximum(result["totals"], 1)
    series = {}
    if "orders" in result:
        unclipped = np.array([order["unclipped_matches"] for order in result["orders"]])
        series["before clipping"] = 100 * unclipped / totals
    clipped = 100 * np.asarray(result["counts"]) / totals
    series["after clipping"] = clipped
    smoothed = 100 * np.asarray(result["precisions"])
    is_smoothed = np.abs(clipped - smoothed) > 1e-9
    if is_smoothed.any():
        series["smoothed"] = np.where(is_smoothed, smoothed, np.nan)  # a bar only if it differs
    # 2. The bars of an order stand side by side, around its tick.
    width = 0.8 / len(series)
    for number, (name, heights) in enumerate(series.items()):
        positions = np.arange(len(heights)) + (number - (len(series) - 1) / 2) * width
        bars = ax.bar(positions, heights, width * 0.92, label=name, **_style(ax, name))
        labels = ["" if np.isnan(height) else f"{height:.1f}" for height in heights]
        ax.bar_label(bars, labels, padding=2, color=_ink(ax), fontsize=_LABEL_SIZE)
    # 3. Labels and scales.
    if len(series) > 1:
        ax.legend(frameon=False, loc="upper right", labelcolor=_ink(ax))
    ax.set_xticks(range(len(totals)), [f"{order}-gram" for order in range(1, len(totals) + 1)])
    ax.set(ylim=(0, 110), yticks=range(0, 101, 20), ylabel="precision (%)")
    return ax


class PlottedScore(NamedTuple):
    """A row of `plot_scores`, in points.

    name: the label of the row.
    score: the dot.
    ends: the line, an interval; empty without one.
    run_scores: the hollow dots below the line, if there are several.
    """

    name: str
    score: float
    ends: Sequence[float]
    run_scores: Sequence[float] = ()


def plot_scores(
    rows: Sequence[PlottedScore], line: float, interval: str = "", ax: Axes | None = None
) -> Axes:
    """Plot scores with their intervals, one below the other, and a vertical line for comparison.

    Args:
        rows: the scores.
        line: the score at the vertical line.
        interval: the meaning of the intervals.
        ax: the Axes to draw into; None for a new figure.
    """
    ax = _open(ax, height=1.2 + 0.45 * len(rows))
    ink = _ink(ax)
    for row, plotted in enumerate(rows):
        ends = plotted.ends or [plotted.score] * 2
        ax.plot(ends, [row, row], color=ink, linewidth=1.5, marker="|", markersize=9)
        ax.plot(plotted.score, row, "o", color=ink)
        if len(plotted.run_scores) > 1:
            run_row = [row + _RUN_OFFSET] * len(plotted.run_scores)
            ax.plot(
                plotted.run_scores, run_row, "o", markersize=4, markerfacecolor="none", color=ink
            )
        # x is 1 at the right edge of the Axes.
        _write_beside(ax, 1, row, f"{plotted.score:.2f}", xycoords=("axes fraction", "data"))
    ax.axvline(line, color=ink, linewidth=0.8, linestyle=":", zorder=0)
    # matplotlib would read text between dollars as a formula.
    names = [write_name(plotted.name).replace("$", r"\$") for plotted in rows]
    ax.set_yticks(range(len(rows)), names)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.margins(x=0.1)
    label = "BLEU"
    if any(plotted.ends for plotted in rows):
        label += f", with {interval}"
    if any(len(plotted.run_scores) > 1 for plotted in rows):
        label += "\nhollow: training runs"
    ax.set_xlabel(label)
    return ax


def plot_steps(
    start: str, steps: Sequence[FormulaStep], end: str, score: float, *, ax: Axes | None = None
) -> Axes:
    """Plot the effect of each step as a waterfall, from the bar `start` to the bar `end`.

    `score` is the score after the last step.
    """
    ax = _open(ax, height=1.2 + 0.45 * (len(steps) + 2))
    differences = [step.difference for step in steps]
    # levels[0] is the score before the first step, levels[i] the score after step i.
    levels = score - sum(differences) + np.cumsum([0.0, *differences])
    # 1. Bars: both scores from 0, and each step from the score before it to the score after it.
    last_row = len(levels)
    ax.barh(0, levels[0], _THICKNESS, **_style(ax, "after clipping"))
    for row, step in enumerate(steps, 1):
        ends = levels[row - 1 : row + 1]
        style = _style(ax, "gain" if step.difference > 0 else "loss")
        ax.barh(row, abs(step.difference), _THICKNESS, left=min(ends), **style)
        _write_beside(ax, max(ends), row, write_difference(step.difference))
    ax.barh(last_row, levels[-1], _THICKNESS, **_style(ax, "after clipping"))
    for row, level in ((0, levels[0]), (last_row, levels[-1])):
        _write_beside(ax, level, row, f"{level:.2f}")
    # 2. A line from each bar to the next one.
    for row, level in enumerate(levels):
        ax.plot([level, level], [row, row + 1], color=_ink(ax), linewidth=0.8, zorder=0)
    # 3. Labels and scales.
    ax.set_yticks(range(last_row + 1), [start, *(step.label for step in steps), end])
    ax.invert_yaxis()
    ax.set(xlim=(0, 1.15 * max(1.0, levels.max())), xlabel="BLEU")
    return ax


def _open(ax: Axes | None, height: float = 3.6) -> Axes:
    """Return the Axes to draw into, which are those of a new figure if `ax` is None."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib import rcParamsDefault
    except ImportError:
        raise ImportError("Plots need matplotlib. Install it: pip install matplotlib") from None
    if ax is None:
        has_style = any(plt.rcParams[key] != rcParamsDefault[key] for key in _PAGE)
        # No frame, because JupyterLab puts a white panel behind a frame with a transparent color.
        figure = plt.figure(figsize=(6.4, height), layout="constrained", frameon=has_style)
        with plt.rc_context({} if has_style else _PAGE):
            ax = figure.subplots()
    if ax.name != "rectilinear" or "log" in (ax.get_xscale(), ax.get_yscale()):
        raise ValueError(
            "ax: expected linear scales, because BLEU starts at 0. Pass Axes such as those of"
            " plt.subplots()."
        )
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _ink(ax: Axes) -> ColorType:
    """Return the color of the Axes' labels, for lines and texts."""
    return ax.xaxis.label.get_color()


def _style(ax: Axes, kind: str) -> dict[str, Any]:
    """Return the style of a bar: filled for counted values, hollow for those compared with them."""
    fill = {"facecolor": "C0"}
    if kind in _HATCHES:
        fill = {"facecolor": "none", "hatch": _HATCHES[kind]}
    return {"edgecolor": _ink(ax), "linewidth": 0.8, **fill}


def _write_beside(
    ax: Axes, x: float, y: float, text: str, *, xycoords: str | tuple[str, str] = "data"
) -> None:
    """Write a text to the right of a point."""
    ax.annotate(
        text,
        (x, y),
        xytext=(4, 0),
        xycoords=xycoords,
        textcoords="offset points",
        va="center",
        color=_ink(ax),
        fontsize=_LABEL_SIZE,
    )
