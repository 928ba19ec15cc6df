"""All access to the metric: the loaded metric, names from its modules, its methods within limits.

The `request_...` functions raise what the metric raises, or a `RejectedError` if a limit is
exceeded.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypedDict, cast

import evaluate
import pyarrow as pa

from . import limits

if TYPE_CHECKING:
    from bleu_metric.bleu_mistakes import Found, Mistake, Words

# Values by the name of an option, which decides on their type.
Options = Mapping[str, Any]


# --- Types of what the metric returns, which evaluate loads without its types ---------------------


class Result(dict[str, Any]):
    """The type of a result of the metric: a dict that also writes itself as text."""

    report: Callable[[], str]  # of `compute`, `compare` and `rank`
    to_markdown: Callable[[], str]
    to_latex: Callable[[], str]
    list_found: Callable[[], list[tuple[Any, Found]]]  # of `check`, each with its system
    repair: Callable[..., Any]  # of `check`, with the kinds that are fixed


class ScoredRows(NamedTuple):
    """The result of `compute` for some segments, and their statistics rows."""

    result: Result
    rows: pa.Table


class NGramCount(TypedDict):
    """An n-gram of the candidate, and how many of its occurrences may count."""

    ngram: list[str]
    count: int
    allowed: int


class Order(TypedDict):
    """The n-grams of one order, and their numbers."""

    order: int
    total: int
    matches: int
    unclipped_matches: int
    matched: list[NGramCount]
    clipped: list[NGramCount]
    missed: list[NGramCount]


class ExplainedText(TypedDict):
    """The tokens of a text, and the longest matching n-gram that each is part of."""

    tokens: list[str]
    longest_match: list[int]
    length: int


class Lengths(TypedDict):
    """The part of a result of `explain` or `compute` on the brevity penalty."""

    translation_length: int
    reference_length: int
    brevity_penalty: float


class Precisions(Lengths):
    """The part of a result of `explain` or `compute` on precisions, with one item per order."""

    counts: list[int]
    totals: list[int]
    precisions: list[float]


class Explanation(Precisions):
    """A result of `explain`."""

    score: float
    signature: str
    weights: list[float]
    prediction: ExplainedText
    references: list[ExplainedText]
    effective_reference: int  # the index of the reference used for the length
    orders: list[Order]


class SystemScores(TypedDict, total=False):
    """The scores of a system in a result of `compare`; on the scale 0-1, but for `score`."""

    score: float
    confidence_interval: tuple[float, float]
    runs: Mapping[str, Mapping[str, float]]  # the scores of each training run, if several
    delta: float  # this and the rest are missing for the baseline
    delta_interval: tuple[float, float]
    p_value: float
    p_adjusted: float
    detectable_delta: float


class Rank(TypedDict):
    """A system in a result of `rank`, with the best and the worst rank that it may have."""

    system: str
    rank_range: list[int]


class Step(TypedDict):
    """A difference between two settings, and how the score changes with it."""

    factor: str
    value: object
    delta: float


class Setting(TypedDict):
    """A setting and its score in a result of `conventions` or `reconcile`."""

    score: float
    delta: float
    steps: list[Step]
    signature: str


class FoundSetting(Setting):
    """A setting in a result of `reconcile`."""

    plausible: bool
    references: int | str  # "all" or an index
    swapped: bool
    last_pair: bool
    options: dict[str, Any]


class NGramDifference(TypedDict):
    """An n-gram that one of two systems matches more often; `segment` is an index."""

    ngram: list[str]
    matches: dict[str, int]
    segment: int


# Scores of the segments whose references have `from` to `to` tokens; `to` is None for the longest.
LengthGroup = TypedDict(
    "LengthGroup",
    {
        "from": int,
        "to": int | None,
        "segments": int,
        "bleu": dict[str, float],
        "delta": float,
    },
)


class Published(Protocol):
    """A published score, as it was read.

    written: the number in it.
    number: its value, on the scale 0-1 or 0-100.
    """

    written: str
    number: float


class Reconciliation(Result):
    """A result of `reconcile`."""

    _title: Callable[[], str]  # a sentence on how many settings give the score


class Difference(Result):
    """A result of `diff`."""

    distinctive_ngrams: Callable[[str, int], list[NGramDifference]]  # of a system; and how many


class Place(NamedTuple):
    """A mistake that `check` found, in one system or in the references.

    system: the name of the system; empty for references.
    found: the mistake, its rows, and its fix.
    """

    system: str
    found: Found

    @property
    def kind(self) -> str:
        """The name of the mistake."""
        return self.found.kind

    @property
    def words(self) -> Words:
        """The mistake in the words of the page."""
        return self.found.mistake.words

    @property
    def options(self) -> Options:
        """The options of a fix by options."""
        if self.kind == "case":  # lowercased texts have the same score, and no signature says so
            return {"lowercase": True}
        fix = self.found.fix
        return {} if fix is None or fix.options is None else fix.options

    @property
    def changes_texts(self) -> bool:
        """True if the fix changes texts."""
        return self.found.fix is not None and not self.options

    @property
    def pairing(self) -> Sequence[int] | None:
        """The row of the prediction of each row of references, if the fix is another order."""
        return None if self.found.fix is None else self.found.fix.pairing

    @property
    def example(self) -> str:
        """The first place between ⟦ and ⟧, with the text around it; it may be empty."""
        return str(report.escape_unseen(self.found.example))


class Repaired(NamedTuple):
    """Repaired texts, and the rows that were kept."""

    systems: dict[str, list[str]]
    references: list[list[str]]
    rows: list[int]


class MetricWarning(Protocol):
    """A warning of the metric, with the option and value that it advises, or None."""

    kind: str
    problem: str
    option: str | None
    value: Any


class Described(Protocol):
    """A choice for an option, with a phrase."""

    says: str


class Tokenizer(Described, Protocol):
    """A tokenizer, and what it does to text."""

    expects_raw_text: bool
    splits_unspaced: bool


class SmoothMethod(Described, Protocol):
    """A smoothing method, with its default value if it takes one."""

    value: float | None


class Test(Described, Protocol):
    """A significance test, with its default number of resamples."""

    n_resamples: int


# --- The metric, and names from its modules -------------------------------------------------------

# evaluate expects a module to have the name of its folder, and a Space is in a folder called `app`:
# pass the file.
_PATH = str(Path(__file__).parent.with_name("bleu_metric.py"))

bleu: Any = evaluate.load(_PATH)

_package = type(bleu).__module__.rpartition(".")[0]
report = import_module(f"{_package}.bleu_report")
_options = import_module(f"{_package}.bleu_options")
_lines = import_module(f"{_package}.bleu_lines")
_compare = import_module(f"{_package}.bleu_compare")
_significance = import_module(f"{_package}.bleu_significance")
_mistakes = import_module(f"{_package}.bleu_mistakes")

OPTIONS: Options = _options.OPTIONS  # the defaults
CONVENTIONS: Mapping[str, Options] = _options.CONVENTIONS  # the options that each sets
TOKENIZERS: Mapping[str, Tokenizer] = _options.TOKENIZERS
REFERENCE_LENGTHS: Mapping[str, Described] = _options.REFERENCE_LENGTHS
SMOOTH_METHODS: Mapping[str, SmoothMethod] = _options.SMOOTH_METHODS
TESTS: Mapping[str, Test] = _compare.TESTS
ALL_TESTS: Mapping[str, Test] = _compare.ALL_TESTS  # with that of several runs
read_macro_average: Callable[[Result], Mapping[str, Any]] = _significance.read_macro_average

read_published: Callable[[object], Published] = _lines.read_published
detokenize: Callable[[str], str] = _mistakes.detokenize
straighten_quotes: Callable[[str], str] = _mistakes.straighten_quotes

MISTAKES: Sequence[Mistake] = _mistakes.MISTAKES  # several may share a kind
KINDS: Sequence[str] = _mistakes.KINDS
# What is looked for in a sentence.
_SENTENCE_KINDS = ("unspaced", "quotes", "tokenized", "case")
LEFTOVERS = ("chat", "special_tokens", "fences", "preambles")
_SENTENCE_ROWS = 40  # finders count rows: a sentence is looked at as if it were in each of them
_RESAMPLING_OPTIONS = ("confidence", "n_resamples", "seed")

_collected: ContextVar[list[MetricWarning] | None] = ContextVar("collected", default=None)


def find_in_sentence(
    prediction: str, references: Sequence[str], options: Options
) -> dict[str, Place]:
    """Return the mistakes in a sentence, by their kinds.

    >>> list(find_in_sentence("hallo, welt!", ["Hallo, Welt!"], OPTIONS))
    ['case']
    """
    scoring = {name: options.get(name, OPTIONS[name]) for name in ("tokenize", "lowercase")}
    rows = _SENTENCE_ROWS
    pairs = _mistakes.Pairs(
        [prediction] * rows,
        [list(references)] * rows,
        tokenizer=TOKENIZERS[scoring["tokenize"]],
        tokenizer_name=scoring["tokenize"],
        ignores_case=scoring["lowercase"],
    )
    places: dict[str, Place] = {}
    for found in _mistakes.find_kinds(pairs, {*_SENTENCE_KINDS, *LEFTOVERS}):
        # Texts in tokens on both sides are a question in a corpus, as they may be meant.
        is_meant = found.is_question and found.kind != "tokenized"
        # References are the texts that are meant, tokenized or with marks of a model.
        is_meant |= found.where == "references" and found.kind in ("tokenized", *LEFTOVERS)
        if not is_meant:
            places.setdefault(found.kind, Place("", found))
    return places


def is_unspaced(texts: Sequence[str]) -> bool:
    """Return True for texts in a script written without spaces.

    >>> is_unspaced(["我们用的是中文"]), is_unspaced(["We write plain English, not 中文."])
    (True, False)
    """
    name = OPTIONS["tokenize"]
    pairs = _mistakes.Pairs(
        texts, [[""]] * len(texts), tokenizer=TOKENIZERS[name], tokenizer_name=name
    )
    return any(_mistakes.find_unspaced(pairs))


@contextmanager
def collect_warnings() -> Iterator[list[MetricWarning]]:
    """Collect the metric's warnings of this request.

    `warnings.catch_warnings` would mix up the warnings of concurrent requests.
    """
    collected: list[MetricWarning] = []
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
    return bleu.explain(prediction, references, **options)


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
    # `statistics` returns the rows, and `score` does not count again.
    not_counting = (*_RESAMPLING_OPTIONS, "segments")
    counting = {name: value for name, value in options.items() if name not in not_counting}
    rows = bleu.statistics(predictions=predictions, references=references, **counting)
    score_options = {**options, "segments": True}
    result = bleu.score(rows, by=labels, documents=documents or None, **score_options)
    return ScoredRows(result, rows)


def request_comparison(
    systems: Mapping[str, object],
    references: Sequence[object] | None,
    baseline: str | None,
    test: str,
    *,
    options: Options,
    documents: Sequence[str] | None = None,
) -> Result:
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
            advice = "leave the intervals out (confidence: none), or score a part of the segments"
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
) -> Result:
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
) -> Result:
    """Return the result of `check`."""
    limits.check_options(options, OPTIONS, TOKENIZERS)
    limits.check_systems(systems, references)
    return bleu.check(systems, references, **options)


def list_places(checked: Result) -> list[Place]:
    """Return what `check` has found: alignment and equal texts first, then by effect."""
    place_of = {}
    for system, found in checked.list_found():
        place = Place("" if found.where == "references" else str(system), found)
        place_of[found.kind, found.where, place.system] = place
    return [
        place_of[finding["kind"], finding["where"], finding.get("system", "")]
        for finding in checked["findings"]
    ]


def repair(checked: Result, kinds: Sequence[str]) -> Repaired:
    """Return the texts that `check` has looked at after the fixes of some kinds."""
    return Repaired(*checked.repair(*kinds))


def request_conventions(
    predictions: Sequence[object], references: Sequence[object]
) -> Mapping[str, Setting]:
    """Return the result of `conventions`."""
    limits.check_corpus(predictions, references)
    return bleu.conventions(predictions, references)


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
    warning = cast(MetricWarning, message)
    if warning.kind != "file name":  # it would tell a visitor which files the server has
        collected.append(warning)


_show_elsewhere = warnings.showwarning
warnings.showwarning = _show_warning
# Python's default would show a warning to one visitor only.
warnings.filterwarnings("always", category=bleu.Warning)
