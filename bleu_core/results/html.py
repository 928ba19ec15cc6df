"""HTML for notebooks and the demo.

`Report.to_html`, results with a form of their own, and the demo call these functions. They escape
every text and show invisible and bidirectional control characters as escape sequences. The style
takes its colors from the surrounding page, so that it fits light and dark ones.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from typing import Literal

from ..shared.messages import count_things
from ..shared.result_types import CoveredTokens, NGramCount, OrderMatches
from .wording import ResultDict, describe_penalty, escape_unseen, list_terms, multiply, write_number

_SHOWN_NGRAMS = 100  # per order and kind
# N-grams that don't count, or not as often as they occur.
_MISSES: dict[Literal["clipped", "missed"], str] = {
    "clipped": "more occurrences than in any single reference",
    "missed": "in no reference",
}


class Markup(str):
    """Text that is HTML already, and is not escaped again."""


def wrap(*blocks: str) -> str:
    """Join the blocks of a report, with their style.

    >>> wrap("<p>a</p>").endswith("</style><p>a</p></div>")
    True
    """
    return f'<div class="bleu-report"><style>{STYLE}</style>{"".join(blocks)}</div>'


def show(text: object) -> str:
    """Escape a text for HTML, with invisible characters as Python's escape sequences.

    >>> print(show("<b>\\x1b"))
    &lt;b&gt;\\x1b
    """
    return text if isinstance(text, Markup) else escape(escape_unseen(text))


def paragraph(text: str, kind: str = "title") -> str:
    """Write a paragraph; an empty text gives an empty string.

    >>> paragraph("a < b", "note")
    '<p class="bleu-note">a &lt; b</p>'
    """
    return f'<p class="bleu-{kind}">{show(text)}</p>' if text else ""


def headline(score: float, caption: str = "") -> str:
    """Write a score on the scale 0-100 in large type, with a caption.

    >>> headline(50.4567, "Candidate")
    '<p class="bleu-score"><strong>50.46</strong> BLEU · Candidate</p>'
    """
    text = f"<strong>{score:.2f}</strong> BLEU"
    if caption:
        text += f" · {show(caption)}"
    return f'<p class="bleu-score">{text}</p>'


def formula(result: ResultDict) -> str:
    """Write the brevity penalty and the precisions as fractions, and the lengths."""
    terms = list_terms(result)
    spans = []
    for term, weight in terms:
        kind = "term smoothed" if term.is_smoothed else "term"
        spans.append((f'<span class="{kind}" title="{term.meaning}">{term.text}</span>', weight))
    product = multiply(spans, "<sup>{}</sup>", "<sup>{}</sup>")
    penalty = write_number(result["brevity_penalty"])
    remark = describe_penalty(result)
    if any(term.is_smoothed for term, _ in terms):
        remark += "; dashed: smoothed"
    return (
        f'<p class="bleu-formula">BLEU = {penalty} · {product} = <b>{result["bleu"]:.4f}</b>'
        f"<br><small>{remark}</small></p>"
    )


def tokens(text: CoveredTokens, max_order: int, label: str, marked: Collection[int] = ()) -> str:
    """Write the tokens of a text, each shaded by the length of its longest matching n-gram.

    `label` is the line above the tokens, `marked` has the indices of tokens to underline.

    >>> tokens({"tokens": ["<b>"], "longest_match": [2], "length": 1}, 4, "Candidate")
    '<div class="bleu-tokens"><div class="bleu-label">Candidate <small>1 token</small></div>\
<p dir="auto"><span class="token" style="--match:0.5" title="part of a matching 2-gram">\
&lt;b&gt;<sub>2</sub></span></p></div>'
    """
    shown = []
    for i, (token, order) in enumerate(zip(text["tokens"], text["longest_match"])):
        markup = _token(token, order, max_order)
        if i in marked:
            markup = f"<mark>{markup}</mark>"
        shown.append(markup)
    return (
        f'<div class="bleu-tokens"><div class="bleu-label">{show(label)}'
        f" <small>{count_things(text['length'], 'token')}</small>"
        f'</div><p dir="auto">{" ".join(shown) or "<em>empty</em>"}</p></div>'
    )


def legend(max_order: int) -> str:
    """Write the legend of `tokens`."""
    marks = [_token("none", 0, max_order)]
    marks += [_token(f"{order}-gram", order, max_order) for order in range(1, max_order + 1)]
    return f'<p class="bleu-legend">Longest matching n-gram: {" ".join(marks)}</p>'


def _token(token: object, order: int, max_order: int) -> str:
    if order == 0:
        return f'<span class="token missed" title="in no n-gram that counts">{show(token)}</span>'
    return (
        f'<span class="token" style="--match:{order / max_order:.2g}"'
        f' title="part of a matching {order}-gram">{show(token)}<sub>{order}</sub></span>'
    )


def ngrams(result: ResultDict) -> str:
    """Write the clipped and missed n-grams of each order, folded."""
    orders: list[OrderMatches] = result["orders"]
    count = 0  # occurrences that don't count
    rows = ""
    shown_kinds = set()
    for order in orders:
        for kind in _MISSES:
            rejected = order[kind]
            if not rejected:
                continue
            cells = [_show_ngram(ngram) for ngram in rejected[:_SHOWN_NGRAMS]]
            hidden = len(rejected) - len(cells)
            if hidden:
                cells.append(f"and {hidden:,} more")
            rows += (
                f'<tr><th class="order">{order["order"]}-gram, {kind}</th>'
                f"<td>{' '.join(cells)}</td></tr>"
            )
            count += sum(ngram["count"] - ngram["allowed"] for ngram in rejected)
            shown_kinds.add(kind)
    if not rows:
        return ""
    verb = "n-gram doesn’t" if count == 1 else "n-grams don’t"
    meanings = [f"{kind}: {meaning}" for kind, meaning in _MISSES.items() if kind in shown_kinds]
    return (
        f'<details class="bleu-ngrams"><summary>{count:,} {verb} count</summary>'
        f"<table>{rows}</table><small>{'; '.join(meanings)}</small></details>"
    )


def _show_ngram(ngram: NGramCount) -> str:
    code = f'<code class="code" dir="auto">{show(" ".join(map(str, ngram["ngram"])))}</code>'
    if ngram["count"] == 1:
        return code
    if ngram["allowed"]:
        return f"{code} ({ngram['allowed']} of {ngram['count']} count)"
    return f"{code} × {ngram['count']}"


def explanation(result: ResultDict, name: str = "") -> str:
    """Write a result of `explain` in color; `name` names one of several predictions."""
    max_order = len(result["orders"])
    blocks = [
        headline(result["score"], name),
        formula(result),
        tokens(result["prediction"], max_order, "Prediction"),
    ]
    for i, reference in enumerate(result["references"]):
        label = f"Reference {i + 1}"
        if i == result["effective_reference"]:
            label += " (sets the brevity penalty)"
        blocks.append(tokens(reference, max_order, label))
    blocks.append(ngrams(result))
    return "".join(blocks)


def write_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], words: Collection[str] = ()
) -> str:
    """Write a table: the first column is aligned left, numbers right, and columns of `words` wrap.

    `words` has the names of columns of words, which are aligned left, too.

    >>> write_table(["name"], [["<A>"]])
    '<div class="bleu-table"><table><tr><th>name</th></tr><tr><td>&lt;A&gt;</td></tr></table></div>'
    """
    attributes = [' class="words"' if name in words else "" for name in head]
    lines = [_write_row("th", head, attributes)]
    lines += [_write_row("td", row, attributes) for row in rows]
    return f'<div class="bleu-table"><table>{"".join(lines)}</table></div>'


def _write_row(tag: str, cells: Sequence[str], attributes: Sequence[str]) -> str:
    """Write a row of a table; a row without cells is a rule."""
    if not cells:
        return '<tr class="rule"></tr>'
    written = [
        f"<{tag}{attribute}>{show(cell)}</{tag}>" for cell, attribute in zip(cells, attributes)
    ]
    return f"<tr>{''.join(written)}</tr>"


def draw_interval(low: float, value: float, high: float, scale: tuple[float, float]) -> Markup:
    """Draw an interval as a line with a point in it.

    >>> draw_interval(0.25, 0.5, 0.75, (0.0, 1.0))
    '<span class="bleu-interval" style="--low:25.0%;--at:50.0%;--high:75.0%"><i></i><b></b></span>'
    """
    start, end = scale
    width = end - start or 1.0  # a scale of a single score has no width
    places = [f"{100 * (score - start) / width:.1f}%" for score in (low, value, high)]
    style = "--low:{};--at:{};--high:{}".format(*places)
    return Markup(f'<span class="bleu-interval" style="{style}"><i></i><b></b></span>')


# --- Style ----------------------------------------------------------------------------------------

# A backslash joins two lines of the source to one line of the style.
STYLE = """
.bleu-report { --bleu-tint: #3b82f6; --bleu-accent: color-mix(in srgb, #2563eb 65%, currentColor);
  --bleu-muted: color-mix(in srgb, currentColor 72%, transparent);
  --bleu-line: color-mix(in srgb, currentColor 25%, transparent); max-width: 60rem;\
 line-height: 1.5; }
