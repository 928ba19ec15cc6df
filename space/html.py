"""The HTML of the demo, with every text escaped: pieces that the metric shows in notebooks too, and charts.

Each chart has its numbers as text. The metric's pieces come with their own style; page.css has the
rest.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from itertools import chain, repeat
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
_NUMBERS = re.compile(rf"(<?{_DECIMAL}(( to | : ){_DECIMAL}| and more)?)?")
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
    return Markup(
        f'<button type="button" class="bleu-button" data-action="{action}"{attributes}>{show(text)}</button>'
    )


def copy_button(text: str, what: str) -> Any:
    """Return a button that copies a sentence.

    >>> copy_button("BLEU 1.00.", "score")
    '<button type="button" class="bleu-copy" data-copy="BLEU 1.00." title="BLEU 1.00.">Copy score</button>'
    """
    title = f' title="{show(text)}"' * ("\n" not in text)
    copied = escape(text)  # as it is: a table has lines
    return Markup(
        f'<button type="button" class="bleu-copy" data-copy="{copied}"{title}>Copy {show(what)}</button>'
    )


def segment_button(number: int | str) -> Any:
    """Return the button that opens a segment."""
    attributes = f'data-action="open" data-segment="{number}" aria-label="Open segment {number}"'
    return Markup(f'<button type="button" class="bleu-button" {attributes}>{number}</button>')


def code(title: str, text: str) -> str:
    """Return code with a heading and a button that copies it."""
    lines = "\n".join(map(show, text.strip().split("\n")))
    return f'<h2>{show(title)} {copy_button(text, "it")}</h2><pre class="bleu-code">{lines}</pre>'


def formula(result: Mapping[str, Any], unit: str) -> str:
    """Return the formula of a score with a label below each factor, and the lengths behind the brevity penalty."""
    terms = [
        (_label_factor(factor.text, f"{n}-{unit} precision", factor.is_smoothed), weight)
        for n, (factor, weight) in enumerate(report.list_terms(result), 1)
    ]
    root = _label_factor("<sup>{}</sup>", _ROOTS.get(len(terms), f"{len(terms)}th root"))
    penalty = _label_factor(report.write_number(result["brevity_penalty"]), "brevity penalty")
    is_smoothed = "smoothed" in "".join(text for text, _ in terms)
    smoothed = "; dashed: smoothed, because a factor of 0 would make the score 0" * is_smoothed
    return (
        f'<p class="bleu-formula">= {penalty} · {report.multiply(terms, root, root)}</p>'
        f'<p class="bleu-note">{report.describe_penalty(result)}{smoothed}</p>'
    )


def _label_factor(text: str, label: str, is_smoothed: bool = False) -> str:
    return f'<span class="factor{" smoothed" * is_smoothed}" data-label="{label}">{text}</span>'


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
        f" {button(remedy.button, 'apply', options=json.dumps(remedy.options), fix=remedy.fix)}</p>"
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
    items = "".join(
        f"<li>{show(name)}: <span data-file>{show(text[:300])}</span></li>" for name, text in files
    )
    return f'<div class="bleu-unseen" role="status"><ul>{items}</ul></div>' if files else ""


def fold(title: str, part: str, level: int = 3) -> str:
    """Return a part with a heading; on a telephone it is closed until a visitor opens it."""
    heading = f"<h{level}>{show(title)}</h{level}>"
    return f'<details open data-fold="{show(title)}"><summary>{heading}</summary>{part}</details>'


def signature(text: str) -> str:
    """Return the signature of a score."""
    return f'<code class="bleu-signature">{show(text)}</code>'


def side_by_side(*parts: str) -> str:
    """Return parts in columns if the window is wide enough.

    >>> side_by_side("<p>a</p>", "<p>b</p>")
    '<div class="bleu-sides"><section><p>a</p></section><section><p>b</p></section></div>'
    """
    return (
        f'<div class="bleu-sides">{"".join(f"<section>{part}</section>" for part in parts)}</div>'
    )


def rows(head: Sequence[str], cells: Sequence[Sequence[str]], box: str = "") -> str:
    """Return a table with numbers to the right, in a box that scrolls if the table is wider.

    >>> rows(["system"], [["<A>"]])
    '<div class="bleu-box" tabindex="0" role="group" aria-label="Table"><table class="bleu-rows"><thead><tr>\
<th scope="col">system</th></tr></thead><tbody><tr><td dir="auto">&lt;A&gt;</td></tr></tbody></table></div>'
    """
    kinds = [' class="number"' * all(map(_is_number, column)) for column in zip(*cells)] or [
        ""
    ] * len(head)
    names = "".join(
        f'<th scope="col"{kind}>{show(name)}</th>' if name else "<td></td>"
        for name, kind in zip(head, kinds)
    )
    lines = (
        "".join(f'<td{kind} dir="auto">{show(cell)}</td>' for kind, cell in zip(kinds, line))
        for line in cells
    )
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


def segment_rows(
    count: int, limit: int, head: Sequence[str], cells: Sequence[Sequence[str]]
) -> str:
    """Return the first segments as a table, of which ten are shown at first, below the number of all segments found."""
    listed = f", the first {limit:,} listed" if count > limit else ""
    title = f"{count_things(count, 'segment')}{listed}; scores of segments with effective order"
    more = len(cells) - _FIRST_ROWS
    button = (
        f'<button type="button" class="bleu-button" data-more>{more} more</button>'
        if more > 0
        else ""
    )
    return f'<p class="bleu-label">{title}</p>{rows(head, cells, " few")}{button}'


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Return names and values, as many per line as fit."""
    inner = "".join(
        f"<div><dt>{show(name)}</dt><dd>{show(value)}</dd></div>" for name, value in pairs
    )
    return f'<dl class="bleu-facts">{inner}</dl>'


