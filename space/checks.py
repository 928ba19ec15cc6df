"""What `check` finds in an upload, and what a fix changes.

A mistake that has a fix waits for the visitor's choice if the fix changes a verdict, or a score by
more than a point: until then, the page has no verdict. Typography waits only if it changes the
verdict.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import limits
from .files import Submission
from .metric import (
    Options,
    core,
    list_options,
    make_available,
    request_check,
    request_comparison,
    request_ranking,
    request_score,
)
from .options import SCORING_OPTIONS, describe_setting, join_clauses, leave_segments_effective

if TYPE_CHECKING:
    from bleu_metric.bleu_core import BleuWarning, Checked, Found, QuotableReport

# The buttons for the options that the metric advises.
BUTTONS: dict[tuple[str | None, object], str] = {
    ("effective_order", True): "Skip n-grams longer than the text",
    ("smooth_method", "exp"): "Smooth as sacreBLEU does",
    ("tokenize", "none"): "Split at spaces only",
    ("tokenize", "char"): "Score by characters",
    ("tokenize", "zh"): "Score as Chinese",
    ("lowercase", True): "Ignore case",
}

# The choices of a visitor for a kind that was found.
FIX = "fix"
KEEP = "keep"
HEAD = "head"  # the lines before those that moved
Choices = Mapping[str, Sequence[Any]]  # by kind; each with the options that it sets

TYPOGRAPHY = "typography"  # a note: systems have quotes and dashes of their own
# What is fixed, where the name of the kind does not tell it.
_FIXED: Mapping[str, str] = {
    "empty": "empty references",
    "invisible": "invisible characters",
    "moved": "moved lines",
    "wrapped": "wrapped texts",
    "writing": "way of writing",
}

_MOST_POINTS = 1.0  # that a fix may change a score by without being asked about
LEAST_POINTS = 0.05  # below which a fix changes what the page shows of no score
_MOST_RANKED = 10  # systems that are ranked again for each fix
_BLOCKS = 20  # of lines that are looked at, if all are too many
_IN_ORDER = 0.9  # of the lines follow each other if lines moved without another order


class Place(NamedTuple):
    """A mistake, and the system in which it was found."""

    system: str
    found: Found


class FoundKind(NamedTuple):
    """The mistakes of a kind that have a fix, or those that have none.

    places: the mistakes, with their systems.
    options: the options of the fix, if options fix it.
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
    def is_told(self) -> bool:
        """True if the metric warns of it."""
        return any(place.found.is_told for place in self.places)

    @property
    def name(self) -> str:
        """The kind in words."""
        return _FIXED.get(self.kind, self.kind.replace("_", " "))

    @property
    def is_alike(self) -> bool:
        """True if the fix writes all systems and references alike."""
        return any(place.found.alike is not None for place in self.places)

    @property
    def button(self) -> str:
        """The fix, as a command."""
        if self.can_change_texts:
            return "Write all alike" if self.is_alike else "Fix"
        return "".join(BUTTONS[option] for option in self.options.items())

    @property
    def fixed(self) -> str:
        """The phrase for scores after the fix."""
        if self.can_change_texts:
            return f"{self.name} {'made alike' if self.is_alike else 'fixed'}"
        return join_clauses([describe_setting(*option) for option in self.options.items()])

    def find_first(self) -> int:
        """Return the first row that has the kind."""
        return min(int(place.found.rows[0]) for place in self.places)

    def count_unmoved(self) -> int:
        """Return the number of rows before those that moved; 0 if they are in another order."""
        pairing = self.places[0].found.pairing
        kept = [row for row in pairing if row >= 0] if pairing is not None else []
        ascending = sum(row < following for row, following in pairwise(kept))
        return self.find_first() if ascending > _IN_ORDER * len(kept) else 0

    def tell(self, systems: Collection[str], *, quotes: bool = True) -> str:
        """Return in words what was found, and where; texts are left out unless `quotes`."""
        return tell_places(self.places, systems, quotes=quotes)


class Looked(NamedTuple):
    """What was found in the texts of a submission.

    found: the kinds, in the order of their fixes.
    segments: the number of lines that were looked at; 0 if the look has failed.
    is_partial: True if these are not all lines.
    checked: the result of `check`; None if the look has failed.
    """

    found: list[FoundKind]
    segments: int
    is_partial: bool
    checked: Checked | None

    def list_chosen(self, choices: Choices) -> list[FoundKind]:
        """Return the kinds that the visitor has chosen to fix, in the order of the fixes."""
        return [
            each
            for each in self.found
            if each.can_be_fixed and read_choice(choices, each.kind) in (FIX, HEAD)
        ]


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


