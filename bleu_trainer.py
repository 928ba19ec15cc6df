"""The callback of `compute_metrics`: generated ids in, floats out, in constant memory.

A batch is decoded, counted and discarded; the sum of its statistics rows remains. No training library is imported:
inputs are NumPy arrays, or tensors that convert to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from .bleu_corpus import STRINGS, Int64, list_items, make_corpus
from .bleu_inputs import read_references
from .bleu_options import Options
from .bleu_scoring import Scores, score_row
from .bleu_statistics import sum_corpus
from .bleu_warnings import warn

_DETAILS = ("score", "brevity_penalty", "length_ratio", "translation_length", "reference_length")


class TrainerMetric:
    """A callback for trainers; make one with `bleu.compute_metrics`, which documents the arguments."""

    def __init__(self, tokenizer: Any, references: Any, ignore_index: int, details: bool, options: Options) -> None:
        self._tokenizer, self._ignore_index, self._details, self._options = tokenizer, ignore_index, details, options
        self._references = None if references is None else read_references(references)
        self._known_texts: set[str] = set()
        if self._references is not None:
            self._known_texts = {text.strip() for row in self._references.to_pylist() for text in row}
        self.reset()

    def __call__(self, prediction: Any, compute_result: bool = True) -> dict[str, float]:
        """Score an evaluation; if batches come one by one, all of them since the last result.

        Args:
            prediction: an `EvalPrediction`, or a pair of predicted ids and label ids.
            compute_result: False if more batches follow, as with `batch_eval_metrics=True`.

        Returns:
            Floats by name; nothing if more batches follow.

        Raises:
            ValueError: the predictions are logits, or there is not one row of references per prediction.
        """
        try:
            self._count(prediction)
            return self._finish() if compute_result else {}
        except Exception:
            self.reset()
            raise

    def reset(self) -> None:
        """Discard the batches of an interrupted evaluation; a trainer does not say when a new one begins."""
        self._sum = np.zeros(2 * self._options.counted_orders + 2, np.int64)
        self._rows = self._generated = 0
        self._first_labels: bytes | None = None

    def _count(self, prediction: Any) -> None:
        predicted, labels = _to_array(prediction[0]), _to_array(prediction[1])
        if predicted.ndim > 2:
            raise ValueError(
                f"The predictions are of shape {list(predicted.shape)}: logits, not generated ids. BLEU is of generated"
                " text: set predict_with_generate=True in Seq2SeqTrainingArguments."
            )
        self._warn_about_restart(labels)
        texts = self._decode(predicted)
        references, bounds = self._next_references(self._decode(labels), len(texts))
        if len(bounds) != len(texts) + 1:
            raise ValueError(f"There are {len(texts):,} predictions and {len(bounds) - 1:,} rows of labels.")
        is_padding = (predicted == self._ignore_index) | (predicted == self._tokenizer.pad_token_id)
        self._sum += sum_corpus(make_corpus([(pa.array(texts, STRINGS), references, bounds)]), self._options)
        self._rows += len(texts)
        self._generated += int((~is_padding).sum())

    def _next_references(self, labels: list[str], rows: int) -> tuple[pa.Array, Int64]:
        """Return the references of the next rows and their bounds: the labels, or those passed at the start."""
        if self._references is None:
            return pa.array(labels, STRINGS), np.arange(len(labels) + 1)
        if self._rows + rows > len(self._references):
            raise ValueError(
                f"There are {len(self._references)} references, but more predictions: one list a row, in order."
            )
        references = self._references.slice(self._rows, rows).combine_chunks()
        self._warn_about_order(labels, references.to_pylist())
        return list_items(references)

    def _warn_about_restart(self, labels: np.ndarray[Any, Any]) -> None:
        """Warn if the first labels come again before there was a result."""
        if self._rows and labels.tobytes() == self._first_labels:
            warn(
                "The labels of the first batch come a second time before this evaluation had a result. If an earlier"
                " one was broken off, its batches are counted in this one: call `reset()` of the hook before each."
            )
        if not self._rows:
            self._first_labels = labels.tobytes()

    def _warn_about_order(self, labels: Sequence[str], references: Sequence[list[str]]) -> None:
        """Warn if a label is not among the references of its row, but among those of another row."""
        for row, (label, texts) in enumerate(zip(labels, references), self._rows):
            if label and label in self._known_texts and label not in map(str.strip, texts):
                warn(
                    f"The label of row {row} is among the references of another row, and not of its own: the trainer"
                    " brings rows in another order than `references` has. Evaluate in the order of the data: without"
                    " `group_by_length` in `train_sampling_strategy`, for example."
                )
                return

    def _decode(self, ids: np.ndarray[Any, Any]) -> list[str]:
        # Padding is removed and not replaced: -100 overflows in a tokenizer, and any other id would be decoded.
        rows = [row[row != self._ignore_index].tolist() for row in ids]
        return [text.strip() for text in self._tokenizer.batch_decode(rows, skip_special_tokens=True)]

    def _finish(self) -> dict[str, float]:
        if self._references is not None and self._rows != len(self._references):
            raise ValueError(
                f"There are {len(self._references)} references for {self._rows} predictions: one list a row."
            )
        result = score_row(self._sum, self._options)
        # Here alone on the scale 0-100, as all published recipes log it.
        scores = {"bleu": float(result["score"]), "gen_len": self._generated / self._rows}
        self.reset()
        return scores | (_list_details(result) if self._details else {})


def _list_details(result: Scores) -> dict[str, float]:
    precisions = {f"precision_{n}": precision for n, precision in enumerate(result["precisions"], 1)}
    return {name: float(result[name]) for name in _DETAILS} | precisions  # type: ignore[literal-required]


def _to_array(part: Any) -> np.ndarray[Any, Any]:
    """Convert ids: an array, a tensor on any device, or a tuple with ids first, from models with more outputs."""
    if isinstance(part, tuple):
        part = part[0]
    if hasattr(part, "detach"):
        part = part.detach().cpu()
    return np.asarray(part)
