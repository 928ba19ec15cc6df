"""One call of a method: its corpus, labels, documents, options and tokenizer.

The tokenizer is chosen here, once per call. Methods count and score a `Call`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..rules.chosen_tokenizer import ChosenTokenizer, choose_tokenizer
from ..shared.arrays import Label
from ..text.corpus import Corpus

if TYPE_CHECKING:
    from ..options.options import Options


class Call(NamedTuple):
    """The texts of a call, with all that counting and the look need.

    corpus: the segments.
    options: the options of the call.
    tokenizer: the tokenizer of all segments; None if labels have tokenizers of their own.
    labels, documents: the label and the document of each segment, or None.
    """

    corpus: Corpus
    options: Options
    tokenizer: ChosenTokenizer | None
    labels: Sequence[Label] | None = None
    documents: Sequence[Label] | None = None


def make_call(
    corpus: Corpus,
    options: Options,
    labels: Sequence[Label] | None = None,
    documents: Sequence[Label] | None = None,
) -> Call:
    """Return a corpus as a call, with its tokenizer; labels and documents are read already."""
    tokenizer = None
    if labels is None or options.tokenize_by is None:
        tokenizer = choose_tokenizer(options, corpus.kind)
    return Call(corpus, options, tokenizer, labels, documents)