class Step(NamedTuple):
    """A fix alone, and the scores after it.

    head: the scores of the lines before those that moved, if lines moved.
    """

    found: FoundKind
    after: Trial
    head: Trial | None = None


class Tried(NamedTuple):
    """What fixes of what was found would change; each starts from the scores that are shown.

    before: the scores of the texts as they are, and the verdict on them.
    steps: each fix that the visitor has not decided on, alone, by its kind.
    asked: the kinds that wait for the visitor's choice because together they change a verdict, or a
        score by more than a point.
    after: the scores after the fixes of all of these.
    doubts: what puts the scores in doubt: kept fixes that would decide, and mistakes without a fix,
        or left after it.
    kept: the kinds that the visitor has decided against.
    after_kept: the scores after their fixes.
    """

    before: Trial
    steps: Mapping[str, Step]
    asked: Sequence[str]
    after: Trial
    doubts: Sequence[FoundKind]
    kept: Sequence[FoundKind]
    after_kept: Trial


class Prepared(NamedTuple):
    """A submission and options after the chosen fixes, and what these did.

    first: what was found before all fixes.
    looked: what is left.
    """

    submission: Submission
    options: Options
    remarks: list[str]
    first: Looked
    looked: Looked


def look_at(submission: Submission, options: Options) -> Looked:
    """Look at the texts of a submission; of very many, at blocks of lines of each system."""
    segments = len(submission.references)
    lines = _choose_lines(submission)
    is_partial = len(lines) < segments
    looked_at = submission.take(lines) if is_partial else submission
    scoring = {name: options[name] for name in SCORING_OPTIONS if name in options}
    try:
        checked = request_check(looked_at.systems, looked_at.references, scoring)
    except Exception:  # whatever goes wrong in a look must not take the score away
        traceback.print_exc()
        return Looked([], 0, is_partial=True, checked=None)
    return Looked(_group(checked, lines, is_partial), len(lines), is_partial, checked)


def _group(checked: Checked, lines: Sequence[int], is_partial: bool) -> list[FoundKind]:
    """Group mistakes by their kinds; those without a fix are apart.

    `lines` are the lines of the submission that were looked at.
    """
    groups: dict[tuple[str, bool], list[Place]] = {}
    for system, found_here in checked.list_found():
        found = found_here
        if is_partial:
            says = _PLACES.sub(partial(_find_line, lines), found.says)
            found = replace(found, says=says, rows=[lines[row] for row in found.rows], pairing=None)
        has_fix = found_here.can_be_fixed or bool(list_options(found.fix))
        groups.setdefault((found.kind, has_fix), []).append(Place(str(system), found))
    kinds = []
    for (kind, has_fix), places in groups.items():
        by_options = [list_options(place.found.fix) for place in places]
        can_change_texts = has_fix and not is_partial and not all(by_options)
        options = next(filter(None, by_options), {})
        kinds.append(FoundKind(kind, places, options, can_change_texts))
    return kinds


def _choose_lines(submission: Submission) -> Sequence[int]:
    """Return the lines that are looked at: all, or blocks from all parts of the files.

    Within a block, lines follow each other: where one was lost, those behind it have moved.
    """
    columns = [*submission.systems.values()]
    segments = len(submission.references)
    sizes = [
        sum(len(text) for text in [*texts, *references] if text)
        for *texts, references in zip(*columns, submission.references)
    ]
    share = min(
        limits.MAX_CHECKED_TEXTS / (segments * len(columns)),
        limits.MAX_CHECKED_CHARACTERS / max(sum(sizes), 1),
    )
    if share >= 1:
        return range(segments)
    size = max(int(share * segments / _BLOCKS), 1)
    starts = np.linspace(0, segments - size, _BLOCKS).astype(int).tolist()
    return sorted({line for start in starts for line in range(start, start + size)})


def _find_line(lines: Sequence[int], match: re.Match[str]) -> str:
    """Return a place in the lines that were looked at as one in the submission."""
    row = match["row"] or match["number"]
    if not row or int(row) >= len(lines):
        return match[0]
    return match[0].replace(row, f"{lines[int(row)]}", 1)


