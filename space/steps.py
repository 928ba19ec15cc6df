"""Step by step: five pictures, each with a sentence, lead from the words of a candidate to its score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .html import brevity_curve, count_things, name_root, percent, rows, show, signature
from .metric import report

STEPS = {
    "match": "Words that match",
    "clipping": "Clipping",
    "longer": "Longer sequences",
    "mean": "Their mean",
    "brevity": "Brevity",
}
# page.js shows the parts of the page whose `data-step` is that of the current link, none for the overview.
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

Explanation = Mapping[str, Any]


def render_steps(explanation: Explanation, unit: str) -> str:
    """Return the five steps for a result of `explain`; `unit` is "word" or "character"."""
    drawn = zip(
        STEPS,
        (
            _draw_match(explanation, unit),
            _draw_clipping(explanation),
            _draw_longer(explanation, unit),
            _draw_mean(explanation),
            _draw_brevity(explanation),
        ),
        strict=True,
    )
    return "".join(
        f'<div class="bleu-explained" data-step="{step}" hidden><p class="sentence">{show(sentence)}</p>{picture}</div>'
        for step, (sentence, picture) in drawn
    )


def _draw_match(explanation: Explanation, unit: str) -> tuple[str, str]:
    """Return the sentence and the picture of the first step: the tokens that occur in a reference."""
    first, tokens = explanation["orders"][0], explanation["prediction"]["tokens"]
    units = "words and punctuation marks" if unit == "word" else f"{unit}s"
    sentence = (
        f"{first['unclipped_matches']:,} of {count_things(len(tokens), 'token')} ({units}) of the candidate occur in a"
        " reference."
    )
    known = {token for reference in explanation["references"] for token in reference["tokens"]}
    wanted = set(tokens)
    lines = [_write_tokens("Candidate", tokens, [token in known for token in tokens])]
    for number, reference in enumerate(explanation["references"], 1):
        words = reference["tokens"]
        lines.append(_write_tokens(f"Reference {number}", words, [token in wanted for token in words]))
    return sentence, "".join(lines)


def _draw_clipping(explanation: Explanation) -> tuple[str, str]:
    first, tokens = explanation["orders"][0], explanation["prediction"]["tokens"]
    rule = "A token counts at most as often as in the reference that has it most often."
    surplus = first["unclipped_matches"] - first["matches"]
    struck = f"{surplus:,} {'is' if surplus == 1 else 'are'} too many and struck out" if surplus else "None is too many"
    sentence = f"{rule} {struck}: {first['matches']:,}/{first['total']:,} count."
    missed = {tuple(ngram["ngram"]) for ngram in first["missed"]}
    kinds = [
        None if not counts and (token,) not in missed else counts
        for token, counts in zip(tokens, find_counting(explanation, 1))
    ]
    return sentence, _write_tokens("Candidate", tokens, kinds) + _write_tables([first])


def _draw_longer(explanation: Explanation, unit: str) -> tuple[str, str]:
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
            f"Sequences of {lengths} {unit}s (n-grams) count in the same way, which rewards the right order: {counts}."
        )
    return sentence, f'<div class="bleu-cells">{"".join(lines)}</div>{_write_tables(orders[1:])}'


def _draw_mean(explanation: Explanation) -> tuple[str, str]:
    factors, precisions = report.list_factors(explanation), explanation["precisions"]
    mean = _find_mean(explanation)
    product = math.prod(precisions[: len(factors)])
    bars = "".join(
        f'<span><i class="{"smoothed" if factor.is_smoothed else "clipped"}" style="height:{percent(precision, 1)};'
        f'--match:{n / len(factors):.2g}"></i><b>{factor.text}<br><small>{n}-gram</small></b></span>'
        for n, ((factor, _), precision) in enumerate(zip(factors, precisions), 1)
    )
    texts = " · ".join(factor.text for factor, _ in factors)
    root = (
        f"the {name_root(len(factors))} of {texts} = {product:.4g}"
        if len(factors) > 1
        else texts or "nothing to multiply"
    )
    reason = "one low precision lowers it more than it would lower an average" if mean else "one 0 makes it 0"
    smoothed = [factor.meaning for factor, _ in factors if factor.is_smoothed]
    note = f'<p class="bleu-note">Dashed: {show("; ".join(smoothed))}.</p>' if smoothed else ""
    return (
        f"The geometric mean of the precisions, {root}, is {mean:.4f}: {reason}.",
        f'<div class="bleu-mean" style="--share:{mean:.4f}">{bars}<em>{mean:.4f}</em></div>{note}',
    )


def _draw_brevity(explanation: Explanation) -> tuple[str, str]:
    length, reference_length = explanation["translation_length"], explanation["reference_length"]
    penalty, mean = explanation["brevity_penalty"], _find_mean(explanation)
    many = len(explanation["references"]) > 1
    reference = f"reference {explanation['effective_reference'] + 1}" if many else "the reference"
    lengths = f"{count_things(length, 'token')} against {reference_length:,} of {reference}"
    if penalty < 1:
        rule = f"exp(1 − {reference_length:,}/{length:,}) = " if length else ""
        factor = report.write_number(penalty)
        sentence = f"The candidate is too short, {lengths}: this multiplies the score by {rule}{factor}."
    else:
        sentence = f"Only a candidate that is shorter than the reference is penalized: {lengths} is long enough."
    total = f"{report.write_number(penalty)} · {mean:.4f} · 100 = {explanation['score']:.2f} BLEU"
    return sentence, f"{brevity_curve(explanation)}<p><b>{total}</b> {signature(explanation['signature'])}</p>"


def find_counting(explanation: Explanation, n: int) -> list[bool]:
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


def _find_mean(explanation: Explanation) -> float:
    """Return the weighted geometric mean of the precisions: the score without the brevity penalty."""
    pairs = [(p, weight) for p, weight in zip(explanation["precisions"], explanation["weights"]) if weight]
    return math.prod(p**weight for p, weight in pairs) if pairs else 0.0


def _write_tokens(label: str, tokens: Sequence[Any], counts: Sequence[bool | None]) -> str:
    """Return tokens that count in color, those that don't underlined with dots, and surplus ones (None) struck out."""
    marks = {
        True: 'span class="token" style="--match:1"',
        False: 'span class="token missed"',
        None: 'del class="token"',
    }
    line = " ".join(f"<{marks[kind]}>{show(token)}</{marks[kind][:4].strip()}>" for token, kind in zip(tokens, counts))
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
    return "".join(
        f'<path class="{"counts" if counts else "missed"}" d="{"".join(lines)}"/>'
        for counts, lines in runs.items()
        if lines
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
        more = f"<p>and {len(found) - _SHOWN_NGRAMS:,} more</p>" if len(found) > _SHOWN_NGRAMS else ""
        head = [f"{order['order']}-gram", "in the candidate", "most in one reference", "counts"]
        tables.append(f"<div>{rows(head, cells)}{more}</div>")
    if not tables:
        return ""
    return (
        f'<details data-fold="table {len(tables)}"><summary>The count of each n-gram</summary>'
        f'<div class="bleu-sides">{"".join(tables)}</div></details>'
    )
