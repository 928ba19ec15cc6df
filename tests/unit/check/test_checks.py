"""`check`, and what the other methods look at without being asked."""

import ast
import contextlib
import html
import json
import quopri
import random
import re
import unicodedata
import urllib.parse
import warnings
import xml.etree.ElementTree
from operator import ne

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from bleu.bleu_core.check.checks import find_mistakes
from bleu.bleu_core.check.pairs import Pairs
from conftest import needs_wmt21
from damage import MISTAKES, Pair
from helpers import ROOT, WMT21, read_lines, read_published, read_system, record_warnings
from mistakes import (
    ATTACKS,
    BOLD,
    CASES,
    CHINESE,
    CHINESE_OUTPUT,
    CLEAN_CASES,
    FRENCH,
    FRENCH_OUTPUT,
    ITEMS,
    LONG,
    LONG_REFERENCES,
    MEANT,
    MISTAKEN,
    NAMES,
    PLACES,
    P,
    R,
    drop_accents,
    drop_marks,
    make_pairs,
    make_quoted,
    one,
    sacrebleu_score,
)

# Kinds of mistakes, in the order of the documents.
KINDS = (
    "special_tokens", "reasoning", "subwords", "spaces", "wrapped", "records", "labels", "markup",
    "escapes", "entities", "mojibake", "invisible", "normalization", "marks", "empty", "same_text",
    "identical", "loops", "length", "script", "writing", "typography", "moved", "repeated",
    "flattened", "unrelated",
)  # fmt: skip


def find_all(result, kind):
    return [finding for finding in result["findings"] if finding["kind"] == kind]


def find(result, kind, where=None):
    """Return the first finding of a kind, on a side if one is named."""
    return next(each for each in find_all(result, kind) if where in (None, each["where"]))


def list_kinds(result):
    return {finding["kind"] for finding in result["findings"]}


