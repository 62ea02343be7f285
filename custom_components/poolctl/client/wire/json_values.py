"""Values from JSON answers of the controller and the cloud: any may be invalid.

Received JSON is parsed only here. `text` returns a text that is safe to store or show;
the answer itself stays as received, since some objects are written back.
"""

from collections.abc import Container, Mapping
import json
import re
from unicodedata import category

from .exceptions import InvalidCommandError

type Answer = Mapping[str, object]
"""A JSON object received from the controller or the cloud."""

MAX_TEXT = 255
"""Maximum length of a text, which is that of a state in Home Assistant."""
_TOO_LARGE = 1e12
_MOST_ITEMS = 10_000
"""Maximum number of objects read from one list: no account has as many."""
_LINK = re.compile(r"://|\bwww\.", re.IGNORECASE)
_HARMLESS = str.maketrans("<>[]`", "\u2039\u203a()'")
"""Replacements of characters that make HTML, links, images and code in a dialog."""
_JOINERS = "\u200c\u200d"
"""Format characters that scripts and emoji need; all others only hide text."""


def clean_text(words: str, longest: int = MAX_TEXT) -> str:
    """Return received text in a form that is safe to store, log and show.

    Lone surrogates and control characters are removed, white space is one space,
    Markdown and HTML form no link, image or element, and long text ends in an ellipsis.
    """
    # The rest of a far too long text would be cut off anyway.
    words = "".join(map(_printable, words[: 2 * longest]))
    words = _LINK.sub(
        lambda found: ": //" if found[0] == "://" else "www ",
        words.translate(_HARMLESS),
    )
    words = " ".join(words.split())
    return words if len(words) <= longest else f"{words[: longest - 1].rstrip()}…"


def _printable(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    return "" if category(character) in ("Cf", "Cs") else " "


_DECODER = json.JSONDecoder(strict=False)
_LATIN_1 = {0xDC00 + byte: byte for byte in range(0x80, 0x100)}
"""Characters for Python's escapes of bytes that are not UTF-8."""


def parse_json(data: str | bytes) -> object:
    """Parse a received JSON text.

    Control characters in strings are accepted, although JSON does not allow them, and
    bytes that are not UTF-8 are read as Latin-1. What follows the value is dropped: it
    may be the rest of a buffer (protocol.md L28). Raises ValueError if it is not JSON.
    """
    if isinstance(data, bytes):
        data = data.decode("utf-8-sig", "surrogateescape").translate(_LATIN_1)
    try:
        value: object
        value, _ = _DECODER.raw_decode(data.lstrip())
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value


def as_json(body: Answer) -> bytes:
    """Return an object as compact JSON, or raise InvalidCommandError, as for NaN."""
    try:
        text = json.dumps(
            body, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
    except (TypeError, ValueError, RecursionError) as err:
        raise InvalidCommandError(f"not JSON: {err}") from None
    # A lone surrogate can only be escaped, which Python and JSON do alike.
    return text.encode("utf-8", "backslashreplace")


def parse_object(data: str | bytes) -> Answer | None:
    """Return the object in a JSON text, `None` if it is anything else."""
    try:
        answer = parse_json(data)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def has_any(answer: Answer, names: Container[str]) -> bool:
    """Return whether an answer has one of some fields, at any depth."""
    waiting: list[object] = [answer]
    while waiting:
        match waiting.pop():
            case dict() as found:
                if any(name in names for name in found):
                    return True
                waiting += found.values()
            case list() as found:
                waiting += found
    return False


def text(answer: Answer, key: str) -> str | None:
    """Return a text of an answer, safe to store and show, `None` if there is none."""
    value = answer.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # an identifier may be a number
    return clean_text(value) if isinstance(value, str) else None


def number(
    answer: Answer,
    key: str,
    divisor: int = 1,
    possible: Container[object] | None = None,
) -> float | None:
    """Return a possible number of an answer, `None` for anything else."""
    value = answer.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # This also excludes NaN, and numbers too large to convert to a float.
    if not abs(value) < _TOO_LARGE:
        return None
    scaled = value if divisor == 1 else value / divisor
    return scaled if possible is None or scaled in possible else None


def flag(answer: Answer, key: str) -> bool | None:
    """Return a boolean of an answer, `None` for anything else."""
    value = answer.get(key)
    return value if isinstance(value, bool) else None


def byte(answer: Answer, key: str) -> int | None:
    """Return a number from 0 to 255, where true and false count as 1 and 0."""
    value = answer.get(key)
    return int(value) if isinstance(value, int) and 0 <= value <= 0xFF else None


def object_of(answer: Answer, key: str) -> Answer:
    """Return an object of an answer, an empty one for anything else."""
    found = answer.get(key)
    return found if isinstance(found, dict) else {}


def list_of(answer: Answer, key: str) -> list[Answer]:
    """Return the objects in a list of an answer."""
    found = answer.get(key)
    if not isinstance(found, list):
        return []
    return [entry for entry in found[:_MOST_ITEMS] if isinstance(entry, dict)]
