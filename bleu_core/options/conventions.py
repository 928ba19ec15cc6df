"""The named conventions, and drop-ins for evaluate's modules: arguments, keys and scales.

`chosen_options.py` chooses among them. To add a convention, write its options in `CONVENTIONS`, and
its name in `option_types.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

CONVENTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "papineni": {"smooth_method": "none"},
    "hf": {"smooth_method": "none", "reference_length": "shortest"},
    "nltk": {"tokenize": "none", "smooth_method": "none", "minimum_total": 1},
    "moses": {"tokenize": "multi-bleu", "smooth_method": "none"},
    "coco": {"tokenize": "ptb", "smooth_method": "coco"},
}

# The methods of NLTK's SmoothingFunction by their names there.
NLTK_METHODS = {
    "method0": "none",
    "method1": "floor",
    "method2": "add-k",
    "method3": "exp",
    "method4": "nltk-4",
    "method5": "nltk-5",
    "method6": "chen-cherry-6",
    "method7": "nltk-7",
}


class DropIn(NamedTuple):
    """One of evaluate's modules, whose `compute` this metric can replace.

    convention: the convention that reproduces the module's score.
    defaults: the module's arguments besides the columns; None stands for the default of this
        metric.
    names: the options of this metric by the module's names, where they differ; None for an argument
        without effect.
    keys: the keys of this metric's result by the module's keys.
    scale: the highest precision.
    """

    convention: str
    defaults: Mapping[str, object]
    names: Mapping[str, str | None]
    keys: Mapping[str, str]
    scale: int


DROP_INS = {
    "sacrebleu": DropIn(
        "default",
        defaults={
            "smooth_method": "exp",
            "smooth_value": None,
            "force": False,
            "lowercase": False,
            "tokenize": None,
            "use_effective_order": False,
        },
        names={"force": None, "use_effective_order": "effective_order"},
        keys={
            "score": "score",
            "counts": "counts",
            "totals": "totals",
            "precisions": "precisions",
            "bp": "brevity_penalty",
            "sys_len": "translation_length",
            "ref_len": "reference_length",
        },
        scale=100,
    ),
    "bleu": DropIn(
        "hf",
        defaults={"tokenizer": None, "max_order": 4, "smooth": False},
        names={"tokenizer": "tokenize", "smooth": "smooth_method"},
        keys={
            "bleu": "bleu",
            "precisions": "precisions",
            "brevity_penalty": "brevity_penalty",
            "length_ratio": "length_ratio",
            "translation_length": "translation_length",
            "reference_length": "reference_length",
        },
        scale=1,
    ),
}
