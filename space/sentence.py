"""The tab for one sentence: score, formula and colors beside the text, updated while the visitor types."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import gradio as gr
from gradio.blocks import Block

from . import html, limits
from .metric import collect_warnings, request_explanation
from .options import (
    SCORING_OPTIONS,
    ChosenOptions,
    OptionFields,
    add_options,
    change_options,
    convention_values,
    fold_label,
    read_link,
    read_options,
)
from .remedies import FIXES, Remedy, add_warnings, explain_short, find_remedies
from .sources import EXAMPLES

Update = dict[Block, Any]

_TEXTS = ("candidate", "second", "references")  # the names of the text fields in a link


class Shown(NamedTuple):
    """The texts that the results belong to, the names of the candidates, and the reason for options set for the texts.

    Other texts go back to the options `before`: after an example always, after a fix once they
    don't need `changes`.
    """

    texts: tuple[str, ...]
    names: tuple[str, str] = ("Candidate", "Second candidate")
    reason: str = ""
    before: tuple[Any, ...] = ()  # values of the option fields; empty without a reason
    changes: str = "{}"  # the options of a fix, as JSON


class Sentence(NamedTuple):
    """The components of the tab; segments of a corpus are opened in them, too."""

    shown: gr.State
    texts: list[gr.Textbox]  # candidate, second candidate and references
    options: OptionFields
    scores: gr.HTML
    details: gr.HTML
    second_fold: gr.Accordion
    back: gr.Button  # leads back to the corpus

    def fields(self) -> list[Block]:
        """Return the fields for texts and options."""
        return [*self.texts, *self.options.fields]

    def outputs(self) -> list[Block]:
        """Return the components that `show` updates."""
        return [self.shown, *self.fields(), self.scores, self.details, self.options.fold]

    def show(self, shown: Shown, values: Sequence[Any]) -> Update:
        """Return the update that shows texts, scored with the values of the option fields."""
        results = self.show_results(shown, values)
        if results[self.shown] is None:
            return results
        named = gr.update(value=shown.texts[0], label=shown.names[0])
        return dict(zip(self.fields(), (named, *shown.texts[1:], *values))) | results

    def show_opened(self, shown: Shown, values: Sequence[Any]) -> Update:
        """Return the update that shows texts from elsewhere; the second candidate is open if there is one."""
        return {
            **self.show(shown, values),
            self.second_fold: gr.update(open=bool(shown.texts[1]), label=shown.names[1]),
        }

    def show_results(self, shown: Shown, values: Sequence[Any]) -> Update:
        """Return the update that leaves the fields alone."""
        scores, details, label = render(shown, values)
        # A rejected text is neither kept nor sent back.
        kept = shown if limits.are_short(shown.texts) else None
        labels: Update = {self.options.fold: gr.update(label=label)} if label else {}
        return {self.shown: kept, self.scores: scores, self.details: details, **labels}

    def show_example(self, name: str) -> Update:
        """Return the update that shows an example."""
        values, default = list_example(name), convention_values("default", SCORING_OPTIONS)
        texts, chosen = self.split(values)
        if chosen == default:
            return self.show_opened(Shown(texts), chosen)
        return self.show_opened(
            Shown(texts, reason="this example’s choice", before=tuple(default)), chosen
        )

    def restore(self, link: Mapping[str, str]) -> Update:
        """Return the update that shows what a link has: an example, or texts and options."""
        if link.get("example") in EXAMPLES:
            return self.show_example(link["example"])
        if not link.keys() & {*_TEXTS}:
            return {}
        return self.show_opened(
            Shown(tuple(link.get(name, "") for name in _TEXTS)), read_link(link)
        )

    def split(self, values: Sequence[Any]) -> tuple[tuple[str, ...], list[Any]]:
        """Split the values of the fields into texts and values of the option fields."""
        return tuple(values[: len(self.texts)]), list(values[len(self.texts) :])


def add_sentence_tab() -> Sentence:
    """Add the tab's components and their event handlers."""
    example = EXAMPLES[next(iter(EXAMPLES))]
    shown = Shown(example[:3])
    options = add_options("sentence", SCORING_OPTIONS)
    scores, details, _ = render(shown, convention_values("default", SCORING_OPTIONS))
    with gr.Row(elem_id="sentence-row"):
        with gr.Column(scale=5, min_width=300, elem_id="sentence-fields"):
            back = gr.Button("Back", size="sm", visible=False, elem_id="back")
            candidate = _add_text(example.candidate, "Candidate", "candidate", 3)
            with gr.Accordion("Second candidate", open=False, elem_id="second-fold") as fold:
                second = _add_text("", "Second candidate", "second", 3, show_label=False)
            references = _add_text(example.references, "References, one per line", "references", 6)
            with gr.Column(elem_id="examples"):
                html.add_html("<h2 class='bleu-label'>Examples</h2>")
                with gr.Row(elem_classes="bleu-examples"):
                    buttons = [
                        gr.Button(name, size="sm", variant="secondary", min_width=0)
                        for name in EXAMPLES
                    ]
        with gr.Column(scale=7, min_width=300, elem_id="sentence-results"):
            headline = html.add_clickable(scores, "sentence-score")
            html.add_html(html.NAVIGATION, elem_id="steps")
            sentence = Sentence(
                gr.State(None, time_to_live=limits.SECONDS_KEPT),
                [candidate, second, references],
                options,
                headline,
                html.add_clickable(details, "sentence"),
                fold,
                back,
            )
    _connect(sentence, buttons)
    return sentence


