"""Mistakes to put into the outputs of systems, with the kinds that name them and the texts without them.

`MISTAKES` is the table. Texts come from WMT21, which is not part of the project, and from `tests/languages.py` for
languages that WMT21 lacks. `put_all` yields each mistake in several outputs and in several shares of the rows.
"""

import functools
import html
import json
import random
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from helpers import WMT21, WMT21_TOKENIZERS, read_lines
from languages import LANGUAGES
from legitimate import WORDS, Noise, make_sentence


class Pair(NamedTuple):
    """Outputs of a system, references per row, and the options of their score."""

    name: str
    predictions: list[str]
    references: list[list[str]]
    options: Mapping[str, Any]


class Case(NamedTuple):
    """A mistake in a share of the rows of a pair.

    kinds: the kinds that name it.
    clean: pairs of which one has the score after the fix; empty if the mistake can't be undone.
    """

    name: str
    family: str
    kinds: frozenset[str]
    share: float
    before: Pair
    damaged: Pair
    clean: list[Pair]


# --- Outputs --------------------------------------------------------------------------------------

# Direction: the system, and its references. One system is not the best of its direction.
SYSTEMS = {
    "de-en": ("Online-A", "A"),
    "ru-en": ("Online-G", "AB"),
    "en-de": ("UEdin", "C"),
    "de-fr": ("Online-W", "A"),
    "en-cs": ("Online-Y", "A"),
    "en-is": ("Online-A", "A"),
    "en-ru": ("Online-W", "A"),
    "en-zh": ("Online-B", "A"),
    "en-ja": ("Online-Y", "A"),
    "bn-hi": ("GTCOM", "A"),
    "xh-zu": ("HuaweiTSC", "A"),
    "zh-en": ("Online-Y", "A"),
}
INVENTED = ("Romanian", "Persian", "Arabic", "Hebrew", "Thai")  # languages that WMT21 lacks
GENERAL = ("de-en", "en-de", "en-ru", "en-zh", "de-fr", "en-cs", "ru-en", "en-is")
LATIN = ("de-en", "en-de", "de-fr", "en-cs", "ru-en", "en-is")
ACCENTED = ("de-fr", "en-cs", "en-is", "en-de")
ENGLISH = ("de-en", "ru-en", "zh-en")


@functools.cache
def read_pair(name: str, rows: int) -> Pair:
    """Return the first rows of a direction of WMT21, or of an invented language."""
    if name in INVENTED:
        return _invent_pair(name, rows)
    system, streams = SYSTEMS[name]
    target = name.split("-")[1]
    (output,) = (WMT21 / "system-outputs").glob(f"*.{name}.hyp.{system}.{target}")
    references = []
    for stream in streams:
        (path,) = (WMT21 / "references").glob(f"*.{name}.ref.{stream}.{target}")
        references.append(read_lines(path)[:rows])
    options = {"tokenize": WMT21_TOKENIZERS.get(target, "13a")}
    return Pair(name, read_lines(output)[:rows], [list(row) for row in zip(*references)], options)


def _invent_pair(name: str, rows: int) -> Pair:
    language = LANGUAGES[name]
    generator = random.Random(0)
    texts = [make_sentence(language, generator) for _ in range(rows)]
    noise = Noise(texts, WORDS)
    predictions = [noise.change(text, 0.2, generator) for text in texts]
    options = {"tokenize": language.tokenize or "13a"}
    return Pair(name, predictions, [[text] for text in texts], options)


# --- Ways to put a mistake ------------------------------------------------------------------------

Text = Callable[[str], str]
RowText = Callable[[str, int], str]  # of a text and its row
Change = Callable[[Pair, float, random.Random], tuple[Pair, list[Pair]]]


def _choose(pair: Pair, share: float, generator: random.Random) -> set[int]:
    size = len(pair.predictions)
    return set(generator.sample(range(size), max(1, round(share * size))))


