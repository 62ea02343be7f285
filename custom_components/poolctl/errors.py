"""Tables that map errors of the client to translated sentences."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Final

from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .client import (
    AuthenticationError,
    BusyError,
    CannotReleaseError,
    CommandFailedError,
    EnvelopeError,
    InvalidCommandError,
    NotAppliedError,
    NotSupportedError,
    PoolctlError,
    ProtocolError,
    RefusedError,
    SignatureError,
    UnconfirmedError,
    UndoneLaterError,
    UnreachableError,
)
from .const import DOMAIN

type Sentences = Mapping[type[Exception], str]
"""Error -> translation key of its sentence. The first matching row is used, so an
error comes before its base class."""

COMMAND_ERRORS: Final[Sentences] = {
    InvalidCommandError: "invalid_command",
    UndoneLaterError: "undone_later",
    NotSupportedError: "not_supported",
    NotAppliedError: "not_applied",
    CannotReleaseError: "not_given_back",
    AuthenticationError: "sign_in_needed",
    BusyError: "busy",
    CommandFailedError: "service_refused",
    RefusedError: "refused",
    UnconfirmedError: "unconfirmed",
    UnreachableError: "not_reached",
    ProtocolError: "unexpected_answer",
    PoolctlError: "command_failed",
}
"""Sentences for a failed command: keys of `exceptions`."""

OUTCOMES: Final[Mapping[bool | None, str]] = {True: "accepted", False: "not_run"}
"""Sentences for a command that ran or did not, where that is certain."""

ACCOUNT_ERRORS: Final[Sentences] = {
    BusyError: "service_busy",
    UnreachableError: "service_unreachable",
    PoolctlError: "service_unreadable",
}
"""Sentences for an account that could not be read: keys of `exceptions`."""

KEY_ERRORS: Final[Sentences] = {
    SignatureError: "still_rejected",
    AuthenticationError: "sign_in_needed",
    EnvelopeError: "no_key",
    RefusedError: "no_key",
    UnreachableError: "not_reached",
    BusyError: "not_reached",
}
"""Sentences for a new key that did not help: keys of flow errors, as all below."""

NOT_REACHED_ERRORS: Final[Sentences] = {
    UnreachableError: "not_reached",
    BusyError: "not_reached",
}
"""Sentences for a refill or a release that did not reach the controller."""

ADDRESS_ERRORS: Final[Sentences] = {
    SignatureError: "another_controller",
    NotSupportedError: "no_key",
}
"""Sentences for a controller that does not answer at the address entered."""

_MISTAKES: Final = (InvalidCommandError, NotSupportedError)
"""Errors of requests that cannot be met: Home Assistant logs no traceback of these."""


def sentence(error: Exception, table: Sentences, default: str = "failed") -> str:
    """Return the translation key of the sentence for an error."""
    fitting = (key for kind, key in table.items() if isinstance(error, kind))
    return next(fitting, default)


def mistake(key: str, **placeholders: str) -> ServiceValidationError:
    """Return the error of a request that cannot be met, with its translated sentence."""
    return ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key=key,
        translation_placeholders=placeholders,
    )


def _key(error: PoolctlError) -> str:
    """Return the translation key of the sentence for a failed command."""
    if type(error).ran is False and error.ran is None:
        return "outcome_unknown"  # another attempt may have run it
    key = error.reason or sentence(error, COMMAND_ERRORS)
    lost = isinstance(error, UnreachableError) and error.reason is None
    return OUTCOMES.get(error.ran, key) if lost else key


@contextmanager
def command_errors(entity: str) -> Generator[None]:
    """Raise errors of the client as translated ones, with the name of the entity."""
    try:
        yield
    except PoolctlError as err:
        retry_after = err.retry_after if isinstance(err, BusyError) else None
        placeholders = {
            "entity": entity,
            # The message of the service, in the language it uses.
            "error": err.message if isinstance(err, CommandFailedError) else "",
            "seconds": str(round(retry_after or 5)),
        }
        if isinstance(err, InvalidCommandError):
            placeholders |= err.placeholders
        mistaken = isinstance(err, _MISTAKES)
        exception = ServiceValidationError if mistaken else HomeAssistantError
        raise exception(
            translation_domain=DOMAIN,
            translation_key=_key(err),
            translation_placeholders=placeholders,
        ) from err
