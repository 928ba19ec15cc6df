"""Print the share of texts that get the tokens of pycocoevalcap's Java program from `ptb`, and the seconds of both.

    python tests/benchmarks/captions.py

It needs pycocoevalcap and Java. The texts are the lines of WMT21 by language, and captions invented to be difficult: one
item of three is a trap, and the words are random letters of a script. Java's time includes its start.
"""

import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import evaluate
from pycocoevalcap.tokenizer import ptbtokenizer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from common import METRIC, WMT21, print_table

metric = evaluate.load(METRIC)
core = sys.modules[f"{type(metric).__module__.rpartition('.')[0]}.bleu_core"]
LINE_BREAKS = core.LINE_BREAKS
tokenize_ptb = core.tokenize_ptb

JAR = Path(ptbtokenizer.__file__).parent / ptbtokenizer.STANFORD_CORENLP_3_4_1_JAR
JAVA = ["java", "-Dfile.encoding=UTF-8", "-cp", str(JAR), "edu.stanford.nlp.process.PTBTokenizer"]
LANGUAGES = ["bn", "cs", "de", "en", "fr", "ha", "hi", "is", "ja", "ru", "xh", "zh", "zu"]
INVENTED = 2_000  # captions per script
APOSTROPHES = "''’’‘`"
QUOTES = ["«{}»", "„{}“", "“‘{}’”", "「{}」", "‹{}›", "»{}«", "¿{}?"]
DIGITS = ["0123456789", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "০১২৩৪৫৬৭৮৯", "０１２３４５６７８９"]

# Kinds of text that are known to differ, each with an example.
DIFFERENT = {
    "an abbreviation before the name of a file, without a space": "Ph.D.5a.c",
    "a #tag that ends like a site": "#été.com",
    "a capital sigma before `_`, or alone after a hyphen": "ΧΡΗΣΤΗΣ_SE A-Σ",
    "a soft hyphen beside punctuation": "a-\u00ad",
    "a no-break space in an address": "http://a.\u00a0b",
}

PLAIN = "a the man woman dog cat's rides sits two street near isn't red and on well-known"

# Letters of random words: those that start a syllable, those that end it, and the mark that ends a sentence. Languages
# that are not in WMT21 are among them.
SCRIPTS = {
    "Latin": ("bcdfghklmnprstvz", "aeiou", "."),
    "French, Spanish": ("bcdfglmnñprstvç", "aáeéèêiíîoóôuúûàœ", "."),
    "Polish, Czech, Lithuanian": ("bcčćdďfghłmnňńprřsšśtťvzžźż", "aáąeéęěėiíįoóuúůųūyý", "."),
    "Estonian, Finnish, Romanian": ("bdfghjklmnprsștțv", "aäăâeiîoõöuü", "."),
    "Turkish": ("bcçdfgğhkmnprsştvyz", "aeıioöuü", "."),
    "Hausa, Yoruba": ("bɓdɗkƙlmnrsṣtwy", "aàáeẹèéiìíoọòóuùú", "."),
    "Vietnamese": ("bcdđghklmnprstvx", "aăâeêioôơuưạảấầẩậắằặẻẽếềễệ", "."),
    "Greek": ("βγδζθκλμνξπρστφχψ", "αάεέηήιίοόυύωώ", "."),
    "Cyrillic": ("бвгґджзйклмнпрстфхцчшщңқғһ", "аеёиоуыэюяіїєәөүұ", "."),
    "Georgian": ("ბგდვზთკლმნპრსტფქღშჩცძწჭხჯჰ", "აეიოუ", "."),
    "Armenian": ("բգդզթժլխծկհձղճմյնշոչպջռսվտր", "աեէըիօու", "։"),
    "Hebrew": ("אבגדהוזחטכלמנסעפצקרשת", "יו", "."),
    "Arabic, Persian, Pashto": ("بپتثجچحخدذرزسشصضطعغفقکگلمنهټډړښ", "اوي\u064e\u0651", "؟"),
    "Amharic": ("ሀለሐመሠረሰሸቀበተቸነኘአከወዘየደገጠጸፈ", "ሁሉሙሩሱቡቱኑኡኩዙዩዱጉ", "።"),
    "Devanagari": ("कखगघचछजझटठडतथदधनपफबभमयरलवशषसह", "ािीुूेैोौंः्", "।"),
    "Bengali": ("কখগঘচছজটঠডতথদধনপফবভমযরলশষসহ", "ািীুূেৈোৌং্", "।"),
    "Gujarati": ("કખગઘચછજટઠડતથદધનપફબભમયરલવશષસહ", "ાિીુૂેૈોૌં્", "."),
    "Tamil": ("கஙசஞடணதநபமயரலவழளறன", "ாிீுூெேைொோௌ்", "."),
    "Thai": ("กขคงจชดตทนบปพมยรลวสหอ", "ะาิีึุูเแโไ่้", "."),
    "Khmer": ("កខគឃងចឆជញដឋឌតថទធនបផពភមយរលវសហអ", "ាិីុូេែៃោំះ្", "។"),
    "Korean": ("가나다라마바사아자차카타파하", "강는들를만에의이로", "."),
    "Japanese": ("かきくさしたちなにはまやらわカコサトマン", "日本人大小中山川", "。"),
    "Chinese": ("的一是不了在人有我他这中大来上国", "个到说们为子和你地出道也时年", "。"),
}

