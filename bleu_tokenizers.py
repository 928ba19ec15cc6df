"""Text to tokens: the native tokenizers, then the tokenizer of a call, then Unicode tables.

The native tokenizers are those of NIST's mteval scripts as sacreBLEU 2.6 runs them. Their quirks
are kept, because published scores were made with them. A definition maps one segment to its tokens
and is written for readers, not for speed. `TOKENIZERS` has one record per tokenizer, with all of
its properties.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import secrets
import string
import sys
import types
import weakref
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from functools import cache, lru_cache, partial
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from . import bleu_messages as messages
from .bleu_captions import LINE_BREAKS, read_ranges, tokenize_ptb
from .bleu_corpus import TOKENS, InputType, find_offsets, is_list, map_strings
from .bleu_messages import LONE_SURROGATE, show_value

if TYPE_CHECKING:
    from .bleu_options import Options

_LONGEST_PROBLEM = 100  # characters of a tokenizer's message that ours shows

Split = Callable[[str], list[str]]
Lower = Callable[[pa.Array], pa.Array]
Substitutions = tuple[tuple[re.Pattern[str], str], ...]  # patterns, and their replacements
Ranges = tuple[tuple[int, int], ...]  # of code points, both ends included
Class = tuple[str, str | Ranges]  # a class of characters, and its members

# mteval-v13a separates every ASCII punctuation mark and symbol except these four. The apostrophe
# stays in its token; `_WESTERN` has rules for the hyphen, the period and the comma.
WESTERN_SYMBOLS = "".join(sorted(set(string.punctuation) - set("'-.,")))

# The SGML markup of NIST's test sets is replaced before tokenization, in this order: "&amp;lt;"
# becomes "<", but "&amp;quot;" becomes "&quot;" and stays so.
REPLACED_MARKUP = (
    ("<skipped>", ""),
    ("-\n", ""),
    ("\n", " "),
    ("&quot;", '"'),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
)


# The characters that sacreBLEU's `zh` separates, by Unicode block:
#     2E80-2FFF    CJK and Kangxi radicals, ideographic description
#     3000-312F    CJK punctuation, Hiragana, Katakana, Bopomofo
#     31A0-31EF    extended Bopomofo, CJK strokes
#     3200-4DB5    enclosed and squared CJK characters, ideographs of extension A
#     4E00-9FBB    the ideographs of Unicode 4.1
#     F900-FAD9    compatibility ideographs
#     FE10-FE4F    vertical and compatibility forms
#     FF00-FFEF    half-width and full-width forms
#     2001-2A6D    an error of sacreBLEU that is part of published scores. It compares one character
#                  with "\u20000" and "\u2a6d6", which have two characters each, instead of U+20000
#                  and U+2A6D6. The range therefore has the punctuation and symbols of these blocks,
#                  and no ideograph of extension B.
CHINESE: Ranges = read_ranges("""
    2001-2A6D 2E80-2EFF 2F00-2FDF 2FF0-2FFF 3000-303F 3100-312F 31A0-31BF 31C0-31EF 3200-4DB5
    4E00-9FBB F900-FA2D FA30-FA6A FA70-FAD9 FE10-FE1F FE30-FE4F FF00-FFEF
