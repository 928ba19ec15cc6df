"""The calls that make scores: what people compute with other tools.

A setting is a value for each factor in which tools differ. `list_tools` lists the settings of whole
tools, which the search tries first. One of the factors is a call whose score no option of `compute`
gives. To add one, write a function for its tokens, rows or formula, and a record in `CALLS`.
"""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..options.option_names import NLTK_METHODS, Tokenize
from ..options.options import CONVENTIONS, OPTIONS, Options, choose_options
from ..rules.captions import LINE_BREAKS
from ..rules.counting import Layout
from ..rules.scores import OrderWeights, bleu, bleu_by_weights
from ..shared.arrays import STRINGS, Float64, InputType, Int64
from ..text.corpus import Corpus, make_corpus

ALL_REFERENCES = "all"  # references: all references of a segment
CHARACTER_LIST = "list"  # the tokenizer that is Python's `list`: characters, blanks included
# By the index of a reference, its position for each segment among all references of the corpus.
ReferencePositions = Mapping[int, Int64]

# --- Settings -------------------------------------------------------------------------------------


class Setting(NamedTuple):
    """The factors in which tools and papers differ, in the order of the steps between two settings.

    mean_of_segments: True if the score is the mean of segment scores, False if it is that of the
        corpus.
    swapped: True if predictions and references are exchanged.
    references: `ALL_REFERENCES`, or the index of the only reference that is used.
    last_pair: True if the smoothing method looks at the last segment instead of the corpus, as
        NLTK's `corpus_bleu` does under methods 5 to 7.
    call: the name of a record in `CALLS`; empty for a score that options give.
    The other factors are options.
    """

    mean_of_segments: bool
    swapped: bool
    references: str | int
    tokenize: Tokenize
    lowercase: bool
    minimum_total: int
    reference_length: str
    smooth_method: str
    max_order: int
    weights: OrderWeights
    effective_order: bool
    last_pair: bool
    call: str

    @classmethod
    def of_options(cls, options: Options) -> Setting:
        """Return the setting that options describe, with all references.

        >>> Setting.of_options(Options()).reference_length
        'closest'
        """
        values: dict[str, Any] = {name: factor.default for name, factor in OTHER_FACTORS.items()}
        values |= {name: getattr(options, name) for name in OPTION_FACTORS}
        return cls(references=ALL_REFERENCES, **values)

    def options(self, base: Options) -> Options:
        """Return `base` with the options of this setting.

        The value for the smoothing method is kept only for the method that it was chosen for.
        """
        values = {name: getattr(self, name) for name in OPTION_FACTORS}
        if self.smooth_method != base.smooth_method:
            values["smooth_value"] = None
        return replace(base, **values)

    def counting(self) -> Setting:
        """Return the setting without the factors that do not affect counting."""
        changes_texts = self.call != "" and CALLS[self.call].changes_texts
        return self._replace(
            mean_of_segments=False,
            smooth_method="",
            max_order=0,
            weights=None,
            effective_order=False,
            last_pair=False,
            call=self.call if changes_texts else "",
        )

    def scoring(self) -> Setting:
        """Return the setting without the factors that affect counting, as one of a corpus."""
        return self._replace(
            mean_of_segments=False,
            swapped=False,
            references=ALL_REFERENCES,
            tokenize="",
            lowercase=False,
            minimum_total=0,
            reference_length="",
            call="",
        )


NamedSetting = tuple[Setting, str, bool]  # with the call that makes its score, and `Tool.is_known`
OPTION_FACTORS = [name for name in Setting._fields if name in OPTIONS]


class OtherFactor(NamedTuple):
    """A factor of a setting that is not an option.

    says: its name in tables of changes, with a field for its value if there are more than two.
    default: its value in the setting of options.
    """

    says: str
    default: object = False


OTHER_FACTORS = {
    "mean_of_segments": OtherFactor("mean of segment scores"),
    "swapped": OtherFactor("predictions and references swapped"),
    "last_pair": OtherFactor("smoothing by the last pair"),
    "call": OtherFactor("{}", default=""),
}


