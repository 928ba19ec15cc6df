"""The HTML of the demo, with every text escaped: pieces that notebooks show too, and charts.

Each chart has its numbers as text. The metric's pieces come with their own style; page.css has the
rest.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import gradio as gr
import numpy as np
from numpy.typing import ArrayLike

from .metric import core

if TYPE_CHECKING:
    from .checks import Remedy

STYLE: str = core.STYLE
Markup = core.Markup
show = core.show
count_things = core.count_things
headline = core.headline
paragraph = core.paragraph

LINK_BUTTON = (
    '<button type="button" class="bleu-copy bleu-link" data-copy="">Copy link</button>'
    '<small class="bleu-no-link">Too long for a link</small>'
)

PICTURE_BUTTON = (
    '<button type="button" class="bleu-copy" data-picture="bleu.png">Save picture</button>'
)

_NUMBER_WORDS = (
    "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_ROOTS = {2: "square root", 3: "cube root", 4: "fourth root"}
_DECIMAL = r"[+−-]?\d[\d,]*(\.\d+)?"
_NUMBERS = re.compile(rf"(<?{_DECIMAL}(( to | : |/){_DECIMAL}| and more|%)?)?")
_BOLD_NUMBER = re.compile(rf"<b>{_DECIMAL}(/{_DECIMAL})?</b>")

_ON_LOAD = """
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (button) trigger("click", { ...button.dataset });
});
element.addEventListener("change", () => trigger("input"));
"""


# A segment by its number, and its scores under two systems, from 0 to 100.
Point = tuple[int, float, float]


def add_html(text: str = "", elem_id: str | None = None) -> gr.HTML:
    """Add HTML to the demo."""
    return gr.HTML(text, elem_classes="bleu-page", elem_id=elem_id)


def add_clickable(text: str, elem_id: str) -> gr.HTML:
    """Add HTML with buttons and choices.

    `event.x` of its click event is the `data-x` of the button. page.js keeps a changed choice until
    the input event is sent.
    """
    return gr.HTML(text, elem_classes="bleu-page", elem_id=elem_id, js_on_load=_ON_LOAD)


def add_system_field(label: str, elem_id: str) -> gr.Dropdown:
    """Add a choice among systems.

    Gradio forgets the choices of old sessions, and without `allow_custom_value` it would reject
    each value then.
    """
    return gr.Dropdown([], label=label, elem_id=elem_id, allow_custom_value=True)


def button(text: str, action: str, **data: str) -> str:
    """Return a button of a clickable component; `about` completes its name for screen readers.

    >>> button("OK", "apply", options="{}")
    '<button type="button" class="bleu-button" data-action="apply" data-options="{}">OK</button>'
    """
    attributes = "".join(
        f' data-{name}="{show(value)}"' for name, value in data.items() if name != "about"
    )
    if "about" in data:
        name = f"{text} ({data['about']})"
        attributes += f' aria-label="{show(name)}"'
    return Markup(
        f'<button type="button" class="bleu-button" data-action="{action}"{attributes}>'
        f"{show(text)}</button>"
    )


def copy_button(text: str, what: str) -> str:
    """Return a button that copies a sentence, which is its tooltip, or a text of several lines.

    >>> copy_button("BLEU 1.", "it")
    '<button type="button" class="bleu-copy" data-copy="BLEU 1." title="BLEU 1.">Copy it</button>'
    """
    title = "" if "\n" in text else f' title="{show(text)}"'
    # `show` would write the line ends of a table as escape sequences.
    copied = escape(text)
    return Markup(
        f'<button type="button" class="bleu-copy" data-copy="{copied}"{title}>'
        f"Copy {show(what)}</button>"
    )


def bold(text: str) -> str:
    """Return a text in bold.

    >>> bold("1.0")
    '<b>1.0</b>'
    """
    return Markup(f"<b>{show(text)}</b>")


def join(*texts: str) -> str:
    """Join the texts that are not empty.

    >>> join("a", "", "b")
    'a, b'
    """
    return ", ".join(filter(None, texts))


def write_count(count: int) -> str:
    """Write a number as a sentence has it.

    >>> [write_count(count) for count in (8, 21, 30)]
    ['eight', '21', 'thirty']
    """
    words = dict(enumerate(_NUMBER_WORDS.split())) | {30: "thirty"}  # the most systems
    return words.get(count, f"{count}")


def count_range(counts: Collection[int], noun: str) -> str:
    """Write the smallest and the largest of some counts.

    >>> count_range([2, 1], "reference"), count_range([1, 1], "reference")
    ('1 to 2 references', '1 reference')
    """
    most = count_things(max(counts), noun)
    return most if len({*counts}) == 1 else f"{min(counts)} to {most}"


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
    attributes = f'data-action="open" data-segment="{number}" aria-label="Open line {number}"'
    return Markup(f'<button type="button" class="bleu-button" {attributes}>{number}</button>')


def code(title: str, text: str) -> str:
    """Return code with a heading and a button that copies it."""
    lines = "\n".join(show(line) for line in text.strip().split("\n"))
    heading = f"<h2>{show(title)}</h2>" if title else ""
    return (
        f'{heading}<pre class="bleu-code">{lines}</pre>'
        f'<p class="bleu-copies">{copy_button(text, "it")}</p>'
    )


def name_root(degree: int) -> str:
    """Return the name of a root.

    >>> name_root(3)
    'cube root'
    """
    return _ROOTS.get(degree, f"{degree}th root")


def remedies(findings: Sequence[Remedy]) -> str:
    """Return a box for each finding, with its button."""
    boxes = []
    for remedy in findings:
        options = json.dumps(remedy.options)
        fix = button(remedy.button, "apply", options=options, fix=remedy.fix)
        apply = fix if remedy.button else ""
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


def doubt(content: str, caution: str) -> str:
    """Return a result below what puts it in doubt, if something does."""
    if not caution:
        return content
    told = f'<p class="bleu-message caution"><b>Caution:</b> {show(caution)}</p>'
    return f'{told}<div class="bleu-doubtful">{content}</div>'


def share(link: str) -> str:
    """Return an element without content; while it is in sight, page.js has its link in the address.

    >>> share("eJx")
    '<i data-result="eJx"></i>'
    """
    return f'<i data-result="{show(link)}"></i>'


def fold(title: str, content: str) -> str:
    """Return content with a heading, closed until a visitor opens it.

    What a visitor opens or closes stays so for the next content of the same title.
    """
    summary = f"<summary><h2>{show(title)}</h2></summary>"
    return f'<details data-fold="{show(title)}">{summary}{content}</details>'


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
        kinds.append(' class="number"' if has_numbers else "")
    # 2. The head. A column without a name has no header that a screen reader would announce.
    names = [
        f'<th scope="col"{kind}>{show(name)}</th>' if name else "<td></td>"
        for name, kind in zip(head, kinds)
    ]
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

    >>> [_is_number(cell) for cell in ("+1,234.50", "0 to 9", "17/18", "5%", "500 and more", "")]
    [True, True, True, True, True, True]
    >>> [_is_number(cell) for cell in ("a", "to", ": . to", "1.", "1 2")]
    [False, False, False, False, False]
    """
    if isinstance(cell, Markup):
        return _BOLD_NUMBER.fullmatch(cell) is not None
    return _NUMBERS.fullmatch(cell) is not None


