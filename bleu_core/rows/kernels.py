"""Everything that numba compiles.

`count_rows_compiled` computes the rows of `rules/counting.py` directly from Arrow's UTF-8 bytes:

1. One automaton over classes of characters runs every tokenizer.
2. The tokens of a prediction are numbered. A token that only a reference has gets 0, because no
   n-gram with it matches.
3. N-grams of numbers are matched as sets of positions in the prediction: the bits of one word. In a
   prediction with more tokens than bits, they are counted as the nodes of a trie.

Hashes only find candidates for equal tokens; the bytes of the tokens decide.

Called by `statistics.py` and `ngrams.py`, and for `pairwise`. To change what is counted, change
`rules/counting.py`, too: tests compare both.

Everything that is compiled stays in this file: numba's cache on disk compares the time of one file.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..rules.counting import CountingRule, Layout
from ..rules.tokenizers import TOKENIZERS
from ..shared.arrays import Bytes, Int64, find_addresses, is_list, list_items, make_lists
from ..text.corpus import SmallCorpus
from .compiling import kernel, kernel_example, kernel_helper, kernel_intrinsic

_CLOSEST, _SHORTEST, _LONGEST = range(3)
# The rules in `_effective_length`; with any other rule, the Python implementation counts.
REFERENCE_LENGTH_NUMBERS = {"closest": _CLOSEST, "shortest": _SHORTEST, "longest": _LONGEST}
# The factor of hashes is random, so that inputs cannot be crafted to collide.
_FACTOR = np.int64(secrets.randbits(63) | 1)
_NO_TOKENS: Int64 = np.empty(0, np.int64)  # of texts that are strings


def count_rows_compiled(
    predictions: pa.Array,
    references: pa.Array,
    bounds: Int64,
    tokenizer: str,
    *,
    rule: CountingRule,
) -> Int64:
    """Count a batch of segments, prepared texts or lists, with the rows of `count_rows`.

    `tokenizer` is the name of a native tokenizer with an automaton; it is unused for tokens and
    ids. The result is int64 [segments, 2 N + 2], Fortran-ordered, so that columns convert to Arrow
    without a copy.
    """
    if not is_list(predictions.type):
        return _count_addresses(
            find_addresses(predictions), find_addresses(references), bounds, tokenizer, rule=rule
        )
    prediction_items, prediction_offsets = list_items(predictions)
    reference_items, reference_offsets = list_items(references)
    prediction_tokens = find_addresses(prediction_items)
    return _count_addresses(
        prediction_offsets,
        len(prediction_tokens) + reference_offsets,
        bounds,
        "none",  # unused
        rule=rule,
        tokens=np.concatenate([prediction_tokens, find_addresses(reference_items)]),
    )


def count_strings(corpus: SmallCorpus, tokenizer: str, rule: CountingRule) -> Int64:
    """Count few segments without Arrow, as `count_rows_compiled` does."""
    strings: Sequence[str | bytes] = corpus.strings
    if not corpus.data.isascii():
        strings = [string.encode() for string in corpus.strings]
    address = pa.py_buffer(corpus.data).address
    ends = np.fromiter(accumulate(map(len, strings), initial=address), np.int64, len(strings) + 1)
    size = len(corpus)
    return _count_addresses(ends[: size + 1], ends[size:], corpus.bounds, tokenizer, rule=rule)


def _count_addresses(
    predictions: Int64,
    references: Int64,
    bounds: Int64,
    tokenizer: str,
    *,
    rule: CountingRule,
    tokens: Int64 = _NO_TOKENS,
) -> Int64:
    """Count a batch as `count_rows_compiled` does, given the addresses of its texts.

    `predictions` and `references` have the address of each text, and the end of the last one; for
    lists, their offsets in `tokens`, which has those of the tokens: per column, one more than there
    are tokens.
    """
    automaton = _make_automaton(tokenizer)
    rows = Layout(rule.max_order).allocate(len(bounds) - 1)
    _count_rows_in_parallel(
        predictions,
        references,
        bounds,
        tokens,
        automaton.address,
        automaton.edge,
        automaton.strips_start,
        _FACTOR,
        REFERENCE_LENGTH_NUMBERS[rule.reference_length],
        rule.minimum_total,
        # In C order: a single row has both orders, and numba would compile again for Fortran order.
        rows.T,
    )
    return rows


def split_texts_compiled(texts: pa.Array, tokenizer: str) -> pa.LargeListArray:
    """Split texts into lists of tokens, with the automaton of a native tokenizer."""
    addresses = find_addresses(texts)
    automaton = _make_automaton(tokenizer)
    nbytes = addresses[-1] - addresses[0]
    longest = int(np.diff(addresses).max(initial=0))
    # A text has at most one token per byte. Memory that is never written is free.
    copy = np.empty(longest, np.uint8)
    token_text = np.empty(nbytes, np.uint8)
    token_ends = np.zeros(nbytes + 1, np.int64)
    bounds = np.zeros(len(addresses), np.int64)
    _split_texts(
        texts=addresses,
        table=automaton.address,
        edge=automaton.edge,
        strips_start=automaton.strips_start,
        factor=_FACTOR,
        events=np.empty(longest + 1, np.int64),
        copy=copy.ctypes.data,
        tokens=np.empty((longest, 3), np.int64),
        token_text=token_text,
        token_ends=token_ends,
        bounds=bounds,
    )
    offsets = token_ends[: bounds[-1] + 1]
    buffers = (pa.py_buffer(offsets), pa.py_buffer(token_text))
    return make_lists(bounds, pa.LargeStringArray.from_buffers(len(offsets) - 1, *buffers))


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
    _count_common(texts, ngrams, begins, references, counts)


@kernel
def _count_common(
    texts: Int64, ngrams: Int64, begins: Int64, references: Int64, counts: Int64
) -> None:
    for i in range(len(texts)):
        for k in range(begins[ngrams[i]], begins[ngrams[i] + 1]):
            counts[texts[i], references[k]] += 1


@kernel_example
def _run_kernels() -> None:
    """Run each kernel on an example."""
    text = pa.array(["a b"], pa.large_string())
    count_rows_compiled(text, text, np.array([0, 1]), "13a", rule=CountingRule(max_order=1))
    split_texts_compiled(text, "13a")
    zero = np.zeros(1, np.int64)
    count_common(zero, zero, np.array([0, 1]), zero, np.zeros((1, 1), np.int64))


# --- Instructions that numba lacks ----------------------------------------------------------------
#
# An address is an int64 and need not be aligned.

# Imported when the kernels are compiled.
ir: Any = None  # of llvmlite
numba_types: Any = None  # of numba


@kernel_intrinsic
def load_byte(typing_context, address):
    """Load the byte at an address."""
    return numba_types.int64(numba_types.int64), _generate_load(8)


@kernel_intrinsic
def load_word(typing_context, address):
    """Load the eight bytes at an address, in little-endian order."""
    return numba_types.int64(numba_types.int64), _generate_load(64)


@kernel_intrinsic
def store_byte(typing_context, address, byte):
    """Store a byte at an address."""

    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        builder.store(builder.trunc(arguments[1], ir.IntType(8)), pointer, align=1)
        return context.get_dummy_value()

    return numba_types.void(numba_types.int64, numba_types.int64), generate


@kernel_intrinsic
def fold_product(typing_context, left, right):
    """Multiply to 128 bits and XOR the halves: each bit depends on all bits of both factors."""

    def generate(context, builder, signature, arguments):
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        upper = builder.lshr(product, ir.Constant(wide, 64))
        return builder.trunc(builder.xor(product, upper), ir.IntType(64))

    return numba_types.int64(numba_types.int64, numba_types.int64), generate


@kernel_intrinsic
def count_ones(typing_context, word):
    """Count the bits of a word that are 1."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return numba_types.int64(numba_types.int64), generate


