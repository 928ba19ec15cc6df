"""The tasks for lm-evaluation-harness, lighteval and inspect_ai, run by these libraries with a model that repeats its prompt.

lighteval 0.13 needs older libraries than the other tests: pip install lighteval==0.13.0 'huggingface_hub<2' 'xxhash<4'
"""

import json
import os
import subprocess
import sys

import pytest
from recipes import example, recipe

ROWS = [
    {
        "source": "the cat sat on the mat",
        "references": ["the cat sat on a mat", "a cat sat on the mat"],
    },
    {"source": "a dog ran to the house", "references": ["the dog ran to the house"]},
    {
        "source": "it is big and old",
        "references": ["it is big and red", "it is old", "it is big and very old"],
    },
    {"source": "the house is near the old mill", "references": ["the house stands near the mill"]},
] * 20
LM_EVAL = """
import json
import lm_eval
from lm_eval.api.metrics import bootstrap_stderr
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager
from lm_eval.utils import make_table
from utils import aggregate_bleu

class Echo(LM):
    def generate_until(self, requests, disable_tqdm=False):
        return [request.args[0] for request in requests]

    loglikelihood = loglikelihood_rolling = None

results = lm_eval.simple_evaluate(Echo(), tasks=["translations"], task_manager=TaskManager(include_path="."))
segments = [sample["bleu"] for sample in results["samples"]["translation"]]
its_own = bootstrap_stderr(aggregate_bleu, segments, 400)  # as for its own metrics: scores 400 resamples of the texts
print(json.dumps([results["results"], results["groups"], its_own, make_table(results)]))
"""
LIGHTEVAL_MODEL = """
from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.utils.cache_management import SampleCache

class Echo(LightevalModel):
    tokenizer, add_special_tokens, max_length = None, False, 2048

    def __init__(self, config):
        self.config, self._cache = config, SampleCache(config)

    def greedy_until(self, docs):
        return [ModelResponse(text=[doc.query]) for doc in docs]

    loglikelihood = loglikelihood_rolling = None
"""

# The command line of lighteval, which fetches a file for tasks of its own when it starts: no file is found.
LIGHTEVAL = """
import runpy
import types
import requests

requests.get = lambda url: types.SimpleNamespace(status_code=404)
runpy.run_module("lighteval", run_name="__main__")
"""


@pytest.fixture
def expected(bleu):
    return score(bleu, ROWS)


def score(bleu, rows):
    columns = {
        "predictions": [row["source"] for row in rows],
        "references": [row["references"] for row in rows],
    }
    return bleu.compute(**columns, confidence=0.95)


def run(folder, *arguments):
    """Run Python in a folder, without a network."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    environment = {**os.environ, **offline, "HF_HOME": str(folder / "hub"), "HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def write_rows(path, rows):
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)))


@pytest.mark.slow
def test_lm_evaluation_harness(tmp_path, bleu, expected):
    """Two tasks and their group; the standard errors are compared with those of lm_eval's own bootstrap."""
    pytest.importorskip("lm_eval")
    command, group = recipe("lm-evaluation-harness")
    assert "--include_path examples/lm_eval --tasks translation" in command
    task = example("lm_eval/translation.yaml")
    write_rows(tmp_path / "data.jsonl", ROWS)
    write_rows(tmp_path / "zh.jsonl", ROWS[::4] + ROWS[1::4])
    (tmp_path / "translation.yaml").write_text(task)
    (tmp_path / "zh.yaml").write_text(
        task.replace("data.jsonl", "zh.jsonl").replace("translation", "translation_zh")
    )
    (tmp_path / "group.yaml").write_text(group)
    (tmp_path / "utils.py").write_text(example("lm_eval/utils.py"))
    tasks, groups, its_own, table = json.loads(run(tmp_path, "-c", LM_EVAL).splitlines()[-1])
    result = tasks["translation"]
    assert 0 < result["bleu,none"] < 100
    assert result["bleu,none"] == expected["score"]
    assert (
        result["bleu_stderr,none"]
        == 100 * expected["standard_error"]
        == pytest.approx(its_own, rel=0.2)
    )
    assert f"|{expected['score']:.4f}|±|{100 * expected['standard_error']:.4f}|" in table.replace(
        " ", ""
    )
    both = [expected, score(bleu, ROWS[::4] + ROWS[1::4])]
    assert groups["translations"]["bleu,none"] == pytest.approx(
        sum(one["score"] for one in both) / 2
    )
    error = 100 * sum(one["standard_error"] ** 2 for one in both) ** 0.5 / 2
    assert groups["translations"]["bleu_stderr,none"] == pytest.approx(error)


def test_lighteval(tmp_path, expected):
    """lighteval shuffles the segments, so other segments are drawn for the standard error."""
    pytest.importorskip("lighteval")
    (command,) = recipe("lighteval")
    write_rows(tmp_path / "data" / "test.jsonl", ROWS)
    (tmp_path / "examples" / "lighteval").mkdir(parents=True)
    (tmp_path / "examples" / "lighteval" / "tasks.py").write_text(example("lighteval/tasks.py"))
    (tmp_path / "model.py").write_text(LIGHTEVAL_MODEL)
    model, *arguments = command.split()[2:]
    assert model.startswith('"model_name=')
    run(
        tmp_path,
        "-c",
        LIGHTEVAL,
        "custom",
        "echo",
        "model.py",
        *arguments,
        "--output-dir",
        "results",
    )
    (path,) = tmp_path.glob("results/**/results_*.json")
    result = json.loads(path.read_text())["results"]["translation|0"]
    assert 0 < result["bleu"] < 100
    assert result["bleu"] == expected["score"]
    assert result["bleu_stderr"] == pytest.approx(100 * expected["standard_error"], rel=0.1)


INSPECT_AI = """
import json

import inspect_ai
from inspect_ai.model import ModelOutput, ModelUsage, get_model

import translation


def echo(messages, *others):
    output = ModelOutput.from_content("echo", messages[-1].text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1)  # else a tokenizer would be downloaded
    return output


model = get_model("mockllm/model", custom_outputs=echo)
(log,) = inspect_ai.eval(translation.translation(), model=model, display="none", max_samples=1)
assert log.status == "success", log.error
metrics = log.results.scores[0].metrics
print(json.dumps([metrics["corpus_bleu"].value, [list(sample.scores.values())[0].value for sample in log.samples]]))
"""


@pytest.mark.slow
def test_inspect_ai(tmp_path, bleu, expected):
    pytest.importorskip("inspect_ai")
    (command,) = recipe("inspect_ai")
    assert "examples/inspect_ai/translation.py" in command
    rows = [{"input": row["source"], "target": row["references"]} for row in ROWS]
    write_rows(tmp_path / "data.jsonl", rows)
    (tmp_path / "translation.py").write_text(example("inspect_ai/translation.py"))
    score, segments = json.loads(run(tmp_path, "-c", INSPECT_AI).splitlines()[-1])
    assert score == expected["score"]
    result = bleu.compute(
        predictions=[row["source"] for row in ROWS],
        references=[row["references"] for row in ROWS],
        segments=True,
    )
    assert segments == pytest.approx([100 * value for value in result["segment_bleu"]])
