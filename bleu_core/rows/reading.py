"""What a user passes to one call, read once: texts, labels and documents.

The class reads with `read`, and its buffer with `read_segments`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..options.options import Options
from ..shared.messages import NO_SEGMENTS
from ..text.corpus import Corpus, join_corpora
from ..text.labels import check_labels, read_documents, read_labels
from ..text.read import read_corpus, warn_if_reordered
from .statistics import Call, make_call


def read(
    predictions: object,
    references: object,
    by: object,
    documents: object,
    options: Options,
    *,
    added: Sequence[Corpus] = (),
    allow_empty: bool = False,
) -> Call:
    """Read what a user passes to a call.

    Args:
        predictions, references, by, documents: the arguments of `compute`.
        options: the options of the call.
        added: the rows added before, all of one kind.
        allow_empty: False to raise an error for zero rows.

    >>> read(["a b"], ["a b"], ["news"], None, Options()).tokenizer.name
    '13a'
    """
    corpus = read_segments(predictions, references, added)
    if not allow_empty and not len(corpus):
        raise ValueError(NO_SEGMENTS)
    if by is None and documents is None:
        return make_call(corpus, options)
    warn_if_reordered(
        {"predictions": predictions, "references": references}, by=by, documents=documents
    )
    document_of = read_documents(documents, len(corpus))
    labels = read_labels(by, len(corpus))
    if labels is not None:
        check_labels(options.tokenize_by, labels)
    return make_call(corpus, options, labels, document_of)


def read_segments(predictions: object, references: object, added: Sequence[Corpus]) -> Corpus:
    """Return the rows added before, followed by those of a call, which may have none."""
    if predictions is None and references is None:
        return join_corpora(added)
    corpus = read_corpus(predictions, references, allow_empty=True)
    return join_corpora([*added, corpus] if len(corpus) else added)
