"""BLEU for the `evaluate` ecosystem: `evaluate.load("path/to/bleu_metric")`.

The public face: what evaluate wants to see, and each public call spelled out as steps through the other files. It
computes nothing itself. Every sibling is imported here, at the start of a line and without a comment behind, because
evaluate's loader copies only the files that it finds so.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import datasets
import evaluate
import numpy as np
import pyarrow as pa

from .bleu_answers import answer, check_fit, refuse_resampling, scored
from .bleu_arrow import kind, reference_counts
from .bleu_automaton import LEFT
from .bleu_collecting import Collecting
from .bleu_comparison import RESAMPLES, Comparison, checked_baseline, compared, resampled
from .bleu_counting import statistics_row
from .bleu_description import CITATION, DESCRIPTION, INPUTS_DESCRIPTION
from .bleu_diagnostics import BleuWarning, warn_about_text
from .bleu_diversity import self_bleu
from .bleu_explain import explained
from .bleu_exploring import Exploring
from .bleu_inputs import columns
from .bleu_kernel import COMPILED
from .bleu_ngrams import ngram_occurrences
from .bleu_options import CONVENTIONS, COUNTING, OPTION_NAMES, Options, convention, signature, unknown_option
from .bleu_pairs import pairwise_bleu
from .bleu_printing import plain
from .bleu_reconciling import reconciled
from .bleu_scoring import bleu
from .bleu_settings import FACTORS
from .bleu_significance import interval
from .bleu_smoothing import METHODS
from .bleu_statistics import corpus_rows, tokenizer_name
from .bleu_tables import made_under, opened, stacked_rows, statistics_table, summed_rows
from .bleu_tokenizers import NATIVE
from .bleu_tokens import numbered_tokens
from .bleu_training import TrainerMetric
from .bleu_unicode import PUNCTUATION


class BleuMetric(Collecting, Exploring, evaluate.Metric):
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
        check_fit(chosen, {*self._chosen, *options}, self._kind if given is None else kind(given))
        if not len(self) and self.num_process == 1:
            # Nothing collected and nobody to wait for: the columns are scored where they are, without a file.
            return scored(given, chosen)
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
        check_fit(chosen, {*self._chosen, *options}, kind(table))
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
        return answer(total, rows, None, chosen, made.get("tokenize", asked["tokenize"]), made.get("references"))

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
        refuse_resampling(options, "a trainer, which logs numbers")
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
        return scored(pa.table({"predictions": predictions, "references": references}), options)

    def _count_systems(
        self, systems: Mapping[str, Any], references: Any, options: Options, given: Mapping[str, Any]
    ) -> tuple[dict[str, np.ndarray], str, str | None]:
        """The rows of each system, what the tokenizer is called, and how many references a segment has."""
        rows, tokenizer = {}, ""
        for name, predictions in systems.items():
            try:
                table = columns(predictions, references)
                check_fit(options, {*self._chosen, *given}, kind(table))
            except (TypeError, ValueError) as error:
                raise type(error)(f"System {name!r}: {error}") from None
            references = table["references"]  # Arrow by now, for the systems to come
            rows[name], tokenizer = corpus_rows(table, options).T, tokenizer_name(options, kind(table))
        return rows, tokenizer, reference_counts(references)