def _generate_load(bits):
    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.IntType(bits).as_pointer())
        value = builder.load(pointer, align=1)
        return value if bits == 64 else builder.zext(value, ir.IntType(64))

    return generate


# --- Tokenizers -----------------------------------------------------------------------------------
#
# A table gives each character a class. A letter, whitespace, or a symbol that is a token is decided
# by its class alone; the other classes depend on neighboring characters. The automaton visits only
# the characters that are not letters, and the text between them becomes tokens.

_LETTER_CLASS, _SPACE_CLASS, _ALONE, _NUMERIC, _HYPHEN_CLASS, _SEPARATOR, _MARKUP_CLASS = range(7)
_CLASS_OF_CATEGORY = {
    "letter": _LETTER_CLASS,
    "space": _SPACE_CLASS,
    "alone": _ALONE,
    "number": _NUMERIC,
    "hyphen": _HYPHEN_CLASS,
    "separator": _SEPARATOR,
    "markup": _MARKUP_CLASS,
}
# The class before the first and after the last character, unless the tokenizer pads the text with
# spaces.
_EDGE = 7
# The class of two bytes that begin characters of several classes: further bytes decide.
_LOOK_UP = 8
# Of one occurrence of a character: a token ends before it, and it starts the next token.
_STARTS = 9
# Of one occurrence of a character: it begins markup that is deleted from the text.
_TAKE_OUT = -1

