"""Columns and options to what a call returns: whether they fit each other, and the dict of `compute`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from .bleu_arrow import kind, reference_counts
from .bleu_diagnostics import warn_about_text, warn_about_zero
from .bleu_options import Options, signature
from .bleu_scoring import bleu, result
from .bleu_significance import bootstrap_scores, interval
from .bleu_statistics import corpus_rows, corpus_sum, tokenizer_name


def scored(table: pa.Table, options: Options) -> dict[str, Any]:
    """What `compute` returns.

    Args:
        table: what `bleu_inputs.columns` returns.
        options: all of them.

    >>> scored(columns(["a b c d"], ["a b c d"]), Options())["score"]
    100.0
    """
    if options.segments or options.confidence:
        rows = corpus_rows(table, options).T
        total, empty = rows.sum(axis=0), int((rows[:, -2] == 0).sum())
    else:
        rows, (total, empty) = None, corpus_sum(table, options)
    warn_about_text(table, options)
    references = reference_counts(table["references"])
    return answer(total, rows, empty, options, tokenizer_name(options, kind(table)), references)


def answer(
    total: np.ndarray,
    rows: np.ndarray | None,
    empty: int | None,
    options: Options,
    tokenizer: str,
    references: str | None,
) -> dict[str, Any]:
    """What `compute` returns, from statistics rows.

    Args:
        total: int64 [2 N + 2], the sum of the rows.
        rows: int64 [segments, 2 N + 2], for `segments` and `confidence`.
        empty: how many predictions have no token, None if unknown.
        options: all of them.
        tokenizer: what it's called in a signature.
        references: how many a segment has, for the signature.
    """
    told, drawn = result(total, options), None
    if options.segments:
        told["segment_bleu"] = bleu(rows, replace(options, effective_order=True)).tolist()
    if options.confidence:
        generator = np.random.default_rng(options.seed)
        scores = bootstrap_scores(rows[np.newaxis], options, generator, options.n_resamples)[:, 0]
        drawn = {"bs": options.n_resamples}
        told["confidence_interval"] = interval(scores, options.confidence)
        told["bootstrap_mean"] = float(scores.mean())
    if told["bleu"] == 0:
        warn_about_zero(total, empty)
    return {**told, "signature": signature(options, tokenizer, references, drawn)}


def check_fit(options: Options, asked: Collection[str], columns_kind: str | None, name: str = "predictions") -> None:
    """Raises if the options can't go with columns of a kind, or with what is installed.

    Args:
        options: `tokenize` and `lowercase` are looked at.
        asked: the options that aren't defaults.
        columns_kind: as `bleu_arrow.kind` has it; None if another process has the rows.
        name: the column that the kind is of.

    >>> check_fit(Options(tokenize="zh"), {"tokenize"}, "ids")
    Traceback (most recent call last):
    ValueError: tokenize='zh', but the predictions are ids: leave it out, or give text.
    """
    if columns_kind in ("text", None):
        tokenizer_name(options, "text")
    elif "tokenize" in asked:
        raise ValueError(
            f"tokenize={options.tokenize!r}, but the {name} are {columns_kind}: leave it out, or give text."
        )
    elif columns_kind == "ids" and options.lowercase:
        raise ValueError("lowercase=True, but token ids have no case: leave it out, or give text.")


def refuse_resampling(asked: Mapping[str, Any], what: str) -> None:
    """Raises for options that only the score of a corpus knows.

    >>> refuse_resampling({"segments": True}, "one segment")
    Traceback (most recent call last):
    ValueError: segments goes with the score of a corpus, not with one segment: leave it out.
    """
    for name in ("segments", "confidence", "n_resamples", "seed"):
        if name in asked:
            raise ValueError(f"{name} goes with the score of a corpus, not with {what}: leave it out.")
