"""Warnings about too few units or resamples for what was asked.

Called by the methods before they draw. A threshold is stated in the sentence that names it.
"""

from __future__ import annotations

import math

from ..options.options import Options
from ..rows.statistics import Counted
from ..shared.messages import Notice, count_things, warn
from .resampling import Units, count_units_of_groups
from .tests import fewest_trials

_MIN_UNITS = 30  # segments or documents, for intervals and tests

_FEWEST_RESAMPLES_FOR_ERRORS = 100  # the relative error of a standard error is then 7%

_FEW_UNITS = Notice(
    "few {unit}s",
    "Intervals and tests of {units} are unreliable: in simulations with segments,"
    " a 95% interval covered the true score in 81% of cases with 5 segments, and in 90% with 10",
    ". Use {limit} {unit}s or more",
)
_FEW_DOCUMENTS = Notice(
    "few {unit}s",
    "Intervals and tests of {units} are unreliable if a system fails on single documents: in"
    " simulations of a failure on one document of 40, a 95% interval covered the true score in 72%"
    " of cases with 10 documents",
    ". Use {limit} {unit}s or more",
)


def warn_about_size(units: Units, counted: Counted) -> None:
    """Warn that a test set, or one of its groups, is too small for intervals and tests."""
    size = units.size
    unit = units.noun
    few_units = _FEW_DOCUMENTS if units.documents else _FEW_UNITS
    groups = count_units_of_groups(counted)
    few = sum(group < _MIN_UNITS for group in groups)
    single = groups.count(1)
    if single:
        shown = f"{count_things(single, 'group')} {'has' if single == 1 else 'have'}"
        without = f"neither {'it' if single == 1 else 'they'} nor the macro-average gets"
        if counted.shared_documents:  # the macro-average draws from all documents
            without = "it does not get" if single == 1 else "they do not get"
        warn(
            Notice(
                "small groups",
                "{groups} a single {unit}, so {without} an interval or p-value",
                ". Pass more {unit}s per group",
            ),
            groups=shown,
            unit=unit,
            without=without,
        )
    elif few and size >= _MIN_UNITS:
        shown = count_things(len(groups), "group")
        warn(
            Notice(
                "small groups",
                "{few} of {groups} with fewer than {limit} {unit}s: their intervals and tests are"
                " unreliable",
                ". Use {limit} {unit}s or more per group",
            ),
            few=few,
            groups=shown,
            unit=unit,
            limit=_MIN_UNITS,
        )
    if size == 1:
        warn(
            Notice(
                "few {unit}s",
                "One {unit} has no interval and no p-value, because every resample equals it",
                ". Pass more {unit}s",
            ),
            unit=unit,
        )
    elif size < _MIN_UNITS:
        warn(few_units, units=f"{size} {unit}s", unit=unit, limit=_MIN_UNITS)
    elif units.effective_size < _MIN_UNITS:
        weight = f"{size:,} {unit}s that weigh as much as {units.effective_size:.0f} of equal size"
        warn(few_units, units=weight, unit=unit, limit=_MIN_UNITS)


def warn_about_trials(trials: int, alpha: float = 0.05, pairs: int = 1) -> None:
    """Warn that trials are too few for any p-value below `alpha`, after Holm's procedure."""
    enough = fewest_trials(alpha, pairs)
    if trials < enough:
        warn(
            Notice(
                "few resamples",
                "n_resamples={n_resamples}: too few for a p-value below {limit}",
                ". Pass n_resamples={enough} or more",
                option="n_resamples",
            ),
            n_resamples=trials,
            limit=_describe_level(alpha, pairs),
            enough=enough,
        )


def warn_about_exchanges(units: Units, alpha: float, pairs: int) -> None:
    """Warn that units are too few for any p-value below `alpha`, however many trials there are.

    Of the 2^n exchanges of n units, two make the largest difference: none, and all.

    Args:
        units: the segments or documents that are exchanged.
        alpha: the level of significance.
        pairs: the number of pairs, by which Holm's procedure multiplies the smallest p-value.
    """
    if math.ldexp(2 * pairs, -units.size) >= alpha:  # the smallest p-value
        warn(
            Notice(
                "few exchanges",
                "{units} can be exchanged in {exchanges} ways: too few for a p-value below {limit}",
                ". Pass {enough} or more",
            ),
            units=count_things(units.size, units.noun),
            exchanges=f"{2**units.size:,}",
            limit=_describe_level(alpha, pairs),
            enough=count_things(math.floor(math.log2(2 * pairs / alpha)) + 1, units.noun),
        )


def _describe_level(alpha: float, pairs: int) -> str:
    return f"{alpha}, with Holm's adjustment of {pairs:,} pairs" if pairs > 1 else str(alpha)


def warn_about_intervals(units: Units, options: Options, place: str = "") -> None:
    """Warn that resamples are too few for the intervals of scores.

    Args:
        units: segments have percentile intervals, documents those of Student's t.
        options: supplies `confidence` and `n_resamples`.
        place: where to pass `n_resamples`, as the end of the advice.
    """
    if not options.confidence:
        return
    if units.documents:
        warn_about_errors(options.n_resamples, place)
        return
    outside = (1 - options.confidence) / 2
    if round(options.n_resamples * outside, 9) < 1:
        warn(
            Notice(
                "extremes",
                "confidence={confidence}: with n_resamples={n_resamples},"
                " the interval is from the lowest to the highest resampled score",
                ". Pass n_resamples={enough} or more{place}",
                option="n_resamples",
            ),
            confidence=options.confidence,
            n_resamples=options.n_resamples,
            enough=math.ceil(round(1 / outside, 9)),
            place=place,
        )


def warn_about_errors(n_resamples: int, place: str = "") -> None:
    """Warn that resamples are too few for a standard error, which Student's t takes as known."""
    if n_resamples < _FEWEST_RESAMPLES_FOR_ERRORS:
        warn(
            Notice(
                "few resamples",
                "n_resamples={n_resamples}: too few for standard errors, which intervals of"
                " Student's t need",
                ". Pass n_resamples={enough} or more{place}",
                option="n_resamples",
            ),
            n_resamples=n_resamples,
            enough=_FEWEST_RESAMPLES_FOR_ERRORS,
            place=place,
        )