# Where the classes of characters begin in a table, after the classes of pairs of bytes.
_CHARACTER_OFFSET = 1 << 16

# Constants, because `ord` in a kernel would compile a part of numba's str.
_LINE_FEED = ord("\n")
_HYPHEN_SIGN = ord("-")
_LESS_THAN = ord("<")
_SKIPPED = np.frombuffer(b"<skipped>", np.uint8)
_BREAK = np.frombuffer(b"-\n", np.uint8)
# mteval replaces `&quot;`, `&amp;`, `&lt;` in this order, so `&amp;lt;` is replaced twice and
# `&amp;quot;` once.
_REPLACED_ENTITIES = {
    b"&quot;": b'"',
    b"&amp;lt;": b"<",
    b"&amp;gt;": b">",
    b"&amp;": b"&",
    b"&lt;": b"<",
    b"&gt;": b">",
}
_ENTITY_WORDS = np.array([int.from_bytes(entity, "little") for entity in _REPLACED_ENTITIES])
_ENTITY_LENGTHS = np.array([len(entity) for entity in _REPLACED_ENTITIES])
_ENTITY_MEANS = np.array([ord(character) for character in _REPLACED_ENTITIES.values()])


class _Tables(NamedTuple):
    """An automaton in the form that the kernels read.

    table: the class of each pair of bytes that a character can begin with (after ASCII, the second
        is any byte); then, from `_CHARACTER_OFFSET` on, the class of each character.
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
    >>> [int(table[ord(character)]) for character in "a !"] == [_LETTER_CLASS, _SPACE_CLASS, _ALONE]
    True
    """
    automaton = TOKENIZERS[tokenizer].automaton
    assert automaton, tokenizer
    classes = np.full(0x110000, _LETTER_CLASS, np.uint8)
    for name, members in automaton.classes:
        ranges = [(ord(c), ord(c)) for c in members] if isinstance(members, str) else members
        for first, last in ranges:
            classes[first : last + 1] = _CLASS_OF_CATEGORY[name]
    table = np.concatenate([_classify_pairs(classes), classes])
    edge = _SPACE_CLASS if automaton.space_at_edges else _EDGE
    return _Tables(table, table.ctypes.data, edge, automaton.strips_start)


