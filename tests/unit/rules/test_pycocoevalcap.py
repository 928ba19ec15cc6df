"""The tokenizer of captions and the scores of `coco`, compared with pycocoevalcap and its Java program."""

import contextlib
import io
import random
import re
import shutil
import sys

import pytest
from conformance import build_cases, read_cases
from conftest import needs_wmt21
from helpers import ROOT
from recipes import recipe

bleu_scorer = pytest.importorskip("pycocoevalcap.bleu.bleu")
ptb = pytest.importorskip("pycocoevalcap.tokenizer.ptbtokenizer")

if shutil.which("java") is None:
    pytest.skip("java is not installed", allow_module_level=True)

from bleu.bleu_core.rules.captions import LINE_BREAKS, tokenize_ptb

sys.path.append(str(ROOT / "tests" / "benchmarks"))

from captions import (
    DIFFERENT,
    LANGUAGES,
    SCRIPTS,
    WORDS,
    invent_caption,
    invent_captions,
    join_pieces,
    list_different,
    read_texts,
    tokenize_before,
)

PLAIN = [
    "A {a} {v} near the {b} while two people watch.",
    "The {a} and the {b} are {v} on a street, and it is raining.",
    "a {a} with a {b}",
    "There's a {a} {v} in front of a {b}!",
    "Three men are {v}; one of them holds a {a}.",
    "An old man's {a} isn't far from the {b}.",
]


def report_share(capsys, name, captions, different):
    share = 1 - len(different) / len(captions)
    with capsys.disabled():
        print(f"\n{name}: {share:.3%} of {len(captions):,} captions have equal tokens")
    return share


def test_invented_captions(capsys):
    """At least 99.9% of 8,000 captions full of traps have the program's tokens."""
    source = random.Random(2015)
    captions = [invent_caption(source, WORDS) for _ in range(8000)]
    different = list_different(captions)
    assert report_share(capsys, "invented", captions, different) >= 0.999, different


@pytest.mark.parametrize("script", SCRIPTS)
def test_invented_captions_of_a_script(script, capsys):
    """At least 99.5% of 1,000 captions whose words are random letters of a script."""
    captions = invent_captions(script, 1000, seed=1)
    different = list_different(captions)
    assert report_share(capsys, script, captions, different) >= 0.995, different


def test_captions_that_were_tokenized_before(capsys):
    """At least 99.9% of 8,000 captions full of traps, as the program itself prints their tokens."""
    source = random.Random(2016)
    captions = tokenize_before([invent_caption(source, WORDS) for _ in range(8000)])
    different = list_different(captions)
    assert report_share(capsys, "tokenized before", captions, different) >= 0.999, different


def test_pieces_without_spaces(capsys):
    """At least 99.9% of 20,000 short captions of brackets, abbreviations, contractions and marks."""
    source = random.Random(2017)
    captions = [join_pieces(source) for _ in range(20_000)]
    different = list_different(captions)
    assert report_share(capsys, "pieces", captions, different) >= 0.999, different


ADDRESSES = ["http://a.b/c", "https://x.com", "www.a.com", "www.a.com/b?x=1", "flickr.com/photos", "a.com", "me@foo.org", "<me@foo.org>", "@jane", "#tag", "AT", "AT&T", "U.S.", "etc.", "<b>", "dog"]  # fmt: skip
ENTITIES = ["&amp;", "&AMP;", "&lt;", "&gt;", "&quot;", "&apos;", "&nbsp;", "&ndash;", "&mdash;", "&#38;", "&copy;", "&eacute;", "&Uuml;", "&amp;amp;", "&amp;lt;", "&amp;&amp;"]  # fmt: skip


def test_entities_beside_addresses(capsys):
    """All of 3,072 captions of an address, an entity and a rest, in both orders, have equal tokens."""
    rests = ["", " #tag", "x", ".", " dog", "; dog"]
    captions = [
        "".join([*pair, rest])
        for address in ADDRESSES
        for entity in ENTITIES
        for pair in ((address, entity), (entity, address))
        for rest in rests
    ]
    assert report_share(capsys, "entities", captions, list_different(captions)) == 1


