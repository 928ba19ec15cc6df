"""The cases of tests/conformance.jsonl, with which any implementation of BLEU can test itself.

`python tests/conformance.py` writes the file; docs/conformance.md describes it. Each score is asked
of a published implementation, the oracle, and the counts of n-grams are counted here a second time
in a few lines.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

PATH = Path(__file__).with_name("conformance.jsonl")
VERSION = "1.0"  # of the cases; docs/conformance.md has the hash of the file of this version

Case = dict[str, Any]
Options = dict[str, Any]


class Corpus(NamedTuple):
    """Predictions, and one to four references of each."""

    about: str
    predictions: list[str]
    references: list[list[str]]


class Oracle(NamedTuple):
    """A published implementation, by its name on PyPI, and how it is called."""

    package: str
    score: Callable[[Corpus, Options], float]


# --- Texts ----------------------------------------------------------------------------------------

PAPER = (
    "It is a guide to action which ensures that the military always obeys the commands of the party"
)
PAPER_REFERENCES = [
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
]

CORPORA = [
    Corpus("identical", ["the cat sat on the mat"], [["the cat sat on the mat"]]),
    Corpus("an empty prediction", [""], [["the cat sat on the mat"]]),
    Corpus("an empty reference", ["the cat sat on the mat"], [[""]]),
    Corpus("both are empty", [""], [[""]]),
    Corpus("one word, identical", ["yes"], [["yes"]]),
    Corpus("one word, different", ["yes"], [["no"]]),
    Corpus("three words of three", ["the old cat"], [["the old cat"]]),
    Corpus("no word matches", ["a bird sang in spring"], [["the cat sat on mats"]]),
    Corpus("words match, no pair of them", ["mat the on sat"], [["the mat sat there on it"]]),
    Corpus("no sequence of four", ["the cat sat near the mat"], [["the cat sat on the mat"]]),
    Corpus("a repeated word", ["the the the the the the the"], [["the cat is on the mat"]]),
    Corpus(
        "clipping with several references: the largest count of one, not their sum",
        ["the the the the cat cat"],
        [["the cat is on the mat", "there is a cat on the mat", "a cat and a cat"]],
    ),
    Corpus("too short", ["the cat sat on"], [["the cat sat on the mat in the sun"]]),
    Corpus("long enough", ["the cat sat on the mat in the sun"], [["the cat sat on the mat"]]),
    Corpus(
        "a tie of lengths: the shorter reference counts",
        ["a b c d e f"],
        [["a b c d e f g h", "a b c d"]],
    ),
    Corpus(
        "the closest reference is neither the shortest nor the longest",
        ["one two three four five six"],
        [["one two three", "one two three four five six seven", "one two three four five six seven eight nine"]],
    ),
    Corpus("the reference repeats itself", ["no no no yes"], [["no no yes no no yes no no yes"]]),
    Corpus(
        "several segments: counts are added before they are divided",
        ["the cat sat on the mat", "it rains", "we went home early in the morning"],
        [["a cat sat on the mat"], ["it is raining"], ["we went home early this morning"]],
    ),
    Corpus(
        "several segments, one of them empty",
        ["the cat sat on the mat", "", "he said that he would come"],
        [["the cat sat on a mat"], ["it is raining"], ["he said he would come"]],
    ),
    Corpus(
        "different numbers of references",
        ["the house is small and old", "i have no time today"],
        [["the house is small and very old", "the house is little and old"], ["i have no time"]],
    ),
    Corpus(
        "two segments with two references each",
        ["the dog ran to the red house", "we drank tea in the garden"],
        [
            ["the dog ran to a red house", "a dog was running to the red house"],
            ["we drank tea in our garden", "in the garden we were drinking tea"],
        ],
    ),
    Corpus(
        "three segments with two references each",
        ["she reads a book in bed", "trains are late again this week", "he has two old cars"],
        [
            ["she is reading a book in bed", "in bed she reads a book"],
            ["the trains are late again this week", "again the trains are late"],
            ["he has two old cars and a bicycle", "he owns two cars"],
        ],
    ),
    Corpus(
        "references of different lengths",
        ["please close the door behind you when you leave"],
        [["close the door", "please close the door behind you when you leave the house"]],
    ),
    Corpus("a sentence of the paper by Papineni et al. (2002)", [PAPER], [PAPER_REFERENCES]),
]  # fmt: skip

# A prediction and its reference, in which a tokenizer's rules show.
TRAPS = [
    ("a mark at the end", "The cat sat on the mat.", "The cat sat on the mat ."),
    ("marks inside", "Hello, world: it works; really!", "Hello , world : it works ; really !"),
    ("decimals and thousands", "It costs 3.50 or 1,000,000 euros", "It costs 3 . 50 or 1 , 000 , 000 euros"),
    ("a mark behind a number", "In 1999, he was 30.", "In 1999 , he was 30 ."),
    ("a number before a hyphen", "the 1990-2000 period of 20-year bonds", "the 1990 - 2000 period of 20 - year bonds"),
    ("hyphens in words", "a well-known state-of-the-art method", "a well - known state - of - the - art method"),
    ("apostrophes", "it's the dog's bone, isn't it", "it 's the dog 's bone , is n't it"),
    ("quotes", '"No," she said, "not now"', "\" No , \" she said , \" not now \""),
    ("typographic quotes", "“No,” she said – ‘not now’…", "\" No , \" she said - ' not now ' ..."),
    ("entities", "fish &amp; chips &lt;b&gt; &quot;now&quot;", "fish & chips < b > \" now \""),
    ("symbols", "50% of $20 + 3 = a/b @home #tag ^ ~", "50 % of $ 20 + 3 = a / b @ home # tag ^ ~"),
    ("brackets", "see (the end) [or] {not} <br>", "see ( the end ) [ or ] { not } < br >"),
    ("an address", "visit http://a.example/b?c=1&d=2 now", "visit http : / / a . example / b ? c = 1 & d = 2 now"),
    ("several spaces and tabs", "a  b\tc   d e", "a b c d e"),
    ("a no-break space", "10\u00a0000 km away from here", "10 000 km away from here"),
    ("skipped", "a <skipped> b c d e", "a b c d e"),
    ("a hyphen at the end of a line", "a long- distance call to him", "a long-distance call to him"),
    ("accents", "Čeština má háčky, à propos: naïve café", "Čeština má háčky , à propos : naïve café"),
    ("accents that are characters of their own", "cafe\u0301 au lait s'il vous plai\u0302t", "café au lait s'il vous plaît"),
    ("Greek and Cyrillic", "Это дом, а там – сад. Η γάτα κάθισε·", "Это дом , а там – сад . Η γάτα κάθισε ·"),
    ("Chinese", "我们今天去公园,他不去。", "我们今天去公园，他不去 。"),
    ("Chinese with words of letters", "他用iPhone 15打了3.5小时电话。", "他用 iPhone 15 打了 3.5 小时电话 。"),
    ("Japanese", "猫がマットの上に座った。", "猫はマットの上に座っています。"),
    ("Thai", "แมวนั่งบนเสื่อ", "แมวนอนบนเสื่อ"),
    ("Korean", "고양이가 매트 위에 앉았다.", "고양이가 매트 위에 앉아 있다."),
    ("Arabic", "جلست القطة على البساط، ثم نامت.", "جلست القطة على البساط ثم نامت ."),
    ("fullwidth forms", "ＡＢＣ１２３，是！", "ABC123 , 是 !"),
    ("emoji", "good 👍🏽 morning 😀, friends 👨‍👩‍👧", "good 👍 morning 😀 , friends 👨‍👩‍👧"),
    ("letters outside the basic plane", "𝒜 is 𝒜, 𠀀𠀁 and 𐐷", "𝒜 is 𝒜 , 𠀀 𠀁 and 𐐷"),
    ("controls and marks of direction", "a\u200bb \u200fc\u200e d e\u00adf g", "a b c d ef g"),
]  # fmt: skip

TOKENIZERS = ("none", "13a", "intl", "zh", "char")
SMOOTHINGS = (
    {"smooth_method": "none"},
    {"smooth_method": "floor", "smooth_value": 0.1},
    {"smooth_method": "floor", "smooth_value": 0.5},
    {"smooth_method": "add-k", "smooth_value": 1},
    {"smooth_method": "add-k", "smooth_value": 0.5},
    {"smooth_method": "exp"},
)


# --- Oracles --------------------------------------------------------------------------------------


def ask_sacrebleu(corpus: Corpus, options: Options) -> float:
    """Return sacreBLEU's score; a segment with fewer references than others has None for them."""
    from sacrebleu.metrics import BLEU

    most = max(len(row) for row in corpus.references)
    streams = [
        [row[number] if number < len(row) else None for row in corpus.references]
        for number in range(most)
    ]
    return BLEU(**options, force=True).corpus_score(corpus.predictions, streams).score


