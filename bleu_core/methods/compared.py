"""What `compare` and `rank` share: systems are counted, scored and tested, with their runs.

Only these two call it. How a result looks is in `compare.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import is_
from typing import Any, NamedTuple

import numpy as np

from ..check.look import look_at
from ..options.options import Options
from ..options.signature import make_signature, same_or_var
from ..rows.statistics import Counted, count_segments, make_call, sum_by_number
from ..rows.tables import GivenRows, check_same_function, is_table, read_counted
from ..rules.scores import count_wins, warn_about_zeros
from ..shared.arrays import Float64, Int64, Label, SystemName
from ..shared.messages import (
    RUNS_BY_NAME,
    Notice,
    RunOfSystem,
    invalid,
    list_systems,
    one_of,
    show_system,
    show_value,
    warn,
    warn_once_per_kind,
    within_system,
)
from ..shared.result_types import Settings, SystemScores
from ..significance.intervals import Plan, Sample, Test, add_estimate
from ..significance.resampling import StatisticsRows, Units, list_groups, score_units
from ..significance.tests import (
    ALL_TESTS,
    RANDOMIZATION,
    RUNS,
    MacroAverage,
    add_macro_average,
    draw,
)
from ..text.labels import (
    check_label_count,
    check_labels,
    number_labels,
    read_documents,
    read_labels,
)
from ..text.read import read_corpora, warn_if_reordered


def check_systems(
    systems: Mapping[SystemName, object],
    n_resamples: int | None,
    options: Options,
    test: Test,
    default: int,
) -> int:
    """Return the number of resamples of the test, or raise if an argument is invalid.

    The argument of the call wins over a signature at load, and this over `n_resamples` at load.
    """
    if len(systems) < 2:
        raise ValueError(
            f"systems: expected two or more systems, got {len(systems)}. Pass another system, or"
            " score one with compute()."
        )
    if n_resamples is not None:
        return options.override({"n_resamples": n_resamples}, checks_weights=False).n_resamples
    at_load = options.n_resamples if options.is_chosen("n_resamples") else default
    return options.signed_trials.get(test.name, at_load)


def list_settings(
    counted: Counted,
    units: Units,
    plan: Plan,
    unknown: Collection[str],
    *,
    has_segment_scores: bool = False,
    runs: Sequence[int] = (),
) -> Settings:
    """Return the keys about test and resampling that both results have.

    Wins, ties and losses are those of segment scores. `runs` has the number of training runs of
    each system, for the signature.
    """
    options = plan.options
    # The keys of intervals are the first.
    settings: Settings = {}  # type: ignore[typeddict-item]
    resample_counts: dict[str, int] = {}
    if units.can_resample:
        resample_counts[plan.test.key] = plan.trials
        if options.confidence:
            settings["confidence"] = options.confidence
            key_of_intervals = "ci" if plan.test.key == "bs" else "bs"
            if key_of_intervals == "bs" or plan.resamples_of_intervals != plan.trials:
                resample_counts[key_of_intervals] = plan.resamples_of_intervals
    settings |= {"test": plan.test.name, "n_resamples": plan.trials, "seed": options.seed}
    if units.can_resample and units.documents is not None:
        settings["documents"] = units.documents
        resample_counts["docs"] = units.documents
        if counted.shared_documents:
            settings["shared_documents"] = counted.shared_documents
    settings["signature"] = make_signature(
        options,
        counted.origin,
        resample_counts,
        unknown,
        has_segment_scores=has_segment_scores,
        runs=same_or_var(map(str, runs)) if runs else None,
    )
    return settings


# --- Counting -------------------------------------------------------------------------------------


class CountedSystems(NamedTuple):
    """The rows of systems.

    systems: by name, or by run; all have the same segments, labels and documents.
    options: the options of the call; for tables, with those that they were counted under.
    unknown: the names of options that neither the tables nor the call tell.
    """

    systems: dict[SystemName | RunOfSystem, Counted]
    options: Options
    unknown: Collection[str]


def count_systems(
    systems: Mapping[SystemName, object],
    references: object,
    options: Options,
    *,
    by: object = None,
    documents: object = None,
    like: object = None,
    keep_segments: bool = True,
) -> CountedSystems:
    """Count the texts of systems, or read their tables.

    With `keep_segments=False`, only the sums of documents are kept if there are documents.
    """
    # 1. Check that all systems are texts, or tables.
    are_texts = references is not None
    if are_texts and any(map(is_table, systems.values())):
        raise ValueError(
            "references: the systems are tables, which contain the counts. Leave out `references`."
        )
    if not are_texts and not all(map(is_table, systems.values())):
        raise ValueError(
            "references: got None. Pass references, or tables from statistics() as systems."
        )
    if are_texts and like is not None:
        raise ValueError("like: it belongs to tables, but the systems are texts. Leave out `like`.")
    texts = {"references": references, "predictions": next(iter(systems.values()), None)}
    warn_if_reordered(texts, by=by, documents=documents)
    # 2. Read labels, which are the same for all systems. In place of labels, tables take the name
    #    of a column.
    labels: Any = read_labels(by) if are_texts or not isinstance(by, str) else by
    document_of: Any = (
        read_documents(documents) if are_texts or not isinstance(documents, str) else documents
    )
    # 3. Count or read one system at a time.
    unknown: Collection[str] = ()
    if are_texts:
        counted_systems = _count_texts(
            systems, references, options, labels=labels, documents=document_of
        )
    else:
        tables = read_tables(systems, options, by=labels, documents=document_of, like=like)
        first = next(iter(tables.values()))
        options = first.options
        unknown = first.unknown
        counted_systems = count_tables(tables)
    kept: dict[SystemName | RunOfSystem, Counted] = {}
    document_numbers: Int64 | None = None  # all systems have the same documents
    kept_documents: list[Label] = []
    with warn_once_per_kind():
        for name, counted in counted_systems:
            warn_about_zeros(
                counted.rows,
                options,
                f"The score of {show_system(name)}",
                {label: group.segments for label, group in counted.groups.items()},
                has_segments=counted.has_segments,
            )
            if not keep_segments and counted.documents is not None:
                if document_numbers is None:
                    document_numbers = number_labels(counted.documents)
                    _, first_rows = np.unique(document_numbers, return_index=True)
                    kept_documents = [counted.documents[row] for row in first_rows.tolist()]
                (sums,) = sum_by_number([counted.rows], document_numbers)
                counted = replace(counted, rows=sums, documents=kept_documents, has_segments=False)
            kept[name] = counted
        if not are_texts:
            _warn_of_equal_tables(kept)
    return CountedSystems(kept, options, unknown)


def _warn_of_equal_tables(systems: Mapping[SystemName | RunOfSystem, Counted]) -> None:
    """Warn of systems with the same statistics in every row."""
    names_of: dict[bytes, list[SystemName | RunOfSystem]] = {}  # by their sums
    for name, counted in systems.items():
        names_of.setdefault(counted.rows.sum(axis=0).tobytes(), []).append(name)
    for names in names_of.values():
        first = systems[names[0]].rows
        equal = [name for name in names if np.array_equal(systems[name].rows, first)]
        if len(equal) > 1:
            warn(
                Notice(
                    "same predictions",
                    "Systems {systems} have the same statistics in every row",
                    ". Check which tables were read",
                ),
                systems=list_systems(equal),
            )


def _count_texts(
    systems: Mapping[SystemName, object],
    references: object,
    options: Options,
    *,
    labels: Sequence[Label] | None,
    documents: Sequence[Label] | None,
) -> Iterator[CountedSystem]:
    """Yield the rows of each system; the references are read once."""
    for name, corpus in read_corpora(systems, references):
        with within_system(name):
            if documents is not None:
                check_label_count("documents", documents, len(corpus))
            if labels is not None:
                check_label_count("by", labels, len(corpus))
                check_labels(options.tokenize_by, labels)
            counted = count_segments(make_call(corpus, options, labels, documents))
            look_at(corpus, counted.bigrams, options)
        yield name, counted


# --- Tables of several systems --------------------------------------------------------------------
#
# They must have been counted alike, on the same segments: each check has its error here.

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


# --- Scores and tests -----------------------------------------------------------------------------


def score_and_test(
    rows: StatisticsRows, sample: Sample, arranged: Sequence[ArrangedRuns], plan: Plan
) -> list[SystemScores]:
    """Score systems, and test each against the first.

    Args:
        rows: of each run, int64 [segments, 2 N + 2], for the scores of segments, whatever is
            resampled.
        sample: the scores of their units, and resamples.
        arranged: the runs of each system.
        plan: the test.
    """
    confidence = plan.options.confidence
    segment_scores: list[Float64] = []  # of each system, the means over its runs
    if plan.has_segments:
        of_runs = score_units(rows, plan.options.for_segments())
        segment_scores = [of_runs[runs.positions].mean(axis=0) for runs in arranged]
    described: list[SystemScores] = []
    for i, (score, runs) in enumerate(zip(sample.scores, arranged)):
        # 1. The score of the system.
        system: SystemScores = {"bleu": score, "score": 100 * score}  # type: ignore[typeddict-item]
        described.append(system)
        _add_runs(system, runs, sample.observed[runs.positions])
        add_estimate(system, sample.estimate(i), confidence)
        if not i:
            continue
        # 2. The difference from the baseline.
        system["delta"] = score - described[0]["bleu"]
        difference = sample.difference(i)
        plan.test.add_p_values(sample, i, difference, system)
        if segment_scores:
            system |= count_wins(segment_scores[i] - segment_scores[0])  # type: ignore[typeddict-item]
        add_estimate(system, difference, confidence, "delta_")
    return described


_GROUP_KEYS = ("bleu", "score", "delta", "p_value")  # of the scores of a system


def add_groups(
    systems: Sequence[SystemScores],
    counted: Counted,
    rows: StatisticsRows,
    arranged: Sequence[ArrangedRuns],
    plan: Plan,
) -> None:
    """Add to each system its scores and tests per group, and the macro-average.

    Args:
        systems: the scores of the systems, the baseline first.
        counted: the groups and documents, which all runs share.
        rows: of each run, int64 [segments, 2 N + 2].
        arranged: the runs of each system.
        plan: the test.
    """
    # 1. Score and test each group. One group at a time is in memory.
    for system in systems:
        system["groups"] = {}
    average = MacroAverage(counted, plan)
    for group in list_groups(counted, rows):
        sample = draw(group.units, plan)
        average.add(group, sample)
        scores_of_group: list[Any] = score_and_test(group.rows, sample, arranged, plan)
        for system, numbers in zip(systems, scores_of_group):
            of_group: Any = {key: numbers[key] for key in _GROUP_KEYS if key in numbers}
            if group.units.can_resample and group.units.documents is not None:
                of_group["documents"] = group.units.documents
            system["groups"][group.label] = of_group
        del group, sample  # before the next group is taken
    # 2. Average the groups: a macro-average is a score like any other.
    of_average = average.sample()
    macro_scores = of_average.scores
    for i, (system, runs) in enumerate(zip(systems, arranged)):
        scores: SystemScores = {"bleu": macro_scores[i]}  # type: ignore[typeddict-item]
        if i:
            scores["delta"] = macro_scores[i] - macro_scores[0]
            difference = of_average.difference(i)
            plan.test.add_p_values(of_average, i, difference, scores)
            add_estimate(scores, difference, plan.options.confidence, "delta_")
        add_macro_average(system, scores)
        for name, run_score in zip(runs.names, of_average.observed[runs.positions].tolist()):
            add_macro_average(system["runs"][name], {"bleu": run_score})


# --- Training runs --------------------------------------------------------------------------------


class ArrangedRuns(NamedTuple):
    """The runs of a system among those of all systems.

    keys: one per run, of the data of all runs: the system's name, or its name and the run's.
    positions: those of the runs in arrays of all runs.
    """

    keys: Sequence[SystemName | RunOfSystem]
    positions: slice

    @property
    def names(self) -> list[Hashable]:
        """The names of the runs; an empty list if the system is not a dict of runs."""
        return [key.run for key in self.keys if isinstance(key, RunOfSystem)]


def choose_test(test: object, data_of: Collection[SystemName | RunOfSystem]) -> Test:
    """Return the test of a name, or raise if it does not fit the numbers of runs."""
    if test is not None and test not in list(ALL_TESTS):  # a list in a dict would be a TypeError
        raise invalid("test", test, one_of(ALL_TESTS))
    systems = [key.system for key in data_of if isinstance(key, RunOfSystem)]
    several = [name for name in systems if systems.count(name) > 1]
    chosen = None if test is None else ALL_TESTS[str(test)]
    if not several:
        if chosen is not None and chosen.compares_runs:
            raise ValueError(
                "test='runs': expected a system with several runs, got one run each. Pass a dict of"
                " runs, such as {'A': {'seed 1': [...], 'seed 2': [...]}, 'B': ...}."
            )
        return chosen or RANDOMIZATION
    if chosen is not None and not chosen.compares_runs:
        raise ValueError(
            f"test={show_value(test)}: system {show_value(several[0])} has several runs, and this"
            " test ignores the variance between runs. Remove `test`, or pass one run per system."
        )
    return RUNS


def arrange_runs(
    data_of: Collection[SystemName | RunOfSystem], names: Sequence[SystemName]
) -> list[ArrangedRuns]:
    """Arrange the runs of systems one system after another, in the order of `names`."""
    keys_of: dict[SystemName, list[SystemName | RunOfSystem]] = {name: [] for name in names}
    for key in data_of:
        keys_of[key.system if isinstance(key, RunOfSystem) else key].append(key)
    arranged = []
    start = 0
    for keys in keys_of.values():
        arranged.append(ArrangedRuns(keys, slice(start, start + len(keys))))
        start += len(keys)
    return arranged


def _add_runs(system: SystemScores, runs: ArrangedRuns, scores: Float64) -> None:
    """Add the scores of a system's runs, and their standard deviation."""
    if runs.names:
        system["runs"] = {
            name: {"bleu": score, "score": 100 * score}
            for name, score in zip(runs.names, scores.tolist())
        }
    if len(scores) > 1:
        system["run_standard_deviation"] = float(scores.std(ddof=1))
