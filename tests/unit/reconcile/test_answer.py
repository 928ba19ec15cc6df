"""What `reconcile` answers: fixes that give the score, usual settings first, and what to do."""

import json
import sys

import pytest
from datasets.utils import tqdm
from mistakes import CASES, sacrebleu_score
from test_search import HOME_P, HOME_R, PREDICTIONS, REFERENCES
from test_tools import home_mean, home_sacrebleu

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize(
    "name", ["BPE", "padding", "SGML", "another encoding", "a missing row", "another order", "padded ids"],
)  # fmt: skip
def test_the_fix_that_gives_a_score_is_told(bleu, name, monkeypatch):
    """The score is sacreBLEU's of the clean texts; no setting gives it for the texts as they are."""
    monkeypatch.setitem(sys.modules, "sacremoses", None)  # its search takes longer than all else
    case = CASES[name]
    kind, side, first, _ = case.found
    score = sacrebleu_score(*case.clean)
    found = bleu.reconcile(case.predictions, case.references, f"{score:.2f}")
    assert found["matches"] == []
    (finding,) = found["fixes"]
    assert (finding["kind"], finding["where"], finding["first"]) == (kind, side, first)
    assert finding["score"] == pytest.approx(score, abs=1e-9)
    assert f"the score is {score:.4f}: {finding['fix']}." in str(found)
    assert f"but a fix of `check` does: {finding['fix']}." in str(found).splitlines()[0]
    assert not any(setting["says"].startswith(",") for setting in found["nearest"])
    json.dumps(found)


def test_fixes_are_told_only_if_they_give_the_score(bleu):
    case = CASES["BPE"]
    as_it_is = bleu.compute(predictions=case.predictions, references=case.references)["score"]
    clean = sacrebleu_score(*case.clean)
    signature = f"{clean:.2f} nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    other = signature.replace("tok:13a", "tok:char")
    for reported, verified, kinds in [
        (f"{as_it_is:.2f}", None, []),  # a match: the texts are what was scored
        (f"{clean + 1:.2f}", None, []),
        (signature, False, ["subwords"]),
        (other, False, []),  # split into characters, the clean texts have another score
    ]:
        found = bleu.reconcile(case.predictions, case.references, reported)
        assert found["verified"] is verified
        assert [finding["kind"] for finding in found["fixes"]] == kinds


def test_without_sacremoses_the_answer_names_it(bleu, monkeypatch):
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    found = bleu.reconcile(HOME_P, HOME_R, "99.99")
    assert found["untried_packages"] == ["sacremoses"]
    assert "To try them: pip install sacremoses." in str(found)
    assert "untried_packages" not in bleu.reconcile(HOME_P, HOME_R, "99.99", tokenize="13a")
    plain = bleu.compute(predictions=HOME_P, references=HOME_R)["score"]
    assert "untried_packages" not in bleu.reconcile(HOME_P, HOME_R, plain)
    with pytest.raises(
        ImportError, match=r"'moses-lv' comes from sacremoses.*pip install sacremoses"
    ):
        bleu.compute(predictions=["a"], references=["a"], tokenize="moses-lv")


def test_the_answer_begins_with_usual_settings(bleu):
    """In text, Markdown and HTML, in one table of ten rows; `matches` has all."""
    found = bleu.reconcile(HOME_P, HOME_R, "31")
    usual = [setting["score"] for setting in found["usual"]]
    assert usual[0] == pytest.approx(100 * home_sacrebleu(), abs=1e-9)
    assert usual[1] == pytest.approx(100 * home_sacrebleu(lowercase=True), abs=1e-9)
    assert all(setting["kind"] == "usual" for setting in found["usual"])
    assert {match["kind"] for match in found["matches"]} == {"usual", "call", "rare"}
    for text in (str(found), found.to_markdown(), found.to_html()):
        assert "how likely" in text
        shown = [f"{match['score']:.4f}" in text for match in found["matches"]]
        assert all(shown[:10])
        assert f"The result has {len(found['matches']) - 10} more matches." in text
    assert str(found).startswith("31 is the score ")


