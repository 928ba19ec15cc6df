"""Statistics rows as tables, and back from tables, parts and sums."""

import io
import itertools
import json
import math
import re

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import examples, random_rows
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# Tables, parts and sums.


PREDICTIONS, REFERENCES = random_rows(seed=8, count=300)


@pytest.fixture(scope="module")
def expected(load):
    return load().compute(predictions=PREDICTIONS, references=REFERENCES)


NO_ROWS = [
    [1, 2, 3],
    [[1] * 10, [1] * 4],
    [[1.5] * 10],
    [[5, 1, 4, 0, 1, 1]],
    [-1] * 10,
    "abc",
    {"a": 1},
    [0] * 9,
    [[[0] * 10]],
]


def test_score_of_the_table_is_compute(bleu, expected):
    table = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    assert table.num_rows == 300
    assert set(table.schema.types) == {pa.int64()}
    assert bleu.compute(statistics=table) == expected
    everything = {"segments": True, "confidence": 0.95, "smooth_method": "floor"}
    assert bleu.compute(statistics=table, **everything) == bleu.compute(
        predictions=PREDICTIONS, references=REFERENCES, **everything
    )


def test_parts_and_sums_merge_to_the_whole(bleu, expected):
    parts = [
        bleu.statistics(predictions=PREDICTIONS[i : i + 77], references=REFERENCES[i : i + 77])
        for i in range(0, 300, 77)
    ]
    assert bleu.compute(statistics=parts) == expected
    rows = np.concatenate(
        [np.stack([np.asarray(column) for column in part.columns], axis=1) for part in parts]
    )
    for sums in (rows.sum(axis=0), rows, [*rows[:2].tolist(), rows[2:].sum(axis=0).tolist()]):
        assert {**bleu.compute(statistics=sums), "signature": expected["signature"]} == expected


def test_the_table_says_how_it_was_counted(bleu, load):
    table = load("nltk").statistics(predictions=["a b"], references=[["a b"]], lowercase=True)
    made = json.loads(table.schema.metadata[b"bleu_metric"])
    assert made == {
        "tokenize": "none", "lowercase": True, "max_order": 4, "reference_length": "closest", "minimum_total": 1, "references": "1",
    }  # fmt: skip
    assert "|case:lc|eff:no|tok:none|" in bleu.compute(statistics=table)["signature"]


def test_rows_counted_under_different_options_are_rejected(bleu, load):
    count = lambda **options: bleu.statistics(predictions=["a b"], references=["a b"], **options)
    different = {
        "tokenize": ("13a", "zh"),
        "lowercase": (False, True),
        "max_order": (4, 2),
        "reference_length": ("closest", "longest"),
    }
    for name, (one, other) in different.items():
        with pytest.raises(
            ValueError,
            match=rf"{name} is {one!r} in statistics\[0\] and {other!r} in statistics\[1\]",
        ):
            bleu.compute(statistics=[count(), count(**{name: other})])
        if name == "max_order":  # rows to order 4 hold the shorter orders
            continue
        with pytest.raises(
            ValueError, match=f"counted with {name}={one!r}, but {other!r} was requested"
        ):
            bleu.compute(statistics=count(), **{name: other})
        with pytest.raises(
            ValueError, match=f"counted with {name}={one!r}, but {other!r} was requested"
        ):
            load(**{name: other}).compute(statistics=count())
    with pytest.raises(ValueError, match="tokenize='13a', but 'multi-bleu' was requested"):
        load("moses").compute(statistics=count())


@pytest.mark.parametrize("statistics", NO_ROWS, ids=str)
def test_values_that_are_not_statistics(bleu, statistics):
    with pytest.raises(
        ValueError, match=r"not a statistics table|expected |take tables from statistics"
    ):
        bleu.compute(statistics=statistics)


@pytest.mark.parametrize(
    ("other", "kinds"),
    [
        ([1, 1, 1, 1], "Table and list"),
        (None, "None and Table"),
        ([[1, 1, 1, 1]], "Table and list"),
    ],
)
def test_a_list_of_tables_and_something_else(bleu, other, kinds):
    table = bleu.statistics(predictions=["a"], references=["a"], max_order=1)
    for mixed in ([table, other], [other, table]):
        with pytest.raises(ValueError, match=f"expected a table .* got {kinds} in one list"):
            bleu.compute(statistics=mixed)


def test_a_table_of_something_else(bleu):
    with pytest.raises(ValueError, match="statistics: not a statistics table: its columns are a"):
        bleu.compute(statistics=pa.table({"a": [1]}))


TEXTS = ["the cat sat on the mat", "", "the House is big and old"]
TEXT_REFERENCES = [["the cat sat on a mat"], ["the dog ran"], ["the house is big and red"]]
COUNTED = {"tokenize": "zh", "lowercase": True}

# Forms of a table; True if the form keeps Arrow's schema with its metadata.
WAYS = {
    "table": (lambda table: table, True),
    "record batch": (lambda table: table.combine_chunks().to_batches()[0], True),
    "record batches": (lambda table: table.to_batches(max_chunksize=1), True),
    "polars": (pl.from_arrow, False),
    "pandas": (lambda table: table.to_pandas(), False),
    "a dict of lists": (lambda table: table.to_pydict(), False),
    "dataset": (lambda table: datasets.Dataset.from_dict(table.to_pydict()), False),
    "frames": (
        lambda table: [pl.from_arrow(table.slice(0, 1)), pl.from_arrow(table.slice(1))],
        False,
    ),
}


@pytest.fixture
def table(bleu):
    return bleu.statistics(predictions=TEXTS, references=TEXT_REFERENCES, **COUNTED)


def keys(result):
    return dict(key.split(":", 1) for key in result["signature"].split("|"))


@pytest.mark.parametrize(("way", "known"), WAYS.values(), ids=WAYS)
def test_any_form_of_the_table_has_its_score_and_a_true_signature(bleu, table, way, known):
    """A record batch keeps its schema; otherwise the signature has `?`, because it is unknown how rows were counted."""
    result, expected = bleu.compute(statistics=way(table)), bleu.compute(statistics=table)
    assert {**result, "signature": ""} == {**expected, "signature": ""}
    if known:
        assert result["signature"] == expected["signature"]
    else:
        assert (keys(result)["case"], keys(result)["tok"]) == ("?", "?")
        assert keys(result)["smooth"] == "exp"  # chosen in this call


