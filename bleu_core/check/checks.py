"""`check`: what is wrong with texts, and the score after each fix.

`check_texts` is called by the class, and `list_findings` by `reconcile`. How the result looks is in
`Checked`; what is looked for, in `kinds.py` and `measures.py`, whose order is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from operator import ne
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from datasets.utils import tqdm

from ..options.options import Options
from ..options.signature import Origin, make_signature
from ..results.report import Report
from ..results.wording import escape_unseen, write_name
from ..rows.statistics import count_corpus, sum_corpus
from ..rows.tables import is_table
from ..rules.chosen_tokenizer import choose_tokenizer
from ..rules.scores import bleu
from ..shared.arrays import TEXT_TYPES, Bool, InputType, Int64, Label, SystemName
from ..shared.messages import count_things, show_value
from ..shared.result_types import Finding
from ..text.corpus import Corpus, make_corpus
from ..text.labels import read_documents
from ..text.read import read_corpora, read_corpus
from ..text.systems import check_single_runs, read_systems
from .kinds import DAMAGES, find_labels
from .measures import MEASURES, find_copies, find_empty, find_identical, find_moved, find_unrelated
from .pairs import Found, Pairs

_ONLY = "predictions"  # the name of a system that is passed alone


def check_texts(
    predictions: object, references: object, documents: object, options: Options
) -> Checked:
    """Look for all mistakes, and score the texts before and after each fix.

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
        raise TypeError(
            "predictions: check() looks at texts, got statistics. Pass the predictions and the"
            " references that they were counted from."
        )
    corpora: Mapping[SystemName, Corpus] = (
        dict(read_corpora(systems, references))
        if is_several
        else {_ONLY: read_corpus(predictions, references)}
    )
    first = next(iter(corpora.values()))
    document_of = read_documents(documents, len(first))
    # 2. Look for mistakes, and score the texts as they are and after each fix.
    search = _Checking(corpora, options)
    findings = search.describe(document_of)
    for finding, found in zip(findings, search.found):
        if is_several and found.side == "predictions":
            finding["system"] = found.system
    # 3. Put it together: what concerns all rows first, then by effect.
    scores = {name: {"bleu": score / 100, "score": score} for name, score in search.scores.items()}
    result = Checked({"systems": scores} if is_several else scores[_ONLY])
    result["segments"] = len(first)
    result["findings"] = sorted(
        findings,
        key=lambda each: (
            each["kind"] not in ("moved", "identical", "unrelated"),
            -abs(each["delta_score"] or 0),
        ),
    )
    result["signature"] = make_signature(
        options, Origin(search.tokenizer.name, first.reference_count())
    )
    result._search = search
    result._has_lists = _has_lists(references, first)
    return result


def list_findings(corpus: Corpus, options: Options) -> list[Finding]:
    """Return what `check` finds in a corpus, in the order in which it is found.

    >>> corpus = read_corpus(["lo@@ w@@ er"] * 3, ["lower"] * 3)
    >>> (finding,) = list_findings(corpus, Options(max_order=1))
    >>> finding["kind"], round(finding["score"], 9)
    ('subwords', 100.0)
    """
    return _Checking({_ONLY: corpus}, options).describe()


def _has_lists(references: Any, corpus: Corpus) -> bool:
    """Return False for a column with one text per row, instead of lists of them."""
    if corpus.reference_count() != "1" or hasattr(references, "columns"):
        return True
    first = next(iter(references))
    plain = first.as_py() if hasattr(first, "as_py") else first
    if corpus.kind != "text":
        plain = plain[0] if len(plain) else ""
    return not isinstance(plain, (str, int, np.integer))


# --- The order of the search ----------------------------------------------------------------------

# Kinds that explain why most rows do not fit, or follow from it.
_EXPLAIN_ROWS = ("script", "same_text", "identical", "spaces", "records")
_EXPLAINED_BY_ROWS = ("length", "writing", "marks", "loops", "typography")


