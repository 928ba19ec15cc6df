"""What IPython offers and shows where the metric is used most."""

import pytest

IPython = pytest.importorskip("IPython")

from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture
def shell(bleu):
    shell = InteractiveShell()
    shell.user_ns["bleu"] = bleu
    yield shell
    shell.history_manager.end_session()


def offered(shell, code):
    """Return the completions that Tab offers at the end of code."""
    with provisionalcompleter():
        return {
            completion.text.rstrip("=")
            for completion in shell.Completer.completions(code, len(code))
        }


@pytest.mark.parametrize("use_jedi", [False, True])
@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("bleu.compute(", {"predictions", "references", "tokenize", "smooth_method", "confidence"}),
        ("bleu.compute(predictions=['a'], refe", {"references", "reference_length"}),
        ("bleu.compare(", {"systems", "baseline", "tokenize", "n_resamples"}),
        ("bleu.explain(", {"prediction", "references", "lowercase"}),
    ],
)
def test_tab_offers_the_options(shell, use_jedi, code, names):
    shell.Completer.use_jedi = use_jedi
    assert names <= offered(shell, code)


def test_what_a_cell_shows(shell, bleu):
    """HTML in a notebook, and in a terminal a table or a dict that fits the screen."""
    explain = shell.display_formatter.format(bleu.explain("a b", ["a c"]))[0]
    assert set(explain) == {"text/plain", "text/html"}
    assert explain["text/plain"].startswith("BLEU ")
    result = bleu.compute(predictions=["a b"] * 1000, references=["a b"] * 1000, segments=True)
    shown = shell.display_formatter.format(result)[0]["text/plain"]
    assert "... 997 more" in shown
    assert len(shown.splitlines()) < 24
    assert shell.display_formatter.format(bleu)[0] == {"text/plain": "BleuMetric('default')"}
