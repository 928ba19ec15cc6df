"""BLEU for the `evaluate` ecosystem: `evaluate.load("./bleu_metric.py")`.

This file has the description of the metric, `_info`, `_compute`, and every public method with its
documentation. A method calls a function of its file in `bleu_core/`. evaluate's loader copies only
what this file imports at the start of a line, without a comment after the import: `bleu_core.py`,
which has all of `bleu_core/`.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

import datasets
import evaluate
import numpy as np
import pyarrow as pa
from datasets.utils.py_utils import copyfunc

if not __package__:
    raise ImportError(
        "These are the files that evaluate.load('bleu_metric.py') reads. To import BleuMetric, run"
        " `pip install .` in their folder, and start Python in another folder."
    )

from .bleu_core import (
    CITATION,
    DESCRIPTIONS,
    DROP_INS,
    NOT_A_TOKENIZER,
    OPTIONS,
    BleuWarning,
    BufferedMetric,
    Checked,
    Comparison,
    Convention,
    Conventions,
    Corpus,
    CorpusOptions,
    Difference,
    Explanation,
    GroupedResult,
    LoadArguments,
    Options,
    Ranking,
    Reconciliation,
    Result,
    ResultType,
    ScoringOptions,
    SelfBleu,
    SystemsOptions,
    TestName,
    TrainerMetric,
    add_statistics,
    check_texts,
    check_tokenizers,
    choose_options,
    compare_conventions,
    compare_systems,
    count,
    count_segments,
    diff_systems,
    explain_call,
    explain_segment,
    explain_unknown_option,
    find_settings,
    fingerprint_references,
    is_packed,
    measure_self_bleu,
    options_of_signature,
    picklable,
    rank_systems,
    read,
    read_corpus,
    read_drop_in,
    read_texts,
    restore_result,
    score,
    score_pairs,
    score_statistics,
    shape_result,
    show_value,
    tabulate,
    warm_up,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


DESCRIPTION = """\
BLEU (Papineni et al., 2002): clipped n-gram precision with a brevity penalty. By default, scores
match sacreBLEU, and each comes with a signature in sacreBLEU's format; named conventions reproduce
evaluate's `bleu`, NLTK, Moses, pycocoevalcap and the paper. Also provides segment scores,
confidence intervals, paired significance tests, summable statistics for distributed scoring,
sentence-level explanations, and tools that find out why two scores differ.
"""

INPUTS_DESCRIPTION = """
Args:
    predictions: one item per segment: a str, a list of str tokens, or a list of int token ids; in
        a list, tuple, NumPy array, pandas or polars Series, `datasets.Dataset` column, Arrow array
        or open file.
    references: for each segment, a list of references (the number may vary) or a single str; or a
        table or 2-D array with one row per segment.
    by: one label per segment, such as its domain or language pair: str, numbers or None; or the
        name of a column of `statistics`, such as `"label"`. Covers all segments, in the order in
        which they were added. `tokenize` may then be a dict from labels to tokenizers; other labels
        have the default.
    documents: one label per segment, the name of its document; or the name of a column of
        `statistics`, such as `"document"`. With `confidence`, whole documents are resampled instead
        of segments. Scores do not change.
    statistics: rows to score instead of texts: a table from `statistics` or `total`; a frame,
        `datasets.Dataset` or dict with its columns; any iterable of these; or sums of rows, an int
        array of shape [2 N + 2] or [k, 2 N + 2]. Rows from `add_batch` stay, and no process waits
        for others.
    like: for `statistics` without metadata, such as sums, a table that was counted under the same
        options. It supplies the options and the number of references, which the signature otherwise
        shows as `?`.
{options}
Returns:
    A dict of plain Python values: `bleu` (0 to 1), `score` (0 to 100), `precisions`,
    `brevity_penalty`, `length_ratio`, `translation_length`, `reference_length`, `counts`, `totals`,
    `bleu_by_order`, `signature`. Options add keys:
        segment_bleu, mean_segment_bleu: with `segments`.
        confidence_interval, bootstrap_mean, standard_error: with `confidence`, sacreBLEU's
            percentile bootstrap.
        documents, degrees_of_freedom: with `confidence` and `documents`, their number, and the
            degrees of freedom of Student's t.
        groups: with `by`, the same keys for each label.
        macro_bleu, macro_score: with `by`, the means over groups.
        macro_confidence_interval, macro_degrees_of_freedom, macro_standard_error: with `by` and
            `confidence`.
        shared_documents: the number of documents that occur in several groups, if any.
Raises:
    TypeError, ValueError: the input or an option is invalid.
Examples:
    >>> import evaluate
    >>> bleu = evaluate.load("./bleu_metric.py")
    >>> result = bleu.compute(
    ...     predictions=["the cat sat on the mat"], references=[["the cat sat on a mat"]]
    ... )
    >>> print(round(result["score"], 2), result["signature"])
    53.73 nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:bleu_metric-1.0.0
