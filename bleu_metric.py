"""BLEU for the `evaluate` ecosystem: `evaluate.load("path/to/bleu_metric")`.

This file has the description of the metric, `_info` and `_compute`, and every public method with its documentation. The
work of a method is in one sibling file, which the import list names. evaluate's loader copies only the siblings that
are imported here, at the start of a line and without a comment behind the import.
"""

from __future__ import annotations

import inspect
import textwrap
import types
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import datasets
import evaluate
import numpy as np
import pyarrow as pa
from datasets.utils.py_utils import copyfunc

from .bleu_buffer import BufferedMetric
from .bleu_compare import Comparison, compare_systems
from .bleu_compute import Explanation, Result, explain_segment, score_corpus, score_statistics
from .bleu_corpus import Corpus
from .bleu_counting import count_segment
from .bleu_diff import Difference, diff_systems
from .bleu_inputs import read_corpus, read_texts
from .bleu_kernels import warm_up
from .bleu_options import (
    CORPUS_ONLY,
    DESCRIPTIONS,
    DROP_INS,
    OPTIONS,
    Options,
    choose_options,
    read_drop_in,
    shape_drop_in,
)
from .bleu_pairwise import SelfBleu, score_against_others, score_pairs
from .bleu_reconcile import Conventions, Reconciliation, compare_conventions, find_settings
from .bleu_report import Report
from .bleu_scoring import bleu
from .bleu_statistics import make_table
from .bleu_tokenizers import choose_tokenizer
from .bleu_trainer import TrainerMetric
from .bleu_warnings import BleuWarning, count_things

DESCRIPTION = """\
BLEU (Papineni et al., 2002): clipped n-gram precision and brevity penalty, with sacreBLEU's counts and signature by
default and the conventions of evaluate's `bleu`, NLTK, Moses and the paper by name. Also segment scores, confidence
intervals, paired tests, statistics rows that add up across batches and machines, what matched in a sentence, and why
two scores differ.
"""


INPUTS_DESCRIPTION = """
Args:
    predictions: one per segment: a str, a list of str tokens or a list of int token ids. In a list, tuple, NumPy array,
        pandas or polars Series, column of a `datasets.Dataset`, or anything of Arrow.
    references: a list of references per segment, as many as there are, or one str per segment.
{options}
Returns:
    A dict of plain Python values: `bleu` (0 to 1), `score` (0 to 100), `precisions`, `brevity_penalty`, `length_ratio`,
    `translation_length`, `reference_length`, `counts`, `totals`, `bleu_by_order`, `signature`.
Raises:
    TypeError, ValueError: with the column, the row, and what to do.
Examples:
    >>> bleu = evaluate.load("bleu_metric")
    >>> result = bleu.compute(predictions=["the cat sat on the mat"], references=[["the cat sat on a mat"]])
    >>> print(round(result["score"], 2), result["signature"])
    53.73 nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:bleu_metric-0.2.0
"""
INPUTS_DESCRIPTION = INPUTS_DESCRIPTION.format(
    options="\n".join(
        textwrap.fill(
            f"{name}: {says}; {OPTIONS[name]!r} by default.", 120, initial_indent=" " * 4, subsequent_indent=" " * 8
        )
        for name, says in DESCRIPTIONS.items()
    )
)

CITATION = """\
@inproceedings{papineni-etal-2002-bleu,
    title = "{B}leu: a Method for Automatic Evaluation of Machine Translation",
    author = "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
    booktitle = "Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics",
    year = "2002",
    pages = "311--318",
    doi = "10.3115/1073083.1073135",
}
@inproceedings{post-2018-call,
    title = "A Call for Clarity in Reporting {BLEU} Scores",
    author = "Post, Matt",
    booktitle = "Proceedings of the Third Conference on Machine Translation: Research Papers",
    year = "2018",
    pages = "186--191",
    doi = "10.18653/v1/W18-6319",
}
"""

