"""The callback that `compute_metrics` returns: generated ids in, floats out, in constant memory.

Each batch is decoded, counted and discarded; only the sum of statistics rows is kept. No training
library is imported; inputs are NumPy arrays or tensors that convert to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa

from . import bleu_messages as messages
from . import bleu_statistics as statistics
from .bleu_corpus import STRINGS, list_items, make_corpus
from .bleu_inputs import read_corpus, read_labels, to_numpy, warn_about_rows
from .bleu_messages import (
    LONE_SURROGATE,
    count_things,
    invalid,
    name_value,
    show_value,
    warn,
    warn_once_per_kind,
)
from .bleu_options import Options, check_flag
from .bleu_scoring import bleu, score_row
from .bleu_tokenizers import check_tokenizers

_Detail = Literal[
    "score", "brevity_penalty", "length_ratio", "translation_length", "reference_length"
]
_DETAILS: tuple[_Detail, ...] = get_args(_Detail)


class TrainerMetric:
    """A callback for trainers; make one with `bleu.compute_metrics`, which documents the arguments."""

    def __init__(
        self,
        tokenizer: Any,
        references: Any,
        by: Any,
        ignore_index: int,
        details: bool,
        history: bool,
        options: Options,
    ) -> None:
        # Whatever can be checked is checked now, because the first call comes after hours of
        # training.
        check_flag("details", details)
        check_flag("history", history)
        if isinstance(ignore_index, bool) or not hasattr(ignore_index, "__index__"):
            raise invalid(
                "ignore_index",
                ignore_index,
                "the padding value of the labels, such as -100",
                TypeError,
            )
        check_tokenizers(options)
        self._tokenizer, self._details, self._options = tokenizer, details, options
        self._keeps_history, self.history = history, list[pa.Table]()
        pad = getattr(
            getattr(tokenizer, "tokenizer", tokenizer), "pad_token_id", None
        )  # a processor has a tokenizer
        self._ignore_index, self._padding = (
            ignore_index,
            [ignore_index] if pad is None else [ignore_index, pad],
        )
        self._references, self._known_texts = None, set[str]()
        if references is not None:
            rows = references if hasattr(references, "__len__") else list(references)
            self._references = read_corpus([""] * len(rows), rows).references
            self._known_texts = {
                text.strip() for row in self._references.to_pylist() for text in row
            }
        self._expected = len(self._references or ())  # rows of the evaluation data; 0 if unknown
        self._labels = (
            []
            if by is None
            else read_labels(by, self._expected if references is not None else None)
        )
        if by is not None and not self._labels:
            counts = {"labels": "0 labels", "predictions": "the evaluation data"}
            raise ValueError(messages.LABEL_COUNT.format(name="by", **counts))
        if history:
            statistics.make_label_column("by", self._labels)
        statistics.check_labels(options, self._labels)
        self._expected = self._expected or len(self._labels)
        self._keys = {label: f"bleu_{label}" for label in dict.fromkeys(self._labels)}
        taken = {"bleu_macro"}
        for label, key in self._keys.items():
            if key in taken:
                raise ValueError(messages.LABEL_KEYS.format(show_value(label), key))
            taken.add(key)
        if not callable(getattr(tokenizer, "batch_decode", None)):
            raise TypeError(messages.NOT_A_TOKENIZER.format(show_value(tokenizer)))
        self.reset()

    def __call__(self, prediction: Any, compute_result: bool = True) -> dict[str, float]:
        """Count a batch, and score all batches since the last result.

        Args:
            prediction: an `EvalPrediction`, or a pair of predicted ids and label ids.
            compute_result: False if more batches follow, as with `batch_eval_metrics=True`.

        Returns:
            Floats by name; an empty dict if more batches follow.

        Raises:
            ValueError: the predictions are logits, there are no rows, or the numbers of predictions
                and of references differ.
        """
        try:
            if not isinstance(compute_result, (bool, np.bool_)):
                raise TypeError(messages.NOT_A_PAIR.format("two arguments"))
            if isinstance(prediction, Mapping) or not hasattr(prediction, "__getitem__"):
                raise TypeError(messages.NOT_A_PAIR.format(name_value(prediction)))
            with warn_once_per_kind(self._warned):
                self._count(prediction)
            return self._finish() if compute_result else {}
        except Exception:
            self.reset()
            raise

    def reset(self) -> None:
        """Discard the batches of an interrupted evaluation, because a trainer does not announce a new evaluation."""
        self._sums = {
            label: np.zeros(self._options.layout.width, np.int64) for label in self._keys or [None]
        }
        self._counted: list[statistics.Counted] = []
        self._rows = self._generated = 0
        self._first_labels: list[str] = []
        self._warned: set[str] = (
            set()
        )  # an evaluation warns once, whatever the number of its batches

    def _count(self, prediction: Any) -> None:
        # 1. Decode predictions and labels; labels may be missing if references were passed.
        generated, labels = _list_rows("predictions", prediction[0]), list[str]()
        texts = self._decode("predictions", generated)
        if prediction[1] is not None:
            label_rows = _list_rows("labels", prediction[1])
            if len(label_rows) != len(generated):
                counts = (
                    count_things(len(generated), "prediction"),
                    count_things(len(label_rows), "row"),
                )
                raise ValueError(messages.LABEL_ROWS.format(*counts))
            # An interrupted evaluation starts again with the same labels. Its predictions differ if
            # the model has learned since.
            labels = self._decode("labels", label_rows)
            if labels and labels == self._first_labels:
                warn(messages.RESTARTED)
            self._first_labels = self._first_labels or labels
        elif self._references is None:
            raise ValueError(messages.NO_LABELS)
        # 2. Drop rows beyond the expected ones if they repeat the first rows: gathering from
        #    processes repeats rows.
        if self._expected:
            remaining = max(0, self._expected - self._rows)
            further = labels[remaining:]
            if len(texts) > remaining and (
                not labels or further != self._first_labels[: len(further)]
            ):
                raise self._wrong_number(self._rows + len(texts))
            texts, labels = texts[:remaining], labels[:remaining]
            if not texts:
                return
        # 3. Find the references. A label that is a reference of another row shows that the rows are
        #    in another order.
        if self._references is None:
            references, bounds = pa.array(labels, STRINGS), np.arange(len(labels) + 1)
        else:
            rows = self._references.slice(self._rows, len(texts)).combine_chunks()
            for row, (label, row_texts) in enumerate(zip(labels, rows.to_pylist()), self._rows):
                if label and label in self._known_texts and label not in map(str.strip, row_texts):
                    warn(messages.OTHER_ORDER, row=row)
                    break
            references, bounds = list_items(rows)
        # 4. Count.
        corpus = make_corpus([(pa.array(texts, STRINGS), references, bounds)], first_row=self._rows)
        warn_about_rows(corpus)
        if self._labels:
            by = self._labels[self._rows : self._rows + len(texts)]
            counted = statistics.count_labeled(corpus, self._options, by)
            for group_label, group in counted.groups.items():
                self._sums[group_label] += counted.rows[group.segments].sum(axis=0)
        else:
            counted = statistics.count_groups(corpus, self._options, labels=None)
            self._sums[None] += counted.rows.sum(axis=0)
        if self._keeps_history:
            self._counted.append(counted)
        self._rows += len(texts)
        self._generated += sum(
            int((~np.isin(row, self._padding)).sum()) for row in generated[: len(texts)]
        )

    def _wrong_number(self, predictions: int) -> ValueError:
        found = count_things(predictions, "prediction")
        if self._references is None:
            labels = count_things(self._expected, "label")
            return ValueError(
                messages.LABEL_COUNT.format(name="by", labels=labels, predictions=found)
            )
        return ValueError(
            messages.REFERENCE_ROWS.format(count_things(self._expected, "list"), found)
        )

    def _decode(self, name: str, rows: list[Any]) -> list[str]:
        # Padding is removed and not replaced, because -100 overflows in a tokenizer and any other
        # id would be decoded.
        ids = [row[row != self._ignore_index].tolist() for row in rows]
        texts = self._tokenizer.batch_decode(ids, skip_special_tokens=True)
        if not isinstance(texts, list):
            raise TypeError(messages.DECODED_TYPE.format(name_value(texts)))
        if len(texts) != len(ids):
            raise ValueError(
                messages.DECODED.format(
                    count_things(len(texts), "text"), count_things(len(ids), "row")
                )
            )
        for row, text in enumerate(texts, self._rows):
            if not isinstance(text, str):
                raise TypeError(messages.DECODED_TYPE.format(f"a list with {name_value(text)}"))
            if LONE_SURROGATE.search(text):
                raise ValueError(messages.DECODED_SURROGATE.format(name, row))
        return [text.strip() for text in texts]

    def _finish(self) -> dict[str, float]:
        if self._expected and self._rows != self._expected:
            raise self._wrong_number(self._rows)
        if not self._rows:
            raise ValueError(messages.NO_SEGMENTS)
        sums = np.stack(list(self._sums.values()))
        result = score_row(sums.sum(axis=0), self._options)
        # Only here, `bleu` is on the scale 0-100, as published training scripts log it.
        scores = {"bleu": float(result["score"]), "gen_len": self._generated / self._rows}
        if self._labels:
            group_scores = (100 * bleu(sums, self._options)).tolist()
            scores |= dict(zip(self._keys.values(), group_scores)) | {
                "bleu_macro": fmean(group_scores)
            }
        if self._keeps_history:
            self.history.append(
                statistics.tabulate(statistics.join_counted(self._counted), self._options)
            )
        self.reset()
        if self._details:
            scores |= {name: float(result[name]) for name in _DETAILS}
            scores |= {
                f"precision_{n}": precision for n, precision in enumerate(result["precisions"], 1)
            }
        return scores


def _list_rows(name: str, part: Any) -> list[np.ndarray[Any, Any]]:
    """Return one array of ids per row of `part`; errors name the column.

    `part` is an array, a tensor on any device, a list of rows or of batches of any length, or a
    tuple with one of these first, from models with more outputs.
    """
    part = part[0] if isinstance(part, tuple) and part else part
    items: list[Any] = [part]
    if isinstance(part, list):
        items = [item if hasattr(item, "ndim") else np.asarray(item) for item in part]
        if any(item.ndim > 1 for item in items):  # batches
            return [row for item in items for row in _list_rows(name, item)]
    elif getattr(part, "ndim", 0):
        if part.ndim > 2:
            raise ValueError(messages.LOGITS.format(name, list(part.shape)))
        items = list(to_numpy(part))
    rows = [np.asarray(to_numpy(item)) for item in items]  # an array of objects has lists
    for row in rows:
        if not row.ndim:
            found = name_value(part) if items[0] is part else f"shape [{len(rows)}]"
            raise ValueError(messages.NOT_ROWS.format(name, found))
        if len(row) and row.dtype.kind not in "iu":
            raise TypeError(
                messages.NOT_ROWS.format(name, "str" if row.dtype.kind == "U" else row.dtype)
            )
    return rows
