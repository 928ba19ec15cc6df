"""Requests of the demo: which paths and bodies pass, and what becomes of the work of one.

`Gate` sees every request before Gradio does, and passes on the paths that the demo uses and bodies
of a limited size.
"""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, TypeVar

from gradio import Error
from gradio.context import LocalContext
from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import limits
from .limits import RejectedError

T = TypeVar("T")

_UPLOAD = "/gradio_api/upload"
# Paths that may be read: the page and its parts, the description of the endpoints, answers, and
# files.
_READ = re.compile(
    r"/|/(config|manifest\.json|favicon\.ico|robots\.txt|theme\.css|pwa_icon(/\d+)?)"
    r"|/(static|assets|svelte)/.*"
    r"|/gradio_api/(info|app_id|openapi\.json|startup-events|upload_progress|queue/(data|status)"
    r"|heartbeat/\w+|file=/.*|call/(v2/)?\w+/\w+)"
)


class _LargestBody(NamedTuple):
    """The largest body of a request in bytes, and the message for a larger one."""

    size: int
    message: str


_LARGEST_UPLOAD = _LargestBody(
    limits.MAX_FILE_MEGABYTES * 1_000_000,
    f"The files have more than {limits.MAX_FILE_MEGABYTES} MB together."
    " Upload a part of them, or use the metric in Python.",
)
_LARGEST_JSON = _LargestBody(
    limits.MAX_BODY_BYTES,
    f"The texts have more than {limits.MAX_BODY_BYTES // 1000} kB."
    " Upload them as files, or use the metric in Python.",
)


class Gate:
    """ASGI middleware that passes on what the demo uses, and rejects bodies that are too large.

    `endpoints` are the names of the functions that programs call.
    """

    def __init__(self, app: ASGIApp, endpoints: Collection[str] = ()) -> None:
        self._app = app
        call = f"call/(v2/)?({'|'.join(endpoints)})"
        self._written = re.compile(
            rf"/gradio_api/(upload|queue/join|cancel|reset|{call})", re.ASCII
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it is within the limits, else send the error."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # the demo has no websockets
            return

        async def send_safely(message: Message) -> None:
            # A browser must not run an uploaded file as a script.
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Content-Type-Options"] = "nosniff"
            await send(message)

        scope["arrived"] = time.monotonic()  # `run` reads it
        try:
            self._check(scope["method"], scope["path"], dict(scope["headers"]))
        except RejectedError as error:
            await _reject(error, scope, receive, send_safely)
            return
        try:
            await self._app(scope, receive, send_safely)
        except RuntimeError as error:
            # Gradio raises it after it has answered that a session is unknown: end the answer.
            if "response already started" not in str(error):
                raise
            await send({"type": "http.response.body"})

    def _check(self, method: str, path: str, headers: Mapping[bytes, bytes]) -> None:
        """Reject a request by its path, or by the size of its body."""
        is_read = method in ("GET", "HEAD") and _READ.fullmatch(path)
        if is_read or method == "OPTIONS":
            return
        if method != "POST" or not self._written.fullmatch(path):
            raise RejectedError("Not Found", 404)
        length = headers.get(b"content-length", b"")
        # A chunked body has no length, whatever else the headers say.
        is_chunked = b"transfer-encoding" in headers
        is_number = length.isdigit() and len(length) <= limits.MAX_VALUE_DIGITS
        if is_chunked or not is_number:
            raise RejectedError("Send the header Content-Length.", 411)
        largest = _LARGEST_UPLOAD if path == _UPLOAD else _LARGEST_JSON
        if int(length) > largest.size:
            raise RejectedError(largest.message)


async def _reject(error: RejectedError, scope: Scope, receive: Receive, send: Send) -> None:
    """Send an error, then read the rest of the body and drop it.

    Many clients read the answer only after they have sent everything.
    """

    async def send_unfinished(message: Message) -> None:
        if message["type"] == "http.response.body":
            await send({**message, "more_body": True})
        else:
            await send(message)

    answer = JSONResponse({"detail": str(error)}, error.status)
    await answer(scope, receive, send_unfinished)
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.body"})


def run(work: Callable[..., T], *arguments: object) -> T:
    """Run the work of a request, unless it has waited for too long.

    An error that is not the visitor's is described, and printed for the owner of the demo.
    """
    wrapped = LocalContext.request.get(None)
    request = wrapped.request if wrapped else None  # of Starlette
    if request:
        waited = time.monotonic() - request.scope["arrived"]
        if waited > limits.SECONDS_TO_WAIT:
            text = f"The demo was busy for {limits.SECONDS_TO_WAIT} seconds. Try again."
            raise Error(text, print_exception=False)
    try:
        return work(*arguments)
    except limits.ERRORS:
        raise
    except Exception as error:
        traceback.print_exc()
        text = "This is an error of the demo, not of your texts. Try other options."
        raise Error(text, print_exception=False) from error