def list_example(name: str) -> list[Any]:
    """Return the values of the fields for an example."""
    example = EXAMPLES[name]
    return [
        *example[:3],
        *convention_values(example.convention, SCORING_OPTIONS, **example.options),
    ]


def _add_text(value: str, label: str, elem_id: str, lines: int, **details: Any) -> gr.Textbox:
    return gr.Textbox(
        value,
        label=label,
        lines=lines,
        max_lines=lines,  # a growing field would push the score down while the visitor types
        max_length=limits.MAX_REFERENCES * limits.MAX_SENTENCE_CHARACTERS,
        elem_id=elem_id,
        **details,
    )


def _connect(sentence: Sentence, buttons: Sequence[gr.Button]) -> None:
    fields, outputs, options = sentence.fields(), sentence.outputs(), sentence.options

    def show_typed(shown: Shown | None, *values: Any) -> Any:
        """Score what is typed; options that an example or a fix has set go back if they were for another text."""
        texts, chosen = sentence.split(values)
        shown = shown or Shown(())
        if texts == shown.texts:
            return gr.skip()
        changes: Update = {options.fold: gr.skip()}  # its label is of the options
        if shown.before and not _needs(texts, shown):
            shown, chosen = Shown(texts, shown.names), list(shown.before)
            changes = dict(zip(options.fields, chosen))
        # Leave the text fields alone: the visitor may have typed more since this request was sent.
        return sentence.show_results(shown._replace(texts=texts), chosen) | changes

    def show_chosen(shown: Shown | None, *values: Any) -> Update:
        texts, chosen = sentence.split(values)
        return sentence.show_results(Shown(texts, (shown or Shown(())).names), chosen)

    def show_convention(convention: str, *texts: str) -> Update:
        return sentence.show(Shown(texts), convention_values(convention, SCORING_OPTIONS))

    def show_folded(shown: Shown | None, *values: Any) -> Update:
        """Score what is left after the second candidate was closed or opened."""
        texts, chosen = sentence.split(values)
        return sentence.show_results((shown or Shown(()))._replace(texts=texts), chosen)

    def show_fixed(event: gr.EventData, shown: Shown | None, *values: Any) -> Update:
        """Show the fields after the button of a remedy was pressed."""
        texts, chosen = sentence.split(values)
        shown = shown or Shown(())
        if not limits.are_short(texts):
            return sentence.show(Shown(texts), chosen)
        now = shown._replace(texts=tuple(map(FIXES.get(event.fix, str), texts)))
        if changed := json.loads(event.options):
            changes = json.dumps(json.loads(shown.changes) | changed)
            now = now._replace(
                reason="for this text", before=shown.before or tuple(chosen), changes=changes
            )
        return sentence.show(now, change_options(SCORING_OPTIONS, chosen, event.options))

    typed, chosen = (
        [text.input for text in sentence.texts],
        [field.input for field in options.fields],
    )
    # Without preprocessing, which needs a thread per field.
    gr.on(typed, show_typed, [sentence.shown, *fields], outputs, preprocess=False, **limits.QUIET)
    gr.on(chosen, show_chosen, [sentence.shown, *fields], outputs, **limits.QUIET)
    options.convention.input(
        show_convention, [options.convention, *sentence.texts], outputs, **limits.QUIET
    )
    # One event for all buttons, with the name of the last one in the place of a text.
    clicks, name = [button.click for button in buttons], "() => [bleuPage.example]"
    gr.on(
        clicks,
        sentence.show_example,
        sentence.texts[:1],
        [*outputs, sentence.second_fold],
        js=name,
        **limits.QUIET,
    )
    # A closed second candidate is put aside: it is neither scored nor in the address until it is
    # opened again. The page does so itself: the server's answer could undo what the visitor types
    # meanwhile.
    fold, second = sentence.second_fold, sentence.texts[1]
    for event, script in ((fold.collapse, "putAside"), (fold.expand, "takeBack")):
        moved = event(None, second, second, js=f"bleuPage.{script}")
        moved.then(show_folded, [sentence.shown, *fields], outputs, **limits.QUIET)
    # The texts and options are in the address of the page.
    known = {name: list_example(name) for name in EXAMPLES}
    names = json.dumps([*_TEXTS, *SCORING_OPTIONS])
    keep = f"(...values) => bleuPage.keep({names}, {json.dumps(known)}, values)"
    gr.on(
        [field.change for field in (*sentence.texts, *options.fields)], None, fields, None, js=keep
    )
    for component in (sentence.scores, sentence.details):
        fixed = component.click(show_fixed, [sentence.shown, *fields], outputs, **limits.QUIET)
        fixed.then(None, js="() => bleuPage.keepFocus('#sentence-options > button')")