def _classify_pairs(classes: Bytes) -> Bytes:
    """Return the class of each pair of bytes that a character can begin with.

    It is `_LOOK_UP` if characters of several classes begin with the pair.
    """
    pairs = np.full((256, 256), _LETTER_CLASS, np.uint8)  # second byte, first byte
    pairs[:, :0x80] = classes[:0x80]
    for width, first_bytes in (
        (2, range(0xC2, 0xE0)),
        (3, range(0xE0, 0xF0)),
        (4, range(0xF0, 0xF5)),
    ):
        size = 64 ** (width - 2)  # characters with the same two bytes
        for first_byte in first_bytes:
            start = 64 * size * (first_byte & (0xFF >> (width + 1)))
            blocks = classes[start : start + 64 * size].reshape(-1, size)
            uniform = blocks.min(axis=1) == blocks.max(axis=1)
            pairs[0x80 : 0x80 + len(blocks), first_byte] = np.where(uniform, blocks[:, 0], _LOOK_UP)
    return pairs.ravel()


@kernel
def _split_texts(
    texts, table, edge, strips_start, factor, events, copy, tokens, token_text, token_ends, bounds
):
    """Write the bytes of all tokens, the end of each, and the number of tokens up to each text."""
    nbytes = 0
    token_count = 0
    none = np.int64(0)  # a literal would add a signature of `_tokenize`
    for text_index in range(len(texts) - 1):
        start, end = texts[text_index], texts[text_index + 1]
        count = _tokenize(start, end, table, edge, strips_start, factor, events, copy, tokens, none)
        for token in range(count):
            key, address, length = tokens[token, 0], tokens[token, 1], tokens[token, 2]
            for k in range(length):  # the character of an entity is in the key only
                token_text[nbytes + k] = key & 0xFF if length == 1 else load_byte(address + k)
            nbytes += length
            token_count += 1
            token_ends[token_count] = nbytes
        bounds[text_index + 1] = token_count