"""
# Without a break at hyphens, 'chen-cherry-4' stays whole.
_WRAPPER = textwrap.TextWrapper(
    100, initial_indent=" " * 4, subsequent_indent=" " * 8, break_on_hyphens=False
)
INPUTS_DESCRIPTION = INPUTS_DESCRIPTION.format(
    options="\n".join(
        _WRAPPER.fill(f"{name}: {says}; {OPTIONS[name]!r} by default.")
        for name, says in DESCRIPTIONS.items()
    )
)

# The public methods that take options, and the types of `**options`, which list what each takes.
METHODS: dict[str, type] = {
    "compute": CorpusOptions,
    "statistics": CorpusOptions,
    "compare": SystemsOptions,
    "rank": SystemsOptions,
    "diff": ScoringOptions,
    "explain": ScoringOptions,
    "check": ScoringOptions,
    "pairwise": ScoringOptions,
    "self_bleu": ScoringOptions,
    "reconcile": ScoringOptions,
    "compute_metrics": ScoringOptions,
}

WITHOUT_OPTIONS = ("fingerprint", "restore", "total", "warm_up")  # the other public methods

# The types of results. Those with more keys stand before those that have a part of them.
RESULT_TYPES = (
    ResultType(Explanation, "explain()", ("orders", "prediction", "precisions", "signature")),
    ResultType(GroupedResult, "compute()", ("groups", "macro_bleu", "precisions", "signature")),
    ResultType(Result, "compute()", ("bleu_by_order", "precisions", "counts", "signature")),
    ResultType(Comparison, "compare()", ("baseline", "systems", "test", "signature")),
    ResultType(Ranking, "rank()", ("ranking", "pairs", "test", "signature")),
    ResultType(Difference, "diff()", ("by_length", "ngrams", "systems", "signature")),
    ResultType(SelfBleu, "self_bleu()", ("self_bleu", "segment_bleu", "signature")),
    ResultType(Checked, "check()", ("findings", "segments", "signature")),
    ResultType(Conventions, "reconcile()", ("default", "papineni", "hf", "nltk", "moses")),
    ResultType(Reconciliation, "reconcile()", ("reported", "matches", "nearest", "chance")),
)

_AnyMetric = TypeVar("_AnyMetric", bound="type[BleuMetric]")


def _list_options(
    signature: inspect.Signature, defaults: Mapping[str, object]
) -> inspect.Signature:
    """Return a signature in which the options replace `**options`, for `help` and Tab."""
    named = signature.parameters
    parameters = [
        parameter for parameter in named.values() if parameter.kind != parameter.VAR_KEYWORD
    ]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
        for name, value in defaults.items()
        if name not in named
    ]
    return signature.replace(parameters=parameters)


def _show_options(metric: _AnyMetric) -> _AnyMetric:
    """Add the options and their defaults to the signatures of the class's methods.

    `_options_of` reads them there.
    """
    for name, options in METHODS.items():
        method = getattr(metric, name)
        defaults = {
            option: OPTIONS[option] for option in OPTIONS if option in options.__annotations__
        }
        if name in ("compare", "rank"):
            defaults["confidence"] = 0.95
        method.__signature__ = _list_options(inspect.signature(method), defaults)
        TAKES[name] = [
            parameter.name
            for parameter in method.__signature__.parameters.values()
            if parameter.kind == parameter.KEYWORD_ONLY
        ]
    return metric


TAKES: dict[str, list[str]] = {}  # the arguments of each method that have no position


@picklable
class _PublicMethod:
    """The function of a bound method, by its name.

    cloudpickle and dill pickle a bound method as function and object. They would refer to the
    function by its module, which other processes lack.
    """

    __name__: str

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        # Not Python's default: from 3.14 on, `__annotate__` is a function that holds the class.
        functools.update_wrapper(
            self,
            function,
            assigned=("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"),
        )
        self.__name__ = name  # a derived class may have a function of another name
        self.__signature__ = inspect.signature(function)  # a pickled object has no `__wrapped__`

    def __call__(self, metric: object, /, *arguments: object, **named: object) -> object:
        try:
            return getattr(type(metric), self.__name__)(metric, *arguments, **named)
        except TypeError as error:
            # Only an error of Python about the arguments has no frame of the function.
            traceback = error.__traceback__
            if traceback is None or traceback.tb_next is not None:
                raise
        raise TypeError(explain_call(self.__name__, self.__signature__))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "__wrapped__"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)


@_show_options
@picklable
class BleuMetric(BufferedMetric):
    """BLEU as an `evaluate.Metric`. Create one with `evaluate.load`.

    To score texts, call `compute`, after `add` or `add_batch` if they come in parts. For millions
    of rows or several machines, ship tables from `statistics` and `total`, and score them with
    `compute(statistics=tables)`. To compare systems, call `compare`, `rank` or `diff`. To examine
    the input, a segment or a published score, call `check`, `explain` or `reconcile`; to identify
    references, `fingerprint`. For training, `compute_metrics` returns a callback. To choose among
    samples, or to measure their diversity, call `pairwise` or `self_bleu`. `restore` reads saved
    results, and `warm_up` compiles ahead of time.

    Args:
        config_name: a convention: `"default"`, `"papineni"`, `"hf"`, `"nltk"`, `"moses"` or
            `"coco"`; or a drop-in, `"sacrebleu"` or `"bleu"`, under which `compute` has the
            arguments and results of evaluate's module.
        signature: the signature of a score, by this metric or sacreBLEU, whose options are used;
            not with a `config_name`. Options in `**arguments` override it.
        **arguments: options, the defaults of every call; other arguments of `evaluate.load`.

    Raises:
        TypeError, ValueError: as `compute`; or the argument, the convention or the signature is
            unknown.
    """

    Warning = BleuWarning

    def __init__(
        self,
        config_name: Convention | None = None,
        *,
        signature: str | None = None,
        **arguments: Unpack[LoadArguments],
    ) -> None:
        known = inspect.signature(evaluate.Metric.__init__).parameters
        arguments_of_evaluate = {name: value for name, value in arguments.items() if name in known}
        given = {  # `seed` is an argument of both
            name: value for name, value in arguments.items() if name in OPTIONS or name not in known
        }
        if signature is None:
            self._options = choose_options(config_name or "default", given)
        elif config_name is not None:
            raise ValueError("config_name and signature: both choose options. Pass one of them.")
        else:
            self._options = options_of_signature(signature, given)
        check_tokenizers(self._options)
        super().__init__(config_name=config_name, **arguments_of_evaluate)
        self._bind_methods()

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        texts = datasets.Sequence(text)
        ids = datasets.Sequence(datasets.Value("int64"))
        info = evaluate.MetricInfo(
            description=DESCRIPTION,
            citation=CITATION,
            inputs_description=INPUTS_DESCRIPTION,
            features=[
                datasets.Features(predictions=text, references=texts),
                datasets.Features(predictions=text, references=text),
                datasets.Features(predictions=texts, references=datasets.Sequence(texts)),
                datasets.Features(predictions=ids, references=datasets.Sequence(ids)),
            ],
            reference_urls=[
                "https://aclanthology.org/P02-1040",
                "https://aclanthology.org/W18-6319",
            ],
        )
        info.format = "arrow"  # the constructor rejects it for lists, evaluate's code accepts it
        return info

    def _compute(
        self,
        predictions: object = None,
        references: object = None,
        options: Options | None = None,
        by: object = None,
        documents: object = None,
        statistics: object = None,
        like: object = None,
        added: Sequence[Corpus] = (),
    ) -> dict[str, Any]:
        """Score texts: those of a user, or the columns that evaluate passes; or score statistics.

        `added` are the rows of `add` and `add_batch`.
        """
        chosen = options or self._options_of_compute({})
        if statistics is not None:
            return score_statistics(statistics, chosen, by=by, documents=documents, like=like)
        if is_packed(predictions):
            added = self._gather(predictions, references)
            predictions = references = None
        look = self._watch.begin_call()
        call = read(predictions, references, by, documents, chosen, added=added)
        rows = count(call)
        look(call.corpus, rows.bigrams, chosen)
        return shape_result(score(rows, chosen), chosen)

    def compute(
        self,
        *,
        predictions: object = None,
        references: object = None,
        by: object = None,
        documents: object = None,
        statistics: object = None,
        like: object = None,
        **options: Unpack[CorpusOptions],
    ) -> Result:
        """Compute BLEU for the segments passed here plus any added with `add` or `add_batch`."""
        if statistics is not None:
            if predictions is not None or references is not None:
                raise TypeError(
                    "compute() takes either `statistics`, or `predictions` and `references`. To"
                    " score texts with tables, count them:"
                    " statistics=[*tables, bleu.statistics(predictions=..., references=...)]."
                )
            chosen = self._options_of("compute", options, checks_weights=False)
            return cast(
                "Result",
                self._compute(
                    options=chosen, by=by, documents=documents, statistics=statistics, like=like
                ),
            )
        if like is not None:
            raise TypeError(
                "like: describes how sums were counted. Write compute(statistics=sums, like=table)."
            )
        chosen = self._options_of_compute(options)
        if by is not None:
            self._check_labels_fit("by", column="label")
        if documents is not None:
            self._check_labels_fit("documents", column="document")
        with self._buffer.hold() as added:
            if self.num_process > 1 and self._gathered is None:
                result = self._compute_together(predictions, references, added, chosen)
            else:
                result = self._compute(
                    predictions, references, chosen, by=by, documents=documents, added=added
                )
        self._gathered = None
        # Type checkers would reject every use of a result that may be None, as it is in all
        # processes but the first. Under a drop-in it is a plain dict.
        return cast("Result", result)

    def statistics(
        self,
        *,
        predictions: object = None,
        references: object = None,
        by: object = None,
        documents: object = None,
        **options: Unpack[CorpusOptions],
    ) -> pa.Table:
        """Count each segment, and return the sufficient statistics that `compute` can score.

        Args:
            predictions: as for `compute`.
            references: as for `compute`.
            by: as for `compute`; the table gets a column `label`.
            documents: as for `compute`; the table gets a column `document`.
            **options: any option of `compute`. Options for smoothing and resampling take effect in
                `compute(statistics=...)`.

        Returns:
            A table with int64 columns `matches_1..N`, `totals_1..N`, `prediction_length` and
            `reference_length`, one row per segment. Its metadata records the options, and the
            tokenizer of each label.

        Raises:
            TypeError, ValueError: as `compute`.

        >>> bleu = evaluate.load("./bleu_metric.py", max_order=1)
        >>> table = bleu.statistics(predictions=["a b"], references=[["a b c"]])
        >>> table.to_pylist()
        [{'matches_1': 2, 'totals_1': 2, 'prediction_length': 2, 'reference_length': 3}]
        >>> sums = [4, 4, 4, 6]
        >>> bleu.compute(statistics=sums, like=table) == bleu.compute(statistics=[table, table])
        True
        """
        chosen = self._options_of("statistics", options)
        look = self._watch.begin_call()
        call = read(predictions, references, by, documents, chosen, allow_empty=True)
        rows = count_segments(call)
        look(call.corpus, rows.bigrams, chosen)
        return tabulate(rows, chosen)

    def total(self, tables: object) -> pa.Table:
        """Add statistics, and return their sum as a table that keeps how they were counted.

        Args:
            tables: as the `statistics` of `compute`. A generator needs memory for one table.

        Returns:
            A table with one row; or with one row per label and document, if the tables have a
            column `label` or `document`. `compute` takes it without `like`, and `compare` and
            `rank` with `documents`. The total of tables without rows has no rows.

        Raises:
            TypeError, ValueError: as `compute`; or only some tables have labels or documents.

        >>> bleu = evaluate.load("./bleu_metric.py", max_order=1)
        >>> batches = [["a b"], ["b", "c"]]
        >>> total = bleu.total(
        ...     bleu.statistics(predictions=batch, references=["a b"] * len(batch))
        ...     for batch in batches
        ... )
        >>> total.to_pylist()
        [{'matches_1': 3, 'totals_1': 4, 'prediction_length': 4, 'reference_length': 6}]
        >>> bleu.compute(statistics=total)["signature"]
        'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|order:1|version:bleu_metric-1.0.0'
        """
        return add_statistics(tables, self._options)

    def compare(
        self,
        systems: object,
        references: object = None,
        *,
        baseline: str | None = None,
        test: TestName | None = None,
        n_resamples: int | None = None,
        by: object = None,
        documents: object = None,
        like: object = None,
        **options: Unpack[SystemsOptions],
    ) -> Comparison:
        """Test whether systems differ significantly from a baseline on the same references.

        Args:
            systems: a dict from the name of each system to its predictions; to its table from
                `statistics`, or a list of tables, the parts of one test set; or to a dict of these
                by training run. Or a pandas or polars DataFrame or `pa.Table` with one column of
                text per system, and no others.
            references: as for `compute`; None if `systems` are tables.
            baseline: the name of a system; the first system by default.
            test: `"randomization"`, the default, or `"bootstrap"`; both are paired and two-sided.
                Several training runs have one test, `"runs"`. See docs/significance.md.
            n_resamples: for the test only; by default the number passed at load, or else 10,000 for
                randomization and 1,000 for the others.
            by: as for `compute`.
            documents: as for `compute`.
            like: as for `compute`.
            **options: any option of `compute` except `segments`. `confidence` is 0.95 by default,
                for tests at the 5% level; None leaves out intervals and `detectable_delta`.

        Returns:
            A dict with `baseline`, `systems`, `test`, `n_resamples`, `seed`, `confidence`, with
            `documents` their number, and `signature`. Each of `systems` is a dict:
                bleu, score, confidence_interval, bootstrap_mean, standard_error: as from `compute`,
                    by document with `degrees_of_freedom`; for several training runs, about their
                    mean score, without `bootstrap_mean`.
                runs: for training runs, the `bleu` and `score` of each, and with `by` its
                    `macro_bleu`.
                run_standard_deviation: the sample standard deviation of their scores.
            All systems except the baseline also have:
                delta: the difference from the baseline in `bleu`.
                p_value: two-sided; 1.0 for identical systems.
                p_value_sacrebleu: under the bootstrap, sacreBLEU's p-value, one-sided in effect.
                delta_interval, delta_degrees_of_freedom, delta_standard_error: the interval of the
                    difference, with Student's t.
                wins, ties, losses: numbers of segments; with several runs, by their mean score.
                detectable_delta: the minimum detectable effect at the 5% level with 80% power (Card
                    et al., 2020).
                groups: with `by`, for each label `bleu`, `score`, `delta`, `p_value` and, with
                    `documents`, their number.
                macro_*: with `by`, the same about the mean over groups, such as `macro_bleu` and
                    `macro_delta_interval`; `shared_documents` as from `compute`.

        Raises:
            TypeError, ValueError, ImportError: as `compute`; or the test or the baseline is
                unknown, or the test does not fit the numbers of runs, or scipy is missing, which
                Student's t needs.

        >>> bleu = evaluate.load("./bleu_metric.py")
        >>> references = [f"{n} green bottles hanging on the wall" for n in range(40)]
        >>> systems = {
        ...     "old": [text.replace("hanging on", "standing by") for text in references],
        ...     "new": [text.replace("hanging", "swaying") for text in references],
        ... }
        >>> comparison = bleu.compare(systems, references)
        >>> comparison["systems"]["new"]["p_value"] < 0.05
        True
        """
        chosen = self._options_of(
            "compare",
            {"confidence": self._options.confidence or 0.95, **options},
            checks_weights=references is not None,
        )
        return compare_systems(
            systems,
            references,
            chosen,
            baseline=baseline,
            test=test,
            n_resamples=n_resamples,
            by=by,
            documents=documents,
            like=like,
        )

    def rank(
        self,
        systems: object,
        references: object = None,
        *,
        documents: object = None,
        like: object = None,
        n_resamples: int | None = None,
        alpha: float = 0.05,
        family_wise: bool = True,
        **options: Unpack[SystemsOptions],
    ) -> Ranking:
        """Rank systems by tests of all pairs, with the rank ranges and clusters of WMT.

        The test is paired approximate randomization.

        Args:
            systems: as for `compare`, with one training run per system.
            references: as for `compute`; None if `systems` are tables.
            documents: as for `compare`.
            like: as for `compute`.
            n_resamples: by default the number passed at load, or else twice as many as Holm's
                procedure needs, from 10,000 to 100,000.
            alpha: the level of significance, above 0 and below 1.
            family_wise: True to apply `alpha` to all pairs together; False to each pair, as WMT
                does.
            **options: as for `compare`.

        Returns:
            A dict:
                ranking: the systems, the best first: the name as `system`, the score and its
                    interval as from `compare`, `rank_range` and `cluster`. A rank range begins at 1
                    plus the number of significantly better systems, and ends at the number of
                    systems minus the significantly worse ones.
                pairs: for each pair its `systems`, the better first, `delta`, `p_value`, and
                    `p_adjusted` by Holm's procedure (1979).
                alpha, family_wise, test, n_resamples, seed, confidence, documents, signature: the
                    settings.

        Raises:
            TypeError, ValueError: as `compare`; or `alpha` is out of range.

        >>> bleu = evaluate.load("./bleu_metric.py")
        >>> references = [f"{n} green bottles hanging on the wall" for n in range(40)]
        >>> words = ["hanging", "bottles"] * 20
        >>> systems = {
        ...     "old": [text.replace("hanging on", "standing by") for text in references],
        ...     "A": [text.replace(word, "things") for text, word in zip(references, words)],
        ...     "B": [text.replace(word, "things") for text, word in zip(references, words[::-1])],
        ... }
        >>> ranking = bleu.rank(systems, references)["ranking"]
        >>> [(system["system"], system["rank_range"]) for system in ranking]
        [('A', [1, 2]), ('B', [1, 2]), ('old', [3, 3])]
        """
        if "by" in options:
            raise TypeError(
                "`by` is not an option of rank(). Rank the segments of each label in a call of"
                " their own."
            )
        if "test" in options:
            raise TypeError(
                "`test` is not an option of rank(), which has one test, approximate randomization."
                " Remove it."
            )
        chosen = self._options_of(
            "rank",
            {"confidence": self._options.confidence or 0.95, **options},
            checks_weights=references is not None,
        )
        return rank_systems(
            systems,
            references,
            chosen,
            n_resamples=n_resamples,
            alpha=alpha,
            family_wise=family_wise,
            documents=documents,
            like=like,
        )

    def fingerprint(self, references: object) -> str:
        """Return a hash of references, to quote beside a score.

        It is the SHA-256 of `text`, or `lists` for tokens and ids, and a netstring per segment,
        which contains a netstring per reference other than None.

        Args:
            references: as for `compute`.

        Returns:
            64 hexadecimal digits.

        Raises:
            TypeError, ValueError: as `compute`.

        >>> bleu = evaluate.load("./bleu_metric.py")
        >>> bleu.fingerprint([["the cat sat on a mat"]])[:16]
        'e1e3638807bb137b'
        """
        return fingerprint_references(references)

    def diff(
        self,
        systems: object,
        references: object,
        *,
        by: object = None,
        **options: Unpack[ScoringOptions],
    ) -> Difference:
        """Show where two systems differ: by segment, reference length, label and n-gram.

        Args:
            systems: the predictions of two systems, as for `compare`; the first is the baseline.
            references: as for `compute`.
            by: as for `compute`.
            **options: any option of `compute` except `segments`, `confidence`, `n_resamples` and
                `seed`.

        Returns:
            A dict. `bleu` and `matches` have one number per system; `delta` is the second system's
            score minus the first system's:
                wins, ties, losses: numbers of segments in which the second system scores higher,
                    equally, and lower.
                systems: `bleu` and `score` of each system, and `delta` of the second.
                by_length: for each range of reference lengths, `from` and `to` in tokens (None for
                    the last range), the number of `segments`, `bleu` and `delta`.
                groups: with `by`, `segments`, `bleu` and `delta` of each label.
                ngrams: for each `order`, in `systems` by name, the 20 most distinctive n-grams (by
                    McNemar's statistic) that a system matches more often: the tokens (`ngram`), the
                    surplus of matches (`count`), the `matches` that only one system has in a
                    segment, and the first `segment` with a surplus. Beyond two million differing
                    n-grams of an order, the rarest are dropped.
                segments: for each system, the 20 segments with its largest lead: the index
                    (`segment`), `bleu` and `delta`.
                segment_bleu: for each system, the scores of all segments, with effective order.
                signature: as from `compute`.

        Raises:
            TypeError, ValueError: as `compute`; or there are not two systems.

        >>> bleu = evaluate.load("./bleu_metric.py", max_order=2)
        >>> references = ["the cat sat on the mat", "a dog barks"]
        >>> systems = {"old": ["a cat sat on a mat", "a dog barks"], "new": references}
        >>> difference = bleu.diff(systems, references, by=["cats", "dogs"])
        >>> difference["wins"], difference["ties"], difference["losses"]
        (1, 1, 0)
        >>> [ngram["ngram"] for ngram in difference["ngrams"][1]["systems"]["new"]]
        [['on', 'the'], ['the', 'cat'], ['the', 'mat']]
        """
        return diff_systems(systems, references, by, self._options_of("diff", options))

    def explain(
        self, prediction: object, references: object, **options: Unpack[ScoringOptions]
    ) -> Explanation:
        """Show which n-grams matched in one segment and how its score was computed.

        Args:
            prediction: the hypothesis: a str, a list of str tokens or a list of int token ids.
            references: a list of references of the same type, or a single str.
            **options: any option of `compute` except `segments`, `confidence`, `n_resamples` and
                `seed`.

        Returns:
            A dict, in color in a notebook, with the keys of `compute` for this segment, and:
                weights: the weight of each order in the score.
                prediction: its `tokens`, its `length`, and `longest_match`, per token the highest
                    order of a matching n-gram that contains it, or 0.
                references: the same for each reference.
                effective_reference: the index of the reference that sets the brevity penalty.
                orders: for each order, its `total`, the matches before clipping
                    (`unclipped_matches`) and after (`matches`), and the n-grams that `matched`,
                    were `clipped` (more occurrences than in any single reference) or `missed` (in
                    no reference), each with its `count` in the prediction and the `allowed` count.

        Raises:
            TypeError, ValueError: as `compute`.

        >>> bleu = evaluate.load("./bleu_metric.py", max_order=1)
        >>> explanation = bleu.explain("the the the", ["the cat is on the mat"])
        >>> explanation["orders"][0]["unclipped_matches"], explanation["orders"][0]["matches"]
        (3, 2)
        """
        chosen = replace(self._options_of("explain", options), segments=False, confidence=None)
        return explain_segment(prediction, references, chosen, look=self._watch.begin_call())

    def pairwise(
        self, predictions: object, references: object = None, **options: Unpack[ScoringOptions]
    ) -> np.ndarray[Any, Any]:
        """Score each prediction against each reference, as minimum Bayes risk (MBR) decoding needs.

        Args:
            predictions: as for `compute`.
            references: any number of single texts of the same kind; None for the predictions
                themselves.
            **options: any option of `compute` except `segments`, `confidence`, `n_resamples` and
                `seed`.

        Returns:
            A float64 array of shape (predictions, references): segment BLEU on the scale 0-1, with
            effective order.

        Raises:
            TypeError, ValueError: as `compute`.

        >>> bleu = evaluate.load("./bleu_metric.py")
        >>> samples = ["the cat sat there", "the cat sat here", "a dog sat here"]
        >>> samples[bleu.pairwise(samples).mean(axis=1).argmax()]
        'the cat sat here'
        """
        chosen = self._options_of("pairwise", options)
        columns = {"predictions": predictions}
        if references is not None:
            columns["references"] = references
        return score_pairs(read_texts(**columns), chosen)

    def self_bleu(
        self,
        texts: object,
        *,
        against: object = None,
        by: object = None,
        **options: Unpack[ScoringOptions],
    ) -> SelfBleu:
        """Measure how similar texts are to each other: self-BLEU (Zhu et al., 2018).

        Args:
            texts: two texts or more, as the `predictions` of `compute`; one is enough with
                `against`.
            against: references that all texts share, as a column of texts; None to score each text
                against the others.
            by: one label per text, such as its prompt, to score each text against the others of its
                label.
            **options: any option of `compute` except `segments`, `confidence`, `n_resamples` and
                `seed`.

        Returns:
            A dict with `segment_bleu`, the score of each text, with effective order; `self_bleu`,
            their mean (lower means more diverse); and `signature`. With `by`, `groups` has these
            keys for each label, and `self_bleu` is the mean over labels.

        Raises:
            TypeError: as `compute`; or both `against` and `by` are passed.
            ValueError: as `compute`; or there are fewer than two texts, or fewer than two of a
                label.

        >>> bleu = evaluate.load("./bleu_metric.py")
        >>> texts = ["the cat sat there", "the cat sat there", "a dog barks"]
        >>> bleu.self_bleu(texts)["segment_bleu"]
        [1.0, 1.0, 0.0]
        >>> bleu.self_bleu(texts, against=["a dog barks", "it rains"])["segment_bleu"]
        [0.0, 0.0, 1.0]
        """
        return measure_self_bleu(
            texts, self._options_of("self_bleu", options), against=against, by=by
        )

    def check(
        self,
        predictions: object,
        references: object,
        *,
        documents: object = None,
        **options: Unpack[ScoringOptions],
    ) -> Checked:
        """Look for mistakes in the input, with their effect on the score.

        Args:
            predictions: as for `compute`; or several systems, as for `compare`.
            references: as for `compute`.
            documents: the document of each row, to count the documents per finding.
            **options: any option of `compute` except `segments`, `confidence`, `n_resamples` and
                `seed`.

        Returns:
            A dict with `bleu` and `score` of the input as it is (for several systems by name, in
            `systems`), the number of `segments`, and `findings`. `result.fixed(*kinds)` returns the
            texts without mistakes. Each finding is a dict:
                kind, where: the kind, as in docs/check.md; `"predictions"` or `"references"`.
                system: the name, if one of several systems has the mistake.
                rows, share, first: the number of rows, their share, and the first row.
                documents: the number of documents, if they were passed.
                example, says: the place between ⟦ and ⟧, and a sentence.
                fix: the line to write.
                score, delta_score: `score` after the fix, and its change; None if `fixed` does not
                    apply the fix.

        Raises:
            TypeError, ValueError: as `compute`; or the input is statistics, which have no texts.

        >>> bleu = evaluate.load("./bleu_metric.py")
        >>> result = bleu.check(["The c@@ at s@@ at."] * 3, ["The cat sat."] * 3)
        >>> [(finding["kind"], finding["rows"], finding["score"]) for finding in result["findings"]]
        [('subwords', 3, 100.0)]
        """
        return check_texts(predictions, references, documents, self._options_of("check", options))

    @overload
    def reconcile(
        self,
        predictions: object,
        references: object,
        reported: None = None,
        **fixed: Unpack[ScoringOptions],
    ) -> Conventions: ...
    @overload
    def reconcile(
        self,
        predictions: object,
        references: object,
        reported: float | str | Mapping[str, object],
        *,
        decimals: int | None = None,
        **fixed: Unpack[ScoringOptions],
    ) -> Reconciliation: ...
    def reconcile(
        self,
        predictions: object,
        references: object,
        reported: float | str | Mapping[str, object] | None = None,
        *,
        decimals: int | None = None,
        **fixed: Unpack[ScoringOptions],
    ) -> Conventions | Reconciliation:
        """Find the settings that reproduce a published score, or score texts under each convention.

        The search covers the built-in tokenizers, case, NLTK's minimum number of n-grams, reference
        lengths, smoothing (`exp`, `none`, `skip`, `floor`, `add-k`, `laplace`), orders 1 to 4, all
        references or each alone, means of segment scores, and the calls in docs/reconcile.md. If no
        usual setting matches, it tries each fix of `check`. If no match is plausible then, it tries
        Moses' tokenizers for English, German and French, if sacremoses is installed
        (`tokenize="13a"` leaves them out, `tokenize="moses-cs"` tries another language).

        Args:
            predictions: as for `compute`.
            references: as for `compute`.
            reported: the published score, from 0 to 1 or from 0 to 100; or a str such as `"27.30"`,
                which keeps its zeros; or the whole line, JSON or dict of a tool. The settings of a
                signature, as in `"27.3 nrefs:1|case:lc|tok:13a"`, are verified first. None compares
                the named conventions.
            decimals: the number of known decimals; None for the decimals of `reported`.
            **fixed: any option of `compute` except `segments`, `confidence`, `n_resamples` and
                `seed`, with its known value, which overrides a signature or convention.

        Returns:
            A dict. Without `reported`, it has the `bleu`, `score`, `delta` from `"default"`,
            `signature` and `steps` of each convention (of `"coco"` only for texts without line
            breaks, and of at most 100 bytes on average). With `reported`:
                usual: the scores of usual settings, each different score once.
                matches: the settings whose score rounds to the reported one, by `kind`, the nearest
                    first. Settings with equal scores, or that differ by smoothing alone, form one
                    match.
                settings: the number of settings with distinct scores.
                chance: the share of numbers with as many decimals, within 2 points of this object's
                    score, that match a setting.
                nearest: the five closest settings, if none matches.
                verified: True if the score matches under the signature; None without a signature.
                    With `nrefs:1` each reference is tried alone, with `nrefs:?` all together.
                rows: the start and stop of the only rows that a line fits, or None.
                differences: if only the score of a usual setting matches the line, the values of
                    these texts that do not, as in `conditions`.
                other_matches: if `verified` is False, the matches under other signatures.
                fixes: if no usual setting matches, the findings of `check` whose fix alone produces
                    the score.
                other_fixes: the findings whose fix produces another score.
                reported, decimals, scale: the parsed score; the scale is 1 or 100.
                conditions: the values beside the score in a line, as keys of `compute`.
                untried_packages: packages to install for further tokenizers.
                untried_references: how many references after the eighth were not tried alone.
            Each setting is a dict:
                bleu, score, signature: as from `compute`.
                delta: the difference from the reported score in `bleu`.
                chance: as above, of this kind of setting and more usual kinds.
                plausible: False if `chance` is above 50%, or above 25% if the kind is not usual.
                kind: `"usual"`, `"call"` for a call of another tool, or `"rare"`.
                says: the call of a known tool that returns the score, or empty.
                call: the name of a score that `options` cannot reproduce, or empty.
                references: `"all"`, or the index of the only reference used.
                swapped: True if predictions and references are swapped.
                last_pair: True for NLTK's `corpus_bleu` under methods 5 to 7.
                options: for `compute`; with `segments=True`, the score is `mean_segment_bleu`.
                steps: from the options of this object or the signature (for a convention,
                    `"default"`) to the setting: each `factor` with its `value` and `delta`.
                same_score: the values of each factor with the same score.

        Raises:
            TypeError, ValueError: as `compute`; or `reported` is not a BLEU score, or its signature
                cannot be read.

        >>> bleu = evaluate.load("./bleu_metric.py")
        >>> references = [["the cat sat on a mat", "The cat sat there, on a mat."]]
        >>> found = bleu.reconcile(["The cat sat on a mat."], references, 0.51, smooth_method="exp")
        >>> [(match["references"], match["options"]["tokenize"]) for match in found["matches"]]
        [(0, 'none')]
        >>> references = [["the cat sat on a mat .", "the cat sat"]]
        >>> nltk = bleu.reconcile(["the cat sat on a mat."], references)["nltk"]
        >>> round(nltk["score"], 2), nltk["steps"][0]["factor"]
        (64.32, 'tokenize')
        """
        chosen = self._options_of("reconcile", fixed)
        if reported is None:
            if decimals is not None:
                raise TypeError("decimals: it belongs to a score. Pass `reported`, too.")
            return compare_conventions(read_corpus(predictions, references), chosen)
        return find_settings(
            predictions, references, chosen, list(fixed), reported=reported, decimals=decimals
        )

    def compute_metrics(
        self,
        tokenizer: object,
        *,
        references: object = None,
        by: object = None,
        ignore_index: int = -100,
        details: bool = False,
        history: bool = False,
        **options: Unpack[ScoringOptions],
    ) -> TrainerMetric:
        """Return a callback for `Seq2SeqTrainer(compute_metrics=...)`.

        The trainer needs `predict_with_generate=True`, to score generated text instead of the
        output of teacher forcing. For decoder-only models, see "Decoder-only models (Trainer,
        SFTTrainer)" in docs/training.md.

        Args:
            tokenizer: the model's tokenizer, which decodes the generated ids.
            references: one list of references per row of the evaluation data, in its order; None
                for decoded labels.
            by: one label per row of the evaluation data, as for `compute`.
            ignore_index: the padding value in labels and predictions.
            details: True to add `score`, `precision_1..N`, `brevity_penalty`, `length_ratio`,
                `translation_length` and `reference_length`, as from `compute`.
            history: True to keep the table of each evaluation, as from `statistics`, in the list
                `history`: 80 bytes per segment.
            **options: any option of `compute` except `segments`, `confidence`, `n_resamples` and
                `seed`.

        Returns:
            A callback for a trainer, with or without `batch_eval_metrics=True`. It returns floats:
            `bleu`, only here on the scale 0-100, `gen_len`, the mean number of generated tokens,
            and with `by` also `bleu_<label>`, and `bleu_macro`, their mean. Logits are an error.

        Raises:
            TypeError, ValueError: as `compute`; or two labels would give the same key.

        >>> import numpy as np
        >>> class Words:  # stands for a tokenizer of `transformers`
        ...     pad_token_id, words = 0, ["", "a", "cat", "sat", "here"]
        ...     def batch_decode(self, rows, skip_special_tokens):
        ...         return [" ".join(self.words[i] for i in row) for row in rows]
        >>> callback = evaluate.load("./bleu_metric.py").compute_metrics(Words())
        >>> callback((np.array([[1, 2, 3, 4]]), np.array([[1, 2, 3, 4]])))
        {'bleu': 100.0, 'gen_len': 4.0}
        """
        # A trainer has been passed this method, and not what the method returns.
        if "compute_result" in options:
            raise TypeError(NOT_A_TOKENIZER.format(found=show_value(tokenizer)))
        if "documents" in options:
            raise TypeError(
                "`documents`: pass history=True here, and the tables in `history` to"
                " compare(tables, documents=...)."
            )
        return TrainerMetric(
            tokenizer,
            references,
            by,
            ignore_index,
            details=details,
            history=history,
            options=self._options_of("compute_metrics", options),
        )

    def restore(self, saved: object) -> Any:
        """Return a saved result as its method returned it, with its tables, LaTeX and plots.

        Args:
            saved: the dict read from JSON, YAML or a pickle, also with the keys of `evaluate.save`.

        Returns:
            A dict of the same type and content, except that JSON and YAML turn names and labels
            into str: 1 becomes `"1"`. A result of `check` has no `fixed`, which needs the texts.

        Raises:
            TypeError, ValueError: as `compute`; or `saved` is not a result of this metric, or was
                returned by a drop-in.

        >>> import json
        >>> bleu = evaluate.load("./bleu_metric.py", max_order=2)
        >>> result = bleu.compute(predictions=["a b c"], references=["a b d"])
        >>> saved = json.dumps(result)
        >>> print(bleu.restore(json.loads(saved)).to_markdown().splitlines()[0])
        BLEU 57.74. Brevity penalty 1.0000: 3 tokens against 3 in the references
        """
        # The type depends on the data, as that of `json.loads` does.
        return restore_result(saved, RESULT_TYPES)

    def warm_up(self) -> None:
        """Compile the kernels now rather than on first need.

        This takes a few seconds, the first time on a machine.

        >>> evaluate.load("./bleu_metric.py").warm_up()
        """
        warm_up()

    def _bind_methods(self) -> None:
        """Set methods of this object, which can be pickled, and whose signatures show the options.

        evaluate, too, sets `compute`, `add` and `add_batch`, with its own documentation.
        """
        functions = {name: getattr(type(self), name) for name in (*METHODS, *WITHOUT_OPTIONS)}
        functions["compute"] = self._sign_compute()
        functions["add"] = vars(self)["add"].__func__
        functions["add_batch"] = vars(self)["add_batch"].__func__
        for name, function in functions.items():
            setattr(self, name, types.MethodType(_PublicMethod(name, function), self))

    def _sign_compute(self) -> Callable[..., Any]:
        """Return a `compute` whose signature shows the options.

        Under a drop-in, it shows the arguments of the module that is replaced.
        """
        function = copyfunc(type(self).compute)
        signature = inspect.signature(type(self).compute)
        if self._is_drop_in:
            hidden = {*OPTIONS, "by", "documents", "statistics", "like"}
            columns = [
                parameter for name, parameter in signature.parameters.items() if name not in hidden
            ]
            signature = _list_options(
                signature.replace(parameters=columns), DROP_INS[self._options.convention].defaults
            )
        function.__doc__ = self.compute.__doc__
        function.__signature__ = signature
        return function

    @property
    def _is_drop_in(self) -> bool:
        return self._options.convention in DROP_INS

    def _check_labels_fit(self, name: str, column: str) -> None:
        """Raise if labels can't be used under a drop-in, or together with other processes."""
        if self._is_drop_in:
            raise TypeError(
                explain_unknown_option(name, DROP_INS[self._options.convention].defaults, "compute")
            )
        if self.num_process > 1:
            raise ValueError(
                f"{name}: labels are not supported with num_process > 1. Call statistics(...,"
                f" {name}=labels) in each process, and write compute(statistics=tables,"
                f" {name}={column!r}) for all tables."
            )

    def _options_of_compute(self, options: Mapping[str, object]) -> Options:
        """Return the options of a call to `compute` for texts."""
        if self._is_drop_in:
            return read_drop_in(self._options.convention, options, self._options)
        return self._options_of("compute", options)

    def _options_of(
        self, method: str, options: Mapping[str, object], *, checks_weights: bool = True
    ) -> Options:
        """Return the options of a call to one of `METHODS`."""
        return self._options.override(options, TAKES[method], method, checks_weights=checks_weights)