@pytest.mark.parametrize(("way", "known"), WAYS.values(), ids=WAYS)
def test_options_may_say_how_rows_were_counted(load, table, way, known):
    for result in (
        load(**COUNTED).compute(statistics=way(table)),
        load().compute(statistics=way(table), **COUNTED),
    ):
        assert (keys(result)["case"], keys(result)["tok"]) == ("lc", "zh")
    half = keys(load().compute(statistics=way(table), lowercase=True))
    assert (half["case"], half["tok"]) == ("lc", "zh" if known else "?")


# Options at load, and the known keys in the signature of a sum.
CHOSEN = [
    ({}, "?", "?"),
    ({"lowercase": False}, "mixed", "?"),
    ({"tokenize": "13a"}, "?", "13a"),
    ({"tokenize": "13a", "lowercase": True}, "lc", "13a"),
    ({"config_name": "nltk"}, "?", "none"),
]


@pytest.mark.parametrize(("chosen", "case", "tok"), CHOSEN, ids=str)
@pytest.mark.parametrize(
    "way", [np.asarray, list, lambda total: [total, total]], ids=["array", "list", "sums"]
)
def test_the_signature_of_a_sum_has_the_chosen_options(load, table, chosen, case, tok, way):
    """A default that was not chosen is not claimed for rows from elsewhere."""
    result = load(**chosen).compute(
        statistics=way([sum(column) for column in table.to_pydict().values()])
    )
    assert (keys(result)["case"], keys(result)["tok"]) == (case, tok)


# Options that a table records, and sums of rows that take them from it with `like=`.
LIKE = [
    {},
    {"tokenize": "zh", "lowercase": True},
    {"max_order": 2, "reference_length": "longest"},
    {"max_order": 1, "tokenize": "none"},
    {"minimum_total": 1, "smooth_method": "none"},
    {"tokenize": str.split, "smooth_method": "nltk-5"},
]
SUMS_OF = {
    "list": lambda table: [sum(column) for column in table.to_pydict().values()],
    "array": lambda table: table.to_pandas().sum().to_numpy(),
    "two sums": lambda table: [
        [sum(c) for c in part.to_pydict().values()] for part in (table[:9], table[9:])
    ],
    "pandas": lambda table: table.to_pandas().sum().to_frame().T,
    "polars": lambda table: pl.from_arrow(table).sum(),
    "frames": lambda table: [table[:9].to_pandas(), pl.from_arrow(table[9:])],
    "frame and table": lambda table: [table[:9].to_pandas(), table[9:]],
}


@pytest.mark.parametrize("options", LIKE, ids=str)
@pytest.mark.parametrize("sum_rows", SUMS_OF.values(), ids=SUMS_OF)
def test_sums_take_their_signature_from_a_table(load, options, sum_rows):
    """The other options come from the object or the call, as for the table itself."""
    for references in (REFERENCES, [row[:1] for row in REFERENCES]):
        columns = {"predictions": PREDICTIONS, "references": references}
        expected = load().compute(**columns, **options)
        table = load().statistics(**columns, **options)
        smoothing = {name: options[name] for name in options if name.startswith("smooth")}
        assert load().compute(statistics=sum_rows(table), like=table, **smoothing) == expected
        assert load(**smoothing).compute(statistics=sum_rows(table), like=table[:0]) == expected


