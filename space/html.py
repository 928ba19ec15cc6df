"""The HTML of the demo, with every text escaped: pieces that notebooks show too, and charts.

Each chart has its numbers as text. The metric's pieces come with their own style; page.css has the
rest.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import NamedTuple

import gradio as gr
import numpy as np
from numpy.typing import ArrayLike

from .metric import ExplainedText, Explanation, Lengths, NGramCount, Order, Precisions, report
from .remedies import Remedy

STYLE: str = report.STYLE
Markup = report.Markup
show = report.show
count_things = report.count_things
headline = report.headline
tokens = report.tokens
legend = report.legend
paragraph = report.paragraph

LINK_BUTTON = (
    '<button type="button" class="bleu-copy bleu-link" data-copy="">Copy link</button>'
    '<small class="bleu-no-link">Too long for a link</small>'
)

_FIRST_ROWS = 10  # of a list of segments; page.css hides the others
_FILE_CHARACTERS = 300  # of the description of a file
_ROOTS = {2: "square root", 3: "cube root", 4: "fourth root"}
_DECIMAL = r"[+−-]?\d[\d,]*(\.\d+)?"
_NUMBERS = re.compile(rf"(<?{_DECIMAL}(( to | : ){_DECIMAL}| and more)?)?")
_BOLD_NUMBER = re.compile(rf"<b>{_DECIMAL}</b>")

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


def add_html(text: str = "", elem_id: str | None = None) -> gr.HTML:
    """Add HTML to the demo."""
    return gr.HTML(text, elem_classes="bleu-page", elem_id=elem_id)


def add_clickable(text: str, elem_id: str) -> gr.HTML:
    """Add HTML with buttons; `event.x` of its click event is the `data-x` of the button."""
    return gr.HTML(text, elem_classes="bleu-page", elem_id=elem_id, js_on_load=_ON_LOAD)


def add_system_field(label: str, elem_id: str) -> gr.Dropdown:
    """Add a choice among systems.

    Gradio forgets the choices of old sessions, and without `allow_custom_value` it would reject
    each value then.
    """
    return gr.Dropdown([], label=label, elem_id=elem_id, allow_custom_value=True)


def button(text: str, action: str, **data: str) -> str:
    """Return a button of a clickable component.

    >>> button("OK", "apply", options="{}")
    '<button type="button" class="bleu-button" data-action="apply" data-options="{}">OK</button>'
    """
    attributes = "".join(f' data-{name}="{show(value)}"' for name, value in data.items())
    return Markup(
        f'<button type="button" class="bleu-button" data-action="{action}"{attributes}>'
        f"{show(text)}</button>"
    )


def copy_button(text: str, what: str) -> str:
    """Return a button that copies a sentence, which is its tooltip, or a text of several lines.

    >>> copy_button("BLEU 1.", "it")
    '<button type="button" class="bleu-copy" data-copy="BLEU 1." title="BLEU 1.">Copy it</button>'
    """
    title = ""
    if "\n" not in text:
        title = f' title="{show(text)}"'
    # `show` would write the line ends of a table as escape sequences.
    copied = escape(text)
    return Markup(
        f'<button type="button" class="bleu-copy" data-copy="{copied}"{title}>'
        f"Copy {show(what)}</button>"
    )


def save_button(content: str, file_name: str, text: str) -> str:
    """Return a button that saves a text as a file.

    >>> 'data-save="&lt;svg/&gt;" data-name="a.svg">Save<' in save_button("<svg/>", "a.svg", "Save")
    True
    """
    return Markup(
        f'<button type="button" class="bleu-copy" data-save="{escape(content)}"'
        f' data-name="{show(file_name)}">{show(text)}</button>'
    )


def bold(text: str) -> str:
    """Return a text in bold.

    >>> bold("1.0")
    '<b>1.0</b>'
    """
    return Markup(f"<b>{show(text)}</b>")


def shorten(text: str, limit: int) -> str:
    """Shorten a text to a number of characters; its beginning and its end stay.

    >>> shorten("constrained-ensemble-1", 12), shorten("short", 12)
    ('constr…ble-1', 'short')
    """
    if len(text) <= limit:
        return text
    end = (limit - 1) // 2
    start = limit - 1 - end
    return f"{text[:start]}…{text[-end:]}"


def write_signed(points: float, digits: int = 2) -> str:
    """Write a difference with a true minus; zero has no sign.

    >>> write_signed(-1.5), write_signed(0.004), write_signed(2.0)
    ('−1.50', '0.00', '+2.00')
    """
    written = f"{points:+.{digits}f}"
    if float(written) == 0:
        return written[1:]
    return written.replace("-", "−")


def segment_button(number: int | str) -> str:
    """Return the button that opens a segment."""
    attributes = f'data-action="open" data-segment="{number}" aria-label="Open segment {number}"'
    return Markup(f'<button type="button" class="bleu-button" {attributes}>{number}</button>')


def code(title: str, text: str) -> str:
    """Return code with a heading and a button that copies it."""
    lines = "\n".join(show(line) for line in text.strip().split("\n"))
    return (
        f'<h2>{show(title)}</h2><pre class="bleu-code">{lines}</pre>'
        f'<p class="bleu-copies">{copy_button(text, "it")}</p>'
    )


def formula(explanation: Explanation) -> str:
    """Return the formula of a score with a bar and a label below each factor, and the lengths.

    The bar of a smoothed precision is hollow; matches that clipping takes away are hatched.
    """
    # 1. The precision of each order that has a weight.
    orders = explanation["orders"]
    weighted = [order for order, weight in zip(orders, explanation["weights"]) if weight]
    factors = report.list_terms(explanation)
    terms = []
    for order, (factor, weight) in zip(weighted, factors):
        n = order["order"]
        fills = _fill_precision(
            explanation["precisions"][n - 1],
            before_clipping=order["unclipped_matches"] / max(order["total"], 1),
            depth=n / len(orders),
            is_smoothed=factor.is_smoothed,
        )
        terms.append((_label_factor(factor.text, f"{n}-gram", fills), weight))
    # 2. The other factors.
    root = _label_factor("<sup>{}</sup>", _name_root(len(terms)))
    penalty = explanation["brevity_penalty"]
    fills = _fill("brevity", penalty)
    brevity = _label_factor(report.write_number(penalty), "brevity penalty", fills)
    # 3. What is behind them.
    note = report.describe_penalty(explanation)
    for order in weighted:
        if order["unclipped_matches"] > order["matches"]:
            note += f"; {order['unclipped_matches']:,} {order['order']}-grams before clipping"
    if any(factor.is_smoothed for factor, _ in factors):
        note += "; dashed: smoothed, because a factor of 0 would make the score 0"
    return (
        f'<p class="bleu-formula">= 100 · {brevity} · <span class="product">'
        f'{report.multiply(terms, root, root)}</span></p><p class="bleu-note">{note}</p>'
    )


def _name_root(degree: int) -> str:
    return _ROOTS.get(degree, f"{degree}th root")


def _label_factor(text: str, label: str, fills: str = "") -> str:
    """Return a factor with a label, and with a bar if it has filled parts."""
    bar = f'<span class="bleu-track" aria-hidden="true">{fills}</span>' if fills else ""
    return f'<span class="factor" data-label="{label}">{text}{bar}</span>'


def reference(number: int, text: ExplainedText, max_order: int, remark: str) -> str:
    """Return the tokens of a reference; a visitor may close it."""
    label = f"Reference {number}{remark} <small>{count_things(text['length'], 'token')}</small>"
    return (
        f'<details open class="bleu-reference" data-fold="reference {number}">'
        f'<summary class="bleu-label">{label}</summary>{tokens(text, max_order, "")}</details>'
    )


def remedies(findings: Sequence[Remedy]) -> str:
    """Return a box for each finding, with its button."""
    boxes = []
    for remedy in findings:
        options = json.dumps(remedy.options)
        apply = ""
        if remedy.button:
            apply = button(remedy.button, "apply", options=options, fix=remedy.fix)
        boxes.append(f'<p class="bleu-message note">{show(remedy.finding)} {apply}</p>')
    return "".join(boxes)


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
    """Return the names and descriptions of files for screen readers.

    page.js puts a description below its file's name.

    >>> "<li>a: <span data-file>40 segments</span></li>" in list_files([("a", "40 segments")])
    True
    """
    if not files:
        return ""
    items = []
    for name, description in files:
        short = show(description[:_FILE_CHARACTERS])
        items.append(f"<li>{show(name)}: <span data-file>{short}</span></li>")
    return f'<div class="bleu-unseen" role="status"><ul>{"".join(items)}</ul></div>'


def fold(title: str, content: str, level: int = 3, name: str = "") -> str:
    """Return content with a heading; on a telephone it is closed until a visitor opens it.

    What a visitor opens or closes stays so for the next content of the same name, which is its
    title unless given.
    """
    heading = f"<h{level}>{show(title)}</h{level}>"
    summary = f"<summary>{heading}</summary>"
    return f'<details open data-fold="{show(name or title)}">{summary}{content}</details>'


def signature(text: str) -> str:
    """Return the signature of a score."""
    return f'<code class="bleu-signature">{show(text)}</code>'


def side_by_side(*contents: str) -> str:
    """Return contents in columns if the window is wide enough.

    >>> side_by_side("<p>a</p>", "<p>b</p>")
    '<div class="bleu-sides"><section><p>a</p></section><section><p>b</p></section></div>'
    """
    sections = "".join(f"<section>{content}</section>" for content in contents)
    return f'<div class="bleu-sides">{sections}</div>'


def rows(head: Sequence[str], cells: Sequence[Sequence[str]], box: str = "") -> str:
    """Return a table with numbers to the right, in a box that scrolls if the table is wider.

    `box` is for further classes of the box, with a space before each.

    >>> rows(["system"], [["<A>"]])
    '<div class="bleu-box" tabindex="0" role="group" aria-label="Table"><table class="bleu-rows">\
<thead><tr><th scope="col">system</th></tr></thead>\
<tbody><tr><td dir="auto">&lt;A&gt;</td></tr></tbody></table></div>'
    """
    # 1. The attributes of each column: numbers are aligned to the right.
    kinds = []
    for column in range(len(head)):
        has_numbers = len(cells) > 0 and all(_is_number(line[column]) for line in cells)
        kind = ' class="number"' if has_numbers else ""
        kinds.append(kind)
    # 2. The head. A column without a name has no header that a screen reader would announce.
    names = []
    for name, kind in zip(head, kinds):
        header = f'<th scope="col"{kind}>{show(name)}</th>' if name else "<td></td>"
        names.append(header)
    # 3. The body.
    lines = []
    for line in cells:
        shown = "".join(
            f'<td{kind} dir="auto">{show(cell)}</td>' for kind, cell in zip(kinds, line)
        )
        lines.append(f"<tr>{shown}</tr>")
    return (
        f'<div class="bleu-box{box}" tabindex="0" role="group" aria-label="Table">'
        f'<table class="bleu-rows"><thead><tr>{"".join(names)}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _is_number(cell: str) -> bool:
    """Return whether a cell has one or two numbers, or is empty.

    >>> [_is_number(cell) for cell in ("+1,234.50", "0 to 9", "5 : 0", "500 and more", "")]
    [True, True, True, True, True]
    >>> [_is_number(cell) for cell in ("a", "to", ": . to", "1.", "1 2")]
    [False, False, False, False, False]
    """
    if isinstance(cell, Markup):
        return _BOLD_NUMBER.fullmatch(cell) is not None
    return _NUMBERS.fullmatch(cell) is not None


def segment_rows(
    count: int, limit: int, head: Sequence[str], cells: Sequence[Sequence[str]]
) -> str:
    """Return segments as a table, of which ten are shown at first, below the number of segments.

    `count` is the number of all segments found, of which up to `limit` are listed.
    """
    title = count_things(count, "segment")
    if count > limit:
        title += f", the first {limit:,} listed"
    title += "; scores of segments with effective order"
    hidden = len(cells) - _FIRST_ROWS
    more = ""
    if hidden > 0:
        more = f'<button type="button" class="bleu-button" data-more>{hidden} more</button>'
    return f'<p class="bleu-label">{title}</p>{rows(head, cells, " few")}{more}'


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Return names and values, as many per line as fit."""
    items = []
    for name, value in pairs:
        items.append(f"<div><dt>{show(name)}</dt><dd>{show(value)}</dd></div>")
    return f'<dl class="bleu-facts">{"".join(items)}</dl>'


