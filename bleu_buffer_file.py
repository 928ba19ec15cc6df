"""Arrow tables in a file that goes with its owner.

The file is a stream as `pyarrow.ipc.open_stream` reads it: a schema, and batches behind it. It is written message by
message, so that it is whole after each, and so that what a full disk has cut off can be taken back.
"""

from __future__ import annotations

import os
import weakref
from io import FileIO

import pyarrow as pa


class BufferFile:
    """A file of Arrow tables of one schema.

    It is removed with this object, or at the end of the process that made it. A forked process that inherits the object
    leaves the file alone.

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
        self._path, self._file, self.process = path, FileIO(path, "xb"), os.getpid()
        self.remove = weakref.finalize(self, _remove, self._file, path, self.process)
        try:
            _write_whole(self._file, schema.serialize())
        except BaseException:
            self.remove()
            raise

    def append(self, table: pa.Table) -> None:
        """Appends a table, or raises and leaves the file as it was."""
        end = self._file.tell()
        try:
            for batch in table.to_batches():
                _write_whole(self._file, batch.serialize())
        except BaseException:
            self._file.truncate(end)
            self._file.seek(end)
            raise

    def read(self) -> pa.Table:
        """All tables as one, mapped and not copied."""
        with pa.memory_map(self._path) as source, pa.ipc.open_stream(source) as stream:
            return stream.read_all()


def _write_whole(file: FileIO, buffer: pa.Buffer) -> None:
    rest = memoryview(buffer)
    while rest:
        rest = rest[file.write(rest) :]


def _remove(file: FileIO, path: str, process: int) -> None:
    file.close()
    if os.getpid() == process and os.path.exists(path):
        os.remove(path)
