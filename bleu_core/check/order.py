"""The order in which damages are looked for and undone.

`check` and the look take the damages from here. The order is that of undoing: tokens before
records, records before escapes, labels last.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from .damages import (
    FORMS_OF_TEXT,
    INTRODUCTIONS,
    TOKENS_OF_MODELS,
    UNUSUAL_CHARACTERS,
    Damage,
    Finder,
)
from .inverses import sub, unwrap_quotes
from .mojibake import find_mojibake
from .pairs import OTHER, SIDES, Found, Pairs, undo_all
from .records import TOKEN_LISTS, find_lines, find_records
from .sides import SPEECH, find_labels

QUOTES = Damage(
    "wrapped",
    tuple("\"“„«「『'"),
    "(?s)^\\s*[\"“„«「『'].*[\"”“»」』']\\s*$",
    unwrap_quotes,
    "is between quotation marks",
    "text.strip()[1:-1]",
    least_share=0.5,
)


def find_quotes(pairs: Pairs) -> Iterator[Found]:
    """Find quotation marks around most texts of one side, unless the other one marks speech."""
    for found in QUOTES.find(pairs):
        if (
            pairs.share(
                OTHER[found.side],
                pairs.search(OTHER[found.side], rf"^\s*[{re.escape(SPEECH)}]"),
            )
            < 0.2
        ):
            yield found


# Token ids: -100 as an integer of 16, 32 and 64 bits without a sign.
UNSIGNED_IDS = Damage(
    "wrapped",
    ("65436", "4294967196", "18446744073709551516"),
    r"(?:^| )(?:65436|4294967196|18446744073709551516)\b",
    "",
    "contains {mark}, which is -100 as an integer without a sign",
    "[id for id in ids if id < 2**16 - 100]",
)


def find_padding(pairs: Pairs) -> Iterator[Found]:
    """Find an id that stands several times at the ends of a fifth of the rows."""
    for side in SIDES:
        ends = (re.search(r"(?:^| )(\d+) \1$", text) for text in pairs.texts[side])
        counts = Counter(end[1] for end in ends if end)
        for padding, number in counts.most_common(1):
            if number >= max(2, 0.2 * len(pairs.texts[side])):
                pattern = rf"(?:(?:^| ){padding})+$"
                places = pairs.search(side, pattern)
                yield pairs.describe(
                    "special_tokens",
                    side,
                    places,
                    f"ends with the id {padding} several times: padding",
                    f"[id for id in ids if id != {padding}]",
                    pattern=pattern,
                    undo=sub(pattern),
                    undone=undo_all(pairs.texts[side], places, sub(pattern)),
                )


# What is undone, in this order.
DAMAGES: tuple[Finder, ...] = (
    *(damage.find for damage in TOKENS_OF_MODELS),
    TOKEN_LISTS.find,
    find_records,
    *(damage.find for damage in FORMS_OF_TEXT),
    find_mojibake,  # before soft hyphens are removed, which are bytes of UTF-8 read as Latin-1
    *(damage.find for damage in UNUSUAL_CHARACTERS),
    *(damage.find for damage in INTRODUCTIONS),
    find_labels,
    find_lines,
    find_quotes,
)
# Token lists have fewer forms: a token is not parsed.
DAMAGES_OF_TOKENS: tuple[Finder, ...] = tuple(damage.find for damage in TOKENS_OF_MODELS[3:])