def precision_bars(result: Precisions) -> str:
    """Return the precision of each order as a bar, and the brevity penalty as the last bar.

    The bar of a smoothed precision is hollow.

    >>> result = {"counts": [2], "totals": [7], "precisions": [2 / 7], "brevity_penalty": 0.5}
    >>> bars = precision_bars(result)
    >>> "<b>2/7</b>" in bars, '<i class="brevity" style="width:50.0%">' in bars
    (True, True)
    >>> result = {"counts": [0], "totals": [6], "precisions": [1 / 12], "brevity_penalty": 1.0}
    >>> "<b>0/6</b> <small>smoothed to 0.5/6</small>" in precision_bars(result)
    True
    """
    orders = list(zip(result["counts"], result["totals"], result["precisions"]))
    bars = []
    for n, (count, total, precision) in enumerate(orders, 1):
        factor = report.explain_precision(count, total, precision)
        fills = _fill_precision(precision, depth=n / len(orders), is_smoothed=factor.is_smoothed)
        small = f" <small>smoothed to {factor.text}</small>" if factor.is_smoothed else ""
        bars.append(_bar(f"{n}-gram", fills, f"{count:,}/{total:,}", small))
    penalty = result["brevity_penalty"]
    bars.append(_bar("brevity", _fill("brevity", penalty), report.write_number(penalty)))
    return f'<div class="bleu-orders">{"".join(bars)}</div>'


