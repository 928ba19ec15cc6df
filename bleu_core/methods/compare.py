"""Systems against each other: `compare` with a baseline, `rank` in all pairs, and their results.

`compare_systems` and `rank_systems` are called by the class. A column of a printed table is a
`Column` in `_SYSTEM_COLUMNS` or `_RANK_COLUMNS`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..options.options import Options, check_flag
from ..results.html import draw_interval, write_table
from ..results.plots import Axes, PlottedScore, plot_scores
from ..results.report import Column, QuotableReport, list_cells, write_interval
from ..results.wording import (
    WAYS_TO_SETTINGS,
    ResultDict,
    compare_scores,
    describe_runs,
    describe_score,
    describe_test,
    find_alpha,
    find_in_signature,
    judge,
    name_interval,
    passing,
    write_equation_of_p,
    write_label,
    write_p,
    write_points,
    write_score,
)
from ..rules.scores import bleu
from ..shared.arrays import SystemName, to_python
from ..shared.messages import Notice, count_things, invalid, show_system, warn
from ..shared.result_types import Pair, RankedSystem, SystemScores
from ..significance.intervals import (
    Plan,
    add_estimate,
    describe_intervals,
    import_scipy,
    list_single_runs,
)
from ..significance.resampling import divide_into_units
from ..significance.tests import (
    ALL_TESTS,
    RANDOMIZATION,
    adjust_holm,
    draw,
    exchange_all_pairs,
    fewest_trials,
    read_macro_average,
    warn_about_errors,
    warn_about_exchanges,
    warn_about_intervals,
    warn_about_size,
    warn_about_trials,
)
from ..text.systems import check_single_runs, find_name, list_runs, read_systems
from .compared import (
    add_groups,
    arrange_runs,
    check_systems,
    choose_test,
    count_systems,
    list_settings,
    score_and_test,
)

_MAX_TRIALS = 100_000  # of `rank` by default: a minute for 60 systems of 2,000 segments

# --- compare --------------------------------------------------------------------------------------


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
    chosen = choose_test(test, data_of)
    trials = check_systems(given, n_resamples, options, chosen, chosen.n_resamples)
    if options.confidence or chosen.compares_runs:
        import_scipy()  # raises before the counting if it is missing
    baseline = next(iter(given)) if baseline is None else find_name("baseline", baseline, given)
    # 2. Count; rows have an array per run, those of the baseline first.
    counted = count_systems(data_of, references, options, by=by, documents=documents, like=like)
    names = [baseline, *(name for name in given if name != baseline)]
    arranged = arrange_runs(data_of, names)
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
    warn_about_size(units, shared)
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
        warn_about_errors(trials)
    elif units.can_resample:
        warn_about_trials(trials, find_alpha(options.confidence))
        warn_about_intervals(units, plan.options, " to evaluate.load()")
    # 4. Score and test, in all and per group.
    scores = score_and_test(rows, draw(units, plan), arranged, plan)
    if shared.groups:
        add_groups(scores, shared, rows, arranged, plan)
    # 5. Put the result together, systems in the order of the caller.
    scores_of = dict(zip(names, scores))
    comparison = Comparison(baseline=baseline, systems={name: scores_of[name] for name in given})
    comparison |= list_settings(
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


class Comparison(QuotableReport):
    """The result of `compare`: a dict that displays as a table.

    >>> system = {"bleu": 0.5, "score": 50.0, "confidence_interval": [0.4, 0.6]}
    >>> made = {"test": "bootstrap", "n_resamples": 1000, "signature": "nrefs:1"}
    >>> print(Comparison(baseline="A", systems={"A": system}, **made))
    system         BLEU            CI
    A (baseline)  50.00  40.00, 60.00
    <BLANKLINE>
    CI: percentile bootstrap; nrefs:1
    """

    _absent: ClassVar = {
        **WAYS_TO_SETTINGS,
        "shared_documents": passing("by=labels and documents=labels that occur in several groups"),
    }

    def _finish_restored(self) -> None:
        if self["baseline"] not in self["systems"]:  # JSON writes a number as a key, but as it is
            (self["baseline"],) = json.loads(json.dumps({self["baseline"]: None}))
        super()._finish_restored()

    def _rows(self) -> list[list[str]]:
        """Return one row per system, followed by one per group and one for the macro-average."""
        return list_cells("system", self._list_scores(), _SYSTEM_COLUMNS, self.get("confidence"))

    def to_latex(self, columns: Sequence[str] | None = None) -> str:
        """Return the table in LaTeX, for the package `booktabs`, with a caption and a label.

        A dagger marks differences that are more than chance.

        Args:
            columns: the heads of columns or the keys of their values, in order; None for the
                score, its interval, the difference and p. Names are always there.

        Raises:
            ValueError: the table has no such column.
        """
        level = name_interval(self.get("confidence"))
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
        for row, (_, scores) in zip(rows, self._list_scores()):
            if scores.get("p_value", 1.0) < find_alpha(self.get("confidence")):
                row[0] += "†"
        return [head, *rows]

    def _caption(self) -> str:
        """Return the caption of the table in LaTeX."""
        facts = [f"BLEU, and differences from {self['baseline']}"]
        for tested in describe_test(self, self["systems"].values()):
            level = f"{100 * find_alpha(self.get('confidence')):g}% level"
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
        facts = [*describe_test(self, systems), *self._describe_intervals()]
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
        facts = [compare_scores(system["delta"], self["baseline"])]
        if "delta_interval" in system:
            low, high = map(write_points, system["delta_interval"])
            facts.append(
                f"{name_interval(self.get('confidence'))} of the difference {low} to {high}"
            )
        if "p_value" in system:
            facts[-1] += f" ({write_equation_of_p(system['p_value'])})"
        alpha = find_alpha(self.get("confidence"))
        verdict = judge(system.get("p_value"), alpha, f"the {100 * alpha:g}% level")
        return f"{', '.join(facts)}: {verdict}"

    def _describe_intervals(self) -> list[str]:
        """Say which kinds the intervals of the table are."""
        scores = [scores for _, scores in self._list_scores()]
        level = name_interval(self.get("confidence"))
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
        if not test.compares_runs or not find_in_signature(self["signature"], test.key):
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
            scored = f"{name} scores {describe_score(system, self.get('confidence'))}"
            sentences.append(
                f"the baseline {scored}"
                if name == self["baseline"]
                else f"{scored}, {self._describe_difference(system)}"
            )
        sentences[0] = f"In BLEU, {sentences[0]}"
        return "; ".join([*sentences, *describe_test(self, systems.values())])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the scores and the intervals of the differences, and return the Axes.

        The score of the baseline is a line. If an interval does not reach the line, the system
        differs, even where intervals of scores overlap. Training runs are hollow dots.

        Args:
            ax: the Axes of matplotlib to draw into; None for a new figure.
        """
        line = self["systems"][self["baseline"]]["score"]
        rows = [
            PlottedScore(
                f"{name} (baseline)" if name == self["baseline"] else str(name),
                system["score"],
                [line + 100 * end for end in system.get("delta_interval", ())],
                [run["score"] for run in system.get("runs", {}).values()],
            )
            for name, system in self["systems"].items()
        ]
        return plot_scores(rows, line, "the interval of the difference from the baseline", ax)

    def _html_table(self) -> str:
        """Return the table, with the intervals drawn in an additional column."""
        head, *rows = self._rows()
        ends: list[float] = []
        for system in self["systems"].values():
            ends += system.get("confidence_interval", ())
        if ends:
            scale = min(ends), max(ends)
            head.append("")
            for row, (_, scores) in zip(rows, self._list_scores()):
                drawn = ""
                if "confidence_interval" in scores:
                    low, high = scores["confidence_interval"]
                    drawn = draw_interval(low, scores["bleu"], high, scale)
                row.append(drawn)
        for row in rows:
            if row[0].startswith("  "):  # a group: HTML drops the spaces that indent it
                row[0] = row[0].replace("  ", "\u00a0\u00a0", 1)
        return write_table(head, rows)

    def _list_scores(self) -> list[tuple[str, ResultDict]]:
        """Return the rows of the table: the first cell of each, and its numbers by key."""
        rows: list[tuple[str, ResultDict]] = []
        for name, system in self["systems"].items():
            remarks = []
            if name == self["baseline"]:
                remarks.append("baseline")
            if _count_runs(system) > 1:
                remarks.append(describe_runs(system))
            shown = f"{name} ({', '.join(remarks)})" if remarks else str(name)
            rows.append((shown, system))
            rows += [
                (f"  {write_label(label, ['macro-average'])}", group)
                for label, group in system.get("groups", {}).items()
            ]
            if "groups" in system:
                macro = {"score": 100 * system["macro_bleu"], **read_macro_average(system)}
                rows.append(("  macro-average", macro))
        return rows


