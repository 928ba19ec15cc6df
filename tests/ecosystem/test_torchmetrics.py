"""torchmetrics beside this metric: the lines for it in the table of docs/other-tools.md."""

import pytest

pytest.importorskip("torchmetrics")

from pages import rows_of_the_example, same_numbers
from recipes import recipe
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


def test_the_wrapper(bleu, capsys):
    """The recipe: states are added up, as over devices, to the score of all segments."""
    code, shown = recipe("torchmetrics")
    exec(compile(code, "docs/training.md", "exec"), namespace := {})
    assert capsys.readouterr().out == shown
    first, second = (namespace["Bleu"](lowercase=True) for _ in range(2))
    first.update(["The cat sat on the mat"], [["the cat sat on a mat", "a cat"]])
    second.update(["a dog barks at me", "it rains"], ["a dog barked at me", "it rained"])
    first.merge_state(second)
    expected = bleu.compute(
        predictions=["The cat sat on the mat", "a dog barks at me", "it rains"],
        references=[["the cat sat on a mat", "a cat"], ["a dog barked at me"], ["it rained"]],
        lowercase=True,
    )
    assert float(first.compute()) == pytest.approx(expected["score"], abs=1e-5)
    first.reset()
    assert first.rows.tolist() == [0] * 10