@kernel_helper
def _tokenize(start, end, table, edge, strips_start, factor, events, copy, tokens, count):
    """Add the tokens of a text as rows of key, address and length; return the new count.

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
        start = copy
        is_clean = True


@kernel_helper
def _split_text(start, end, table, edge, factor, is_clean, events, tokens, count):
    """Add the tokens of a stripped text, or return _TAKE_OUT if there is markup to delete first."""
    token_start = start
    event_end = start
    previous = edge  # the class of the character before the event
    was_separated = False  # true if the separator before is a token
    for event in range(_find_events(start, end, table, events)):
        # 1. Classify the character. A gap after the last event consists of letters.
        i = events[event]
        if i < event_end:  # inside an entity
            continue
        kind, width = _classify(i, end, table)
        meaning = 0  # the character of an entity
        if kind == _MARKUP_CLASS:
            kind, width, meaning = _undo_markup(i, start, end, is_clean)
            if kind == _TAKE_OUT:
                return _TAKE_OUT
        if i > event_end:
            previous = _LETTER_CLASS
        event_end = i + width
        # 2. Decide on an action: continue the token, end it, be a token alone, or start the next
        #    token.
        action = kind
        if kind == _NUMERIC:
            action = _LETTER_CLASS
        elif kind == _HYPHEN_CLASS:
            action = _ALONE if previous == _NUMERIC else _LETTER_CLASS
        elif kind == _SEPARATOR:
            # mteval first separates a mark from the character before it, unless that character is a
            # number. A match consumes both characters, so a mark that was just separated cannot
            # also be the one before the next mark.
            was_consumed = was_separated and previous == _SEPARATOR
            was_separated = previous != _NUMERIC and previous != _EDGE and not was_consumed
            following = _classify(event_end, end, table)[0] if event_end < end else edge
            if was_separated or (following != _NUMERIC and following != _EDGE):
                action = _ALONE
            else:
                action = _LETTER_CLASS if previous == _NUMERIC else _STARTS
        previous = kind
        if action == _LETTER_CLASS:
            continue
        # 3. Add the token that ends before the character, and the character itself if it is a
        #    token.
        if i > token_start:
            key = _make_key(token_start, i - token_start, factor)
            count = _put(tokens, count, key, token_start, i - token_start)
        if action == _ALONE:  # an entity is a token of one character
            key = meaning if meaning else _load(i, width)
            count = _put(tokens, count, key, i, 1 if meaning else width)
        token_start = i if action == _STARTS else event_end
    if end > token_start:
        key = _make_key(token_start, end - token_start, factor)
        count = _put(tokens, count, key, token_start, end - token_start)
    return count


@kernel_helper
def _find_events(start, end, table, events):
    """Write the addresses of the characters that are not letters, and return their number.

    The loop has no branch, because the CPU would mispredict it at every word and take five times as
    long.
    """
    count = 0
    for i in range(start, end - 1):
        events[count] = i
        pair = load_byte(i) | load_byte(i + 1) << 8  # compiled to one load of two bytes
        count += np.int64(load_byte(table + pair) != _LETTER_CLASS)
    if start < end and load_byte(table + load_byte(end - 1)) != _LETTER_CLASS:
        events[count] = end - 1
        count += 1
    return count


@kernel_helper
def _put(tokens, count, key, start, length):
    # A function that also made the key would be inlined less, and counting would take a quarter
    # longer.
    tokens[count, 0] = key
    tokens[count, 1] = start
    tokens[count, 2] = length
    return count + 1


@kernel_helper
def _make_key(start, length, factor):
    """Return the key of a token: the token itself up to eight bytes, a hash of its bytes beyond."""
    if length <= 8:
        return _load(start, length) if length else np.int64(0)
    key = length
    for i in range(start, start + length - 8, 8):
        key = fold_product(key ^ load_word(i), factor)
    return fold_product(key ^ load_word(start + length - 8), factor)


@kernel_helper
def _load(start, length):
    """Load one to eight bytes as a word."""
    unused = 64 - 8 * length
    # Load eight bytes and shift out the unused ones. A load may go beyond the text, but not beyond
    # its memory page.
    if start & 0xFFF <= 0xFF8:
        return load_word(start) << unused >> unused
    return load_word(start + length - 8) >> unused


@kernel_helper
def _strip(start, end, table, strips_start):
    while strips_start and start < end:
        kind, width = _classify(start, end, table)
        if kind != _SPACE_CLASS:
            break
        start += width
    while start < end:
        i = end - 1
        while i > start and load_byte(i) & 0xC0 == 0x80:
            i -= 1
        kind, _ = _classify(i, end, table)
        is_line_feed = kind == _MARKUP_CLASS and load_byte(i) == _LINE_FEED  # in 13a
        if kind != _SPACE_CLASS and not is_line_feed:
            break
        end = i
    return start, end


@kernel_helper
def _classify(i, end, table):
    """Return the class and the number of bytes of the character at an address before `end`."""
    first_byte = load_byte(i)
    if first_byte < 0x80:
        return load_byte(table + first_byte), 1
    if first_byte < 0xE0:
        width = 2
    elif first_byte < 0xF0:
        width = 3
    else:
        width = 4
    if i + width > end:  # not a character; bytes from `end` on may not be read
        return load_byte(table + _CHARACTER_OFFSET + 0x10FFFF), end - i
    # A loop would take twice as long.
    character = (first_byte & (0xFF >> (width + 1))) << 6 | load_byte(i + 1) & 0x3F
    if width > 2:
        character = character << 6 | load_byte(i + 2) & 0x3F
    if width > 3:
        character = character << 6 | load_byte(i + 3) & 0x3F
    return load_byte(table + _CHARACTER_OFFSET + min(character, 0x10FFFF)), width


@kernel_helper
def _undo_markup(i, start, end, is_clean):
    """Return the class and the number of bytes of `&`, `<` or a line feed in 13a.

    The third value is the character of an entity, or 0.
    """
    byte = load_byte(i)
    if byte == _LINE_FEED:
        is_break = i > start and load_byte(i - 1) == _HYPHEN_SIGN
        return _TAKE_OUT if is_break and not is_clean else _SPACE_CLASS, 1, 0
    if byte == _LESS_THAN:
        return _TAKE_OUT if not is_clean and _starts_with(_SKIPPED, i, end) else _ALONE, 1, 0
    word = _load(i, min(8, end - i))
    for entity in range(len(_ENTITY_WORDS)):
        unused = 64 - 8 * _ENTITY_LENGTHS[entity]
        if (word ^ _ENTITY_WORDS[entity]) << unused == 0:
            return _ALONE, _ENTITY_LENGTHS[entity], _ENTITY_MEANS[entity]
    return _ALONE, 1, 0


@kernel_helper
def _copy_without(pattern, start, end, copy):
    """Copy a text without a pattern, as `str.replace` does; return the end of the copy.

    The copy may begin where the text begins.
    """
    i = start
    while i < end:
        if _starts_with(pattern, i, end):
            i += len(pattern)
            continue
        store_byte(copy, load_byte(i))
        i += 1
        copy += 1
    return copy


@kernel_helper
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

# The most tokens of a prediction whose positions are bits of a word: all but the sign, which >>
# would copy.
_MOST_POSITIONS = 63


@kernel
def _count_rows_in_parallel(
    predictions, references, bounds, token_addresses, table, edge, strips_start, factor,
    length_rule, minimum_total, columns,
):  # fmt: skip
    """Write the statistics rows of a batch to their columns: int64 [2 N + 2, segments].

    `predictions`, `references` and `token_addresses` are those of `_count_addresses`.
    """
    # 1. Allocate once, for the longest text of the batch, which has at most one token per byte.
    #    Memory that is never written is free.
    max_order = len(columns) // 2 - 1
    longest_prediction = _longest(predictions)
    longest_reference = _longest(references)
    longest_text = max(longest_prediction, longest_reference)
    longest_row = 0  # of all references of a segment together
    for row in range(len(bounds) - 1):
        longest_row = max(longest_row, references[bounds[row + 1]] - references[bounds[row]])
    events = np.empty(longest_text + 1, np.int64)
    # The tokens of the prediction, then of a reference: key, address, length.
    tokens = np.empty((2 * longest_text, 3), np.int64)
    numbers = np.empty(longest_text, np.int64)
    slots = np.empty(8 * longest_text + 16, np.int64)
    reference_numbers = np.empty(longest_row + 1, np.int64)
    reference_ends = np.empty(_longest(bounds), np.int64)
    # The texts without their markup.
    copies = np.empty((longest_prediction + longest_reference) // 8 + 1, np.int64)
    matches = np.empty(max_order, np.int64)
    positions = np.empty(_MOST_POSITIONS + 1, np.int64)
    capacity = np.int64(-1)  # the number of tokens for which the trie has memory
    for row in range(len(bounds) - 1):
        first_reference, end_of_references = bounds[row], bounds[row + 1]
        length = np.int64(0)  # of the prediction, in tokens
        bits = np.int64(0)
        reference_tokens = 0
        effective_length = np.int64(-1)
        # 2. Tokenize the prediction, which is text number `first_reference - 1` in this loop, and
        #    then each reference. One call site serves both, because numba would compile the
        #    tokenizer again for a second one.
        for text_index in range(first_reference - 1, end_of_references):
            is_prediction = text_index < first_reference
            # Inside the loop, or numba would free the array too early.
            copy = np.int64(copies.ctypes.data)
            if is_prediction:
                start, end = predictions[row], predictions[row + 1]
            else:
                start, end = references[text_index], references[text_index + 1]
                copy += longest_prediction
            count = length
            if len(token_addresses):
                for token in range(start, end):
                    address = token_addresses[token]
                    size = token_addresses[token + 1] - address
                    key = _make_key(address, size, factor)
                    count = _put(tokens, count, key, address, size)
            else:
                count = _tokenize(
                    start, end, table, edge, strips_start, factor, events, copy, tokens, length
                )
            # 3. Number the tokens of the prediction; equal tokens get the same number.
            if is_prediction:
                length = count
                bits = _number(tokens, length, slots, numbers, factor)
                continue
            # 4. Look up the numbers of the reference's tokens; a token that the prediction does not
            #    have gets 0.
            for token in range(length, count):
                slot = _find(tokens, token, slots, bits, factor)
                reference_numbers[reference_tokens] = (
                    numbers[slots[slot]] if slots[slot] >= 0 else 0
                )
                reference_tokens += 1
            reference_ends[text_index - first_reference] = reference_tokens
            effective_length = _effective_length(
                length_rule, length, count - length, effective_length
            )
        # 5. Count the matching n-grams and write the row.
        reference_count = end_of_references - first_reference
        matches[:] = 0
        if length <= _MOST_POSITIONS:
            _match_positions(
                numbers, length, reference_numbers, reference_ends, reference_count, positions,
                matches,
            )  # fmt: skip
        else:
            if length > capacity:  # in the first such row, and in longer ones
                capacity = 2 * length
                nodes = np.empty(2 << _table_bits(2 * capacity * (max_order - 1)), np.int64)
                counts = np.empty((capacity * max_order + 1, 3), np.int64)
            _match_nodes(
                numbers, length, reference_numbers, reference_ends, reference_count, factor,
                nodes, counts, matches,
            )  # fmt: skip
        for order in range(max_order):
            columns[order, row] = matches[order]
            columns[max_order + order, row] = max(length - order, minimum_total)
        columns[2 * max_order, row] = length
        columns[2 * max_order + 1, row] = effective_length


@kernel_helper
def _longest(ends):
    longest = 0
    for i in range(len(ends) - 1):
        longest = max(longest, ends[i + 1] - ends[i])
    return longest


@kernel_helper
def _effective_length(length_rule, length, reference_length, effective_length):
    """Return the effective reference length after one more reference.

    `length` is that of the prediction. `effective_length` is the result for the references before,
    and below 0 for the first reference.
    """
    if effective_length < 0:
        return reference_length
    if length_rule == _CLOSEST:
        further = abs(reference_length - length) - abs(effective_length - length)
        is_closer = further < 0 or (further == 0 and reference_length < effective_length)
        return reference_length if is_closer else effective_length
    if length_rule == _SHORTEST:
        return min(reference_length, effective_length)
    # The longest reference, unless one is as long as the prediction.
    if reference_length == length or effective_length == length:
        return length
    return max(reference_length, effective_length)


@kernel_helper
def _number(tokens, count, slots, numbers, factor):
    """Give equal tokens of the prediction equal numbers, from 1.

    Return log2 of the size of the hash table in `slots`.
    """
    bits = _table_bits(4 * count)
    slots[: 1 << bits] = -1
    highest = 0
    for token in range(count):
        slot = _find(tokens, token, slots, bits, factor)
        if slots[slot] < 0:
            highest += 1
            slots[slot] = token
            numbers[token] = highest
        numbers[token] = numbers[slots[slot]]
    return bits


@kernel_helper
def _table_bits(size):
    bits = np.int64(2)
    while 1 << bits < size:
        bits += 1
    return bits


@kernel_helper
def _find(tokens, token, slots, bits, factor):
    """Return the slot of the prediction's token that equals `tokens[token]`, or an empty slot."""
    key = tokens[token, 0]
    length = tokens[token, 2]
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


