"""The HTML of the demo, with every text escaped: pieces that the metric shows in notebooks too, and charts.

Each chart has its numbers as text. The metric's pieces come with their own style; page.css has the rest.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import gradio as gr
import numpy as np

from .metric import report
from .remedies import Remedy

STYLE: str = report.STYLE
Markup = report.Markup
show = report.show
count_things = report.count_things
headline = report.headline
tokens = report.tokens
legend = report.legend
paragraph = report.paragraph
draw_interval = report.draw_interval

LINK_BUTTON = (
    '<button type="button" class="bleu-copy bleu-link" data-copy="">Copy link</button>'
    '<small class="bleu-no-link">Too long for a link</small>'
)

_FIRST_ROWS = 10  # of a list of segments; page.css hides the others
_ROOTS = {2: "square root", 3: "cube root", 4: "fourth root"}
_DECIMAL = r"[+-]?\d[\d,]*(\.\d+)?"
_NUMBERS = re.compile(rf"({_DECIMAL}(( to | : ){_DECIMAL}| and more)?)?")
# exp(1 - r/c), with 100 as the length of the reference and as a penalty of 1.
_CURVE = f"M0,100L{' '.join(f'{c},{100 - 100 * math.exp(1 - 100 / c):.1f}' for c in range(5, 101, 5))}H150"
_SIDES = {-1: "first", 0: "tie", 1: "second"}  # the class of a point, by the better system

_ON_LOAD = """
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (button) trigger("click", { ...button.dataset });
});
"""


class Point(NamedTuple):
    """A segment by its number, and its scores under two systems, from 0 to 100."""

    segment: int
    first: float
    second: float


class Change(NamedTuple):
    """A phrase, and a score or the change of a score."""

    words: str
    value: float


def add_html(text: str = "", **details: Any) -> gr.HTML:
    """Add HTML to the demo."""
    return gr.HTML(text, elem_classes="bleu-page", **details)


def add_clickable(text: str, elem_id: str) -> gr.HTML:
    """Add HTML with buttons; `event.x` of its click event is the `data-x` of the button."""
    return add_html(text, elem_id=elem_id, js_on_load=_ON_LOAD)


def add_system_field(label: str, elem_id: str, **details: Any) -> gr.Dropdown:
    """Add a choice among systems. Gradio forgets the choices of old sessions, and would reject each value then."""
    return gr.Dropdown([], label=label, elem_id=elem_id, allow_custom_value=True, **details)


def button(text: str, action: str, **data: str) -> Any:
    """Return a button of a clickable component.

    >>> button("Use zh", "apply", options="{}")
    '<button type="button" class="bleu-button" data-action="apply" data-options="{}">Use zh</button>'
    """
    attributes = "".join(f' data-{name}="{show(value)}"' for name, value in data.items())
    return Markup(f'<button type="button" class="bleu-button" data-action="{action}"{attributes}>{show(text)}</button>')


def copy_button(text: str, what: str) -> Any:
    """Return a button that copies a sentence.

    >>> copy_button("BLEU 1.00.", "score")
    '<button type="button" class="bleu-copy" data-copy="BLEU 1.00." title="BLEU 1.00.">Copy score</button>'
    """
    title = f' title="{show(text)}"' * ("\n" not in text)
    copied = escape(text)  # as it is: a table has lines
    return Markup(f'<button type="button" class="bleu-copy" data-copy="{copied}"{title}>Copy {show(what)}</button>')


def segment_button(number: int | str) -> Any:
    """Return the button that opens a segment.

    >>> segment_button(7).partition("data-segment=")[2]
    '"7" aria-label="Open segment 7">7</button>'
    """
    attributes = f'data-action="open" data-segment="{number}" aria-label="Open segment {number}"'
    return Markup(f'<button type="button" class="bleu-button" {attributes}>{number}</button>')


def code(title: str, text: str) -> str:
    """Return code with a heading and a button that copies it."""
    lines = "\n".join(map(show, text.strip().split("\n")))
    return f'<h2>{show(title)} {copy_button(text, "it")}</h2><pre class="bleu-code">{lines}</pre>'


def json_text(value: Any) -> str:
    """Return a value as JSON, for a button or for JavaScript."""
    return json.dumps(value, ensure_ascii=False)


def formula(result: Mapping[str, Any], unit: str) -> str:
    """Return the formula of a score with a label below each factor, and the lengths behind the brevity penalty."""
    terms = [
        (_label_factor(factor.text, f"{n}-{unit} precision", factor.is_smoothed), weight)
        for n, (factor, weight) in enumerate(report.list_factors(result), 1)
    ]
    root = _label_factor("<sup>{}</sup>", name_root(len(terms)))
    penalty = _label_factor(report.write_number(result["brevity_penalty"]), "brevity penalty")
    is_smoothed = "smoothed" in "".join(text for text, _ in terms)
    smoothed = "; dashed: smoothed, because a factor of 0 would make the score 0" * is_smoothed
    return (
        f'<p class="bleu-formula">= {penalty} · {report.multiply(terms, root, root)}</p>'
        f'<p class="bleu-note">{report.describe_penalty(result)}{smoothed}</p>'
    )


def _label_factor(text: str, label: str, is_smoothed: bool = False) -> str:
    return f'<span class="factor{" smoothed" * is_smoothed}" data-label="{label}">{text}</span>'


def name_root(number: int) -> str:
    """Return the name of a root.

    >>> name_root(4), name_root(5)
    ('fourth root', '5th root')
    """
    return _ROOTS.get(number, f"{number}th root")


def reference(number: int, text: Mapping[str, Any], max_order: int, remark: str) -> str:
    """Return the tokens of a reference; a visitor may close it."""
    label = f"Reference {number}{remark} <small>{count_things(text['length'], 'token')}</small>"
    return (
        f'<details open class="bleu-reference" data-fold="reference {number}"><summary class="bleu-label">{label}'
        f"</summary>{tokens(text, max_order, '')}</details>"
    )


def remedies(found: Sequence[Remedy]) -> str:
    """Return a box for each finding, with its button."""
    return "".join(
        f'<p class="bleu-message note">{show(remedy.finding)}'
        f" {button(remedy.button, 'apply', options=json_text(remedy.options), fix=remedy.fix)}</p>"
        for remedy in found
    )


def message(text: str, kind: str = "error") -> str:
    """Return a sentence in a box: an `"error"` or a `"note"`.

    >>> message("a < b", "note")
    '<p class="bleu-message note" role="status">a &lt; b</p>'
    """
    role = "alert" if kind == "error" else "status"
    return f'<p class="bleu-message {kind}" role="{role}">{show(text)}</p>'


def notes(messages: Sequence[str]) -> str:
    """Return a box for each different message."""
    return "".join(message(text, "note") for text in dict.fromkeys(messages))


def list_files(files: Sequence[tuple[str, str]]) -> str:
    """Return the names and descriptions of files for screen readers; page.js puts a description below its file's name.

    >>> list_files([("a.txt", "40 segments")])
    '<div class="bleu-unseen" role="status"><ul><li>a.txt: <span data-file>40 segments</span></li></ul></div>'
    """
    items = "".join(f"<li>{show(name)}: <span data-file>{show(text[:300])}</span></li>" for name, text in files)
    return f'<div class="bleu-unseen" role="status"><ul>{items}</ul></div>' if files else ""


def heading(text: str) -> str:
    """Return a heading within a tab."""
    return f"<h3>{show(text)}</h3>"


def quote(text: str) -> str:
    """Return a sentence that visitors may quote."""
    return f'<p class="bleu-quote">{show(text)}</p>'


def verdict(text: str) -> str:
    """Return the main result, in large type."""
    return f'<p class="bleu-verdict">{show(text)}</p>'


def signature(text: str) -> str:
    """Return the signature of a score."""
    return f'<code class="bleu-signature">{show(text)}</code>'


def side_by_side(*parts: str) -> str:
    """Return parts in columns if the window is wide enough.

    >>> side_by_side("<p>a</p>", "<p>b</p>")
    '<div class="bleu-sides"><section><p>a</p></section><section><p>b</p></section></div>'
    """
    return f'<div class="bleu-sides">{"".join(f"<section>{part}</section>" for part in parts)}</div>'


def rows(head: Sequence[str], cells: Sequence[Sequence[str]], box: str = "") -> str:
    """Return a table with numbers to the right, in a box that scrolls if the table is wider.

    >>> rows(["system"], [["<A>"]])
    '<div class="bleu-box" tabindex="0" role="group" aria-label="Table"><table class="bleu-rows"><thead><tr>\
<th scope="col">system</th></tr></thead><tbody><tr><td dir="auto">&lt;A&gt;</td></tr></tbody></table></div>'
    """
    kinds = [' class="number"' * all(map(_is_number, column)) for column in zip(*cells)] or [""] * len(head)
    names = "".join(
        f'<th scope="col"{kind}>{show(name)}</th>' if name else "<td></td>" for name, kind in zip(head, kinds)
    )
    lines = ("".join(f'<td{kind} dir="auto">{show(cell)}</td>' for kind, cell in zip(kinds, line)) for line in cells)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return (
        f'<div class="bleu-box{box}" tabindex="0" role="group" aria-label="Table"><table class="bleu-rows"><thead><tr>'
        f"{names}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _is_number(cell: str) -> bool:
    """Return whether a cell has one or two numbers, or is empty.

    >>> [_is_number(cell) for cell in ("+1,234.50", "0 to 9", "5 : 0", "500 and more", "")]
    [True, True, True, True, True]
    >>> [_is_number(cell) for cell in ("a", "to", ": . to", "1.", "1 2")]
    [False, False, False, False, False]
    """
    return not isinstance(cell, Markup) and _NUMBERS.fullmatch(cell) is not None


def segment_rows(count: int, limit: int, head: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """Return the first segments as a table, of which ten are shown at first, below the number of all segments found."""
    listed = f", the first {limit:,} listed" if count > limit else ""
    title = f"{count_things(count, 'segment')}{listed}; scores of segments with effective order"
    more = len(cells) - _FIRST_ROWS
    button = f'<button type="button" class="bleu-button" data-more>{more} more</button>' if more > 0 else ""
    return f'<p class="bleu-label">{title}</p>{rows(head, cells, " few")}{button}'


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Return names and values, as many per line as fit.

    >>> facts([("BLEU-1", "70.00")])
    '<dl class="bleu-facts"><div><dt>BLEU-1</dt><dd>70.00</dd></div></dl>'
    """
    inner = "".join(f"<div><dt>{show(name)}</dt><dd>{show(value)}</dd></div>" for name, value in pairs)
    return f'<dl class="bleu-facts">{inner}</dl>'