def _bar(name: str, fills: str, value: str, small: str = "") -> str:
    return (
        f'<div class="order"><span>{name}</span>'
        f' <span class="bleu-track" aria-hidden="true">{fills}</span>'
        f" <span><b>{value}</b>{small}</span></div>"
    )


def _fill_precision(
    precision: float, *, depth: float, is_smoothed: bool, before_clipping: float = 0
) -> str:
    """Return the filled parts of a precision's bar.

    `depth` is its order relative to the longest, for its color, and `before_clipping` the share of
    n-grams that match before clipping.
    """
    kind = "smoothed" if is_smoothed else "clipped"
    filled = _fill(kind, precision, f";--match:{depth:.2g}")
    if before_clipping > precision:
        return _fill("unclipped", before_clipping) + filled
    return filled


def _fill(kind: str, share: float, style: str = "") -> str:
    return f'<i class="{kind}" style="width:{share:.1%}{style}"></i>'


def _draw_penalty() -> str:
    """Return exp(1 - r/c) as an SVG path, where r is 100, and a penalty of 1 is 100 high."""
    points = []
    for length in range(5, 101, 5):
        penalty = math.exp(1 - 100 / length)
        points.append(f"{length},{100 - 100 * penalty:.1f}")
    return f"M0,100L{' '.join(points)}H150"


