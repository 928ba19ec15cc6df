"""Scored submissions: texts and scores are in files, which the visitor may download.

A page knows its result by the secret name of a folder. So no session has to be kept for it.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import gradio as gr
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from .files import Submission
from .html import shorten
from .limits import SECONDS_KEPT, RejectedError
from .metric import Options, ScoredRows, request_score
from .options import describe_references_used, leave_segments_effective
from .roles import find_prefix, rename

if TYPE_CHECKING:
    from bleu_metric.bleu_core import QuotableReport

_SEGMENTS = "segments.parquet"
_TABLE = "segments.csv"
_NAME_CHARACTERS = 60  # of a system
_KEY = re.compile("[0-9a-f]{32}")


class Files(NamedTuple):
    """The paths of the segments: as CSV to download, and as Parquet for `read_segments`."""

    csv: str
    parquet: str


class Scored(NamedTuple):
    """A scored submission; `key` is the secret name of the folder with its downloads."""

    key: str
    systems: list[str]
    options: Options
    which: int | str  # the references that count: "all" or an index
    remark: str  # changes to the texts before scoring
    documents: int = 0  # their number, if intervals and tests are by document
    prefix: str = ""  # the common beginning that the names of systems have lost
    named: Mapping[str, Mapping[str, float]] = {}  # scores after fixes that the page has told

    def name_column(self, system: str, name: str) -> str:
        """Return the name of a system's column in the table of segments."""
        if system not in self.systems:
            raise RejectedError("Choose a system of the list.")
        return f"{system}: {name}" if len(self.systems) > 1 else name

    def list_files(self) -> Files:
        """Return the paths of the files with the segments."""
        folder = _find_folder(self.key)
        return Files(csv=str(folder / _TABLE), parquet=str(folder / _SEGMENTS))


class OpenedSegment(NamedTuple):
    """The texts of a segment: one prediction per system, and the references."""

    predictions: list[str]
    references: list[str]


def prepare_submission(submission: Submission, which: int | str) -> tuple[Submission, str, str]:
    """Select the references that count, and shorten the names of systems.

    The other values are a remark on what was selected, and the common beginning that the names of
    systems have lost.

    >>> submission, remark, _ = prepare_submission(Submission({"A": ["a"]}, [["b", "c"]]), 1)
    >>> submission.references, remark
    ([['c']], 'only the second reference is used')
    """
    systems = submission.systems
    references = submission.references
    remark = ""
    # 1. One reference of each segment, if only one counts.
    if isinstance(which, int):
        fewest = min(len(texts) for texts in references)
        if fewest <= which:
            raise RejectedError(
                f"Some lines have fewer than {which + 1} references."
                " Choose another, or all of them."
            )
        references = [[texts[which]] for texts in references]
        remark = describe_references_used(which)
    # 2. The names: without their common beginning, short, and different.
    prefix = find_prefix(list(systems))
    named: dict[str, list[str]] = {}
    for name, texts in systems.items():
        named[rename(shorten(name.removeprefix(prefix), _NAME_CHARACTERS), named)] = texts
    prepared = submission._replace(systems=named, references=references)
    return prepared, remark, shorten(prefix, _NAME_CHARACTERS)


def count_submission(submission: Submission, options: Options) -> dict[str, ScoredRows]:
    """Return the result and the statistics rows of each system.

    Only a single system gets intervals here: several get them from `compare`.
    """
    scoring = dict(leave_segments_effective(options))
    if len(submission.systems) > 1:
        scoring["confidence"] = None
    return {
        name: request_score(
            texts,
            submission.references,
            scoring,
            submission.labels,
            documents=submission.documents,
        )
        for name, texts in submission.systems.items()
    }


