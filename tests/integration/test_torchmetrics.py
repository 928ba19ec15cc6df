"""torchmetrics beside this metric: the lines for it in the table of docs/conventions.md."""

import pytest

pytest.importorskip("torchmetrics")

from test_docs import rows_of_the_example, same_numbers
from torchmetrics.text import BLEUScore, SacreBLEUScore

pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_same_number_as_there():
    """torchmetrics computes in 32 bits."""
    names = rows_of_the_example() | {"BLEUScore": BLEUScore, "SacreBLEUScore": SacreBLEUScore}
    calls = same_numbers("torchmetrics")
    assert len(calls) == 2
    for there, here in calls:
        expected = float(eval(there, names))
        assert 0 < expected == pytest.approx(eval(here, names), abs=1e-6), there