def find_mistakes(
    pairs: Pairs, advance: Callable[[], object] = lambda: None, *, may_have_moved: bool = True
) -> list[Found]:
    """Find the mistakes in texts; each is undone before the next one is looked for.

    Args:
        pairs: the texts, which are changed.
        advance: called after each part of the search.
        may_have_moved: True to compare predictions with the references of other rows.
    """
    if not any(pairs.texts["predictions"]) or not any(pairs.texts["references"]):
        return list(find_empty(pairs))
    # 1. Undo damages until none is left, at most four times.
    found = list(find_identical(pairs))
    for _ in range(4):
        known = len(found)
        for find in DAMAGES[pairs.kind]:
            if find is find_labels and any(each.undo for each in found[known:]):
                break  # a form may be within another one: look for it first
            for each in list(find(pairs)):
                found.append(replace(each, undone=None))
                if each.undo and each.undone:
                    pairs.change(each.side, each.undone)
                elif each.kind == "records" and pairs.share(each.side, each.places) > 0.5:
                    return found  # the contents of a record are unknown
        advance()
        if not any(each.undo for each in found[known:]):
            break
    # 2. Measure what is left; a text that most rows share explains the rest.
    for measure in MEASURES[pairs.kind]:
        found += measure(pairs)
        if any(each.kind == "same_text" and len(each.rows) > 0.5 * len(pairs) for each in found):
            return found
    advance()
    # 3. Compare rows, unless they are few or short, or something more certain explains them.
    explained = any(
        each.kind in _EXPLAIN_ROWS and not each.undo and pairs.share(each.side, each.places) > 0.3
        for each in found
    )
    rows: list[Found] = []
    if (
        not explained
        and len(pairs) >= 12
        and sum(map(len, pairs.texts["predictions"])) > 12 * len(pairs)
    ):
        for find in (find_copies, *[find_moved, find_unrelated] * may_have_moved):
            rows = rows or list(find(pairs))
    advance()
    if any(each.kind in ("moved", "unrelated") for each in rows):
        found = [each for each in found if each.undo or each.kind not in _EXPLAINED_BY_ROWS]
    return [*rows, *found]


# --- Texts as str ---------------------------------------------------------------------------------

_BLANK_IN_TOKEN = "\ue000"  # of private use, for blanks within tokens, which are joined by blanks


def write_texts(array: pa.Array, kind: InputType) -> list[str]:
    """Return texts as str; tokens and ids are joined by blanks."""
    if kind == "text":
        return array.to_numpy(zero_copy_only=False).tolist()  # faster than to_pylist
    return [
        " ".join(str(token).replace(" ", _BLANK_IN_TOKEN) for token in tokens)
        for tokens in array.to_pylist()
    ]


def read_text(text: str, kind: InputType) -> Any:
    """Return what `write_texts` has written."""
    if kind == "text":
        return text
    tokens = [token.replace(_BLANK_IN_TOKEN, " ") for token in text.split(" ") if token]
    return list(map(int, tokens)) if kind == "ids" else tokens


def make_text_corpus(
    predictions: Iterable[str], references: Iterable[str], bounds: Int64, kind: InputType
) -> Corpus:
    """Return texts that `write_texts` has written as a corpus."""
    own, theirs = (
        pa.array([read_text(text, kind) for text in texts], TEXT_TYPES[kind])
        for texts in (predictions, references)
    )
    return make_corpus([(own, theirs, bounds)])


# --- The search, and texts after fixes ------------------------------------------------------------


class Repaired(NamedTuple):
    """Texts after fixes.

    predictions_of: the predictions of each system.
    references: the references of each row.
    kept: the rows of both that were kept.
    """

    predictions_of: dict[SystemName, list[Any]]
    references: list[list[Any]]
    kept: list[int]


class _Fixed(NamedTuple):
    """Columns after fixes.

    predictions_of: the predictions of each system, in the rows that are kept.
    references: all references.
    is_in: False for references that are left out.
    kept: the rows that are kept.
    """

    predictions_of: dict[SystemName, list[str]]
    references: list[str]
    is_in: Bool
    kept: Int64


