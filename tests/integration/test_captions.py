"""The tokenizer of captions and the scores of `coco`, compared with pycocoevalcap and its Java program."""

import contextlib
import io
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conformance import build_cases, read_cases
from conftest import needs_wmt21
from helpers import WMT21
from recipes import recipe

bleu_scorer = pytest.importorskip("pycocoevalcap.bleu.bleu")
ptb = pytest.importorskip("pycocoevalcap.tokenizer.ptbtokenizer")

if shutil.which("java") is None:
    pytest.skip("java is not installed", allow_module_level=True)

from bleu.bleu_captions import LINE_BREAKS, tokenize_ptb

JAR = Path(ptb.__file__).parent / ptb.STANFORD_CORENLP_3_4_1_JAR

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

PLAIN = [
    "A {a} {v} near the {b} while two people watch.",
    "The {a} and the {b} are {v} on a street, and it is raining.",
    "a {a} with a {b}",
    "There's a {a} {v} in front of a {b}!",
    "Three men are {v}; one of them holds a {a}.",
    "An old man's {a} isn't far from the {b}.",
]


def print_tokens(captions, tmp_path):
    """Return the tokens of each caption as pycocoevalcap's BLEU gets them; no caption has a line break."""
    # A line between captions keeps the next caption from changing the tokens.
    lines = [line for caption in captions for line in (caption, "zebra")]
    file = tmp_path / "captions.txt"
    file.write_text("\n".join(lines), encoding="utf-8")
    command = [
        "java",
        "-Dfile.encoding=UTF-8",
        "-cp",
        str(JAR),
        "edu.stanford.nlp.process.PTBTokenizer",
    ]
    command += ["-preserveLines", "-lowerCase", str(file)]
    printed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    tokens = []
    for line in printed.split("\n")[: len(lines)]:
        kept = [word for word in line.rstrip().split(" ") if word not in ptb.PUNCTUATIONS]
        tokens.append(" ".join(kept).split())
    assert len(tokens) == len(lines)
    assert tokens[1::2] == [["zebra"]] * len(captions)
    return tokens[::2]


def list_different(captions, tmp_path):
    """Return the captions whose tokens differ."""
    expected = print_tokens(captions, tmp_path)
    return [
        caption for caption, tokens in zip(captions, expected) if tokenize_ptb(caption) != tokens
    ]


def invent_caption(random_, words):
    """Return a caption of 4 to 12 items, every third of which is a trap."""
    pick = random_.choice
    number = random_.randrange

    def word():
        return pick(words["plain"])

    def name():
        return pick(words["names"])

    def letters():
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
    ]
    items = []
    for _ in range(number(4, 13)):
        item = pick(traps)() if random_.random() < 1 / 3 else word()
        items.append(item + (pick([",", "."]) if random_.random() < 0.08 else ""))
    caption = " ".join(items) + pick([".", ".", ".", "", "!", "?", " .", "..."])
    return caption[0].upper() + caption[1:] if random_.random() < 0.7 else caption


def report_share(capsys, name, captions, different):
    share = 1 - len(different) / len(captions)
    with capsys.disabled():
        print(f"\n{name}: {share:.3%} of {len(captions):,} captions have equal tokens")
    return share


def test_invented_captions(tmp_path, capsys):
    """At least 99.9% of 8,000 captions full of traps have the program's tokens."""
    source = random.Random(2015)
    captions = [invent_caption(source, WORDS) for _ in range(8000)]
    different = list_different(captions, tmp_path)
    assert report_share(capsys, "invented", captions, different) >= 0.999, different


def test_plain_captions(tmp_path, capsys):
    """All of 600 plain captions have the program's tokens."""
    source = random.Random(1)
    verbs = ["running", "sitting", "playing", "standing", "riding"]
    captions = []
    for _ in range(100):
        for template in PLAIN:
            first, second = source.sample(WORDS["plain"], 2)
            captions.append(template.format(a=first, b=second, v=source.choice(verbs)))
    assert report_share(capsys, "plain", captions, list_different(captions, tmp_path)) == 1


@needs_wmt21
def test_english_news(tmp_path, capsys):
    """At least 99.9% of WMT21's English lines have the program's tokens."""
    lines = {}
    for file in sorted(WMT21.glob("*/*.en")):
        for line in file.read_text(encoding="utf-8").split("\n"):
            if line.strip() and not re.search(LINE_BREAKS, line):
                lines[line] = None
    captions = list(lines)
    assert len(captions) > 100_000
    different = list_different(captions, tmp_path)
    assert report_share(capsys, "WMT21", captions, different) >= 0.999


