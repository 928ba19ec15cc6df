"""The results of a corpus: one system's score, or several against a baseline, in sentences that can be quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import html
from .charts import histogram, precision_bars
from .limits import FEW_SEGMENTS
from .scored import Scored

TESTS = {"bootstrap": "paired bootstrap", "randomization": "paired approximate randomization"}

_HEAD = ["system", "BLEU", "interval", "", "difference", "its interval", "p", "verdict", ""]


def render_system(scored: Scored, result: Mapping[str, Any], scores: Any, ratios: Any) -> str:
    """One system: the score with its interval, and what it is made of.

    Args:
        scored: the scored corpus.
        result: of the system.
        scores, ratios: float64 [segments], from 0 to 1, and the length ratios that are known.
    """
    (name,), confidence = scored.systems, scored.options["confidence"]
    sentence = quote_system(name, result, len(scores), confidence, scored.remark)
    caption = ", ".join(
        filter(None, [_write_interval(result, confidence), html.quantity(len(scores), "segment"), scored.remark])
    )
    signature = f'<code class="bleu-signature">{html.show(result["signature"])}</code>'
    facts = [(f"BLEU-{n}", f"{100 * score:.2f}") for n, score in enumerate(result["bleu_by_order"], 1)]
    facts += [
        ("brevity penalty", f"{result['brevity_penalty']:.4f}"),
        ("length ratio", f"{result['length_ratio']:.4f}"),
        ("tokens", f"{result['translation_length']:,}"),
        ("reference tokens", f"{result['reference_length']:,}"),
    ]
    bars = precision_bars(result["counts"], result["totals"], result["precisions"])
    charts = histogram(100 * scores, 0, 100, 20, "Segments by BLEU") + histogram(
        ratios, 0, 2, 20, "Segments by length ratio, 1 is as long as the reference"
    )
    head = html.headline(result["score"], caption)
    return (
        f'<div class="bleu-headline" data-announce="{html.show(sentence)}">{head}{html.copy_button(sentence, "score")}'
        f"</div>{signature}{caution(len(scores), confidence)}{html.facts(facts)}{bars}"
        f'<div class="bleu-sides">{charts}</div>'
    )


def render_systems(scored: Scored, comparison: Any, identical: Sequence[str], count: int) -> str:
    """Several systems: a row each, and the difference of the second, or the last chosen, in a sentence.

    Args:
        scored: the scored corpus.
        comparison: what `compare` returns.
        identical: the systems whose texts are the baseline's.
        count: of segments.
    """
    confidence, systems = scored.options["confidence"], comparison["systems"]
    sentences = {name: quote_comparison(comparison, name, name in identical, confidence) for name in systems}
    ends = [100 * end for one in systems.values() for end in one.get("confidence_interval", ())]
    scale = (min(ends), max(ends)) if ends else None
    rows = [
        [
            name,
            *_describe_system(one, scale),
            judge(one, name in identical),
            html.Markup(html.copy_button(sentences[name], name)),
        ]
        for name, one in systems.items()
    ]
    signed = f"; {comparison['signature']}"  # which stands below
    others = [text.replace(signed, "") for name, text in sentences.items() if name != comparison["baseline"]]
    quotes = "".join(html.quote(text) for text in others[:3])
    signature = f'<code class="bleu-signature">{html.show(comparison["signature"])}</code>'
    remark = html.message(f"Scored with changes: {scored.remark}.", "note") if scored.remark else ""
    return (
        f'<div data-announce="{html.show(" ".join(others[:3]))}">{quotes}</div>{remark}{caution(count, confidence)}'
        f"{html.rows(_HEAD, rows)}{signature}"
    )


def quote_system(name: str, result: Mapping[str, Any], count: int, confidence: float | None, remark: str) -> str:
    """The score in a sentence that a reader can quote.

    >>> quote_system("A", {"score": 20.0, "signature": "nrefs:1"}, 2000, None, "")
    'A scores 20.00 BLEU on 2,000 segments (nrefs:1).'
    """
    inside = "; ".join(filter(None, [_write_interval(result, confidence), result["signature"], remark]))
    return f"{name} scores {result['score']:.2f} BLEU on {html.quantity(count, 'segment')} ({inside})."


def quote_comparison(comparison: Mapping[str, Any], name: str, is_identical: bool, confidence: float | None) -> str:
    """A system against the baseline, in a sentence that a reader can quote.

    >>> a, b = {"score": 20.0}, {"score": 21.5, "delta": 0.015, "p_value": 0.004}
    >>> comparison = {"systems": {"A": a, "B": b}, "baseline": "A", "test": "bootstrap", "signature": "nrefs:1"}
    >>> quote_comparison(comparison, "B", False, None)
    'B scores 21.50 BLEU and A 20.00: +1.50 (p = 0.0040, paired bootstrap; nrefs:1).'
    """
    baseline, one = comparison["baseline"], comparison["systems"][name]
    if name == baseline:
        inside = "; ".join(filter(None, [_write_interval(one, confidence), comparison["signature"]]))
        return f"{name} scores {one['score']:.2f} BLEU ({inside})."
    if is_identical:
        return f"{name} and {baseline} are identical: the same text in every segment, {one['score']:.2f} BLEU."
    found = f"p = {one['p_value']:.4f}, {TESTS[comparison['test']]}; {comparison['signature']}"
    if "delta_interval" in one and confidence:
        low, high = (100 * end for end in one["delta_interval"])
        found = f"{confidence:.0%} interval {low:+.2f} to {high:+.2f}, {found}"
    sentence = (
        f"{name} scores {one['score']:.2f} BLEU and {baseline} {comparison['systems'][baseline]['score']:.2f}:"
        f" {100 * one['delta']:+.2f} ({found})."
    )
    detectable = one.get("detectable_delta")
    return sentence + (f" This test set tells differences of {100 * detectable:.1f} and more." if detectable else "")


def judge(system: Mapping[str, Any], is_identical: bool) -> str:
    """What the test says, in words.

    >>> judge({"delta": 0.01, "p_value": 0.01}, False), judge({"delta": 0.01, "p_value": 0.3}, False)
    ('better', 'may be chance')
    """
    if "delta" not in system:
        return "baseline"
    if is_identical:
        return "identical"
    return ("better" if system["delta"] > 0 else "worse") if system["p_value"] < 0.05 else "may be chance"


def caution(count: int, confidence: float | None) -> str:
    """What to say of an interval of few segments."""
    if count >= FEW_SEGMENTS or not confidence:
        return ""
    return html.message(
        f"{html.quantity(count, 'segment')} are few: fewer than {FEW_SEGMENTS} say little about other texts, whatever"
        " the interval.",
        "note",
    )


def _describe_system(system: Mapping[str, Any], scale: tuple[float, float] | None) -> list[str]:
    """The cells between the name and the verdict."""
    cells = [f"{system['score']:.2f}", "", "", "", "", ""]
    if "confidence_interval" in system and scale:
        low, high = (100 * end for end in system["confidence_interval"])
        cells[1:3] = f"{low:.2f} to {high:.2f}", html.interval(low, system["score"], high, scale)
    if "delta" in system:
        cells[3], cells[5] = f"{100 * system['delta']:+.2f}", f"{system['p_value']:.4f}"
    if "delta_interval" in system:
        cells[4] = " to ".join(f"{100 * end:+.2f}" for end in system["delta_interval"])
    return cells


def _write_interval(result: Mapping[str, Any], confidence: float | None) -> str:
    if not confidence or "confidence_interval" not in result:
        return ""
    low, high = (100 * end for end in result["confidence_interval"])
    return f"{confidence:.0%} interval {low:.2f} to {high:.2f}"
