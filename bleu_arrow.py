"""What is to be seen of Arrow columns without a copy of the data: their kind, their bytes, their offsets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def is_string(type_: pa.DataType) -> bool:
    return pa.types.is_string(type_) or pa.types.is_large_string(type_)


def is_list(type_: pa.DataType) -> bool:
    return pa.types.is_list(type_) or pa.types.is_large_list(type_)


def utf8(array: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of a string array, and int64 where in them each string begins and the last ends.

    >>> utf8(pa.array(["ab", "", "c"]).slice(1))
    (array([99], dtype=uint8), array([0, 0, 1]))
    """
    width = np.int64 if pa.types.is_large_string(array.type) else np.int32
    _, ends, text = array.buffers()
    if not len(array) or text is None:
        return np.empty(0, np.uint8), np.zeros(len(array) + 1, np.int64)
    offsets = np.frombuffer(ends, width, len(array) + 1, array.offset * np.dtype(width).itemsize).astype(np.int64)
    return np.frombuffer(text, np.uint8)[offsets[0] : offsets[-1]], offsets - offsets[0]


def unlisted(array: pa.Array) -> tuple[pa.Array, np.ndarray]:
    """The items of a list array, and int64 where among them each list begins and the last ends.

    >>> unlisted(pa.array([["a"], ["b", "c"]]).slice(1))[1]
    array([0, 2])
    """
    offsets = np.asarray(array.offsets).astype(np.int64)
    return array.values.slice(offsets[0], offsets[-1] - offsets[0]), offsets - offsets[0]


def slices(array: pa.ChunkedArray, rows: int = 1 << 16) -> Iterator[pa.Array]:
    """The array in pieces of so many rows at most, so that what is made of one needs little memory.

    >>> [len(piece) for piece in slices(pa.chunked_array([[1, 2, 3], [4]]), rows=2)]
    [2, 1, 1]
    """
    for chunk in array.chunks:
        for start in range(0, len(chunk), rows):
            yield chunk.slice(start, rows)


def kind(table: pa.Table) -> str:
    """`"text"`, `"tokens"` or `"ids"`.

    >>> kind(pa.table({"predictions": [[1, 2]], "references": [[[1, 2, 3]]]}))
    'ids'
    """
    prediction = table.schema.field("predictions").type
    if not is_list(prediction):
        return "text"
    return "tokens" if is_string(prediction.value_type) else "ids"


def reference_counts(references: pa.ChunkedArray) -> str | None:
    """How many references the rows have, `"var"` if not all the same number.

    >>> reference_counts(pa.chunked_array([[["a"], ["b", "c"]]]))
    'var'
    """
    counts: set[int] = set()
    for piece in slices(references):
        counts.update(pc.min_max(pc.list_value_length(piece)).as_py().values())
    return str(counts.pop()) if len(counts) == 1 else "var"