def precision_bars(result: Mapping[str, Any], unclipped: Sequence[int] = ()) -> str:
    """Return the precision of each order as a bar, hollow if smoothed, and the brevity penalty as the last bar.

    >>> result = {"counts": [2], "totals": [7], "precisions": [2 / 7], "brevity_penalty": 0.5}
    >>> bars = precision_bars(result, [7])
    >>> "<b>2/7</b> <small>7 before clipping</small>" in bars, '<i class="brevity" style="width:50.0%">' in bars
    (True, True)
    >>> "<b>0/6</b> <small>smoothed to 0.5/6</small>" in precision_bars(
    ...     {"counts": [0], "totals": [6], "precisions": [1 / 12], "brevity_penalty": 1.0}
    ... )
    True
    """
    counts, penalty = result["counts"], result["brevity_penalty"]
    orders = zip(range(1, len(counts) + 1), counts, result["totals"], result["precisions"], unclipped or counts)
    bars = "".join(_precision_bar(len(counts), *order) for order in orders)
    bars += _bar("brevity", _fill("brevity", penalty), report.write_number(penalty))
    return f'<div class="bleu-orders">{bars}</div>'


def _precision_bar(orders: int, order: int, count: int, total: int, precision: float, before: int) -> str:
    kind, bars, remarks = "clipped", "", []
    if before > count:
        remarks.append(f"{before:,} before clipping")
        bars = _fill("unclipped", before / max(total, 1))
    if abs(precision * total - count) > 1e-9 * max(total, 1):
        remarks.append(f"smoothed to {precision * total:.3g}/{total:,}")
        kind = "smoothed"
    bars += _fill(kind, precision, f";--match:{order / orders:.2g}")
    small = f" <small>{'; '.join(remarks)}</small>" if remarks else ""
    return _bar(f"{order}-gram", bars, f"{count:,}/{total:,}", small)


