"""What was looked at in an upload, as HTML: a line of ticks, and a box if a verdict has to wait."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from . import html
from .checks import (
    FIX,
    HEAD,
    KEEP,
    Choices,
    FoundKind,
    Looked,
    Question,
    Trial,
    find_change,
    list_fine,
    list_looked_for,
    list_skipped,
    shorten_places,
)
from .files import Submission
from .metric import Options, Place
from .remedies import BUTTONS

_EXAMPLES = 3  # lines in the panel of a tick
_SHOWN_SYSTEMS = 5  # rows of scores with and without a fix
_SHOWN_QUESTIONS = 5
_TEXT_CHARACTERS = 160  # of a line
_TITLE_ID = "bleu-undecided-title"


class Chosen(NamedTuple):
    """A kind that the visitor has decided on, and what came of it."""

    kind: str
    choice: str
    phrase: str


def render_ticks(
    submission: Submission,
    looked: Looked,
    questions: Sequence[Question],
    choices: Choices,
    chosen: Sequence[Chosen],
) -> str:
    """Return the line of ticks, findings first, and the panels that they open."""
    items: list[str] = []
    panels: list[str] = []
    # 1. What was found. A small finding has its button beside it.
    for question in questions:
        number = len(items)
        found = question.found
        words = shorten_places(found.places, submission.systems)
        fix = ""
        if found.kind in choices:
            fix = _choose(found, "Take back", "")
        elif found.can_be_fixed and not question.decides:
            fix = _choose(found, found.button, FIX)
        items.append(_item(number, words, fix, is_found=True))
        panels.append(_panel(number, _open_finding(question, submission, looked)))
    # 2. What the visitor has chosen to fix.
    for each in chosen:
        back = html.button("Take back", "choose", kind=each.kind, choice="")
        items.append(
            f'<li class="chosen"><span class="bleu-tick"><i aria-hidden="true">✓</i>'
            f"{html.show(each.phrase)}, your choice</span> {back}</li>"
        )
    # 3. What is fine.
    systems = submission.systems
    each_has = " each" if len(systems) > 1 else ""
    lines = f"{html.count_things(len(submission.references), 'line')}{each_has}"
    count = f"All systems and references have {lines.removesuffix(' each')}."
    number = len(items)
    items.append(_item(number, lines, "", is_found=False))
    panels.append(_panel(number, html.paragraph(count)))
    for fine in list_fine(looked):
        number = len(items)
        items.append(_item(number, fine, "", is_found=False))
        panels.append(_panel(number, _open_fine(fine, looked, submission)))
    # 4. On a telephone, what is fine is one line.
    fine_count = len(items) - len(questions) - len(chosen)
    summary = f"{fine_count} things looked at, all fine"
    if questions:
        summary = f"{fine_count} other things looked at, all fine"
    row = (
        '<button type="button" class="bleu-tick row" aria-expanded="false" data-ticks>'
        f'<i aria-hidden="true">✓</i>{summary}</button>'
    )
    partial = ""
    if looked.is_partial:
        partial = html.message(
            f"Only the first {looked.segments:,} lines were looked at, because the files are"
            " large.",
            "note",
        )
    return (
        '<div class="bleu-looked"><ul class="bleu-ticks"'
        f' aria-label="What was looked at in the texts">{"".join(items)}</ul>{row}'
        f"{''.join(panels)}</div>{partial}"
    )


def _item(number: int, words: str, fix: str, *, is_found: bool) -> str:
    sign, kind, before = "✓", "", ""
    if is_found:
        sign, kind = "!", ' class="no"'
        before = '<span class="bleu-unseen">Found: </span>'
    panel = f"bleu-tick-{number}"
    return (
        f'<li{kind}><button type="button" class="bleu-tick" aria-expanded="false"'
        f' aria-controls="{panel}" data-tick="{panel}"><i aria-hidden="true">{sign}</i>{before}'
        f"{html.show(words)}</button>{fix}</li>"
    )


def _panel(number: int, content: str) -> str:
    return f'<div class="bleu-opened" id="bleu-tick-{number}" hidden>{content}</div>'


def _open_finding(question: Question, submission: Submission, looked: Looked) -> str:
    """Return what the tick of a finding opens."""
    found = question.found
    sentence = html.paragraph(f"{found.tell(submission.systems, looked.segments)}.")
    scores = "" if question.after is None else _render_scores(question)
    return f"{sentence}{_render_lines(found, submission, _EXAMPLES)}{scores}"


def _open_fine(fine: str, looked: Looked, submission: Submission) -> str:
    """Return what was looked for under a tick, and the first lines."""
    kinds = "; ".join(list_looked_for(looked.fine, fine))
    lines = html.count_things(looked.segments, "line")
    told = f"Looked for in {lines} of each system and not found: {kinds}."
    skipped = list_skipped(looked, fine)
    if skipped:
        told += f" Not looked for: {'; '.join(skipped)}."
    sentence = html.paragraph(told)
    name = next(iter(submission.systems))
    rows = range(min(_EXAMPLES, looked.segments))
    return f"{sentence}{_side_by_side(name, rows, submission)}"


# --- The box --------------------------------------------------------------------------------------


def render_box(questions: Sequence[Question], submission: Submission, looked: Looked) -> str:
    """Return the box that stands in the verdict's place while fixes would change it."""
    sorted_questions = sorted(questions, key=_measure_change, reverse=True)
    titles = [each.found.tell(submission.systems, looked.segments) for each in sorted_questions]
    has_several = len(titles) > 1
    title = titles[0]
    if has_several:
        title = f"{len(titles)} findings change the scores"
    sections = []
    for question, own_title in zip(sorted_questions[:_SHOWN_QUESTIONS], titles):
        heading = f"<h3>{html.show(own_title)}</h3>" if has_several else ""
        lines = _render_lines(question.found, submission, 1)
        sections.append(
            f'<section class="bleu-question">{heading}<div class="bleu-pair">'
            f'{_render_scores(question)}<div class="lines">{lines}</div></div>'
            f'<p class="bleu-answers">{_render_answers(question)}</p></section>'
        )
    more = len(titles) - _SHOWN_QUESTIONS
    if more > 0:
        sections.append(html.paragraph(f"{more} more, after these."))
    return (
        f'<div class="bleu-undecided" role="group" aria-labelledby="{_TITLE_ID}"'
        f' data-announce="{html.show(f"No verdict yet. {title}.")}">'
        f'<h2 id="{_TITLE_ID}">No verdict yet. {html.show(title)}.</h2>{"".join(sections)}'
        '<p class="bleu-note">A choice can be taken back in the line above.</p></div>'
    )


