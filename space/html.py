"""Results as HTML, with every text escaped. The colours are in page.css."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

Explanation = Mapping[str, Any]


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
    return f'<p class="bleu-message {kind}" role="{role}">{escape(text)}</p>'


def heading(text: str) -> str:
    """A heading within a tab.

    >>> heading("a < b")
    '<h4>a &lt; b</h4>'
    """
    return f"<h4>{escape(text)}</h4>"


def quote(text: str) -> str:
    """A sentence to quote.

    >>> quote("B scores 21.50 BLEU.")
    '<p class="bleu-quote">B scores 21.50 BLEU.</p>'
    """
    return f'<p class="bleu-quote">{escape(text)}</p>'


def texts(name: str, paragraphs: Sequence[str]) -> str:
    """Texts under a heading.

    >>> texts("References", ["a", "b"])
    '<div class="bleu-tokens"><h4>References</h4><p dir="auto">a</p><p dir="auto">b</p></div>'
    """
    inner = "".join(f'<p dir="auto">{escape(text)}</p>' for text in paragraphs)
    return f'<div class="bleu-tokens">{heading(name)}{inner}</div>'


def quantity(number: int, noun: str) -> str:
    """A number of things.

    >>> quantity(1, "segment"), quantity(2000, "segment")
    ('1 segment', '2,000 segments')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def notes(messages: Sequence[str]) -> str:
    """A box for each message, without repetitions."""
    return "".join(message(text, "note") for text in dict.fromkeys(messages))


def headline(score: float, caption: str) -> str:
    """A score from 0 to 100, large, with a caption behind it.

    >>> headline(50.4567, "Candidate")
    '<p class="bleu-score"><strong>50.46</strong> BLEU · Candidate</p>'
    """
    return f'<p class="bleu-score"><strong>{score:.2f}</strong> BLEU · {escape(caption)}</p>'


def formula(result: Explanation) -> str:
    """BP · exp(Σ w ln p) with its numbers, and how the brevity penalty comes about."""
    terms = [
        f'<span class="term">{weight:.3g}&thinsp;ln&thinsp;{precision:.4f}</span>'
        for weight, precision in zip(result["weights"], result["precisions"])
        if weight
    ]
    length, reference_length = result["translation_length"], result["reference_length"]
    return (
        f'<p class="bleu-formula">BLEU = BP · exp(Σ w ln p) = {result["brevity_penalty"]:.4f} · exp('
        f"{' + '.join(terms) or 'no n-gram'}) = <b>{result['bleu']:.4f}</b><br>"
        f"BP = {_penalty(length, reference_length)}, of {length} tokens against {reference_length}</p>"
    )


def _penalty(length: int, reference_length: int) -> str:
    if length >= reference_length:
        return "1"
    return f"exp(1 − {reference_length}/{length})" if length else "0"


def tokens(text: Mapping[str, Any], max_order: int, label: str) -> str:
    """The tokens of a text: the longer the n-gram that matched, the darker.

    >>> tokens({"tokens": ["<b>"], "longest_match": [2], "length": 1}, 4, "Candidate")
    '<div class="bleu-tokens"><h4>Candidate <small>1 token</small></h4><p dir="auto"><span class="token" \
style="--match:0.5" title="part of a matching 2-gram">&lt;b&gt;<sub>2</sub></span></p></div>'
    """
    marked = " ".join(_token(token, order, max_order) for token, order in zip(text["tokens"], text["longest_match"]))
    heading = f"<h4>{escape(label)} <small>{quantity(text['length'], 'token')}</small></h4>"
    return f'<div class="bleu-tokens">{heading}<p dir="auto">{marked or "<em>empty</em>"}</p></div>'


def legend(max_order: int) -> str:
    """The key to the colours of `tokens`."""
    names = ["no match", *(f"{order}-gram" for order in range(1, max_order + 1))]
    marks = " ".join(_token(name, order, max_order) for order, name in enumerate(names))
    return f'<p class="bleu-legend">The longest n-gram that matched: {marks}</p>'


