"""What is added between two calls of `compute`: order, kinds, errors, files, processes."""

import gc
import json

import dill
import evaluate
import pyarrow as pa
import pytest
import random_text
from conftest import ROOT
from processes import python, result_of

PREDICTIONS, REFERENCES = random_text.rows(seed=8, count=300)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def expected(load):
    return load().compute(predictions=PREDICTIONS, references=REFERENCES)


@pytest.mark.parametrize("keep_in_memory", [False, True])
def test_any_mixture_of_calls_keeps_the_rows_in_order(load, tmp_path, keep_in_memory):
    bleu = load(keep_in_memory=keep_in_memory, cache_dir=str(tmp_path))
    for _ in range(2):  # an object can be used again
        for i in range(20):
            bleu.add(prediction=PREDICTIONS[i], reference=REFERENCES[i])
        bleu.add_batch(predictions=PREDICTIONS[20:50], references=REFERENCES[20:50])
        bleu.add_batch(predictions=pa.array(PREDICTIONS[50:90]), references=pa.array(REFERENCES[50:90]))
        for i in range(90, 95):
            bleu.add(predictions=PREDICTIONS[i], references=REFERENCES[i])
        assert len(bleu) == 95
        result = bleu.compute(predictions=PREDICTIONS[95:], references=REFERENCES[95:], segments=True)
        assert result == load().compute(predictions=PREDICTIONS, references=REFERENCES, segments=True)
        assert len(bleu) == 0
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_hundred_thousand_rows_one_by_one(load, tmp_path):
    bleu = load(cache_dir=str(tmp_path))
    texts = [f"row {i} of é many" for i in range(100_000)]
    for i, text in enumerate(texts):
        bleu.add(prediction=text, reference=text if i % 3 else f"line {i} of é many")
    result = bleu.compute(segments=True)
    assert [score == 1 for score in result["segment_bleu"]] == [i % 3 > 0 for i in range(100_000)]


@pytest.mark.parametrize("rows", [([["a", "b"]], [[["a", "b", "c"]]]), ([[1, 2]], [[[1, 2, 3]]])])
def test_tokens_and_ids(bleu, rows):
    expected = bleu.compute(predictions=rows[0] * 2, references=rows[1] * 2)
    bleu.add(prediction=rows[0][0], reference=rows[1][0])
    bleu.add_batch(predictions=rows[0], references=rows[1])
    assert bleu.compute() == expected


def test_nothing_added(bleu):
    with pytest.raises(ValueError, match="nothing to score"):
        bleu.compute()


def test_a_failing_compute_keeps_what_was_added(load, tmp_path):
    bleu = load(cache_dir=str(tmp_path))
    bleu.add(prediction="a b c d", reference="a b c d")

    def broken(text):
        raise RuntimeError("no such model")

    with pytest.raises(ValueError, match="predictions, row 0: the tokenizer failed: RuntimeError: no such model"):
        bleu.compute(predictions=["e"], references=["e"], tokenize=broken)
    assert len(bleu) == 1
    assert bleu.compute()["translation_length"] == 4
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_an_object_that_goes_takes_its_file_along(load, tmp_path):
    bleu = load(cache_dir=str(tmp_path))
    bleu.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    assert [path for path in tmp_path.rglob("*.arrow") if path.is_file()] != []
    del bleu
    gc.collect()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.slow
def test_two_processes_that_meet_in_files(tmp_path, expected):
    """evaluate's own way of distributing: the first process has the score, the others have none."""
    code = """
import json, sys
import evaluate, random_text
process = int(sys.argv[2])
bleu = evaluate.load(sys.argv[1], num_process=2, process_id=process, experiment_id="meeting", cache_dir=sys.argv[3])
predictions, references = random_text.rows(seed=8, count=300)
own = slice(150 * process, 150 * (process + 1))
bleu.add_batch(predictions=predictions[own], references=references[own])
print(json.dumps(bleu.compute()))
"""
    processes = [python(code, ROOT / "bleu_metric.py", i, tmp_path, wait=False) for i in range(2)]
    assert [result_of(process) for process in processes] == [expected, None]


def test_combine_save_and_pickle(bleu, load, tmp_path, expected):
    combined = evaluate.combine([bleu, load("hf")], force_prefix=True)
    result = combined.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert result["bleu_metric_0_score"] == expected["score"]
    combined.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    assert combined.compute() == result
    path = evaluate.save(tmp_path, **expected)
    assert json.loads(path.read_text())["signature"] == expected["signature"]
    again = dill.loads(dill.dumps(bleu))  # as `datasets` does for `map` with several processes
    assert again.compute(predictions=PREDICTIONS, references=REFERENCES) == expected


def test_results_are_plain(bleu):
    result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES, segments=True, confidence=0.9)
    assert json.loads(json.dumps(result)) == result


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_an_error_loses_nothing_that_was_added_before(load, tmp_path):
    bleu = load(cache_dir=str(tmp_path))
    bleu.add(prediction="a b c d", reference="a b c d")
    for call in (bleu.add_batch, bleu.compute):
        with pytest.raises(ValueError, match="row 0"):
            call(predictions=[None], references=[["a"]])
    with pytest.raises(ValueError, match="row 0"):
        bleu.add(prediction="a", reference=[])
    with pytest.raises(TypeError, match="These predictions are ids, those added before text"):
        bleu.add(prediction=[1], reference=[[1]])
    with pytest.raises(TypeError, match="tokenize"):
        bleu.compute(tokenise="zh")
    with pytest.raises(ValueError, match="no tokenizer of this name"):
        bleu.compute(tokenize="13b")
    with pytest.raises(TypeError, match="These predictions are ids, those added before text"):
        bleu.compute(predictions=[[1]], references=[[[1]]])
    assert len(bleu) == 1
    assert bleu.compute()["translation_length"] == 4
    assert files(tmp_path) == []
