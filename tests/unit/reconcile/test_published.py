"""Lines that tools print, JSON and dicts are read as a score, with all that they have beside it."""

import json
from dataclasses import replace

import numpy as np
import pytest
import sacrebleu
from bleu.bleu_core.reconcile.published import Conditions, Rounded, read_published
from conftest import needs_wmt21
from helpers import WMT21, read_lines, read_system
from test_search import make_sentences

SIGNATURE = "nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.0.0"
OLD = "BLEU+case.lc+lang.en-de+numrefs.1+smooth.exp+test.wmt17+tok.intl+version.1.5.1"
TAIL = "64.1/40.0/30.1/20.2 (BP = 0.998 ratio = 0.998 hyp_len = 1234 ref_len = 1236)"
MULTI_BLEU = "64.1/40.0/30.1/20.2 (BP=0.998, ratio=0.998, hyp_len=1234, ref_len=1236)"
FAIRSEQ = "64.1/40.0/30.1/20.2 (BP=0.998, ratio=0.998, syslen=1234, reflen=1236)"
VALUES = {
    "precisions": [0.641, 0.4, 0.301, 0.202],
    "brevity_penalty": 0.998,
    "length_ratio": 0.998,
    "translation_length": 1234,
    "reference_length": 1236,
}
PRECISIONS = {"precisions": VALUES["precisions"]}

# A line, the number in it, what it has beside the number, and the options of its signature.
LINES = {
    f"BLEU|{SIGNATURE} = 33.1 {TAIL}": ("33.1", VALUES, {"lowercase": True, "tokenize": "13a"}),
    f"BLEU|{SIGNATURE} = 33.1 (μ = 33.2 ± 0.8) {TAIL}": ("33.1", VALUES, {"lowercase": True, "tokenize": "13a"}),
    f"{OLD} = 33.1 {TAIL}": ("33.1", VALUES, {"lowercase": True, "tokenize": "intl"}),
    "BLEU+c.lc+l.en-de+#.1+s.exp+t.wmt17+tok.intl+v.1.2.12 = 33.1": ("33.1", {}, {"lowercase": True, "tokenize": "intl"}),
    f"33.1 ({OLD})": ("33.1", {}, {"lowercase": True, "tokenize": "intl"}),
    "33.1 BLEU+case.lc +\nnumrefs.1+ tok.intl": ("33.1", {}, {"lowercase": True, "tokenize": "intl"}),
    "33.1 BLEU +0.5": ("33.1", {}, {}),
    f"BLEU = 33.10, {MULTI_BLEU}": ("33.10", VALUES, {}),
    f"BLEU4 = 33.10, {FAIRSEQ}": ("33.10", VALUES, {}),
    f"Generate test with beam=5: BLEU4 = 33.10, {FAIRSEQ}": ("33.10", VALUES, {}),
    "33.1 64.1/40.0/30.1/20.2": ("33.1", PRECISIONS, {}),
    "BLEU2 = 50.6 64.1/40.0 (BP = 1.000 ratio = 1.003)": ("50.6", {"precisions": [0.641, 0.4], "brevity_penalty": 1.0, "length_ratio": 1.003}, {}),
    "BLEU score = 0.2681 for system \"x\"": ("0.2681", {}, {}),
    "27.3 ± 0.5": ("27.3", {}, {}), "27.3 +/- 0.5 BLEU": ("27.3", {}, {}), "27.3 [26.8, 27.8]": ("27.3", {}, {}),
    "27.3%": ("27.3", {}, {}), "BLEU: 27.3 %": ("27.3", {}, {}),
    "eval_bleu = 0.273": ("0.273", {}, {}), "'eval_bleu': 27.3": ("27.3", {}, {}), "test/sacrebleu 27.3": ("27.3", {}, {}),
    "Bleu_4: 0.327": ("0.327", {}, {}), "BLEU-4 = 32.7": ("32.7", {}, {}), "BLEU@4 32.7": ("32.7", {}, {}),
    "COMET 0.85, BLEU 33.1": ("33.1", {}, {}), "33.1 BLEU, 0.85 COMET": ("33.1", {}, {}), "BLEU 33,1; chrF 55,2": ("33,1", {}, {}),
    "BLEU: 33.1 COMET: 0.85": ("33.1", {}, {}), "step 1200: BLEU 27.3": ("27.3", {}, {}), "newstest2014 BLEU 27.3": ("27.3", {}, {}),
    "spBLEU 27.3": ("27.3", {}, {}), "test score: 27.3": ("27.3", {}, {}), "BLEU 27.3, loss 2.13": ("27.3", {}, {}),
    "| BLEU | 27.3 |": ("27.3", {}, {}), "BLEU 27.3, BLEU = 27.3": ("27.3", {}, {}),
    f"BLEU = 33.1 {SIGNATURE}": ("33.1", {}, {"lowercase": True, "tokenize": "13a"}),
    f"33.1 ({SIGNATURE})": ("33.1", {}, {"lowercase": True, "tokenize": "13a"}),
    "33.1 nrefs:1 | case:lc |\n tok:13a": ("33.1", {}, {"lowercase": True, "tokenize": "13a"}),
}  # fmt: skip