_CURVE = _draw_penalty()


def brevity_curve(result: Lengths, mean: float | None = None) -> str:
    """Return the brevity penalty by the candidate's length as a curve, with a dot at the candidate.

    page.js moves the dot where a visitor drags it; with the mean of the precisions, it also tells
    the score there.

    >>> lengths = {"translation_length": 5, "reference_length": 10}
    >>> curve = brevity_curve({**lengths, "brevity_penalty": 0.3679})
    >>> 'cx="50.0" cy="63.2"' in curve, "reference: 10" in curve
    (True, True)
    """
    length = result["translation_length"]
    reference_length = result["reference_length"]
    penalty = result["brevity_penalty"]
    written = report.write_number(penalty)
    words = f"brevity penalty {written} for {count_things(length, 'token')}"
    # 1. The dot. The picture ends at 1.5 times the length of the reference.
    x = 100 * min(length / max(reference_length, 1), 1.5)
    y = 100 - 100 * penalty
    # 2. The penalty beside the dot, if it fits, and not below the axis.
    anchor = "start"
    text_x = x + 4
    if x > 120:
        anchor = "end"
        text_x = x - 4
    text_y = min(y + 11, 96)
    # 3. The dot is a slider from 0 to the end of the picture.
    known_mean = "" if mean is None else f' data-mean="{mean:.6f}"'
    longest = max(math.floor(1.5 * reference_length), 1)
    slider = (
        'tabindex="0" role="slider" aria-label="Length of the candidate in tokens"'
        f' aria-valuemin="0" aria-valuemax="{longest}" aria-valuenow="{min(length, longest)}"'
        f' aria-valuetext="{words}"'
    )
    return (
        f'<figure class="bleu-curve" data-reference="{reference_length}"'
        f'{known_mean}><svg viewBox="-8 -6 160 132">'
        '<path class="grid" d="M0,0V100H150M100,0V100"/>'
        f'<path class="curve" d="{_CURVE}"/><path class="grid dropped" d="M{x:.1f},{y:.1f}V100"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" {slider}/>'
        f'<text class="penalty" x="{text_x:.1f}" y="{text_y:.1f}" text-anchor="{anchor}">{written}'
        "</text>"
        '<text x="-3" y="3" text-anchor="end">1</text><text x="-3" y="102" text-anchor="end">0'
        '</text><text x="3" y="5">factor</text>'
        f'<text class="length" x="{max(x, 8):.1f}" y="110" text-anchor="middle">{length:,}</text>'
        f'<text x="98" y="96" text-anchor="end">reference: {reference_length:,}</text>'
        '<text x="150" y="122" text-anchor="end">tokens in the candidate</text></svg>'
        '<figcaption class="trial">Drag the dot, or move it with the arrow keys.</figcaption>'
        "</figure>"
    )


def histogram(values: ArrayLike, low: float, high: float, bins: int, title: str) -> str:
    """Return the number of values per step from `low` to `high` as a chart.

    Values outside are in the first or last step.

    >>> histogram([1.0, 1.5, 9.0], 0, 4, bins=4, title="Lengths").count("<i")
    4
    """
    counts, edges = np.histogram(np.clip(values, low, high), bins=bins, range=(low, high))
    tallest = max(counts.max(), 1)
    steps = []
    for count, start, end in zip(counts.tolist(), edges, edges[1:]):
        height = f"{100 * count / tallest:.1f}%"
        steps.append(f'<i style="height:{height}" title="{start:g} to {end:g}: {count:,}"></i>')
    most = int(np.argmax(counts))
    words = (
        f"{title}: most, {counts[most]:,} of {counts.sum():,},"
        f" from {edges[most]:g} to {edges[most + 1]:g}"
    )
    # Scores end at 100; a ratio of lengths does not end at the last step.
    last = f"{high:g}" if high >= 100 else f"{high:g} and more"
    ends = f"<span>{low:g}</span><span>{(low + high) / 2:g}</span><span>{last}</span>"
    return (
        '<figure class="bleu-histogram">'
        f'<figcaption class="bleu-label">{show(title)}</figcaption>'
        f'<div role="img" aria-label="{show(words)}">{"".join(steps)}</div>'
        f'<div class="ends" aria-hidden="true">{ends}</div></figure>'
    )