.bleu-report p { margin: 0.25em 0; }
.bleu-report .bleu-score { margin: 0; color: var(--bleu-muted); }
.bleu-report .bleu-score strong { font-size: 2em; line-height: 1.2; color: var(--bleu-accent); }
.bleu-score strong, .bleu-formula { font-variant-numeric: tabular-nums; }
.bleu-formula .term { white-space: nowrap; }
.bleu-formula .smoothed { border-bottom: 1px dashed currentColor; }
.bleu-formula small, .bleu-report .bleu-note, .bleu-tokens .bleu-label, .bleu-legend,\
 .bleu-ngrams summary,
.bleu-ngrams small { color: var(--bleu-muted); font-size: 0.9em; }
.bleu-formula, .bleu-report .bleu-note { overflow-wrap: anywhere; }
.bleu-report .bleu-tokens { margin: 0.75em 0; }
.bleu-tokens p { margin: 0; line-height: 2; text-align: start; overflow-wrap: anywhere; }
.bleu-tokens .token, .bleu-legend .token { white-space: pre-wrap; padding: 0.1em 0.3em;\
 border-radius: 0.25em;
  --bleu-shade: calc(var(--bleu-fill, 55%) * var(--match, 0));
  background: color-mix(in srgb, var(--bleu-tint) var(--bleu-shade), transparent);
  box-decoration-break: clone; -webkit-box-decoration-break: clone; }