def test_the_first_sentence_says_what_to_do(bleu):
    score = home_sacrebleu()
    case = CASES["BPE"]
    answers = {
        "quote the signature": bleu.reconcile(HOME_P, HOME_R, f"{100 * score:.4f}"),
        "pass that to reproduce it": bleu.reconcile(HOME_P, HOME_R, f"{100 * home_sacrebleu(lowercase=True):.4f}"),
        "a fix of `check` does": bleu.reconcile(case.predictions, case.references, f"{sacrebleu_score(*case.clean):.2f}", tokenize="13a"),
        "with predictions and references swapped": bleu.reconcile(HOME_P, HOME_R, f"{100 * home_sacrebleu(HOME_R, HOME_P):.4f}"),
        "compare the number, order and references": bleu.reconcile(HOME_P, HOME_R, "99.99", tokenize="13a"),
    }  # fmt: skip
    for advice, found in answers.items():
        assert advice in str(found).splitlines()[0]
    assert "plausible" not in str(answers["compare the number, order and references"])


def test_a_row_that_matches_by_chance_is_not_said_to_be_the_source(bleu):
    """Nor does it say what to do: the texts need not have been swapped."""
    score = home_mean(str.split, swapped=True)
    found = bleu.reconcile(HOME_P, HOME_R, f"{100 * score:.0f}")
    assert not any(setting["plausible"] for setting in found["matches"])
    assert " is from " not in str(found)
    assert "back" not in str(found)


def test_fixes_that_give_another_score_are_told_as_well(bleu):
    case = CASES["BPE"]
    found = bleu.reconcile(case.predictions, case.references, "99.99", tokenize="13a")
    assert found["fixes"] == []
    (finding,) = [one for one in found["other_fixes"] if one["kind"] == "subwords"]
    assert finding["score"] == pytest.approx(sacrebleu_score(*case.clean), abs=1e-9)
    assert f"{finding['score']:.2f} (without 'subwords' of `check`)" in str(found).splitlines()[0]


def test_of_other_fixes_the_most_effective_one_is_told(bleu):
    """A fix that leaves the score as it is, to two decimals, is left out."""
    case = CASES["BPE"]
    found = bleu.reconcile(case.predictions, case.references, "99.99", tokenize="13a")
    own = found["usual"][0]["score"]
    by_kind = {}
    for kind, score in [("small", own + 1), ("large", own - 2)]:
        by_kind[kind] = {**found["other_fixes"][0], "kind": kind, "score": score}
        by_kind[kind]["delta_score"] = score - own
    changed = type(found)({**found, "other_fixes": list(by_kind.values())})
    first = str(changed).splitlines()[0]
    assert f"{own - 2:.2f} (without 'large' of `check`)" in first
    assert "'small'" not in first
    no_effect = {**by_kind["small"], "score": own + 1e-9, "delta_score": 1e-9}
    assert "of `check`)" not in str(type(found)({**found, "other_fixes": [no_effect]}))


def test_each_round_of_a_long_search_is_named(bleu, monkeypatch):
    """And how to leave it out."""
    named = []

    class RecordedBar(tqdm):
        def __init__(self, *items, desc="", **options):
            named.append(desc)
            super().__init__(*items, desc=desc, **options)

    module = sys.modules[f"{type(bleu).__module__.rpartition('.')[0]}.bleu_core"]
    monkeypatch.setattr(module, "tqdm", RecordedBar)
    bleu.reconcile(HOME_P, HOME_R, "99.99")
    assert named[0].startswith("reconcile, round 1 of 3: settings and known calls (known options")
    assert any(
        "round 3 of 3: Moses' tokenizers (tokenize='13a' leaves them out)" in name for name in named
    )


def test_reconcile_without_a_score_compares_the_conventions(bleu, load):
    """By position or by name; options of the call win over every convention."""
    found = bleu.reconcile(PREDICTIONS, REFERENCES)
    assert list(found)[:5] == ["default", "papineni", "hf", "nltk", "moses"]
    assert found == bleu.reconcile(predictions=PREDICTIONS, references=REFERENCES, reported=None)
    lower = bleu.reconcile(PREDICTIONS, REFERENCES, lowercase=True)
    assert "case:lc" in lower["nltk"]["signature"]
    assert load(lowercase=True).reconcile(PREDICTIONS, REFERENCES) == lower
    with pytest.raises(TypeError, match=r"^decimals: .*Pass `reported`"):
        bleu.reconcile(PREDICTIONS, REFERENCES, decimals=1)
    with pytest.raises(AttributeError, match=r"Write reconcile\(predictions, references\)\.$"):
        bleu.conventions  # noqa: B018
