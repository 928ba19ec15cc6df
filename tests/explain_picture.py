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

# The picture has a background of its own, because an image follows the theme of the system and not
# that of the page.
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
WIDTH = 510
LEFT = 20
CHARACTER = 9.6  # width of a monospace character of 16px; `textLength` makes every font keep to it
PADDING = 5  # inside a token
GAP = 6  # between tokens
ORDER_WIDTH = 9  # of the small number behind a token


def draw_tokens(
    tokens: list[str], orders: list[int], max_order: int, top: int, *, numbered: bool = True
) -> str:
    """Draw a line of tokens, colored by the order of the matching n-gram.

    The longer the n-gram, the stronger the color; a token without a match is underlined with dots.
    """
    elements = []
    left = float(LEFT)
    for token, order in zip(tokens, orders):
        text_left = left + PADDING
        text_width = CHARACTER * len(token)
        text_right = text_left + text_width
        has_number = numbered and order > 0
        right = text_right + PADDING
        if has_number:
            right += ORDER_WIDTH
        # 1. The background, or the line below.
        if order:
            box = f'x="{left:.1f}" y="{top}" width="{right - left:.1f}" height="26" rx="4"'
            color = f'fill="#3b82f6" fill-opacity="{0.62 * order / max_order:.3g}"'
            elements.append(f"<rect {box} {color}/>")
        else:
            ends = f'x1="{text_left:.1f}" x2="{text_right:.1f}" y1="{top + 23}" y2="{top + 23}"'
            elements.append(f'<line class="missed" {ends}/>')
        # 2. The token, and the order.
        start = f'x="{text_left:.1f}" y="{top + 18}"'
        fit = f'textLength="{text_width:.1f}" lengthAdjust="spacingAndGlyphs"'
        elements.append(f'<text class="token" {start} {fit}>{escape(token)}</text>')
        if has_number:
            start = f'x="{text_right + 2:.1f}" y="{top + 20}"'
            elements.append(f'<text class="order" {start}>{order}</text>')
        left = right + GAP
    return "\n".join(elements)


def draw_label(text: str, top: int) -> str:
    """Draw a label above a line of tokens."""
    return f'<text class="label" x="{LEFT}" y="{top + 14}">{text}</text>'


def make_picture() -> str:
    """Return the picture as SVG."""
    # 1. The formula: BLEU 45.18 = ...
    result = evaluate.load(str(ROOT / "bleu_metric.py")).explain(PREDICTION, REFERENCES)
    name, score, formula = result._title().split(" ", 2)
    title = f'{name} <tspan class="score">{score}</tspan> {escape(formula)}'
    elements = [f'<text x="{LEFT}" y="42">{title}</text>']
    # 2. The texts, one below the other.
    max_order = len(result["orders"])
    texts = {"Prediction": result["prediction"]}
    for number, reference in enumerate(result["references"], 1):
        texts[f"Reference {number}"] = reference
    top = 62
    for label, text in texts.items():
        elements.append(draw_label(label, top))
        tokens = draw_tokens(text["tokens"], text["longest_match"], max_order, top + 22)
        elements.append(tokens)
        top += 58
    # 3. The legend.
    top += 12
    elements.append(draw_label("Longest matching n-gram", top))
    names = ["none", *(f"{order}-gram" for order in range(1, max_order + 1))]
    orders = list(range(max_order + 1))
    elements.append(draw_tokens(names, orders, max_order, top + 22, numbered=False))
    # 4. The frame.
    height = top + 66
    frame = f'<rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>'
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    lines = "\n".join([f"<style>{STYLE}</style>", frame, *elements])
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n{lines}\n</svg>\n'


if __name__ == "__main__":
    PICTURE.write_text(make_picture(), encoding="utf-8")
