"""All access to the metric: the loaded metric, names from its modules, and its methods within the demo's limits.

The `request_...` functions raise what the metric raises, or a `RejectedError` if a limit is
exceeded.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any

import evaluate
import pyarrow as pa

from . import limits

# evaluate expects a module to have the name of its folder, and a Space is in a folder called `app`:
# pass the file.
_PATH = str(Path(__file__).parent.with_name("bleu_metric.py"))

bleu: Any = evaluate.load(_PATH)

_package = type(bleu).__module__.rpartition(".")[0]
report: Any = import_module(f"{_package}.bleu_report")
_options: Any = import_module(f"{_package}.bleu_options")
_compare: Any = import_module(f"{_package}.bleu_compare")
share_of_unspaced: Any = import_module(f"{_package}.bleu_tokenizers").share_of_unspaced

OPTIONS: Mapping[str, Any] = _options.OPTIONS  # defaults by name
CONVENTIONS: Mapping[str, Mapping[str, Any]] = _options.CONVENTIONS  # the options that each sets
# Records by name; each has the phrase `says`, a smoothing method also the default `value`.
TOKENIZERS: Mapping[str, Any] = _options.TOKENIZERS
REFERENCE_LENGTHS: Mapping[str, Any] = _options.REFERENCE_LENGTHS
SMOOTH_METHODS: Mapping[str, Any] = _options.SMOOTH_METHODS
TESTS: Mapping[str, Any] = (
    _compare.TESTS
)  # records; each has the phrase `says`, and the default `n_resamples`

write_p: Any = _compare.write_p

_RESAMPLING_OPTIONS = ("confidence", "n_resamples", "seed")

_collected: ContextVar[list[Any] | None] = ContextVar("collected", default=None)


@contextmanager
def collect_warnings() -> Iterator[list[Any]]:
    """Collect the metric's warnings of this request; `warnings.catch_warnings` would mix up concurrent requests."""
    collected: list[Any] = []
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)


def load_with(options: Mapping[str, Any]) -> Any:
    """Load the metric with other default options."""
    return evaluate.load(_PATH, **options)


def warm_up() -> None:
    """Compile the metric and run each method once, so that the first visitor does not have to wait."""
    bleu.warm_up()
    for tokenizer in TOKENIZERS:
        bleu.compute(predictions=["a b c d"], references=["a b c d"], tokenize=tokenizer)
    texts = ["a b c d", "a b c e", "a b d e"] * 10
    bleu.compare({"A": texts, "B": texts[::-1]}, texts)
    bleu.diff({"A": texts, "B": texts[::-1]}, texts)
    bleu.reconcile(texts[::-1], texts, "50")
    # Freeze the objects of the libraries: a full garbage collection would stall a request for 0.3
    # s.
    gc.freeze()


def request_explanation(
    prediction: str, references: Sequence[str] | str, options: Mapping[str, Any]
) -> Any:
    """Return the result of `explain`.

    >>> request_explanation("the the", ["the cat"], {"max_order": 1})["orders"][0]["matches"]
    1
    """
    limits.check_options(options, OPTIONS, TOKENIZERS)
    limits.check_sentence(
        [prediction, *(references if isinstance(references, list) else [references])]
    )
    return bleu.explain(prediction, references, **options)


def request_score(
    predictions: Sequence[Any],
    references: Sequence[Any],
    options: Mapping[str, Any],
    labels: Sequence[str] | None = None,
    documents: Sequence[str] | None = None,
) -> tuple[Any, pa.Table]:
    """Return the result of `compute` with `segments=True`, by label if there are any, and the rows of the segments.

    >>> result, statistics = request_score(["a b"], [["a b c"]], {"max_order": 1})
    >>> len(result["segment_bleu"]), statistics["reference_length"].to_pylist()
    (1, [3])
    """
    limits.check_options(options, OPTIONS, TOKENIZERS)
    limits.check_corpus(predictions, references)
    if options.get("confidence") is not None and isinstance(predictions, list):
        limits.check_resampling(
            1, len(predictions), options.get("n_resamples", OPTIONS["n_resamples"])
        )
    counting = {
        name: value
        for name, value in options.items()
        if name not in (*_RESAMPLING_OPTIONS, "segments")
    }
    statistics = bleu.statistics(predictions=predictions, references=references, **counting)
    score_options = {**options, **_name_documents(documents), "segments": True}
    return bleu.score(statistics, by=labels, **score_options), statistics