def ask_nltk(corpus: Corpus, options: Options) -> float:
    """Return NLTK's score of tokens between spaces."""
    import warnings

    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

    method = {"none": "method0", "floor": "method1"}[options["smooth_method"]]
    smooth = getattr(SmoothingFunction(epsilon=options.get("smooth_value", 0.1)), method)
    tokens = [text.split() for text in corpus.predictions]
    references = [[text.split() for text in row] for row in corpus.references]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scores that are almost 0
        return 100 * corpus_bleu(references, tokens, smoothing_function=smooth)


def ask_bleuscore(corpus: Corpus, options: Options) -> float:
    """Return the score of bleuscore, which is evaluate's `bleu` in Rust."""
    import bleuscore

    del options
    return 100 * bleuscore.compute(corpus.references, corpus.predictions)["bleu"]


def ask_pycocoevalcap(corpus: Corpus, options: Options) -> float:
    """Return Bleu_4 of tokens between spaces."""
    from pycocoevalcap.bleu.bleu import Bleu

    del options
    images = range(len(corpus.predictions))
    captions = {i: [corpus.predictions[i]] for i in images}
    references = {i: corpus.references[i] for i in images}
    with contextlib.redirect_stdout(io.StringIO()):
        scores, _ = Bleu(4).compute_score(references, captions)
    return 100 * scores[-1]