def _measure_change(question: Question) -> float:
    return 0.0 if question.after is None else find_change(question.before, question.after)


def _render_answers(question: Question) -> str:
    """Return the buttons of a question; they weigh the same unless there is one right answer."""
    found = question.found
    buttons = [_choose(found, found.button, FIX)]
    is_unspaced = found.kind == "unspaced"
    if is_unspaced and found.options != {"tokenize": "char"}:
        by_characters = {"tokenize": "char"}
        text = BUTTONS["tokenize", "char"]
        buttons.append(_choose(found, text, FIX, by_characters))
    if question.head is not None:
        first = found.find_first()
        buttons.append(_choose(found, f"Score the first {html.count_things(first, 'line')}", HEAD))
    buttons.append(_choose(found, "Keep as it is", KEEP))
    return " ".join(buttons)


def _choose(found: FoundKind, text: str, choice: str, options: Options | None = None) -> str:
    """Return a button that decides on a kind; its name tells the kind to a screen reader."""
    changed: Mapping[str, object] = {}
    if choice == FIX:
        changed = options or found.options
    about = found.places[0].words.found.format(detail="one case")
    return html.button(
        text,
        "choose",
        kind=found.kind,
        choice=choice,
        options=json.dumps(changed),
        about=about,
    )


def _render_scores(question: Question) -> str:
    """Return the scores without and with a fix, and the verdicts on two systems."""
    before, after, head = question.before, question.after, question.head
    if after is None:
        return ""
    trials = [before, after]
    names = ["as they are", question.found.fixed]
    if head is not None:
        trials.append(head)
        names.append(f"first {html.count_things(head.segments, 'line')}")
    rows = []
    changed = sorted(before.scores, key=lambda name: -abs(after.scores[name] - before.scores[name]))
    shown = changed[:_SHOWN_SYSTEMS]
    for name in shown:
        rows.append([name, *(html.bold(f"{trial.scores[name]:.1f}") for trial in trials)])
    if len(changed) > len(shown):
        rows.append([f"{len(changed) - len(shown)} more", *("" for _ in trials)])
    if before.delta is not None:
        rows.append(["difference", *map(_write_difference, trials)])
        rows.append(["so", *(_judge(trial) for trial in trials)])
    if after.segments != before.segments:
        rows.append(["lines", *(f"{trial.segments:,}" for trial in trials)])
    return html.rows(["system", *names], rows)


