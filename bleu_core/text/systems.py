"""The outputs of several systems: a dict from names, or a table with a column per system.

`compare`, `rank`, `diff` and `check` read their systems here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sized
from typing import Any, TypeGuard

import numpy as np
import pyarrow as pa

from ..shared.arrays import Label, SystemName, is_array, to_numpy
from ..shared.messages import (
    A_RESULT,
    LONE_SURROGATE,
    RUNS_BY_NAME,
    RunOfSystem,
    count_things,
    invalid,
    name_value,
    one_of,
    show_system,
    show_value,
)
from .columns import (
    COLUMN_NAMES,
    END_OF_NAME,
    contains_rows,
    first_item,
    is_lazy,
    is_result,
    list_columns,
)
from .elements import INNER_SPACE
from .labels import find_same_key, plain_label

_NOT_A_SYSTEM = re.compile(
    f"(ref|reference|tgt|target|gold|{COLUMN_NAMES}){END_OF_NAME}", re.IGNORECASE
)


def read_systems(systems: object, references: object = None) -> dict[SystemName, object]:
    """Return the data of each system, by name.

    Systems are a dict by name, or a table of texts with one column per system. The values of dicts
    are never paired with those of other dicts, so `references` that are a dict raise an error.

    >>> read_systems(pa.table({"A": ["a b"], "B": ["a c"]}))["B"].to_pylist()
    ['a c']
    """
    if isinstance(systems, Mapping):
        if is_result(systems):
            raise TypeError(A_RESULT.format(name="systems"))
        for name, data in systems.items():
            if is_result(data):
                raise TypeError(A_RESULT.format(name=f"System {show_value(name)}"))
        if isinstance(references, Mapping) and not is_result(references):
            captions = next(iter(systems.values()), None)
            raise TypeError(
                "references: got a dict, such as captions by image. Pair its values with those of"
                " each system by key: ids = list(references), then"
                f" {{'A': [captions[id]{first_item(captions)} for id in ids], ...}} and"
                " [references[id] for id in ids]."
            )
        return dict(zip(read_names("systems", systems, "system"), systems.values()))
    if is_lazy(systems):
        raise TypeError("The LazyFrame is not in memory. Pass frame.collect().")
    names = list_columns(systems)
    if names is None or not hasattr(systems, "columns"):
        raise TypeError(
            "systems: expected a dict from names to predictions, or a DataFrame,"
            f" got {type(systems).__name__}. Pass {{'A': [...], 'B': [...]}}."
        )
    table: Any = systems
    if len(set(names)) < len(names):
        raise ValueError("systems: the table has two columns of one name. Rename one.")
    for name in names:
        if _NOT_A_SYSTEM.fullmatch(str(name)) or not _may_be_texts(table[name]):
            raise ValueError(
                f"systems: the column {show_value(name)} does not look like the texts of a system."
                " Drop it first, or pass a dict of columns: {'A': frame['A'], 'B': frame['B']}."
            )
    return dict(zip(read_names("systems", names, "system"), (table[name] for name in names)))


def _may_be_texts(column: Any) -> bool:
    """Return True if a column has a str, or no rows."""
    values = (value.as_py() if isinstance(value, pa.Scalar) else value for value in column)
    return len(column) == 0 or any(isinstance(value, str) for value in values)


def read_names(place: str, names: Iterable[object], noun: str) -> list[Label]:
    """Read the names of systems or of training runs as plain Python values, as labels are read.

    Args:
        place: the beginning of errors.
        names: the keys of a dict, or the columns of a table.
        noun: `"system"` or `"run"`.

    Raises:
        TypeError, ValueError: a name is NaN or bytes; or two names would be one key in JSON.

    >>> read_names("systems", [np.int64(1), "B"], "system")
    [1, 'B']
    """
    plain_names: list[Label] = []
    for name in names:
        plain = plain_label(name)
        is_missing = plain is None and name is not None
        if is_missing or isinstance(name, bytes):
            error = ValueError if is_missing else TypeError
            raise error(f"{place}: got {name_value(name)} as the name of a {noun}. Pass a str.")
        if isinstance(plain, str) and LONE_SURROGATE.search(plain):
            raise ValueError(
                f"{place}: got a lone surrogate (U+D800 to U+DFFF) in the name"
                f" {show_value(plain)} of a {noun}. Rename it."
            )
        plain_names.append(plain)
    same_key = find_same_key(plain_names)
    if same_key:
        raise ValueError(f"{place}: the names {same_key} would be one key in JSON. Rename one.")
    return plain_names


def find_name(argument: str, name: object, names: Collection[SystemName]) -> SystemName:
    """Return the name in `names` that equals the value of an argument, or raise.

    >>> find_name("baseline", np.int64(1), [1, "B"])
    1
    """
    is_name = isinstance(name, Hashable) and (name is None or plain_label(name) is not None)
    for known in names:
        if is_name and known == plain_label(name):
            return known
    raise invalid(argument, name, one_of(names))


# --- Training runs --------------------------------------------------------------------------------


def list_runs(systems: Mapping[SystemName, object]) -> dict[SystemName | RunOfSystem, object]:
    """Return the data of each training run, and of each system that is not a dict of runs.

    Where predictions are expected, a dict is taken for a result, then a table, then runs;
    `read_systems` has rejected results.

    >>> list_runs({"base": ["a b"], "new": {"seed 1": ["a c"]}})
    {'base': ['a b'], RunOfSystem(system='new', run='seed 1'): ['a c']}
    """
    listed: dict[SystemName | RunOfSystem, object] = {}
    for name, data in systems.items():
        if not are_runs(data):
            listed[name] = data
            continue
        if not data:
            raise ValueError(
                f"System {show_value(name)}: expected one or more runs, got an empty dict."
                " Pass {'seed 1': [...], 'seed 2': [...]}."
            )
        runs = read_names(f"System {show_value(name)}", data, "run")
        for run, run_data in zip(runs, data.values()):
            key = RunOfSystem(name, run)
            if is_result(run_data):
                raise TypeError(A_RESULT.format(name=f"System {show_system(key)}"))
            if are_runs(run_data):
                raise TypeError(
                    f"System {show_system(key)}: expected predictions or a table, got"
                    f" {name_value(run_data)}. Pass one dict of runs per system."
                )
            listed[key] = run_data
    return listed


def are_runs(data: object) -> TypeGuard[Mapping[object, object]]:
    """Return True for the training runs of a system: a dict that is not a statistics table.

    >>> are_runs({"seed 1": ["a b"], "seed 2": ["a c"]}), are_runs({"prediction_length": [2]})
    (True, False)
    """
    return isinstance(data, Mapping) and "prediction_length" not in data


def check_single_runs(systems: Mapping[SystemName, object], method: str) -> None:
    """Raise if a system is a dict of training runs, for methods that take one run per system."""
    for name, data in systems.items():
        if are_runs(data):
            raise ValueError(
                f"System {show_value(name)}: {method}() takes one run per system, got a dict of"
                " runs. Pass the predictions or the table of one run; compare() takes several."
            )


def explain_runs(predictions: object, references: object, error: str) -> str | None:
    """Describe training runs in a container other than a dict; None if there are no runs.

    Call it for predictions that can't be read, because tokens of n segments may have n tokens each.

    >>> explain_runs([["a b", "c"], ["a", "c"], ["b", "c"]], ["a b", "c"], "")[:65]
    'expected the predictions of one run, got 3 runs in one list. Pass'
    """
    if list_columns(predictions) is not None:
        return f"{error} If they are runs, compare() takes them {RUNS_BY_NAME}"
    if not contains_rows(predictions):
        return None
    if not isinstance(predictions, Sized) or not isinstance(references, Sized):
        return None
    # 1. Each run has a text per segment.
    try:
        segments = len(references)
        rows = [
            row.as_py() if isinstance(row, pa.Scalar) else to_numpy(row)
            for row in to_numpy(predictions)
        ]
    except (TypeError, RuntimeError, UnicodeDecodeError):  # of arrays without rows, for example
        return None
    if not rows or not segments:
        return None
    for row in rows:
        if is_array(type(row)) and (not row.ndim or row.dtype.kind not in "OUTiu"):
            return None
        has_texts = isinstance(row, Sized) and not isinstance(row, (str, bytes, Mapping))
        if not has_texts or len(row) != segments:
            return None
    # 2. As many rows as segments may also be the tokens of one run.
    if len(rows) == segments and all(_is_token(item) for row in rows for item in row):
        return None
    found = f"{count_things(len(rows), 'run')} in one {name_value(predictions)}"
    return (
        f"expected the predictions of one run, got {found}. Pass one run per system;"
        f" compare() takes several {RUNS_BY_NAME}"
    )


def _is_token(item: object) -> bool:
    """Return True for an id, and for a str without a space between its words."""
    is_id = isinstance(item, (int, np.integer))
    return is_id or (isinstance(item, str) and not re.search(INNER_SPACE, item))
