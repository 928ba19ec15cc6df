"""All pairs of systems: `rank`, and its result.

`rank_systems` is called by the class. A column of the printed table is a `Column` in
`_RANK_COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..options.options import Options, check_flag
from ..results.report import Column, QuotableReport, list_cells, write_interval
from ..results.wording import (
    WAYS_TO_SETTINGS,
    compare_scores,
    describe_score,
    describe_test,
    judge,
    name_interval,
    write_equation_of_p,
)
from ..rules.scores import bleu
from ..shared.arrays import to_python
from ..shared.messages import invalid
from ..shared.result_types import Pair, RankedSystem
from ..significance.intervals import Plan, add_estimate, describe_intervals, list_single_runs
from ..significance.resampling import divide_into_units
from ..significance.tests import (
    RANDOMIZATION,
    adjust_holm,
    draw,
    exchange_all_pairs,
    fewest_trials,
    warn_about_exchanges,
    warn_about_intervals,
    warn_about_size,
    warn_about_trials,
)
from ..text.systems import check_single_runs, read_systems
from .compared import (
    check_systems,
    count_systems,
    list_settings,
)

_MAX_TRIALS = 100_000  # of `rank` by default: a minute for 60 systems of 2,000 segments


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
