"""LAN client of one controller: Command Protocol v2 (protocol.md 4.2, 7.2, 8)."""

from http import HTTPMethod, HTTPStatus
import json
import re
import time

from aiohttp import ClientSession
from yarl import URL

from .counters import Counters
from .facts import Facts, Frame, LanRequest
from .wire.envelope import OVERHEAD, from_hex, parse_key, payload_of, unwrap, wrap
from .wire.exceptions import (
    DeclinedError,
    EnvelopeError,
    FrameError,
    InvalidCommandError,
    LanBusyError,
    LanRequestError,
    PoolctlError,
    ProtocolError,
    ReplayError,
)
from .wire.frame import StateFrame, decode_frame
from .wire.http import Response, exchange
from .wire.json_values import Answer

PORT = 8080
PORTS = range(1, 65536)
LAN_PATH = "/ctrl/2/lan/pv2"
MAX_REQUEST = 1024
MAX_LAN_RESPONSE = 16 * 1024
LAN_TIMEOUT = 10.0
_HEADERS = {
    "Content-Type": "application/json",
    "Accept-Encoding": "identity",
    "Connection": "close",
}

_REASONS = {
    (HTTPStatus.OK, "busy"),
    (HTTPStatus.FORBIDDEN, "not served on LAN"),
    (HTTPStatus.METHOD_NOT_ALLOWED, "POST only"),
    (HTTPStatus.BAD_REQUEST, "invalid Content-Length"),
    (HTTPStatus.BAD_REQUEST, "short body"),
    (HTTPStatus.REQUEST_TIMEOUT, "slow headers"),
    (HTTPStatus.OK, "bad json"),
    (HTTPStatus.OK, "bad op"),
}
"""Errors of the controller: statuses and texts (protocol.md 7.2)."""


class LanClient:
    """Talks to one controller, one request at a time.

    The controller closes every connection after its response (protocol.md 4.2 rule 8),
    so the session should be made with `request_class=ClosingRequest`.

    Every method raises UnreachableError if there is no answer, RefusedError or
    BusyError for an error that the controller reports (protocol.md 7.2), and
    ProtocolError if an answer does not verify or decode.
    """

    def __init__(
        self,
        session: ClientSession,
        address: str,
        key: bytes | str,
        *,
        port: int = PORT,
        counter: Counters | None = None,
        facts: Facts | None = None,
    ) -> None:
        """Create the client; the caller keeps ownership of the session.

        `address` is a host name or an IP address, also with a port (`192.168.1.20:8080`,
        `[fd00::20]:8080`). `key` is the envelope key: 16 bytes, or 32 hex digits.
        `counter` is kept for this controller when its address or key changes, and
        `facts` emits the facts of its requests. Raises InvalidCommandError if the
        address or the key cannot be one.
        """
        self._session = session
        try:
            self.host, in_address = split_address(address)
            self.port = in_address or port
            self._url = controller_url(self.host, self.port)
        except ValueError:
            raise InvalidCommandError(
                "an address is a host name or an IP address, also with a port"
            ) from None
        try:
            self._key = parse_key(key)
        except EnvelopeError as err:
            raise InvalidCommandError(str(err)) from None
        self.counters = counter or Counters()
        self.slots: int | None = None
        """Number of slots in the newest frame that reports it."""
        self.facts = facts or Facts()

    async def state(self, *, timeout: float = LAN_TIMEOUT) -> StateFrame:
        """Read the full state; needs no signature."""
        frame = decode_frame(await self._request("state", timeout=timeout), self.slots)
        if frame.configuration and frame.configuration.aux_types:
            self.slots = len(frame.configuration.aux_types)
        return frame

    async def query(
        self, name: str, payload: bytes = b"", *, urgent: bool = False
    ) -> bytes:
        """Send a signed query, before others if urgent; return its reply's payload."""
        reply = await self._request("q", name, payload, urgent=urgent)
        self.counters.answered = name, payload
        return reply

    async def action(self, name: str, payload: bytes) -> StateFrame | None:
        """Run a signed action; return the state after it, if the reply has one."""
        return state_after(await self.raw_action(name, payload), self.slots)

    async def raw_action(self, name: str, payload: bytes) -> bytes:
        """Run a signed action; return its reply, empty if it has no valid one."""
        try:
            return await self._request("a", name, payload, urgent=True)
        except ReplayError:
            # It ran, and only its effect could not be read: the next state shows it.
            return b""

    async def _request(
        self,
        op: str,
        name: str = "",
        payload: bytes | None = None,
        *,
        timeout: float = LAN_TIMEOUT,
        urgent: bool = False,
    ) -> bytes:
        """Return the verified payload of the answer, empty if it has none."""
        counters, counter, envelope = self.counters, 0, ""
        async with counters.turns.held(urgent=urgent):
            if payload is not None:
                counters.clock.check()
                size = len(request_body(op, name)) + 2 * (OVERHEAD + len(payload))
                if size > MAX_REQUEST:  # no controller accepts it
                    raise InvalidCommandError(
                        reason="request_too_large",
                        elsewhere=True,
                        size=str(size),
                        limit=str(MAX_REQUEST),
                    )
                counter = counters.next()
                envelope = wrap(self._key, counter, payload).hex()
            body = request_body(op, name, envelope)
            started, response, reply, error = time.monotonic(), None, b"", None
            try:
                response = await post(self._session, self._url, body, timeout)
                answer = answer_of(response)
                if payload is not None:
                    counters.accept(counter)
                reply = self._payload(op, answer)
            except PoolctlError as err:
                error = err
                raise
            finally:
                seconds = time.monotonic() - started
                self.facts.emit(
                    LanRequest(op, name, payload, response, reply, seconds, error)
                )
            return reply

    def _payload(self, op: str, answer: Answer) -> bytes:
        """Return the verified payload of an answer.

        A reply to a query needs no newer counter: its tag proves who sent it, and it
        answers a fresh signed request. Whether it shares the counter of the state
        frames is not documented (protocol.md O4).
        """
        if not answer.get("env") and op == "a" and answer.get("ok") is True:
            return b""
        if "env" not in answer:
            raise ProtocolError("the answer has no envelope")
        received = unwrap(self._key, str(answer["env"]))
        if op == "q":
            return received.payload
        replayed = True
        try:
            self.counters.frames.accept(received.counter)
            replayed = False
        finally:
            self.facts.emit(Frame(*received, time.time(), replayed))
        return received.payload