class _Part(NamedTuple):
    """A candidate: its name, text, result of `explain`, remedies and warnings."""

    name: str
    text: str
    explanation: html.Explanation
    remedies: list[Remedy]
    warnings: list[str]


def render(shown: Shown, values: Sequence[Any]) -> tuple[str, str, str]:
    """Return the scores and the details as HTML, and the label of the fold; no label if the options are not valid."""
    if not limits.are_short(shown.texts):
        limit = f"{limits.MAX_SENTENCE_TOTAL:,} characters together"
        return (
            "",
            html.message(f"The texts have over {limit}. Shorten them, or score them as a corpus."),
            "",
        )
    label = ""
    try:
        options = read_options(values)
        label = fold_label(options, shown.reason)
        *candidates, references = (text.strip() for text in shown.texts)
        if not any(candidates) or not references:
            missing = " and ".join(
                ["a candidate"] * (not any(candidates)) + ["a reference"] * (not references)
            )
            return (
                "",
                html.message(f"Type {missing} to see score, formula and colors.", "note"),
                label,
            )
        parts = _explain(shown, options)
    except limits.ERRORS as error:
        return "", html.message(limits.explain_error(error)), label
    differing = find_differing([part.explanation["prediction"]["tokens"] for part in parts])
    scores = "".join(_render_score(part, len(parts) > 1) for part in parts)
    announced = ", ".join(f"{part.explanation['score']:.2f} BLEU" for part in parts)
    unit = "character" if options["tokenize"] == "char" else "word"
    details = (
        _render_details(part, marked, unit, part is parts[0])
        for part, marked in zip(parts, differing, strict=True)
    )
    scored = html.show(json.dumps([*shown.texts, *values]))  # page.js compares the fields with it
    return (
        f'<div class="bleu-sides" data-announce="{announced}" data-scored="{scored}">{scores}</div>',
        f'<div data-step="">{html.legend(len(parts[0].explanation["orders"]))}</div>{html.side_by_side(*details)}',
        label,
    )


