"""What a controller on the network shows of our assumptions (`docs/protocol.md`)."""

from collections.abc import Iterator

from ..client.commands import decode_schedules
from ..client.exceptions import (
    EnvelopeError,
    PoolctlError,
    ReplayError,
    ReplyError,
    SignatureError,
)
from ..client.facts import (
    BusyChecked,
    CounterBehind,
    Facts,
    Frame,
    LanRequest,
    Rejected,
    Reply,
)
from ..client.frame import MODE_OFF, Telemetry, without_readings
from ..client.lan import state_after
from .evidence import Assumption, Evidence, Tally
from .frame_checks import Check, check_frame
from .reply_checks import check_reply

_MAX_LAYOUTS = 64
"""Results of frame checks that are kept: a frame is checked once, then counted."""


class LanChecks:
    """Checks the facts of one controller on the LAN."""

    def __init__(self, evidence: Evidence, facts: Facts) -> None:
        """Count in `evidence`."""
        self._evidence = evidence
        self._frame_counter: int | None = None
        self._schedule_slots: tuple[int, ...] = ()
        """The slot of each record."""
        self._results: dict[bytes, tuple[list[Tally], list[Check]]] = {}
        """The confirmed and the contradicted, by what decides them."""
        facts.listen(Frame, self.frame)
        facts.listen(Reply, self.reply)
        facts.listen(Rejected, self.rejected)
        facts.listen(LanRequest, self.request)
        facts.listen(CounterBehind, self.counter_behind)
        facts.listen(BusyChecked, self.busy)

    def frame(self, frame: Frame) -> None:
        """Check a frame, at little cost: it may come every few seconds for years."""
        self._check_frame_counter(frame.counter)
        layout = without_readings(frame.payload)
        if (result := self._results.get(layout)) is None:
            result = self._results_of(layout, frame.payload)
        confirmed, contradicted = result
        for tally in confirmed:
            tally.confirmed += 1
        for assumption, instead in contradicted:
            self._evidence.check(assumption, *instead)

    def _results_of(
        self, layout: bytes, payload: bytes
    ) -> tuple[list[Tally], list[Check]]:
        if len(self._results) >= _MAX_LAYOUTS:
            self._results.clear()
        checks = [*check_frame(payload, self._schedule_slots)]
        tally = self._evidence.tally
        confirmed = [tally(each) for each, instead in checks if not instead]
        confirmed.append(tally(Assumption.ENVELOPE))
        result = confirmed, [check for check in checks if check[1]]
        self._results[layout] = result
        return result

    def _check_frame_counter(self, counter: int) -> None:
        previous, self._frame_counter = self._frame_counter, counter
        if previous is not None:
            instead = ["the same again"] * (counter == previous)
            instead += ["a lower one"] * (counter < previous)
            self._evidence.check(Assumption.COUNTER_FRAMES, *instead)

    def reply(self, reply: Reply) -> None:
        """Check the reply to a query."""
        self._evidence.check(Assumption.ENVELOPE)
        if reply.counter == reply.sent_counter:
            self._evidence.check(Assumption.COUNTER_REPLIES, "that of the query")
        elif self._frame_counter is not None:
            lower = reply.counter <= self._frame_counter
            instead = ["a lower one"] * lower
            self._evidence.check(Assumption.COUNTER_REPLIES, *instead)
        check_reply(self._evidence, reply.name, reply.payload)
        if reply.name == "schedules":
            self._schedule_slots = _slots_of(reply.payload)
            self._results.clear()

    def rejected(self, rejected: Rejected) -> None:
        """Check an envelope that does not verify."""
        if isinstance(rejected.error, SignatureError):
            instead = "a tag that does not verify"
        else:
            text = rejected.envelope
            head = text.split(maxsplit=1)[0][:2] if text.split() else ""
            instead = f"{len(text)} characters, of version {_hex_byte(head)}"
        self._evidence.check(Assumption.ENVELOPE, instead)

    def request(self, request: LanRequest) -> None:
        """Check the answer to a signed request."""
        if request.payload is None or not _accepted(request.error):
            return
        self._evidence.check(Assumption.COUNTER_OUT)
        if request.op == "a" and request.response is not None:
            env = (request.response.json() or {}).get("env", "left out")
            form = "null" if env is None else "" if env else "empty"
            self._evidence.check(Assumption.ACTION_ENV, *[form] * bool(form))
            self._action(request.name, request.payload, request.reply)

    def counter_behind(self, fact: CounterBehind) -> None:
        """Count how far other clients are ahead of us."""
        far = fact.seconds is None
        ahead = "far" if far else f"up to {fact.seconds} s"
        self._evidence.check(Assumption.COUNTER_OUT, f"others are {ahead} ahead")

    def busy(self, fact: BusyChecked) -> None:
        """Count what `busy` meant."""
        self._evidence.check(Assumption.BUSY, *["it had run"] * fact.ran)

    def _action(self, name: str, payload: bytes, reply: bytes) -> None:
        """Check what the frame in the reply to an action shows of it, if there is one."""
        if (frame := state_after(reply)) is None:
            return
        if name == "cmd":
            instead = ["it has"] * (frame.configuration is not None)
            self._evidence.check(Assumption.CMD_REPLY, *instead)
        elif name == "aux" and frame.telemetry is not None:
            for assumption, instead in _check_aux(payload, frame.telemetry):
                self._evidence.check(assumption, *instead)


def _accepted(error: PoolctlError | None) -> bool:
    """Return whether a request was accepted; its answer may be odd all the same."""
    return error is None or isinstance(
        error, (EnvelopeError, SignatureError, ReplayError)
    )


def _check_aux(
    payload: bytes, telemetry: Telemetry
) -> Iterator[tuple[Assumption, list[str]]]:
    modes = telemetry.aux_modes or ()
    if len(payload) != 3 or payload[0] >= len(modes):
        return
    slot, on, held = payload
    mode = modes[slot]
    if on or held:
        same = (mode != MODE_OFF) is bool(on)
        yield Assumption.AUX_REPLY, [f"mode {mode} after {on}"] * (not same)
    if telemetry.held_slots is not None:
        bit = slot in telemetry.held_slots
        instead = f"bit {int(bit)} after {on}, {held}"
        yield Assumption.AUX_HELD, [instead] * (bit is not bool(held))


def _slots_of(schedules: bytes) -> tuple[int, ...]:
    """Return the slot of each record, empty where the reply is not understood."""
    try:
        return tuple(schedule.slot for schedule in decode_schedules(schedules))
    except ReplyError:
        return ()


def _hex_byte(text: str) -> str:
    try:
        return str(int(text, 16))
    except ValueError:
        return "unknown"
