"""Marks of annotated fields: their bounds, how they are stored, and what is private."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Annotated, Final

__all__ = [
    "UNSTORED",
    "OneOf",
    "Private",
    "PrivateText",
    "Within",
]


@dataclass(frozen=True, slots=True)
class Within:
    """Bounds of a number, or of a `timedelta` in seconds; both are included."""

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high


class OneOf:
    """Objects that are stored as their keys."""

    def __init__(self, objects: Mapping[str, object]) -> None:
        self.objects = objects
        self.keys = {value: key for key, value in objects.items()}


class _Mark(Enum):
    REQUIRED = auto()
    UNSTORED = auto()


REQUIRED: Final = _Mark.REQUIRED
"""Marks a field without which its dataclass does not fit, though it has a default."""
UNSTORED: Final = _Mark.UNSTORED


class Private(str):
    """The stored form of text that people chose: it may name them or their home.

    Whatever leaves Home Assistant shows that there is a text, and nothing of it.
    """

    __slots__ = ()


type PrivateText = Annotated[str, Private]
