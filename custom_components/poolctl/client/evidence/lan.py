"""Judges of what a controller says on the network (`docs/protocol.md`)."""

from ..envelope import Envelope
from ..exceptions import PoolctlError, SignatureError
from ..frame import MODE_OFF
from ..json_values import Answer
from ..schedule import UNUSED_SLOT
from .frames import held_in, judge_frame, slots_of, split
from .ledger import Bet, Evidence
from .replies import judge_reply, schedule_slots

_RUNNING = range(1, 21)
"""Modes that are the number of a schedule."""


class LanJudge:
    """Looks at what passes by, and asks for nothing."""

    def __init__(self, evidence: Evidence) -> None:
        """Write into a ledger."""
        self._evidence = evidence
        self._frame_counter: int | None = None
        self._schedules: tuple[int, ...] = ()
        """The slot of each record."""

    def rejected(self, envelope: str, error: PoolctlError) -> None:
        """Judge an envelope that cannot be taken; whoever sent it."""
        if isinstance(error, SignatureError):
            seen = "a tag that does not verify"
        else:
            head = envelope.split(maxsplit=1)[0][:2] if envelope.split() else ""
            seen = f"{len(envelope)} characters, of version {_hex_byte(head)}"
        self._evidence.judge(Bet.ENVELOPE, seen)

    def taken(self) -> None:
        """Judge that a signed request was not refused."""
        self._evidence.judge(Bet.COUNTER_OUT)

    def caught_up(self, seconds: int | None) -> None:
        """Judge how far others who sign are ahead of us; `None`: further than we go."""
        if seconds is None:
            self._evidence.judge(Bet.COUNTER_OUT, "others are far ahead")
        elif seconds:
            self._evidence.judge(Bet.COUNTER_OUT, f"others are up to {seconds} s ahead")

    def busy(self, *, ran: bool) -> None:
        """Judge what `busy` meant, once somebody looked."""
        self._evidence.judge(Bet.BUSY, *["it had run"] * ran)

    def answered(self, answer: Answer) -> None:
        """Judge how the answer to an action that ran carries its frame."""
        told = answer.get("env", "left out")
        form = "null" if told is None else "" if told else "empty"
        self._evidence.judge(Bet.ACTION_ENV, *[form] * bool(form))

    def received(self, op: str, name: str, sent: int, envelope: Envelope) -> None:
        """Judge an envelope that verified; `sent` is the counter of its request."""
        self._evidence.judge(Bet.ENVELOPE)
        if op == "q":
            self._judge_reply_counter(sent, envelope.counter)
            judge_reply(self._evidence, name, envelope.payload)
            if name == "schedules":
                self._schedules = schedule_slots(envelope.payload)
            return
        self._judge_frame_counter(envelope.counter)
        parts = judge_frame(self._evidence, envelope.payload)
        if parts.telemetry is not None:
            self._judge_schedules(slots_of(parts.telemetry))

    def ran(self, name: str, payload: bytes, reply: bytes) -> None:
        """Judge what the frame in the reply to an action shows of it, if it has one."""
        if not reply:
            return
        parts = split(reply)
        if name == "cmd":
            told = parts.configuration is not None
            self._evidence.judge(Bet.CMD_REPLY, *["it has"] * told)
        elif name == "aux" and len(payload) == 3 and parts.telemetry is not None:
            slot, on, held = payload
            self._judge_aux(slot, on, held, parts.telemetry)

    def _judge_aux(self, slot: int, on: int, held: int, telemetry: bytes) -> None:
        modes = slots_of(telemetry)
        if slot >= len(modes):
            return
        if on or held:
            same = (modes[slot] != MODE_OFF) is bool(on)
            self._evidence.judge(
                Bet.AUX_REPLY, *[f"mode {modes[slot]} after {on}"] * (not same)
            )
        if (found := held_in(telemetry, slot)) is not None:
            seen = f"bit {int(found)} after {on}, {held}"
            self._evidence.judge(Bet.AUX_HELD, *[seen] * (found is not bool(held)))

    def _judge_reply_counter(self, sent: int, counter: int) -> None:
        if counter == sent:
            self._evidence.judge(Bet.COUNTER_REPLIES, "that of the query")
        elif self._frame_counter is not None:
            lower = counter <= self._frame_counter
            self._evidence.judge(Bet.COUNTER_REPLIES, *["a lower one"] * lower)

    def _judge_frame_counter(self, counter: int) -> None:
        before, self._frame_counter = self._frame_counter, counter
        if before is not None:
            seen = ["the same again"] * (counter == before)
            seen += ["a lower one"] * (counter < before)
            self._evidence.judge(Bet.COUNTER_FRAMES, *seen)

    def _judge_schedules(self, modes: bytes) -> None:
        """See that the numbers that slots run by are those of schedules in use."""
        used = [i for i, slot in enumerate(self._schedules, 1) if slot != UNUSED_SLOT]
        if numbers := {mode for mode in modes if mode in _RUNNING and used}:
            odd = [f"number {n} of {used}" for n in sorted(numbers - {*used})]
            self._evidence.judge(Bet.SCHEDULE_NUMBER, *odd)


def _hex_byte(text: str) -> str:
    try:
        return str(int(text, 16))
    except ValueError:
        return "unknown"
