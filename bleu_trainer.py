"""The callback that `compute_metrics` returns: generated ids in, floats out, in constant memory.

Each batch is decoded, counted and discarded; only the sum of statistics rows is kept. No training
library is imported; inputs are NumPy arrays or tensors that convert to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from . import bleu_messages as messages
from .bleu_checks import Looks, warn_if_moved
from .bleu_corpus import STRINGS, Int64, Label, list_items, make_corpus, portable
from .bleu_inputs import open_stream, read_corpus, read_labels, to_numpy, warn_about_rows
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
from .bleu_scoring import bleu, score_row, warn_if_zero
from .bleu_statistics import (
    Counted,
    check_labels,
    count_groups,
    count_labeled,
    join_counted,
)
from .bleu_tables import make_label_column, tabulate
from .bleu_tokenizers import check_tokenizers

_Detail = Literal[
    "score", "brevity_penalty", "length_ratio", "translation_length", "reference_length"
]
_DETAILS: tuple[_Detail, ...] = get_args(_Detail)

_PAIR_EXPECTED = (
    "The callback takes predictions and labels as one pair, got {found}."
    " Write callback((predictions, labels))."
)
_TEXTS_EXPECTED = (
    "tokenizer.batch_decode: expected a list of str, got {found}. Return one str per row."
)
_ROWS_EXPECTED = (
    "{name}: expected one row of token ids per segment, got {found}."
    " Pass integers of shape [rows, tokens]."
)


@portable
@dataclass
class _Evaluation:
    """What the batches of one evaluation have added up to.

    sums: the sum of the statistics rows of each label of `by`; without labels, of all rows under
        None.
    counted: the rows of each batch, if there is a history.
    rows: the number of rows.
    generated_tokens: the number of generated tokens, without padding.
    first_labels: the decoded labels of the first batch.
    issued_warnings: the kinds of warnings, because an evaluation warns once, whatever the number of
        its batches.
    looks: a sample of the texts, which is looked at when the evaluation ends.
    """

    sums: dict[Label, Int64]
    looks: Looks
    counted: list[Counted] = field(default_factory=list)
    rows: int = 0
    generated_tokens: int = 0
    first_labels: list[str] = field(default_factory=list)
    issued_warnings: set[str] = field(default_factory=set)


class _Pair(NamedTuple):
    """The predictions and the labels that a trainer passes, as ids."""

    predictions: Any
    labels: Any


class _References(NamedTuple):
    """The references of a batch, in the order of its rows, and the offsets of each row's."""

    texts: pa.Array
    bounds: Int64


