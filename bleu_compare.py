"""Systems against each other: `compare`, with a baseline, and `rank`, with all pairs."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import bleu_plots as plots
from . import bleu_report as report
from . import bleu_scoring as scoring
from . import bleu_significance as significance
from .bleu_corpus import Float64, Int64, Label, SystemName, number_labels
from .bleu_inputs import (
    check_label_count,
    check_labels,
    check_single_runs,
    find_name,
    list_runs,
    make_call,
    read_corpora,
    read_documents,
    read_labels,
    read_systems,
    warn_if_reordered,
)
from .bleu_look import look_at
from .bleu_messages import (
    Notice,
    RunOfSystem,
    count_things,
    invalid,
    list_systems,
    one_of,
    show_system,
    show_value,
    warn,
    warn_once_per_kind,
    within_system,
)
from .bleu_options import (
    Options,
    check_flag,
    make_signature,
    same_or_var,
    to_python,
)
from .bleu_results import (
    Pair,
    RankedSystem,
    RunScores,
    Settings,
    SystemScores,
)
from .bleu_significance import (
    ALL_TESTS,
    RANDOMIZATION,
    RUNS,
    MacroAverage,
    Plan,
    Sample,
    StatisticsRows,
    Test,
    Units,
    add_difference,
    add_estimate,
    add_macro_average,
    describe_intervals,
    divide_into_units,
    draw,
    list_groups,
    list_single_runs,
    read_macro_average,
)
from .bleu_statistics import Counted, count_segments, sum_by_number
from .bleu_tables import CountedSystem, count_tables, is_table, read_tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_MAX_TRIALS = 100_000  # of `rank` by default: a minute for 60 systems of 2,000 segments


# --- compare and rank -----------------------------------------------------------------------------


def compare_systems(
    systems: object,
    references: object,
    options: Options,
    *,
    baseline: object = None,
    test: str | None = None,
    n_resamples: int | None = None,
    by: object = None,
    documents: object = None,
    like: object = None,
) -> Comparison:
    """Test systems against a baseline."""
    # 1. Check the arguments.
    given = read_systems(systems, references)
    data_of = list_runs(given)
    chosen = _choose_test(test, data_of)
    trials = _check_systems(given, n_resamples, options, chosen, chosen.n_resamples)
    if options.confidence or chosen.compares_runs:
        significance.import_scipy()  # raises before the counting if it is missing
    baseline = next(iter(given)) if baseline is None else find_name("baseline", baseline, given)
    # 2. Count; rows have an array per run, those of the baseline first.
    counted = _count_systems(data_of, references, options, by=by, documents=documents, like=like)
    names = [baseline, *(name for name in given if name != baseline)]
    arranged = _arrange_runs(data_of, names)
    keys = [key for system in arranged for key in system.keys]
    rows = [counted.systems[key].rows for key in keys]
    shared = counted.systems[keys[0]]  # all runs have the same groups and documents
    units = divide_into_units(shared, rows)
    # 3. Warn about sizes.
    plan = Plan(
        counted.options,
        [system.positions for system in arranged],
        chosen,
        trials,
        has_segments=shared.has_segments,
    )
    significance.warn_about_size(units, shared)
    if units.can_resample and chosen.compares_runs:
        single = sum(len(system.keys) == 1 for system in arranged)
        if single:
            warn(
                Notice(
                    "one run",
                    "{systems} with a single run beside systems with several: the variance between"
                    " runs of such a system is taken as 0, so its results hold for this run only",
                    ". Pass several runs of each system",
                ),
                systems=count_things(single, "system"),
            )
        significance.warn_about_errors(trials)
    elif units.can_resample:
        significance.warn_about_trials(trials, _find_alpha(options.confidence))
        significance.warn_about_intervals(units, plan.options, " to evaluate.load()")
    # 4. Score and test, in all and per group.
    scores = _score_and_test(rows, draw(units, plan), arranged, plan)
    if shared.groups:
        _add_groups(scores, shared, rows, arranged, plan)
    if not chosen.compares_runs:
        for system_scores, runs in zip(scores, arranged):
            _add_single_run(system_scores, runs)
    # 5. Put the result together, systems in the order of the caller.
    scores_of = dict(zip(names, scores))
    comparison = Comparison(baseline=baseline, systems={name: scores_of[name] for name in given})
    comparison |= _list_settings(
        shared,
        units,
        plan,
        counted.unknown,
        has_segment_scores=plan.has_segments,
        runs=[len(system.keys) for system in arranged] if chosen.compares_runs else (),
    )
    for name, missing in comparison._list_missing().items():
        warn(
            Notice(
                "no variance",
                "System {system}: neither the runs nor resamples of the texts differ in score, so"
                " there is {missing}",
                ". Check that the runs are separate trainings, not copies",
            ),
            system=show_system(name),
            missing=missing,
        )
    return comparison


def rank_systems(
    systems: object,
    references: object,
    options: Options,
    *,
    n_resamples: int | None = None,
    alpha: float = 0.05,
    family_wise: bool = True,
    documents: object = None,
    like: object = None,
) -> Ranking:
    """Rank systems by tests of all pairs."""
    # 1. Check the arguments. Holm's procedure multiplies the smallest p-value by the number of
    #    pairs, and so needs more trials.
    data_of = read_systems(systems, references)
    check_single_runs(data_of, "rank")
    alpha = to_python(alpha)
    if not (isinstance(alpha, float) and 0 < alpha < 1):
        raise invalid("alpha", alpha, "a number above 0 and below 1, such as 0.05")
    check_flag("family_wise", family_wise)
    factor = len(data_of) * (len(data_of) - 1) // 2 if family_wise else 1
    default = RANDOMIZATION.n_resamples
    if family_wise:
        default = min(max(default, 2 * significance.fewest_trials(alpha, factor)), _MAX_TRIALS)
    trials = _check_systems(data_of, n_resamples, options, RANDOMIZATION, default)
    # 2. Count, and sort by score, best first; systems of equal score keep their order.
    counted = _count_systems(
        data_of, references, options, documents=documents, like=like, keep_segments=False
    )
    plan = Plan(counted.options, list_single_runs(len(data_of)), RANDOMIZATION, trials)
    shared = next(iter(counted.systems.values()))  # all systems have the same documents
    units = divide_into_units(shared, [system.rows for system in counted.systems.values()])
    scores = scoring.bleu(units.totals, plan.options)
    order = np.argsort(-scores, kind="stable").tolist()
    names = [list(counted.systems)[i] for i in order]
    scores = scores[order]
    units = units._replace(rows=[units.rows[i] for i in order])
    # 3. Test all pairs on shared exchanges. The difference of a pair is the score of the better
    #    system minus the other.
    better, worse = np.triu_indices(len(names), k=1)
    deltas = scores[better] - scores[worse]
    pairs: list[Pair] = [
        {"systems": [names[i], names[j]], "delta": delta}  # type: ignore[typeddict-item]
        for i, j, delta in zip(better, worse, deltas.tolist())
    ]
    significant = np.zeros((len(names), len(names)), bool)
    significance.warn_about_size(units, shared)
    if units.can_resample:
        significance.warn_about_trials(trials, alpha, factor)
        significance.warn_about_exchanges(units, alpha, factor)
        significance.warn_about_intervals(units, plan.options, " to evaluate.load()")
        p_values = significance.exchange_all_pairs(units, deltas, plan)
        adjusted = significance.adjust_holm(p_values)
        for pair, p_value, p_adjusted in zip(pairs, p_values.tolist(), adjusted.tolist()):
            pair["p_value"] = p_value
            pair["p_adjusted"] = p_adjusted
        significant[better, worse] = (adjusted if family_wise else p_values) < alpha
    # 4. Rank. A system is behind those that are significantly better, and before those that are
    #    significantly worse. A cluster ends, by WMT's rule, where every pair across the cut is
    #    significant.
    sample = draw(units, plan._replace(test=None))
    cluster = 1
    ranked: list[RankedSystem] = []
    for i, name in enumerate(names):
        if i and significant[:i, i:].all():
            cluster += 1
        score = sample.score(i)
        # The ranks are the last keys.
        system: RankedSystem = {"system": name, "bleu": score, "score": 100 * score}  # type: ignore[typeddict-item]
        add_estimate(system, sample.estimate(i), plan.options.confidence)
        system["rank_range"] = [
            1 + int(significant[:, i].sum()),
            len(names) - int(significant[i].sum()),
        ]
        system["cluster"] = cluster
        ranked.append(system)
    # 5. Put the result together.
    ranking = Ranking(ranking=ranked, pairs=pairs, alpha=alpha, family_wise=family_wise)
    ranking |= _list_settings(shared, units, plan, counted.unknown)
    return ranking


def _check_systems(
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


def _list_settings(
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
    test = plan.test or RANDOMIZATION
    # The keys of intervals are the first.
    settings: Settings = {}  # type: ignore[typeddict-item]
    resample_counts: dict[str, int] = {}
    if units.can_resample:
        resample_counts[test.key] = plan.trials
        if options.confidence:
            settings["confidence"] = options.confidence
            key_of_intervals = "ci" if test.key == "bs" else "bs"
            if key_of_intervals == "bs" or plan.resamples_of_intervals != plan.trials:
                resample_counts[key_of_intervals] = plan.resamples_of_intervals
    settings |= {"test": test.name, "n_resamples": plan.trials, "seed": options.seed}
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


def _count_systems(
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
            scoring.warn_about_zeros(
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
                check_labels(options, labels)
            counted = count_segments(make_call(corpus, options, labels, documents))
            look_at(corpus, counted.bigrams, options)
        yield name, counted


# --- Scores and tests -----------------------------------------------------------------------------


def _score_and_test(
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
        of_runs = significance.score_units(rows, plan.options.for_segments())
        segment_scores = [of_runs[runs.positions].mean(axis=0) for runs in arranged]
    described: list[SystemScores] = []
    for i, (score, runs) in enumerate(zip(sample.scores, arranged)):
        # 1. The score of the system.
        system: SystemScores = {"bleu": score, "score": 100 * score}  # type: ignore[typeddict-item]
        described.append(system)
        if plan.compares_runs:
            _add_runs(system, runs, sample.observed[runs.positions])
        add_estimate(system, sample.estimate(i), confidence)
        if not i:
            continue
        # 2. The difference from the baseline.
        system["delta"] = score - described[0]["bleu"]
        difference = sample.difference(i)
        sample.add_test(i, difference, system)
        if segment_scores:
            system |= scoring.count_wins(segment_scores[i] - segment_scores[0])  # type: ignore[typeddict-item]
        add_difference(system, difference, confidence)
    return described


_GROUP_KEYS = ("bleu", "score", "delta", "p_value")  # of the scores of a system


def _add_groups(
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
        scores_of_group: list[Any] = _score_and_test(group.rows, sample, arranged, plan)
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
            of_average.add_test(i, difference, scores)
            add_difference(scores, difference, plan.options.confidence)
        add_macro_average(system, scores)
        if plan.compares_runs:
            for name, score in zip(runs.names, of_average.observed[runs.positions].tolist()):
                add_macro_average(system["runs"][name], {"bleu": score})


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


def _choose_test(test: object, data_of: Collection[SystemName | RunOfSystem]) -> Test:
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


def _arrange_runs(
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


def _add_single_run(scores: SystemScores, runs: ArrangedRuns) -> None:
    """Add the name of the only run to the scores of a system that is a dict of runs."""
    for name in runs.names:
        run: RunScores = {"bleu": scores["bleu"], "score": scores["score"]}
        if "macro_bleu" in scores:
            run["macro_bleu"] = scores["macro_bleu"]
        scores["runs"] = {name: run}


# --- Results --------------------------------------------------------------------------------------


# How to get the keys that a comparison or a ranking lacks.
_WAYS_TO_SETTINGS = {
    "confidence": f"{report.passing('confidence=0.95')}; it needs two or more segments (documents),"
    " and scores that vary",
    "documents": f"{report.passing('documents=labels')}; one document can't be resampled",
}


class Comparison(report.QuotableReport):
    """The result of `compare`: a dict that displays as a table.

    >>> system = {"bleu": 0.5, "score": 50.0, "confidence_interval": [0.4, 0.6]}
    >>> made = {"test": "bootstrap", "n_resamples": 1000, "signature": "nrefs:1"}
    >>> print(Comparison(baseline="A", systems={"A": system}, **made))
    system         BLEU            CI
    A (baseline)  50.00  40.00, 60.00
    <BLANKLINE>
    CI: percentile bootstrap; nrefs:1
    """

    _absent = MappingProxyType(
        {
            **_WAYS_TO_SETTINGS,
            "shared_documents": report.passing(
                "by=labels and documents=labels that occur in several groups"
            ),
        }
    )

    def _finish_restored(self) -> None:
        if self["baseline"] not in self["systems"]:  # JSON writes a number as a key, but as it is
            (self["baseline"],) = json.loads(json.dumps({self["baseline"]: None}))
        super()._finish_restored()

    def _rows(self) -> list[list[str]]:
        """Return one row per system, followed by one per group and one for the macro-average."""
        return report.list_cells(
            "system", self._list_scores(), _SYSTEM_COLUMNS, self.get("confidence")
        )

    def to_latex(self, columns: Sequence[str] | None = None) -> str:
        """Return the table in LaTeX, for the package `booktabs`, with a caption and a label.

        A dagger marks differences that are more than chance.

        Args:
            columns: the heads of columns or the keys of their values, in order; None for the
                score, its interval, the difference and p. Names are always there.

        Raises:
            ValueError: the table has no such column.
        """
        level = report.name_interval(self.get("confidence"))
        heads = {column.key: column.name.replace("CI", level) for column in _SYSTEM_COLUMNS}
        if columns is None:
            shown = self._rows()[0]
            columns = [heads[key] for key in _COLUMNS_OF_PAPERS if heads[key] in shown]
        elif not isinstance(columns, str):
            columns = [heads.get(column, column) for column in columns]
        return super().to_latex(columns)

    def _latex_rows(self) -> list[list[str]]:
        """Return the cells, with a dagger for differences that are more than chance."""
        head, *rows = self._rows()
        for row, scored in zip(rows, self._list_scores()):
            if scored.scores.get("p_value", 1.0) < _find_alpha(self.get("confidence")):
                row[0] += "†"
        return [head, *rows]

    def _caption(self) -> str:
        """Return the caption of the table in LaTeX."""
        facts = [f"BLEU, and differences from {self['baseline']}"]
        for tested in _describe_test(self, self["systems"].values()):
            level = f"{100 * _find_alpha(self.get('confidence')):g}% level"
            has_dagger = any(row[0].endswith("†") for row in self._latex_rows())
            found = "†:" if has_dagger else "No difference is"
            facts.append(f"{found} more than chance at the {level} ({tested})")
        return ". ".join([*facts, f"Signature: {self['signature']}"])

    def _records(self) -> list[dict[str, Any]]:
        records: list[dict[str, Any]] = []
        systems = self["systems"]
        parts: dict[str, object] = {}  # the first columns if there are rows for parts of a system
        if any("groups" in system for system in systems.values()):
            parts = {"part": "all", "group": None}
        if any("runs" in system for system in systems.values()):
            parts |= {"part": "all", "run": None}
        for name, system in systems.items():
            numbers = {key: system[key] for key in system if key not in ("groups", "runs")}
            records.append({"system": name, **parts, **numbers})
            records += [
                {"system": name, **parts, "part": "run", "run": run, **scores}
                for run, scores in system.get("runs", {}).items()
            ]
            records += [
                {"system": name, **parts, "part": "group", "group": label, **group}
                for label, group in system.get("groups", {}).items()
            ]
        return records

    def _note(self) -> str:
        systems = self["systems"].values()
        facts = [*_describe_test(self, systems), *self._describe_intervals()]
        if any(_count_runs(one) == 2 and "confidence_interval" in one for one in systems):
            facts.append("intervals are wide, because two runs say little about other runs")
        unit = "documents" if "documents" in self else "segments"
        facts += [
            f"{name}: {missing}, because neither runs nor {unit} vary"
            for name, missing in self._list_missing().items()
        ]
        return "; ".join([*facts, self["signature"]])

    def _verdicts(self) -> list[str]:
        verdicts = [
            f"{name} scores {self._describe_difference(system)}."
            for name, system in self["systems"].items()
            if "delta" in system
        ]
        tests = sum("p_value" in system for system in self["systems"].values())
        if tests > 1:
            verdicts.append(
                f"The {tests} p-values are not adjusted for each other; rank() adjusts those of all"
                " pairs."
            )
        return verdicts

    def _describe_difference(self, system: SystemScores) -> str:
        """Write the difference of a system from the baseline, and if it is more than chance."""
        facts = [_compare_scores(system["delta"], self["baseline"])]
        if "delta_interval" in system:
            low, high = map(_write_points, system["delta_interval"])
            level = report.name_interval(self.get("confidence"))
            facts.append(f"{level} of the difference {low} to {high}")
        if "p_value" in system:
            facts[-1] += f" ({write_equation_of_p(system['p_value'])})"
        alpha = _find_alpha(self.get("confidence"))
        verdict = _judge(system.get("p_value"), alpha, f"the {100 * alpha:g}% level")
        return f"{', '.join(facts)}: {verdict}"

    def _describe_intervals(self) -> list[str]:
        """Say which kinds the intervals of the table are."""
        scores = [row.scores for row in self._list_scores()]
        level = report.name_interval(self.get("confidence"))
        kinds = {
            level: describe_intervals(scores),
            f"{level} of difference": describe_intervals(scores, "delta_"),
        }
        return [f"{name}: {kind}" for name, kind in kinds.items() if kind]

    def _list_missing(self) -> dict[SystemName, str]:
        """Return the missing numbers of systems whose scores do not vary, by name.

        Systems with one run have all numbers, and a single segment or document has none.
        """
        test = ALL_TESTS[self["test"]]
        if not test.compares_runs or not report.find_in_signature(self["signature"], test.key):
            return {}
        missing = {}
        for name, system in self["systems"].items():
            has_interval = "confidence_interval" in system or "confidence" not in self
            if "p_value" not in system and name != self["baseline"]:
                missing[name] = "no p" if has_interval else "no interval or p"
            elif not has_interval:
                missing[name] = "no interval of the score"
        return missing

    def _sentence(self) -> str:
        systems = self["systems"]
        sentences = []
        for name, system in sorted(systems.items(), key=lambda item: -item[1]["score"]):
            scored = f"{name} scores {report.describe_score(system, self.get('confidence'))}"
            is_baseline = name == self["baseline"]
            sentences.append(
                f"the baseline {scored}"
                if is_baseline
                else f"{scored}, {self._describe_difference(system)}"
            )
        sentences[0] = f"In BLEU, {sentences[0]}"
        return "; ".join([*sentences, *_describe_test(self, systems.values())])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the scores and the intervals of the differences, and return the Axes.

        The score of the baseline is a line. If an interval does not reach the line, the system
        differs, even where intervals of scores overlap. Training runs are hollow dots.

        Args:
            ax: the Axes of matplotlib to draw into; None for a new figure.
        """
        line = self["systems"][self["baseline"]]["score"]
        rows = [
            plots.PlottedScore(
                f"{name} (baseline)" if name == self["baseline"] else str(name),
                system["score"],
                [line + 100 * end for end in system.get("delta_interval", ())],
                [run["score"] for run in system.get("runs", {}).values()],
            )
            for name, system in self["systems"].items()
        ]
        return plots.plot_scores(rows, line, "the interval of the difference from the baseline", ax)

    def _html_table(self) -> str:
        """Return the table, with the intervals drawn in an additional column."""
        head, *rows = self._rows()
        ends: list[float] = []
        for system in self["systems"].values():
            ends += system.get("confidence_interval", ())
        if ends:
            scale = min(ends), max(ends)
            head.append("")
            for row, scored in zip(rows, self._list_scores()):
                drawn = ""
                if "confidence_interval" in scored.scores:
                    low, high = scored.scores["confidence_interval"]
                    drawn = report.draw_interval(low, scored.scores["bleu"], high, scale)
                row.append(drawn)
        for row in rows:
            if row[0].startswith("  "):  # a group: HTML drops the spaces that indent it
                row[0] = row[0].replace("  ", "\u00a0\u00a0", 1)
        return report.write_table(head, rows)

    def _list_scores(self) -> list[ScoredRow]:
        """Return the rows of the table."""
        rows: list[ScoredRow] = []
        for name, system in self["systems"].items():
            remarks = []
            if name == self["baseline"]:
                remarks.append("baseline")
            if _count_runs(system) > 1:
                remarks.append(report.describe_runs(system))
            shown = f"{name} ({', '.join(remarks)})" if remarks else str(name)
            rows.append(ScoredRow(shown, system))
            rows += [
                ScoredRow(f"  {report.write_label(label, ['macro-average'])}", group)
                for label, group in system.get("groups", {}).items()
            ]
            if "groups" in system:
                macro = {"score": 100 * system["macro_bleu"], **read_macro_average(system)}
                rows.append(ScoredRow("  macro-average", macro))
        return rows


