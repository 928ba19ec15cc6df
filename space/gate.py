"""The first look at a request's body, before anything parses it: its size, and how much there is in it.

A few megabytes of JSON can hold millions of values, each of which costs Gradio and the metric more than its bytes do.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import numpy as np

from .limits import BODY_DEPTH, BODY_MEGABYTES, BODY_VALUES, SENTENCE_MEGABYTES, UPLOAD_MEGABYTES, RefusedError

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


_UPLOAD = "/upload"
_PATIENCE = 20  # times the limit: beyond that a connection is cut
_MEGABYTES = {_UPLOAD: UPLOAD_MEGABYTES, "/explain": SENTENCE_MEGABYTES}  # by how a path ends


class Gate:
    """ASGI middleware that refuses bodies that are too large, or hold too much, with a sentence."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it is within the limits."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        megabytes = next((most for end, most in _MEGABYTES.items() if scope["path"].endswith(end)), BODY_MEGABYTES)
        try:
            if scope["path"].endswith(_UPLOAD) and _read_length(scope) <= megabytes * 1_000_000:
                await self._app(scope, _count_bytes(receive, megabytes), send)
            else:
                body = await _read_body(receive, megabytes, _read_length(scope))
                check_body(body)
                await self._app(scope, _replay(body, receive), send)
        except RefusedError as error:
            await _refuse(str(error), send)


def check_size(size: int, megabytes: int) -> None:
    """Refuse what is larger than so many megabytes.

    >>> check_size(21_000_000, 20)
    Traceback (most recent call last):
    space.limits.RefusedError: This is more than 20 MB, which is what this page takes at once: send a part of it.
    """
    if size > megabytes * 1_000_000:
        raise RefusedError(
            f"This is more than {megabytes} MB, which is what this page takes at once: send a part of it."
        )


def check_body(body: bytes) -> None:
    """Refuse JSON with too many values, or nested too deep.

    >>> check_body(b"[" * 100)
    Traceback (most recent call last):
    space.limits.RefusedError: The lists in this request are nested 100 deep; this page goes to 12.
    """
    if body.count(b",") + body.count(b"[") + body.count(b"{") < BODY_DEPTH:
        return
    _check_values((body.count(b'"') - body.count(b'\\"')) // 2)  # texts, which are quick to count
    signs = np.frombuffer(_drop_strings(body), np.uint8)
    _check_values(int(np.count_nonzero(signs == ord(","))))
    opening = np.isin(signs, (ord("["), ord("{"))).astype(np.int32)
    depth = int(np.cumsum(opening - np.isin(signs, (ord("]"), ord("}")))).max(initial=0))
    if depth > BODY_DEPTH:
        raise RefusedError(f"The lists in this request are nested {depth:,} deep; this page goes to {BODY_DEPTH}.")


def _check_values(count: int) -> None:
    if count > BODY_VALUES:
        raise RefusedError(
            f"There are {count:,} values in this request, and this page takes {BODY_VALUES:,}: send a part of them."
        )


def _drop_strings(body: bytes) -> bytes:
    """JSON without its texts.

    >>> _drop_strings(b'["a, \\\\"b\\\\", c", 1]')
    b'[, 1]'
    """
    return b"".join(body.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2])


def _read_length(scope: Scope) -> int:
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0


async def _read_body(receive: Receive, megabytes: int, declared: int) -> bytes:
    """The body; of one that is too large nothing is kept, but it's read: its sender sees no answer before the end."""
    parts, size, limit, is_more = [], 0, megabytes * 1_000_000, True
    while is_more and size <= _PATIENCE * limit:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if max(size, declared) > limit:
            parts.clear()
        is_more = message.get("more_body", False)
    check_size(max(size, declared), megabytes)
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body once again for who comes next, and then what else there is to receive."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


def _count_bytes(receive: Receive, megabytes: int) -> Receive:
    """The same messages, as long as they aren't too much together; a length that was declared may be wrong."""
    size = 0

    async def count() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        check_size(size, megabytes)
        return message

    return count


async def _refuse(text: str, send: Send) -> None:
    body = json.dumps({"detail": text}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