def each_row(change: RowText, undo: bool = True) -> Change:
    """Change predictions of a share of the rows, by a function of text and row.

    undo: a fix can restore the clean texts.
    """

    def put(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
        rows = _choose(pair, share, generator)
        predictions = [
            change(text, row) if row in rows else text for row, text in enumerate(pair.predictions)
        ]
        return pair._replace(predictions=predictions), [pair] if undo else []

    return put


def each(change: Text, undo: bool = True) -> Change:
    """Change predictions of a share of the rows."""
    return each_row(lambda text, row: change(text), undo)


def references_by_row(change: RowText, undo: bool = True) -> Change:
    """Change all references of a share of the rows, by a function of text and row."""

    def put(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
        rows = _choose(pair, share, generator)
        changed = [
            [change(text, row) for text in texts] if row in rows else texts
            for row, texts in enumerate(pair.references)
        ]
        return pair._replace(references=changed), [pair] if undo else []

    return put


def references(change: Text, undo: bool = True) -> Change:
    """Change all references of a share of the rows."""
    return references_by_row(lambda text, row: change(text), undo)


def both(change: Text) -> Change:
    """Change predictions and references of a share of the rows."""

    def put(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
        state = generator.getstate()
        first, _ = each(change)(pair, share, generator)
        generator.setstate(state)
        second, _ = references(change)(first, share, generator)
        return second, [pair]

    return put


def write_alike(pair: Pair, change: Text) -> Pair:
    """Return the pair with all texts of both sides changed."""
    return pair._replace(
        predictions=[change(text) for text in pair.predictions],
        references=[[change(text) for text in row] for row in pair.references],
    )


def writing(change: Text, alike: Text, side: Callable[..., Change] = each) -> Change:
    """Change the writing of a side; the fix writes both sides alike."""

    def put(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
        damaged, _ = side(change)(pair, share, generator)
        return damaged, [write_alike(pair, alike)]

    return put


def order(change: Callable[[list[int]], list[int]], undo: bool = True) -> Change:
    """Take the predictions from other rows; clean are the rows that still have their partner."""

    def put(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
        size = len(pair.predictions)
        rows = change(list(range(size)))
        rows = (rows + [-1] * size)[:size]
        predictions = [pair.predictions[row] if row >= 0 else "" for row in rows]
        kept = sorted(set(rows) - {-1})
        clean = pair._replace(
            predictions=[pair.predictions[row] for row in kept],
            references=[pair.references[row] for row in kept],
        )
        return pair._replace(predictions=predictions), [clean] if undo else []

    return put


def fewer(change: Callable[[list[int]], list[int]]) -> Change:
    """Leave out or double predictions, and end both files with the shorter one."""

    def put(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
        size = len(pair.predictions)
        rows = change(list(range(size)))[:size]
        kept = sorted({row for row in rows if row < len(rows)})
        damaged = pair._replace(
            predictions=[pair.predictions[row] for row in rows],
            references=pair.references[: len(rows)],
        )
        clean = pair._replace(
            predictions=[pair.predictions[row] for row in kept],
            references=[pair.references[row] for row in kept],
        )
        return damaged, [clean]

    return put


def whole(change: Callable[[Pair, random.Random], Pair], undo: bool = False) -> Change:
    """Change a pair as a whole."""

    def put(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
        return change(pair, generator), [pair] if undo else []

    return put


def under(tokenize: str, *fixes: str) -> Change:
    """Score under another tokenizer; the fix is the pair's own, or one of others."""

    def put(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
        clean = [pair, *(pair._replace(options={"tokenize": name}) for name in fixes)]
        return pair._replace(options={"tokenize": tokenize}), clean

    return put


# --- Changes of texts -----------------------------------------------------------------------------


def split_bpe(text: str) -> str:
    return re.sub(r"(?<![^\W\d_])([^\W\d_]{3})(?=[^\W\d_]{3})", r"\1@@ ", text)


def split_joined(joiner: str) -> Text:
    """Return a function that divides words and marks what continues a word."""
    return lambda text: re.sub(r"(?<![^\W\d_])([^\W\d_]{3})(?=[^\W\d_]{3})", rf"\1 {joiner}", text)


def split_sentencepiece(text: str) -> str:
    words = (word if len(word) < 6 else f"{word[:4]} {word[4:]}" for word in text.split(" "))
    return " ".join(f"▁{word}" for word in words)


def split_bytes(text: str) -> str:
    """Return pieces of byte-level BPE: a letter stands for each byte, Ġ for a space."""
    words = (word if len(word) < 6 else f"{word[:4]} {word[4:]}" for word in text.split(" "))
    return " Ġ".join(words).translate(_TO_BYTES)


_PRINTED = [*range(33, 127), *range(161, 173), *range(174, 256)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTED]
_LETTERS = {byte: chr(byte) for byte in _PRINTED} | {
    byte: chr(256 + number) for number, byte in enumerate(_OTHERS)
}
# Of each character beyond ASCII, the letters of its bytes.
_TO_BYTES = {
    code: "".join(_LETTERS[byte] for byte in chr(code).encode())
    for code in (*range(0xA0, 0x120), *range(0x121, 0x500), *range(0x2010, 0x2040))
}


def split_ends(text: str) -> str:
    words = (word if len(word) < 6 else f"{word[:4]} {word[4:]}" for word in text.split(" "))
    return " ".join(f"{word}</w>" for word in words)


def split_suffixes(text: str) -> str:
    return re.sub(r"(?<=[^\W\d_]{4})([^\W\d_]{2})\b", r" +\1", text)


def cut_words(text: str) -> str:
    """Return the pieces of words with spaces between them, and no mark."""
    return re.sub(r"([^\W\d_]{3})(?=[^\W\d_])", r"\1 ", text)


_MARKS = r"([!?;()\[\]\"“”„«»।؟،]|[.,:](?= |$))"


def detach(text: str) -> str:
    text = re.sub(_MARKS, r" \1 ", text)
    return re.sub(r" +", " ", re.sub(r"(['’](?:s|re|ve|ll|d|m|t)\b)", r" \1", text)).strip()


def attach(text: str) -> str:
    """Return text in which detached marks are attached again."""
    text = re.sub(r" ([.,!?;:)\]»”%…।؟،])", r"\1", text.replace(" @-@ ", "-"))
    text = re.sub(r"([(\[«“]) ", r"\1", text)
    return re.sub(r" (['’](?:s|re|ve|ll|d|m|t)\b)", r"\1", text)


def moses(text: str) -> str:
    return html.escape(detach(text), quote=False).replace('"', "&quot;").replace("'", "&apos;")


def strip_accents(text: str) -> str:
    letters = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in letters if not unicodedata.combining(c)))


def strip_marks(text: str) -> str:
    return "".join(c for c in text if unicodedata.category(c)[0] != "P")


def decode(codec: str) -> Text:
    """Return a function that reads the UTF-8 of a text in another encoding."""
    return lambda text: text.encode().decode(codec, "ignore" if codec != "latin-1" else "strict")


def decode_twice(text: str) -> str:
    return decode("latin-1")(decode("latin-1")(text))


def decode_losing(text: str) -> str:
    return text.encode("latin-1", "ignore").decode("utf-8", "replace")


CURLY = re.compile(r'"([^"]*)"')
STRAIGHT = str.maketrans("“”„‟«»‘’‚‹›", '""""""\'\'\'\'\'')


def write_plainly(text: str) -> str:
    """Return text with plain quotation marks, dashes, ellipses and widths."""
    return narrow(straighten(text).translate(DASHES)).replace("…", "...")


def straighten(text: str) -> str:
    return text.translate(STRAIGHT)


def curl(text: str) -> str:
    return CURLY.sub(r"“\1”", straighten(text)).replace("'", "’")


def curl_german(text: str) -> str:
    return CURLY.sub(r"„\1“", straighten(text))


DASHES = str.maketrans("–—‑−―", "-----")
WIDE = str.maketrans({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
NARROW = str.maketrans({code + 0xFEE0: code for code in range(0x21, 0x7F)} | {ord("。"): "."})


def narrow(text: str) -> str:
    return text.translate(NARROW)


SIMPLIFIED = "这国来说时为会对学过还开关发点经问题话语电机车东长门马鸟见风书买卖读写医图业乐习专让认识请谁谢钱铁难头儿几气汉农务动华单双变听员团场处实将师应当总战断无显术权样没热爱现环种节纪红约级组织给绝统继续线练终结络绩维细绍轻转较输运这进远连选遗邮郑释里钟针银错镇闻间阅队阳阴际陆陈险随隐须领顾顿频颜额飞饭馆"  # fmt: skip
TRADITIONAL = "這國來說時為會對學過還開關發點經問題話語電機車東長門馬鳥見風書買賣讀寫醫圖業樂習專讓認識請誰謝錢鐵難頭兒幾氣漢農務動華單雙變聽員團場處實將師應當總戰斷無顯術權樣沒熱愛現環種節紀紅約級組織給絕統繼續線練終結絡績維細紹輕轉較輸運這進遠連選遺郵鄭釋裡鐘針銀錯鎮聞間閱隊陽陰際陸陳險隨隱須領顧頓頻顏額飛飯館"  # fmt: skip
TO_TRADITIONAL = str.maketrans(SIMPLIFIED, TRADITIONAL)
TO_SIMPLIFIED = str.maketrans(TRADITIONAL, SIMPLIFIED)
TO_CEDILLAS = str.maketrans("șțȘȚ", "şţŞŢ")
TO_ARABIC = str.maketrans("یک", "يك")
VOWELS = "\u064e\u064f\u0650\u0652"  # fatha, damma, kasra, sukun


def vocalize(text: str) -> str:
    """Return Arabic text with a vowel sign after each letter but the last of a word."""
    return re.sub(r"([ء-ي])(?=[ء-ي])", lambda m: m[1] + VOWELS[ord(m[1]) % 4], text)


def reorder_marks(text: str) -> str:
    """Return text in which two marks of one letter stand in another order."""
    return re.sub(r"([\u0e34-\u0e39])([\u0e48-\u0e4b])", r"\2\1", text)


def title(text: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))


def first_words(count: int) -> Text:
    return lambda text: " ".join(text.split()[:count])


def first_half(text: str) -> str:
    return text[: len(text) // 2]


def loop(text: str) -> str:
    """Return a text whose end is repeated sixteen times."""
    words = text.split()
    end = " ".join(words[-3:]) if len(words) > 3 else text[-6:]
    return text + f" {end}" * 16


REMARKS = ["I kept the names as they are.", "This is a natural translation.", "Let me know if you need changes.", "The tone is neutral."]  # fmt: skip
OPENINGS = [
    "Here is the translation:\n\n",
    "Sure! Here's the translation:\n",
    "Certainly! The translation is:\n\n",
    "Translation: ",
    "Of course. Here is the translated text: ",
]
REFUSALS = [
    "I'm sorry, but I can't assist with that request.",
    "I'm sorry, but as an AI language model I cannot translate this text.",
    "I cannot help with that.",
    "Please provide the text that you want me to translate.",
]
REFUSALS_ELSEWHERE = ["很抱歉，我无法翻译这段文字。", "Es tut mir leid, aber ich kann diesen Text nicht übersetzen.", "Je suis désolé, mais je ne peux pas traduire ce texte."]  # fmt: skip


def around(before: str, after: str = "") -> Text:
    """Return a function that puts words around a text."""
    return lambda text: f"{before}{text}{after}"


def number(before: str, after: str = "") -> RowText:
    """Return a function that puts words around a text, with the number of the row for `{}`."""
    return lambda text, row: f"{before.format(row + 1)}{text}{after.format(row + 1)}"


def pick(texts: list[str], row: int) -> str:
    return texts[row % len(texts)]


# --- Changes of rows ------------------------------------------------------------------------------


def drop(*blocks: tuple[float, int]) -> Callable[[list[int]], list[int]]:
    """Return a function that leaves out blocks of rows: where each begins, as a share, and its size."""

    def change(rows: list[int]) -> list[int]:
        for place, size in sorted(blocks, reverse=True):
            start = int(place * len(rows))
            del rows[start : start + size]
        return rows

    return change


def double(place: float, size: int = 1) -> Callable[[list[int]], list[int]]:
    def change(rows: list[int]) -> list[int]:
        start = int(place * len(rows))
        return rows[: start + size] + rows[start:]

    return change


def away_and_back(rows: list[int]) -> list[int]:
    """Leave out a row at a quarter, double one at three quarters."""
    first, second = len(rows) // 4, 3 * len(rows) // 4
    return rows[:first] + rows[first + 1 : second] + rows[second - 1 :]


def shuffle(rows: list[int]) -> list[int]:
    return random.Random(5).sample(rows, len(rows))


def swap_batches(rows: list[int]) -> list[int]:
    batches = [rows[start : start + 16] for start in range(0, len(rows), 16)]
    return [row for batch in random.Random(6).sample(batches, len(batches)) for row in batch]


def interleave(rows: list[int]) -> list[int]:
    """Return rows as two processes return them, the ones of each process together."""
    return rows[::2] + rows[1::2]


def shuffle_batches(rows: list[int]) -> list[int]:
    generator = random.Random(7)
    return [
        row
        for start in range(0, len(rows), 16)
        for row in generator.sample(rows[start : start + 16], len(rows[start : start + 16]))
    ]


def sort_texts(key: Callable[[str], Any]) -> Callable[[Pair, random.Random], Pair]:
    return lambda pair, generator: pair._replace(predictions=sorted(pair.predictions, key=key))


def with_texts(side: str, other: str) -> Callable[[Pair, random.Random], Pair]:
    """Return a function that takes a side of another direction."""

    def change(pair: Pair, generator: random.Random) -> Pair:
        texts = getattr(read_pair(other, len(pair.predictions)), side)
        changed = pair._replace(**{side: texts})
        size = min(len(changed.predictions), len(changed.references))
        return changed._replace(
            predictions=changed.predictions[:size], references=changed.references[:size]
        )

    return change


def in_part(other: str) -> Change:
    """Take texts of another direction in a share of the rows."""

    def put(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
        foreign = read_pair(other, 500).references
        take = each_row(lambda text, row: foreign[row % len(foreign)][0], undo=False)
        return take(pair, share, generator)

    return put


def one_reference_elsewhere(pair: Pair, generator: random.Random) -> Pair:
    """Add a second reference to each row, the one of the row after the next ten."""
    size = len(pair.references)
    rows = [[*row, pair.references[(k + 10) % size][0]] for k, row in enumerate(pair.references)]
    return pair._replace(references=rows)


def empty_beside(count: int) -> Change:
    """Add empty references beside others."""

    def put(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
        rows = _choose(pair, share, generator)
        changed = [
            [*texts, *[""] * count] if row in rows else texts
            for row, texts in enumerate(pair.references)
        ]
        return pair._replace(references=changed), [pair]

    return put


def previous(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
    """Keep the last prediction in a share of the rows, as a variable that isn't set again."""
    rows = _choose(pair, share, generator)
    texts = list(pair.predictions)
    for row in sorted(rows):
        texts[row] = texts[row - 1]
    return pair._replace(predictions=texts), []


def first_text(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
    """Put the first prediction into a share of the rows."""
    return each(lambda text: pair.predictions[0], undo=False)(pair, share, generator)


def most_references(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
    """Take references instead of predictions in a share of the rows."""
    take = each_row(lambda text, row: pair.references[row][0], undo=False)
    return take(pair, share, generator)


def go_on(pair: Pair, share: float, generator: random.Random) -> tuple[Pair, list[Pair]]:
    """Let predictions go on with other texts in a share of the rows."""
    texts = pair.predictions
    lengthen = each_row(lambda text, row: f"{text} {texts[row - 7]} {texts[row - 3]}", undo=False)
    return lengthen(pair, share, generator)


def repeat_first(count: int) -> Callable[[list[int]], list[int]]:
    """Return a function that ends with the first rows again, as a sampler fills the last batch."""
    return lambda rows: rows[: len(rows) - count] + rows[:count]


def copy_references(pair: Pair, generator: random.Random) -> Pair:
    return pair._replace(predictions=[row[0] for row in pair.references])


def join_references(separator: str) -> Callable[[Pair, random.Random], Pair]:
    """Return a function that writes two references as one text."""

    def change(pair: Pair, generator: random.Random) -> Pair:
        rows = [[f"{row[0]}{separator}{row[-1]} "] for row in pair.references]
        return pair._replace(references=rows)

    return change


def write_references(write: Callable[[list[str]], str]) -> Callable[[Pair, random.Random], Pair]:
    return lambda pair, generator: pair._replace(
        references=[[write(row)] for row in pair.references]
    )


def lengthen_one(pair: Pair, generator: random.Random) -> Pair:
    """Put all texts of the file into one row."""
    texts = list(pair.predictions)
    texts[len(texts) // 3] = " ".join(texts[:100])
    return pair._replace(predictions=texts)


# --- The table ------------------------------------------------------------------------------------

ALL = (1.0,)
MOST = (0.6, 1.0)
ANY = (0.01, 0.05, 0.6, 1.0)


class Mistake(NamedTuple):
    """A way in which texts go wrong.

    kinds: the kinds that name it, separated by `|`.
    pairs: the outputs to put it into.
    """

    family: str
    kinds: str
    change: Change
    shares: tuple[float, ...] = ANY
    pairs: tuple[str, ...] = GENERAL


_LABEL = "labels|wrapped|special_tokens|reasoning|markup|marks"
_TOKEN = "special_tokens|labels|marks|markup"
_CHAT = "reasoning|special_tokens|labels|wrapped"
_INTRODUCTION = "labels|records"
_FORM = "records|wrapped|markup|labels"
_ROWS = "moved|repeated"


def _label(texts: Mapping[str, tuple[str, str]], undo: bool = True) -> dict[str, Mistake]:
    return {
        name: Mistake("ends", _LABEL, each(around(*each_text), undo), MOST)
        for name, each_text in texts.items()
    }


MISTAKES: dict[str, Mistake] = {
    # Ends
    **_label({
        "label German:": ("German: ", ""),
        "label Translation:": ("Translation: ", ""),
        "label English translation:": ("English translation: ", ""),
        "label Answer:": ("Answer: ", ""),
        "label A:": ("A: ", ""),
        "label Output, line": ("Output:\n", ""),
        "label ### Response:": ("### Response:\n", ""),
        "label Übersetzung:": ("Übersetzung: ", ""),
        "label Traduction :": ("Traduction : ", ""),
        "label Перевод:": ("Перевод: ", ""),
        "label 翻译：": ("翻译：", ""),
        "label 訳：": ("訳：", ""),
        "prompt": ("Translate this text into the other language. Text: ", ""),
        "instruction, line": ("Translate.\n", ""),
        "<start> <end>": ("<start> ", " <end>"),
        "[start] [end]": ("[start] ", " [end]"),
        "exclamation marks": ("", "!!!"),
        "boxed": ("\\boxed{", "}"),
        "one number": ("1. ", ""),
        "bullets": ("- ", ""),
        "asterisks": ("* ", ""),
        "greater than": ("> ", ""),
        "arrow": ("=> ", ""),
        "heading": ("# ", ""),
        "trailing bars": ("", " ||"),
        "trailing slash": ("", " \\"),
        "trailing semicolon": ("", ";"),
        "doubled period": ("", " ."),
        "braces": ("{", "}"),
        "parentheses": ("(", ")"),
        "brackets": ("[", "]"),
        "bold": ("**", "**"),
        "paragraph tag": ("<p>", "</p>"),
        "bold tag": ("<b>", "</b>"),
        "dollars": ("$", "$"),
        "emoji at the end": ("", " 😊"),
        "assistant, line": ("assistant\n", ""),
        "model:": ("model: ", ""),
    }),
    # Words may be translated: they are said, and not cut.
    **_label({
        "startseq endseq": ("startseq ", " endseq"),
        "START END": ("START ", " END"),
        "word before": ("result ", ""),
    }, undo=False),
    "label in references": Mistake("ends", _LABEL, references(around("REF: "), False), ALL),
    "tags in references": Mistake("ends", _LABEL, references(around("<start> ", " <end>")), ALL),
    "startseq on both sides": Mistake("ends", _LABEL, both(around("startseq ", " endseq")), ALL),
    "</s> on both sides": Mistake("ends", _TOKEN, both(around("<s> ", " </s>")), ALL),
    "[CLS] on both sides": Mistake("ends", _TOKEN, both(around("[CLS] ", " [SEP]")), ALL),
    # Tokens of a model
    "</s>": Mistake("tokens", _TOKEN, each(around("", "</s>"))),
    "<s> </s>": Mistake("tokens", _TOKEN, each(around("<s>", "</s>"))),
    "<pad>": Mistake("tokens", _TOKEN, each_row(lambda text, row: text + " <pad>" * (1 + row % 5))),
    "<pad> without spaces": Mistake("tokens", _TOKEN, each_row(lambda text, row: text + "<pad>" * (1 + row % 5))),
    "</s><pad>": Mistake("tokens", _TOKEN, each_row(lambda text, row: f"{text}</s>" + "<pad>" * (row % 7))),
    "<unk> for a word": Mistake("tokens", "marks|special_tokens", each(lambda text: re.sub(r"\b\w{7,}\b", "<unk>", text, count=1), False)),
    "<sos> <eos>": Mistake("tokens", _TOKEN, each(around("<sos> ", " <eos>"))),
    "<EOS>": Mistake("tokens", _TOKEN, each(around("", " <EOS>"))),
    "<bos>": Mistake("tokens", _TOKEN, each(around("<bos>"))),
    "[CLS] [SEP]": Mistake("tokens", _TOKEN, each(around("[CLS] ", " [SEP]"))),
    "<|endoftext|>": Mistake("tokens", _TOKEN, each(around("", "<|endoftext|>"))),
    "<|eot_id|>": Mistake("tokens", _TOKEN, each(around("", "<|eot_id|>"))),
    "<|begin_of_text|>": Mistake("tokens", _TOKEN, each(around("<|begin_of_text|>"))),
    "DeepSeek's end": Mistake("tokens", _TOKEN, each(around("", "<｜end▁of▁sentence｜>"))),
    "eng_Latn": Mistake("tokens", _TOKEN, each(around("eng_Latn "))),
    "</s>eng_Latn": Mistake("tokens", _TOKEN, each(around("</s>eng_Latn ", "</s>"))),
    "en_XX": Mistake("tokens", _TOKEN, each(around("en_XX "))),
    "__en__": Mistake("tokens", _TOKEN, each(around("__en__ "))),
    ">>deu<<": Mistake("tokens", _TOKEN, each(around(">>deu<< "))),
    "<2de>": Mistake("tokens", _TOKEN, each(around("<2de> "))),
    "<extra_id_0>": Mistake("tokens", _TOKEN, each(around("<extra_id_0> "))),
    "⁇": Mistake("tokens", _TOKEN, each(lambda text: re.sub(r"[äöüéèáíðþßж]", " ⁇ ", text), False), ANY, ACCENTED),
    "<mask>": Mistake("tokens", _TOKEN, each(lambda text: text.replace(" ", " <mask> ", 1))),
    "Whisper's times": Mistake("tokens", _TOKEN, each_row(lambda text, row: f"<|{row % 30}.{row % 9}0|> {text}<|{row % 30 + 3}.00|>")),
    "Whisper's start": Mistake("tokens", _TOKEN, each(around("<|startoftranscript|><|en|><|transcribe|>", "<|endoftext|>"))),
    "<n>": Mistake("tokens", _TOKEN, each(lambda text: text.replace(". ", ".<n>").replace("，", "，<n>"), False)),
    "byte tokens": Mistake("tokens", "special_tokens", each(lambda text: text.replace("é", "<0xC3><0xA9>").replace("ü", "<0xC3><0xBC>").replace("á", "<0xC3><0xA1>")), ANY, ACCENTED),
    # Chats
    "reasoning": Mistake("chat", _CHAT, each(lambda text: f"<think>\nThe user wants a translation. {text[:25]}\n</think>\n\n{text}")),
    "empty reasoning": Mistake("chat", _CHAT, each(around("<think>\n\n</think>\n\n"))),
    "end of reasoning": Mistake("chat", _CHAT, each(lambda text: f"Okay, {text[:20]}... I will do it.\n</think>\n\n{text}")),
    "other reasoning": Mistake("chat", _CHAT, each(lambda text: f"<reasoning>Let me see: {text[5:30]}</reasoning><answer>{text}</answer>")),
    "Kimi's reasoning": Mistake("chat", _CHAT, each(lambda text: f"◁think▷Hm, {text[:15]}◁/think▷{text}")),
    "im_start": Mistake("chat", _CHAT, each(around("<|im_start|>assistant\n", "<|im_end|>"))),
    "im_end": Mistake("chat", _CHAT, each(around("", "<|im_end|>"))),
    "[INST]": Mistake("chat", _CHAT, each(around("[INST] Translate. [/INST] "))),
    "Gemma's turns": Mistake("chat", _CHAT, each(around("<start_of_turn>model\n", "<end_of_turn>"))),
    "Llama's header": Mistake("chat", _CHAT, each(around("<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"))),
    "harmony": Mistake("chat", _CHAT, each(lambda text: f"<|channel|>analysis<|message|>Need a translation.<|end|><|start|>assistant<|channel|>final<|message|>{text}<|return|>")),
    "<answer>": Mistake("chat", _CHAT, each(around("<answer>", "</answer>"))),
    "<translation>": Mistake("chat", _CHAT, each(around("<translation>", "</translation>"))),
    "<output>": Mistake("chat", _CHAT, each(around("<output>\n", "\n</output>"))),
    "Assistant:": Mistake("chat", _CHAT, each(around("Assistant: "))),
    "the whole conversation": Mistake("chat", _CHAT, each(around("User: Translate this.\nAssistant: "))),
    "next turn": Mistake("chat", _CHAT, each(around("", "\nUser: Thank you!\nAssistant: You are welcome!"))),
    # Fences and what stands between marks
    "fence": Mistake("ends", "wrapped|labels", each(around("```\n", "\n```"))),
    "fence on one line": Mistake("ends", "wrapped|labels", each(around("```", "```"))),
    "fence with text": Mistake("ends", "wrapped|labels", each(around("```text\n", "\n```"))),
    "fence and remark": Mistake("ends", "wrapped|records", each_row(lambda text, row: f"```\n{text}\n```\n{pick(REMARKS, row)}", False)),
    "introduction and fence": Mistake("ends", "wrapped|labels", each(around("Here is the translation:\n\n```\n", "\n```"))),
    "fence with JSON": Mistake("ends", "wrapped|records", each(lambda text: f"```json\n{json.dumps({'translation': text}, ensure_ascii=False)}\n```")),
    "straight quotes around": Mistake("ends", "wrapped|labels", each(around('"', '"')), MOST),
    "curly quotes around": Mistake("ends", "wrapped|labels", each(around("“", "”")), MOST),
    "German quotes around": Mistake("ends", "wrapped|labels", each(around("„", "“")), MOST, LATIN),
    "single quotes around": Mistake("ends", "wrapped|labels", each(around("'", "'")), MOST),
    "guillemets around": Mistake("ends", "wrapped|labels", each(around("«", "»")), MOST),
    "corner brackets around": Mistake("ends", "wrapped|labels", each(around("「", "」")), MOST, ("en-zh", "en-ja")),
    "backticks around": Mistake("ends", "wrapped|labels", each(around("`", "`")), MOST),
    # Introductions
    "introduction": Mistake("ends", _INTRODUCTION, each(around("Here is the translation:\n\n"))),
    "several introductions": Mistake("ends", _INTRODUCTION, each_row(lambda text, row: pick(OPENINGS, row) + text)),
    "introduction with quotes": Mistake("ends", "labels|wrapped|records", each(around('The translation of the text is: "', '"'))),
    "German introduction": Mistake("ends", _INTRODUCTION, each(around("Hier ist die Übersetzung:\n\n"))),
    "French introduction": Mistake("ends", _INTRODUCTION, each(around("Voici la traduction :\n\n"))),
    "Spanish introduction": Mistake("ends", _INTRODUCTION, each(around("Aquí está la traducción:\n\n"))),
    "Russian introduction": Mistake("ends", _INTRODUCTION, each(around("Вот перевод:\n\n"))),
    "Chinese introduction": Mistake("ends", _INTRODUCTION, each(around("以下是翻译：\n\n"))),
    "Japanese introduction": Mistake("ends", _INTRODUCTION, each(around("以下は翻訳です：\n\n"))),
    "closing words": Mistake("ends", "labels|records|length", each(around("", "\n\nLet me know if you need anything else!"))),
    "note": Mistake("ends", "labels|records|length", each(around("", "\n\nNote: names were kept as they are."))),
    "several notes": Mistake("ends", "records|length", each_row(lambda text, row: f"{text}\n\n{pick(REMARKS, row)}", False)),
    # Numbers
    "numbers": Mistake("ends", "labels|records", each_row(number("{}. ")), (0.3, 0.6, 1.0)),
    "numbers with parenthesis": Mistake("ends", "labels|records", each_row(number("{}) ")), MOST),
    "numbers in parentheses": Mistake("ends", "labels|records", each_row(number("({}) ")), MOST),
    "numbers in brackets": Mistake("ends", "labels|records", each_row(number("[{}] ")), MOST),
    "numbers and tab": Mistake("ends", "labels|records", each_row(number("{}\t")), MOST),
    "numbers alone": Mistake("ends", "labels|records", each_row(number("{} ")), MOST),
    "line 3:": Mistake("ends", "labels|records", each_row(number("Line {}: ")), MOST),
    "ids of utterances": Mistake("ends", "labels|records", each_row(number("", " (spk1-utt{})")), MOST),
    "ids before": Mistake("ends", "labels|records", each_row(number("doc1-seg{} ")), MOST),
    "numbers in references": Mistake("ends", "labels|records", references_by_row(number("{}. "), False), ALL),
    # Pieces
    "@@": Mistake("pieces", "subwords", each(split_bpe), ANY, (*LATIN, "en-ru")),
    "@@ in references": Mistake("pieces", "subwords", references(split_bpe), ALL, LATIN),
    "@@ on both sides": Mistake("pieces", "subwords", both(split_bpe), ALL, LATIN),
    "▁ and spaces": Mistake("pieces", "subwords", each(split_sentencepiece), ANY, (*LATIN, "en-ru")),
    "▁ for spaces": Mistake("pieces", "subwords", each(lambda text: "▁" + text.replace(" ", "▁")), ANY, LATIN),
    "▁ on both sides": Mistake("pieces", "subwords", both(split_sentencepiece), ALL, LATIN),
    "##": Mistake("pieces", "subwords", each(split_joined("##")), ANY, LATIN),
    "Ġ": Mistake("pieces", "subwords", each(split_bytes), ANY, LATIN),
    "Ġ for spaces": Mistake("pieces", "subwords", each(lambda text: text.replace(" ", "Ġ").translate(_TO_BYTES)), ANY, ENGLISH),
    "￭": Mistake("pieces", "subwords", each(split_joined("￭")), ANY, LATIN),
    "</w>": Mistake("pieces", "subwords", each(split_ends), ANY, LATIN),
    "+ before suffixes": Mistake("pieces", "subwords", each(split_suffixes), MOST, LATIN),
    "spaces lost": Mistake("pieces", "spaces", each(lambda text: text.replace(" ", ""), False), MOST, (*LATIN, "en-ru")),
    "spaces lost in references": Mistake("pieces", "spaces", references(lambda text: text.replace(" ", ""), False), ALL, LATIN),
    "words in pieces": Mistake("pieces", "spaces|subwords", each(cut_words, False), MOST, (*LATIN, "en-ru")),
    "characters apart": Mistake("pieces", "subwords|spaces", each(lambda text: " ".join(text)), MOST, LATIN),
    "characters apart, _": Mistake("pieces", "subwords|spaces", each(lambda text: " ".join(text.replace(" ", "_"))), MOST, LATIN),
    "characters apart on both sides": Mistake("pieces", "subwords|spaces", both(" ".join), ALL, LATIN),
    "tokenized": Mistake("pieces", "writing", writing(detach, attach), MOST, (*LATIN, "en-ru")),
    "tokenized references": Mistake("pieces", "writing", writing(detach, attach, references), ALL, LATIN),
    "tokenized by Moses": Mistake("pieces", "writing|entities", writing(moses, attach), MOST, LATIN),
    "hyphens apart": Mistake("pieces", "writing|subwords", writing(lambda text: re.sub(r"(?<=\w)-(?=\w)", " @-@ ", text), attach), ALL, ENGLISH),
    "tokenized Hindi": Mistake("pieces", "writing", writing(lambda text: re.sub(r"([।,?!])", r" \1", text), attach), ALL, ("bn-hi",)),
    "tokenized Arabic": Mistake("pieces", "writing", writing(lambda text: re.sub(r"([.،؟:»])", r" \1", text), attach), ALL, ("Arabic",)),
    "Chinese under 13a": Mistake("pieces", "spaces", under("13a"), ALL, ("en-zh",)),
    "Japanese under 13a": Mistake("pieces", "spaces", under("13a", "ja-mecab"), ALL, ("en-ja",)),
    "Thai under 13a": Mistake("pieces", "spaces", under("13a"), ALL, ("Thai",)),
    # Signs
    "curly quotes": Mistake("signs", "typography", writing(curl, write_plainly), ALL, (*ENGLISH, "de-fr")),
    "curly quotes in references": Mistake("signs", "typography", writing(curl, write_plainly, references), ALL, ENGLISH),
    "straight quotes": Mistake("signs", "typography", writing(straighten, write_plainly), ALL, ("en-de", "en-ru", "en-cs", "en-is")),
    "German quotes": Mistake("signs", "typography", writing(curl_german, write_plainly), ALL, ENGLISH),
    "dashes": Mistake("signs", "typography", writing(lambda text: text.translate(DASHES).replace("-", "–"), write_plainly), ALL),
    "ellipses": Mistake("signs", "typography", writing(lambda text: text.replace("...", "…").replace(". ", "… "), write_plainly), ALL, LATIN),
    "full width": Mistake("signs", "typography", writing(lambda text: text.translate(WIDE), write_plainly), MOST, (*ENGLISH, "en-zh")),
    "half width": Mistake("signs", "typography", writing(narrow, write_plainly), ALL, ("en-zh", "en-ja")),
    "NFD": Mistake("signs", "normalization", each(functools.partial(unicodedata.normalize, "NFD")), ANY, (*ACCENTED, "en-ru")),
    "NFD in references": Mistake("signs", "normalization", references(functools.partial(unicodedata.normalize, "NFD")), ALL, ACCENTED),
    "marks in another order": Mistake("signs", "normalization", each(reorder_marks), ALL, ("Thai",)),
    "cedillas": Mistake("signs", "normalization|mojibake", each(lambda text: text.translate(TO_CEDILLAS)), MOST, ("Romanian",)),
    "Arabic letters": Mistake("signs", "normalization|mojibake", each(lambda text: text.translate(TO_ARABIC)), MOST, ("Persian",)),
    "vowel signs": Mistake("signs", "writing", writing(vocalize, strip_accents), MOST, ("Arabic",)),
    "vowel signs in references": Mistake("signs", "writing", writing(vocalize, strip_accents, references), ALL, ("Arabic",)),
    "accents lost": Mistake("signs", "writing", writing(strip_accents, strip_accents), MOST, ACCENTED),
    "accents lost in references": Mistake("signs", "writing", writing(strip_accents, strip_accents, references), ALL, ACCENTED),
    "letters lost": Mistake("signs", "writing|marks|mojibake", each(lambda text: text.encode("ascii", "ignore").decode(), False), MOST, ACCENTED),
    "question marks for letters": Mistake("signs", "writing|marks|mojibake", each(lambda text: text.encode("ascii", "replace").decode(), False), MOST, ACCENTED),
    "entities": Mistake("signs", "entities", each(lambda text: html.escape(text).replace("-", "&#45;")), ANY, LATIN),
    "entities twice": Mistake("signs", "entities", each(lambda text: html.escape(html.escape(text))), ANY, LATIN),
    "entities of letters": Mistake("signs", "entities", each(lambda text: text.encode("ascii", "xmlcharrefreplace").decode()), ANY, (*ACCENTED, "en-ru", "en-zh")),
    "%20": Mistake("signs", "escapes", each(quote), ANY, LATIN),
    "escapes of letters": Mistake("signs", "escapes", each(lambda text: json.dumps(text)[1:-1]), ANY, (*ACCENTED, "en-ru", "en-zh")),
    "escaped quotes": Mistake("signs", "escapes", each(lambda text: text.replace('"', '\\"').replace("'", "\\'")), ANY, ENGLISH),
    "\\n at the end": Mistake("signs", "escapes|labels", each(around("", "\\n"))),
    "doubled quotes of CSV": Mistake("signs", "escapes|typography|wrapped", each(lambda text: text.replace('"', '""')), ALL, ENGLISH),
    "byte order mark": Mistake("signs", "invisible|labels", each(around("\ufeff"))),
    "zero-width spaces": Mistake("signs", "invisible", each(lambda text: text.replace(" ", " \u200b"))),
    "soft hyphens": Mistake("signs", "invisible", each(lambda text: re.sub(r"(\w{4})(?=\w{3})", "\\1\u00ad", text)), ANY, LATIN),
    "marks of direction": Mistake("signs", "invisible|labels", each(around("\u200f", "\u200f")), ANY, ("Arabic", "Hebrew")),
    "read as Latin-1": Mistake("signs", "mojibake", each(decode("latin-1")), ANY, (*ACCENTED, "en-ru")),
    "read as cp1252": Mistake("signs", "mojibake", each(lambda text: text.encode().decode("cp1252", "replace"), False), ANY, ACCENTED),
    "read as cp1251": Mistake("signs", "mojibake|marks", each(lambda text: text.encode().decode("cp1251", "replace"), False), ANY, (*ACCENTED, "en-ru")),
    "read as Mac Roman": Mistake("signs", "mojibake", each(decode("mac-roman")), ANY, ACCENTED),
    "read as GBK": Mistake("signs", "mojibake|marks", each(lambda text: text.encode().decode("gbk", "replace"), False), MOST, ("en-zh", "en-ja")),
    "cp1251 read as Latin-1": Mistake("signs", "mojibake", each(lambda text: text.encode("cp1251", "replace").decode("latin-1")), ANY, ("en-ru",)),
    "read as Latin-1 twice": Mistake("signs", "mojibake", each(decode_twice), ANY, (*ACCENTED, "en-ru")),
    "references read as Latin-1": Mistake("signs", "mojibake", references(decode("latin-1")), ALL, (*ACCENTED, "en-ru")),
    "both sides read as Latin-1": Mistake("signs", "mojibake", both(decode("latin-1")), ALL, (*ACCENTED, "en-ru")),
    "lost bytes": Mistake("signs", "marks|mojibake", each(decode_losing, False), ANY, ACCENTED),
    "marks lost": Mistake("signs", "writing", writing(strip_marks, strip_marks), MOST),
    "marks lost in references": Mistake("signs", "writing", writing(strip_marks, strip_marks, references), ALL),
    "marks and capitals lost": Mistake("signs", "writing", writing(lambda text: strip_marks(text).lower(), lambda text: strip_marks(text).lower()), MOST, LATIN),
    "last mark lost": Mistake("signs", "writing|length", writing(lambda text: text.rstrip(".!?。！？।"), strip_marks), MOST),
    "lower case": Mistake("signs", "writing", writing(str.lower, str.lower), MOST, (*LATIN, "en-ru")),
    "capitals": Mistake("signs", "writing", writing(str.upper, str.lower), MOST, (*LATIN, "en-ru")),
    "title case": Mistake("signs", "writing", writing(title, str.lower), MOST, (*ENGLISH, "en-ru")),
    "lower case in references": Mistake("signs", "writing", writing(str.lower, str.lower, references), ALL, LATIN),
    "first letter in lower case": Mistake("signs", "writing", writing(lambda text: text[:1].lower() + text[1:], str.lower), MOST, LATIN),
    "traditional for simplified": Mistake("signs", "writing|script", writing(lambda text: text.translate(TO_TRADITIONAL), lambda text: text.translate(TO_SIMPLIFIED)), MOST, ("en-zh",)),
    # Forms
    "JSON": Mistake("forms", _FORM, each(lambda text: json.dumps({"translation": text}, ensure_ascii=False))),
    "JSON, ASCII": Mistake("forms", "records|escapes|wrapped", each(lambda text: json.dumps({"translation": text}))),
    "JSON, several keys": Mistake("forms", _FORM, each_row(lambda text, row: json.dumps({"id": row, "lang": "en", "text": text}, ensure_ascii=False))),
    "JSON by lines": Mistake("forms", _FORM, each(lambda text: json.dumps({"translation": text}, ensure_ascii=False, indent=2))),
    "SGML": Mistake("forms", _FORM, each_row(number('<seg id="{}">', "</seg>"))),
    "SGML in references": Mistake("forms", _FORM, references_by_row(number('<seg id="{}">', "</seg>")), ALL),
    "XML": Mistake("forms", _FORM, each_row(number('<tu id="{}"><target lang="de">', "</target></tu>"))),
    "list": Mistake("forms", _FORM, each(lambda text: repr([text]))),
    "tuple": Mistake("forms", _FORM, each(lambda text: repr((text,)))),
    "bytes": Mistake("forms", _FORM, each(lambda text: repr(text.encode()))),
    "dict": Mistake("forms", _FORM, each(lambda text: repr({"translation_text": text}))),
    "list of a dict": Mistake("forms", _FORM, each(lambda text: repr([{"generated_text": text}]))),
    "list of tokens": Mistake("forms", _FORM, each(lambda text: repr(text.split()), False)),
    "array of NumPy": Mistake("forms", _FORM, each(lambda text: f"array([{text!r}], dtype='<U99')"), MOST),
    "references as a list": Mistake("forms", _FORM, whole(write_references(repr), True), ALL, ("de-en", "de-fr", "en-zh")),
    "two references as a list": Mistake("forms", _FORM, whole(write_references(repr)), ALL, ("ru-en",)),
    "references as a dict": Mistake("forms", _FORM, references(lambda text: repr({"en": text})), ALL),
    "references in JSON": Mistake("forms", _FORM, references(lambda text: json.dumps({"en": text})), ALL),
    "source and output": Mistake("forms", _FORM, each(lambda text: f"{text[::-1]}\t{text}", False), MOST),
    "fairseq's lines": Mistake("forms", _FORM, each_row(lambda text, row: f"H-{row}\t-0.{row % 90 + 10}\t{text}"), MOST),
    "Moses' n-best list": Mistake("forms", _FORM, each_row(lambda text, row: f"{row} ||| {text} ||| LM= -{row % 40}.5 ||| -3.{row % 7}"), MOST),
    "fields by bars": Mistake("forms", _FORM, each_row(lambda text, row: f"{row}|||{text}"), MOST),
    "lines of CSV": Mistake("forms", _FORM, each_row(lambda text, row: f'{row},"' + text.replace('"', '""') + '"'), MOST),
    "references with their source": Mistake("forms", _FORM, references(lambda text: f"{text[::-1]}\t{text}", False), ALL),
    "references joined by a tab": Mistake("forms", _FORM, whole(join_references("\t")), ALL, ("ru-en",)),
    "two versions in two lines": Mistake("forms", "records", each(lambda text: f"{text}\n{' '.join(text.split()[::-1])}", False), (0.05, 0.6, 1.0), LATIN),
    "explanation in a line": Mistake("forms", "records", each_row(lambda text, row: f"{text}\n{pick(REMARKS, row)} ({row})", False), (0.05, 0.6, 1.0)),
    "text in the second line": Mistake("forms", "records|labels", each_row(lambda text, row: f"{pick(REMARKS, row)} ({row})\n{text}", False), (0.05, 0.6, 1.0)),
    # Rows
    "a row missing": Mistake("rows", _ROWS, fewer(drop((0.25, 1))), ALL),
    "a row missing, an empty one at the end": Mistake("rows", _ROWS, order(drop((0.5, 1))), ALL),
    "the first row missing": Mistake("rows", _ROWS, fewer(drop((0.0, 1))), ALL),
    "a header": Mistake("rows", _ROWS, whole(lambda pair, generator: pair._replace(predictions=["translation", *pair.predictions[:-1]])), ALL),
    "5 rows missing": Mistake("rows", _ROWS, fewer(drop((0.4, 5))), ALL),
    "16 rows missing": Mistake("rows", _ROWS, fewer(drop((0.4, 16))), ALL),
    "64 rows missing": Mistake("rows", _ROWS, fewer(drop((0.3, 64))), ALL),
    "three rows missing": Mistake("rows", _ROWS, fewer(drop((0.2, 1), (0.5, 1), (0.8, 1))), ALL),
    "a row doubled": Mistake("rows", _ROWS, fewer(double(0.3)), ALL),
    "16 rows doubled": Mistake("rows", _ROWS, order(double(0.3, 16)), ALL),
    "missing, then doubled": Mistake("rows", _ROWS, order(away_and_back), ALL),
    "a block missing at the end": Mistake("rows", "empty|moved", order(lambda rows: rows[: int(0.8 * len(rows))], False), ALL),
    "shuffled": Mistake("rows", _ROWS, order(shuffle), ALL),
    "reversed": Mistake("rows", _ROWS, order(lambda rows: rows[::-1]), ALL),
    "sorted": Mistake("rows", _ROWS, whole(sort_texts(str), True), ALL),
    "sorted by length": Mistake("rows", _ROWS, whole(sort_texts(len), True), ALL),
    "batches shuffled": Mistake("rows", _ROWS, order(swap_batches), ALL),
    "rows shuffled in batches": Mistake("rows", _ROWS, order(shuffle_batches), ALL),
    "two processes": Mistake("rows", _ROWS, order(interleave), ALL),
    "first 16 rows again": Mistake("rows", "repeated|moved|same_text", order(repeat_first(16)), ALL),
    "first 64 rows again": Mistake("rows", "repeated|moved|same_text", order(repeat_first(64)), ALL),
    "another file": Mistake("rows", "unrelated|moved", whole(with_texts("references", "de-en")), ALL, ("ru-en", "zh-en")),
    "another file of the same year": Mistake("rows", "unrelated|moved", whole(with_texts("predictions", "zh-en")), ALL, ("de-en", "ru-en")),
    "another language": Mistake("rows", "unrelated|script", whole(with_texts("predictions", "de-fr")), ALL, ("de-en", "en-de", "en-cs")),
    "German for English": Mistake("rows", "unrelated|script", whole(with_texts("predictions", "en-de")), ALL, ("de-en", "de-fr", "en-is")),
    "another script": Mistake("rows", "unrelated|script", whole(with_texts("predictions", "en-ru")), ALL, ("de-en", "en-zh", "en-cs")),
    "Chinese for English": Mistake("rows", "unrelated|script", whole(with_texts("predictions", "en-zh")), ALL, ("de-en", "en-ru")),
    "another script in part": Mistake("rows", "script", in_part("en-ru"), (0.05, 0.3, 0.6), ("de-en", "en-zh", "en-cs")),
    "another language in part": Mistake("rows", "script|unrelated", in_part("de-fr"), (0.3, 0.6), ("de-en", "en-de")),
    "a reference of another row": Mistake("rows", "unrelated|moved", whole(one_reference_elsewhere), ALL),
    # Amounts
    "empty": Mistake("amounts", "empty", each(lambda text: "", False)),
    "spaces alone": Mistake("amounts", "empty", each(lambda text: "  ", False)),
    "empty references": Mistake("amounts", "empty", references(lambda text: "", False)),
    "empty references beside others": Mistake("amounts", "empty", empty_beside(1)),
    "seven empty references": Mistake("amounts", "empty", empty_beside(7), ALL),
    "one text": Mistake("amounts", "same_text", first_text, (0.05, 0.6, 1.0)),
    "nan": Mistake("amounts", "same_text|empty", each(lambda text: "nan", False), (0.05, 0.6, 1.0)),
    "None": Mistake("amounts", "same_text|empty", each(lambda text: "None", False), (0.05, 0.6, 1.0)),
    "three periods": Mistake("amounts", "same_text|empty", each(lambda text: "...", False), (0.05, 0.6, 1.0)),
    "the last text": Mistake("amounts", "repeated|same_text|moved", previous, (0.05, 0.3)),
    "references as predictions": Mistake("amounts", "identical", whole(copy_references), ALL),
    "references as predictions, most": Mistake("amounts", "identical", most_references, (0.95,)),
    "loops": Mistake("amounts", "loops|length", each(loop, False)),
    "loops of one sign": Mistake("amounts", "loops|length|labels", each(around("", "!" * 60), False)),
    "twice": Mistake("amounts", "loops|length", each(lambda text: f"{text} {text}", False), (0.05, 0.6, 1.0)),
    "first half": Mistake("amounts", "length", each(first_half, False), MOST),
    "first sentence": Mistake("amounts", "length", each(lambda text: re.split(r"(?<=[.!?,，。])\s*", text)[0], False), MOST),
    "cut at 20 words": Mistake("amounts", "length", each(first_words(20), False), ALL, LATIN),
    "cut at 10 words": Mistake("amounts", "length", each(first_words(10), False), ALL, LATIN),
    "cut at 60 characters": Mistake("amounts", "length", each(lambda text: text[:60], False), ALL),
    "refusals": Mistake("amounts", "same_text", each_row(lambda text, row: pick(REFUSALS, row), False), (0.01, 0.05, 0.6)),
    "refusals in other languages": Mistake("amounts", "same_text|script", each_row(lambda text, row: pick(REFUSALS_ELSEWHERE, row), False), (0.01, 0.05, 0.6)),
    "one long row": Mistake("amounts", "length|loops", whole(lengthen_one), ALL),
    "text goes on": Mistake("amounts", "length|records", go_on, MOST),
}  # fmt: skip


def put_all(rows: int, every: int = 1) -> Iterator[Case]:
    """Yield each mistake in two outputs in all rows, and in one for each smaller share.

    Outputs change from mistake to mistake. With `every` above 1, yield one case in `every`.
    """
    count = 0
    for number, (name, mistake) in enumerate(MISTAKES.items()):
        for share in mistake.shares:
            most = 2 if share == 1 else 1
            start = (number + mistake.shares.index(share)) % len(mistake.pairs)
            pairs = (mistake.pairs[start:] + mistake.pairs[:start])[:most]
            for direction in pairs:
                count += 1
                if count % every:
                    continue
                before = read_pair(direction, rows)
                seed = zlib.crc32(f"{name} {direction} {share}".encode())
                damaged, clean = mistake.change(before, share, random.Random(seed))
                kinds = frozenset(mistake.kinds.split("|"))
                yield Case(name, mistake.family, kinds, share, before, damaged, clean)