def _count_runs(system: SystemScores) -> int:
    """Return the number of training runs of a system; 1 if it is not a dict of runs."""
    return len(system.get("runs", {})) or 1


class ScoredRow(NamedTuple):
    """A row of the table of a comparison: its first cell, and its numbers by key."""

    name: str
    scores: Mapping[str, Any]


class Ranking(report.QuotableReport):
    """The result of `rank`: a dict that displays as a table, with a rule between clusters.

    >>> systems = [{"system": "A", "score": 40.0, "rank_range": [1, 1], "cluster": 1}]
    >>> systems += [{"system": "B", "score": 30.0, "rank_range": [2, 2], "cluster": 2}]
    >>> pairs = [{"systems": ["A", "B"], "delta": 0.1, "p_value": 0.01, "p_adjusted": 0.01}]
    >>> made = {"alpha": 0.05, "family_wise": True, "test": "randomization", "n_resamples": 99}
    >>> print(Ranking(ranking=systems, pairs=pairs, **made, signature="nrefs:1"))
    rank  system   BLEU
    1     A       40.00
    -------------------
    2     B       30.00
    <BLANKLINE>
    A scores 10.00 points higher than B (p = 0.0100): more than chance at a family-wise error of 5%.
    <BLANKLINE>
    paired approximate randomization, 99 resamples; ranks at a family-wise error of 5%; nrefs:1
    """

    _left_columns = 2
    _wide_columns = ("system",)
    _absent = _WAYS_TO_SETTINGS

    def _rows(self) -> list[list[str]]:
        rows = [["rank", "system", "BLEU"]]
        if "confidence" in self:
            rows[0].append(report.name_interval(self["confidence"]))
        cluster = 1
        for system in self["ranking"]:
            if system["cluster"] != cluster:
                rows.append([])  # a rule
                cluster = system["cluster"]
            rows.append(
                [
                    _write_rank(system["rank_range"]),
                    str(system["system"]),
                    f"{system['score']:.2f}",
                ]
            )
            if "confidence" in self:
                rows[-1].append(report.write_interval(system["confidence_interval"]))
        return rows

    def _records(self) -> list[dict[str, Any]]:
        return [
            {**system, "rank_range": _write_rank(system["rank_range"])}
            for system in self["ranking"]
        ]

    def _note(self) -> str:
        facts = self._describe_ranks()
        kind = describe_intervals(self["ranking"])
        if kind:
            facts.append(f"{report.name_interval(self.get('confidence'))}: {kind}")
        return "; ".join([*facts, self["signature"]])

    def _caption(self) -> str:
        """Return the caption of the table in LaTeX."""
        ranks = "; ".join(self._describe_ranks())
        caption = f"Systems ranked by BLEU ({ranks})" if ranks else "Systems by BLEU"
        return f"{caption}. Signature: {self['signature']}"

    def _sentence(self) -> str:
        level = self.get("confidence")
        ranked = [
            f"{_write_rank(system['rank_range'])}. {system['system']}"
            f" {report.describe_score(system, level)}"
            for system in self["ranking"]
        ]
        (verdict,) = self._verdicts()
        facts = [f"Ranked by BLEU: {', '.join(ranked)}", verdict.rstrip(".")]
        return "; ".join([*facts, *self._describe_ranks()])

    def _verdicts(self) -> list[str]:
        """Compare the best two systems, and count the pairs that differ by more than chance."""
        pairs = self["pairs"]
        best, second = pairs[0]["systems"]
        verdict = f"{best} scores {_compare_scores(pairs[0]['delta'], second)}"
        key = "p_adjusted" if self["family_wise"] else "p_value"
        p_values = [pair[key] for pair in pairs if key in pair]
        if p_values:
            verdict += f" ({write_equation_of_p(p_values[0])}"
            if self["family_wise"] and len(pairs) > 1:
                verdict += f", adjusted for {len(pairs):,} pairs"
            verdict += ")"
        p_value = p_values[0] if p_values else None
        verdict += f": {_judge(p_value, self['alpha'], self._describe_error())}."
        if len(p_values) > 1:
            found = sum(p_value < self["alpha"] for p_value in p_values)
            verdict += f" Pairs that differ by more than chance: {found:,} of {len(pairs):,}."
        return [verdict]

    def _describe_error(self) -> str:
        error = f"error of {100 * self['alpha']:g}%"
        return f"a family-wise {error}" if self["family_wise"] else f"an {error} per pair"

    def _describe_ranks(self) -> list[str]:
        tested = _describe_test(self, self["pairs"])
        return [*tested, f"ranks at {self._describe_error()}"] if tested else []


