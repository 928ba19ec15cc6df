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


def test_sums_and_batches_of_tensors(bleu):
    """Sums as `all_reduce` leaves them, and a batch as a trainer's loop passes it."""
    assert bleu.score(torch.tensor([3, 3, 3, 4]))["counts"] == [3]

    class Numbers:
        pad_token_id = None

        def batch_decode(self, rows, skip_special_tokens):
            return [" ".join(map(str, row)) for row in rows]

    assert bleu.compute_metrics(Numbers())((IDS, IDS)) == pytest.approx(
        {"bleu": 100.0, "gen_len": 4.0}
    )