# The public methods that take options, and the options that each one rejects.
METHODS: dict[str, Collection[str]] = {
    "compute": (),
    "statistics": (),
    "score": (),
    "compare": ("segments",),
    "diff": CORPUS_ONLY,
    "explain": CORPUS_ONLY,
    "conventions": CORPUS_ONLY,
    "pairwise": CORPUS_ONLY,
    "self_bleu": CORPUS_ONLY,
    "reconcile": CORPUS_ONLY,
    "compute_metrics": CORPUS_ONLY,
}


def _list_options(signature: inspect.Signature, defaults: Mapping[str, object]) -> inspect.Signature:
    """Return a signature with options by name in place of `**options`, without `*arguments`, for `help` and Tab."""
    caught = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = [one for one in signature.parameters.values() if one.kind not in caught]
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
        for name, value in defaults.items()
        if name not in signature.parameters
    ]
    return signature.replace(parameters=[*named, *options])


def _show_options(metric: type) -> type:
    """Let the methods of the class list their options, with the defaults of the metric."""
    for name, without in METHODS.items():
        method = getattr(metric, name)
        defaults = {option: value for option, value in OPTIONS.items() if option not in without}
        defaults |= {"confidence": 0.95} if name == "compare" else {}
        method.__signature__ = _list_options(inspect.signature(method), defaults)
    return metric


