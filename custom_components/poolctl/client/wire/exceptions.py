"""All errors of this package, as one tree.

`PoolctlError` is the root. Its branches show what a caller can do:

- `ProtocolError`: bytes or JSON that do not decode; the same request may work later.
- `UnreachableError`: no answer; try the other path, or try again.
- `RefusedError`: the controller or the service refused; trying again changes nothing.
- `BusyError`: try again later; `retry_after` is the wait, if it was reported.
- `AuthenticationError`: sign in again.

No message contains a key, a token, the body of a request, or free text of the other
side: messages get into logs, and such text may identify a user or a controller.
"""

from collections.abc import Mapping
from typing import Final, override

SENTENCES: Final[Mapping[str, str]] = {
    "clock": "The command was not sent, because the clock of this machine or that of "
    "another app that controls this pool is wrong. Check the date and time of both.",
    "dosing_is_off": "There is nothing to pause: this dosing is switched off or not "
    "fitted.",
    "drum_without_size": "The size of this drum is not known. Set it first, so that the "
    "controller knows how much a full drum holds.",
    "impossible_settings": "The controller reports a target that cannot be right "
    "({value}), and the command would have written it back. Nothing was sent. Set that "
    "target first, or try again later.",
    "hold_too_long": "An output can be held for at least 1 second and at most 366 days.",
    "invalid_command": "The controller does not accept this value.",
    "not_done": "The connection broke off, and the controller did not make the change. "
    "Try again.",
    "not_stored": "This ends by itself, and its end cannot be stored, so nothing was sent.",
    "outcome_unknown": "The controller's answer got lost, so it is not known whether the "
    "command was carried out. See what the pool does now, and check its schedules, "
    "before you try again.",
    "pause_too_long": "Dosing can be paused for at least 1 second and at most 24 hours.",
    "payload_not_hex": "The payload is not hexadecimal. Write two digits for each byte, "
    "such as 02 01 01.",
    "request_too_large": "The request would be {size} bytes long. The controller accepts "
    "at most {limit} bytes.",
    "schedule_changed": "This schedule was changed elsewhere meanwhile, so your change was "
    "not made. The schedule that you see now is up to date. Check it and try again.",
    "schedule_conflict": "This schedule overlaps with the schedule “{name}” of the same "
    "equipment. Change one of them, or switch one off.",
    "schedule_equipment": "Schedules do not switch {name}, because nothing is wired to it "
    "or the controller runs it by itself.",
    "schedule_limit": "All 20 schedules of the controller are in use. Delete one first.",
    "schedule_name": "A schedule needs a name of at most {maximum} characters. Letters "
    "with accents count twice.",
    "schedule_no_speed": "Only a pump with variable speed can run at a chosen speed. "
    "Leave the speed out.",
    "schedule_same_times": "A schedule cannot begin and end at the same time of day. For a "
    "whole day, set it to begin at 00:00 and to end at 23:59.",
    "schedule_speed": "The speed of the pump must be from 40 to 100 % in steps of 5.",
    "schedule_times": "The start and the end of a schedule must be between 00:00 and "
    "23:59.",
    "schedule_weekdays": "Choose at least one weekday.",
    "stopped": "The client was stopped meanwhile, so the command may not have been carried "
    "out.",
    "unknown_effect": "{light} has no effect named {effect}. Its effects are: {effects}.",
}
"""Sentence for each reason of an error, with the placeholders of its values."""


class PoolctlError(Exception):
    """Base of every error of this package."""

    ran: bool | None = None
    """Whether the command ran: `False` if it certainly did not, `None` if it may have.
    It covers all attempts to send the command (`joined`)."""
    elsewhere: bool = False
    """Whether another path may accept the same command."""
    reason: str | None = None
    """Key of the sentence in `SENTENCES`, `None` for the one of the error's class."""

    @property
    def lost(self) -> bool:
        """Whether it never arrived completely: it may be repeated in a second."""
        return False


def joined[E: PoolctlError](error: E, *earlier: PoolctlError) -> E:
    """Return the error of the newest attempt; its `ran` now covers earlier ones, too."""
    if any(each.ran is not False for each in earlier):
        error.ran = None
    return error


class ProtocolError(PoolctlError):
    """Something received, e.g. an HTTP answer, does not have the documented form."""


class EnvelopeError(ProtocolError):
    """Not an envelope: not hex, too short, or of an unknown version."""