def _token(token: Any, order: int, max_order: int) -> str:
    text = escape(str(token))
    if not order:
        return f'<span class="token missed" title="no match">{text}</span>'
    style = f'style="--match:{order / max_order:.2g}"'
    return f'<span class="token" {style} title="part of a matching {order}-gram">{text}<sub>{order}</sub></span>'


def bars(series: Sequence[Series], title: str) -> str:
    """A chart of precision by order: for each order a bar of each series, from 0 to 1.

    Args:
        series: with as many orders each.
        title: what stands above.

    >>> "2 of 7" in bars([Series("clipped", "clipped", [(2, 7)])], "Precision by order")
    True
    """
    groups = "".join(_bar_group(order, series) for order in range(1, len(series[0].counts) + 1))
    names = "".join(f'<span><i class="bar {kind}"></i>{escape(name)}</span>' for name, kind, _ in series)
    return (
        f'<figure class="bleu-chart"><figcaption>{escape(title)} <span class="names">{names}</span></figcaption>'
        f'<div class="plot">{groups}</div></figure>'
    )


def _bar_group(order: int, series: Sequence[Series]) -> str:
    columns = "".join(_bar(name, kind, *counts[order - 1]) for name, kind, counts in series)
    return f'<div class="group"><div class="bars">{columns}</div><div class="order">{order}-gram</div></div>'


def _bar(name: str, kind: str, matches: int, total: int) -> str:
    precision = matches / total if total else 0.0
    title = f"{name}: {matches:,} of {total:,} = {precision:.4f}"
    bar = f'<i class="bar {kind}" style="height:{100 * precision:.2f}%"></i>'
    return f'<div class="column" title="{escape(title)}"><span class="value">{precision:.2f}</span>{bar}</div>'


def ngrams(explanation: Explanation) -> str:
    """The n-grams of each order that were clipped or missed, folded."""
    head = "<tr><th></th><th>clipped: more than one reference has</th><th>missed: in no reference</th></tr>"
    rows = "".join(map(_ngram_row, explanation["orders"]))
    table = f"<table>{head}{rows}</table>"
    return f'<details class="bleu-ngrams"><summary>Which n-grams didn’t count</summary>{table}</details>'


def _ngram_row(order: Mapping[str, Any]) -> str:
    clipped = ", ".join(f"{_ngram(ngram)} ({ngram['allowed']} of {ngram['count']} count)" for ngram in order["clipped"])
    missed = ", ".join(map(_ngram, order["missed"]))
    return f"<tr><th>{order['order']}-gram</th><td>{clipped or '–'}</td><td>{missed or '–'}</td></tr>"


def _ngram(ngram: Mapping[str, Any]) -> str:
    return f"<code>{escape(' '.join(map(str, ngram['ngram'])))}</code>"


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and values, side by side as they fit.

    >>> facts([("BLEU-1", "70.00")])
    '<dl class="bleu-facts"><div><dt>BLEU-1</dt><dd>70.00</dd></div></dl>'
    """
    inner = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in pairs)
    return f'<dl class="bleu-facts">{inner}</dl>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[str] = ()) -> str:
    """A small table: the first column to the left, numbers to the right, the columns named in `words` wrapped.

    >>> table(["system"], [["<A>"]])
    '<div class="bleu-table"><table><tr><th>system</th></tr><tr><td>&lt;A&gt;</td></tr></table></div>'
    """
    kinds = [' class="words"' if name in words else "" for name in head]
    lines = ["".join(f"<th{kind}>{escape(cell)}</th>" for cell, kind in zip(head, kinds))]
    lines += ["".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(row, kinds)) for row in rows]
    return f'<div class="bleu-table"><table>{"".join(f"<tr>{line}</tr>" for line in lines)}</table></div>'