def ask_definition(corpus: Corpus, options: Options) -> float:
    """Return the score of multi-bleu.perl by its definition: the paper's, of tokens between spaces."""
    del options
    counted = count(tokenize_corpus(corpus, {"tokenize": "none"}))
    if not all(counted.counts):
        return 0.0
    logs = [math.log(c / t) for c, t in zip(counted.counts, counted.totals)]
    penalty = 1.0
    if counted.sys_len < counted.ref_len:
        penalty = math.exp(1 - counted.ref_len / counted.sys_len)
    return 100 * penalty * math.exp(sum(logs) / 4)


ORACLES = {
    "sacrebleu": Oracle("sacrebleu", ask_sacrebleu),
    "nltk": Oracle("nltk", ask_nltk),
    "evaluate's bleu, by bleuscore": Oracle("bleuscore", ask_bleuscore),
    "pycocoevalcap": Oracle("pycocoevalcap", ask_pycocoevalcap),
    "multi-bleu.perl, by its definition": Oracle("", ask_definition),
}


# --- Counts, a second time ------------------------------------------------------------------------


class Segment(NamedTuple):
    """The tokens of a prediction and of its references."""

    tokens: list[str]
    references: list[list[str]]


class Counted(NamedTuple):
    """Counts and totals of each order, and both lengths, by their names in the file."""

    counts: list[int]
    totals: list[int]
    sys_len: int
    ref_len: int


def tokenize_corpus(corpus: Corpus, options: Options) -> list[Segment]:
    """Return the tokens of all texts by sacreBLEU's tokenizers."""
    from sacrebleu.metrics import BLEU

    tokenizer = BLEU(tokenize=options.get("tokenize", "13a")).tokenizer

    def tokenize(text: str) -> list[str]:
        if options.get("lowercase"):
            text = text.lower()
        return tokenizer(text.rstrip()).split()

    segments = []
    for prediction, row in zip(corpus.predictions, corpus.references):
        segments.append(Segment(tokenize(prediction), [tokenize(text) for text in row]))
    return segments


def find_closest(lengths: Sequence[int], length: int) -> int:
    """Return the length of the closest reference, and the shorter one of two."""
    return min(lengths, key=lambda one: (abs(one - length), one))


def find_shortest(lengths: Sequence[int], length: int) -> int:
    """Return the length of the shortest reference."""
    del length
    return min(lengths)


