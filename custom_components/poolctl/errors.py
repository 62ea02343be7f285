"""Errors of the client as translated errors of Home Assistant."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .client.exceptions import (
    AuthenticationError,
    BusyError,
    CommandFailedError,
    InvalidCommandError,
    NotAppliedError,
    NotDoneError,
    NotOfferedError,
    NotSupportedError,
    OutcomeUnknownError,
    PoolctlError,
    ProtocolError,
    RefusedError,
    UnreachableError,
)
from .const import DOMAIN

_ERRORS: Mapping[type[PoolctlError], tuple[type[HomeAssistantError], str]] = {
    InvalidCommandError: (ServiceValidationError, "invalid_command"),
    NotSupportedError: (ServiceValidationError, "not_supported"),
    NotOfferedError: (ServiceValidationError, "not_supported"),
    NotAppliedError: (HomeAssistantError, "not_applied"),
    AuthenticationError: (HomeAssistantError, "sign_in_needed"),
    BusyError: (HomeAssistantError, "busy"),
    CommandFailedError: (HomeAssistantError, "service_refused"),
    RefusedError: (HomeAssistantError, "refused"),
    NotDoneError: (HomeAssistantError, "not_done"),
    OutcomeUnknownError: (HomeAssistantError, "outcome_unknown"),
    UnreachableError: (HomeAssistantError, "not_reached"),
    ProtocolError: (HomeAssistantError, "unexpected_answer"),
    PoolctlError: (HomeAssistantError, "command_failed"),
}


@contextmanager
def command_errors() -> Generator[None]:
    """Turn the client's errors into translated ones; the first row that fits."""
    try:
        yield
    except PoolctlError as err:
        exception, key = next(
            row for error, row in _ERRORS.items() if isinstance(err, error)
        )
        retry_after = err.retry_after if isinstance(err, BusyError) else None
        said = err.said if isinstance(err, CommandFailedError) else str(err)
        placeholders = {"error": said, "seconds": str(round(retry_after or 5))}
        if isinstance(err, InvalidCommandError):
            key, placeholders = err.reason, placeholders | err.placeholders
        raise exception(
            translation_domain=DOMAIN,
            translation_key=key,
            translation_placeholders=placeholders,
        ) from err
