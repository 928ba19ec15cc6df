"""p-values of all pairs, adjusted by Holm's procedure: the definition by loops."""

import numpy as np
import pytest
from bleu.bleu_core.significance import p_values as p_values_file

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# p-values and Holm's adjusted ones, worked out by hand; ties stay ties.
HOLM = [
    ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
    ([0.5], [0.5]),
    ([0.5, 0.6, 0.7], [1, 1, 1]),
    ([0.02, 0.02, 0.02], [0.06, 0.06, 0.06]),
    ([0.9, 0.001], [0.9, 0.002]),
]


@pytest.mark.parametrize(("p_values", "expected"), HOLM, ids=str)
def test_holms_procedure(p_values, expected):
    adjusted = p_values_file.adjust_holm(np.array(p_values))
    assert adjusted == pytest.approx(expected, abs=1e-15)
    # As published: from the smallest p on, reject while p < alpha / (remaining hypotheses).
    for alpha in (0.05, 0.055, 0.1):
        rejected, order = set(), sorted(range(len(p_values)), key=lambda k: p_values[k])
        for step, k in enumerate(order):
            if p_values[k] >= alpha / (len(order) - step):
                break
            rejected.add(k)
        assert set(np.flatnonzero(adjusted < alpha)) == rejected
