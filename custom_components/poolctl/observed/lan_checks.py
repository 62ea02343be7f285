"""Checks of our assumptions about a controller on the LAN (`docs/protocol.md`)."""

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
    OverMidnight,
    Rejected,
    Reply,
    ScheduleTimes,
)
from ..client.frame import MODE_OFF, Telemetry
from ..client.lan import state_after
from .evidence import Assumption, Evidence
from .frame_checks import Check, check_frame
from .reply_checks import check_reply


class LanChecks:
    """Checks the facts of one controller on the LAN."""

    def __init__(self, evidence: Evidence, facts: Facts) -> None:
        """Count in `evidence`."""
        self._evidence = evidence
        self._frame_counter: int | None = None
        self._schedule_slots: tuple[int, ...] = ()
        """Slot of each schedule record."""
        self._layout: bytes | None = None
        """Layout of the newest frame; `_checks` depends on it."""
        self._checks: list[Check] = []
        self._repeats = 0
        """Number of frames with the same checks that are not counted yet."""
        evidence.settle = self._count_repeats
        facts.listen(Frame, self.frame)
        facts.listen(Reply, self.reply)
        facts.listen(Rejected, self.rejected)
        facts.listen(LanRequest, self.request)
        facts.listen(CounterBehind, self.counter_behind)
        facts.listen(BusyChecked, self.busy)
        facts.listen(ScheduleTimes, self.schedule_times)
        facts.listen(OverMidnight, self.over_midnight)

    def frame(self, frame: Frame) -> None:
        """Check a frame; one with the same layout, as every 15 s, is only counted."""
        previous, self._frame_counter = self._frame_counter, frame.counter
        if previous is not None and frame.counter > previous:
            if frame.layout == self._layout:
                self._repeats += 1
                return
            self._evidence.check(Assumption.COUNTER_FRAMES)
        elif previous is not None:
            same = frame.counter == previous
            instead = "the same again" if same else "a lower one"
            self._evidence.check(Assumption.COUNTER_FRAMES, instead)
        self._count_repeats()
        self._layout = frame.layout
        self._checks = [*check_frame(frame.payload, self._schedule_slots)]
        self._checks.append((Assumption.ENVELOPE, ()))
        self._count(1)

    def _count_repeats(self) -> None:
        repeats, self._repeats = self._repeats, 0
        if repeats:
            self._evidence.check(Assumption.COUNTER_FRAMES, times=repeats)
            self._count(repeats)

    def _count(self, times: int) -> None:
        for assumption, instead in self._checks:
            self._evidence.check(assumption, *instead, times=times)

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
            self._count_repeats()
            self._layout = None

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
        """Count how far the counters of other clients are ahead of ours."""
        far = fact.seconds is None
        ahead = "far" if far else f"up to {fact.seconds} s"
        self._evidence.check(Assumption.COUNTER_OUT, f"others are {ahead} ahead")

    def schedule_times(self, fact: ScheduleTimes) -> None:
        """Count whether schedules begin at their times."""
        instead = [f"{fact.ahead} min ahead"] * bool(fact.ahead)
        self._evidence.check(Assumption.SCHEDULE_TIMES, *instead)

    def over_midnight(self, fact: OverMidnight) -> None:
        """Count whether a schedule over midnight went on."""
        instead = ["it ended at midnight"] * (not fact.went_on)
        self._evidence.check(Assumption.SCHEDULE_MIDNIGHT, *instead)

    def busy(self, fact: BusyChecked) -> None:
        """Count whether a request had run although the answer was `busy`."""
        self._evidence.check(Assumption.BUSY, *["it had run"] * fact.ran)

    def _action(self, name: str, payload: bytes, reply: bytes) -> None:
        """Check that the frame in the reply to an action, if any, shows the action."""
        if (frame := state_after(reply)) is None:
            return
        if name == "cmd":
            instead = ["it has"] * (frame.configuration is not None)
            self._evidence.check(Assumption.CMD_REPLY, *instead)
        elif name == "aux" and frame.telemetry is not None:
            for assumption, instead in _check_aux(payload, frame.telemetry):
                self._evidence.check(assumption, *instead)


def _accepted(error: PoolctlError | None) -> bool:
    """Return whether a request was accepted, even if its answer was not valid."""
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
    """Return the slot of each record, empty if the reply does not decode."""
    try:
        return tuple(schedule.slot for schedule in decode_schedules(schedules))
    except ReplyError:
        return ()


def _hex_byte(text: str) -> str:
    try:
        return str(int(text, 16))
    except ValueError:
        return "unknown"
