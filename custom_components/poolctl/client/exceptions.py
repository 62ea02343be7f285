"""Everything that can go wrong between a person's wish and a pool, as one tree.

`PoolctlError` is the root. Its branches say what a caller can do about it:

- `ProtocolError`: bytes or JSON that do not decode; the same request may work later.
- `UnreachableError`: nobody answered; try the other path, try again.
- `RefusedError`: the controller or the service said no; trying again changes nothing.
- `BusyError`: not now; `retry_after` says when, where that is known.
- `AuthenticationError`: sign in again.

No message holds a key, a token, the body of a request, or words of the other side:
messages get into logs, and a service may name whom it talks about.
"""


class PoolctlError(Exception):
    """Base of every error of this package."""


# Bytes and JSON that are not what they should be


class ProtocolError(PoolctlError):
    """Something received does not have the documented form."""


class EnvelopeError(ProtocolError):
    """Not an envelope: not hex, too short, or of an unknown version."""


class SignatureError(ProtocolError):
    """The tag of an envelope does not fit its bytes: another key, or tampered with."""


class ReplayError(ProtocolError):
    """A verified envelope that is older than one already seen."""


class FrameError(ProtocolError):
    """A state frame whose lengths do not fit together."""


class ReplyError(ProtocolError):
    """A query reply that does not decode."""


class UnexpectedResponseError(ProtocolError):
    """An HTTP answer that is not the documented JSON (interface.md 2.1, 2.7)."""


# Things that must not be sent


class InvalidCommandError(PoolctlError, ValueError):
    """A command that cannot be expressed or is out of its range; nothing was sent.

    `reason` names the sentence that a person reads, `placeholders` what is filled into it.
    """

    def __init__(
        self, message: str, *, reason: str = "invalid_command", **placeholders: str
    ) -> None:
        """Remember what a person is to read."""
        super().__init__(message)
        self.reason = reason
        self.placeholders = placeholders


class ClockError(InvalidCommandError):
    """Our clock, or that of another client, is so wrong that nothing can be signed.

    A controller that accepted a counter far ahead would refuse every client for as long.
    """

    def __init__(self, message: str) -> None:
        """Have a person told to look at the clocks."""
        super().__init__(message, reason="clock")


class RequestTooLargeError(InvalidCommandError):
    """The LAN request would be longer than 1024 bytes (interface.md 8)."""


# Nobody answered


class UnreachableError(PoolctlError):
    """No connection, no answer in time, or an answer that broke off.

    `sent` says whether the request may have reached the other side: only an
    idempotent command may then be tried on another path.
    """

    def __init__(self, message: str, *, sent: bool = True) -> None:
        """Remember whether the request may have arrived."""
        super().__init__(message)
        self.sent = sent


class ServiceError(UnreachableError):
    """The service failed by itself (HTTP 5xx)."""


class StateExpiredError(UnreachableError):
    """Neither the LAN nor the cloud answered for so long that the state is void."""


class StoppedError(UnreachableError):
    """Whoever was asked to send it has been stopped: it may have been sent, or not."""


class NotDoneError(UnreachableError):
    """The answer got lost, and another look reported that nothing was done."""


class OutcomeUnknownError(UnreachableError):
    """The answer got lost, and so did what would tell whether it was done."""


class UnconfirmedError(UnreachableError):
    """The service answered, but not whether the controller did it."""


# An answer that is a no


class RefusedError(PoolctlError):
    """Base of every answer that is a no."""


class DeclinedError(RefusedError):
    """The controller declined it, for one of four causes (interface.md 4.2 rule 2)."""


class CommandFailedError(RefusedError):
    """The service answered `status: FAILED` (interface.md 2.1).

    `said` is its own message, for the person who gave the command and for no log.
    """

    def __init__(self, said: str) -> None:
        """Remember what the service said."""
        super().__init__("the service declined it")
        self.said = said


class NotAppliedError(RefusedError):
    """The command was accepted, but the controller never showed the asked value."""


class NotGivenBackError(RefusedError):
    """Nothing that this controller takes gives its pump back to its schedules."""


class NotSupportedError(RefusedError):
    """No path that works now can carry this command."""


class ForbiddenError(RefusedError):
    """The account may not do this, or does not own the controller (HTTP 403)."""


class NotOfferedError(RefusedError):
    """The service does not have this endpoint (HTTP 404)."""


class LanRequestError(RefusedError):
    """The controller rejected the request itself (interface.md 7.2).

    `reason` is its own word for it, one of a published table.
    """

    def __init__(self, reason: str) -> None:
        """Remember what the controller said."""
        super().__init__(f"the controller says: {reason}")
        self.reason = reason

    @property
    def transient(self) -> bool:
        """Whether the request got lost on its way: nothing ran, and it may go again."""
        return self.reason in ("slow headers", "short body")


# An answer that is a "not now"


class BusyError(PoolctlError):
    """Busy or over a limit; `retry_after` is in seconds, `None` where not said."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        """Remember when to try again."""
        super().__init__(message)
        self.retry_after = retry_after


class LanBusyError(BusyError):
    """200 `busy`: no free frame buffer within 2 seconds (interface.md 7.2)."""


# Sign-in


class AuthenticationError(PoolctlError):
    """The service does not accept the access token (HTTP 401)."""
