"""Texts to statistics rows: columns of `datasets` that are mapped, streamed, memory-mapped."""

import datasets
import pyarrow as pa
import pytest
from helpers import random_rows

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

PREDICTIONS, REFERENCES = random_rows(seed=8, count=300)


@pytest.fixture(scope="module")
def expected(load):
    return load().compute(predictions=PREDICTIONS, references=REFERENCES)


def test_columns_of_a_dataset(bleu, expected):
    data = datasets.Dataset.from_dict({"p": PREDICTIONS, "r": REFERENCES})
    assert bleu.compute(predictions=data["p"], references=data["r"]) == expected


def test_one_column_without_rows_is_an_error(bleu):
    for columns in (
        {"predictions": [], "references": ["a"]},
        {"predictions": ["a"], "references": []},
    ):
        with pytest.raises(ValueError, match=r"(?i)prediction.*reference"):
            bleu.statistics(**columns)
    with pytest.raises(ValueError, match="no segments to score"):
        bleu.compute(predictions=[], references=[])


@pytest.fixture
def data():
    return datasets.Dataset.from_dict({"prediction": PREDICTIONS, "references": REFERENCES})


@pytest.mark.parametrize("num_proc", [None, 2])
def test_map_adds_statistics_columns(bleu, data, expected, num_proc):
    count = lambda batch: bleu.statistics(
        predictions=batch["prediction"], references=batch["references"]
    ).to_pydict()
    counted = data.map(count, batched=True, batch_size=64, num_proc=num_proc)
    assert set(counted.column_names) > {"prediction", "matches_1", "reference_length"}
    result = bleu.compute(statistics=counted.with_format("arrow")[:], segments=True)
    assert (
        result["segment_bleu"]
        == bleu.compute(predictions=PREDICTIONS, references=REFERENCES, segments=True)[
            "segment_bleu"
        ]
    )
    assert {name: result[name] for name in expected} == {
        **expected,
        "signature": result["signature"],
    }
    assert "case:?|eff:no|tok:?" in result["signature"]  # `map` keeps columns, and no metadata
    assert bleu.compute(statistics=counted) == bleu.compute(
        statistics=counted.with_format("arrow")[:]
    )


def test_streaming(bleu, data, expected):
    for batch in data.to_iterable_dataset(num_shards=4).iter(batch_size=30):
        bleu.add_batch(predictions=batch["prediction"], references=batch["references"])
    assert bleu.compute() == expected


def test_a_memory_mapped_file(bleu, data, expected, tmp_path):
    data.save_to_disk(tmp_path / "data")
    mapped = datasets.load_from_disk(tmp_path / "data")
    before = pa.total_allocated_bytes()
    assert (
        bleu.compute(predictions=mapped["prediction"], references=mapped["references"]) == expected
    )
    assert pa.total_allocated_bytes() - before < 1000