def prepare_texts(submission: Submission, options: Options, choices: Choices) -> Prepared:
    """Look at the texts, and fix what the visitor has chosen to fix."""
    first = look_at(submission, options)
    changed, remarks = _fix(submission, first, choices)
    own = {**options, **_list_options(first.list_chosen(choices), choices)}
    is_same = not remarks and own == {**options}
    return Prepared(changed, own, remarks, first, first if is_same else look_at(changed, own))


def read_choice(choices: Choices, kind: str) -> str:
    """Return what a visitor has chosen for a kind; empty without a choice."""
    return choices[kind][0] if kind in choices else ""


def _list_options(chosen: Sequence[FoundKind], choices: Choices) -> Options:
    """Return the options that chosen fixes set."""
    options: dict[str, object] = {}
    for found in chosen:
        options |= choices[found.kind][1]
    return options


def _fix(submission: Submission, looked: Looked, choices: Choices) -> tuple[Submission, list[str]]:
    """Return a submission after the chosen fixes of texts, and what they did."""
    chosen = [each for each in looked.list_chosen(choices) if each.can_change_texts]
    fixed = [each for each in chosen if read_choice(choices, each.kind) == FIX]
    heads = [each.find_first() for each in chosen if read_choice(choices, each.kind) == HEAD]
    changed = submission
    if fixed:
        assert looked.checked is not None  # something was found
        repaired = looked.checked.repair(*(each.kind for each in fixed))
        changed = submission.take(repaired.kept)._replace(
            systems={str(name): texts for name, texts in repaired.predictions_of.items()},
            references=repaired.references,
        )
    if heads:
        changed = changed.take(range(min(heads)))
    remarks = [each.fixed for each in fixed]
    size, kept = len(submission.references), len(changed.references)
    if kept < size:
        remarks.append(f"{'only the first ' if heads else ''}{kept:,} of {size:,} lines")
    return changed, remarks


# --- What a fix changes ---------------------------------------------------------------------------


def try_fixes(
    submission: Submission,
    looked: Looked,
    options: Options,
    before: Trial,
    choices: Choices,
    *,
    baseline: str,
    test: str | None,
) -> Tried:
    """Return what the fixes of what was found would change.

    Args:
        submission: the texts as they were scored.
        looked: what was found in them.
        options: those that they were scored with.
        before: their scores, and the verdict on them.
        choices: what the visitor has decided already.
        baseline: the system that another one is compared with, if there are two.
        test: the test of two systems; None for training runs, whose differences aren't tested one
            by one.
    """

    fixable = {each.kind: each for each in looked.found if each.can_be_fixed}

    @cache
    def attempt(*kinds: str) -> Trial:
        """Return the scores after some fixes; those before if a fix fails."""
        if not kinds:
            return before
        try:
            fixes = {kind: (FIX, fixable[kind].options) for kind in kinds}
            changed, _ = _fix(submission, looked, fixes)
            own = {**options, **_list_options([fixable[kind] for kind in kinds], fixes)}
            return _try(changed, own, before, baseline, test)
        except Exception:  # as in `look_at`
            traceback.print_exc()
            return before

    def attempt_head(found: FoundKind) -> Trial | None:
        row = found.count_unmoved()
        return _try(submission.take(range(row)), options, before, baseline, test) if row else None

    # 1. All mistakes wait for a choice if they decide together, typography if it changes the
    #    verdict by itself.
    left = [kind for kind in fixable if kind not in choices]
    steps = {kind: Step(fixable[kind], attempt(kind), attempt_head(fixable[kind])) for kind in left}
    mistakes = [kind for kind in left if kind != TYPOGRAPHY]
    asked = mistakes if _decides(before, attempt(*mistakes)) else []
    if TYPOGRAPHY in left and _changes_verdict(before, attempt(TYPOGRAPHY)):
        asked = [*asked, TYPOGRAPHY]
    # 2. What the visitor has decided against, and what has no fix, or is left after it.
    kept = [kind for kind in fixable if read_choice(choices, kind) == KEEP]
    is_left = {kind for kind in choices if read_choice(choices, kind) in (FIX, HEAD)}
    told = [each for each in looked.found if each.is_told]
    doubts = [each for each in told if not each.can_be_fixed or each.kind in is_left]
    if _decides(before, attempt(*kept)):
        doubts += [fixable[kind] for kind in kept]
    return Tried(
        before=before,
        steps=steps,
        asked=asked,
        after=attempt(*asked),
        doubts=doubts,
        kept=[fixable[kind] for kind in kept],
        after_kept=attempt(*kept),
    )


