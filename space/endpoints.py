"""The endpoints for programs: what they take and return is what the metric's methods do, with its warnings added."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gradio as gr

from .limits import explain_error
from .metric import collect_warnings
from .requests import (
    request_comparison,
    request_conventions,
    request_explanation,
    request_score,
    request_settings,
)


def explain(prediction: str, references: list[str], options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Explain the score of one sentence: its tokens, each with the longest n-gram that matched there.

    Args:
        prediction: the candidate, as text.
        references: one reference or more.
        options: the metric's, such as {"tokenize": "zh", "lowercase": true}; sacreBLEU's defaults unless given.

    Returns:
        The dict of `bleu.explain`: scores, tokens, and what was clipped and missed at each order.
    """
    return _answer(lambda: request_explanation(prediction, references, options or {}))


def score(predictions: list[str], references: list[Any], options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Score a corpus, and each of its segments.

    Args:
        predictions: one text a segment.
        references: for each segment a list of references, or one text.
        options: the metric's, such as {"confidence": 0.95}; sacreBLEU's defaults unless given.

    Returns:
        The dict of `bleu.compute` with `segments=True`.
    """
    return _answer(lambda: request_score(predictions, references, options or {})[0])


def compare(
    systems: dict[str, list[str]],
    references: list[Any],
    baseline: str | None = None,
    test: str = "bootstrap",
    options: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Test whether one of two systems is better than the other by more than chance.

    Args:
        systems: the predictions of each system, by its name.
        references: for each segment a list of references, or one text.
        baseline: the name of a system; the first unless given.
        test: "bootstrap" or "randomization".
        options: the metric's, such as {"n_resamples": 2000}; sacreBLEU's defaults unless given.

    Returns:
        The dict of `bleu.compare`: scores, intervals, difference and p-value.
    """
    return _answer(lambda: request_comparison(systems, references, baseline, test, options or {}))


def conventions(predictions: list[str], references: list[Any]) -> dict[str, Any]:
    """Score a corpus under each convention, and say what each difference is due to.

    Args:
        predictions: one text a segment.
        references: for each segment a list of references, or one text.

    Returns:
        The dict of `bleu.conventions`.
    """
    return _answer(lambda: request_conventions(predictions, references))


def reconcile(
    predictions: list[str],
    references: list[Any],
    reported: float | str,
    decimals: int | None = None,
    options: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Find the settings that give a published number.

    Args:
        predictions: one text a segment.
        references: for each segment a list of references, or one text.
        reported: the number, from 0 to 1 or from 0 to 100; in a text, zeros at its end count as decimals.
        decimals: how many of its decimals are known; as many as it is written with unless given.
        options: the settings that are known, such as {"tokenize": "zh"}.

    Returns:
        The dict of `bleu.reconcile`.
    """
    return _answer(lambda: request_settings(predictions, references, reported, decimals, options or {}))


ENDPOINTS = (explain, score, compare, conventions, reconcile)


def _answer(request: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """The result of a request with the metric's warnings, or its error as one that Gradio passes on."""
    try:
        with collect_warnings() as warnings:
            result = request()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise gr.Error(explain_error(error), print_exception=False) from None
    return {**result, "warnings": warnings}
