"""Addresses of texts and tokens in Arrow's buffers, from which the kernels read.

Called by `kernels.py`. An address is valid while its array lives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..shared.arrays import Int64, find_offsets, is_list, list_items

NO_ADDRESSES: Int64 = np.empty(0, np.int64)


class TextBuffers(NamedTuple):
    """Predictions and references in the form that the kernels read.

    predictions, references: int64 [texts + 1], the address of each text and the end of the last
        one; if texts are lists, their offsets in `token_addresses`.
    token_addresses: int64 [tokens + 1 per column], the address of each token, and the end of the
        last one; empty if texts are strings.

    Addresses are valid while the Arrow arrays live.
    """

    predictions: Int64
    references: Int64
    token_addresses: Int64


def find_texts(predictions: pa.Array, references: pa.Array) -> TextBuffers:
    if not is_list(predictions.type):
        return TextBuffers(find_strings(predictions), find_strings(references), NO_ADDRESSES)
    prediction_items, prediction_offsets = list_items(predictions)
    reference_items, reference_offsets = list_items(references)
    prediction_tokens = _find_items(prediction_items)
    return TextBuffers(
        prediction_offsets,
        len(prediction_tokens) + reference_offsets,
        np.concatenate([prediction_tokens, _find_items(reference_items)]),
    )


def _find_items(items: pa.Array) -> Int64:
    """Return the address of each token or id, and the end of the last one."""
    if not pa.types.is_integer(items.type):
        return find_strings(items)
    # An id is a token of eight bytes.
    address = items.buffers()[1].address if len(items) else 0
    return address + 8 * np.arange(items.offset, items.offset + len(items) + 1)


def find_strings(strings: pa.Array) -> Int64:
    """Return the address of each string, and the end of the last one."""
    characters = strings.buffers()[2]
    return find_offsets(strings) + (characters.address if characters else 0)
