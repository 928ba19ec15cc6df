"""What `check` says about an upload: what was looked at, what was found, and what a fix changes.

A finding waits for the visitor's choice if its fix changes a verdict, or a score by more than a
point: until then, the page has no verdict.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from . import limits
from .files import Submission
from .html import count_things
from .metric import (
    MISTAKES,
    Options,
    Place,
    Repaired,
    Result,
    list_places,
    repair,
    request_check,
    request_comparison,
    request_ranking,
    request_score,
)
from .options import SCORING_OPTIONS, describe_setting, join_clauses, leave_segments_effective
from .remedies import BUTTONS

# The choices of a visitor for a kind that was found.
FIX = "fix"
KEEP = "keep"
HEAD = "head"  # the lines before those that moved
Choices = Mapping[str, str]  # by kind

_MOST_POINTS = 1.0  # that a fix may change a score by without being asked about
_LEAST_POINTS = 0.05  # below which a fix changes what the page shows of no score
_MOST_RANKED = 10  # systems that are ranked again for each fix


class FoundKind(NamedTuple):
    """A kind of mistake, wherever it was found.

    places: where it was found: in systems, or in the references.
    options: the options of its fix, if options fix it.
    can_change_texts: True if the texts can be fixed.
    """

    kind: str
    places: Sequence[Place]
    options: Options
    can_change_texts: bool

    @property
    def can_be_fixed(self) -> bool:
        """True if there is a fix."""
        return bool(self.options) or self.can_change_texts

    @property
    def is_alarming(self) -> bool:
        """True if the file is not what was meant; a system's own quotes and dashes are."""
        return any(not place.found.mistake.is_quiet for place in self.places)

    @property
    def button(self) -> str:
        """The fix, as a command; empty without one."""
        if self.options:
            ((option, value),) = self.options.items()
            return BUTTONS[option, value]
        return self.places[0].words.button if self.can_change_texts else ""

    @property
    def fixed(self) -> str:
        """The phrase for scores after the fix."""
        if self.options:
            ((option, value),) = self.options.items()
            return describe_setting(option, value)
        return self.places[0].words.fixed

    def find_first(self) -> int:
        """Return the first row that has the kind."""
        return min(int(place.found.rows[0]) for place in self.places)

    def tell(self, systems: Collection[str], segments: int) -> str:
        """Return in words what was found, where, and in how many lines."""
        return tell_places(self.places, systems, segments)


class Looked(NamedTuple):
    """What was looked at in the texts of a submission.

    found: the kinds that were found, those that matter most first.
    fine: the kinds that were looked for in vain.
    not_looked_for: the other kinds, with the reason.
    segments: the number of lines that were looked at.
    is_partial: True if these are only the first lines.
    """

    found: list[FoundKind]
    fine: list[str]
    not_looked_for: Mapping[str, str]
    segments: int
    is_partial: bool
    checked: Result


class Trial(NamedTuple):
    """The scores of systems, and the verdict on them.

    delta, p: of two systems, the difference in points and its p-value; None for others.
    first: the systems that share first place, if all pairs were tested.
    """

    scores: dict[str, float]
    segments: int
    delta: float | None = None
    p: float | None = None
    first: frozenset[str] = frozenset()

    @property
    def is_significant(self) -> bool:
        """True if the difference of two systems is more than chance."""
        return self.p is not None and self.p < 0.05


class Question(NamedTuple):
    """A kind that was found, and the scores with and without its fix.

    head: the scores of the lines before those that moved, if lines moved.
    decides: True if the file is not what was meant, and the fix changes a verdict, or a score by
        more than a point.
    """

    found: FoundKind
    before: Trial
    after: Trial | None
    head: Trial | None = None
    decides: bool = False


class Prepared(NamedTuple):
    """A submission after the chosen fixes of texts, what they did, and what is left."""

    submission: Submission
    remarks: list[str]
    looked: Looked


def look_at(submission: Submission, options: Options) -> Looked:
    """Look at the texts of a submission; of very many, at the first lines of each system."""
    # 1. Choose the lines.
    segments = len(submission.references)
    rows = _count_rows(submission)
    systems = {name: texts[:rows] for name, texts in submission.systems.items()}
    references = submission.references[:rows]
    # 2. Look at them, and group what was found by kind.
    scoring = {name: options[name] for name in SCORING_OPTIONS if name in options}
    checked = request_check(systems, references, scoring)
    places_of: dict[str, list[Place]] = {}
    for place in list_places(checked):
        places_of.setdefault(place.kind, []).append(place)
    found = []
    for kind, places in places_of.items():
        changed = next((place.options for place in places if place.options), {})
        can_change_texts = any(place.changes_texts for place in places) and rows == segments
        found.append(FoundKind(kind, places, changed, can_change_texts))
    return Looked(found, checked["fine"], checked["not_looked_for"], rows, rows < segments, checked)


