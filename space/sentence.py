"""The view of one sentence: score, formula and colors, updated while the visitor types."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import gradio as gr
from gradio.blocks import Block
from gradio.events import Dependency

from . import html, limits
from .checks import Remedy, add_warnings, find_remedies, fix_sentence
from .metric import collect_warnings, request_explanation
from .options import (
    SCORING_OPTIONS,
    ChosenOptions,
    FieldValue,
    add_options,
    change_options,
    convention_values,
    fold_label,
    read_link,
    read_options,
)
from .sources import EXAMPLES, Example
from .steps import NAVIGATION, read_plainly, render_steps
from .stretches import draw_references, draw_sums, find_surplus, write_formula

if TYPE_CHECKING:
    from bleu_metric.bleu_core import Explanation

Update = dict[Block, Any]

_TEXTS = ("candidate", "second", "references")  # the names of the text fields in a link


class Shown(NamedTuple):
    """The texts that the results belong to, the candidates' names, and why options were set.

    If options were set for these texts, there is a reason. Other texts go back to the options
    `before`: after an example always, after a fix once they don't need `changes`.
    """

    texts: tuple[str, ...]  # the values of the fields in `_TEXTS`; empty if no results are shown
    names: tuple[str, str] = ("Candidate", "Second candidate")
    reason: str = ""
    before: tuple[FieldValue, ...] = ()  # of the option fields; empty without a reason
    changes: str = "{}"  # the options of a fix, as JSON

    @property
    def candidates(self) -> tuple[str, ...]:
        """Return the texts of both candidates, of which one may be empty."""
        return self.texts[:-1]

    @property
    def references(self) -> list[str]:
        """Return the references, of which each is a line."""
        return [line for line in self.texts[-1].split("\n") if line.strip()]


_NOTHING = Shown(())


class Sentence:
    """The view and its event handlers; segments of a corpus are opened in it, too."""

    def __init__(self) -> None:
        """Add the components and their events to the demo."""
        example = EXAMPLES[next(iter(EXAMPLES))]
        results = render(Shown(example.texts), convention_values("default", SCORING_OPTIONS))
        with gr.Row(elem_id="sentence-row"):
            with gr.Column(scale=5, min_width=300, elem_id="sentence-fields"):
                # Leads back to the corpus.
                self.back = gr.Button("Back", size="sm", visible=False, elem_id="back")
                self.candidate = _add_text(example.candidate, "Candidate", "candidate", lines=3)
                with gr.Accordion(
                    "Second candidate", open=False, elem_id="second-fold"
                ) as self.second_fold:
                    self.second = _add_text(
                        "", "Second candidate", "second", lines=3, show_label=False
                    )
                self.references = _add_text(
                    example.references, "References", "references", lines=6, hint="One per line"
                )
                self.options = add_options("sentence", SCORING_OPTIONS)
                with gr.Column(elem_id="examples"):
                    html.add_html("<h2 class='bleu-label'>Examples</h2>")
                    with gr.Row(elem_classes="bleu-examples"):
                        buttons = [
                            gr.Button(name, size="sm", variant="secondary", min_width=0)
                            for name in EXAMPLES
                        ]
            with gr.Column(scale=7, min_width=300, elem_id="sentence-results"):
                self.scores = html.add_clickable(results.scores, "sentence-score")
                html.add_html(NAVIGATION, elem_id="steps")
                self.shown = gr.State(None, time_to_live=limits.SECONDS_KEPT)
                self.dropped = gr.JSON(visible=False)  # whether a request is; page.js sets it
                self.details = html.add_clickable(results.details, "sentence")
        _connect(self, buttons)

    def texts(self) -> list[gr.Textbox]:
        """Return the fields for texts, in the order of `_TEXTS`."""
        return [self.candidate, self.second, self.references]

    def fields(self) -> list[Block]:
        """Return the fields for texts and options."""
        return [*self.texts(), *self.options.fields]

    def outputs(self) -> list[Block]:
        """Return the components that `show` updates."""
        return [self.shown, *self.fields(), self.scores, self.details, self.options.fold]

    # --- Updates

    def show(self, shown: Shown, values: Sequence[FieldValue]) -> Update:
        """Return the update that shows texts, scored with the values of the option fields."""
        results = self.show_results(shown, values)
        if results[self.shown] is None:
            return results
        update: Update = dict(zip(self.fields(), [*shown.texts, *values]))
        update[self.candidate] = gr.update(value=shown.candidates[0], label=shown.names[0])
        return update | results

    def show_opened(self, shown: Shown, values: Sequence[FieldValue]) -> Update:
        """Return the update that shows texts from elsewhere.

        The second candidate is open if there is one.
        """
        fold = gr.update(open=bool(shown.candidates[1]), label=shown.names[1])
        return {**self.show(shown, values), self.second_fold: fold}

    def show_results(self, shown: Shown, values: Sequence[FieldValue]) -> Update:
        """Return the update that leaves the fields alone."""
        results = render(shown, values)
        # A rejected text is neither kept nor sent back.
        kept = shown if limits.are_short(shown.texts) else None
        update: Update = {
            self.shown: kept,
            self.scores: results.scores,
            self.details: results.details,
        }
        if results.label:
            update[self.options.fold] = gr.update(label=results.label)
        return update

    def restore(self, link: Mapping[str, str]) -> Update:
        """Return the update that shows what a link has: an example, or texts and options."""
        if link.get("example") in EXAMPLES:
            return self.show_example(link["example"])
        if not any(name in link for name in _TEXTS):
            return {}
        texts = tuple(link.get(name, "") for name in _TEXTS)
        return self.show_opened(Shown(texts), read_link(link))

    # --- Event handlers

    def show_example(self, name: str) -> Update:
        """Return the update that shows an example."""
        example = EXAMPLES[name]
        values = _list_options(example)
        default = convention_values("default", SCORING_OPTIONS)
        shown = Shown(example.texts)
        if values != default:
            shown = shown._replace(reason="this example’s choice", before=tuple(default))
        return self.show_opened(shown, values)

    def show_typed(self, shown: Shown | None, *values: FieldValue) -> Update:
        """Score what is typed.

        Options that an example or a fix has set go back if they were for another text.
        """
        texts, options = self._split(values)
        before = shown or _NOTHING
        is_new = texts != before.texts
        # The text fields are left alone, here and below: the visitor may have typed more since
        # this request was sent.
        if is_new and before.before and not _needs(texts, before):
            restored = list(before.before)
            results = self.show_results(Shown(texts, before.names), restored)
            return results | dict(zip(self.options.fields, restored))
        results = self.show_results(before._replace(texts=texts), options)
        results.pop(self.options.fold, None)  # its label depends on the options only
        return results

    def show_chosen(self, shown: Shown | None, *values: FieldValue) -> Update:
        """Score with the options that were chosen."""
        texts, options = self._split(values)
        return self.show_results(Shown(texts, (shown or _NOTHING).names), options)

    def show_convention(self, convention: str, *texts: str) -> Update:
        """Score as a convention does."""
        values = convention_values(convention, SCORING_OPTIONS)
        return self.show_results(Shown(texts), values) | dict(zip(self.options.fields, values))

    def show_folded(self, shown: Shown | None, *values: FieldValue) -> Update:
        """Score what is left after the second candidate was closed or opened."""
        texts, options = self._split(values)
        return self.show_results((shown or _NOTHING)._replace(texts=texts), options)

    def show_fixed(self, event: gr.EventData, shown: Shown | None, *values: FieldValue) -> Update:
        """Show the fields after the button of a remedy was pressed."""
        texts, options = self._split(values)
        if not limits.are_short(texts):
            return self.show(Shown(texts), options)
        before = shown or _NOTHING
        now = before._replace(texts=texts)
        if event.fix:
            candidates, references = fix_sentence(
                now.candidates, now.references, read_options(options), event.fix
            )
            now = now._replace(texts=(*candidates, "\n".join(references)))
        changed = json.loads(event.options)
        if changed:
            # After several fixes, texts that need none of them go back to the first options.
            now = now._replace(
                reason="for this text",
                before=before.before or tuple(options),
                changes=json.dumps(json.loads(before.changes) | changed),
            )
        return self.show(now, change_options(SCORING_OPTIONS, options, event.options))

    def _split(self, values: Sequence[Any]) -> tuple[tuple[str, ...], list[FieldValue]]:
        """Split the values of all fields into texts and options."""
        return tuple(values[: len(_TEXTS)]), list(values[len(_TEXTS) :])


def answer_sent(handler: Callable[..., Update]) -> Callable[..., Update]:
    """Return an event handler that leaves a request unanswered which page.js has dropped.

    It takes the inputs of `handler`, then whether the request is dropped.
    """

    def answer(*inputs: Any) -> Update:
        *values, is_dropped = inputs
        return {} if is_dropped else handler(*values)

    answer.__name__ = getattr(handler, "__name__", "answer")
    return answer


def _list_options(example: Example) -> list[FieldValue]:
    """Return the values of the option fields for an example."""
    return convention_values(example.convention, SCORING_OPTIONS, **example.options)


def _add_text(
    value: str,
    label: str,
    elem_id: str,
    *,
    lines: int,
    show_label: bool | None = None,
    hint: str = "",
) -> gr.Textbox:
    return gr.Textbox(
        value,
        label=label,
        lines=lines,
        max_lines=lines,  # a growing field would push the score down while the visitor types
        max_length=limits.MAX_REFERENCES * limits.MAX_SENTENCE_CHARACTERS,
        elem_id=elem_id,
        show_label=show_label,
        placeholder=hint,
    )


def _connect(sentence: Sentence, buttons: Sequence[gr.Button]) -> None:
    """Add the event handlers; `buttons` are those of the examples."""
    texts = sentence.texts()
    fields = sentence.fields()
    outputs = sentence.outputs()
    options = sentence.options
    inputs = [sentence.shown, *fields, sentence.dropped]
    # page.js sends one request after another. Answers to some of them fill the fields.
    ask = "(...inputs) => bleuPage.request('{}', inputs)"
    ask_to_fill = "(...inputs) => bleuPage.requestToFill('{}', inputs)"
    # 1. What is typed or chosen. Without preprocessing, which needs a thread per field.
    typed = gr.on(
        [text.input for text in texts],
        answer_sent(sentence.show_typed),
        inputs,
        outputs,
        js=ask.format("typed"),
        preprocess=False,
        **limits.QUIET,
    )
    _tell_answered(typed, "typed")
    chosen = gr.on(
        [field.input for field in options.fields],
        answer_sent(sentence.show_chosen),
        inputs,
        outputs,
        js=ask.format("chosen"),
        **limits.QUIET,
    )
    _tell_answered(chosen, "chosen")
    # 2. What fills fields. The name of an example is in the place of a text.
    convention = options.convention.input(
        answer_sent(sentence.show_convention),
        [options.convention, *texts, sentence.dropped],
        outputs,
        js=ask_to_fill.format("convention"),
        **limits.QUIET,
    )
    _tell_answered(convention, "convention")
    for name, button in zip(EXAMPLES, buttons):
        example = button.click(
            answer_sent(sentence.show_example),
            [sentence.candidate, sentence.dropped],
            [*outputs, sentence.second_fold],
            js=f"(_text, ...others) => bleuPage.requestToFill('{name}', ['{name}', ...others])",
            **limits.QUIET,
        )
        _tell_answered(example, name)
    # 3. A closed second candidate is put aside: it is neither scored nor in the address until it
    #    is opened again. The page does so itself: the server's answer could undo what the visitor
    #    types meanwhile.
    fold = sentence.second_fold
    second = sentence.second
    show_folded = answer_sent(sentence.show_folded)
    for event, script in ((fold.collapse, "putAside"), (fold.expand, "takeBack")):
        moved = event(None, second, second, js=f"bleuPage.{script}")
        folded = moved.then(show_folded, inputs, outputs, js=ask.format(script), **limits.QUIET)
        _tell_answered(folded, script)
    # 4. The texts and options are in the address of the page.
    names = json.dumps([*_TEXTS, *SCORING_OPTIONS])
    examples = json.dumps(
        {name: [*example.texts, *_list_options(example)] for name, example in EXAMPLES.items()}
    )
    keep = f"(...values) => bleuPage.keep({names}, {examples}, values)"
    changes = [field.change for field in (*texts, *options.fields)]
    gr.on(changes, None, fields, None, js=keep)
    # 5. The buttons of remedies.

    def show_fixed(event: gr.EventData, *inputs: Any) -> Update:
        return answer_sent(partial(sentence.show_fixed, event))(*inputs)

    for component in (sentence.scores, sentence.details):
        fixed = component.click(
            show_fixed, inputs, outputs, js=ask_to_fill.format("fix"), **limits.QUIET
        )
        _tell_answered(fixed, "fix")
        fixed.then(None, js="() => bleuPage.keepFocus('#sentence-options > button')")


def _tell_answered(event: Dependency, kind: str) -> None:
    """Tell page.js that the answer to a request is there, or has failed."""
    for after in (event.then, event.failure):
        after(None, js=f"() => bleuPage.answered('{kind}')")


class _Candidate(NamedTuple):
    """A candidate: its name, text, result of `explain`, remedies and warnings."""

    name: str
    text: str
    explanation: Explanation
    remedies: list[Remedy]
    warnings: list[str]


class Rendered(NamedTuple):
    """The scores and the details as HTML, and the label of the fold.

    The label is empty if the options are not valid.
    """

    scores: str
    details: str
    label: str


def render(shown: Shown, values: Sequence[FieldValue]) -> Rendered:
    """Render the texts, scored with the values of the option fields; or say what is missing."""
    # 1. Texts that are too long are not even read.
    if not limits.are_short(shown.texts):
        limit = f"{limits.MAX_SENTENCE_TOTAL:,} characters together"
        text = f"The texts have over {limit}. Shorten them, or score them as a corpus."
        return Rendered("", html.message(text), "")
    # 2. Score.
    label = ""
    try:
        options = read_options(values)
        label = fold_label(options, shown.reason)
        missing = _list_missing(shown)
        if missing:
            text = f"Type {' and '.join(missing)} to see score, matches and colors."
            return Rendered("", html.message(text, "note"), label)
        candidates = _explain(shown, options)
    except limits.ERRORS as error:
        return Rendered("", html.message(limits.explain_error(error)), label)
    # 3. The scores, which stay in sight on a telephone.
    has_names = len(candidates) > 1
    unit = "character" if options["tokenize"] == "char" else "word"
    headlines = "".join(_render_score(candidate, has_names, unit) for candidate in candidates)
    announced = ", ".join(f"{candidate.explanation['score']:.2f} BLEU" for candidate in candidates)
    scored = html.show(json.dumps([*shown.texts, *values]))  # page.js compares the fields with it
    scores = (
        f'<div class="bleu-sides" data-announce="{announced}" data-scored="{scored}">'
        f"{headlines}</div>"
    )
    # 4. The details of each candidate, side by side; one link to the page is enough.
    differing = find_differing(
        [candidate.explanation["prediction"]["tokens"] for candidate in candidates]
    )
    sums = [
        draw_sums(candidate.explanation, candidate.name, unit, marked)
        for candidate, marked in zip(candidates, differing)
    ]
    overviews = [
        _render_overview(candidate, unit, summed, has_link=candidate is candidates[0])
        for candidate, summed in zip(candidates, sums)
    ]
    explained = [
        render_steps(candidate.explanation, unit, summed)
        for candidate, summed in zip(candidates, sums)
    ]
    overview = f'<div data-step="">{html.side_by_side(*overviews)}</div>'
    return Rendered(scores, overview + html.side_by_side(*explained), label)


def _list_missing(shown: Shown) -> list[str]:
    has_candidate = any(text.strip() for text in shown.candidates)
    parts = {"a candidate": has_candidate, "a reference": bool(shown.references)}
    return [name for name, is_there in parts.items() if not is_there]


def find_differing(texts: Sequence[Sequence[str]]) -> list[set[int]]:
    """Return the indices of the tokens that only one of two texts has, or has more often.

    The set of a single text is empty.

    >>> find_differing([["a", "b", "c"], ["a", "d", "c", "c"]])
    [{1}, {1, 3}]
    """
    return [find_surplus(text, Counter(other)) for text, other in zip(texts, reversed(texts))]


def _explain(shown: Shown, options: ChosenOptions) -> list[_Candidate]:
    """Explain the one or two candidates."""
    candidates = []
    for name, text in zip(shown.names, shown.candidates):
        if not text.strip():
            continue
        with collect_warnings() as warnings:
            explanation = request_explanation(text, shown.references, options)
        remedies = find_remedies(text, shown.references, options)
        found = {remedy.kind for remedy in remedies}
        advised, notes = add_warnings(remedies, warnings, found)
        candidates.append(_Candidate(name, text, explanation, advised, notes))
    return candidates


def _needs(texts: tuple[str, ...], shown: Shown) -> bool:
    """Return whether texts, scored as before a fix, would be offered one of its options again."""
    changes = json.loads(shown.changes)
    if not changes or not limits.are_short(texts):
        return False
    try:
        candidates = _explain(shown._replace(texts=texts), read_options(shown.before))
    except limits.ERRORS:
        return False
    remedies = [remedy for candidate in candidates for remedy in candidate.remedies]
    return any(each.options and each.options.items() <= changes.items() for each in remedies)


def _render_score(candidate: _Candidate, has_name: bool, unit: str) -> str:
    headline = html.headline(candidate.explanation["score"], candidate.name if has_name else "")
    return f'<section class="bleu-headline">{headline}{_write_reading(candidate, unit)}</section>'


def _write_reading(candidate: _Candidate, unit: str) -> str:
    return html.paragraph(read_plainly(candidate.explanation, unit), "reading")


def _render_overview(candidate: _Candidate, unit: str, sums: str, *, has_link: bool) -> str:
    """Return what to know about a score first, its words and its table, and the references."""
    explanation = candidate.explanation
    count = html.count_things(len(explanation["references"]), "reference")
    copied = (
        f"BLEU {explanation['score']:.2f} of “{candidate.text.strip()}” against {count}"
        f" ({explanation['signature']})."
    )
    copies = html.copy_button(copied, "score")
    if has_link:
        copies += html.LINK_BUTTON
    told = f"{html.remedies(candidate.remedies)}{html.notes(candidate.warnings)}"
    return (
        # The view has a candidate.
        f"{told.replace('the predictions', 'the candidate')}"
        # On a telephone only, where it is not below the score.
        f"{_write_reading(candidate, unit)}"
        f'{sums}{write_formula(explanation)}<p class="bleu-copies">{copies}</p>'
        f"{draw_references(explanation)}"
    )