def segment_rows(
    count: int, limit: int, head: Sequence[str], cells: Sequence[Sequence[str]], order: str = ""
) -> str:
    """Return segments as a table that scrolls in its box, below the number of segments.

    `count` is the number of all segments found, of which up to `limit` are listed. `order` says
    which come first, unless a field above the table does.
    """
    title = join(count_things(count, "line"), order)
    if count > limit:
        title += f", the first {limit:,} listed"
    return f'<p class="bleu-label">{title}</p>{rows(head, cells, " tall")}'


# The penalty exp(1 - r/c) as an SVG path, where r is 100, and a penalty of 1 is 100 high.
_POINTS = [f"{length},{100 - 100 * math.exp(1 - 100 / length):.1f}" for length in range(5, 101, 5)]
_CURVE = f"M0,100L{' '.join(_POINTS)}H150"


def brevity_curve(result: Mapping[str, Any], mean: float) -> str:
    """Return the brevity penalty by the candidate's length as a curve, with a dot at the candidate.

    page.js moves the dot where a visitor drags it, and tells the score there, by the mean of the
    precisions.

    >>> lengths = {"translation_length": 5, "reference_length": 10}
    >>> curve = brevity_curve({**lengths, "brevity_penalty": 0.3679}, 1.0)
    >>> 'cx="50.0" cy="63.2"' in curve, ">10</tspan>" in curve
    (True, True)
    """
    length = result["translation_length"]
    reference_length = result["reference_length"]
    penalty = result["brevity_penalty"]
    written = core.write_number(penalty)
    words = f"brevity penalty {written} for {count_things(length, 'token')}"
    # 1. The dot. The picture ends at 1.5 times the length of the reference.
    x = 100 * min(length / max(reference_length, 1), 1.5)
    y = 100 - 100 * penalty
    # 2. The penalty beside the dot, if it fits, and not below the axis.
    anchor, text_x = ("end", x - 4) if x > 120 else ("start", x + 4)
    text_y = min(y + 11, 96)
    # 3. The dot is a slider from 0 to the end of the picture.
    longest = max(math.floor(1.5 * reference_length), 1)
    slider = (
        'tabindex="0" role="slider" aria-label="Length of the candidate in tokens"'
        f' aria-valuemin="0" aria-valuemax="{longest}" aria-valuenow="{min(length, longest)}"'
        f' aria-valuetext="{words}"'
    )
    return (
        f'<figure class="bleu-curve" data-reference="{reference_length}"'
        f' data-mean="{mean:.6f}"><svg viewBox="-8 -6 160 132">'
        '<path class="grid" d="M0,0V100H150M100,0V100"/>'
        f'<path class="curve" d="{_CURVE}"/><path class="grid dropped" d="M{x:.1f},{y:.1f}V100"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" {slider}/>'
        f'<text class="penalty" x="{text_x:.1f}" y="{text_y:.1f}" text-anchor="{anchor}">{written}'
        "</text>"
        '<text x="-3" y="3" text-anchor="end">1</text><text x="-3" y="102" text-anchor="end">0'
        '</text><text x="3" y="5">factor</text>'
        f'<text class="length" x="{max(x, 8):.1f}" y="110" text-anchor="middle">{length:,}</text>'
        '<text x="104" y="58">reference'
        f'<tspan x="104" dy="9">{reference_length:,}</tspan></text>'
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

    >>> 'data-segment="3"' in scatter([(3, 10.0, 20.0)], ("A", "B"), "B is higher.")
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
    caption = f"BLEU of {second} ↑ against {first} →, by line"
    label = f"{show(words)} The arrow keys go from line to line, and Enter opens one."
    return (
        f'<figure class="bleu-scatter"><figcaption class="bleu-label">{caption}</figcaption>'
        f'<svg viewBox="-12 -3 119 112" tabindex="0" role="group" aria-label="{label}">'
        f'{grid}{ticks}<path class="equal" d="M0,100L100,0"/>{circles}'
        f'<text x="2" y="6">{second} is higher</text>'
        f'<text x="98" y="98" text-anchor="end">{first} is higher</text></svg></figure>'
    )


def _draw_point(point: Point) -> str:
    segment, first, second = point
    better = "first" if first > second else "second" if first < second else "tie"
    return (
        f'<circle class="{better}" data-action="open" data-segment="{segment}"'
        f' cx="{first:.1f}" cy="{100 - second:.1f}" r="1.2"><title>'
        f"Line {segment}: {first:.1f} and {second:.1f}</title></circle>"
    )
