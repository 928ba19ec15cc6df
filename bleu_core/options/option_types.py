"""The types of options and of their values, with the names that users may pass.

The class annotates its methods with them. To add an option, add it to one of the `TypedDict`s, and
to `Options`; to add a tokenizer, a smoothing method, a convention or a test, also its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NewType, TypedDict, get_args

Tokenize = str | Callable[[str], list[str]]  # a name, or a function

# Options that decide what is counted. Rows counted under different values do not add up.
CountingOption = Literal["tokenize", "lowercase", "max_order", "reference_length", "minimum_total"]
COUNTING_OPTIONS: tuple[CountingOption, ...] = get_args(CountingOption)

# Options that apply only to the score of a corpus.
CORPUS_ONLY = ("segments", "confidence", "n_resamples", "seed")

# --- Names, for type checkers and editors ---------------------------------------------------------
#
# Tests compare them with the names of the records.

# The name of a tokenizer that is known only when a program runs, or that depends on a language,
# such as `TokenizerName("moses-de")`. A plain str would hide a mistyped name from type checkers.
TokenizerName = NewType("TokenizerName", str)
NamedTokenizer = Literal[
    "13a",
    "none",
    "intl",
    "zh",
    "char",
    "list",
    "multi-bleu",
    "ptb",
    # of sacreBLEU
    "ja-mecab",
    "ko-mecab",
    "spm",
    "flores101",
    "flores200",
    "spBLEU-1K",
]
SmoothMethodName = Literal[
    "none",
    "skip",
    "floor",
    "add-k",
    "exp",
    "laplace",
    "coco",
    "chen-cherry-4",
    "chen-cherry-5",
    "chen-cherry-6",
    "chen-cherry-7",
    "nltk-4",
    "nltk-5",
    "nltk-7",
]
# The methods of NLTK's SmoothingFunction by their names there.
NLTK_METHODS = {
    "method0": "none",
    "method1": "floor",
    "method2": "add-k",
    "method3": "exp",
    "method4": "nltk-4",
    "method5": "nltk-5",
    "method6": "chen-cherry-6",
    "method7": "nltk-7",
}
ReferenceLengthName = Literal["closest", "shortest", "longest"]
Convention = Literal["default", "papineni", "hf", "nltk", "moses", "coco", "sacrebleu", "bleu"]
TestName = Literal["randomization", "bootstrap", "runs"]

# --- The options as parameters of methods ---------------------------------------------------------
#
# Tests compare them with the fields of `Options`.


class ScoringOptions(TypedDict, total=False):
    """The options of every method."""

    tokenize: (
        NamedTokenizer
        | TokenizerName
        | Callable[[str], list[str]]
        | Mapping[Any, Tokenize]  # with `by`, by label
    )
    lowercase: bool
    max_order: int
    weights: Sequence[float] | None
    smooth_method: SmoothMethodName
    smooth_value: float | None
    effective_order: bool
    reference_length: ReferenceLengthName
    minimum_total: int


class SystemsOptions(ScoringOptions, total=False):
    """The options of methods that resample several systems."""

    confidence: float | None
    seed: int | None


class CorpusOptions(SystemsOptions, total=False):
    """All options."""

    segments: bool
    n_resamples: int


class LoadArguments(CorpusOptions, total=False):
    """All options, and the arguments of `evaluate.Metric`."""

    keep_in_memory: bool
    cache_dir: str | None
    num_process: int
    process_id: int
    experiment_id: str | None
    hash: str | None
    max_concurrent_cache_files: int
    timeout: float
