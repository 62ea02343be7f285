"""A controller that answers with the recorded bytes of a report."""

from collections.abc import Sequence
from typing import Any, Final, override

from custom_components.poolctl.client.wire.commands import string_spans
from custom_components.poolctl.client.wire.exceptions import ReplyError
from tests.world.simulator import Controller
from tests.world.simulator.actions import DeclinedError
from tests.world.simulator.lan import Request
from tests.world.simulator.wire import encode_text

from .report import Part, Recorded

MASK: Final = b"x"
WORDS: Final = {"aux_names": "Output", "schedules": "Schedule"}
"""Words that replace masked names of a reply, followed by a number."""


class Playback(Controller):
    """Plays a recording with its timing, then stays at the last state.

    Actions are accepted and change nothing: `commands` has their bytes.
    """

    def __init__(self, part: Part, **options: Any) -> None:
        super().__init__(firmware=part.firmware, **options)
        self._frames = [each for each in part.events() if each.event == "frame"]
        self._replies = {
            name: _named(name, reply) for name, reply in part.replies.items()
        }
        self._begun = self.clock.time()
        self.cloud_link = False

    @property
    def commands(self) -> Sequence[Request]:
        return [each for each in self.requests if each.op == "a" and each.ok]

    def to_the_end(self) -> None:
        self._frames = self._frames[-1:]

    @override
    def signed_state(self, *places: str, configuration: bool = True) -> bytes:
        return self._sign(self._frame().payload, *places)

    @override
    def signed_reply(self, name: str) -> bytes:
        if (reply := self._replies.get(name)) is None:
            raise DeclinedError(f"no reply to {name} was recorded")
        return self._sign(reply, "q", name)

    @override
    def act(self, name: str, payload: bytes) -> None:
        """Accept the action; `LanEndpoint` keeps the request."""

    def _frame(self) -> Recorded:
        first, *later = self._frames
        passed = self.clock.time() - self._begun
        for frame in later:
            if frame.at - self._frames[0].at <= passed:
                first = frame
        return first


def _named(name: str, payload: bytes) -> bytes:
    """Return a reply with its masked names replaced by words."""
    if (word := WORDS.get(name)) is None:
        return payload
    try:
        spans, _ = string_spans(name, payload)
    except ReplyError:
        return payload
    named, at = b"", 0
    for number, (start, stop) in enumerate(spans, name == "schedules"):
        text = payload[start:stop]
        if text and not text.strip(MASK):
            named += payload[at : start - 1] + encode_text(f"{word} {number}")
        else:
            named += payload[at:stop]
        at = stop
    return named + payload[at:]