def _bar(name: str, bars: str, value: str, small: str = "") -> str:
    return (
        f'<div class="order"><span>{name}</span> <span class="track" aria-hidden="true">{bars}</span>'
        f" <span><b>{value}</b>{small}</span></div>"
    )


def _fill(kind: str, share: float, style: str = "") -> str:
    return f'<i class="{kind}" style="width:{percent(share, 1)}{style}"></i>'


def brevity_curve(result: Mapping[str, Any]) -> str:
    """Return the brevity penalty as a function of the candidate's length, with a dot at this candidate.

    >>> curve = brevity_curve({"translation_length": 5, "reference_length": 10, "brevity_penalty": 0.3679})
    >>> 'cx="50.0" cy="63.2"' in curve, "10 tokens in the reference" in curve
    (True, True)
    """
    length, reference_length, penalty = (
        result[name] for name in ("translation_length", "reference_length", "brevity_penalty")
    )
    x, y = 100 * min(length / max(reference_length, 1), 1.5), 100 - 100 * penalty
    words = f"brevity penalty {report.write_number(penalty)} for {count_things(length, 'token')}"
    side, start = ("end", x - 4) if x > 75 else ("start", x + 4)
    return (
        f'<figure class="bleu-curve"><svg viewBox="-2 -6 154 124" role="img" aria-label="{words}">'
        f'<path class="grid" d="M0,0V100H150M100,0V100"/><path class="curve" d="{_CURVE}"/>'
        f'<path class="grid" d="M{x:.1f},{y:.1f}V100"/><circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
        f'<text x="{start:.1f}" y="{min(y + 11, 96):.1f}" text-anchor="{side}">{report.write_number(penalty)}</text>'
        f'<text x="{max(x, 8):.1f}" y="110" text-anchor="middle">{length:,}</text>'
        f'<text x="100" y="118" text-anchor="middle">{count_things(reference_length, "token")} in the reference</text>'
        "</svg></figure>"
    )


