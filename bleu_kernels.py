"""Everything that numba compiles, and the decision when to compile it.

`count_rows_compiled` computes the rows of `bleu_counting.count_rows` directly from Arrow's UTF-8
bytes:

1. One automaton over classes of characters runs every tokenizer.
2. The tokens of a prediction are numbered. A token that only a reference has gets 0, because no
   n-gram with it matches.
3. N-grams of numbers are counted as the nodes of a trie.

Hashes only find candidates for equal tokens; the bytes of the tokens decide.

Importing numba takes 0.25 s and compiling 5 s, so the Python implementations run until compiling
pays. Until then, the functions marked for compilation are plain Python functions.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable
from functools import cache
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from datasets.utils import are_progress_bars_disabled, tqdm

from .bleu_corpus import Bytes, Int64, Layout, find_offsets, is_list, list_items, make_lists
from .bleu_counting import CountingRule
from .bleu_messages import CACHE_UNUSABLE, COMPILING, NO_NUMBA, warn
from .bleu_tokenizers import TOKENIZERS

# --- When to compile ------------------------------------------------------------------------------

_BYTES_WORTH_COMPILING = 2_000_000  # of text: about a second for the Python implementations

_kernels: list[Callable[..., Any]] = []  # to be compiled and cached on disk
_helpers: list[Callable[..., Any]] = []  # compiled as parts of kernels
_intrinsics: list[Callable[..., Any]] = []  # generators of LLVM instructions

_bytes_seen = 0  # by the Python implementations in this process
_is_ready = False
_can_compile = True
_lock = RLock()
if hasattr(
    os, "register_at_fork"
):  # a fork waits until a thread has compiled; the child could wait forever
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )

ir: Any = None  # of llvmlite
types: Any = None  # of numba


def is_ready() -> bool:
    """Return True if the kernels can run now."""
    return _is_ready


def compile_if_worthwhile(nbytes: int) -> bool:
    """Load or compile the kernels if `nbytes` more of text are worth it; return True if they run."""
    global _bytes_seen
    _bytes_seen += nbytes
    return _is_ready or (_bytes_seen > _BYTES_WORTH_COMPILING and warm_up())


def warm_up() -> bool:
    """Load the kernels, or compile them the first time on a machine; return False if numba is not available."""
    global _can_compile, _is_ready
    with _lock:
        if _is_ready or not _can_compile:
            return _is_ready
        try:
            import numba
        except ImportError:
            numba = None
            warn(NO_NUMBA)
        _can_compile = numba is not None and not numba.config.DISABLE_JIT
        if not _can_compile:
            return False
        from numba.core import event

        class Announcement(event.Listener):
            is_due = not are_progress_bars_disabled()

            def on_start(self, event: Any) -> None:  # kernels from the cache cause no event
                if self.is_due and event.data["dispatcher"].py_func.__module__ == __name__:
                    self.is_due = False
                    tqdm.write(COMPILING, file=sys.stderr)

            def on_end(self, event: Any) -> None: ...

        try:
            with event.install_listener("numba:compile", Announcement()):
                _compile_all()
        except BaseException:  # also Ctrl-C
            for function in _kernels:  # `count_common` also runs without numba
                globals()[function.__name__] = function
            raise
        _is_ready = True
        return True


def _compile_all() -> None:
    """Replace the registered functions of this module with compiled ones, and run each kernel on an example."""
    global ir, types
    from llvmlite import ir
    from numba import njit, types
    from numba.extending import intrinsic

    for function in _intrinsics:
        globals()[function.__name__] = intrinsic(function)
    for function in (
        _helpers
    ):  # without the wrappers for calls from Python, which take a tenth of the time to compile
        globals()[function.__name__] = njit(
            nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
        )(function)
    for cached in (True, False):
        try:
            for function in _kernels:
                globals()[function.__name__] = njit(nogil=True, cache=cached)(function)
            text, bounds = pa.array(["a b"], pa.large_string()), np.array([0, 1])
            count_rows_compiled(text, text, bounds, "13a", CountingRule(max_order=1))
            split_texts_compiled(text, "13a")
            count_common(
                *(np.array(values) for values in ([0], [0], [0, 1], [0])),
                np.zeros((1, 1), np.int64),
            )
            return
        except (
            Exception
        ) as error:  # numba's cache is unusable; a bug in a kernel is raised by the second attempt
            if not cached:
                raise
            folder = os.environ.get("NUMBA_CACHE_DIR") or os.path.join(
                os.path.dirname(__file__), "__pycache__"
            )
            warn(CACHE_UNUSABLE, error=error, folder=folder)


def _register_in(functions):
    def register(function):
        functions.append(function)
        return function

    return register


_kernel, _helper, _intrinsic = map(_register_in, (_kernels, _helpers, _intrinsics))


# --- Entry points ---------------------------------------------------------------------------------

_NO_TOKENS: Int64 = np.empty(0, np.int64)
REFERENCE_LENGTHS = {
    "closest": 0,
    "shortest": 1,
    "longest": 2,
}  # in `_effective_length`; other rules run in Python
_FACTOR = np.int64(
    secrets.randbits(63) | 1
)  # of hashes; random, so that inputs cannot be crafted to collide


def count_rows_compiled(
    predictions: pa.Array,
    references: pa.Array,
    bounds: Int64,
    tokenizer: str,
    rule: CountingRule,
) -> Int64:
    """Count a batch of segments, with the arguments and rows of `bleu_counting.count_rows`.

    `tokenizer` is the name of a native tokenizer with an automaton; it is unused for tokens and
    ids. The result is int64 [segments, 2 N + 2], Fortran-ordered, so that columns convert to Arrow
    without a copy.
    """
    layout = Layout(rule.max_order)
    rows = layout.allocate(len(bounds) - 1)
    if is_list(predictions.type):
        lists, tokens = _find_tokens([predictions, references])
        automaton = _make_automaton("none")  # unused: the input is tokenized already
    else:
        lists, tokens = [_find_strings(column) for column in (predictions, references)], _NO_TOKENS
        automaton = _make_automaton(tokenizer)
    # Pass columns in C order. A single row has both orders, and numba would compile again for
    # Fortran order.
    columns = rows.T
    _count_rows(
        *lists, bounds, tokens, automaton.address, automaton.edge, automaton.strips_start, _FACTOR,
        REFERENCE_LENGTHS[rule.reference_length], rule.minimum_total,
        columns[layout.matches], columns[layout.totals], columns[layout.length],
        columns[layout.reference_length],
    )  # fmt: skip
    return rows


def split_texts_compiled(texts: pa.Array, tokenizer: str) -> pa.LargeListArray:
    """Split texts into lists of tokens, with the automaton of a native tokenizer."""
    addresses, automaton = _find_strings(texts), _make_automaton(tokenizer)
    size, longest = addresses[-1] - addresses[0], int(np.diff(addresses).max(initial=0))
    token_text, token_ends = np.empty(size, np.uint8), np.zeros(size + 1, np.int64)
    bounds = np.zeros(len(addresses), np.int64)
    events, tokens = np.empty(longest + 1, np.int64), np.empty((longest, 3), np.int64)
    copy = np.empty(longest, np.uint8)
    _split_texts(
        addresses, automaton.address, automaton.edge, automaton.strips_start, _FACTOR,
        events, copy.ctypes.data, tokens, token_text, token_ends, bounds,
    )  # fmt: skip
    ends = token_ends[: bounds[-1] + 1]
    strings = pa.LargeStringArray.from_buffers(
        len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(token_text)
    )
    return make_lists(bounds, strings)


@_kernel
def count_common(
    texts: Int64, ngrams: Int64, begins: Int64, references: Int64, counts: Int64
) -> None:
    """Add 1 to `counts[text, reference]` for each n-gram of a text and each reference that has it.

    NumPy alone would store every pair of equal n-grams, in five times the time and unbounded
    memory.

    Args:
        texts: the text of each n-gram.
        ngrams: the number of each n-gram.
        begins: the offsets in `references` of the references of each number, and the end of the
            last ones.
        references: the references that have an n-gram, sorted by its number.
        counts: int64 [texts, references], changed in place.
    """
    for i in range(len(texts)):
        for place in range(begins[ngrams[i]], begins[ngrams[i] + 1]):
            counts[texts[i], references[place]] += 1


def _find_strings(strings: pa.Array) -> Int64:
    """Return the address of each string and the end of the last one; they are valid while the array lives."""
    text = strings.buffers()[2]
    return find_offsets(strings) + (text.address if text else 0)


def _find_tokens(columns: list[pa.Array]) -> tuple[list[Int64], Int64]:
    """Return the offsets of each column's lists among all tokens, and the address of each token.

    A column has one address more than tokens, for the end of its last token. An id is a token of
    eight bytes.
    """
    lists, tokens, first = [], [], 0
    for items, offsets in map(list_items, columns):
        if pa.types.is_integer(items.type):
            address = items.buffers()[1].address if len(items) else 0
            addresses = address + 8 * np.arange(items.offset, items.offset + len(items) + 1)
        else:
            addresses = _find_strings(items)
        lists.append(first + offsets)
        tokens.append(addresses)
        first += len(addresses)
    return lists, np.concatenate(tokens)


# --- Instructions that numba lacks ----------------------------------------------------------------
#
# An address is an int64 and need not be aligned.


@_intrinsic
def load_byte(typing_context, address):
    """Load the byte at an address."""
    return types.int64(types.int64), _generate_load(8)


@_intrinsic
def load_word(typing_context, address):
    """Load the eight bytes at an address, in little-endian order."""
    return types.int64(types.int64), _generate_load(64)


@_intrinsic
def store_byte(typing_context, address, byte):
    """Store a byte at an address."""

    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        builder.store(builder.trunc(arguments[1], ir.IntType(8)), pointer, align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@_intrinsic
def fold_product(typing_context, left, right):
    """Multiply to 128 bits and XOR the halves, so that each bit depends on all bits of both factors."""

    def generate(context, builder, signature, arguments):
        wide = [builder.zext(argument, ir.IntType(128)) for argument in arguments]
        product = builder.mul(*wide)
        upper = builder.lshr(product, ir.Constant(ir.IntType(128), 64))
        return builder.trunc(builder.xor(product, upper), ir.IntType(64))

    return types.int64(types.int64, types.int64), generate


def _generate_load(bits):
    def generate(context, builder, signature, arguments):
        value = builder.load(builder.inttoptr(arguments[0], ir.IntType(bits).as_pointer()), align=1)
        return value if bits == 64 else builder.zext(value, ir.IntType(64))

    return generate


# --- Tokenizers -----------------------------------------------------------------------------------
#
# A table gives each character a class. A letter, whitespace, or a symbol that is a token is decided
# by its class alone; the other classes depend on neighboring characters. The automaton visits only
# the characters that are not letters, and the text between them becomes tokens.

_CLASSES = {
    "letter": 0,
    "space": 1,
    "alone": 2,
    "number": 3,
    "hyphen": 4,
    "separator": 5,
    "markup": 6,
}
_LETTER, _SPACE, _ALONE, _NUMBER, _HYPHEN, _SEPARATOR, _MARKUP = range(7)
_EDGE = 7  # before the first and after the last character, unless the tokenizer pads the text with spaces
_LOOK_UP = 8  # of the first two bytes of a character: the class depends on further bytes
_STARTS = 9  # of one occurrence: a token ends before it, and it starts the next token
_TAKE_OUT = -1  # of one occurrence: markup that is deleted from the text

_CHARACTERS = (
    1 << 16
)  # the offset of the classes of characters in a table, after the classes of pairs of bytes

_LINE_FEED, _HYPHEN_SIGN, _LESS_THAN = (
    b"\n-<"  # `ord` in a kernel would compile a part of numba's str
)
_SKIPPED, _BREAK = np.frombuffer(b"<skipped>", np.uint8), np.frombuffer(b"-\n", np.uint8)
# mteval replaces `&quot;`, `&amp;`, `&lt;` in this order, so `&amp;lt;` is replaced twice and
# `&amp;quot;` once.
_ENTITIES = {
    b"&quot;": b'"',
    b"&amp;lt;": b"<",
    b"&amp;gt;": b">",
    b"&amp;": b"&",
    b"&lt;": b"<",
    b"&gt;": b">",
}
_ENTITY_WORDS = np.array([int.from_bytes(entity, "little") for entity in _ENTITIES])
_ENTITY_LENGTHS = np.array([len(entity) for entity in _ENTITIES])
_ENTITY_MEANS = np.array([ord(character) for character in _ENTITIES.values()])


class _Tables(NamedTuple):
    """An automaton in the form that the kernels read.

    table: the class of each pair of bytes that a character can begin with (after ASCII, the second
        is any byte); then, from _CHARACTERS on, the class of each character.
    address: the address of `table`.
    edge: the class before the first and after the last character of a text.
    strips_start: True if leading whitespace is removed; trailing whitespace always is.
    """

    table: Bytes
    address: int
    edge: int
    strips_start: bool


@cache
def _make_automaton(tokenizer: str) -> _Tables:
    """Build the tables of a native tokenizer.

    >>> table = _make_automaton("13a").table
    >>> [int(table[ord(character)]) for character in "a !"] == [_LETTER, _SPACE, _ALONE]
    True
    """
    automaton = TOKENIZERS[tokenizer].automaton
    assert automaton, tokenizer
    classes = np.full(0x110000, _LETTER, np.uint8)
    for name, members in automaton.classes():
        for first, last in (
            ((ord(c), ord(c)) for c in members) if isinstance(members, str) else members
        ):
            classes[first : last + 1] = _CLASSES[name]
    table = np.concatenate([_classify_pairs(classes), classes])
    edge = _SPACE if automaton.space_at_edges else _EDGE
    return _Tables(table, table.ctypes.data, edge, automaton.strips_start)


def _classify_pairs(classes: Bytes) -> Bytes:
    """Return the class of each pair of bytes, `_LOOK_UP` if characters of several classes begin with the pair."""
    pairs = np.full((256, 256), _LETTER, np.uint8)  # second byte, first byte
    pairs[:, :0x80] = classes[:0x80]
    for first in range(0xC2, 0xF5):
        size = (
            1 if first < 0xE0 else 1 << 6 if first < 0xF0 else 1 << 12
        )  # characters with the same two bytes
        start = 64 * size * (first & (0x1F if size == 1 else 0x0F if size == 64 else 0x07))
        blocks = classes[start : start + 64 * size].reshape(-1, size)
        uniform = blocks.min(axis=1) == blocks.max(axis=1)
        pairs[0x80 : 0x80 + len(blocks), first] = np.where(uniform, blocks[:, 0], _LOOK_UP)
    return pairs.ravel()


@_kernel
def _split_texts(
    texts, table, edge, strips_start, factor, events, copy, tokens, token_text, token_ends, bounds
):
    """Write the bytes of all tokens, the end of each token, and the number of tokens up to the end of each text."""
    size, known, none = 0, 0, np.int64(0)
    for index in range(len(texts) - 1):
        start, end = texts[index], texts[index + 1]
        count = _tokenize(start, end, table, edge, strips_start, factor, events, copy, tokens, none)
        for token in range(count):
            key, start, length = tokens[token, 0], tokens[token, 1], tokens[token, 2]
            for k in range(length):  # the character of an entity is in the key only
                token_text[size + k] = key & 0xFF if length == 1 else load_byte(start + k)
            size += length
            known += 1
            token_ends[known] = size
        bounds[index + 1] = known


@_helper
def _tokenize(start, end, table, edge, strips_start, factor, events, copy, tokens, count):
    """Add the tokens of the text between two addresses as rows of key, address and length; return the new count.

    13a deletes markup within words (`<skipped>`, a hyphen at a line break). A text with such markup
    is copied without it to `copy`, which must live as long as the tokens, and is split again.
    """
    start, end = _strip(start, end, table, strips_start)
    is_clean = False
    while True:
        total = _split_text(start, end, table, edge, factor, is_clean, events, tokens, count)
        if total >= 0:
            return total
        end = _copy_without(_SKIPPED, start, end, copy)
        end = _copy_without(_BREAK, copy, end, copy)
        start, is_clean = copy, True


@_helper
def _split_text(start, end, table, edge, factor, is_clean, events, tokens, count):
    """Add the tokens of a stripped text, or return _TAKE_OUT if there is markup to delete first."""
    begin, last, previous, separated = start, start, edge, False
    for event in range(_find_events(start, end, table, events)):
        # 1. Classify the character. A gap after the last event consists of letters.
        i = events[event]
        if i < last:  # inside an entity
            continue
        kind, width = _classify(i, end, table)
        meaning = 0
        if kind == _MARKUP:
            kind, width, meaning = _undo_markup(i, start, end, is_clean)
            if kind == _TAKE_OUT:
                return _TAKE_OUT
        if i > last:
            previous = _LETTER
        last = i + width
        # 2. Decide on an action: continue the token, end it, be a token alone, or start the next
        #    token.
        action = kind
        if kind == _NUMBER:
            action = _LETTER
        elif kind == _HYPHEN:
            action = _ALONE if previous == _NUMBER else _LETTER
        elif kind == _SEPARATOR:
            # mteval first separates a mark from the character before it, unless that character is a
            # number. A match consumes both characters, so a mark that was just separated cannot
            # also be the one before the next mark.
            separated = (
                previous != _NUMBER
                and previous != _EDGE
                and not (separated and previous == _SEPARATOR)
            )
            after = _classify(last, end, table)[0] if last < end else edge
            if separated or (after != _NUMBER and after != _EDGE):
                action = _ALONE
            else:
                action = _LETTER if previous == _NUMBER else _STARTS
        previous = kind
        if action == _LETTER:
            continue
        # 3. Add the token that ends before the character, and the character itself if it is a
        #    token.
        if i > begin:
            count = _put(tokens, count, _make_key(begin, i - begin, factor), begin, i - begin)
        if action == _ALONE:  # an entity is a token of one character
            count = _put(
                tokens, count, meaning if meaning else _load(i, width), i, 1 if meaning else width
            )
        begin = i if action == _STARTS else last
    return (
        _put(tokens, count, _make_key(begin, end - begin, factor), begin, end - begin)
        if end > begin
        else count
    )


@_helper
def _find_events(start, end, table, events):
    """Write the addresses of the characters that are not letters, and return their number.

    The loop has no branch, because the CPU would mispredict it at every word and take five times as
    long.
    """
    count = 0
    for i in range(start, end - 1):
        events[count] = i
        pair = load_byte(i) | load_byte(i + 1) << 8  # compiled to one load of two bytes
        count += np.int64(load_byte(table + pair) != _LETTER)
    if start < end and load_byte(table + load_byte(end - 1)) != _LETTER:
        events[count] = end - 1
        count += 1
    return count


@_helper
def _put(tokens, count, key, start, length):
    tokens[count, 0], tokens[count, 1], tokens[count, 2] = key, start, length
    return count + 1


@_helper
def _make_key(start, length, factor):
    """Return the key of a token: the token itself up to eight bytes, a hash of its bytes beyond."""
    if length <= 8:
        return _load(start, length) if length else np.int64(0)
    key = length
    for i in range(start, start + length - 8, 8):
        key = fold_product(key ^ load_word(i), factor)
    return fold_product(key ^ load_word(start + length - 8), factor)


@_helper
def _load(start, length):
    """Load one to eight bytes as a word."""
    unused = 64 - 8 * length
    # Load eight bytes and shift out the unused ones. A load may go beyond the text, but not beyond
    # its memory page.
    if start & 0xFFF <= 0xFF8:
        return load_word(start) << unused >> unused
    return load_word(start + length - 8) >> unused


@_helper
def _strip(start, end, table, strips_start):
    while strips_start and start < end:
        kind, width = _classify(start, end, table)
        if kind != _SPACE:
            break
        start += width
    while start < end:
        i = end - 1
        while i > start and load_byte(i) & 0xC0 == 0x80:
            i -= 1
        if (
            _classify(i, end, table)[0] != _SPACE and load_byte(i) != _LINE_FEED
        ):  # a line feed is markup in 13a
            break
        end = i
    return start, end


@_helper
def _classify(i, end, table):
    """Return the class of the character at an address and its number of bytes, without reading at or beyond `end`."""
    first = load_byte(i)
    if first < 0x80:
        return load_byte(table + first), 1
    width = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if i + width > end:
        return load_byte(table + _CHARACTERS + 0x10FFFF), end - i  # not a character
    # A loop would take twice as long.
    character = (first & (0xFF >> (width + 1))) << 6 | load_byte(i + 1) & 0x3F
    if width > 2:
        character = character << 6 | load_byte(i + 2) & 0x3F
    if width > 3:
        character = character << 6 | load_byte(i + 3) & 0x3F
    return load_byte(table + _CHARACTERS + min(character, 0x10FFFF)), width


@_helper
def _undo_markup(i, start, end, is_clean):
    """Return the class of `&`, `<` or a line feed in 13a, its number of bytes, and the character of an entity or 0."""
    first = load_byte(i)
    if first == _LINE_FEED:
        return (
            _TAKE_OUT
            if not is_clean and i > start and load_byte(i - 1) == _HYPHEN_SIGN
            else _SPACE,
            1,
            0,
        )
    if first == _LESS_THAN:
        return _TAKE_OUT if not is_clean and _starts_with(_SKIPPED, i, end) else _ALONE, 1, 0
    word = _load(i, min(8, end - i))
    for entity in range(len(_ENTITY_WORDS)):
        beyond = 64 - 8 * _ENTITY_LENGTHS[entity]
        if (word ^ _ENTITY_WORDS[entity]) << beyond == 0:
            return _ALONE, _ENTITY_LENGTHS[entity], _ENTITY_MEANS[entity]
    return _ALONE, 1, 0


@_helper
def _copy_without(pattern, start, end, copy):
    """Copy a text without a pattern, possibly onto itself, as `str.replace` does; return the end of the copy."""
    i = start
    while i < end:
        if _starts_with(pattern, i, end):
            i += len(pattern)
            continue
        store_byte(copy, load_byte(i))
        i += 1
        copy += 1
    return copy


@_helper
def _starts_with(pattern, i, end):
    if i + len(pattern) > end:
        return False
    for k in range(len(pattern)):
        if load_byte(i + k) != pattern[k]:
            return False
    return True


# --- Counting -------------------------------------------------------------------------------------
#
# Compile time dominates the first call. Each function therefore has one signature (a literal 0
# would add another), and arrays are made in few ways.


@_kernel
def _count_rows(
    predictions, references, bounds, token_addresses, table, edge, strips_start, factor,
    reference_length, minimum_total, match_columns, total_columns, lengths, effective_lengths,
):  # fmt: skip
    """Write the statistics rows of a batch to their columns: int64 [N, segments] or [segments].

    `predictions` and `references` are addresses of texts, or offsets in `token_addresses` if there
    are any.
    """
    # 1. Allocate once, for the longest text of the batch, which has at most one token per byte.
    #    Memory that is never written is free.
    max_order = len(match_columns)
    longest_prediction, longest_reference = _longest(predictions), _longest(references)
    longest_text, longest_row = max(longest_prediction, longest_reference), 0
    for row in range(len(bounds) - 1):
        longest_row = max(longest_row, references[bounds[row + 1]] - references[bounds[row]])
    events = np.empty(longest_text + 1, np.int64)
    tokens = np.empty(
        (2 * longest_text, 3), np.int64
    )  # of the prediction, then of a reference: key, address, length
    numbers, reference_numbers = np.empty(longest_text, np.int64), np.empty(longest_row, np.int64)
    slots, ends = np.empty(8 * longest_text + 16, np.int64), np.empty(_longest(bounds), np.int64)
    copies = np.empty(
        (longest_prediction + longest_reference) // 8 + 1, np.int64
    )  # of texts without their markup
    matches, capacity = (
        np.empty(max_order, np.int64),
        np.int64(-1),
    )  # the tokens for which the trie has memory
    for row in range(len(bounds) - 1):
        first, last = bounds[row], bounds[row + 1]
        length, bits, total, best = np.int64(0), np.int64(0), 0, np.int64(-1)
        # 2. Tokenize the prediction, which is text number `first - 1` in this loop, and then each
        #    reference. One call site serves both, because numba would compile the tokenizer again
        #    for a second one.
        for text in range(first - 1, last):
            copy = np.int64(
                copies.ctypes.data
            )  # inside the loop, or numba would free the array too early
            if text < first:
                start, end = predictions[row], predictions[row + 1]
            else:
                start, end, copy = references[text], references[text + 1], copy + longest_prediction
            count = length
            if len(token_addresses):
                for token in range(start, end):
                    address, size = (
                        token_addresses[token],
                        token_addresses[token + 1] - token_addresses[token],
                    )
                    count = _put(tokens, count, _make_key(address, size, factor), address, size)
            else:
                count = _tokenize(
                    start, end, table, edge, strips_start, factor, events, copy, tokens, length
                )
            # 3. Number the tokens of the prediction; equal tokens get the same number.
            if text < first:
                length = count
                bits = _number(tokens, length, slots, numbers, factor)
                continue
            # 4. Look up the numbers of the reference's tokens; a token that the prediction does not
            #    have gets 0.
            for token in range(length, count):
                slot = _find(tokens, token, slots, bits, factor)
                reference_numbers[total] = numbers[slots[slot]] if slots[slot] >= 0 else 0
                total += 1
            ends[text - first] = total
            best = _effective_length(reference_length, length, count - length, best)
        # 5. Count the matching n-grams and write the row.
        if length > capacity:  # in the first row, and in longer ones
            capacity = 2 * length
            nodes = np.empty(2 << _table_bits(2 * capacity * (max_order - 1)), np.int64)
            counts = np.empty((capacity * max_order + 1, 3), np.int64)
        _count_matches(
            numbers, length, reference_numbers, ends, bounds, row, factor, nodes, counts, matches
        )
        for order in range(max_order):
            match_columns[order, row] = matches[order]
            total_columns[order, row] = max(length - order, minimum_total)
        lengths[row] = length
        effective_lengths[row] = best


@_helper
def _longest(ends):
    longest = 0
    for i in range(len(ends) - 1):
        longest = max(longest, ends[i + 1] - ends[i])
    return longest


@_helper
def _effective_length(reference_length, length, size, best):
    """Return the effective reference length after a further reference of `size` tokens; `best` is below 0 at first."""
    if best < 0:
        return size
    if reference_length == 0:
        nearer = abs(size - length) - abs(best - length)
        return size if nearer < 0 or (nearer == 0 and size < best) else best
    if reference_length == 1:
        return min(size, best)
    return length if size == length or best == length else max(size, best)


@_helper
def _number(tokens, count, slots, numbers, factor):
    """Give equal tokens of the prediction equal numbers, from 1; return log2 of the size of the hash table."""
    bits = _table_bits(4 * count)
    slots[: 1 << bits] = -1
    highest = 0
    for token in range(count):
        slot = _find(tokens, token, slots, bits, factor)
        if slots[slot] < 0:
            highest += 1
            slots[slot], numbers[token] = token, highest
        numbers[token] = numbers[slots[slot]]
    return bits


@_helper
def _table_bits(size):
    bits = np.int64(2)
    while 1 << bits < size:
        bits += 1
    return bits


@_helper
def _find(tokens, token, slots, bits, factor):
    """Return the slot of the prediction's token that equals `tokens[token]`, or the empty slot for it."""
    key, length = tokens[token, 0], tokens[token, 2]
    slot = _first_slot(key, bits, factor)
    while True:  # `while slots[slot] >= 0` takes 1.7 times as long
        candidate = slots[slot]
        if candidate < 0:
            break
        if tokens[candidate, 0] == key and tokens[candidate, 2] == length:
            if length <= 8 or _same(tokens[token, 1], tokens[candidate, 1], length):
                break
        slot = (slot + 1) & ((1 << bits) - 1)
    return slot


