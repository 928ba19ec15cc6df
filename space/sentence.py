"""The tab for one sentence: score, formula and colours beside the text, while one types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import gradio as gr

from . import html
from .charts import precision_bars
from .examples import EXAMPLES
from .limits import QUIET, REFERENCES, SECONDS_KEPT, SENTENCE_CHARACTERS, explain_error
from .metric import collect_warnings
from .options import (
    SCORING_OPTIONS,
    OptionFields,
    add_options,
    change_options,
    convention_values,
    fold_label,
    read_options,
)
from .remedies import MENDS, Remedy, explain_short, find_remedies
from .requests import request_explanation


class Shown(NamedTuple):
    """What the results belong to: the texts, and the example that chose the options, if one did."""

    texts: tuple[str, ...]
    example: str = ""


class Sentence(NamedTuple):
    """The components of the tab; other tabs fill them to show a segment here.

    shown: what the results belong to.
    fields: candidate, second candidate, references, and the options. With `shown` before and `results` behind they are
        what `show_values` returns.
    results: the scores, what they are made of, and the convention.
    fold: with the second candidate.
    back: leads to where a segment was opened.
    """

    shown: gr.State
    fields: list[Any]
    results: list[Any]
    options: OptionFields
    fold: gr.Accordion
    back: gr.Button


def add_sentence_tab() -> Sentence:
    """Add the tab's content, and what happens in it."""
    example = EXAMPLES[next(iter(EXAMPLES))]
    options = add_options("sentence", SCORING_OPTIONS)
    defaults = convention_values("default", SCORING_OPTIONS)
    score, details, _ = render(Shown(example[:3]), defaults)
    with gr.Row(elem_id="sentence-row"):
        with gr.Column(scale=5, min_width=300, elem_id="sentence-fields"):
            back = gr.Button("Back", size="sm", visible=False, elem_id="back")
            texts, fold = _add_fields(example.candidate, example.references)
            buttons = _add_examples()
        with gr.Column(scale=7, min_width=300, elem_id="sentence-results"):
            results = [html.clickable(score, "sentence-score"), html.clickable(details, "sentence"), options.fold]
        shown = gr.State(Shown(example[:3]), time_to_live=SECONDS_KEPT)
    sentence = Sentence(shown, [*texts, *options.fields], results, options, fold, back)
    _connect(sentence, buttons)
    return sentence


def show_values(shown: Shown, values: Sequence[Any]) -> list[Any]:
    """What the tab's components hold for some texts, and values of the options' fields."""
    return [shown, *shown.texts, *values, *render(shown, values)]


def render(shown: Shown, values: Sequence[Any]) -> tuple[str, str, Any]:
    """What stands beside the fields: the scores, what they are made of, and the convention."""
    candidate, second, references = shown.texts
    candidates = {"Candidate": candidate, "Second candidate": second}
    candidates = {name: text for name, text in candidates.items() if text.strip()}
    lines, fold = [text for text in references.split("\n") if text.strip()], gr.skip()
    try:
        options = read_options(values)
        fold = gr.update(label=fold_label(options, "this example’s choice" if shown.example else ""))
        if not candidates or not lines:
            missing = "a candidate" if lines else "a reference" if candidates else "a candidate and a reference"
            return "", html.message(f"Type {missing}: score, formula and colours come here.", "note"), fold
        parts = [_explain(name, text, lines, options) for name, text in candidates.items()]
    except (TypeError, ValueError, OverflowError) as error:
        return "", html.message(explain_error(error)), fold
    differing = find_differing([part.explanation["prediction"]["tokens"] for part in parts])
    scores = "".join(_render_score(part, len(parts) > 1) for part in parts)
    sections = "".join(_render_details(part, marked) for part, marked in zip(parts, differing))
    announced = ", ".join(f"{part.explanation['score']:.2f} BLEU" for part in parts)
    legend = html.legend(options["max_order"])
    return (
        f'<div class="bleu-sides" data-announce="{announced}">{scores}</div>',
        f'<div class="bleu-sides">{sections}</div>{legend}',
        fold,
    )


def find_differing(texts: Sequence[Sequence[str]]) -> list[set[int]]:
    """The indices of tokens in which two texts differ; none where there is one text.

    >>> find_differing([["a", "b", "c"], ["a", "d", "c"]])
    [{1}, {1}]
    """
    if len(texts) < 2:
        return [set()]
    matcher = SequenceMatcher(None, texts[0], texts[1], autojunk=False)
    same = [(i + k, j + k) for i, j, size in matcher.get_matching_blocks() for k in range(size)]
    return [set(range(len(text))) - {pair[side] for pair in same} for side, text in enumerate(texts)]


class _Part(NamedTuple):
    """One candidate: its name, the text, what `explain` says of it, and what there is to say besides."""

    name: str
    text: str
    explanation: html.Explanation
    remedies: list[Remedy]
    warnings: list[str]


def _explain(name: str, text: str, references: Sequence[str], options: dict[str, Any]) -> _Part:
    with collect_warnings() as warnings:
        explanation = request_explanation(text, references, options)
    remedies = find_remedies([text], [references], options)
    length = explanation["prediction"]["length"]
    if not explanation["score"] and explanation["counts"][0] and length < options["max_order"]:
        remedies.insert(0, explain_short([length], options["max_order"]))
    return _Part(name, text, explanation, remedies, _keep_warnings(warnings, remedies))