""")


def character_class(ranges: Ranges) -> str:
    """Write ranges for the brackets of a regular expression.

    >>> character_class(((0x61, 0x7a), (0x5d, 0x5d)))
    '\\\\U00000061-\\\\U0000007a\\\\U0000005d-\\\\U0000005d'
    """
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


_WESTERN: Substitutions = (
    # Separate every symbol.
    (re.compile(f"([{re.escape(WESTERN_SYMBOLS)}])"), r" \1 "),
    # Separate a period or comma after a non-digit, then before a non-digit; 3.5 and 1,000 stay
    # whole.
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    # Separate a hyphen after a digit.
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_CHINESE: Substitutions = ((re.compile(f"([{character_class(CHINESE)}])"), r" \1 "), *_WESTERN)
_WITHOUT_ASCII_SPACES = re.compile(r"[^ \t\n\v\f\r]+")


@cache
def _international() -> Substitutions:
    """Compile the patterns of `intl` on first use, because the Unicode tables end this file."""
    symbol = f"[{character_class(SYMBOLS)}]"
    punctuation = f"[{character_class(PUNCTUATION)}]"
    not_number = f"[^{character_class(NUMBERS)}]"
    return (
        (re.compile(f"({not_number})({punctuation})"), r"\1 \2 "),
        (re.compile(f"({punctuation})({not_number})"), r" \1 \2"),
        (re.compile(f"({symbol})"), r" \1 "),
    )


def tokenize_13a(segment: str) -> list[str]:
    """Split as mteval-v13a does, the tokenizer of the WMT tables.

    >>> tokenize_13a("It's 3.5&quot; wide, isn't it?")
    ["It's", '3.5', '"', 'wide', ',', "isn't", 'it', '?']
    """
    text = segment.rstrip()
    for markup, replacement in REPLACED_MARKUP:
        text = text.replace(markup, replacement)
    # The spaces at both ends make the period of a final "1990." a token; `zh` and `intl` have no
    # such spaces.
    return _split(f" {text} ", _WESTERN)


def tokenize_none(segment: str) -> list[str]:
    """Split at Unicode whitespace, as `str.split` does.

    >>> tokenize_none("already tokenized , isn't it ?")
    ['already', 'tokenized', ',', "isn't", 'it', '?']
    """
    return segment.split()


def tokenize_intl(segment: str) -> list[str]:
    """Split as mteval-v14 does with international tokenization.

    Unicode's punctuation and symbols are separated. Punctuation between two numbers is not
    separated, nor is punctuation between a number and the end of the segment.

    >>> tokenize_intl("«Oui», 3,5 € en 1990.")
    ['«', 'Oui', '»', ',', '3,5', '€', 'en', '1990.']
    """
    return _split(segment.rstrip(), _international())


def tokenize_zh(segment: str) -> list[str]:
    """Split Chinese into characters, and the text between them as `13a` splits Western languages.

    >>> tokenize_zh("我用 Python 3.12。")
    ['我', '用', 'Python', '3.12', '。']
    """
    return _split(segment.strip(), _CHINESE)


def tokenize_char(segment: str) -> list[str]:
    """Split into characters, without whitespace.

    >>> tokenize_char("ein Wort")
    ['e', 'i', 'n', 'W', 'o', 'r', 't']
    """
    return [character for character in segment if not character.isspace()]


def tokenize_list(segment: str) -> list[str]:
    """Split into characters, with whitespace, as Python's `list` does.

    NLTK splits a str in this way where it expects a list of words.

    >>> tokenize_list("ein Wort")
    ['e', 'i', 'n', ' ', 'W', 'o', 'r', 't']
    """
    return list(segment)


def tokenize_multi_bleu(segment: str) -> list[str]:
    """Split at ASCII whitespace, as Moses' `multi-bleu.perl` does.

    A no-break space is part of a token.

    >>> tokenize_multi_bleu("10\u00a0000 km")
    ['10\xa0000', 'km']
    """
    return _WITHOUT_ASCII_SPACES.findall(segment)


def _split(segment: str, substitutions: Substitutions) -> list[str]:
    text = segment
    for pattern, replacement in substitutions:
        text = pattern.sub(replacement, text)
    return text.split()


class Automaton(NamedTuple):
    """A tokenizer as classes of characters, for the kernel.

    classes: returns the classes; a later class overrides an earlier one, and characters without a
        class are letters. It is a function, because the Unicode tables end this file.
            space      separates tokens
            alone      is a token by itself
            number     is a letter; a separator between two of them stays in the token
            hyphen     is a token if it follows a number
            separator  is a token unless numbers stand on both sides
            markup     is `&`, `<` or a line feed, which 13a may replace
    space_at_edges: True if the segment is padded with a space at both ends.
    strips_start: True if leading whitespace is removed; trailing whitespace always is.
    """

    classes: Callable[[], tuple[Class, ...]]
    space_at_edges: bool = False
    strips_start: bool = False


class Tokenizer(NamedTuple):
    """The definition of a tokenizer; a record in `TOKENIZERS` makes it available everywhere.

    split: the function from a segment to its tokens.
    says: its description, as the end of a sentence.
    automaton: the equivalent for the kernel, with which `reconcile` tries the tokenizer, too; None
        if `split` runs at any size.
    expects_raw_text: True if text that is tokenized already is a mistake.
    splits_unspaced: True if it splits scripts written without spaces.
    ascii_case: True if `lowercase` changes ASCII letters only, as in tools that work on bytes.
    lower_cases: True if it lower-cases text itself, so that `lowercase` changes no token.
    rejected: a pattern for characters that a text must not have; empty if it takes every text.
    """

    split: Split
    says: str
    automaton: Automaton | None = None
    expects_raw_text: bool = True
    splits_unspaced: bool = False
    ascii_case: bool = False
    lower_cases: bool = False
    rejected: str = ""


_SPACES: Class = ("space", "".join(chr(c) for c in range(0x3001) if chr(c).isspace()))
_WESTERN_CLASSES = (
    ("alone", WESTERN_SYMBOLS),
    ("separator", ".,"),
    ("hyphen", "-"),
    ("number", string.digits),
)

TOKENIZERS: dict[str, Tokenizer] = {
    "13a": Tokenizer(
        tokenize_13a,
        "text is split by 13a, sacreBLEU’s tokenizer",
        Automaton(
            lambda: (*_WESTERN_CLASSES, _SPACES, ("markup", "&<\n")),
            space_at_edges=True,
        ),
    ),
    "none": Tokenizer(
        tokenize_none,
        "text is split at spaces only",
        Automaton(lambda: (_SPACES,)),
        expects_raw_text=False,
    ),
    "intl": Tokenizer(
        tokenize_intl,
        "text is split by intl, at all of Unicode’s punctuation",
        Automaton(
            lambda: (
                ("separator", PUNCTUATION),
                ("alone", SYMBOLS),
                ("number", NUMBERS),
                _SPACES,
            ),
        ),
    ),
    "zh": Tokenizer(
        tokenize_zh,
        "Chinese is split into characters (zh)",
        Automaton(
            lambda: (("alone", CHINESE), *_WESTERN_CLASSES, _SPACES),
            strips_start=True,
        ),
        splits_unspaced=True,
    ),
    "char": Tokenizer(
        tokenize_char,
        "text is split into characters",
        Automaton(lambda: (("alone", ((0, 0x10FFFF),)), _SPACES)),
        expects_raw_text=False,
        splits_unspaced=True,
    ),
    "list": Tokenizer(
        tokenize_list,
        "text is split into characters, blanks included, as by Python’s list",
        Automaton(lambda: (("alone", ((0, 0x10FFFF),)),)),
        expects_raw_text=False,
        splits_unspaced=True,
    ),
    "multi-bleu": Tokenizer(
        tokenize_multi_bleu,
        "text is split at spaces only, as multi-bleu.perl does",
        Automaton(lambda: (("space", " \t\n\v\f\r"),)),
        expects_raw_text=False,
        ascii_case=True,
    ),
    "ptb": Tokenizer(
        tokenize_ptb,
        "captions are split by ptb, as pycocoevalcap does",
        expects_raw_text=False,
        lower_cases=True,
        rejected=LINE_BREAKS,
    ),
}


# --- The tokenizer of a call ----------------------------------------------------------------------

# The tokenizers of sacreBLEU 2.6, and the packages that each needs, quoted as zsh requires. Names
# from later releases are tried as well.
SACREBLEU_PACKAGES = {"ja-mecab": '"sacrebleu[ja]"', "ko-mecab": '"sacrebleu[ko]"'}
SACREBLEU_PACKAGES |= dict.fromkeys(
    ("spm", "flores101", "flores200", "spBLEU-1K"), "sacrebleu sentencepiece"
)


# Other names of tokenizers, in small letters and with hyphens, and what to pass for each.
OTHER_TOKENIZERS: dict[str, str] = {
    **dict.fromkeys(
        (
            "cmn",
            "chinese",
            "cn",
            "jieba",
            "mandarin",
            "zh-cn",
            "zh-hans",
            "zh-hant",
            "zh-tw",
            "zho",
        ),
        "Pass 'zh'",
    ),
    **dict.fromkeys(
        ("fugashi", "ipadic", "ja", "japanese", "jp", "jpn", "mecab-ja", "sudachi", "unidic"),
        "Pass 'ja-mecab'",
    ),
    **dict.fromkeys(("ko", "konlpy", "kor", "korean", "kr", "mecab-ko"), "Pass 'ko-mecab'"),
    "mecab": "Pass 'ja-mecab' for Japanese or 'ko-mecab' for Korean",
    **dict.fromkeys(
        ("bo", "burmese", "khmer", "km", "lao", "lo", "my", "pythainlp", "th", "thai", "tibetan"),
        "Pass 'flores200', 'char', or a function from str to a list of words, such as"
        " pythainlp.word_tokenize for Thai",
    ),
    **dict.fromkeys(
        ("moses", "moses-tokenizer", "mosestokenizer", "sacremoses", "tokenizer.perl"),
        "Pass 'moses-en', or moses- and the code of another language",
    ),
    **dict.fromkeys(
        ("default", "mteval", "mteval-v13a", "sacrebleu", "tokenizer-13a", "v13a"), "Pass '13a'"
    ),
    **dict.fromkeys(
        ("14a", "international", "mteval-v14", "unicode", "v14", "v14-international"),
        "Pass 'intl'",
    ),
    **dict.fromkeys(("character", "characters", "chars"), "Pass 'char'"),
    **dict.fromkeys(
        ("false", "no", "off", "pretokenized", "raw", "space", "split", "tokenized", "whitespace"),
        "Pass 'none', which splits at spaces",
    ),
    **dict.fromkeys(("multi-bleu.perl", "multibleu"), "Pass 'multi-bleu'"),
    **dict.fromkeys(
        ("coco", "corenlp", "penn", "penn-treebank", "ptbtokenizer", "pycocoevalcap"), "Pass 'ptb'"
    ),
    **dict.fromkeys(
        ("flores", "flores-101", "flores-200", "nllb", "sentencepiece", "spbleu"),
        "Pass 'flores200', or 'flores101' for older scores",
    ),
    **dict.fromkeys(
        ("bert", "bpe", "huggingface", "nltk", "punkt", "spacy", "stanza", "treebank", "wordpiece"),
        "Pass a function from str to a list of tokens, such as nltk.word_tokenize",
    ),
}


def _find_advice(name: str, names: Sequence[str]) -> str | None:
    """Return what to pass instead of an unknown name of a tokenizer; None for an unknown meaning.

    >>> _find_advice("13A", ["13a"]), _find_advice("ja", []), _find_advice("xyz", ["13a"])
    ("Did you mean '13a'?", "Pass 'ja-mecab'.", None)
    """
    written = re.sub(r"[\s_]+", "-", name.strip().lower())
    if is_moses(written):
        return f"Did you mean {written!r}?"
    if written in OTHER_TOKENIZERS:
        return f"{OTHER_TOKENIZERS[written]}."
    name_of = {known.lower(): known for known in names}
    for nearest in difflib.get_close_matches(written, name_of, n=1, cutoff=0.75):
        return f"Did you mean {name_of[nearest]!r}?"
    if re.fullmatch("[a-z]{2}(-[a-z]+)?", written):  # the code of a language
        return f"Pass '13a' for languages with spaces between words, or 'moses-{written[:2]}'."
    return None


# Moses' tokenizers by language, from sacremoses: moses-de, and moses-de-compounds, which also
# splits at hyphens as the papers on WMT14 did.
_MOSES_NAME = re.compile("moses-([a-z]{2,3})(-compounds)?")
_COMPOUND = re.compile(r"(\S)-(\S)")
_MOST_CACHED_TEXTS = 1 << 14  # whose tokens are kept, because Moses' tokenizer is slow


class ChosenTokenizer(NamedTuple):
    """The tokenizer of a call.

    name: its name in signatures and in the metadata of tables.
    lower: the function that lower-cases texts, or the tokens of lists; None if their case stays.
    definition: the record of the tokenizer; None for tokens and ids, which are not split.
    """

    name: str
    lower: Lower | None = None
    definition: Tokenizer | None = None

    @property
    def split(self) -> Split | None:
        """The function that splits a text; None for tokens and ids."""
        return None if self.definition is None else self.definition.split

    @property
    def is_native(self) -> bool:
        """True if the kernel can split the texts too."""
        return self.definition is not None and self.definition.automaton is not None


def choose_tokenizer(options: Options, kind: InputType) -> ChosenTokenizer:
    """Return the tokenizer for texts of a kind, under some options.

    Raises:
        ImportError: sacreBLEU, or a package that its tokenizer needs, is not installed.
        ValueError: the options do not fit the kind, or the name is unknown.

    >>> choose_tokenizer(Options(), "text").name, choose_tokenizer(Options(), "ids").name
    ('13a', 'ids')
    >>> choose_tokenizer(Options().override({"tokenize": "zh"}), "ids")
    Traceback (most recent call last):
    ValueError: tokenize='zh': these rows are ids already. Remove `tokenize`, or pass text.
    """
    tokenize = options.tokenize
    if options.tokenize_by is not None:
        raise ValueError(messages.NO_LABELS_FOR_TOKENIZERS)
    native = TOKENIZERS.get(tokenize) if isinstance(tokenize, str) else None
    lower: Lower | None = None
    if options.lowercase and not (kind == "text" and native is not None and native.lower_cases):
        # A convention's tokenizer decides how tokens are lower-cased, too, although it does not
        # split them.
        lower = lower_ascii if native is not None and native.ascii_case else lower_case
    if kind != "text":
        if "tokenize" in options.given:
            raise ValueError(
                f"tokenize={show_value(tokenize)}: these rows are {kind} already."
                " Remove `tokenize`, or pass text."
            )
        if kind == "ids" and options.lowercase:
            raise ValueError(
                "lowercase=True: token ids have no case. Remove `lowercase`, or pass text."
            )
        return ChosenTokenizer(kind, lower)
    if tokenize is list:  # the fast path of Python's own function
        return ChosenTokenizer("list", lower, TOKENIZERS["list"])
    if not isinstance(tokenize, str):
        return ChosenTokenizer(name_function(tokenize), lower, _make_definition(tokenize))
    if native is None:
        load = _load_from_sacremoses if is_moses(tokenize) else _load_from_sacrebleu
        return load(tokenize)._replace(lower=lower)
    return ChosenTokenizer(tokenize, lower, native)


def _make_definition(split: Split) -> Tokenizer:
    """Return the record of a function that is not native: no text is suspicious to it."""
    return Tokenizer(
        split, "text is split by a function", expects_raw_text=False, splits_unspaced=True
    )


def check_tokenizers(options: Options) -> None:
    """Raise as `choose_tokenizer` does, but before texts are generated."""
    for label in (None, *(options.tokenize_by or ())):  # None stands for all other labels
        choose_tokenizer(options.for_label(label), "text")


# What `tok` says instead of a tokenizer: of rows that were split already, of several tokenizers,
# and of unknown ones.
_NOT_FUNCTIONS = ("tokens", "ids", "var", "?")


def name_function(function: Callable[..., object]) -> str:
    """Name a function in signatures and in the metadata of tables.

    Equal names mean that one function split the texts. The name is the result of the function's
    method `signature`, which sacreBLEU's tokenizers have. For a function that any process can
    import, it is the module and the qualified name. The name of a method of a regular expression
    ends with a hash of the pattern and its flags. The name of any other function, such as a lambda,
    a closure, a partial, a method or a function of `__main__`, ends with `#` and a random id of the
    object, because two processes never have the same object.

    >>> name_function(str.split), name_function(re.split), name_function(re.compile("a|b").split)
    ('str.split', 're.split', 'Pattern.split(a020fce1)')
    >>> name_function(lambda text: [text]).partition("#")[0]
    'bleu.bleu_tokenizers.<lambda>'
    """
    # 1. Ask the function; a class has the method, but no object to call it on.
    signature = getattr(function, "signature", None)
    if callable(signature) and not isinstance(function, type):
        signed_name = signature()
        if isinstance(signed_name, str):
            _check_signed_name(signed_name)
            return signed_name
    # 2. Find what has a qualified name: the function of a partial, or the class of an object.
    named: Any = function.func if isinstance(function, partial) else function
    if not hasattr(named, "__qualname__"):
        named = type(named)
    path = named.__qualname__
    owner = getattr(named, "__objclass__", named)  # `str.split` has no module, but `str` has
    module = getattr(owner, "__module__", None) or ""
    name = path if module in ("", "builtins") else f"{module}.{path}"
    # 3. Look the name up, as another process would. Its `__main__` is another script.
    imported: object = None if module == "__main__" else sys.modules.get(module)
    for attribute in path.split("."):
        imported = getattr(imported, attribute, None)
    # Each access makes a new object of a class method, so it is compared by value.
    if imported is function or (isinstance(function, types.MethodType) and imported == function):
        return name
    # 4. Tell objects of one name apart.
    owner = getattr(function, "__self__", None)
    if isinstance(owner, re.Pattern):
        pattern = f"{owner.flags} {owner.pattern!r}"
        return f"{name}({hashlib.sha256(ascii(pattern).encode()).hexdigest()[:8]})"
    if owner is None:
        return f"{name}#{_find_object_id(function)}"
    # Each access makes a new object of a method, but its parts stay the same.
    implementation = getattr(function, "__func__", owner)
    return f"{name}#{_find_object_id(owner)}{_find_object_id(implementation)}"


def _check_signed_name(name: str) -> None:
    """Raise if the name of a function would be read as another tokenizer, or breaks a signature."""
    if name in (*TOKENIZERS, *_NOT_FUNCTIONS):
        raise ValueError(
            f"tokenize: the method `signature` of the tokenizer returns {name!r}, which is"
            " the name of a built-in tokenizer. Return a different name."
        )
    if not name or set(name) & set("|:"):
        raise ValueError(
            f"tokenize: the method `signature` of the tokenizer returns {show_value(name)}. Return"
            " a name without | and :, which separate the keys of signatures."
        )


_object_ids: dict[int, str] = {}  # random, by `id()`, of objects that live
_kept_objects: list[object] = []  # without weak references; kept, so that their `id()` stays theirs


def _find_object_id(owner: object) -> str:
    """Return an id that only this object ever has."""
    key = id(owner)
    if key not in _object_ids:
        try:
            weakref.finalize(owner, _object_ids.pop, key, None).atexit = False
        except TypeError:
            _kept_objects.append(owner)
        _object_ids[key] = secrets.token_hex(4)
    return _object_ids[key]


def is_moses(name: str) -> bool:
    """Return True for the name of one of Moses' tokenizers.

    >>> is_moses("moses-de-compounds"), is_moses("moses")
    (True, False)
    """
    return _MOSES_NAME.fullmatch(name) is not None


@cache
def _load_from_sacremoses(name: str) -> ChosenTokenizer:
    """Return Moses' tokenizer of a language, such as `"moses-de"` or `"moses-de-compounds"`."""
    match = _MOSES_NAME.fullmatch(name)
    assert match, name
    language = match[1]
    if not has_sacremoses():
        raise ImportError(
            f"tokenize={name!r} comes from sacremoses, which is not installed."
            " Install it: pip install sacremoses"
        )
    from sacremoses import MosesTokenizer
    from sacremoses.corpus import NonbreakingPrefixes

    # Japanese and Korean have no prefixes there.
    languages = sorted({*NonbreakingPrefixes().available_langs.values(), "ja", "ko"})
    if language not in languages:
        raise ValueError(
            f"tokenize={name!r}: sacremoses has no language {language!r}. Pass moses- and one of"
            f" {', '.join(languages)}; with -compounds at the end to split compounds."
        )
    if match[2]:
        words = _load_from_sacremoses(f"moses-{language}").split
        assert words

        def split_with_compounds(text: str) -> list[str]:
            return split_compounds(" ".join(words(text))).split()

        return ChosenTokenizer(name, definition=_make_definition(split_with_compounds))
    tokenizer = MosesTokenizer(language)
    # It makes a set of all letters for each word before a period.
    letters = frozenset(tokenizer.IsAlpha)
    tokenizer.isanyalpha = lambda word: not letters.isdisjoint(word)
    tokenizer.islower = frozenset(tokenizer.IsLower).issuperset

    @lru_cache(_MOST_CACHED_TEXTS)
    def split(text: str) -> list[str]:
        return list(tokenizer.tokenize(text, escape=False))

    return ChosenTokenizer(name, definition=_make_definition(split))


