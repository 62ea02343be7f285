"""Messages and attributes of the errors."""

import pytest

from custom_components.poolctl.client.wire.exceptions import (
    AuthenticationError,
    BusyError,
    CommandFailedError,
    EnvelopeError,
    InvalidCommandError,
    PoolctlError,
    RefusedError,
    ServiceError,
    UnreachableError,
)


@pytest.mark.parametrize(
    "kind",
    [
        AuthenticationError,
        BusyError,
        EnvelopeError,
        InvalidCommandError,
        RefusedError,
        ServiceError,
        UnreachableError,
    ],
)
def test_a_message_is_what_the_error_says(kind: type[PoolctlError]) -> None:
    assert str(kind("no luck")) == "no luck"


def test_messages() -> None:
    assert InvalidCommandError("x").reason == "invalid_command"
    assert InvalidCommandError("x").placeholders == {}
    error = InvalidCommandError("x", reason="too_long", limit="7")
    assert (error.reason, error.placeholders) == ("too_long", {"limit": "7"})


def test_whether_it_may_have_arrived() -> None:
    """A request may have arrived unless the error rules that out."""
    assert UnreachableError("x").ran is None
    assert UnreachableError("x", ran=False).ran is False


def test_when_to_try_again() -> None:
    assert BusyError("x").retry_after is None
    assert BusyError("x", retry_after=7.5).retry_after == 7.5


def test_words_of_the_service_are_not_for_a_log() -> None:
    error = CommandFailedError("the device of Ms Smith is off")
    assert error.message == "the device of Ms Smith is off"
    assert str(error) == "the service declined it"
