"""The calls that make scores: conventions, and what people compute with other tools.

`list_tools` is called by the search, which tries these settings first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import pyarrow.compute as pc

from ..options.option_types import CONVENTIONS, NLTK_METHODS
from ..options.options import Options, choose_options
from ..rules.captions import LINE_BREAKS
from ..rules.scoring import OrderWeights
from ..shared.arrays import InputType
from ..text.corpus import Corpus
from .calls import (
    ALL_REFERENCES,
    CHARACTER_LIST,
    NamedSetting,
    Setting,
    convention_options,
    list_call_settings,
)


class Tool(NamedTuple):
    """A call that makes scores of a setting.

    says: its name, which follows "the score is from".
    is_known: True for a tool under its usual arguments, which comes before settings with fewer
        changes; False for a variant, which is plausible with any number of changes.
    rank: its place among all tools, most common first.
    """

    says: str
    is_known: bool
    rank: int


Tools = dict[Setting, Tool]

# The corpus scores of the conventions, most common first.
CONVENTION_CALLS = {
    "default": "sacreBLEU's `corpus_bleu`",
    "nltk": "NLTK's `corpus_bleu` given lists of words",
    "hf": "evaluate's `bleu`",
    "moses": "`multi-bleu.perl`",
    "papineni": "the formula of 2002 on tokens of mteval-v13a",
}

SWAPPED = "{}, with predictions and references swapped: swap them back"


class GivenTexts(NamedTuple):
    """Texts as people pass them to NLTK, and the options that split them in the same way."""

    says: str
    tokenize: str
    lowercase: bool


NLTK_INPUTS = (
    GivenTexts("lists of words", "none", False),
    GivenTexts("lists of lower-cased words", "none", True),
    GivenTexts("strings: characters, blanks included", CHARACTER_LIST, False),
)

# The weights of tutorials, for orders 1 to 4. The last three are single orders, which also pass for
# BLEU-2 to BLEU-4.
TUTORIAL_WEIGHTS: tuple[OrderWeights, ...] = (
    None,
    (1.0, 0.0, 0.0, 0.0),
    (0.5, 0.5, 0.0, 0.0),
    (0.33, 0.33, 0.33, 0.0),
    (1 / 3, 1 / 3, 1 / 3, 0.0),
    (0.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
)

# NLTK's methods that look at the last pair of a corpus, because they get it and not the sums.
LAST_PAIR_METHODS = ("method5", "method6", "method7")


def list_tools(
    corpus: Corpus, options: Options, start: Setting, *, references: Sequence[str | int]
) -> Tools:
    """List the calls that make scores of a corpus, with the options that the user chose.

    Args:
        corpus: the texts.
        options: the user's options.
        start: the starting point of the search.
        references: the values of that factor to combine with the calls of NLTK.

    >>> corpus = read_corpus(["a b"], ["a b"])
    >>> start = Setting.of_options(Options())
    >>> tools = list_tools(corpus, Options(), start, references=(ALL_REFERENCES,))
    >>> characters = [tool for setting, tool in tools.items() if setting.tokenize == "list"]
    >>> characters[0].says
    "the mean of NLTK's `sentence_bleu` given strings: characters, blanks included"
    """
    of_convention = {
        name: Setting.of_options(chosen) for name, chosen in convention_options(options).items()
    }
    captions: list[NamedSetting] = []
    is_coco = _is_convention("coco", of_convention["coco"]) and options.weights is None
    if is_coco and corpus.kind == "text" and are_captions(corpus):
        captions = _list_caption_calls(of_convention["coco"])
    calls: list[NamedSetting] = []
    # Several references of a short text are most often those of a picture.
    if corpus.reference_count() not in ("1", "?"):
        calls += captions
    # 1. Whole tools under their usual arguments.
    for name, says in CONVENTION_CALLS.items():
        setting = of_convention[name]
        calls.append((setting, says if _is_convention(name, setting) else "", True))
    sacrebleu_mean = of_convention["default"]._replace(mean_of_segments=True)
    sentences = "the mean of sacreBLEU's `sentence_score`"
    calls += [
        (sacrebleu_mean._replace(effective_order=True), f"{sentences} with effective order", True),
        (sacrebleu_mean, sentences, True),
    ]
    # NLTK knows no options of this metric: its calls are those of the convention as it stands.
    nltk = Setting.of_options(choose_options("nltk", {}))
    calls += _list_nltk_calls(corpus.kind, nltk, references)
    calls += captions
    calls += list_call_settings(corpus, options, start)
    # 2. The same with exchanged texts.
    if corpus.reference_count() == "1":
        calls += [
            (setting._replace(swapped=True), SWAPPED.format(says or "this tool"), False)
            for setting, says, _ in calls
            if setting.weights is None and not (setting.last_pair or setting.call)
        ]
    return _list_by_setting(calls)


def _is_convention(name: str, setting: Setting) -> bool:
    """Return False if the user chose another value for an option of a convention."""
    return all(getattr(setting, option) == value for option, value in CONVENTIONS[name].items())


def _list_by_setting(calls: Iterable[NamedSetting]) -> Tools:
    """Return tools in order: the first call that is listed for a setting names it."""
    tools: Tools = {}
    for setting, says, is_known in calls:
        tools.setdefault(setting, Tool(says, is_known, rank=len(tools)))
    return tools


def _list_caption_calls(coco: Setting) -> list[NamedSetting]:
    """List pycocoevalcap's four scores, of the corpus and as means of those of captions."""
    calls = []
    for order in (4, 3, 2, 1):  # most common first
        of_corpus = coco._replace(max_order=order)
        mean = of_corpus._replace(mean_of_segments=True, effective_order=False)
        calls += [
            (of_corpus, f"pycocoevalcap's Bleu_{order}", True),
            (mean, f"the mean of pycocoevalcap's Bleu_{order} of each caption", False),
        ]
    return calls