.bleu-tokens mark { background: none; color: inherit; border-bottom: 2px solid currentColor;\
 padding: 0.1em 0; }
.bleu-tokens .token sub { vertical-align: baseline; margin-left: 0.2em; font-size: 0.8em;\
 opacity: 0.8; }
.bleu-tokens .token.missed, .bleu-legend .token.missed { background: none; color: var(--bleu-muted);
  text-decoration: underline dotted; text-underline-offset: 0.25em; }
.bleu-legend { line-height: 2; }
.bleu-legend .token { color: var(--bleu-ink, currentColor); white-space: nowrap; }
.bleu-legend .token.missed.missed { color: inherit; }
.bleu-legend sub { display: none; }
.bleu-ngrams summary { cursor: pointer; }
.bleu-ngrams code.code { background: color-mix(in srgb, currentColor 9%, transparent);\
 color: inherit;
  padding: 0.05em 0.3em; border-radius: 0.25em; white-space: pre-wrap; font-size: 0.95em;\
 line-height: 1.5;
  display: inline-block; max-width: 100%; margin: 0.05em 0; }
.bleu-ngrams tr > th:first-child.order { white-space: nowrap; font-weight: 400;\
 color: var(--bleu-muted); }
.bleu-table, .bleu-ngrams { overflow-x: auto; }
.bleu-report .bleu-table { margin: 0.5em 0; }
.bleu-table table, .bleu-ngrams table { border: 0; border-collapse: collapse; width: auto;\
 margin: 0; font-size: 1em; }
.bleu-table tr:nth-child(n):nth-child(n), .bleu-ngrams tr:nth-child(n):nth-child(n) {\
 background: none; border: 0; }
.bleu-table tr > :nth-child(n), .bleu-ngrams tr > :nth-child(n) { border: 0;\
 padding: 0.25em 0.7em 0.25em 0;
  border-bottom: 1px solid var(--bleu-line); background: none; color: inherit; font-size: 1em;\
 text-align: left;
  vertical-align: top; overflow-wrap: anywhere; max-width: none;\
 font-variant-numeric: tabular-nums; }
.bleu-table tr > :nth-child(n) { white-space: nowrap; overflow-wrap: normal; }
.bleu-table tr > :nth-child(n + 2) { text-align: right; }
.bleu-table tr > :first-child { white-space: normal; }
.bleu-table tr > .words.words { text-align: left; white-space: normal; overflow-wrap: anywhere;\
 min-width: 9em; }
.bleu-table th, .bleu-ngrams th { font-weight: 600; }
.bleu-table tr.rule + tr > :nth-child(n):nth-child(n) { border-top: 2px solid currentColor; }
.bleu-interval { display: inline-block; position: relative; width: 10em; height: 0.7em; }
.bleu-interval i { position: absolute; left: var(--low); right: calc(100% - var(--high));\
 top: 50%; height: 0;
  border-top: 2px solid currentColor; }
.bleu-interval b { position: absolute; left: calc(var(--at) - 0.3em); top: calc(50% - 0.25em);\
 width: 0.6em;
  height: 0.6em; border-radius: 50%; background: currentColor; }
"""
