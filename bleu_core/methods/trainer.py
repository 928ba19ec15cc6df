"""The callback that `compute_metrics` returns: generated ids in, floats out, in constant memory.

The class makes a `TrainerMetric` per call of `compute_metrics`. Each batch is decoded, counted and
discarded; only the sum of statistics rows is kept. No training library is imported; inputs are
NumPy arrays or tensors that convert to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from statistics import fmean
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..check.look import Look
from ..options.options import Options, check_flag
from ..rows.statistics import Counted, count_segments, join_counted, make_call
from ..rows.tables import make_label_column, tabulate
from ..rules.chosen_tokenizer import check_tokenizers
from ..rules.scores import bleu, score_row, warn_if_zero
from ..shared.arrays import STRINGS, Int64, Label, list_items
from ..shared.messages import (
    EXPECTED_REFERENCES,
    LABEL_COUNT,
    LONE_SURROGATE,
    NO_SEGMENTS,
    NOT_A_TOKENIZER,
    Notice,
    count_things,
    invalid,
    name_value,
    show_value,
    warn,
    warn_once_per_kind,
)
from ..shared.pickling import picklable
from ..text.columns import read_array, read_column
from ..text.corpus import make_corpus
from ..text.elements import warn_about_rows
from ..text.labels import check_labels, read_labels
from ..text.read import read_corpus

_Detail = Literal[
    "score", "brevity_penalty", "length_ratio", "translation_length", "reference_length"
]
_DETAILS: tuple[_Detail, ...] = get_args(_Detail)
# How to log BLEU of a decoder-only model. The title of a section, and its page.
_GENERATION_RECIPE = 'see "Decoder-only models (Trainer, SFTTrainer)" in docs/training.md'

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


@picklable
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
            raise invalid(
                "ignore_index",
                ignore_index,
                "the padding value of the labels, such as -100",
                TypeError,
            )
        check_tokenizers(options)
        self._tokenizer: Any = tokenizer
        self._options = options
        self._details = details
        self._keeps_history = history
        self.history: list[pa.Table] = []
        self._ignore_index = ignore_index
        text_tokenizer = getattr(tokenizer, "tokenizer", tokenizer)  # a processor has a tokenizer
        self._pad_token_id: Any = getattr(text_tokenizer, "pad_token_id", None)
        self._end_token_id: Any = getattr(text_tokenizer, "eos_token_id", None)
        # 2. Read the references.
        self._expected_rows = 0  # of the evaluation data
        self._references: pa.ChunkedArray | None = None
        self._known_texts: set[str] = set()
        if references is not None:
            rows = read_column("references", references, EXPECTED_REFERENCES)
            self._references = read_corpus([""] * len(rows), rows).references
            self._expected_rows = len(self._references)
            for row_texts in self._references.to_pylist():
                self._known_texts.update(text.strip() for text in row_texts)
        # 3. Read the labels.
        labels = read_labels(by, None if references is None else self._expected_rows)
        if labels is not None and not labels:
            raise ValueError(
                LABEL_COUNT.format(name="by", labels="0 labels", predictions="the evaluation data")
            )
        self._by: list[Label] = labels or []
        self._expected_rows = self._expected_rows or len(self._by)
        if history:
            make_label_column("by", self._by)
        check_labels(options.tokenize_by, self._by)
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
            raise TypeError(NOT_A_TOKENIZER.format(found=show_value(tokenizer)))
        self.reset()

    def __call__(self, prediction: Any, compute_result: bool = True) -> dict[str, float]:
        """Count a batch, and score all batches since the last result.

        Args:
            prediction: an `EvalPrediction`, or a pair of predicted ids and label ids.
            compute_result: False if more batches follow, as with `batch_eval_metrics=True`.

        Returns:
            Floats by name; an empty dict if more batches follow.

        Raises:
            ValueError: the predictions are logits or their argmax, or begin with the prompt; rows
                are missing; or the numbers of predictions and of references differ.
        """
        try:
            if not isinstance(compute_result, (bool, np.bool_)):
                raise TypeError(_PAIR_EXPECTED.format(found="two arguments"))
            with warn_once_per_kind(self._evaluation.issued_warnings):
                self._count(*_read_pair(prediction))
                return self._finish() if compute_result else {}
        except Exception:
            self.reset()
            raise

    def reset(self) -> None:
        """Discard the batches of an interrupted evaluation; no trainer announces a new one."""
        sums = {
            label: np.zeros(self._options.layout.width, np.int64) for label in self._keys or [None]
        }
        self._evaluation = _Evaluation(sums, Look(self._options))

    def _count(self, predicted_ids: object, label_ids: object) -> None:
        evaluation = self._evaluation
        # 1. Decode predictions and labels; labels may be missing if references were passed.
        predictions = self._read_rows("predictions", predicted_ids)
        texts = self._decode("predictions", predictions)
        labels: list[str] = []
        if label_ids is not None:
            label_rows = self._read_rows("labels", label_ids)
            labels = self._decode_labels(label_rows, len(texts))
            evaluation.alignment.add(predictions, label_rows, self._end_token_id)
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
                if not labels or further != evaluation.first_labels[: len(further)]:
                    raise self._wrong_number(evaluation.rows + len(texts))
                del texts[remaining:], labels[remaining:]
            if not texts:
                return
        # 3. Find the references and count.
        references, bounds = self._find_references(labels, len(texts))
        corpus = make_corpus([(pa.array(texts, STRINGS), references, bounds)], evaluation.rows)
        by = self._by[evaluation.rows : evaluation.rows + len(texts)] if self._by else None
        counted = count_segments(make_call(corpus, self._options, by))
        if by is not None:
            for label, group in counted.groups.items():
                evaluation.sums[label] += counted.rows[group.segments].sum(axis=0)
        else:
            evaluation.sums[None] += counted.rows.sum(axis=0)
        # 4. Add the batch to the evaluation.
        evaluation.look.add(corpus, counted.bigrams)
        if self._keeps_history:
            evaluation.counted.append(counted)
        evaluation.rows += len(texts)
        generated = predictions.is_token[: predictions.starts[len(texts)]]
        evaluation.generated_tokens += int(np.count_nonzero(generated))

    def _decode_labels(self, label_rows: _IdRows, predictions: int) -> list[str]:
        """Decode the labels of a batch; warn if they were the first ones of this evaluation."""
        if len(label_rows) != predictions:
            raise ValueError(
                f"Got {count_things(predictions, 'prediction')} and"
                f" {count_things(len(label_rows), 'row')} of labels."
                " Generate one sequence per row (num_return_sequences=1)."
            )
        labels = self._decode("labels", label_rows)
        # An interrupted evaluation starts again with the same labels. Its predictions differ if the
        # model has learned since. Labels that are alike, such as one class, may come again anyway.
        first_labels = self._evaluation.first_labels
        if labels == first_labels and len(set(labels)) > 1:
            warn(
                Notice(
                    "restarted",
                    "The labels of the first batch were passed twice in one evaluation."
                    " If an earlier evaluation was interrupted, its batches are being added to"
                    " this one",
                    ". Call `reset()` on the callback before each evaluation",
                )
            )
        if not first_labels:
            self._evaluation.first_labels = list(labels)
        return labels

    def _find_references(self, labels: list[str], size: int) -> tuple[pa.Array, Int64]:
        """Return the references of the next `size` rows, and the offsets of each row's.

        They are those that were passed, or the labels. A label that is a reference of another row
        shows that the rows are in another order.
        """
        if self._references is None:
            return pa.array(labels, STRINGS), np.arange(len(labels) + 1)
        first_row = self._evaluation.rows
        rows = self._references.slice(first_row, size).combine_chunks()
        for row, (label, row_texts) in enumerate(zip(labels, rows.to_pylist()), first_row):
            is_known = label and label in self._known_texts
            if is_known and label not in [text.strip() for text in row_texts]:
                warn(
                    Notice(
                        "other order",
                        "The label in row {row} matches a reference of a different row,"
                        " so the trainer is not evaluating in the order of `references`",
                        ". Evaluate in the order of the data:"
                        " without `group_by_length` in `train_sampling_strategy`, for example",
                    ),
                    row=row,
                )
                break
        return list_items(rows)

    def _wrong_number(self, predictions: int) -> ValueError:
        predicted = count_things(predictions, "prediction")
        if self._references is None:
            return ValueError(
                LABEL_COUNT.format(
                    name="by",
                    labels=count_things(self._expected_rows, "label"),
                    predictions=predicted,
                )
            )
        return ValueError(
            f"references: got {count_things(self._expected_rows, 'list')} for {predicted}."
            " Pass one list per row of the evaluation data, in its order."
        )

    def _read_rows(self, name: str, data: object) -> _IdRows:
        rows = _list_id_rows(name, data)
        if isinstance(rows, np.ndarray):
            ids = rows.ravel().astype(np.int64, copy=False)
            starts = np.arange(len(rows) + 1) * rows.shape[1]
        else:
            ids = np.concatenate([np.empty(0, np.int64), *rows], dtype=np.int64, casting="unsafe")
            starts = np.cumsum([0, *map(len, rows)])
        is_kept = ids != self._ignore_index
        is_token = is_kept if self._pad_token_id is None else is_kept & (ids != self._pad_token_id)
        return _IdRows(ids, starts, np.diff(starts), is_kept, is_token)

    def _decode(self, name: str, rows: _IdRows) -> list[str]:
        ids = rows.list_kept()
        texts = self._tokenizer.batch_decode(ids, skip_special_tokens=True)
        if not isinstance(texts, list):
            raise TypeError(_TEXTS_EXPECTED.format(found=name_value(texts)))
        if len(texts) != len(ids):
            raise ValueError(
                f"tokenizer.batch_decode: got {count_things(len(texts), 'text')} for"
                f" {count_things(len(ids), 'row')} of ids."
                " Return one str per row."
            )
        for text in texts:
            if not isinstance(text, str):
                raise TypeError(_TEXTS_EXPECTED.format(found=f"a list with {name_value(text)}"))
        try:
            "".join(texts).encode()  # a tenth of the time of a search in each text
        except UnicodeEncodeError:
            row = next(
                row
                for row, text in enumerate(texts, self._evaluation.rows)
                if LONE_SURROGATE.search(text)
            )
            raise ValueError(
                f"{name}[{row}]: the tokenizer decoded to a lone surrogate (U+D800 to U+DFFF)."
                " Return valid text."
            ) from None
        return [text.strip() for text in texts]

    def _finish(self) -> dict[str, float]:
        evaluation = self._evaluation
        if self._expected_rows and evaluation.rows != self._expected_rows:
            raise self._wrong_number(evaluation.rows)
        if not evaluation.rows:
            raise ValueError(NO_SEGMENTS)
        evaluation.alignment.check()
        warn_about_rows(evaluation.look.sample())
        evaluation.look.warn(may_be_unrelated=False)  # as is a model before it learns
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
                warn_if_zero(
                    score,
                    row,
                    segments_of[label],
                    self._options,
                    f"The score of {show_value(label)}",
                )
        if self._keeps_history:
            self.history.append(tabulate(join_counted(evaluation.counted), self._options))
        self.reset()
        if self._details:
            scores |= {name: float(result[name]) for name in _DETAILS}
            for order, precision in enumerate(result["precisions"], 1):
                scores[f"precision_{order}"] = precision
        return scores


# --- What a trainer passes ------------------------------------------------------------------------


def _read_pair(prediction: Any) -> tuple[Any, Any]:
    """Return predictions and labels, or raise unless the argument of the callback has both."""
    if (
        not hasattr(prediction, "__getitem__")
        or hasattr(prediction, "ndim")
        or isinstance(prediction, (Mapping, str, bytes))
    ):
        raise TypeError(_PAIR_EXPECTED.format(found=name_value(prediction)))
    try:
        return prediction[0], prediction[1]
    except IndexError:
        raise TypeError(
            _PAIR_EXPECTED.format(found=f"{name_value(prediction)} of length {len(prediction)}")
        ) from None


def _list_id_rows(name: str, data: Any) -> npt.NDArray[np.integer] | list[npt.NDArray[np.generic]]:
    """Return one array of ids per row, or a rectangle of ids; errors name the column.

    `data` is an array, a tensor on any device, a list of rows or of batches of any length, or a
    tuple with one of these first, from models with more outputs.
    """
    column = data[0] if isinstance(data, tuple) and data else data
    # 1. List the rows, or those of each batch.
    if isinstance(column, list):
        items = [item if hasattr(item, "ndim") else np.asarray(item) for item in column]
        if any(item.ndim > 1 for item in items):  # batches
            return [row for batch in items for row in _list_id_rows(name, batch)]
        found = f"shape [{len(items)}]"
    elif getattr(column, "ndim", 0):
        if column.ndim > 2:
            raise ValueError(
                f"{name}: got logits of shape {list(column.shape)}."
                " Set predict_with_generate=True in Seq2SeqTrainingArguments."
                f" For a decoder-only model, generate in a callback: {_GENERATION_RECIPE}."
            )
        array = read_array(name, column)
        if isinstance(array, np.ndarray) and array.ndim == 2 and array.dtype.kind in "iu":
            return array
        items = list(array)
        found = f"shape [{len(items)}]"
    else:
        items = [column]
        found = name_value(column)
    # 2. Check them. An array of objects may have lists as rows.
    rows = [np.asarray(read_array(name, item)) for item in items]
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


@dataclass(frozen=True)
class _IdRows:
    """The ids of a batch as a trainer passes them, one row after the other.

    ids: int64 [ids].
    starts: the offsets of the rows: int64 [rows + 1].
    widths: the number of ids of each row: int64 [rows].
    is_kept: False for `ignore_index`: bool [ids].
    is_token: False for `ignore_index` and the padding of the tokenizer: bool [ids].
    """

    ids: Int64
    starts: Int64
    widths: Int64
    is_kept: npt.NDArray[np.bool_]
    is_token: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.widths)

    def list_kept(self) -> list[list[int]]:
        """Return the ids of each row without `ignore_index`."""
        # They are removed and not replaced, because -100 overflows in a tokenizer and any other id
        # would be decoded.
        kept = self.ids[self.is_kept]
        kept_before = np.zeros(len(self.ids) + 1, np.int64)
        np.cumsum(self.is_kept, out=kept_before[1:])
        starts = kept_before[self.starts].tolist()
        return [kept[start:end].tolist() for start, end in pairwise(starts)]

    def locate_tokens(self, width: int) -> npt.NDArray[np.bool_]:
        """Return True in the columns of tokens: bool [rows, width]."""
        has_token = np.arange(width) < self.widths[:, None]
        has_token[has_token] = self.is_token
        return has_token

    def make_rectangle(self, has_token: npt.NDArray[np.bool_], filler: int) -> Int64:
        """Return the rows at one width, with a negative number where there is no token."""
        rectangle = np.full(has_token.shape, filler)
        rectangle[has_token] = self.ids[self.is_token]
        return rectangle


# --- Whether predictions are generated text -------------------------------------------------------

_NOT_GENERATED = (
    "predictions: expected generated text, got the argmax of logits, or text that begins with the"
    " prompt: every row of labels begins with ignore_index, and {evidence}. Pass only generated"
    " tokens, generated[:, input_ids.shape[1]:], or generate after each evaluation:"
    f" {_GENERATION_RECIPE}."
)


@picklable
@dataclass
class _LabelPlaces:
    """The places of the labels' tokens in the predictions of an evaluation.

    They show if the predictions are generated text. Labels of a decoder-only model are as wide as
    its input, and `ignore_index` masks the prompt, so every row begins with it:

        labels                          -100  -100  -100     a     b     c
        generated text                     a     b     c
        text of an encoder-decoder     start     a     b     c
        argmax of logits                   x     x     a     b     c     x
        prompt and generated text          p     p     p     a     b     c

    Labels that are padded on the left begin with it, too, except the longest row of a batch.

    is_masked: every row of labels begins with `ignore_index`.
    is_masked_alike: predictions and labels begin with equally many columns of padding, 2 or more.
    has_equal_widths: every prediction is as wide as its labels.
    is_full: besides, no prediction ends before its label, or with an end of sentence that its label
        lacks.
    first_ids, second_ids: ids with which predictions begin; two or more if they differ.
    rows: the number of rows whose labels have tokens. Of these:
    generated_rows: the prediction ends before the column where the label begins.
    unequal_labels: the label does not end in the column where the label before it ends.
    equal_predictions: of these, the prediction ends where the prediction before it ends.
    tokens: the number of tokens in labels. Of these:
    at_start, after_start: the prediction has the token at its place, counted from the first token
        of the prediction, or from the second one.
    before, same: the prediction has the token in the column before, or in its column; as
        `_count_matches` returns them.
    after_padding: the prediction has the token in its column, without padding.
    """

    is_masked: bool = True
    is_masked_alike: bool = True
    has_equal_widths: bool = True
    is_full: bool = True
    first_ids: set[int] = field(default_factory=set)
    second_ids: set[int] = field(default_factory=set)
    rows: int = 0
    generated_rows: int = 0
    unequal_labels: int = 0
    equal_predictions: int = 0
    tokens: int = 0
    at_start: int = 0
    after_start: int = 0
    before: Int64 = field(default_factory=lambda: np.zeros(3, np.int64))
    same: Int64 = field(default_factory=lambda: np.zeros(3, np.int64))
    after_padding: int = 0

    def add(self, predictions: _IdRows, labels: _IdRows, end_id: int | None) -> None:
        """Compare the rows of a batch, unless this or an earlier batch shows that all is well."""
        # 1. Leave for most evaluations: labels are not masked, and predictions are not as wide.
        self.is_masked &= not labels.is_kept[labels.starts[:-1][labels.widths > 0]].any()
        self.has_equal_widths &= np.array_equal(predictions.widths, labels.widths)
        self.is_full &= self.has_equal_widths
        if not self.is_masked and not self.is_full:
            return
        width = max(predictions.widths.max(initial=1), labels.widths.max(initial=1)) + 1
        # 2. Look for predictions that end before their labels, or with the token for an end that
        #    their labels lack; rows whose labels have no tokens don't count.
        is_text = predictions.locate_tokens(width)
        is_label = labels.locate_tokens(width)
        has_label = is_label.any(axis=1)
        first, end = _find_ends(is_text[has_label])
        label_first, label_end = _find_ends(is_label[has_label])
        self.is_full &= not (end < label_end).any()
        text = predictions.make_rectangle(is_text, -1)[has_label]
        label = labels.make_rectangle(is_label, -2)[has_label]
        row = np.arange(len(label))
        has_ended = (text[row, end - 1] == end_id) & (label[row, label_end - 1] != end_id)
        self.is_full &= not has_ended.any()
        is_other_end = np.diff(label_end) != 0
        self.is_masked_alike &= bool(((first == label_first) & (first > 1)).all())
        self.unequal_labels += int(np.count_nonzero(is_other_end))
        self.equal_predictions += int(np.count_nonzero(is_other_end & (np.diff(end) == 0)))
        # 3. Count the tokens of labels at their places in predictions.
        text_tokens, label_tokens = _remove_padding(text), _remove_padding(label)
        self.rows += len(label)
        self.tokens += int(np.count_nonzero(label >= 0))
        self.at_start += int(np.count_nonzero(text_tokens == label_tokens))
        self.after_start += int(np.count_nonzero(text_tokens[:, 1:] == label_tokens[:, :-1]))
        self.before += _count_matches(text[:, :-1], label[:, 1:])
        self.same += _count_matches(text, label)
        self.after_padding += int(np.count_nonzero(text_tokens == label))
        # 4. Look for start tokens.
        starts = predictions.starts[:-1][has_label & (predictions.widths > 1)]
        first_ids, second_ids = predictions.ids[starts], predictions.ids[starts + 1]
        self.generated_rows += int(np.count_nonzero(end <= label_first))
        self.first_ids.update(np.unique(first_ids)[:2].tolist())
        self.second_ids.update(np.unique(second_ids)[:2].tolist())

    def check(self) -> None:
        """Raise an error, or warn, if the predictions do not seem to be generated text alone."""
        if not self.rows:
            return
        large_lead = _find_lead(self.tokens)
        before, same = int(self.before[0]), int(self.same[0])
        # 1. Without a mask, only the argmax can be told from generated text. Tokens in their own
        #    columns may be generated, unless predictions fill a rectangle and labels do not.
        if not self.is_masked:
            is_rectangle = 2 * self.equal_predictions >= self.unequal_labels > 0
            found = self.same if is_rectangle and same > before else self.before
            matches, resumed, after_wrong = found.tolist()
            lead = matches - max(min(before, same), self.after_start)
            if self.is_full and lead > large_lead and resumed > _find_lead(after_wrong):
                warn(
                    Notice(
                        "argmax",
                        "The predictions look like the argmax of logits: they have the width of the"
                        " labels, and the tokens of the labels in their columns, or one column"
                        " before. Under teacher forcing, BLEU is far too high",
                        ". Pass generated tokens: set predict_with_generate=True in"
                        " Seq2SeqTrainingArguments, or for a decoder-only model"
                        f" {_GENERATION_RECIPE}",
                    )
                )
            return
        # 2. Compare the places of the labels' tokens.
        elsewhere = max(before, same, self.after_padding)
        generated = max(self.at_start, self.after_start)
        if self.is_masked_alike:
            raise ValueError(
                _NOT_GENERATED.format(evidence="the predictions are masked in the same columns")
            )
        if elsewhere - generated > large_lead:
            share = f"{elsewhere / self.tokens:.1%} of the label tokens"
            evidence = f"the predictions have {share} in the same columns, or one column before"
            raise ValueError(_NOT_GENERATED.format(evidence=evidence))
        if generated - elsewhere > min(self.tokens / 5, 3 * sqrt(generated + elsewhere)):
            return
        # 3. A model that has learned little has few of the labels' tokens at any place.
        has_start = len(self.first_ids) == 1 and len(self.second_ids) > 1
        if has_start or 4 * self.generated_rows > self.rows:
            return
        if self.has_equal_widths and len(self.first_ids) > 1:
            raise ValueError(
                _NOT_GENERATED.format(evidence="the predictions have the width of the labels")
            )
        warn(
            Notice(
                "masked labels",
                "Every row of labels begins with ignore_index, as behind a masked prompt,"
                " and the predictions do not show whether they are generated text without the"
                " prompt",
                f". Pass only generated tokens: {_GENERATION_RECIPE}",
            )
        )


def _find_lead(tokens: int) -> float:
    """Return how many of some tokens are more than chance.

    In the random evaluations of test_trainer.py, generated texts have fewer, even if
    they are few, short, repetitive or of a small vocabulary.
    """
    return tokens / 5 + 1.5 * sqrt(tokens)


def _find_ends(is_token: npt.NDArray[np.bool_]) -> tuple[Int64, Int64]:
    """Return each row's first column with a token, and the column after its last token.

    For a row without tokens, they are its width and 0.
    """
    width = is_token.shape[1]
    is_empty = ~is_token.any(axis=1)
    return (
        np.where(is_empty, width, is_token.argmax(axis=1)),
        np.where(is_empty, 0, width - is_token[:, ::-1].argmax(axis=1)),
    )


def _count_matches(text: Int64, label: Int64) -> Int64:
    """Count the label tokens that texts have in their columns; those after a wrong one; all such.

    A model under teacher forcing is right again after a wrong token. In generated text, the tokens
    after a wrong one are usually others, or in other columns. The first column does not count,
    because a start token is always wrong.
    """
    is_label, is_match = label >= 0, text == label
    is_after_wrong = is_label[:, 2:] & (is_label & ~is_match)[:, 1:-1]
    resumed = np.count_nonzero(is_match[:, 2:] & is_after_wrong)
    return np.array([np.count_nonzero(is_match), resumed, np.count_nonzero(is_after_wrong)])


def _remove_padding(rectangle: Int64) -> Int64:
    """Return the tokens of each row from its first column on."""
    is_token = rectangle >= 0
    moved = np.full_like(rectangle, rectangle.min(initial=-1))
    moved[np.arange(rectangle.shape[1]) < is_token.sum(axis=1)[:, None]] = rectangle[is_token]
    return moved


# --- One evaluation -------------------------------------------------------------------------------


@picklable
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
    look: a sample of the texts, which is looked at when the evaluation ends.
    alignment: the places of the labels' tokens in the predictions.
    """

    sums: dict[Label, Int64]
    look: Look
    counted: list[Counted] = field(default_factory=list)
    rows: int = 0
    generated_tokens: int = 0
    first_labels: list[str] = field(default_factory=list)
    issued_warnings: set[str] = field(default_factory=set)
    alignment: _LabelPlaces = field(default_factory=_LabelPlaces)
