"""The flight recorder: the last events of a controller, for its owner's report.

It is bounded in number and size and has no private data: what identifies anybody is
masked (masks.py), and addresses, keys and tokens are never recorded.
"""

from collections import deque
import json
import time
from typing import Final

from ..client import FrameError, LanRequestError, PoolctlError
from ..client.facts import Change, CloudRequest, Facts, Frame, LanRequest, TokenAnswer
from ..client.wire import FLAGS2, PUMP_TIMES, sections, slots_in, telemetry_spans
from .masks import masked_answer, masked_frame, masked_reply, shown_name

MAX_EVENTS: Final = 300
MAX_BYTES: Final = 64 * 1024
"""Size of all events together, as JSON."""
MAX_ANSWER: Final = 2048
"""Bytes that are kept of an answer of the service."""
REPEATED_AFTER: Final = 300.0
"""Seconds between recordings of measured values only, or of data of one endpoint."""
_MOST_NAMES: Final = 100


class Recorder:
    """Keeps the last events, each as JSON."""

    def __init__(self, facts: Facts) -> None:
        self._events: deque[str] = deque()
        self._size = 0
        self._replies: dict[str, str] = {}
        """Newest event of each query, as an unchanged reply is not recorded again."""
        self._newest: dict[str, tuple[object, object, float]] = {}
        """Last recorded outcome and data by query or endpoint, with their time."""
        facts.listen(Frame, self._frame)
        facts.listen(LanRequest, self._lan_request)
        facts.listen(CloudRequest, self._cloud_request)
        facts.listen(TokenAnswer, self._token_answer)
        facts.listen(Change, self._change)

    def as_list(self) -> list[object]:
        """Return the events, the oldest first, and the newest reply to each query."""
        events = {*self._events}
        dropped = [text for text in self._replies.values() if text not in events]
        return [json.loads(event) for event in (*dropped, *self._events)]

    def _record(self, kind: str, **values: object) -> str:
        event = {"at": round(time.time(), 1), "event": kind, **values}
        text = json.dumps(event, separators=(",", ":"))
        self._events.append(text)
        self._size += len(text)
        most = MAX_BYTES - sum(map(len, self._replies.values()))
        while self._events and (len(self._events) > MAX_EVENTS or self._size > most):
            self._size -= len(self._events.popleft())
        return text

    def _frame(self, frame: Frame) -> None:
        if not self._is_new("frame", _layout(frame.payload), frame.at, frame.at):
            return
        payload = masked_frame(frame.payload).hex()
        replayed = {"replayed": True} if frame.replayed else {}
        self._record("frame", counter=frame.counter, payload=payload, **replayed)

    def _lan_request(self, request: LanRequest) -> None:
        """Record a command, and another answer only if it differs from the last one."""
        if request.op == "a":
            self._lan_command(request)
            return
        ms, error = _ms(request.seconds), _error(request.error)
        name = request.name or request.op
        if request.op != "q" and error is None:
            if self._newest.pop("state", None):
                self._record("request", op="state", of="", ms=ms, error=None)
            return
        reply = masked_reply(name, request.reply).hex()
        if self._is_new(name, (reply, error)):
            event = self._record(
                "request",
                op=request.op,
                of=request.name and shown_name(request.name),
                ms=ms,
                status=None if request.response is None else request.response.status,
                error=error,
                reply=reply,
            )
            if reply:
                self._replies[name] = event

    def _lan_command(self, request: LanRequest) -> None:
        self._record(
            "command",
            route="lan",
            of=shown_name(request.name),
            payload=masked_reply(request.name, request.payload or b"").hex(),
            ms=_ms(request.seconds),
            error=_error(request.error),
            reply=masked_frame(request.reply).hex(),
        )

    def _cloud_request(self, request: CloudRequest) -> None:
        response, endpoint = request.response, shown_name(request.endpoint)
        status, data = (response.status, response.data) if response else (None, b"")
        answer = masked_answer(data[:MAX_ANSWER])
        error = _error(request.error)
        write = request.method == "POST"
        if not (self._is_new(endpoint, (status, error), answer) or write):
            return
        body = masked_answer(request.body).decode("utf-8", "replace")
        self._record(
            "command" if write else "request",
            **({"route": "cloud"} if write else {"op": request.method}),
            of=endpoint,
            ms=_ms(request.seconds),
            status=status,
            error=error,
            **({"payload": body} if body else {}),
            reply=answer.decode("utf-8", "replace"),
        )

    def _is_new(
        self, key: str, outcome: object, data: object = None, at: float | None = None
    ) -> bool:
        """Return whether to record: the outcome is new, or 5 minutes old with new data."""
        last, last_data, recorded = self._newest.get(key, (..., None, 0.0))
        at = time.time() if at is None else at
        unchanged = data == last_data or at < recorded + REPEATED_AFTER
        if outcome == last and unchanged:
            return False
        if len(self._newest) > _MOST_NAMES:
            self._newest.clear()
            self._replies.clear()
        self._newest[key] = outcome, data, at
        return True

    def _token_answer(self, answer: TokenAnswer) -> None:
        error = _error(answer.error)
        self._record("token_answer", **answer._asdict() | {"error": error})

    def _change(self, change: Change) -> None:
        """Record a change; `online` comes with each read, even if it did not change."""
        if change.what != "online" or self._is_new("online", change.to):
            self._record("change", what=change.what, to=change.to)


def _layout(payload: bytes) -> object:
    """Return what a frame says without its measured values and running times."""
    try:
        telemetry, configuration, timers, end = sections(payload)
    except FrameError:
        return payload
    flags = telemetry and (telemetry[:2], telemetry[FLAGS2 : FLAGS2 + 2])
    slots = telemetry_spans(telemetry, slots_in(configuration))[1:]
    modes = [(telemetry or b"")[start : end - PUMP_TIMES] for start, end in slots]
    return (
        payload[:2],
        flags,
        modes,
        configuration,
        timers and timers[:1],
        payload[end:],
    )


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _error(error: PoolctlError | None) -> str | None:
    """Return the kind of an error, and its reason if that is a published one."""
    if isinstance(error, LanRequestError):
        return f"{type(error).__name__}: {error.err}"
    return None if error is None else type(error).__name__