@portable
class TrainerMetric:
    """A callback for trainers, made by `bleu.compute_metrics`, which documents the arguments."""

    def __init__(
        self,
        tokenizer: object,
        references: Any,
        by: object,
        ignore_index: int,
        *,
        details: bool,
        history: bool,
        options: Options,
    ) -> None:
        # Whatever can be checked is checked now, because the first call comes after hours of
        # training.
        # 1. Check the arguments that need no data.
        check_flag("details", details)
        check_flag("history", history)
        if isinstance(ignore_index, bool) or not hasattr(ignore_index, "__index__"):
            expected = "the padding value of the labels, such as -100"
            raise invalid("ignore_index", ignore_index, expected, TypeError)
        check_tokenizers(options)
        self._tokenizer: Any = tokenizer
        self._options = options
        self._details = details
        self._keeps_history = history
        self.history: list[pa.Table] = []
        self._ignore_index = ignore_index
        text_tokenizer = getattr(tokenizer, "tokenizer", tokenizer)  # a processor has a tokenizer
        self._pad_token_id: Any = getattr(text_tokenizer, "pad_token_id", None)
        # 2. Read the references.
        self._expected_rows = 0  # of the evaluation data
        self._references: pa.ChunkedArray | None = None
        self._known_texts: set[str] = set()
        if references is not None:
            rows: Any = open_stream(references)
            if not hasattr(rows, "__len__"):
                rows = list(rows)
            self._references = read_corpus([""] * len(rows), rows).references
            self._expected_rows = len(self._references)
            for row_texts in self._references.to_pylist():
                self._known_texts.update(text.strip() for text in row_texts)
        # 3. Read the labels.
        self._by: list[Label] = []
        row_count = None if references is None else self._expected_rows
        labels = read_labels(by, row_count)
        if labels is not None:
            if not labels:
                raise ValueError(
                    messages.LABEL_COUNT.format(
                        name="by", labels="0 labels", predictions="the evaluation data"
                    )
                )
            self._by = labels
            self._expected_rows = len(labels)
        if history:
            make_label_column("by", self._by)
        check_labels(options, self._by)
        # 4. Make the keys of the result, which labels must not share.
        self._keys = {label: f"bleu_{label}" for label in dict.fromkeys(self._by)}
        taken = {"bleu_macro"}
        for label, key in self._keys.items():
            if key in taken:
                raise ValueError(
                    f"by: the label {show_value(label)} would overwrite the key {key!r}."
                    " Rename the label."
                )
            taken.add(key)
        if not callable(getattr(tokenizer, "batch_decode", None)):
            raise TypeError(messages.NOT_A_TOKENIZER.format(found=show_value(tokenizer)))
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
                raise TypeError(_PAIR_EXPECTED.format(found="two arguments"))
            pair = _read_pair(prediction)
            with warn_once_per_kind(self._evaluation.issued_warnings):
                self._count(pair)
                return self._finish() if compute_result else {}
        except Exception:
            self.reset()
            raise

    def reset(self) -> None:
        """Discard the batches of an interrupted evaluation; no trainer announces a new one."""
        width = self._options.layout.width
        labels = list(self._keys) or [None]
        sums = {label: np.zeros(width, np.int64) for label in labels}
        self._evaluation = _Evaluation(sums, Looks(self._options))

    def _count(self, pair: _Pair) -> None:
        evaluation = self._evaluation
        # 1. Decode predictions and labels; labels may be missing if references were passed.
        id_rows = self._read_ids("predictions", pair.predictions)
        texts = self._decode("predictions", id_rows)
        labels: list[str] = []
        if pair.labels is not None:
            labels = self._decode_labels(pair.labels, len(id_rows))
        elif self._references is None:
            raise ValueError(
                "labels: got None. Add a column `labels` to the evaluation data,"
                " or pass `references` to compute_metrics()."
            )
        # 2. Drop rows beyond the expected ones if they repeat the first rows: gathering from
        #    processes repeats rows.
        if self._expected_rows:  # 0 while their number is unknown
            remaining = max(0, self._expected_rows - evaluation.rows)
            if len(texts) > remaining:
                further = labels[remaining:]
                repeated = evaluation.first_labels[: len(further)]
                if not labels or further != repeated:
                    raise self._wrong_number(evaluation.rows + len(texts))
                del texts[remaining:], labels[remaining:]
            if not texts:
                return
        # 3. Find the references and count.
        references = self._find_references(labels, len(texts))
        batch = (pa.array(texts, STRINGS), references.texts, references.bounds)
        corpus = make_corpus([batch], first_row=evaluation.rows)
        warn_about_rows(corpus)
        if self._by:
            by = self._by[evaluation.rows : evaluation.rows + len(texts)]
            counted = count_labeled(corpus, self._options, by)
            for label, group in counted.groups.items():
                evaluation.sums[label] += counted.rows[group.segments].sum(axis=0)
        else:
            by = None
            counted = count_groups(corpus, self._options, labels=None)
            evaluation.sums[None] += counted.rows.sum(axis=0)
        # 4. Add the batch to the evaluation.
        warn_if_moved(corpus, counted.bigrams, self._options)
        evaluation.looks.add(corpus, counted.bigrams, by)
        if self._keeps_history:
            evaluation.counted.append(counted)
        evaluation.rows += len(texts)
        for ids in id_rows[: len(texts)]:
            evaluation.generated_tokens += len(ids) - ids.count(self._pad_token_id)

    def _decode_labels(self, label_ids: object, predictions: int) -> list[str]:
        """Decode the labels of a batch; warn if they were the first ones of this evaluation."""
        label_rows = self._read_ids("labels", label_ids)
        if len(label_rows) != predictions:
            got = count_things(predictions, "prediction")
            label_count = count_things(len(label_rows), "row")
            raise ValueError(
                f"Got {got} and {label_count} of labels."
                " Generate one sequence per row (num_return_sequences=1)."
            )
        labels = self._decode("labels", label_rows)
        # An interrupted evaluation starts again with the same labels. Its predictions differ if the
        # model has learned since. Labels that are alike, such as one class, may come again anyway.
        first_labels = self._evaluation.first_labels
        differ = len(set(labels)) > 1
        if differ and labels == first_labels:
            warn(messages.RESTARTED)
        if not first_labels:
            self._evaluation.first_labels = list(labels)
        return labels

    def _find_references(self, labels: list[str], size: int) -> _References:
        """Return the references of the next `size` rows: those that were passed, or the labels.

        A label that is a reference of another row shows that the rows are in another order.
        """
        if self._references is None:
            return _References(pa.array(labels, STRINGS), np.arange(len(labels) + 1))
        first_row = self._evaluation.rows
        rows = self._references.slice(first_row, size).combine_chunks()
        for row, (label, row_texts) in enumerate(zip(labels, rows.to_pylist()), first_row):
            is_known = label and label in self._known_texts
            if is_known and label not in [text.strip() for text in row_texts]:
                warn(messages.OTHER_ORDER, row=row)
                break
        texts, bounds = list_items(rows)
        return _References(texts, bounds)

    def _wrong_number(self, predictions: int) -> ValueError:
        predicted = count_things(predictions, "prediction")
        if self._references is None:
            labels = count_things(self._expected_rows, "label")
            return ValueError(
                messages.LABEL_COUNT.format(name="by", labels=labels, predictions=predicted)
            )
        lists = count_things(self._expected_rows, "list")
        return ValueError(
            f"references: got {lists} for {predicted}."
            " Pass one list per row of the evaluation data, in its order."
        )

    def _read_ids(self, name: str, data: object) -> list[list[int]]:
        """Return the ids of each row without the padding of labels."""
        # It is removed and not replaced, because -100 overflows in a tokenizer and any other id
        # would be decoded.
        return [row[row != self._ignore_index].tolist() for row in _list_rows(name, data)]

    def _decode(self, name: str, ids: Sequence[list[int]]) -> list[str]:
        texts = self._tokenizer.batch_decode(ids, skip_special_tokens=True)
        if not isinstance(texts, list):
            raise TypeError(_TEXTS_EXPECTED.format(found=name_value(texts)))
        if len(texts) != len(ids):
            decoded = count_things(len(texts), "text")
            expected = count_things(len(ids), "row")
            raise ValueError(
                f"tokenizer.batch_decode: got {decoded} for {expected} of ids."
                " Return one str per row."
            )
        for row, text in enumerate(texts, self._evaluation.rows):
            if not isinstance(text, str):
                found = f"a list with {name_value(text)}"
                raise TypeError(_TEXTS_EXPECTED.format(found=found))
            if LONE_SURROGATE.search(text):
                raise ValueError(
                    f"{name}[{row}]: the tokenizer decoded to a lone surrogate (U+D800 to U+DFFF)."
                    " Return valid text."
                )
        return [text.strip() for text in texts]

    def _finish(self) -> dict[str, float]:
        evaluation = self._evaluation
        if self._expected_rows and evaluation.rows != self._expected_rows:
            raise self._wrong_number(evaluation.rows)
        if not evaluation.rows:
            raise ValueError(messages.NO_SEGMENTS)
        evaluation.looks.warn(may_be_unrelated=False)  # as is a model before it learns
        sums = np.stack(list(evaluation.sums.values()))
        total = sums.sum(axis=0)
        result = score_row(total, self._options)
        # Only here, `bleu` is on the scale 0-100, as published training scripts log it.
        scores = {
            "bleu": float(result["score"]),
            "gen_len": evaluation.generated_tokens / evaluation.rows,
        }
        warn_if_zero(result["bleu"], total, evaluation.rows, self._options)
        if self._by:
            group_scores = (100 * bleu(sums, self._options)).tolist()
            scores.update(zip(self._keys.values(), group_scores))
            scores["bleu_macro"] = fmean(group_scores)
            segments_of = Counter(self._by)
            for label, row, score in zip(self._keys, sums, group_scores):
                name = f"The score of {show_value(label)}"
                warn_if_zero(score, row, segments_of[label], self._options, name)
        if self._keeps_history:
            self.history.append(tabulate(join_counted(evaluation.counted), self._options))
        self.reset()
        if self._details:
            for name in _DETAILS:
                scores[name] = float(result[name])
            for order, precision in enumerate(result["precisions"], 1):
                scores[f"precision_{order}"] = precision
        return scores


