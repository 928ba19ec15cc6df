"""Rows in the files by which evaluate's processes meet: packed, so that they may be of any kind.

evaluate puts all files behind one another as columns of one type. A process without rows, or with empty token lists
alone, can't know of what type the others' are; and where somebody's don't fit, it is this project that has to say so.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from .bleu_arrow import is_list
from .bleu_corpus import Corpus, make_corpus

PACKED = pa.schema({"predictions": pa.binary(), "references": pa.binary()})


def pack(batch: pa.RecordBatch, process: int) -> pa.Table:
    """All rows of a batch as a single row, whose type is the same for every kind.

    Args:
        batch: with the columns of `PACKED`.
        process: the number of the one that they are from.
    """
    cells = []
    for name in PACKED.names:
        rows = pa.table({"rows": batch.column(name)}).replace_schema_metadata({"process": str(process)})
        with pa.BufferOutputStream() as sink, pa.ipc.new_stream(sink, rows.schema) as stream:
            stream.write_table(rows)
        cells.append([sink.getvalue().to_pybytes()])
    return pa.table(cells, PACKED)


def unpack(prediction: pa.BinaryScalar, reference: pa.BinaryScalar) -> tuple[Corpus, int]:
    """The rows of a batch, and the process that they are from.

    >>> packed = pack(pa.record_batch({"predictions": ["a"], "references": [["b"]]}), process=2)
    >>> corpus, process = unpack(*(column[0] for column in packed.columns))
    >>> corpus.references.to_pylist(), process
    ([['b']], 2)
    """
    predictions, references = (pa.ipc.open_stream(cell.as_buffer()).read_all() for cell in (prediction, reference))
    columns = predictions["rows"], references["rows"]
    is_blank = not any(map(_count_leaves, columns))
    return make_corpus(*columns, is_blank=is_blank), int(predictions.schema.metadata[b"process"])


def _count_leaves(column: pa.ChunkedArray) -> int:
    """How many texts, tokens or ids a column has."""
    while is_list(column.type):
        column = pc.list_flatten(column)
    return len(column)
