"""Ways of writing: quotes, case, accents, punctuation; told, and fixed in all columns alike.

Called by `measures.py`. To add one, add a `Writing` to `WRITINGS`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import filterfalse
from typing import NamedTuple

from .inverses import make_replacer
from .pairs import OTHER_SIDE, SIDES, Found, Pairs, Side, Undo

_SIGNS_OF_QUOTES = '“”„‟«»「」『』″"'
_APOSTROPHES = "’‘‚‛‹›ʼ´`′'"
_TO_PLAIN = {
    **dict.fromkeys((*_SIGNS_OF_QUOTES, "``", "''"), '"'),
    **dict.fromkeys(_APOSTROPHES, "'"),
    **dict.fromkeys("–—‑−‐―", "-"),
    "…": "...",
    "\u3000": " ",
    "。": ".",
    "।": ".",
}

_UNPLAIN = re.compile(f"``|''|[{''.join(_TO_PLAIN)}\uff01-\uff5e\uff65-\uff9f०-९٠-٩]")


def write_plainly(text: str) -> str:
    """Write quotation marks, dashes, ellipses and full-width signs in their plain form.

    >>> write_plainly("“A” – b…　７")
    '"A" - b... 7'
    """
    if text.isascii() and "``" not in text and "''" not in text:
        return text
    return _UNPLAIN.sub(_write_sign, text)


def _write_sign(match: re.Match[str]) -> str:
    narrow = unicodedata.normalize("NFKC", match[0])
    return _TO_PLAIN.get(match[0]) or str(unicodedata.digit(match[0], narrow))


def strip_accents(text: str) -> str:
    """Remove accents and vowel signs.

    >>> strip_accents("déjà")
    'deja'
    """
    return "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFD", text)))


def detokenize(text: str) -> str:
    """Attach detached marks to their words.

    >>> detokenize("He said , it 's well @-@ known .")
    "He said, it's well-known."
    """
    text = text.replace(" @-@ ", "-")
    text = re.sub(r" ([.,!?;:)\]»”%…।。])", r"\1", text)
    text = re.sub(r"([(\[«“¿¡]) ", r"\1", text)
    return re.sub(r" (n['’]t|['’] ?(?:s|t|re|ve|ll|d|m))\b", lambda m: m[1].replace(" ", ""), text)


_TRADITIONAL = (
    "燈橋張著們這國來說時為會對學過還開關發現點經問題話語電機車東長門馬魚鳥見風飛書買賣讀寫醫圖廣產業樂習"
    "專讓認識請誰謝錢鐵銀錯難頭兒幾氣漢軍農務動華單雙變聽員團場處備實將師帶應當總戰斷無顯術權樣沒"
    "靈熱愛環畫種節紀紅線練組細終結給統繼續維網羅聯職腦藥營雖補觀規覺計訂討訓議記講許論設訪證評詞"
    "試詩誠詳調談責敗貨質購費資賽趙趨躍軌轉輪軟輕載較輛輸達運進遠連遲選遞郵釋裡針鐘鋼鍵閃閉間聞陽"
    "陰隊階際陸險隨隱靜頂項順須預領頻顆顏額飯飲館駐驗魯雞麥黃齊"
)
_SIMPLIFIED = (
    "灯桥张着们这国来说时为会对学过还开关发现点经问题话语电机车东长门马鱼鸟见风飞书买卖读写医图广产业乐习"
    "专让认识请谁谢钱铁银错难头儿几气汉军农务动华单双变听员团场处备实将师带应当总战断无显术权样没"
    "灵热爱环画种节纪红线练组细终结给统继续维网罗联职脑药营虽补观规觉计订讨训议记讲许论设访证评词"
    "试诗诚详调谈责败货质购费资赛赵趋跃轨转轮软轻载较辆输达运进远连迟选递邮释里针钟钢键闪闭间闻阳"
    "阴队阶际陆险随隐静顶项顺须预领频颗颜额饭饮馆驻验鲁鸡麦黄齐"
)


@lru_cache(maxsize=4)  # several measurements ask for the same text
def count_signs(text: str) -> Counter[str]:
    """Count the characters of a text."""
    return Counter(text)


def _count_spaces(text: str) -> int:
    """Count the spaces between words; two in a row, or one without a break, are one."""
    return sum(max(0, len(line.split()) - 1) for line in text.split("\n"))


def _make_counter(pattern: str) -> Callable[[str], int]:
    find_all = re.compile(pattern).findall
    return lambda text: len(find_all(text))


def _count_if(test: Callable[[str], bool]) -> Callable[[str], int]:
    is_counted = cache(test)
    return lambda text: sum(
        number for sign, number in count_signs(text).items() if is_counted(sign)
    )


class Writing(NamedTuple):
    """A way of writing: the share of some characters, which differs between the sides.

    count: the function that counts them in a text.
    among: the function that counts those that could be them.
    least, most: the share of the side that has them, and of the side that lacks them.
    says: the predicate of a sentence about the side that lacks them, or has too many of them.
    is_said_of_more: True if the sentence is about the side that has them.
    fix: the line to write.
    alike: the function that writes all columns alike; None if only the texts before can do that.
    kind: the kind of mistake.
    """

    count: Callable[[str], int]
    among: Callable[[str], int]
    least: float
    most: float
    says: str
    fix: str
    alike: Undo | None
    is_said_of_more: bool = False
    kind: str = "writing"


_count_cased = _count_if(lambda sign: sign.lower() != sign.upper())
_count_capitals = _count_if(str.isupper)
_count_written = _count_if(lambda sign: not sign.isspace())
_count_arabic = _count_if(lambda sign: "\u05d0" <= sign <= "\u06ff")
_IGNORE_CASE = "lowercase=True"
_BEFORE = "Use the texts before {} were removed"
_VOWEL_SIGNS = "[\u0591-\u05c7\u064b-\u0652]"


def _translate(old: str, new: str, least: float, most: float, says: str, kind: str) -> Writing:
    """Return the record of letters that have two forms, one of which is written in all columns."""
    table = str.maketrans(old, new)
    fix = f"text.translate(str.maketrans({old[:4]!r}, {new[:4]!r}))"
    count, among = (_count_if(frozenset(signs).__contains__) for signs in (old, old + new))
    return Writing(
        count, among, least, most, says, fix, lambda text: text.translate(table), True, kind
    )


WRITINGS = (
    Writing(
        _count_capitals, _count_cased, 0.015, 0.003, "are in lower case", _IGNORE_CASE, str.lower
    ),
    Writing(
        _count_capitals, _count_cased, 0.8, 0.3, "are in capitals", _IGNORE_CASE, str.lower, True
    ),
    Writing(
        _make_counter(r"\b[A-ZА-Я][a-zа-я]"),
        _make_counter(r"\b[A-ZА-Яa-zа-я][a-zа-я]"),
        0.75,
        0.45,
        "have a capital in each word",
        _IGNORE_CASE,
        str.lower,
        True,
    ),
    Writing(
        _count_if(
            lambda sign: (
                len(unicodedata.normalize("NFD", sign)) > 1 or unicodedata.combining(sign) > 0
            )
        ),
        _count_if(str.isalpha),
        0.012,
        0.002,
        "have no accents",
        _BEFORE.format("accents"),
        strip_accents,
    ),
    Writing(
        _count_if(lambda sign: unicodedata.category(sign)[0] in "PS"),
        len,
        0.015,
        0.002,
        "have no punctuation",
        _BEFORE.format("punctuation marks"),
        make_replacer(r"[^\w\s]+"),
    ),
    Writing(
        _make_counter(r" [.,)।](?= |\n|$)"),
        _make_counter(r"[.,)।](?=[ \n]|$)"),
        0.6,
        0.1,
        "have detached punctuation",
        "sacremoses.MosesDetokenizer().detokenize(text.split())",
        detokenize,
        True,
    ),
    Writing(
        _make_counter(_VOWEL_SIGNS),
        _count_arabic,
        0.1,
        0.02,
        "have no vowel signs",
        _BEFORE.format("vowel signs"),
        make_replacer(_VOWEL_SIGNS),
    ),
    Writing(
        _count_if(lambda sign: "\uff01" <= sign <= "\uff5e"),
        _count_written,
        0.2,
        0.02,
        "are written in full width",
        "unicodedata.normalize('NFKC', text)",
        write_plainly,
        True,
        "typography",
    ),
    _translate(_TRADITIONAL, _SIMPLIFIED, 0.6, 0.3, "have traditional characters", "writing"),
    _translate("şţŞŢ", "șțȘȚ", 0.6, 0.1, "have letters with a cedilla", "normalization"),
    _translate("يك", "یک", 0.6, 0.1, "have Arabic forms of letters", "normalization"),
    Writing(
        _count_spaces,
        _count_written,
        0.08,
        0.03,
        "have no spaces between words",
        _BEFORE.format("spaces"),
        None,
        kind="spaces",
    ),
    Writing(
        _count_if("\u200c".__eq__),
        _count_arabic,
        0.004,
        0.0005,
        "have no half spaces (U+200C)",
        _BEFORE.format("half spaces"),
        None,
        kind="spaces",
    ),
)

_TYPOGRAPHY = {
    "quotation marks": f"[{_SIGNS_OF_QUOTES}]",
    "apostrophes": f"[{_APOSTROPHES}]",
    "dashes": "[–—−-]",
    "ellipses": r"…|\.\.\.",
    "commas": "[,，、]",
    "digits": "[०-९٠-٩]|[0-9]",
    "full stops": "[。।.．]",
}


def find_writing(pairs: Pairs) -> Iterator[Found]:
    """Find ways of writing that differ between the sides; none is a mistake of one text."""
    sample = {side: pairs.sample(side) for side in SIDES}
    measure = cache(lambda count, side: count(sample[side]))  # records share their functions
    are_words = not pairs.is_unspaced and len(sample["references"]) > 20 * (
        1 + sample["references"].count("\n")
    )
    said = {_IGNORE_CASE} if pairs.options.lowercase else set()
    for writing in WRITINGS:
        # 1. Enough characters on both sides, and no other record or option that has said it.
        among = {side: measure(writing.among, side) for side in SIDES}
        is_known = writing.fix in said or (writing.kind == "spaces" and not are_words)
        if is_known or min(among.values()) < 12:
            continue
        # 2. One side has the characters and the other lacks them, in all rows or in a part.
        share = {side: measure(writing.count, side) / among[side] for side in SIDES}
        if max(measure(writing.count, side) for side in SIDES) < 5:
            continue
        lacking = min(SIDES, key=share.__getitem__)
        side = OTHER_SIDE[lacking] if writing.is_said_of_more else lacking
        places = [place for place, text in enumerate(pairs.texts[side]) if text]
        sentence = f"The {side} {writing.says}, unlike the {OTHER_SIDE[side]}"
        if share[OTHER_SIDE[lacking]] < writing.least or share[lacking] > writing.most:
            is_part = share[lacking] < 0.85 * share[OTHER_SIDE[lacking]] > 0.3 * writing.least
            places = _list_unlike(pairs, writing, side) if is_part and writing.alike else []
            if len(places) <= max(3, 0.3 * len(pairs.texts[side])):
                continue
            sentence = f"{len(places):,} of {pairs.count(side)} {writing.says}, unlike the others"
        said.add(writing.fix)
        yield pairs.describe_all(
            writing.kind,
            side,
            places,
            sentence,
            writing.fix,
            alike=writing.alike,
            is_told=writing.kind != "typography",
        )


def _list_unlike(pairs: Pairs, writing: Writing, side: Side) -> list[int]:
    """Return the texts of a side that are written in a way their partners are not.

    None, if it is the other way round in other rows: then it is a way of no side.
    """
    unlike: tuple[list[int], list[int]] = ([], [])  # the text lacks the characters, or its partner
    for place, text in enumerate(pairs.texts[side]):
        texts = [text, *pairs.list_partners(side, place)[:1]]
        shares = [writing.count(each) / max(1, writing.among(each)) for each in texts]
        fewest = 1 if writing.among is len else 2  # a sentence may end in its only mark
        is_clear = max(map(writing.count, texts)) >= fewest and max(shares) >= writing.least
        is_whole = min(map(len, texts)) > 0.75 * max(map(len, texts))
        if is_clear and is_whole and min(shares) <= writing.most:
            unlike[shares.index(min(shares))].append(place)
    places, others = reversed(unlike) if writing.is_said_of_more else unlike
    return places if len(others) < 0.1 * len(places) else []


def find_typography(pairs: Pairs) -> Iterator[Found]:
    """Find the quotation mark, dash or other sign whose share differs most between the sides."""
    gaps = []
    for name, pattern in _TYPOGRAPHY.items() if pairs.is_asked else ():
        signs = {side: Counter(re.findall(pattern, pairs.sample(side))) for side in SIDES}
        if not all(signs.values()) or max(found.total() for found in signs.values()) < 3:
            continue
        for side in SIDES:
            for sign, number in signs[side].items():
                others = signs[OTHER_SIDE[side]]
                share, other = number / signs[side].total(), others[sign] / others.total()
                sentence = (
                    f"{sign} is {share:.0%} of the {name} in the {side}, and {other:.0%} in the"
                    f" {OTHER_SIDE[side]}"
                )
                gaps.append((share - other, side, sign, sentence))
    gap, side, sign, sentence = max(gaps, key=lambda each: each[0], default=(0, *SIDES, ""))
    if gap > 0.3:
        yield pairs.describe_all(
            "typography",
            side,
            pairs.search(side, re.escape(sign)),
            sentence,
            "result.fixed('typography')",
            alike=write_plainly,
            is_told=False,
        )