def split_address(text: str) -> tuple[str, int | None]:
    """Return the host name or IP address in a typed address, and its port if it has one.

    Removes the rest of a URL, the brackets of an IPv6 address and the final dot of a
    name. Keeps the zone of a link-local address, which is unreachable without it.
    Raises ValueError for a port that cannot be one.
    """
    host, port = re.split("[/?#]", text.strip().split("://")[-1])[0], ""
    if host.startswith("["):
        host, _, port = host[1:].replace("%25", "%").partition("]")
        port = port.removeprefix(":")
    elif host.count(":") == 1:
        host, _, port = host.partition(":")
    if port and int(port) not in PORTS:
        raise ValueError("no port has this number")
    return host.rstrip("."), int(port) if port else None


def controller_url(host: str, port: int) -> URL:
    """Return the URL of a controller (protocol.md 4.2)."""
    return URL.build(scheme="http", host=host, port=port, path=LAN_PATH)


def request_body(op: str, name: str = "", envelope: str = "") -> bytes:
    """Return the body of a request (protocol.md 2.7)."""
    return json.dumps({"op": op, "name": name, "env": envelope}).encode()


async def post(
    session: ClientSession, url: URL, body: bytes, timeout: float
) -> Response:
    """Send a request and return the response."""
    return await exchange(
        session,
        HTTPMethod.POST,
        url,
        data=body,
        headers=_HEADERS,
        timeout=timeout,
        limit=MAX_LAN_RESPONSE,
    )


async def unverified_state(
    session: ClientSession, host: str, port: int, *, timeout: float
) -> bytes:
    """Return the state frame of the device that answers at an address.

    `state` reads need no credential (protocol.md 5.2 rule 1). The result cannot be
    trusted: without the key, no tag can be verified. Raises the errors of
    `LanClient.state` that come before verifying and decoding.
    """
    url = controller_url(host, port)
    answer = answer_of(await post(session, url, request_body("state"), timeout))
    if not isinstance(envelope := answer.get("env"), str):
        raise ProtocolError("the answer has no envelope")
    data = from_hex(envelope)
    if len(data) < OVERHEAD:
        raise ProtocolError("the envelope is too short")
    return payload_of(data)


def answer_of(response: Response) -> Answer:
    """Return the answer in a response, or raise its error (protocol.md 7.2)."""
    status, answer = response.status, response.json
    if answer is None:
        raise ProtocolError(f"HTTP {status} without a JSON object")
    if answer.get("ok") is not False and status == HTTPStatus.OK:
        return answer
    reason = str(answer.get("err"))
    if (status, reason) not in _REASONS:
        # The text may come from any device, so it must not get into a log.
        raise DeclinedError(f"the controller refused it (HTTP {status})")
    if reason == "busy":
        raise LanBusyError("the controller is busy")
    raise LanRequestError(reason)


def state_after(reply: bytes, slots: int | None = None) -> StateFrame | None:
    """Return the state in the reply to an action that ran, if it can be read."""
    try:
        return decode_frame(reply, slots) if reply else None
    except FrameError:
        return None