def has_sacremoses() -> bool:
    """Return True if sacremoses is installed."""
    return find_spec("sacremoses") is not None


def split_compounds(tokens: str) -> str:
    """Split hyphenated words as the script did that scored the Transformer.

    A character is part of one match only, so that a-b-c is split once.

    >>> split_compounds("a well-known a-b-c - d")
    'a well ##AT##-##AT## known a ##AT##-##AT## b-c - d'
    """
    return _COMPOUND.sub(r"\1 ##AT##-##AT## \2", tokens)


def _unknown_tokenizer(name: str, advice: str) -> ValueError:
    return ValueError(f"tokenize={show_value(name)}: unknown tokenizer. {advice}")


@cache
def _load_from_sacrebleu(name: str) -> ChosenTokenizer:
    """Return a tokenizer of sacreBLEU, such as `"ja-mecab"` or `"flores200"`."""
    packages = SACREBLEU_PACKAGES.get(name, "sacrebleu")
    names = [*TOKENIZERS, *SACREBLEU_PACKAGES]
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError as error:
        advice = None if name in SACREBLEU_PACKAGES else _find_advice(name, names)
        if advice is not None:
            raise _unknown_tokenizer(name, advice) from None
        raise ImportError(
            f"tokenize={name!r} comes from sacreBLEU, which is not installed."
            f" Install it: pip install {packages}"
        ) from error
    if name not in BLEU.TOKENIZERS:
        names = list(dict.fromkeys([*names, *BLEU.TOKENIZERS]))
        every_name = f"Pass one of {', '.join(names)}; or a function."
        raise _unknown_tokenizer(name, _find_advice(name, names) or every_name)
    try:
        tokenize = BLEU(tokenize=name).tokenizer
    except (ImportError, RuntimeError) as error:
        raise ImportError(
            f"tokenize={name!r} needs additional packages. Install them: pip install {packages}"
        ) from error
    except OSError as error:
        raise OSError(
            f"tokenize={name!r}: the download of its model failed: {error}."
            " Connect to the internet once; the model is kept."
        ) from error
    return ChosenTokenizer(
        tokenize.signature(),
        definition=_make_definition(lambda text: tokenize(text.rstrip()).split()),
    )


