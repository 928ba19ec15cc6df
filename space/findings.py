"""What was found in an upload, as HTML: a list, and a box if a verdict has to wait."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from . import html
from .checks import (
    BUTTONS,
    FIX,
    HEAD,
    KEEP,
    Choices,
    FoundKind,
    Looked,
    Place,
    Step,
    Trial,
    Tried,
    read_choice,
    tell_effect,
)
from .files import Submission
from .metric import Options, core
from .options import join_clauses

_EXAMPLES = 3  # lines of a finding
_SHOWN_SYSTEMS = 5  # rows of scores with and without a fix
_TEXT_CHARACTERS = 160  # of a line
_TITLE_ID = "bleu-undecided-title"


def render_findings(
    submission: Submission,
    looked: Looked,
    tried: Tried,
    choices: Choices,
    chosen: Mapping[str, str],
    as_it_was: Trial,
) -> str:
    """Return the list of what was found, with the buttons of what can be fixed.

    `chosen` has the chosen fixes in words by their kinds, and `as_it_was` the scores without them.
    """
    items: list[str] = []
    # 1. What was found, with the score after the fix alone.
    for found in looked.found:
        told = f"{found.tell(submission.systems)}."
        buttons = []
        if found.can_be_fixed and read_choice(choices, found.kind) == KEEP:
            told = f"Kept: {told}"
            buttons = [_choose(found, "Take back", "")]
        elif found.can_be_fixed and found.kind in tried.steps:
            step = tried.steps[found.kind]
            told = f"{told} {tell_effect(tried.before, step.after, found.fixed)}".strip()
            buttons = [_choose(found, found.button, FIX)]
            buttons += [_choose(found, *other) for other in _list_others(step)]
        lines = _render_lines(found, submission)
        items.append(
            f"<li><details><summary>{html.show(told)}</summary>{lines}</details>"
            f"{' '.join(buttons)}</li>"
        )
    # 2. What the visitor has chosen to fix.
    for kind, phrase in chosen.items():
        back = html.button("Take back", "choose", kinds=json.dumps({kind: ["", {}]}))
        items.append(f'<li class="chosen">{html.show(phrase)}, your choice {back}</li>')
    # 3. What was not looked at, and what to say aloud after a choice.
    partial = ""
    if looked.is_partial:
        told = f"{looked.segments:,} of {len(submission.references):,} lines were looked at."
        failed = "The texts could not be looked at. The score is as it is."
        partial = html.message(told if looked.segments else failed, "note")
    said = ""
    if chosen:
        left = html.count_things(len(looked.found), "finding")
        phrases = join_clauses([*chosen.values()])
        name = _find_most_changed(as_it_was, tried.before)
        whose = f"{name}: " if len(as_it_was.scores) > 1 else ""
        pair = f"{tried.before.scores[name]:.1f} instead of {as_it_was.scores[name]:.1f}"
        phrases = f"{phrases[0].upper()}{phrases[1:]}"
        said = f' data-announce="{html.show(f"{phrases}. {whose}{pair}")}. {left} left"'
    listed = ""
    if items:
        listed = f'<ul class="bleu-findings"{said} aria-label="Findings">{"".join(items)}</ul>'
    return f"{listed}{partial}"


# --- The box --------------------------------------------------------------------------------------


def render_box(tried: Tried) -> str:
    """Return the box that stands in the verdict's place while fixes would change it."""
    before, after = tried.before, tried.after
    count = len(tried.asked)
    fixes = {1: "the fix", 2: "both fixes"}.get(count, f"all {html.write_count(count)} fixes")
    name = _find_most_changed(before, after)
    old, new = f"{before.scores[name]:.1f}", f"{after.scores[name]:.1f}"
    whose = f"{name}: " if len(before.scores) > 1 else ""
    title = f"{whose}{old} BLEU as it is, {new} after {fixes}. What should count?"
    table = ""
    if len(before.scores) > 1 or after.segments != before.segments:
        table = _render_scores([before, after], ["as it is", f"after {fixes}"])
    asked = [tried.steps[kind].found for kind in tried.asked]
    all_fixes = {found.kind: [FIX, dict(found.options)] for found in asked}
    none = {found.kind: [KEEP, {}] for found in asked}
    buttons = [
        html.button(f"Apply {fixes}: {new}", "choose", kinds=json.dumps(all_fixes)),
        html.button(f"Keep as it is: {old}", "choose", kinds=json.dumps(none)),
    ]
    return (
        f'<div class="bleu-undecided" role="group" aria-labelledby="{_TITLE_ID}"'
        f' data-announce="{html.show(title)}"><h2 id="{_TITLE_ID}">{html.show(title)}</h2>{table}'
        f'<p class="bleu-answers">{" ".join(buttons)} <span class="bleu-note">What you choose is'
        " said in all that you copy. It can be taken back.</span></p></div>"
    )


def _find_most_changed(before: Trial, after: Trial) -> str:
    """Return the name of the system whose score changes most."""
    return max(before.scores, key=lambda name: abs(after.scores[name] - before.scores[name]))