def scatter(points: Sequence[Point], names: tuple[str, str], words: str) -> str:
    """Return the scores of segments under two systems as points that can be clicked.

    With the arrow keys, page.js goes from point to point in their order. `words` says for screen
    readers what the chart shows.

    >>> 'data-segment="3"' in scatter([Point(3, 10.0, 20.0)], ("A", "B"), "B is higher.")
    True
    """
    circles = "".join(_draw_point(point) for point in points)
    grid = ""
    ticks = ""
    for at in range(0, 101, 25):
        grid += f'<path class="grid" d="M{at},0V100M0,{at}H100"/>'
        ticks += f'<text class="tick" x="{at}" y="105" text-anchor="middle">{at}</text>'
        ticks += f'<text class="tick" x="-2" y="{101.2 - at}" text-anchor="end">{at}</text>'
    first, second = (show(name) for name in names)
    caption = f"BLEU of {second} ↑ against {first} →, by segment"
    label = f"{show(words)} The arrow keys go from segment to segment, and Enter opens one."
    return (
        f'<figure class="bleu-scatter"><figcaption class="bleu-label">{caption}</figcaption>'
        f'<svg viewBox="-12 -3 119 112" tabindex="0" role="group" aria-label="{label}">'
        f'{grid}{ticks}<path class="equal" d="M0,100L100,0"/>{circles}'
        f'<text x="2" y="6">{second} is higher</text>'
        f'<text x="98" y="98" text-anchor="end">{first} is higher</text></svg></figure>'
    )


def _draw_point(point: Point) -> str:
    better = "tie"
    if point.first > point.second:
        better = "first"
    elif point.first < point.second:
        better = "second"
    return (
        f'<circle class="{better}" data-action="open" data-segment="{point.segment}"'
        f' cx="{point.first:.1f}" cy="{100 - point.second:.1f}" r="1.2"><title>'
        f"Segment {point.segment}: {point.first:.1f} and {point.second:.1f}</title></circle>"
    )


# --- In plain words -------------------------------------------------------------------------------

_ALMOST = 0.75  # of the share of words: longer sequences that match less often do so "only"


def read_plainly(explanation: Explanation, unit: str) -> str:
    """Say how many words and how many of the longest sequences match.

    >>> orders = [{"order": 1, "matches": 17, "total": 18}, {"order": 4, "matches": 4, "total": 15}]
    >>> read_plainly({"orders": orders}, "word")
    '17 of 18 words match, but only 4 of 15 sequences of four.'
    >>> read_plainly({"orders": [{"order": 1, "matches": 3, "total": 3}]}, "word")
    'All 3 words match.'
    """
    orders = [order for order in explanation["orders"] if order["total"]]
    if not orders:
        return ""
    words, longest = orders[0], orders[-1]
    counted = count_things(words["total"], unit)
    # 1. The words.
    reading = f"{words['matches']:,} of {counted} match"
    if words["matches"] == words["total"] > 1:
        reading = f"All {counted} match"
    if longest is words or not words["matches"]:
        return f"{reading}."
    # 2. The longest sequences.
    sequences = "sequence" if longest["total"] == 1 else "sequences"
    length = _LENGTHS[longest["order"] - 1]
    found = f"{longest['matches']:,} of {longest['total']:,} {sequences} of {length}"
    share = longest["matches"] / longest["total"]
    if not longest["matches"]:
        reading += f", but none of the {longest['total']:,} {sequences} of {length}"
    elif share < _ALMOST * words["matches"] / words["total"]:
        reading += f", but only {found}"
    else:
        reading += f", and {found}"
    return f"{reading}."


# --- Step by step ---------------------------------------------------------------------------------
#
# Five pictures, each with a sentence, lead from the words of a candidate to its score.

STEPS = {
    "match": "Words that match",
    "clipping": "Clipping",
    "longer": "Longer sequences",
    "mean": "Their mean",
    "brevity": "Brevity",
}
# page.js shows the parts of the page whose `data-step` is that of the current link, which is empty
# for the overview.
_LINKS = [
    f'<a href="#step={step}" data-to="{step}"><small>{number}</small> {title}</a>'
    for number, (step, title) in enumerate(STEPS.items(), 1)
]
NAVIGATION = (
    '<nav class="bleu-steps" aria-label="Step by step"><a href="#step=" data-to="">Overview</a>'
    f"{''.join(_LINKS)}<span class='bleu-stage'><span></span>"
    "<button type='button' data-stage='next'>Next</button>"
    "<button type='button' data-stage='present' aria-pressed='false' title='Key P'>Present</button>"
    "</span></nav>"
)

_MOST_THREADS = 12  # more are a tangle
_SHOWN_NGRAMS = 100  # per order, in the tables
_LENGTHS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Step(NamedTuple):
    """A sentence, and a picture as HTML."""

    sentence: str
    picture: str