def _write_difference(trial: Trial) -> str:
    if trial.delta is None:
        return ""
    written = html.write_signed(trial.delta, 1)
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


def _render_lines(found: FoundKind, submission: Submission, count: int) -> str:
    """Return lines with what was found in them, the place marked if there is one."""
    place = found.places[0]
    name = place.system or next(iter(submission.systems))
    if place.pairing is not None:
        return _show_moved(place, submission)
    rows = list(place.found.rows[:count])
    marked = ""
    if place.example:
        marked = (
            f'<p class="bleu-line"><span>line {int(place.found.rows[0]) + 1:,}</span>'
            f"{_mark(place.example)}</p>"
        )
        if count == 1:
            return marked
    return f"{marked}{_side_by_side(name, rows, submission)}"


def _mark(example: str) -> str:
    """Return an example with its place marked, which stands between ⟦ and ⟧."""
    before, _, rest = example.partition("⟦")
    place, _, after = rest.partition("⟧")
    return f"<bdi>{html.show(before)}<mark>{html.show(place)}</mark>{html.show(after)}</bdi>"


def _show_moved(place: Place, submission: Submission) -> str:
    """Return the lines around the place from which on lines moved, and where each one fits."""
    assert place.pairing is not None
    pairing = list(place.pairing)
    texts = submission.systems[place.system]
    home_of = {own: row for row, own in enumerate(pairing) if own >= 0}
    first = int(place.found.rows[0])
    shown = [row for row in (first - 1, first, first + 1, len(texts) - 1) if row >= 0]
    rows = []
    for row in dict.fromkeys(row for row in shown if row < len(texts)):
        home = home_of.get(row)
        rows.append(
            [
                f"{row + 1:,}",
                _shorten_text(_first_reference(submission, row)),
                _shorten_text(texts[row]),
                "–" if home is None else f"{home + 1:,}",
            ]
        )
    return html.rows(["line", "reference", place.system, "fits line"], rows)


def _side_by_side(name: str, rows: Sequence[int], submission: Submission) -> str:
    """Return lines of a system beside the first reference."""
    cells = [
        [
            f"{row + 1:,}",
            _shorten_text(_first_reference(submission, row)),
            _shorten_text(submission.systems[name][row]),
        ]
        for row in rows
    ]
    return html.rows(["line", "reference", name], cells)


def _first_reference(submission: Submission, row: int) -> str:
    return next((text for text in submission.references[row] if text), "")


def _shorten_text(text: str) -> str:
    if not text.strip():
        return "(empty)"
    return html.shorten(text, _TEXT_CHARACTERS)