def score_submission(
    submission: Submission,
    options: Options,
    which: int | str,
    remark: str,
    *,
    counted: Mapping[str, ScoredRows] | None = None,
    prefix: str = "",
    named: Mapping[str, Mapping[str, float]] = {},
) -> tuple[Scored, dict[str, QuotableReport]]:
    """Return the scored submission and the result of each system, and write the segments.

    `counted` is the result of `count_submission`, if it is known.
    """
    if counted is None:
        counted = count_submission(submission, options)
    scored = Scored(
        key=secrets.token_hex(16),
        systems=list(submission.systems),
        options=dict(options),
        which=which,
        remark=remark,
        documents=len(set(submission.documents or ())),
        prefix=prefix,
        named=named,
    )
    # 1. The scores of segments leave the results, and become columns.
    results: dict[str, QuotableReport] = {}
    columns: dict[str, object] = {"segment": np.arange(1, len(submission.references) + 1)}
    for system, (result, rows) in counted.items():
        for group in result.get("groups", {}).values():
            del group["segment_bleu"]
        of_system = {
            "bleu": result.pop("segment_bleu"),
            "length_ratio": _divide_lengths(rows),
            **dict(zip(rows.column_names, rows.columns)),
            "prediction": submission.systems[system],
        }
        for name, column in of_system.items():
            columns[scored.name_column(system, name)] = column
        results[system] = result
    table = pa.table({**columns, "references": submission.references})
    # 2. The files.
    files = scored.list_files()
    _find_folder(scored.key).mkdir(parents=True)
    cells = {name: _defuse(column) for name, column in _flatten(table)}
    pyarrow.csv.write_csv(pa.table(cells), files.csv)
    metadata = {"scored": json.dumps(scored._asdict())}
    pq.write_table(table.replace_schema_metadata(metadata), files.parquet)
    return scored, results


def read_segments(key: str) -> tuple[Scored, pa.Table]:
    """Return the scored submission of a page and its segments, or raise if they were deleted."""
    path = _find_folder(key) / _SEGMENTS
    # Anything but a key could be the path of another file.
    is_key = _KEY.fullmatch(key) is not None
    if not is_key or not path.exists():
        raise RejectedError(
            f"Results are deleted after {SECONDS_KEPT // 60} minutes. Press Score again."
        )
    # `read_table` would look for a data set of several files, which takes twice as long.
    table = pq.ParquetFile(path).read()
    scored = Scored(**json.loads(table.schema.metadata[b"scored"]))
    return scored, table


def read_segment(
    key: str, number: str, systems: Sequence[str] = ()
) -> tuple[Scored, OpenedSegment]:
    """Return the scored submission, and a segment by its number from 1, as text."""
    scored, table = read_segments(key)
    if not number.isdecimal() or not 0 < int(number) <= len(table):
        raise RejectedError(f"Choose a line from 1 to {len(table):,}.")
    (row,) = table.slice(int(number) - 1, 1).to_pylist()
    columns = [scored.name_column(system, "prediction") for system in systems or scored.systems]
    predictions = [row[column] for column in columns]
    references = [text for text in row["references"] if text is not None]
    return scored, OpenedSegment(predictions, references)


def _find_folder(key: str) -> Path:
    """Return the folder of a result. Gradio deletes the files in it within `SECONDS_KEPT`."""
    return Path(gr.utils.get_upload_folder()) / key


def _flatten(table: pa.Table) -> list[tuple[str, pa.ChunkedArray]]:
    """Return the columns, with one column per reference, because a cell of CSV is a single text."""
    *others, references = zip(table.column_names, table.columns)
    name, column = references
    for number, texts in enumerate(zip_longest(*column.to_pylist()), 1):
        others.append((f"{name}_{number}", pa.chunked_array([list(texts)], pa.string())))
    return others


def _defuse(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Put an apostrophe before text that a spreadsheet would run as a formula.

    OWASP lists the signs that formulas begin with under "CSV injection".
    """
    if not pa.types.is_string(column.type):
        return column
    return pc.replace_substring_regex(column, r"^([=+\-@\t\r\n＝＋－＠])", r"'\1")


def _divide_lengths(rows: pa.Table) -> pa.Array:
    """Divide the lengths of predictions by those of references; null if a reference is empty."""
    lengths = rows["prediction_length"].to_numpy()
    reference_lengths = rows["reference_length"].to_numpy()
    ratios = np.full(len(rows), np.nan)
    np.divide(lengths, reference_lengths, out=ratios, where=reference_lengths > 0)
    return pa.array(ratios, from_pandas=True)