def render_steps(explanation: Explanation, unit: str) -> str:
    """Return the five steps for a result of `explain`; `unit` is "word" or "character"."""
    steps = {
        "match": _draw_match(explanation, unit),
        "clipping": _draw_clipping(explanation),
        "longer": _draw_longer(explanation, unit),
        "mean": _draw_mean(explanation),
        "brevity": _draw_brevity(explanation),
    }
    drawn = []
    for name, step in steps.items():
        drawn.append(
            f'<div class="bleu-explained" data-step="{name}" hidden>'
            f'<p class="sentence">{show(step.sentence)}</p>{step.picture}</div>'
        )
    return "".join(drawn)


def _draw_match(explanation: Explanation, unit: str) -> Step:
    """Return the first step: the tokens that occur in a reference."""
    candidate = explanation["prediction"]["tokens"]
    matches = explanation["orders"][0]["unclipped_matches"]
    units = "words and punctuation marks" if unit == "word" else f"{unit}s"
    counted = f"{matches:,} of {count_things(len(candidate), 'token')} ({units})"
    references = [text["tokens"] for text in explanation["references"]]
    in_references = set[str]().union(*references)
    lines = [_write_tokens("Candidate", candidate, in_references)]
    for number, text in enumerate(references, 1):
        lines.append(_write_tokens(f"Reference {number}", text, set(candidate)))
    return Step(f"{counted} of the candidate occur in a reference.", "".join(lines))


def _draw_clipping(explanation: Explanation) -> Step:
    """Return the second step: the tokens that occur more often than in any reference."""
    candidate = explanation["prediction"]["tokens"]
    words = explanation["orders"][0]
    surplus = words["unclipped_matches"] - words["matches"]
    rule = "A token counts at most as often as in the reference that has it most often."
    if words["clipped"]:
        rule = _explain_clipped(words["clipped"][0], len(explanation["references"]))
    if not surplus:
        struck = "None is too many"
    elif surplus == 1:
        struck = "1 is too many and struck out"
    else:
        struck = f"{surplus:,} are too many and struck out"
    sentence = f"{rule} {struck}: {words['matches']:,}/{words['total']:,} count."
    # 1. The candidate, and the references that have the words which count.
    threads = find_threads(explanation)
    missed = {count["ngram"][0] for count in words["missed"]}
    line = _write_tokens(
        "Candidate",
        candidate,
        set(candidate) - missed,
        find_counting(explanation, 1),
        threads={thread.token: number for number, thread in enumerate(threads)},
    )
    for number, text in enumerate(explanation["references"]):
        partners = {
            thread.partner: order
            for order, thread in enumerate(threads)
            if thread.reference == number
        }
        if partners:
            line += _write_partners(f"Reference {number + 1}", text["tokens"], partners)
    return Step(sentence, f'<div class="bleu-threads">{line}</div>{_write_tables([words])}')


def _explain_clipped(count: NGramCount, references: int) -> str:
    """Return why only some occurrences of a token count.

    >>> _explain_clipped({"ngram": ["the"], "count": 7, "allowed": 2}, references=1)
    'The reference has “the” twice, so 2 of the 7 count.'
    """
    times = {1: "once", 2: "twice"}.get(count["allowed"], f"{count['allowed']:,} times")
    token = count["ngram"][0]
    where = f"The reference has “{token}” {times}"
    if references > 1:
        where = f"No reference has “{token}” more than {times}"
    return f"{where}, so {count['allowed']:,} of the {count['count']:,} count."


class Thread(NamedTuple):
    """A token of the candidate that counts, and the token of a reference that it counts for.

    All are indices from 0.
    """

    token: int
    reference: int
    partner: int


def find_threads(explanation: Explanation) -> list[Thread]:
    """Pair the tokens that count with those of the reference that has them most often.

    Only clipped tokens are paired if there are some, and none if the threads would be a tangle.

    >>> the = [{"ngram": ["the"], "count": 2, "allowed": 1}]
    >>> order = {"order": 1, "matched": [], "clipped": the, "missed": []}
    >>> texts = {"prediction": {"tokens": ["the", "the"]}, "references": [{"tokens": ["a", "the"]}]}
    >>> find_threads({**texts, "orders": [order]})
    [Thread(token=0, reference=0, partner=1)]
    """
    candidate = explanation["prediction"]["tokens"]
    words = explanation["orders"][0]
    counts = words["clipped"] or words["matched"]
    # Before the search, whose time is quadratic in the length of the texts.
    if sum(min(count["count"], count["allowed"]) for count in counts) > _MOST_THREADS:
        return []
    paired = {count["ngram"][0] for count in counts}
    references = [text["tokens"] for text in explanation["references"]]
    threads: list[Thread] = []
    used: Counter[str] = Counter()
    for at, (token, is_counted) in enumerate(zip(candidate, find_counting(explanation, 1))):
        if not is_counted or token not in paired:
            continue
        frequencies = [text.count(token) for text in references]
        best = frequencies.index(max(frequencies))
        places = [place for place, other in enumerate(references[best]) if other == token]
        threads.append(Thread(at, best, places[used[token]]))
        used[token] += 1
    return threads


