"""What a row of the table of possible problems holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple, Protocol, Self

from homeassistant.helpers import issue_registry as ir


class Celsius(float):
    """A temperature in °C, written in the unit of Home Assistant."""


type Value = str | float | datetime
"""What a text is filled with, written in the language and the time zone of Home Assistant."""
type Values = Mapping[str, Value]


class Severity(StrEnum):
    """How much a problem matters; the worst one is the state of *Status*."""

    NOTICE = "notice"
    """Good to know."""
    PROBLEM = "problem"
    """Needs a person."""


class Facts(Protocol):
    """What the rows of one table are tested on."""

    @property
    def owner_id(self) -> str:
        """What the ids of its repairs end with."""

    @property
    def title(self) -> str:
        """What a person calls it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair[F]:
    """How a problem is shown under Repairs, too."""

    wanted: Callable[[F], bool | None] = lambda facts: True
    """Whether it is one now, `None` where that is unknown."""
    patience: float = 300.0
    """s for which the problem must have lasted: most heal by themselves (chosen)."""
    severity: ir.IssueSeverity = ir.IssueSeverity.WARNING
    fixable: bool = False
    persistent: bool = False
    """Whether it outlasts a restart, after which the problem would not be noticed."""
    learn_more_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant[F]:
    """Another form of a problem, with a sentence of its own."""

    key: str
    applies: Callable[[F], bool | None]
    severity: Severity = Severity.PROBLEM


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem[F]:
    """One possible problem."""

    key: str
    """Of its texts, and what triggers and conditions call it."""
    exists: Callable[[F], bool | None]
    """Whether it exists, `None` where that is not currently known."""
    severity: Severity = Severity.PROBLEM
    patience: float = 0.0
    """s for which it must have lasted."""
    variants: tuple[Variant[F], ...] = ()
    """The first that applies replaces the sentence and the severity."""
    values: Callable[[F], Values] = lambda facts: {}
    repair: Repair[F] | None = None

    def variant(self, facts: F) -> Variant[F]:
        """Return its present form."""
        own = Variant(key=self.key, applies=self.exists, severity=self.severity)
        return next((each for each in self.variants if each.applies(facts)), own)


@dataclass(frozen=True, slots=True, kw_only=True)
class Active:
    """A problem that exists now."""

    key: str
    variant: str
    severity: Severity
    since: datetime
    values: Mapping[str, str]


ALL_WELL: Final = "all_well"


class Status(NamedTuple):
    """What *Status* shows."""

    value: str | None = None
    """`ALL_WELL` or the severity of the worst problem; `None` while nothing was read."""
    problems: tuple[Active, ...] = ()
    """The worst first."""

    @classmethod
    def of(cls, *active: Active) -> Self:
        """Return the status of a controller with these problems."""
        first = sorted(active, key=lambda each: each.severity is Severity.NOTICE)
        return cls(first[0].severity if first else ALL_WELL, tuple(first))
