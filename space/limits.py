"""All limits of the page: what one visitor may ask for, so that no request keeps the machine busy for minutes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

FILE_MEGABYTES = 50  # a file as it is uploaded, and the text in one that is compressed
UPLOAD_MEGABYTES = 300  # what is uploaded in one go
BODY_MEGABYTES = 20  # what a program or a form sends
SENTENCE_MEGABYTES = 1  # the same for one sentence
BODY_VALUES = 300_000  # in a body: texts, numbers, lists
BODY_DEPTH = 12  # lists within lists; of tokens in references in a list of arguments it is 6
TEXT_MEGABYTES = 100  # the text in a compressed file, as the file says
LINE_BYTES = 400_000  # a line of a file
COLUMNS = 100  # of a table
SEGMENTS = 100_000
SEGMENT_CHARACTERS = 100_000  # a text without line breaks takes gigabytes and half a minute
SEARCH_TEXTS = 100_000  # predictions and references together, in a search through all settings
SENTENCE_CHARACTERS = 2_000  # a text that is explained token by token
SYSTEMS = 10
REFERENCES = 20
MAX_ORDER = 10
RESAMPLES = 10_000
RESAMPLED_SEGMENTS = 400_000_000  # segments of all systems by resamples
VALUE_LENGTH = 100  # characters, or values in a list, of what is no prediction and no reference: a name, an option
VALUE_DIGITS = 20
MESSAGE_CHARACTERS = 400
FEW_SEGMENTS = 100  # fewer than that, and an interval comes with a caution
SHOWN_SEGMENTS = 100  # rows of a list of segments
SHOWN_PAIRS = 20  # rows of a list of segments of two systems
SHOWN_POINTS = 1000  # of the chart of segments
SHOWN_NGRAMS = 12  # that one system gets and the other misses
SHOWN_SETTINGS = 20  # settings that give a number; few decimals fit many
SESSIONS = 500  # visitors whose results are kept
QUEUE_SIZE = 100  # requests that wait
CONCURRENT_WORK = 2  # requests that are worked on at once, of all kinds but a sentence that someone types
CONCURRENT_SENTENCES = 4
SECONDS_KEPT = 3600  # uploads, downloads, and the results that a visitor has open

# For Gradio: what scores a corpus waits in one queue, what only shows something in none.
WORK: dict[str, Any] = {"concurrency_limit": CONCURRENT_WORK, "concurrency_id": "work"}
PRIVATE_WORK: dict[str, Any] = {"api_visibility": "private", **WORK}
QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}

SUMMARY = f"""\
Files up to {FILE_MEGABYTES} MB, {SEGMENTS:,} segments of {SEGMENT_CHARACTERS:,} characters, {REFERENCES} references a
segment; {SEARCH_TEXTS:,} texts for a search through all settings. N-grams up to order {MAX_ORDER}, {RESAMPLES:,}
resamples; {SENTENCE_CHARACTERS:,} characters for a single sentence. Nobody else sees what you upload, and it is deleted
within {SECONDS_KEPT // 60} minutes.
"""


class RefusedError(ValueError):
    """A request that the page refuses; the message says what the visitor can change."""


def check_sentence(texts: Sequence[Any]) -> None:
    """Refuse texts that are too long, or too many, to be explained token by token.

    >>> check_sentence(["a" * 2001])
    Traceback (most recent call last):
    space.limits.RefusedError: A text has 2,001 characters; the limit is 2,000: shorten it, or score it as a corpus.
    >>> check_sentence([["a"] * 3000])
    Traceback (most recent call last):
    space.limits.RefusedError: A text has 3,000 tokens; the limit is 2,000: shorten it, or score it as a corpus.
    """
    if len(texts) - 1 > REFERENCES:
        raise RefusedError(f"There are {len(texts) - 1:,} references: give {REFERENCES} at most.")
    for text in texts:
        for unit, size in (("tokens", _count_items(text)), ("characters", _count_characters(text))):
            if size > SENTENCE_CHARACTERS:
                raise RefusedError(
                    f"A text has {size:,} {unit}; the limit is {SENTENCE_CHARACTERS:,}: shorten it, or score it as a"
                    " corpus."
                )


def check_corpus(predictions: Any, references: Any) -> None:
    """Refuse a corpus that is too large; the metric itself rejects anything that isn't a list.

    >>> check_corpus(["a"], [["b"] * 21])
    Traceback (most recent call last):
    space.limits.RefusedError: Segment 1 has 21 references: give 20 at most.
    """
    for name, rows in (("predictions", predictions), ("references", references)):
        if not isinstance(rows, list):
            continue
        if len(rows) > SEGMENTS:
            raise RefusedError(
                f"There are {len(rows):,} {name}; this page takes {SEGMENTS:,}. Score a part of them here, or all of"
                " them with the metric in Python: see About."
            )
        for number, row in enumerate(rows, 1):
            if isinstance(row, str) and len(row) <= SEGMENT_CHARACTERS:
                continue  # as most are, of very many
            _check_segment(number, row if name == "references" and isinstance(row, list) else [row])


def check_systems(systems: Any, references: Any) -> None:
    """Refuse systems that are too many or too large; the metric itself rejects anything that isn't a dict.

    >>> check_systems({number: [] for number in range(11)}, [])
    Traceback (most recent call last):
    space.limits.RefusedError: There are 11 systems: this page compares 10 at most.
    """
    if not isinstance(systems, dict):
        return
    if len(systems) > SYSTEMS:
        raise RefusedError(f"There are {len(systems)} systems: this page compares {SYSTEMS} at most.")
    for name, predictions in systems.items():
        check_value("The name of a system", name)
        check_corpus(predictions, references)


def check_search(predictions: Any, references: Any) -> None:
    """Refuse a search through all settings of a corpus that is too large for that.

    >>> check_search(["a"] * 150_000, ["a"] * 150_000)
    Traceback (most recent call last):
    space.limits.RefusedError: A search takes up to 100,000 texts, and there are 300,000: give a part of them.
    """
    if not isinstance(predictions, list) or not isinstance(references, list):
        return  # the metric itself rejects these
    texts = len(predictions) + sum(len(row) if isinstance(row, list) else 1 for row in references)
    if texts > SEARCH_TEXTS:
        raise RefusedError(
            f"A search takes up to {SEARCH_TEXTS:,} texts, and there are {texts:,}: give a part of them."
        )


def check_resampling(systems: int, segments: int, resamples: Any, advice: str = "") -> None:
    """Refuse resampling that takes too long.

    Args:
        systems, segments: how many there are.
        resamples: how many are asked for.
        advice: what to do about it; to take fewer, unless given.

    >>> check_resampling(10, 100_000, 10_000)
    Traceback (most recent call last):
    space.limits.RefusedError: 10,000 resamples of 1,000,000 segments take too long here: 400 at most.
    """
    count = systems * segments
    if isinstance(resamples, (int, float)) and count * resamples > RESAMPLED_SEGMENTS:
        advice = advice or f"{RESAMPLED_SEGMENTS // count:,} at most"
        raise RefusedError(f"{resamples:,} resamples of {count:,} segments take too long here: {advice}.")


def explain_error(error: Exception) -> str:
    """What to tell a visitor of an error: the metric's and the page's own sentences, and nothing of Python's.

    >>> explain_error(RecursionError("maximum recursion depth exceeded"))
    'This can’t be read: a number is too large, or something is nested too deep.'
    """
    if isinstance(error, RefusedError) or type(error) in (TypeError, ValueError):
        text = str(error)
        return text if len(text) <= MESSAGE_CHARACTERS else f"{text[: MESSAGE_CHARACTERS - 1]}…"
    return "This can’t be read: a number is too large, or something is nested too deep."


def check_value(name: str, value: Any) -> None:
    """Refuse a text, a list or a number that is too long for what it is.

    >>> check_value("reported", "9" * 101)
    Traceback (most recent call last):
    space.limits.RefusedError: reported has 101 characters; it takes 100 at most.
    >>> check_value("weights", [0.1] * 101)
    Traceback (most recent call last):
    space.limits.RefusedError: weights has 101 values; it takes 100 at most.
    """
    if isinstance(value, (str, list, dict)) and len(value) > VALUE_LENGTH:
        unit = "characters" if isinstance(value, str) else "values"
        raise RefusedError(f"{name} has {len(value):,} {unit}; it takes {VALUE_LENGTH} at most.")
    if isinstance(value, int) and abs(value) >= 10**VALUE_DIGITS:
        raise RefusedError(f"{name} has more than {VALUE_DIGITS} digits.")


def check_options(options: Any, names: Collection[str], tokenizers: Sequence[str]) -> None:
    """Refuse options that take too long, and tokenizers that would have to be downloaded.

    Args:
        options: by name.
        names: those that there are; under those of other tools, which the metric understands, limits would be missed.
        tokenizers: those that may be chosen.

    >>> check_options({"tokenize": "flores200"}, ["tokenize"], ["13a", "zh"])
    Traceback (most recent call last):
    space.limits.RefusedError: tokenize='flores200': choose '13a', 'zh'. Others need the metric in Python: see About.
    """
    if not isinstance(options, dict):
        raise RefusedError('The options are an object of names and values, such as {"lowercase": true}.')
    for name, value in options.items():
        check_value("The name of an option", name)
        check_value(name, value)
        if name not in names:
            raise RefusedError(f"There is no option `{name}` here: choose among {', '.join(names)}.")
    if options.get("tokenize", tokenizers[0]) not in tokenizers:
        choices = ", ".join(map(repr, tokenizers))
        raise RefusedError(
            f"tokenize={options['tokenize']!r}: choose {choices}. Others need the metric in Python: see About."
        )
    for name, limit in (("max_order", MAX_ORDER), ("n_resamples", RESAMPLES)):
        value = options.get(name)
        if isinstance(value, (int, float)) and value > limit:
            raise RefusedError(f"{name}: this page goes up to {limit:,}.")


def _check_segment(number: int, texts: Sequence[Any]) -> None:
    if len(texts) > REFERENCES:
        raise RefusedError(f"Segment {number:,} has {len(texts):,} references: give {REFERENCES} at most.")
    longest = max((max(_count_items(text), _count_characters(text)) for text in texts), default=0)
    if longest > SEGMENT_CHARACTERS:
        raise RefusedError(
            f"Segment {number:,} has {longest:,} characters; the limit is {SEGMENT_CHARACTERS:,}. Is there one segment"
            " a line?"
        )


def _count_items(text: Any) -> int:
    return len(text) if isinstance(text, list) else 0


def _count_characters(text: Any) -> int:
    """The characters of a text, or of all its tokens."""
    if isinstance(text, list):
        return sum(len(token) for token in text if isinstance(token, str))
    return len(text) if isinstance(text, str) else 0
