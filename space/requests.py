"""Requests to the metric, each within the limits of the page: tabs and endpoints make the same ones.

All raise what the metric raises, or a `RefusedError` where the page takes less than the metric does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from .limits import (
    check_corpus,
    check_options,
    check_resampling,
    check_search,
    check_sentence,
    check_systems,
    check_value,
)
from .metric import bleu

_WITHOUT_INTERVALS = "leave the intervals out (confidence: none), or give a part of the segments"
_RESAMPLING_OPTIONS = ("confidence", "n_resamples", "seed")


def request_explanation(prediction: str, references: Sequence[str] | str, options: Mapping[str, Any]) -> Any:
    """What `explain` returns.

    >>> request_explanation("the the", ["the cat"], {"max_order": 1})["orders"][0]["matches"]
    1
    """
    check_options(options, bleu.OPTIONS, bleu.TOKENIZERS)
    check_sentence([prediction, *(references if isinstance(references, list) else [references])])
    return bleu.explain(prediction, references, **options)


def request_score(
    predictions: Sequence[Any], references: Sequence[Any], options: Mapping[str, Any]
) -> tuple[dict[str, Any], pa.Table]:
    """What `compute` returns with `segments=True`, and the statistics of each segment.

    >>> result, statistics = request_score(["a b"], [["a b c"]], {"max_order": 1})
    >>> len(result["segment_bleu"]), statistics["reference_length"].to_pylist()
    (1, [3])
    """
    check_options(options, bleu.OPTIONS, bleu.TOKENIZERS)
    check_corpus(predictions, references)
    if options.get("confidence") is not None and isinstance(predictions, list):
        check_resampling(1, len(predictions), options.get("n_resamples", bleu.OPTIONS["n_resamples"]))
    counting = {name: value for name, value in options.items() if name not in (*_RESAMPLING_OPTIONS, "segments")}
    statistics = bleu.statistics(predictions=predictions, references=references, **counting)
    return bleu.score(statistics, **{**options, "segments": True}), statistics


def request_comparison(
    systems: Mapping[str, Sequence[Any]],
    references: Sequence[Any],
    baseline: str | None,
    test: str,
    options: Mapping[str, Any],
) -> Any:
    """What `compare` returns."""
    check_options(options, bleu.OPTIONS, bleu.TOKENIZERS)
    check_systems(systems, references)
    check_value("baseline", baseline)
    check_value("test", test)
    if isinstance(systems, dict) and isinstance(references, list):
        size = len(systems), len(references)
        if options.get("confidence", 0.95) is not None:  # the intervals' bootstrap, which takes no count from the test
            check_resampling(*size, bleu.OPTIONS["n_resamples"], _WITHOUT_INTERVALS)
        check_resampling(*size, options.get("n_resamples") or bleu.RESAMPLES.get(str(test), 0))
    return bleu.compare(systems, references, baseline=baseline, test=test, **options)


def request_difference(
    first: Sequence[Any], second: Sequence[Any], references: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """What `diff` returns."""
    check_options(options, bleu.OPTIONS, bleu.TOKENIZERS)
    check_systems({"first": first, "second": second}, references)
    return bleu.diff(first, second, references, **options)


def request_conventions(predictions: Sequence[Any], references: Sequence[Any]) -> Any:
    """What `conventions` returns."""
    check_corpus(predictions, references)
    return bleu.conventions(predictions, references)


def request_settings(
    predictions: Sequence[Any],
    references: Sequence[Any],
    reported: float | str,
    decimals: int | None,
    options: Mapping[str, Any],
    metric: Any = bleu,
) -> Any:
    """What `reconcile` returns, of a metric whose defaults are where the search starts."""
    check_options(options, bleu.OPTIONS, bleu.TOKENIZERS)
    check_corpus(predictions, references)
    check_search(predictions, references)
    check_value("reported", reported)
    check_value("decimals", decimals)
    return metric.reconcile(predictions, references, reported, decimals=decimals, **options)