_WRONG_RESULT = "{name}[{row}]: expected a list of str from the tokenizer, got {found}."


def prepare_texts(
    texts: pa.Array, tokenizer: ChosenTokenizer, name: str, row_of: Callable[[int], int]
) -> pa.Array:
    """Lower-case texts if the tokenizer does, and split them unless the kernel can split them.

    Return strings for a native tokenizer to split, or lists of tokens or ids. Errors name the
    column `name`, and the row in it that `row_of` finds for the index of a text.

    Raises:
        TypeError, ValueError: the user's function failed, or did not return a list of str.

    >>> tokenizer = choose_tokenizer(Options(tokenize=str.split, lowercase=True), "text")
    >>> texts = pa.array(["Go on"], pa.large_string())
    >>> prepare_texts(texts, tokenizer, "predictions", [0].__getitem__).to_pylist()
    [['go', 'on']]
    """
    # 1. Lower-case.
    cased = texts if tokenizer.lower is None else map_strings(texts, tokenizer.lower)
    split = tokenizer.split
    if split is None or tokenizer.is_native or is_list(cased.type):
        return cased
    if tokenizer.definition is not None and tokenizer.definition.rejected:
        _reject_characters(cased, tokenizer.definition.rejected, name, row_of)
    # 2. Call the function.
    results: list[list[str]] = []
    uncut = cased.to_pylist()
    try:
        for text in uncut:
            results.append(split(text))
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        if (" " in text and text in problem) or len(problem) > _LONGEST_PROBLEM:
            problem = type(error).__name__
        raise ValueError(
            f"{name}[{row_of(len(results))}]: the tokenizer failed: {problem}"
        ) from error
    # 3. Convert lists of str, the usual case, without a look at each token.
    are_lists = set(map(type, results)) <= {list, tuple}
    if are_lists and set(map(type, chain.from_iterable(results))) <= {str}:
        with suppress(UnicodeEncodeError):  # a lone surrogate, which step 4 finds
            return pa.array(results, TOKENS)
    # 4. Raise for the first wrong result, or convert subclasses of list, tuple and str.
    for index, tokens in enumerate(results):
        if not isinstance(tokens, (list, tuple)):
            found = type(tokens).__name__
            raise TypeError(_WRONG_RESULT.format(name=name, row=row_of(index), found=found))
        found = ""
        for token in tokens:
            if not isinstance(token, str):
                found = f"a list with {type(token).__name__}"
            elif LONE_SURROGATE.search(token):
                raise ValueError(
                    f"{name}[{row_of(index)}]: expected valid str from the tokenizer,"
                    " got a lone surrogate (U+D800 to U+DFFF)."
                )
        if found:
            raise TypeError(_WRONG_RESULT.format(name=name, row=row_of(index), found=found))
    return pa.array([list(tokens) for tokens in results], TOKENS)