def make_corpus(seed, count=300):
    """Return captions with one to five references, of which some are empty, short or without a match."""
    source = random.Random(seed)
    predictions = ["", ".", "dog", "zebra crossing", "a dog"]
    references = [["a dog"], ["a dog"], ["dog"], ["a dog"], ["", "a dog"]]
    while len(predictions) < count:
        captions = [invent_caption(source, WORDS) for _ in range(source.randrange(1, 6))]
        words = source.choice(captions).split()
        if source.random() < 0.5:
            source.shuffle(words)
        predictions.append(" ".join(words[: source.randrange(len(words) + 1)]))
        references.append(captions)
    return predictions, references


def score_as_pycocoevalcap(predictions, references):
    """Return the scores of the corpus and of the images, one list per order, on the tokens of this project."""
    captions = {}
    ground_truth = {}
    for image, (prediction, of_image) in enumerate(zip(predictions, references)):
        captions[image] = [" ".join(tokenize_ptb(prediction))]
        ground_truth[image] = [" ".join(tokenize_ptb(reference)) for reference in of_image]
    with contextlib.redirect_stdout(io.StringIO()):
        return bleu_scorer.Bleu(4).compute_score(ground_truth, captions)


@pytest.mark.parametrize("seed", range(5))
def test_scores(load, seed):
    """Bleu_1 to Bleu_4 of the corpus, and those of each image, agree to 1e-12."""
    predictions, references = make_corpus(seed)
    corpus_scores, image_scores = score_as_pycocoevalcap(predictions, references)
    bleu = load("coco")
    result = bleu.compute(predictions=predictions, references=references, segments=True)
    assert result["bleu_by_order"] == pytest.approx(corpus_scores, abs=1e-12)
    for order, scores in enumerate(image_scores, 1):
        segments = bleu.compute(
            predictions=predictions, references=references, segments=True, max_order=order
        )["segment_bleu"]
        assert segments == pytest.approx(scores, abs=1e-12)
    assert result["segment_bleu"][0] == 0


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("prediction", "reference"),
    [("", "a dog"), ("dog", "a dog"), ("dog", "dog"), ("cat", "a dog"), ("a dog runs", "dogs")],
)
def test_scores_of_one_caption(load, prediction, reference):
    corpus_scores, _ = score_as_pycocoevalcap([prediction], [[reference]])
    result = load("coco").compute(predictions=[prediction], references=[reference])
    assert result["bleu_by_order"] == pytest.approx(corpus_scores, abs=1e-12, rel=1e-9)
    assert (result["bleu"] == 0) == (prediction == "")


def test_the_whole_program(load):
    """pycocoevalcap's own tokenizer and BLEU give the same four scores for whole captions."""
    predictions, references = make_corpus(9, count=60)
    captions = {i: [{"caption": text}] for i, text in enumerate(predictions)}
    ground_truth = {i: [{"caption": text} for text in texts] for i, texts in enumerate(references)}
    tokenizer = ptb.PTBTokenizer()
    with contextlib.redirect_stdout(io.StringIO()):
        expected, _ = bleu_scorer.Bleu(4).compute_score(
            tokenizer.tokenize(ground_truth), tokenizer.tokenize(captions)
        )
    result = load("coco").compute(predictions=predictions, references=references)
    assert result["bleu_by_order"] == pytest.approx(expected, abs=2e-3)  # a final letter may differ


def test_conformance_cases_have_its_scores():
    """Those of tests/conformance.jsonl that name it; tests/test_conformance.py asks the other oracles."""
    cases = [case for case in read_cases() if case["oracle"].startswith("pycocoevalcap")]
    asked = build_cases(["pycocoevalcap"])
    assert [case["id"] for case in asked] == [case["id"] for case in cases]
    expected = [case["score"] for case in cases]
    assert [case["score"] for case in asked] == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_recipe_of_sentences_without_alignment(capsys):
    """The aligned score is that of the gold segments; whole documents as strings score differently."""
    pytest.importorskip("mweralign")
    code, _ = recipe("Sentences without alignment")
    exec(code, {})
    numbers = re.findall(r"\d+\.\d+", capsys.readouterr().out)
    assert numbers == ["52.35", "52.35", "51.92"]