def precision_bars(result: Mapping[str, Any], unclipped: Sequence[int] = ()) -> str:
    """Return the precision of each order as a bar, hollow if smoothed, and the brevity penalty as the last bar.

    >>> bars = precision_bars({"counts": [2], "totals": [7], "precisions": [2 / 7], "brevity_penalty": 0.5}, [7])
    >>> "<b>2/7</b> <small>7 before clipping</small>" in bars, '<i class="brevity" style="width:50.0%">' in bars
    (True, True)
    >>> "<b>0/6</b> <small>smoothed to 0.5/6</small>" in precision_bars(
    ...     {"counts": [0], "totals": [6], "precisions": [1 / 12], "brevity_penalty": 1.0}
    ... )
    True
    """
    counts, penalty = result["counts"], result["brevity_penalty"]
    orders = zip(
        range(1, len(counts) + 1),
        counts,
        result["totals"],
        result["precisions"],
        unclipped or counts,
    )
    bars = "".join(_precision_bar(len(counts), *order) for order in orders)
    bars += _bar("brevity", _fill("brevity", penalty), report.write_number(penalty))
    return f'<div class="bleu-orders">{bars}</div>'


def _precision_bar(
    orders: int, order: int, count: int, total: int, precision: float, before: int
) -> str:
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
    return f'<i class="{kind}" style="width:{share:.1%}{style}"></i>'


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
    side, start = ("end", x - 4) if x > 120 else ("start", x + 4)
    return (
        f'<figure class="bleu-curve"><svg viewBox="-2 -6 154 128" role="img" aria-label="{words}">'
        f'<path class="grid" d="M0,0V100H150M100,0V100"/><path class="curve" d="{_CURVE}"/>'
        f'<path class="grid" d="M{x:.1f},{y:.1f}V100"/><circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
        f'<text x="{start:.1f}" y="{min(y + 11, 96):.1f}" text-anchor="{side}">{report.write_number(penalty)}</text>'
        f'<text x="{max(x, 8):.1f}" y="110" text-anchor="middle">{length:,}</text>'
        f'<text x="150" y="120" text-anchor="end">{count_things(reference_length, "token")} in the reference</text>'
        "</svg></figure>"
    )


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

    >>> 'data-segment="3"' in scatter([Point(3, 10.0, 20.0)], ("A", "B"), "B is higher")
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
        f'<text x="2" y="6">{second} is higher</text><text x="98" y="98" text-anchor="end">{first} is higher</text>'
        "</svg></figure>"
    )


# --- Step by step: five pictures, each with a sentence, lead from the words of a candidate to its
# score ---------------

STEPS = {
    "match": "Words that match",
    "clipping": "Clipping",
    "longer": "Longer sequences",
    "mean": "Their mean",
    "brevity": "Brevity",
}
# page.js shows the parts of the page whose `data-step` is that of the current link, none for the
# overview.
NAVIGATION = (
    '<nav class="bleu-steps" aria-label="Step by step"><a href="#step=" data-to="">Overview</a>'
    + "".join(
        f'<a href="#step={step}" data-to="{step}"><small>{number}</small> {title}</a>'
        for number, (step, title) in enumerate(STEPS.items(), 1)
    )
    + "</nav>"
)

_SHOWN_NGRAMS = 100  # per order, in the tables
_KINDS = ("matched", "clipped", "missed")  # of n-grams
_LENGTHS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def render_steps(explanation: Mapping[str, Any], unit: str) -> str:
    """Return the five steps for a result of `explain`; `unit` is "word" or "character"."""
    steps = _draw_match, _draw_clipping, _draw_longer, _draw_mean, _draw_brevity
    drawn = zip(STEPS, (draw(explanation, unit) for draw in steps), strict=True)
    return "".join(
        f'<div class="bleu-explained" data-step="{step}" hidden><p class="sentence">{show(sentence)}</p>{picture}</div>'
        for step, (sentence, picture) in drawn
    )


