"""What `check` says about an upload: what was looked at, what was found, and what a fix changes.

A finding waits for the visitor's choice if its fix changes a verdict, or a score by more than a
point: until then, the page has no verdict.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from . import limits
from .files import Submission
from .html import count_things
from .metric import (
    LEFTOVERS,
    MISTAKES,
    Options,
    Place,
    detokenize,
    find_in_sentence,
    list_places,
    make_available,
    repair,
    request_check,
    request_comparison,
    request_ranking,
    request_score,
    straighten_quotes,
)
from .options import SCORING_OPTIONS, describe_setting, join_clauses, leave_segments_effective

if TYPE_CHECKING:
    from bleu_metric.bleu_checks import Checked
    from bleu_metric.bleu_messages import BleuWarning
    from bleu_metric.bleu_report import QuotableReport

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
Choices = Mapping[str, str]  # by kind

_MOST_POINTS = 1.0  # that a fix may change a score by without being asked about
LEAST_POINTS = 0.05  # below which a fix changes what the page shows of no score
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
        for option in self.options.items():
            return BUTTONS[option]
        return self.places[0].words.button if self.can_change_texts else ""

    @property
    def fixed(self) -> str:
        """The phrase for scores after the fix."""
        for option, value in self.options.items():
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
    questions: the kinds whose fix does not bring texts nearer to their references; they may be
        meant.
    fine: the kinds that were looked for in vain.
    not_looked_for: the other kinds, with the reason.
    segments: the number of lines that were looked at; 0 if the look has failed.
    is_partial: True if these are only the first lines.
    """

    found: list[FoundKind]
    questions: list[FoundKind]
    fine: list[str]
    not_looked_for: Mapping[str, str]
    segments: int
    is_partial: bool
    checked: Checked | None  # None if the look has failed

    def find_place(self, kind: FoundKind) -> int:
        """Return when a kind was found: a fix may uncover what is found after it."""
        found = [] if self.checked is None else self.checked.list_found()
        return next(place for place, (_, each) in enumerate(found) if each.kind == kind.kind)

    def list_chosen(self, choices: Choices) -> list[FoundKind]:
        """Return the kinds that the visitor has chosen to fix, in the order of the fixes."""
        kinds = [*self.found, *self.questions]
        chosen = [each for each in kinds if choices.get(each.kind) in (FIX, HEAD)]
        return sorted(chosen, key=self.find_place)


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
    """A fix, and the scores after it and all fixes before it.

    head: the scores of the lines before those that moved, if lines moved.
    """

    found: FoundKind
    before: Trial
    after: Trial
    head: Trial | None = None

    @property
    def change(self) -> float:
        """The largest change of a score by this fix, in points."""
        return find_change(self.before, self.after)


class Tried(NamedTuple):
    """What fixes of what was found would change.

    before: the scores of the texts as they are, and the verdict on them.
    steps: the fixes that wait for the visitor's choice, each after those before it.
    kept: those that the visitor has decided against.
    notes: those of a system's own quotes and dashes, each alone, after the steps.
    decides: True if the steps change a verdict, or a score by more than a point.
    doubts: what puts the scores in doubt: kept fixes that would decide, and findings without one.
    """

    before: Trial
    steps: list[Step]
    kept: list[Step]
    notes: list[Step]
    decides: bool
    doubts: list[FoundKind]


class Prepared(NamedTuple):
    """A submission after the chosen fixes of texts, and what they did.

    first: what was found before all fixes.
    looked: what is left.
    """

    submission: Submission
    remarks: list[str]
    first: Looked
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
    try:
        checked = request_check(systems, references, scoring)
    except Exception:  # whatever goes wrong in a look must not take the score away
        traceback.print_exc()
        return Looked([], [], [], {}, 0, is_partial=True, checked=None)
    is_partial = rows < segments
    found = _group(list_places(checked), is_partial)
    questions = _group(list_places(checked, "questions"), is_partial)
    skipped = checked["not_looked_for"]
    return Looked(found, questions, checked["fine"], skipped, rows, is_partial, checked)


