"""Validators that the schemas of several files share: texts, keys, addresses."""

from collections.abc import Callable
import re
from string import Formatter
from typing import Any, Final

from homeassistant.helpers import config_validation as cv
import probatio as vol

_KEY: Final = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_ADDRESS: Final = re.compile(
    r"\b(?:ftps?|https?|mqtts?|scp|socket|socks5|wss?)://\w|\bwww\.\w", re.IGNORECASE
)
_QUOTED: Final = re.compile(r"'\{\w*\}'")


def key(value: str) -> str:
    """Accept a translation key."""
    if not _KEY.fullmatch(value):
        raise vol.Invalid(
            f"{value!r} is no key: lower-case letters, digits, single - or _ between them"
        )
    return value


def placeholders(value: str) -> list[str]:
    """Return the sorted placeholders of a text; raises ValueError for a lone brace."""
    return sorted(
        name for _, name, _, _ in Formatter().parse(value) if name is not None
    )


def text(value: Any) -> str:
    """Accept a text for the user, with placeholders."""
    if not isinstance(value, str):
        raise vol.Invalid("is no text")
    value = cv.string_with_no_html(value)
    try:
        names = placeholders(value)
    except ValueError as err:
        raise vol.Invalid(f"a brace is alone: {err}") from err
    for wrong, reason in (
        (value != value.strip(), "begins or ends with a space"),
        (not value, "is empty"),
        ("[%" in value or "%]" in value, "references are resolved in the core only"),
        (_ADDRESS.search(value), "an address has to be given as a placeholder"),
        (_QUOTED.search(value), "a placeholder in single quotes is not filled"),
        (
            not all(name.isidentifier() for name in names),
            "a placeholder is no identifier",
        ),
    ):
        if wrong:
            raise vol.Invalid(reason)
    return str(value)


def plain(value: Any) -> str:
    """Accept a text in which placeholders are not filled."""
    if placeholders(text(value)):
        raise vol.Invalid("placeholders are not filled here")
    return str(value)


def keyed(
    schema: Any, keys: Callable[[Any], str] = key
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Accept an object with keys of this kind."""
    return cv.schema_with_slug_keys(schema, slug_validator=keys)
