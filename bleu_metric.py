"""BLEU for the `evaluate` ecosystem: `evaluate.load("path/to/bleu_metric")`.

The public face: what evaluate wants to see, and each public call spelled out as steps through the other files. It
computes nothing itself. Every sibling is imported here, at the start of a line and without a comment behind, because
evaluate's loader copies only the files that it finds so.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import datasets
import evaluate
import numpy as np
import pyarrow as pa

from .bleu_arrow import kind, reference_counts
from .bleu_automaton import LEFT
from .bleu_collecting import Collecting
from .bleu_comparison import RESAMPLES, Comparison, checked_baseline, compared, resampled
from .bleu_counting import statistics_row
from .bleu_description import CITATION, DESCRIPTION, INPUTS_DESCRIPTION
from .bleu_diagnostics import warn_about_text, warn_about_zero
from .bleu_diversity import self_bleu
from .bleu_explain import explained
from .bleu_inputs import columns, text_columns
from .bleu_kernel import COMPILED
from .bleu_ngrams import ngram_occurrences
from .bleu_options import (
    CONVENTIONS,
    COUNTING,
    OPTION_NAMES,
    Options,
    convention,
    signature,
    unknown_option,
)
from .bleu_pairs import pairwise_bleu
from .bleu_scoring import bleu, order_weights, precisions, result
from .bleu_significance import bootstrap_scores, interval
from .bleu_smoothing import METHODS
from .bleu_statistics import corpus_rows, corpus_sum, segment_tokens, tokenizer_name
from .bleu_tables import made_under, opened, stacked_rows, statistics_table, summed_rows
from .bleu_tokenizers import NATIVE
from .bleu_tokens import numbered_tokens
from .bleu_training import TrainerMetric
from .bleu_unicode import PUNCTUATION


class BleuMetric(Collecting, evaluate.Metric):
    """BLEU as an `evaluate.Metric`; make one with `evaluate.load`.

    Args:
        config_name: a convention: `"default"`, `"papineni"`, `"hf"`, `"nltk"` or `"moses"`.
        **given: options, which become the defaults of every call, and what `evaluate.load` passes on.

    Raises:
        TypeError: something given is neither an option nor evaluate's.
        ValueError: there is no such convention, or an option's value can't be meant.
    """

    def __init__(self, config_name: str | None = None, **given: Any) -> None:
        base = inspect.signature(evaluate.Metric.__init__).parameters
        for name in given:
            if name not in base and name not in OPTION_NAMES:
                raise TypeError(unknown_option(name))
        options = {name: value for name, value in given.items() if name in OPTION_NAMES}
        self._defaults = convention(config_name or "default").updated(options)
        self._chosen = set(options)
        super().__init__(config_name=config_name, **{name: value for name, value in given.items() if name in base})

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> dict[str, Any] | None:
        """The BLEU of a corpus: of what `add` and `add_batch` have brought, and of what is given here."""
        chosen = self._defaults.updated(options)
        given = columns(predictions, references) if predictions is not None or references is not None else None
        if given is None and not len(self) and self.num_process == 1:
            raise ValueError("There is nothing to score: give predictions and references, or add some first.")
        # All that can be wrong with a call is found before the rows that were added are touched.
        self._check_fit(chosen, options, self._kind if given is None else kind(given))
        if not len(self) and self.num_process == 1:
            # Nothing collected and nobody to wait for: the columns are scored where they are, without a file.
            return self._score(given, chosen)
        if given is not None:
            self._collect(given)
        self._write_pending()
        try:
            return super().compute(options=chosen)
        finally:
            self._discard()

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
        chosen, table = self._defaults.updated(options), columns(predictions, references)
        self._check_fit(chosen, options, kind(table))
        warn_about_text(table, chosen)
        return statistics_table(table, chosen)

    def score(self, statistics: Any, **options: Any) -> dict[str, Any]:
        """What `compute` returns, from statistics rows.

        Args:
            statistics: a table of `statistics`, a list of them, or sums of their rows: int [2 N + 2] or [k, 2 N + 2].
            **options: as for `compute`. How the rows were counted is what their table says.

        Returns:
            The dict of `compute`.

        Raises:
            ValueError: the tables were made under different options or not under those asked for, or are no tables.

        >>> bleu = evaluate.load("bleu_metric.py", max_order=1)
        >>> parts = [bleu.statistics(predictions=[text], references=["a b"]) for text in ("a b", "b")]
        >>> bleu.score(parts)["counts"], bleu.score([3, 3, 3, 4])["counts"]
        ([3], [3])
        """
        chosen, parts = self._defaults.updated(options), opened(statistics)
        made = made_under(parts)
        made.setdefault("max_order", made["counted_orders"] - METHODS[chosen.smooth_method].further_orders)
        asked = {**chosen.counting(), "tokenize": tokenizer_name(chosen, "text")}
        for name in {*CONVENTIONS[self.config_name], *self._chosen, *options}.intersection(COUNTING, made):
            if asked[name] != made[name]:
                raise ValueError(f"The rows were counted with {name}={made[name]!r}, not {asked[name]!r}: count anew.")
        chosen = chosen.updated({name: made[name] for name in COUNTING if name in made})
        if made["counted_orders"] < chosen.counted_orders:
            raise ValueError(
                f"smooth_method={chosen.smooth_method!r} looks at n-grams of order {chosen.counted_orders}, and these"
                f" rows end with {made['counted_orders']}: count anew with this method."
            )
        rows = stacked_rows(parts) if chosen.segments or chosen.confidence else None
        total = summed_rows(parts) if rows is None else rows.sum(axis=0)
        return _answer(total, rows, None, chosen, made.get("tokenize", asked["tokenize"]), made.get("references"))

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
            n_resamples: of that test; 1,000 and 10,000 unless given.
            **options: as for `compute`. `confidence` is 0.95 unless given, None for no intervals.

        Returns:
            A dict with `baseline`, `systems`, `test`, `n_resamples`, `seed` and `signature`. Of each system: `bleu`,
            `score`, `confidence_interval`, `bootstrap_mean`, and of all but the baseline `delta` and `p_value`; from 0
            to 1 but for `score`. It prints as a table, and has `to_markdown()` and `to_latex()`.

        Raises:
            TypeError, ValueError: as `compute`, with the system's name; or there is no such test or baseline.

        >>> bleu = evaluate.load("bleu_metric.py")
        >>> references = [f"{n} green bottles hanging on the wall" for n in range(20)]
        >>> systems = {"short": [text[:-9] for text in references], "right": references}
        >>> comparison = bleu.compare(systems, references)
        >>> comparison["systems"]["right"]["p_value"] < 0.05
        True
        """
        baseline = checked_baseline(systems, baseline, test)
        asked = {"confidence": self._defaults.confidence or 0.95, **options}
        asked["n_resamples"] = RESAMPLES[test] if n_resamples is None else n_resamples
        chosen = self._defaults.updated(asked)
        rows, tokenizer, each = self._count_systems(systems, references, chosen, options)
        return Comparison(
            baseline=baseline,
            systems=compared(rows, baseline, test, chosen),
            test=test,
            n_resamples=chosen.n_resamples,
            seed=chosen.seed,
            signature=signature(chosen, tokenizer, each, resampled(test, chosen)),
        )

    def explain(self, prediction: Any, references: Any, **options: Any) -> dict[str, Any]:
        """What matched in one segment, and how its score comes about.

        Args:
            prediction: a str, a list of str tokens or a list of int token ids.
            references: a list of such, or one str.
            **options: as for `compute`, but for `segments` and `confidence`.

        Returns:
            The dict of `compute` for this segment alone; `weights`, the weight of each order in the score; and
            `prediction`: its `tokens`, its `length`, and the `longest_match` of each token, the highest order of a
            matching n-gram that it's part of, 0 for none;
            `references`: the same of each reference, with what the prediction covers of it;
            `effective_reference`: the index of the reference that sets the brevity penalty;
            `orders`: for each order its `total`, the matches before and after clipping, `unclipped_matches` and
            `matches`, and the n-grams that were `clipped` (more of them than any one reference has) and `missed` (in no
            reference), each with its `count` in the prediction and the count that is `allowed`.

        Raises:
            TypeError, ValueError: as `compute`.

        >>> bleu = evaluate.load("bleu_metric.py", max_order=1)
        >>> explanation = bleu.explain("the the the", ["the cat is on the mat"])
        >>> explanation["orders"][0]["unclipped_matches"], explanation["orders"][0]["matches"]
        (3, 2)
        """
        _refuse_resampling(options, "one segment")
        chosen = replace(self._defaults.updated(options), segments=False, confidence=None)
        table = columns([prediction], [references])
        self._check_fit(chosen, options, kind(table))
        answer, row = self._score(table, chosen), corpus_sum(table, chosen)[0]
        counting = chosen.max_order, chosen.reference_length, chosen.minimum_total
        explanation = explained(*segment_tokens(table, chosen), *counting)
        return {**answer, "weights": order_weights(precisions(row, chosen)[1], chosen).tolist(), **explanation}

    def pairwise(self, predictions: Any, references: Any = None, **options: Any) -> np.ndarray:
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
        given = {"predictions": predictions, **({} if references is None else {"references": references})}
        chosen, found, _ = self._texts(options, given)
        return pairwise_bleu(found, chosen)

    def self_bleu(self, texts: Any, **options: Any) -> dict[str, Any]:
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
        chosen, found, tokenizer = self._texts(options, {"texts": texts})
        scores = self_bleu(found["texts"], chosen)
        made = signature(replace(chosen, effective_order=True), tokenizer, str(len(scores) - 1))
        return {"self_bleu": float(scores.mean()), "segment_bleu": scores.tolist(), "signature": made}

    def compute_metrics(
        self, tokenizer: Any, *, references: Any = None, ignore_index: int = -100, **options: Any
    ) -> TrainerMetric:
        """What `Seq2SeqTrainer(compute_metrics=...)` wants, with `predict_with_generate=True`.

        Args:
            tokenizer: the model's, to decode what was generated.
            references: a list of references for each row of the evaluation data, in its order; the decoded labels
                unless given.
            ignore_index: what labels and predictions are filled up with.
            **options: as for `compute`, but for `segments` and `confidence`.

        Returns:
            A function that a trainer calls, with `batch_eval_metrics=True` or without. It returns floats: `bleu`,
            `score`, `precision_1..N`, `brevity_penalty`, `length_ratio`, `translation_length`, `reference_length` and
            `gen_len`, the mean number of generated tokens.
        """
        _refuse_resampling(options, "a trainer, which logs numbers")
        return TrainerMetric(tokenizer, references, ignore_index, self._defaults.updated(options))

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

    def _compute(
        self, *, predictions: pa.ChunkedArray, references: pa.ChunkedArray, options: Options
    ) -> dict[str, Any]:
        return self._score(pa.table({"predictions": predictions, "references": references}), options)

    def _score(self, table: pa.Table, options: Options) -> dict[str, Any]:
        if options.segments or options.confidence:
            rows = corpus_rows(table, options).T
            total, empty = rows.sum(axis=0), int((rows[:, -2] == 0).sum())
        else:
            rows, (total, empty) = None, corpus_sum(table, options)
        warn_about_text(table, options)
        references = reference_counts(table["references"])
        return _answer(total, rows, empty, options, tokenizer_name(options, kind(table)), references)

    def _count_systems(
        self, systems: Mapping[str, Any], references: Any, options: Options, given: Mapping[str, Any]
    ) -> tuple[dict[str, np.ndarray], str, str | None]:
        """The rows of each system, what the tokenizer is called, and how many references a segment has."""
        rows, tokenizer = {}, ""
        for name, predictions in systems.items():
            try:
                table = columns(predictions, references)
                self._check_fit(options, given, kind(table))
            except (TypeError, ValueError) as error:
                raise type(error)(f"System {name!r}: {error}") from None
            references = table["references"]  # Arrow by now, for the systems to come
            rows[name], tokenizer = corpus_rows(table, options).T, tokenizer_name(options, kind(table))
        return rows, tokenizer, reference_counts(references)

    def _texts(
        self, given: Mapping[str, Any], named: Mapping[str, Any]
    ) -> tuple[Options, dict[str, pa.ChunkedArray], str]:
        """The options, the columns of texts, and what the tokenizer is called, of a call that scores text by text."""
        for name in ("segments", "confidence", "n_resamples", "seed"):
            if name in given:
                raise ValueError(
                    f"{name} goes with the score of a corpus, not with scores of single texts: leave it out."
                )
        chosen, found = self._defaults.updated(given), text_columns(**named)
        table = pa.table({"predictions": next(iter(found.values()))})
        self._check_fit(chosen, given, kind(table), next(iter(found)))
        warn_about_text(table, chosen)
        return chosen, found, tokenizer_name(chosen, kind(table))

    def _check_fit(
        self, options: Options, given: Mapping[str, Any], columns_kind: str | None, name: str = "predictions"
    ) -> None:
        """Raises if the options can't go with columns of this kind, or with what is installed."""
        if columns_kind in ("text", None):  # None: another process has the rows
            tokenizer_name(options, "text")
        elif "tokenize" in {*self._chosen, *given}:
            raise ValueError(
                f"tokenize={options.tokenize!r}, but the {name} are {columns_kind}: leave it out, or give text."
            )
        elif columns_kind == "ids" and options.lowercase:
            raise ValueError("lowercase=True, but token ids have no case: leave it out, or give text.")


def _refuse_resampling(options: Mapping[str, Any], what: str) -> None:
    for name in {"segments", "confidence"}.intersection(options):
        raise ValueError(f"{name} doesn't go with {what}: leave it out.")


def _answer(
    total: np.ndarray,
    rows: np.ndarray | None,
    empty: int | None,
    options: Options,
    tokenizer: str,
    references: str | None,
) -> dict[str, Any]:
    answer, drawn = result(total, options), None
    if options.segments:
        answer["segment_bleu"] = bleu(rows, replace(options, effective_order=True)).tolist()
    if options.confidence:
        generator = np.random.default_rng(options.seed)
        scores = bootstrap_scores(rows[np.newaxis], options, generator, options.n_resamples)[:, 0]
        drawn = {"bs": options.n_resamples}
        answer["confidence_interval"] = interval(scores, options.confidence)
        answer["bootstrap_mean"] = float(scores.mean())
    if answer["bleu"] == 0:
        warn_about_zero(total, empty)
    return {**answer, "signature": signature(options, tokenizer, references, drawn)}