class SignatureError(ProtocolError):
    """The tag of an envelope does not match: another key, or altered bytes."""


class ReplayError(ProtocolError):
    """A verified envelope that is older than one already received."""


class FrameError(ProtocolError):
    """A state frame whose lengths do not fit together."""


class ReplyError(ProtocolError):
    """A query reply that does not decode."""


class InvalidCommandError(PoolctlError, ValueError):
    """A command that cannot be expressed or is out of its range; nothing was sent.

    `placeholders` are the values of its sentence.
    """

    ran: bool | None = False

    def __init__(
        self,
        message: str | None = None,
        *,
        reason: str = "invalid_command",
        elsewhere: bool = False,
        **placeholders: str,
    ) -> None:
        sentence = SENTENCES.get(reason, reason).format_map(placeholders)
        super().__init__(message or sentence)
        self.reason, self.elsewhere = reason, elsewhere
        self.placeholders = placeholders


def impossible_settings(key: str, value: object, unit: str = "") -> InvalidCommandError:
    """Return the error for a target that would be written back, and cannot be right."""
    shown = f"{value:g} {unit}".strip() if isinstance(value, int | float) else "-"
    return InvalidCommandError(reason="impossible_settings", value=f"{key}: {shown}")


class ClockError(InvalidCommandError):
    """Our clock, or that of another client, is so wrong that nothing can be signed.

    A controller that accepted a counter far ahead would refuse every client until then.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, reason="clock", elsewhere=True)


class UnreachableError(PoolctlError):
    """No connection, no answer in time, or an incomplete answer.

    `ran` is `None` if the request may have reached the other side: only an
    idempotent command may then be tried on another path.
    """

    elsewhere = True

    def __init__(
        self,
        message: str | None = None,
        *,
        ran: bool | None = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(message or SENTENCES.get(reason or "", reason))
        self.ran, self.reason = ran, reason

    @property
    @override
    def lost(self) -> bool:
        return self.ran is False


class OvertakenError(UnreachableError):
    """A read in the background that ended unanswered, because a command goes first."""


class ServiceError(UnreachableError):
    """The service failed (HTTP 5xx, 408), or got no answer from the controller."""


class UnconfirmedError(UnreachableError):
    """The service answered, but did not confirm that the controller did it."""


class RefusedError(PoolctlError):
    """Base of every refusal."""

    ran: bool | None = False


class DeclinedError(RefusedError):
    """The controller declined it for one of four causes (protocol.md 4.2 rule 2)."""


class CommandFailedError(RefusedError):
    """`status: FAILED` (protocol.md 2.1); its `message` is shown and never logged."""

    def __init__(self, message: str) -> None:
        super().__init__("the service declined it")
        self.message = message


class NotAppliedError(RefusedError):
    """The command was accepted, but the requested value was never reported."""

    ran: bool | None = None


class CannotReleaseError(RefusedError):
    """No command that this controller accepts releases its pump to its schedules."""


class NotSupportedError(RefusedError):
    """No path that works now supports this command."""

    elsewhere = True


class UndoneLaterError(NotSupportedError):
    """A request is ended, but no path that works now undoes what it switched on."""


class ForbiddenError(RefusedError):
    """The account may not do this, or does not own the controller (HTTP 403)."""

    elsewhere = True


class NotOfferedError(NotSupportedError):
    """The service does not have this endpoint (HTTP 404, 405)."""


class LanRequestError(RefusedError):
    """The controller rejected the request (protocol.md 7.2); `err` is a known text."""

    def __init__(self, err: str) -> None:
        super().__init__(f"the controller says: {err}")
        self.err = err

    @property
    @override
    def lost(self) -> bool:
        return self.err in ("slow headers", "short body")


class BusyError(PoolctlError):
    """Busy or over a limit; `retry_after` is in seconds, `None` if not reported."""

    ran: bool | None = False
    elsewhere = True

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class LanBusyError(BusyError):
    """200 `busy`: no free frame buffer within 2 seconds (protocol.md 7.2).

    It may have run, and only the frame of its reply found no buffer.
    """

    ran: bool | None = None


class AuthenticationError(PoolctlError):
    """The service does not accept the access token (HTTP 401)."""

    ran: bool | None = False
    elsewhere = True
    date: str | None = None
    """The `Date` header of the service's refusal to renew a sign-in."""
