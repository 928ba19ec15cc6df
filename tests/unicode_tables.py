"""Print `bleu_unicode.py`, made with the `regex` package, which sacreBLEU's `intl` uses for character classes.

Run it when a release of `regex` has a newer Unicode: python tests/unicode_tables.py > bleu_unicode.py
"""

import textwrap

import regex

UNICODE_VERSION = "18.0"
CATEGORIES = {"PUNCTUATION": "P", "SYMBOLS": "S", "NUMBERS": "N"}

HEAD = f'''"""Unicode {UNICODE_VERSION}: which characters are punctuation, symbols and numbers.

Written by `tests/unicode_tables.py`. Python's own `unicodedata` grows with each Python: an emoji of 2021 would be a
symbol on one machine and a letter on the next, and the same corpus would have two scores.
"""


def _ranges(table: str) -> tuple[tuple[int, int], ...]:
    """
    >>> _ranges("21-23 25")
    ((33, 35), (37, 37))
    """
    ends = (entry.split("-") for entry in table.split())
    return tuple((int(first, 16), int(last[-1] if last else first, 16)) for first, *last in ends)


def character_class(ranges: tuple[tuple[int, int], ...]) -> str:
    """The ranges as they stand between the brackets of a regular expression.

    >>> character_class(((0x61, 0x7a), (0x5d, 0x5d)))
    '\\\\\\\\U00000061-\\\\\\\\U0000007a\\\\\\\\U0000005d-\\\\\\\\U0000005d'
    """
    return "".join(f"\\\\U{{first:08x}}-\\\\U{{last:08x}}" for first, last in ranges)

'''


def ranges(category: str) -> list[list[int]]:
    found: list[list[int]] = []
    for match in regex.finditer(rf"\p{{{category}}}", "".join(map(chr, range(0x110000)))):
        code_point = match.start()
        if found and found[-1][1] == code_point - 1:
            found[-1][1] = code_point
        else:
            found.append([code_point, code_point])
    return found


def module() -> str:
    tables = []
    for name, category in CATEGORIES.items():
        entries = (f"{first:X}" if first == last else f"{first:X}-{last:X}" for first, last in ranges(category))
        lines = textwrap.fill(
            " ".join(entries), width=116, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
        )
        tables.append(f'\n{name} = _ranges("""\n{lines}\n""")\n')
    return HEAD + "".join(tables)


if __name__ == "__main__":
    print(module(), end="")
