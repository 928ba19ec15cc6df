"""`check`, and what the other methods look at without being asked."""

import importlib
import json
import random
import re
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from bleu.bleu_kinds import (
    _ANY_TAG,
    _MOJIBAKE,
    _ONE_BYTE,
    _SPECIAL,
    _TAG,
    _WRONG_ENCODING,
    CHECKS,
    list_characters,
)
from helpers import ROOT, record_warnings
from hypothesis import given
from hypothesis import strategies as st
from mistakes import (
    ATTACKS,
    CASES,
    CLEAN_CASES,
    LONG,
    LONG_REFERENCES,
    P,
    R,
    one,
    sacrebleu_score,
)

KINDS = list(dict.fromkeys(check.kind for check in CHECKS.values()))


def check(bleu, predictions, references, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bleu.check(predictions, references, **options)


# --- Kinds ----------------------------------------------------------------------------------------


def test_every_kind_has_a_case():
    assert {case.found[0] for case in CASES.values()} == set(KINDS)


def test_every_kind_is_documented():
    document = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    described, _, _ = document.partition("The same kinds by a small input each")
    assert [kind for kind in KINDS if f"`{kind}`" not in described] == []


def test_the_readme_counts_the_kinds():
    """Two are rows that moved."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = {"subwords", "shifted", "reordered"}
    assert f"pieces of words, rows that moved, and {len({*CHECKS} - named)} more." in readme


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_kind_is_found_and_fixed(bleu, case):
    """In its rows, on its side; the score after the fix is sacreBLEU's of the clean texts."""
    kind, where, first, rows = case.found
    result = check(bleu, case.predictions, case.references, **case.options)
    (finding,) = [each for each in result["findings"] if each["kind"] == kind]
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
    (finding,) = [each for each in result["findings"] if each["kind"] == kind]
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


@pytest.mark.parametrize("name", ["another encoding", "Cyrillic in one byte"])
def test_without_ftfy_the_usual_encodings_are_repaired(bleu, monkeypatch, name):
    """The sentence says that ftfy repairs more."""
    case = CASES[name]
    kinds = importlib.import_module(f"{type(bleu).__module__.rpartition('.')[0]}.bleu_kinds")

    def find():
        result = check(bleu, case.predictions, case.references)
        (finding,) = [each for each in result["findings"] if each["kind"] == "mojibake"]
        return finding

    finding = find()
    assert "ftfy" not in finding["says"]
    monkeypatch.setattr(kinds, "_HAS_FTFY", False)
    own = find()
    assert own["score"] == pytest.approx(finding["score"], abs=1e-9)
    assert "`pip install ftfy` repairs more encodings" in own["says"]


# --- What compute and the other methods warn of ---------------------------------------------------

# Texts that are tokenized on both sides warn by sacreBLEU's rule, from 100 detached periods on.
ALWAYS = [
    name
    for name, case in CASES.items()
    if CHECKS[case.found[0]].when != "asked" and name != "tokenized on both sides"
]


@pytest.mark.parametrize("name", ALWAYS)
def test_compute_warns(bleu, name):
    """Once per kind, with the place, the share and what to write."""
    case = CASES[name]
    kind, where, first, _ = case.found
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bleu.compute(predictions=case.predictions, references=case.references, **case.options)
    (warning,) = [each for each in caught if getattr(each.message, "kind", "") == kind]
    assert warning.filename == __file__
    side = "references" if where == "references" else "predictions"
    message = str(warning.message)
    of_all = ("identical", "case", "unspaced", "reordered")
    assert kind in of_all or message.startswith((f"{side}[{first}]", f"From {side}[{first}]"))


@pytest.mark.parametrize("size", [200, 201, 5_000])
def test_a_warning_of_a_large_corpus_counts_all_rows(bleu, size):
    """A hundredth of the rows; the first of them is not in the sample."""
    predictions = [f"{P[row % 12]} {row}" for row in range(size)]
    references = [f"{R[row % 12][0]} {row}" for row in range(size)]
    rows = range(3, size, 50)
    for row in rows:
        predictions[row] = f"```{predictions[row]}```"
    _, messages = record_warnings(
        lambda: bleu.compute(predictions=predictions, references=references)
    )
    (message,) = messages
    share = f"{len(rows) / size:.1%} of the predictions"
    assert message.startswith(f"predictions[3] contains a fence of code (```), like {share}")


def test_pieces_of_words_are_found_beside_special_tokens(bleu):
    """Special tokens explain cut ends and case, and not pieces: without the tokens, the pieces would be left."""
    found = bleu.check(
        predictions=[f"{text.replace('e', 'e@@ ')} </s>" for text in LONG], references=LONG
    )
    assert [finding["kind"] for finding in found["findings"]] == ["subwords", "special_tokens"]
    predictions, _ = found.fixed("subwords", "special_tokens")
    assert predictions == LONG


def test_rows_that_equal_several_references_count_once(bleu):
    """They were counted per reference: "in 200% of the rows"."""
    _, messages = record_warnings(
        lambda: bleu.statistics(predictions=LONG, references=[[text, text] for text in LONG])
    )
    equal = [message for message in messages if " are equal in " in message]
    assert equal == [
        "Predictions and reference 0 are equal in 100% of the rows. Check which files were read, and pass each"
        " reference once."
    ]


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
    assert set(result["fine"]) == set(KINDS) - {"subwords", "wrapped_ids", "padding_ids"}
    assert str(check(bleu, P, R)).startswith(f"BLEU {sacrebleu_score(P, R, {}):.2f}: no findings")


def test_texts_that_forge_a_page_or_a_terminal(bleu):
    predictions = [f"{text}</s><script>alert(1)</script>\x1b[2J\u202e" for text in P]
    result = check(bleu, predictions, R)
    for shown in (str(result), result.to_markdown(), result._repr_html_()):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert "<script>" not in result._repr_html_()


# --- What saves time ------------------------------------------------------------------------------


# Without single surrogates, which no text has that was read.
@given(text=st.text(), times=st.sampled_from([1, 5_000]))
def test_characters_are_those_of_a_set(text, times):
    assert list_characters(text * times) == set(text * times)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_each_letter_in_a_wrong_encoding_is_searched_for(encoding):
    """The search in UTF-8 that comes first passes over no text that the patterns of the kind find."""
    found = 0
    for code in (*range(0x80, 0xD800), *range(0xE000, 0x20000, 7)):
        broken = "a" + chr(code).encode().decode(encoding, "replace") + "z"
        if _MOJIBAKE.search(broken):
            found += 1
            assert _WRONG_ENCODING.search(broken.encode()), broken
    assert found > 30_000


def test_each_letter_in_one_byte_is_searched_for():
    for first in filter(_ONE_BYTE.search, (chr(code) * 5 for code in range(0xC0, 0x100))):
        for last in range(0xC0, 0x100):
            broken = first[:4] + chr(last)
            assert bool(_WRONG_ENCODING.search(broken.encode())) or not _ONE_BYTE.search(broken)


TAG_PARTS = [
    "<", ">", "/", "|", "[", "]", "_", "s", "think", "THINK", "im_start", "INST", "SYS", "pad", "unk", "extra_id_0", "2de", "lang:en",
    "start_of_turn", "deu_Latn", "en_XX", "__de__", ">>de<<", "⁇", "｜", "◁", "▷", "channel", "answer", " ", "é", "a",
]  # fmt: skip


TAGS = [
    "<s>", "</s>", "<<unk>>", "<pad>", "<extra_id_0>", "<2de>", "<lang:en_XX>", "⁇", "[CLS]", "<｜end of sentence｜>", "<start_of_turn>",
    "__de__", "__zh_CN__", ">>de<<", ">>zho_Hans<<", "deu_Latn", "en_XX", "<think>", "</Thinking>", "◁think▷", "◁/think▷", "[THINK]",
    "<answer>", "<|im_end|>", "[/INST]", "[INST]", "<<SYS>>", "[TOOL_CALLS]", "<channel|>",
]  # fmt: skip


@pytest.mark.parametrize("tag", TAGS)
def test_each_whole_tag_is_searched_for(tag):
    assert _TAG.search(tag) or _SPECIAL.search(tag)
    assert pc.match_substring_regex(pa.array([tag]), _ANY_TAG)[0].as_py()


@given(parts=st.lists(st.sampled_from(TAG_PARTS), max_size=8))
def test_each_tag_is_searched_for(parts):
    """What either pattern finds, Arrow's finds as well."""
    text = "".join(parts)
    is_found = pc.match_substring_regex(pa.array([text]), _ANY_TAG)[0].as_py()
    assert is_found or not (_TAG.search(text) or _SPECIAL.search(text))


@pytest.mark.parametrize("repeats", [1, 400])
def test_tags_that_were_meant_hide_no_others(bleu, repeats):
    """Texts with `<b>` are searched by Arrow, if they are long: one with `<pad>` is found among them."""
    predictions = [f"<b>{text}</b>" for text in P * repeats]
    references = [[f"<b>{text}</b>" for text in row] for row in R * repeats]

    def compute():
        return bleu.compute(predictions=predictions, references=references)

    assert record_warnings(compute)[1] == []
    predictions[7] += "<pad>"
    (warning,) = record_warnings(compute)[1]
    assert "predictions[7] contains '<pad>'" in warning
    findings = check(bleu, predictions, references)["findings"]
    assert ("special_tokens", 7) in [(each["kind"], each["first"]) for each in findings]


def test_text_without_spaces_is_not_suspected_of_another_order(bleu):
    """A line is few tokens under `13a`: hardly any bigram matches, whatever the order is."""
    draw = random.Random(0)
    kana = [chr(code) for code in range(0x3042, 0x3082)]
    texts = [
        "".join([*draw.choices(kana, k=10), " ", *draw.choices(kana, k=10)]) for _ in range(60)
    ]
    others = draw.sample(texts, len(texts))
    options = {"predictions": others, "references": one(texts)}
    _, shown = record_warnings(lambda: bleu.compute(**options))
    assert any("without spaces" in warning for warning in shown), shown
    assert not any("in another order" in warning for warning in shown), shown
    _, shown = record_warnings(lambda: bleu.compute(**options, tokenize="char"))
    assert any("in another order" in warning for warning in shown), shown


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
