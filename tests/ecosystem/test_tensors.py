"""Tensors of torch: read like NumPy's arrays of the same ids."""

import pytest

torch = pytest.importorskip("torch")

IDS = torch.arange(16).reshape(4, 4)
OTHERS = IDS.clone()
OTHERS[2, 0] = 15  # one token of another segment

TENSORS = {
    "2-D": (IDS, OTHERS),
    "3-D references": (IDS.to(torch.int32), OTHERS[:, None]),
    "lists of tensors": (list(IDS), [[row] for row in OTHERS]),
    "lists of numbers": ([list(row) for row in IDS], OTHERS),
}


@pytest.mark.parametrize(("predictions", "references"), TENSORS.values(), ids=TENSORS)
def test_tensors_have_the_scores_of_their_lists(bleu, predictions, references):
    expected = bleu.compute(
        predictions=IDS.tolist(), references=[[row] for row in OTHERS.tolist()], by=[0, 1, 0, 1]
    )
    assert (
        bleu.compute(predictions=predictions, references=references, by=torch.tensor([0, 1, 0, 1]))
        == expected
    )


LABELS = torch.tensor([3, 4, 3, 4])


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("container", [lambda tensor: tensor, list], ids=["tensor", "list"])
def test_labels_are_read_from_tensors_of_any_type(bleu, dtype, container):
    """A tensor does not equal itself with True or False, as a label does."""
    columns = {"predictions": IDS, "references": OTHERS}
    expected = bleu.compute(**columns, by=LABELS.tolist())
    assert bleu.compute(**columns, by=container(LABELS.to(dtype))) == expected


class Numbers:
    """A tokenizer whose words are ids."""

    pad_token_id = None

    def batch_decode(self, rows, skip_special_tokens):
        return [" ".join(map(str, row)) for row in rows]


@pytest.mark.parametrize("container", [lambda tensor: tensor, list], ids=["tensor", "list"])
@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "float8_e4m3fn"])
def test_floats_are_not_ids(bleu, name, container):
    """NumPy has no bfloat16; the message names it all the same."""
    floats = container(IDS.to(getattr(torch, name)))
    for pair, column in (((floats, IDS), "predictions"), ((IDS, floats), "labels")):
        message = (
            f"^{column}: expected one row of token ids per segment, got {name}[.] Pass integers"
        )
        with pytest.raises(TypeError, match=message):
            bleu.compute_metrics(Numbers())(pair)


RAGGED = [torch.tensor([1, 2]), torch.tensor([3])]
# Tensors that torch cannot convert to NumPy, and what to pass.
UNREADABLE = {
    "nested": (
        torch.nested.as_nested_tensor(RAGGED),
        "nested Tensor of int64, which NumPy cannot read. Pass [row.tolist() for row in {name}].",
    ),
    "jagged": (
        torch.nested.as_nested_tensor(RAGGED, layout=torch.jagged),
        "NestedTensor of int64, which NumPy cannot read. Pass [row.tolist() for row in {name}].",
    ),
    "sparse": (
        IDS.to_sparse(),
        "Tensor of int64, which NumPy cannot read. Pass lists or a NumPy array.",
    ),
}


@pytest.mark.parametrize(("tensor", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_tensors_that_numpy_cannot_read(bleu, tensor, message):
    """The message names the column, and a nested tensor's fix gives the scores of the ids."""
    texts = ["a", "b"]
    calls = {
        "predictions": lambda: bleu.compute(predictions=tensor, references=texts),
        "references": lambda: bleu.compare({"A": texts, "B": texts}, tensor),
        "texts": lambda: bleu.self_bleu(tensor),
        "labels": lambda: bleu.compute_metrics(Numbers())((IDS, tensor)),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError) as raised:
            call()
        assert f"{name}: got {message.format(name=name)}" in str(raised.value)
    with pytest.raises(TypeError, match="System 'A': predictions: got"):
        bleu.diff({"A": tensor, "B": texts}, texts)
    with pytest.raises(TypeError, match=r"predictions\[0\]: got .*, which NumPy cannot read"):
        bleu.compute(predictions=[tensor, tensor], references=texts)
    if tensor.is_nested:
        rows = [row.tolist() for row in tensor]
        assert bleu.compute(predictions=rows, references=RAGGED)["counts"][0] == 3


def test_sums_and_batches_of_tensors(bleu):
    """Sums as `all_reduce` leaves them, and a batch as a trainer's loop passes it."""
    assert bleu.compute(statistics=torch.tensor([3, 3, 3, 4]))["counts"] == [3]
    assert bleu.compute_metrics(Numbers())((IDS, IDS)) == pytest.approx(
        {"bleu": 100.0, "gen_len": 4.0}
    )
