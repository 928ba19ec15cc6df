"""The sentences that users read: warnings about suspicious input first, then errors about invalid input.

All warnings have one category. Errors name the column and the row, what was found there, and what to pass instead; they
never print the data itself.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .bleu_corpus import Int64, is_list, is_string, pieces

if TYPE_CHECKING:
    from .bleu_options import Options
    from .bleu_tokenizers import ChosenTokenizer

TEXT = "a str, a list of str tokens or a list of int token ids"
REFERENCES = "a list of references or one str"

_DETACHED_PERIODS = 100  # predictions that end in " ."; the threshold of sacreBLEU's warning as well
_SAMPLE_ROWS = 1000  # predictions in which characters of unspaced scripts are counted
_MIN_SEGMENTS = 30  # for intervals and tests
_UNSPACED_SHARE = 0.1  # of the characters in the sample

# Thai, Lao, Burmese, Khmer, Kana, and Han: scripts written without spaces between words.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)


_issued: ContextVar[set[str] | None] = ContextVar("issued", default=None)  # the kinds of warnings in a call


class BleuWarning(UserWarning):
    """A score that is computed as requested, but perhaps not what was meant."""


@contextmanager
def warn_once_per_kind() -> Iterator[None]:
    """Issue only the first warning of each kind within the block."""
    token = _issued.set(set())
    try:
        yield
    finally:
        _issued.reset(token)


def warn(message: str, kind: str = "") -> None:
    """Warn at the line that called the metric, directly or through evaluate."""
    issued = _issued.get()
    if issued is not None and kind in issued:
        return
    if issued is not None and kind:
        issued.add(kind)
    inside = (__name__.split(".")[0], "evaluate")
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in inside:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, BleuWarning, stacklevel=level)


def warn_about_text(predictions: pa.ChunkedArray, tokenizer: ChosenTokenizer) -> None:
    """Warn if predictions do not look like the text that the tokenizer expects; tokens and ids always pass."""
    if tokenizer.expects_raw_text and len(predictions) >= _DETACHED_PERIODS:
        detached = sum(pc.sum(pc.ends_with(piece, " .")).as_py() or 0 for piece in pieces(predictions))
        if detached >= _DETACHED_PERIODS:
            warn(
                f"{detached:,} predictions end in a period that stands alone: they look tokenised, and tokenize="
                f"{tokenizer.name!r} is for text that isn't. Detokenise it, or choose tokenize='none'.",
                kind="tokenized",
            )
    if not tokenizer.splits_unspaced:
        sample = "".join(predictions.slice(0, _SAMPLE_ROWS).to_pylist())
        unspaced = 0 if sample.isascii() else sum(map(len, _UNSPACED.findall(sample)))
        if unspaced > _UNSPACED_SHARE * len(sample):
            warn(
                f"{unspaced / len(sample):.0%} of the predictions' characters are of a script that has no spaces"
                f" between words, which tokenize={tokenizer.name!r} doesn't cut. Choose tokenize='zh', 'ja-mecab' or"
                " 'char'.",
                kind="unspaced",
            )


def warn_about_zero(row: Int64, segments: int | None, options: Options, name: str = "The score") -> None:
    """Warn that a score is 0, with the cause and what to do about it.

    Args:
        row: int64 [2 N + 2], the corpus's statistics row.
        segments: the number of predictions, None if unknown.
        options: `weights`, `max_order` and `effective_order` are used.
        name: the beginning of the message.
    """
    weights = options.weights or (1.0,) * options.max_order
    orders = [n for n, weight in enumerate(weights, 1) if weight]
    effective_order = options.effective_order
    *counts, length, reference_length = row.tolist()
    matches, totals = counts[: len(counts) // 2], counts[len(counts) // 2 :]
    reasons = []
    if not length:
        reasons = [count_things(segments, "empty prediction") if segments else "the predictions are empty"]
    elif not reference_length:
        reasons = ["the references are empty"]
    elif not matches[0]:
        reasons = ["no token of the predictions is in its references"]
    elif orders:
        if not totals[orders[-1] - 1] and not effective_order:
            reasons.append(
                f"no prediction has {orders[-1]} tokens, which the longest n-gram takes (effective_order=True leaves"
                " out what they are too short for)"
            )
        if not totals[orders[0] - 1] and effective_order:
            reasons.append(f"no prediction has {orders[0]} tokens, which the shortest n-gram with a weight takes")
        unmatched = [n for n in orders if totals[n - 1] and not matches[n - 1]]
        if unmatched and not reasons:
            reasons.append(
                f"no {unmatched[0]}-gram of the predictions is in its references (smooth_method='exp' counts half a"
                " match)"
            )
    reasons = reasons or [
        f"the predictions are far too short, {length:,} tokens against {reference_length:,}: the brevity penalty is 0"
    ]
    warn(f"{name} is 0: {' and '.join(reasons)}.", kind="zero")


def warn_about_size(segments: int) -> None:
    """Warn that a test set is too small for intervals and tests."""
    if segments == 1:
        warn("One segment has no interval and no p-value: resampling it always gives the same corpus.")
    elif segments < _MIN_SEGMENTS:
        warn(
            f"Intervals and tests of {segments} segments are unreliable: a 95 % interval covers the true score in 83 %"
            f" of cases with 5 segments, and in 89 % with 10. Use {_MIN_SEGMENTS} segments or more."
        )


def warn_about_square(rows: int) -> None:
    """Warn that N predictions have N references each, so that the orientation cannot be told."""
    warn(
        f"There are {rows} predictions with {rows} references each, so the references may be one list a prediction,"
        " as they were taken, or sacreBLEU's one list a reference set: then give list(zip(*references))."
    )


@cache
def warn_once_that_numba_is_missing() -> None:
    """Warn the first time that the kernels would be worth compiling."""
    warn("numba can't be imported: the numbers are the same, but take a hundred times longer.")


def raise_for_first_bad_row(name: str, data: Any, expected: str) -> None:
    """Raise for the first row that a column may not hold, or that differs in type from the rows before.

    Arrow columns have one type and pass; `expected` is `TEXT` or `REFERENCES`.

    >>> raise_for_first_bad_row("predictions", ["a", 1], TEXT)
    Traceback (most recent call last):
    TypeError: predictions, row 1: found int. Each row is a str, a list of str tokens or a list of int token ids.
    """
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return
    before = None
    for row, value in enumerate(data):
        shape = _describe_shape(name, row, value, expected)
        if before and shape and shape != before:
            raise TypeError(
                f"{name}, row {row}: found {shape}, but the rows before are {before}. Each row is {expected}."
            )
        before = before or shape


@contextmanager
def name_system(name: Any) -> Iterator[None]:
    """Begin the messages of errors with the name of a system.

    >>> with name_system("A"):
    ...     raise ValueError("There are no predictions.")
    Traceback (most recent call last):
    ValueError: System 'A': There are no predictions.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"System {name!r}: {error}") from None


