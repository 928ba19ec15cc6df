"""One system: the work of `compute`, on texts and on statistics.

`score` and `score_statistics` are called by `_compute` of the class. A key of a result is made in
`_build_scores`, or in `score` for all groups together; how it looks is in `Result`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar, cast

import numpy as np

from ..options.options import Options
from ..options.signature import Origin, make_signature
from ..results.html import headline, paragraph, wrap, write_table
from ..results.plots import Axes, PlottedScore, plot_precisions, plot_scores
from ..results.report import Column, QuotableReport, Report, list_cells, write_interval
from ..results.wording import (
    ResultDict,
    describe_documents,
    describe_interval,
    describe_score,
    describe_shared,
    find_in_signature,
    fit_terminal,
    name_interval,
    passing,
    shorten,
    write_label,
    write_score,
)
from ..rows.parts import is_stream
from ..rows.statistics import Counted
from ..rows.tables import add_statistics, read_counted
from ..rules.scores import bleu, score_row, warn_if_zero
from ..shared.arrays import Int64, Label
from ..shared.messages import count_things, invalid, show_value, warn_once_per_kind
from ..shared.result_types import CorpusScores, SignedScores, Uncertainty
from ..significance.intervals import (
    Estimate,
    Plan,
    add_estimate,
    describe_intervals,
    list_single_runs,
)
from ..significance.resampling import divide_into_units, list_groups
from ..significance.tests import (
    RANDOMIZATION,
    MacroAverage,
    add_macro_average,
    draw,
    read_macro_average,
    warn_about_intervals,
    warn_about_size,
)

# --- The scores -----------------------------------------------------------------------------------


def score_statistics(
    statistics: Any,
    options: Options,
    *,
    by: object = None,
    documents: object = None,
    like: object = None,
) -> Result:
    """Score statistics in any form that `read_counted` takes, or an iterable of these."""
    if is_stream(statistics):
        if options.segments or options.confidence or (by, documents, like) != (None, None, None):
            statistics = list(statistics)
        else:  # in memory one by one
            statistics = add_statistics(statistics, options, keeps_labels=False)
    given = read_counted(statistics, options, by=by, documents=documents, like=like)
    if given.options.segments or given.options.confidence or by is not None:
        counted = given.counted(has_segments=given.have_segments())
        if given.options.segments and not counted.has_segments:
            raise ValueError(
                "`segments` needs one statistics row per segment, but these rows are sums. Pass the"
                " tables from statistics(), or leave `segments` out (segments=False)."
            )
        if given.options.confidence and not counted.has_segments and counted.documents is None:
            raise ValueError(
                "`confidence` needs one statistics row per segment, but these rows are sums. Pass"
                " the tables from statistics(); or the document of each row, as in"
                " documents='document'; or leave `confidence` out (confidence=None)."
            )
    else:
        counted = Counted(given.total()[np.newaxis], given.origin, has_segments=False)
    return score(counted, given.options, unknown=given.unknown)


def score(counted: Counted, options: Options, unknown: Collection[str] = ()) -> Result:
    """Score counted rows and their groups, and warn of scores of 0.

    Args:
        counted: the rows of segments, or sums.
        options: all options of the call.
        unknown: the names of unknown options.
    """
    rows = [counted.rows]  # of the only system
    if not (options.segments or options.confidence or counted.groups):
        return Result(
            _build_scores(counted.rows, counted.origin, options, counted.segments, unknown=unknown)
        )
    units = divide_into_units(counted, rows)
    plan = Plan(options, list_single_runs(1), RANDOMIZATION)
    with warn_once_per_kind():
        # 1. Score the corpus.
        if options.confidence:
            warn_about_intervals(units, options)
            warn_about_size(units, counted)
        scores = _build_scores(
            counted.rows,
            counted.origin,
            options,
            counted.segments,
            estimate=draw(units, plan).estimate(0) if options.confidence else None,
            documents=units.documents,
            unknown=unknown,
        )
        if not counted.groups:
            return Result(scores)
        # 2. Score each group as its segments alone would be.
        scores_of_groups: dict[Label, CorpusScores] = {}
        average = MacroAverage(counted, plan)
        for group in list_groups(counted, rows):
            sample = draw(group.units, plan)
            average.add(group, sample)
            scores_of_groups[group.label] = _build_scores(
                group.rows[0],
                group.origin,
                options,
                len(group.rows[0]) if counted.has_segments else None,
                f"The score of {show_value(group.label)}",
                estimate=sample.estimate(0),
                documents=group.units.documents,
                unknown=unknown,
            )
            del group, sample  # before the next group is taken
    # 3. Average the groups.
    of_average = average.sample()
    (macro_bleu,) = of_average.scores
    scores["groups"] = scores_of_groups
    uncertainty: Uncertainty = {}
    add_estimate(uncertainty, of_average.estimate(0), options.confidence)
    add_macro_average(scores, {"bleu": macro_bleu, "score": 100 * macro_bleu, **uncertainty})
    if "confidence_interval" in uncertainty and counted.shared_documents:
        scores["shared_documents"] = counted.shared_documents
    return GroupedResult(scores)


def _build_scores(
    rows: Int64,
    origin: Origin,
    options: Options,
    segments: int | None,
    name: str = "The score",
    *,
    estimate: Estimate | None = None,
    documents: int | None = None,
    unknown: Collection[str] = (),
) -> CorpusScores:
    """Build the keys of a result from statistics rows; warn if the score is 0.

    Args:
        rows: int64 [segments, 2 N + 2]; or sums, without scores of segments.
        origin: the tokenizer and the number of references.
        options: all options of the call.
        segments: the number of segments; None if unknown.
        name: the score, for the warning.
        estimate: the score with its interval, with `confidence` only.
        documents: the number of documents that were resampled; None for segments.
        unknown: the names of unknown options.
    """
    total = rows.sum(axis=0)
    scores = cast(CorpusScores, score_row(total, options))
    warn_if_zero(scores["bleu"], total, segments, options, name)
    if options.segments:
        segment_scores = bleu(rows, options.for_segments())
        scores["segment_bleu"] = segment_scores.tolist()
        scores["mean_segment_bleu"] = float(segment_scores.mean())
    resample_counts: dict[str, int] = {}
    if estimate is not None and options.confidence:
        scores["confidence"] = options.confidence
        add_estimate(scores, estimate, options.confidence)
        resample_counts["bs"] = options.n_resamples
        if documents is not None:
            scores["documents"] = documents
            resample_counts["docs"] = documents
    scores["signature"] = make_signature(
        options, origin, resample_counts, unknown, has_segment_scores="segment_bleu" in scores
    )
    return scores


# --- The result of compute ------------------------------------------------------------------------


class Result(QuotableReport):
    """The result of `compute`: a dict that prints as sacreBLEU's, on a line.

    In a notebook it displays as a table.
    """

    _absent: ClassVar = {
        **dict.fromkeys(("segment_bleu", "mean_segment_bleu"), passing("segments=True")),
        **dict.fromkeys(
            ("confidence", "confidence_interval", "bootstrap_mean", "standard_error"),
            f"{passing('confidence=0.95')}; one segment or document can't be resampled",
        ),
        **dict.fromkeys(
            ("documents", "degrees_of_freedom"),
            f"{passing('documents=labels and confidence=0.95')}; one document can't be resampled",
        ),
        **dict.fromkeys(("groups", "macro_bleu", "macro_score"), passing("by=labels")),
        **dict.fromkeys(
            ("macro_confidence_interval", "macro_degrees_of_freedom", "macro_standard_error"),
            f"{passing('by=labels and confidence=0.95')}; a group of one segment or document"
            " can't be resampled",
        ),
        "shared_documents": passing(
            "by=labels, documents=labels that occur in several groups, and confidence=0.95"
        ),
    }

    def __str__(self) -> str:
        if not self.keys() >= SignedScores.__annotations__.keys():  # some were removed
            return repr(self)
        lines = [self._write_line()]
        if find_in_signature(self["signature"], "smooth") == "coco":
            orders = enumerate(map(write_score, self["bleu_by_order"]), 1)
            lines.append(", ".join(f"B@{order} {score}" for order, score in orders))
        return "\n".join(map(fit_terminal, [*lines, self["signature"]]))

    def _write_line(self) -> str:
        """Return the line that sacreBLEU prints of this score."""
        # The digits behind the tenth come from multiplying by 100.
        percentages = [round(100 * precision, 10) for precision in self["precisions"]]
        return (
            f"BLEU = {self['score']:.2f}{self._write_interval()}"
            f" {'/'.join(f'{percentage:.1f}' for percentage in percentages)}"
            f" (BP = {self['brevity_penalty']:.3f} ratio = {self['length_ratio']:.3f}"
            f" hyp_len = {self['translation_length']} ref_len = {self['reference_length']})"
        )

    def _write_interval(self) -> str:
        """Return the interval as in sacreBLEU's line, or in words where sacreBLEU has none."""
        if "confidence_interval" not in self:
            return ""
        if self["confidence"] != 0.95 or "degrees_of_freedom" in self:
            return f" ({describe_interval(self, self['confidence'])})"
        if not self["bootstrap_mean"]:
            return ""
        low, high = self["confidence_interval"]
        return f" (μ = {100 * self['bootstrap_mean']:.2f} ± {50 * (high - low):.2f})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.pretty(shorten(self))

    def _title(self) -> str:
        return ". ".join([f"BLEU {self['score']:.2f}", *self._list_facts()])

    def _sentence(self) -> str:
        return f"BLEU is {describe_score(self, self.get('confidence'))}{describe_shared(self)}"

    def _note(self) -> str:
        return "; ".join([*self._describe_intervals(), super()._note()])

    def _describe_intervals(self) -> list[str]:
        """Return what was resampled."""
        if "documents" not in self:
            return []
        return [f"resampled{describe_documents(self)}{describe_shared(self)}"]

    def _rows(self) -> list[list[str]]:
        rows = [["n-grams", "matches", "total", "precision", "BLEU-n"]]
        for order in self._list_orders():
            *counts, precision, bleu = order.values()
            rows.append([*map("{:,}".format, counts), *map(write_score, (precision, bleu))])
        return rows

    def _records(self) -> list[dict[str, Any]]:
        records = self._list_orders()
        if "confidence_interval" in self:
            uncertainty = {
                key: value for key, value in self.items() if key in Uncertainty.__annotations__
            }
            records.append({"order": "all", "bleu": self["bleu"], **uncertainty})
        scores = enumerate(self.get("segment_bleu", ()))
        return records + [{"segment": segment, "bleu": score} for segment, score in scores]

    def to_html(self) -> str:
        head, *rows = self._rows()
        return wrap(
            headline(self["score"]),
            paragraph(". ".join(self._list_facts())),
            write_table(head, rows),
            paragraph(self._note(), "note"),
        )

    def plot(self, ax: Axes | None = None, kind: str | None = None) -> Axes:
        """Plot precision by order, and return the Axes.

        Args:
            ax: the Axes of matplotlib to draw into; None for a new figure.
            kind: `"precisions"`, or None.
        """
        if kind not in (None, "precisions"):
            raise invalid("kind", kind, "'precisions', or leave it out")
        return plot_precisions(self, ax)

    def _list_orders(self) -> list[dict[str, Any]]:
        """Return the row of each order in the table of a result."""
        names = ("order", "matches", "total", "precision", "bleu")
        columns = (self["counts"], self["totals"], self["precisions"], self["bleu_by_order"])
        return [dict(zip(names, (order, *row))) for order, row in enumerate(zip(*columns), 1)]

    def _list_facts(self) -> list[str]:
        """Describe the interval and the segment scores, if the result has them, and the lengths."""
        facts = []
        if "confidence_interval" in self:
            facts.append(describe_interval(self, self["confidence"]))
        if "segment_bleu" in self:
            scores = self["segment_bleu"]
            lowest, median, highest = map(write_score, np.quantile(scores, [0, 0.5, 1]))
            facts.append(
                f"{count_things(len(scores), 'segment')}:"
                f" lowest {lowest}, median {median}, highest {highest}"
            )
        facts.append(
            f"Brevity penalty {self['brevity_penalty']:.4f}:"
            f" {count_things(self['translation_length'], 'token')}"
            f" against {self['reference_length']:,} in the references"
        )
        return facts


