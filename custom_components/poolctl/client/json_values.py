"""Values out of JSON answers, of the controller and of the cloud: any may be odd.

Here, and nowhere else, JSON of somebody else is taken apart, and its texts are cleaned:
nothing may be stored or shown before that.
"""

from collections.abc import Container, Mapping
import json
import re
from unicodedata import category

from .layout import ANYTHING

type Answer = Mapping[str, object]
"""A JSON object that somebody else wrote."""

MAX_TEXT = 255
"""Characters of a text that are kept; a state of Home Assistant holds as many."""
_TOO_LARGE = 1e12
_DATA = frozenset({"env", "access_token", "refresh_token"})
"""Fields that hold data, not words (interface.md 2.2, 2.7); they are left as they are."""
_LINK = re.compile(r"://|\bwww\.", re.IGNORECASE)
_HARMLESS = str.maketrans("<>[]`", "\u2039\u203a()'")
"""What makes HTML, links, images and code of a text in a dialog."""
_JOINERS = "\u200c\u200d"
"""Format characters that belong to scripts and emoji; all others only hide things."""


def clean_text(text: str, longest: int = MAX_TEXT) -> str:
    """Return words of somebody else as they may be stored, logged and shown.

    Lone surrogates and control characters are gone, white space is one space, Markdown
    and HTML make no link, image or element, and what is too long ends in an ellipsis.
    """
    # What is far too long is not worth cleaning as a whole.
    text = "".join(map(_printable, text[: 2 * longest]))
    text = _LINK.sub(_unlinked, text.translate(_HARMLESS))
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _printable(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    return "" if category(character) in ("Cf", "Cs") else " "


def _unlinked(found: re.Match[str]) -> str:
    return ": //" if found[0] == "://" else "www "


def parse_json(text: str | bytes) -> object:
    """Return a JSON text of somebody else, with clean texts and names of fields.

    Control characters inside of strings are taken, although JSON has none there. Raises
    ValueError where it is not JSON.
    """
    try:
        return _clean(json.loads(text, strict=False))
    except RecursionError:
        raise ValueError("nested too deep") from None


def parse_object(text: str | bytes) -> Answer | None:
    """Return the object that a JSON text is, `None` where it is anything else."""
    try:
        answer = parse_json(text)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _field(name: str) -> str:
    """Return the name of a field, as it is if that can be stored.

    Objects with fields of a later firmware are written back whole.
    """
    return name if name.isprintable() else clean_text(name)


def _clean(value: object) -> object:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_clean(each) for each in value]
    if isinstance(value, dict):
        return {
            _field(name): each if name in _DATA else _clean(each)
            for name, each in value.items()
        }
    return value


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
    return [entry for entry in found if isinstance(entry, dict)]
