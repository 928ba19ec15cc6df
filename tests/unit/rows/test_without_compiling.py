"""`NUMBA_DISABLE_JIT=1`: numba is installed but does not compile. The Python implementation returns the same results."""

import json

import pytest
from helpers import ROOT, random_rows, run_python

pytestmark = pytest.mark.processes

# Calls in a process that does not compile, and in this process.
CALLS = {
    "compute": "bleu.compute(predictions=predictions, references=references, segments=True, confidence=0.9, n_resamples=20)",
    "compute zh": "bleu.compute(predictions=predictions, references=references, tokenize='zh', lowercase=True)",
    "tokens": "bleu.compute(predictions=[text.split() for text in predictions], references=[[text.split() for text in row] for row in references])",
    "ids": "bleu.compute(predictions=[[1, 2, 3, 4, 5]], references=[[[1, 2, 3, 4, 6]]])",
    "a function": "bleu.compute(predictions=predictions, references=references, tokenize=str.split)",
    "statistics": "bleu.statistics(predictions=predictions, references=references, tokenize='char').to_pydict()",
    "compare": "bleu.compare({'A': predictions, 'B': [row[0] for row in references]}, references, n_resamples=20)",
    "pairwise": "bleu.pairwise(predictions[:9]).tolist()",
    "self_bleu": "bleu.self_bleu(predictions)",
    "conventions": "bleu.reconcile(predictions, references)",
    "reconcile": "bleu.reconcile(predictions[:9], references[:9], '50')",
    "explain": "bleu.explain(predictions[0], references[0])",
}

CODE = f"""
import json, sys
import evaluate, helpers
bleu = evaluate.load(sys.argv[1])
predictions, references = helpers.random_rows(seed=4, count=40)
calls, answers = {CALLS!r}, {{}}
for name, call in calls.items():
    try:
        answers[name] = eval(call)
    except Exception as error:
        answers[name] = f"{{type(error).__name__}}: {{error}}"
bleu.add_batch(predictions=predictions, references=references)
try:
    answers["add_batch"] = bleu.compute()
except Exception as error:
    answers["add_batch"] = f"{{type(error).__name__}}: {{error}}"
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers():
    return run_python(CODE, ROOT / "bleu_metric.py", NUMBA_DISABLE_JIT="1")


@pytest.fixture(scope="module")
def expected(load):
    predictions, references = random_rows(seed=4, count=40)
    corpus = {"bleu": load(), "predictions": predictions, "references": references}
    results = {name: eval(call, dict(corpus)) for name, call in CALLS.items()}
    results["add_batch"] = load().compute(predictions=predictions, references=references)
    return json.loads(json.dumps(results))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("call", [*CALLS, "add_batch"])
@pytest.mark.slow
def test_every_call_without_the_compiler(answers, expected, call):
    """The variable is set to debug numba code, and by tools that measure coverage."""
    assert answers[call] == expected[call]


@pytest.mark.parametrize("value", ["1", "0"])
@pytest.mark.slow
def test_the_variable_as_numba_reads_it(value):
    code = "import evaluate, sys; bleu = evaluate.load(sys.argv[1]); print(bleu.compute(predictions=['a b c d'], references=['a b c d'])['bleu'])"
    assert run_python(code, ROOT / "bleu_metric.py", NUMBA_DISABLE_JIT=value) == 1
