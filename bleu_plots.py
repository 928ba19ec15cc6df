"""Results as plots, by matplotlib, which is imported when one plots and isn't needed otherwise.

Each function draws into `ax`, or into a new figure, and returns the Axes. Lightness and hatches carry the meaning, not
colours; lines and texts take theirs from matplotlib's style, so that a dark one works too. BLEU is from 0 to 100 here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

_BIN = 5  # BLEU points
_THICKNESS = 0.6  # of a bar in a waterfall
_LABEL = {"fontsize": "small"}
_ACCENT = "C0"
_OFFSET = {"textcoords": "offset points", **_LABEL}


class Step(NamedTuple):
    """A change of a setting, and by how many points it changes the score."""

    label: str
    difference: float


def plot_precisions(result: Mapping[str, Any], ax: Any = None) -> Any:
    """Precision by order: before clipping where it is known, after clipping, and after smoothing where that differs."""
    ax = _open(ax)
    clipped = _percentages(result["counts"], result["totals"])
    smoothed = [100 * precision for precision in result["precisions"]]
    series = {"after clipping": clipped}
    if "orders" in result:
        unclipped = [order["unclipped_matches"] for order in result["orders"]]
        series = {"before clipping": _percentages(unclipped, result["totals"]), **series}
    is_smoothed = np.abs(np.subtract(clipped, smoothed)) > 1e-9
    if is_smoothed.any():
        series["smoothed"] = np.where(is_smoothed, smoothed, np.nan).tolist()  # no bar where it says nothing new
    _draw_bars(ax, series)
    ax.set_xticks(range(len(clipped)), [f"{order}-gram" for order in range(1, len(clipped) + 1)])
    ax.set_ylim(0, 110)
    ax.set_yticks(range(0, 101, 20))
    ax.set_ylabel("precision (%)")
    return ax


def plot_segments(scores: Sequence[float], ax: Any = None) -> Any:
    """How many segments have which score.

    Args:
        scores: of each segment, from 0 to 1.
        ax: as everywhere here.
    """
    ax = _open(ax)
    counts, edges = np.histogram(100 * np.asarray(scores, float), bins=range(0, 100 + _BIN, _BIN))
    ax.bar(edges[:-1], counts, width=_BIN, align="edge", **_style(ax, "after clipping"))
    ax.set_xlim(0, 100)
    ax.set_xlabel(f"BLEU of a segment, in steps of {_BIN}")
    ax.set_ylabel("segments")
    ax.yaxis.get_major_locator().set_params(integer=True)
    return ax


def plot_systems(systems: Mapping[str, Mapping[str, Any]], baseline: str, ax: Any = None) -> Any:
    """The score of each system with its interval, the baseline's as a line across.

    Args:
        systems: as `compare` returns them.
        baseline: the name of one.
        ax: as everywhere here.
    """
    ax = _open(ax, height=1.2 + 0.45 * len(systems))
    ink = _ink(ax)
    for place, (name, system) in enumerate(systems.items()):
        score = system["score"]
        ends = [100 * end for end in system.get("confidence_interval", (score / 100, score / 100))]
        ax.plot(ends, [place, place], color=ink, linewidth=1.5, marker="|", markersize=9)
        ax.plot(score, place, "o", color=ink, markerfacecolor=ink if name == baseline else ax.get_facecolor())
        box = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 1}  # over the baseline's line
        ax.annotate(f"{score:.2f}", (score, place), (0, 8), ha="center", bbox=box, **_OFFSET)
    ax.axvline(systems[baseline]["score"], color=ink, linewidth=0.8, linestyle=":", zorder=0)
    names = [f"{name} (baseline)" if name == baseline else name for name in systems]
    ax.set_yticks(range(len(systems)), list(map(_plain, names)))
    ax.set_ylim(len(systems) - 0.5, -0.6)
    ax.margins(x=0.1)
    ax.set_xlabel("BLEU" + (", with its interval" if "confidence_interval" in systems[baseline] else ""))
    return ax


def plot_steps(start: str, steps: Sequence[Step], end: str, score: float, ax: Any = None) -> Any:
    """What each step makes of a score, as a waterfall.

    Args:
        start: what the score is called that the steps begin with.
        steps: in their order.
        end: what the score is called that they lead to.
        score: that score, from 0 to 100.
        ax: as everywhere here.
    """
    ax = _open(ax, height=1.2 + 0.45 * (len(steps) + 2))
    levels = score - sum(step.difference for step in steps) + np.cumsum([0.0, *(step.difference for step in steps)])
    ax.barh(0, levels[0], _THICKNESS, **_style(ax, "after clipping"))
    for place, (step, before, after) in enumerate(zip(steps, levels, levels[1:]), 1):
        kind = "gain" if step.difference > 0 else "loss"
        ax.barh(place, abs(step.difference), _THICKNESS, left=min(before, after), **_style(ax, kind))
        _write_beside(ax, max(before, after), place, f"{step.difference:+.2f}")
    ax.barh(len(levels), levels[-1], _THICKNESS, **_style(ax, "after clipping"))
    for place, level in ((0, levels[0]), (len(levels), levels[-1])):
        _write_beside(ax, level, place, f"{level:.2f}")
    for place, level in enumerate(levels):
        ax.plot([level, level], [place, place + 1], color=_ink(ax), linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(levels) + 1), [start, *(step.label for step in steps), end])
    ax.invert_yaxis()
    ax.set_xlim(0, max(1.0, *levels) * 1.15)
    ax.set_xlabel("BLEU")
    return ax


def plot_scatter(first: Sequence[float], second: Sequence[float], names: tuple[str, str], ax: Any = None) -> Any:
    """The segments of one system against another's: above the line the second is better.

    Args:
        first: the score of each segment under the first system, from 0 to 1.
        second: under the second.
        names: of the two systems.
        ax: as everywhere here.
    """
    ax = _open(ax, width=4.8, height=4.8)
    x, y = 100 * np.asarray(first, float), 100 * np.asarray(second, float)
    crowd = np.sqrt(len(x) + 1)
    opacity, size = float(np.clip(30 / crowd, 0.05, 0.6)), float(np.clip(150 / crowd, 12, 40))
    ax.plot([0, 100], [0, 100], color=_ink(ax), linewidth=0.8, zorder=0)
    ax.scatter(x, y, s=size, color=_ACCENT, alpha=opacity, linewidths=0)
    counts = {names[1]: (y > x).sum(), names[0]: (x > y).sum()}
    better = ", ".join(f"{_plain(name)} better in {count:,}" for name, count in counts.items())
    ax.set_title(f"{better} of {len(x):,} segments", fontsize="medium", wrap=True)
    ax.set_xlim(-2, 102)
    ax.set_ylim(-2, 102)
    ax.set_aspect("equal")
    ax.set_xlabel(f"BLEU of a segment, {_plain(names[0])}")
    ax.set_ylabel(f"BLEU of a segment, {_plain(names[1])}")
    return ax


def _open(ax: Any, width: float = 6.4, height: float = 3.6) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("A plot needs matplotlib: pip install matplotlib") from None
    if ax is None:
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _ink(ax: Any) -> Any:
    return ax.xaxis.label.get_color()


def _style(ax: Any, kind: str) -> dict[str, Any]:
    """A filled bar for what counts, and hollow or hatched ones for what is set beside it."""
    hatches = {"before clipping": "", "smoothed": "////", "gain": "", "loss": "////"}
    if kind not in hatches:
        return {"facecolor": _ACCENT, "edgecolor": _ink(ax), "linewidth": 0.8}
    return {"facecolor": "none", "edgecolor": _ink(ax), "linewidth": 0.8, "hatch": hatches[kind]}


def _draw_bars(ax: Any, series: Mapping[str, Sequence[float]]) -> None:
    width = 0.8 / len(series)
    for i, (name, heights) in enumerate(series.items()):
        places = np.arange(len(heights)) + (i - (len(series) - 1) / 2) * width
        bars = ax.bar(places, heights, width * 0.92, label=name, **_style(ax, name))
        ax.bar_label(bars, ["" if np.isnan(height) else f"{height:.1f}" for height in heights], **_LABEL, padding=2)
    if len(series) > 1:
        ax.legend(frameon=False, loc="upper right")


def _write_beside(ax: Any, x: float, y: float, text: str) -> None:
    ax.annotate(text, (x, y), (4, 0), va="center", **_OFFSET)


def _plain(text: str) -> str:
    return text.replace("$", r"\$")  # or matplotlib would read it as a formula


def _percentages(matches: Sequence[int], totals: Sequence[int]) -> list[float]:
    return [100 * match / total if total else 0.0 for match, total in zip(matches, totals)]
