"""Segments that are hard for a tokenizer: all scripts, all white space, controls, markup, digits around punctuation."""

import random
import string
import sys

WHITE_SPACE = [chr(c) for c in range(sys.maxunicode + 1) if chr(c).isspace()]
CONTROLS = [chr(c) for c in (*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x200B, 0x200D, 0x200E, 0x2060, 0xFE0F, 0xFEFF)]
MARKUP = ["&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "&amp;amp;", "&amp;quot;", "&apos;", "&", "&lt", "<skipped>"]
MARKUP += ["<skip", "ped>", "<skip<skipped>ped>", "-\n", "--\n\n", "\n", "-\r\n", "<", "<s>"]
DIGITS = ["1", "23", "1990", "٣", "²", "½", "Ⅷ", "９", "१"]
MARKS = [".", ",", "..", "...", ".,", "-", "--", "–", "'", "’", "。", "、", "«", "…", "·", "€", "+", "^", "¡", "؟", "।"]
WORDS = ["the", "cat", "on", "Mat", "a", "A", "naïve", "Straße", "ΟΔΟΣ", "Σ", "ΣΑΣ", "ας", "İstanbul", "ılık", "ǅ", "Ⱥ"]
WORDS += [
    "Москва",
    "наш",
    "你好",
    "世界",
    "日本語",
    "カタカナ",
    "ひらがな",
    "한국어",
    "ไทย",
    "ລາວ",
    "ខ្មែរ",
    "မြန်မာ",
    "हिन्दी",
]
WORDS += [
    "বাংলা",
    "العربية",
    "עברית",
    "ქართული",
    "አማርኛ",
    "𝔘𝔫𝔦",
    "🙂",
    "👩‍👩‍👧",
    "🫠",
    "ﬁ",
    "e\u0301",
    "𐐀",
    "x" * 8,
    "x" * 9,
    "y" * 40,
]
WORDS += ["abcdefgh", "abcdefgi", "abcdefghabcdefgh", "abcdefghabcdefgi", "zbcdefghabcdefgh", "\x00", "\x00a"]


def characters(generator: random.Random) -> str:
    """One character of any plane; the lower ones, where all living scripts are, more often."""
    while True:
        c = generator.randrange(generator.choice((0x250, 0x3000, 0x10000, 0x20000, 0x110000)))
        if not 0xD800 <= c < 0xE000:
            return chr(c)


def piece(generator: random.Random) -> str:
    kind = generator.random()
    if kind < 0.45:
        return generator.choice(WORDS)
    if kind < 0.60:
        return generator.choice(MARKS)
    if kind < 0.72:
        return generator.choice(DIGITS)
    if kind < 0.80:
        return generator.choice(string.punctuation)
    if kind < 0.87:
        return generator.choice(MARKUP)
    if kind < 0.93:
        return characters(generator)
    return generator.choice(CONTROLS if kind < 0.95 else WHITE_SPACE)


def segment(generator: random.Random) -> list[str]:
    """The pieces of a segment: mostly a sentence's length, sometimes none, sometimes around the kernel's 64 tokens."""
    size = generator.choice((0, 1, 2, 3, 5, 8, 13, 20, 30, generator.randrange(55, 75), generator.randrange(400)))
    few = [piece(generator) for _ in range(max(1, size // generator.choice((1, 2, 8))))]
    pieces = [generator.choice(few) for _ in range(size)]
    spaces = generator.choice((0.1, 0.5, 0.9))
    return [text + (" " if generator.random() < spaces else "") for text in pieces]


def edited(pieces: list[str], generator: random.Random) -> list[str]:
    """The pieces with some cut out, doubled, exchanged or replaced, so that n-grams of all orders match."""
    pieces = list(pieces)
    for _ in range(generator.randrange(4)):
        start = generator.randrange(len(pieces) + 1)
        end = min(len(pieces), start + generator.randrange(8))
        pieces[start:end] = generator.choice((pieces[:3], [], pieces[start:end] * 2, [piece(generator)]))
    return pieces


def rows(seed: int, count: int) -> tuple[list[str], list[list[str]]]:
    """Predictions, and one to four references for each."""
    generator = random.Random(seed)
    predictions, references = [], []
    for _ in range(count):
        pieces = segment(generator)
        predictions.append("".join(pieces))
        references.append(["".join(edited(pieces, generator)) for _ in range(generator.choice((1, 1, 2, 3, 4)))])
    return predictions, references