def try_without(
    submission: Submission,
    looked: Looked,
    options: Options,
    now: Trial,
    choices: Choices,
) -> dict[str, Trial]:
    """Return the scores without some of the chosen fixes, by what is left out in words.

    The first are those of the texts as they were; then each fix comes back, or is left out alone.

    Args:
        submission: the texts as they were.
        looked: what was found in them.
        options: those before all fixes.
        now: the scores after all chosen fixes.
        choices: what the visitor has decided.
    """
    chosen = looked.list_chosen(choices)
    trials: dict[str, Trial] = {}
    for left_out in [*(chosen[i:] for i in range(len(chosen))), *([each] for each in chosen)]:
        noun = "fix" if len(left_out) == 1 else "fixes"
        words = f"without the {noun}: {join_clauses([each.fixed for each in left_out])}"
        own = [each for each in chosen if each not in left_out]
        try:
            texts, _ = _fix(submission, looked, {each.kind: choices[each.kind] for each in own})
            trials[words] = _try(texts, {**options, **_list_options(own, choices)}, now, "", None)
        except Exception:  # as in `look_at`
            traceback.print_exc()
    return trials


def _try(
    submission: Submission, options: Options, before: Trial, baseline: str, test: str | None
) -> Trial:
    """Score and test a submission; without a test if no score differs from those before."""
    scoring = {**leave_segments_effective(options), "confidence": None}
    rows_of = {}
    scores = {}
    for name, texts in submission.systems.items():
        result, rows_of[name] = request_score(texts, submission.references, scoring)
        scores[name] = float(result["score"])
    segments = len(submission.references)
    trial = Trial(scores, segments)
    if find_change(before, trial) < LEAST_POINTS:
        return trial._replace(delta=before.delta, p=before.p, first=before.first)
    if test is None or len(scores) == 1 or len(scores) > _MOST_RANKED:
        return trial
    documents = submission.documents
    if len(scores) == 2:
        tested = request_comparison(
            rows_of, None, baseline, test, options=scoring, documents=documents
        )
    else:
        tested = request_ranking(rows_of, scoring, documents)
    return judge(scores, segments, tested)


def judge(scores: Mapping[str, float], segments: int, tested: QuotableReport | None) -> Trial:
    """Return the scores of systems, and the verdict of their comparison or ranking.

    >>> systems = {"A": {"score": 20.0}, "B": {"score": 21.5, "delta": 0.015, "p_value": 0.004}}
    >>> judge({"A": 20.0, "B": 21.5}, 40, {"systems": systems}).is_significant
    True
    """
    trial = Trial(dict(scores), segments)
    if tested is None or len(scores) > _MOST_RANKED:
        return trial
    if "ranking" in tested:
        entries = tested["ranking"]
        first = frozenset(entry["system"] for entry in entries if entry["rank_range"][0] == 1)
        return trial._replace(first=first)
    other = next(system for system in tested["systems"].values() if "delta" in system)
    return trial._replace(delta=100 * other["delta"], p=other.get("p_value"))


def find_change(before: Trial, after: Trial) -> float:
    """Return the largest change of a score, in points."""
    return max(abs(after.scores[name] - score) for name, score in before.scores.items())


def _decides(before: Trial, after: Trial) -> bool:
    """Return True if a fix changes a verdict, or a score by more than a point."""
    return find_change(before, after) > _MOST_POINTS or _changes_verdict(before, after)


def _changes_verdict(before: Trial, after: Trial) -> bool:
    if before.first != after.first or before.is_significant != after.is_significant:
        return True
    has_other_sign = (before.delta or 0) * (after.delta or 0) < 0
    return has_other_sign and before.is_significant


def tell_effect(before: Trial, after: Trial, fixed: str) -> str:
    """Return in words what scores would be after fixes, which `fixed` names.

    >>> before, after = (Trial({"A": score}, 3) for score in (20.0, 25.0))
    >>> tell_effect(before, after, "case is ignored")
    'With fixes (case is ignored), A has 25.0 instead of 20.0.'
    """
    changes = [
        f"{name} has {score:.1f} instead of {before.scores[name]:.1f}"
        for name, score in after.scores.items()
        if abs(score - before.scores[name]) >= LEAST_POINTS
    ]
    return f"With fixes ({fixed}), {join_clauses(changes[:3])}." if changes else ""


