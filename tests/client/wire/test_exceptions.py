"""Messages and attributes of the errors."""

from custom_components.poolctl.client.wire.exceptions import (
    AuthenticationError,
    BusyError,
    CommandFailedError,
    EnvelopeError,
    InvalidCommandError,
    RefusedError,
    ServiceError,
    UnreachableError,
)


def test_messages() -> None:
    for kind in (
        *(AuthenticationError, BusyError, EnvelopeError, InvalidCommandError),
        *(RefusedError, ServiceError, UnreachableError),
    ):
        assert str(kind("no luck")) == "no luck"
    # Words of the service are not for a log.
    failed = CommandFailedError("the device of Ms Smith is off")
    assert failed.message == "the device of Ms Smith is off"
    assert str(failed) == "the service declined it"


def test_attributes() -> None:
    plain = InvalidCommandError("x")
    assert (plain.reason, plain.placeholders) == ("invalid_command", {})
    error = InvalidCommandError("x", reason="too_long", limit="7")
    assert (error.reason, error.placeholders) == ("too_long", {"limit": "7"})
    # A request may have arrived unless the error rules that out.
    assert UnreachableError("x").ran is None
    assert UnreachableError("x", ran=False).ran is False
    assert BusyError("x").retry_after is None
    assert BusyError("x", retry_after=7.5).retry_after == 7.5