def fits_tokenizer(texts: pa.Array | pa.ChunkedArray, name: str) -> bool:
    """Return False if texts have characters that a native tokenizer rejects.

    >>> fits_tokenizer(pa.array(["a dog\\r"]), "ptb"), fits_tokenizer(pa.array(["a dog\\r"]), "13a")
    (False, True)
    """
    rejected = TOKENIZERS[name].rejected
    return not rejected or not pc.any(pc.match_substring_regex(texts, rejected)).as_py()


def _reject_characters(
    texts: pa.Array, rejected: str, name: str, row_of: Callable[[int], int]
) -> None:
    """Raise for the first text with a character that the tokenizer rejects."""
    index = pc.index(pc.match_substring_regex(texts, rejected), True).as_py()
    if index < 0:
        return
    found = re.search(rejected, texts[index].as_py())
    raise ValueError(
        f"{name}[{row_of(index)}]: contains U+{ord(found[0]) if found else 0:04X}, which"
        " pycocoevalcap treats as the end of a caption. Replace it with a space."
    )


def lower_case(texts: pa.Array) -> pa.Array:
    """Return `str.lower` of each string; Arrow does the work wherever its result is the same.

    >>> lower_case(pa.array(["ΑΣ", "AS"], pa.large_string())).to_pylist()
    ['ας', 'as']
    """
    if pc.string_is_ascii(texts).false_count == 0:
        return lower_ascii(texts)  # 5 to 10 times as fast as `pc.utf8_lower`
    is_special = pc.match_substring_regex(texts, _find_special_letters())
    special = [text.lower() for text in texts.filter(is_special).to_pylist()]
    return pc.replace_with_mask(pc.utf8_lower(texts), is_special, pa.array(special, texts.type))


