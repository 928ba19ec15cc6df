"""All that is compiled, before it is needed: the work of `warm_up`."""

from __future__ import annotations

from .bleu_inputs_columns import read_lists
from .bleu_pairwise import count_common
from .bleu_statistics import count_rows
from .bleu_tokenizer_choice import lower_case
from .bleu_vocabulary import split_texts


def warm_up_all() -> None:
    """Compiles what isn't compiled yet on this machine, and loads the rest into this process."""
    for twins in (count_rows, read_lists, lower_case, split_texts, count_common):
        twins.warm_up()
