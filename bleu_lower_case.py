"""Lower case: the definition. `bleu_lower_case_compiled` is its compiled twin."""

from __future__ import annotations

import pyarrow as pa


def lower_case(texts: pa.Array) -> pa.Array:
    """The lower case of each string, as `str.lower` has it.

    >>> lower_case(pa.array(["ΑΣ"])).to_pylist()
    ['ας']
    """
    return pa.array([text.lower() for text in texts.to_pylist()], texts.type)
