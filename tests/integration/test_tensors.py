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


def test_sums_and_batches_of_tensors(bleu):
    """Sums as `all_reduce` leaves them, and a batch as a trainer's loop passes it."""
    assert bleu.score(torch.tensor([3, 3, 3, 4]))["counts"] == [3]
    assert bleu.compute_metrics(Numbers())((IDS, IDS)) == pytest.approx(
        {"bleu": 100.0, "gen_len": 4.0}
    )