def _draw_match(explanation: Mapping[str, Any], unit: str) -> tuple[str, str]:
    """Return the sentence and the picture of the first step: the tokens that occur in a reference."""
    first, tokens = explanation["orders"][0], explanation["prediction"]["tokens"]
    units = "words and punctuation marks" if unit == "word" else f"{unit}s"
    counted = f"{first['unclipped_matches']:,} of {count_things(len(tokens), 'token')} ({units})"
    references = [reference["tokens"] for reference in explanation["references"]]
    lines = [_write_tokens("Candidate", tokens, {*chain(*references)})]
    lines += [
        _write_tokens(f"Reference {i}", words, {*tokens}) for i, words in enumerate(references, 1)
    ]
    return f"{counted} of the candidate occur in a reference.", "".join(lines)


def _draw_clipping(explanation: Mapping[str, Any], unit: str) -> tuple[str, str]:
    first, tokens = explanation["orders"][0], explanation["prediction"]["tokens"]
    rule = "A token counts at most as often as in the reference that has it most often."
    surplus = first["unclipped_matches"] - first["matches"]
    struck = (
        f"{surplus:,} {'is' if surplus == 1 else 'are'} too many and struck out"
        if surplus
        else "None is too many"
    )
    sentence = f"{rule} {struck}: {first['matches']:,}/{first['total']:,} count."
    known = {*tokens} - {ngram["ngram"][0] for ngram in first["missed"]}
    picture = _write_tokens("Candidate", tokens, known, find_counting(explanation, 1))
    return sentence, picture + _write_tables([first])


def _draw_longer(explanation: Mapping[str, Any], unit: str) -> tuple[str, str]:
    orders = explanation["orders"]
    length = max(len(explanation["prediction"]["tokens"]), 1)
    lines = []
    for order in orders:
        n, counting = order["order"], find_counting(explanation, order["order"])
        lines.append(
            f'<div class="row"><span>{n}-grams</span><svg viewBox="0 0 {length} 1" preserveAspectRatio="none"'
            f' aria-hidden="true" style="--match:{n / len(orders):.2g}">{_draw_cells(counting, n)}</svg>'
            f"<b>{order['matches']:,}/{order['total']:,}</b></div>"
        )
    if len(orders) == 1:
        sentence = f"The options leave out longer sequences: only single {unit}s count."
    else:
        *names, last = _LENGTHS[1 : len(orders)]
        lengths = f"{', '.join(names)} and {last}" if names else last
        counts = ", ".join(f"{order['matches']:,}/{order['total']:,}" for order in orders[1:])
        sentence = (
            f"Sequences of {lengths} {unit}s (n-grams) count in the same way, which rewards the right"
            f" order: {counts}."
        )
    return sentence, f'<div class="bleu-cells">{"".join(lines)}</div>{_write_tables(orders[1:])}'


def _draw_mean(explanation: Mapping[str, Any], unit: str) -> tuple[str, str]:
    factors, precisions = report.list_terms(explanation), explanation["precisions"]
    mean = _find_mean(explanation)
    product = math.prod(precisions[: len(factors)])
    bars = "".join(
        f'<span><i class="{"smoothed" if factor.is_smoothed else "clipped"}" style="height:{precision:.1%};'
        f'--match:{n / len(factors):.2g}"></i><b>{factor.text}<br><small>{n}-gram</small></b></span>'
        for n, ((factor, _), precision) in enumerate(zip(factors, precisions), 1)
    )
    texts = " · ".join(factor.text for factor, _ in factors)
    root = (
        f"the {_ROOTS.get(len(factors), f'{len(factors)}th root')} of {texts} = {product:.4g}"
        if len(factors) > 1
        else texts or "no factors"
    )
    reason = (
        "one low precision lowers it more than it would lower an average"
        if mean
        else "one 0 makes it 0"
    )
    smoothed = [factor.meaning for factor, _ in factors if factor.is_smoothed]
    note = f'<p class="bleu-note">Dashed: {show("; ".join(smoothed))}.</p>' if smoothed else ""
    return (
        f"The geometric mean of the precisions, {root}, is {mean:.4f}: {reason}.",
        f'<div class="bleu-mean" style="--share:{mean:.4f}">{bars}<em>{mean:.4f}</em></div>{note}',
    )