def wrong_type(name: str, found: str, expected: str) -> TypeError:
    """Build the error for a column whose type is wrong; every row is affected, so it names row 0.

    >>> wrong_type("predictions", "int", TEXT)
    TypeError('predictions, row 0: found int. Each row is a str, a list of str tokens or a list of int token ids.')
    """
    return TypeError(f"{name}, row 0: found {found}. Each row is {expected}.")


def describe_references(prediction: pa.DataType) -> str:
    """Describe the references that fit predictions of a type."""
    if not is_list(prediction):
        return REFERENCES
    token = "str tokens" if is_string(prediction.value_type) else "int token ids"
    return f"a list of references, each a list of {token} as the predictions are; one reference is [[...]]"


def describe_type(type_: pa.DataType) -> str:
    """Describe a row of a type.

    >>> describe_type(pa.list_(pa.string()))
    'a list of str'
    """
    return f"a list of {describe_items(type_.value_type)}" if is_list(type_) else _name_type(type_)


def describe_items(type_: pa.DataType) -> str:
    """Describe the items of a list.

    >>> describe_items(pa.list_(pa.string()))
    'lists of str, nested too deep'
    """
    return _name_type(type_) + (", nested too deep" if is_list(type_) else "")


def count_things(number: int, noun: str) -> str:
    """Write a number with its noun.

    >>> count_things(1, "reference"), count_things(2000, "reference")
    ('1 reference', '2,000 references')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def name_value(value: Any) -> str:
    """Name the type of a value without showing the value.

    >>> name_value(float("nan")), name_value(b"a")
    ('NaN', 'bytes')
    """
    return "NaN" if isinstance(value, float) and value != value else "None" if value is None else type(value).__name__


def _describe_shape(name: str, row: int, value: Any, expected: str, depth: int = 0) -> str | None:
    """Describe what a row consists of, None for an empty one, or raise if it may not stand there."""
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"{name}, row {row}: found half of a surrogate pair, which is no character. Where text was cut or"
                " decoded wrongly: value.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')."
            ) from None
        return "str"
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        try:
            value = value.to_pylist()
        except UnicodeDecodeError as error:
            raise ValueError(f"{name}, row {row}: these bytes are no UTF-8 ({error.reason}).") from None
    if isinstance(value, (list, tuple, np.ndarray)):
        if depth == (2 if expected == REFERENCES else 1):
            raise TypeError(f"{name}, row {row}: found lists nested too deep. Each row is {expected}.")
        shapes = {_describe_shape(name, row, item, expected, depth + 1) for item in value} - {None}
        if len(shapes) > 1:
            found = " and ".join(sorted(map(str, shapes)))
            raise TypeError(f"{name}, row {row}: found {found} in one list. Each row is {expected}.")
        return f"a list of {shapes.pop()}" if shapes else None
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and depth:
        if abs(int(value)) >= 2**63:
            raise ValueError(f"{name}, row {row}: found the token id {value}. Ids are from 0 to 2**63 - 1.")
        return "int"
    raise TypeError(f"{name}, row {row}: found {name_value(value)}. Each row is {expected}.")


def _name_type(type_: pa.DataType) -> str:
    if is_list(type_):
        return f"lists of {_name_type(type_.value_type)}"
    return "str" if is_string(type_) else "int" if pa.types.is_integer(type_) else str(type_)
