"""A score explained to visitors: in a sentence, and step by step.

Five pictures, each with sentences, lead from the words of a candidate to its score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .html import brevity_curve, count_things, name_root, rows, shorten, show, signature
from .metric import core
from .stretches import find_mean, find_struck, list_counts

if TYPE_CHECKING:
    from bleu_metric.bleu_core import Explanation, NGramCount, OrderMatches

STEPS = {
    "match": "Words",
    "clipping": "Clipping",
    "longer": "Longer sequences",
    "mean": "Their mean",
    "brevity": "Brevity",
}
# page.js shows the parts of the page whose `data-step` is that of the current link, which is empty
# for the overview.
_LINKS = [f'<a href="#step={step}" data-to="{step}">{title}</a>' for step, title in STEPS.items()]
NAVIGATION = (
    '<nav class="bleu-steps" aria-label="Step by step"><a href="#step=" data-to="">Overview</a>'
    f"{''.join(_LINKS)}"
    '<button type="button" class="bleu-button" data-stage title="Key P">Present</button></nav>'
)

_MOST_THREADS = 12  # more are a tangle
_SHOWN_NGRAMS = 100  # per order, in the tables
_LENGTHS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SHOWN_CHARACTERS = 20  # of a token, in a sentence
_ALMOST = 0.75  # of the share of words: longer sequences that match less often do so "only"


def read_plainly(explanation: Explanation, unit: str) -> str:
    """Say how many words and how many of the longest sequences match.

    If brevity lowers the score more than the precisions do, say that the candidate is too short.

    >>> orders = [{"order": 1, "matches": 17, "total": 18}, {"order": 4, "matches": 4, "total": 15}]
    >>> means = {"precisions": [17 / 18, 4 / 15], "weights": [0.5, 0.5], "brevity_penalty": 1.0}
    >>> read_plainly({"orders": orders, **means}, "word")
    '17 of 18 words match, but only 4 of 15 sequences of four.'
    >>> lengths = {"translation_length": 3, "reference_length": 12, "brevity_penalty": 0.05}
    >>> means = {"precisions": [1.0], "weights": [1.0], **lengths}
    >>> read_plainly({"orders": [{"order": 1, "matches": 3, "total": 3}], **means}, "word")
    'All 3 words match, but the candidate is too short: 3 words against 12.'
    """
    orders = [order for order in explanation["orders"] if order["total"]]
    if not orders:
        return ""
    words, longest = orders[0], orders[-1]
    counted = count_things(words["total"], unit)
    if words["total"] == 1 and not words["matches"]:
        return "To this tokenizer, the sentence is a single word."
    # 1. The words.
    reading = f"{words['matches']:,} of {counted} match"
    if words["matches"] == words["total"] > 1:
        reading = f"All {counted} match"
    if explanation["brevity_penalty"] < find_mean(explanation):
        length = count_things(explanation["translation_length"], unit)
        against = f"{length} against {explanation['reference_length']:,}"
        return f"{reading}, but the candidate is too short: {against}."
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


class Step(NamedTuple):
    """Sentences, of which the first is read from the back of a class, and a picture as HTML."""

    first: str
    others: str
    picture: str


def render_steps(explanation: Explanation, unit: str, sums: str) -> str:
    """Return the five steps for a result of `explain`; `unit` is "word" or "character".

    `sums` has the words in a row and how they add up, as HTML.
    """
    steps = {
        "match": _draw_match(explanation, unit),
        "clipping": _draw_clipping(explanation),
        "longer": _draw_longer(explanation, unit, sums),
        "mean": _draw_mean(explanation),
        "brevity": _draw_brevity(explanation),
    }
    drawn = []
    for name, step in steps.items():
        drawn.append(
            f'<div class="bleu-explained" data-step="{name}" hidden><p class="sentence">'
            f"<span>{show(step.first)}</span> {show(step.others)}</p>{step.picture}</div>"
        )
    return "".join(drawn)


def _draw_match(explanation: Explanation, unit: str) -> Step:
    """Return the first step: the tokens that occur in a reference."""
    candidate = explanation["prediction"]["tokens"]
    matches = explanation["orders"][0]["unclipped_matches"]
    units = "words and punctuation marks" if unit == "word" else f"{unit}s"
    counted = f"{matches:,} of {count_things(len(candidate), 'token')} ({units})"
    sentence = f"{counted} of the candidate occur in a reference."
    references = [text["tokens"] for text in explanation["references"]]
    in_references = set[str]().union(*references)
    lines = [_write_tokens("Candidate", candidate, in_references)]
    for i, text in enumerate(references, 1):
        lines.append(_write_tokens(f"Reference {i}", text, set(candidate)))
    return Step(sentence, "", "".join(lines))


def _draw_clipping(explanation: Explanation) -> Step:
    """Return the second step: the tokens that occur more often than in any reference."""
    candidate = explanation["prediction"]["tokens"]
    words = explanation["orders"][0]
    surplus = words["unclipped_matches"] - words["matches"]
    rule = "A token counts at most as often as in the reference that has it most often."
    if words["clipped"]:
        rule = _explain_clipped(words["clipped"][0], len(explanation["references"]))
    struck = "None is too many"
    if surplus:
        struck = f"{surplus:,} {'is' if surplus == 1 else 'are'} too many and struck out"
    number = f"{words['matches']:,}/{words['total']:,}"
    # 1. The candidate, and the references that have the words which count.
    threads = find_threads(explanation)
    missed = {count["ngram"][0] for count in words["missed"]}
    line = _write_tokens(
        "Candidate",
        candidate,
        set(candidate) - missed,
        find_struck(explanation),
        threads={thread.token: number for number, thread in enumerate(threads)},
    )
    tied = {thread.reference for thread in threads}
    for i in sorted(tied):
        partners = {
            thread.partner: order for order, thread in enumerate(threads) if thread.reference == i
        }
        tokens = explanation["references"][i]["tokens"]
        line += _write_tokens(f"Reference {i + 1}", tokens, set(candidate), threads=partners)
    picture = f'<div class="bleu-threads">{line}</div>'
    picture += _write_tables([words])
    return Step(rule, f"{struck}: {number} count.", picture)


def _explain_clipped(count: NGramCount, references: int) -> str:
    """Return why only some occurrences of a token count.

    >>> _explain_clipped({"ngram": ["the"], "count": 7, "allowed": 2}, references=1)
    'The reference has “the” twice, so 2 of the 7 count.'
    """
    times = {1: "once", 2: "twice"}.get(count["allowed"], f"{count['allowed']:,} times")
    token = shorten(count["ngram"][0], _SHOWN_CHARACTERS)
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
    struck = find_struck(explanation)
    for at, token in enumerate(candidate):
        if at in struck or token not in paired:
            continue
        frequencies = [text.count(token) for text in references]
        best = frequencies.index(max(frequencies))
        places = [place for place, other in enumerate(references[best]) if other == token]
        threads.append(Thread(at, best, places[used[token]]))
        used[token] += 1
    return threads


def _draw_longer(explanation: Explanation, unit: str, sums: str) -> Step:
    """Return the third step: what stands in a row, and how that adds up."""
    orders = explanation["orders"]
    longer_orders = orders[1:]
    others = ""
    if not longer_orders:
        sentence = f"The options leave out longer sequences: only single {unit}s count."
    else:
        counts = [f"{order['matches']:,}/{order['total']:,}" for order in longer_orders]
        longest = _LENGTHS[len(orders) - 1]
        sentence = f"Sequences of up to {longest} {unit}s (n-grams) count in the same way."
        others = f"This rewards the right order: {', '.join(counts)}."
    return Step(sentence, others, sums + _write_tables(longer_orders))


def _draw_mean(explanation: Explanation) -> Step:
    """Return the fourth step: the precisions as bars, and their geometric mean."""
    factors = [factor for factor, _ in core.list_terms(explanation)]
    precisions = explanation["precisions"][: len(factors)]
    mean = find_mean(explanation)
    # 1. The bars.
    bars = []
    for n, (factor, precision) in enumerate(zip(factors, precisions), 1):
        kind = "smoothed" if factor.is_smoothed else "clipped"
        style = f"height:{precision:.1%};--match:{n / len(factors):.2g}"
        bars.append(
            f'<span><i class="{kind}" style="{style}"></i>'
            f"<b>{factor.text}<br><small>{n}-gram</small></b></span>"
        )
    # 2. The sentences.
    product = " · ".join(factor.text for factor in factors) or "no factors"
    root = f"{name_root(len(factors))} of {product}" if len(factors) > 1 else product
    result = f"{mean:.4f}"
    equation = f"{root} = {math.prod(precisions):.4g}" if len(factors) > 1 else root
    rule = "One bad bar pulls the score down more than an average would."
    if not mean:
        rule = "One empty bar makes the score 0."
    # 3. The effect of smoothing.
    meanings = [factor.meaning for factor in factors if factor.is_smoothed]
    note = f'<p class="bleu-note">Dashed: {show("; ".join(meanings))}.</p>' if meanings else ""
    picture = (
        f'<div class="bleu-mean" style="--share:{result}">{"".join(bars)}<em>{result}</em></div>'
    )
    return Step(rule, f"The mean, {equation}, is {result}.", picture + note)


def _draw_brevity(explanation: Explanation) -> Step:
    """Return the fifth step: the brevity penalty, and the score."""
    length = explanation["translation_length"]
    reference_length = explanation["reference_length"]
    reference = "the reference"
    if len(explanation["references"]) > 1:
        reference = f"reference {explanation['effective_reference'] + 1}"
    lengths = f"{count_things(length, 'token')} against {reference_length:,} of {reference}"
    penalty = core.write_number(explanation["brevity_penalty"])
    if explanation["brevity_penalty"] >= 1:
        first = f"{lengths}: long enough."
        others = "Only a candidate that is shorter than the reference is penalized."
    else:
        # The penalty of an empty candidate is 0 by definition, without a formula.
        rule = f"exp(1 − {reference_length:,}/{length:,}) = " if length else ""
        first = f"{lengths}: too short."
        others = f"This multiplies the score by {rule}{penalty}."
    mean = find_mean(explanation)
    total = f"{penalty} · {mean:.4f} · 100 = {explanation['score']:.2f} BLEU"
    curve = brevity_curve(explanation, mean)
    result = f'<p class="total"><b>{total}</b> {signature(explanation["signature"])}</p>'
    return Step(first, others, curve + result)


def _write_tokens(
    label: str,
    text: Sequence[str],
    matching: Collection[str],
    struck: Collection[int] = (),
    *,
    threads: Mapping[int, int] | None = None,
) -> str:
    """Return matching tokens in color or, if in `struck`, struck out; others underlined with dots.

    `threads` has the numbers of threads by the places of tokens.
    """
    marked = []
    for i, token in enumerate(text):
        if token not in matching:
            marked.append(f'<span class="token missed">{show(token)}</span>')
        elif i not in struck:
            thread = _tie((threads or {}).get(i))
            marked.append(f'<span class="token" style="--match:1"{thread}>{show(token)}</span>')
        else:
            marked.append(f'<del class="token">{show(token)}</del>')
    return _write_line(label, marked)


def _tie(thread: int | None) -> str:
    """Return the attribute by which page.js finds both ends of a thread."""
    return "" if thread is None else f' data-thread="{thread}"'


def _write_line(label: str, marked: Sequence[str]) -> str:
    line = " ".join(marked) or "<em>empty</em>"
    head = f'<div class="bleu-label">{label}</div>'
    return f'<div class="bleu-tokens">{head}<p dir="auto">{line}</p></div>'


def _write_tables(orders: Sequence[OrderMatches]) -> str:
    """Return the counts of each n-gram of some orders, folded."""
    if not orders:
        return ""
    tables = "".join(_write_table(order) for order in orders)
    return (
        f'<details data-fold="table {len(orders)}"><summary>The count of each n-gram</summary>'
        f'<div class="bleu-sides">{tables}</div></details>'
    )


def _write_table(order: OrderMatches) -> str:
    head = [f"{order['order']}-gram", "in the candidate", "most in one reference", "counts"]
    counts = list_counts(order)
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
