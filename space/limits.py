"""All limits of the demo, checked before any work starts: no request may keep the machine busy for minutes.

`Gate` sees every request before Gradio does, and passes on only what the demo uses. A few megabytes of JSON can hold
millions of values, each of which costs Gradio and the metric more than its bytes do. The other checks apply to parsed
values, and `Lane` limits how much work runs at a time.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import anyio
import numpy as np
from gradio import Error, route_utils
from gradio.context import LocalContext
from starlette.formparsers import MultiPartException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_FILE_MEGABYTES = 25  # of the files in one upload, or of those that one result is made from
MAX_VISITOR_MEGABYTES = 1_000  # that a visitor uploads in `SECONDS_KEPT`
MAX_SERVER_MEGABYTES = 5_000  # that all visitors upload in `SECONDS_KEPT`
MAX_DISK_MEGABYTES = 10_000  # of uploads and results together
MAX_BODY_MEGABYTES = 10  # of a request that is not an upload
MAX_SENTENCE_MEGABYTES = 1  # of a request to /explain
MAX_BODY_VALUES = 300_000  # strings, numbers and lists in a request to an endpoint
MAX_PAGE_VALUES = 1_000  # in a request of the page, which sends a value per field
MAX_FILES = 30  # in an upload
SEARCH_PASSES = 10  # a search through settings takes as long as this number of scores
MAX_SMALL_BYTES = 500_000  # of work that does not wait for large work
MAX_BODY_DEPTH = 12  # of nested lists; references as token lists in a list of arguments have 6
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
SESSIONS = 500  # visitors whose results are kept
QUEUE_SIZE = 100  # waiting requests
CONCURRENT_SENTENCES = 2  # requests of the page that score no corpus, per kind
THREADS = 100  # of Gradio: a request that waits in a lane has one
SECONDS_TO_SEND = 60  # a request
SECONDS_TO_WAIT = 4  # for a place, before a large request is rejected
SECONDS_KEPT = 3600  # for uploads, downloads and open results

# Settings of Gradio's events. The requests that score wait in a `Lane`, not in Gradio's queues.
WORK: dict[str, Any] = {"concurrency_limit": None}
PRIVATE_WORK: dict[str, Any] = {"api_visibility": "private", **WORK}
QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}

SUMMARY = f"""\
Files up to {MAX_FILE_MEGABYTES} MB together, {MAX_SEGMENTS:,} segments of {MAX_SEGMENT_CHARACTERS:,} characters,
{MAX_REFERENCES} references per segment; {MAX_SEARCH_TEXTS:,} texts for a search through all settings. N-grams up to
order {MAX_ORDER}, {MAX_RESAMPLES:,} resamples; {MAX_SENTENCE_CHARACTERS:,} characters for a single sentence, and
{MAX_SENTENCE_TOTAL:,} for a sentence and its references. No other visitor sees your files, which are deleted within
{SECONDS_KEPT // 60} minutes.
"""

T = TypeVar("T")

# All uploads and results. Gradio deletes files that are too old; Python deletes the folder when the server stops.
_FOLDER = tempfile.TemporaryDirectory(prefix="bleu-", ignore_cleanup_errors=True)
os.environ["GRADIO_TEMP_DIR"] = _FOLDER.name


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
    'This can’t be read: a number is too large, or something is nested too deep.'
    """
    if isinstance(error, RejectedError) or type(error) in (TypeError, ValueError):
        text = str(error)
        return text if len(text) <= MAX_MESSAGE_CHARACTERS else f"{text[: MAX_MESSAGE_CHARACTERS - 1]}…"
    return "This can’t be read: a number is too large, or something is nested too deep."


def are_short(texts: Sequence[str]) -> bool:
    """Return whether texts may be looked at while a visitor types."""
    return sum(map(len, texts)) <= MAX_SENTENCE_TOTAL


def check_sentence(texts: Sequence[Any]) -> None:
    """Reject a prediction and its references if they are too long, or too many, to be explained token by token."""
    if len(texts) - 1 > MAX_REFERENCES:
        raise RejectedError(f"There are {len(texts) - 1:,} references; the limit is {MAX_REFERENCES}.")
    total = sum(max(_measure(text)) for text in texts)
    for text in texts:
        for unit, size in zip(("tokens", "characters"), _measure(text)):
            if size > MAX_SENTENCE_CHARACTERS:
                limit = f"{MAX_SENTENCE_CHARACTERS:,}"
                raise RejectedError(
                    f"A text has {size:,} {unit}; the limit is {limit}. Shorten it, or score it as a corpus."
                )
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
        raise RejectedError(
            f"A search takes up to {MAX_SEARCH_TEXTS:,} texts, and there are {texts:,}. Search with a part of them."
        )


def check_resampling(systems: int, segments: int, resamples: Any, advice: str = "") -> None:
    """Reject resampling that takes too long; the advice is to choose fewer resamples, unless given."""
    count = systems * segments
    if isinstance(resamples, (int, float)) and count * resamples > MAX_RESAMPLED_SEGMENTS:
        advice = advice or f"choose up to {MAX_RESAMPLED_SEGMENTS // count:,} in the options"
        corpora = f"{systems} system{'s' * (systems != 1)} of {segments:,} segments"
        raise RejectedError(f"{resamples:,} resamples are too many for {corpora}: {advice}.")


def check_disk() -> None:
    """Reject work whose result would be one too many to keep; files that are too old are deleted first."""
    size = 0
    for path in Path(_FOLDER.name).rglob("*"):
        with suppress(FileNotFoundError):  # Gradio deletes files as well
            status = path.lstat()
            if stat.S_ISREG(status.st_mode) and time.time() - status.st_mtime > SECONDS_KEPT:
                path.unlink()
            elif stat.S_ISREG(status.st_mode):
                size += status.st_size
    if size > MAX_DISK_MEGABYTES * 1_000_000:
        raise RejectedError("The demo keeps too many results already. Try again in an hour.")


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


_UPLOAD, _JOIN, _CALL = "/gradio_api/upload", "/gradio_api/queue/join", "/gradio_api/call/"
# What may be read: the page and its parts, the description of the endpoints, answers, and files by their paths.
_READABLE = re.compile(
    r"/|/(preview\.png|config|manifest\.json|favicon\.ico|robots\.txt|theme\.css|pwa_icon(/\d+)?)|/(static|assets|svelte)/.*"
    r"|/gradio_api/(info|openapi\.json|startup-events|upload_progress|queue/(data|status)|heartbeat/\w+|file=/.*"
    r"|call/(v2/)?\w+/\w+)"
)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_DRAINED_MEGABYTES = 80  # of a rejected request are read, because clients read the answer only after sending
_UPLOAD_COST = 100_000  # bytes that an upload counts for at least, because its files have names and folders


class Gate:
    """ASGI middleware that passes on what the demo uses, and rejects bodies that are too large or hold too many values.

    `endpoints` are the names of the functions that programs call; the page calls all others.
    """

    def __init__(self, app: ASGIApp, endpoints: Collection[str] = ()) -> None:
        self._app = app
        self._endpoints = endpoints
        calls = [f"{_CALL}{version}{name}" for name in endpoints for version in ("", "v2/")]
        self._megabytes: dict[str, float] = {_UPLOAD: MAX_FILE_MEGABYTES, **dict.fromkeys(calls, MAX_BODY_MEGABYTES)}
        self._megabytes |= {_JOIN: MAX_BODY_MEGABYTES, "/gradio_api/cancel": 0.01, "/gradio_api/reset": 0.01}
        self._megabytes |= {path: MAX_SENTENCE_MEGABYTES for path in calls if path.endswith("/explain")}
        self._uploads: list[_Upload] = []  # in the last `SECONDS_KEPT`

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it is within the limits, else send the error."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # the demo has no websockets
            return
        scope["client"] = (_find_client(scope), 0)  # `run` reads it
        try:
            if scope["method"] == "POST":
                await self._post(scope, receive, send)
            elif scope["method"] == "OPTIONS" or (
                scope["method"] in ("GET", "HEAD") and _READABLE.fullmatch(scope["path"])
            ):
                await self._app(scope, receive, send)
            else:
                raise RejectedError("Not Found", 404)
        except RejectedError as error:
            await JSONResponse({"detail": str(error)}, error.status)(scope, receive, send)

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, client = scope["path"], scope["client"][0]
        with ExitStack() as places:
            try:
                size = self._check_headers(path, client, dict(scope["headers"]).get(b"content-length", b""))
                if size > MAX_SMALL_BYTES and path != _UPLOAD:
                    await _LARGE_WORK.wait_for_place(client)  # before anything of the request is read
                    places.enter_context(_LARGE_WORK.hold_place(client))
            except RejectedError:
                await _read_body(receive, keep=False)
                raise
            if path == _UPLOAD:
                await self._app(scope, *_read_all(receive, send))
                return
            body = await _read_body(receive)
            await anyio.to_thread.run_sync(self._check_json, scope, body)
            await self._app(scope, _replay(body, receive), send)

    def _check_headers(self, path: str, client: str, length: bytes) -> int:
        """Return the size of a request, or reject it by its path and its size."""
        if path not in self._megabytes:
            raise RejectedError("Not Found", 404)
        if not length.isdigit() or len(length) > MAX_VALUE_DIGITS:
            raise RejectedError("Send the header Content-Length.", 411)
        check_size(int(length), self._megabytes[path])
        if path == _UPLOAD:
            self._check_uploads(_Upload(time.monotonic(), client, max(int(length), _UPLOAD_COST)))
        return int(length)

    def _check_uploads(self, upload: _Upload) -> None:
        """Reject an upload if the visitor, or all visitors, have uploaded too much."""
        self._uploads = [one for one in self._uploads if upload.seconds - one.seconds < SECONDS_KEPT]
        of_visitor = [one for one in self._uploads if one.client == upload.client]
        for uploads, megabytes in ((of_visitor, MAX_VISITOR_MEGABYTES), (self._uploads, MAX_SERVER_MEGABYTES)):
            if sum(one.size for one in [*uploads, upload]) > megabytes * 1_000_000:
                raise RejectedError(f"More than {megabytes:,} MB were uploaded within an hour. Try again later.", 429)
        self._uploads.append(upload)

    def _check_json(self, scope: Scope, body: bytes) -> None:
        """Reject a body that has too many values, or is not what Gradio expects."""
        values = check_body(body)
        try:
            parsed = json.loads(body)
        except ValueError as error:  # not JSON, or an integer of thousands of digits
            raise RejectedError(
                f"This is not JSON, or has a number that is too large ({str(error)[:100]}).", 422
            ) from None
        if not isinstance(parsed, dict):
            raise RejectedError('Expected an object such as {"data": []}.', 422)
        if scope["path"].startswith(f"{_CALL}v2/") or values <= MAX_PAGE_VALUES:
            return
        # Many values belong in the data, and only endpoints take them; Gradio would repeat anything else in its errors.
        others = [value for name, value in parsed.items() if name != "data"]
        if any(isinstance(value, (list, dict)) for value in others) or not isinstance(parsed.get("data"), list):
            raise RejectedError('Expected an object such as {"data": []}.', 422)
        if scope["path"] == _JOIN:
            function = scope["app"].get_blocks().fns.get(parsed.get("fn_index"))
            if function is None or function.api_name not in self._endpoints:
                _check_count(values, MAX_PAGE_VALUES)


class _Upload(NamedTuple):
    seconds: float
    client: str
    size: int


def check_size(size: int, megabytes: float) -> None:
    """Reject a request that is larger than a given number of megabytes."""
    if size > megabytes * 1_000_000:
        raise RejectedError(f"This is more than {megabytes} MB, the limit for one request. Send a part of it.")


def check_body(body: bytes) -> int:
    """Return the number of values in JSON, or reject it if it has too many, or is nested too deep."""
    _check_count((body.count(b'"') - body.count(b'\\"')) // 2)  # strings first: counting them is fast
    signs = _drop_strings(body)
    values = signs.count(b",") + signs.count(b"[") + signs.count(b"{")
    _check_count(values)
    brackets = np.frombuffer(signs.translate(None, _NO_BRACKETS), np.uint8)
    steps = np.where((brackets == ord("[")) | (brackets == ord("{")), 1, -1)
    depth = int(np.cumsum(steps).max(initial=0))
    if depth > MAX_BODY_DEPTH:
        raise RejectedError(f"The lists in this request are nested {depth:,} deep; the limit is {MAX_BODY_DEPTH}.")
    return values


def _check_count(values: int, limit: int = MAX_BODY_VALUES) -> None:
    if values > limit:
        raise RejectedError(
            f"There are {values:,} values in this request; the limit is {limit:,}. Send a part of them."
        )


def _drop_strings(body: bytes) -> bytes:
    """Return JSON without its strings.

    >>> _drop_strings(b'["a, \\\\"b\\\\", c", 1]')
    b'[, 1]'
    """
    return b"".join(body.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2])


def _find_client(scope: Scope) -> str:
    """Return the address of a client; the proxy of a Space passes it on. A false one evades no limit of the server."""
    forwarded = dict(scope["headers"]).get(b"x-forwarded-for") if os.environ.get("SPACE_ID") else None
    return forwarded.split(b",")[0].decode("latin-1") if forwarded else str((scope.get("client") or [""])[0])


async def _read_body(receive: Receive, keep: bool = True) -> bytes:
    """Read a body, or read and discard it, because clients read the answer only after sending."""
    parts, size, is_more = [], 0, True
    with anyio.move_on_after(SECONDS_TO_SEND) as scope:
        while is_more and size <= _DRAINED_MEGABYTES * 1_000_000:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RejectedError("The request is not complete.", 400)
            size += len(message.get("body", b""))
            is_more = message.get("more_body", False)
            if keep:
                parts.append(message.get("body", b""))
    if keep and scope.cancelled_caught:
        raise RejectedError(f"The request was not complete after {SECONDS_TO_SEND} seconds.", 408)
    return b"".join(parts)


def _read_all(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """Return a `receive`, and a `send` that reads the rest of the body first, if the app has not."""
    is_more = True

    async def receive_part() -> Message:
        nonlocal is_more
        message = await receive()
        is_more = message.get("more_body", False)
        return message

    async def send_last(message: Message) -> None:
        nonlocal is_more
        if is_more:
            is_more = False
            await _read_body(receive, keep=False)
        await send(message)

    return receive_part, send_last


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that has the whole body as its first message."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


class _FilesParser(route_utils.GradioMultiPartParser):
    """Gradio's parser of uploads, for files only: it would hold other fields in memory, and copy them many times."""

    def on_headers_finished(self) -> None:
        """Reject a part that is not a file, or one file too many."""
        super().on_headers_finished()
        if self._current_part.file is None or self._current_files > MAX_FILES:
            raise MultiPartException(f"Upload up to {MAX_FILES} files at a time, without other fields.")


route_utils.GradioMultiPartParser = _FilesParser  # type: ignore[misc] # Gradio has no setting for it


class Lane:
    """A queue of work: few requests run at a time, and each client may have some waiting."""

    def __init__(self, name: str, running: int, per_client: int, waiting: int) -> None:
        self._name = name
        self._threads = anyio.CapacityLimiter(running)
        self._per_client = per_client
        self._most = waiting
        self._waiting: Counter[str] = Counter()

    def _is_full(self, client: str) -> bool:
        return self._waiting[client] >= self._per_client or self._waiting.total() >= self._most

    async def wait_for_place(self, client: str) -> None:
        """Wait some seconds for a place; a client that asks again and again is slowed down."""
        deadline = time.monotonic() + SECONDS_TO_WAIT
        while self._is_full(client) and time.monotonic() < deadline:
            await anyio.sleep(0.1)

    @contextmanager
    def hold_place(self, client: str) -> Iterator[None]:
        """Count a request as waiting, or reject it if too many are."""
        if self._is_full(client):
            message = f"The demo is busy with {self._name} requests. Wait for yours, or try again later."
            raise RejectedError(message, 503)
        self._waiting[client] += 1
        try:
            yield
        finally:
            self._waiting[client] -= 1
            self._waiting += Counter()  # drops clients without requests

    async def run(self, work: Callable[[], T], client: str) -> T:
        """Run work in a thread when it is its turn."""
        with self.hold_place(client):
            return await anyio.to_thread.run_sync(work, limiter=self._threads)


_SMALL_WORK = Lane("small", running=2, per_client=30, waiting=60)
_LARGE_WORK = Lane("large", running=1, per_client=2, waiting=8)


async def run(work: Callable[[], T], size: int = 0, options: Any = None, passes: int = 1) -> T:
    """Run the work of a request in a thread when it is its turn.

    `size` is its bytes that are not in the request; `passes` is how many times slower than a score the work is.
    """
    request = LocalContext.request.get(None)
    resamples = options.get("n_resamples") if isinstance(options, dict) else None
    repeats = max(1, min(resamples, MAX_RESAMPLES) / 1000) if isinstance(resamples, (int, float)) else 1
    size += int(request.headers["content-length"]) if request else 0
    lane = _SMALL_WORK if size * repeats * passes <= MAX_SMALL_BYTES else _LARGE_WORK
    try:
        return await lane.run(work, request.client.host if request else "")
    except ERRORS:
        raise
    except Exception as error:  # Gradio would show the word "Error" alone
        traceback.print_exc()
        raise Error(
            "This is an error of the demo, not of your texts. Try other options.", print_exception=False
        ) from error
