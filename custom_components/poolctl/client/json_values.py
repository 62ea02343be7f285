"""Values out of JSON answers, of the controller and of the cloud: any may be odd.

Here, and nowhere else, JSON of somebody else is taken apart. `text` returns what may be
stored or shown; the answer itself stays as it came, since some objects are written back.
"""

from collections.abc import Container, Mapping
import json
import re
from unicodedata import category

from .exceptions import InvalidCommandError
from .layout import ANYTHING

type Answer = Mapping[str, object]
"""A JSON object that somebody else wrote."""

MAX_TEXT = 255
"""Characters of a text that are kept; a state of Home Assistant holds as many."""
_TOO_LARGE = 1e12
_MOST_ITEMS = 10_000
"""Objects of one list that are looked at: no account has as many of anything."""
_LINK = re.compile(r"://|\bwww\.", re.IGNORECASE)
_HARMLESS = str.maketrans("<>[]`", "\u2039\u203a()'")
"""What makes HTML, links, images and code of a text in a dialog."""
_JOINERS = "\u200c\u200d"
"""Format characters that belong to scripts and emoji; all others only hide things."""


def clean_text(words: str, longest: int = MAX_TEXT) -> str:
    """Return words of somebody else as they may be stored, logged and shown.

    Lone surrogates and control characters are gone, white space is one space, Markdown
    and HTML make no link, image or element, and what is too long ends in an ellipsis.
    """
    # What is far too long is not worth cleaning as a whole.
    words = "".join(map(_printable, words[: 2 * longest]))
    words = _LINK.sub(_unlinked, words.translate(_HARMLESS))
    words = " ".join(words.split())
    return words if len(words) <= longest else f"{words[: longest - 1].rstrip()}…"


def _printable(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    return "" if category(character) in ("Cf", "Cs") else " "


def _unlinked(found: re.Match[str]) -> str:
    return ": //" if found[0] == "://" else "www "


_LATIN_1 = {0xDC00 + byte: byte for byte in range(0x80, 0x100)}
"""Bytes that are no UTF-8, as Python escapes them, to characters."""


def parse_json(data: str | bytes) -> object:
    """Return a JSON text of somebody else.

    Control characters inside of strings are taken, although JSON has none there, and
    bytes that are no UTF-8 as Latin-1. Raises ValueError where it is not JSON.
    """
    if isinstance(data, bytes):
        data = data.decode("utf-8-sig", "surrogateescape").translate(_LATIN_1)
    try:
        return json.loads(data, strict=False)
    except RecursionError:
        raise ValueError("nested too deep") from None


def as_json(body: Answer) -> bytes:
    """Return an object as JSON to send, without white space.

    Raises InvalidCommandError where it cannot be: JSON has no NaN and no infinity.
    """
    for ascii_only in (False, True):
        try:
            return json.dumps(
                body,
                ensure_ascii=ascii_only,
                allow_nan=False,
                separators=(",", ":"),
            ).encode()
        except UnicodeEncodeError:
            continue  # a lone surrogate exists as an escape alone
        except (TypeError, ValueError, RecursionError) as err:
            raise InvalidCommandError(f"not JSON: {err}") from None
    raise InvalidCommandError("not JSON")


def parse_object(data: str | bytes) -> Answer | None:
    """Return the object that a JSON text is, `None` where it is anything else."""
    try:
        answer = parse_json(data)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def text(answer: Answer, key: str) -> str | None:
    """Return a text of an answer as it may be stored and shown, `None` without one."""
    value = answer.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # an identifier may be a number
    return clean_text(value) if isinstance(value, str) else None


def number(
    answer: Answer, key: str, divisor: int = 1, possible: Container[object] = ANYTHING
) -> float | None:
    """Return a number of an answer, `None` for anything else or impossible."""
    value = answer.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # JSON knows numbers that no pool does, and that do not even convert.
    if not abs(value) < _TOO_LARGE:
        return None
    scaled = value if divisor == 1 else value / divisor
    return scaled if scaled in possible else None


def flag(answer: Answer, key: str) -> bool | None:
    """Return a yes or no of an answer, `None` for anything else."""
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
