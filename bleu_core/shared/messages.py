"""How errors and warnings are written, and how warnings are issued.

A message names the place in Python's notation, the problem, and the fix. It never prints the texts
of a corpus. Errors stand beside the functions that raise them, and a `Notice` beside the function
that issues it with `warn`; only templates that several files share are here.
"""

from __future__ import annotations

import numbers
import re
import sys
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from operator import length_hint
from typing import Any, NamedTuple

import pyarrow as pa

from .arrays import is_array, is_list, is_missing, is_string
from .pickling import picklable

EXPECTED_TEXT = "a str, a list of str tokens or a list of int token ids"
EXPECTED_REFERENCES = "a list of references or one str"

# Types of items that are not text, in the words of Python, NumPy and Arrow.
_BYTES = re.compile(r"\b(bytes_?|bytearray|\w*binary)\b")
_INTS = re.compile(r"(a list of )?u?int\d*")
_FLOATS = re.compile(r" of b?float\w*")  # arrays and tensors
# Each has one list of ids.
_OWNERS_OF_IDS = {EXPECTED_TEXT: "segment", EXPECTED_REFERENCES: "reference"}

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_SYSTEMS = 2  # of those that share a property, before "and 3 others"
_LONGEST_NAME = 60  # characters of a value that a message shows
_ITEM_TYPES = {"U": "str", "T": "str", "S": "bytes", "V": "structs"}  # of NumPy, by their kind
_MISSING_VALUES = {"NAType": "NA", "NaTType": "NaT"}  # of pandas, by the names of their types

# The places of the work, from outside to inside: a system, its run, the segments of a label.
row_places: ContextVar[tuple[str, ...]] = ContextVar("places", default=())

# --- Messages of errors ---------------------------------------------------------------------------
#
# Templates for `str.format` that several functions raise; all other messages stand where they are
# raised. The place comes first, in Python's notation; the fix comes last.

# Columns
OPEN_FILE = 'open(path, encoding="utf-8")'
NOT_COLLECTED = (
    "{name}: the LazyFrame is not in memory. Pass one of its columns: frame.collect()['name']."
)
NO_SEGMENTS = (
    "There are no segments to score. Pass predictions and references with at least one item."
)
A_RESULT = (
    "{name}: got a result, which has no rows."
    " Pass what it was computed from, or tables from statistics()."
)
RUNS_BY_NAME = "as a dict by name: {'seed 1': [...], 'seed 2': [...]}."
LABEL_COUNT = "{name}: got {labels} for {predictions}. Pass one label per segment."
NO_LABELS_FOR_TOKENIZERS = (
    "tokenize: got a dict, which names the tokenizer of each label."
    " Pass the labels as by=[...] to compute, statistics, compare or compute_metrics,"
    " or pass one tokenizer."
)

# Items of columns
SURROGATE = (
    "{name}[{row}]: got a lone surrogate (U+D800 to U+DFFF),"
    " usually from text that was cut or decoded incorrectly."
    " Repair it: value.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')."
)
NOT_UTF8 = (
    "{name}[{row}]: got invalid UTF-8 ({reason})."
    " Decode the bytes with the encoding of their source."
)

# Trainers
NOT_A_TOKENIZER = (
    "tokenizer: {found} has no `batch_decode`."
    " Write compute_metrics=bleu.compute_metrics(tokenizer)."
)

# --- Places of errors -----------------------------------------------------------------------------


@contextmanager
def within(place: str) -> Iterator[None]:
    """Begin warnings and errors with the place of their cause. Errors keep their type and cause.

    A generator must not yield within the block, because the place would hold for its caller, too.

    >>> with within("System 'A'"):
    ...     raise ValueError("predictions: got None.")
    Traceback (most recent call last):
    ValueError: System 'A': predictions: got None.
    """
    token = row_places.set((*row_places.get(), place))
    try:
        with reword_errors(lambda message: f"{place}: {message}"):
            yield
    finally:
        row_places.reset(token)


@contextmanager
def reword_errors(change: Callable[[str], str]) -> Iterator[None]:
    """Change the messages of errors, which keep their type, their cause and their place.

    >>> with reword_errors(lambda message: f"System 'A': {message}"):
    ...     raise ValueError("predictions: got None.")
    Traceback (most recent call last):
    ValueError: System 'A': predictions: got None.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        error.args = (change(str(error)),)
        raise


@dataclass(frozen=True)
class RunOfSystem:
    """A training run, as a key instead of a system's name."""

    system: Hashable
    run: Hashable