def find_differing(texts: Sequence[Sequence[str]]) -> list[set[int]]:
    """Return the indices of the tokens in which two texts differ; an empty set for a single text.

    >>> find_differing([["a", "b", "c"], ["a", "d", "c"]])
    [{1}, {1}]
    """
    if len(texts) < 2:
        return [set()]
    first, second = texts
    # The longest common subsequence, with a row of the usual table in one integer (Hyyrö, 2004).
    # Bit i of a row is 0 if token i of the first text makes the subsequence longer.
    places: dict[str, int] = {}
    for i, token in enumerate(first):
        places[token] = places.get(token, 0) | 1 << i
    rows = [row := (1 << len(first)) - 1]
    for token in second:
        same = row & places.get(token, 0)
        rows.append(row := (row + same | row - same) & rows[0])
    # Go back from the end; a token that no step passes is in both.
    differing: list[set[int]] = [set(), set()]
    i, j = len(first), len(second)
    while i and j:
        if rows[j] >> i - 1 & 1:
            differing[0].add(i := i - 1)
        elif not rows[j - 1] >> i - 1 & 1:
            differing[1].add(j := j - 1)
        else:
            i, j = i - 1, j - 1
    return [differing[0] | {*range(i)}, differing[1] | {*range(j)}]


def _explain(shown: Shown, options: ChosenOptions) -> list[_Part]:
    """Explain the one or two candidates."""
    *candidates, lines = shown.texts
    references, parts = [text for text in lines.split("\n") if text.strip()], []
    for name, text in zip(shown.names, candidates):
        if not text.strip():
            continue
        with collect_warnings() as warnings:
            explanation = request_explanation(text, references, options)
        remedies = find_remedies([text], [references], options)
        length = explanation["prediction"]["length"]
        if not explanation["score"] and explanation["counts"][0] and length < options["max_order"]:
            remedies.insert(0, explain_short(length, options["max_order"]))
        parts.append(_Part(name, text, explanation, *add_warnings(remedies, warnings)))
    return parts


def _needs(texts: tuple[str, ...], shown: Shown) -> bool:
    """Return whether texts, scored as before a fix, would be offered one of its options again."""
    changes = json.loads(shown.changes).items()
    try:
        if not changes or not limits.are_short(texts):
            return False
        parts = _explain(shown._replace(texts=texts), read_options(shown.before))
    except limits.ERRORS:
        return False
    return any(
        one.options and one.options.items() <= changes for part in parts for one in part.remedies
    )


def _render_score(part: _Part, is_named: bool) -> str:
    """Return the score alone, the line that stays in sight on a telephone."""
    return f'<section class="bleu-headline">{html.headline(part.explanation["score"], part.name * is_named)}</section>'


def _render_details(part: _Part, marked: set[int], unit: str, has_link: bool) -> str:
    explanation = part.explanation
    orders = explanation["orders"]
    # 1. What can be copied.
    score = f"{explanation['score']:.2f}"
    count = html.count_things(len(explanation["references"]), "reference")
    copied = f"BLEU {score} of “{part.text.strip()}” against {count} ({explanation['signature']})."
    copies = html.copy_button(copied, "score")
    if has_link:
        copies += html.LINK_BUTTON
    # 2. The formula, and the numbers in it.
    drawn = [
        html.formula(explanation, unit),
        html.tokens(explanation["prediction"], len(orders), part.name, marked),
        html.precision_bars(explanation, [order["unclipped_matches"] for order in orders]),
    ]
    if explanation["brevity_penalty"] < 1:
        drawn.append(html.brevity_curve(explanation))
    # 3. The references.
    references = []
    for i, text in enumerate(explanation["references"]):
        remark = ""
        if i == explanation["effective_reference"]:
            remark = ", used for the length"
        references.append(html.reference(i + 1, text, len(orders), remark))
    return (
        f"{html.remedies(part.remedies)}{html.notes(part.warnings)}"
        f'<div data-step="">{"".join(drawn)}<p class="bleu-copies">{copies}</p>'
        f"{''.join(references)}</div>{html.render_steps(explanation, unit)}"
    )