def _draw_brevity(explanation: Mapping[str, Any], unit: str) -> tuple[str, str]:
    length, reference_length = explanation["translation_length"], explanation["reference_length"]
    penalty, mean = explanation["brevity_penalty"], _find_mean(explanation)
    many = len(explanation["references"]) > 1
    reference = f"reference {explanation['effective_reference'] + 1}" if many else "the reference"
    lengths, factor = (
        f"{count_things(length, 'token')} against {reference_length:,} of {reference}",
        report.write_number(penalty),
    )
    rule = f"exp(1 − {reference_length:,}/{length:,}) = " if length else ""
    sentence = (
        f"The candidate is too short, {lengths}: this multiplies the score by {rule}{factor}."
    )
    if penalty >= 1:
        sentence = f"Only a candidate that is shorter than the reference is penalized: {lengths} is long enough."
    total = f"{factor} · {mean:.4f} · 100 = {explanation['score']:.2f} BLEU"
    return (
        sentence,
        f"{brevity_curve(explanation)}<p><b>{total}</b> {signature(explanation['signature'])}</p>",
    )


def find_counting(explanation: Mapping[str, Any], n: int) -> list[bool]:
    """Return for each n-gram of the candidate, in their order, if it counts: of a clipped n-gram the first ones do.

    >>> the = [{"ngram": ["the"], "count": 3, "allowed": 2}]
    >>> order = {"order": 1, "matched": [], "clipped": the, "missed": []}
    >>> find_counting({"prediction": {"tokens": ["the", "the", "the"]}, "orders": [order]}, 1)
    [True, True, False]
    """
    tokens, order = explanation["prediction"]["tokens"], explanation["orders"][n - 1]
    left = {tuple(ngram["ngram"]): ngram["allowed"] for kind in _KINDS for ngram in order[kind]}
    counting = []
    for start in range(len(tokens) - n + 1):
        ngram = tuple(tokens[start : start + n])
        counting.append(left[ngram] > 0)
        left[ngram] -= 1
    return counting


def _find_mean(explanation: Mapping[str, Any]) -> float:
    """Return the weighted geometric mean of the precisions: the score without the brevity penalty."""
    pairs = [
        (p, weight)
        for p, weight in zip(explanation["precisions"], explanation["weights"])
        if weight
    ]
    return math.prod(p**weight for p, weight in pairs) if pairs else 0.0


def _write_tokens(
    label: str, tokens: Sequence[Any], known: Collection[Any], counting: Sequence[bool] = ()
) -> str:
    """Return known tokens in color, struck out if they don't count, and others underlined with dots."""
    marks = {
        True: 'span class="token" style="--match:1"',
        False: 'del class="token"',
        None: 'span class="token missed"',
    }
    kinds = (
        marks[counts if token in known else None]
        for token, counts in zip(tokens, counting or repeat(True))
    )
    line = " ".join(
        f"<{kind}>{show(token)}</{kind.split()[0]}>" for token, kind in zip(tokens, kinds)
    )
    head = f'<div class="bleu-label">{label}</div>'
    return f'<div class="bleu-tokens">{head}<p dir="auto">{line or "<em>empty</em>"}</p></div>'


def _draw_cells(counting: Sequence[bool], n: int) -> str:
    """Return a line of cells, one per n-gram below the middle of its tokens; a run of equal cells is a dashed path."""
    runs: dict[bool, list[str]] = {False: [], True: []}
    start = 0
    for at in range(1, len(counting) + 1):
        if at == len(counting) or counting[at] != counting[start]:
            runs[counting[start]].append(f"M{start + (n - 1) / 2:g},.5h{at - start}")
            start = at
    kinds = {True: "counts", False: "missed"}
    return "".join(
        f'<path class="{kinds[counts]}" d="{"".join(d)}"/>' for counts, d in runs.items() if d
    )


def _write_tables(orders: Sequence[Mapping[str, Any]]) -> str:
    """Return the counts of each n-gram of some orders, folded."""
    tables = []
    for order in orders:
        found = [ngram for kind in _KINDS for ngram in order[kind]]
        cells = []
        for ngram in found[:_SHOWN_NGRAMS]:
            counts = ngram["count"], ngram["allowed"], min(ngram["count"], ngram["allowed"])
            cells.append([" ".join(map(str, ngram["ngram"])), *map(str, counts)])
        more = (
            f"<p>and {len(found) - _SHOWN_NGRAMS:,} more</p>" if len(found) > _SHOWN_NGRAMS else ""
        )
        head = [f"{order['order']}-gram", "in the candidate", "most in one reference", "counts"]
        tables.append(f"<div>{rows(head, cells)}{more}</div>")
    if not tables:
        return ""
    return (
        f'<details data-fold="table {len(tables)}"><summary>The count of each n-gram</summary>'
        f'<div class="bleu-sides">{"".join(tables)}</div></details>'
    )
