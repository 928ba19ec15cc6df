"""The page's HTML, with every text escaped: its own pieces, and those that the metric shows in notebooks too.

The style of the page's own is in page.css, that of the metric's comes with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr

from .metric import bleu
from .remedies import Remedy

Explanation = Mapping[str, Any]

_FEW_COLUMNS = 3  # which a telephone has room for
_NUMBER = r"[+-]?\d[\d,]*(\.\d+)?"
_NUMBERS = re.compile(rf"({_NUMBER}(( to | : ){_NUMBER}| and more)?)?")

STYLE: str = bleu.html.STYLE
show = bleu.html.show
quantity = bleu.html.quantity
headline = bleu.html.headline
formula = bleu.html.formula
ngrams = bleu.html.ngrams
tokens = bleu.html.tokens
legend = bleu.html.legend
interval = bleu.html.interval
paragraph = bleu.html.paragraph
Markup = bleu.html.Markup

_TELL_CLICKS = """
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (button) trigger("click", { ...button.dataset });
});
"""


def clickable(value: str, elem_id: str) -> gr.HTML:
    """A component of HTML whose buttons tell what they were made with: `event.x` is a button's `data-x`."""
    return gr.HTML(value, elem_id=elem_id, elem_classes="bleu-page", js_on_load=_TELL_CLICKS)


def button(text: str, action: str, **data: str) -> str:
    """A button within a `clickable` component.

    >>> button("Use zh", "apply", options="{}")
    '<button type="button" class="bleu-button" data-action="apply" data-options="{}">Use zh</button>'
    """
    attributes = "".join(f' data-{name}="{show(value)}"' for name, value in data.items())
    return f'<button type="button" class="bleu-button" data-action="{action}"{attributes}>{show(text)}</button>'


def copy_button(text: str, what: str) -> str:
    """A button that copies a sentence.

    >>> copy_button("BLEU 1.00.", "score")
    '<button type="button" class="bleu-copy" data-copy="BLEU 1.00." title="BLEU 1.00.">Copy score</button>'
    """
    attributes = f'class="bleu-copy" data-copy="{show(text)}" title="{show(text)}"'
    return f'<button type="button" {attributes}>Copy {show(what)}</button>'


def code(title: str, text: str) -> str:
    """Code, with a button that copies it."""
    lines = "\n".join(map(show, text.strip().split("\n")))
    return f'<h2>{show(title)} {copy_button(text, "it")}</h2><pre class="bleu-code">{lines}</pre>'


def json_text(value: Any) -> str:
    """A value as JSON, for a button or for JavaScript."""
    return json.dumps(value, ensure_ascii=False)


def remedies(found: Sequence[Remedy]) -> str:
    """What was recognised in the texts, each with the button that mends it."""
    return "".join(
        f'<p class="bleu-message note">{show(remedy.finding)}'
        f" {button(remedy.button, 'apply', options=json_text(remedy.options), mend=remedy.mend)}</p>"
        for remedy in found
    )


def message(text: str, kind: str = "error") -> str:
    """A sentence in a box: an `"error"`, or a `"note"`.

    >>> message("a < b", "note")
    '<p class="bleu-message note" role="status">a &lt; b</p>'
    """
    role = "alert" if kind == "error" else "status"
    return f'<p class="bleu-message {kind}" role="{role}">{show(text)}</p>'


def heading(text: str) -> str:
    """A heading within a tab.

    >>> heading("a < b")
    '<h3>a &lt; b</h3>'
    """
    return f"<h3>{show(text)}</h3>"


def quote(text: str) -> str:
    """A sentence to quote.

    >>> quote("B scores 21.50 BLEU.")
    '<p class="bleu-quote">B scores 21.50 BLEU.</p>'
    """
    return f'<p class="bleu-quote">{show(text)}</p>'


def rows(head: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """A table, numbers to the right. On a telephone a wide one is read line by line: each cell knows its column's name.

    >>> rows(["system"], [["<A>"]])
    '<table class="bleu-rows"><thead><tr><th scope="col">system</th></tr></thead><tbody><tr>\
<td dir="auto" data-label="system">&lt;A&gt;</td></tr></tbody></table>'
    """
    kinds = [' class="number"' * all(map(_is_number, column)) for column in zip(*cells)] or [""] * len(head)
    names = "".join(
        f'<th scope="col"{kind}>{show(name)}</th>' if name else "<td></td>" for name, kind in zip(head, kinds)
    )
    lines = (
        "".join(
            f'<td{kind} dir="auto" data-label="{show(name)}">{show(cell)}</td>'
            for name, kind, cell in zip(head, kinds, line)
        )
        for line in cells
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    width = " wide" * (len(head) > _FEW_COLUMNS)
    return f'<table class="bleu-rows{width}"><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>'


def _is_number(cell: str) -> bool:
    """Whether a cell is one or two, or empty as it would be beside some.

    >>> [_is_number(cell) for cell in ("+1,234.50", "0 to 9", "5 : 0", "500 and more", "")]
    [True, True, True, True, True]
    >>> [_is_number(cell) for cell in ("a", "to", ": . to", "1.", "1 2")]
    [False, False, False, False, False]
    """
    return not isinstance(cell, Markup) and _NUMBERS.fullmatch(cell) is not None


def notes(messages: Sequence[str]) -> str:
    """A box for each message, without repetitions."""
    return "".join(message(text, "note") for text in dict.fromkeys(messages))


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and values, side by side as they fit.

    >>> facts([("BLEU-1", "70.00")])
    '<dl class="bleu-facts"><div><dt>BLEU-1</dt><dd>70.00</dd></div></dl>'
    """
    inner = "".join(f"<div><dt>{show(name)}</dt><dd>{show(value)}</dd></div>" for name, value in pairs)
    return f'<dl class="bleu-facts">{inner}</dl>'