def show_system(name: object) -> str:
    """Show the name of a system, or those of a system and its run.

    >>> show_system("new"), show_system(RunOfSystem("new", "seed 2"))
    ("'new'", "'new', run 'seed 2'")
    """
    if isinstance(name, RunOfSystem):
        return f"{show_value(name.system)}, run {show_value(name.run)}"
    return show_value(name)


def list_systems(names: Sequence[object]) -> str:
    """List the names of two systems or more; of many, the first ones.

    >>> list_systems(["A", "B"]), list_systems(["A", "B", "C", "D"])
    ("'A' and 'B'", "'A', 'B' and 2 others")
    """
    *shown, last = map(show_system, names)
    if len(shown) > _MOST_SYSTEMS:
        last = count_things(len(names) - _MOST_SYSTEMS, "other")
    return f"{', '.join(shown[:_MOST_SYSTEMS])} and {last}"


def within_system(name: object) -> AbstractContextManager[None]:
    """Begin warnings and errors with the name of a system, or with those of system and run."""
    return within(f"System {show_system(name)}")


def wrong_item(name: str, row: int, got: str, expected: str) -> TypeError:
    """Build the error for an item of the wrong type.

    If a whole column is of a wrong type, pass row 0.

    >>> wrong_item("predictions", 3, "bytes", "a str").args
    ('predictions[3]: expected a str, got bytes. Decode it: value.decode().',)
    """
    fix = ""
    if _BYTES.search(got):
        fix = " Decode it: value.decode()."
    elif _FLOATS.search(got):
        fix = " If they are token ids, pass integers: [int(id) for id in value]."
    elif _INTS.fullmatch(got) and expected in _OWNERS_OF_IDS:
        fix = f" Pass str(value), or one list of ids per {_OWNERS_OF_IDS[expected]}."
    return TypeError(f"{name}[{row}]: expected {expected}, got {got}.{fix}")


def invalid(
    name: str, value: object, expected: str, error: type[Exception] = ValueError
) -> Exception:
    """Build the error for an argument with an invalid value."""
    return error(f"{name}={show_value(value)}: pass {expected}.")


def one_of(names: Iterable[object]) -> str:
    """List the values that an argument may have."""
    return f"one of {', '.join(map(show_value, names))}"


# --- Words for types and values -------------------------------------------------------------------


def describe_references(prediction: pa.DataType) -> str:
    """Describe the references that fit predictions of a type."""
    if not is_list(prediction):
        return EXPECTED_REFERENCES
    token = "str tokens" if is_string(prediction.value_type) else "int token ids"
    return (
        f"a list of references, each a list of {token} like the predictions"
        " (a single reference is [[...]])"
    )


def describe_type(type_: pa.DataType) -> str:
    """Describe a row of a type."""
    if not is_list(type_):
        return _name_type(type_)
    problem = ", nested too deeply" if is_list(type_.value_type) else ""
    return f"a list of {_name_type(type_.value_type)}{problem}"


