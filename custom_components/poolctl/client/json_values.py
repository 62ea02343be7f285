"""Values out of JSON answers, of the controller and of the cloud: any may be odd."""

from collections.abc import Container, Mapping

from .layout import ANYTHING

type Answer = Mapping[str, object]
"""A JSON object that somebody else wrote."""

_TOO_LARGE = 1e12


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