@kernel_helper
def _first_slot(key, bits, factor):
    # Fibonacci hashing: multiply, keep the top bits (Knuth, vol. 3, section 6.4).
    return np.int64(np.uint64(key) * np.uint64(factor) >> np.uint64(64 - bits))


@kernel_helper
def _same(start, other_start, length):
    for k in range(0, length - 8, 8):
        if load_word(start + k) != load_word(other_start + k):
            return False
    return load_word(start + length - 8) == load_word(other_start + length - 8)


@kernel_helper
def _match_positions(
    numbers, length, reference_numbers, reference_ends, reference_count, positions, matches
):
    """Count the matches of a short prediction by order, in time linear in tokens times orders.

    A set of positions in the prediction is a word: bit p is 1 if position p is in the set. Each
    n-gram of a reference has the set of the positions where the prediction has the same n-gram.
    `positions` holds the sets of tokens by number; that of number 0 is empty. `matches` is 0 at
    first. `reference_numbers` is overwritten, and has an element after the last token.
    """
    # 1. Find the positions of each token of the prediction.
    positions[: length + 1] = 0
    for i in range(length):
        positions[numbers[i]] |= np.int64(1) << i
    # 2. Replace the tokens of the references by their sets.
    sets = reference_numbers
    for i in range(reference_ends[reference_count - 1]):
        sets[i] = positions[reference_numbers[i]]
    # 3. Clip: each n-gram of a reference takes the lowest of its positions that is free. An n-gram
    #    that occurs k times takes its k lowest positions, or all. So the union over references has
    #    as many positions of an n-gram as the reference that has it most often.
    for n in range(len(matches)):
        union = np.int64(0)
        start = 0
        for reference in range(reference_count):
            taken = np.int64(0)
            for i in range(start, reference_ends[reference] - n):
                free = sets[i] & ~taken
                taken |= free & -free
                # 4. Go on to the next order: an n-gram with one more token is at position p if the
                #    n-gram is at p, and that of the next token is at p + 1. Where the reference is
                #    too short for it, the set is wrong, but the range above leaves it out.
                sets[i] &= sets[i + 1] >> 1
            union |= taken
            start = reference_ends[reference]
        if union == 0:
            break
        matches[n] = count_ones(union)


