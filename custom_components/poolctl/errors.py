"""Errors of the client as translated sentences: the one room for their tables."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Final

from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .client.exceptions import (
    AuthenticationError,
    BusyError,
    CommandFailedError,
    EnvelopeError,
    InvalidCommandError,
    NotAppliedError,
    NotDoneError,
    NotGivenBackError,
    NotOfferedError,
    NotSupportedError,
    OutcomeUnknownError,
    PoolctlError,
    ProtocolError,
    RefusedError,
    SignatureError,
    StoppedError,
    UnconfirmedError,
    UnreachableError,
)
from .const import DOMAIN

type Sentences = Mapping[type[Exception], str]
"""Error -> translation key of its sentence. The first row that fits counts, so the row
of an error stands before that of its base class."""

COMMAND_ERRORS: Final[Sentences] = {
    InvalidCommandError: "invalid_command",
    NotSupportedError: "not_supported",
    NotOfferedError: "not_supported",
    NotAppliedError: "not_applied",
    NotGivenBackError: "not_given_back",
    AuthenticationError: "sign_in_needed",
    BusyError: "busy",
    CommandFailedError: "service_refused",
    RefusedError: "refused",
    StoppedError: "stopped",
    NotDoneError: "not_done",
    OutcomeUnknownError: "outcome_unknown",
    UnconfirmedError: "unconfirmed",
    UnreachableError: "not_reached",
    ProtocolError: "unexpected_answer",
    PoolctlError: "command_failed",
}
"""A command failed: keys of `exceptions`."""

ACCOUNT_ERRORS: Final[Sentences] = {
    BusyError: "service_busy",
    UnreachableError: "service_unreachable",
    PoolctlError: "service_unreadable",
}
"""The account could not be read: keys of `exceptions`."""

KEY_ERRORS: Final[Sentences] = {
    SignatureError: "still_rejected",
    AuthenticationError: "sign_in_needed",
    EnvelopeError: "no_key",
    RefusedError: "no_key",
    UnreachableError: "not_reached",
    BusyError: "not_reached",
}
"""A new envelope key did not help: keys of the errors of a flow, as all below."""

REFILL_ERRORS: Final[Sentences] = {
    UnreachableError: "not_reached",
    BusyError: "not_reached",
}
"""The controller was not told that a drum is full again."""

GIVING_BACK_ERRORS: Final[Sentences] = REFILL_ERRORS
"""An output was not given back to its schedules."""

ADDRESS_ERRORS: Final[Sentences] = {
    SignatureError: "another_controller",
    NotSupportedError: "no_key",
}
"""A controller does not answer at the address that a person entered."""

_MISTAKES: Final = (InvalidCommandError, NotSupportedError, NotOfferedError)
"""What a person asked for cannot be done: Home Assistant logs no traceback of these."""


def sentence(error: Exception, table: Sentences, default: str = "failed") -> str:
    """Return the translation key of the sentence for an error."""
    fitting = (key for kind, key in table.items() if isinstance(error, kind))
    return next(fitting, default)


@contextmanager
def command_errors(entity: str) -> Generator[None]:
    """Raise errors of the client as translated errors of Home Assistant.

    `entity` is the name of what the command was for: an entity, or a controller.
    """
    try:
        yield
    except PoolctlError as err:
        key = sentence(err, COMMAND_ERRORS)
        retry_after = err.retry_after if isinstance(err, BusyError) else None
        # The service's own words, in whatever language it speaks.
        said = err.said if isinstance(err, CommandFailedError) else ""
        seconds = str(round(retry_after or 5))
        placeholders = {"entity": entity, "error": said, "seconds": seconds}
        if isinstance(err, InvalidCommandError):
            key, placeholders = err.reason, placeholders | err.placeholders
        mistake = isinstance(err, _MISTAKES)
        exception = ServiceValidationError if mistake else HomeAssistantError
        raise exception(
            translation_domain=DOMAIN,
            translation_key=key,
            translation_placeholders=placeholders,
        ) from err
