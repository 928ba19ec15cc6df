"""Results as HTML, for notebooks and for the page: a segment in colours, its formula, tables.

Every text is escaped, and what would be invisible or turn a line around is shown as its code. The style takes its
colours from those around it, so that it fits a light page and a dark one, whatever made it so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

from .bleu_formula import describe_penalty, list_factors, multiply, write_number

Explanation = Mapping[str, Any]

_SHOWN_NGRAMS = 100  # of an order, and of those clipped and those missed each
_KINDS = {"clipped": "more of them than any one reference has", "missed": "in no reference"}

# Control characters, marks that turn the direction of a line, and halves of surrogate pairs.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

STYLE = """
.bleu-report { --bleu-tint: #3b82f6; --bleu-accent: color-mix(in srgb, #2563eb 65%, currentColor);
  --bleu-muted: color-mix(in srgb, currentColor 72%, transparent);
  --bleu-line: color-mix(in srgb, currentColor 25%, transparent); max-width: 60rem; line-height: 1.5; }
.bleu-report p { margin: 0.25em 0; }
.bleu-report .bleu-score { margin: 0; color: var(--bleu-muted); }
.bleu-report .bleu-score strong { font-size: 2em; line-height: 1.2; color: var(--bleu-accent); }
.bleu-score strong, .bleu-formula { font-variant-numeric: tabular-nums; }
.bleu-formula { overflow-wrap: anywhere; }
.bleu-formula .term { white-space: nowrap; }
.bleu-formula .smoothed { border-bottom: 1px dashed currentColor; }
.bleu-formula small, .bleu-report .bleu-note { color: var(--bleu-muted); font-size: 0.9em; overflow-wrap: anywhere; }
.bleu-report .bleu-tokens { margin: 0.75em 0; }
.bleu-tokens .bleu-label { color: var(--bleu-muted); font-size: 0.9em; }
.bleu-tokens p { margin: 0; line-height: 2; text-align: start; overflow-wrap: anywhere; }
.bleu-tokens .token, .bleu-legend .token { white-space: pre-wrap; padding: 0.1em 0.3em; border-radius: 0.25em;
  --bleu-shade: calc(var(--bleu-fill, 55%) * var(--match, 0));
  background: color-mix(in srgb, var(--bleu-tint) var(--bleu-shade), transparent);
  box-decoration-break: clone; -webkit-box-decoration-break: clone; }
.bleu-tokens mark { background: none; color: inherit; border-bottom: 2px solid currentColor; padding: 0.1em 0; }
.bleu-tokens .token sub { vertical-align: baseline; margin-left: 0.2em; font-size: 0.8em; opacity: 0.8; }
.bleu-tokens .token.missed, .bleu-legend .token.missed { background: none; color: var(--bleu-muted);
  text-decoration: underline dotted; text-underline-offset: 0.25em; }
.bleu-legend { color: var(--bleu-muted); font-size: 0.9em; line-height: 2; }
.bleu-legend .token { color: var(--bleu-ink, currentColor); white-space: nowrap; }
.bleu-legend .token.missed.missed { color: inherit; }
.bleu-legend sub { display: none; }
.bleu-ngrams summary { cursor: pointer; color: var(--bleu-muted); font-size: 0.9em; }
.bleu-ngrams small { color: var(--bleu-muted); font-size: 0.9em; }
.bleu-ngrams code.code { background: color-mix(in srgb, currentColor 9%, transparent); color: inherit;
  padding: 0.05em 0.3em; border-radius: 0.25em; white-space: pre-wrap; font-size: 0.95em; line-height: 1.5;
  display: inline-block; max-width: 100%; margin: 0.05em 0; }
.bleu-ngrams tr > th:first-child.order { white-space: nowrap; font-weight: 400; color: var(--bleu-muted); }
.bleu-table, .bleu-ngrams { overflow-x: auto; }
.bleu-report .bleu-table { margin: 0.5em 0; }
.bleu-table table, .bleu-ngrams table { border: 0; border-collapse: collapse; width: auto; margin: 0; font-size: 1em; }
.bleu-table tr:nth-child(n):nth-child(n), .bleu-ngrams tr:nth-child(n):nth-child(n) { background: none; border: 0; }
.bleu-table tr > :nth-child(n), .bleu-ngrams tr > :nth-child(n) { border: 0; padding: 0.25em 0.7em 0.25em 0;
  border-bottom: 1px solid var(--bleu-line); background: none; color: inherit; font-size: 1em; text-align: left;
  vertical-align: top; overflow-wrap: anywhere; max-width: none; font-variant-numeric: tabular-nums; }