def _keep_warnings(warnings: Sequence[str], remedies: Sequence[Remedy]) -> list[str]:
    """The metric's warnings, but for what a remedy says already."""
    says_why = any("effective_order" in remedy.options for remedy in remedies)
    return [text for text in warnings if not says_why and (not remedies or text.startswith("The score is 0"))]


def _render_score(part: _Part, is_named: bool) -> str:
    explanation = part.explanation
    count = html.quantity(len(explanation["references"]), "reference")
    sentence = f"BLEU {explanation['score']:.2f} of “{part.text.strip()}” against {count} ({explanation['signature']})."
    head = html.headline(explanation["score"], part.name if is_named else "")
    signature = f'<code class="bleu-signature">{html.show(explanation["signature"])}</code>'
    notes = html.remedies(part.remedies) + html.notes(part.warnings)
    line = f'<div class="bleu-headline">{head}{html.copy_button(sentence, "score and signature")}</div>'
    return f"<section>{line}{signature}{notes}</section>"


def _render_details(part: _Part, marked: set[int]) -> str:
    explanation, orders = part.explanation, part.explanation["orders"]
    unclipped = [order["unclipped_matches"] for order in orders]
    label = part.name if marked else "Candidate"
    references = [
        html.tokens(
            text, len(orders), f"Reference {i}{', whose length counts' * (i - 1 == explanation['effective_reference'])}"
        )
        for i, text in enumerate(explanation["references"], 1)
    ]
    return (
        f"<section>{html.formula(explanation)}{html.tokens(explanation['prediction'], len(orders), label, marked)}"
        f"{precision_bars(explanation['counts'], explanation['totals'], explanation['precisions'], unclipped)}"
        f"{''.join(references)}{html.ngrams(explanation)}</section>"
    )


def _add_fields(candidate: str, references: str) -> tuple[list[gr.Textbox], gr.Accordion]:
    candidate_field = _text_field(candidate, "Candidate", "candidate", 3)
    with gr.Accordion("Second candidate", open=False, elem_id="second-fold") as fold:
        second = _text_field("", "Second candidate", "second", 3, show_label=False)
    references_field = _text_field(references, "References, one a line", "references", 6)
    return [candidate_field, second, references_field], fold


def _text_field(value: str, label: str, elem_id: str, lines: int, **details: Any) -> gr.Textbox:
    return gr.Textbox(
        value,
        label=label,
        lines=lines,
        max_lines=lines,  # a field that grew would push the score down while one types
        max_length=REFERENCES * SENTENCE_CHARACTERS,
        elem_id=elem_id,
        **details,
    )


def _add_examples() -> dict[str, gr.Button]:
    gr.HTML("<h2 class='bleu-label'>Examples</h2>", elem_classes="bleu-page")
    with gr.Row(elem_classes="bleu-examples"):
        return {name: gr.Button(name, size="sm", variant="secondary", min_width=0) for name in EXAMPLES}


def _connect(sentence: Sentence, buttons: Mapping[str, gr.Button]) -> None:
    """What happens when something changes: each time all that is shown comes from one handler."""
    fields, options = sentence.fields, sentence.options
    everything = [sentence.shown, *fields, *sentence.results]
    typed = [text.input for text in fields[:3]]
    gr.on(typed, _show_typed, [sentence.shown, *fields], everything, trigger_mode="always_last", **QUIET)
    gr.on([option.input for option in options.fields], _show_chosen, fields, everything, **QUIET)
    options.convention.input(_show_convention, [*fields[:3], options.convention], everything, **QUIET)
    for name, button in buttons.items():
        button.click(lambda name=name: _show_example(name), None, [*everything, sentence.fold], **QUIET)
    for component in sentence.results[:2]:
        remedied = component.click(_show_remedied, fields, everything, **QUIET)
        remedied.then(None, js="() => bleuPage.keepFocus('#sentence-options > button')")


def _show_typed(shown: Shown | None, *values: Any) -> Any:
    """Own text is scored as sacreBLEU does, unless the visitor chose otherwise: an example's choice is dropped."""
    texts, options = values[:3], values[3:]
    if shown and texts == shown.texts:
        return gr.skip()
    changes = [gr.skip()] * len(options)
    if shown and shown.example:
        options = tuple(changes := convention_values("default", SCORING_OPTIONS))
    # The texts stay as they are by now: who types fast is ahead of what was sent.
    return [Shown(texts), *[gr.skip()] * len(texts), *changes, *render(Shown(texts), options)]


def _show_chosen(*values: Any) -> list[Any]:
    return show_values(Shown(values[:3]), values[3:])


def _show_convention(*values: Any) -> list[Any]:
    return show_values(Shown(values[:3]), convention_values(values[3], SCORING_OPTIONS))


def _show_example(name: str) -> list[Any]:
    example = EXAMPLES[name]
    options = convention_values(example.convention, SCORING_OPTIONS, **example.options)
    is_default = options == convention_values("default", SCORING_OPTIONS)
    shown = Shown(example[:3], "" if is_default else name)
    return [*show_values(shown, options), gr.update(open=bool(example.second))]


def _show_remedied(event: gr.EventData, *values: Any) -> list[Any]:
    """The fields after a remedy's button was pressed."""
    texts = tuple(map(MENDS.get(event.mend, str), values[:3]))
    return show_values(Shown(texts), change_options(SCORING_OPTIONS, values[3:], event.options))