def _list_nltk_calls(
    kind: InputType, nltk: Setting, references: Sequence[str | int]
) -> Iterator[NamedSetting]:
    """Yield the scores that people compute with NLTK, most common first.

    Args:
        kind: what the texts are; tokens stay as they are.
        nltk: the convention.
        references: the values of that factor.
    """
    given_texts = list(NLTK_INPUTS)
    if kind != "text":
        given_texts = [GivenTexts(f"the {kind}", "", False)]
    methods = {"": "none", **NLTK_METHODS, "the zeros left out, as before NLTK 3.3": "skip"}
    for which, weights, given in product(references, TUTORIAL_WEIGHTS, given_texts):
        if which != ALL_REFERENCES and weights is not None:  # two rare choices at once
            continue
        for method, smooth_method in methods.items():
            if smooth_method == "skip" and weights is not None:
                continue
            setting = nltk._replace(
                references=which,
                lowercase=given.lowercase,
                smooth_method=smooth_method,
                # Only method 6 counts no n-gram of a text that is too short.
                minimum_total=0 if method == "method6" else nltk.minimum_total,
            )
            if kind == "text":
                setting = setting._replace(tokenize=given.tokenize)
            if weights is not None:
                setting = setting._replace(weights=weights, max_order=len(weights))
            with_arguments = _name_arguments(given, method, weights, which)
            mean = setting._replace(mean_of_segments=True)
            says = f"the mean of NLTK's `sentence_bleu` given {with_arguments}"
            yield mean, says, setting == nltk
            says = f"NLTK's `corpus_bleu` given {with_arguments}"
            if method in LAST_PAIR_METHODS:
                says += ", which depends on the last pair (nltk issue 3903)"
                setting = setting._replace(last_pair=True)
            if weights is None or weights[-1] or method not in LAST_PAIR_METHODS:
                yield setting, says, False


def _name_arguments(
    given: GivenTexts, method: str, weights: OrderWeights, references: str | int
) -> str:
    """Write the arguments of a call of NLTK.

    >>> _name_arguments(NLTK_INPUTS[0], "method1", (0.33, 0.33, 0.33, 0.0), ALL_REFERENCES)
    'lists of words, with method1 and weights (0.33, 0.33, 0.33, 0)'
    """
    further = [method] if method else []
    if weights is not None:
        further.append(f"weights ({', '.join(f'{weight:.4g}' for weight in weights)})")
    if references != ALL_REFERENCES:
        further.append(f"reference {references}")
    if not further:
        return given.says
    *others, last = further
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"{given.says}, with {listed}"


def list_moses_tools(tokenizers: Sequence[str], start: Setting) -> Tools:
    """List tokenized BLEU with tokenizers of Moses.

    >>> start = Setting.of_options(Options())
    >>> tools = list_moses_tools(["moses-de"], start)
    >>> next(iter(tools.values())).says
    "tokenized BLEU: `multi-bleu.perl` on tokens of Moses' tokenizer for de"
    """
    calls = []
    for tokenizer in tokenizers:
        language, _, compounds = tokenizer.removeprefix("moses-").partition("-")
        says = f"tokenized BLEU: `multi-bleu.perl` on tokens of Moses' tokenizer for {language}"
        if compounds:
            says += ", with compounds split"
        for method, lowercase in product(("none", start.smooth_method), (False, True)):
            setting = start._replace(
                tokenize=tokenizer, smooth_method=method, lowercase=lowercase, max_order=4
            )
            calls.append((setting, says, method == "none" and not lowercase))
    return _list_by_setting(calls)


_LONGEST_CAPTION = 100  # bytes on average; the tokenizer of captions is left out above it


def are_captions(corpus: Corpus) -> bool:
    """Return False if texts are longer than captions, or have a line break in a text.

    The tokenizer of captions would take fifteen times as long as all other conventions together.
    """
    if corpus.kind != "text":
        return True
    if pc.mean(pc.binary_length(corpus.predictions)).as_py() > _LONGEST_CAPTION:
        return False
    return not any(
        pc.any(pc.match_substring_regex(texts, LINE_BREAKS)).as_py()
        for batch in corpus.batches
        for texts in (batch.predictions, batch.references)
    )
