"""Small inputs with a known mistake, what `check` must find in them, and inputs without any.

All texts are invented. `sacrebleu_score` returns the score that a finding must have after its fix: the score of the
clean texts, by sacreBLEU.
"""

import quopri
import random
import re
import unicodedata
import urllib.parse
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from sacrebleu import corpus_bleu

NAMES = [
    "Anna",
    "Boris",
    "Carla",
    "David",
    "Elena",
    "Farid",
    "Greta",
    "Henrik",
    "Ilse",
    "Jonas",
    "Karim",
    "Lena",
    "Marek",
    "Nadia",
    "Oskar",
    "Paula",
    "Quirin",
    "Rosa",
    "Stefan",
    "Tamara",
]
PLACES = [
    "market",
    "library",
    "harbour",
    "station",
    "museum",
    "bakery",
    "theatre",
    "garden",
    "factory",
    "hospital",
]
ITEMS = [
    "oranges",
    "candles",
    "lanterns",
    "violins",
    "postcards",
    "blankets",
    "umbrellas",
    "kettles",
    "tulips",
    "ladders",
]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]

Texts = tuple[list[Any], list[list[Any]]]


class Case(NamedTuple):
    """An input, and what is found in it.

    found: the kind, the side, the first row and the number of rows, or None for any number.
    clean: predictions, references and options after `fixed(kind)`; None if it is not fixed in texts.
    """

    predictions: list[Any]
    references: list[list[Any]]
    found: tuple[str, str, int, int | None]
    clean: tuple[list[Any], list[list[Any]], dict[str, Any]] | None
    options: Mapping[str, Any] = MappingProxyType({})


def make_pairs(size: int, seed: int = 0) -> Texts:
    """Return predictions and references that mean the same, each row another text."""
    generator = random.Random(seed)
    predictions = []
    references = []
    for row in range(size):
        first, second = NAMES[(row * 7 + seed) % 20], NAMES[(row * 3 + 5) % 20]
        place, item, day = map(generator.choice, (PLACES, ITEMS, DAYS))
        number = generator.randint(2, 98)
        prediction, reference = (
            (f"{first} has bought {number} {item} at the {place} on {day}.", f"{first} bought {number} {item} at the {place} on {day}."),
            (f"On {day}, {second} has seen {first} near the old {place} with {number} {item}.", f"On {day}, {second} saw {first} near the old {place}, carrying {number} {item}."),
            (f"The {place} in the south has sold {number} {item} to {first} and to {second}.", f"The {place} in the south sold {number} {item} to {first} and {second}."),
            (f"Why has {first} left {number} {item} in front of the {place}, {second} asked.", f"Why did {first} leave {number} {item} in front of the {place}, {second} asked."),
        )[row % 4]  # fmt: skip
        predictions.append(prediction)
        references.append([reference])
    return predictions, references


def make_quoted(size: int, seed: int = 0) -> Texts:
    """Return the same with what a person says between quotation marks."""
    predictions, references = make_pairs(size, seed)
    quoted = [f'{NAMES[row % 20]} said: "{text}"' for row, text in enumerate(predictions)]
    return quoted, [[f'{NAMES[row % 20]} said: "{text}"'] for row, (text,) in enumerate(references)]


def one(texts: Any) -> list[list[Any]]:
    """Return one reference per row."""
    return [[text] for text in texts]


FRENCH = [
    "L’été dernier, la forêt près de Besançon a brûlé.",
    "Où est passé le garçon qui gardait les chèvres ?",
    "Le café était fermé à cause de la grève générale.",
    "Élodie a goûté la crème brûlée préparée par son frère.",
    "Après la fête, nous sommes rentrés à pied à la maison.",
    "Le maître a corrigé toutes les dictées des élèves.",
    "Sa thèse décrit l’évolution des églises de Bohême.",
    "Une fenêtre était restée ouverte pendant la tempête.",
]
FRENCH_OUTPUT = [
    "L’été dernier, la forêt près de Besançon a été brûlée.",
    "Où est le garçon qui gardait les chèvres ?",
    "Le café était fermé en raison de la grève générale.",
    "Élodie a goûté une crème brûlée préparée par son frère.",
    "Après la fête, nous sommes rentrés à la maison à pied.",
    "Le maître a corrigé les dictées de tous les élèves.",
    "Sa thèse décrit l’évolution des églises en Bohême.",
    "Une fenêtre est restée ouverte pendant la tempête.",
]
CHINESE = ["昨天晚上，图书馆的灯一直亮着。", "他在火车站买了三张去上海的票。", "老师让我们把作业写在黑板上。", "这座桥是一百年前建成的。", "下雨的时候，孩子们都在家里玩。", "她每天早上七点去公园跑步。"]  # fmt: skip
CHINESE_OUTPUT = ["昨天晚上，图书馆的灯都亮着。", "他在火车站买了三张到上海的票。", "老师让我们把作业写到黑板上。", "这座桥是一百年以前建成的。", "下雨时，孩子们都在家里玩。", "她每天早上七点到公园跑步。"]  # fmt: skip
JAPANESE = ["昨日の夜、図書館の明かりはずっとついていた。", "彼は駅で京都行きの切符を三枚買った。", "先生は宿題を黒板に書くように言った。"]  # fmt: skip
JAPANESE_OUTPUT = ["昨日の夜、図書館の明かりはついていた。", "彼は駅で京都行きの切符を三枚買いました。", "先生は宿題を黒板に書くよう言った。"]  # fmt: skip
RUSSIAN = ["Вчера вечером в библиотеке горел свет.", "Он купил на вокзале три билета.", "Учитель попросил нас писать на доске.", "Этот мост построили сто лет назад."]  # fmt: skip
RUSSIAN_OUTPUT = ["Вчера вечером в библиотеке был свет.", "Он купил на вокзале три билета.", "Учитель велел нам писать на доске.", "Этот мост построен сто лет назад."]  # fmt: skip


