"""The names of options and of their values, as types; and names of other tools, with advice.

The class annotates its methods with the types. To add an option, add it to one of the `TypedDict`s,
and to `Options`; to add a tokenizer, a smoothing method, a convention or a test, also its name.
Errors about unknown names take their advice from the tables, through `explain_call`,
`explain_unknown_option`, or as they are; to add a name, add a row.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, NewType, TypedDict, get_args

from ..shared.arrays import to_python
from ..shared.messages import count_things

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


# --- Names in other tools, and what to write here -------------------------------------------------

_NAMES_OF_CONFIDENCE = (
    "alpha", "ci", "conf", "confidence_interval", "confidence_level", "level",
)  # fmt: skip


def _advise_confidence(name: str = "", value: object = None) -> str:
    """Return the advice for another tool's name of `confidence`, with the passed number if it fits.

    >>> _advise_confidence("alpha", 0.01)
    'write `confidence=0.99` for a 99% interval, and tests at the 1% level'
    """
    value = to_python(value)
    confidence = 0.95
    if isinstance(value, (int, float)):
        share = 1 - value if name == "alpha" else value
        share = round(share / 100 if 1 < share < 100 else share, 9)
        confidence = share if 0.5 <= share < 1 else 0.95
    percent, level = f"{100 * confidence:g}", f"{100 - 100 * confidence:g}"
    return (
        f"write `confidence={confidence}` for a {percent}% interval, and tests at the {level}%"
        " level"
    )


# Names that other tools use, and the fix for each.
OTHER_NAMES = {
    **dict.fromkeys(("tokenizer", "tok"), "write `tokenize`"),
    "use_effective_order": "write `effective_order`",
    **dict.fromkeys(
        (
            "max_ngram",
            "max_ngram_order",
            "max_n",
            "n",
            "n_gram",
            "n_grams",
            "ngram",
            "ngrams",
            "ngram_order",
            "order",
        ),
        "write `max_order`",
    ),
    **dict.fromkeys(("ignore_case", "lc", "lower"), "write `lowercase`"),
    **dict.fromkeys(
        ("case", "case_sensitive", "cased", "do_lower_case", "uncased"),
        "write `lowercase=True` to ignore case; without it, case counts",
    ),
    "smoothing": "write `smooth_method`",
    **dict.fromkeys(
        ("epsilon", "k"), "write `smooth_value`, with the `smooth_method` that takes it"
    ),
    **dict.fromkeys(_NAMES_OF_CONFIDENCE, _advise_confidence()),
    **dict.fromkeys(
        ("n_bootstrap", "n_bootstraps"),
        "write `confidence=0.95` for an interval, and `n_resamples` for its resamples",
    ),
    "bootstrap": "write `confidence=0.95` for a bootstrap interval, or `test='bootstrap'` in"
    " compare()",
    **dict.fromkeys(
        (
            "n_boot",
            "n_iterations",
            "n_samples",
            "n_trials",
            "num_samples",
            "paired_ar_n",
            "paired_bs_n",
            "trials",
        ),
        "write `n_resamples`",
    ),
    **dict.fromkeys(
        ("paired", "paired_ar", "paired_bs", "paired_test"),
        "remove it; compare() and rank() pair the segments of systems in every test, and compare()"
        " has `test='bootstrap'` and `test='randomization'`",
    ),
    **dict.fromkeys(
        ("return_sentences", "sentence", "sentence_level", "sentence_scores", "sentences"),
        "write `segments=True` for segment scores in addition to the corpus score",
    ),
    **dict.fromkeys(("random_seed", "random_state", "rng"), "write `seed`, an int"),
    **dict.fromkeys(("group_by", "groups"), "write `by`, one label per segment"),
    **dict.fromkeys(("doc_ids", "docs"), "write `documents`, one label per segment"),
    **dict.fromkeys(("n_jobs", "num_proc"), "remove it; threads are used where they help"),
    "force": "remove it; it has no effect here",
    "trg_lang": "write `tokenize='zh'`, `'ja-mecab'` or `'ko-mecab'` for these languages; remove it"
    " for others",
    "smoothing_function": "write `smooth_method`: NLTK's "
    + ", ".join(f"{nltk_name} is {method!r}" for nltk_name, method in NLTK_METHODS.items()),
    "smooth": "write `smooth_method='laplace'` for `smooth=True` in evaluate's `bleu`, and"
    " `smooth_method='add-k'` for torchmetrics",
    **dict.fromkeys(("option", "special_reflen"), "write `reference_length`"),
    "auto_reweigh": "write `effective_order=True`, which distributes the weight of orders without"
    " n-grams",
    "use_aggregator": "write `segments=True` for segment scores in addition to the corpus score",
    "use_stemmer": "BLEU does not stem words; pass a function that stems as `tokenize`",
    **dict.fromkeys(
        (
            "candidate_corpus",
            "candidates",
            "hypotheses",
            "hyps",
            "outputs",
            "predictions",
            "preds",
            "res",
            "sys",
            "sys_stream",
        ),
        "write `predictions`",
    ),
    **dict.fromkeys(("hypothesis", "prediction"), "write `predictions`, one per segment"),
    **dict.fromkeys(
        (
            "gts",
            "list_of_references",
            "ref_streams",
            "reference",
            "references",
            "references_corpus",
            "refs",
            "target",
            "targets",
        ),
        "write `references`, one list per prediction",
    ),
    "trust_remote_code": "remove it; evaluate does not ask for it",
    "verbose": "remove it; print the result for its precisions and lengths",
    **dict.fromkeys(
        (
            "compute_on_cpu",
            "compute_with_cache",
            "dist_sync_fn",
            "dist_sync_on_step",
            "distributed_available_fn",
            "process_group",
            "sync_on_compute",
        ),
        "remove it; tables of several processes add up with statistics() and total()",
    ),
}

# The advice for columns in methods whose columns have other names.
_SYSTEMS = "write `systems`, a dict from names to predictions"
_COLUMNS = {
    ("compare", "predictions"): _SYSTEMS,
    ("rank", "predictions"): _SYSTEMS,
    ("diff", "predictions"): _SYSTEMS,
    ("explain", "predictions"): "write `prediction`, one text",
    ("explain", "references"): "write `references`, the references of one prediction",
    ("pairwise", "references"): "write `references`, one list of texts",
    ("self_bleu", "predictions"): "write `texts`",
    ("self_bleu", "references"): "write `against`, one list of texts",
    ("compute_metrics", "predictions"): "remove it; the trainer passes the predictions",
}

# Names of values of a result in other tools, or in statistics, and the key here. They are in lower
# case and without separators, as `Report` compares them, which also leaves out "bleu_" and "score_"
# at the beginning.
OTHER_KEYS = {
    **dict.fromkeys(("blue", "bleuscore", "corpusbleu", "microbleu"), "bleu"),
    "microscore": "score",
    **dict.fromkeys(
        ("sentencebleu", "sentencescores", "segmentscores", "segments"), "segment_bleu"
    ),
    "bp": "brevity_penalty",
    **dict.fromkeys(("syslen", "hyplen", "predictionlength"), "translation_length"),
    "reflen": "reference_length",
    "ratio": "length_ratio",
    **dict.fromkeys(("ci", "interval"), "confidence_interval"),
    "confidencemean": "bootstrap_mean",
    **dict.fromkeys(
        ("se", "sem", "std", "stddev", "stderr", "stderror", "standarddeviation"), "standard_error"
    ),
    **dict.fromkeys(("p", "pval", "pvalue"), "p_value"),
    **dict.fromkeys(("diff", "difference"), "delta"),
    "by": "groups",
}

# Names of methods in other tools, and the call here.
OTHER_METHODS = {
    **dict.fromkeys(
        ("score", "corpus_score", "corpus_bleu"),
        "compute(predictions=..., references=...), or compute(statistics=tables)",
    ),
    **dict.fromkeys(
        ("sentence_score", "sentence_bleu"),
        "explain(prediction, references), or compute(segments=True) for the scores of all segments",
    ),
    **dict.fromkeys(("compute_score", "forward"), "compute(predictions=..., references=...)"),
    "update": "add_batch(predictions=..., references=...), then compute()",
    "get_signature": "compute(predictions=..., references=...)['signature']",
    "conventions": "reconcile(predictions, references)",
}

# Names of attributes of a result in other tools or of a pandas frame, and the expression here.
OTHER_ATTRIBUTES = {
    "format": "print(result)",
    **dict.fromkeys(("to_dict", "asdict", "_asdict"), "dict(result)"),
    "to_json": "json.dumps(result)",
    **dict.fromkeys(("to_df", "to_dataframe", "to_frame"), "result.to_pandas()"),
    "to_csv": "result.to_pandas().to_csv(path)",
}


def explain_call(method: str, signature: inspect.Signature) -> str:
    """Name the call to write instead of one whose arguments Python rejects.

    >>> explain_call("fingerprint", inspect.signature(lambda self, references: None))
    'fingerprint() takes 1 positional argument: references. Write fingerprint(references).'
    """
    _, *parameters = signature.parameters.values()
    positional = [one for one in parameters if one.kind == one.POSITIONAL_OR_KEYWORD]
    names = [one.name for one in positional]
    if "systems" in names:
        written = f"{method}({{'A': [...], 'B': [...]}}, references), and the others by name"
        return f"{method}() takes systems as a dict. Write {written}."
    columns = [one.name for one in parameters if re.fullmatch("(prediction|reference)s?", one.name)]
    if columns and not names:
        written = ", ".join(f"{name}=..." for name in columns)
        return f"{method}() takes its columns by name. Write {method}({written})."
    taken = count_things(len(names), "positional argument")
    if names:
        taken += f": {', '.join(names)}"
    required = ", ".join(one.name for one in positional if one.default is one.empty)
    return f"{method}() takes {taken}. Write {method}({required})."


def explain_unknown_option(
    name: str, taken: Collection[str], method: str, value: object = None
) -> str:
    """Name the fix for an option that a method does not take."""
    takes = f"{method}() takes {', '.join(taken)}."
    options = CorpusOptions.__annotations__
    if name in options:
        return f"`{name}` is not an option of {method}(). Remove it. {takes}"
    advice = OTHER_NAMES.get(name, "")
    if name in _NAMES_OF_CONFIDENCE:
        advice = _advise_confidence(name, value)
    for argument in re.findall(r"^write `(\w+)", advice):
        advice = _COLUMNS.get((method, argument), advice)
        if argument not in options and method == "evaluate.load":
            advice = f"pass it to compute() as `{argument}`"
        elif argument in (*options, "by", "documents") and argument not in taken:
            advice = ""
    if advice:
        return f"Unknown option `{name}`: {advice}."
    for nearest in difflib.get_close_matches(name, taken, n=1, cutoff=0.75):
        return f"Unknown option `{name}`. Did you mean `{nearest}`?"
    return f"Unknown option `{name}`. {takes}"