# No word of these lists was used to write the tokenizer, apart from the closed classes: contractions, titles,
# abbreviations and emoticons.
WORDS = {
    "plain": [
        "lighthouse", "gondola", "parrot", "violin", "trumpet", "meadow", "glacier", "hiker", "rower", "barber", "juggler",
        "sculptor", "fence", "ladder", "wheelbarrow", "mustard", "noodles", "lantern", "violet", "crimson", "hollow", "steep",
        "rusty", "drifting", "climbing", "juggles", "paints", "beneath", "beyond", "towards", "amid", "upon", "those", "seven",
        "eleven", "toward", "quiet", "narrow", "marble",
    ],
    "nouns": ["barber", "nurse", "pirate", "wolf", "camel", "judge", "walrus", "goose", "Agnes"],
    "names": ["Hopkins", "Ingrid", "Lisbon", "Buster", "O'Hara", "Novak", "Cairo", "Zelda", "Ramos", "MacLeod", "Verdi", "Juneau"],
    "acronyms": ["P", "Q", "XL", "TV", "BBC", "CNN", "UFO", "H", "K", "RV", "GPS"],
    "contractions": [
        "hadn't", "wouldn't", "shan't", "aren't", "didn't", "here's", "how's", "where's", "she's", "you'd", "we're", "who'll",
        "it'd", "they've", "might've", "could've", "weren't",
    ],
    "apostrophes": [
        "o'clock", "'em", "'til", "'tis", "'twas", "O'Malley", "d'Orsay", "'n'", "ol'", "ma'am", "l'orange", "D'Amico",
        "rockin'", "singin'", "'cause", "M'Bala", "n'est", "Bahá'í", "Ta'izz", "ne'er", "ha'penny", "'twere", "mornin'", "e'en",
    ],
    "titles": ["Mr.", "Mrs.", "Dr.", "Ms.", "Prof.", "Gov.", "Sen.", "Lt.", "Col.", "Rev."],
    "abbreviations": [
        "etc.", "vs.", "Apr.", "Oct.", "Ltd.", "Bros.", "Blvd.", "Okla.", "Minn.", "Tenn.", "e.g.", "i.e.", "Sr.", "Assn.",
        "dept.", "min.", "oz.", "vol.", "Vol.", "Nos.", "figs.", "pp.", "ca.", "Mon.", "Wed.", "jun.", "Nev.", "Ariz.", "Del.",
        "pa.", "wash.", "Esq.",
    ],
    "initialisms": ["U.N.", "L.A.", "p.m.", "B.B.C.", "K.G.B.", "C.S.", "T.S.", "Ph.D.", "A.D.", "U.S.S.R.", "M.I.T."],
    "starts": ["The", "This", "Some", "You", "But", "So", "When", "lantern", "Seven", "In", "Paris"],
    "tags": ["em", "strong", "pad", "sep", "h2", "span", "video"],
    "hosts": ["bar.org", "pictures.net", "lens.co.uk", "blog.example.com/posts", "our-town.org", "is.gd", "z.com"],
    "emoji": ["🎉", "🐘", "❄", "☂", "✈", "👏🏿", "🇨🇦", "♞", "☯"],
    "emoticons": [":)", ":-(", ";-)", ":D", ":-P", "=(", "</3", ";(", ":')", "xD", "T_T", ":/", ":]"],
    "accents": ["fjörð", "Gdańsk", "señor", "brûlée", "Çeşme", "tableau-noir", "smørrebrød", "Māori", "Αθήνα", "Прага", "naïf"],
    "halves": ["cannot", "gonna", "wanna", "gotta", "gimme", "lemme", "Gotta", "CANNOT"],
}  # fmt: skip


