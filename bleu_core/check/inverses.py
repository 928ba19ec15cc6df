"""The inverses of damages: each undoes, in one text, what a decoder, tokenizer or encoder did.

The records of damages name them. An inverse is a function of one text, and makes no choice.
"""

from __future__ import annotations

import ast
import re
import warnings
from contextlib import suppress
from functools import cache
from typing import TypeGuard

from ..shared.messages import LONE_SURROGATE
from .pairs import Undo


def make_replacer(pattern: str, replacement: str = "") -> Undo:
    """Return a function that replaces all matches, and strips the text.

    >>> make_replacer("@@(?: |$)")("lo@@ w er@@")
    'low er'
    """
    replace = re.compile(pattern).sub
    return lambda text: replace(replacement, text).strip()


# All begin with a bracket, which `re` looks for first.
_IN_BRACKETS = (
    r"<\|(?:im_start|start|start_header_id)\|>(?:\s*(?:assistant|user|system|model)\b\s*)?"
    r"|<start_of_turn>(?:\s*(?:assistant|user|system|model)\b\s*)?"
    r"|<[|｜][^|｜<>\s]{1,40}[|｜]>|<</?SYS>>"
    r"|<(?i:/?(?:s|bos|eos|pad|sos|go|stop|start|end|cls|sep|mask|eot|eod|eou|startoftext|endoftext"
    r"|blank|start_of_turn|end_of_turn|s_text|extra_id_\d+|unused_?\d+|special_\d+|2[a-z]{2,3}"
    r"|lang:[a-z]+)>)"
    r"|\[(?:/?INST|[BES]OS|PAD|CLS|SEP|MASK|START|END|[bes]os|pad|unused\d+)\]"
)
_CODES = (
    r"(?:^|\n)>>[a-z]{2,3}<<"
    r"|^(?:__[a-z]{2,3}(?:_[A-Za-z]+)?__|[a-z]{2}_[A-Z]{2}\b)|\b[a-z]{3}_[A-Z][a-z]{3}\b"
)
MODEL_TOKENS = f"{_IN_BRACKETS}|{_CODES}"
_TOKENS_IN_BRACKETS = re.compile(rf"(?:{_IN_BRACKETS})\s*")
_CODES_OF_LANGUAGES = re.compile(rf"(?:{_CODES})\s*")


def remove_tokens(text: str) -> str:
    """Remove the tokens of models; words on both sides of one stay apart.

    >>> remove_tokens("<s> a cat</s> eng_Latn"), remove_tokens("a<pad> cat")
    ('a cat', 'a cat')
    """
    text = _TOKENS_IN_BRACKETS.sub(_replace_token, text)
    if "_" in text or ">>" in text:
        text = _CODES_OF_LANGUAGES.sub(_replace_token, text)
    return text.strip()


def _replace_token(match: re.Match[str]) -> str:
    is_spaced = match.string[match.start() - 1 : match.start()] == " "
    return " " if match[0][-1] == " " and not is_spaced else ""


def remove_tags(text: str) -> str:
    """Remove tags; a line break becomes a space.

    >>> remove_tags("<p>a<br/>cat</p>")
    'a cat'
    """
    return re.sub(r"</?\w[^<>]*>", "", re.sub(r"(?i)<br\b[^<>]*>\s*", " ", text)).strip()


def decode_bytes(data: bytes, otherwise: str) -> str:
    """Decode UTF-8, or return another text if the bytes are not valid."""
    with suppress(UnicodeDecodeError):
        return data.decode()
    return otherwise


@cache
def _byte_of_letter() -> dict[str, int]:
    """Return the byte that each letter of byte-level BPE stands for, as in GPT-2."""
    letters = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in letters]
    return {
        **{chr(byte): byte for byte in letters},
        **{chr(256 + number): byte for number, byte in enumerate(others)},
    }


def join_byte_pieces(text: str) -> str:
    """Join pieces of byte-level BPE and decode them.

    >>> join_byte_pieces("Un Ġca f Ã© Ġnoir")
    'Un café noir'
    """
    pieces = text.replace(" ", "")
    byte_of = _byte_of_letter()
    is_text = 3 * text.count("Ġ") < len(text.split())  # Maltese has the letter as well
    if is_text or not all(letter in byte_of for letter in pieces):
        return text
    return decode_bytes(bytes(byte_of[letter] for letter in pieces), text).strip()


_ESCAPE = re.compile(
    r"(?:\\u[0-9a-fA-F]{4})+|(?:\\x[0-9a-fA-F]{2})+|(?:\\[23][0-7]{2})+"
    r"|\\[ntr\\\"'/]|\\[.!()*_#%&$-]"
)


def unescape(text: str) -> str:
    r"""Replace escape sequences by their characters, twice if they were escaped twice.

    >>> unescape(r"caf\u00e9 caf\xc3\xa9 caf\303\251 \"x\" 3\.5")
    'café café café "x" 3.5'
    """
    once = _ESCAPE.sub(_read_escape, text)
    return _ESCAPE.sub(_read_escape, once) if re.search(r"\\[ux]", once) else once


def _read_escape(match: re.Match[str]) -> str:
    """Return the characters of an escape sequence, or of a run of escaped bytes."""
    escape = match[0]
    sign = escape[1]
    if sign == "u":
        codes = [int(code, 16).to_bytes(2, "big") for code in escape.split("\\u")[1:]]
        return b"".join(codes).decode("utf-16-be", "replace")
    if sign in "x23":
        base = 16 if sign == "x" else 8
        data = bytes(int(octet, base) for octet in re.findall(r"\\x?([0-9a-fA-F]+)", escape))
        return decode_bytes(data, data.decode("latin-1"))
    return {"n": "\n", "t": "\t", "r": "\r"}.get(sign, sign)


_NUMPY_CALL = re.compile(r"(?s)^\s*(?:np\.str_|array|tensor)\((.*?)(?:, dtype=[^)]*)?\)\s*$")


def unwrap_literal(text: str) -> str:
    """Return the one text of a Python literal: of a list, bytes, or a string of NumPy.

    >>> unwrap_literal("['a cat']"), unwrap_literal("np.str_('a cat')"), unwrap_literal("[1]")
    ('a cat', 'a cat', '[1]')
    """
    value = evaluate_literal(_NUMPY_CALL.sub(r"\1", text).strip())
    while isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if isinstance(value, bytes):
        value = decode_bytes(value, text)
    return value if is_text(value) else text


def evaluate_literal(text: str) -> object:
    """Return the value of a Python literal, or None; its escape sequences may be invalid."""
    with (
        warnings.catch_warnings(),
        suppress(ValueError, SyntaxError, MemoryError, RecursionError, TypeError),
    ):
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)
    return None


def is_text(value: object) -> TypeGuard[str]:
    """Return True for a str without half a character."""
    return isinstance(value, str) and not LONE_SURROGATE.search(value)


def unwrap_quotes(text: str) -> str:
    """Remove the quotation marks around a whole text, unless it contains others.

    >>> unwrap_quotes('"a cat"'), unwrap_quotes('"yes", or "no"')
    ('a cat', '"yes", or "no"')
    """
    inner = text.strip()[1:-1]
    return text if re.search('["“”„«»「」『』]', inner) else inner
