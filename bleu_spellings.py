"""How other tools spell the options and the values of a result, and what to write here."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from typing import Any

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


# What other tools call a value of a result; and the values that come only when asked for.
RESULT_KEYS = {
    "bp": "brevity_penalty",
    "sys_len": "translation_length",
    "hyp_len": "translation_length",
    "prediction_length": "translation_length",
    "ref_len": "reference_length",
    "bleu_score": "bleu",
    "sentence_bleu": "segment_bleu",
    "ratio": "length_ratio",
}
ASKED_FOR = {
    "segment_bleu": "segments=True",
    "confidence_interval": "confidence=0.95",
    "bootstrap_mean": "confidence=0.95",
}


def explain_missing_key(key: Any, known: Collection[Any]) -> str | None:
    """What to tell a user who looks for a value under the name that another tool has for it; None for other keys.

    Args:
        key: what was looked for.
        known: the keys that the result has.

    >>> explain_missing_key("bp", ["bleu", "brevity_penalty"])
    "There is no 'bp' here: it is 'brevity_penalty'."
    >>> explain_missing_key("segment_bleu", ["bleu", "brevity_penalty"])
    "There is no 'segment_bleu' here: ask for it by segments=True."
    """
    if not isinstance(key, str):
        return None
    name = RESULT_KEYS.get(key, key)
    if name in known:
        return f"There is no {key!r} here: it is {name!r}."
    if name in ASKED_FOR and "brevity_penalty" in known and "orders" not in known:  # of a corpus, not a segment
        return f"There is no {key!r} here: ask for it by {ASKED_FOR[name]}."
    return None