def lower_ascii(texts: pa.Array) -> pa.Array:
    """Return the lower case of the ASCII letters in each string; other letters stay as they are.

    >>> lower_ascii(pa.array(["ÀS", "AS"], pa.large_string())).to_pylist()
    ['Às', 'as']
    """
    # `pc.ascii_lower` of Arrow 16 to 26 reads the bytes from 0 on where the first offset is not 0.
    offsets = find_offsets(texts)
    start = int(offsets[0])
    if start:
        data = texts.buffers()[2].slice(start)
        texts = pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(offsets - start), data)
    return pc.ascii_lower(texts)


@cache
def _find_special_letters() -> str:
    """Return a pattern of the letters that Arrow and this Python lower-case differently.

    These are İ, which becomes two characters; Σ, whose lower case depends on its neighbors; and
    letters that only one of the two versions of Unicode has. No letter above U+1FFFF has case.
    """
    letters = "".join(chr(c) for c in range(0x80, 0x20000) if not 0xD800 <= c < 0xE000)
    lowered = pc.utf8_lower(pa.array([letters]))[0].as_py()
    different = [letter for letter, lower in zip(letters, lowered) if lower != letter.lower()]
    return f"[Σ{''.join(different)}]"


def list_tokens(texts: pa.Array, tokenizer: ChosenTokenizer) -> list[Sequence[Hashable]]:
    """Return the tokens of prepared texts as Python lists, by the tokenizer's definition.

    >>> list_tokens(pa.array([[1, 2]]), ChosenTokenizer("ids"))
    [[1, 2]]
    """
    split = tokenizer.split
    if is_list(texts.type) or split is None:
        return list(texts.to_pylist())
    return [split(text) for text in texts.to_pylist()]


