"""Write the Unicode tables at the end of `bleu_tokenizers.py`, with the `regex` package, which sacreBLEU's `intl` uses.

Run it when a release of `regex` has a newer Unicode: python tests/unicode_tables.py
"""

import textwrap
from pathlib import Path

import regex

PATH = Path(__file__).resolve().parent.parent / "bleu_tokenizers.py"
CATEGORIES = {"PUNCTUATION": "P", "SYMBOLS": "S", "NUMBERS": "N"}


def find_ranges(category: str) -> list[list[int]]:
    """Return the code points of a category as ranges, both ends included."""
    found: list[list[int]] = []
    for match in regex.finditer(rf"\p{{{category}}}", "".join(map(chr, range(0x110000)))):
        code_point = match.start()
        if found and found[-1][1] == code_point - 1:
            found[-1][1] = code_point
        else:
            found.append([code_point, code_point])
    return found


def make_tables() -> str:
    """Return the source text of all tables, to the end of the file."""
    tables = []
    for name, category in CATEGORIES.items():
        entries = (f"{first:X}" if first == last else f"{first:X}-{last:X}" for first, last in find_ranges(category))
        lines = textwrap.fill(
            " ".join(entries), width=116, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
        )
        tables.append(f'{name}: Ranges = _ranges("""\n{lines}\n""")\n')
    return "\n".join(tables)


if __name__ == "__main__":
    text = PATH.read_text(encoding="utf-8")
    PATH.write_text(text[: text.index(f"\n{next(iter(CATEGORIES))}: Ranges")] + "\n" + make_tables(), encoding="utf-8")
