"""All limits of the demo, checked before any work starts: no single request may stop the others.

The checks here apply to parsed values; those of requests are in `gate`. Gradio isn't imported, so
that files can be read without it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

MAX_FILE_MEGABYTES = 25  # of the files in one upload, or of those that one result is made from
MAX_BODY_BYTES = 300_000  # of JSON; larger bodies of brackets take seconds to parse
MAX_LINE_CHARACTERS = 400_000  # of an uploaded file
MAX_COLUMNS = 100  # of an uploaded table
MAX_FILE_SIGNS = 2_000_000  # delimiters or brackets in an uploaded table, and so cells and values
MAX_TEXTS = 500_000  # predictions and references together, in a result that is made from files
MAX_SEGMENTS = 100_000
MAX_SEGMENT_CHARACTERS = 100_000  # a text without line breaks takes gigabytes and half a minute
MAX_SEARCH_TEXTS = 100_000  # predictions and references together, in a search through all settings
MAX_CHECKED_TEXTS = 50_000  # predictions of all systems that are looked at; a few seconds
MAX_CHECKED_CHARACTERS = 5_000_000  # of these with their references
MAX_SENTENCE_CHARACTERS = 2_000  # of a text that is explained token by token
MAX_SENTENCE_TOTAL = 10_000  # characters of a prediction and its references
MAX_SYSTEMS = 30
MAX_REFERENCES = 20
MAX_GROUPS = 100  # different labels
MAX_ORDER = 10
MAX_RESAMPLES = 10_000
MAX_RESAMPLED_SEGMENTS = 1_000_000_000  # segments of all systems, times resamples
MAX_VALUE_LENGTH = 100  # characters or items of a name or an option
MAX_LINK_CHARACTERS = 8_000  # of a result; longer addresses are cut by programs that send them
MAX_LINE_LENGTH = 400  # characters of a line with a score; those of sacreBLEU have 200
MAX_VALUE_DIGITS = 20
MAX_MESSAGE_CHARACTERS = 400
FEW_SEGMENTS = 100  # an interval over fewer segments comes with a caution
SHOWN_SEGMENTS = 100  # rows in the list of one system's segments
SHOWN_PAIRS = 20  # rows in the list of two systems' segments
SHOWN_POINTS = 1000  # points in the chart of two systems
SHOWN_NGRAMS = 12  # distinctive n-grams per system
SHOWN_SETTINGS = 20  # many settings fit a score with few decimals
# Gradio keeps fields and outputs of the last sessions, up to 2 MB each; results are kept in files.
SESSIONS = 100
QUEUE_SIZE = 100  # waiting requests
CONCURRENT_EVENTS = 2  # requests of the page that score no corpus, per kind
CONCURRENT_CORPORA = 2  # requests that score a corpus
SECONDS_TO_WAIT = 30  # for the start of work; a queue of flooders is empty after that
SECONDS_KEPT = 3600  # for uploads, downloads and results

# Settings of Gradio's events. All requests that score a corpus wait in one of Gradio's queues.
EventSettings = dict[str, Any]
WORK: EventSettings = {"concurrency_id": "corpora", "concurrency_limit": CONCURRENT_CORPORA}
# Of several changes the last one wins; by default, Gradio drops all that come before the answer to
# the first.
_PRIVATE: EventSettings = {"api_visibility": "private", "trigger_mode": "always_last"}
PRIVATE_WORK: EventSettings = {**_PRIVATE, **WORK}
QUIET: EventSettings = {**_PRIVATE, "show_progress": "hidden"}

# The folder of all uploads and results. Gradio deletes files that are too old; Python deletes the
# folder when the server stops.
_FOLDER = tempfile.TemporaryDirectory(prefix="bleu-", ignore_cleanup_errors=True)
os.environ["GRADIO_TEMP_DIR"] = _FOLDER.name
# After each event, Gradio would make a table of its last events, for a page that `Gate` does not
# pass on.
os.environ["GRADIO_ANALYTICS_CACHE_FREQUENCY"] = "1_000_000_000"


class RejectedError(ValueError):
    """A request that the demo rejects; the message says what the visitor can change."""

    def __init__(self, message: str, status: int = 413) -> None:
        super().__init__(message)
        self.status = status  # of the HTTP response, if Gradio has not seen the request


# Errors that a visitor can cause; `explain_error` has the message for each.
ERRORS = (TypeError, ValueError, OverflowError, RecursionError, ImportError)


def explain_error(error: Exception) -> str:
    """Return the message to show for an error: its own if the demo or the metric wrote it.

    >>> explain_error(RecursionError("maximum recursion depth exceeded"))
    'This can’t be read: a number is too large, or lists are nested too deeply.'
    """
    # Subclasses such as UnicodeDecodeError are Python's.
    has_message = isinstance(error, RejectedError) or type(error) in (TypeError, ValueError)
    if not has_message:
        return "This can’t be read: a number is too large, or lists are nested too deeply."
    text = str(error)
    if len(text) > MAX_MESSAGE_CHARACTERS:
        return f"{text[: MAX_MESSAGE_CHARACTERS - 1]}…"
    return text


def are_short(texts: Sequence[str]) -> bool:
    """Return whether texts may be looked at while a visitor types."""
    return sum(len(text) for text in texts) <= MAX_SENTENCE_TOTAL


def check_sentence(texts: Sequence[object]) -> None:
    """Reject a prediction and its references if they are too long, or too many.

    A sentence is explained token by token, so its limits are lower than those of a segment.
    """
    references = len(texts) - 1
    if references > MAX_REFERENCES:
        raise RejectedError(f"There are {references:,} references; the limit is {MAX_REFERENCES}.")
    sizes = [_measure(text) for text in texts]
    for size in sizes:
        _check_size(size.tokens, "tokens")
        _check_size(size.characters, "characters")
    total = sum(size.larger for size in sizes)
    if total > MAX_SENTENCE_TOTAL:
        raise RejectedError(
            f"The texts have {total:,} characters together; the limit is {MAX_SENTENCE_TOTAL:,}."
            " Leave a reference out."
        )


def _check_size(size: int, unit: str) -> None:
    if size > MAX_SENTENCE_CHARACTERS:
        raise RejectedError(
            f"A text has {size:,} {unit}; the limit is {MAX_SENTENCE_CHARACTERS:,}."
            " Shorten it, or score it as a corpus."
        )


def check_corpus(predictions: object, references: object) -> None:
    """Reject a corpus that is too large; the metric itself rejects anything but lists."""
    if isinstance(predictions, list):
        _check_rows("predictions", predictions, are_lists_of_texts=False)
    if isinstance(references, list):
        _check_rows("references", references, are_lists_of_texts=True)


def _check_rows(name: str, rows: Sequence[object], *, are_lists_of_texts: bool) -> None:
    """Reject rows that are too many or too large; a list has tokens of a text, or texts."""
    if len(rows) > MAX_SEGMENTS:
        raise RejectedError(
            f"There are {len(rows):,} {name}; the limit is {MAX_SEGMENTS:,}. Score a part of them"
            " here, or all of them with the metric in Python (see About)."
        )
    for number, row in enumerate(rows, 1):
        if isinstance(row, str) and len(row) <= MAX_SEGMENT_CHARACTERS:
            continue  # fast path for most rows
        if are_lists_of_texts and isinstance(row, list):
            _check_segment(number, row)
        else:
            _check_segment(number, [row])


def check_systems(systems: object, references: object) -> None:
    """Reject systems that are too many or too large; the metric rejects anything but a dict."""
    if not isinstance(systems, dict):
        return
    if len(systems) > MAX_SYSTEMS:
        raise RejectedError(f"There are {len(systems)} systems; the limit is {MAX_SYSTEMS}.")
    for name, predictions in systems.items():
        check_value("The name of a system", name)
        check_corpus(predictions, references)


def check_search(predictions: object, references: object) -> None:
    """Reject a corpus that is too large for a search through all settings."""
    if not isinstance(predictions, list) or not isinstance(references, list):
        return  # the metric itself rejects these
    texts = len(predictions)
    for row in references:
        texts += len(row) if isinstance(row, list) else 1
    if texts > MAX_SEARCH_TEXTS:
        raise RejectedError(
            f"A search takes up to {MAX_SEARCH_TEXTS:,} texts, and there are {texts:,}."
            " Search with a part of them."
        )


def check_resampling(systems: int, segments: int, resamples: object, advice: str = "") -> None:
    """Reject resampling that takes too long; without `advice`, advise to choose fewer resamples."""
    if not isinstance(resamples, (int, float)):
        return
    count = systems * segments
    if count * resamples <= MAX_RESAMPLED_SEGMENTS:
        return
    noun = "system" if systems == 1 else "systems"
    corpora = f"{systems} {noun} of {segments:,} lines"
    fix = advice or f"choose up to {MAX_RESAMPLED_SEGMENTS // count:,} in the options"
    raise RejectedError(f"{resamples:,} resamples are too many for {corpora}: {fix}.")


def check_value(name: str, value: object) -> None:
    """Reject a string, a list or a number that is too long for a name or an option."""
    if isinstance(value, (str, list, dict)) and len(value) > MAX_VALUE_LENGTH:
        unit = "characters" if isinstance(value, str) else "values"
        raise RejectedError(f"{name} has {len(value):,} {unit}; the limit is {MAX_VALUE_LENGTH}.")
    if isinstance(value, int) and abs(value) >= 10**MAX_VALUE_DIGITS:
        raise RejectedError(f"{name} has more than {MAX_VALUE_DIGITS} digits.")


def check_line(name: str, value: object) -> None:
    """Reject a line that is longer than those of tools; any other value as `check_value` does."""
    if not isinstance(value, str):
        check_value(name, value)
    elif len(value) > MAX_LINE_LENGTH:
        raise RejectedError(
            f"{name} has {len(value):,} characters; the limit is {MAX_LINE_LENGTH}."
        )


def check_options(options: object, names: Collection[str], tokenizers: Collection[str]) -> None:
    """Reject options that take too long, and names and tokenizers that are not listed.

    Options with other names would bypass the limits.
    """
    if not isinstance(options, dict):
        raise RejectedError(
            'options: expected an object of names and values, such as {"lowercase": true}.'
        )
    for name, value in options.items():
        check_value("The name of an option", name)
        check_value(name, value)
        if name not in names:
            raise RejectedError(f"Unknown option `{name}`. Choose among {', '.join(names)}.")
    if "tokenize" in options and options["tokenize"] not in tokenizers:
        *choices, last_choice = (repr(tokenizer) for tokenizer in tokenizers)
        raise RejectedError(
            f"tokenize={options['tokenize']!r}: choose {', '.join(choices)} or {last_choice}."
            " Others need the metric in Python (see About)."
        )
    _check_number(options, "max_order", MAX_ORDER)
    _check_number(options, "n_resamples", MAX_RESAMPLES)


def _check_number(options: Mapping[str, object], name: str, limit: int) -> None:
    value = options.get(name)
    if isinstance(value, (int, float)) and value > limit:
        raise RejectedError(f"{name}: the limit is {limit:,}.")


def _check_segment(number: int, texts: Sequence[object]) -> None:
    if len(texts) > MAX_REFERENCES:
        raise RejectedError(
            f"Line {number:,} has {len(texts):,} references; the limit is {MAX_REFERENCES}."
        )
    longest = max((_measure(text).larger for text in texts), default=0)
    if longest > MAX_SEGMENT_CHARACTERS:
        raise RejectedError(
            f"Line {number:,} has {longest:,} characters; the limit is"
            f" {MAX_SEGMENT_CHARACTERS:,}. Write one text per line."
        )


class _Size(NamedTuple):
    """The size of a text, whose tokens are counted only if it is a list of them."""

    tokens: int
    characters: int

    @property
    def larger(self) -> int:
        """Return the larger of the two: a list may have a million empty tokens."""
        return max(self.tokens, self.characters)


def _measure(text: object) -> _Size:
    """Return the size of a text; the metric itself rejects anything but texts and lists."""
    if isinstance(text, str):
        return _Size(0, len(text))
    if not isinstance(text, list):
        return _Size(0, 0)
    characters = 0
    for token in text:
        if isinstance(token, str):
            characters += len(token)
    return _Size(len(text), characters)