class _Checking:
    """The search for mistakes in systems with the same references, and the scores after fixes."""

    def __init__(self, corpora: Mapping[SystemName, Corpus], options: Options) -> None:
        first = next(iter(corpora.values()))
        self.kind = first.kind
        self.options = options
        self.tokenizer = choose_tokenizer(options, first.kind)
        self.rows_of = {
            name: count_corpus(corpus, self.tokenizer, options) for name, corpus in corpora.items()
        }
        self.scores = {name: self.score(rows.sum(axis=0)) for name, rows in self.rows_of.items()}
        # 1. All texts as flat lists: a list for each row would keep the garbage collector busy.
        batch_of = {name: corpus.combine().batches[0] for name, corpus in corpora.items()}
        self.predictions_of = {
            name: write_texts(batch.predictions, first.kind) for name, batch in batch_of.items()
        }
        batch = next(iter(batch_of.values()))
        self.references = write_texts(batch.references, first.kind)
        self.bounds = batch.bounds
        self.row_of = np.repeat(np.arange(len(first)), np.diff(batch.bounds))
        # 2. Look for mistakes. What is in the references is reported once.
        found: dict[object, Found] = {}
        with tqdm(total=5 * len(corpora), desc="check", delay=2) as bar:
            for system, texts in self.predictions_of.items():
                pairs = Pairs(texts, self.references, self.bounds, options, kind=first.kind)
                for each in find_mistakes(pairs, bar.update):
                    owner = system if each.side == "predictions" else None
                    found.setdefault((each.kind, owner, each.says), replace(each, system=system))
        self.found = list(found.values())

    def apply(self, chosen: Iterable[Found]) -> _Fixed:
        """Return the texts after some fixes: of texts and of whole columns, then of rows."""
        systems = {name: list(texts) for name, texts in self.predictions_of.items()}
        references = list(self.references)
        is_in = np.ones(len(references), np.bool_)
        pairing_of = dict.fromkeys(systems, np.arange(len(self.bounds) - 1))
        for found in chosen:
            if found.alike is not None:
                systems = {name: list(map(found.alike, texts)) for name, texts in systems.items()}
                references = list(map(found.alike, references))
            elif found.pairing is not None:
                pairing_of[found.system] = np.asarray(found.pairing)
            elif found.leaves_out:
                is_in[found.places] = False
            elif found.undo is not None:
                column = systems[found.system] if found.side == "predictions" else references
                for place in found.places:
                    column[place] = found.undo(column[place])
        kept = np.flatnonzero(np.min([*pairing_of.values()], axis=0) >= 0)
        predictions_of = {
            name: [texts[row] for row in pairing_of[name][kept].tolist()]
            for name, texts in systems.items()
        }
        return _Fixed(predictions_of, references, is_in, kept)

    def score(self, row: Int64) -> float:
        """Return BLEU of a statistics row, 0 to 100."""
        return 100 * float(bleu(row, self.options))

    def score_texts(
        self,
        predictions: Sequence[str],
        references: Sequence[str],
        bounds: Int64,
        rest: Int64 | int = 0,
    ) -> float:
        """Return BLEU of texts and of the rows beside them."""
        corpus = make_text_corpus(predictions, references, bounds, self.kind)
        return self.score(rest + sum_corpus(corpus, self.tokenizer, self.options).row)

    def score_fix(self, found: Found) -> float | None:
        """Return BLEU after a fix: of the system, or the mean of all if the references change."""
        if found.kind == "flattened":  # one row per input, with the references of all its rows
            texts = self.predictions_of[found.system]
            number_of = {text: number for number, text in enumerate(dict.fromkeys(texts))}
            inputs = np.array([number_of[text] for text in texts])[self.row_of]
            references = [self.references[place] for place in np.argsort(inputs, kind="stable")]
            bounds = np.cumsum([0, *np.bincount(inputs)])
            return self.score_texts(list(number_of), references, bounds)
        if not found.can_be_fixed:
            return None
        fixed = self.apply([found])
        if found.undo is not None and fixed[:2] == (self.predictions_of, self.references):
            # A fix without an effect of its own was uncovered by those before it.
            earlier = self.found[: self.found.index(found)]
            fixed = self.apply([*(each for each in earlier if each.is_bare), found])
        names = [found.system] if found.side == "predictions" else self.scores
        return float(np.mean([self._score_fixed(name, fixed) for name in names]))

    def _score_fixed(self, name: SystemName, fixed: _Fixed) -> float:
        """Return BLEU of a system after a fix; only the rows that it changes are counted again."""
        # 1. The rows whose prediction, or one of whose references, is another one.
        before = [self.predictions_of[name][row] for row in fixed.kept.tolist()]
        is_changed = np.zeros(len(self.bounds) - 1, np.bool_)
        is_changed[fixed.kept] = list(map(ne, before, fixed.predictions_of[name]))
        is_other = np.array(list(map(ne, self.references, fixed.references))) | ~fixed.is_in
        is_changed[self.row_of[is_other]] = True
        # 2. Count them, with the references that are left.
        rows = fixed.kept[is_changed[fixed.kept]]
        places = np.flatnonzero(fixed.is_in & np.isin(self.row_of, rows))
        return self.score_texts(
            list(compress(fixed.predictions_of[name], is_changed[fixed.kept])),
            [fixed.references[place] for place in places.tolist()],
            np.append(np.searchsorted(self.row_of[places], rows), len(places)),
            self.rows_of[name][fixed.kept[~is_changed[fixed.kept]]].sum(axis=0),
        )

    def describe(self, document_of: Sequence[Label] | None = None) -> list[Finding]:
        """Describe what was found, with the score after each fix."""
        findings: list[Finding] = []
        for found in self.found:
            score = self.score_fix(found)
            before = self.scores[found.system]
            if found.side == "references":
                before = float(np.mean(list(self.scores.values())))
            finding: Finding = {
                "kind": found.kind,
                "where": found.side,
                "rows": len(found.rows),
                "share": len(found.rows) / (len(self.bounds) - 1),
                "first": min(found.rows, default=0),
                "example": escape_unseen(found.example),
                "says": f"{escape_unseen(found.says)}.",
                "fix": found.fix,
                "score": score,
                "delta_score": None if score is None else score - before,
            }
            if document_of is not None:
                finding["documents"] = len({document_of[row] for row in found.rows})
            findings.append(finding)
        return findings