def run_program(lines: Sequence[str], *arguments: str) -> list[str]:
    """Return the lines that the program prints for lines."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("\n".join(lines))
        file.flush()
        command = [*JAVA, *arguments, file.name]
        printed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    return printed.split("\n")


def print_tokens(captions: Sequence[str]) -> list[list[str]]:
    """Return the tokens of each caption as pycocoevalcap's BLEU gets them; no caption has a line break."""
    # A line between captions keeps the next caption from changing the tokens.
    lines = [line for caption in captions for line in (caption, "zebra")]
    printed = run_program(lines, "-preserveLines", "-lowerCase")
    tokens = []
    for line in printed[: len(lines)]:
        kept = [word for word in line.rstrip().split(" ") if word not in ptbtokenizer.PUNCTUATIONS]
        tokens.append(" ".join(kept).split())
    assert len(tokens) == len(lines)
    assert tokens[1::2] == [["zebra"]] * len(captions)
    return tokens[::2]


def tokenize_before(captions: Sequence[str]) -> list[str]:
    """Return captions as the program prints them, with the Penn Treebank's escapes and capitals."""
    printed = run_program(captions, "-preserveLines")
    return [line.replace("\u00a0", " ").strip() for line in printed[: len(captions)]]


def list_different(captions: Sequence[str]) -> list[str]:
    """Return the captions whose tokens differ."""
    expected = print_tokens(captions)
    return [
        caption for caption, tokens in zip(captions, expected) if tokenize_ptb(caption) != tokens
    ]


def read_texts(folder: str, language: str) -> list[str]:
    """Return the different lines of WMT21's `references` or `system-outputs` in a language."""
    lines: dict[str, None] = {}
    for file in sorted((WMT21 / folder).glob(f"*.{language}")):
        for line in file.read_text(encoding="utf-8").split("\n"):
            if line.strip() and not re.search(LINE_BREAKS, line):
                lines[line] = None
    return list(lines)


def make_words(source: random.Random, script: str) -> dict[str, list[str]]:
    """Return `WORDS` with random words of a script instead of words, nouns and names."""
    first, second, _ = SCRIPTS[script]

    def word() -> str:
        syllables = source.randrange(1, 5)
        return "".join(source.choice(first) + source.choice(second) for _ in range(syllables))

    names = {"names": [word().capitalize() for _ in range(40)]}
    return (
        WORDS
        | {"plain": [word() for _ in range(200)], "nouns": [word() for _ in range(40)]}
        | names
    )


