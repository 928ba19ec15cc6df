"""The page's HTML, with every text escaped: its own pieces, and those that the metric shows in notebooks too.

The style of the page's own is in page.css, that of the metric's comes with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .metric import bleu

Explanation = Mapping[str, Any]

STYLE: str = bleu.html.STYLE
show = bleu.html.show
quantity = bleu.html.quantity
headline = bleu.html.headline
explanation = bleu.html.explanation
tokens = bleu.html.tokens
legend = bleu.html.legend
table = bleu.html.table


class Series(NamedTuple):
    """The bars of one kind in a chart.

    name: as the legend shows it.
    kind: the CSS classes.
    counts: matches and total of each order.
    """

    name: str
    kind: str
    counts: Sequence[tuple[int, int]]


def message(text: str, kind: str = "error") -> str:
    """A sentence in a box: an `"error"`, or a `"note"`.

    >>> message("a < b", "note")
    '<p class="bleu-message note" role="status">a &lt; b</p>'
    """
    role = "alert" if kind == "error" else "status"
    return f'<p class="bleu-message {kind}" role="{role}">{show(text)}</p>'


def heading(text: str) -> str:
    """A heading within a tab.

    >>> heading("a < b")
    '<h4>a &lt; b</h4>'
    """
    return f"<h4>{show(text)}</h4>"


def quote(text: str) -> str:
    """A sentence to quote.

    >>> quote("B scores 21.50 BLEU.")
    '<p class="bleu-quote">B scores 21.50 BLEU.</p>'
    """
    return f'<p class="bleu-quote">{show(text)}</p>'


def texts(name: str, paragraphs: Sequence[str]) -> str:
    """Texts under a heading.

    >>> texts("References", ["a", "b"])
    '<div class="bleu-tokens"><h4>References</h4><p dir="auto">a</p><p dir="auto">b</p></div>'
    """
    inner = "".join(f'<p dir="auto">{show(text)}</p>' for text in paragraphs)
    return f'<div class="bleu-tokens">{heading(name)}{inner}</div>'


def notes(messages: Sequence[str]) -> str:
    """A box for each message, without repetitions."""
    return "".join(message(text, "note") for text in dict.fromkeys(messages))


def bars(series: Sequence[Series], title: str) -> str:
    """A chart of precision by order: for each order a bar of each series, from 0 to 1.

    Args:
        series: with as many orders each.
        title: what stands above.

    >>> "2 of 7" in bars([Series("clipped", "clipped", [(2, 7)])], "Precision by order")
    True
    """
    groups = "".join(_bar_group(order, series) for order in range(1, len(series[0].counts) + 1))
    names = "".join(f'<span><i class="bar {kind}"></i>{show(name)}</span>' for name, kind, _ in series)
    return (
        f'<figure class="bleu-chart"><figcaption>{show(title)} <span class="names">{names}</span></figcaption>'
        f'<div class="plot">{groups}</div></figure>'
    )


def _bar_group(order: int, series: Sequence[Series]) -> str:
    columns = "".join(_bar(name, kind, *counts[order - 1]) for name, kind, counts in series)
    return f'<div class="group"><div class="bars">{columns}</div><div class="order">{order}-gram</div></div>'


def _bar(name: str, kind: str, matches: int, total: int) -> str:
    precision = matches / total if total else 0.0
    title = f"{name}: {matches:,} of {total:,} = {precision:.4f}"
    bar = f'<i class="bar {kind}" style="height:{100 * precision:.2f}%"></i>'
    return f'<div class="column" title="{show(title)}"><span class="value">{precision:.2f}</span>{bar}</div>'


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and values, side by side as they fit.

    >>> facts([("BLEU-1", "70.00")])
    '<dl class="bleu-facts"><div><dt>BLEU-1</dt><dd>70.00</dd></div></dl>'
    """
    inner = "".join(f"<div><dt>{show(name)}</dt><dd>{show(value)}</dd></div>" for name, value in pairs)
    return f'<dl class="bleu-facts">{inner}</dl>'
