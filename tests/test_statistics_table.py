"""Statistics rows as tables, and back from tables, parts and sums."""

import json

import datasets
import numpy as np
import pyarrow as pa
import pytest
import random_text

PREDICTIONS, REFERENCES = random_text.rows(seed=8, count=300)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def expected(load):
    return load().compute(predictions=PREDICTIONS, references=REFERENCES)


NO_ROWS = [[1, 2, 3], [], [[1.5] * 10], [[5, 1, 4, 0, 1, 1]], [-1] * 10, "abc", {"a": 1}, [0] * 9, [[[0] * 10]]]


def test_score_of_the_table_is_compute(bleu, expected):
    table = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    assert table.num_rows == 300
    assert set(table.schema.types) == {pa.int64()}
    assert bleu.score(table) == expected
    everything = {"segments": True, "confidence": 0.95, "smooth_method": "floor"}
    assert bleu.score(table, **everything) == bleu.compute(predictions=PREDICTIONS, references=REFERENCES, **everything)


def test_parts_and_sums_merge_to_the_whole(bleu, expected):
    parts = [
        bleu.statistics(predictions=PREDICTIONS[i : i + 77], references=REFERENCES[i : i + 77])
        for i in range(0, 300, 77)
    ]
    assert bleu.score(parts) == expected
    rows = np.concatenate([np.stack([np.asarray(column) for column in part.columns], axis=1) for part in parts])
    for sums in (rows.sum(axis=0), rows, [*rows[:2].tolist(), rows[2:].sum(axis=0).tolist()]):
        assert bleu.score(sums) == {**expected, "signature": expected["signature"].replace("nrefs:var|", "")}


def test_the_table_says_how_it_was_counted(bleu, load):
    table = load("nltk").statistics(predictions=["a b"], references=[["a b"]], lowercase=True)
    made = json.loads(table.schema.metadata[b"bleu_metric"])
    assert made == {
        "tokenize": "none", "lowercase": True, "max_order": 4, "reference_length": "closest", "minimum_total": 1, "references": "1",
    }  # fmt: skip
    assert "|case:lc|eff:no|tok:none|" in bleu.score(table)["signature"]


def test_rows_counted_in_different_ways_dont_mix(bleu, load):
    count = lambda **options: bleu.statistics(predictions=["a b"], references=["a b"], **options)  # noqa: E731
    different = {
        "tokenize": ("13a", "zh"),
        "lowercase": (False, True),
        "max_order": (4, 2),
        "reference_length": ("closest", "longest"),
    }
    for name, (one, other) in different.items():
        with pytest.raises(ValueError, match=f"{name} is {one!r} in table 0 and {other!r} in table 1"):
            bleu.score([count(), count(**{name: other})])
        with pytest.raises(ValueError, match=f"counted with {name}={one!r}, not {other!r}"):
            bleu.score(count(), **{name: other})
        with pytest.raises(ValueError, match=f"counted with {name}={one!r}, not {other!r}"):
            load(**{name: other}).score(count())
    with pytest.raises(ValueError, match="tokenize='13a', not 'none'"):
        load("moses").score(count())


@pytest.mark.parametrize("statistics", NO_ROWS, ids=str)
def test_what_is_no_statistics(bleu, statistics):
    with pytest.raises(ValueError, match="no statistics rows"):
        bleu.score(statistics)


def test_a_table_of_something_else(bleu):
    with pytest.raises(ValueError, match="Table 0 is no table of statistics: its columns are a"):
        bleu.score(pa.table({"a": [1]}))


def test_a_dataset_gives_its_columns(bleu, expected):
    data = datasets.Dataset.from_dict({"p": PREDICTIONS, "r": REFERENCES})
    assert bleu.compute(predictions=data["p"], references=data["r"]) == expected
