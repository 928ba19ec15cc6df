"""Tables of several systems, for `compare` and `rank`.

Called by `methods/compared.py`. The tables must have been counted alike, on the same segments: each
check has its error here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import is_

from ..options.options import Options
from ..shared.arrays import Label, SystemName
from ..shared.messages import RUNS_BY_NAME, RunOfSystem, show_system, within_system
from .statistics import Counted
from .tables import GivenRows, check_same_function, read_counted

GivenSystems = Mapping[SystemName | RunOfSystem, GivenRows]
CountedSystem = tuple[SystemName | RunOfSystem, Counted]


def read_tables(
    systems: Mapping[SystemName, object],
    options: Options,
    *,
    by: object,
    documents: object,
    like: object,
) -> GivenSystems:
    """Read the statistics tables of systems, which must have the same segments and options.

    Sums of segments are allowed if each has a document. `may_be_segments` of the result is certain.
    """
    # 1. Read the tables of each system.
    tables: dict[SystemName | RunOfSystem, GivenRows] = {}
    for name, statistics in systems.items():
        with within_system(name):
            given = read_counted(statistics, options, by=by, documents=documents, like=like)
            first = next(iter(tables.values()), given)
            check_same_function(given.origin.tokenizer_name, first.origin.tokenizer_name)
            has_segments = given.have_segments()
            if not has_segments and given.documents is None:
                raise ValueError(
                    "statistics: expected one row per segment, got sums. Pass the tables from"
                    " statistics(), or the document of each row, as in documents='document'."
                )
            tables[name] = given._replace(
                may_be_segments=has_segments,
                labels=_share(given.labels, first.labels),
                documents=_share(given.documents, first.documents),
            )
    # 2. Compare each with the first. Sums are compared by document, when they are put in order.
    have_segments = all(given.may_be_segments for given in tables.values())
    first_name = next(iter(tables))
    expected = _list_properties(tables[first_name], have_segments)
    for name, given in tables.items():
        for noun, value in _list_properties(given, have_segments).items():
            if value != expected[noun]:
                raise _systems_differ(noun, first_name, name)
    return tables


def _share(
    labels: Sequence[Label] | None, first_labels: Sequence[Label] | None
) -> Sequence[Label] | None:
    """Return the labels of the first system if they are the same, to keep them in memory once."""
    if labels is None or labels != first_labels:
        return labels
    have_same_types = all(map(is_, map(type, labels), map(type, first_labels)))  # 1 == True
    return first_labels if have_same_types else labels


def _list_properties(given: GivenRows, have_segments: bool) -> dict[str, object]:
    """Return what the tables of systems must have in common, by its noun in errors.

    Segments and their labels are compared unless the rows of a system are sums.
    """
    return {
        "segments": len(given.columns) if have_segments else None,
        "options": (given.options, given.origin.tokenizer_name, given.unknown),
        "tokenizers": given.counted_by if given.origin.tokenizer_name == "var" else None,
        "numbers of references": given.origin.nrefs,
        "labels": given.labels if have_segments else None,
        "documents": given.documents if have_segments else None,
    }


def _systems_differ(
    noun: str, name: SystemName | RunOfSystem, other_name: SystemName | RunOfSystem
) -> ValueError:
    error = (
        f"systems: the tables of {show_system(name)} and {show_system(other_name)} differ in"
        f" their {noun}. Pass tables of the same segments, made by statistics() with the"
        " same options."
    )
    if noun == "segments":
        error += f" A list of tables is one test set; pass runs {RUNS_BY_NAME}"
    return ValueError(error)


def count_tables(systems: GivenSystems) -> Iterator[CountedSystem]:
    """Yield the rows of each system, which are copied one system at a time.

    If some are sums, all are summed by document, in the order of the first system.
    """
    if all(given.may_be_segments for given in systems.values()):
        for name, given in systems.items():
            yield name, given.counted(has_segments=True)
        return
    first_name, first = next(iter(systems.items()))
    first_sums = first.counted(has_segments=False).sum_documents()
    for name, given in systems.items():
        sums = given.counted(has_segments=False).sum_documents().order_like(first_sums)
        if sums is None:
            raise _systems_differ("documents", first_name, name)
        yield name, sums
