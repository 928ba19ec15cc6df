"""Which tokenizer an option means, and what happens to a text before it is counted: lower case, then its cuts.

Native tokenizers cut while they count. Someone else's, sacreBLEU's or a user's function, cut here, one text at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from . import bleu_lower_case as definition
from . import bleu_lower_case_compiled as compiled
from .bleu_arrow import is_string, make_lists, map_strings
from .bleu_compiler import COMPILED
from .bleu_corpus import Kind
from .bleu_inputs_columns import read_lists
from .bleu_options import TOKENIZERS, Options
from .bleu_tokenizers import ASCII_CASE, Split
from .bleu_twins import Twins

# Names of sacreBLEU 2.6 and what each needs besides sacreBLEU. Later releases may have more: any name is tried there.
BORROWED = {
    "ja-mecab": "sacrebleu[ja]",
    "ko-mecab": "sacrebleu[ko]",
    "spm": "sacrebleu sentencepiece",
    "flores101": "sacrebleu sentencepiece",
    "flores200": "sacrebleu sentencepiece",
    "spBLEU-1K": "sacrebleu sentencepiece",
}

_TOKENS = pa.large_list(pa.large_string())
_AT_ONCE = 256  # texts whose tokens are Python's at the same time: few enough for a processor's cache


lower_case = Twins(
    definition.lower_case,
    compiled.lower_case,
    kernel=compiled._lower_case,
    example=(pa.array(["A"]),),
    seconds_to_compile=0.8,
    seconds_a_megabyte=0.01,
)


class Tokenizer(NamedTuple):
    """How the texts of a corpus become tokens.

    name: what a signature calls it.
    lowercase: whether they are lower-cased first, as `str.lower` a text, or a token of a list.
    split: someone else's function from a text to its tokens; None for a native tokenizer, and for tokens and ids.
    """

    name: str
    lowercase: bool
    split: Split | None = None


def choose_tokenizer(options: Options, kind: Kind) -> Tokenizer:
    """The tokenizer that options mean for columns of a kind.

    Args:
        options: `tokenize` and `lowercase` are looked at.
        kind: as `bleu_corpus` has them.

    Raises:
        ImportError: sacreBLEU, or what this tokenizer needs besides, isn't installed.
        ValueError: the options can't go with this kind, or there is no tokenizer of this name.

    >>> choose_tokenizer(Options(), "text").name, choose_tokenizer(Options(), "ids").name
    ('13a', 'ids')
    >>> choose_tokenizer(Options().override({"tokenize": "zh"}), "ids")
    Traceback (most recent call last):
    ValueError: tokenize='zh', but these rows are ids already: leave it out, or give text.
    """
    tokenize, lowercase = options.tokenize, options.lowercase
    if kind != "text":
        if "tokenize" in options.given:
            raise ValueError(f"tokenize={tokenize!r}, but these rows are {kind} already: leave it out, or give text.")
        if kind == "ids" and lowercase:
            raise ValueError("lowercase=True, but token ids have no case: leave it out, or give text.")
        return Tokenizer(kind, lowercase)
    if not isinstance(tokenize, str):
        return Tokenizer(getattr(tokenize, "__qualname__", type(tokenize).__qualname__), lowercase, tokenize)
    if tokenize in TOKENIZERS:
        return Tokenizer(tokenize, lowercase)
    return borrow_tokenizer(tokenize)._replace(lowercase=lowercase)


def prepare_texts(texts: pa.Array, tokenizer: Tokenizer, name: str, row_of: Callable[[int], int]) -> pa.Array:
    """Texts as they are counted: lower-cased if asked for, and cut if that isn't for a native tokenizer to do.

    Args:
        texts: strings, lists of strings or lists of int64.
        tokenizer: what `choose_tokenizer` returns.
        name: what the column is called, and
        row_of: the row of it that a text is from, by the text's place: for errors.

    Returns:
        Strings for a native tokenizer to cut, or lists of tokens or ids.

    Raises:
        TypeError, ValueError: someone else's tokenizer has failed, or returned something else than a list of str.

    >>> tokenizer = Tokenizer("split", lowercase=True, split=str.split)
    >>> prepare_texts(pa.array(["Go on"]), tokenizer, "predictions", [0].__getitem__).to_pylist()
    [['go', 'on']]
    """
    if tokenizer.split or not COMPILED:
        _check_utf8(texts, name, row_of)
    if tokenizer.lowercase:
        texts = map_strings(texts, _choose_lower_case(tokenizer))
    if tokenizer.split is None:
        return texts
    parts = [pa.array([], _TOKENS)]
    for start in range(0, len(texts), _AT_ONCE):
        some = texts.slice(start, _AT_ONCE).to_pylist()
        parts.append(_make_lists(_split_texts(tokenizer.split, some, name, row_of, start), name, row_of, start))
    return pa.concat_arrays(parts)


@cache
def borrow_tokenizer(name: str) -> Tokenizer:
    """sacreBLEU's tokenizer of this name, such as `"ja-mecab"` or `"flores200"`.

    Raises:
        ImportError: sacreBLEU, or what this tokenizer needs besides, isn't installed.
        ValueError: neither this metric nor the installed sacreBLEU has such a tokenizer.
    """
    install = f"Install it with: pip install {BORROWED.get(name, 'sacrebleu')}"
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError as error:
        raise ImportError(
            f"tokenize={name!r} is sacreBLEU's own tokenizer, and sacreBLEU isn't here. {install}"
        ) from error
    if name not in BLEU.TOKENIZERS:
        names = ", ".join(dict.fromkeys([*TOKENIZERS, *BLEU.TOKENIZERS]))
        raise ValueError(f"tokenize={name!r}: no tokenizer of this name. There are: {names}; or give a function.")
    try:
        tokenize = BLEU(tokenize=name).tokenizer
    except (ImportError, RuntimeError) as error:
        raise ImportError(f"tokenize={name!r} needs more than is installed. {install}") from error
    except OSError as error:
        raise OSError(f"tokenize={name!r} downloads its model the first time, and couldn't: {error}") from error
    return Tokenizer(tokenize.signature(), lowercase=False, split=lambda text: tokenize(text.rstrip()).split())


def _choose_lower_case(tokenizer: Tokenizer) -> Callable[[pa.Array], pa.Array]:
    if tokenizer.split is None and tokenizer.name in ASCII_CASE:
        return pc.ascii_lower
    return lower_case


def _check_utf8(texts: pa.Array, name: str, row_of: Callable[[int], int]) -> None:
    """Raises where Arrow holds bytes that Python can't read as text; Arrow doesn't look when it is given them."""
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        for place, text in enumerate(texts):
            try:
                text.as_py()
            except UnicodeDecodeError as error:
                raise ValueError(f"{name}, row {row_of(place)}: these bytes are no UTF-8 ({error.reason}).") from None


def _split_texts(
    split: Split, texts: list[str], name: str, row_of: Callable[[int], int], first_place: int
) -> list[list[Any]]:
    answers: list[Any] = []
    try:
        for text in texts:
            answers.append(split(text))
    except Exception as error:
        row = row_of(first_place + len(answers))
        raise ValueError(f"{name}, row {row}: the tokenizer failed: {type(error).__name__}: {error}") from error
    if set(map(type, answers)) == {list}:
        return answers
    for place, answer in enumerate(answers, first_place):
        if not isinstance(answer, (list, tuple)):
            raise _wrong_answer(name, row_of(place), type(answer).__name__)
    return list(map(list, answers))


def _make_lists(lists: list[list[Any]], name: str, row_of: Callable[[int], int], first_place: int) -> pa.Array:
    """The tokens as Arrow has them."""
    read = read_lists(lists)
    if read is not None and is_string(read.items.type):
        return make_lists(read.bounds, read.items)
    for place, tokens in enumerate(lists, first_place):
        for token in tokens:
            if not isinstance(token, str):
                raise _wrong_answer(name, row_of(place), f"a list with {type(token).__name__}")
            if re.search("[\ud800-\udfff]", token):
                row = row_of(place)
                raise ValueError(f"{name}, row {row}: the tokenizer returned half of a surrogate pair ({token!r}).")
    return pa.array(lists, _TOKENS)  # there are none


def _wrong_answer(name: str, row: int, found: str) -> TypeError:
    return TypeError(f"{name}, row {row}: the tokenizer must return a list of str, not {found}.")
