"""Scores that no option of `compute` gives, one record per call in `CALLS`.

A setting is a value for each factor in which tools differ; a call is one of these factors. The
search, the tables of changes and the tests take the calls from here. To add one, write a function
for its tokens, rows or formula, and a record.
"""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..options.option_types import CONVENTIONS, Tokenize
from ..options.options import OPTIONS, Options, choose_options
from ..rules.counting import Layout
from ..rules.scoring import OrderWeights, bleu, bleu_by_weights
from ..shared.arrays import STRINGS, Float64, Int64
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
    changes: Mapping[str, Any] = MappingProxyType({})

    def make_setting(self, options: Options) -> Setting:
        """Return the setting of the tool; `options` are those of the user."""
        chosen = choose_options(self.convention, {})
        if self.takes_options:
            chosen = convention_options(options)[self.convention]
        return Setting.of_options(chosen)._replace(**self.changes)


_SENTENCE_BLEU = "the mean of NLTK's `sentence_bleu`"
_MEAN = MappingProxyType({"mean_of_segments": True})
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
        cased = texts.to_pylist()
        return pa.array([rewrite(text.lower() if lowercase else text) for text in cased], STRINGS)

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
            setting = base.make_setting(options)._replace(call=name, **unused)
            yield setting, call.says.format(tool=base.says, rows=rows), False