def _draw_longer(explanation: Explanation, unit: str) -> Step:
    """Return the third step: a line of cells per order."""
    orders = explanation["orders"]
    lines = [_draw_line(explanation, order) for order in orders]
    longer_orders = orders[1:]
    if not longer_orders:
        sentence = f"The options leave out longer sequences: only single {unit}s count."
    else:
        *names, longest = _LENGTHS[1 : len(orders)]
        lengths = f"{', '.join(names)} and {longest}" if names else longest
        counts = ", ".join(f"{order['matches']:,}/{order['total']:,}" for order in longer_orders)
        sentence = (
            f"Sequences of {lengths} {unit}s (n-grams) count in the same way, which rewards the"
            f" right order: {counts}."
        )
    candidate = explanation["prediction"]["tokens"]
    words = "".join(f'<span class="token">{show(token)}</span> ' for token in candidate)
    picture = (
        f'<div class="bleu-cells">{"".join(lines)}<p class="words" dir="auto">{words}</p>'
        f'<p class="named" aria-live="polite">Point at a block, or tap it, to see its {unit}s.</p>'
        f"</div>{_write_tables(longer_orders)}"
    )
    return Step(sentence, picture)


def _draw_line(explanation: Explanation, order: Order) -> str:
    n = order["order"]
    width = max(len(explanation["prediction"]["tokens"]), 1)
    depth = n / len(explanation["orders"])
    counting = find_counting(explanation, n)
    flags = "".join("1" if counts else "0" for counts in counting)
    return (
        f'<div class="row"><span>{n}-grams</span>'
        f'<svg viewBox="0 0 {width} 1" preserveAspectRatio="none" tabindex="0" role="group"'
        f' aria-label="{n}-grams; the arrow keys name each one" data-order="{n}"'
        f' data-counts="{flags}" style="--match:{depth:.2g}">{_draw_cells(counting, n)}</svg>'
        f"<b>{order['matches']:,}/{order['total']:,}</b></div>"
    )


def _draw_mean(explanation: Explanation) -> Step:
    """Return the fourth step: the precisions as bars, and their geometric mean."""
    factors = [factor for factor, _ in report.list_terms(explanation)]
    precisions = explanation["precisions"][: len(factors)]
    mean = _find_mean(explanation)
    # 1. The bars.
    bars = []
    for n, (factor, precision) in enumerate(zip(factors, precisions), 1):
        kind = "smoothed" if factor.is_smoothed else "clipped"
        style = f"height:{precision:.1%};--match:{n / len(factors):.2g}"
        bars.append(
            f'<span><i class="{kind}" style="{style}"></i>'
            f"<b>{factor.text}<br><small>{n}-gram</small></b></span>"
        )
    # 2. The sentence.
    root = " · ".join(factor.text for factor in factors) or "no factors"
    if len(factors) > 1:
        root = f"the {_name_root(len(factors))} of {root} = {math.prod(precisions):.4g}"
    reason = "one low precision lowers it more than it would lower an average"
    if not mean:
        reason = "one 0 makes it 0"
    # 3. The effect of smoothing.
    meanings = [factor.meaning for factor in factors if factor.is_smoothed]
    note = f'<p class="bleu-note">Dashed: {show("; ".join(meanings))}.</p>' if meanings else ""
    return Step(
        f"The geometric mean of the precisions, {root}, is {mean:.4f}: {reason}.",
        f'<div class="bleu-mean" style="--share:{mean:.4f}">{"".join(bars)}<em>{mean:.4f}</em>'
        f"</div>{note}",
    )


def _draw_brevity(explanation: Explanation) -> Step:
    """Return the fifth step: the brevity penalty, and the score."""
    length = explanation["translation_length"]
    reference_length = explanation["reference_length"]
    reference = "the reference"
    if len(explanation["references"]) > 1:
        reference = f"reference {explanation['effective_reference'] + 1}"
    lengths = f"{count_things(length, 'token')} against {reference_length:,} of {reference}"
    penalty = report.write_number(explanation["brevity_penalty"])
    if explanation["brevity_penalty"] >= 1:
        sentence = (
            "Only a candidate that is shorter than the reference is penalized:"
            f" {lengths} is long enough."
        )
    else:
        # The penalty of an empty candidate is 0 by definition, without a formula.
        rule = f"exp(1 − {reference_length:,}/{length:,}) = " if length else ""
        sentence = (
            f"The candidate is too short, {lengths}: this multiplies the score by {rule}{penalty}."
        )
    mean = _find_mean(explanation)
    total = f"{penalty} · {mean:.4f} · 100 = {explanation['score']:.2f} BLEU"
    curve = brevity_curve(explanation, mean)
    picture = f"{curve}<p><b>{total}</b> {signature(explanation['signature'])}</p>"
    return Step(sentence, picture)