def invent_caption(random_: random.Random, words: dict[str, list[str]], end: str = ".") -> str:
    """Return a caption of 4 to 12 items, every third of which is a trap, with the mark that ends a sentence."""
    pick = random_.choice
    number = random_.randrange

    def word() -> str:
        return pick(words["plain"])

    def name() -> str:
        return pick(words["names"])

    def letters() -> str:
        return pick(words["acronyms"])

    traps = [
        # apostrophes
        lambda: f"{pick(words['nouns'])}'s",
        lambda: f"{pick(words['nouns'])}s'",
        lambda: f"{pick(words['nouns'])}’s",
        lambda: pick(words["contractions"]),
        lambda: pick(words["contractions"]).replace("'", "’"),
        lambda: pick(words["contractions"]).upper(),
        lambda: pick(words["apostrophes"]),
        lambda: f"{name()}'s",
        # quotes
        lambda: f'"{word()} {word()}"',
        lambda: f"'{word()}'",
        lambda: f"“{name()} {word()}.”",
        lambda: f"‘{word()} {word()}’",
        lambda: f"``{word()}''",
        lambda: f'"{name()},"',
        # numbers
        lambda: str(number(1, 3000)),
        lambda: f"{number(1, 900)},{number(100, 999)}",
        lambda: f"{number(100)}.{number(100)}",
        lambda: f"{pick('$€£¥')}{number(1, 100)}{pick(['', '.99', ',000', 'm', '.5m'])}",
        lambda: f"{number(1, 101)}%",
        lambda: f"{number(1, 10)}/{number(2, 10)}",
        lambda: f"{number(1, 10)} {pick(['1/2', '3/4', '½', '¼'])}",
        lambda: f"{number(1, 13)}:{number(10, 60)}{pick(['', 'am', ' pm', ' p.m.', ' a.m'])}",
        lambda: f"{pick(['the ', 'mid-', ''])}'{number(10, 99)}{pick(['', 's'])}",
        lambda: (
            f"{number(170, 202)}0{pick(['s', chr(39) + 's', '-era', '-' + str(number(1990, 2020))])}"
        ),
        lambda: (
            f"{number(1, 100)}{pick(['st', 'th', 'km', 'kg', 'x', 'D', 'ft.', chr(34), 'k', 'mm'])}"
        ),
        lambda: f"{number(1, 100)}-{number(1, 100)}",
        lambda: f"{number(1, 29)}/{number(1, 12)}/{number(1990, 2020)}",
        lambda: f"({number(200, 999)}) {number(200, 999)}-{number(1000, 9999)}",
        lambda: f"{number(200, 999)}-{number(1000, 9999)}",
        lambda: f"{pick('+-#')}{number(1, 100)}",
        lambda: f"{number(2, 20)}-{pick(['year-old', 'story', 'foot', 'inch'])}",
        lambda: f"{number(1, 9)}.{number(1, 9)}-{pick(['inch', 'liter', 'mile'])}",
        lambda: f"{number(1, 100)}{pick(['°', '°C', '²', '½', '¢', '€'])}",
        # abbreviations
        lambda: f"{pick(words['titles'])} {name()}",
        lambda: f"{pick(words['abbreviations'])} {pick([word(), name(), str(number(50))])}",
        lambda: f"{pick(words['abbreviations'])}{pick([',', ';', ')'])}",
        lambda: f"{pick(words['initialisms'])}",
        lambda: f"{pick(words['initialisms'])}{pick([chr(39) + 's', ',', '?', '-based'])}",
        lambda: f"{name()} {pick('ABCDEFGHJKLMNOPRSTVW')}. {name()}",
        lambda: (
            f"{pick(['plan', 'vitamin', 'exhibit'])} {pick('ABCDE')}. {pick(words['starts'])} {word()}"
        ),
        lambda: f"{letters()}&{letters()}",
        lambda: f"{letters()}'s",
        lambda: f"No. {pick([str(number(30)), word()])}",
        # brackets
        lambda: f"({word()} {word()})",
        lambda: f"[{word()}]",
        lambda: f"{{{word()}}}",
        lambda: f"({name()}'s {word()})",
        lambda: f"{word()}({word()})",
        lambda: f"<{pick(words['tags'])}>",
        lambda: f"<{pick(words['tags'])}>{word()}</{pick(words['tags'])}>",
        # dashes
        lambda: f"{word()}-{word()}",
        lambda: f"{word()}-{word()}-{word()}",
        lambda: f"{word()}--{word()}",
        lambda: f"{word()} - {word()}",
        lambda: f"{word()} — {word()}",
        lambda: f"{word()}—{word()}",
        lambda: f"{number(1, 50)}–{number(50, 99)}",
        lambda: f"-{word()}",
        lambda: f"{word()}-",
        lambda: "-" * number(1, 9),
        # addresses
        lambda: (
            f"http{pick(['', 's'])}://{pick(words['hosts'])}/{word()}{pick(['', '.html', '?x=' + word(), '/'])}"
        ),
        lambda: f"www.{pick(words['hosts'])}",
        lambda: pick(words["hosts"]),
        lambda: f"{word()}@{pick(words['hosts'])}",
        lambda: f"@{word()}{pick(['', '_' + word(), str(number(99))])}",
        lambda: f"#{word()}{pick(['', name()])}",
        # symbols
        lambda: pick(words["emoji"]),
        lambda: word() + pick(words["emoji"]),
        lambda: pick(words["emoticons"]),
        lambda: pick(words["accents"]),
        lambda: f"{pick(words['accents'])}'s",
        lambda: f"{word()}/{word()}",
        lambda: f"{word()}.{pick([word(), name()])}",
        lambda: f"{word()}{pick(['...', '..', '…', '!!', '?!', '???', ';', ':', '!', ' !', ',,'])}",
        lambda: f"{word()}{pick(['_', '&', '+', '=', '*', '~', '|', '^', '%'])}{word()}",
        lambda: pick(
            [
                "&amp;",
                "&",
                "&quot;",
                "&lt;3",
                "©",
                "™",
                "•",
                "→",
                "C++",
                "C#",
                "w/",
                "w/o",
                "$",
                "*",
                "**",
            ]
        ),
        lambda: pick(words["halves"]),
        # other languages
        lambda: f"{pick('DLNdlnjmstc')}{pick(APOSTROPHES)}{word()}",
        lambda: f"{pick(['qu', 'jusqu', 'lorsqu', 'un', 'dell', 'po'])}{pick(APOSTROPHES)}{word()}",
        lambda: f"{word()}-{pick('dl')}{pick(APOSTROPHES)}{word()}",
        lambda: f"{pick('OMD')}{pick(APOSTROPHES)}{name()}",
        lambda: f"{word()}{pick(APOSTROPHES)}{pick(['da', 'nin', 'ya', 'n', 's', word()])}",
        lambda: f"#{word()}{pick(['', str(number(99)), '_' + word(), '-' + word()])}",
        lambda: f"@{pick(words['tags'])}{word()}",
        lambda: f"{word()}{end}{pick(['', word()])}",
        lambda: f"{word()}{pick('・·،、，；：')}{word()}",
        lambda: pick(QUOTES).format(word()),
        lambda: (
            f"{number(1, 30)}.{number(1, 13):02}.{pick('-–')}{number(1, 30)}.{number(1, 13):02}."
        ),
        lambda: f"{number(1, 30)}.{pick(['-' + str(number(30)), ' ' + name(), '-' + word()])}",
        lambda: f"{number(1, 2000)}{pick(['', '-'])}{word()}",
        lambda: f"{pick(['u', word()])}-{number(1, 99)}{pick(['km/h', '/' + word(), word()])}",
        lambda: "".join(pick(pick(DIGITS)) for _ in range(number(1, 4))),
        lambda: (
            f"{number(1, 9)}{pick('.,٫٬:/')}{pick(pick(DIGITS))}{pick(['', '%', '٪', '°', '€', '₹', '₽'])}"
        ),
        # rare in English
        lambda: pick(["don'ts", "don'tcha", "2/3rds", "'TIL", "approx.-max", "www.a.org/mars;"]),
        lambda: pick(["(^^)", "(^_^)", "''''", "```", "o'o", "1.jpg", "S&P-500", "Ph.D.-level"]),
        lambda: f"\"'{number(2, 10)}0s",
        lambda: f"{word()},{number(30)}-{word()}-{word()}",
    ]
    items = []
    for _ in range(number(4, 13)):
        item = pick(traps)() if random_.random() < 1 / 3 else word()
        items.append(item + (pick([",", "."]) if random_.random() < 0.08 else ""))
    caption = " ".join(items) + pick([end, end, end, "", "!", "?", f" {end}", "..."])
    return caption[0].upper() + caption[1:] if random_.random() < 0.7 else caption