def test_plain_captions(capsys):
    """All of 600 plain captions have the program's tokens."""
    source = random.Random(1)
    verbs = ["running", "sitting", "playing", "standing", "riding"]
    captions = []
    for _ in range(100):
        for template in PLAIN:
            first, second = source.sample(WORDS["plain"], 2)
            captions.append(template.format(a=first, b=second, v=source.choice(verbs)))
    assert report_share(capsys, "plain", captions, list_different(captions)) == 1


@needs_wmt21
@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_news(language, capsys):
    """At least 99.5% of WMT21's references in each language, and of its systems' outputs."""
    for folder in ("references", "system-outputs"):
        lines = read_texts(folder, language)
        assert len(lines) >= 500
        different = list_different(lines)
        assert report_share(capsys, f"{language} {folder}", lines, different) >= 0.995, different


# Places of a character: alone, beside letters and digits, doubled, and beside a hyphen.
PLACES = ["{}", "a{}b", "1{}", "{}1", "é{}{}é", "{}-{}", "#{}", "क{}ख"]


@pytest.mark.parametrize("place", PLACES)
def test_classes_of_characters(place):
    """Each character of the Basic Multilingual Plane has the class that it has in the program."""
    ignored = {
        "\u00ad",
        "Σ",
    }  # a soft hyphen keeps a mark before it; Java's lower case of a last sigma differs
    characters = [chr(code) for code in range(1, 0x10000) if not 0xD800 <= code < 0xE000]
    captions = [
        place.replace("{}", character)
        for character in characters
        if not re.match(f"{LINE_BREAKS}|[\n\x85]", character) and character not in ignored
    ]
    assert len(captions) > 63_000
    assert list_different(captions) == []


def test_known_differences():
    """Each kind that the documents name as different still is; docs/other-tools.md has the table."""
    assert list_different(list(DIFFERENT.values())) == list(DIFFERENT.values())


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


@needs_wmt21
@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_program_by_language(load, language):
    """Corpus and segment scores of lines with equal tokens differ by less than 1e-12."""
    lines = read_texts("references", language)[:202]
    different = set(list_different(lines))
    kept = [line for line in lines if line not in different]
    texts = zip(kept, kept[1:], kept[2:])
    captions = {i: [{"caption": f"{a} {c}"}] for i, (a, _, c) in enumerate(texts)}
    texts = zip(kept, kept[1:], kept[2:])
    ground_truth = {i: [{"caption": b}, {"caption": c}] for i, (_, b, c) in enumerate(texts)}
    tokenizer = ptb.PTBTokenizer()
    with contextlib.redirect_stdout(io.StringIO()):
        corpus_scores, image_scores = bleu_scorer.Bleu(4).compute_score(
            tokenizer.tokenize(ground_truth), tokenizer.tokenize(captions)
        )
    result = load("coco").compute(
        predictions=[rows[0]["caption"] for rows in captions.values()],
        references=[[row["caption"] for row in rows] for rows in ground_truth.values()],
        segments=True,
    )
    assert result["bleu_by_order"] == pytest.approx(corpus_scores, abs=1e-12)
    assert result["segment_bleu"] == pytest.approx(image_scores[3], abs=1e-12)


def test_conformance_cases_have_its_scores():
    """Those of conformance.jsonl that name it; test_conformance.py asks the other oracles."""
    cases = [case for case in read_cases() if case["oracle"].startswith("pycocoevalcap")]
    asked = build_cases(["pycocoevalcap"])
    assert [case["id"] for case in asked] == [case["id"] for case in cases]
    expected = [case["score"] for case in cases]
    assert [case["score"] for case in asked] == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_recipe_of_sentences_without_alignment(bleu):
    """The score of the page is that of the gold segments."""
    pytest.importorskip("mweralign")
    (code,) = [code for code in recipe("Sentences without alignment") if "import" in code]
    exec(code, namespace := {})
    gold = []
    for output in namespace["outputs"]:
        gold += [f"{sentence.rstrip('.')}." for sentence in output.split(". ")]
    score = bleu.compute(predictions=gold, references=namespace["sentences"])["score"]
    assert f"{score:.2f}" == "59.81"