def _count_rows(submission: Submission) -> int:
    """Return how many lines can be looked at within the limits, from the first one on."""
    segments = len(submission.references)
    columns = [*submission.systems.values()]
    rows = min(segments, limits.MAX_CHECKED_TEXTS // len(columns))
    characters = 0
    for row in range(rows):
        characters += sum(len(texts[row]) for texts in columns)
        characters += sum(len(text) for text in submission.references[row] if text)
        if characters > limits.MAX_CHECKED_CHARACTERS:
            return max(row, 1)
    return rows


def prepare_texts(submission: Submission, options: Options, choices: Choices) -> Prepared:
    """Look at the texts, and fix what the visitor has chosen to fix."""
    looked = look_at(submission, options)
    chosen = [
        each
        for each in looked.found
        if choices.get(each.kind) in (FIX, HEAD) and each.can_change_texts
    ]
    if not chosen:
        return Prepared(submission, [], looked)
    fixed = [each.kind for each in chosen if choices[each.kind] == FIX]
    remarks = [each.fixed for each in chosen if choices[each.kind] == FIX]
    changed = submission
    if fixed:
        changed = _apply(submission, repair(looked.checked, fixed))
    heads = [each.find_first() for each in chosen if choices[each.kind] == HEAD]
    if heads:
        changed = changed.take(range(min(heads)))
    remarks += _tell_rows(submission, changed, heads)
    return Prepared(changed, remarks, look_at(changed, options))


def _apply(submission: Submission, repaired: Repaired) -> Submission:
    """Return a submission with repaired texts, and the labels and documents of their rows."""
    kept = submission.take(repaired.rows)
    return kept._replace(systems=repaired.systems, references=repaired.references)


def _tell_rows(before: Submission, after: Submission, heads: Sequence[int]) -> list[str]:
    """Return which lines were left out, in words."""
    size = len(before.references)
    kept = len(after.references)
    if kept == size:
        return []
    if heads:
        return [f"only the first {kept:,} of {size:,} lines"]
    return [f"{kept:,} of {size:,} lines"]


# --- What a fix changes ---------------------------------------------------------------------------


def ask(
    submission: Submission,
    looked: Looked,
    options: Options,
    before: Trial,
    *,
    baseline: str,
    test: str | None,
) -> list[Question]:
    """Return a question for each kind that was found, with the scores of both answers.

    Args:
        submission: the texts as they were scored.
        looked: what was found in them.
        options: those that they were scored with.
        before: their scores, and the verdict on them.
        baseline: the system that another one is compared with, if there are two.
        test: the test of two systems; None for training runs, whose differences aren't tested one
            by one.
    """
    tested = _Tested(baseline, test)
    questions = []
    for found in looked.found:
        after = head = None
        if found.options:
            after = _try(submission, {**options, **found.options}, before, tested)
        elif found.can_change_texts:
            fixed = _apply(submission, repair(looked.checked, [found.kind]))
            after = _try(fixed, options, before, tested)
            first = found.find_first()
            if found.kind == "shifted" and first:
                head = _try(submission.take(range(first)), options, before, tested)
        decides = found.is_alarming and after is not None and _decides(before, after)
        questions.append(Question(found, before, after, head, decides))
    return questions


class _Tested(NamedTuple):
    """How the page tests two systems; `ask` describes both."""

    baseline: str
    test: str | None


def _try(submission: Submission, options: Options, before: Trial, tested: _Tested) -> Trial:
    """Score and test a submission; without a test if no score differs from those before."""
    scoring = {**leave_segments_effective(options), "confidence": None}
    rows_of = {}
    scores = {}
    for name, texts in submission.systems.items():
        result, rows_of[name] = request_score(texts, submission.references, scoring)
        scores[name] = float(result["score"])
    segments = len(submission.references)
    trial = Trial(scores, segments)
    if find_change(before, trial) < _LEAST_POINTS:
        return trial._replace(delta=before.delta, p=before.p, first=before.first)
    if tested.test is None or len(scores) == 1 or len(scores) > _MOST_RANKED:
        return trial
    if len(scores) == 2:
        comparison = request_comparison(
            rows_of,
            None,
            tested.baseline,
            tested.test,
            options=scoring,
            documents=submission.documents,
        )
        return judge(scores, segments, comparison=comparison)
    ranking = request_ranking(rows_of, scoring, submission.documents)
    return judge(scores, segments, ranking=ranking)


def judge(
    scores: Mapping[str, float],
    segments: int,
    *,
    comparison: Result | None = None,
    ranking: Result | None = None,
) -> Trial:
    """Return the scores of systems, and the verdict of what they were tested with.

    >>> systems = {"A": {"score": 20.0}, "B": {"score": 21.5, "delta": 0.015, "p_value": 0.004}}
    >>> judge({"A": 20.0, "B": 21.5}, 40, comparison={"systems": systems}).is_significant
    True
    """
    trial = Trial(dict(scores), segments)
    if len(scores) == 2 and comparison is not None:
        other = next(system for system in comparison["systems"].values() if "delta" in system)
        return trial._replace(delta=100 * other["delta"], p=other.get("p_value"))
    if ranking is not None and len(scores) <= _MOST_RANKED:
        entries = ranking["ranking"]
        first = frozenset(entry["system"] for entry in entries if entry["rank_range"][0] == 1)
        return trial._replace(first=first)
    return trial


def find_change(before: Trial, after: Trial) -> float:
    """Return the largest change of a score, in points."""
    return max(abs(after.scores[name] - score) for name, score in before.scores.items())


def _decides(before: Trial, after: Trial) -> bool:
    """Return True if a fix changes a verdict, or a score by more than a point."""
    if find_change(before, after) > _MOST_POINTS or before.first != after.first:
        return True
    if before.is_significant != after.is_significant:
        return True
    has_other_sign = (before.delta or 0) * (after.delta or 0) < 0
    return has_other_sign and before.is_significant


def tell_effect(question: Question) -> str:
    """Return the scores with and without a fix in words.

    >>> before, after = (Trial({"A": score}, 3) for score in (20.0, 25.0))
    >>> tell_effect(Question(FoundKind("case", [], {"lowercase": True}, False), before, after))
    'if case is ignored, A 25.0 in place of 20.0'
    """
    before, after = question.before, question.after
    if after is None:
        return ""
    changes = []
    for name, score in after.scores.items():
        if abs(score - before.scores[name]) >= _LEAST_POINTS:
            changes.append(f"{name} {score:.1f} in place of {before.scores[name]:.1f}")
    condition = question.found.fixed
    if question.found.options:
        condition = f"if {condition}"
    return f"{condition}, {join_clauses(changes[:3])}" if changes else ""


# --- Words ----------------------------------------------------------------------------------------


def tell_places(places: Sequence[Place], systems: Collection[str], segments: int) -> str:
    """Return in words what was found, where, and in how many lines.

    >>> checked = request_check({"A": ["lo@@ wer"] * 3, "B": ["lower"] * 3}, ["lower"] * 3, {})
    >>> (place,) = list_places(checked)
    >>> tell_places([place], ["A", "B"], 3)
    '“A” has pieces of words in 3 of 3 lines'
    >>> tell_places([place, place._replace(system="B")], ["A", "B"], 3)
    'All systems have pieces of words in 3 of 3 lines'
    """
    first = places[0]
    subject = name_subject(places, systems)
    is_plural = not subject.endswith("”") or " and " in subject
    if first.kind == "shifted":
        line = int(first.found.rows[0]) + 1
        verb = "fit" if is_plural else "fits"
        distance = first.found.detail.replace("row", "line")
        return f"From line {line:,} on, {subject} {verb} the references {distance} better"
    if first.kind == "reordered":
        verb = "seem" if is_plural else "seems"
        return f"{subject} {verb} to be in another order"
    counts = {len(place.found.rows) for place in places}
    most = f"up to {max(counts):,}" if len(counts) > 1 else f"{max(counts):,}"
    lines = count_things(segments, "line")
    verb = "have" if is_plural else "has"
    return f"{subject} {verb} {_name_found(first)} in {most} of {lines}"


def shorten_places(places: Sequence[Place], systems: Collection[str]) -> str:
    """Return in a few words what was found, and where."""
    first = places[0]
    subject = name_subject(places, systems)
    words = _name_found(first)
    if first.kind == "shifted":
        words = f"moved from line {int(first.found.rows[0]) + 1:,} on"
    return f"{subject}: {words}"


def name_subject(places: Sequence[Place], systems: Collection[str]) -> str:
    """Return the names of the systems in which a kind was found, or "The references"."""
    names = [f"“{place.system}”" for place in places if place.system]
    if not names:
        return "The references"
    if len(systems) > 1 and len(names) == len(systems):
        return "All systems"
    if len(names) > 3:
        return f"{', '.join(names[:2])} and {len(names) - 2} more"
    return join_clauses(names)


def _name_found(place: Place) -> str:
    return place.words.found.format(detail=place.found.detail)


def list_looked_for(kinds: Collection[str], fine: str) -> list[str]:
    """Return what was looked for under a tick, in words.

    >>> list_looked_for(["case", "quotes"], "same case")
    ['texts in one case only']
    """
    found = []
    for mistake in MISTAKES:
        if mistake.words.fine == fine and mistake.kind in kinds:
            found.append(mistake.words.found.format(detail="one case"))
    return list(dict.fromkeys(found))


def list_skipped(looked: Looked, fine: str) -> list[str]:
    """Return what was not looked for under a tick, in words with the reason."""
    skipped = []
    for mistake in MISTAKES:
        if mistake.words.fine == fine and mistake.kind in looked.not_looked_for:
            reason = looked.not_looked_for[mistake.kind].replace("row", "line")
            skipped.append(f"{mistake.words.found.format(detail='one case')} ({reason})")
    return list(dict.fromkeys(skipped))


def list_fine(looked: Looked) -> list[str]:
    """Return the ticks of what is fine: of several kinds with one tick, all are."""
    found = {each.kind for each in looked.found}
    spoiled = {mistake.words.fine for mistake in MISTAKES if mistake.kind in found}
    fine = [
        mistake.words.fine
        for mistake in MISTAKES
        if mistake.kind in looked.fine and mistake.words.fine not in spoiled
    ]
    return list(dict.fromkeys(fine))