def request_comparison(
    systems: Mapping[str, Any],
    references: Sequence[Any] | None,
    baseline: str | None,
    test: str,
    options: Mapping[str, Any],
    documents: Sequence[str] | None = None,
) -> Any:
    """Return the result of `compare`, of predictions, or of the rows of segments and no references."""
    limits.check_options(options, OPTIONS, TOKENIZERS)
    limits.check_systems(systems, references)
    options = _leave_out_default(options)
    limits.check_value("baseline", baseline)
    limits.check_value("test", test)
    rows = (
        next(iter(systems.values()), None)
        if references is None and isinstance(systems, dict)
        else references
    )
    if isinstance(systems, dict) and isinstance(rows, list | pa.Table):
        size = len(systems), len(rows)
        if (
            options.get("confidence", 0.95) is not None
        ):  # intervals have their own number of resamples
            advice = "leave the intervals out (confidence: none), or score a part of the segments"
            limits.check_resampling(*size, OPTIONS["n_resamples"], advice)
        known = TESTS.get(str(test))
        limits.check_resampling(
            *size, options.get("n_resamples") or (known.n_resamples if known else 0)
        )
    return bleu.compare(
        systems, references, baseline=baseline, test=test, **options, **_name_documents(documents)
    )


def request_ranking(
    tables: Mapping[str, pa.Table], options: Mapping[str, Any], documents: Sequence[str] | None
) -> Any:
    """Return the result of `rank` for the rows of the segments of each system."""
    options = _leave_out_default(options)
    size = len(tables), len(next(iter(tables.values())))
    limits.check_resampling(*size, options.get("n_resamples", TESTS["randomization"].n_resamples))
    return bleu.rank(tables, **options, **_name_documents(documents))


def _leave_out_default(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out the number of resamples if it is the field's default, because each test has its own."""
    return {
        name: value
        for name, value in options.items()
        if name != "n_resamples" or value != OPTIONS[name]
    }


def _name_documents(documents: Sequence[str] | None) -> dict[str, Any]:
    return {"documents": documents} if documents else {}


def request_difference(
    systems: Mapping[str, Sequence[Any]], references: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """Return the result of `diff`."""
    limits.check_options(options, OPTIONS, TOKENIZERS)
    limits.check_systems(systems, references)
    return bleu.diff(systems, references, **options)


def request_conventions(predictions: Sequence[Any], references: Sequence[Any]) -> Any:
    """Return the result of `conventions`."""
    limits.check_corpus(predictions, references)
    return bleu.conventions(predictions, references)


def request_settings(
    predictions: Sequence[Any],
    references: Sequence[Any],
    reported: float | str,
    decimals: int | None,
    options: Mapping[str, Any],
    metric: Any = bleu,
) -> Any:
    """Return the result of `reconcile`; the search starts at the defaults of `metric`."""
    limits.check_options(options, OPTIONS, TOKENIZERS)
    limits.check_corpus(predictions, references)
    limits.check_search(predictions, references)
    limits.check_value("reported", reported)
    limits.check_value("decimals", decimals)
    return metric.reconcile(predictions, references, reported, decimals=decimals, **options)


def _show_warning(
    message: Warning | str, category: type[Warning], *arguments: Any, **named: Any
) -> None:
    collected = _collected.get()
    if collected is None or category is not bleu.Warning:
        _show_elsewhere(message, category, *arguments, **named)
    else:
        collected.append(message)


_show_elsewhere = warnings.showwarning
warnings.showwarning = _show_warning
warnings.filterwarnings(
    "always", category=bleu.Warning
)  # Python's default would show a warning to one visitor only
