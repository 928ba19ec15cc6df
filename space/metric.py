"""All access to the metric: the loaded metric, names from its modules, its methods within limits.

The `request_...` functions raise what the metric raises, or a `RejectedError` if a limit is
exceeded. Beside public methods, the demo takes from the metric, as `core`, its tables of options
and tests, `read_published`, and the functions that write its HTML, tables and numbers.
"""

from __future__ import annotations

import copy
import gc
import re
import warnings
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import evaluate
import pyarrow as pa

from . import limits

if TYPE_CHECKING:  # evaluate loads the metric without its types
    from bleu_metric.bleu_core import (
        BleuWarning,
        Checked,
        ConventionScores,
        Difference,
        Explanation,
        Published,
        QuotableReport,
        Reconciliation,
        ReferenceLength,
        SmoothMethod,
        Test,
        Tokenizer,
    )

# Values by the name of an option, which decides on their type.
Options = Mapping[str, Any]


class ScoredRows(NamedTuple):
    """The result of `compute` for some segments, and their statistics rows."""

    result: QuotableReport
    rows: pa.Table


# --- The metric, and names from its modules -------------------------------------------------------

# evaluate expects a module to have the name of its folder, and a Space is in a folder called `app`:
# pass the file.
_PATH = str(Path(__file__).parent.with_name("bleu_metric.py"))

bleu: Any = evaluate.load(_PATH)

_package = type(bleu).__module__.rpartition(".")[0]
core = import_module(f"{_package}.bleu_core")

OPTIONS: Options = core.OPTIONS  # the defaults
CONVENTIONS: Mapping[str, Options] = core.CONVENTIONS  # the options that each sets
TOKENIZERS: Mapping[str, Tokenizer] = core.TOKENIZERS
REFERENCE_LENGTHS: Mapping[str, ReferenceLength] = core.REFERENCE_LENGTHS
SMOOTH_METHODS: Mapping[str, SmoothMethod] = core.SMOOTH_METHODS
TESTS: Mapping[str, Test] = core.TESTS
ALL_TESTS: Mapping[str, Test] = core.ALL_TESTS  # with that of several runs

read_published: Callable[[object], Published] = core.read_published
_RESAMPLING_OPTIONS = ("confidence", "n_resamples", "seed")

_collected: ContextVar[list[BleuWarning] | None] = ContextVar("collected", default=None)


def make_available(options: Options) -> Options:
    """Return options that the metric advises, without a tokenizer that the page lacks.

    >>> make_available({"tokenize": "ja-mecab"}), make_available({"lowercase": True})
    ({'tokenize': 'char'}, {'lowercase': True})
    """
    if options.get("tokenize", "char") in TOKENIZERS:
        return options
    return {**options, "tokenize": "char"}  # always available


def list_options(fix: str) -> Options:
    """Return the options that a fix sets, without a tokenizer that the page lacks.

    >>> list_options("tokenize='zh'"), list_options("html.unescape(text)")
    ({'tokenize': 'zh'}, {})
    """
    option, _, value = fix.partition("=")
    return make_available({option: literal_eval(value)}) if option in OPTIONS else {}


def is_unspaced(texts: Sequence[str]) -> bool:
    """Return True for texts in a script written without spaces.

    >>> is_unspaced(["我们用的是中文"]), is_unspaced(["We write plain English, not 中文."])
    (True, False)
    """
    sample = "".join(texts[:100])
    return len(re.findall("[\u3040-\u30ff\u3400-\u9fff]", sample)) > 0.3 * len(sample)


@contextmanager
def collect_warnings() -> Iterator[list[BleuWarning]]:
    """Collect the metric's warnings of this request.

    `warnings.catch_warnings` would mix up the warnings of concurrent requests.
    """
    collected: list[BleuWarning] = []
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)


def load_with(options: Options) -> Any:
    """Load the metric with other default options."""
    return evaluate.load(_PATH, **options)


def warm_up() -> None:
    """Compile the metric and run each method once, because the first visitor would have to wait."""
    bleu.warm_up()
    for tokenizer in TOKENIZERS:
        bleu.compute(predictions=["a b c d"], references=["a b c d"], tokenize=tokenizer)
    texts = ["a b c d", "a b c e", "a b d e"] * 10
    systems = {"A": texts, "B": texts[::-1]}
    bleu.check(systems, texts)
    bleu.compare(systems, texts)
    bleu.rank(systems, texts)
    bleu.diff(systems, texts)
    bleu.reconcile(texts[::-1], texts, "50")
    # Freeze the objects of the libraries, because a full garbage collection would stall a request
    # for 0.3 s.
    gc.freeze()


def name_counts(max_order: int) -> list[str]:
    """Return the names of the columns of statistics rows.

    >>> name_counts(1)
    ['matches_1', 'totals_1', 'prediction_length', 'reference_length']
    """
    orders = range(1, max_order + 1)
    names = [f"{kind}_{order}" for kind in ("matches", "totals") for order in orders]
    return [*names, "prediction_length", "reference_length"]


def request_explanation(
    prediction: str, references: Sequence[str] | str, options: Options
) -> Explanation:
    """Return the result of `explain`.

    >>> request_explanation("the the", ["the cat"], {"max_order": 1})["orders"][0]["matches"]
    1
    """
    limits.check_options(options, OPTIONS, TOKENIZERS)
    texts = references if isinstance(references, list) else [references]
    limits.check_sentence([prediction, *texts])
    return copy.copy(bleu).explain(prediction, references, **options)