def find_counting(explanation: Explanation, n: int) -> list[bool]:
    """Return for each n-gram of the candidate, in their order, if it counts.

    Of a clipped n-gram, the first occurrences count.

    >>> the = [{"ngram": ["the"], "count": 3, "allowed": 2}]
    >>> order = {"order": 1, "matched": [], "clipped": the, "missed": []}
    >>> find_counting({"prediction": {"tokens": ["the", "the", "the"]}, "orders": [order]}, 1)
    [True, True, False]
    """
    candidate = explanation["prediction"]["tokens"]
    left = {}
    for count in _list_counts(explanation["orders"][n - 1]):
        left[tuple(count["ngram"])] = count["allowed"]
    counting = []
    for start in range(len(candidate) - n + 1):
        ngram = tuple(candidate[start : start + n])
        counting.append(left[ngram] > 0)
        left[ngram] -= 1
    return counting


def _list_counts(order: Order) -> list[NGramCount]:
    """Return the n-grams of an order, those that count first."""
    return [*order["matched"], *order["clipped"], *order["missed"]]


def _find_mean(explanation: Explanation) -> float:
    """Return the weighted geometric mean of the precisions: the score without the penalty."""
    powers = []
    for precision, weight in zip(explanation["precisions"], explanation["weights"]):
        if weight:
            powers.append(precision**weight)
    return math.prod(powers) if powers else 0.0


def _write_tokens(
    label: str,
    text: Sequence[str],
    matching: Collection[str],
    counting: Sequence[bool] = (),
    *,
    threads: Mapping[int, int] | None = None,
) -> str:
    """Return matching tokens in color, and others underlined with dots.

    `counting` says of each token if it counts, for all if it is empty; a matching token that
    doesn't count is struck out. `threads` has the numbers of threads by the places of tokens.
    """
    marked = []
    for i, token in enumerate(text):
        counts = counting[i] if counting else True
        if token not in matching:
            marked.append(f'<span class="token missed">{show(token)}</span>')
        elif counts:
            thread = _tie((threads or {}).get(i))
            marked.append(f'<span class="token" style="--match:1"{thread}>{show(token)}</span>')
        else:
            marked.append(f'<del class="token">{show(token)}</del>')
    return _write_line(label, marked)


def _write_partners(label: str, text: Sequence[str], threads: Mapping[int, int]) -> str:
    """Return a reference in which the tokens with threads are in color."""
    marked = []
    for i, token in enumerate(text):
        style = f' style="--match:1"{_tie(threads[i])}' if i in threads else ""
        marked.append(f'<span class="token"{style}>{show(token)}</span>')
    return _write_line(label, marked)


def _tie(thread: int | None) -> str:
    """Return the attribute by which page.js finds both ends of a thread."""
    return "" if thread is None else f' data-thread="{thread}"'


def _write_line(label: str, marked: Sequence[str]) -> str:
    line = " ".join(marked) or "<em>empty</em>"
    head = f'<div class="bleu-label">{label}</div>'
    return f'<div class="bleu-tokens">{head}<p dir="auto">{line}</p></div>'


def _draw_cells(counting: Sequence[bool], n: int) -> str:
    """Return a line of cells, one per n-gram below the middle of its tokens.

    A run of equal cells is one dashed path.
    """
    missed: list[str] = []
    counts: list[str] = []
    start = 0
    for at in range(1, len(counting) + 1):
        if at == len(counting) or counting[at] != counting[start]:
            run = f"M{start + (n - 1) / 2:g},.5h{at - start}"
            runs = counts if counting[start] else missed
            runs.append(run)
            start = at
    paths = ""
    if missed:
        paths += f'<path class="missed" d="{"".join(missed)}"/>'
    if counts:
        paths += f'<path class="counts" d="{"".join(counts)}"/>'
    return paths


def _write_tables(orders: Sequence[Order]) -> str:
    """Return the counts of each n-gram of some orders, folded."""
    if not orders:
        return ""
    tables = "".join(_write_table(order) for order in orders)
    return (
        f'<details data-fold="table {len(orders)}"><summary>The count of each n-gram</summary>'
        f'<div class="bleu-sides">{tables}</div></details>'
    )


def _write_table(order: Order) -> str:
    head = [f"{order['order']}-gram", "in the candidate", "most in one reference", "counts"]
    counts = _list_counts(order)
    cells = []
    for count in counts[:_SHOWN_NGRAMS]:
        in_candidate = count["count"]
        in_reference = count["allowed"]
        counting = min(in_candidate, in_reference)
        ngram = " ".join(count["ngram"])
        cells.append([ngram, f"{in_candidate}", f"{in_reference}", f"{counting}"])
    hidden = len(counts) - _SHOWN_NGRAMS
    more = f"<p>and {hidden:,} more</p>" if hidden > 0 else ""
    return f"<div>{rows(head, cells)}{more}</div>"