def flatten(values):
    """Return the values with one key per precision."""
    precisions = dict(enumerate(values.get("precisions", ())))
    return precisions | {key: value for key, value in values.items() if key != "precisions"}


@pytest.mark.parametrize(("line", "read"), LINES.items(), ids=LINES)
def test_lines(line, read):
    written, values, options = read
    published = read_published(line)
    assert published.written == written
    assert flatten(published.conditions.to_dict()) == pytest.approx(flatten(values))
    signed = published.signature.options if published.signature else {}
    assert options.items() <= signed.items()
    assert bool(options) == bool(signed)
    assert published.reported == line


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("BLEU 27.3, BLEU 28.1", "pass one BLEU score, not 27.3 and 28.1"),
        ("BLEU 27.3, 28.1", "pass one BLEU score, not 27.3 and 28.1"),
        ("BLEU 27.3 / 28.1 / 29.0", "pass one BLEU score, not 27.3, 28.1 and 29.0"),
        ("27.3 28.1", "pass one BLEU score, not 27.3 and 28.1"),
        ("chrF 55.2", "pass a BLEU score; this line is about chrF"),
        ("COMET: 0.85", "pass a BLEU score; this line is about COMET"),
        ("BLEURT 0.71", "pass a BLEU score; this line is about BLEURT"),
        ("COMET 0.85, 33.1", "pass a BLEU score; this line is about COMET"),
        ("The cat sat on 3,5 mats", "pass a number"),
        ("BLEU = 127.3 (BP=1.000)", "pass a score from 0 to 1 or from 0 to 100"),
        ({"loss": 2.1}, "pass a dict with one BLEU score"),
        ({"eval_bleu": 27.3, "test_bleu": 28.1}, "pass one BLEU score, not eval_bleu=27.3 and test_bleu=28.1"),
        ({"bleu": None}, "pass a dict with one BLEU score"),
        ({}, "pass a dict with one BLEU score"),
        ('{"name": "chrF2", "score": 55.2}', "pass a dict with one BLEU score"),
        ("[27.3, 28.1]", "pass a number"),
        ('{"score": "x"}', "pass a dict with one BLEU score"),
        ("{", "pass a number"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_told_is_an_error(line, message):
    """It lists the numbers that can be meant."""
    with pytest.raises(ValueError, match=rf"^reported=.*: {message}"):
        read_published(line)


# Lines as people write them in papers, logs and messages, and the number that is read: the one beside BLEU, or else
# the only one. The text of a result says which one was read.
WRITTEN_LINES = {
    "BLEU over 5 runs: 33.1 ± 0.4": "33.1",
    "BLEU on 50 sentences: 33.1": "33.1",
    "BLEU after 3 epochs: 33.1": "33.1",
    "test BLEU, 10 epochs: 27.3": "27.3",
    "27.3 BLEU (+1.2)": "27.3",
    "27.3 BLEU, +1.2 over the baseline": "27.3",
    "BLEU 27.3 (baseline 26.1)": "27.3",
    "We obtain 27.3 BLEU on WMT14 en-de.": "27.3",
    "Our Transformer (65M parameters) reaches 27.3 BLEU with beam size 5": "27.3",
    "BLEU of 27.3 with 6 layers and 8 heads": "27.3",
    "beam 4, alpha 0.6: BLEU 27.3": "27.3",
    "epoch 3 33.1 BLEU": "33.1",
    "epoch 010 loss 4.1 nll_loss 2.5 ppl 5.7 bleu 27.31 wps 2345 num_updates 12000": "27.31",
    "{'eval_loss': 2.1, 'eval_bleu': 27.3, 'epoch': 3.0}": "27.3",
    "2024-05-01 12:30:45 | INFO | test BLEU: 27.3": "27.3",
    "[2024-05-01 12:30:45,123] step 12000: bleu=27.31": "27.31",
    "BLEU 4: 27.3": "27.3",
    "BLEU 4 27.3": "27.3",
    "BLEU↑ 27.3": "27.3",
    "BLEU (higher is better): 27.3": "27.3",
    "BLEU 27": "27",
    "27 BLEU on 3,003 sentences": "27",
    "BLEU on 3,003 sentences: 27.3": "27.3",
    "BLEU on 1000 sentences 27.3": "27.3",
    "WMT 14 en-de BLEU: 27.3": "27.3",
    "BLEU on WMT 14 en-de: 27.3": "27.3",
    "BLEU, WMT 2014: 27.3": "27.3",
    "BLEU 27.3 (95% CI 26.8-27.8)": "27.3",
    "BLEU 27.3 (95% CI: 26.8 to 27.8)": "27.3",
    "BLEU 27.3 (26.8–27.8)": "27.3",
    "BLEU 27.3 (std 0.4)": "27.3",
    "BLEU 27.3 (p = 0.03)": "27.3",
    '$27.3_{\\pm 0.5}$ BLEU': "27.3",
    'BLEU & 27.3 \\\\': "27.3",
    "**BLEU**: `27.3`": "27.3",
    "|BLEU|27.3|": "27.3",
    "BLEU: 27.3/100": "27.3",
    "27.3 out of 100 BLEU": "27.3",
    "BLEU: 27.3 points": "27.3",
    "27.3 tokenized BLEU, beam 5": "27.3",
    "mean BLEU of 3 seeds: 27.3": "27.3",
    "BLEU (n=5): 33.1": "33.1",
    "BLEU (5 runs) = 33.1": "33.1",
    "average of 5 checkpoints, 27.3 BLEU": "27.3",
    "27.3 BLEU with 100 k steps": "27.3",
    "BLEU@10k steps: 27.3": "27.3",
    "sacrebleu 2.6.0 says 27.3": "27.3",
    "BLEU after 12000 steps 27.3": "27.3",
    "BLEU with 4 references 27.3": "27.3",
    "BLEU with seed 42: 27.3": "27.3",
    "33.1 BLEU 0.85 COMET": "33.1",
    "BLEU 33.1 COMET 0.85": "33.1",
    "chrF 55.2 BLEU 27.3 TER 60.1": "27.3",
    "BLEU über 5 Läufe: 33,1": "33,1",
    "BLEU auf 50 Sätzen: 33,1": "33,1",
    "Der BLEU-Wert beträgt 33,1": "33,1",
    "BLEU sur 50 phrases : 33,1": "33,1",
    "le score BLEU est de 33,1": "33,1",
    "BLEU de 33,1 sobre 50 frases": "33,1",
    "50文のBLEUは33.1でした": "33.1",
    "在50个句子上的BLEU为33.1": "33.1",
    "BLEU：33.1％": "33.1",
    "BLEU 점수는 33.1입니다": "33.1",
    "BLEU на 50 предложениях: 33,1": "33,1",
    "27.3 reached in BLEU": "27.3",
    "BLEU:27.3 on test": "27.3",
    "test BLEU:27.3": "27.3",
    "BLEU 0.273 after 3 epochs": "0.273",
    "time 12.5s, BLEU 27.3": "27.3",
    "BLEU 27.3 time 12.5 s": "27.3",
    "Score: 27.3, 5 runs": "27.3",
    "5 runs: 27.3": "27.3",
    "BLEU on 2 GPUs: 27.3": "27.3",
    "The model has 27.3 BLEU and 1.5 billion parameters": "27.3",
    "BLEU 27.3 at 0.5 dropout": "27.3",
    "5-run BLEU 27.3": "27.3",
    "BLEU for run 3 is 27.3": "27.3",
    "bleu = 27.3, bp = 0.98": "27.3",
    "Epoch 3/10 - BLEU: 27.3": "27.3",
    "BLEU 27.3 [epoch 12]": "27.3",
    "Best BLEU 27.3 at epoch 12": "27.3",
    "BLEU score 27.3 after 2.5 hours": "27.3",
    "BLEU of system 2: 27.3": "27.3",
    "BLEU of 27.3 is 1.2 points above the baseline": "27.3",
    "BLEU 27.3 epoch 12": "27.3",
    "BLEU 27 epoch 12": "27",
    "1 epoch 27.3 BLEU": "27.3",
    "BLEU after 1 epoch 27.3": "27.3",
    "BLEU drops to 27.3": "27.3",
    "Transformer gets 27.3 BLEU (baseline: 26.1)": "27.3",
    "BLEU 1 in 5 runs": "1",
    "In Table 3, BLEU is 27.3": "27.3",
    "Table 3: 27.3 BLEU": "27.3",
    "see Section 4.2: BLEU 27.3": "27.3",
    "GPT-4 gets 27.3 BLEU": "27.3",
    "Qwen2.5 27.3 BLEU": "27.3",
    "BLEU 27.3 (Llama 3.1)": "27.3",
    "BLEU=27.3;chrF=55.2": "27.3",
    "bleu 27.3 chrf++ 55.2": "27.3",
    "BLEU 27.3±0.4 chrF 55.2±0.3": "27.3",
    "BLEU rose to 27.3 after 10 epochs": "27.3",
    "27.3 BLEU / 55.2 chrF": "27.3",
    "27.3 BLEU, up from 26.1": "27.3",
    "BLEU 27.3 dev 26.1": "27.3",
    "baseline 26.1, Transformer 27.3 BLEU": "27.3",
    "Llama 3.1 70B: 27.3 BLEU": "27.3",
    "Llama 3.1 gets 27.3 BLEU": "27.3",
    "en-de 27.3, en-fr 38.1 BLEU": "38.1",
    r"\textbf{50.81}": "50.81",
    r"$\mathbf{27.3}$": "27.3",
    r"\textbf{27.3}$\pm$0.5": "27.3",
    "BLEU,50.81": "50.81",
    "bleu,27,3": "27,3",
    "newstest2014,50.81": "50.81",
    "newstest2014 50.81": "50.81",
    "Transformer-big 27.3": "27.3",
    ".27": ".27",
    "BLEU=.27": ".27",
    "27 BLEU (+1.2)": "27",
}  # fmt: skip

# Lines with several numbers that can be meant: an error lists them.
SEVERAL_SCORES = {
    "BLEU increased from 26.1 to 27.3": "26.1 and 27.3",
    "BLEU up by 1.2 to 27.3": "1.2 and 27.3",
    "BLEU 26.1 → 27.3": "26.1 and 27.3",
    "BLEU: 26.1 -> 27.3": "26.1 and 27.3",
    "BLEU improves 26.1 to 27.3": "26.1 and 27.3",
    "BLEU 27.3 (was 26.1)": "27.3 and 26.1",
    "BLEU 27.3 vs. 26.1": "27.3 and 26.1",
    "epoch 010 | valid on 'valid' subset | loss 4.1 | bleu 27.31 | best_bleu 27.5": "27.31 and 27.5",
    "BLEU-1 54.9, BLEU-4 27.3": "54.9 and 27.3",
    "BLEU 27, 28.1": "27 and 28.1",
    "BLEU 27.3 (28.1, 29.0)": "27.3, 28.1 and 29.0",
    "33.1 (0.4) BLEU": "33.1 and 0.4",
    "sacrebleu 2.6 says 27.3": "2.6 and 27.3",
    "dev BLEU 26.1, test BLEU 27.3": "26.1 and 27.3",
    "BLEU stieg von 26,1 auf 27,3": "26,1 and 27,3",
    "le BLEU passe de 26,1 à 27,3": "26,1 and 27,3",
    "El BLEU subió de 26,1 a 27,3": "26,1 and 27,3",
    "BLEU从26.1提高到27.3": "26.1 and 27.3",
    "BLEU 26.1 and 27.3": "26.1 and 27.3",
    "BLEU between 26.1 and 27.3": "26.1 and 27.3",
    "system A: BLEU 27.3, system B: BLEU 28.1": "27.3 and 28.1",
    "BLEU: 27.3 vs 28.1 (p < 0.05)": "27.3 and 28.1",
    "BLEU rose 1.2 to 27.3": "1.2 and 27.3",
    "5 runs, BLEU 27.3, 28.1, 29.0": "27.3, 28.1 and 29.0",
    "newstest2014 27.3 BLEU, newstest2015 29.1 BLEU": "27.3 and 29.1",
    "BLEU (beam 4, alpha 0.6) 27.3": "0.6 and 27.3",
    "BLEU with length penalty 0.6 is 27.3": "0.6 and 27.3",
    "BLEU with dropout 0.3: 33.1": "0.3 and 33.1",
    "BLEU with temperature 0.7 33.1": "0.7 and 33.1",
    "BLEU, learning rate 0.0005: 27.3": "0.0005 and 27.3",
}  # fmt: skip

# Lines without a score of BLEU, and what the error asks for.
NO_SCORE = {
    "a gain of 1.2 BLEU": "a BLEU score; 1.2 is a difference",
    "+1.2 BLEU": "a BLEU score; 1.2 is a difference",
    "BLEU improved by 1.2": "a BLEU score; 1.2 is a difference",
    "BLEU 127.3": "a score from 0 to 1",
    "BLEU chrF COMET 27.3 55.2 0.85": "a BLEU score; this line is about chrF",
    "BLEU drops 1.2 points": "a BLEU score; 1.2 is a difference",
    "BLEU is 1.2 higher": "a BLEU score; 1.2 is a difference",
    "1.2 BLEU better than the baseline": "a BLEU score; 1.2 is a difference",
    "outperforms the baseline by 1.2 BLEU": "a BLEU score; 1.2",
    "BLEU drop of 1.2": "a BLEU score; 1.2 is a difference",
    "BLEU/chrF 27.3/55.2": "",
}  # fmt: skip


@pytest.mark.parametrize(("line", "score"), WRITTEN_LINES.items(), ids=WRITTEN_LINES)
def test_lines_as_people_write_them(line, score):
    assert read_published(line).written == score


@pytest.mark.parametrize(("line", "scores"), SEVERAL_SCORES.items(), ids=SEVERAL_SCORES)
def test_several_numbers_that_can_be_meant_are_listed(line, scores):
    with pytest.raises(ValueError, match=rf"^reported=.*: pass one BLEU score, not {scores}\.$"):
        read_published(line)


@pytest.mark.parametrize(("line", "message"), NO_SCORE.items(), ids=NO_SCORE)
def test_lines_without_a_score_are_errors(line, message):
    with pytest.raises(ValueError, match=rf"^reported=.*: pass {message}"):
        read_published(line)


@pytest.mark.parametrize("line", [*WRITTEN_LINES, *LINES])
def test_a_number_that_was_chosen_among_others_is_told(line):
    """No number is above 100; the text says which one was read if a line has several."""
    published = read_published(line)
    assert 0 <= published.number <= 100
    told = published.describe()
    assert not told or told.startswith(f"Read as {published.written}")


def test_an_unknown_key_of_an_old_signature_is_named():
    with pytest.raises(ValueError, match="reported: 'magic' is not a key of a BLEU signature"):
        read_published("BLEU+case.mixed+numrefs.1+magic.yes+tok.13a+version.1.5.1 = 27.3")


P, TWO_REFERENCES = make_sentences(4)
ROWS = [[row[0]] for row in TWO_REFERENCES]
R = [[row[0] for row in ROWS]]


@pytest.mark.parametrize("is_json", [False, True])
@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("paired", [{}, {"n_bootstrap": 50}], ids=["alone", "interval"])
def test_sacrebleus_own_output(bleu, is_json, short, paired):
    """What sacreBLEU prints is read back to its score, and verified."""
    metric = sacrebleu.BLEU(lowercase=True)
    score = metric.corpus_score(P, R, **paired)
    signature = metric.get_signature().format(short=short)
    printed = score.format(width=2, signature=signature, is_json=is_json)
    published = read_published(printed)
    assert published.number == pytest.approx(score.score, abs=0.005)
    assert published.conditions.to_dict()["translation_length"] == score.sys_len
    assert published.conditions.to_dict()["reference_length"] == score.ref_len
    found = bleu.reconcile(P, ROWS, printed)
    assert (found["verified"], found["decimals"]) == (True, 2)
    assert found["conditions"]["translation_length"] == score.sys_len
    assert "Read as" in str(found)
    if is_json:
        listed = json.dumps([json.loads(printed), {"name": "chrF2", "score": 55.2}])
        assert read_published(listed) == replace(published, reported=listed)


@pytest.mark.parametrize("line", [f"{OLD} = {{:.1f}}", "BLEU+case.lc+numrefs.1+tok.13a = {:.1f}"])
def test_the_signature_of_sacrebleu_1_is_verified(bleu, line):
    tokenize = "intl" if "intl" in line else "13a"
    score = sacrebleu.BLEU(lowercase=True, tokenize=tokenize).corpus_score(P, R).score
    found = bleu.reconcile(P, ROWS, line.format(score))
    assert found["verified"] is True
    assert bleu.reconcile(P, ROWS, line.format(score + 0.1))["verified"] is False


def test_dicts_of_evaluates_modules_and_of_this_metric(load):
    """All digits count, and so do precisions and lengths."""
    rows = {"predictions": P, "references": ROWS}
    of_metric = load(tokenize="none").compute(**rows, lowercase=True)
    results = {
        "sacrebleu": load("sacrebleu").compute(**rows),
        "bleu": load("bleu").compute(**rows),
        "metric": of_metric,
        "trainer": {"eval_loss": 2.1, "eval_bleu": round(of_metric["score"], 4), "epoch": 3.0},
    }
    firsts = {}
    for name, result in results.items():
        for reported in (result, json.dumps(result), str(result)):
            found = load().reconcile(P, ROWS, reported)
            firsts[name] = found["matches"][0]
            json.dumps(found)
    steps = {name: [step["factor"] for step in first["steps"]] for name, first in firsts.items()}
    assert steps == {
        "sacrebleu": [],
        "bleu": [],  # each order has a match, and each segment has one reference
        "metric": [],
        "trainer": ["tokenize", "lowercase"],
    }
    rounded = {"score": np.float32(results["sacrebleu"]["score"])}
    assert read_published(rounded).number == pytest.approx(results["sacrebleu"]["score"], abs=1e-5)


def test_what_a_line_has_beside_the_score_narrows_the_search_and_wrong_values_end_it(bleu):
    """The chance is that of settings that have all these values."""
    made = bleu.compute(predictions=P, references=ROWS, tokenize="none", smooth_method="none")
    precisions = "/".join(f"{100 * precision:.1f}" for precision in made["precisions"])
    lengths = f"hyp_len={made['translation_length']}, ref_len={made['reference_length']}"
    penalty = f"BP={made['brevity_penalty']:.3f}, ratio={made['length_ratio']:.3f}"
    line = f"BLEU = {made['score']:.2f}, {precisions} ({penalty}, {lengths})"
    alone = bleu.reconcile(P, ROWS, f"{made['score']:.2f}")
    found = bleu.reconcile(P, ROWS, line)
    assert found["chance"] < alone["chance"]
    assert len(found["matches"]) == 1
    assert found["matches"][0]["options"]["tokenize"] in ("none", "multi-bleu")
    assert "Read as" in str(found)
    assert "the line of multi-bleu.perl with precisions" in str(found)
    for old, new in (
        (lengths, lengths.replace("hyp_len=", "hyp_len=1")),
        (f"BP={made['brevity_penalty']:.3f}", "BP=0.777"),
        (precisions, "90.0/80.0/70.0/60.0"),
        (f"ratio={made['length_ratio']:.3f}", "ratio=1.777"),
    ):
        wrong = bleu.reconcile(P, ROWS, line.replace(old, new))
        assert (wrong["matches"], wrong["chance"]) == ([], 0)
        assert len(wrong["nearest"]) == 5
        assert f"gives {made['score']:.2f} with these values" in str(wrong)


def test_a_percentage_is_on_the_scale_100(bleu):
    assert bleu.reconcile(P, ROWS, "0.5%")["scale"] == 100
    assert bleu.reconcile(P, ROWS, "0.5")["scale"] in (1, 100)


@needs_wmt21
@pytest.mark.more
def test_scores_of_multi_bleu_perl_in_its_printed_form(load):
    """The script printed these scores; the other values of its line are those of its convention."""
    header, *lines = [line.split("\t") for line in read_lines(WMT21 / "multi-bleu.tsv")]
    rows = [dict(zip(header, line)) for line in lines][:3]
    for row in rows:
        predictions, references, _ = read_system({**row, "metric": "bleu-all"})
        result = load("moses").compute(predictions=predictions, references=references)
        precisions = "/".join(f"{100 * precision:.1f}" for precision in result["precisions"])
        line = (
            f"BLEU = {row['bleu']}, {precisions} (BP={result['brevity_penalty']:.3f},"
            f" ratio={result['length_ratio']:.3f}, hyp_len={result['translation_length']},"
            f" ref_len={result['reference_length']})"
        )
        found = load().reconcile(predictions, references, line)
        assert found["matches"][0]["options"]["tokenize"] == "multi-bleu"
        assert found["matches"][0]["says"] == "`multi-bleu.perl`"


def test_a_rounded_number_is_rounded_up_or_down():
    printed = Rounded.of_text("58.1", scale=100)
    assert [printed.is_rounded_from(number) for number in (0.5805, 0.5815, 0.5804, 0.5816)] == [
        True,
        True,
        False,
        False,
    ]
    assert not Conditions()
