"""What `compare` and `rank` say of differences: points, p-values, and what is more than chance.

Their results call it. How to get the keys that both lack is here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..results.formula import write_difference
from ..results.report import passing
from ..results.wording import ResultDict, describe_documents, describe_shared
from ..rules.scoring import NOISE
from ..significance.tests import ALL_TESTS

# How to get the keys that a comparison or a ranking lacks.
WAYS_TO_SETTINGS = {
    "confidence": f"{passing('confidence=0.95')}; it needs two or more segments (documents),"
    " and scores that vary",
    "documents": f"{passing('documents=labels')}; one document can't be resampled",
}


def judge(p_value: float | None, alpha: float, level: str) -> str:
    """Write if a difference is more than chance; `level` is `alpha` in words.

    >>> judge(0.03, 0.05, "the 5% level"), judge(0.07, 0.05, "the 5% level")
    ('more than chance at the 5% level', 'may be chance at the 5% level')
    """
    if p_value is None:
        return "may be chance, because it was not tested"
    return f"{'more than' if p_value < alpha else 'may be'} chance at {level}"


def compare_scores(delta: float, other: object) -> str:
    """Write by how many points a score is higher or lower than that of another system.

    >>> compare_scores(-0.022, "A"), compare_scores(0.0, "A")
    ('2.20 points lower than A', 'the same as A')
    """
    if abs(delta) <= NOISE:
        return f"the same as {other}"
    points = 100 * abs(delta)
    size = f"{points:.2f}" if points >= 0.005 else "less than 0.01"
    return f"{size} points {'higher' if delta > 0 else 'lower'} than {other}"


def describe_test(result: ResultDict, tested: Iterable[Mapping[str, object]]) -> list[str]:
    """Return the test, its number of resamples and what it resamples.

    The list is empty without a test.
    """
    if not any("p_value" in scores for scores in tested):
        return []
    documents = describe_documents(result) + describe_shared(result)
    return [f"{ALL_TESTS[result['test']].says}, {result['n_resamples']:,} resamples{documents}"]


def find_alpha(confidence: float | None) -> float:
    """Return the level of significance that goes with a confidence; 0.05 without one.

    >>> find_alpha(0.99), find_alpha(None)
    (0.01, 0.05)
    """
    return round(1 - (confidence or 0.95), 9)


def write_p(p_value: float) -> str:
    """Write a p-value, which is never 0.

    >>> write_p(0.0312), write_p(0.00001)
    ('0.0312', '<0.0001')
    """
    return f"{p_value:.4f}" if p_value >= 0.00005 else "<0.0001"


def write_equation_of_p(p_value: float) -> str:
    """Write a p-value in a sentence.

    >>> write_equation_of_p(0.0312), write_equation_of_p(0.00001)
    ('p = 0.0312', 'p < 0.0001')
    """
    written = write_p(p_value)
    return f"p < {written[1:]}" if written.startswith("<") else f"p = {written}"


def write_points(difference: float) -> str:
    return write_difference(100 * difference)
