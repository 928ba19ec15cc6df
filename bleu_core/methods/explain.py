"""What matched in one segment: `explain`, with the n-grams of each order.

`explain_segment` is called by the class, and makes the keys; `results/html.py` draws them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa

from ..check.look import look_at
from ..options.options import Options
from ..options.signature import Origin, make_signature
from ..results.html import explanation, legend, paragraph, wrap
from ..results.plots import Axes, plot_precisions
from ..results.report import Report
from ..results.wording import plain_formula, write_score
from ..rows.statistics import prepare_batch
from ..rules.chosen_tokenizer import choose_tokenizer, list_tokens
from ..rules.counting import Tokens, check_memory, make_row
from ..rules.scores import order_weights, precisions, score_row, warn_if_zero
from ..shared.arrays import is_missing
from ..shared.messages import reword_errors, warn_once_per_kind
from ..shared.result_types import CoveredTokens, NGramCount, OrderMatches
from ..text.columns import list_references
from ..text.elements import are_sentences
from ..text.read import read_corpus


def _name_argument(message: str) -> str:
    """Name the argument of `explain` in a message about the first row of a corpus."""
    message = message.replace("predictions=[text for [text] in predictions]", "that str")
    # A row is the argument itself: row['de'] of a dict, each reference of a list.
    message = re.sub(r"\[row(\S+) for row in (predictions|references)\]", r"\2\1", message)
    message = message.replace("predictions['", "prediction['").replace(
        "predictions=", "prediction="
    )
    message = re.sub(r"\[(\[.* in )row\] for row in (references)\]", r"\1\2]", message)
    return re.sub(r"^predictions(\[0\])?:", "prediction:", message)


@reword_errors(_name_argument)
def explain_segment(
    prediction: object,
    references: object,
    options: Options,
    *,
    look: Callable[..., None] = look_at,
) -> Explanation:
    """Count one segment, and keep the n-grams and tokens that matched; `look` looks at the texts.

    The first order of the paper's example 2:

    >>> references = ["the cat is on the mat"]
    >>> explanation = explain_segment("the the the", references, Options(max_order=1))
    >>> explanation["orders"][0]["clipped"], explanation["prediction"]["longest_match"]
    ([{'ngram': ['the'], 'count': 3, 'allowed': 2}], [1, 1, 0])
    """
    listed: Any = list_references(references)
    try:
        with warn_once_per_kind():  # no warning beside an error
            corpus = read_corpus([prediction], [listed])
            texts = (corpus.predictions, pa.chunked_array([corpus.batches[0].references]))
            if corpus.kind == "tokens" and any(map(are_sentences, texts)):
                raise TypeError("prediction: got tokens that contain spaces, as sentences do.")
    except TypeError as error:
        if isinstance(prediction, Iterable) and not isinstance(prediction, (str, bytes, Mapping)):
            error.args = (
                f"{error} explain() takes one prediction with its references: for columns, write"
                " explain(predictions[0], references[0]).",
            )
        raise
    # 1. Tokenize, and number n-grams once for everything below.
    tokenizer = choose_tokenizer(options, corpus.kind)
    prediction_texts, reference_texts = prepare_batch(corpus.batches[0], tokenizer)
    (tokens,) = list_tokens(prediction_texts, tokenizer)
    reference_tokens = list_tokens(reference_texts, tokenizer)
    rule = options.counting_rule
    _check_listed_ngrams(len(tokens), options.max_order)
    orders = list(number_orders([tokens, *reference_tokens], rule.max_order))
    # 2. Count and score.
    matches = [order.clipped.total() for order in orders]
    lengths = list(map(len, reference_tokens))
    row = np.array(make_row(matches, len(tokens), lengths, rule))
    result = Explanation(score_row(row, options))
    result["signature"] = make_signature(options, Origin(tokenizer.name, corpus.reference_count()))
    look(corpus, None, options, "prediction")
    warn_if_zero(result["bleu"], row, 1, options)
    # 3. Describe the tokens. A token of a reference is covered by n-grams of the prediction.
    explained_orders = orders[: options.max_order]
    result["weights"] = order_weights(precisions(row, options).present, options)
    result["prediction"] = _cover_tokens(
        tokens,
        [order.prediction for order in explained_orders],
        [order.allowed for order in explained_orders],
    )
    result["references"] = [
        _cover_tokens(
            reference,
            [order.references[i] for order in explained_orders],
            [order.counts for order in explained_orders],
        )
        for i, reference in enumerate(reference_tokens)
    ]
    # 4. Name the reference of the brevity penalty by its index in the caller's list, in which some
    #    may be None.
    indices = [0]
    if not isinstance(listed, str):
        indices = [i for i, reference in enumerate(listed) if not is_missing(reference)]
    result["effective_reference"] = indices[lengths.index(row[options.layout.reference_length])]
    # 5. Describe the n-grams.
    result["orders"] = [
        _explain_order(order, total, tokens)
        for order, total in zip(explained_orders, row[options.layout.totals].tolist())
    ]
    return result


_BYTES_PER_LISTED_TOKEN = 8  # a pointer in the list of an n-gram


def _check_listed_ngrams(tokens: int, max_order: int) -> None:
    """Raise if the n-grams of a prediction, which `explain` lists one by one, fill the memory."""
    orders = np.arange(1, min(max_order, tokens) + 1)
    needed = _BYTES_PER_LISTED_TOKEN * int((orders * (tokens - orders + 1)).sum())
    check_memory("prediction", needed, tokens=tokens, max_order=max_order, task="list")


@dataclass(frozen=True)
class NumberedOrder:
    """The n-grams of one order in a prediction and its references; equal n-grams have one number.

    order: n.
    prediction: the number of the n-gram at each position.
    references: the same for each reference.
    """

    order: int
    prediction: list[int]
    references: list[list[int]]

    @cached_property
    def counts(self) -> Counter[int]:
        """How often each n-gram occurs in the prediction, in order of first appearance."""
        return Counter(self.prediction)

    @cached_property
    def allowed(self) -> Counter[int]:
        """The highest count of each n-gram in any reference, to which matches are clipped."""
        most: Counter[int] = Counter()
        for reference in self.references:
            most |= Counter(reference)
        return most

    @cached_property
    def clipped(self) -> Counter[int]:
        """The clipped counts."""
        return self.counts & self.allowed


def number_orders(texts: Sequence[Tokens], max_order: int) -> Iterator[NumberedOrder]:
    """Yield the numbered n-grams of a prediction and its references, order by order.

    An n-gram is its first n - 1 tokens, which have a number already, and its last token. So the
    time grows with tokens times orders; tuples of n tokens would take n times as long.

    >>> [order.prediction for order in number_orders([["a", "b", "a"], ["b"]], 2)]
    [[0, 1, 0], [0, 1]]
    """
    numbers = [[0] * len(tokens) for tokens in texts]  # n-grams without tokens are equal
    for order in range(1, max_order + 1):
        number_of: dict[tuple[int, Hashable], int] = {}
        longer = []
        for tokens, beginnings in zip(texts, numbers):
            keys = zip(beginnings, tokens[order - 1 :])  # the last beginning has no further token
            longer.append([number_of.setdefault(key, len(number_of)) for key in keys])
        numbers = longer
        yield NumberedOrder(order, numbers[0], numbers[1:])


def _cover_tokens(
    tokens: Tokens, numbers: Sequence[Sequence[int]], allowed: Sequence[Mapping[int, int]]
) -> CoveredTokens:
    """Return the tokens, each with the order of the longest clipped match that covers it.

    Args:
        tokens: the tokens of a text.
        numbers: for each order from 1 on, the number of the n-gram at each position.
        allowed: for each order, how many occurrences of an n-gram match.
    """
    longest = [0] * len(tokens)
    for order in range(len(numbers), 0, -1):
        remaining = dict(allowed[order - 1])
        uncovered = [0, *accumulate(level == 0 for level in longest)]
        is_new = [before < after for before, after in zip(uncovered, uncovered[order:])]
        # 1. Occurrences within a longer match come first, because they are known to match.
        for start in sorted(range(len(is_new)), key=is_new.__getitem__):
            number = numbers[order - 1][start]
            if remaining.get(number, 0) > 0:
                remaining[number] -= 1
                # 2. Tokens that a longer match covers keep its order.
                if is_new[start]:
                    covered = slice(start, start + order)
                    longest[covered] = [level or order for level in longest[covered]]
    return {"tokens": list(tokens), "longest_match": longest, "length": len(tokens)}


def _explain_order(order: NumberedOrder, total: int, tokens: Tokens) -> OrderMatches:
    """Sort the n-grams of an order by what became of them."""
    matches: OrderMatches = {
        "order": order.order,
        "total": total,
        "unclipped_matches": 0,
        "matches": order.clipped.total(),
        "matched": [],
        "clipped": [],
        "missed": [],
    }
    allowed = order.allowed
    # Later entries replace earlier ones, so the first start of each n-gram comes last.
    start_of = {number: start for start, number in reversed([*enumerate(order.prediction)])}
    for number, count in order.counts.items():
        start = start_of[number]
        entry: NGramCount = {
            "ngram": list(tokens[start : start + order.order]),
            "count": count,
            "allowed": allowed[number],
        }
        if not allowed[number]:
            matches["missed"].append(entry)
            continue
        matches["unclipped_matches"] += count
        matches["matched" if count <= allowed[number] else "clipped"].append(entry)
    return matches


class Explanation(Report):
    """The result of `explain`: a dict for programs, a table in print, and colors in a notebook."""

    def _title(self) -> str:
        return f"BLEU {self['score']:.2f} = 100 · {plain_formula(self)}"

    def _rows(self) -> list[list[str]]:
        rows = [
            [*map(str, counts), write_score(precision)]
            for *counts, precision in map(dict.values, self._records())
        ]
        return [["n-grams", "total", "unclipped matches", "matches", "precision"], *rows]

    def _records(self) -> list[dict[str, Any]]:
        counts = ("order", "total", "unclipped_matches", "matches")
        return [
            {**{name: order[name] for name in counts}, "precision": precision}
            for order, precision in zip(self["orders"], self["precisions"])
        ]

    def to_html(self) -> str:
        return wrap(
            explanation(self),
            legend(len(self["orders"])),
            paragraph(self._note(), "note"),
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot precision by order, before clipping and after, and return the Axes.

        Args:
            ax: the Axes of matplotlib to draw into; None for a new figure.
        """
        return plot_precisions(self, ax)