def _count_runs(system: SystemScores) -> int:
    """Return the number of training runs of a system; 1 if it is not a dict of runs."""
    return len(system.get("runs", {})) or 1


_COLUMNS_OF_PAPERS = ("score", "run_standard_deviation", "confidence_interval", "delta", "p_value")
_SYSTEM_COLUMNS = (
    Column("BLEU", "score", "{:.2f}".format),
    Column("SD of runs", "run_standard_deviation", write_score),
    Column("CI", "confidence_interval", write_interval),
    Column("difference", "delta", write_points),
    Column("CI of difference", "delta_interval", lambda ends: ", ".join(map(write_points, ends))),
    Column("p", "p_value", write_p),
    Column("wins", "wins", "{:,}".format),
    Column("ties", "ties", "{:,}".format),
    Column("losses", "losses", "{:,}".format),
)


# --- rank -----------------------------------------------------------------------------------------


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
        default = min(max(default, 2 * fewest_trials(alpha, factor)), _MAX_TRIALS)
    trials = check_systems(data_of, n_resamples, options, RANDOMIZATION, default)
    # 2. Count, and sort by score, best first; systems of equal score keep their order.
    counted = count_systems(
        data_of, references, options, documents=documents, like=like, keep_segments=False
    )
    plan = Plan(counted.options, list_single_runs(len(data_of)), RANDOMIZATION, trials)
    shared = next(iter(counted.systems.values()))  # all systems have the same documents
    units = divide_into_units(shared, [system.rows for system in counted.systems.values()])
    scores = bleu(units.totals, plan.options)
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
    warn_about_size(units, shared)
    if units.can_resample:
        warn_about_trials(trials, alpha, factor)
        warn_about_exchanges(units, alpha, factor)
        warn_about_intervals(units, plan.options, " to evaluate.load()")
        p_values = exchange_all_pairs(units, deltas, plan)
        adjusted = adjust_holm(p_values)
        for pair, p_value, p_adjusted in zip(pairs, p_values.tolist(), adjusted.tolist()):
            pair["p_value"] = p_value
            pair["p_adjusted"] = p_adjusted
        significant[better, worse] = (adjusted if family_wise else p_values) < alpha
    # 4. Rank. A system is behind those that are significantly better, and before those that are
    #    significantly worse. A cluster ends, by WMT's rule, where every pair across the cut is
    #    significant.
    sample = draw(units, plan._replace(trials=0))
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
    ranking |= list_settings(shared, units, plan, counted.unknown)
    return ranking


