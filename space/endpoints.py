"""The endpoints for programs: the metric's methods, with its warnings added to the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any

import gradio as gr

from .limits import ERRORS, explain_error, run
from .metric import (
    collect_warnings,
    request_comparison,
    request_conventions,
    request_explanation,
    request_score,
    request_settings,
)


def explain(
    prediction: str, references: list[str], options: dict[str, object] | None = None
) -> dict[str, object]:
    """Explain the score of one sentence: its tokens, each with its longest matching n-gram.

    Args:
        prediction: the candidate, as text.
        references: one or more texts.
        options: the metric's options, such as {"tokenize": "zh", "lowercase": true}; by default
            sacreBLEU's.

    Returns:
        The result of `bleu.explain`: scores, tokens, and the clipped and missed n-grams of each
        order.
    """
    return _answer(lambda: request_explanation(prediction, references, options or {}))


def score(
    predictions: list[str], references: list[object], options: dict[str, object] | None = None
) -> dict[str, object]:
    """Score a corpus, and each of its segments.

    Args:
        predictions: one text per segment.
        references: one list of references per segment, or one text.
        options: the metric's options, such as {"confidence": 0.95}; by default sacreBLEU's.

    Returns:
        The result of `bleu.compute` with `segments=True`.
    """
    return _answer(lambda: request_score(predictions, references, options or {}).result)


def compare(
    systems: dict[str, list[str]],
    references: list[object],
    baseline: str | None = None,
    test: str = "randomization",
    options: dict[str, object] | None = None,
) -> dict[str, object]:
    """Test whether one of two systems scores higher than the other by more than chance.

    Args:
        systems: the predictions of each system by its name.
        references: one list of references per segment, or one text.
        baseline: the name of a system; by default the first.
        test: "bootstrap" or "randomization".
        options: the metric's options, such as {"n_resamples": 2000}; by default sacreBLEU's.

    Returns:
        The result of `bleu.compare`: scores, intervals, difference and p-value.
    """
    return _answer(
        lambda: request_comparison(systems, references, baseline, test, options=options or {})
    )


def conventions(predictions: list[str], references: list[object]) -> dict[str, object]:
    """Score a corpus under each convention, and explain each difference.

    Args:
        predictions: one text per segment.
        references: one list of references per segment, or one text.

    Returns:
        The result of `bleu.conventions`.
    """
    return _answer(lambda: request_conventions(predictions, references))


def reconcile(
    predictions: list[str],
    references: list[object],
    reported: float | str,
    decimals: int | None = None,
    options: dict[str, object] | None = None,
) -> dict[str, object]:
    """Find the settings that give a reported score.

    Args:
        predictions: one text per segment.
        references: one list of references per segment, or one text.
        reported: the score, from 0 to 1 or from 0 to 100; in a string, trailing zeros count as
            decimals.
        decimals: the number of decimals that are known; by default all that are written.
        options: the known settings, such as {"tokenize": "zh"}.

    Returns:
        The result of `bleu.reconcile`.
    """
    return _answer(
        lambda: request_settings(predictions, references, reported, decimals, options=options or {})
    )


class Demo(gr.Blocks):
    """Blocks that fill in default arguments of endpoints; Gradio does so for its clients only."""

    async def preprocess_data(
        self, block_fn: Any, inputs: list[object], *others: Any, **named: Any
    ) -> Any:
        """Append the defaults of arguments that a program has left out."""
        arguments = list(inputs)
        if len(inputs) < len(block_fn.inputs):
            parameters = list(signature(block_fn.fn).parameters.values())
            left_out = parameters[len(inputs) :]
            missing = [
                parameter.name for parameter in left_out if parameter.default is Parameter.empty
            ]
            if missing:
                text = f"Missing: {', '.join(missing)}. List the arguments in `data`."
                raise gr.Error(text, print_exception=False)
            arguments += [parameter.default for parameter in left_out]
        return await super().preprocess_data(block_fn, arguments, *others, **named)


ENDPOINTS = (explain, score, compare, conventions, reconcile)


def _answer(request: Callable[[], Mapping[str, object]]) -> dict[str, object]:
    """Return the result of a request with the metric's warnings.

    An error of the metric or of a limit is raised as one that Gradio passes on.
    """

    def work() -> dict[str, object]:
        with collect_warnings() as warnings:
            return {**request(), "warnings": [str(warning) for warning in warnings]}

    try:
        return run(work)
    except ERRORS as error:
        raise gr.Error(explain_error(error), print_exception=False) from None
