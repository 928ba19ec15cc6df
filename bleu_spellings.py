"""How other tools spell the options, and what to write here."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# evaluate's `bleu` and `sacrebleu`, and sacreBLEU itself.
SPELLINGS = {
    "tokenizer": "write `tokenize`; a function from str to a list of str is welcome there too",
    "smooth": "write `smooth_method='laplace'` for what evaluate's `bleu` does with `smooth=True`",
    "use_effective_order": "write `effective_order`",
    "max_ngram_order": "write `max_order`",
    "trg_lang": "write the tokenizer: `tokenize='zh'`, `'ja-mecab'` or `'ko-mecab'`",
    "force": "nothing needs forcing: leave it out, and silence `BleuWarning` if it disturbs",
}


def explain_unknown_option(name: str, options: Iterable[str]) -> str:
    """What to tell a user who wrote an option that doesn't exist.

    Args:
        name: what was written.
        options: the names that exist.

    >>> explain_unknown_option("use_effective_order", ["effective_order"])
    'There is no option `use_effective_order` here: write `effective_order`.'
    """
    if name in SPELLINGS:
        return f"There is no option `{name}` here: {SPELLINGS[name]}."
    nearest = difflib.get_close_matches(name, list(options), n=1, cutoff=0)
    return f"There is no option `{name}`. Did you mean `{nearest[0]}`?"
