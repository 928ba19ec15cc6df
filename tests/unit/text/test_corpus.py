"""The corpus that is scored: its batches, and views of Arrow arrays."""

import pyarrow as pa
import pytest
from bleu.bleu_core.text.read import read_corpus

# The lengths of a corpus's chunks, the most rows of a batch, and the first row and the length of each batch.
BATCHES = [
    ([4], 4, [(0, 4)]),
    ([4], 3, [(0, 3), (3, 1)]),
    ([3, 1], 2, [(0, 2), (2, 1), (3, 1)]),
    ([3, 1], 9, [(0, 3), (3, 1)]),
]


@pytest.mark.parametrize(("chunks", "most", "batches"), BATCHES)
def test_a_corpus_in_batches(chunks, most, batches):
    """A batch is part of one chunk; the bounds of its references start at 0."""
    texts, references = (
        pa.chunked_array([[text] * length for length in chunks]) for text in ("a", ["b", "c"])
    )
    check_batches(read_corpus(texts, references), most, batches)


@pytest.mark.parametrize(
    ("chunks", "most", "batches"), [case for case in BATCHES if len(case[0]) == 1]
)
def test_plain_lists_in_batches(chunks, most, batches):
    """Plain lists have no chunks, and are split into batches in the same way."""
    check_batches(read_corpus(["a"] * sum(chunks), [["b", "c"]] * sum(chunks)), most, batches)


def check_batches(corpus, most, batches):
    found = list(corpus.split(most))
    assert [(batch.rows[0], len(batch.predictions)) for batch in found] == batches
    for batch in found:
        assert batch.references.to_pylist() == ["b", "c"] * len(batch.predictions)
        assert batch.bounds.tolist() == [2 * row for row in range(len(batch.predictions) + 1)]