def name_fixes(kinds: Sequence[FoundKind]) -> str:
    """Return the phrase for scores after some fixes."""
    return join_clauses([found.fixed for found in kinds])


def name_scores(tried: Tried, without: Mapping[str, Trial]) -> dict[str, dict[str, float]]:
    """Return the scores after other fixes, by the name of a system and the fixes in words."""
    trials = {**without, **{step.found.fixed: step.after for step in tried.steps.values()}}
    trials[name_fixes([tried.steps[kind].found for kind in tried.asked])] = tried.after
    trials[name_fixes(tried.kept)] = tried.after_kept
    return {
        name: {
            phrase: trial.scores[name]
            for phrase, trial in trials.items()
            if abs(trial.scores[name] - score) >= LEAST_POINTS
        }
        for name, score in tried.before.scores.items()
    }


# --- Words ----------------------------------------------------------------------------------------


_PLACES = re.compile(
    r"""(?P<quoted>'.*'|".*")|(?P<side>predictions|references)\[(?P<row>\d+)\](?:\[(?P<at>\d+)\])?"""
    r"|\brow (?P<number>\d+)|\brow(?P<plural>s?)\b"
)
_TOLD_SYSTEMS = 2  # of which different things are told


def tell_lines(says: str) -> str:
    """Return a sentence of the metric with lines, which are numbered from 1, for its rows.

    >>> tell_lines("predictions[2] begins with 'row: ', like 3 of 9 rows looked at")
    "line 3 begins with 'row: ', like 3 of 9 lines looked at"
    >>> tell_lines("references[0][1] is empty"), tell_lines("references[4] is empty")
    ('line 1, reference 2 is empty', 'line 5 of the references is empty')
    """
    return _PLACES.sub(_tell_line, says)


def _tell_line(match: re.Match[str]) -> str:
    if match["quoted"]:
        return match[0]
    row = match["row"] or match["number"]
    if not row:
        return f"line{match['plural']}"
    line = f"line {int(row) + 1:,}"
    if match["at"]:
        return f"{line}, reference {int(match['at']) + 1}"
    return f"{line} of the references" if match["side"] == "references" else line


def tell_texts(says: str) -> str:
    """Return a sentence of the metric about a single row with the names that its texts have here.

    >>> tell_texts("references[0][1] is written without spaces, at which tokenize='13a' splits")
    'Reference 2 is written without spaces, at which 13a splits'
    >>> tell_texts("predictions[0] contains 'references[0]'")
    "The candidate contains 'references[0]'"
    """
    named = re.sub(r"tokenize='(\w+)'", r"\1", says)
    return _PLACES.sub(_name_text, named)


def _name_text(match: re.Match[str]) -> str:
    if match["side"] == "predictions":
        return "The candidate"
    return f"Reference {int(match['at'] or 0) + 1}" if match["side"] else match[0]


def tell_places(places: Sequence[Place], systems: Collection[str], *, quotes: bool = True) -> str:
    """Return in words what was found, and where; `'…'` stands for texts unless `quotes`.

    >>> checked = request_check({"A": ["lo@@ wer"] * 3, "B": ["lower"] * 3}, ["lower"] * 3, {})
    >>> places = [Place(*found) for found in checked.list_found()]
    >>> tell_places(places, ["A", "B"])
    '“A”: line 1 contains pieces of words (@@), like 3 of 3 predictions'
    >>> marked = request_check({"A": ["a b</s>"] * 3}, ["a b"] * 3, {})
    >>> tell_places([Place(*found) for found in marked.list_found()], ["A"], quotes=False)
    "“A”: line 1 contains tokens of a model ('…'), like 3 of 3 predictions"
    >>> tell_places([*places, places[0]._replace(system="B")], ["A", "B"])
    'All systems: line 1 contains pieces of words (@@), like 3 of 3 predictions'
    """
    systems_of: dict[str, list[str]] = {}
    for system, found in places:
        systems_of.setdefault(str(core.escape_unseen(found.says)), []).append(system)
    told: dict[str, list[str]] = {}  # by systems; what is said of references alone is so for all
    for says, names in systems_of.items():
        # Not the value of an option, as in tokenize='13a'.
        words = tell_lines(says if quotes else re.sub(r"""(?<!=)('.*'|".*")""", "'…'", says))
        is_general = "predictions" not in says.lower()
        subject = "" if is_general else f"{name_systems(names, systems)}: "
        told.setdefault(subject, []).append(words[0].lower() + words[1:])
    sentences = [subject + "; ".join(words) for subject, words in told.items()]
    sentence = "; ".join(sentences[:_TOLD_SYSTEMS])
    more = len(sentences) - _TOLD_SYSTEMS
    others = f"; {more} more in other systems" if more > 0 else ""
    return f"{sentence[0].upper()}{sentence[1:]}{others}"