@_show_options
class BleuMetric(BufferedMetric):
    """BLEU as an `evaluate.Metric`; make one with `evaluate.load`.

    Args:
        config_name: a convention: `"default"`, `"papineni"`, `"hf"`, `"nltk"` or `"moses"`; or `"sacrebleu"` or
            `"bleu"`, whose `compute` takes and returns what that of evaluate's own module does.
        **arguments: options, which become the defaults of every call, and arguments of `evaluate.load`.

    Raises:
        TypeError: an argument is neither an option nor evaluate's.
        ValueError: there is no such convention, or an option has an invalid value.
    """

    Warning = BleuWarning

    def __init__(self, config_name: str | None = None, **arguments: object) -> None:
        evaluates = inspect.signature(evaluate.Metric.__init__).parameters
        given = {name: value for name, value in arguments.items() if name in OPTIONS or name not in evaluates}
        self._options = choose_options(config_name or "default", given)
        choose_tokenizer(self._options, "text")  # fail on an unknown tokenizer now, not after generation
        super().__init__(config_name=config_name, **{k: v for k, v in arguments.items() if k in evaluates})
        self._sign_compute()

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._sign_compute()

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in vars(self._options).items() if name in self._options.given]
        added = [f"{count_things(len(self), 'row')} added"] if len(self) else []
        return f"{type(self).__name__}({', '.join([repr(self._options.convention), *given, *added])})"

    def _info(self) -> evaluate.MetricInfo:
        text, number, many = datasets.Value("string"), datasets.Value("int64"), datasets.Sequence
        kinds = [(text, many(text)), (text, text), *((many(token), many(many(token))) for token in (text, number))]
        info = evaluate.MetricInfo(
            description=DESCRIPTION,
            citation=CITATION,
            inputs_description=INPUTS_DESCRIPTION,
            features=[datasets.Features(predictions=one, references=other) for one, other in kinds],
            reference_urls=["https://aclanthology.org/P02-1040", "https://aclanthology.org/W18-6319"],
        )
        info.format = "arrow"  # the constructor rejects it for lists, evaluate's code accepts it
        return info

    def _compute(self, predictions: object, references: object, options: Options | None = None) -> dict[str, Any]:
        """Score all rows, as evaluate expects of a metric: without open arguments."""
        corpus = self._gather(predictions, references)
        return self._score(corpus, options or self._choose({}))

    def compute(
        self, *arguments: object, predictions: object = None, references: object = None, **options: object
    ) -> dict[str, Any] | None:
        """Compute BLEU over the rows added so far plus the rows passed here."""
        if arguments:
            raise TypeError("compute() takes its columns by name: write compute(predictions=..., references=...).")
        return self._compute_rows(predictions, references, options)

    def statistics(self, *, predictions: object, references: object, **options: object) -> pa.Table:
        """The statistics rows of a corpus: all that any BLEU needs to know of it.

        Args:
            predictions: as for `compute`.
            references: as for `compute`.
            **options: as for `compute`; those about smoothing and resampling come with `score`.

        Returns:
            int64 columns `matches_1..N`, `totals_1..N`, `prediction_length` and `reference_length`, one row a segment.
            The metadata of the schema says which options made it.

        >>> bleu = evaluate.load("bleu_metric")
        >>> bleu.statistics(predictions=["a b"], references=[["a b c"]], max_order=2).to_pylist()
        [{'matches_1': 2, 'matches_2': 1, 'totals_1': 2, 'totals_2': 1, 'prediction_length': 2, 'reference_length': 3}]
        """
        chosen = self._options.override(options)
        return make_table(read_corpus(predictions, references, allow_empty=True), chosen)

    def score(self, statistics: object, **options: object) -> Result:
        """What `compute` returns, from statistics rows.

        Args:
            statistics: a table of `statistics`, or a frame, `datasets.Dataset` or dict with its columns, or a list of
                such; or sums of rows, int [2 N + 2] or [k, 2 N + 2], which go without `segments` and `confidence`.
            **options: as for `compute`. How the rows were counted is what their table says; where nothing says it and
                no option does, the signature has a `?`.

        Returns:
            The dict of `compute`.

        Raises:
            ValueError: the tables were made under different options or not under those asked for; these are no
                statistics, or none at all; or sums are to have segments or an interval.

        >>> bleu = evaluate.load("bleu_metric", max_order=1)
        >>> parts = [bleu.statistics(predictions=[text], references=["a b"]) for text in ("a b", "b")]
        >>> bleu.score(parts)["counts"], bleu.score([3, 3, 3, 4])["counts"]
        ([3], [3])
        """
        return score_statistics(statistics, self._options.override(options))

    def compare(
        self,
        systems: Mapping[str, object],
        references: object,
        *,
        baseline: str | None = None,
        test: str = "randomization",
        n_resamples: int | None = None,
        **options: object,
    ) -> Comparison:
        """Test whether systems differ significantly from a baseline on the same references.

        Args:
            systems: the predictions of each system, by its name.
            references: as for `compute`.
            baseline: the name of a system; the first system by default.
            test: `"randomization"`, paired approximate randomization (Riezler and Maxwell, 2005), which holds its level
                for test sets of any size; or `"bootstrap"`, the paired bootstrap (Koehn, 2004), two-sided and centered.
            n_resamples: number of resamples of the test; by default the number passed at load, or else 10,000 for
                randomization and 1,000 for the bootstrap.
            **options: any option of `compute` except `segments`. `confidence` is 0.95 by default; None leaves out the
                intervals and `detectable_delta`.

        Returns:
            A dict with `baseline`, `systems`, `test`, `n_resamples`, `seed` and `signature`. It prints as a table, and
            has `to_markdown()`, `to_latex()`, `to_pandas()` and `plot()`. Each of `systems` is a dict; all its scores
            are on the scale 0-1 except `score`:
                bleu, score, confidence_interval, bootstrap_mean: as returned by `compute`.
                delta: the difference from the baseline; the baseline has neither this key nor those below.
                p_value: two-sided; 1.0 for identical systems.
                p_value_sacrebleu: under the bootstrap only, the p-value of sacreBLEU, which is one-sided in effect.
                delta_interval: the interval of the difference, by paired bootstrap.
                wins, ties, losses: numbers of segments.
                detectable_delta: the minimum detectable effect, the smallest true difference that a test at the 5 %
                    level detects with 80 % power (Card et al., 2020).
            One segment has no p-value and no interval. Fewer than 30 segments cause a warning.

        Raises:
            TypeError, ValueError: as `compute`, with the name of the system; or the test or the baseline is unknown.

        >>> bleu = evaluate.load("bleu_metric")
        >>> references = [f"{n} green bottles hanging on the wall" for n in range(40)]
        >>> systems = {"short": [text[:-9] for text in references], "right": references}
        >>> comparison = bleu.compare(systems, references)
        >>> comparison["systems"]["right"]["p_value"] < 0.05
        True
        """
        given = {"confidence": self._options.confidence or 0.95, **options}
        chosen = self._override("compare", given)
        return compare_systems(systems, references, baseline, test, n_resamples, chosen)

    def diff(
        self, first: object, second: object, references: object, by: object = None, **options: object
    ) -> Difference:
        """Where two systems differ: in which segments, at which lengths, under which labels, and in which n-grams.

        Args:
            first: the predictions of one system, as for `compute`.
            second: the predictions of another, or of the same at another time.
            references: as for `compute`.
            by: a label a row, such as its domain or document: a list or another column of str, numbers or None.
            **options: as for `compute`, but for `segments` and those about resampling.

        Returns:
            A dict; scores are from 0 to 1 but for `score`, and `delta` is the second system's less the first's.
            `wins`, `ties`, `losses`: in how many segments the second system scores higher, as high, and lower;
            `systems`: of `"first"` and `"second"` the `bleu` and `score` of the corpus, of the second the `delta`;
            `by_length`: for each group of reference lengths, `from` so many tokens `to` so many (None: no end), its
            number of `segments`, BLEU of `first` and `second`, and `delta`;
            `by_label`, where `by` is given: the same for each `label`, in the order in which they appear;
            `ngrams`: for each `order` the n-grams that the `first` system gets more often than the second, and those
            of the `second`, 20 of each, the most telling first (by McNemar's statistic): the tokens `ngram`, how many
            matches more in `count`, the matches that only one of the two has, segment by segment, in `only_first` and
            `only_second`, and the index of the first `segment` where this system has more; where systems differ in more
            than two million n-grams of an order, those seen least are forgotten meanwhile;
            `segments`: 20 that are best for the `first` system compared with the second, and for the `second`: the
            index `segment`, the scores `first` and `second`, with effective order, and `delta`;
            `segment_bleu`: these scores of all segments, `first` and `second`;
            `signature`. It prints as a table.

        Raises:
            TypeError, ValueError: as `compute`, with `'first'` or `'second'` as the system's name; or `by` isn't one
                label a row.

        >>> bleu = evaluate.load("bleu_metric", max_order=2)
        >>> references = ["the cat sat on the mat", "a dog barks"]
        >>> difference = bleu.diff(["a cat sat on a mat", "a dog barks"], references, references, by=["cats", "dogs"])
        >>> difference["wins"], difference["ties"], difference["losses"]
        (1, 1, 0)
        >>> [ngram["ngram"] for ngram in difference["ngrams"][1]["second"]]
        [['on', 'the'], ['the', 'cat'], ['the', 'mat']]
        """
        chosen = self._override("diff", options)
        return diff_systems(first, second, references, by, chosen)

    def explain(self, prediction: object, references: object, **options: object) -> Explanation:
        """What matched in one segment, and how its score comes about.

        Args:
            prediction: a str, a list of str tokens or a list of int token ids.
            references: a list of such, or one str.
            **options: as for `compute`, but for `segments` and those about resampling.

        Returns:
            The dict of `compute` for this segment alone; `weights`, the weight of each order in the score; and
            `prediction`: its `tokens`, its `length`, and the `longest_match` of each token, the highest order of a
            matching n-gram that it's part of, 0 for none;
            `references`: the same of each reference, with what the prediction covers of it;
            `effective_reference`: the index of the reference that sets the brevity penalty;
            `orders`: for each order its `total`, the matches before and after clipping, `unclipped_matches` and
            `matches`, and the n-grams that were `clipped` (more of them than any one reference has) and `missed` (in no
            reference), each with its `count` in the prediction and the count that is `allowed`.
            A notebook shows it in colours; it prints as a table, and has `plot()`.

        Raises:
            TypeError, ValueError: as `compute`.

        >>> bleu = evaluate.load("bleu_metric", max_order=1)
        >>> explanation = bleu.explain("the the the", ["the cat is on the mat"])
        >>> explanation["orders"][0]["unclipped_matches"], explanation["orders"][0]["matches"]
        (3, 2)
        """
        chosen = self._override("explain", options)
        return explain_segment(prediction, references, replace(chosen, segments=False, confidence=None))

    def pairwise(self, predictions: object, references: object = None, **options: object) -> np.ndarray[Any, Any]:
        """The segment BLEU of each prediction with each reference, as minimum-Bayes-risk decoding wants it.

        Args:
            predictions: as for `compute`.
            references: one text a row, of the same kind, and as many as there are; the predictions unless given.
            **options: as for `compute`, but for `segments` and those about resampling.

        Returns:
            float64 [predictions, references], from 0 to 1; with effective order, as `segment_bleu`.

        Raises:
            TypeError, ValueError: as `compute`.

        >>> bleu = evaluate.load("bleu_metric")
        >>> samples = ["the cat sat there", "the cat sat here", "a dog sat here"]
        >>> samples[bleu.pairwise(samples).mean(axis=1).argmax()]
        'the cat sat here'
        """
        chosen = self._override("pairwise", options)
        columns = {"predictions": predictions}
        if references is not None:
            columns["references"] = references
        return score_pairs(read_texts(**columns), chosen)

    def self_bleu(self, texts: object, **options: object) -> SelfBleu:
        """How much texts repeat each other: each scored with all the others as its references (Zhu et al., 2018).

        Args:
            texts: two or more, each a str, a list of str tokens or a list of int token ids.
            **options: as for `compute`, but for `segments` and those about resampling.

        Returns:
            `self_bleu`, the mean over texts, from 0 to 1; `segment_bleu`, the score of each, with effective order; and
            `signature`.

        Raises:
            TypeError, ValueError: as `compute`; or there is only one text.

        >>> bleu = evaluate.load("bleu_metric")
        >>> bleu.self_bleu(["the cat sat there", "the cat sat there", "a dog barks"])["segment_bleu"]
        [1.0, 1.0, 0.0]
        """
        chosen = self._override("self_bleu", options)
        return score_against_others(read_texts(texts=texts), chosen)

    def conventions(self, predictions: object, references: object, **options: object) -> Conventions:
        """The score under every named convention, and what the difference to the default is due to.

        Args:
            predictions: as for `compute`.
            references: as for `compute`.
            **options: as for `compute`, but for `segments` and those about resampling. They win under each convention.

        Returns:
            By the convention's name `bleu`, `score`, `difference` (to `"default"`, from -1 to 1), `signature`, and
            `steps`: from the default to this convention a factor at a time, each with its `factor`, `value` and
            `difference`; these add up. It prints as a table.

        Raises:
            TypeError, ValueError: as `compute`.

        >>> bleu = evaluate.load("bleu_metric")
        >>> print(bleu.conventions(["the cat sat on a mat."], [["the cat sat on a mat .", "the cat sat"]]))
        The same text under each convention
        <BLANKLINE>
        convention    BLEU  difference                          due to
        default     100.00       +0.00                     as they are
        papineni    100.00       +0.00                     as they are
        hf          100.00       +0.00                     as they are
        nltk         64.32      -35.68        tokenize='none' (-35.68)
        moses        64.32      -35.68  tokenize='multi-bleu' (-35.68)
        """
        chosen = self._override("conventions", options)
        return compare_conventions(read_corpus(predictions, references), chosen)

    def reconcile(
        self,
        predictions: object,
        references: object,
        reported: float | str,
        *,
        decimals: int | None = None,
        **fixed: object,
    ) -> Reconciliation:
        """Which settings give a published number.

        Searches the native tokenizers, case, NLTK's least number of n-grams, reference lengths, smoothing (`exp`,
        `none`, `floor`, `add-k`, `laplace`), orders 1 to 4, and which of the references were used: all, or each alone.

        Args:
            predictions: as for `compute`.
            references: as for `compute`.
            reported: the number, from 0 to 1 or from 0 to 100; as text, `"27.30"`, its last zeros count. `"37,6"` and
                `"BLEU 37.6"` are read, too.
            decimals: how many of its decimals are known; as many as it's written with unless given.
            **fixed: options of `compute` that are known, but for `segments` and those about resampling.

        Returns:
            `matches`, the settings that round to the number, and if there are none `nearest`, the five that come next.
            Settings that can't be told apart are one, and plausible matches come first: this object's own options, then
            what known tools do, then what takes few changes. Of each: `bleu`, `score`,
            `difference` (to the reported, in points of 100), `references` (`"all"` or the index of one, a None counted,
            too), `options` for `compute`, `steps` as in `conventions`, `signature`, and `same_score`, other values that
            a factor may have without changing the score. Also `reported`, `decimals`, and `scale`, 1 or 100. It prints
            as a table.

        Raises:
            TypeError, ValueError: as `compute`; or `reported` is no BLEU score.

        >>> bleu = evaluate.load("bleu_metric")
        >>> references = [["the cat sat on a mat", "The cat sat there, on a mat."]]
        >>> print(bleu.reconcile(["The cat sat on a mat."], references, 0.51))
        Settings: 1 that gives 0.51.
        <BLANKLINE>
        settings                          BLEU   off by
        references=0, tokenize='none'  50.8133  -0.1867
        """
        chosen = self._override("reconcile", fixed)
        return find_settings(predictions, references, chosen, list(fixed), reported, decimals)

    def compute_metrics(
        self,
        tokenizer: object,
        *,
        references: object = None,
        ignore_index: int = -100,
        details: bool = False,
        **options: object,
    ) -> TrainerMetric:
        """What `Seq2SeqTrainer(compute_metrics=...)` wants, with `predict_with_generate=True`.

        Args:
            tokenizer: the model's, to decode what was generated.
            references: a list of references for each row of the evaluation data, in its order; the decoded labels
                unless given.
            ignore_index: what labels and predictions are filled up with.
            details: True to add `score`, `precision_1..N`, `brevity_penalty`, `length_ratio`, `translation_length` and
                `reference_length`, on the scales of `compute`.
            **options: as for `compute`, but for `segments` and those about resampling.

        Returns:
            A function that a trainer calls, with `batch_eval_metrics=True` or without. It returns floats: `bleu`, here
            alone from 0 to 100, as all published recipes log it, and `gen_len`, the mean number of generated tokens.
            Its `reset()` forgets an evaluation that was broken off.

        >>> class Words:  # a tokenizer of `transformers` in earnest
        ...     pad_token_id, words = 0, ["", "a", "cat", "sat", "here"]
        ...     def batch_decode(self, rows, skip_special_tokens):
        ...         return [" ".join(self.words[i] for i in row) for row in rows]
        >>> hook = evaluate.load("bleu_metric").compute_metrics(Words())
        >>> hook((np.array([[1, 2, 3, 4]]), np.array([[1, 2, 3, 4]])))
        {'bleu': 100.0, 'gen_len': 4.0}
        """
        chosen = self._override("compute_metrics", options)
        choose_tokenizer(chosen, "text")  # a wrong name fails here, and not after a model has generated
        return TrainerMetric(tokenizer, references, ignore_index, details, chosen)

    def warm_up(self) -> None:
        """Compiles now what would be compiled once it pays: for images, servers, and the start of a training.

        On a new machine that takes some seconds, in a new process a fraction of one. Numbers are the same without.

        >>> evaluate.load("bleu_metric").warm_up()
        """
        warm_up()

    def _sign_compute(self) -> None:
        """Give this object a `compute` that shows the options, or the arguments of the module that is replaced."""
        signature = inspect.signature(type(self).compute)
        if self._is_drop_in:
            columns = [one for name, one in signature.parameters.items() if name not in OPTIONS]
            defaults = DROP_INS[self._options.convention].defaults
            signature = _list_options(signature.replace(parameters=columns), defaults)
        function = copyfunc(type(self).compute)
        function.__doc__, function.__signature__ = self.compute.__doc__, signature
        self.compute = types.MethodType(function, self)  # type: ignore[method-assign]

    @property
    def _is_drop_in(self) -> bool:
        return self._options.convention in DROP_INS

    def _choose(self, options: Mapping[str, object]) -> Options:
        if self._is_drop_in:
            return read_drop_in(self._options.convention, options, self._options)
        return self._options.override(options)

    def _score(self, corpus: Corpus, options: Options) -> dict[str, Any]:
        if not len(corpus):
            raise ValueError("There is nothing to score: give predictions and references, or add some first.")
        result = score_corpus(corpus, options)
        return shape_drop_in(self._options.convention, result, options) if self._is_drop_in else result

    def _override(self, method: str, options: Mapping[str, object]) -> Options:
        """Return the options of a call to one of `METHODS`."""
        return self._options.override(options, METHODS[method], method)
