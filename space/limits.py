"""All limits of the demo, checked before any work starts: no request may keep the machine busy for minutes.

`Gate` checks the body of a request before anything parses it, because a few megabytes of JSON can hold millions of
values, each of which costs Gradio and the metric more than its bytes do. The other checks apply to parsed values.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_FILE_MEGABYTES = 50
MAX_UPLOAD_MEGABYTES = 300  # of all files in one request
MAX_BODY_MEGABYTES = 20  # of any other request
MAX_SENTENCE_MEGABYTES = 1  # of a request to /explain
MAX_BODY_VALUES = 300_000  # strings, numbers and lists in a request
MAX_BODY_DEPTH = 12  # of nested lists; references as token lists in a list of arguments have 6
MAX_LINE_BYTES = 400_000  # of an uploaded file
MAX_COLUMNS = 100  # of an uploaded table
MAX_SEGMENTS = 100_000
MAX_SEGMENT_CHARACTERS = 100_000  # a text without line breaks takes gigabytes and half a minute
MAX_SEARCH_TEXTS = 100_000  # predictions and references together, in a search through all settings
MAX_SENTENCE_CHARACTERS = 2_000  # of a text that is explained token by token
MAX_SYSTEMS = 10
MAX_REFERENCES = 20
MAX_ORDER = 10
MAX_RESAMPLES = 10_000
MAX_RESAMPLED_SEGMENTS = 400_000_000  # segments of all systems, times resamples
MAX_VALUE_LENGTH = 100  # characters or items of a name or an option
MAX_VALUE_DIGITS = 20
MAX_MESSAGE_CHARACTERS = 400
FEW_SEGMENTS = 100  # an interval over fewer segments comes with a caution
SHOWN_SEGMENTS = 100  # rows in the list of one system's segments
SHOWN_PAIRS = 20  # rows in the list of two systems' segments
SHOWN_POINTS = 1000  # points in the chart of two systems
SHOWN_NGRAMS = 12  # distinctive n-grams per system
SHOWN_SETTINGS = 20  # many settings fit a score with few decimals
SESSIONS = 500  # visitors whose results are kept
QUEUE_SIZE = 100  # waiting requests
CONCURRENT_WORK = 2  # requests that score a corpus
CONCURRENT_SENTENCES = 4
SECONDS_KEPT = 3600  # for uploads, downloads and open results

# Settings of Gradio's events: requests that score a corpus share one queue; all other requests run without a queue.
WORK: dict[str, Any] = {"concurrency_limit": CONCURRENT_WORK, "concurrency_id": "work"}
PRIVATE_WORK: dict[str, Any] = {"api_visibility": "private", **WORK}
QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}

SUMMARY = f"""\
Files up to {MAX_FILE_MEGABYTES} MB, {MAX_SEGMENTS:,} segments of {MAX_SEGMENT_CHARACTERS:,} characters,
{MAX_REFERENCES} references per segment; {MAX_SEARCH_TEXTS:,} texts for a search through all settings. N-grams up to
order {MAX_ORDER}, {MAX_RESAMPLES:,} resamples; {MAX_SENTENCE_CHARACTERS:,} characters for a single sentence. No
other visitor sees your files, which are deleted within {SECONDS_KEPT // 60} minutes.
"""

_UPLOAD = "/upload"
_MEGABYTES = {_UPLOAD: MAX_UPLOAD_MEGABYTES, "/explain": MAX_SENTENCE_MEGABYTES}  # by the end of a path
_DRAINED = 20  # multiple of the limit after which reading an oversized body stops


class RejectedError(ValueError):
    """A request that the demo rejects; the message says what the visitor can change."""


# Errors that a visitor can cause; `explain_error` has the message for each.
ERRORS = (TypeError, ValueError, OverflowError, RecursionError)


def explain_error(error: Exception) -> str:
    """Return the message to show for an error: messages of the demo and the metric, a generic one for anything else.

    >>> explain_error(RecursionError("maximum recursion depth exceeded"))
    'This can’t be read: a number is too large, or something is nested too deep.'
    """
    if isinstance(error, RejectedError) or type(error) in (TypeError, ValueError):
        text = str(error)
        return text if len(text) <= MAX_MESSAGE_CHARACTERS else f"{text[: MAX_MESSAGE_CHARACTERS - 1]}…"
    return "This can’t be read: a number is too large, or something is nested too deep."


def check_sentence(texts: Sequence[Any]) -> None:
    """Reject a prediction and its references if they are too long, or too many, to be explained token by token."""
    if len(texts) - 1 > MAX_REFERENCES:
        raise RejectedError(f"There are {len(texts) - 1:,} references; the limit is {MAX_REFERENCES}.")
    for text in texts:
        for unit, size in zip(("tokens", "characters"), _measure(text)):
            if size > MAX_SENTENCE_CHARACTERS:
                limit = f"{MAX_SENTENCE_CHARACTERS:,}"
                raise RejectedError(
                    f"A text has {size:,} {unit}; the limit is {limit}. Shorten it, or score it as a corpus."
                )


def check_corpus(predictions: Any, references: Any) -> None:
    """Reject a corpus that is too large; the metric itself rejects anything but lists."""
    for name, rows in (("predictions", predictions), ("references", references)):
        if not isinstance(rows, list):
            continue
        if len(rows) > MAX_SEGMENTS:
            raise RejectedError(
                f"There are {len(rows):,} {name}; the limit is {MAX_SEGMENTS:,}. Score a part of them here, or all of"
                " them with the metric in Python (see About)."
            )
        for number, row in enumerate(rows, 1):
            if isinstance(row, str) and len(row) <= MAX_SEGMENT_CHARACTERS:
                continue  # fast path for most rows
            _check_segment(number, row if name == "references" and isinstance(row, list) else [row])


def check_systems(systems: Any, references: Any) -> None:
    """Reject systems that are too many or too large; the metric itself rejects anything but a dict."""
    if not isinstance(systems, dict):
        return
    if len(systems) > MAX_SYSTEMS:
        raise RejectedError(f"There are {len(systems)} systems; the limit is {MAX_SYSTEMS}.")
    for name, predictions in systems.items():
        check_value("The name of a system", name)
        check_corpus(predictions, references)


def check_search(predictions: Any, references: Any) -> None:
    """Reject a corpus that is too large for a search through all settings."""
    if not isinstance(predictions, list) or not isinstance(references, list):
        return  # the metric itself rejects these
    texts = len(predictions) + sum(len(row) if isinstance(row, list) else 1 for row in references)
    if texts > MAX_SEARCH_TEXTS:
        raise RejectedError(
            f"A search takes up to {MAX_SEARCH_TEXTS:,} texts, and there are {texts:,}. Search with a part of them."
        )


def check_resampling(systems: int, segments: int, resamples: Any, advice: str = "") -> None:
    """Reject resampling that takes too long; the advice is to take fewer resamples, unless given."""
    count = systems * segments
    if isinstance(resamples, (int, float)) and count * resamples > MAX_RESAMPLED_SEGMENTS:
        advice = advice or f"{MAX_RESAMPLED_SEGMENTS // count:,} at most"
        raise RejectedError(f"{resamples:,} resamples of {count:,} segments take too long here: {advice}.")


def check_value(name: str, value: Any) -> None:
    """Reject a string, a list or a number that is too long for a name or an option."""
    if isinstance(value, (str, list, dict)) and len(value) > MAX_VALUE_LENGTH:
        unit = "characters" if isinstance(value, str) else "values"
        raise RejectedError(f"{name} has {len(value):,} {unit}; the limit is {MAX_VALUE_LENGTH}.")
    if isinstance(value, int) and abs(value) >= 10**MAX_VALUE_DIGITS:
        raise RejectedError(f"{name} has more than {MAX_VALUE_DIGITS} digits.")


def check_options(options: Any, names: Collection[str], tokenizers: Collection[str]) -> None:
    """Reject options that take too long, names other than `names`, which would bypass the limits, and tokenizers."""
    if not isinstance(options, dict):
        raise RejectedError('options: expected an object of names and values, such as {"lowercase": true}.')
    for name, value in options.items():
        check_value("The name of an option", name)
        check_value(name, value)
        if name not in names:
            raise RejectedError(f"Unknown option `{name}`. Choose among {', '.join(names)}.")
    if "tokenize" in options and options["tokenize"] not in tokenizers:
        *first, last = map(repr, tokenizers)
        raise RejectedError(
            f"tokenize={options['tokenize']!r}: choose {', '.join(first)} or {last}. Others need the metric in Python"
            " (see About)."
        )
    for name, limit in (("max_order", MAX_ORDER), ("n_resamples", MAX_RESAMPLES)):
        value = options.get(name)
        if isinstance(value, (int, float)) and value > limit:
            raise RejectedError(f"{name}: the limit is {limit:,}.")


def _check_segment(number: int, texts: Sequence[Any]) -> None:
    if len(texts) > MAX_REFERENCES:
        raise RejectedError(f"Segment {number:,} has {len(texts):,} references; the limit is {MAX_REFERENCES}.")
    longest = max((max(_measure(text)) for text in texts), default=0)
    if longest > MAX_SEGMENT_CHARACTERS:
        limit = f"{MAX_SEGMENT_CHARACTERS:,}"
        raise RejectedError(
            f"Segment {number:,} has {longest:,} characters; the limit is {limit}. Write one segment per line."
        )


def _measure(text: Any) -> tuple[int, int]:
    """Return the number of tokens, if they are a list, and of characters."""
    if isinstance(text, list):
        return len(text), sum(len(token) for token in text if isinstance(token, str))
    return 0, len(text) if isinstance(text, str) else 0


class Gate:
    """ASGI middleware that rejects request bodies that are too large, or hold too many values."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it is within the limits, else send the error."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        megabytes = next((most for end, most in _MEGABYTES.items() if scope["path"].endswith(end)), MAX_BODY_MEGABYTES)
        length = dict(scope["headers"]).get(b"content-length", b"0")
        declared = int(length) if length.isdigit() else 0
        try:
            if scope["path"].endswith(_UPLOAD) and declared <= megabytes * 1_000_000:
                await self._app(scope, _limit_bytes(receive, megabytes), send)
            else:
                body = await _read_body(receive, megabytes, declared)
                check_body(body)
                await self._app(scope, _replay(body, receive), send)
        except RejectedError as error:
            await JSONResponse({"detail": str(error)}, 413)(scope, receive, send)


def check_size(size: int, megabytes: int) -> None:
    """Reject a request that is larger than a given number of megabytes."""
    if size > megabytes * 1_000_000:
        raise RejectedError(f"This is more than {megabytes} MB, the limit for one request. Send a part of it.")


def check_body(body: bytes) -> None:
    """Reject JSON that has too many values, or is nested too deep."""
    if body.count(b",") + body.count(b"[") + body.count(b"{") < MAX_BODY_DEPTH:
        return
    _check_count((body.count(b'"') - body.count(b'\\"')) // 2)  # strings first: counting them is fast
    signs = np.frombuffer(_drop_strings(body), np.uint8)
    _check_count(int(np.count_nonzero(signs == ord(","))))
    opening = np.isin(signs, (ord("["), ord("{"))).astype(np.int32)
    depth = int(np.cumsum(opening - np.isin(signs, (ord("]"), ord("}")))).max(initial=0))
    if depth > MAX_BODY_DEPTH:
        raise RejectedError(f"The lists in this request are nested {depth:,} deep; the limit is {MAX_BODY_DEPTH}.")


def _check_count(values: int) -> None:
    if values > MAX_BODY_VALUES:
        raise RejectedError(
            f"There are {values:,} values in this request; the limit is {MAX_BODY_VALUES:,}. Send a part of them."
        )


def _drop_strings(body: bytes) -> bytes:
    """Return JSON without its strings.

    >>> _drop_strings(b'["a, \\\\"b\\\\", c", 1]')
    b'[, 1]'
    """
    return b"".join(body.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2])


async def _read_body(receive: Receive, megabytes: int, declared: int) -> bytes:
    """Read a body. An oversized body is drained but discarded, because clients read the answer only after sending."""
    parts, size, limit, is_more = [], 0, megabytes * 1_000_000, True
    while is_more and size <= _DRAINED * limit:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if max(size, declared) > limit:
            parts.clear()
        is_more = message.get("more_body", False)
    check_size(max(size, declared), megabytes)
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that has the whole body as its first message."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


def _limit_bytes(receive: Receive, megabytes: int) -> Receive:
    """Return a `receive` that counts bytes, because the declared length may be wrong."""
    size = 0

    async def count() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        check_size(size, megabytes)
        return message

    return count