def name_systems(names: Sequence[str], systems: Collection[str]) -> str:
    """Return the names of some systems in words.

    >>> name_systems(["A", "B"], ["A", "B", "C"]), name_systems(["A", "B"], ["A", "B"])
    ('“A” and “B”', 'All systems')
    """
    if len(systems) > 1 and len(names) == len(systems):
        return "All systems"
    quoted = [f"“{name}”" for name in names]
    if len(quoted) > 3:
        return f"{', '.join(quoted[:2])} and {len(quoted) - 2} more"
    return join_clauses(quoted)


# --- Remedies: fixes of a sentence, and the advice of warnings -----------------------------------


class Remedy(NamedTuple):
    """A finding, and the button that fixes it by changing options or texts, if there is one."""

    finding: str
    button: str
    options: Options
    fix: str = ""  # the kind that `fix_sentence` fixes
    kind: str = ""  # of a finding of `check`


def find_remedies(prediction: str, references: Sequence[str], options: Options) -> list[Remedy]:
    """Return what `check` finds in a sentence: one prediction, and its references.

    >>> options = {"tokenize": "13a", "lowercase": False}
    >>> found = find_remedies("„Zitat“, „ein“", ['"Zitat", "ein"'], options)
    >>> [remedy.button for remedy in found]
    ['Write all alike']
    """
    if not prediction.strip() or not any(text.strip() for text in references):
        return []
    remedies = []
    for finding in _check_sentence([prediction], references, options)["findings"]:
        kind, fix = finding["kind"], finding["fix"]
        advised = list_options(fix)
        button = "".join(BUTTONS[option] for option in advised.items())
        if not button and finding["score"] is not None:
            button = "Write all alike" if "fixed(" in fix else "Fix"
        fixes = "" if advised else kind
        remedies.append(Remedy(tell_texts(finding["says"]), button, advised, fixes, kind))
    return remedies


def _check_sentence(
    candidates: Sequence[str], references: Sequence[str], options: Options
) -> Checked:
    scoring = {name: options[name] for name in SCORING_OPTIONS if name in options}
    systems = {f"{place}": [text] for place, text in enumerate(candidates)}
    return request_check(systems, [list(references)], scoring)


def fix_sentence(
    candidates: Sequence[str], references: Sequence[str], options: Options, kind: str
) -> tuple[list[str], list[str]]:
    """Return the candidates and the references of a sentence after a fix.

    >>> fix_sentence(["a b</s>"], ["a b"], {}, "special_tokens")
    (['a b'], ['a b'])
    """
    repaired = _check_sentence(candidates, references, options).repair(kind)
    fixed = [text for texts in repaired.predictions_of.values() for text in texts]
    return fixed, repaired.references[0]


def add_warnings(
    remedies: Sequence[Remedy], warnings: Sequence[BleuWarning], found: Collection[str]
) -> tuple[list[Remedy], list[str]]:
    """Add a remedy for each warning that advises an option with a button; the others become notes.

    A warning is left out if a remedy changes the same option already, and if it is about a kind
    of mistake that was found: the page tells those itself.
    """
    changed = {name for remedy in remedies for name in remedy.options}
    advised = list(remedies)
    notes = []
    warning_of = {str(warning): warning for warning in warnings}  # each message once
    for message, warning in warning_of.items():
        if warning.kind in found:
            continue
        options: Options = {}
        if warning.option is not None:
            options = make_available({warning.option: warning.value})
        button = "".join(BUTTONS.get(option, "") for option in options.items())
        if not button:
            notes.append(message)
        elif warning.option not in changed:
            advised.append(Remedy(warning.problem, button, options))
    return advised, notes