class GroupedResult(Result):
    """The result with `by`: a dict that prints and displays as a table with one row per group."""

    # It displays as the other tables.
    __str__ = Report.__str__
    _repr_pretty_ = Report._repr_pretty_
    to_html = Report.to_html

    def _title(self) -> str:
        return (
            f"BLEU {self['score']:.2f} as the micro-average and {self['macro_score']:.2f}"
            f" as the macro-average of {count_things(len(self['groups']), 'group')}"
        )

    def _rows(self) -> list[list[str]]:
        """Return a row per group, then the averages; tokenizers are listed only if they differ."""
        columns = [*_GROUP_COLUMNS]
        if find_in_signature(self["signature"], "tok") == "var":
            columns.append(
                Column("tokenizer", "signature", lambda signed: find_in_signature(signed, "tok"))
            )
        rows = list_cells("group", self._list_scores(), columns, self.get("confidence"))
        rows.insert(-2, [])  # a rule above the averages
        return rows

    def plot(self, ax: Axes | None = None, kind: str | None = None) -> Axes:
        """Plot the scores of the groups and the averages with their intervals; return the Axes.

        The micro-average is a line.

        Args:
            ax: the Axes of matplotlib to draw into; None for a new figure.
            kind: None for the groups, `"precisions"` for precision by order.
        """
        if kind is not None:
            return super().plot(ax, kind)
        rows = [
            PlottedScore(
                name, scores["score"], [100 * end for end in scores.get("confidence_interval", ())]
            )
            for name, scores in self._list_scores()
        ]
        return plot_scores(rows, self["score"], name_interval(self.get("confidence")), ax)

    def _list_scores(self) -> list[tuple[str, ResultDict]]:
        """Return the groups, then the averages, by their names."""
        averages: dict[str, ResultDict] = {
            "micro-average": self,
            "macro-average": read_macro_average(self),
        }
        groups = [(write_label(label, averages), group) for label, group in self["groups"].items()]
        return [*groups, *averages.items()]

    def _describe_intervals(self) -> list[str]:
        """Return what was resampled, and which kinds the intervals of the table are."""
        level = name_interval(self.get("confidence"))
        kinds = {
            level: describe_intervals([*self["groups"].values(), self]),
            f"{level} of the macro-average": describe_intervals([read_macro_average(self)]),
        }
        described = [f"{name}: {kind}" for name, kind in kinds.items() if kind]
        return super()._describe_intervals() + described

    def _records(self) -> list[dict[str, Any]]:
        lists = ("precisions", "counts", "totals", "bleu_by_order", "segment_bleu")
        records = []
        for label, group in self["groups"].items():
            numbers = {name: value for name, value in group.items() if name not in lists}
            records.append({"group": label, **numbers})
        return records

    def _sentence(self) -> str:
        return (
            f"{super()._sentence()}; the macro-average of"
            f" {count_things(len(self['groups']), 'group')} is {self['macro_score']:.2f}"
        )


_GROUP_COLUMNS = (
    Column("BLEU", "score", "{:.2f}".format),
    Column("CI", "confidence_interval", write_interval),
    Column("brevity penalty", "brevity_penalty", "{:.4f}".format),
    Column("tokens", "translation_length", "{:,}".format),
)