.bleu-table tr > :nth-child(n) { white-space: nowrap; overflow-wrap: normal; }
.bleu-table tr > :nth-child(n + 2) { text-align: right; }
.bleu-table tr > :first-child { white-space: normal; }
.bleu-table tr > .words.words { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 9em; }
.bleu-table th, .bleu-ngrams th { font-weight: 600; }
.bleu-interval { display: inline-block; position: relative; width: 10em; height: 0.7em; }
.bleu-interval i { position: absolute; left: var(--low); right: calc(100% - var(--high)); top: 50%; height: 0;
  border-top: 2px solid currentColor; }
.bleu-interval b { position: absolute; left: calc(var(--at) - 0.3em); top: calc(50% - 0.25em); width: 0.6em;
  height: 0.6em; border-radius: 50%; background: currentColor; }
"""


class Markup(str):
    """HTML, where a text is taken: it isn't escaped again."""


def wrap(*parts: str) -> str:
    """Parts of a report with the style that they need.

    >>> wrap("<p>a</p>").endswith("</style><p>a</p></div>")
    True
    """
    return f'<div class="bleu-report"><style>{STYLE}</style>{"".join(parts)}</div>'


def show(text: Any) -> str:
    """A text for HTML: escaped, and what couldn't be seen shown as Python writes it.

    >>> print(show("<b>\\x1b"))
    &lt;b&gt;\\x1b
    """
    if isinstance(text, Markup):
        return text
    return _UNSEEN.sub(lambda found: f"\\{ascii(found.group())[2:-1]}", escape(str(text)))


def paragraph(text: str, kind: str = "title") -> str:
    """A line of text; nothing for none.

    >>> paragraph("a < b", "note")
    '<p class="bleu-note">a &lt; b</p>'
    """
    return f'<p class="bleu-{kind}">{show(text)}</p>' if text else ""