@_helper
def _first_slot(key, bits, factor):
    # Fibonacci hashing: multiply, keep the top bits (Knuth, vol. 3, section 6.4).
    return np.int64(np.uint64(key) * np.uint64(factor) >> np.uint64(64 - bits))


@_helper
def _same(start, other_start, length):
    for k in range(0, length - 8, 8):
        if load_word(start + k) != load_word(other_start + k):
            return False
    return load_word(start + length - 8) == load_word(other_start + length - 8)


@_helper
def _count_matches(
    numbers, length, reference_numbers, ends, bounds, row, factor, nodes, counts, matches
):
    """Count the matches of a prediction in linear time, with the distinct n-grams of the prediction as nodes of a trie.

    The key of a node is its parent and the number of its last token, so that keys are exact. The
    nodes of single tokens are the token numbers, and node 0 stands for all n-grams that the
    prediction does not have. `nodes` is a hash table of keys, each followed by its node. A node has
    three counts: in the prediction, the highest in any reference so far, and in the current
    reference.
    """
    # 1. Clear the hash table and the counts of single tokens.
    max_order, highest = len(matches), np.int64(0)
    bits = _table_bits(2 * length * (max_order - 1))
    nodes[: 2 << bits] = 0
    for i in range(length):
        highest = max(highest, numbers[i])
    counts[: highest + 1] = 0
    # 2. Build the trie of the prediction, and count its n-grams.
    for i in range(length):
        node = numbers[i]
        counts[node, 0] += 1
        for n in range(1, min(max_order, length - i)):
            slot = _find_node(node, numbers[i + n], nodes, bits, factor)
            if nodes[slot] == 0:
                highest += 1
                nodes[slot], nodes[slot + 1] = node << 32 | numbers[i + n], highest
                counts[highest, 0] = counts[highest, 1] = counts[highest, 2] = 0
            node = nodes[slot + 1]
            counts[node, 0] += 1
    # 3. Count the n-grams of each reference. From each position, follow the trie until the
    #    prediction has no such n-gram. An occurrence is a match if its number exceeds the highest
    #    count in any reference so far, but not the count in the prediction.
    start = 0
    matches[:] = 0
    for reference in range(bounds[row + 1] - bounds[row]):
        none_yet = (
            reference + 1
        ) << 32  # exceeds all counts of earlier references, which need no clearing
        for i in range(start, ends[reference]):
            node = reference_numbers[i]
            for n in range(min(max_order, ends[reference] - i)):
                if n:
                    node = nodes[
                        _find_node(node, reference_numbers[i + n], nodes, bits, factor) + 1
                    ]
                if node == 0:
                    break
                count = max(counts[node, 2], none_yet) + 1
                counts[node, 2] = count
                if counts[node, 1] < count - none_yet:
                    counts[node, 1] = count - none_yet
                    matches[n] += count - none_yet <= counts[node, 0]
        start = ends[reference]


@_helper
def _find_node(parent, token, nodes, bits, factor):
    """Return the index in `nodes` of a node's key, or of an empty slot for it; the node is stored after its key."""
    key = parent << 32 | token
    slot = _first_slot(key, bits, factor)
    while nodes[2 * slot] and nodes[2 * slot] != key:
        slot = (slot + 1) & ((1 << bits) - 1)
    return 2 * slot
