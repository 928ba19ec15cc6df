"""The order in which damages are looked for and undone.

`measures.py` takes the damages from here, for `check` and the look. The order is that of undoing:
tokens before records, records before escapes, labels last.
"""

from __future__ import annotations

from .damages import (
    FORMS_OF_TEXT,
    INTRODUCTIONS,
    TOKENS_OF_MODELS,
    UNSIGNED_IDS,
    UNUSUAL_CHARACTERS,
    find_padding,
)
from .mojibake import find_mojibake
from .pairs import Finder
from .records import TOKEN_LISTS, find_lines, find_records
from .sides import find_labels, find_quotes

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
# Lists of tokens have fewer forms: a token is not parsed.
DAMAGES_OF_TOKENS: tuple[Finder, ...] = tuple(damage.find for damage in TOKENS_OF_MODELS[3:])
DAMAGES_OF_IDS: tuple[Finder, ...] = (UNSIGNED_IDS.find, find_padding)