class Ranking(QuotableReport):
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
    _absent = WAYS_TO_SETTINGS

    def _rows(self) -> list[list[str]]:
        ranked = [(_write_rank(system["rank_range"]), system) for system in self["ranking"]]
        rows = list_cells("rank", ranked, _RANK_COLUMNS, self.get("confidence"))
        for number in range(len(ranked) - 1, 0, -1):  # from below, because rules move rows
            if self["ranking"][number]["cluster"] != self["ranking"][number - 1]["cluster"]:
                rows.insert(number + 1, [])  # a rule; the head is row 0
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
            facts.append(f"{name_interval(self.get('confidence'))}: {kind}")
        return "; ".join([*facts, self["signature"]])

    def _caption(self) -> str:
        """Return the caption of the table in LaTeX."""
        ranks = "; ".join(self._describe_ranks())
        caption = f"Systems ranked by BLEU ({ranks})" if ranks else "Systems by BLEU"
        return f"{caption}. Signature: {self['signature']}"

    def _sentence(self) -> str:
        ranked = [
            f"{_write_rank(system['rank_range'])}. {system['system']}"
            f" {describe_score(system, self.get('confidence'))}"
            for system in self["ranking"]
        ]
        (verdict,) = self._verdicts()
        return "; ".join(
            [
                f"Ranked by BLEU: {', '.join(ranked)}",
                verdict.rstrip("."),
                *self._describe_ranks(),
            ]
        )

    def _verdicts(self) -> list[str]:
        """Compare the best two systems, and count the pairs that differ by more than chance."""
        pairs = self["pairs"]
        best, second = pairs[0]["systems"]
        verdict = f"{best} scores {compare_scores(pairs[0]['delta'], second)}"
        key = "p_adjusted" if self["family_wise"] else "p_value"
        p_values = [pair[key] for pair in pairs if key in pair]
        if p_values:
            verdict += f" ({write_equation_of_p(p_values[0])}"
            if self["family_wise"] and len(pairs) > 1:
                verdict += f", adjusted for {len(pairs):,} pairs"
            verdict += ")"
        p_value = p_values[0] if p_values else None
        verdict += f": {judge(p_value, self['alpha'], self._describe_error())}."
        if len(p_values) > 1:
            found = sum(p_value < self["alpha"] for p_value in p_values)
            verdict += f" Pairs that differ by more than chance: {found:,} of {len(pairs):,}."
        return [verdict]

    def _describe_error(self) -> str:
        error = f"error of {100 * self['alpha']:g}%"
        return f"a family-wise {error}" if self["family_wise"] else f"an {error} per pair"

    def _describe_ranks(self) -> list[str]:
        tested = describe_test(self, self["pairs"])
        return [*tested, f"ranks at {self._describe_error()}"] if tested else []


_RANK_COLUMNS = (
    Column("system", "system", str),
    Column("BLEU", "score", "{:.2f}".format),
    Column("CI", "confidence_interval", write_interval),
)


def _write_rank(rank: Sequence[int]) -> str:
    return "-".join(map(str, dict.fromkeys(rank)))