@kernel_helper
def _match_nodes(
    numbers, length, reference_numbers, reference_ends, reference_count, factor,
    nodes, counts, matches,
):  # fmt: skip
    """Count the matches of a prediction of any length by order, in linear time.

    The distinct n-grams of the prediction are the nodes of a trie. The key of a node is its parent
    and the number of its last token, so that keys are exact. The nodes of single tokens are the
    token numbers, and node 0 stands for all n-grams that the prediction does not have. `nodes` is a
    hash table of keys, each followed by its node. A node has three counts: in the prediction, the
    highest in any reference so far, and in the current reference. `matches` is 0 at first.
    """
    # 1. Clear the hash table and the counts of single tokens, whose numbers are at most `length`.
    max_order = len(matches)
    bits = _table_bits(2 * length * (max_order - 1))
    nodes[: 2 << bits] = 0
    highest = length
    counts[: length + 1] = 0
    # 2. Build the trie of the prediction, and count its n-grams.
    for i in range(length):
        node = numbers[i]
        counts[node, 0] += 1
        for n in range(1, min(max_order, length - i)):
            slot = _find_node(node, numbers[i + n], nodes, bits, factor)
            if nodes[slot] == 0:
                highest += 1
                nodes[slot] = node << 32 | numbers[i + n]
                nodes[slot + 1] = highest
                counts[highest, 0] = counts[highest, 1] = counts[highest, 2] = 0
            node = nodes[slot + 1]
            counts[node, 0] += 1
    # 3. Count the n-grams of each reference. From each position, follow the trie until the
    #    prediction has no such n-gram. An occurrence is a match if its number exceeds the highest
    #    count in any reference so far, but not the count in the prediction.
    start = 0
    for reference in range(reference_count):
        # Exceeds all counts of earlier references, which need no clearing.
        none_yet = (reference + 1) << 32
        for i in range(start, reference_ends[reference]):
            node = reference_numbers[i]
            for n in range(min(max_order, reference_ends[reference] - i)):
                if n:
                    slot = _find_node(node, reference_numbers[i + n], nodes, bits, factor)
                    node = nodes[slot + 1]
                if node == 0:
                    break
                count = max(counts[node, 2], none_yet) + 1
                counts[node, 2] = count
                occurrence = count - none_yet
                if counts[node, 1] < occurrence:
                    counts[node, 1] = occurrence
                    matches[n] += occurrence <= counts[node, 0]
        start = reference_ends[reference]


@kernel_helper
def _find_node(parent, token, nodes, bits, factor):
    """Return the index in `nodes` of a node's key, or of an empty slot for it.

    The node is stored after its key.
    """
    key = parent << 32 | token
    slot = _first_slot(key, bits, factor)
    while nodes[2 * slot] and nodes[2 * slot] != key:
        slot = (slot + 1) & ((1 << bits) - 1)
    return 2 * slot