# Texts that stand beside each other in captions that were tokenized before, or that have no spaces.
PIECES = {
    "brackets": [
        *[f"-{name}-" for name in ("LRB", "RRB", "LSB", "RSB", "LCB", "RCB", "lrb", "rrb", "Lsb", "lcb")],
        "-LRB", "RRB-", "(", ")", "[", "]", "{", "}",
    ],
    "abbreviations": [
        "Inc.", "etc.", "Ph.D.", "St.", "Mr.", "U.S.", "a.m.", "No.", "Jr.", "Pa.", "pa.", "Miss.", "PTE.", "mtg.", "B.",
        "x.", "e.g.", "approx.", "fig.", "Fla.", "vs.", "ex-U.S.", "Ph.D", "J.F.K.", "Sept.", "Nev.", "Okla.", "ppty.",
    ],
    "suffixes": [
        "'s", "'m", "'d", "'ll", "'re", "'ve", "n't", "'S", "N'T", "’s", "’ve", "n’t", "&apos;s", "'n'", "'em", "'til", "'",
    ],
    "words": [
        "cannot", "wanna", "gotta", "gimme", "lemme", "GONNA", "can", "he", "y'all", "'tis", "o'clock", "ma'am", "l'été",
        "c'mon", "nat'l", "ol'", "they", "dog", "a", "x", "é", "日本", "naïve", "O'Neill",
    ],
    "numbers": ["5", "55", "5.5", "1,000", "1/2", "'90s", "3rd", "5a", "-5", "10:30", ".5", "½", "5%", "$5"],
    "marks": [
        ".", ",", ";", "!", "?", "-", "--", "---", "...", "..", "/", "\\/", "_", "&", "''", "``", "*", "\\*", "#", "@", "…", "–",
        "“", "”", "、", "!!", "-----", ":-)", "©",
    ],
}  # fmt: skip