def convention_options(options: Options) -> dict[str, Options]:
    """Return the options of each convention, overridden by options that the user chose.

    >>> convention_options(Options().override({"max_order": 2}))["hf"].max_order
    2
    """
    chosen = {name: getattr(options, name) for name in options.given}
    if options.tokenize_by is not None:
        chosen["tokenize"] = options.tokenize_by
    return {name: choose_options(name, chosen) for name in CONVENTIONS}


# --- Scores that no option gives ------------------------------------------------------------------


class BaseTool(NamedTuple):
    """A tool on whose score a call builds.

    says: the tool.
    convention: its options.
    takes_options: True if options that the user chose apply to it.
    changes: factors with other values than in the convention.
    """

    says: str
    convention: str
    takes_options: bool = False
    changes: Mapping[str, Any] = {}


_SENTENCE_BLEU = "the mean of NLTK's `sentence_bleu`"
_MEAN = {"mean_of_segments": True}
BASE_TOOLS = {
    "sacreBLEU": BaseTool("sacreBLEU's `corpus_bleu`", "default", takes_options=True),
    "NLTK": BaseTool("NLTK's `corpus_bleu`", "nltk"),
    "NLTK, mean": BaseTool(_SENTENCE_BLEU, "nltk", changes=_MEAN),
    "NLTK, mean, method1": BaseTool(
        f"{_SENTENCE_BLEU} with method1", "nltk", changes={**_MEAN, "smooth_method": "floor"}
    ),
    "summaries": BaseTool("", "default", changes={**_MEAN, "reference_length": "shortest"}),
}


class ToolCall(NamedTuple):
    """A score that people compute and that no option of `compute` gives.

    A record in `CALLS` is all that a call needs; `test_calls.py` asks the tool itself.

    says: the call, which follows "the score is from", and how to get the score, or why no option
        gives it. `{tool}` stands for the tool, `{rows}` for the rows that are scored.
    bases: the names of the tools on whose score the call builds, most common first.
    overrides: options whose values the call replaces: it is not tried if one of them is known.
    rewrite: the function from a text to its tokens with spaces between them; None if texts are
        tokenized as the tool does.
    select: the function from the corpus to the corpus that is scored; None for the same corpus.
    batch_size: the number of rows that are scored together, before scores are averaged; 0 for all
        rows, or for each row if the tool's score is a mean.
    score: the function from int64 [units, 2 N + 2] and the options of the tool to float64 [units],
        of which the mean is taken; None for BLEU.
    fewest_segments: the smallest corpus for which this call scores differently.
    """

    says: str
    bases: tuple[str, ...]
    overrides: tuple[str, ...] = ()
    rewrite: Callable[[str], str] | None = None
    select: Callable[[Corpus], Corpus] | None = None
    batch_size: int = 0
    score: Callable[[Int64, Options], Float64] = bleu
    fewest_segments: int = 1

    @property
    def changes_texts(self) -> bool:
        """True if other texts are counted than those that were passed."""
        return self.rewrite is not None or self.select is not None

    @property
    def is_of_corpus(self) -> bool:
        """True for a score of sums, beside which a tool prints precisions and lengths."""
        return not self.batch_size and self.score is bleu

    def score_rows(self, rows: Int64, options: Options, *, is_mean: bool) -> float:
        """Return the score of int64 [segments, 2 N + 2] under the options of the tool."""
        if self.batch_size:
            units = np.add.reduceat(rows, range(0, len(rows), self.batch_size), axis=0)
        elif is_mean:
            units = rows
        else:
            units = rows.sum(axis=0, keepdims=True)
        return float(self.score(units, options).mean())


def rewrite_corpus(corpus: Corpus, rewrite: Callable[[str], str], lowercase: bool) -> Corpus:
    """Return a corpus whose texts a function changed, after they were lower-cased if asked for."""

    def change(texts: pa.Array) -> pa.Array:
        return pa.array(
            [rewrite(text.lower() if lowercase else text) for text in texts.to_pylist()], STRINGS
        )

    return make_corpus(
        [
            (change(batch.predictions), change(batch.references), batch.bounds)
            for batch in corpus.batches
        ]
    )