def split_bpe(text: str) -> str:
    return " ".join(word if len(word) < 6 or not word.isalpha() else f"{word[:3]}@@ {word[3:]}" for word in text.split(" "))  # fmt: skip


def split_sentencepiece(text: str) -> str:
    return " ".join(f"▁{word}" if len(word) < 6 else f"▁{word[:4]} {word[4:]}" for word in text.split(" "))  # fmt: skip


def detach(text: str) -> str:
    return text.replace(",", " ,").replace(".", " .").replace("'s", " 's")


def drop_accents(text: str) -> str:
    return re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", text))


def change_rows(texts: list[str], rows: Collection[int], change: Callable[[str], str]) -> list[str]:
    return [change(text) if row in rows else text for row, text in enumerate(texts)]


def drop_marks(text: str) -> str:
    return re.sub(r"[^\w\s]", "", text)


def dash(text: str, sign: str) -> str:
    return re.sub(" (?:at|near|in) ", f" {sign} ", text)


def encode_quoted(text: str) -> str:
    return quopri.encodestring(text.encode()).decode().replace("=\n", "")


def vary(text: str) -> list[str]:
    """Return three references that say the same."""
    return [text, text.replace(" the ", " a "), f"They said: {text}"]


def make_german(size: int) -> list[str]:
    """Return texts of words at random, of another language and subject."""
    generator = random.Random(9)
    words = "wir haben gestern neue Messungen gemacht weil der Regen über Nacht alle Kabel"
    words = f"{words} zerstört hatte und niemand Ersatz fand".split()
    return [" ".join(generator.choices(words, k=9)).capitalize() + "." for _ in range(size)]


def written(
    predictions: list[str], references: list[list[str]], alike: Callable[[str], str]
) -> tuple[list[str], list[list[str]], dict[str, Any]]:
    """Return texts of both sides that are written alike."""
    return list(map(alike, predictions)), one(alike(text) for (text,) in references), {}


P, R = make_pairs(12)
P20, R20 = make_pairs(20, 1)
Q, S = make_quoted(12, 3)
LONG, LONG_REFERENCES = make_pairs(40, 6)
CLEAN = (P, R, {})
QUOTED = (Q, S, {})
ORDER = random.Random(3).sample(range(40), 40)
IDS = [[5 + row, 9, 12 + row, 7, 30 + row % 3, 2] for row in range(8)]
REFERENCE_IDS = [[[5 + row, 9, 12 + row, 7, 31, 2]] for row in range(8)]
SOURCES = [f"{name} war am {day} dort, und zwar {row} Mal." for row, (name, day) in enumerate(zip(NAMES, DAYS * 3))][:12]  # fmt: skip
BOLD = {65 + i: 0x1D400 + i for i in range(26)} | {97 + i: 0x1D41A + i for i in range(26)}
WIDE = {48 + i: 0xFF10 + i for i in range(10)} | {65 + i: 0xFF21 + i for i in range(26)} | {97 + i: 0xFF41 + i for i in range(26)}  # fmt: skip
TRADITIONAL = str.maketrans("图书馆灯着张师让们业写黑这桥时里", "圖書館燈著張師讓們業寫黑這橋時裡")
ANSWER = "I'm sorry, but I can't assist with that request."

