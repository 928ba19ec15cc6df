"""Scored submissions: texts and scores are in files, which the visitor may download.

A page knows its result by the secret name of a folder. So no session has to be kept for it.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from os.path import commonprefix
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from .limits import SECONDS_KEPT, RejectedError
from .metric import request_score
from .options import describe_references_used
from .remedies import FIXES
from .sources import Submission, rename

_SEGMENTS = "segments.parquet"
_KEY = re.compile("[0-9a-f]{32}")
_FIXED = {"quotes": "quotes made straight", "detokenize": "predictions detokenized"}


class Scored(NamedTuple):
    """A scored submission; `key` is the secret name of the folder with its downloads."""

    key: str
    systems: list[str]
    options: dict[str, Any]
    which: int | str  # the references that count: "all" or an index
    remark: str  # changes to the texts before scoring
    documents: int = 0  # their number, if intervals and tests are by document

    def name_column(self, system: str, name: str) -> str:
        """Return the name of a system's column in the table of segments."""
        if system not in self.systems:
            raise RejectedError("Choose a system of the list.")
        return f"{system}: {name}" if len(self.systems) > 1 else name

    def list_files(self) -> tuple[str, str]:
        """Return the paths of the segments: as CSV to download, and as Parquet for `read_segments`."""
        return str(_find_folder(self.key) / "segments.csv"), str(_find_folder(self.key) / _SEGMENTS)


class OpenedSegment(NamedTuple):
    """The texts of a segment: one prediction per system, and the references."""

    predictions: list[str]
    references: list[str]


def prepare_submission(
    submission: Submission, which: int | str, fixes: Sequence[str]
) -> tuple[Submission, str]:
    """Select the references that count, fix the texts, and describe both.

    >>> submission, remark = prepare_submission(Submission({"A": ["“a”"]}, [["b", "'c'"]]), 1, ["quotes"])
    >>> submission.systems, submission.references, remark
    ({'A': ['"a"']}, [["'c'"]], 'only the second reference is used, quotes made straight')
    """
    (systems, references, labels, documents), remarks = submission, []
    if isinstance(which, int):
        if min(map(len, references)) <= which:
            raise RejectedError(
                f"Some segments have fewer than {which + 1} references. Choose another, or all of them."
            )
        references = [[row[which]] for row in references]
        remarks.append(describe_references_used(which))
    for name in fixes:
        fix = FIXES[name]
        systems = {system: [fix(text) for text in texts] for system, texts in systems.items()}
        if name != "detokenize":
            references = [[fix(text) if text else text for text in row] for row in references]
        remarks.append(_FIXED[name])
    named: dict[str, list[Any]] = {}
    for name, texts in zip(cut_prefix(list(systems)), systems.values()):
        named[rename(name[:60], named)] = texts
    return Submission(named, references, labels, documents), ", ".join(remarks)


def cut_prefix(names: Sequence[str]) -> list[str]:
    """Cut what all names begin with, up to a separator.

    >>> cut_prefix(["newstest2021.en-de.hyp.Online-A", "newstest2021.en-de.hyp.Online-B"]), cut_prefix(["mt1", "mt2"])
    (['Online-A', 'Online-B'], ['mt1', 'mt2'])
    """
    common = commonprefix(list(names))  # noqa: RUF071 of characters, as names are not paths
    length = max(common.rfind(separator) for separator in "._ ") + 1
    return (
        [name[length:] for name in names]
        if len(names) > 1 and min(map(len, names)) > length
        else list(names)
    )


def count_submission(
    submission: Submission, options: Mapping[str, Any]
) -> dict[str, tuple[Any, pa.Table]]:
    """Return the result and the rows of the segments of each system; several systems get intervals from `compare`."""
    systems, references, labels, documents = submission
    options = options if len(systems) == 1 else {**options, "confidence": None}
    return {
        name: request_score(texts, references, options, labels, documents=documents)
        for name, texts in systems.items()
    }


