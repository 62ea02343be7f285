"""The LAN endpoint of a controller, byte for byte (protocol.md 4.2, 7.2 and 8).

Plain asyncio streams instead of an HTTP library, because a library would hide what the
errors of this endpoint consist of.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
import json
import re
import socket
import struct
from typing import TYPE_CHECKING, Final

from .actions import DeclinedError
from .dialects import ONE_IN, SOMETIMES, Dialect
from .listener import StreamListener
from .odd_replies import ODD
from .wire import Json, WireError, parse_json

if TYPE_CHECKING:
    from .controller import Controller

PATH: Final = "/ctrl/2/lan/pv2"
MAX_BODY: Final = 1024
HEADER_SECONDS: Final = 3.0
BUFFER_SECONDS: Final = 2.0

# protocol.md 7.2
ERRORS: Final = {
    "not served on LAN": 403,
    "POST only": 405,
    "invalid Content-Length": 400,
    "short body": 400,
    "slow headers": 408,
    "bad json": 200,
    "bad op": 200,
    "busy": 200,
}

FAULTS: Final = {
    "refuse": "the port is closed, as with the cable pulled",
    "reset": "connections are reset as soon as they are accepted",
    "hang": "requests are taken and never answered",
    "slow_headers": "408 `slow headers`, after 3 s",
    "busy": "`busy`, after 2 s",
    "redirect": "302 to somewhere else",
    "html": "a web page with 200, as from another device",
    "garbage": "200 with a body that is not JSON",
    "oversized": "200 with a body above 16 KiB",
    "close_mid_body": "the request is done, its answer cut in the middle",
    "truncated_frame": "a valid envelope with a frame cut short",
    "bad_tag": "envelopes whose tag does not match",
    "wrong_key": "envelopes signed with another key",
    "replay": "an old envelope again, with its older counter",
    "no_config": "state frames without their configuration",
    "odd_value": "one value of a state frame is 0 or the largest",
    "decline": "every action is declined, whoever asks",
    "no_state": "`state` is answered with `{ok:false}` (protocol.md 4.2)",
    "ignore_writes": "actions are accepted and never done, whoever asks",
    **ODD,
}


class LanError(Exception):
    """An error from the table of protocol.md 7.2."""


class SilenceError(Exception):
    """The client gets no answer."""


def _http(
    status: int, body: bytes, content_type: str = "application/json", *more: str
) -> bytes:
    """Return an HTTP response with some more headers."""
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(body)}",
        *more,
        "Connection: close",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _json(body: Json, status: int = 200) -> bytes:
    return _http(status, json.dumps(body, separators=(",", ":")).encode())


_ELSEWHERE: Final = "Location: http://127.0.0.1:1/elsewhere"
# Answers of faults that replace the controller's own: the request is not carried out.
_INSTEAD: Final = {
    "redirect": _http(302, b"", "application/json", _ELSEWHERE),
    "html": _http(200, b"<html><title>Router</title></html>", "text/html"),
    "garbage": _http(200, b'{"env": 01'),
    "oversized": _http(200, b'{"ok":false,"err":"' + b"x" * 17000 + b'"}'),
}


@dataclass(frozen=True, slots=True)
class Request:
    """A request that reached the controller."""

    op: str
    name: str
    payload: bytes | None  # of a verified envelope
    ok: bool
    at: float
    err: str | None = None


class LanEndpoint:
    """Serves one controller on one address."""

    def __init__(self, controller: Controller, host: str, port: int) -> None:
        self.controller = controller
        self.requests: list[Request] = []
        self.listener = StreamListener(self._serve, host, port)
        self.paused = False  # the port is closed for some seconds
        self.until_trouble = ONE_IN  # requests left until a dialect's rare error
        self._closed = 0  # number of such closures so far
        self._turn = asyncio.Lock()

    async def stop(self) -> None:
        """Close, drop all connections, and wait for their tasks."""
        self.paused = False
        await self.listener.stop()

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve one request at a time, and close the connection after it."""
        try:
            if self.controller.faults.take("reset"):
                linger = struct.pack("ii", 1, 0)  # makes close() send a reset
                raw: socket.socket = writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                return
            async with self._turn:
                writer.write(await self._answer(reader))
                await writer.drain()
        except ConnectionError, EOFError, SilenceError:
            pass  # the client disconnected, or must get no answer
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> bytes:
        op = name = ""
        try:
            body = await self._read(reader)
            op, name, env = _parse(body)
            self._sometimes()
            await self._faults(reader, op, name)
            answer = self._dispatch(op, name, env)
        except LanError as err:
            self._record(op, name, None, False, str(err))
            return _json({"ok": False, "err": str(err)}, ERRORS[str(err)])
        if self.controller.faults.take("close_mid_body", op, name):
            return answer[: -len(answer.partition(b"\r\n\r\n")[2]) // 2]
        return answer

    # --- Reading a request ---

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        try:
            async with self.controller.clock.timeout(HEADER_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
        except TimeoutError, asyncio.LimitOverrunError:
            raise LanError("slow headers") from None
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = [*first.split(" "), "", ""][:3]
        headers = [_header(line) for line in lines if line]
        if path != PATH:
            raise LanError("not served on LAN")
        if method != "POST":
            raise LanError("POST only")
        length = ", ".join(value for n, value in headers if n == "content-length")
        if not re.fullmatch(r"[0-9]{1,9}", length) or not 0 < int(length) <= MAX_BODY:
            raise LanError("invalid Content-Length")
        try:
            async with self.controller.clock.timeout(HEADER_SECONDS):
                return await reader.readexactly(int(length))
        except TimeoutError, asyncio.IncompleteReadError:
            raise LanError("short body") from None

    async def _faults(self, reader: asyncio.StreamReader, op: str, name: str) -> None:
        """Apply the faults that happen before the request is carried out."""
        clock, faults = self.controller.clock, self.controller.faults
        if faults.take("hang", op, name):
            self._record(op, name, None, False)
            while await reader.read(MAX_BODY):
                pass  # until the client gives up
            raise SilenceError
        for fault, seconds, err in (
            ("slow_headers", HEADER_SECONDS, "slow headers"),
            ("busy", BUFFER_SECONDS, "busy"),
        ):
            if faults.take(fault, op, name):
                await clock.sleep(seconds)
                raise LanError(err)

    def _sometimes(self) -> None:
        """Refuse one request in 20, or close the port after it."""
        trouble = [
            err for name, err in SOMETIMES.items() if name in self.controller.dialects
        ]
        if not trouble:
            return
        self.until_trouble -= 1
        if self.until_trouble > 0:
            return
        self.until_trouble = ONE_IN
        if trouble[0]:
            raise LanError(trouble[0])
        self.listener.start(self._close_for_a_while())

    async def _close_for_a_while(self) -> None:
        """Accept no connections for 3 to 7 s, as during a TLS handshake."""
        async with self._turn:  # the current request is answered first
            self.paused = True
            self.controller.plug()
        self._closed += 1
        await self.controller.clock.sleep(3 + self._closed * 2 % 6)
        self.paused = False
        self.controller.plug()

    # --- Doing it ---

    def _dispatch(self, op: str, name: str, env: object) -> bytes:
        for fault, answer in _INSTEAD.items():
            if self.controller.faults.take(fault, op, name):
                self._record(op, name, None, False)
                return answer
        payload: bytes | None = None
        try:
            if op != "state":
                payload = self.controller.verify(env)
            answer = _json(_OPS[op](self.controller, name, payload or b""))
            if op == "a" and Dialect.BUSY_AFTER in self.controller.dialects:
                answer = _json({"ok": False, "err": "busy"})
        except (WireError, DeclinedError) as err:
            # The reply gives no reason (protocol.md 4.2 rule 2), but the record does.
            self._record(op, name, payload, False, str(err))
            return _json({"ok": False})
        self._record(op, name, payload, True)
        return answer

    def _record(
        self,
        op: str,
        name: str,
        payload: bytes | None,
        ok: bool,
        err: str | None = None,
    ) -> None:
        at = self.controller.clock.time()
        self.requests.append(Request(op, name, payload, ok, at, err))


def _header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip().lower(), value.strip()


def _parse(body: bytes) -> tuple[str, str, object]:
    """Return op, name and envelope of a request body (protocol.md 2.7)."""
    try:
        request = parse_json(body)
    except ValueError, RecursionError:
        raise LanError("bad json") from None
    if not isinstance(request, dict):
        raise LanError("bad json")
    op = request.get("op")
    if not isinstance(op, str) or op not in _OPS:
        raise LanError("bad op")
    return op, str(request.get("name", "")), request.get("env", "")


def _state(controller: Controller, name: str, payload: bytes) -> Json:
    if controller.faults.take("no_state"):
        raise DeclinedError("the fault `no_state`")
    return {"env": controller.signed_state("state", name).hex()}


def _action(controller: Controller, name: str, payload: bytes) -> Json:
    # The relay of a `cmd` moves later: the frame shows the previous state.
    controller.act(name, payload)
    if Dialect.ENV_NULL in controller.dialects:
        return {"ok": True, "env": None}
    if Dialect.ENV_EMPTY in controller.dialects:
        return {"ok": True, "env": ""}
    if Dialect.ENV_OMITTED in controller.dialects:
        return {"ok": True}
    full = name != "cmd" or Dialect.CMD_FULL_FRAME in controller.dialects
    frame = controller.signed_state("a", name, configuration=full)
    return {"ok": True, "env": frame.hex()}


def _query(controller: Controller, name: str, payload: bytes) -> Json:
    return {"env": controller.signed_reply(name).hex()}


_OPS: Final[dict[str, Callable[[Controller, str, bytes], Json]]] = {
    "state": _state,
    "a": _action,
    "q": _query,
}
