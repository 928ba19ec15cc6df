"""Training runs with scipy's Student's t: the recipes, the result and the plot."""

import numpy as np
import pytest

stats = pytest.importorskip("scipy.stats")

from helpers import StudentsT
from recipes import blocks, recipe
from test_significance import RUN_REFERENCES, RUNS

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("degrees_of_freedom", [1.0, 1.2, 2.3, 4.0, 30.5, 1_000.0])
def test_students_t_of_the_unit_tests(degrees_of_freedom):
    """Where scipy is missing, the unit tests integrate numerically."""
    for q in (0.8, 0.975, 0.9999):
        expected = stats.t.ppf(q, degrees_of_freedom)
        assert StudentsT.ppf(q, degrees_of_freedom) == pytest.approx(expected, rel=1e-9)
        assert StudentsT.sf(expected, degrees_of_freedom) == pytest.approx(1 - q, rel=1e-9)


def test_p_value_and_interval_are_scipys(bleu):
    new = bleu.compare(RUNS, RUN_REFERENCES)["systems"]["new"]
    t = stats.t(new["degrees_of_freedom"], new["delta"], new["delta_standard_error"])
    assert new["delta_interval"] == pytest.approx(t.interval(0.95), rel=1e-9)
    assert new["p_value"] == pytest.approx(2 * min(t.cdf(0), t.sf(0)), rel=1e-9)


def test_the_recipe(capsys):
    """Both blocks of the recipe print what it shows."""
    shown = [
        (code, expected)
        for needs, code, expected in blocks("docs/recipes.md")
        if needs == ["scipy"]
    ]
    assert [code for code, _ in shown] == recipe("Several training runs")[::2]
    namespace: dict = {}
    for code, expected in shown:
        capsys.readouterr()
        exec(compile(code, "docs/recipes.md", "exec"), namespace)
        assert capsys.readouterr().out == expected


def test_a_dot_per_run(bleu):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    systems = {**RUNS, "one": RUNS["base"]["seed 0"]}
    comparison = bleu.compare(systems, RUN_REFERENCES)
    ax = comparison.plot()
    dots = [line for line in ax.lines if line.get_markerfacecolor() == "none"]
    rows = [row for row, name in enumerate(systems) if name in RUNS]
    assert [set(np.floor(line.get_ydata())) for line in dots] == [{row} for row in rows]
    assert [line.get_xdata().tolist() for line in dots] == [
        [run["score"] for run in comparison["systems"][name]["runs"].values()] for name in RUNS
    ]
    assert ax.get_xlabel().endswith("\nhollow: training runs")
    matplotlib.pyplot.close(ax.figure)