def score_submission(
    submission: Submission,
    options: Mapping[str, Any],
    which: int | str,
    remark: str,
    counted: Mapping[str, tuple[Any, pa.Table]] | None = None,
) -> tuple[Scored, dict[str, Any]]:
    """Score each system, write the segments, and return the scored submission and each system's result.

    `counted` is the result of `count_submission`, if it is known.
    """
    documents = len(set(submission.documents or ()))
    scored = Scored(
        secrets.token_hex(16), list(submission.systems), dict(options), which, remark, documents
    )
    results: dict[str, Any] = {}
    columns: dict[str, Any] = {"segment": np.arange(1, len(submission.references) + 1)}
    for system, (result, statistics) in (counted or count_submission(submission, options)).items():
        for group in result.get("groups", {}).values():
            del group["segment_bleu"]
        of_system = {
            "bleu": result.pop("segment_bleu"),
            "length_ratio": _divide_lengths(statistics),
            **dict(zip(statistics.column_names, statistics.columns)),
            "prediction": submission.systems[system],
        }
        columns |= {scored.name_column(system, name): column for name, column in of_system.items()}
        results[system] = result
    table = pa.table({**columns, "references": submission.references})
    _find_folder(scored.key).mkdir(parents=True)
    csv, parquet = scored.list_files()
    pyarrow.csv.write_csv(
        pa.table({name: _defuse(column) for name, column in _flatten(table)}), csv
    )
    pq.write_table(table.replace_schema_metadata({"scored": json.dumps(scored)}), parquet)
    return scored, results


def read_segments(key: str) -> tuple[Scored, pa.Table]:
    """Return the scored submission of a page and its segments, or raise if they were deleted."""
    # Anything but a key could be the path of another file.
    if not _KEY.fullmatch(key) or not (path := _find_folder(key) / _SEGMENTS).exists():
        raise RejectedError(
            f"Results are deleted after {SECONDS_KEPT // 60} minutes. Press Score again."
        )
    table = pq.read_table(path)
    return Scored(*json.loads(table.schema.metadata[b"scored"])), table


def read_segment(
    key: str, number: str, systems: Sequence[str] = ()
) -> tuple[Scored, OpenedSegment]:
    """Return the scored submission, and a segment by its number from 1, as text."""
    scored, table = read_segments(key)
    if not number.isdecimal() or not 0 < int(number) <= len(table):
        raise RejectedError(f"Choose a segment from 1 to {len(table):,}.")
    row = table.slice(int(number) - 1, 1).to_pylist()[0]
    predictions = [
        row[scored.name_column(system, "prediction")] for system in systems or scored.systems
    ]
    return scored, OpenedSegment(
        predictions, [text for text in row["references"] if text is not None]
    )


def _find_folder(key: str) -> Path:
    """Return the folder of a result. Gradio deletes the files in it within `SECONDS_KEPT`."""
    return Path(gr.utils.get_upload_folder()) / key


def _flatten(table: pa.Table) -> list[tuple[str, pa.ChunkedArray]]:
    """Return the columns, with one column per reference, because a cell of CSV is a single text."""
    flat: list[tuple[str, pa.ChunkedArray]] = []
    for name, column in zip(table.column_names, table.columns):
        if pa.types.is_list(column.type):
            for i, texts in enumerate(zip_longest(*column.to_pylist()), 1):
                flat.append((f"{name}_{i}", pa.chunked_array([list(texts)], pa.string())))
        else:
            flat.append((name, column))
    return flat


def _defuse(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Put an apostrophe before text that a spreadsheet would run as a formula (OWASP, "CSV injection")."""
    if not pa.types.is_string(column.type):
        return column
    return pc.replace_substring_regex(column, r"^([=+\-@\t\r\n＝＋－＠])", r"'\1")


def _divide_lengths(statistics: pa.Table) -> pa.Array:
    """Divide the lengths of predictions by those of references; null if a reference is empty."""
    length, reference_length = (
        statistics[name].to_numpy() for name in ("prediction_length", "reference_length")
    )
    ratios = np.divide(
        length, reference_length, out=np.full(len(length), np.nan), where=reference_length > 0
    )
    return pa.array(ratios, from_pandas=True)