def check(bleu, predictions, references, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bleu.check(predictions, references, **options)


def compute(bleu, predictions, references, options):
    """Return the score, and the messages about the input by kind."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score = bleu.compute(predictions=predictions, references=references, **options)["score"]
    return score, {getattr(each.message, "kind", ""): each for each in caught}


# --- Kinds ----------------------------------------------------------------------------------------


def test_every_kind_has_a_case():
    assert {case.found[0] for case in CASES.values()} == set(KINDS)


def test_every_kind_is_documented():
    document = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in document] == []


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_kind_is_found(bleu, case):
    """On its side, in its rows; what can't be fixed has no score."""
    kind, where, first, rows = case.found
    result = check(bleu, case.predictions, case.references, **case.options)
    finding = find(result, kind, where)
    assert finding["first"] == first
    if rows is not None:
        assert finding["rows"] == rows
        assert finding["share"] == rows / len(case.predictions)
    before = sacrebleu_score(case.predictions, case.references, case.options)
    assert result["score"] == pytest.approx(before, abs=1e-9)
    assert finding["fix"]
    if case.clean is None and kind != "flattened":
        assert (finding["score"], finding["delta_score"]) == (None, None)
    else:
        assert finding["delta_score"] == pytest.approx(finding["score"] - before, abs=1e-9)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_fixed_returns_the_clean_texts(bleu, case):
    """With sacreBLEU's score of them in the finding, if it is the only one of its kind."""
    kind, *_ = case.found
    result = check(bleu, case.predictions, case.references, **case.options)
    if case.clean is None:
        with pytest.raises(ValueError, match=f"fixed: '{kind}' is not fixed in the texts. Write: "):
            result.fixed(kind)
        return
    predictions, references, options = case.clean
    assert result.fixed(kind) == (predictions, references)
    findings = find_all(result, kind)
    if len(findings) == 1:
        after = sacrebleu_score(predictions, references, options)
        assert findings[0]["score"] == pytest.approx(after, abs=1e-9)
    fixed = check(bleu, predictions, references, **case.options)
    assert kind not in list_kinds(fixed)


@pytest.mark.parametrize("case", CLEAN_CASES.values(), ids=CLEAN_CASES)
def test_no_alarm(bleu, case):
    predictions, references, options = case
    assert check(bleu, predictions, references, **options)["findings"] == []
    _, messages = record_warnings(
        lambda: bleu.compute(predictions=predictions, references=references, **options)
    )
    assert [message for message in messages if " is 0: " not in message] == []


@pytest.mark.parametrize("case", MEANT.values(), ids=MEANT)
def test_what_is_meant_is_left_alone(bleu, case):
    """Neither found nor warned of, and no fix lowers the score."""
    result = check(bleu, case.predictions, case.references, **case.options)
    assert list_kinds(result).isdisjoint(case.never)
    score, told = compute(bleu, case.predictions, case.references, case.options)
    assert set(told).isdisjoint(case.never)
    predictions, references = result.fixed()
    assert compute(bleu, predictions, references, case.options)[0] >= score - 0.05


@pytest.mark.parametrize("case", MISTAKEN.values(), ids=MISTAKEN)
def test_mistakes_of_other_domains_are_named(bleu, case):
    """One of the kinds that name the mistake is found, and none that would be wrong."""
    found = list_kinds(check(bleu, case.predictions, case.references, **case.options))
    assert found.intersection(case.named)
    assert found.isdisjoint(case.never)


def test_a_document_of_loops_is_found(bleu):
    """As docs/significance.md says: one of 40 documents is nine times too long."""
    references = [f"the cat {row} sat on mat {row * 7} beside a dog" for row in range(400)]
    predictions = [text.replace("sat on", "lay upon") for text in references]
    for row in range(10):
        predictions[row] = " ".join([predictions[row]] * 9)
    findings = bleu.check(predictions, references)["findings"]
    (found,) = [finding for finding in findings if finding["kind"] in ("loops", "length")]
    assert (found["first"], found["rows"]) == (0, 10)


# --- The line to write ----------------------------------------------------------------------------

MODULES = {
    "ast": ast,
    "html": html,
    "json": json,
    "quopri": quopri,
    "re": re,
    "unicodedata": unicodedata,
    "urllib": urllib,
    "xml": xml,
}


def is_expression(fix):
    """Return True if a line to write is an expression over `text`, of modules that Python has."""
    try:
        tree = ast.parse(fix, mode="eval")
    except SyntaxError:
        return False
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return "text" in names <= {"text", *MODULES} and isinstance(tree, ast.Expression)


def list_wrong_lines(result, before, kind, where):
    """Return texts of which the line to write makes another one than `fixed`, with what it makes."""
    findings = [each for each in find_all(result, kind) if each["where"] == where]
    if len(findings) != 1 or not is_expression(findings[0]["fix"]):
        return []
    predictions, references = result.fixed(kind)
    after = predictions if where == "predictions" else references
    wrong = []
    for old, new in zip(before, after):
        old, new = (text if isinstance(text, str) else text[0] for text in (old, new))
        if old != new:
            try:
                made = eval(findings[0]["fix"], {**MODULES, "text": old})
            except Exception as error:
                made = repr(error)
            if made != new:
                wrong.append((findings[0]["fix"], old, made, new))
    return wrong


FIXED = {
    name: case
    for name, case in CASES.items()
    if case.clean is not None and isinstance(case.predictions[0], str)
}


@pytest.mark.parametrize("case", FIXED.values(), ids=FIXED)
def test_the_line_to_write_is_the_fix(bleu, case):
    """Pasted, an expression makes of each text what `fixed` returns."""
    kind, where, *_ = case.found
    result = check(bleu, case.predictions, case.references, **case.options)
    before = case.predictions if where == "predictions" else case.references
    assert list_wrong_lines(result, before, kind, where) == []


# Mistakes of single texts, in invented ones.
DAMAGED = {
    name: mistake
    for name, mistake in MISTAKES.items()
    if mistake.family in ("ends", "tokens", "chat", "pieces", "signs", "forms")
}
PAIR = Pair("invented", LONG, LONG_REFERENCES, {})


@pytest.mark.parametrize("mistake", DAMAGED.values(), ids=DAMAGED)
def test_fixes_of_further_mistakes(bleu, mistake):
    """A line to write is what `fixed` does; alone, `fixed` lowers no score and takes no word of a reference."""
    damaged, _ = mistake.change(PAIR, 1.0, random.Random(1))
    result = check(bleu, damaged.predictions, damaged.references)
    for kind in list_kinds(result):
        for where in ("predictions", "references"):
            with contextlib.suppress(ValueError):  # it is not fixed in the texts
                assert list_wrong_lines(result, getattr(damaged, where), kind, where) == []
    predictions, references = result.fixed()
    assert list_taken_words(damaged.references, references) == []
    score, _ = compute(bleu, predictions, references, {})
    clean, _ = compute(bleu, LONG, LONG_REFERENCES, {})
    assert min(clean, result["score"]) - 0.05 <= score <= max(clean, result["score"]) + 0.3


def list_taken_words(damaged, fixed):
    """Return words of clean and of damaged references that fixed ones lack."""
    taken = []
    for (clean,), before, after in zip(LONG_REFERENCES, damaged, fixed):
        left = set(re.findall(r"\w+", " ".join(after)))
        words = set(re.findall(r"\w+", clean)) & set(re.findall(r"\w+", " ".join(before)))
        taken += sorted(words - left)
    return taken


# --- Principles: a fix is the inverse of a damage -------------------------------------------------

SOURCES = [f"{name} war mit {row} Freunden dort, und es regnete." for row, name in enumerate(NAMES)]
SOURCES *= 2
BEST = [[text.replace(" the ", " a "), f"{text} It did.", text] for text in LONG]
TRIPLES = [
    (source, text, reference) for source, text, (reference,) in zip(SOURCES, LONG, LONG_REFERENCES)
]
# Of several texts in one, none is chosen by how well it fits.
SEVERAL = {
    "fields with tabs": ["\t".join(row) for row in TRIPLES],
    "fields with bars": [" ||| ".join(row) for row in TRIPLES],
    "objects": [json.dumps(dict(zip(("src", "mt", "ref"), row))) for row in TRIPLES],
    "lines": ["\n".join(row) for row in TRIPLES],
    "CSV": [",".join(f'"{text}"' for text in row) for row in TRIPLES],
    "n-best outputs in lines": ["\n".join(row) for row in BEST],
    "n-best outputs with bars": [" ||| ".join(row) for row in BEST],
    "n-best outputs in JSON": [json.dumps(row) for row in BEST],
    "n-best outputs as a list": [repr(row) for row in BEST],
}


@pytest.mark.parametrize("texts", SEVERAL.values(), ids=SEVERAL)
def test_of_several_texts_none_is_chosen(bleu, texts):
    """A row with source, output and reference is not cut to the reference; the user chooses."""
    result = check(bleu, texts, LONG_REFERENCES)
    assert result.fixed() == (texts, LONG_REFERENCES)
    records = find(result, "records")
    assert (records["rows"], records["score"], records["delta_score"]) == (40, None, None)
    assert "records" in compute(bleu, texts, LONG_REFERENCES, {})[1]
    # The contents of a record are unknown.
    assert [finding["kind"] for finding in result["findings"]] == ["records"]


def test_of_references_in_one_cell_none_is_lost(bleu):
    """Two references that are joined by a tab: the line to write splits them."""
    joined = [f"{text}\t{output}" for (text,), output in zip(LONG_REFERENCES, LONG)]
    result = check(bleu, LONG, joined)
    assert result.fixed() == (LONG, joined)
    (records,) = result["findings"]
    assert (records["kind"], records["where"]) == ("records", "references")
    references = eval(records["fix"].removeprefix("references="), {"references": joined})
    assert references == [[text, output] for (text,), output in zip(LONG_REFERENCES, LONG)]


def test_no_break_spaces_are_no_mistake(bleu):
    """`6\xa0pulgadas` is not UTF-8 that was read in another encoding."""
    texts = [re.sub(r"(?<=\d) ", "\xa0", text) for text in LONG]
    references = [re.sub(r"(?<=\d) ", "\xa0", text) for (text,) in LONG_REFERENCES]
    for pair in ((texts, references), (texts, [text for (text,) in LONG_REFERENCES]), (LONG, references)):  # fmt: skip
        result = check(bleu, *pair)
        assert result["findings"] == []
        assert result.fixed() == pair


def test_a_decoded_text_is_a_text_of_two_rows_at_least(bleu):
    """One text beyond ASCII proves no encoding."""
    predictions = [*LONG[:39], "Ele foi à AMANHÃ£."]
    assert "mojibake" not in list_kinds(check(bleu, predictions, LONG_REFERENCES))


# --- Principles: the reference is the measure -----------------------------------------------------


@pytest.mark.parametrize(
    "write",
    [
        lambda text: f"I'm sorry, but I cannot find {text}",
        lambda text: f"Translation: {text}",
        lambda text: f"Here is the translation:\n\n{text}",
        lambda text: f"<think>Two words.</think> {text}",
        lambda text: f"```\n{text}\n```",
        lambda text: f"REF: {text}",
        lambda text: f"1. {text}",
        lambda text: f"{text} (speaker)",
        lambda text: f"[A link]({'https://example.org'}) {text}",
    ],
)
@pytest.mark.parametrize("every", [1, 2])
def test_labels_of_references_are_said_and_left(bleu, write, every):
    references = [[write(text)] if row % every == 0 else [text] for row, (text,) in enumerate(LONG_REFERENCES)]  # fmt: skip
    result = check(bleu, LONG, references)
    assert result.fixed() == (LONG, references)
    assert all(finding["score"] is None for finding in result["findings"] if finding["where"] == "references" and finding["kind"] != "typography")  # fmt: skip


@pytest.mark.parametrize(
    ("write", "kind"),
    [
        (lambda text: text.replace("'", "&apos;").replace(".", "&#46;"), "entities"),
        (lambda text: f"{text}</s>", "special_tokens"),
        (lambda text: re.sub(r"(\w{3})(?=\w{2})", r"\1@@ ", text), "subwords"),
        (lambda text: text.replace(" ", " \u200b"), "invisible"),
        (lambda text: text.translate(BOLD), "normalization"),
        (lambda text: json.dumps(f"{text} é")[1:-1].replace(" \\u00e9", "\\u200b"), "escapes"),
    ],
)
def test_damages_of_references_are_undone(bleu, write, kind):
    """Encodings, entities, escapes, pieces and tokens, on whichever side has them."""
    references = [[write(text)] for (text,) in LONG_REFERENCES]
    result = check(bleu, LONG, references)
    assert find(result, kind)["where"] == "references"
    assert result.fixed() == (LONG, LONG_REFERENCES)


# --- Principles: both sides veto ------------------------------------------------------------------

# Functions of a text and its row, for predictions and references.
MARKS_OF_TEXTS = {
    "JSON": (
        lambda text, row: json.dumps({"text": text, "n": row}),
        lambda text, row: json.dumps({"n": row, "text": text}),
    ),
    "HTML": (
        lambda text, row: f"<{'bip'[row % 3]}>{text}</{'bip'[row % 3]}>",
        lambda text, row: f"<{'sup'[row % 3]}>{text}</{'sup'[row % 3]}>",
    ),
    "LaTeX": (
        lambda text, row: f"{text} $\\nu_{{{ITEMS[row % 10]}}}$",
        lambda text, row: f"{text} $\\tau_{{{PLACES[row % 10]}}}$",
    ),
    "code": (
        lambda text, row: f"{text} {NAMES[row % 20]}(['{ITEMS[row % 10]}'])",
        lambda text, row: f"{text} {NAMES[row % 19]}(['{PLACES[row % 10]}'])",
    ),
    "entities": (lambda text, row: f"{text} &amp;", lambda text, row: f"&amp; {text}"),
    "underscores": (
        lambda text, row: text.replace(" ", "_"),
        lambda text, row: text.replace(" ", "_"),
    ),
    "marks in brackets": (
        lambda text, row: f"{text} [{ITEMS[row % 10]}]",
        lambda text, row: f"{text} [{PLACES[row % 10]}]",
    ),
    "variables": (
        lambda text, row: text.replace(" the ", f" {{{ITEMS[row % 10]}}} "),
        lambda text, row: text.replace(" the ", f" {{{PLACES[row % 10]}}} "),
    ),
    "several marks": (
        lambda text, row: f"$\\frac{{{row}}}{{x}}$ is \\textbf{{{ITEMS[row % 10]}}}: {text}",
        lambda text, row: f"$\\frac{{{row}}}{{x}}$ is \\textbf{{{PLACES[row % 10]}}}: {text}",
    ),
    "answers": (
        lambda text, row: f"<answer>{text}</answer>",
        lambda text, row: f"<answer>{text}</answer>",
    ),
    "dialogue": (lambda text, row: f'"{text}"', lambda text, row: f"– {text}"),
    "dialogue in guillemets": (lambda text, row: f'"{text}"', lambda text, row: f"«{text}»"),
    "dialogue in German": (lambda text, row: f'"{text}"', lambda text, row: f"„{text}“"),
}


@pytest.mark.parametrize(("write", "others"), MARKS_OF_TEXTS.values(), ids=MARKS_OF_TEXTS)
def test_marks_that_both_sides_have_are_text(bleu, write, others):
    """In two of three rows; only ways of writing may differ."""
    predictions = [write(text, row) if row % 3 else text for row, text in enumerate(LONG)]
    references = [others(text, row) if row % 3 else text for row, (text,) in enumerate(LONG_REFERENCES)]  # fmt: skip
    result = check(bleu, predictions, references)
    assert list_kinds(result) <= {"typography"}
    assert result.fixed() == (predictions, references)
    assert set(compute(bleu, predictions, references, {})[1]) == set()


@pytest.mark.parametrize("write", ["</s>", "<pad>", "@@"])
def test_tokens_and_pieces_of_most_rows_of_both_sides_are_undone(bleu, write):
    change = lambda text: text.replace(" the ", f" th{write} e ") if write == "@@" else text + write
    predictions, references = list(map(change, LONG)), one(change(text) for (text,) in LONG_REFERENCES)  # fmt: skip
    assert check(bleu, predictions, references).fixed() == (LONG, LONG_REFERENCES)


def test_references_left_out_have_a_score_without_other_fixes(bleu):
    """They leave all texts as they are, unlike a fix that others must uncover."""
    predictions = [f"{text}</s>" for text in P]
    references = [[text, ""] for (text,) in R]
    result = check(bleu, predictions, references)
    scores = {each["kind"]: each["score"] for each in result["findings"]}
    assert scores["empty"] == pytest.approx(sacrebleu_score(predictions, R, {}))
    assert scores["special_tokens"] == pytest.approx(sacrebleu_score(P, references, {}))


def test_a_fix_after_which_texts_fit_less_is_no_finding(bleu):
    """`\\n` and `\\t` of folders, which the references write with slashes."""
    predictions = [f"C:\\new\\tables\\{row} {text}" for row, text in enumerate(LONG)]
    references = [f"C:/new/tables/{row} {text}" for row, (text,) in enumerate(LONG_REFERENCES)]
    result = check(bleu, predictions, references)
    assert "escapes" not in list_kinds(result)
    assert result.fixed() == (predictions, references)


# --- Principles: ways of writing ------------------------------------------------------------------


def curl(text):
    return re.sub('"([^"]*)"', "“\\1”", text)


QUOTED, QUOTED_REFERENCES = make_quoted(40)
WAYS = {
    "quotes": (QUOTED, [[curl(text)] for (text,) in QUOTED_REFERENCES], "typography"),
    "quotes of predictions": (list(map(curl, QUOTED)), QUOTED_REFERENCES, "typography"),
    "lower case": ([text.lower() for text in LONG], LONG_REFERENCES, "writing"),
    "punctuation": (LONG, [[drop_marks(text)] for (text,) in LONG_REFERENCES], "writing"),
    "accents": (list(map(drop_accents, FRENCH_OUTPUT * 3)), one(FRENCH * 3), "writing"),
    "half width": (
        [text.translate({0xFF0C: ",", 0x3002: "."}) for text in CHINESE_OUTPUT * 4],
        one(CHINESE * 4),
        "typography",
    ),
}


@pytest.mark.parametrize(("predictions", "references", "kind"), WAYS.values(), ids=WAYS)
def test_ways_of_writing_are_made_alike_on_both_sides_or_not_at_all(
    bleu, predictions, references, kind
):
    """Reported with both scores; `fixed` changes all systems and all references, by name alone."""
    options = {"tokenize": "zh"} if predictions[0][0] == CHINESE[0][0] else {}
    systems = {"one": predictions, "other": [text for (text,) in references]}
    result = check(bleu, systems, references, **options)
    assert result.fixed() == (systems, references)
    fixed, fixed_references = result.fixed(kind)
    assert fixed["other"] == [text for (text,) in fixed_references]
    assert fixed["other"] != systems["other"] or fixed["one"] != predictions
    finding = find(result, kind)
    after = check(bleu, fixed, fixed_references, **options)["systems"]
    if finding.get("system") is not None:
        assert finding["score"] == pytest.approx(after["one"]["score"], abs=1e-9)
    assert kind not in list_kinds(check(bleu, fixed["one"], fixed_references, **options))


def test_a_ranking_is_not_reversed_by_quotes(bleu):
    """The system that writes quotation marks as the references do stays the better one."""
    references = [[curl(text)] for (text,) in QUOTED_REFERENCES]
    systems = {"curly": list(map(curl, QUOTED)), "straight": QUOTED}
    fixed, fixed_references = check(bleu, systems, references).fixed()
    scores = check(bleu, fixed, fixed_references)["systems"]
    assert scores["curly"]["score"] > scores["straight"]["score"]


def test_compute_tells_no_typography(bleu):
    references = [[curl(text)] for (text,) in QUOTED_REFERENCES]
    score, told = compute(bleu, QUOTED, references, {})
    assert "typography" not in told
    assert find(check(bleu, QUOTED, references), "typography")["score"] > score + 3


@pytest.mark.parametrize("name", ["lower case", "punctuation", "accents"])
def test_compute_tells_writing_with_both_scores(bleu, name):
    predictions, references, _ = WAYS[name]
    score, told = compute(bleu, predictions, references, {})
    message = str(told["writing"].message)
    after = find(check(bleu, predictions, references), "writing")["score"]
    assert re.search(rf"BLEU\D*{score:.1f}\D.*\b{after:.1f}\b", message)


def test_writing_that_costs_less_than_three_points_is_not_told(bleu):
    """Capitals of 2% of the words."""
    references = [[f"{text} {text.lower()} {text.lower()}"] for (text,) in LONG_REFERENCES]
    predictions = [text.lower() for (text,) in references]
    result = check(bleu, predictions, references)
    told = compute(bleu, predictions, references, {})[1]
    assert ("writing" in told) == any(
        finding["kind"] == "writing" and finding["delta_score"] >= 3
        for finding in result["findings"]
    )


# --- Principles: a sentence states what was seen --------------------------------------------------


def test_unrelated_texts_are_said_to_fit_no_better(bleu):
    """Not "another file, order or language"."""
    finding = find(check(bleu, LONG, CASES["another file"].references), "unrelated")
    assert "fit their references no better than" in finding["says"]
    assert not re.search("language|file|order", finding["says"])


@pytest.mark.parametrize(
    ("predictions", "references", "options"),
    [
        ([text.translate(BOLD) for text in LONG], LONG_REFERENCES, {}),
        (
            [text for text in LONG for _ in range(2)],
            [row for row in LONG_REFERENCES for _ in range(2)],
            {},
        ),
        (LONG * 2, LONG_REFERENCES * 2, {}),
        (
            [text.translate({0xFF0C: ",", 0x3002: "."}) for text in CHINESE_OUTPUT * 4],
            one(CHINESE * 4),
            {"tokenize": "zh"},
        ),
    ],
    ids=["bold letters", "each row twice", "all rows twice", "half-width Chinese"],
)
def test_right_files_are_not_said_to_be_others(bleu, predictions, references, options):
    never = {"unrelated", "moved", "repeated", "flattened", "same_text", "script"}
    assert list_kinds(check(bleu, predictions, references, **options)).isdisjoint(never)
    assert never.isdisjoint(compute(bleu, predictions, references, options)[1])


def test_one_row_per_reference_is_said_with_the_score_of_groups(bleu):
    """A row was written for each reference: the line to write groups them, and no row is left out."""
    case = CASES["one row per reference"]
    result = check(bleu, case.predictions, case.references)
    (flattened,) = [each for each in result["findings"] if each["kind"] != "typography"]
    assert flattened["kind"] == "flattened"
    frame = pd.DataFrame(
        {"prediction": case.predictions, "reference": [text for (text,) in case.references]}
    )
    grouped = eval(flattened["fix"], {"frame": frame})
    after = bleu.compute(predictions=list(grouped.index), references=grouped.tolist())
    assert flattened["score"] == pytest.approx(after["score"], abs=1e-9)
    assert result.fixed() == (case.predictions, case.references)
    assert "flattened" in compute(bleu, case.predictions, case.references, {})[1]


@pytest.mark.parametrize("sign", "_·+")
def test_signs_for_spaces_are_spaces(bleu, sign):
    predictions = [text.replace(" ", sign) for text in LONG]
    result = check(bleu, predictions, LONG_REFERENCES)
    (spaces,) = result["findings"]
    assert (spaces["kind"], spaces["rows"]) == ("spaces", 40)
    assert [eval(spaces["fix"], {"text": text}) for text in predictions] == LONG
    assert result.fixed() == (LONG, LONG_REFERENCES)


def test_quoted_printable_is_decoded(bleu):
    """Not "remove the accents on both sides"."""
    case = CASES["quoted-printable"]
    assert list_kinds(check(bleu, case.predictions, case.references)) == {"escapes"}


def test_an_option_to_pass_is_the_fix(bleu):
    case = CASES["no spaces"]
    (finding,) = check(bleu, case.predictions, case.references)["findings"]
    assert finding["fix"] == "tokenize='zh'"
    _, told = compute(bleu, case.predictions, case.references, {})
    assert "tokenize='zh'" in str(told["spaces"].message)


def test_no_tokenizer_is_told_for_a_small_part_of_the_rows(bleu):
    """Neighbors that match least are read: all are Chinese, but other rows are not."""
    write = lambda texts: [f"{text}, {texts[row * 5 % 6]}" for row, text in enumerate(texts)] * 11
    predictions, references = make_pairs(940)
    predictions += write([text.replace("，", "") for text in CHINESE_OUTPUT])
    references += one(write(CHINESE))
    assert "spaces" not in compute(bleu, predictions, references, {})[1]


# --- What compute and the other methods warn of ---------------------------------------------------

COSTLY = {
    name: case
    for name, case in CASES.items()
    if case.clean is not None
    and case.found[0] != "typography"
    and name != "BPE on both sides"
    and abs(
        sacrebleu_score(*case.clean)
        - sacrebleu_score(case.predictions, case.references, case.options)
    )
    >= 3
}


@pytest.mark.parametrize("case", COSTLY.values(), ids=COSTLY)
def test_compute_warns_of_what_costs_three_points(bleu, case):
    """Once per kind, with the place, the share and what to write."""
    kind, side, first, _ = case.found
    _, told = compute(bleu, case.predictions, case.references, case.options)
    warning = told[kind]
    assert warning.filename == __file__
    starts = (f"{side}[{first}]", f"From {side}[{first}]")
    assert kind in ("writing", "moved") or str(warning.message).startswith(starts)


def test_the_look_is_a_sample(bleu):
    """Shares are those of the rows looked at; rows keep their numbers in the corpus."""
    size = 5_000
    predictions = [f"{P[row % 12]} {row}" for row in range(size)]
    references = [f"{R[row % 12][0]} {row}" for row in range(size)]
    for row in range(0, size, 2):
        predictions[row] = f"```\n{predictions[row]}\n```"
    _, told = compute(bleu, predictions, references, {})
    message = str(told["wrapped"].message)
    assert message.startswith(
        "predictions[0] is a block of code (```), like 32 of 64 rows looked at"
    )


def test_empty_predictions_are_counted_in_all_rows(bleu):
    predictions, references = (list(column) for column in zip(*[(P[0], R[0])] * 5_000))
    for row in (4_321, 4_400):
        predictions[row] = ""
    assert "empty" not in compute(bleu, predictions, references, {})[1]
    for row in range(4_321, 4_400):
        predictions[row] = ""
    _, told = compute(bleu, predictions, references, {})
    assert str(told["empty"].message).startswith(
        "predictions[4321] is empty, like 80 rows of 5,000"
    )


def test_blank_predictions_are_told(bleu):
    """Blanks have bytes, so that they are not counted with empty texts."""
    predictions = ["  " if row % 2 else text for row, text in enumerate(LONG)]
    _, told = compute(bleu, predictions, LONG_REFERENCES, {})
    assert str(told["empty"].message).startswith("predictions[1] is empty, like 20 of 40 ")


def test_rows_shuffled_in_batches_are_told(bleu):
    """No order of all rows is looked for unasked, but the rows around a low precision are."""
    texts, references = make_pairs(400)
    rows = [first + (row * 5 + 3) % 16 for first in range(0, 400, 16) for row in range(16)]
    _, told = compute(bleu, [texts[row] for row in rows], references, {})
    assert str(told["moved"].message).startswith("The predictions are in another order")


@pytest.mark.parametrize("seed", range(4))
def test_a_model_that_has_not_learned_lacks_no_marks_in_a_part_of_the_rows(bleu, seed):
    """Its common words have fewer marks and capitals than the references, but no mistake explains it."""
    draw = random.Random(seed)
    common = ["the", "in", "of", "has", "and", "on", "to", "at", "with", "near"]
    predictions = [
        " ".join(word if draw.random() < 0.2 else draw.choice(common) for word in text.split())
        for (text,) in LONG_REFERENCES
    ]
    _, told = compute(bleu, predictions, LONG_REFERENCES, {})
    assert not {"writing", "moved"} & set(told)


@pytest.mark.parametrize("share", [0.3, 0.4, 0.56])
def test_the_predictions_are_told_as_the_shorter_ones(bleu, share):
    """Also near the limit, where the inverse ratio would be told of the references."""
    predictions = [text[: round(share * len(text)) - 1] + "." for (text,) in LONG_REFERENCES]
    length = find(check(bleu, predictions, LONG_REFERENCES), "length")
    assert (length["where"], length["rows"]) == ("predictions", len(predictions))
    assert "of the characters of the references" in length["says"]


def test_predictions_of_the_row_before_are_told(bleu):
    """A variable keeps its last value where a row fails."""
    texts, references = make_pairs(200)
    predictions = [texts[row - 1] if row % 3 == 1 else text for row, text in enumerate(texts)]
    _, told = compute(bleu, predictions, references, {})
    assert str(told["repeated"].message).startswith(
        "predictions[1] equals predictions[0], and fits its references less"
    )


def test_each_text_in_four_rows_is_found_and_told(bleu):
    """One text of four in a batch; each is in few of all rows, and together they are all of them."""
    texts, references = make_pairs(400)
    predictions = [texts[row - row % 4] for row in range(400)]
    names = {"same_text", "repeated"}
    assert names & list_kinds(check(bleu, predictions, references))
    assert names & set(compute(bleu, predictions, references, {})[1])


def test_one_caption_for_several_pictures_is_meant(bleu):
    """A model of captions says the same of many pictures; each is in few of all rows."""
    texts, _ = make_pairs(250)
    draw = random.Random(1)
    predictions = draw.choices(texts, k=1000)
    references = [[f"{NAMES[row % 20]} says: {text}"] for row, text in enumerate(predictions)]
    assert list_kinds(check(bleu, predictions, references)) == set()
    assert compute(bleu, predictions, references, {})[1] == {}


@pytest.mark.parametrize(
    ("write", "kind"),
    [
        (lambda text: text + " </s>", "special_tokens"),
        (lambda text: re.sub(r"\w{5,}", "<unk>", text, count=1), "marks"),
    ],
)
def test_a_tag_in_one_row_hides_no_tokens_in_others(bleu, write, kind):
    """A row of markup, as real outputs have it, does not name what stands in other rows."""
    predictions = list(map(write, LONG))
    predictions[7] = f"<b>{predictions[7]}</b>"
    found = find(check(bleu, predictions, LONG_REFERENCES), kind)
    assert found["rows"] >= sum(map(ne, predictions, LONG)) - 1
    assert kind in compute(bleu, predictions, LONG_REFERENCES, {})[1]


@pytest.mark.parametrize("share", [1, 0.6])
@pytest.mark.parametrize("errors", ["ignore", "replace"])
def test_letters_with_accents_that_were_lost_are_found(bleu, errors, share):
    """No edit restores them: without its accents, a reference has a letter that the prediction lacks."""
    accents = str.maketrans("uo", "üö")
    references = [[text.translate(accents)] for (text,) in LONG_REFERENCES]
    predictions = [text.translate(accents) for text in LONG]
    for row in range(round(share * len(LONG))):
        predictions[row] = predictions[row].encode("ascii", errors).decode()
    writing = find(check(bleu, predictions, references), "writing")
    assert (writing["where"], writing["rows"]) == ("predictions", round(share * 40))


def test_marks_that_are_lost_with_words_are_no_mistake(bleu):
    """A system that leaves out half of the words has rows without marks."""
    texts, references = make_pairs(120)
    for seed in range(20):
        draw = random.Random(seed)
        share = draw.uniform(0.3, 0.6)
        predictions = [
            " ".join(word for word in text.split() if draw.random() > share) for text in texts
        ]
        assert "writing" not in list_kinds(check(bleu, predictions, references)), share


@pytest.mark.parametrize(
    "text",
    ["{} +AAHYAA- {}", '{{"text": "{} \\ud800 {}"}}', "['{} \\ud800 {}']"],
    ids=["utf-7", "json", "literal"],
)
def test_an_inverse_that_leaves_half_a_character_is_none(bleu, text):
    predictions = [text.format(text_, "end") for text_ in P]
    assert compute(bleu, predictions, R, {})[0] >= 0
    systems, _ = check(bleu, predictions, R).fixed()
    assert all(fixed.encode() for fixed in systems)


@pytest.mark.parametrize("space", ["  ", "\u00a0", " \u00a0"])
def test_other_spaces_are_neither_within_words_nor_missing(bleu, space):
    predictions = [text.replace(" ", space) for text in LONG]
    assert "spaces" not in compute(bleu, predictions, LONG_REFERENCES, {})[1]
    assert "spaces" not in list_kinds(check(bleu, predictions, LONG_REFERENCES))


def test_brackets_of_both_sides_are_text_with_several_references(bleu):
    predictions = [
        f"the list {[row, 12]} of part {row}" if row % 2 else f"part {row}" for row in range(12)
    ]
    references = [
        [text.replace(", ", ","), text.replace(", ", ",").upper()] * 2 for text in predictions
    ]
    assert "marks" not in compute(bleu, predictions, references, {})[1]
    assert "marks" not in list_kinds(check(bleu, predictions, references))


def _draw_texts(letters, lengths, words):
    draw = random.Random(len(letters) + words)
    return [
        " ".join("".join(draw.choices(letters, k=draw.choice(lengths))) for _ in range(words))
        for _ in range(60)
    ]


LONG_ROWS = [text for (text,) in LONG_REFERENCES]
_CONSONANTS = "bcdfghklmnprst"
SHORT_WORDS = {
    "predictions without vowels": ([re.sub("[aeiou]", "", text) for text in LONG], LONG_ROWS),
    "references without vowels": (LONG, [re.sub("[aeiou]", "", text) for text in LONG_ROWS]),
    "codons": (_draw_texts("ACGT", [3], 10), _draw_texts("ACGT", [4, 5, 6], 7)),
    "consonants": (_draw_texts(_CONSONANTS, [2, 3], 10), _draw_texts(_CONSONANTS, [4, 5, 6], 7)),
    "a language with short words": (_draw_texts("abdeghiklmnoprtu", [2, 3], 12), LONG_ROWS),
}


@pytest.mark.parametrize("case", SHORT_WORDS)
def test_short_words_have_no_spaces_within_words(bleu, case):
    predictions, references = SHORT_WORDS[case]
    rows = min(len(predictions), len(references))
    predictions, references = predictions[:rows], references[:rows]
    assert "spaces" not in compute(bleu, predictions, references, {})[1]
    assert "spaces" not in list_kinds(check(bleu, predictions, references))


def test_a_rare_mistake_is_found_beside_one_in_all_rows(bleu):
    """A mistake in all of many rows is searched in a sample of them once it is undone."""
    predictions = [f"{text} {row} </s>" for row, text in enumerate(P * 40)]
    predictions[-9] = predictions[-9].replace(" ", " &quot; ", 1)
    references = [
        f"{text[0] if isinstance(text, list) else text} {row}" for row, text in enumerate(R * 40)
    ]
    found = check(bleu, predictions, references)["findings"]
    rows = {finding["kind"]: finding["rows"] for finding in found}
    assert rows["special_tokens"] == len(predictions)
    assert rows["entities"] == 1


def test_loops_of_short_texts_are_told(bleu):
    """They may be shorter than the longest reference of another row."""
    looping = [f"{text[:12]} {'rains and ' * 8}" for text in P]
    predictions = [looping[row] if row % 5 == 1 else text for row, text in enumerate(P)]
    references = list(R)
    references[0] = [" ".join(text for (text,) in LONG_REFERENCES)]
    assert "loops" in compute(bleu, predictions, references, {})[1]


def test_pieces_of_words_are_found_beside_special_tokens(bleu):
    found = check(bleu, [f"{text.replace('e', 'e@@ ')} </s>" for text in LONG], LONG)
    assert list_kinds(found) == {"subwords", "special_tokens"}
    assert found.fixed("subwords", "special_tokens") == (LONG, LONG)
    assert found.fixed() == (LONG, LONG)


def test_rows_that_equal_several_references_count_once(bleu):
    """They were counted per reference: "in 200% of the rows"."""
    _, messages = record_warnings(
        lambda: bleu.statistics(predictions=LONG, references=[[text, text] for text in LONG])
    )
    (equal,) = [message for message in messages if " equals its reference" in message]
    assert equal.startswith("predictions[0] equals its reference, like 40 of 40 rows looked at")


def test_tokens_with_blanks_keep_them(bleu):
    predictions = [
        ["New York", "is", "large", ".", "</s>"],
        ["We", "saw", "San Marino", ".", "</s>"],
    ] * 3
    references = [[["New York", "is", "large", "."]], [["We", "saw", "San Marino", "."]]] * 3
    fixed, _ = check(bleu, predictions, references).fixed()
    assert fixed[:2] == [["New York", "is", "large", "."], ["We", "saw", "San Marino", "."]]


def test_all_reference_columns_of_a_table_come_back(bleu):
    table = pd.DataFrame({"A": [row[0] for row in R], "B": P})
    predictions, references = bleu.check([f"{text}</s>" for text in P], table).fixed()
    assert predictions == P
    assert references == [[row[0], text] for row, text in zip(R, P)]


MOVED = [LONG[:12] + LONG[13:] + [""], LONG_REFERENCES]
CALLS = {
    "compute": lambda bleu, p, r: bleu.compute(predictions=p, references=r),
    "segments": lambda bleu, p, r: bleu.compute(predictions=p, references=r, segments=True),
    "by": lambda bleu, p, r: bleu.compute(predictions=p, references=r, by=["x", "y"] * 20),
    "statistics": lambda bleu, p, r: bleu.statistics(predictions=p, references=r),
    "compare": lambda bleu, p, r: bleu.compare({"A": LONG, "B": p}, r, n_resamples=5),
    "rank": lambda bleu, p, r: bleu.rank({"A": LONG, "B": p}, r, n_resamples=5),
    "diff": lambda bleu, p, r: bleu.diff({"A": LONG, "B": p}, r),
    "reconcile without a score": lambda bleu, p, r: bleu.reconcile(p, r),
    "reconcile": lambda bleu, p, r: bleu.reconcile(p, r, 20.1),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_rows_that_moved_warn_in_every_method(bleu, call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of what other tests left open
        call(bleu, *MOVED)
    (message,) = [str(each.message) for each in caught if each.message.kind == "moved"]
    assert "From predictions[12] on, the predictions fit the references 1 row further on" in message


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_warning_may_be_an_error(bleu, call):
    predictions = [f"{text}</s>" for text in LONG]
    with warnings.catch_warnings():
        warnings.simplefilter("error", bleu.Warning)
        with pytest.raises(bleu.Warning, match="skip_special_tokens=True"):
            call(bleu, predictions, LONG_REFERENCES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=bleu.Warning)
        call(bleu, predictions, LONG_REFERENCES)


# --- The call and its result ----------------------------------------------------------------------

CONTAINERS = {
    "lists": (list, list),
    "tuples": (tuple, tuple),
    "pandas": (pd.Series, pd.Series),
    "Arrow": (pa.array, pa.array),
    "a slice": (lambda texts: pa.array(["x", *texts])[1:], pa.array),
    "NumPy": (lambda texts: np.array(texts), lambda rows: np.array(rows)),
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_containers(bleu, container):
    predictions, references = container
    expected = check(bleu, CASES["BPE"].predictions, R)
    assert check(bleu, predictions(CASES["BPE"].predictions), references(R)) == expected


def test_several_systems(bleu):
    """What is wrong with the references stands once; a fix keeps the systems apart."""
    references = one(f'<seg id="{row}">{text}</seg>' for row, (text,) in enumerate(R))
    systems = {"good": P, "bad": [f"{text}</s>" for text in P]}
    result = check(bleu, systems, references)
    found = [(each["kind"], each.get("system")) for each in result["findings"]]
    assert sorted(found, key=str) == [("special_tokens", "bad"), ("wrapped", None)]
    assert list(result["systems"]) == ["good", "bad"]
    assert result.fixed() == ({"good": P, "bad": P}, [text for (text,) in R]) or result.fixed() == (
        {"good": P, "bad": P},
        R,
    )
    clean = sacrebleu_score(P, R, {})
    after = check(bleu, *result.fixed())
    assert [scores["score"] for scores in after["systems"].values()] == pytest.approx([clean] * 2)
    assert check(bleu, pd.DataFrame(systems), references) == result


def test_a_fix_of_one_system_leaves_the_texts_of_others(bleu):
    """A row of the second one begins as all of the first do, and is meant."""
    other = ["German: a language.", *P[1:]]
    result = check(bleu, {"labels": [f"German: {text}" for text in P], "other": other}, R)
    assert result.fixed("labels") == ({"labels": P, "other": other}, R)


def test_findings_name_their_system_whatever_it_is_called(bleu):
    (finding,) = check(bleu, {"predictions": CASES["BPE"].predictions, "B": P}, R)["findings"]
    assert (finding["kind"], finding["system"]) == ("subwords", "predictions")


def test_rows_that_one_system_lacks_are_left_out_of_all(bleu):
    predictions, references = MOVED
    result = check(bleu, {"whole": LONG, "moved": predictions}, references)
    systems, kept = result.fixed("moved")
    assert systems["whole"] == systems["moved"] == LONG[:12] + LONG[13:]
    assert kept == LONG_REFERENCES[:12] + LONG_REFERENCES[13:]


def test_documents_are_counted(bleu):
    documents = [row // 4 for row in range(12)]
    (finding,) = check(bleu, CASES["reasoning"].predictions, R, documents=documents)["findings"]
    assert (finding["rows"], finding["documents"]) == (3, 2)
    with pytest.raises(ValueError, match="documents: got 2 labels"):
        bleu.check(P, R, documents=["x", "y"])


def test_the_result_displays_and_exports(bleu):
    result = check(bleu, CASES["BPE"].predictions, R)
    assert str(result).startswith(f"BLEU {result['score']:.2f}: 1 finding\n")
    assert json.loads(json.dumps(result)) == result
    assert list(result.to_pandas()["kind"]) == ["subwords"]
    assert "| subwords |" in result.to_markdown()
    assert "subwords" in result._repr_html_()
    assert set(result) == {"bleu", "score", "segments", "findings", "signature"}
    (finding,) = result["findings"]
    assert list(finding) == [
        "kind",
        "where",
        "rows",
        "share",
        "first",
        "example",
        "says",
        "fix",
        "score",
        "delta_score",
    ]
    assert finding["fix"] in str(result)
    assert str(result).endswith(result["signature"])
    head, line, *_ = [row for row in result.to_markdown().splitlines() if row.startswith("|")]
    assert head.count("|") == line.count("|")
    assert str(check(bleu, P, R)).startswith(f"BLEU {sacrebleu_score(P, R, {}):.2f}: no findings")


def test_texts_that_forge_a_page_or_a_terminal(bleu):
    predictions = [f"{text}</s><script>alert(1)</script>\x1b[2J\u202e" for text in P]
    result = check(bleu, predictions, R)
    for shown in (str(result), result.to_markdown(), result._repr_html_()):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert "<script>" not in result._repr_html_()


# --- Texts without spaces, errors, attacks --------------------------------------------------------


def test_text_without_spaces_in_another_order_is_told_of_both(bleu):
    draw = random.Random(0)
    kana = [chr(code) for code in range(0x3042, 0x3082)]
    texts = [
        "".join([*draw.choices(kana, k=10), " ", *draw.choices(kana, k=10)]) for _ in range(60)
    ]
    others = draw.sample(texts, len(texts))
    options = {"predictions": others, "references": one(texts)}
    _, shown = record_warnings(lambda: bleu.compute(**options))
    assert any("written without spaces" in warning for warning in shown), shown
    _, shown = record_warnings(lambda: bleu.compute(**options, tokenize="char"))
    assert any("in another order" in warning for warning in shown), shown


def test_of_two_languages_only_the_texts_without_spaces_are_named(bleu):
    """One tokenizer for all rows would be wrong for half of them."""
    predictions, references = make_pairs(60)
    predictions += [text.replace("，", "") for text in CHINESE_OUTPUT] * 10
    references += one(CHINESE * 10)
    found = bleu.check(predictions, references)["findings"]
    (finding,) = [each for each in found if each["kind"] == "spaces"]
    says = "is written without spaces, at which tokenize='13a' splits, like 60 of 120 references."
    assert finding["says"] == f"references[60] {says}"
    assert (finding["rows"], finding["first"]) == (60, 60)
    assert finding["fix"] == "by=languages, tokenize={language: 'zh'}"


def test_rows_without_a_better_order_are_left(bleu):
    """Fits suggest another order here, but the best one is that of the rows."""
    predictions = [
        "",
        "dahd aghf",
        "",
        "",
        "cgij aghf",
        "jaih",
        "dahd",
        "chbj",
        "",
        "hheb",
        "",
        "caga",
    ]
    references = [
        "",
        "",
        "",
        "",
        "",
        "cgij aghf jaih",
        "dahd",
        "",
        "aghf",
        "",
        "aghf",
        "hheb chbj cgij caga",
    ]
    assert "moved" not in list_kinds(bleu.check(predictions, references))


ERRORS = {
    "a table": (lambda bleu: bleu.check(bleu.statistics(predictions=P, references=R), R), TypeError, r"check\(\) looks at texts, got statistics"),
    "tables": (lambda bleu: bleu.check({"A": bleu.statistics(predictions=P, references=R)}, R), TypeError, r"check\(\) looks at texts, got statistics"),
    "runs": (lambda bleu: bleu.check({"A": {"seed 1": P}}, R), ValueError, "one run per system"),
    "no rows": (lambda bleu: bleu.check([], []), ValueError, "no segments"),
    "an option of compute": (lambda bleu: bleu.check(P, R, segments=True), TypeError, "segments"),
    "an unknown kind": (lambda bleu: bleu.check(P, R).fixed("bpe"), ValueError, r"fixed: 'bpe' was not found\. The kinds found are: none"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("call", "error", "message"), ERRORS.values(), ids=ERRORS)
def test_errors(bleu, call, error, message):
    with pytest.raises(error, match=message):
        call(bleu)


def test_a_none_among_references_is_absent(bleu):
    predictions, references = CASES["end of a sentence"][:2]
    padded = [[*row, None] for row in references]
    assert check(bleu, predictions, padded)["findings"] == check(bleu, predictions, references)["findings"]  # fmt: skip


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS)
def test_texts_that_are_slow_to_search_end(bleu, text):
    """A tenth of a megabyte; `tests/benchmarks/checks.py attacks` measures how the time grows."""
    result = check(bleu, [text(100_000), "a cat"], ["a dog", "a cat"], tokenize="none", max_order=1)
    assert result["segments"] == 2


def test_texts_of_numbers_end(bleu):
    """A label of numbers and spaces: each number must end where a space begins."""
    predictions = [" ".join(map(str, range(200 + row, 260 + row))) for row in range(12)]
    references = [f"{row * 7} {row * 11} {row}" for row in range(12)]
    assert check(bleu, predictions, references)["segments"] == 12


@needs_wmt21
@pytest.mark.more
def test_no_system_output_looks_like_that_of_a_chat():
    """The outputs contain HTML, code and mathematics."""
    named = {"reasoning", "special_tokens", "subwords", "wrapped", "records", "labels"}
    references = {}
    for row in read_published():
        _, row_references, _ = read_system(row)
        references[row["pair"]] = [texts[0] for texts in row_references]
    files = sorted((WMT21 / "system-outputs").iterdir())
    assert len(files) == 255
    for file in files[::5]:
        pair = next(pair for pair in references if f".{pair}." in f".{file.name}.")
        lines = read_lines(file)
        texts = references[pair][: len(lines)]
        found = find_mistakes(Pairs(lines, texts, range(len(texts) + 1)))
        assert named.isdisjoint(each.kind for each in found), file.name