def join_pieces(random_: random.Random) -> str:
    """Return a short caption of two to six `PIECES`, most of them without a space between."""
    text = ""
    for _ in range(random_.randrange(2, 7)):
        text += random_.choice(PIECES[random_.choice(list(PIECES))])
        if random_.random() < 0.25:
            text += " "
    return text.strip()


def invent_captions(script: str, count: int, seed: int = 0) -> list[str]:
    """Return captions with random words of a script."""
    source = random.Random(f"{script} {seed}")
    words = make_words(source, script)
    return [invent_caption(source, words, end=SCRIPTS[script][2]) for _ in range(count)]


def count_equal(name: str, *columns: Sequence[str]) -> list[str]:
    """Return a row: a name, and the number of texts of each column, with the share that has equal tokens."""
    row = [name]
    for texts in columns:
        row += [f"{len(texts):,}", f"{1 - len(list_different(texts)) / len(texts):.2%}"]
    return row


def count_by_language() -> Iterator[list[str]]:
    """Yield a row per language of WMT21."""
    for language in LANGUAGES:
        references = read_texts("references", language)
        outputs = read_texts("system-outputs", language)
        yield count_equal(language, references, outputs)


def list_known() -> Iterator[list[str]]:
    """Yield a row per kind of text that differs: an example, and its tokens in the program and here."""
    for (kind, text), tokens in zip(DIFFERENT.items(), print_tokens(list(DIFFERENT.values()))):
        example = text.replace("\u00ad", "&shy;").replace("\u00a0", "&nbsp;")
        yield [kind, f"`{example}`", f"`{' '.join(tokens)}`", f"`{' '.join(tokenize_ptb(text))}`"]


def time_both() -> Iterator[list[str]]:
    """Yield a number of plain captions, and the seconds that `ptb` and the program take."""
    words = PLAIN.split()
    for count in (100, 1_000, 5_000):
        captions = [" ".join(random.choices(words, k=11)) + "." for _ in range(count)]
        start = time.perf_counter()
        for caption in captions:
            tokenize_ptb(caption)
        seconds = time.perf_counter() - start
        start = time.perf_counter()
        print_tokens(captions)
        yield [f"{count:,}", f"{seconds:.2f}", f"{time.perf_counter() - start:.2f}"]


def main() -> None:
    if WMT21.is_dir():
        print_table(["WMT21", "references", "equal", "outputs", "equal"], count_by_language())
    print_table(
        ["letters of invented captions", "captions", "equal"],
        (count_equal(script, invent_captions(script, INVENTED)) for script in SCRIPTS),
    )
    print_table(["kind of text that differs", "example", "program", "`ptb`"], list_known())
    print_table(["captions", "`ptb`, s", "Java, s"], time_both())


if __name__ == "__main__":
    main()
