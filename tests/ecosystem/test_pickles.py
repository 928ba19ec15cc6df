"""Scanners of pickles say what SECURITY.md says of them."""

import io
import pickle

import pytest

picklescan = pytest.importorskip("picklescan.scanner")
analysis = pytest.importorskip("fickling.analysis")
fickle = pytest.importorskip("fickling.fickle")

TEXTS = ["the cat sat on the mat", "a dog barks"]


class Tokenizer:
    """The part of a tokenizer that the callback uses."""

    pad_token_id = 0

    def batch_decode(self, ids, skip_special_tokens):
        return [" ".join(map(str, row)) for row in ids]


MAKE = {
    "result": lambda bleu: bleu.compute(predictions=TEXTS, references=TEXTS),
    "plain": lambda bleu: dict(bleu.compute(predictions=TEXTS, references=TEXTS)),
    "table": lambda bleu: bleu.statistics(predictions=TEXTS, references=TEXTS),
    "metric": lambda bleu: bleu,
    "method": lambda bleu: bleu.compare,
    "callback": lambda bleu: bleu.compute_metrics(Tokenizer()),
    "warning": lambda bleu: bleu.Warning("text"),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("name", "dangerous", "fickling_warns"),
    [
        ("result", [], True),
        ("plain", [], False),
        ("table", [], True),
        ("metric", ["eval"], True),
        ("method", ["eval", "getattr"], True),
        ("callback", ["eval"], True),
        ("warning", ["eval"], True),
    ],
)
def test_scanners(bleu, name, dangerous, fickling_warns):
    stored = pickle.dumps(MAKE[name](bleu))
    scanned = picklescan.scan_pickle_bytes(io.BytesIO(stored), name)
    found = [one for one in scanned.globals if one.safety == picklescan.SafetyLevel.Dangerous]
    assert sorted(one.name for one in found) == dangerous
    safety = analysis.check_safety(fickle.Pickled.load(stored))
    assert (safety.severity > analysis.Severity.LIKELY_SAFE) == fickling_warns
