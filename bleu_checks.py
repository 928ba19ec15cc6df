"""Is this what was meant to be scored? `check`, and what other methods look at without being asked.

`bleu_kinds` has the kinds of input that mislead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, overload

import numpy as np
import pyarrow as pa
from datasets.utils import tqdm

from .bleu_corpus import (
    TYPES,
    Corpus,
    Int64,
    Kind,
    Label,
    SystemName,
    group_labels,
    list_items,
    make_corpus,
    make_lists,
    portable,
    spread,
)
from .bleu_inputs import (
    check_single_runs,
    read_corpora,
    read_corpus,
    read_documents,
    read_systems,
)
from .bleu_kinds import (
    CHECKS,
    FEWEST_REORDERED,
    FEWEST_SHIFTED,
    OTHER_SIDES,
    Check,
    Columns,
    Found,
    Grams,
    Scan,
    Side,
    Texts,
    Where,
)
from .bleu_messages import count_things, describe_share, show_value, warn
from .bleu_options import Options, Origin, make_signature
from .bleu_report import Report, escape_unseen, write_name
from .bleu_scoring import bleu
from .bleu_statistics import (
    Counted,
    count_corpus,
    count_groups,
    split_by_tokenizer,
    sum_corpus,
)
from .bleu_tables import is_table
from .bleu_tokenizers import ChosenTokenizer, choose_tokenizer

_SAMPLE_ROWS = 200  # of a corpus, evenly spread, that are looked at without being asked
_LEAST_EFFECT = 0.1  # points; a fix that changes less has no effect


# --- Findings -------------------------------------------------------------------------------------


def find_kind(check: Check, texts: Texts) -> list[Found]:
    """Return where a kind is in texts; those without its signs take no time."""
    if check.signs and texts.characters.isdisjoint(check.signs):
        return []
    return list(check.find(texts))


def _measure(found: Found, rows: int) -> tuple[int, int]:
    """Return how much was found, and of how much: in rows, unless the kind has another measure."""
    return found.amounts or (len(found.rows), rows)


def _drop_explained(found_of: Mapping[str, Sequence[Found]]) -> dict[str, list[Found]]:
    """Drop what another kind explains: nearly all its rows have that kind as well."""
    kept: dict[str, list[Found]] = {}
    for name, found_kind in found_of.items():
        explaining = [
            each
            for other, found_others in found_of.items()
            if name in CHECKS[other].explains
            for each in found_others
        ]
        kept[name] = [
            found
            for found in found_kind
            if not any(_has_same_rows(found, other) for other in explaining)
        ]
    return kept


def _has_same_rows(found: Found, other: Found) -> bool:
    return bool(found.rows) and len(set(found.rows) - set(other.rows)) <= 0.02 * len(found.rows)


def _list_details(
    found: Found,
    *,
    row: int,
    measure: tuple[int, int],
    tokenizer_name: str = "",
    names: Mapping[Side, str] | None = None,
) -> dict[str, object]:
    """Return what completes the templates of a notice."""
    count, total = measure
    side: Side = "references" if found.where == "references" else "predictions"
    noun = "prediction" if found.where == "predictions" else "row"
    name = f"{side}[{{row}}]" if names is None else names[side]
    return {
        "text": name.format(row=row),
        "where": found.where,
        "other": "both" if found.where == "both" else OTHER_SIDES[found.where],
        "place": found.place,
        "detail": found.detail,
        "count": count,
        "share": describe_share(count, total, noun),
        "percent": count / total if total else 0.0,
        "tokenizer": tokenizer_name,
    }


def _write_texts(corpus_texts: Sequence[Any], kind: Kind) -> list[str]:
    """Return texts as str; tokens and ids are joined by spaces."""
    if kind == "text":
        return list(corpus_texts)
    return [" ".join(map(str, tokens)) for tokens in corpus_texts]


def _list_texts(corpus: Corpus, rows: Int64 | None = None) -> Columns:
    """Return some rows of a corpus as str, or all."""
    predictions: list[str] = []
    references: list[list[str]] = []
    first_row = 0
    for batch in corpus.batches:
        texts, flat_references, bounds = batch.predictions, batch.references, batch.bounds
        size = len(texts)
        if rows is not None and len(rows) < len(corpus):
            inside = rows[(rows >= first_row) & (rows < first_row + size)] - first_row
            indices = pa.array(inside)
            texts = texts.take(indices)
            flat_references, bounds = list_items(make_lists(bounds, flat_references).take(indices))
        first_row += size
        predictions += _write_texts(texts.to_pylist(), corpus.kind)
        written = _write_texts(flat_references.to_pylist(), corpus.kind)
        references += [written[start:end] for start, end in pairwise(bounds.tolist())]
    return Columns(predictions, references)


# --- What is looked at without being asked --------------------------------------------------------

# The kinds that are looked for, by the kind of texts.
_ALWAYS: dict[Kind, dict[str, Check]] = {
    kind: {
        name: check
        for name, check in CHECKS.items()
        if check.when == "always" and kind in check.kinds
    }
    for kind in TYPES
}
_SHIFTED_RATIO = 0.35  # of the precision of bigrams after a cut to that before it
_REORDERED_PRECISION = 0.10  # of bigrams


@portable
class Tally(NamedTuple):
    """A kind on a side: `found` of `total` rows, and the first one with what was found in it.

    >>> first, second = Tally(0, 60), Tally(2, 40, row=70)
    >>> first + second
    Tally(found=2, total=100, row=70, place='', detail='', tokenizer_name='')
    """

    found: int
    total: int
    row: int = 0
    place: str = ""
    detail: str = ""
    tokenizer_name: str = ""

    def __add__(self, other: object) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        first = self if self.found else other
        return first._replace(found=self.found + other.found, total=self.total + other.total)


class _Part:
    """Segments with one tokenizer: a sample of their texts, and all of them if one needs them."""

    def __init__(self, corpus: Corpus, options: Options) -> None:
        self.tokenizer = choose_tokenizer(options, corpus.kind)
        self._corpus = corpus
        self._size = len(corpus)
        self._options = options
        self._sample = self._read(spread(self._size, _SAMPLE_ROWS))
        self._all: Texts | None = None
        self._scanned: dict[Scan, tuple[Int64, Texts | None]] = {}

    def find(self, check: Check) -> list[Found]:
        """Return where a kind is in all rows, without reading all rows of most corpora."""
        # 1. Look at a sample. A share that is not one of rows is taken from there.
        found = find_kind(check, self._sample)
        size = len(self._sample)
        if size == self._size or any(each.amounts for each in found):
            return found
        # 2. Look at all rows if it misleads there.
        if any(len(each.rows) >= max(1, check.least_share * size) for each in found):
            if self._all is None:
                self._all = self._read(None)
            return find_kind(check, self._all)
        # 3. Look at the rows that are found without reading texts.
        if check.scan is None:
            return []
        rows, texts = self._scan(check.scan)
        if texts is None:
            return []
        found = find_kind(check, texts)
        return [each._replace(rows=rows[list(each.rows)].tolist()) for each in found]

    def _scan(self, scan: Scan) -> tuple[Int64, Texts | None]:
        """Return the rows that a scan finds, and their texts; kinds share scans."""
        if scan not in self._scanned:
            rows = scan(self._corpus.predictions, self.tokenizer)
            self._scanned[scan] = rows, self._read(rows) if len(rows) else None
        return self._scanned[scan]

    def _read(self, rows: Int64 | None) -> Texts:
        columns = _list_texts(self._corpus, rows)
        return Texts(*columns, self._options, self.tokenizer.definition, is_asked=False)


@portable
class Looked:
    """What was found in the texts of a call, or in those of an evaluation batch by batch.

    >>> looked = Looked()
    >>> looked.look(read_corpus(["a <think>"], ["a"]), Options())
    >>> looked.tallies["chat", "predictions"].found
    1
    """

    def __init__(self) -> None:
        self.tallies: dict[tuple[str, Where], Tally] = {}
        self._rows = 0

    def look(self, corpus: Corpus, options: Options, labels: Sequence[Label] | None = None) -> None:
        """Look at the texts of a corpus, those of each label under its own tokenizer."""
        if labels is None or not options.tokenize_by:
            self._look_at_part(corpus, options)
            return
        for part in split_by_tokenizer(group_labels(labels), options):
            self._look_at_part(corpus.take(part.segments), part.options)

    def _look_at_part(self, corpus: Corpus, options: Options) -> None:
        part = _Part(corpus, options)
        found_of: dict[str, list[Found]] = {}
        for name, check in _ALWAYS[corpus.kind].items():
            found = part.find(check)
            if found:
                found_of[name] = found
        self._rows += len(corpus)
        for name, found in _drop_explained(found_of).items():
            for each in found:
                self._add(name, each, corpus, part.tokenizer.name)

    def look_at_bigrams(self, corpus: Corpus, bigrams: Int64, options: Options) -> None:
        """Look for rows of one side that belong to other rows, if the counts look like it.

        Args:
            corpus: the texts.
            bigrams: matches_2 and totals_2 of each segment: int64 [segments, 2].
            options: the options of the call.
        """
        unspaced = self.tallies.get(("unspaced", "both"))
        if unspaced and CHECKS["unspaced"].misleads(unspaced.found, unspaced.total):
            return  # lines without spaces are few tokens: in any order, hardly any bigram matches
        if corpus.kind == "ids" or not _may_be_misaligned(bigrams):
            return
        texts = Texts(*_list_texts(corpus), options, is_asked=False)
        for name in ("shifted", "reordered"):
            found_kind = find_kind(CHECKS[name], texts)
            if found_kind:
                self._add(name, found_kind[0], corpus, "")
                return

    def _add(self, name: str, found: Found, corpus: Corpus, tokenizer_name: str) -> None:
        count, total = _measure(found, 0)  # the rows of all batches are the total
        row = corpus.find_row(int(found.rows[0])) if len(found.rows) else 0
        tally = Tally(count, total, row, found.place, found.detail, tokenizer_name)
        key = (name, found.where)
        before = self.tallies.get(key)
        self.tallies[key] = tally if before is None else before + tally

    def warn(self, names: Mapping[Side, str] | None = None) -> None:
        """Warn of each kind that misleads; `names` has the names of texts in messages."""
        found = {name for name, _ in self.tallies}
        for name in filter(found.__contains__, CHECKS):
            self._warn_of(name, names)

    def _warn_of(self, name: str, names: Mapping[Side, str] | None) -> None:
        """Warn of a kind on the first side where it misleads."""
        check = CHECKS[name]
        sides: tuple[Where, ...] = ("both", "predictions", "references")
        for where in sides:
            tally = self.tallies.get((name, where))
            if tally is None:
                continue
            total = tally.total or self._rows
            is_told = check.is_zero_if_all and tally.found == total
            if check.misleads(tally.found, total) and not is_told:
                details = _list_details(
                    Found(where, [tally.row], tally.place, detail=tally.detail),
                    row=tally.row,
                    measure=(tally.found, total),
                    tokenizer_name=tally.tokenizer_name,
                    names=names,
                )
                warn(check.notice, **details)
                return


def _may_be_misaligned(bigrams: Int64) -> bool:
    """Return True if the counts of bigrams look like rows that belong to other rows.

    The precision of bigrams is then far lower from some row on, or low in all rows. The systems of
    WMT21 have none as low.

    >>> bigrams = np.full((60, 2), [8, 10])
    >>> bigrams[40:, 0] = 1
    >>> _may_be_misaligned(bigrams)
    True
    """
    size, columns = bigrams.shape
    if size < FEWEST_REORDERED or not columns:
        return False
    matches, totals = np.cumsum(bigrams, axis=0).T
    if matches[-1] < _REORDERED_PRECISION * totals[-1]:
        return True
    cuts = slice(FEWEST_SHIFTED - 1, size - FEWEST_SHIFTED)  # 20 rows or more on each side
    # The precision after each cut, divided by the one before it; multiplied out, because empty
    # texts have no bigrams.
    after = (matches[-1] - matches[cuts]) * totals[cuts]
    before = matches[cuts] * (totals[-1] - totals[cuts])
    return bool((after < _SHIFTED_RATIO * before).any())


def warn_about_texts(
    predictions: pa.ChunkedArray, options: Options, name: str = "predictions[{row}]"
) -> None:
    """Warn of predictions that mislead; `name` is their place in messages."""
    parts = [
        (piece, piece.slice(0, 0), np.zeros(len(piece) + 1, np.int64))
        for piece in predictions.chunks
    ]
    looked = Looked()
    looked.look(make_corpus(parts), options)
    looked.warn({"predictions": name, "references": ""})


def warn_about_corpus(
    corpus: Corpus, bigrams: Int64, options: Options, labels: Sequence[Label] | None = None
) -> None:
    """Warn of texts that mislead; `bigrams` is as for `Looked.look_at_bigrams`."""
    looked = Looked()
    looked.look(corpus, options, labels)
    looked.look_at_bigrams(corpus, bigrams, options)
    looked.warn()


def count_checked(
    corpus: Corpus,
    options: Options,
    labels: Sequence[Label] | None = None,
    documents: Sequence[Label] | None = None,
) -> Counted:
    """Count the segments of a corpus, as `count_groups` does, and warn of what misleads."""
    counted = count_groups(corpus, options, labels, documents)
    warn_about_corpus(corpus, counted.bigrams, options, labels)
    return counted


def sum_checked(corpus: Corpus, options: Options) -> Int64:
    """Return the sum of the rows of a corpus, int64 [2 N + 2], and warn of what misleads."""
    summed = sum_corpus(corpus, choose_tokenizer(options, corpus.kind), options)
    warn_about_corpus(corpus, summed.bigrams, options)
    return summed.row


# --- check ----------------------------------------------------------------------------------------


class _Found(TypedDict):
    """The keys that all findings have."""

    kind: str
    where: Where
    rows: int
    share: float
    first: int
    example: str
    says: str
    fix: str | None
    score: float | None
    delta: float | None


class Finding(_Found, total=False):
    """A kind of input that may not be what was meant."""

    system: SystemName  # if there are several
    documents: int  # if `documents` was passed


class _FoundIn(NamedTuple):
    """A kind, the system in which it was found, and where."""

    name: str
    system: SystemName
    found: Found

    @property
    def kind(self) -> str:
        """The name of the kind in results and warnings."""
        return CHECKS[self.name].kind

    @property
    def changes_texts(self) -> bool:
        """True if the fix changes texts, not options."""
        return self.found.fix is not None and self.found.fix.options is None

    def apply(self, columns_of: Mapping[SystemName, Columns]) -> dict[SystemName, Columns]:
        """Return the columns of all systems, repaired; each has the same references."""
        fix = self.found.fix
        assert fix is not None
        fixed = dict(columns_of)
        before = columns_of[self.system]
        after = fix.apply(before, self.found.where, self.found.rows)
        fixed[self.system] = after
        if after.references is not before.references:
            for name, columns in columns_of.items():
                if name != self.system:
                    fixed[name] = fix.apply(columns, self.found.where, self.found.rows)
        return fixed


class _Repaired(NamedTuple):
    """Repaired texts: of each system, the references, and the rows of both that were kept."""

    predictions_of: dict[SystemName, list[Any]]
    references: list[list[Any]]
    kept: list[int]


_ONLY = "predictions"  # the name of a system that is passed alone
_TABLES = (
    "predictions: check() looks at texts, got statistics. Pass the predictions and the references"
    " that they were counted from."
)


class Checked(Report):
    """The result of `check`: a dict that displays as a table."""

    _left_columns = 9
    _wide_columns = ("example", "what to write")
    _input: _Input | None = None  # what `fixed` changes; copies have only the keys

    if TYPE_CHECKING:
        # A subclass of dict cannot be a TypedDict. These types let mypy find a mistyped key.

        @overload  # type: ignore[override]
        def __getitem__(self, key: Literal["bleu", "score"]) -> float: ...
        @overload
        def __getitem__(self, key: Literal["segments"]) -> int: ...
        @overload
        def __getitem__(self, key: Literal["findings"]) -> list[Finding]: ...
        @overload
        def __getitem__(self, key: Literal["fine"]) -> list[str]: ...
        @overload
        def __getitem__(self, key: Literal["signature"]) -> str: ...
        @overload
        def __getitem__(
            self, key: Literal["systems"]
        ) -> dict[SystemName, dict[Literal["bleu", "score"], float]]: ...
        def __getitem__(self, key: str) -> object: ...

    def fixed(self, *kinds: str) -> tuple[Any, list[Any]]:
        """Return the predictions and the references, repaired.

        Args:
            *kinds: the kinds to fix. Without any, all are fixed whose fix does not change what the
                score means.

        Returns:
            The predictions as a list, or as a dict of lists by system; and the references, a list
            of lists, or of texts if each row has one.

        Raises:
            ValueError: a kind was not found, or is not fixed in the texts.

        >>> result = check_texts(["a cat</s>", "a dog"], ["a cat", "a dog"], None, Options())
        >>> result.fixed()
        (['a cat', 'a dog'], ['a cat', 'a dog'])
        """
        repaired = self._repair(*kinds)
        references: list[Any] = repaired.references
        if self._input is not None and not self._input.has_lists:
            references = [row[0] for row in references]
        if "systems" in self:
            return repaired.predictions_of, references
        return repaired.predictions_of[_ONLY], references

    def _repair(self, *kinds: str) -> _Repaired:
        """Return what `fixed` returns, as lists by system, with the rows that were kept."""
        given = self._input
        if given is None:
            raise ValueError(
                "fixed: a copy of a result has no texts. Call it on what check() returned."
            )
        # 1. Choose the findings.
        chosen = [
            each
            for each in given.found
            if each.changes_texts and not CHECKS[each.name].changes_meaning
        ]
        if kinds:
            chosen = [each for kind in kinds for each in self._choose(given, kind)]
        # 2. Change texts, then rows: the rows of findings are those that were passed.
        columns_of = given.columns_of
        pairing_of: dict[SystemName, list[int]] = {}
        for each in chosen:
            assert each.found.fix is not None
            if each.found.fix.pairing is None:
                columns_of = each.apply(columns_of)
            else:
                pairing_of[each.system] = each.found.fix.pairing
        # 3. Keep the rows for which all systems have a prediction.
        first_columns = next(iter(columns_of.values()))
        kept = [
            row
            for row in range(len(first_columns.references))
            if all(pairing[row] >= 0 for pairing in pairing_of.values())
        ]
        predictions_of = {}
        for name, columns in columns_of.items():
            pairing = pairing_of.get(name)
            own_rows = kept if pairing is None else [pairing[row] for row in kept]
            predictions_of[name] = [given.read(columns.predictions[row]) for row in own_rows]
        references = [list(map(given.read, first_columns.references[row])) for row in kept]
        return _Repaired(predictions_of, references, kept)

    def _choose(self, given: _Input, kind: str) -> list[_FoundIn]:
        """Return the findings of a kind that are fixed in the texts."""
        found = [each for each in given.found if each.kind == kind]
        if not found:
            names = ", ".join(dict.fromkeys(repr(each.kind) for each in given.found))
            raise ValueError(
                f"fixed: {show_value(kind)} was not found. The kinds found are: {names or 'none'}."
            )
        fixed = [each for each in found if each.changes_texts]
        if not fixed:
            first = next(finding for finding in self["findings"] if finding["kind"] == kind)
            fix = f"Pass {first['fix']} to the call." if first["fix"] else first["says"]
            raise ValueError(f"fixed: {kind!r} is not fixed in the texts. {fix}")
        return fixed

    def to_dict(self) -> dict[str, object]:
        """Return the result as plain data, which `json.dumps` takes."""
        return deepcopy(dict(self))

    def _title(self) -> str:
        count = len(self["findings"])
        findings = count_things(count, "finding") if count else "no findings"
        if "systems" in self:
            return f"{count_things(len(self['systems']), 'system')}: {findings}"
        return f"BLEU {self['score']:.2f}: {findings}"

    def _rows(self) -> list[list[str]]:
        has_systems = "systems" in self
        head = ["kind", "where", "rows", "first", "BLEU after", "example", "what to write"]
        if has_systems:
            head.insert(1, "system")
        rows = [head]
        for finding in self["findings"]:
            row = [
                finding["kind"],
                finding["where"],
                f"{finding['rows']:,} ({finding['share']:.1%})",
                f"{finding['first']:,}",
                _write_effect(finding),
                finding["example"],
                finding["fix"] or finding["says"],
            ]
            if has_systems:
                row.insert(1, write_name(finding["system"]) if "system" in finding else "all")
            rows.append(row)
        return rows

    def _note(self) -> str:
        fine = ", ".join(self["fine"])
        return f"Looked at {count_things(self['segments'], 'row')}; not found: {fine}."

    def _records(self) -> list[dict[str, object]]:
        return [dict(finding) for finding in self["findings"]]


def _write_effect(finding: Finding) -> str:
    if finding["score"] is None or finding["delta"] is None:
        return ""
    return f"{finding['score']:.2f} ({100 * finding['delta']:+.2f})"


@dataclass(frozen=True)
class _Input:
    """What was checked.

    columns_of: the texts of each system as the finders see them.
    kind: the kind of the texts.
    original_of: tokens or ids as they were passed, by the text that the finders see.
    has_lists: False if each row was passed with one reference that is not in a list.
    found: all findings.
    """

    columns_of: Mapping[SystemName, Columns]
    kind: Kind
    original_of: Mapping[str, list[Any]]
    has_lists: bool
    found: Sequence[_FoundIn]

    def read(self, text: str) -> Any:
        """Return a text of the finders as a str, tokens or ids."""
        if self.kind == "text":
            return text
        if text in self.original_of:
            return self.original_of[text]
        return [int(token) if self.kind == "ids" else token for token in text.split()]

    def make_corpus(self, columns: Columns) -> Corpus:
        """Return columns as a corpus."""
        predictions = list(map(self.read, columns.predictions))
        references = [self.read(text) for row in columns.references for text in row]
        type_ = TYPES[self.kind]
        bounds = np.cumsum([0, *map(len, columns.references)])
        return make_corpus([(pa.array(predictions, type_), pa.array(references, type_), bounds)])


def check_texts(
    predictions: object, references: object, documents: object, options: Options
) -> Checked:
    """Look for all kinds of input that mislead, and score the texts before and after each fix.

    >>> result = check_texts(["lo@@ w@@ er"] * 3, ["lower"] * 3, None, Options())
    >>> [(finding["kind"], finding["rows"]) for finding in result["findings"]]
    [('subwords', 3)]
    """
    # 1. Read the texts.
    is_several = isinstance(predictions, Mapping) or hasattr(predictions, "columns")
    systems: Mapping[SystemName, object] = {_ONLY: predictions}
    if is_several and not is_table(predictions):
        systems = read_systems(predictions, references)
        check_single_runs(systems, "check")
    if any(map(is_table, systems.values())):
        raise TypeError(_TABLES)
    if is_several:
        corpora = dict(read_corpora(systems, references))
    else:
        corpora = {_ONLY: read_corpus(predictions, references)}
    first_corpus = next(iter(corpora.values()))
    size = len(first_corpus)
    document_of = read_documents(documents, size)
    tokenizer = choose_tokenizer(options, first_corpus.kind)
    given = _read_input(corpora, _has_lists(references, first_corpus.kind))
    # 2. Look for each kind in each system.
    given = replace(given, found=_find_all(given, options, tokenizer))
    # 3. Score as it is, and after each fix.
    rows_of = {name: count_corpus(corpus, tokenizer, options) for name, corpus in corpora.items()}
    score_of = _score_systems(rows_of, options)
    findings = _describe_all(given, rows_of, score_of, options, document_of)
    for each, finding in zip(given.found, findings):
        if is_several and each.found.where != "references":
            finding["system"] = each.system
    # 4. Put it together: alignment and equal texts first, then by effect, then by share.
    result = Checked()
    if is_several:
        result["systems"] = {
            name: {"bleu": score, "score": 100 * score} for name, score in score_of.items()
        }
    else:
        result["bleu"] = score_of[_ONLY]
        result["score"] = 100 * score_of[_ONLY]
    result["segments"] = size
    result["findings"] = sorted(findings, key=_rank)
    looked_for = [check.kind for check in CHECKS.values() if given.kind in check.kinds]
    kinds_found = {finding["kind"] for finding in findings}
    result["fine"] = [kind for kind in dict.fromkeys(looked_for) if kind not in kinds_found]
    origin = Origin(tokenizer.name, first_corpus.reference_count())
    result["signature"] = make_signature(options, origin)
    result._input = given
    return result


def list_findings(corpus: Corpus, options: Options) -> list[Finding]:
    """Return what `check` finds in a corpus, in the order of the kinds.

    >>> corpus = read_corpus(["lo@@ w@@ er"] * 3, ["lower"] * 3)
    >>> (finding,) = list_findings(corpus, Options(max_order=1))
    >>> finding["kind"], finding["score"]
    ('subwords', 100.0)
    """
    tokenizer = choose_tokenizer(options, corpus.kind)
    given = _read_input({_ONLY: corpus}, has_lists=True)
    given = replace(given, found=_find_all(given, options, tokenizer))
    rows_of: Mapping[SystemName, Int64] = {_ONLY: count_corpus(corpus, tokenizer, options)}
    return _describe_all(given, rows_of, _score_systems(rows_of, options), options)


def _read_input(corpora: Mapping[SystemName, Corpus], has_lists: bool) -> _Input:
    """Return the texts of all systems, which have the same references."""
    first_corpus = next(iter(corpora.values()))
    kind = first_corpus.kind
    shared_references = _list_texts(first_corpus).references
    columns_of = {}
    original_of: dict[str, list[Any]] = {}
    for name, corpus in corpora.items():
        texts = corpus.predictions.to_pylist()
        columns_of[name] = Columns(_write_texts(texts, kind), shared_references)
        if kind != "text":
            original_of |= dict(zip(columns_of[name].predictions, texts))
    if kind != "text":
        for row in first_corpus.references.to_pylist():
            original_of |= dict(zip(_write_texts(row, kind), row))
    return _Input(columns_of, kind, original_of, has_lists, ())


def _has_lists(references: Any, kind: Kind) -> bool:
    """Return False for a column with one text per row, in place of lists of them."""
    for first in islice(references, 1):
        plain = first.as_py() if hasattr(first, "as_py") else first
        if kind == "text":
            return not isinstance(plain, str)
        return not len(plain) or not isinstance(plain[0], (str, int, np.integer))
    return True


def _find_all(given: _Input, options: Options, tokenizer: ChosenTokenizer) -> list[_FoundIn]:
    """Look for each kind; what is in the references is found once."""
    checks = {name: check for name, check in CHECKS.items() if given.kind in check.kinds}
    found: dict[tuple[str, Where, object], _FoundIn] = {}
    grams = Grams()
    with tqdm(total=len(checks) * len(given.columns_of), desc="check", delay=2) as bar:
        for system, columns in given.columns_of.items():
            texts = Texts(*columns, options, tokenizer.definition, grams=grams)
            found_of: dict[str, list[Found]] = {}
            for name, check in checks.items():
                found_of[name] = [
                    each
                    for each in find_kind(check, texts)
                    if check.misleads(*_measure(each, len(texts)))
                ]
                bar.update()
            for name, found_kind in _drop_explained(found_of).items():
                for each in found_kind:
                    owner = None if each.where == "references" else (system,)
                    found.setdefault((name, each.where, owner), _FoundIn(name, system, each))
            # Those of the references stay for the next system.
            for text in columns.predictions:
                grams.pop(text, None)
    return list(found.values())


def _describe_all(
    given: _Input,
    rows_of: Mapping[SystemName, Int64],
    score_of: Mapping[SystemName, float],
    options: Options,
    document_of: Sequence[Label] | None = None,
) -> list[Finding]:
    """Describe what was found, with the score after each fix."""
    tokenizer = choose_tokenizer(options, given.kind)
    size = len(next(iter(rows_of.values())))
    findings = []
    for each in given.found:
        score = None
        before = score_of[each.system]
        if each.found.fix is not None:
            score = _score_fix(each, given, rows_of, options)
            if each.found.where == "references":
                before = float(np.mean(list(score_of.values())))
        findings.append(_describe(each, size, tokenizer, document_of, before, score))
    return findings


def _score_systems(
    rows_of: Mapping[SystemName, Int64], options: Options
) -> dict[SystemName, float]:
    return {name: float(bleu(rows.sum(axis=0), options)) for name, rows in rows_of.items()}


def _score_fix(
    each: _FoundIn, given: _Input, rows_of: Mapping[SystemName, Int64], options: Options
) -> float:
    """Return BLEU after a fix: of the system, or the mean of all if the references change.

    Rows of statistics add up, so only texts that a fix changes are counted again.
    """
    fix = each.found.fix
    assert fix is not None
    if fix.options is not None:
        options = options.override(dict(fix.options))
    tokenizer = choose_tokenizer(options, given.kind)
    fixed = each.apply(given.columns_of)
    names = list(fixed) if each.found.where == "references" else [each.system]
    scores = []
    for name in names:
        columns = fixed[name]
        total = np.zeros(options.layout.width, np.int64)
        if fix.options is None and fix.pairing is None:
            changed = _list_changed(given.columns_of[name], columns)
            rows = rows_of[name]
            total = rows.sum(axis=0) - rows[changed].sum(axis=0)
            columns = Columns(
                [columns.predictions[row] for row in changed],
                [columns.references[row] for row in changed],
            )
        if columns.predictions:
            total = total + sum_corpus(given.make_corpus(columns), tokenizer, options).row
        scores.append(float(bleu(total, options)))
    return float(np.mean(scores))


def _list_changed(before: Columns, after: Columns) -> list[int]:
    """Return the rows with other texts.

    >>> _list_changed(Columns(["a", "b"], [["c"], ["d"]]), Columns(["a", "b"], [["c"], ["e"]]))
    [1]
    """
    pairs = zip(before.predictions, after.predictions, before.references, after.references)
    return [row for row, (old, new, olds, news) in enumerate(pairs) if old != new or olds != news]


def _describe(
    each: _FoundIn,
    size: int,
    tokenizer: ChosenTokenizer,
    document_of: Sequence[Label] | None,
    before: float,
    score: float | None,
) -> Finding:
    """Return a finding in plain data."""
    check = CHECKS[each.name]
    found = each.found
    first = int(found.rows[0])
    measure = _measure(found, size)
    details = _list_details(found, row=first, measure=measure, tokenizer_name=tokenizer.name)
    problem = check.notice.problem.format(**details)
    advice = check.notice.advice.format(**details).removeprefix(". ")
    fix: str | None = advice
    if found.fix is None:
        fix = None
    elif found.fix.options is not None:
        fix = ", ".join(f"{name}={value!r}" for name, value in found.fix.options.items())
    finding: Finding = {
        "kind": each.kind,
        "where": found.where,
        "rows": len(found.rows),
        "share": len(found.rows) / size,
        "first": first,
        "example": escape_unseen(found.example),
        "says": f"{problem}." if fix else f"{problem}. {advice}.",
        "fix": fix,
        "score": None if score is None else 100 * score,
        "delta": None if score is None else score - before,
    }
    if document_of is not None:
        finding["documents"] = len({document_of[row] for row in found.rows})
    return finding


def _rank(finding: Finding) -> tuple[int, float]:
    """Return the key by which findings are sorted."""
    if finding["kind"] in ("shifted", "reordered", "identical"):
        return 0, 0.0
    delta = finding["delta"]
    if delta is None:
        return 2, -finding["share"]
    has_effect = 100 * abs(delta) >= _LEAST_EFFECT
    return (1 if has_effect else 3), -abs(delta)
