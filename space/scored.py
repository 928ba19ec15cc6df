"""A scored corpus: its results, and its segments in a file that lasts as long as the visitor may look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .downloads import read_table, write_json, write_table
from .limits import RefusedError
from .remedies import MENDS
from .requests import request_score
from .sources import Corpus
from .words import describe_references

REFERENCES = "references"  # the column of them
_MENDED = {"quotes": "quotes made straight", "detokenise": "predictions detokenised"}


class Scored(NamedTuple):
    """What a visitor has open; the texts are in the file.

    systems: their names.
    options: those that they were scored with.
    which: the references that count, `"all"` or an index.
    remark: what was changed in the texts before, in words; may be empty.
    parquet, csv, json: the downloads.
    """

    systems: list[str]
    options: dict[str, Any]
    which: int | str
    remark: str
    parquet: str
    csv: str
    json: str


class Segment(NamedTuple):
    """The texts of a segment: a prediction a system, and the references."""

    predictions: list[str]
    references: list[str]


def prepare_corpus(corpus: Corpus, which: int | str, mends: Sequence[str]) -> tuple[Corpus, str]:
    """The corpus with the references that are to count and the texts mended, and in words what was done.

    >>> prepare_corpus(Corpus({"A": ["“a”"]}, [["b", "'c'"]]), 1, ["quotes"])
    (Corpus(systems={'A': ['"a"']}, references=[["'c'"]]), 'only the second reference is used, quotes made straight')
    """
    systems, references = corpus
    if isinstance(which, int):
        if min(map(len, references)) <= which:
            raise RefusedError(f"Not every segment has {which + 1} references: choose another, or all of them.")
        references = [[row[which]] for row in references]
    for mend in mends:
        change = MENDS[mend]
        systems = {name: [change(text) for text in texts] for name, texts in systems.items()}
        if mend != "detokenise":
            references = [[change(text) if text else text for text in row] for row in references]
    done = [describe_references(which)] * isinstance(which, int) + [_MENDED[mend] for mend in mends]
    return Corpus(systems, references), ", ".join(done)


def score_corpus(
    corpus: Corpus, options: Mapping[str, Any], which: int | str, remark: str
) -> tuple[Scored, dict[str, dict[str, Any]]]:
    """Score each system of a corpus that has been prepared.

    Returns:
        The scored corpus, and the result of each system by its name.
    """
    results: dict[str, dict[str, Any]] = {}
    columns: dict[str, Any] = {}
    for name, predictions in corpus.systems.items():
        result, statistics = request_score(predictions, corpus.references, options)
        prefix = f"{name}: " if len(corpus.systems) > 1 else ""
        scores = {"bleu": result.pop("segment_bleu"), "length_ratio": _divide_lengths(statistics)}
        counts = dict(zip(statistics.column_names, statistics.columns))
        columns |= {f"{prefix}{key}": column for key, column in {**scores, **counts, "prediction": predictions}.items()}
        results[name] = result
    numbers = np.arange(1, len(corpus.references) + 1)
    table = pa.table({"segment": numbers, **columns, REFERENCES: corpus.references})
    csv, parquet = write_table(table, "segments")
    answer = results if len(results) > 1 else next(iter(results.values()))
    return Scored(list(results), dict(options), which, remark, parquet, csv, write_json(answer, "bleu")), results


def read_column(scored: Scored, table: pa.Table, system: str, name: str) -> Any:
    """A column of one system."""
    return table[f"{system}: {name}" if len(scored.systems) > 1 else name]


def read_segments(scored: Scored | None) -> pa.Table:
    """The segments of a scored corpus.

    Raises:
        RefusedError: it isn't here any more.
    """
    if scored is None:
        raise RefusedError("These results are no longer here: press Score again.")
    return read_table(scored.parquet)


def read_segment(scored: Scored | None, number: str, systems: Sequence[str] = ()) -> Segment:
    """The texts of a segment, by its number from 1, as text."""
    table = read_segments(scored)
    if scored is None or not number.isdecimal() or not 0 < int(number) <= len(table):
        raise RefusedError(f"There are segments from 1 to {len(table):,}.")
    row = table.slice(int(number) - 1, 1)
    predictions = [read_column(scored, row, name, "prediction")[0].as_py() for name in systems or scored.systems]
    return Segment(predictions, [text for text in row[REFERENCES][0].as_py() if text is not None])


def _divide_lengths(statistics: pa.Table) -> pa.Array:
    """Length of the prediction by length of the reference; null where that is 0."""
    length, reference_length = (statistics[name].to_numpy() for name in ("prediction_length", "reference_length"))
    ratios = np.divide(length, reference_length, out=np.full(len(length), np.nan), where=reference_length > 0)
    return pa.array(ratios, from_pandas=True)
