"""Draw the picture of `explain` in README.md, docs/explain.svg, from a result of `explain`.

Run it when the result or the picture changes: python tests/explain_picture.py
"""

from html import escape
from pathlib import Path

import evaluate

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "explain.svg"
PREDICTION = "The cat is sitting on a mat."
REFERENCES = ["The cat sits on the mat.", "A cat is sitting on the mat."]

# The picture has a background of its own, because an image follows the system's theme and not that of the page.
STYLE = """
text { font: 16px system-ui, sans-serif; fill: #1f2937 }
.page { fill: #fff; stroke: #d1d5db }
.score { font-size: 28px; font-weight: 700; fill: #1d4ed8 }
.label { font-size: 14px; fill: #4b5563 }
.token { font-family: ui-monospace, monospace }
.order { font-size: 11px }
.missed { stroke: #4b5563; stroke-width: 1.5; stroke-dasharray: 2 2 }
@media (prefers-color-scheme: dark) {
text { fill: #f3f4f6 }
.page { fill: #0d1117; stroke: #4b5563 }
.score { fill: #7db3ff }
.label { fill: #b6bcc6 }
.missed { stroke: #b6bcc6 }
}
"""
WIDTH, LEFT = 510, 20
CHARACTER = 9.6  # width of a monospace character of 16px; `textLength` makes every font keep to it
PADDING, GAP = 5, 6  # inside a token, and between tokens
ORDER = 9  # width of the small number behind a token


def draw_tokens(
    tokens: list[str], orders: list[int], max_order: int, top: int, numbered: bool = True
) -> str:
    """Draw a line of tokens: the longer the matching n-gram, the stronger the color; no match is a dotted line."""
    left, parts = float(LEFT), []
    for token, order in zip(tokens, orders):
        text = CHARACTER * len(token)
        width = text + 2 * PADDING + (ORDER if order and numbered else 0)
        if order:
            opacity = f'fill="#3b82f6" fill-opacity="{0.62 * order / max_order:.3g}"'
            parts.append(
                f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="26" rx="4" {opacity}/>'
            )
        else:
            line = f'x1="{left + PADDING:.1f}" x2="{left + PADDING + text:.1f}" y1="{top + 23}" y2="{top + 23}"'
            parts.append(f'<line class="missed" {line}/>')
        place = f'x="{left + PADDING:.1f}" y="{top + 18}" textLength="{text:.1f}"'
        parts.append(
            f'<text class="token" {place} lengthAdjust="spacingAndGlyphs">{escape(token)}</text>'
        )
        if order and numbered:
            parts.append(
                f'<text class="order" x="{left + PADDING + text + 2:.1f}" y="{top + 20}">{order}</text>'
            )
        left += width + GAP
    return "\n".join(parts)


def make_picture() -> str:
    """Return the picture as SVG."""
    result = evaluate.load(str(ROOT / "bleu_metric.py")).explain(PREDICTION, REFERENCES)
    max_order = len(result["orders"])
    name, score, formula = result._title().split(" ", 2)  # BLEU 45.18 = ...
    parts = [
        f'<text x="{LEFT}" y="42">{name} <tspan class="score">{score}</tspan> {escape(formula)}</text>'
    ]
    labels = ["Prediction", *(f"Reference {i}" for i in range(1, len(REFERENCES) + 1))]
    for row, (label, text) in enumerate(zip(labels, [result["prediction"], *result["references"]])):
        top = 62 + 58 * row
        parts.append(f'<text class="label" x="{LEFT}" y="{top + 14}">{label}</text>')
        parts.append(draw_tokens(text["tokens"], text["longest_match"], max_order, top + 22))
    top += 70
    parts.append(f'<text class="label" x="{LEFT}" y="{top + 14}">Longest matching n-gram</text>')
    names = ["none", *(f"{order}-gram" for order in range(1, max_order + 1))]
    parts.append(
        draw_tokens(names, list(range(max_order + 1)), max_order, top + 22, numbered=False)
    )
    height = top + 66
    frame = f'<rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>'
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    lines = "\n".join([f"<style>{STYLE}</style>", frame, *parts])
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n{lines}\n</svg>\n'


if __name__ == "__main__":
    PICTURE.write_text(make_picture(), encoding="utf-8")
