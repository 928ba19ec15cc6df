"""Plots: that their bars, points and labels are the numbers of the result."""

import subprocess
import sys

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import matplotlib.pyplot as plt
from bleu.bleu_core.results.plots import FormulaStep, plot_steps
from helpers import ROOT
from recipes import recipe
from test_report import MAKE, PREDICTIONS, REFERENCES
from test_tests import RUN_REFERENCES, RUNS

PLOTTED = [name for name in MAKE if name not in ("rank", "diff", "self_bleu")]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(autouse=True)
def _figures_are_closed():
    yield
    plt.close("all")


def heights(ax):
    return {bars.get_label(): [bar.get_height() for bar in bars] for bars in ax.containers}


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


@pytest.mark.parametrize("name", PLOTTED)
def test_into_axes_or_a_figure_of_its_own(bleu, name, tmp_path):
    result = MAKE[name](bleu)
    _, ax = plt.subplots()
    assert result.plot(ax) is ax
    assert result.plot(ax=ax) is ax
    own = result.plot()
    assert own is not ax
    assert not own.spines["top"].get_visible()
    own.figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000


def contrast(color, page):
    """Return the contrast of two colors as WCAG 2.2 defines it, from 1 to 21."""
    channels = np.array([matplotlib.colors.to_rgb(color), matplotlib.colors.to_rgb(page)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    dark, light = sorted(linear @ (0.2126, 0.7152, 0.0722) + 0.05)
    return light / dark


def test_contrast():
    assert contrast("black", "white") == contrast("white", "black") == pytest.approx(21)
    assert contrast("#777777", "white") == pytest.approx(4.48, abs=0.005)


PAGES = [
    ("#ffffff", 4.5),
    ("#000000", 4.5),
    ("#111111", 4.1),
]  # a background, and the least contrast of text on it


@pytest.mark.parametrize("name", PLOTTED)
@pytest.mark.parametrize(("page", "of_text"), PAGES)
def test_a_figure_of_its_own_fits_light_and_dark_pages(bleu, name, page, of_text, tmp_path):
    """Its background is transparent. WCAG asks for a contrast of 4.5 for text and 3 for lines and bars.

    No gray has 4.5 both on white and on #111111, the background of JupyterLab's dark theme.
    """
    ax = MAKE[name](bleu).plot()
    ax.figure.savefig(tmp_path / "plot.png")
    corner, inside = plt.imread(tmp_path / "plot.png")[[0, 60], [0, -60], 3]
    assert (corner, inside) == (0, 0)
    texts = [text for text in ax.figure.findobj(matplotlib.text.Text) if text.get_text()]
    assert len(texts) > 3
    assert min(contrast(text.get_color(), page) for text in texts) > of_text
    bars = [
        color
        for bar in ax.patches
        for color in (bar.get_edgecolor(), bar.get_facecolor())
        if color[3]
    ]
    lines = [line.get_color() for line in ax.lines] + [
        spine.get_edgecolor() for spine in ax.spines.values()
    ]
    assert min(contrast(color, page) for color in bars + lines) > 3


def test_axes_and_styles_keep_their_colors(bleu):
    """Gray on a transparent background is only the default."""
    explanation = bleu.explain("a a b c x", ["a b c y"])
    given = explanation.plot(plt.subplots()[1])
    assert (given.yaxis.label.get_color(), given.get_facecolor()) == ("black", (1, 1, 1, 1))
    with plt.style.context("dark_background"):
        own = explanation.plot()
    assert own.figure.patch.get_visible()
    texts = [own.yaxis.label, *own.texts, *own.get_legend().get_texts()]
    assert {matplotlib.colors.to_hex(text.get_color()) for text in texts} == {"#ffffff"}


class TestPrecisions:
    def test_before_and_after_clipping(self, bleu):
        """The paper's second example: seven unigrams of seven, of which two count."""
        result = bleu.explain(
            "the the the the the the the", ["the cat is on the mat"], smooth_method="none"
        )
        ax = result.plot()
        assert heights(ax)["before clipping"] == pytest.approx([100, 0, 0, 0])
        assert heights(ax)["after clipping"] == pytest.approx([200 / 7, 0, 0, 0])
        assert [text.get_text() for text in ax.get_legend().get_texts()] == [
            "before clipping",
            "after clipping",
        ]
        assert labels(ax.xaxis) == ["1-gram", "2-gram", "3-gram", "4-gram"]
        assert ax.get_ylabel() == "precision (%)"
        assert {"100.0", "28.6"} <= {text.get_text() for text in ax.texts}

    def test_smoothed_only_where_it_differs(self, bleu):
        ax = bleu.explain("a b c", ["a b x"], max_order=3).plot()
        assert np.isnan(heights(ax)["smoothed"]).tolist() == [True, True, False]
        assert heights(ax)["smoothed"][2] == pytest.approx(50)
        assert "nan" not in {text.get_text() for text in ax.texts}

    def test_of_a_corpus(self, bleu):
        result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
        ax = result.plot()
        assert list(heights(ax).values()) == [
            pytest.approx([100 * one for one in result["precisions"]])
        ]
        assert ax.get_legend() is None

    def test_black_and_white(self, bleu):
        """Bars that stand side by side differ in more than their hue: filled, hollow, or hatched."""
        ax = bleu.explain("a a b c x", ["a b c y"], max_order=4).plot()
        faces = [
            (bars[0].get_facecolor()[3], bars[0].get_hatch() or None) for bars in ax.containers
        ]
        assert len(set(faces)) == len(faces) == 3


def test_groups_with_their_intervals(bleu):
    """A row per group and average, with its interval; the micro-average is a line."""
    by = ["news", "$talks$"] * 20
    texts = [f"{n} green bottles hanging on the wall" for n in range(40)]
    predictions = [text.replace("hanging", "x" * (n % 3)) for n, text in enumerate(texts)]
    result = bleu.compute(predictions=predictions, references=texts, by=by, confidence=0.9)
    ax = result.plot()
    rows = [*result["groups"].values(), result]
    assert labels(ax.yaxis) == ["news", r"\$talks\$", "micro-average", "macro-average"]
    shown = [f"{row['score']:.2f}" for row in rows] + [f"{result['macro_score']:.2f}"]
    assert [text.get_text() for text in ax.texts] == shown
    ends = [line.get_xdata() for line in ax.lines if line.get_marker() == "|"]
    expected = [row["confidence_interval"] for row in rows] + [result["macro_confidence_interval"]]
    assert np.array(ends) == pytest.approx(100 * np.array(expected))
    assert ax.get_xlabel() == "BLEU, with 90% CI"
    plain = bleu.compute(predictions=predictions, references=texts, by=by).plot()
    assert (labels(plain.yaxis), plain.get_xlabel()) == (labels(ax.yaxis), "BLEU")
    assert result.plot(kind="precisions").get_ylabel() == "precision (%)"


def test_systems(bleu):
    comparison = bleu.compare(
        {"A": PREDICTIONS, "$x$": PREDICTIONS[::-1]}, REFERENCES, n_resamples=10
    )
    ax = comparison.plot()
    assert labels(ax.yaxis) == ["A (baseline)", r"\$x\$"]
    ends = [line.get_xdata() for line in ax.lines if line.get_marker() == "|"]
    first, second = comparison[
        "systems"
    ].values()  # the second's interval that avoids the line is one that avoids 0
    assert np.concatenate(ends) == pytest.approx(
        100
        * np.array([first["bleu"]] * 2 + [first["bleu"] + end for end in second["delta_interval"]])
    )
    assert [text.get_text() for text in ax.texts] == [
        f"{one['score']:.2f}" for one in comparison["systems"].values()
    ]
    assert ax.get_xlabel() == "BLEU, with the interval of the difference from the baseline"
    ax.figure.draw_without_rendering()  # a name with dollars is not a formula


def test_systems_without_intervals(bleu):
    ax = bleu.compare(
        {"A": PREDICTIONS, "B": PREDICTIONS}, REFERENCES, n_resamples=9, confidence=None
    ).plot()
    assert ax.get_xlabel() == "BLEU"


class TestWaterfall:
    def test_of_a_convention(self, bleu):
        conventions = bleu.reconcile(
            ["the cat sat on a mat."], [["the cat sat on a mat .", "the cat sat"]]
        )
        ax = conventions.plot()
        widths = [bar.get_width() for bars in ax.containers for bar in bars]
        nltk = conventions["nltk"]
        assert widths == pytest.approx([100, -100 * nltk["delta"], nltk["score"]])
        assert labels(ax.yaxis) == ["default", "tokenize='none'", "nltk"]
        assert ax.get_xlabel() == "BLEU"
        assert labels(conventions.plot(convention="hf").yaxis) == ["default", "hf"]

    def test_of_a_match(self, bleu):
        references = [["the cat sat on a mat", "The cat sat there, on a mat."]]
        found = bleu.reconcile(["The cat sat on a mat."], references, 0.51)
        ax = found.plot()
        assert labels(ax.yaxis) == [
            "your options",
            "references=0",
            "tokenize='none'",
            "this setting",
        ]
        ends = [bar.get_width() for bar in (ax.containers[0][0], ax.containers[-1][0])]
        assert ends == pytest.approx(
            [bleu.explain("The cat sat on a mat.", references[0])["score"], 50.8133], abs=1e-4
        )
        assert "50.81" in {text.get_text() for text in ax.texts}

    def test_steps_meet(self):
        ax = plot_steps("a", [FormulaStep("up", 10.0), FormulaStep("down", -25.0)], "b", 35.0)
        bars = [bars[0] for bars in ax.containers]
        assert [(bar.get_x(), bar.get_width()) for bar in bars] == [
            (0, 50),
            (50, 10),
            (35, 25),
            (0, 35),
        ]


def test_in_a_dark_style_lines_take_its_colors(bleu):
    with plt.style.context("dark_background"):
        ax = MAKE["conventions"](bleu).plot()
        edge = ax.containers[0][0].get_edgecolor()
    assert edge[:3] == (1, 1, 1)


def test_without_matplotlib():
    """Only plots need it, and the error says what to install."""
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        f"import evaluate; result = evaluate.load({str(ROOT / 'bleu_metric.py')!r}).explain('a b', ['a b'])\n"
        "result.to_html(), repr(result)\n"
        "try: result.plot()\n"
        "except ImportError as error: print(error)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout == "Plots need matplotlib. Install it: pip install matplotlib\n"


def test_the_recipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    *_, code = recipe("Results in a notebook")
    exec(code.replace("examples/tour.tsv", f"{ROOT}/examples/tour.tsv"), {})
    assert (tmp_path / "systems.png").exists()


@pytest.fixture
def recipes(monkeypatch):
    """Return the names of each block of the recipes of plots, after it ran in the clone's folder."""
    monkeypatch.chdir(ROOT)
    namespaces = []
    (latex, _) = recipe("A LaTeX table with its picture")
    matrix = latex.replace('figure.savefig("ranking.pdf")', "")
    for code in (*recipe("Plots of segments"), matrix):
        exec(code, namespace := {})
        namespaces.append(namespace)
    return namespaces


def test_the_recipes_of_segments_and_pairs(recipes):
    """Bars count segments, a point is a segment, and a cell is a pair, with a star if it is significant."""
    histogram, scatter, matrix = recipes
    heights = [bar.get_height() for bar in histogram["ax"].patches]
    expected, _ = np.histogram(
        100 * np.array(histogram["result"]["segment_bleu"]), range(0, 101, 5)
    )
    assert heights == expected.tolist()
    points = np.asarray(scatter["ax"].collections[0].get_offsets())
    assert points == pytest.approx(scatter["scores"].to_numpy())
    names = [system["system"] for system in matrix["ranking"]["ranking"]]
    assert labels(matrix["ax"].xaxis) == labels(matrix["ax"].yaxis) == names
    for text, pair in zip(matrix["ax"].texts, matrix["ranking"]["pairs"], strict=True):
        column, row = text.get_position()
        assert [names[row], names[column]] == pair["systems"]
        assert text.get_text().rstrip("*") == f"{100 * pair['delta']:.1f}"
        assert text.get_text().endswith("*") == (pair["p_adjusted"] < 0.05)
    assert {text.get_text()[-1] == "*" for text in matrix["ax"].texts} == {True, False}


def test_the_picture_of_the_recipe_for_latex():
    """docs/ranking.svg has the systems and numbers of the figure that the recipe draws today."""
    import ranking_picture  # needs matplotlib

    shown = ranking_picture.PICTURE.read_text(encoding="utf-8")
    drawn = ranking_picture.make_picture()
    assert ranking_picture.list_texts(shown) == ranking_picture.list_texts(drawn)


def test_a_dot_per_run(bleu):
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