def select_first_rows(corpus: Corpus) -> Corpus:
    """Return the segments that sacreBLEU scores if it gets a list of references per row.

    sacreBLEU expects a list per position: it takes the k-th text of each row for references of the
    k-th prediction. With one reference per row, that is row 0 alone.

    >>> chosen = select_first_rows(read_corpus(["a", "b"], [["c"], ["d"]]))
    >>> chosen.predictions.to_pylist(), chosen.references.to_pylist()
    (['a'], [['c', 'd']])
    """
    (batch,) = corpus.combine().batches
    starts = batch.bounds[:-1]
    rows = min(int(np.diff(batch.bounds).min()), len(corpus))
    places = np.concatenate([starts + row for row in range(rows)])
    references = batch.references.take(pa.array(places))
    bounds = np.arange(rows + 1) * len(starts)
    return make_corpus([(batch.predictions.slice(0, rows), references, bounds)])


_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def split_words_and_punctuation(text: str) -> str:
    """Separate words from punctuation, whose runs stay whole, as NLTK's `wordpunct_tokenize`.

    >>> split_words_and_punctuation("It's (3.5)...")
    "It ' s ( 3 . 5 )..."
    """
    return " ".join(re.findall(r"\w+|[^\w\s]+", text))


def split_words_and_characters(text: str) -> str:
    """Lower-case a text, and separate its words and each character of punctuation.

    >>> split_words_and_characters("Get_it's (3.5)...")
    "get _ it ' s ( 3 . 5 ) . . ."
    """
    return " ".join(re.findall(r"[^\W_]+|[^\w\s]|_", text.lower()))


def drop_punctuation(text: str) -> str:
    """Lower-case a text, and remove ASCII punctuation.

    >>> drop_punctuation("The well-known cat's mat.")
    'the wellknown cats mat'
    """
    return text.lower().translate(_WITHOUT_PUNCTUATION)


def drop_punctuation_and_articles(text: str) -> str:
    """Lower-case a text, and remove ASCII punctuation, then English articles.

    >>> drop_punctuation_and_articles("The well-known cat's mat.").split()
    ['wellknown', 'cats', 'mat']
    """
    return re.sub(r"\b(?:a|an|the)\b", " ", drop_punctuation(text))


def score_summaries(rows: Int64, options: Options) -> Float64:
    """Return CodeXGLUE's smoothed BLEU-4 of each row: float64 [rows].

    Matches and totals have 1 more from the second order on, and so have both lengths in the brevity
    penalty. A text without tokens has a precision of 1.

    Args:
        rows: int64 [rows, 2 N + 2] with N of 4 or more.
        options: not used, because the formula has none.

    Two of two words match, and the bigram: only the brevity penalty remains, exp(1 - 4/3).

    >>> rows = np.array([[2, 1, 0, 0, 2, 1, 0, 0, 2, 3]])
    >>> print(f"{score_summaries(rows, Options())[0]:.4f}")
    0.7165
    """
    layout = Layout.of_width(rows.shape[1])
    matches = rows[:, layout.matches][:, :_SUMMARY_ORDERS].astype(float)
    totals = rows[:, layout.totals][:, :_SUMMARY_ORDERS].astype(float)
    matches[:, 1:] += 1
    totals[:, 1:] += 1
    tiny = sys.float_info.min  # instead of no match at all
    logarithms = np.log(matches + tiny) - np.log(totals + tiny)
    length_ratios = (rows[:, layout.reference_length] + 1) / (rows[:, layout.length] + 1)
    return np.exp(logarithms.mean(axis=1) + np.minimum(0, 1 - length_ratios))


def average_orders(rows: Int64, options: Options) -> Float64:
    """Return the mean of BLEU-1 to BLEU-N of each row: float64 [rows].

    Three of four words match, and one of three bigrams: BLEU-1 is 3/4, BLEU-2 is 1/2.

    >>> rows = np.array([[3, 1, 4, 3, 4, 4]])
    >>> average_orders(rows, Options(max_order=2)).tolist()
    [0.625]
    """
    weights = [
        (1 / order,) * order + (0.0,) * (options.max_order - order)
        for order in range(1, options.max_order + 1)
    ]
    return np.mean(list(bleu_by_weights(rows, options, weights).values()), axis=0)


_SUMMARY_ORDERS = 4
_TEXT_OPTIONS = ("tokenize", "lowercase")
_NLTK_BASES = ("NLTK", "NLTK, mean", "NLTK, mean, method1")