def quantity(number: int, noun: str) -> str:
    """A number of things.

    >>> quantity(1, "segment"), quantity(2000, "segment")
    ('1 segment', '2,000 segments')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def headline(score: float, caption: str = "") -> str:
    """A score from 0 to 100, large, with a caption behind it.

    >>> headline(50.4567, "Candidate")
    '<p class="bleu-score"><strong>50.46</strong> BLEU · Candidate</p>'
    """
    return f'<p class="bleu-score"><strong>{score:.2f}</strong> BLEU{f" · {show(caption)}" if caption else ""}</p>'


def formula(result: Explanation) -> str:
    """The brevity penalty and the precisions as fractions, and where the penalty comes from."""
    factors = list_factors(result)
    terms = [
        (f'<span class="term{" smoothed" * factor.is_smoothed}" title="{factor.meaning}">{factor.text}</span>', weight)
        for factor, weight in factors
    ]
    product = multiply(terms, "<sup>{}</sup>", "<sup>{}</sup>")
    smoothed = "; dashed: smoothed" if any(factor.is_smoothed for factor, _ in factors) else ""
    return (
        f'<p class="bleu-formula">BLEU = {write_number(result["brevity_penalty"])} · {product} ='
        f" <b>{result['bleu']:.4f}</b><br><small>{describe_penalty(result)}{smoothed}</small></p>"
    )


def tokens(text: Mapping[str, Any], max_order: int, label: str, marked: Collection[int] = ()) -> str:
    """The tokens of a text, each with the longest n-gram that matched there: the longer, the darker.

    Args:
        text: the prediction or a reference, as in what `explain` returns.
        max_order: the longest n-gram.
        label: what stands above.
        marked: the indices of tokens to point out.

    >>> tokens({"tokens": ["<b>"], "longest_match": [2], "length": 1}, 4, "Candidate")
    '<div class="bleu-tokens"><div class="bleu-label">Candidate <small>1 token</small></div><p dir="auto">\
<span class="token" style="--match:0.5" title="part of a matching 2-gram">&lt;b&gt;<sub>2</sub></span></p></div>'
    """
    shown = [_token(*token, max_order) for token in zip(text["tokens"], text["longest_match"])]
    line = " ".join(f"<mark>{token}</mark>" if i in marked else token for i, token in enumerate(shown))
    head = f'<div class="bleu-label">{show(label)} <small>{quantity(text["length"], "token")}</small></div>'
    return f'<div class="bleu-tokens">{head}<p dir="auto">{line or "<em>empty</em>"}</p></div>'


def legend(max_order: int) -> str:
    """The key to the colours of `tokens`."""
    names = ["no match", *(f"{order}-gram" for order in range(1, max_order + 1))]
    marks = " ".join(_token(name, order, max_order) for order, name in enumerate(names))
    return f'<p class="bleu-legend">The longest n-gram that matched: {marks}</p>'


def _token(token: Any, order: int, max_order: int) -> str:
    text = show(token)
    if not order:
        return f'<span class="token missed" title="no match">{text}</span>'
    style = f'style="--match:{order / max_order:.2g}"'
    return f'<span class="token" {style} title="part of a matching {order}-gram">{text}<sub>{order}</sub></span>'


def ngrams(result: Explanation) -> str:
    """The n-grams of each order that were clipped or missed, folded."""
    orders, kinds = result["orders"], _KINDS
    count = sum(one["count"] - one["allowed"] for order in orders for kind in kinds for one in order[kind])
    if not count:
        return ""
    rows = "".join(_ngram_row(order, kind) for order in orders for kind in kinds if order[kind])
    key = "; ".join(f"{kind}: {kinds[kind]}" for kind in kinds if any(order[kind] for order in orders))
    verb = "n-gram doesn’t" if count == 1 else "n-grams don’t"
    return (
        f'<details class="bleu-ngrams"><summary>{count:,} {verb} count</summary>'
        f"<table>{rows}</table><small>{key}</small></details>"
    )


def _ngram_row(order: Mapping[str, Any], kind: str) -> str:
    shown = [_ngram(ngram) for ngram in order[kind][:_SHOWN_NGRAMS]]
    rest = len(order[kind]) - len(shown)
    more = [f"and {rest:,} more"] if rest else []
    head = f'<th class="order">{order["order"]}-gram, {kind}</th>'
    return f"<tr>{head}<td>{' '.join(shown + more)}</td></tr>"


def _ngram(ngram: Mapping[str, Any]) -> str:
    text = f'<code class="code" dir="auto">{show(" ".join(map(str, ngram["ngram"])))}</code>'
    if ngram["allowed"]:
        return f"{text} ({ngram['allowed']} of {ngram['count']} count)"
    return f"{text} × {ngram['count']}" if ngram["count"] > 1 else text


def explanation(result: Explanation, name: str = "") -> str:
    """A segment in colours: score, formula, tokens of the prediction and of each reference, n-grams that don't count.

    Args:
        result: what `explain` returns.
        name: what the prediction is called, where there are several.
    """
    max_order = len(result["orders"])
    parts = [headline(result["score"], name), formula(result), tokens(result["prediction"], max_order, "Prediction")]
    for i, reference in enumerate(result["references"]):
        remark = ", whose length counts" if i == result["effective_reference"] else ""
        parts.append(tokens(reference, max_order, f"Reference {i + 1}{remark}"))
    return "".join([*parts, ngrams(result)])


def table(head: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[str] = ()) -> str:
    """A small table: the first column to the left, numbers to the right, the columns named in `words` wrapped.

    >>> table(["system"], [["<A>"]])
    '<div class="bleu-table"><table><tr><th>system</th></tr><tr><td>&lt;A&gt;</td></tr></table></div>'
    """
    kinds = [' class="words"' if name in words else "" for name in head]
    lines = ["".join(f"<th{kind}>{show(cell)}</th>" for cell, kind in zip(head, kinds))]
    lines += ["".join(f"<td{kind}>{show(cell)}</td>" for cell, kind in zip(row, kinds)) for row in rows]
    return f'<div class="bleu-table"><table>{"".join(f"<tr>{line}</tr>" for line in lines)}</table></div>'


def interval(low: float, value: float, high: float, scale: tuple[float, float]) -> Markup:
    """An interval as a line with a point in it, from one end of the scale to the other.

    >>> interval(0.25, 0.5, 0.75, (0.0, 1.0))
    '<span class="bleu-interval" style="--low:25.0%;--at:50.0%;--high:75.0%"><i></i><b></b></span>'
    """
    start, width = scale[0], scale[1] - scale[0] or 1.0
    low, at, high = (100 * (number - start) / width for number in (low, value, high))
    style = f"--low:{low:.1f}%;--at:{at:.1f}%;--high:{high:.1f}%"
    return Markup(f'<span class="bleu-interval" style="{style}"><i></i><b></b></span>')