def count(
    segments: Sequence[Segment],
    orders: int = 4,
    choose_length: Callable[[Sequence[int], int], int] = find_closest,
    *,
    clips: bool = True,
) -> Counted:
    """Count n-grams and lengths; without clipping, each n-gram that a reference has counts."""
    counts = [0] * orders
    totals = [0] * orders
    length = 0
    reference_length = 0
    for tokens, references in segments:
        length += len(tokens)
        reference_length += choose_length([len(reference) for reference in references], len(tokens))
        for n in range(1, orders + 1):
            ngrams = count_ngrams(tokens, n)
            allowed: Counter[tuple[str, ...]] = Counter()
            for reference in references:
                allowed |= count_ngrams(reference, n)
            for ngram, frequency in ngrams.items():
                if ngram in allowed:
                    counts[n - 1] += min(frequency, allowed[ngram]) if clips else frequency
            totals[n - 1] += ngrams.total()
    return Counted(counts, totals, length, reference_length)


def count_ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """Return how often each n-gram occurs."""
    return Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))


# --- The cases ------------------------------------------------------------------------------------


def list_requests() -> Iterator[tuple[str, Corpus, Options]]:
    """Yield the oracle, the texts and the options of each case."""
    for corpus in CORPORA:
        for smoothing in SMOOTHINGS:
            yield "sacrebleu", corpus, {"tokenize": "13a", **smoothing}
        effective = {"tokenize": "13a", "smooth_method": "exp", "effective_order": True}
        yield "sacrebleu", corpus, effective
        for order in (1, 2, 6):
            yield "sacrebleu", corpus, {"tokenize": "13a", "max_ngram_order": order}
    for about, prediction, reference in TRAPS:
        for name in TOKENIZERS:
            corpus = Corpus(about, [prediction], [[reference]])
            yield "sacrebleu", corpus, {"tokenize": name, "smooth_method": "exp"}
        upper = Corpus(f"{about}, case ignored", [prediction.upper()], [[reference]])
        yield "sacrebleu", upper, {"tokenize": "13a", "lowercase": True}
    plain = [
        corpus for corpus in CORPORA if all(corpus.predictions) and all(map(all, corpus.references))
    ]
    for corpus in plain:
        unsmoothed = {"tokenize": "none", "smooth_method": "none"}
        yield "multi-bleu.perl, by its definition", corpus, unsmoothed
        shortest = {"tokenize": "13a", "smooth_method": "none", "reference_length": "shortest"}
        yield "evaluate's bleu, by bleuscore", corpus, shortest
        yield "pycocoevalcap", corpus, {"tokenize": "none", "smooth_method": "coco"}
        if all(len(text.split()) >= 4 for text in corpus.predictions):
            floor = {"tokenize": "none", "smooth_method": "floor", "smooth_value": 0.1}
            yield "nltk", corpus, floor


def build_cases(oracles: Sequence[str] = tuple(ORACLES)) -> list[Case]:
    """Ask some oracles for their cases."""
    cases = []
    for number, (name, corpus, options) in enumerate(list_requests(), 1):
        if name not in oracles:
            continue
        oracle = ORACLES[name]
        version = importlib.metadata.version(oracle.package) if oracle.package else ""
        shortest = options.get("reference_length") == "shortest"
        counted = count(
            tokenize_corpus(corpus, options),
            options.get("max_ngram_order", 4),
            find_shortest if shortest else find_closest,
        )
        case = {
            "id": number,
            "about": corpus.about,
            "predictions": corpus.predictions,
            "references": corpus.references,
            "options": options,
            **counted._asdict(),
            "score": float(f"{oracle.score(corpus, options):.12g}"),
            "oracle": f"{name} {version}".strip(),
        }
        cases.append(case)
    return cases


def read_cases() -> list[Case]:
    """Read the file."""
    return [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Write the file, and print the numbers of docs/conformance.md."""
    cases = build_cases()
    lines = [json.dumps(case, ensure_ascii=False) for case in cases]
    PATH.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(cases)} cases, {PATH.stat().st_size:,} bytes")
    for name in ORACLES:
        print(f"{sum(case['oracle'].startswith(name) for case in cases):4} {name}")


if __name__ == "__main__":
    sys.exit(main())
