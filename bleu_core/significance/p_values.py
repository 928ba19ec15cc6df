"""p-values from resampled differences, and their adjustment for several comparisons.

Called by the tests in `tests.py`, and by `rank`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..rules.scoring import NOISE
from ..shared.arrays import Float64
from .resampling import randomization_differences
from .units import Units

if TYPE_CHECKING:
    from .tests import Plan


def permutation_p_value(differences: Float64, observed: float) -> float:
    """Return (c + 1) / (n + 1), where c of the n differences are at least the observed one.

    Adding 1 to both keeps the rate of false alarms at the level for any number of trials (Noreen,
    1989). Ties count, so that identical systems get 1.

    >>> permutation_p_value(np.array([0.1, 0.2, 0.3, 0.4]), 0.3)
    0.6
    """
    return float((np.sum(differences >= observed - NOISE) + 1) / (len(differences) + 1))


def center(differences: Float64) -> Float64:
    """Return the absolute deviations of resampled differences from their mean.

    Under the null hypothesis, deviations and observed difference have the same distribution, so
    that `permutation_p_value` of absolute deviations is two-sided.
    """
    return np.abs(differences - differences.mean(axis=0))


def center_as_sacrebleu(differences: Float64) -> Float64:
    """Return absolute differences minus their mean, as sacreBLEU computes them.

    Riezler and Maxwell (2005) describe the test. If one system is better in most resamples, the
    test is one-sided in effect: at the 5% level, `permutation_p_value` rejects a true null
    hypothesis in 11% to 13% of cases, with 30 segments or more.
    """
    return np.abs(differences) - np.abs(differences).mean(axis=0)


def adjust_holm(p_values: Float64) -> Float64:
    """Return p-values that control the family-wise error of all pairs, by Holm's procedure (1979).

    >>> adjust_holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    return np.minimum(np.maximum.accumulate(p_values[order] * factors), 1)[np.argsort(order)]


def fewest_trials(alpha: float, pairs: int) -> int:
    """Return the fewest trials that allow for a p-value below `alpha` after Holm's procedure.

    The procedure multiplies the smallest p-value by the number of pairs.

    >>> fewest_trials(0.05, pairs=3)  # 3 / 61 is below 0.05
    60
    """
    return int(round(pairs / alpha, 9))  # 21 / 0.07 is 299.99999999999994


def exchange_all_pairs(units: Units, deltas: Float64, plan: Plan) -> Float64:
    """Return the p-value of each pair; exceedances are counted block by block, in little memory."""
    exceeding = np.zeros(len(deltas))
    for block in randomization_differences(
        units.rows, plan.options, plan.trials, baselines=len(units.rows)
    ):
        exceeding += (np.abs(block) >= np.abs(deltas) - NOISE).sum(axis=0)
    return (exceeding + 1) / (plan.trials + 1)
