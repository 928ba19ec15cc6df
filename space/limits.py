"""All limits of the demo, checked before any work starts: no single request may stop the others.

`Gate` sees every request before Gradio does, and passes on the paths that the demo uses and bodies
of a limited size. The other checks apply to parsed values.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from gradio import Error
from gradio.context import LocalContext
from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_FILE_MEGABYTES = 25  # of the files in one upload, or of those that one result is made from
MAX_BODY_BYTES = 300_000  # of JSON; larger bodies of brackets take seconds to parse
MAX_LINE_BYTES = 400_000  # of an uploaded file
MAX_COLUMNS = 100  # of an uploaded table
MAX_FILE_SIGNS = 2_000_000  # delimiters or brackets in an uploaded table, and so cells and values
MAX_TEXTS = 500_000  # predictions and references together, in a result that is made from files
MAX_SEGMENTS = 100_000
MAX_SEGMENT_CHARACTERS = 100_000  # a text without line breaks takes gigabytes and half a minute
MAX_SEARCH_TEXTS = 100_000  # predictions and references together, in a search through all settings
MAX_SENTENCE_CHARACTERS = 2_000  # of a text that is explained token by token
MAX_SENTENCE_TOTAL = 10_000  # characters of a prediction and its references
MAX_SYSTEMS = 10
MAX_REFERENCES = 20
MAX_GROUPS = 100  # different labels
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
SESSIONS = (
    100  # of which Gradio keeps fields and outputs, up to 2 MB each; results are kept in files
)
QUEUE_SIZE = 100  # waiting requests
CONCURRENT_EVENTS = 2  # requests of the page that score no corpus, per kind
CONCURRENT_CORPORA = 2  # requests that score a corpus
SECONDS_TO_WAIT = 30  # for the start of work; a queue of flooders is empty after that
SECONDS_KEPT = 3600  # for uploads, downloads and results

# Settings of Gradio's events. All requests that score a corpus wait in one of Gradio's queues.
WORK: dict[str, Any] = {"concurrency_id": "corpora", "concurrency_limit": CONCURRENT_CORPORA}
# Of several changes the last one wins; by default, Gradio drops all that come before the answer to
# the first.
_PRIVATE: dict[str, Any] = {"api_visibility": "private", "trigger_mode": "always_last"}
PRIVATE_WORK: dict[str, Any] = {**_PRIVATE, **WORK}
QUIET: dict[str, Any] = {**_PRIVATE, "show_progress": "hidden"}

T = TypeVar("T")

# All uploads and results. Gradio deletes files that are too old; Python deletes the folder when the
# server stops.
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
ERRORS = (TypeError, ValueError, OverflowError, RecursionError)


def explain_error(error: Exception) -> str:
    """Return the message to show for an error: messages of the demo and the metric, a generic one for anything else.

    >>> explain_error(RecursionError("maximum recursion depth exceeded"))
    'This can’t be read: a number is too large, or lists are nested too deeply.'
    """
    if isinstance(error, RejectedError) or type(error) in (TypeError, ValueError):
        text = str(error)
        return (
            text
            if len(text) <= MAX_MESSAGE_CHARACTERS
            else f"{text[: MAX_MESSAGE_CHARACTERS - 1]}…"
        )
    return "This can’t be read: a number is too large, or lists are nested too deeply."


def are_short(texts: Sequence[str]) -> bool:
    """Return whether texts may be looked at while a visitor types."""
    return sum(map(len, texts)) <= MAX_SENTENCE_TOTAL


def check_sentence(texts: Sequence[Any]) -> None:
    """Reject a prediction and its references if they are too long, or too many, to be explained token by token."""
    if len(texts) - 1 > MAX_REFERENCES:
        raise RejectedError(
            f"There are {len(texts) - 1:,} references; the limit is {MAX_REFERENCES}."
        )
    total = sum(max(_measure(text)) for text in texts)
    for text in texts:
        for unit, size in zip(("tokens", "characters"), _measure(text)):
            if size > MAX_SENTENCE_CHARACTERS:
                limit = f"{MAX_SENTENCE_CHARACTERS:,}"
                text = f"A text has {size:,} {unit}; the limit is {limit}. Shorten it, or score it as a corpus."
                raise RejectedError(text)
    if total > MAX_SENTENCE_TOTAL:
        raise RejectedError(
            f"The texts have {total:,} characters together; the limit is {MAX_SENTENCE_TOTAL:,}. Leave a reference out."
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
        text = f"A search takes up to {MAX_SEARCH_TEXTS:,} texts, and there are {texts:,}. Search with a part of them."
        raise RejectedError(text)


def check_resampling(systems: int, segments: int, resamples: Any, advice: str = "") -> None:
    """Reject resampling that takes too long; the advice is to choose fewer resamples, unless given."""
    count = systems * segments
    if isinstance(resamples, (int, float)) and count * resamples > MAX_RESAMPLED_SEGMENTS:
        advice = advice or f"choose up to {MAX_RESAMPLED_SEGMENTS // count:,} in the options"
        corpora = f"{systems} system{'s' * (systems != 1)} of {segments:,} segments"
        raise RejectedError(f"{resamples:,} resamples are too many for {corpora}: {advice}.")


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
        raise RejectedError(
            'options: expected an object of names and values, such as {"lowercase": true}.'
        )
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
        raise RejectedError(
            f"Segment {number:,} has {len(texts):,} references; the limit is {MAX_REFERENCES}."
        )
    longest = max((max(_measure(text)) for text in texts), default=0)
    if longest > MAX_SEGMENT_CHARACTERS:
        limit = f"{MAX_SEGMENT_CHARACTERS:,}"
        text = f"Segment {number:,} has {longest:,} characters; the limit is {limit}. Write one segment per line."
        raise RejectedError(text)


def _measure(text: Any) -> tuple[int, int]:
    """Return the number of tokens, if they are a list, and of characters."""
    if isinstance(text, list):
        return len(text), sum(len(token) for token in text if isinstance(token, str))
    return 0, len(text) if isinstance(text, str) else 0


_UPLOAD = "/gradio_api/upload"
# Paths that may be read: the page and its parts, the description of the endpoints, answers, and
# files.
_READ = re.compile(
    r"/|/(config|manifest\.json|favicon\.ico|robots\.txt|theme\.css|pwa_icon(/\d+)?)|/(static|assets|svelte)/.*"
    r"|/gradio_api/(info|openapi\.json|startup-events|upload_progress|queue/(data|status)|heartbeat/\w+|file=/.*"
    r"|call/(v2/)?\w+/\w+)"
)
# The largest bodies in bytes, and the messages for larger ones.
_LARGEST_UPLOAD = (
    MAX_FILE_MEGABYTES * 1_000_000,
    f"The files have more than {MAX_FILE_MEGABYTES} MB together. Upload a part of them, or use the metric in Python.",
)
_LARGEST_JSON = (
    MAX_BODY_BYTES,
    f"The texts have more than {MAX_BODY_BYTES // 1000} kB. Upload them as files, or use the metric in Python.",
)


class Gate:
    """ASGI middleware that passes on what the demo uses, and rejects bodies that are too large.

    `endpoints` are the names of the functions that programs call.
    """

    def __init__(self, app: ASGIApp, endpoints: Collection[str] = ()) -> None:
        self._app = app
        self._written = re.compile(
            rf"/gradio_api/(upload|queue/join|cancel|reset|call/(v2/)?({'|'.join(endpoints)}))",
            re.ASCII,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it is within the limits, else send the error."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        if scope["type"] != "http":  # the demo has no websockets
            return

        async def send_safely(message: Message) -> None:
            if (
                message["type"] == "http.response.start"
            ):  # a browser must not run an uploaded file as a script
                MutableHeaders(scope=message)["X-Content-Type-Options"] = "nosniff"
            await send(message)

        scope["arrived"] = time.monotonic()  # `run` reads it
        try:
            self._check(scope["method"], scope["path"], dict(scope["headers"]))
        except RejectedError as error:
            await _reject(error, scope, receive, send_safely)
        else:
            try:
                await self._app(scope, receive, send_safely)
            except (
                RuntimeError
            ) as error:  # of an answer that has said already that a session is unknown
                if "response already started" not in str(error):
                    raise
                await send({"type": "http.response.body"})

    def _check(self, method: str, path: str, headers: Mapping[bytes, bytes]) -> None:
        """Reject a request by its path, or by the size of its body."""
        if method == "OPTIONS" or (method in ("GET", "HEAD") and _READ.fullmatch(path)):
            return
        if method != "POST" or not self._written.fullmatch(path):
            raise RejectedError("Not Found", 404)
        length = headers.get(b"content-length", b"")
        # A chunked body has no length, whatever else the headers say.
        if (
            b"transfer-encoding" in headers
            or not length.isdigit()
            or len(length) > MAX_VALUE_DIGITS
        ):
            raise RejectedError("Send the header Content-Length.", 411)
        limit, message = _LARGEST_UPLOAD if path == _UPLOAD else _LARGEST_JSON
        if int(length) > limit:
            raise RejectedError(message)


async def _reject(error: RejectedError, scope: Scope, receive: Receive, send: Send) -> None:
    """Send an error, then read the rest of the body and drop it, because many clients read after sending only."""

    async def send_part(message: Message) -> None:
        await send(
            {**message, "more_body": True} if message["type"] == "http.response.body" else message
        )

    await JSONResponse({"detail": str(error)}, error.status)(scope, receive, send_part)
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.body"})


def run(work: Callable[..., T], *arguments: Any) -> T:
    """Run the work of a request, unless it has waited for too long; describe an error that is not the visitor's."""
    wrapped = LocalContext.request.get(None)
    request = wrapped and wrapped.request  # of Starlette
    if request and time.monotonic() - request.scope["arrived"] > SECONDS_TO_WAIT:
        raise Error(
            f"The demo was busy for {SECONDS_TO_WAIT} seconds. Try again.", print_exception=False
        )
    try:
        return work(*arguments)
    except ERRORS:
        raise
    except Exception as error:
        traceback.print_exc()
        raise Error(
            "This is an error of the demo, not of your texts. Try other options.",
            print_exception=False,
        ) from error