def percent(part: float, whole: float) -> str:
    """Return a share for a style.

    >>> percent(1, 4), percent(0, 0)
    ('25.0%', '0.0%')
    """
    return f"{100 * part / whole if whole else 0:.1f}%"


def histogram(values: Any, low: float, high: float, bins: int, title: str) -> str:
    """Return the number of values per step from `low` to `high`; values outside are in the first or last step.

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
    """Return the scores of segments under two systems as points that can be clicked; `words` is for screen readers.

    >>> 'data-segment="3"' in scatter([Point(3, 10.0, 20.0)], ("A", "B"), "B is better")
    True
    """
    circles = "".join(
        f'<circle class="{_SIDES[(second > first) - (second < first)]}" data-action="open" data-segment="{segment}"'
        f' cx="{first:.1f}" cy="{100 - second:.1f}" r="1.2">'
        f"<title>Segment {segment}: {first:.1f} and {second:.1f}</title></circle>"
        for segment, first, second in points
    )
    grid = "".join(f'<path class="grid" d="M{at},0V100M0,{at}H100"/>' for at in range(0, 101, 25))
    first, second = map(show, names)
    return (
        f'<figure class="bleu-scatter"><figcaption class="bleu-label">BLEU of {second} ↑ against {first} →, by segment'
        f'</figcaption><svg viewBox="-3 -3 106 106" role="img" aria-label="{show(words)}">{grid}'
        f'<path class="equal" d="M0,100L100,0"/>{circles}'
        f'<text x="2" y="6">{second} is better</text><text x="98" y="98" text-anchor="end">{first} is better</text>'
        "</svg></figure>"
    )


def waterfall(start: Change, changes: Sequence[Change], end: Change) -> str:
    """Return the way from one score to another, one bar per change.

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
    style = f"left:{percent(low, highest)};width:{percent(high - low, highest)}"
    return (
        f'<li class="bleu-step"><span>{show(words)}</span> <span class="track" aria-hidden="true">'
        f'<i class="{kind}" style="{style}"></i></span> <b>{value}</b></li>'
    )
