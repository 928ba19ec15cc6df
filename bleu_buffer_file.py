"""Arrow tables in a file that goes with its owner.

The file is a stream as `pyarrow.ipc.open_stream` reads it: a schema, and batches behind it. It is written message by
message, so that it is whole after each, and so that what a full disk has cut off can be taken back.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable
from io import FileIO
from mmap import ACCESS_READ, mmap

import pyarrow as pa


class BufferFile:
    """A file of Arrow tables of one schema.

    It is removed with this object, or at the end of the process that made it. A forked process that inherits the object
    leaves the file alone, and reads what was in it then, even after it was appended to or removed.

    Args:
        path: of a file that doesn't exist yet.
        schema: of the tables.

    >>> import tempfile
    >>> table = pa.table({"n": [1, 2]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = BufferFile(f"{folder}/rows.arrow", table.schema)
    ...     file.append(table)
    ...     file.append(table)
    ...     file.read().num_rows
    4
    """

    def __init__(self, path: str, schema: pa.Schema) -> None:
        self._file, self._size, self.process = FileIO(path, "x+b"), 0, os.getpid()
        self.remove = weakref.finalize(self, _remove, self._file, path, self.process)
        try:
            self._write([schema])
        except BaseException:
            self.remove()
            raise

    def append(self, table: pa.Table) -> None:
        """Appends a table, or raises and leaves the file as it was."""
        self._write(table.to_batches())

    def read(self) -> pa.Table:
        """All tables as one, mapped and not copied."""
        # By the descriptor and as far as this object has written: the path is its maker's, who may go on.
        mapped = mmap(self._file.fileno(), self._size, access=ACCESS_READ)
        with pa.ipc.open_stream(pa.py_buffer(mapped)) as stream:
            return stream.read_all()

    def _write(self, messages: Iterable[pa.Schema | pa.RecordBatch]) -> None:
        try:
            for message in messages:
                rest = memoryview(message.serialize())
                while rest:
                    rest = rest[self._file.write(rest) :]
        except BaseException:
            self._file.truncate(self._size)
            self._file.seek(self._size)
            raise
        self._size = self._file.tell()


def _remove(file: FileIO, path: str, process: int) -> None:
    file.close()
    if os.getpid() == process and os.path.exists(path):
        os.remove(path)
