"""The public calls for people who look: what matched, which setting gives a number, who resembles whom.

Each is steps through the other files, as in `bleu_metric`; `BleuMetric` gets them by inheriting from `Exploring`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from .bleu_answers import check_fit, refuse_resampling, scored
from .bleu_arrow import kind
from .bleu_diagnostics import warn_about_text
from .bleu_diversity import self_bleu
from .bleu_explain import explained
from .bleu_inputs import columns, text_columns
from .bleu_options import Options, signature
from .bleu_pairs import pairwise_bleu
from .bleu_reconciling import Conventions, Reconciliation, reconciled, side_by_side
from .bleu_scoring import order_weights, precisions
from .bleu_statistics import corpus_sum, segment_tokens, tokenizer_name


class Exploring:
    """To be inherited by a metric with options as `_defaults`, and the names of those that were chosen as `_chosen`."""

    _defaults: Options
    _chosen: set[str]

    def explain(self, prediction: Any, references: Any, **options: Any) -> dict[str, Any]:
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

        Raises:
            TypeError, ValueError: as `compute`.

        >>> bleu = evaluate.load("bleu_metric.py", max_order=1)
        >>> explanation = bleu.explain("the the the", ["the cat is on the mat"])
        >>> explanation["orders"][0]["unclipped_matches"], explanation["orders"][0]["matches"]
        (3, 2)
        """
        refuse_resampling(options, "one segment")
        chosen = replace(self._defaults.updated(options), segments=False, confidence=None)
        table = columns([prediction], [references])
        check_fit(chosen, {*self._chosen, *options}, kind(table))
        answer, row = scored(table, chosen), corpus_sum(table, chosen)[0]
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

    def conventions(self, predictions: Any, references: Any) -> Conventions:
        """The score under every named convention, and what the difference to the default is due to.

        Args:
            predictions: as for `compute`.
            references: as for `compute`.

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
        convention    BLEU  difference                    due to
        default     100.00       +0.00               as they are
        papineni    100.00       +0.00               as they are
        hf          100.00       +0.00               as they are
        nltk         64.32      -35.68  tokenize='none' (-35.68)
        moses        64.32      -35.68  tokenize='none' (-35.68)
        """
        return side_by_side(columns(predictions, references))

    def reconcile(
        self, predictions: Any, references: Any, reported: float | str, *, decimals: int | None = None, **fixed: Any
    ) -> Reconciliation:
        """Which settings give a published number.

        Searches the native tokenizers, case, NLTK's least number of n-grams, reference lengths, smoothing (`exp`,
        `none`, `floor`, `add-k`, `laplace`), orders 1 to 4, and which of the references were used: all, or each alone.

        Args:
            predictions: as for `compute`.
            references: as for `compute`.
            reported: the number, from 0 to 1 or from 0 to 100; as text, `"27.30"`, its last zeros count.
            decimals: how many of its decimals are known; as many as it's written with unless given.
            **fixed: options of `compute` that are known, but for `segments` and those about resampling.

        Returns:
            `matches`, the settings that round to the number, and if there are none `nearest`, the five that come next;
            those that take the fewest changes from the options of this object first. Of each: `bleu`, `score`,
            `difference` (to the reported, in points of 100), `references` (`"all"` or the index of one), `options` for
            `compute`, `steps` as in `conventions`, `signature`, and `same_score`, other values that a factor may have
            without changing the score. Also `reported`, `decimals`, and `scale`, 1 or 100. It prints as a table.

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
        refuse_resampling(fixed, "the search for a setting")
        chosen, table = self._defaults.updated(fixed), columns(predictions, references)
        check_fit(chosen, {*self._chosen, *fixed}, kind(table))
        return reconciled(table, chosen, fixed, reported, decimals)

    def _texts(
        self, asked: Mapping[str, Any], named: Mapping[str, Any]
    ) -> tuple[Options, dict[str, pa.ChunkedArray], str]:
        """The options, the columns of texts, and what the tokenizer is called, of a call that scores text by text."""
        refuse_resampling(asked, "scores of single texts")
        chosen, found = self._defaults.updated(asked), text_columns(**named)
        table = pa.table({"predictions": next(iter(found.values()))})
        check_fit(chosen, {*self._chosen, *asked}, kind(table), next(iter(found)))
        warn_about_text(table, chosen)
        return chosen, found, tokenizer_name(chosen, kind(table))