# --- Unicode 18.0: punctuation, symbols and numbers -----------------------------------------------
#
# For `intl`: the code points of the general categories P*, S* and N*, as hexadecimal ranges.
# Generated by `tests/unicode_tables.py`; do not edit. The tables are stored because Python's
# `unicodedata` changes with each Python: an emoji of 2021 would be a symbol on one machine and a
# letter on another, and the same corpus would have two scores.


PUNCTUATION: Ranges = read_ranges("""
    21-23 25-2A 2C-2F 3A-3B 3F-40 5B-5D 5F 7B 7D A1 A7 AB B6-B7 BB BF 37E 387 55A-55F 589-58A
    5BE 5C0 5C3 5C6 5F3-5F4 609-60A 60C-60D 61B 61D-61F 66A-66D 6D4 700-70D 7F7-7F9 830-83E 85E
    964-965 970 9FD A76 AF0 C77 C84 DF4 E4F E5A-E5B F04-F12 F14 F3A-F3D F85 FD0-FD4 FD9-FDA
    104A-104F 10FB 1360-1368 1400 166E 169B-169C 16EB-16ED 1735-1736 17D4-17D6 17D8-17DA
    1800-180A 1944-1945 1A1E-1A1F 1AA0-1AA6 1AA8-1AAD 1B4E-1B4F 1B5A-1B60 1B7D-1B7F 1BFC-1BFF
    1C3B-1C3F 1C7E-1C7F 1CC0-1CC7 1CD3 2010-2027 2030-2043 2045-2051 2053-205E 207D-207E
    208D-208E 2308-230B 2329-232A 2768-2775 27C5-27C6 27E6-27EF 2983-2998 29D8-29DB 29FC-29FD
    2CF9-2CFC 2CFE-2CFF 2D70 2E00-2E2E 2E30-2E4F 2E52-2E5D 2E60-2E63 3001-3003 3008-3011
    3014-301F 3030 303D 30A0 30FB A4FE-A4FF A60D-A60F A673 A67E A6F2-A6F7 A874-A877 A8CE-A8CF
    A8F8-A8FA A8FC A92E-A92F A95F A9C1-A9CD A9DE-A9DF AA5C-AA5F AADE-AADF AAF0-AAF1 ABEB
    FD3E-FD3F FE10-FE19 FE30-FE52 FE54-FE61 FE63 FE68 FE6A-FE6B FF01-FF03 FF05-FF0A FF0C-FF0F
    FF1A-FF1B FF1F-FF20 FF3B-FF3D FF3F FF5B FF5D FF5F-FF65 10100-10102 1039F 103D0 1056F 10857
    1091F 1093F 10A50-10A58 10A7F 10AF0-10AF6 10B39-10B3F 10B99-10B9C 10D6E 10EAD 10ED0
    10F55-10F59 10F86-10F89 11047-1104D 110BB-110BC 110BE-110C1 11140-11143 11174-11175
    111C5-111C8 111CD 111DB 111DD-111DF 11238-1123D 112A9 113D4-113D5 113D7-113D8 1144B-1144F
    1145A-1145B 1145D 114C6 115C1-115D7 11641-11643 11660-1166C 116B9 1173C-1173E 1183B
    11944-11946 119E2 11A3F-11A46 11A9A-11A9C 11A9E-11AA2 11B00-11B09 11BE1 11C41-11C45
    11C70-11C71 11EF7-11EF8 11F43-11F4F 11FFF 12470-12474 12FF1-12FF2 16A6E-16A6F 16AF5
    16B37-16B3B 16B44 16D6D-16D6F 16E97-16E9A 16FE2 1BC9F 1DA87-1DA8B 1E5FF 1E95E-1E95F
""")