def count_things(number: int, noun: str) -> str:
    """Write a number with its noun.

    >>> count_things(1, "reference"), count_things(2000, "reference")
    ('1 reference', '2,000 references')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def name_value(value: object) -> str:
    """Name the type of a value without showing the value.

    >>> name_value(float("nan")), name_value(b"a"), name_value(np.array("a"))
    ('NaN', 'bytes', 'ndarray of str without axes')
    """
    if value is None:
        return "None"
    if is_array(type(value)):
        return _name_array(value)
    if is_missing(value):
        return _MISSING_VALUES.get(type(value).__name__, "NaN")
    return type(value).__name__


def _name_array(array: Any) -> str:
    """Name the type of an array or tensor of any library, and the type of its items."""
    dtype = array.dtype
    name = getattr(dtype, "name", str(dtype)).removeprefix("torch.")
    type_name = type(array).__name__
    if getattr(array, "is_nested", False) and type_name == "Tensor":  # of torch
        type_name = "nested Tensor"
    item_type = _ITEM_TYPES.get(getattr(dtype, "kind", ""), name)
    return f"{type_name} of {item_type}{'' if array.ndim else ' without axes'}"


def show_value(value: object) -> str:
    """Show a name, a number, or a few of these; of any other value only the type and the length.

    >>> show_value("news\\n"), show_value([0.5, 0.5])
    ("'news\\\\n'", '[0.5, 0.5]')
    >>> show_value(["a b", "c d"]), show_value("a" * 1000)
    ('<list of length 2>', '<str of length 1,000>')
    """
    if _has_names_or_numbers(value):
        with suppress(ValueError):  # an int of more than 4,300 digits
            shown = repr(value)
            if len(shown) <= _LONGEST_NAME:
                return shown
    type_name = type(value).__name__
    length = length_hint(value, -1)
    return f"<{type_name}>" if length < 0 else f"<{type_name} of length {length:,}>"


def _has_names_or_numbers(value: object) -> bool:
    """Return True for a str, a number and None, and for lists of these without spaces in a str.

    A str in a list that has a space may be a text of the corpus, which messages do not print.
    """
    if not isinstance(value, (list, tuple)):
        return value is None or isinstance(value, (str, numbers.Number))
    return all(
        re.fullmatch("[!-~]*", item)
        if isinstance(item, str)
        else item is None or isinstance(item, numbers.Number)
        for item in value
    )


def _name_type(type_: pa.DataType) -> str:
    if is_list(type_):
        return f"lists of {_name_type(type_.value_type)}"
    if is_string(type_):
        return "str"
    return "int" if pa.types.is_integer(type_) else str(type_)


# --- Warnings -------------------------------------------------------------------------------------

# By kind, the first warning, and the outermost place of each warning.
_Collected = dict[str, tuple["BleuWarning", dict[str, None]]]
# The warnings of a call, until its end; None outside of a call: each is issued at once.
_collected: ContextVar[_Collected | None] = ContextVar("collected", default=None)


@picklable
class BleuWarning(UserWarning):
    """A score that is computed as requested, but perhaps not what was meant.

    kind: the name of the suspicion; within a call, one warning is issued per kind.
    problem: the message without its advice, as a sentence.
    option, value: the option that fixes the problem, and its value; None if no single option does.
    """

    kind: str = ""
    problem: str = ""
    option: str | None = None
    value: object = None


class Notice(NamedTuple):
    """A warning in templates for `str.format`.

    The message is the problem, the advice and a period.
    """

    kind: str
    problem: str
    advice: str = ""
    option: str | None = None
    value: object = None


@contextmanager
def warn_once_per_kind(issued: set[str] | None = None) -> Iterator[None]:
    """Issue one warning of each kind at the end of the block; none if the block raises an error.

    A warning names the first place where its kind was found, and the number of other ones. Within
    another block, that block issues it. Blocks with the same set `issued` count as one block.
    """
    outer = _collected.get()
    collected: _Collected = {} if outer is None else outer
    token = _collected.set(collected)
    try:
        yield
    finally:
        _collected.reset(token)
    if outer is not None:
        return
    for kind, (warning, places) in collected.items():
        if issued is not None and kind in issued:
            continue
        if issued is not None:
            issued.add(kind)
        others = len(places) - 1
        if others > 0:
            first_place = next(iter(places))
            shared = f"{first_place} and {count_things(others, 'other')}"
            warning.args = (shared + str(warning).removeprefix(first_place),)
            warning.problem = shared + warning.problem.removeprefix(first_place)
        _issue(warning)


def warn(notice: Notice, **details: object) -> None:
    """Warn at the line that called the metric, directly or through evaluate.

    `details` complete the templates of the notice.
    """
    places = row_places.get()
    problem = ": ".join([*places, notice.problem.format(**details)])
    warning = BleuWarning(f"{problem}{notice.advice.format(**details)}.")
    vars(warning).update(
        kind=notice.kind.format(**details),
        problem=f"{problem}.",
        option=notice.option,
        value=notice.value,
    )
    collected = _collected.get()
    if collected is None:
        _issue(warning)
    else:
        _, outermost_places = collected.setdefault(warning.kind, (warning, {}))
        outermost_places.update(dict.fromkeys(places[:1]))


def _issue(warning: BleuWarning) -> None:
    # Level 2 is the caller of this function; go up while frames belong to the metric, to evaluate,
    # or to the context manager.
    packages = (__name__.split(".")[0], "evaluate", "contextlib")
    level = 2
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in packages:
        frame = frame.f_back
        level += 1
    warnings.warn(warning, stacklevel=level)
