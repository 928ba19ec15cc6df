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
_MEGABYTES = {_UPLOAD: UPLOAD_MEGABYTES, "/call/explain": SENTENCE_MEGABYTES}  # by how a path ends


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
            check_size(_read_length(scope), megabytes)
            if scope["path"].endswith(_UPLOAD):
                await self._app(scope, _count_bytes(receive, megabytes), send)
            else:
                body = await _read_body(receive, megabytes)
                check_body(body)
                await self._app(scope, _replay(body, receive), send)
        except RefusedError as error:
            await _drain(receive)
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


async def _read_body(receive: Receive, megabytes: int) -> bytes:
    parts, size, is_more = [], 0, True
    while is_more:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        check_size(size, megabytes)
        is_more = message.get("more_body", False)
    return b"".join(parts)


async def _drain(receive: Receive) -> None:
    """Let a client finish, who else would see a connection that breaks and not the answer; but not for ever."""
    for _ in range(10_000):
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return


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