SYMBOLS: Ranges = read_ranges("""
    24 2B 3C-3E 5E 60 7C 7E A2-A6 A8-A9 AC AE-B1 B4 B8 D7 F7 2C2-2C5 2D2-2DF 2E5-2EB 2ED 2EF-2FF
    375 384-385 3F6 482 58D-58F 606-608 60B 60E-60F 6DE 6E9 6FD-6FE 7F6 7FE-7FF 888 9F2-9F3
    9FA-9FB AF1 B70 BF3-BFA C7F D4F D79 E3F F01-F03 F13 F15-F17 F1A-F1F F34 F36 F38 FBE-FC5
    FC7-FCC FCE-FCF FD5-FD8 109E-109F 1390-1399 166D 17DB 1940 19DE-19FF 1B61-1B6A 1B74-1B7C
    1FBD 1FBF-1FC1 1FCD-1FCF 1FDD-1FDF 1FED-1FEF 1FFD-1FFE 2044 2052 207A-207C 208A-208C
    20A0-20C4 2100-2101 2103-2106 2108-2109 2114 2116-2118 211E-2123 2125 2127 2129 212E
    213A-213B 2140-2144 214A-214D 214F 218A-218B 2190-2307 230C-2328 232B-2429 2440-244A
    249C-24E9 2500-2767 2794-27C4 27C7-27E5 27F0-2982 2999-29D7 29DC-29FB 29FE-2B73 2B76-2BFF
    2CE5-2CEA 2E50-2E51 2E80-2E99 2E9B-2EF3 2F00-2FD5 2FF0-2FFF 3004 3012-3013 3020 3036-3037
    303E-303F 309B-309C 3190-3191 3196-319F 31C0-31E5 31EF 3200-321E 322A-3247 3250 3260-327F
    328A-32B0 32C0-33FF 4DC0-4DFF A490-A4C6 A700-A716 A720-A721 A789-A78A A828-A82B A836-A839
    AA77-AA79 AB5B AB6A-AB6B FB29 FBB2-FBD2 FD40-FD4F FD90-FD91 FDC8-FDCF FDFC-FDFF FE62
    FE64-FE66 FE69 FF04 FF0B FF1C-FF1E FF3E FF40 FF5C FF5E FFE0-FFE6 FFE8-FFEE FFFC-FFFD
    10137-1013F 10179-10189 1018C-1018E 10190-1019C 101A0 101D0-101FC 10877-10878 10AC8
    10D8E-10D8F 10EC9-10ECA 10ED1-10ED8 1173F 11FD5-11FF1 16B3C-16B3F 16B45 1BC9C 1CC00-1CCEF
    1CCFA-1CCFC 1CD00-1CEB3 1CEBA-1CED0 1CED2-1CED4 1CEDD-1CEFD 1CF50-1CFC3 1D000-1D0F5
    1D100-1D126 1D129-1D164 1D16A-1D16C 1D183-1D184 1D18C-1D1A9 1D1AE-1D241 1D245 1D253-1D25A
    1D25D-1D25E 1D260-1D27F 1D300-1D356 1D6C1 1D6DB 1D6FB 1D715 1D735 1D74F 1D76F 1D789 1D7A9
    1D7C3 1D800-1D9FF 1DA37-1DA3A 1DA6D-1DA74 1DA76-1DA83 1DA85-1DA86 1DB00-1DB1C 1E14F 1E2FF
    1ECAC 1ECB0 1ED2E 1EEF0-1EEF1 1F000-1F02B 1F030-1F093 1F0A0-1F0AE 1F0B1-1F0BF 1F0C1-1F0CF
    1F0D1-1F0F5 1F10D-1F1AE 1F1E6-1F202 1F210-1F23B 1F240-1F248 1F250-1F251 1F260-1F265
    1F300-1F6D9 1F6DC-1F6EC 1F6F0-1F6FC 1F700-1F7DB 1F7E0-1F7EB 1F7F0-1F80B 1F810-1F847
    1F850-1F859 1F860-1F887 1F890-1F8AD 1F8B0-1F8BB 1F8C0-1F8C1 1F8D0-1F8D8 1F900-1FA57
    1FA60-1FA6D 1FA70-1FA7C 1FA80-1FAC6 1FAC8 1FACC-1FADD 1FADF-1FAEB 1FAEF-1FAFA 1FB00-1FB92
    1FB94-1FBEF 1FBFA
""")

NUMBERS: Ranges = read_ranges("""
    30-39 B2-B3 B9 BC-BE 660-669 6F0-6F9 7C0-7C9 966-96F 9E6-9EF 9F4-9F9 A66-A6F AE6-AEF B66-B6F
    B72-B77 BE6-BF2 C66-C6F C78-C7E CE6-CEF D58-D5E D66-D78 DE6-DEF E50-E59 ED0-ED9 F20-F33
    1040-1049 1090-1099 1369-137C 16EE-16F0 17E0-17E9 17F0-17F9 1810-1819 1946-194F 19D0-19DA
    1A80-1A89 1A90-1A99 1B50-1B59 1BB0-1BB9 1C40-1C49 1C50-1C59 2070 2074-2079 2080-2089
    2150-2182 2185-2189 2460-249B 24EA-24FF 2776-2793 2CFD 3007 3021-3029 3038-303A 3192-3195
    3220-3229 3248-324F 3251-325F 3280-3289 32B1-32BF A620-A629 A6E6-A6EF A830-A835 A8D0-A8D9
    A900-A909 A9D0-A9D9 A9F0-A9F9 AA50-AA59 ABF0-ABF9 FF10-FF19 10107-10133 10140-10178
    1018A-1018B 102E1-102FB 10320-10323 10341 1034A 103D1-103D5 104A0-104A9 10858-1085F
    10879-1087F 108A7-108AF 108FB-108FF 10916-1091B 109BC-109BD 109C0-109CF 109D2-109FF
    10A40-10A48 10A7D-10A7E 10A9D-10A9F 10AEB-10AEF 10B58-10B5F 10B78-10B7F 10BA9-10BAF
    10CFA-10CFF 10D30-10D39 10D40-10D49 10E60-10E7E 10F1D-10F26 10F51-10F54 10FC5-10FCB
    11052-1106F 110F0-110F9 11136-1113F 111D0-111D9 111E1-111F4 112F0-112F9 11450-11459
    114D0-114D9 11650-11659 116C0-116C9 116D0-116E3 11730-1173B 118E0-118F2 11950-11959
    11BF0-11BF9 11C50-11C6C 11D50-11D59 11DA0-11DA9 11DE0-11DE9 11F50-11F59 11FC0-11FD4
    12400-1246F 12475-1247F 12550-12686 16130-16139 16A60-16A69 16AC0-16AC9 16B50-16B59
    16B5B-16B61 16D70-16D79 16E80-16E96 16FF4-16FF6 1CCF0-1CCF9 1D2C0-1D2D3 1D2E0-1D2F3
    1D360-1D378 1D7CE-1D7FF 1E140-1E149 1E2F0-1E2F9 1E4F0-1E4F9 1E5F1-1E5FA 1E8C7-1E8CF
    1E950-1E959 1EC71-1ECAB 1ECAD-1ECAF 1ECB1-1ECB4 1ED01-1ED2D 1ED2F-1ED3D 1F100-1F10C
    1FBF0-1FBF9
""")