def request_score(
    predictions: Sequence[object],
    references: Sequence[object],
    options: Options,
    labels: Sequence[str] | None = None,
    *,
    documents: Sequence[str] | None = None,
) -> ScoredRows:
    """Return the result of `compute` with `segments=True`, by label if there are any.

    >>> result, rows = request_score(["a b"], [["a b c"]], {"max_order": 1})
    >>> len(result["segment_bleu"]), rows["reference_length"].to_pylist()
    (1, [3])
    """
    limits.check_options(options, OPTIONS, TOKENIZERS)
    limits.check_corpus(predictions, references)
    if options.get("confidence") is not None and isinstance(predictions, list):
        resamples = options.get("n_resamples", OPTIONS["n_resamples"])
        limits.check_resampling(1, len(predictions), resamples)
    # `statistics` returns the rows, which `compute` does not count again.
    not_counting = (*_RESAMPLING_OPTIONS, "segments")
    counting = {name: value for name, value in options.items() if name not in not_counting}
    own = copy.copy(bleu)  # which looks at the rows of this request alone
    rows = own.statistics(predictions=predictions, references=references, **counting)
    score_options = {**options, "segments": True}
    result = bleu.compute(statistics=rows, by=labels, documents=documents or None, **score_options)
    return ScoredRows(result, rows)


def request_comparison(
    systems: Mapping[str, object],
    references: Sequence[object] | None,
    baseline: str | None,
    test: str,
    *,
    options: Options,
    documents: Sequence[str] | None = None,
) -> QuotableReport:
    """Return the result of `compare` for predictions, or for statistics rows and no references."""
    limits.check_options(options, OPTIONS, TOKENIZERS)
    limits.check_systems(systems, references)
    limits.check_value("baseline", baseline)
    limits.check_value("test", test)
    chosen = _leave_out_default(options)
    segments = _count_segments(systems, references)
    if segments is not None:
        if chosen.get("confidence", 0.95) is not None:
            # Intervals have their own number of resamples.
            advice = "leave the intervals out (confidence: none), or score a part of the lines"
            limits.check_resampling(len(systems), segments, OPTIONS["n_resamples"], advice)
        resamples = chosen.get("n_resamples")
        if not resamples and str(test) in ALL_TESTS:  # a test from a program may be a list
            resamples = ALL_TESTS[str(test)].n_resamples
        limits.check_resampling(len(systems), segments, resamples or 0)
    return bleu.compare(
        systems, references, baseline=baseline, test=test, documents=documents or None, **chosen
    )


def request_ranking(
    tables: Mapping[str, pa.Table], options: Options, documents: Sequence[str] | None
) -> QuotableReport:
    """Return the result of `rank` for the statistics rows of each system."""
    chosen = _leave_out_default(options)
    segments = len(next(iter(tables.values())))
    resamples = chosen.get("n_resamples", TESTS["randomization"].n_resamples)
    limits.check_resampling(len(tables), segments, resamples)
    return bleu.rank(tables, documents=documents or None, **chosen)


def _count_segments(systems: object, references: object) -> int | None:
    """Return the number of segments; None for arguments that the metric itself rejects."""
    if not isinstance(systems, dict):
        return None
    segments = references
    if references is None:
        segments = next(iter(systems.values()), None)
        if isinstance(segments, dict):  # several runs
            segments = next(iter(segments.values()), None)
    return len(segments) if isinstance(segments, list | pa.Table) else None


def _leave_out_default(options: Options) -> Options:
    """Leave out the number of resamples if it is the field's default: each test has its own."""
    if options.get("n_resamples") != OPTIONS["n_resamples"]:
        return options
    return {name: value for name, value in options.items() if name != "n_resamples"}


def request_difference(
    systems: Mapping[str, Sequence[object]], references: Sequence[object], options: Options
) -> Difference:
    """Return the result of `diff`."""
    limits.check_options(options, OPTIONS, TOKENIZERS)
    limits.check_systems(systems, references)
    return bleu.diff(systems, references, **options)


def request_check(
    systems: Mapping[str, Sequence[str]], references: Sequence[object], options: Options
) -> Checked:
    """Return the result of `check`."""
    limits.check_options(options, OPTIONS, TOKENIZERS)
    limits.check_systems(systems, references)
    return bleu.check(systems, references, **options)


def request_conventions(
    predictions: Sequence[object], references: Sequence[object], options: Options
) -> Mapping[str, ConventionScores]:
    """Return the result of `reconcile` without a score."""
    limits.check_options(options, OPTIONS, TOKENIZERS)
    limits.check_corpus(predictions, references)
    return bleu.reconcile(predictions, references, **options)


def request_settings(
    predictions: Sequence[object],
    references: Sequence[object],
    reported: float | str,
    decimals: int | None,
    *,
    options: Options,
    metric: Any = bleu,
) -> Reconciliation:
    """Return the result of `reconcile`; the search starts at the defaults of `metric`."""
    limits.check_options(options, OPTIONS, TOKENIZERS)
    limits.check_corpus(predictions, references)
    limits.check_search(predictions, references)
    limits.check_line("reported", reported)
    limits.check_value("decimals", decimals)
    return metric.reconcile(predictions, references, reported, decimals=decimals, **options)


def _show_warning(
    message: Warning | str, category: type[Warning], *arguments: Any, **named: Any
) -> None:
    collected = _collected.get()
    if collected is None or category is not bleu.Warning:
        _show_elsewhere(message, category, *arguments, **named)
        return
    warning = cast("BleuWarning", message)
    if warning.kind != "file name":  # the page takes no paths
        collected.append(warning)


_show_elsewhere = warnings.showwarning
warnings.showwarning = _show_warning
# Python's default would show a warning to one visitor only.
warnings.filterwarnings("always", category=bleu.Warning)