def _find_alpha(confidence: float | None) -> float:
    """Return the level of significance that goes with a confidence; 0.05 without one.

    >>> _find_alpha(0.99), _find_alpha(None)
    (0.01, 0.05)
    """
    return round(1 - (confidence or 0.95), 9)


def _compare_scores(delta: float, other: object) -> str:
    """Write by how many points a score is higher or lower than that of another system.

    >>> _compare_scores(-0.022, "A"), _compare_scores(0.0, "A")
    ('2.20 points lower than A', 'the same as A')
    """
    if abs(delta) <= scoring.NOISE:
        return f"the same as {other}"
    points = 100 * abs(delta)
    size = f"{points:.2f}" if points >= 0.005 else "less than 0.01"
    return f"{size} points {'higher' if delta > 0 else 'lower'} than {other}"


def _judge(p_value: float | None, alpha: float, level: str) -> str:
    """Write if a difference is more than chance; `level` is `alpha` in words.

    >>> _judge(0.03, 0.05, "the 5% level"), _judge(0.07, 0.05, "the 5% level")
    ('more than chance at the 5% level', 'may be chance at the 5% level')
    """
    if p_value is None:
        return "may be chance, because it was not tested"
    return f"{'more than' if p_value < alpha else 'may be'} chance at {level}"