# By their names in tables of changes.
CALLS = {
    "one list per row": ToolCall(
        "sacreBLEU's `corpus_bleu` given one list per row, which scores {rows} alone: pass"
        " `list(zip(*references))`",
        bases=("sacreBLEU",),
        select=select_first_rows,
        fewest_segments=2,
    ),
    "CodeXGLUE": ToolCall(
        "CodeXGLUE's smoothed BLEU-4 of summaries; no option has its brevity penalty,"
        " exp(1 - (r + 1)/(c + 1))",
        bases=("summaries",),
        overrides=(*_TEXT_OPTIONS, "smooth_method", "max_order", "weights"),
        rewrite=split_words_and_characters,
        score=score_summaries,
    ),
    "mean of BLEU-1 to BLEU-4": ToolCall(
        "{tool}, as the mean of BLEU-1 to BLEU-4: average `bleu_by_order`",
        bases=("sacreBLEU", *_NLTK_BASES),
        overrides=("max_order", "weights"),
        score=average_orders,
    ),
    "words without punctuation": ToolCall(
        "{tool} given lower-cased words without punctuation; no tokenizer removes any: pass the"
        " tokens",
        bases=_NLTK_BASES,
        overrides=_TEXT_OPTIONS,
        rewrite=drop_punctuation,
    ),
    "words without punctuation and articles": ToolCall(
        "{tool} given lower-cased words without punctuation and articles; no tokenizer removes any:"
        " pass the tokens",
        bases=_NLTK_BASES,
        overrides=_TEXT_OPTIONS,
        rewrite=drop_punctuation_and_articles,
    ),
    "wordpunct_tokenize": ToolCall(
        "{tool} given tokens of NLTK's `wordpunct_tokenize`: pass it as `tokenize`",
        bases=_NLTK_BASES,
        overrides=("tokenize",),
        rewrite=split_words_and_punctuation,
    ),
}
for _size in (8, 16, 32, 64, 128):
    CALLS[f"mean over batches of {_size}"] = ToolCall(
        f"{{tool}}, as the mean over batches of {_size} rows: score all rows at once",
        bases=("sacreBLEU",),
        batch_size=_size,
        fewest_segments=_size + 1,
    )


def list_call_settings(corpus: Corpus, options: Options, start: Setting) -> Iterator[NamedSetting]:
    """Yield the settings of `CALLS`, with the sentence of each.

    Args:
        corpus: the texts.
        options: the user's options.
        start: the starting point of the search.
    """
    fewest_references = int(corpus.reference_counts().min())
    rows = "row 0" if fewest_references == 1 else f"the first {fewest_references} rows"
    for name, call in CALLS.items():
        is_fixed = call.changes_texts and corpus.kind != "text"
        if is_fixed or len(corpus) < call.fewest_segments:
            continue  # it cannot be made, or is the score of another setting
        # The call has already split and lower-cased these texts.
        unused = {name: getattr(start, name) for name in _TEXT_OPTIONS if name in call.overrides}
        for base in map(BASE_TOOLS.__getitem__, call.bases):
            chosen = choose_options(base.convention, {})
            if base.takes_options:
                chosen = convention_options(options)[base.convention]
            setting = Setting.of_options(chosen)._replace(call=name, **base.changes, **unused)
            yield setting, call.says.format(tool=base.says, rows=rows), False


# --- Whole tools: conventions, NLTK, pycocoevalcap, Moses -----------------------------------------


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


NO_TOOL = Tool("", is_known=False, rank=sys.maxsize)  # of a setting that no call makes
Tools = dict[Setting, Tool]

# The corpus scores of the conventions, most common first.
CONVENTION_CALLS = {
    "default": "sacreBLEU's `corpus_bleu`",
    "nltk": "NLTK's `corpus_bleu` given lists of words",
    "hf": "evaluate's `bleu`",
    "moses": "`multi-bleu.perl`",
    "papineni": "the formula of 2002 on tokens of mteval-v13a",
}

SWAPPED = "{}, with predictions and references swapped"


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
            says = f"the mean of NLTK's `sentence_bleu` given {with_arguments}"
            yield setting._replace(mean_of_segments=True), says, setting == nltk
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