CASES = {
    "BPE": Case([split_bpe(x) for x in P], R, ("subwords", "predictions", 0, 12), CLEAN),
    "BPE on both sides": Case([split_bpe(x) for x in P], one(split_bpe(x) for (x,) in R), ("subwords", "predictions", 0, 12), CLEAN),
    "SentencePiece": Case([split_sentencepiece(x) for x in P], R, ("subwords", "predictions", 0, 12), CLEAN),
    "spaced characters": Case([" ".join(x) for x in P], R, ("subwords", "predictions", 0, 12), CLEAN),
    "end of a sentence": Case(change_rows(P, {7}, lambda x: x + "</s>"), R, ("special_tokens", "predictions", 7, 1), CLEAN),
    "end of a sentence in one row of 20": Case(change_rows(P20, {13}, lambda x: x + "</s>"), R20, ("special_tokens", "predictions", 13, 1), (P20, R20, {})),
    "padding": Case([x + " <pad>" * (row % 4) for row, x in enumerate(P)], R, ("special_tokens", "predictions", 1, 9), CLEAN),
    "language codes": Case([f"en_XX {x}</s>" for x in P], R, ("special_tokens", "predictions", 0, 12), CLEAN),
    "ends of turns": Case([f"<|im_start|>assistant\n{x}<|im_end|>" for x in P], R, ("special_tokens", "predictions", 0, 12), CLEAN),
    "ends of token lists": Case([[*x.split(), "</s>"] for x in P], [[x.split()] for (x,) in R], ("special_tokens", "predictions", 0, 12), ([x.split() for x in P], [[x.split()] for (x,) in R], {})),
    "bytes as tokens": Case([x.replace("é", "<0xC3><0xA9>") for x in FRENCH_OUTPUT], one(FRENCH), ("special_tokens", "predictions", 0, 7), (FRENCH_OUTPUT, one(FRENCH), {})),
    "padded ids": Case([x + [0] * (3 - row % 3) for row, x in enumerate(IDS)], REFERENCE_IDS, ("special_tokens", "predictions", 0, 8), (IDS, REFERENCE_IDS, {})),
    "reasoning": Case(change_rows(P, {2, 5, 6}, lambda x: f"<think>\nThe user wants English. {x[:15]}\n</think>\n\n{x}"), R, ("reasoning", "predictions", 2, 3), CLEAN),
    "end of reasoning": Case(change_rows(P, {4}, lambda x: f"Let me see.</thinking> {x}"), R, ("reasoning", "predictions", 4, 1), CLEAN),
    "turns": Case([f"[INST] Translate. [/INST] {x}" for x in P], R, ("reasoning", "predictions", 0, 12), CLEAN),
    "a last answer": Case([f"Let me think about it.\nFinal answer: {x}" for x in P], R, ("reasoning", "predictions", 0, 12), CLEAN),
    "fences": Case([f"```\n{x}\n```" for x in P], R, ("wrapped", "predictions", 0, 12), CLEAN),
    "lists": Case([repr([x]) for x in P], R, ("wrapped", "predictions", 0, 12), CLEAN),
    "bytes": Case([repr(x.encode()) for x in P], R, ("wrapped", "predictions", 0, 12), CLEAN),
    "quotes around all": Case([f'"{x}"' for x in P], R, ("wrapped", "predictions", 0, 12), CLEAN),
    "SGML": Case(P, one(f'<seg id="{row + 1}">{x}</seg>' for row, (x,) in enumerate(R)), ("wrapped", "references", 0, 12), CLEAN),
    "-100 without a sign": Case(IDS, [[x + [4294967196] * 2] for (x,) in REFERENCE_IDS], ("wrapped", "references", 0, 8), (IDS, REFERENCE_IDS, {})),
    "tags": Case([x.replace(" at ", " <b>at</b> ").replace("Why", "<i>Why</i>").replace(" old ", " <b>old</b> ").replace(" sold ", " <u>sold</u> ") for x in P], R, ("markup", "predictions", 0, 12), CLEAN),
    "JSON": Case([f'{{"id": "{row}", "de": "Ja", "en": "{x}"}}' for row, x in enumerate(P)], R, ("records", "predictions", 0, 12), CLEAN),
    "n-best list": Case([f"{row} ||| {x} ||| LM= -12.5 ||| -3.1" for row, x in enumerate(P)], R, ("records", "predictions", 0, 12), CLEAN),
    "fairseq": Case([f"H-{row}\t-0.{row}1\t{x}" for row, x in enumerate(P)], R, ("records", "predictions", 0, 12), CLEAN),
    "source, output and reference": Case([f"{s}\t{x}\t{t}" for s, x, (t,) in zip(SOURCES, P, R)], R, ("records", "predictions", 0, 12), None),
    "references in one cell": Case(P, one(f"{x}\t{y}" for (x,), y in zip(R, P)), ("records", "references", 0, 12), None),
    "lines": Case(change_rows(P, {3, 8}, lambda x: f"{x}\nI hope this is useful."), R, ("records", "predictions", 3, 2), None),
    "introductions": Case(change_rows(P, {0, 3, 8}, lambda x: f"Sure! Here is the translation:\n\n{x}"), R, ("labels", "predictions", 0, 3), CLEAN),
    "labels before texts": Case([f"German: {x}" for x in P], R, ("labels", "predictions", 0, 12), CLEAN),
    "brackets around texts": Case([f"\\boxed{{{x}}}" for x in P], R, ("labels", "predictions", 0, 12), CLEAN),
    "numbers": Case([f"{row + 1}. {x}" for row, x in enumerate(P)], R, ("labels", "predictions", 0, 12), CLEAN),
    "ids of lines": Case([f"{x} (spk1-utt{row})" for row, x in enumerate(P)], R, ("labels", "predictions", 0, 12), CLEAN),
    "a word before texts": Case([f"result {x}" for x in P], R, ("labels", "predictions", 0, 12), None),
    "labels of references": Case(P, one(f"REF: {x}" for (x,) in R), ("labels", "references", 0, 12), None),
    "entities": Case([x.replace('"', "&#34;") for x in Q], S, ("entities", "predictions", 0, 12), QUOTED),
    "escaped quotes": Case([x.replace('"', '\\"') for x in Q], S, ("escapes", "predictions", 0, 12), QUOTED),
    "escaped line breaks": Case(change_rows(P, {1, 7}, lambda x: x + "\\n"), R, ("escapes", "predictions", 1, 2), (change_rows(P, {1, 7}, lambda x: f"{x}\n"), R, {})),
    "quoted-printable": Case([encode_quoted(x) for x in FRENCH_OUTPUT], one(FRENCH), ("escapes", "predictions", 0, 8), (FRENCH_OUTPUT, one(FRENCH), {})),
    "an address": Case([urllib.parse.quote(x) for x in P], R, ("escapes", "predictions", 0, 12), CLEAN),
    "another encoding": Case(FRENCH_OUTPUT, one(x.encode().decode("cp1252") if "à" not in x else x.encode().decode("latin-1") for x in FRENCH), ("mojibake", "references", 0, 8), (FRENCH_OUTPUT, one(FRENCH), {})),
    "Cyrillic in one byte": Case([x.encode("cp1251").decode("latin-1") for x in RUSSIAN_OUTPUT], one(RUSSIAN), ("script", "predictions", 0, 4), None),
    "zero-width spaces": Case([x.replace(" ", " \u200b") for x in P], R, ("invisible", "predictions", 0, 12), CLEAN),
    "a byte order mark": Case(["\ufeff" + P[0], *P[1:]], R, ("invisible", "predictions", 0, 1), CLEAN),
    "colors of a terminal": Case([f"\x1b[32m{x}\x1b[0m" for x in P], R, ("invisible", "predictions", 0, 12), CLEAN),
    "letters and accents": Case([unicodedata.normalize("NFD", x) for x in FRENCH_OUTPUT], one(FRENCH), ("normalization", "predictions", 0, 8), (FRENCH_OUTPUT, one(FRENCH), {})),
    "letters of mathematics": Case([x.translate(BOLD) for x in P], R, ("normalization", "predictions", 0, 12), CLEAN),
    "unknown words": Case(change_rows(P, {2}, lambda x: x.replace("has", "<unk>")), R, ("marks", "predictions", 2, 1), None),
    "lost bytes": Case(change_rows(FRENCH_OUTPUT, {1, 2}, lambda x: x.replace("é", "\ufffd")), one(FRENCH), ("marks", "predictions", 2, 1), None),
    "marks of noise": Case(change_rows(P, {1, 4, 9}, lambda x: f"{x} [noise]"), R, ("marks", "predictions", 1, 3), None),
    "empty predictions": Case(change_rows(P, {3, 4}, lambda x: ""), R, ("empty", "predictions", 3, 2), None),
    "all predictions empty": Case(["" for x in P], R, ("empty", "predictions", 0, 12), None),
    "an empty reference beside another": Case(P, [[*x, ""] for x in R], ("empty", "references", 0, 12), CLEAN),
    "one text": Case(change_rows(P, {1, 2, 5, 8}, lambda x: P[0]), R, ("same_text", "predictions", 0, 5), None),
    "answers": Case(change_rows(P, {5, 7, 9, 10}, lambda x: ANSWER), R, ("same_text", "predictions", 5, 4), None),
    "nan": Case(change_rows(P, {2, 6}, lambda x: "nan"), R, ("same_text", "predictions", 2, 2), None),
    "references as predictions": Case([x for (x,) in R], R, ("identical", "predictions", 0, 12), None),
    "references as predictions, beside others": Case([x for (x,) in R], [[f"The text says that {x[0].lower()}{x[1:]}", x] for (x,) in R], ("identical", "predictions", 0, 12), None),
    "a loop": Case(change_rows(P, {7}, lambda x: x[:20] + " and then" * 25), R, ("loops", "predictions", 7, 1), None),
    "cut off": Case([x[: len(x) // 2] for x in P], R, ("length", "predictions", 0, 12), None),
    "a third of each text": Case([x[: len(x) // 3] + "." for x in P], R, ("length", "predictions", 0, 12), None),
    "texts twice": Case([f"{x} {x}" for x in P], R, ("length", "predictions", 0, 12), None),
    "another script": Case(change_rows(P, {1, 2, 5}, lambda x: RUSSIAN[0]), R, ("script", "predictions", 1, 3), None),
    "lost spaces": Case([x.replace(" ", "") for x in P], R, ("spaces", "predictions", 0, 12), None),
    "signs for spaces": Case([x.replace(" ", "_") for x in P], R, ("spaces", "predictions", 0, 12), CLEAN),
    "pluses for spaces": Case([x.replace(" ", "+") for x in P], R, ("spaces", "predictions", 0, 12), CLEAN),
    "no spaces": Case(CHINESE_OUTPUT, one(CHINESE), ("spaces", "references", 0, 6), None),
    "lower case": Case([x.lower() for x in P], R, ("writing", "predictions", 0, 12), written(P, R, str.lower)),
    "capitals": Case([x.upper() for x in P], R, ("writing", "predictions", 0, 12), written(P, R, str.lower)),
    "tokenized": Case([detach(x) for x in P], R, ("writing", "predictions", 0, 12), (P, R, {"tokenize": "none"}), {"tokenize": "none"}),
    "lost punctuation": Case([drop_marks(x) for x in P], R, ("writing", "predictions", 0, 12), written(P, R, drop_marks)),
    "lost accents": Case([drop_accents(x) for x in FRENCH_OUTPUT], one(FRENCH), ("writing", "predictions", 0, 8), written(FRENCH_OUTPUT, one(FRENCH), drop_accents)),
    "Chinese forms": Case([x.translate(TRADITIONAL) for x in CHINESE_OUTPUT * 3], one(CHINESE * 3), ("writing", "predictions", 0, 18), (CHINESE_OUTPUT * 3, one(CHINESE * 3), {"tokenize": "zh"}), {"tokenize": "zh"}),
    "typographic quotes": Case(Q, one(x.replace(': "', ": “").replace('."', ".”") for (x,) in S), ("typography", "predictions", 0, 12), QUOTED),
    "dashes": Case([dash(x, "–") for x in P], one(dash(x, "-") for (x,) in R), ("typography", "predictions", 0, 12), ([dash(x, "-") for x in P], one(dash(x, "-") for (x,) in R), {})),
    "ellipses": Case([x[:-1] + "…" for x in P], one(x[:-1] + "..." for (x,) in R), ("typography", "predictions", 0, 12), ([x[:-1] + "..." for x in P], one(x[:-1] + "..." for (x,) in R), {})),
    "full width": Case([x.translate(WIDE) for x in P], R, ("typography", "predictions", 0, 12), CLEAN),
    "a missing row": Case(LONG[:12] + LONG[13:] + [""], LONG_REFERENCES, ("moved", "predictions", 12, 28), (LONG[:12] + LONG[13:], LONG_REFERENCES[:12] + LONG_REFERENCES[13:], {})),
    "another order": Case([LONG[row] for row in ORDER], LONG_REFERENCES, ("moved", "predictions", 0, None), (LONG, LONG_REFERENCES, {})),
    "the first rows again": Case([*LONG[:34], *LONG[:6]], LONG_REFERENCES, ("repeated", "predictions", 34, 6), None),
    "one row per reference": Case([x for x in LONG for _ in range(3)], one(y for (x,) in LONG_REFERENCES for y in vary(x)), ("flattened", "predictions", 1, 80), None),
    "another file": Case(LONG, one(make_german(40)), ("unrelated", "predictions", 0, 40), None),
}  # fmt: skip

# Inputs without a finding: predictions, references, options.
CLEAN_CASES: dict[str, tuple[list[str], list[list[str]], dict[str, Any]]] = {
    "handles with @@ and ##": ([*P, "Write to anna@@example or call hall ##4.", "He follows @@boris on the forum, a rare name."], [*R, ["Write to anna@@example or call hall ##4."], ["He follows @@boris on the forum, a rare name."]], {}),
    "headings and hearts": (["## Opening hours", "I <3 this bakery", "a < b and b > c", "<b>Sale</b> today"], one(["## Opening times", "I <3 the bakery", "a < b and b > c", "<b>Sale</b> today"]), {}),
    "a person who is sorry": ([*P, "I'm sorry, but I can't come to the party on Friday.", "Sorry, I cannot find my keys."], [*R, ["I am sorry, but I cannot come to the party on Friday."], ["Sorry, I can't find my keys."]], {}),
    "German quotes on both sides": (["„Komm her“, sagte Anna.", "Das Wort „Haus“ ist kurz.", "Er rief: „Halt!“", "Der „Alte“ schlief."], one(["„Komm hierher“, sagte Anna.", "Das Wort „Haus“ ist ganz kurz.", "Er rief: „Halt!“", "Der „Alte“ hat geschlafen."]), {}),
    "code on both sides": (["The token <|y|> ends a turn.", "Type \\n for a line break.", "print(['a', 'b']) shows a list.", "Use &amp; in HTML."], one(["The token <|y|> closes a turn.", "Write \\n for a line break.", "print(['a', 'b']) prints a list.", "Use &amp; in HTML."]), {}),
    "numbers on both sides": ([f"{row + 1}. {x}" for row, x in enumerate(P)], one(f"{row + 1}. {x}" for row, (x,) in enumerate(R)), {}),
    "a headline in capitals": ([*P, "STORM CLOSES HARBOUR"], [*R, ["STORM SHUTS HARBOUR"]], {}),
    "Japanese by characters": (JAPANESE_OUTPUT, one(JAPANESE), {"tokenize": "char"}),
    "segmented Chinese": (["我们 用 的 是 中文 。", "他 在 车站 买 票 。"], one(["我们 用 中文 。", "他 在 车站 买 了 票 。"]), {}),
    "tokenized by design": ([detach(x) for x in P], one(detach(x) for (x,) in R), {"tokenize": "none"}),
    "texts about translation": (["The translation: a difficult art.", "Here is the news about the translation prize: all lost.", "He thinks <aloud>.", "1. d4 is a move in chess."], one(["Translation: a difficult art.", "Here's the news on the translation prize: everyone lost.", "He thinks <aloud>.", "1. d4 is a chess move."]), {}),
    "Maltese and Turkish letters": (["Ġorġ mar il-baħar ma' Ġużeppi.", "Ġimgħa jmorru l-Għawdex.", "Şehir çok güzel.", "Ġanni u Marija jgħixu hawn."], one(["Ġorġ mar il-baħar ma' Ġużeppi llum.", "Il-Ġimgħa jmorru Għawdex.", "Şehir güzel.", "Ġanni u Marija jgħixu hawnhekk."]), {}),
    "short answers": (["Yes.", "No.", "Yes.", "Yes.", "No.", "Thank you."], one(["Yes.", "No.", "Yes!", "Yes.", "No!", "Thanks."]), {}),
}  # fmt: skip

# --- Other domains --------------------------------------------------------------------------------


class Domain(NamedTuple):
    """An input of another domain: kinds that must not be named, and kinds of which one must be."""

    predictions: list[str]
    references: list[Any]
    never: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    options: Mapping[str, Any] = MappingProxyType({})


SENTENCES = ["The committee will meet again on Friday, as planned.", "Anna has bought three umbrellas at the market.", "Why did the old bridge close so early in May?", "Two of the nine ships reached the harbour at noon.", "He paid 45 euros for the repair of his bicycle.", "Doctors advise everyone over sixty to rest more.", "The library lends films, maps and a few violins.", "No one in the village had heard of the new law.", "A storm is expected in the northern valleys tonight.", "She teaches chemistry to children who hate school.", "Please return the blue folder to Mr. Okafor soon.", "Their first song was played 900 times on the radio."]  # fmt: skip
SUMMARIES = [" ".join(SENTENCES[i:i + 3]) for i in range(0, 12, 3)]  # fmt: skip
JSON_LINES = ['{"intent": "book_flight", "city": "' + city + '", "day": "' + day + '"}' for city, day in (("Paris", "Monday"), ("Rome", "Friday"), ("Oslo", "Sunday"))]  # fmt: skip
CODE = ["def __eq__(self, other):\n  return self.x == other.x", "def __str__(self):\n  return str(self.x)", "def __len__(self):\n  return len(self.items)"]  # fmt: skip
TABS = ["def f(x):\n\tif x:\n\t\treturn 1\n\treturn 2", "def g(y):\n\tfor a in y:\n\t\tprint(a)", "class A:\n\tdef h(self):\n\t\tpass"]  # fmt: skip
WITH_LATIN_OUTPUT = ["他在手机上安装了这个app，然后连接了wifi，开始看视频。", "会议将在北京举行，预计有三百人参加。", "这座山高三千km，很多人喜欢去那里。", "今天的天气很好，我们去公园散步吧。"] * 3  # fmt: skip
WITH_LATIN = ["他在手机上装了这个应用，接着连上网络，开始看视频。", "会议将在北京举行，预计有三百人出席，NBA球星也会到场。", "这座山高三千公里，许多人喜欢去那儿玩。", "今天天气很好，我们去公园走走吧，好不好。"] * 3  # fmt: skip
WORDS = [*sorted({w.strip(".,?").lower() for t in SENTENCES for w in t.split()}), "river", "stone", "window", "paper", "doctor", "silver", "garden", "winter", "captain", "letter", "engine", "forest", "mirror", "candle", "valley", "orange", "button", "ladder", "pocket", "summer"]  # fmt: skip


def drop_rows(texts: list[str], first: int, count: int) -> list[str]:
    return texts[:first] + texts[first + count :]


def make_rows(size: int) -> list[str]:
    """Return texts of words at random, no two of them alike."""
    generator = random.Random(7)
    return [
        " ".join(generator.choice(WORDS) for _ in range(9)).capitalize() + "." for _ in range(size)
    ]


# What is meant: none of these kinds is found, asked about or warned of, and no fix lowers the score.
MEANT = {
    "summaries by lines": Domain([s.replace(". ", ".\n") for s in SUMMARIES], one(SUMMARIES), never=("records",)),
    "JSON on both sides": Domain([j.replace("Rome", "Roma") for j in JSON_LINES], one(JSON_LINES), never=("markup", "records", "wrapped")),
    "JSON, one broken": Domain([JSON_LINES[0], JSON_LINES[1][:-1], JSON_LINES[2]], one(JSON_LINES), never=("markup", "records", "wrapped")),
    "HTML line by line": Domain(["<p>", "We sell boots and hats for all.", "</p>"] * 4, one(["<p>", "We sell shoes and hats for all.", "</p>"] * 4), never=("markup", "records", "wrapped")),
    "answer with a code block": Domain(["Use sorted:\n\n```python\nsorted(xs)\n```\nIt returns a new list.", *SENTENCES[:3]], one(["Call sorted(xs), which returns a new list.", *SENTENCES[:3]]), never=("wrapped", "records")),
    "Python with __eq__": Domain([c.replace("self.x", "self.y") for c in CODE], one(CODE), never=("special_tokens",)),
    "sentences about [CLS]": Domain(["BERT puts a [CLS] symbol before the sentence.", "The [MASK] symbol hides a word.", *SENTENCES[:10]], one(["BERT puts a [CLS] token before the sentence.", "The [MASK] token hides a word.", *SENTENCES[:10]]), never=("special_tokens",)),
    "HTML with <s>": Domain([f"<p>Cost: <s>{p}</s> <b>{p - 5}</b></p>" for p in (20, 30, 40)], one([f"<p>Price: <s>{p}</s> <b>{p - 5}</b></p>" for p in (20, 30, 40)]), never=("special_tokens",)),
    "<answer> on both sides": Domain([f"<answer>{i} apples</answer>" for i in range(12)], one([f"<answer>{i % 7} apples</answer>" for i in range(12)]), never=("reasoning", "special_tokens", "wrapped", "labels")),
    "tuples as answers": Domain(["(3, 5)", "(2, -1)", "[1, 4]", "12"], one(["(3, 5)", "(2, 1)", "[1, 4]", "12"]), never=("wrapped", "records")),
    "LaTeX on both sides": Domain([r"\nu _ { t } \neq \tau + \rho", r"\nabla \phi \rightarrow 0"] * 3, one([r"\nu _ { s } \neq \tau + \rho", r"\nabla \phi \rightarrow 1"] * 3), never=("escapes",)),
    "code with tabs": Domain(TABS, one([t.replace("\t", "    ") for t in TABS]), never=("records",)),
    "Chinese with 'app' and 'NBA'": Domain(WITH_LATIN_OUTPUT, one(WITH_LATIN), never=("writing",), options={"tokenize": "zh"}),
    "AMANHÃ…": Domain(["«AMANHÃ…» disse ele, e saiu da casa.", "A IRMÃ… não veio hoje à escola.", "O menino come pão."], one(["«AMANHÃ...» disse ele, e saiu da casa.", "A IRMÃ... não veio hoje à escola.", "O menino come pão."]), never=("mojibake",)),
    "éèêëàâ": Domain(["Les lettres éèêëàâ sont difficiles.", "Il écrit àâäéèêë chaque jour."], one(["Les lettres é, è, ê sont difficiles.", "Il écrit à, â, ä chaque jour."]), never=("mojibake",)),
    "French marks after a space": Domain(["Comment allez-vous ? Bien ; merci !", "Voici : il dit « oui »", "Quel été !"] * 4, one(["Comment allez-vous ? Très bien !", "Voilà : il a dit « oui »", "Quel bel été !"] * 4), never=("writing",)),
    "one-word references": Domain(["yes", "no", "two", "red"], [["yes", "yes", "yeah"], ["no", "no", "nope"], ["2", "2", "two"], ["red", "red", "dark red"]], never=("identical",)),
}  # fmt: skip

# Mistakes, one of whose names is found.
MISTAKEN = {
    "Hindi, U+095D": Domain(["वह \u092c\u0922\u093c\u093e रहा है और घर जाएगा"] * 4, one(["वह \u092c\u095d\u093e रहा है और घर जाएगा"] * 4), named=("normalization",)),
    "marks in another order": Domain(["เดิน\u0e48\u0e38 ไปตลาด"] * 4, one(["เดิน\u0e38\u0e48 ไปตลาด"] * 4), named=("normalization",), options={"tokenize": "char"}),
    "no punctuation": Domain([t.rstrip(".?").replace(",", "") for t in SENTENCES], one(SENTENCES), never=("length",), named=("writing",)),
    "DeepSeek's end token": Domain([t + "<｜end▁of▁sentence｜>" for t in SENTENCES], one(SENTENCES), never=("subwords",), named=("special_tokens",)),
    "empty references beside others": Domain(["The cat sat.", "Dogs bark."] * 3, [["The cat sat on the mat in the hall.", ""], ["Dogs bark at night in the town.", "The dogs bark at night there."]] * 3, named=("empty",)),
    "eight reference files with blank lines": Domain([t.replace(" ", " really ", 1) for t in SENTENCES], [[t] + [""] * 7 for t in SENTENCES], never=("identical",), named=("empty",)),
    "Chinese, equal to the references": Domain(["你好吗？", "他来了。", "我们走吧。", "天气很好。"] * 5, one(["你好吗？", "他来了。", "我们走吧。", "天气很好。"] * 5), named=("identical",), options={"tokenize": "zh"}),
    "numbers in 400 rows (compute)": Domain([f"{i + 1}. {t}" for i, t in enumerate(make_rows(400))], one(make_rows(400)), named=("labels",)),
    "all rows 'nan'": Domain(["nan"] * 40, one(make_rows(40)), never=("writing", "length"), named=("same_text",)),
    "16 of 120 rows missing": Domain(drop_rows(make_rows(120), 40, 16), one(make_rows(120)[:104]), named=("moved",)),
    "missing at 30, doubled at 80": Domain(make_rows(120)[:30] + make_rows(120)[31:81] + make_rows(120)[80:], one(make_rows(120)), named=("moved",)),
    "first 16 rows again at the end": Domain(make_rows(120)[:104] + make_rows(120)[:16], one(make_rows(120)), named=("repeated",)),
    "other test set": Domain(make_rows(60), one([f"Patients who take drug {i} sleep badly, said the nurse; call her." for i in range(60)]), named=("unrelated",)),
    "spaces lost": Domain([t.replace(" ", "") for t in SENTENCES], one(SENTENCES), named=("spaces",)),
    "characters apart": Domain([" ".join(t) for t in SENTENCES], one(SENTENCES), never=("writing",), named=("subwords",)),
    "'German: ' before each": Domain(["German: " + t for t in SENTENCES], one(SENTENCES), named=("labels",)),
    "startseq .. endseq": Domain([f"startseq {t} endseq" for t in SENTENCES], one(SENTENCES), named=("labels", "special_tokens")),
    "<start> .. <end>": Domain([f"<start> {t} <end>" for t in SENTENCES], one(SENTENCES), named=("special_tokens",)),
    "<sos> .. <eos>": Domain([f"<sos> {t} <eos>" for t in SENTENCES], one(SENTENCES), named=("special_tokens",)),
    "<|0.00|> of Whisper": Domain([f"<|0.00|> {t}<|5.20|>" for t in SENTENCES], one(SENTENCES), named=("special_tokens",)),
    "accents lost": Domain(["Le gateau a ete mange hier.", "Il a deja ferme la fenetre."] * 6, one(["Le gâteau a été mangé hier.", "Il a déjà fermé la fenêtre."] * 6), named=("writing",)),
    "Arabic with marks on one side": Domain(["ذَهَبَ الوَلَدُ إِلى المَدْرَسَةِ صَباحًا"] * 4, one(["ذهب الولد إلى المدرسة صباحا"] * 4), named=("writing",)),
    "accents lost in 60% of the rows": Domain(["Le gateau a ete mange hier.", "Il a deja ferme la fenetre."] * 12 + ["Le gâteau a été mangé hier."] * 16, one(["Le gâteau a été mangé hier.", "Il a déjà fermé la fenêtre."] * 12 + ["Le gâteau a été mangé hier."] * 16), named=("writing",)),
    "lower case in 60% of the rows": Domain([t.lower() if i % 5 < 3 else t for i, t in enumerate(LONG)], LONG_REFERENCES, named=("writing",)),
    "capitals in 60% of the rows": Domain([t.upper() if i % 5 < 3 else t for i, t in enumerate(LONG)], LONG_REFERENCES, named=("writing",)),
    "no punctuation in 60% of the rows": Domain([re.sub(r"[^\w\s]", "", t) if i % 5 < 3 else t for i, t in enumerate(LONG)], LONG_REFERENCES, named=("writing",)),
    "'!!!' after each": Domain([t + "!!!" for t in SENTENCES], one(SENTENCES), named=("labels",)),
    "two versions in two lines": Domain([f"{t}\n{t.replace(' the ', ' a ')}" for t in SENTENCES], one(SENTENCES), named=("records",)),
    "simplified and traditional": Domain(["我们今天去图书馆学习汉语，然后回家吃饭。"] * 4, one(["我們今天去圖書館學習漢語，然後回家吃飯。"] * 4), named=("writing", "script"), options={"tokenize": "zh"}),
    "only the first sentence": Domain([s.split(". ")[0].rstrip(".") + "." for s in SUMMARIES] * 3, one(SUMMARIES * 3), named=("length",)),
    "each text twice": Domain([t + " " + t for t in SENTENCES], one(SENTENCES), named=("length", "loops")),
    "fence with json": Domain([f'```json\n{{"translation": "{t}"}}\n```' for t in SENTENCES], one(SENTENCES), named=("wrapped", "records")),
    "harmony channels": Domain([f"<|channel|>analysis<|message|>Need German.<|end|><|start|>assistant<|channel|>final<|message|>{t}<|return|>" for t in SENTENCES], one(SENTENCES), named=("reasoning",)),
    "references as a list in text": Domain(SENTENCES[:4], [str([t, t + " Yes."]) for t in SENTENCES[:4]], named=("records",)),
}  # fmt: skip

# Texts of a length that some patterns are slow to search.
ATTACKS: dict[str, Callable[[int], str]] = {
    "tags": lambda size: "<think>" * (size // 7),
    "ends of tags": lambda size: "</think>" * (size // 8),
    "special tokens": lambda size: "<｜a" * (size // 3),
    "brackets": lambda size: "[" * size,
    "quotes in a list": lambda size: "['" + "'" * size,
    "spaces": lambda size: " " * size + "x",
    "quotes and spaces": lambda size: ' " ' * (size // 3),
    "ampersands": lambda size: "&" * size,
    "escapes": lambda size: "\\u00" * (size // 4),
    "pieces": lambda size: "a@@ " * (size // 4),
    "equal ids": lambda size: "7 " * (size // 2) + "8",
    "one word": lambda size: "a" * size,
    "encodings": lambda size: "Ã" * size,
    "accents": lambda size: "a" + "\u0301" * size,
    "braces": lambda size: '{"a":' * (size // 5),
    "separators": lambda size: " ||| " * (size // 5),
    "digits": lambda size: "1" * size,
    "fences": lambda size: "`" * size,
    "lines": lambda size: "a\n" * (size // 2),
    "Han": lambda size: "我" * size,
}


def sacrebleu_score(predictions: list[Any], references: list[list[Any]], options: Mapping[str, Any]) -> float:  # fmt: skip
    """Return sacreBLEU's score; tokens and ids are joined by spaces."""
    if isinstance(predictions[0], list):
        predictions = [" ".join(map(str, text)) for text in predictions]
        references = [[" ".join(map(str, text)) for text in row] for row in references]
        options = {"tokenize": "none"}
    sets = [list(column) for column in zip(*references)]
    return corpus_bleu(predictions, sets, force=True, **{"tokenize": "13a", **options}).score