def _write_rank(rank: Sequence[int]) -> str:
    return "-".join(map(str, dict.fromkeys(rank)))


def _describe_test(result: report.ResultDict, tested: Iterable[Mapping[str, object]]) -> list[str]:
    """Return the test, its number of resamples and what it resamples.

    The list is empty without a test.
    """
    if not any("p_value" in scores for scores in tested):
        return []
    documents = report.describe_documents(result) + report.describe_shared(result)
    return [f"{ALL_TESTS[result['test']].says}, {result['n_resamples']:,} resamples{documents}"]


def write_p(p_value: float) -> str:
    """Write a p-value, which is never 0.

    >>> write_p(0.0312), write_p(0.00001)
    ('0.0312', '<0.0001')
    """
    return f"{p_value:.4f}" if p_value >= 0.00005 else "<0.0001"


def write_equation_of_p(p_value: float) -> str:
    """Write a p-value in a sentence.

    >>> write_equation_of_p(0.0312), write_equation_of_p(0.00001)
    ('p = 0.0312', 'p < 0.0001')
    """
    written = write_p(p_value)
    return f"p < {written[1:]}" if written.startswith("<") else f"p = {written}"


def _write_points(difference: float) -> str:
    return report.write_difference(100 * difference)


_COLUMNS_OF_PAPERS = ("score", "run_standard_deviation", "confidence_interval", "delta", "p_value")
_SYSTEM_COLUMNS = (
    report.Column("BLEU", "score", "{:.2f}".format),
    report.Column("SD of runs", "run_standard_deviation", report.write_score),
    report.Column("CI", "confidence_interval", report.write_interval),
    report.Column("difference", "delta", _write_points),
    report.Column(
        "CI of difference", "delta_interval", lambda ends: ", ".join(map(_write_points, ends))
    ),
    report.Column("p", "p_value", write_p),
    report.Column("wins", "wins", "{:,}".format),
    report.Column("ties", "ties", "{:,}".format),
    report.Column("losses", "losses", "{:,}".format),
)
