"""The sets without a mistake have none that their tables put into them."""

from legitimate import list_sets, list_sources


def test_sets_are_complete():
    """Each row has a text on both sides, since an empty text is a mistake."""
    for each in list_sets(every=3):
        assert len(each.predictions) == len(each.references), each.name
        for prediction, references in zip(each.predictions, each.references):
            assert prediction.strip(), each.name
            assert references, each.name
            assert all(reference.strip() for reference in references), each.name


def test_sets_are_the_same_in_each_run():
    """Figures of two checkouts are about the same texts."""
    first = list(list_sets(every=50))
    list_sources.cache_clear()
    assert first == list(list_sets(every=50))