def test_groups_of_sums_take_their_signatures_from_a_table(bleu):
    labels = ["en", "zh"] * (len(PREDICTIONS) // 2)
    columns = {
        "predictions": PREDICTIONS,
        "references": REFERENCES,
        "by": labels,
        "tokenize": {"zh": "zh"},
    }
    table = bleu.statistics(**columns)
    sums = table.to_pandas().groupby("label").sum().reset_index()
    expected = bleu.compute(**columns)
    assert bleu.compute(statistics=sums, by="label", like=table) == expected
    assert [group["signature"].split("|")[3] for group in expected["groups"].values()] == [
        "tok:13a",
        "tok:zh",
    ]


def test_like_is_for_sums_of_rows_counted_in_the_same_way(bleu, table):
    """A sum has no segments, whatever the table says, and rows with options of their own must have been counted alike."""
    total = SUMS_OF["list"](table)
    for more in ({"segments": True}, {"confidence": 0.95}):
        for single in (
            table,
            bleu.statistics(predictions=TEXTS, references=TEXT_REFERENCES, max_order=1),
        ):
            for way in ("list", "pandas"):
                with pytest.raises(ValueError, match="these rows are sums"):
                    bleu.compute(statistics=SUMS_OF[way](single), like=single, **more)
    other = bleu.statistics(predictions=TEXTS, references=TEXT_REFERENCES)
    wrong = [
        ({"like": other, "statistics": table}, "tokenize is 'zh' in statistics and '13a' in like"),
        ({"like": other, "lowercase": True}, "counted with lowercase=False, but True was requested"),
        ({"like": bleu.statistics(predictions=TEXTS, references=TEXT_REFERENCES, max_order=2)}, "4 in statistics and 2 in like"),
        *(({"like": like}, "like: not a statistics table") for like in (total, "zh", table.to_pandas(), pa.table({"a": [1]}))),
    ]  # fmt: skip
    for arguments, message in wrong:
        with pytest.raises(ValueError, match=re.escape(message)):
            bleu.compute(**{"statistics": total, **arguments})


def test_a_table_without_rows_does_not_know_the_number_of_references(bleu, table):
    empty = bleu.statistics(predictions=[], references=[], tokenize="zh")
    found = bleu.compute(statistics=SUMS_OF["list"](table), like=empty)["signature"]
    assert found.startswith("nrefs:?|case:mixed|eff:no|tok:zh|smooth:exp|version:")


def test_a_dataset_of_the_table_has_a_true_signature(bleu, table):
    """`datasets` rewrites the metadata of the schema."""
    for data in (datasets.Dataset(table), datasets.Dataset(table).select([2, 0, 1])):
        found = keys(bleu.compute(statistics=data))
        assert found["case"] in ("lc", "?")
        assert found["tok"] in ("zh", "?")


REORDERED = {
    "table": lambda table, names: table.select(names),
    "record batch": lambda table, names: table.select(names).combine_chunks().to_batches()[0],
    "polars": lambda table, names: pl.from_arrow(table).select(names),
    "pandas": lambda table, names: table.to_pandas()[names],
    "a dict": lambda table, names: {name: table.to_pydict()[name] for name in names},
    "dataset": lambda table, names: datasets.Dataset.from_dict(
        {name: table.to_pydict()[name] for name in names}
    ),
}


@pytest.mark.parametrize("way", REORDERED.values(), ids=REORDERED)
@pytest.mark.parametrize(
    "reorder",
    [lambda names: names[::-1], sorted, lambda names: names[-2:] + names[:-2]],
    ids=["back", "sorted", "lengths first"],
)
def test_columns_are_taken_by_name(bleu, table, way, reorder):
    """The order of columns has no meaning: sorted names, joins and databases change it."""
    expected, result = (
        bleu.compute(statistics=table),
        bleu.compute(statistics=way(table, reorder(table.column_names))),
    )
    assert {**result, "signature": ""} == {**expected, "signature": ""}


@pytest.mark.parametrize(
    "way",
    [pl.from_arrow, pa.Table.to_pandas, pa.Table.to_pydict, lambda table: table.to_batches()[0]],
    ids=["polars", "pandas", "dict", "record batch"],
)
def test_other_columns_are_ignored(bleu, table, way):
    """Other columns, with text and labels, are ignored."""
    beside = table.add_column(3, "prediction", [TEXTS]).append_column("year", [[2019, 2020, 2021]])
    assert bleu.compute(statistics=way(beside))["bleu"] == bleu.compute(statistics=table)["bleu"]


@pytest.mark.parametrize(
    "way", [pl.from_arrow, pa.Table.to_pandas, pa.Table.to_pydict], ids=["polars", "pandas", "dict"]
)
def test_segments_and_intervals_of_a_frame(bleu, table, way):
    """Rows without metadata are still rows of segments."""
    more = {"segments": True, "confidence": 0.9, "n_resamples": 20}
    result, expected = (
        bleu.compute(statistics=way(table), **more),
        bleu.compute(statistics=table, **more),
    )
    assert result["segment_bleu"] == expected["segment_bleu"]
    assert result["confidence_interval"] == expected["confidence_interval"]


NAMES = ["matches_1", "matches_2", "totals_1", "totals_2", "prediction_length", "reference_length"]
GOOD = [2, 1, 3, 2, 3, 4]

# Rows that are not valid.
IMPOSSIBLE = {
    "another length than unigrams": [2, 1, 3, 2, 7, 4],
    "a length below the unigrams": [2, 1, 3, 2, 2, 4],
    "more matches than n-grams": [2, 3, 3, 2, 3, 4],
    "more unigrams matched than there are": [4, 1, 3, 2, 3, 4],
    "a negative match": [-1, 0, 3, 2, 3, 4],
    "a negative match of the longest": [2, -1, 3, 2, 3, 4],
    "a negative length": [0, 0, 0, 0, 0, -4],
    "all negative": [-2, -1, -3, -2, -3, -4],
}  # fmt: skip

GIVEN = {
    "list": lambda rows: rows,
    "array": np.array,
    "table": lambda rows: pa.table(dict(zip(NAMES, np.array(rows).T))),
    "record batch": lambda rows: pa.table(dict(zip(NAMES, np.array(rows).T))).to_batches()[0],
    "pandas": lambda rows: pd.DataFrame(rows, columns=NAMES),
    "polars": lambda rows: pl.DataFrame(rows, schema=NAMES, orient="row"),
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize("row", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
@pytest.mark.parametrize("place", [0, 2])
def test_rows_that_no_segment_has_are_rejected(bleu, given, row, place):
    """One wrong row is enough, even if the sum looks right; valid rows alone are scored."""
    rows = [GOOD, GOOD, GOOD]
    assert bleu.compute(statistics=given(rows))["counts"] == [6, 3]
    rows[place] = row
    with pytest.raises(ValueError, match="statistics"):
        bleu.compute(statistics=given(rows))


def test_a_minimum_total_does_not_make_rows_invalid(load):
    """Under `minimum_total=1` an empty prediction has one unigram and a length of 0."""
    bleu = load("nltk")
    rows = bleu.statistics(predictions=TEXTS, references=TEXT_REFERENCES)
    expected = bleu.compute(predictions=TEXTS, references=TEXT_REFERENCES)["bleu"]
    assert rows["totals_1"].to_pylist()[1] == 1
    assert rows["prediction_length"].to_pylist()[1] == 0
    for form in (rows, rows.to_pydict(), pl.from_arrow(rows), rows.to_pandas().sum().to_numpy()):
        assert bleu.compute(statistics=form)["bleu"] == expected


EMPTY_COLUMNS = {
    "lists": ([], []),
    "tuples": ((), ()),
    "arrays": (np.array([]), np.array([])),
    "arrow": (pa.array([], pa.string()), pa.array([], pa.list_(pa.string()))),
    "arrow of null type": (pa.array([], pa.null()), pa.array([], pa.null())),
    "arrow, no chunk": (pa.chunked_array([], pa.string()), pa.chunked_array([], pa.list_(pa.string()))),
    "arrow of tokens": (pa.array([], pa.list_(pa.string())), pa.array([], pa.list_(pa.list_(pa.string())))),
    "pandas": (pd.Series([], dtype=object), pd.Series([], dtype=object)),
    "polars": (pl.Series([], dtype=pl.String), pl.Series([], dtype=pl.List(pl.String))),
    "generators": (iter(()), iter(())),
}  # fmt: skip


@pytest.mark.parametrize(("predictions", "references"), EMPTY_COLUMNS.values(), ids=EMPTY_COLUMNS)
def test_statistics_of_no_rows_are_an_empty_table(load, predictions, references):
    """The columns and the metadata are those of other tables, so that the empty table can be merged with them."""
    bleu = load(lowercase=True, max_order=3)
    empty = bleu.statistics(predictions=predictions, references=references)
    table = bleu.statistics(predictions=TEXTS, references=TEXT_REFERENCES)
    assert (empty.num_rows, empty.schema) == (0, table.schema)
    assert empty.to_pandas().sum().tolist() == [0] * 8
    for parts in (
        [empty, table],
        [table, empty],
        [empty, table, empty],
        pa.concat_tables([empty, table]),
    ):
        assert bleu.compute(statistics=parts)["bleu"] == bleu.compute(statistics=table)["bleu"]


EMPTY_PARTS = {
    "Arrow": lambda table: table,
    "record batch": lambda table: pa.RecordBatch.from_pylist([], table.schema),
    "pandas": lambda table: table.to_pandas(),
    "pandas, of objects": lambda table: table.to_pandas().astype(object),
    "polars": pl.from_arrow,
    "a dict": lambda table: table.to_pydict(),
    "a dataset": lambda table: datasets.Dataset.from_dict(table.to_pydict()),
}


@pytest.mark.parametrize("make_part", EMPTY_PARTS.values(), ids=EMPTY_PARTS)
@pytest.mark.parametrize("arguments", [
    {"by": "label"}, {"by": "document"}, {"documents": "document", "confidence": 0.9},
    {"by": "label", "documents": "document", "confidence": 0.9},
], ids=str)  # fmt: skip
def test_parts_without_rows_need_no_labels(load, make_part, arguments):
    """They are skipped, whatever their place, and so are their missing columns."""
    bleu = load(n_resamples=50)
    tokenize = "zh" if "by" in arguments else "13a"  # only labels allow for two tokenizers
    documents = [str(row // 4) for row in range(90)]
    first, second = (
        bleu.statistics(
            predictions=PREDICTIONS[rows],
            references=REFERENCES[rows],
            by=[label] * len(documents[rows]),
            documents=documents[rows],
            tokenize=tokenizer,
        )
        for rows, label, tokenizer in ((slice(40), "zh", tokenize), (slice(40, 90), "en", "13a"))
    )
    empty = make_part(bleu.statistics(predictions=[], references=[]))
    expected = bleu.compute(statistics=[first, second], **arguments)
    for parts in (
        [first, second, empty],
        [empty, first, second],
        (empty, first, empty, second, empty),
    ):
        assert bleu.compute(statistics=parts, **arguments) == expected
    for parts in (empty, [empty], [empty, empty]):
        with pytest.raises(ValueError, match=r"^statistics: got no rows\. Pass tables from"):
            bleu.compute(statistics=parts, **arguments)


@pytest.mark.parametrize("argument", ["by", "documents"])
def test_a_part_with_rows_needs_its_labels(bleu, argument):
    """The message names the table, counted with those that have no rows."""
    empty = bleu.statistics(predictions=[], references=[])
    table = bleu.statistics(predictions=TEXTS, references=TEXT_REFERENCES)
    for statistics, place in (
        (table, "statistics"),
        ([table], "statistics[0]"),
        ([empty, table], "statistics[1]"),
    ):
        message = (
            f"{argument}='x': {place} has no such column. Pass its name, or one label per segment."
        )
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            bleu.compute(statistics=statistics, **{argument: "x"})


@settings(max_examples=examples(30))
@given(
    bounds=st.lists(st.integers(0, len(PREDICTIONS)), max_size=20),
    kinds=st.randoms(use_true_random=False),
)
def test_any_parts_merge_to_the_whole_bit_for_bit(load, bounds, kinds):
    """Parts split at random places, each as a table or as the sum of its rows."""
    bleu = load()
    whole = bleu.compute(statistics=bleu.statistics(predictions=PREDICTIONS, references=REFERENCES))
    ends = [0, *sorted(bounds), len(PREDICTIONS)]
    parts = [
        bleu.statistics(predictions=PREDICTIONS[a:b], references=REFERENCES[a:b])
        for a, b in itertools.pairwise(ends)
        if a < b
    ]
    kinds.shuffle(parts)
    assert bleu.compute(statistics=parts) == whole
    sums = [np.array([sum(column.to_pylist()) for column in part.columns]) for part in parts]
    assert {**bleu.compute(statistics=np.array(sums)), "signature": whole["signature"]} == whole
    assert bleu.compute(statistics=sum(sums))["bleu"] == whole["bleu"]


# Rows that are read back: those of segments, and sums.


LABELS = ["news", "news", "talks"]
SUMS = {
    "pandas": lambda table: table.to_pandas().sum().to_frame().T,
    "polars": lambda table: pl.from_arrow(table).sum(),
    "pandas by label": lambda table: (
        table.to_pandas().assign(label=LABELS).groupby("label").sum().iloc[:1]
    ),
    "pandas by label, a column": lambda table: (
        table.to_pandas().assign(label=LABELS).groupby("label").sum().reset_index().iloc[:1]
    ),
    "all labels": lambda table: table.to_pandas().assign(label=LABELS).groupby("label").sum(),
    "polars by label": lambda table: (
        pl.from_arrow(table)
        .with_columns(label=pl.Series(LABELS))
        .group_by("label", maintain_order=True)
        .sum()
    ),
    "a dict of sums": lambda table: {
        name: [sum(column)] for name, column in table.to_pydict().items()
    },
}


@pytest.mark.parametrize("make", SUMS.values(), ids=SUMS)
@pytest.mark.parametrize("options", [{"segments": True}, {"confidence": 0.9}], ids=str)
@pytest.mark.parametrize(
    "counted", [{}, {"max_order": 1}, {"minimum_total": 1}, {"smooth_method": "nltk-5"}], ids=str
)
def test_sums_in_frames_are_no_segments(bleu, make, options, counted):
    texts = ["the cat sat on the mat", "a dog", "the House is big and old"]
    sums = make(bleu.statistics(predictions=texts, references=TEXT_REFERENCES, **counted))
    counted = {"smooth_method": "none", **counted}
    with pytest.raises(
        ValueError,
        match=f"^`{next(iter(options))}` needs one statistics row per segment, but these rows are sums",
    ):
        bleu.compute(statistics=sums, **counted, **options)
    assert bleu.compute(statistics=sums, **counted)["translation_length"] >= 8


READ_BACK = {
    "pandas": pa.Table.to_pandas,
    "polars": pl.from_arrow,
    "parquet by pandas": lambda table: pd.read_parquet(written(table.to_pandas().to_parquet)),
    "parquet by polars": lambda table: pl.read_parquet(written(pl.from_arrow(table).write_parquet)),
    "CSV": lambda table: pd.read_csv(io.StringIO(table.to_pandas().to_csv(index=False))),
    "objects in pandas": lambda table: table.to_pandas().astype(object),
}


def written(write):
    buffer = io.BytesIO()
    write(buffer)
    buffer.seek(0)
    return buffer


@pytest.mark.parametrize("way", READ_BACK.values(), ids=READ_BACK)
@pytest.mark.parametrize("beside", [None, "matches_note", "totals_note"])
def test_segments_that_are_read_back(bleu, table, way, beside):
    """A column of notes whose name begins as those of the statistics is ignored."""
    options = {"segments": True, "confidence": 0.9, "n_resamples": 20}
    rows = table if beside is None else table.append_column(beside, [["good", "empty", "fine"]])
    result, expected = (
        bleu.compute(statistics=way(rows), **options),
        bleu.compute(statistics=table, **options),
    )
    assert {**result, "signature": ""} == {**expected, "signature": ""}


# Whole numbers of other types, as other tools return them.
WHOLE = {
    "pandas": lambda table: table.to_pandas().astype(float),
    "pandas' Float64": lambda table: table.to_pandas().astype("Float64"),
    "polars": lambda table: pl.from_arrow(table).cast(pl.Float64),
    "Arrow": lambda table: cast_columns(table, pa.float64()),
    "decimals": lambda table: cast_columns(table, pa.decimal128(38)),  # of sums in DuckDB
    "unsigned": lambda table: cast_columns(table, pa.uint64()),
    "lists": lambda table: {name: [float(n) for n in table[name].to_pylist()] for name in table.column_names},
}  # fmt: skip


def cast_columns(table, type_):
    names = table.column_names
    return pa.table({name: table[name].cast(type_) for name in names}, metadata=table.schema.metadata)  # fmt: skip


@pytest.mark.parametrize("way", WHOLE.values(), ids=WHOLE)
def test_whole_numbers_of_any_type(bleu, table, way):
    expected = bleu.compute(statistics=table, segments=True)
    assert {**bleu.compute(statistics=way(table), segments=True), "signature": ""} == {**expected, "signature": ""}  # fmt: skip
    assert bleu.total(way(table)).to_pylist() == bleu.total(table).to_pylist()


@pytest.mark.parametrize("value", [0.5, math.nan, math.inf, 1e30, None, True, "1", b"1", [1]])
def test_values_that_are_not_whole_numbers(bleu, table, value):
    wrong = table.set_column(0, table.column_names[0], pa.array([value] * len(table)))
    for call in (lambda table: bleu.compute(statistics=table), bleu.total):
        with pytest.raises(ValueError, match="not all of its values are whole numbers of 64 bits"):
            call(wrong)


@pytest.mark.parametrize(
    "metadata",
    [
        b"{", b"[1]", b"1", b"null", b'"x"', b"\xff", b"", b"[" * 100_000, b'{"tokenize": 3}', b'{"lowercase": "x"}',
        b'{"max_order": "a"}', b'{"max_order": true}', b'{"reference_length": "foo"}', b'{"minimum_total": -1}', b'{"references": []}',
        b'{"references": 2}', b'{"groups": 5}', b'{"groups": [1]}', b'{"groups": [["a"]]}', b'{"groups": [["a", ["b"], "1"]]}',
        b'{"groups": [["a", "b", 1]]}', b'{"groups": [[["a"], "b", "1"]]}',
    ],
)  # fmt: skip
def test_damaged_metadata(bleu, table, metadata):
    """Instead of an error of Python or JSON, or of one about an option that the caller did not pass."""
    damaged = table.replace_schema_metadata({b"bleu_metric": metadata})
    sums = [column.to_pylist()[0] for column in table.columns]
    for call in (
        lambda: bleu.compute(statistics=damaged),
        lambda: bleu.compute(statistics=[table, damaged]),
        lambda: bleu.compute(statistics=sums, like=damaged),
        lambda: bleu.total([damaged, table]),
        lambda: bleu.total(iter([table, damaged])),
        lambda: bleu.compare({"A": table, "B": damaged}),
    ):
        with pytest.raises(ValueError, match="not a statistics table: its metadata is damaged"):
            call()


@pytest.mark.parametrize("name", ["matches_1", "totals_2", "reference_length", "label"])
def test_two_columns_of_one_name(bleu, name):
    texts = {"predictions": TEXTS, "references": TEXT_REFERENCES, "by": list(range(len(TEXTS)))}
    table = bleu.statistics(**texts)
    twice = table.append_column(name, table[name])
    frame = table.to_pandas()
    for damaged in (twice, twice.to_batches()[0], pd.concat([frame, frame[[name]]], axis=1)):
        for call in (
            lambda damaged: bleu.compute(statistics=damaged, by="label"),
            bleu.total,
            lambda damaged: bleu.compare({"A": table, "B": damaged}, by="label"),
        ):
            with pytest.raises(ValueError, match=f"it has two columns '{name}'"):
                call(damaged)
    other = table.append_column("x", table[name]).append_column("x", table[name])
    assert bleu.compute(statistics=other) == bleu.compute(statistics=table)


@pytest.mark.filterwarnings("error::polars.exceptions.PerformanceWarning")
def test_statistics_whose_rows_are_not_there(bleu, table):
    for empty in ([], (), [table.slice(0, 0)]):
        with pytest.raises(ValueError, match="statistics: got no rows"):
            bleu.compute(statistics=empty)
    with pytest.raises(ValueError, match=r"the IterableDataset is not in memory.*from_list"):
        bleu.compute(statistics=datasets.Dataset(table).to_iterable_dataset())
    with pytest.raises(
        ValueError, match=r"the LazyFrame is not in memory. Pass frame\.collect\(\)"
    ):
        bleu.compute(statistics=pl.from_arrow(table).lazy())


# The metadata that version 1.0.0 (387e564) wrote for two segments, counted with
# `by=["en", "zh"], documents=[1, 2], tokenize={"zh": "zh"}, max_order=2, lowercase=True`.
STORED_METADATA = (
    '{"tokenize": "var", "lowercase": true, "max_order": 2, "reference_length": "closest",'
    ' "minimum_total": 0, "references": "var", "groups": [["en", "13a", "2"], ["zh", "zh", "1"]]}'
)
STORED_COLUMNS = {
    "matches_1": [3, 2],
    "matches_2": [2, 1],
    "totals_1": [3, 2],
    "totals_2": [2, 1],
    "prediction_length": [3, 2],
    "reference_length": [3, 2],
    "label": ["en", "zh"],
    "document": [1, 2],
}


def test_a_stored_table_of_387e564_is_read(load, tmp_path):
    """Its Parquet file has these columns and this metadata; the scores are those of the texts."""
    metadata = {b"bleu_metric": STORED_METADATA.encode()}
    stored = pa.table(STORED_COLUMNS).replace_schema_metadata(metadata)
    pq.write_table(stored, tmp_path / "stored.parquet")
    bleu = load(max_order=2, lowercase=True)
    texts = {
        "predictions": ["the cat sat", "我们"],
        "references": [["the cat", "a cat sat"], ["我们"]],
        "by": ["en", "zh"],
        "documents": [1, 2],
        "tokenize": {"zh": "zh"},
    }
    counted = bleu.statistics(**texts)
    assert counted.to_pydict() == STORED_COLUMNS
    assert json.loads(counted.schema.metadata[b"bleu_metric"]) == json.loads(STORED_METADATA)
    table = pq.read_table(tmp_path / "stored.parquet")
    assert bleu.compute(statistics=table, by="label") == bleu.compute(
        statistics=counted, by="label"
    )
    assert bleu.compute(statistics=table, by="label")["groups"]["zh"]["signature"].startswith(
        "nrefs:1|case:lc|"
    )
    assert bleu.compute(statistics=[table, counted])["counts"] == [10, 6]


def test_a_stored_table_without_a_tokenizer_fits_every_tokenizer(load):
    """387e564 recorded no tokenizer for rows of empty lists."""
    bleu = load(max_order=2)
    metadata = json.loads(STORED_METADATA) | {
        "tokenize": None,
        "lowercase": False,
        "references": "1",
    }
    del metadata["groups"]
    columns = {name: [0] for name in STORED_COLUMNS if name not in ("label", "document")}
    empty = pa.table(columns).replace_schema_metadata({b"bleu_metric": json.dumps(metadata)})
    for tokens in (["a", "b"], [1, 2]):
        counted = bleu.statistics(predictions=[tokens], references=[[tokens]])
        expected = bleu.compute(statistics=counted)
        assert bleu.compute(statistics=[empty, counted])["counts"] == expected["counts"]
        assert bleu.compute(statistics=[empty, counted])["signature"] == expected["signature"]


# The total of tables and sums.

DOCUMENT_OF_ROW = [f"document {row * 7 % 40}" for row in range(300)]
LABEL_OF_ROW = [("news", None, "talks")[row % 3] for row in range(300)]


def count_parts(bleu, size=77, **columns):
    """Return tables of adjacent rows; the numbers of references and the labels differ between them."""
    parts = []
    for start in range(0, 300, size):
        rows = slice(start, start + size)
        labels = {name: labels[rows] for name, labels in columns.items()}
        parts.append(
            bleu.statistics(predictions=PREDICTIONS[rows], references=REFERENCES[rows], **labels)
        )
    return parts


CONTAINERS_OF_PARTS = {
    "list": lambda parts: parts,
    "tuple": tuple,
    "generator": lambda parts: (part for part in parts),
    "map": lambda parts: map(pa.Table.combine_chunks, parts),
    "dict's values": lambda parts: dict(enumerate(parts)).values(),
    "one table": pa.concat_tables,
    "record batches": lambda parts: (batch for part in parts for batch in part.to_batches()),
    "reader": lambda parts: pa.concat_tables(parts).to_reader(),
}


class TestTotal:
    @pytest.mark.parametrize("container", CONTAINERS_OF_PARTS.values(), ids=CONTAINERS_OF_PARTS)
    def test_its_score_is_that_of_all_rows(self, bleu, expected, container):
        """With the full signature, and without `like`."""
        total = bleu.total(container(count_parts(bleu)))
        assert total.num_rows == 1
        assert set(total.schema.types) == {pa.int64()}
        assert bleu.compute(statistics=total)["counts"] == expected["counts"]
        if container is not pa.concat_tables:  # Arrow keeps the metadata of the first table
            assert bleu.compute(statistics=total) == expected

    @pytest.mark.parametrize(
        "container",
        [
            pa.Table.to_pandas,
            pl.from_arrow,
            pa.Table.to_pydict,
            datasets.Dataset,
            lambda table: np.stack(table.columns, axis=1),
            lambda table: np.stack(table.columns, axis=1).tolist(),
            lambda table: np.stack(table.columns, axis=1).sum(axis=0),
            lambda table: iter(np.stack(table.columns, axis=1)),
            lambda table: (row for row in np.stack(table.columns, axis=1).tolist()),
            lambda table: [part.to_pandas() for part in (table[:100], table[100:])],
        ],
        ids=["pandas", "polars", "dict", "datasets", "array", "lists", "sum", "iterator of sums", "generator of sums", "frames"],
    )  # fmt: skip
    def test_rows_without_metadata(self, bleu, expected, container):
        """They get it by `like`, as any sums."""
        table = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
        total = bleu.total(container(table.replace_schema_metadata(None)))
        assert bleu.compute(statistics=total, like=table) == expected
        assert bleu.compute(statistics=total)["signature"].startswith("nrefs:?|case:?|")

    @pytest.mark.parametrize(
        "columns", [("documents",), ("by",), ("by", "documents")], ids=", ".join
    )
    def test_one_row_per_document_and_label(self, bleu, columns):
        """Scores, intervals and their draws are those of the rows, in the order of first appearance."""
        given = {name: {"by": LABEL_OF_ROW, "documents": DOCUMENT_OF_ROW}[name] for name in columns}
        parts = count_parts(bleu, **given)
        total = bleu.total(iter(parts))
        pairs = list(dict.fromkeys(zip(*given.values())))
        assert [
            tuple(row)
            for row in zip(
                *(
                    total[name.replace("by", "label").removesuffix("s")].to_pylist()
                    for name in columns
                )
            )
        ] == pairs
        calls = [{}]
        if "documents" in columns:
            calls.append({"documents": "document", "confidence": 0.9, "n_resamples": 50})
        if "by" in columns:
            calls.append({"by": "label"})
        if len(columns) == 2:
            calls.append(
                {"by": "label", "documents": "document", "confidence": 0.9, "n_resamples": 50}
            )
        for arguments in calls:
            assert bleu.compute(statistics=total, **arguments) == bleu.compute(
                statistics=parts, **arguments
            )

    def test_systems(self, bleu):
        """`compare` and `rank` take totals by document in the place of tables."""
        parts = {
            name: bleu.statistics(
                predictions=texts, references=REFERENCES, documents=DOCUMENT_OF_ROW
            )
            for name, texts in (("A", PREDICTIONS), ("B", [text[:-1] for text in PREDICTIONS]))
        }
        totals = {name: bleu.total(table) for name, table in parts.items()}
        arguments = {"documents": "document", "n_resamples": 50}
        compared = bleu.compare(totals, **arguments)
        expected = bleu.compare(parts, **arguments)
        assert compared["systems"]["B"]["p_value"] == expected["systems"]["B"]["p_value"]
        assert (
            compared["systems"]["B"]["delta_interval"] == expected["systems"]["B"]["delta_interval"]
        )
        assert bleu.rank(totals, **arguments)["ranking"] == bleu.rank(parts, **arguments)["ranking"]

    @given(sizes=st.lists(st.integers(1, 60), min_size=1, max_size=12), depth=st.integers(1, 3))
    @settings(max_examples=examples(30))
    def test_totals_add_up_in_any_order_and_depth(self, load, sizes, depth):
        """As in a tree of machines."""
        bleu = load()
        table = bleu.statistics(
            predictions=PREDICTIONS, references=REFERENCES, documents=DOCUMENT_OF_ROW
        )
        ends = np.minimum(np.cumsum([0, *sizes]), 300).tolist()
        parts = [table[start:end] for start, end in itertools.pairwise(ends)]
        parts.append(table[ends[-1] :])
        for _ in range(depth):
            totals = list(map(bleu.total, parts))
            parts = [bleu.total(totals[i : i + 3]) for i in range(0, len(totals), 3)]
        arguments = {"documents": "document", "confidence": 0.9, "n_resamples": 20}
        assert bleu.compute(statistics=bleu.total(parts), **arguments) == bleu.compute(
            statistics=table, **arguments
        )

    def test_tokenizers_of_labels(self, bleu):
        """Tables of other tokenizers add up if all have labels, as for a score."""
        texts = {"de": ["Das ist gut.", "Ja."], "zh": ["这很好。", "是。"]}
        tables = [
            bleu.statistics(
                predictions=texts[name], references=texts[name], by=[name] * 2, tokenize=tokenizer
            )
            for name, tokenizer in (("de", "13a"), ("zh", "zh"))
        ]
        assert bleu.compute(statistics=bleu.total(tables), by="label") == bleu.compute(
            statistics=tables, by="label"
        )
        plain = [
            table.drop_columns(["label"]).replace_schema_metadata(
                bleu.statistics(
                    predictions=["a"], references=["a"], tokenize=tokenizer
                ).schema.metadata
            )
            for table, tokenizer in zip(tables, ("13a", "zh"))
        ]
        with pytest.raises(
            ValueError, match=r"tokenize is '13a' in statistics\[0\] and 'zh' in statistics\[1\]"
        ):
            bleu.total(plain)

    @pytest.mark.parametrize(
        "options",
        [{}, {"max_order": 1}, {"minimum_total": 1}, {"max_order": 2, "smooth_method": "nltk-5"}],
    )
    def test_a_total_is_not_a_segment(self, load, options):
        """Not even that of one order, or of one segment, whose rows look like those of a segment."""
        bleu = load(**options)
        for texts in (["a b c"], ["a b", "c"]):
            total = bleu.total(bleu.statistics(predictions=texts, references=texts))
            assert bleu.compute(statistics=total) == bleu.compute(
                predictions=texts, references=texts
            )
            for arguments in ({"segments": True}, {"confidence": 0.95}):
                with pytest.raises(ValueError, match=r"these rows are sums\."):
                    bleu.compute(statistics=total, **arguments)

    def test_rows_of_segments_may_take_the_options_of_a_total(self, bleu):
        """`like` says how rows were counted, not that they are sums."""
        table = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
        rows = table.replace_schema_metadata(None)
        scored = bleu.compute(statistics=rows, like=bleu.total(table), segments=True)
        assert scored == bleu.compute(statistics=table, segments=True)

    def test_saved_in_parquet_it_is_the_same(self, bleu, tmp_path):
        total = bleu.total(count_parts(bleu, documents=DOCUMENT_OF_ROW))
        pq.write_table(total, tmp_path / "total.parquet")
        read = pq.read_table(tmp_path / "total.parquet")
        assert bleu.compute(statistics=read, documents="document", confidence=0.9) == bleu.compute(
            statistics=total, documents="document", confidence=0.9
        )

    def test_parts_without_rows(self, bleu, expected):
        """A process or a partition may have no data: it does not change the total, and a total of such parts has no rows."""
        empty = bleu.statistics(predictions=[], references=[])
        parts = count_parts(bleu)
        assert bleu.compute(statistics=bleu.total([empty, *parts, empty])) == expected
        total = bleu.total(empty)
        assert total.num_rows == 0
        assert bleu.compute(statistics=[total, *map(bleu.total, parts)]) == expected
        of_documents = bleu.total(
            bleu.statistics(predictions=[], references=[], documents=[], by=[])
        )
        assert of_documents.column_names[-2:] == ["label", "document"]
        with pytest.raises(ValueError, match=r"^statistics: got no rows\."):
            bleu.compute(statistics=total)

    def test_labels_of_tables_have_one_type(self, bleu):
        """Numbers are of one type, and a table may have no label but None."""
        texts = {"predictions": ["a b"], "references": ["a b"]}
        count = lambda label: bleu.statistics(**texts, by=[label])
        total = bleu.total([count(1), count(2.5), count(None), count(1)])
        assert total["label"].to_pylist() == [1, 2.5, None]
        assert total["totals_1"].to_pylist() == [4, 2, 2]
        for labels in (["x", 1], [True, 1], [2.5, True]):
            with pytest.raises(TypeError, match=r"of one type in all tables \(.*\)\. Pass"):
                bleu.total(map(count, labels))

    @pytest.mark.more
    def test_one_part_at_a_time_is_in_memory(self, bleu):
        """Of a generator: 400 parts of 20,000 rows would take 640 MB."""
        (row,) = bleu.statistics(predictions=["a b c d"], references=["a b c d"]).to_pylist()
        part = (
            bleu.statistics(predictions=["a b c d"], references=["a b c d"])
            .take([0] * 20_000)
            .combine_chunks()
        )
        before = pa.total_allocated_bytes()
        most = 0

        def stream():
            nonlocal most
            for _ in range(400):
                most = max(most, pa.total_allocated_bytes() - before)
                yield pa.Table.from_batches([batch.slice(0) for batch in part.to_batches()]).take(
                    pa.array(range(20_000))
                )

        total = bleu.total(stream())
        assert total.to_pylist() == [{name: value * 8_000_000 for name, value in row.items()}]
        assert most < 20e6

    def test_sums_beyond_64_bits(self, bleu):
        sums = [2**62, 0, 2**62, 0, 2**62, 2**62]
        with pytest.raises(ValueError, match="the sum of a column is"):
            bleu.total(iter([sums, sums]))

    def test_some_parts_with_documents_only(self, bleu):
        with_documents = bleu.statistics(predictions=["a"], references=["a"], documents=["x"])
        without = bleu.statistics(predictions=["a"], references=["a"])
        message = "has a column 'document', but statistics[{}] has none. Call statistics() again with the same arguments, or remove the column."
        for parts, has, lacks in (
            ([with_documents, without], 0, 1),
            ([without, without, with_documents], 2, 0),
        ):
            full_message = f"statistics: statistics[{has}] {message.format(lacks)}"
            with pytest.raises(ValueError, match=f"^{re.escape(full_message)}$"):
                bleu.total(parts)


def make_rejected(bleu):
    """Return what `compute` rejects as statistics."""
    table = bleu.statistics(predictions=["a b"], references=["a b"], documents=["x"])
    lower = bleu.statistics(predictions=["a b"], references=["a b"], lowercase=True)
    numbers = table.to_pandas().drop(columns="document")
    plain = table.drop_columns(["document"])
    wrong = plain.set_column(0, "matches_1", pa.array([9]))
    mixed = {name: [1] for name in plain.column_names}
    return [
        *NO_ROWS, [], (), 3, "abc", b"abc", ["abc"], [["a b"]], {"a": plain},
        [plain, [1] * 10], [[1] * 10, plain], [plain, None], [plain, lower], [lower, plain],
        [plain, bleu.statistics(predictions=["a"], references=["a"], max_order=2)],
        [plain, bleu.statistics(predictions=["a"], references=["a"], tokenize="zh")],
        [plain, plain.replace_schema_metadata(None)],
        bleu.compute(statistics=plain), [bleu.compute(statistics=plain)], numbers.sum(), [numbers.sum()], numbers.astype(float) + 0.5,
        wrong, [plain, wrong], plain.set_column(8, "prediction_length", pa.array([7])),
        plain.select(["matches_1"]), pl.from_arrow(plain).lazy(), plain.to_pylist()[0],
        {**mixed, "totals_1": ["a"]}, pa.table({**mixed, "totals_1": [None]}),
        plain.append_column("document", pa.array([None], pa.string())),
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(39))
def test_a_total_rejects_what_a_score_rejects(bleu, number):
    """With the same message."""
    rejected = make_rejected(bleu)
    assert len(rejected) == 39
    statistics = rejected[number]
    documents = {}
    if hasattr(statistics, "column_names") and "document" in statistics.column_names:
        documents = {"documents": "document"}
    with pytest.raises((TypeError, ValueError)) as of_score:
        bleu.compute(statistics=statistics, **documents)
    with pytest.raises((TypeError, ValueError)) as of_total:
        bleu.total(statistics)
    assert type(of_total.value) is type(of_score.value)
    assert str(of_total.value) == str(of_score.value)


@pytest.mark.parametrize("parts", [[], ["abc"], [None], [3]], ids=str)
def test_an_iterator_of_no_statistics(bleu, parts):
    with pytest.raises(
        ValueError,
        match=r"^statistics: (got no rows|expected (a table|tables from statistics))",
    ):
        bleu.total(iter(parts))


def test_the_options_at_load_are_compared(load):
    """As for a score; tokenizers of labels are not, since the rows of a part may be of other labels."""
    table = load().statistics(predictions=["a b"], references=["a b"], by=["x"])
    with pytest.raises(ValueError, match="counted with lowercase=False, but True was requested"):
        load(lowercase=True).total(table)
    assert load(tokenize={"y": "zh"}).total(table).num_rows == 1
    sums = (
        load("nltk")
        .statistics(predictions=["a b", ""], references=["a b", "a"])
        .replace_schema_metadata(None)
    )
    assert load("nltk").total(sums)["totals_1"].to_pylist() == [3]
