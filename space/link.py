"""A result in the address of the page: its counts, without texts, from which a link shows it again.

The scores of a link are computed from its counts; whatever else it holds is data to escape.
"""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from . import html, limits
from .leaderboard import Scores, build_leaderboard, render_board, write_range
from .metric import Options, bleu, collect_warnings, name_counts, read_published

_VERSION = 1  # of what a link holds
_MOST_CHARACTERS = 20_000  # of an unpacked link; thirty systems take 8,000
_KEPT = ("confidence_interval", "p_value", "rank_range")
# The options that still count once the n-grams are counted.
_SCORING = ("smooth_method", "smooth_value", "effective_order", "max_order", "minimum_total")


def write_link(
    systems: Mapping[str, Scores],
    runs: Mapping[str, Sequence[Scores]],
    *about: str | Mapping[str, str],
) -> str:
    """Return a result, packed for the address of the page.

    `runs` has the result of each training run of a system. `about` is what `_render` takes after
    the systems.
    """
    kept: dict[str, dict[str, Any]] = {}
    for name, system in systems.items():
        kept[name] = {key: system[key] for key in _KEPT if key in system}
        kept[name]["rows"] = [
            [
                *(run["counts"] + run["totals"]),
                run["translation_length"],
                run["reference_length"],
            ]
            for run in runs[name]
        ]
    packed = zlib.compress(json.dumps([_VERSION, kept, *about]).encode())
    return urlsafe_b64encode(packed).decode().rstrip("=")


def render_link(text: str) -> str:
    """Return the result of a link as HTML, or in a sentence why it can't be shown.

    >>> "This link is damaged" in render_link("eJy")
    True
    """
    try:
        if len(text) > limits.MAX_LINK_CHARACTERS:
            most = f"{limits.MAX_LINK_CHARACTERS:,} characters"
            raise limits.RejectedError(f"This link is too long: a link has at most {most}.")
        packed = urlsafe_b64decode(f"{text}===")
        unpacked = zlib.decompressobj().decompress(packed, _MOST_CHARACTERS)
        version, *content = json.loads(unpacked, parse_constant=int)  # NaN raises
        if version != _VERSION:
            raise limits.RejectedError(
                "This link is from another version of the page. Ask for a new one."
            )
        with collect_warnings():
            shown = _render(*content)
    except limits.RejectedError as error:
        shown = html.message(str(error))
    except Exception:  # a link may hold anything
        shown = html.message("This link is damaged. Copy it again, from its beginning to its end.")
    return f'<div class="bleu-linked">{shown}{html.share(text)}</div>'


def _render(
    systems: Mapping[str, Mapping[str, Any]],
    baseline: str,
    identical: Mapping[str, str],
    prefix: str,
    size: str,
    caution: str,
    signature: str,
) -> str:
    """Return what a link holds as HTML."""
    # 1. The scores. Each run of a system was a system.
    if sum(len(system["rows"]) for system in systems.values()) > limits.MAX_SYSTEMS:
        raise ValueError("too many systems")
    signed: Any = read_published(f"1.0 {signature}").signature  # beside a number
    scoring = {name: signed.options[name] for name in _SCORING if name in signed.options}
    known: dict[str, dict[str, Any]] = {}
    for name, system in systems.items():
        own = [_score(row, scoring) for row in system["rows"]]
        known[name] = {key: system[key] for key in _KEPT if key in system}
        known[name]["score"] = float(np.mean([run["score"] for run in own]))
        if len(own) == 1:
            known[name]["precisions"] = own[0]["precisions"]
        else:
            known[name]["runs"] = dict(enumerate(own))
    for name in known.keys() - {baseline}:
        known[name]["delta"] = (known[name]["score"] - known[baseline]["score"]) / 100
    # 2. The result as the page has it.
    if len(known) == 1:
        interval = write_range(known[baseline], 1)
        caption = html.join(baseline, f"interval {interval}" if interval else "", size)
        drawn = html.headline(known[baseline]["score"], caption)
    else:
        drawn = render_board(
            build_leaderboard(known, baseline, size=size, identical=identical, prefix=prefix)
        )
    copies = f"{html.signature(signature)} {html.LINK_BUTTON}{html.PICTURE_BUTTON}"
    return (
        f"{html.message('From a link: texts and p are not checked.', 'note')}"
        f'{html.doubt(drawn, caution)}<p class="bleu-copies">{copies}</p>'
    )


def _score(row: Sequence[int], scoring: Options) -> Scores:
    """Return the result of a statistics row."""
    counts = zip(name_counts(len(row) // 2 - 1), row, strict=True)
    table = pa.table({name: [count] for name, count in counts})
    return bleu.compute(statistics=table, **scoring)