# --- The result -----------------------------------------------------------------------------------


class Checked(Report):
    """The result of `check`: a dict that displays as a table."""

    _left_columns = 7
    _wide_columns = ("example", "what to write")
    _search: _Checking | None = None  # the texts that `fixed` changes; copies have only the keys
    _has_lists = True  # `fixed` returns a list of references per row

    def fixed(self, *kinds: str) -> tuple[Any, list[Any]]:
        """Return the predictions and the references without mistakes.

        Args:
            *kinds: the kinds to fix. Without any, all known damages of single texts are undone.
                "writing", "typography" and "normalization" write all systems and all references
                alike; "moved" pairs the rows that belong together, and leaves out the others.

        Returns:
            The predictions as a list, or as a dict of lists by system; and the references, a list
            of lists, or of texts if each row has one.

        Raises:
            ValueError: a kind was not found, or is not fixed in the texts.

        >>> result = check_texts(["a cat</s>", "a dog"], ["a cat", "a dog"], None, Options())
        >>> result.fixed()
        (['a cat', 'a dog'], ['a cat', 'a dog'])
        """
        systems, references, _ = self.repair(*kinds)
        plain: list[Any] = references
        if not self._has_lists and all(len(row) == 1 for row in references):
            plain = [row[0] for row in references]
        return systems if "systems" in self else systems[_ONLY], plain

    def repair(self, *kinds: str) -> Repaired:
        """Return what `fixed` returns, as lists by system, with the rows that were kept."""
        if self._search is None:
            raise ValueError(
                "fixed: a copy of a result has no texts. Call it on what check() returned."
            )
        found = self._search.found
        fix_of = {each.kind: each.fix for each in found}
        for kind in kinds:
            if kind not in fix_of:
                names = ", ".join(map(repr, fix_of)) or "none"
                raise ValueError(
                    f"fixed: {show_value(kind)} was not found. The kinds found are: {names}."
                )
            if not any(each.kind == kind and each.can_be_fixed for each in found):
                raise ValueError(
                    f"fixed: {kind!r} is not fixed in the texts. Write: {fix_of[kind]}"
                )
        chosen = [
            each
            for each in found
            if (each.kind in kinds and each.can_be_fixed) or (not kinds and each.is_bare)
        ]
        fixed = self._search.apply(chosen)
        read = partial(read_text, kind=self._search.kind)
        bounds = self._search.bounds
        references = [
            list(map(read, compress(fixed.references[start:end], fixed.is_in[start:end])))
            for start, end in zip(bounds[fixed.kept].tolist(), bounds[fixed.kept + 1].tolist())
        ]
        predictions_of = {
            name: list(map(read, texts)) for name, texts in fixed.predictions_of.items()
        }
        return Repaired(predictions_of, references, fixed.kept.tolist())

    def list_found(self) -> list[tuple[SystemName, Found]]:
        """Return the findings with their rows and fixes, each with its system."""
        return [(each.system, each) for each in self._search.found] if self._search else []

    def __str__(self) -> str:
        return super().__str__() if self["findings"] else f"{self._title()}\n{self._note()}"

    def _title(self) -> str:
        count = len(self["findings"])
        subject = count_things(len(self["systems"]), "system") if "systems" in self else "BLEU"
        score = "" if "systems" in self else f" {self['score']:.2f}"
        return f"{subject}{score}: {count_things(count, 'finding') if count else 'no findings'}"

    def _rows(self) -> list[list[str]]:
        rows = [["kind", "where", "rows", "first", "BLEU after", "example", "what to write"]]
        for finding in self["findings"]:
            has_score = finding["score"] is not None
            where = finding["where"]
            if "system" in finding:
                where += f" of {write_name(finding['system'])}"
            rows.append(
                [
                    finding["kind"],
                    where,
                    f"{finding['rows']:,} ({finding['share']:.1%})",
                    f"{finding['first']:,}",
                    f"{finding['score']:.2f} ({finding['delta_score']:+.2f})" if has_score else "",
                    finding["example"] or finding["says"],
                    escape_unseen(finding["fix"]),
                ]
            )
        return rows

    def _records(self) -> list[dict[str, object]]:
        return [dict(finding) for finding in self["findings"]]
