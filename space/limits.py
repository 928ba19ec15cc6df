"""All limits of the page: what one visitor may ask for, so that no request keeps the machine busy for minutes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

FILE_MEGABYTES = 50  # a file as it is uploaded
TEXT_MEGABYTES = 100  # the text in a compressed file
SEGMENTS = 100_000
SEGMENT_CHARACTERS = 100_000  # a text without line breaks takes gigabytes and half a minute
SEARCH_TEXTS = 100_000  # predictions and references together, in a search through all settings
SENTENCE_CHARACTERS = 2_000  # a text that is explained token by token
REFERENCES = 20
MAX_ORDER = 10
RESAMPLES = 10_000
SHOWN_SEGMENTS = 500  # rows of the table of segments, from each end
SHOWN_PAIRS = 10  # segments shown side by side
SHOWN_SETTINGS = 20  # settings that give a number; few decimals fit many
QUEUE_SIZE = 100  # requests that wait
CONCURRENT_REQUESTS = 4  # of one kind
SECONDS_KEPT = 3600  # uploads, downloads, and the results that a visitor has open

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
    """
    longest = max((len(text) for text in texts if isinstance(text, str)), default=0)
    if longest > SENTENCE_CHARACTERS:
        raise RefusedError(
            f"A text has {longest:,} characters; the limit is {SENTENCE_CHARACTERS:,}: shorten it, or score it as a"
            " corpus."
        )
    if len(texts) - 1 > REFERENCES:
        raise RefusedError(f"There are {len(texts) - 1} references: give {REFERENCES} at most.")


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
            _check_segment(number, row if name == "references" and isinstance(row, list) else [row])


def check_systems(systems: Any, references: Any) -> None:
    """Refuse systems that are too many or too large; the metric itself rejects anything that isn't a dict.

    >>> check_systems({"A": [], "B": [], "C": []}, [])
    Traceback (most recent call last):
    space.limits.RefusedError: There are 3 systems: this page compares two.
    """
    if not isinstance(systems, dict):
        return
    if len(systems) > 2:
        raise RefusedError(f"There are {len(systems)} systems: this page compares two.")
    for predictions in systems.values():
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


def check_options(options: Any, tokenizers: Sequence[str]) -> None:
    """Refuse options that take too long, and tokenizers that would have to be downloaded.

    >>> check_options({"tokenize": "flores200"}, ["13a", "zh"])
    Traceback (most recent call last):
    space.limits.RefusedError: tokenize='flores200': choose '13a', 'zh'. Others need the metric in Python: see About.
    """
    if not isinstance(options, dict):
        raise RefusedError('The options are an object of names and values, such as {"lowercase": true}.')
    if options.get("tokenize", tokenizers[0]) not in tokenizers:
        choices = ", ".join(map(repr, tokenizers))
        raise RefusedError(
            f"tokenize={options['tokenize']!r}: choose {choices}. Others need the metric in Python: see About."
        )
    for name, limit in (("max_order", MAX_ORDER), ("n_resamples", RESAMPLES)):
        value = options.get(name)
        if isinstance(value, (int, float)) and value > limit:
            raise RefusedError(f"{name}={value!r}: this page goes up to {limit:,}.")


def _check_segment(number: int, texts: Sequence[Any]) -> None:
    if len(texts) > REFERENCES:
        raise RefusedError(f"Segment {number} has {len(texts)} references: give {REFERENCES} at most.")
    longest = max((len(text) for text in texts if isinstance(text, (str, list))), default=0)
    if longest > SEGMENT_CHARACTERS:
        raise RefusedError(
            f"Segment {number} has {longest:,} characters; the limit is {SEGMENT_CHARACTERS:,}. Is there one segment"
            " a line?"
        )