def _group(listed: Sequence[Place], is_partial: bool) -> list[FoundKind]:
    """Group places by their kinds."""
    groups: dict[str, list[Place]] = {}
    for place in listed:
        groups.setdefault(place.kind, []).append(place)
    return [
        FoundKind(
            kind,
            places,
            options=next((place.options for place in places if place.options), {}),
            can_change_texts=not is_partial and any(place.changes_texts for place in places),
        )
        for kind, places in groups.items()
    ]


def _count_rows(submission: Submission) -> int:
    """Return how many lines can be looked at within the limits, from the first one on."""
    segments = len(submission.references)
    columns = [*submission.systems.values()]
    rows = min(segments, limits.MAX_CHECKED_TEXTS // len(columns))
    characters = 0
    for row in range(rows):
        texts = [*(column[row] for column in columns), *submission.references[row]]
        characters += sum(len(text) for text in texts if text)
        if characters > limits.MAX_CHECKED_CHARACTERS:
            return max(row, 1)
    return rows


def prepare_texts(
    submission: Submission, options: Options, choices: Choices, first_options: Options
) -> Prepared:
    """Look at the texts, and fix what the visitor has chosen to fix.

    `first_options` are those before all fixes.
    """
    first = look_at(submission, first_options)
    changed, remarks = _fix(submission, first, choices)
    is_same = not remarks and options == first_options
    return Prepared(changed, remarks, first, first if is_same else look_at(changed, options))


def _fix(submission: Submission, looked: Looked, choices: Choices) -> tuple[Submission, list[str]]:
    """Return a submission after the chosen fixes of texts, and what they did."""
    chosen = [each for each in looked.list_chosen(choices) if each.can_change_texts]
    fixed = [each for each in chosen if choices[each.kind] == FIX]
    heads = [each.find_first() for each in chosen if choices[each.kind] == HEAD]
    changed = submission
    if fixed:
        repaired = repair(looked.checked, [each.kind for each in fixed])
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

    def list_steps(kinds: Sequence[FoundKind], first: Sequence[FoundKind] = ()) -> list[Step]:
        """Try kinds one after another, after some others."""
        steps: list[Step] = []
        last = before
        fixed = list(first)
        for found in kinds:
            try:
                changed, _ = _fix(submission, looked, {each.kind: FIX for each in [*fixed, found]})
                changed_options = {**options, **_join_options([*fixed, found])}
                after = _try(changed, changed_options, before, baseline, test)
                head = None
                row = found.find_first()
                if found.kind == "shifted" and row:
                    head = _try(submission.take(range(row)), options, before, baseline, test)
            except Exception:  # as in `look_at`
                traceback.print_exc()
                continue
            steps.append(Step(found, last, after, head))
            fixed.append(found)
            last = after
        return steps

    alarming = [each for each in looked.found if each.is_alarming]
    fixable = sorted((each for each in alarming if each.can_be_fixed), key=looked.find_place)
    pending = list_steps([each for each in fixable if each.kind not in choices])
    pending = [step for step in pending if step.change >= LEAST_POINTS]
    kept = list_steps([each for each in fixable if choices.get(each.kind) == KEEP])
    fixes = [step.found for step in pending]
    notes = []
    for found in looked.found:
        if not found.is_alarming and found.can_be_fixed:
            last = pending[-1].after if pending else before
            notes += [step._replace(before=last) for step in list_steps([found], fixes)]
    decides = bool(pending) and _decides(before, pending[-1].after)
    doubts = [each for each in alarming if not each.can_be_fixed]
    if kept and _decides(before, kept[-1].after):
        doubts += [step.found for step in kept]
    return Tried(before, pending, kept, notes, decides, doubts)


def _join_options(kinds: Sequence[FoundKind]) -> dict[str, object]:
    return {name: value for found in kinds for name, value in found.options.items()}


def try_without(
    submission: Submission,
    looked: Looked,
    options: Options,
    now: Trial,
    choices: Choices,
    changed: Mapping[str, Options],
) -> dict[str, Trial]:
    """Return the scores without some of the chosen fixes, by what is left out in words.

    The first are those of the texts as they were; then each fix comes back, or is left out alone.

    Args:
        submission: the texts as they were.
        looked: what was found in them.
        options: those before all fixes.
        now: the scores after all chosen fixes.
        choices: what the visitor has decided.
        changed: the options that choices have changed, by kind.
    """
    chosen = looked.list_chosen(choices)
    trials: dict[str, Trial] = {}
    for left_out in [*(chosen[i:] for i in range(len(chosen))), *([each] for each in chosen)]:
        noun = "fix" if len(left_out) == 1 else "fixes"
        words = f"without the {noun}: {join_clauses([each.fixed for each in left_out])}"
        own = {each.kind: choices[each.kind] for each in chosen if each not in left_out}
        of_kinds = {name: value for kind in own for name, value in changed.get(kind, {}).items()}
        try:
            texts, _ = _fix(submission, looked, own)
            trials[words] = _try(texts, {**options, **of_kinds}, now, "", None)
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
    if find_change(before, after) > _MOST_POINTS or before.first != after.first:
        return True
    if before.is_significant != after.is_significant:
        return True
    has_other_sign = (before.delta or 0) * (after.delta or 0) < 0
    return has_other_sign and before.is_significant


def tell_effect(steps: Sequence[Step]) -> str:
    """Return in words what scores would be after fixes that the visitor has decided against.

    >>> before, after = (Trial({"A": score}, 3) for score in (20.0, 25.0))
    >>> case = FoundKind("case", [], {"lowercase": True}, False)
    >>> tell_effect([Step(case, before, after)])
    'With fixes (case is ignored), A has 25.0 instead of 20.0.'
    """
    before = steps[0].before.scores
    changes = [
        f"{name} has {score:.1f} instead of {before[name]:.1f}"
        for name, score in steps[-1].after.scores.items()
        if abs(score - before[name]) >= LEAST_POINTS
    ]
    fixes = join_clauses([step.found.fixed for step in steps])
    return f"With fixes ({fixes}), {join_clauses(changes[:3])}." if changes else ""


def name_scores(tried: Tried, without: Mapping[str, Trial]) -> dict[str, dict[str, float]]:
    """Return the scores after other fixes, by the name of a system and the fixes in words."""
    trials = dict(without)
    for steps in (tried.steps, tried.kept, *([step] for step in tried.notes)):
        phrases = [step.found.fixed for step in steps]
        for count, step in enumerate(steps, 1):
            trials[join_clauses(phrases[:count])] = step.after
    return {
        name: {
            phrase: trial.scores[name]
            for phrase, trial in trials.items()
            if abs(trial.scores[name] - score) >= LEAST_POINTS
        }
        for name, score in tried.before.scores.items()
    }


# --- Words ----------------------------------------------------------------------------------------


def tell_places(places: Sequence[Place], systems: Collection[str], segments: int) -> str:
    """Return in words what was found, where, and in how many lines.

    >>> checked = request_check({"A": ["lo@@ wer"] * 3, "B": ["lower"] * 3}, ["lower"] * 3, {})
    >>> (place,) = list_places(checked)
    >>> tell_places([place], ["A", "B"], 3)
    '“A” has words in pieces (@@) in 3 of 3 lines'
    >>> tell_places([place, place._replace(system="B")], ["A", "B"], 3)
    'All systems have words in pieces (@@) in 3 of 3 lines'
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
    if first.kind == "quotes" and not first.system:
        has = "system has" if len(systems) == 1 else "systems have"
        return f"{max(counts):,} references have {_name_found(first)}, the {has} straight ones"
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
    found = [
        mistake.words.found.format(detail="one case")
        for mistake in MISTAKES
        if mistake.words.fine == fine and mistake.kind in kinds
    ]
    return list(dict.fromkeys(found))


def list_skipped(looked: Looked, fine: str) -> list[str]:
    """Return what was not looked for under a tick, in words with the reason."""
    return [
        f"{words} ({reason.replace('row', 'line')})"
        for kind, reason in looked.not_looked_for.items()
        for words in list_looked_for([kind], fine)
    ]


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


# --- Remedies: fixes of a sentence, and the advice of warnings -----------------------------------


class Remedy(NamedTuple):
    """A finding, and the button that fixes it by changing options or texts, if there is one."""

    finding: str
    button: str
    options: Options
    fix: str = ""  # a name in `FIXES`
    kinds: Sequence[str] = ()  # of the metric's warnings that say the same

    @property
    def changes_meaning(self) -> bool:
        """Return whether the score means something else as long as this is not fixed."""
        return "tokenize" in self.options or self.fix == "detokenize" or not self.button


def find_remedies(
    predictions: Sequence[str], references: Sequence[Sequence[str]], options: Options
) -> list[Remedy]:
    """Find remedies for a sentence: one prediction, and its references.

    >>> found = find_remedies(["ein „Zitat“"], [['ein "Zitat"']], {"tokenize": "13a"})
    >>> [remedy.button for remedy in found]
    ['Make quotes straight']
    """
    (prediction,) = predictions
    targets = [text for text in references[0] if text]
    if not prediction or not targets:
        return []
    found = find_in_sentence(prediction, targets, options)
    remedies = [
        _fix_place(kind, place, options) for kind, place in found.items() if kind not in LEFTOVERS
    ]
    leftovers = [found[kind].words.found for kind in LEFTOVERS if kind in found]
    if leftovers:
        finding = f"This text has leftovers: {leftovers[0]}. Remove them, and score again."
        remedies.append(Remedy(finding, "", {}, kinds=LEFTOVERS))
    return remedies


def _fix_place(kind: str, place: Place, options: Options) -> Remedy:
    """Return the remedy for what was found in a sentence."""
    if kind == "quotes":
        finding = (
            "One side has typographic quotes or apostrophes (“ ” ’), the other has straight ones:"
            " they don’t match."
        )
        return Remedy(finding, place.words.button, {}, "quotes")
    if kind == "tokenized" and place.changes_texts:
        finding = "The predictions look tokenized (“word .”), and the references don’t."
        return Remedy(finding, "Detokenize the predictions", {}, "detokenize")
    name = options["tokenize"]
    if kind == "tokenized":
        finding = f"The texts look tokenized (“word .”), but {name} expects untokenized text."
    elif kind == "unspaced":
        finding = f"This text has no spaces between words, and tokenizer {name} splits at spaces."
    else:
        finding = f"One side is in {place.found.detail}, and the other isn’t."
    ((option, value),) = place.options.items()
    return Remedy(finding, BUTTONS[option, value], place.options)


def add_warnings(
    remedies: Sequence[Remedy], warnings: Sequence[BleuWarning]
) -> tuple[list[Remedy], list[str]]:
    """Add a remedy for each warning that advises an option with a button; the others become notes.

    A warning is left out if a remedy changes the same option already, or says the same.
    """
    told = set(chain.from_iterable(remedy.kinds for remedy in remedies))
    changed: set[str | None] = set()  # options
    for remedy in remedies:
        changed.update(remedy.options)
        if remedy.fix == "detokenize":  # makes splitting at spaces needless
            changed.add("tokenize")
    advised = list(remedies)
    notes = []
    warning_of = {str(warning): warning for warning in warnings}  # each message once
    for message, warning in warning_of.items():
        if warning.kind in told:
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


def explain_short(length: int, max_order: int) -> Remedy:
    """Return the remedy for a score of 0 of a text that is shorter than the longest n-gram."""
    tokens = "1 token has" if length == 1 else f"{length} tokens have"
    finding = (
        f"The score is 0 because {tokens} no {max_order}-gram, and BLEU multiplies the precisions"
        f" of 1-grams to {max_order}-grams."
    )
    return Remedy(finding, "Skip n-grams longer than the text", {"effective_order": True})


FIXES: dict[str, Callable[[str], str]] = {"quotes": straighten_quotes, "detokenize": detokenize}
