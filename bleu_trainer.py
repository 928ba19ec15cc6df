"""What `Seq2SeqTrainer(compute_metrics=...)` wants: generated ids in, floats out, in constant memory.

A batch is decoded, counted and forgotten; what stays is the sum of its statistics rows. Nothing of a training library
is imported here: what comes from one is an array, or a tensor that can be made one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from .bleu_corpus import make_corpus
from .bleu_inputs import read_corpus
from .bleu_options import Options
from .bleu_scoring import make_result
from .bleu_statistics import sum_corpus
from .bleu_warnings import warn


class TrainerMetric:
    """Called by a trainer with what it has predicted; make one with `bleu.compute_metrics`.

    Args:
        tokenizer: a tokenizer of `transformers`, or anything with its `batch_decode` and `pad_token_id`.
        references: a list of references for each row of the evaluation data, in its order; the decoded labels unless
            given.
        ignore_index: what stands in labels and predictions where nothing counts.
        details: whether `compute`'s other numbers are returned, too.
        options: those that decide the number.
    """

    def __init__(self, tokenizer: Any, references: Any, ignore_index: int, details: bool, options: Options) -> None:
        self._tokenizer, self._ignore_index = tokenizer, ignore_index
        self._references = None if references is None else _read_references(references)
        self._details, self._options = details, options
        self._rows_of_reference: dict[str, set[int]] | None = None
        self.reset()

    def __call__(self, prediction: Any, compute_result: bool = True) -> dict[str, float]:
        """The scores of an evaluation; of all batches since the last result, when they come one by one.

        Args:
            prediction: an `EvalPrediction`, or a pair of predicted ids and label ids.
            compute_result: False for a batch that others follow, as `batch_eval_metrics=True` has it.

        Returns:
            Floats by name, or nothing yet.

        Raises:
            ValueError: the predictions are logits, or there are not as many references as rows.
        """
        try:
            self._count(prediction)
            return self._finish() if compute_result else {}
        except Exception:
            self.reset()
            raise

    def reset(self) -> None:
        """Forgets the batches of an evaluation that was broken off; a trainer doesn't say when a new one begins."""
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
        self._notice_new_beginning(labels)
        texts = self._decode(predicted)
        corpus = make_corpus(pa.chunked_array([texts], pa.string()), self._next_references(labels, len(texts)))
        is_padding = (predicted == self._ignore_index) | (predicted == self._tokenizer.pad_token_id)
        self._sum += sum_corpus(corpus, self._options).row
        self._rows += len(texts)
        self._generated += int((~is_padding).sum())

    def _next_references(self, labels: np.ndarray[Any, Any], rows: int) -> pa.ChunkedArray:
        if self._references is None:
            return _read_references(self._decode(labels))
        if self._rows + rows > len(self._references):
            raise ValueError(
                f"There are {len(self._references)} references, but more predictions: one list a row, in order."
            )
        self._notice_other_order(self._decode(labels))
        return self._references.slice(self._rows, rows)

    def _notice_new_beginning(self, labels: np.ndarray[Any, Any]) -> None:
        """Warns where the first labels come a second time before there was a result."""
        if self._rows and labels.tobytes() == self._first_labels:
            warn(
                "The labels of the first batch come a second time before this evaluation had a result. If an earlier"
                " one was broken off, its batches are counted in this one: call `reset()` of the hook before each."
            )
        if not self._rows:
            self._first_labels = labels.tobytes()

    def _notice_other_order(self, labels: Sequence[str]) -> None:
        """Warns where a label isn't among its row's references, but among another row's."""
        if self._rows_of_reference is None:
            self._rows_of_reference = _index_references(self._references)
        for row, label in enumerate(labels, self._rows):
            rows = self._rows_of_reference.get(label)
            if rows and row not in rows:
                warn(
                    f"The label of row {row} is among the references of row {min(rows)}, and not of its own: the"
                    " trainer brings rows in another order than `references` has. Evaluate in the order of the data:"
                    " without `group_by_length` in `train_sampling_strategy`, for example."
                )
                return

    def _decode(self, ids: np.ndarray[Any, Any]) -> list[str]:
        # Cut out, not replaced: -100 overflows in a tokenizer, and any other id would be decoded.
        rows = [row[row != self._ignore_index].tolist() for row in ids]
        return [text.strip() for text in self._tokenizer.batch_decode(rows, skip_special_tokens=True)]

    def _finish(self) -> dict[str, float]:
        if self._references is not None and self._rows != len(self._references):
            raise ValueError(
                f"There are {len(self._references)} references for {self._rows} predictions: one list a row."
            )
        result = make_result(self._sum, self._options)
        # From 0 to 100, here alone: as all published recipes log it.
        scores = {"bleu": float(result["score"]), "gen_len": self._generated / self._rows}
        self.reset()
        return scores | (_list_details(result) if self._details else {})


_DETAILS = ("score", "brevity_penalty", "length_ratio", "translation_length", "reference_length")


def _list_details(result: Mapping[str, Any]) -> dict[str, float]:
    precisions = {f"precision_{n}": precision for n, precision in enumerate(result["precisions"], 1)}
    return {name: float(result[name]) for name in _DETAILS} | precisions


def _read_references(references: Any) -> pa.ChunkedArray:
    """The references of all rows, as a corpus has them."""
    rows = references if hasattr(references, "__len__") else list(references)
    return read_corpus([""] * len(rows), rows).references


def _index_references(references: pa.ChunkedArray | None) -> dict[str, set[int]]:
    """The rows that each text is a reference of."""
    rows: dict[str, set[int]] = {}
    for row, texts in enumerate(references.to_pylist() if references is not None else ()):
        for text in filter(None, map(str.strip, texts)):
            rows.setdefault(text, set()).add(row)
    return rows


def _to_array(part: Any) -> np.ndarray[Any, Any]:
    """Ids as they come: an array, a tensor on any device, or a tuple with them first, from models with more outputs."""
    if isinstance(part, tuple):
        part = part[0]
    if hasattr(part, "detach"):
        part = part.detach().cpu()
    return np.asarray(part)
