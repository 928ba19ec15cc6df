"""BLEU for the `evaluate` ecosystem: `evaluate.load("path/to/bleu_metric")`.

The metric as its users see it: every public method, whose work is in the file of its name. Every sibling is imported
here, at the start of a line and without a comment behind, because evaluate's loader copies only the files that it finds
so.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import datasets
import evaluate
import numpy as np
import pyarrow as pa

from . import bleu_html
from .bleu_arrow import is_list
from .bleu_buffer import BufferedMetric
from .bleu_buffer_file import BufferFile
from .bleu_buffer_meeting import PACKED
from .bleu_compare import RESAMPLES, Comparison, compare_systems
from .bleu_compiler import COMPILED
from .bleu_compute import Result, compute_corpus, score_statistics
from .bleu_corpus import Corpus
from .bleu_counting import count_segment
from .bleu_counting_compiled import count_rows
from .bleu_description import CITATION, DESCRIPTION, INPUTS_DESCRIPTION
from .bleu_diff import Difference, diff_systems
from .bleu_diff_ngrams import NGramDifferences
from .bleu_drop_in import answer_as, read_arguments
from .bleu_explain import Explanation, explain_segment
from .bleu_formula import plain_formula
from .bleu_help import METHODS, describe_metric, show_options, without_shown_methods
from .bleu_html import STYLE
from .bleu_inputs import read_corpus, read_texts
from .bleu_inputs_columns import read_column
from .bleu_inputs_errors import wrong_type
from .bleu_inputs_lists import read_lists
from .bleu_inputs_lists_compiled import read_lists as compiled_read_lists
from .bleu_lower_case import lower_case
from .bleu_lower_case_compiled import lower_case as compiled_lower_case
from .bleu_options import (
    CONVENTIONS,
    DROP_INS,
    OPTIONS,
    REFERENCE_LENGTHS,
    SMOOTH_METHODS,
    TOKENIZERS,
    Options,
    choose_options,
)
from .bleu_pairwise import score_pairs
from .bleu_plots import plot_scatter
from .bleu_reconcile import Conventions, Reconciliation, compare_conventions, find_settings
from .bleu_reconcile_grid import FACTORS
from .bleu_report import Report
from .bleu_scoring import bleu
from .bleu_self_bleu import SelfBleu, score_against_others
from .bleu_significance import interval
from .bleu_smoothing import SMOOTHING
from .bleu_spellings import translate_options
from .bleu_statistics import count_corpus
from .bleu_statistics_table import make_table
from .bleu_tokenizer_choice import choose_tokenizer
from .bleu_tokenizers import DEFINITIONS
from .bleu_tokenizers_compiled import split_texts
from .bleu_trainer import TrainerMetric
from .bleu_twins import Twins
from .bleu_unicode import PUNCTUATION
from .bleu_vocabulary import number_texts
from .bleu_warm_up import warm_up_all
from .bleu_warnings import BleuWarning


class BleuMetric(BufferedMetric):
    """BLEU as an `evaluate.Metric`; make one with `evaluate.load`.

    Args:
        config_name: a convention: `"default"`, `"papineni"`, `"hf"`, `"nltk"` or `"moses"`; or `"sacrebleu"` or
            `"bleu"`, whose `compute` takes and returns what that of evaluate's own module does.
        **arguments: options, which become the defaults of every call, and what `evaluate.load` passes on.

    Raises:
        TypeError: an argument is neither an option nor evaluate's.
        ValueError: there is no such convention, or an option's value can't be meant.
    """

    Warning = BleuWarning
    OPTIONS: Mapping[str, Any] = MappingProxyType(OPTIONS)  # with their defaults
    CONVENTIONS: Mapping[str, Mapping[str, Any]] = MappingProxyType(CONVENTIONS)
    TOKENIZERS = TOKENIZERS
    REFERENCE_LENGTHS = REFERENCE_LENGTHS
    RESAMPLES: Mapping[str, int] = MappingProxyType(RESAMPLES)  # of each test of `compare`, unless given
    SMOOTH_METHODS = MappingProxyType({name: method.value for name, method in SMOOTH_METHODS.items()})  # `smooth_value`

    html = bleu_html  # how results are written as HTML, for a page that puts them together in its own way

    def __init__(self, config_name: str | None = None, **arguments: Any) -> None:
        evaluates = inspect.signature(evaluate.Metric.__init__).parameters
        given = {name: value for name, value in arguments.items() if name in OPTIONS or name not in evaluates}
        self._options = choose_options(config_name or "default", given)
        choose_tokenizer(self._options, "text")  # a wrong name fails here, and not after a model has generated
        arguments = {name: value for name, value in arguments.items() if name in evaluates}
        super().__init__(config_name=config_name, **arguments)
        show_options(self, self._options)

    def __getstate__(self) -> dict[str, Any]:
        return without_shown_methods(vars(self))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        show_options(self, self._options)

    def __repr__(self) -> str:
        return describe_metric(type(self).__name__, self._options, len(self))

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> dict[str, Any] | None:
        """The BLEU of a corpus: of what `add` and `add_batch` have brought, and of what is given here."""
        module = self._options.convention if self._options.convention in DROP_INS else None
        chosen = read_arguments(module, options, self._options) if module else self._options.override(options)
        if predictions is None and references is None:
            predictions, references = [], []
        result = self._compute_buffer(read_corpus(predictions, references, may_be_empty=True), chosen)
        return answer_as(module, result, chosen) if module and result else result

    def statistics(self, *, predictions: Any, references: Any, **options: Any) -> pa.Table:
        """The statistics rows of a corpus: all that any BLEU needs to know of it.

        Args:
            predictions: as for `compute`.
            references: as for `compute`.
            **options: as for `compute`; those about smoothing and resampling come with `score`.

        Returns:
            int64 columns `matches_1..N`, `totals_1..N`, `prediction_length` and `reference_length`, one row a segment.
            The metadata of the schema says which options made it.

        >>> bleu = evaluate.load("bleu_metric.py")
        >>> bleu.statistics(predictions=["a b"], references=[["a b c"]], max_order=2).to_pylist()
        [{'matches_1': 2, 'matches_2': 1, 'totals_1': 2, 'totals_2': 1, 'prediction_length': 2, 'reference_length': 3}]
        """
        chosen = self._options.override(options)
        return make_table(read_corpus(predictions, references, may_be_empty=True), chosen)

    def score(self, statistics: Any, **options: Any) -> Result:
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

        >>> bleu = evaluate.load("bleu_metric.py", max_order=1)
        >>> parts = [bleu.statistics(predictions=[text], references=["a b"]) for text in ("a b", "b")]
        >>> bleu.score(parts)["counts"], bleu.score([3, 3, 3, 4])["counts"]
        ([3], [3])
        """
        return score_statistics(statistics, self._options.override(options))

    def compare(
        self,
        systems: Mapping[str, Any],
        references: Any,
        *,
        baseline: str | None = None,
        test: str = "bootstrap",
        n_resamples: int | None = None,
        **options: Any,
    ) -> Comparison:
        """Whether systems differ from a baseline by more than chance, on the same references.

        Args:
            systems: the predictions of each system, by its name.
            references: as for `compute`.
            baseline: a system's name; the first one unless given.
            test: `"bootstrap"`, the paired bootstrap of Koehn (2004), or `"randomization"`, paired approximate
                randomization (Riezler and Maxwell, 2005).
            n_resamples: of that test; 1,000 and 10,000 unless given here or at load.
            **options: as for `compute`, but for `segments`. `confidence` is 0.95 unless given, None for no intervals
                and no `detectable_delta`.

        Returns:
            A dict with `baseline`, `systems`, `test`, `n_resamples`, `seed` and `signature`. Of each system: `bleu`,
            `score`, `confidence_interval` and `bootstrap_mean`, as `compute` has them. Of all but the baseline:
            `delta`, `p_value` (1.0 for identical systems), `delta_interval` (of the difference, by paired bootstrap),
            `wins`, `ties` and `losses` (segments), and `detectable_delta`, the smallest difference that this test set
            tells with 80 % power at the level of 5 % (Card et al., 2020). All from 0 to 1 but for `score`. It prints as
            a table, and has `to_markdown()`, `to_latex()`, `to_pandas()` and `plot()`.

        Raises:
            TypeError, ValueError: as `compute`, with the system's name; or there is no such test or baseline.

        >>> bleu = evaluate.load("bleu_metric.py")
        >>> references = [f"{n} green bottles hanging on the wall" for n in range(20)]
        >>> systems = {"short": [text[:-9] for text in references], "right": references}
        >>> comparison = bleu.compare(systems, references)
        >>> comparison["systems"]["right"]["p_value"] < 0.05
        True
        """
        given = {"confidence": self._options.confidence or 0.95, **options}
        chosen = self._options.override(given, without=METHODS["compare"], purpose="a comparison of systems")
        return compare_systems(systems, references, baseline, test, n_resamples, chosen)

    def diff(self, first: Any, second: Any, references: Any, by: Any = None, **options: Any) -> Difference:
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

        >>> bleu = evaluate.load("bleu_metric.py", max_order=2)
        >>> references = ["the cat sat on the mat", "a dog barks"]
        >>> difference = bleu.diff(["a cat sat on a mat", "a dog barks"], references, references, by=["cats", "dogs"])
        >>> difference["wins"], difference["ties"], difference["losses"]
        (1, 1, 0)
        >>> [ngram["ngram"] for ngram in difference["ngrams"][1]["second"]]
        [['on', 'the'], ['the', 'cat'], ['the', 'mat']]
        """
        chosen = self._options.override(options, without=METHODS["diff"], purpose="the difference of two systems")
        return diff_systems(first, second, references, by, chosen)

    def explain(self, prediction: Any, references: Any, **options: Any) -> Explanation:
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

        >>> bleu = evaluate.load("bleu_metric.py", max_order=1)
        >>> explanation = bleu.explain("the the the", ["the cat is on the mat"])
        >>> explanation["orders"][0]["unclipped_matches"], explanation["orders"][0]["matches"]
        (3, 2)
        """
        chosen = self._options.override(options, without=METHODS["explain"], purpose="one segment")
        return explain_segment(prediction, references, replace(chosen, segments=False, confidence=None))

    def pairwise(self, predictions: Any, references: Any = None, **options: Any) -> np.ndarray[Any, Any]:
        """The segment BLEU of each prediction with each reference, as minimum-Bayes-risk decoding wants it.

        Args:
            predictions: as for `compute`.
            references: one text a row, of the same kind, and as many as there are; the predictions unless given.
            **options: as for `compute`, but for `segments` and those about resampling.

        Returns:
            float64 [predictions, references], from 0 to 1; with effective order, as `segment_bleu`.

        Raises:
            TypeError, ValueError: as `compute`.

        >>> bleu = evaluate.load("bleu_metric.py")
        >>> samples = ["the cat sat there", "the cat sat here", "a dog sat here"]
        >>> samples[bleu.pairwise(samples).mean(axis=1).argmax()]
        'the cat sat here'
        """
        chosen = self._options.override(options, without=METHODS["pairwise"], purpose="scores of single texts")
        columns = {"predictions": predictions, **({} if references is None else {"references": references})}
        return score_pairs(read_texts(**columns), chosen)

    def self_bleu(self, texts: Any, **options: Any) -> SelfBleu:
        """How much texts repeat each other: each scored with all the others as its references (Zhu et al., 2018).

        Args:
            texts: two or more, each a str, a list of str tokens or a list of int token ids.
            **options: as for `compute`, but for `segments` and those about resampling.

        Returns:
            `self_bleu`, the mean over texts, from 0 to 1; `segment_bleu`, the score of each, with effective order; and
            `signature`.

        Raises:
            TypeError, ValueError: as `compute`; or there is only one text.

        >>> bleu = evaluate.load("bleu_metric.py")
        >>> bleu.self_bleu(["the cat sat there", "the cat sat there", "a dog barks"])["segment_bleu"]
        [1.0, 1.0, 0.0]
        """
        chosen = self._options.override(options, without=METHODS["self_bleu"], purpose="scores of single texts")
        return score_against_others(read_texts(texts=texts), chosen)

    def conventions(self, predictions: Any, references: Any, **options: Any) -> Conventions:
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

        >>> bleu = evaluate.load("bleu_metric.py")
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
        chosen = self._options.override(options, without=METHODS["conventions"], purpose="conventions side by side")
        return compare_conventions(read_corpus(predictions, references), chosen)

    def reconcile(
        self, predictions: Any, references: Any, reported: float | str, *, decimals: int | None = None, **fixed: Any
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

        >>> bleu = evaluate.load("bleu_metric.py")
        >>> references = [["the cat sat on a mat", "The cat sat there, on a mat."]]
        >>> print(bleu.reconcile(["The cat sat on a mat."], references, 0.51))
        Settings: 1 that gives 0.51.
        <BLANKLINE>
        settings                          BLEU   off by
        references=0, tokenize='none'  50.8133  -0.1867
        """
        fixed = translate_options(fixed, OPTIONS)
        chosen = self._options.override(fixed, without=METHODS["reconcile"], purpose="the search for a setting")
        return find_settings(predictions, references, chosen, list(fixed), reported, decimals)

    def compute_metrics(
        self,
        tokenizer: Any,
        *,
        references: Any = None,
        ignore_index: int = -100,
        details: bool = False,
        **options: Any,
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
        >>> hook = evaluate.load("bleu_metric.py").compute_metrics(Words())
        >>> hook((np.array([[1, 2, 3, 4]]), np.array([[1, 2, 3, 4]])))
        {'bleu': 100.0, 'gen_len': 4.0}
        """
        chosen = self._options.override(
            options, without=METHODS["compute_metrics"], purpose="a trainer, which logs numbers"
        )
        choose_tokenizer(chosen, "text")  # a wrong name fails here, and not after a model has generated
        return TrainerMetric(tokenizer, references, ignore_index, details, chosen)

    def warm_up(self) -> None:
        """Compiles now what would be compiled once it pays: for images, servers, and the start of a training.

        On a new machine that takes some seconds, in a new process a fraction of one. Numbers are the same without.

        >>> evaluate.load("bleu_metric.py").warm_up()
        """
        warm_up_all()

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
        info.format = "arrow"  # the constructor refuses it for lists, the machinery behind doesn't
        return info
