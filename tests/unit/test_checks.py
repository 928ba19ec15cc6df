"""`check`, and what the other methods look at without being asked."""

import importlib
import json
import random
import re
import warnings
from collections import Counter
from operator import ne

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from bleu import bleu_mistakes
from bleu.bleu_mistakes import KINDS, MISTAKES, Pairs, find_mistakes
from conftest import needs_wmt21
from helpers import ROOT, WMT21, read_lines, read_published, read_system, record_warnings
from mistakes import (
    ATTACKS,
    CASES,
    CLEAN_CASES,
    LONG,
    LONG_REFERENCES,
    MEANT,
    MISTAKEN,
    P,
    R,
    make_pairs,
    one,
    sacrebleu_score,
)


def find(result, kind):
    """Return the finding of a kind; a case of both sides may be a question."""
    (finding,) = [
        each for each in (*result["findings"], *result["questions"]) if each["kind"] == kind
    ]
    return finding


def check(bleu, predictions, references, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bleu.check(predictions, references, **options)


# --- Kinds ----------------------------------------------------------------------------------------


def test_every_kind_has_a_case():
    assert {case.found[0] for case in CASES.values()} == set(KINDS)


def test_every_record_of_a_family_is_of_a_listed_mistake():
    """MISTAKES has the order of results; what it lacks would be found, and never listed as fine."""
    tables = (
        "FORMS",
        "LATER_FORMS",
        "AFFIX_KINDS",
        "RESIDUES",
        "SIGNS",
        "RATIOS",
        "ROW_TESTS",
        "ID_TESTS",
    )
    records = [record for table in tables for record in getattr(bleu_mistakes, table)]
    assert {record.mistake for record in records} - set(MISTAKES) == set()


def test_every_kind_is_documented():
    document = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    described, _, _ = document.partition("The same kinds by a small input each")
    assert [kind for kind in KINDS if f"`{kind}`" not in described] == []


def test_a_document_of_loops_is_found(bleu):
    """As docs/significance.md says: one of 40 documents is nine times too long."""
    references = [f"the cat {row} sat on mat {row * 7} beside a dog" for row in range(400)]
    predictions = [text.replace("sat on", "lay upon") for text in references]
    for row in range(10):
        predictions[row] = " ".join([predictions[row]] * 9)
    findings = bleu.check(predictions, references)["findings"]
    (found,) = [finding for finding in findings if finding["kind"] in ("loops", "length")]
    assert (found["first"], found["rows"]) == (0, 10)


def test_the_readme_counts_the_kinds():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = {"subwords", "shifted", "reordered"}
    assert (
        f"pieces of words, rows that moved, and {len({*KINDS} - named)} other mistakes." in readme
    )


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_kind_is_found_and_fixed(bleu, case):
    """In its rows, on its side; the score after the fix is sacreBLEU's of the clean texts."""
    kind, where, first, rows = case.found
    result = check(bleu, case.predictions, case.references, **case.options)
    finding = find(result, kind)
    assert (finding["where"], finding["first"]) == (where, first)
    if rows is not None:
        assert finding["rows"] == rows
        assert finding["share"] == rows / len(case.predictions)
    before = sacrebleu_score(case.predictions, case.references, case.options)
    assert result["score"] == pytest.approx(before, abs=1e-9)
    if case.clean is None:
        assert (finding["fix"], finding["score"], finding["delta"]) == (None, None, None)
    else:
        after = sacrebleu_score(*case.clean)
        assert finding["score"] == pytest.approx(after, abs=1e-9)
        assert finding["delta"] == pytest.approx((after - before) / 100, abs=1e-11)
        assert finding["fix"]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_fixed_returns_the_texts_of_that_score(bleu, case):
    kind, *_ = case.found
    result = check(bleu, case.predictions, case.references, **case.options)
    finding = find(result, kind)
    is_option = finding["fix"] is not None and re.fullmatch(r"\w+=\S+", finding["fix"])
    if finding["fix"] is None or is_option:
        with pytest.raises(ValueError, match=f"fixed: '{kind}' is not fixed in the texts"):
            result.fixed(kind)
        return
    predictions, references = result.fixed(kind)
    fixed = check(bleu, predictions, references, **case.options)
    assert fixed["score"] == pytest.approx(finding["score"], abs=1e-9)
    assert kind not in [each["kind"] for each in fixed["findings"]]


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
    """Neither found, nor asked about, nor warned of; and no fix lowers the score."""
    result = check(bleu, case.predictions, case.references, **case.options)
    named = {each["kind"] for each in (*result["findings"], *result["questions"])}
    assert named.isdisjoint(case.never)
    score, told = compute(bleu, case.predictions, case.references, case.options)
    assert set(told).isdisjoint(case.never)
    predictions, references = result.fixed()
    assert compute(bleu, predictions, references, case.options)[0] >= score - 0.05


@pytest.mark.parametrize("case", MISTAKEN.values(), ids=MISTAKEN)
def test_mistakes_of_other_domains_are_named(bleu, case):
    """One of the kinds that name the mistake is found, and none that would be wrong."""
    result = check(bleu, case.predictions, case.references, **case.options)
    found = {each["kind"] for each in result["findings"]}
    assert found.intersection(case.named)
    assert found.isdisjoint(case.never)


EXPRESSIONS = {
    name: case
    for name, case in CASES.items()
    if case.clean is not None and case.found[1] != "both" and isinstance(case.predictions[0], str)
}


@pytest.mark.parametrize("case", EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_the_advice_is_the_fix(bleu, case):
    """Pasted, the expression makes of each text what `fixed` returns, in the rows of the finding."""
    kind = case.found[0]
    result = check(bleu, case.predictions, case.references, **case.options)
    (finding,) = [each for each in result["findings"] if each["kind"] == kind]
    fix = finding["fix"]
    if "text" not in fix:
        return  # an option, or rows
    predictions, references = result.fixed(kind)
    before = [*case.predictions, *(row[0] for row in case.references)]
    after = [*predictions, *(row[0] for row in references)]
    names = {name: importlib.import_module(name) for name in NAMES}
    changed = [(old, new) for old, new in zip(before, after) if old != new]
    assert changed
    for old, new in changed:
        assert eval(fix, {**names, "text": old}) == new


NAMES = ("ast", "ftfy", "html", "json", "re", "unicodedata", "urllib.parse")


def list_record_edits(texts):
    """Return the edits of all records, those that depend on texts for each of these."""
    edits = [sign.edit for sign in bleu_mistakes.SIGNS]
    edits += [ratio.edit for ratio in bleu_mistakes.RATIOS if ratio.edit is not None]
    edits += [residue.edit for residue in bleu_mistakes.RESIDUES]
    for form in (*bleu_mistakes.FORMS, *bleu_mistakes.LATER_FORMS):
        for text in texts:
            marks = Counter(form.find(text))
            if marks:
                edits += form.list_edits([text], marks) or ()
    return {edit.code: edit for edit in edits}.values()


def test_every_expression_does_what_it_says():
    """Each edit of a record, as an expression and as a function, on all texts of the cases."""
    names = {name.partition(".")[0]: importlib.import_module(name) for name in NAMES}
    names["urllib"] = importlib.import_module("urllib")
    texts = sorted(
        {text for case in CASES.values() for text in case.predictions if isinstance(text, str)}
    )
    compared = 0
    for edit in list_record_edits(texts):
        for text in texts:
            try:
                expected = eval(edit.code, {**names, "text": text})
            except Exception:
                expected = text
            is_text = isinstance(expected, str) or (
                isinstance(expected, list)
                and expected
                and all(isinstance(each, str) for each in expected)
            )
            expected = expected if is_text else text
            assert edit.list_texts(text) == (
                [expected] if isinstance(expected, str) else expected
            ), edit.code
            compared += edit.list_texts(text) != [text]
    assert compared > 1_000


# --- What compute and the other methods warn of ---------------------------------------------------

QUIET = {mistake.kind for mistake in MISTAKES if mistake.is_quiet}
COSTLY = {
    name: case
    for name, case in CASES.items()
    if case.clean is not None
    and case.found[0] not in QUIET
    and case.found[1] != "both"
    and abs(
        sacrebleu_score(*case.clean)
        - sacrebleu_score(case.predictions, case.references, case.options)
    )
    >= 3
}


def compute(bleu, predictions, references, options):
    """Return the score, and the messages about the input by kind."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score = bleu.compute(predictions=predictions, references=references, **options)["score"]
    return score, {getattr(each.message, "kind", ""): each for each in caught}


@pytest.mark.parametrize("case", COSTLY.values(), ids=COSTLY)
def test_compute_warns_of_what_costs_three_points(bleu, case):
    """Once per kind, with the place, the share and what to write."""
    kind, where, first, _ = case.found
    _, told = compute(bleu, case.predictions, case.references, case.options)
    warning = told[kind]
    assert warning.filename == __file__
    side = "references" if where == "references" else "predictions"
    of_all = ("identical", "case", "unspaced", "reordered", "spaces", "marks", "accents")
    starts = (f"{side}[{first}]", f"From {side}[{first}]")
    assert kind in of_all or str(warning.message).startswith(starts)


def test_the_look_is_a_sample(bleu):
    """Shares are those of the rows looked at; rows keep their numbers in the corpus."""
    size = 5_000
    predictions = [f"{P[row % 12]} {row}" for row in range(size)]
    references = [f"{R[row % 12][0]} {row}" for row in range(size)]
    for row in range(0, size, 2):
        predictions[row] = f"```{predictions[row]}```"
    _, told = compute(bleu, predictions, references, {})
    message = str(told["fences"].message)
    assert message.startswith(
        "predictions[0] contains a fence of code (```), like 80 of 160 rows looked at"
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
    assert str(told["empty"].message).startswith("predictions[1] is empty, like 50.0% ")


def test_rows_shuffled_in_batches_are_told(bleu):
    """No order of all rows is looked for unasked, but the rows around a low precision are."""
    texts, references = make_pairs(400)
    rows = [first + (row * 5 + 3) % 16 for first in range(0, 400, 16) for row in range(16)]
    _, told = compute(bleu, [texts[row] for row in rows], references, {})
    assert str(told["reordered"].message).startswith("The predictions are in another order")


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
    assert not {"case", "marks", "accents", "reordered", "shifted"} & set(told)


@pytest.mark.parametrize("share", [0.3, 0.4, 0.56])
def test_the_predictions_are_told_as_the_shorter_ones(bleu, share):
    """Also near the limit, where the inverse ratio would be told of the references."""
    predictions = [text[: round(share * len(text)) - 1] + "." for (text,) in LONG_REFERENCES]
    length = find(check(bleu, predictions, LONG_REFERENCES), "length")
    assert (length["where"], length["rows"]) == ("predictions", len(predictions))
    assert f"are {share:.1f} times as long as the references" in length["says"]


def test_predictions_of_the_row_before_are_told(bleu):
    """A variable keeps its last value where a row fails."""
    texts, references = make_pairs(200)
    predictions = [texts[row - 1] if row % 3 == 1 else text for row, text in enumerate(texts)]
    _, told = compute(bleu, predictions, references, {})
    assert "is the prediction of 1 row before" in str(told["repeated"].message)


def test_each_text_in_four_rows_is_found_and_told(bleu):
    """One text of four in a batch; each is in few of all rows, and together they are all of them."""
    texts, references = make_pairs(400)
    predictions = [texts[row - row % 4] for row in range(400)]
    same_text = find(check(bleu, predictions, references), "same_text")
    assert same_text["rows"] == 400
    assert "same_text" in compute(bleu, predictions, references, {})[1]


def test_one_caption_for_several_pictures_is_meant(bleu):
    """A model of captions says the same of many pictures; each is in few of all rows."""
    texts, _ = make_pairs(250)
    draw = random.Random(1)
    predictions = draw.choices(texts, k=1000)
    references = [[f"{text} {row}"] for row, text in enumerate(predictions)]
    found = {finding["kind"] for finding in check(bleu, predictions, references)["findings"]}
    assert "same_text" not in found
    assert "same_text" not in compute(bleu, predictions, references, {})[1]


@pytest.mark.parametrize(
    "write", [lambda text: text + " </s>", lambda text: re.sub(r"\w{5,}", "<unk>", text, count=1)]
)
def test_a_tag_in_one_row_hides_no_tokens_in_others(bleu, write):
    """A row of markup, as real outputs have it, does not name what stands in other rows."""
    predictions = list(map(write, LONG))
    predictions[7] = f"<b>{predictions[7]}</b>"
    special_tokens = find(check(bleu, predictions, LONG_REFERENCES), "special_tokens")
    assert special_tokens["rows"] >= sum(map(ne, predictions, LONG)) - 1
    assert "special_tokens" in compute(bleu, predictions, LONG_REFERENCES, {})[1]


@pytest.mark.parametrize("share", [1, 0.6])
@pytest.mark.parametrize("errors", ["ignore", "replace"])
def test_letters_with_accents_that_were_lost_are_told(bleu, errors, share):
    """No edit restores them: without its accents, a reference has a letter that the prediction lacks."""
    accents = str.maketrans("uo", "üö")
    references = [[text.translate(accents)] for (text,) in LONG_REFERENCES]
    predictions = [text.translate(accents) for text in LONG]
    for row in range(round(share * len(LONG))):
        predictions[row] = predictions[row].encode("ascii", errors).decode()
    accents_found = find(check(bleu, predictions, references), "accents")
    assert accents_found["where"] == "predictions"
    assert "accents" in compute(bleu, predictions, references, {})[1]


def test_rows_without_spaces_are_told_beside_others(bleu):
    """Too few to show in the words of all rows, which are 0.75 times those of the references."""
    rows = {*range(1, 40, 4), 0}
    predictions = [text.replace(" ", "") if row in rows else text for row, text in enumerate(LONG)]
    spaces = find(check(bleu, predictions, LONG_REFERENCES), "spaces")
    assert (spaces["where"], spaces["rows"]) == ("predictions", 11)
    assert "spaces" in compute(bleu, predictions, LONG_REFERENCES, {})[1]


def test_marks_that_are_lost_with_words_are_no_mistake(bleu):
    """A system that leaves out half of the words has rows without marks."""
    texts, references = make_pairs(120)
    for seed in range(20):
        draw = random.Random(seed)
        share = draw.uniform(0.3, 0.6)
        predictions = [
            " ".join(word for word in text.split() if draw.random() > share) for text in texts
        ]
        found = {finding["kind"] for finding in check(bleu, predictions, references)["findings"]}
        assert "marks" not in found, share


def test_loops_of_short_texts_are_told(bleu):
    """They may be shorter than the longest reference of another row."""
    looping = [f"{text[:12]} {'rains and ' * 8}" for text in P]
    predictions = [looping[row] if row % 5 == 1 else text for row, text in enumerate(P)]
    references = list(R)
    references[0] = [" ".join(text for (text,) in LONG_REFERENCES)]
    assert "loops" in compute(bleu, predictions, references, {})[1]


def test_pieces_of_words_are_found_beside_special_tokens(bleu):
    found = bleu.check(
        predictions=[f"{text.replace('e', 'e@@ ')} </s>" for text in LONG], references=LONG
    )
    assert {finding["kind"] for finding in found["findings"]} == {"subwords", "special_tokens"}
    predictions, _ = found.fixed("subwords", "special_tokens")
    assert predictions == LONG


def test_rows_that_equal_several_references_count_once(bleu):
    """They were counted per reference: "in 200% of the rows"."""
    _, messages = record_warnings(
        lambda: bleu.statistics(predictions=LONG, references=[[text, text] for text in LONG])
    )
    equal = [message for message in messages if " equal reference " in message]
    assert equal == [
        "The predictions equal reference 0 in 100.0% of the predictions. Check which files were read, and pass each"
        " reference once."
    ]


def test_tokens_with_blanks_keep_them(bleu):
    predictions = [
        ["New York", "is", "lar@@", "ge", "."],
        ["We", "saw", "San Mar@@", "ino", "."],
    ] * 3
    references = [[["New York", "is", "large", "."]], [["We", "saw", "San Marino", "."]]] * 3
    fixed, _ = bleu.check(predictions, references).fixed()
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
    "conventions": lambda bleu, p, r: bleu.conventions(p, r),
    "reconcile": lambda bleu, p, r: bleu.reconcile(p, r, 20.1),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_rows_that_moved_warn_in_every_method(bleu, call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of what other tests left open
        call(bleu, *MOVED)
    (message,) = [str(each.message) for each in caught if each.message.kind == "shifted"]
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
    assert sorted(found, key=str) == [("markup", None), ("special_tokens", "bad")]
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
    """A handle in the second one looks like a piece of a word, in a row where the first has pieces."""
    other = ["Write to anna@@ now.", *P[1:]]
    result = check(bleu, {"bpe": CASES["BPE"].predictions, "other": other}, R)
    systems, references = result.fixed("subwords")
    assert systems == {"bpe": P, "other": other}
    assert references == R


def test_rows_that_one_system_lacks_are_left_out_of_all(bleu):
    predictions, references = MOVED
    result = check(bleu, {"whole": LONG, "moved": predictions}, references)
    systems, kept = result.fixed("shifted")
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
    assert json.loads(json.dumps(result.to_dict())) == result
    assert list(result.to_pandas()["kind"]) == ["subwords"]
    assert "| subwords |" in result.to_markdown()
    assert "subwords" in result._repr_html_()
    few = {"shifted": "needs 20 rows", "unrelated": "needs 30 rows"}
    ids = {"wrapped_ids": "needs ids", "padding_ids": "needs ids"}
    assert result["not_looked_for"] == {**few, **ids}
    assert set(result["fine"]) == set(KINDS) - {"subwords", *few, *ids}
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
    assert any("without spaces" in warning for warning in shown), shown
    _, shown = record_warnings(lambda: bleu.compute(**options, tokenize="char"))
    assert any("in another order" in warning for warning in shown), shown


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
    found = {finding["kind"] for finding in bleu.check(predictions, references)["findings"]}
    assert found.isdisjoint({"reordered", "shifted"})


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


@needs_wmt21
def test_no_system_output_looks_like_that_of_a_chat():
    """The outputs contain HTML, code and mathematics."""
    named = {"chat", "fences", "preambles", "refusals", "reprs", "markup", "affixes"}
    references = {}
    for row in read_published():
        _, row_references, _ = read_system(row)
        references[row["pair"]] = [texts[:1] for texts in row_references]
    files = sorted((WMT21 / "system-outputs").iterdir())
    assert len(files) == 255
    for file in files[::5]:
        pair = next(pair for pair in references if f".{pair}." in f".{file.name}.")
        lines = read_lines(file)
        found = find_mistakes(Pairs(lines, references[pair][: len(lines)]))
        assert named.isdisjoint(each.kind for each in found), file.name


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_notes_of_a_result_are_sentences_of_one_line(bleu):
    """Deletions, what was looked for and what was not: a break of line would be printed as `\\n`."""
    result = bleu.check(["The c@@ at s@@ at."] * 6, ["The cat sat."] * 6)
    *_, note = str(result).splitlines()
    sentences = re.findall(r"[^.]+\.", note)
    assert [sentence.split()[0] for sentence in sentences] == ["The", "Looked", "Not"]
    assert "\\n" not in note