def _list_others(step: Step) -> list[tuple[str, str, Options]]:
    """Return other answers than the fix: words, choice, and options."""
    found = step.found
    others: list[tuple[str, str, Options]] = []
    by_characters = {"tokenize": "char"}
    if "tokenize" in found.options and found.options != by_characters:
        others.append((BUTTONS["tokenize", "char"], FIX, by_characters))
    if step.head is not None:
        lines = html.count_things(step.head.segments, "line")
        (score, *_) = step.head.scores.values()
        shown = f": {score:.1f}" if len(step.head.scores) == 1 else ""
        others.append((f"Score the first {lines}{shown}", HEAD, {}))
    return others


def _choose(found: FoundKind, text: str, choice: str, options: Options | None = None) -> str:
    """Return a button that decides on a kind; its name tells the kind to a screen reader."""
    changed: Mapping[str, object] = {}
    if choice == FIX:
        changed = options or found.options
    kinds = {found.kind: [choice, dict(changed)]}
    return html.button(text, "choose", kinds=json.dumps(kinds), about=found.name)


def _render_scores(trials: Sequence[Trial], names: Sequence[str]) -> str:
    """Return the scores before and after a fix, and both verdicts."""
    before, after = trials
    changed = sorted(before.scores, key=lambda name: -abs(after.scores[name] - before.scores[name]))
    shown = changed[:_SHOWN_SYSTEMS]
    rows = [[name, *(html.bold(f"{each.scores[name]:.1f}") for each in trials)] for name in shown]
    if len(changed) > len(shown):
        rows.append([f"{len(changed) - len(shown)} more", *("" for _ in trials)])
    if before.delta is not None:
        rows.append(["difference", *map(_write_difference, trials)])
        rows.append(["so", *(_judge(trial) for trial in trials)])
    elif before.first:
        rows.append(["may be first", *(join_clauses(sorted(trial.first)) for trial in trials)])
    if after.segments != before.segments:
        rows.append(["lines", *(f"{trial.segments:,}" for trial in trials)])
    return html.rows(["system", *names], rows)


def _write_difference(trial: Trial) -> str:
    written = "" if trial.delta is None else html.write_signed(trial.delta, 1)
    if trial.p is None:
        return written
    return f"{written}, p < 0.001" if trial.p < 0.001 else f"{written}, p = {trial.p:.3f}"


def _judge(trial: Trial) -> str:
    """Return the verdict on two systems, of which the second is compared with the first.

    >>> _judge(Trial({"A": 20.0, "B": 25.0}, 40, delta=5.0, p=0.001))
    'B is higher'
    """
    if trial.delta is None or not trial.is_significant:
        return "may be chance"
    _, second = trial.scores
    return f"{second} is {'higher' if trial.delta > 0 else 'lower'}"


# --- Lines ----------------------------------------------------------------------------------------


def _render_lines(found: FoundKind, submission: Submission) -> str:
    """Return lines with what was found in them, the place marked if there is one."""
    place = found.places[0]
    if place.found.pairing is not None:
        return _show_moved(place, submission)
    mark = _mark(place)
    marked = f"<p>{mark}</p>" if mark else ""
    cells = [_list_cells(place.system, row, submission) for row in place.found.rows[:_EXAMPLES]]
    return marked + html.rows(["line", "reference", place.system], cells)


def _mark(place: Place) -> str:
    """Return an example with its place marked, which stands between ⟦ and ⟧; it may be empty."""
    before, _, rest = core.escape_unseen(place.found.example).partition("⟦")
    at, _, after = rest.partition("⟧")
    marked = f"{html.show(before)}<mark>{html.show(at)}</mark>{html.show(after)}"
    return f'<bdi class="bleu-line">{marked}</bdi>' if at else ""


def _show_moved(place: Place, submission: Submission) -> str:
    """Return the lines around the place from which on lines moved, and where each one fits."""
    assert place.found.pairing is not None
    pairing = list(place.found.pairing)
    texts = submission.systems[place.system]
    home_of = {own: row for row, own in enumerate(pairing) if own >= 0}
    first = int(place.found.rows[0])
    shown = [row for row in (first - 1, first, first + 1, len(texts) - 1) if row >= 0]
    rows = dict.fromkeys(row for row in shown if row < len(texts))
    cells = [
        [
            *_list_cells(place.system, row, submission),
            f"{home_of[row] + 1:,}" if row in home_of else "–",
        ]
        for row in rows
    ]
    return html.rows(["line", "reference", place.system, "fits line"], cells)


def _list_cells(name: str, row: int, submission: Submission) -> list[str]:
    """Return the number of a line, its first reference, and the text of a system."""
    reference = next((text for text in submission.references[row] if text), "")
    texts = (reference, submission.systems[name][row])
    shown = [html.shorten(text, _TEXT_CHARACTERS) if text.strip() else "(empty)" for text in texts]
    return [f"{row + 1:,}", *shown]
