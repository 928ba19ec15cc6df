"""Columns of `datasets`: mapped by several processes, streamed, and scored where they are."""

import itertools

import datasets
import numpy as np
import pyarrow as pa
import pytest
from helpers import random_rows
from hypothesis import given, settings
from hypothesis import strategies as st

PREDICTIONS, REFERENCES = random_rows(seed=12, count=400)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture
def data():
    return datasets.Dataset.from_dict({"prediction": PREDICTIONS, "references": REFERENCES})


@pytest.fixture
def expected(bleu):
    return bleu.compute(predictions=PREDICTIONS, references=REFERENCES)


@pytest.mark.parametrize("num_proc", [None, 2])
def test_map_adds_statistics_columns(bleu, data, expected, num_proc):
    count = lambda batch: bleu.statistics(predictions=batch["prediction"], references=batch["references"]).to_pydict()  # noqa: E731
    counted = data.map(count, batched=True, batch_size=64, num_proc=num_proc)
    assert set(counted.column_names) > {"prediction", "matches_1", "reference_length"}
    result = bleu.score(counted.with_format("arrow")[:], segments=True)
    assert (
        result["segment_bleu"]
        == bleu.compute(predictions=PREDICTIONS, references=REFERENCES, segments=True)["segment_bleu"]
    )
    assert {name: result[name] for name in expected} == {**expected, "signature": result["signature"]}
    assert "case:?|eff:no|tok:?" in result["signature"]  # `map` takes columns, and no metadata
    assert bleu.score(counted) == bleu.score(counted.with_format("arrow")[:])


def test_streaming(bleu, data, expected):
    for batch in data.to_iterable_dataset(num_shards=4).iter(batch_size=30):
        bleu.add_batch(predictions=batch["prediction"], references=batch["references"])
    assert bleu.compute() == expected


def test_a_memory_mapped_file(bleu, data, expected, tmp_path):
    data.save_to_disk(tmp_path / "data")
    mapped = datasets.load_from_disk(tmp_path / "data")
    before = pa.total_allocated_bytes()
    assert bleu.compute(predictions=mapped["prediction"], references=mapped["references"]) == expected
    assert pa.total_allocated_bytes() - before < 1000


@settings(max_examples=30, deadline=None)
@given(cuts=st.lists(st.integers(0, 400), max_size=20), kinds=st.randoms(use_true_random=False))
def test_any_parts_merge_to_the_whole_bit_for_bit(load, cuts, kinds):
    """k parts at random places, each as a table or as the sum of its rows."""
    bleu = load()
    whole = bleu.score(bleu.statistics(predictions=PREDICTIONS, references=REFERENCES))
    ends = [0, *sorted(cuts), 400]
    parts = [
        bleu.statistics(predictions=PREDICTIONS[a:b], references=REFERENCES[a:b])
        for a, b in itertools.pairwise(ends)
        if a < b
    ]
    kinds.shuffle(parts)
    assert bleu.score(parts) == whole
    sums = [np.array([sum(column.to_pylist()) for column in part.columns]) for part in parts]
    assert {**bleu.score(np.array(sums)), "signature": whole["signature"]} == whole
    assert bleu.score(sum(sums))["bleu"] == whole["bleu"]
