"""What the metric says, as HTML: every text of a visitor's goes through `escape`. The colours are in app.css."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

Explanation = Mapping[str, Any]


def message(text: str, kind: str = "error") -> str:
    """A sentence in a box: an `"error"`, or a `"note"`.

    >>> message("a < b", "note")
    '<p class="bleu-message note" role="status">a &lt; b</p>'
    """
    role = "alert" if kind == "error" else "status"
    return f'<p class="bleu-message {kind}" role="{role}">{escape(text)}</p>'


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "segment"), counted(2000, "segment")
    ('1 segment', '2,000 segments')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def notes(texts: Sequence[str]) -> str:
    """What the metric warned of, each once."""
    return "".join(message(text, "note") for text in dict.fromkeys(texts))


def number(score: float, more: str) -> str:
    """A score from 0 to 100, large, with a few words behind it.

    >>> number(50.4567, "Candidate")
    '<p class="bleu-score"><strong>50.46</strong> BLEU · Candidate</p>'
    """
    return f'<p class="bleu-score"><strong>{score:.2f}</strong> BLEU · {escape(more)}</p>'


def formula(result: Explanation) -> str:
    """BP · exp(Σ w ln p) with the numbers in it, and where the brevity penalty comes from."""
    terms = [
        f'<span class="term">{weight:.3g}&thinsp;ln&thinsp;{precision:.4f}</span>'
        for weight, precision in zip(result["weights"], result["precisions"])
        if weight
    ]
    own, other = result["translation_length"], result["reference_length"]
    penalty = "1" if own >= other else f"exp(1 − {other}/{own})" if own else "0"
    return (
        f'<p class="bleu-formula">BLEU = BP · exp(Σ w ln p) = {result["brevity_penalty"]:.4f} · exp('
        f"{' + '.join(terms) or 'no n-gram'}) = <b>{result['bleu']:.4f}</b><br>"
        f"BP = {penalty}, of {own} tokens against {other}</p>"
    )


def tokens(text: Mapping[str, Any], max_order: int, label: str) -> str:
    """Tokens, each the darker the longer the n-gram that matched there.

    >>> tokens({"tokens": ["<b>"], "longest_match": [2], "length": 1}, 4, "Candidate")
    '<div class="bleu-tokens"><h4>Candidate <small>1 token</small></h4><p dir="auto"><span class="token" \
style="--match:0.5" title="part of a matching 2-gram">&lt;b&gt;<sub>2</sub></span></p></div>'
    """
    marked = " ".join(_token(token, order, max_order) for token, order in zip(text["tokens"], text["longest_match"]))
    heading = f"<h4>{escape(label)} <small>{counted(text['length'], 'token')}</small></h4>"
    return f'<div class="bleu-tokens">{heading}<p dir="auto">{marked or "<em>empty</em>"}</p></div>'


def legend(max_order: int) -> str:
    """What the colours of `tokens` mean."""
    marks = (_token("no match" if not order else f"{order}-gram", order, max_order) for order in range(max_order + 1))
    return f'<p class="bleu-legend">The longest n-gram that matched: {" ".join(marks)}</p>'


def _token(token: Any, order: int, max_order: int) -> str:
    text = escape(str(token))
    if not order:
        return f'<span class="token missed" title="no match">{text}</span>'
    style = f'style="--match:{order / max_order:.2g}"'
    return f'<span class="token" {style} title="part of a matching {order}-gram">{text}<sub>{order}</sub></span>'


def bars(series: Sequence[tuple[str, str, Sequence[tuple[int, int]]]], title: str) -> str:
    """Precision by order: for each order a bar of each series, from 0 to 1.

    Args:
        series: name, CSS class, and (matches, total) of each order.
        title: what stands above.

    >>> "2 of 7" in bars([("clipped", "clipped", [(2, 7)])], "Precision by order")
    True
    """
    groups = []
    for order in range(len(series[0][2])):
        drawn = "".join(_bar(name, kind, *counts[order]) for name, kind, counts in series)
        groups.append(
            f'<div class="group"><div class="bars">{drawn}</div><div class="order">{order + 1}-gram</div></div>'
        )
    names = "".join(f'<span><i class="bar {kind}"></i>{escape(name)}</span>' for name, kind, _ in series)
    return (
        f'<figure class="bleu-chart"><figcaption>{escape(title)} <span class="names">{names}</span></figcaption>'
        f'<div class="plot">{"".join(groups)}</div></figure>'
    )


def _bar(name: str, kind: str, matches: int, total: int) -> str:
    precision = matches / total if total else 0.0
    told = f"{name}: {matches:,} of {total:,} = {precision:.4f}"
    bar = f'<i class="bar {kind}" style="height:{100 * precision:.2f}%"></i>'
    return f'<div class="column" title="{escape(told)}"><span class="value">{precision:.2f}</span>{bar}</div>'


def ngrams(explanation: Explanation) -> str:
    """The n-grams of each order that were clipped or missed, folded."""
    rows = []
    for order in explanation["orders"]:
        clipped = ", ".join(
            f"{_ngram(ngram)} ({ngram['allowed']} of {ngram['count']} count)" for ngram in order["clipped"]
        )
        missed = ", ".join(map(_ngram, order["missed"]))
        rows.append(f"<tr><th>{order['order']}-gram</th><td>{clipped or '–'}</td><td>{missed or '–'}</td></tr>")
    head = "<tr><th></th><th>clipped: more than one reference has</th><th>missed: in no reference</th></tr>"
    table = f"<table>{head}{''.join(rows)}</table>"
    return f'<details class="bleu-ngrams"><summary>Which n-grams didn’t count</summary>{table}</details>'


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
    """A small table of numbers, to the right but for the first column; columns of `words` are to the left, and broken.

    >>> table(["system"], [["<A>"]])
    '<div class="bleu-table"><table><tr><th>system</th></tr><tr><td>&lt;A&gt;</td></tr></table></div>'
    """
    kinds = [' class="words"' if name in words else "" for name in head]
    lines = ["".join(f"<th{kind}>{escape(cell)}</th>" for cell, kind in zip(head, kinds))]
    lines += ["".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(row, kinds)) for row in rows]
    return f'<div class="bleu-table"><table>{"".join(f"<tr>{line}</tr>" for line in lines)}</table></div>'