def _read_pair(prediction: Any) -> _Pair:
    """Return predictions and labels, or raise unless the argument of the callback has both."""
    is_sequence = hasattr(prediction, "__getitem__")
    is_column = hasattr(prediction, "ndim") or isinstance(prediction, (Mapping, str, bytes))
    if not is_sequence or is_column:
        raise TypeError(_PAIR_EXPECTED.format(found=name_value(prediction)))
    try:
        return _Pair(prediction[0], prediction[1])
    except IndexError:
        found = f"{name_value(prediction)} of length {len(prediction)}"
        raise TypeError(_PAIR_EXPECTED.format(found=found)) from None


def _list_rows(name: str, data: Any) -> list[npt.NDArray[np.generic]]:
    """Return one array of ids per row; errors name the column.

    `data` is an array, a tensor on any device, a list of rows or of batches of any length, or a
    tuple with one of these first, from models with more outputs.
    """
    column = data[0] if isinstance(data, tuple) and data else data
    # 1. List the rows, or those of each batch.
    if isinstance(column, list):
        items = [item if hasattr(item, "ndim") else np.asarray(item) for item in column]
        if any(item.ndim > 1 for item in items):  # batches
            rows = []
            for batch in items:
                rows += _list_rows(name, batch)
            return rows
        found = f"shape [{len(items)}]"
    elif getattr(column, "ndim", 0):
        if column.ndim > 2:
            raise ValueError(
                f"{name}: got logits of shape {list(column.shape)}."
                " Set predict_with_generate=True in Seq2SeqTrainingArguments."
            )
        items = list(to_numpy(column))
        found = f"shape [{len(items)}]"
    else:
        items = [column]
        found = name_value(column)
    # 2. Check them. An array of objects may have lists as rows.
    rows = [np.asarray(to_numpy(item)) for item in items]
    for item, row in zip(items, rows):
        if not row.ndim:
            raise ValueError(_ROWS_EXPECTED.format(name=name, found=found))
        if len(row) and row.dtype.kind not in "iu":
            # The type of a tensor is that of torch, because NumPy has no bfloat16.
            given = item if isinstance(column, list) else column
            dtype = given.dtype if hasattr(given, "detach") else row.dtype
            item_type = "str" if row.dtype.kind == "U" else str(dtype).removeprefix("torch.")
            raise TypeError(_ROWS_EXPECTED.format(name=name, found=item_type))
    return rows
