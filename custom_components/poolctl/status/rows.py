"""Rows of the tables of problems and causes, and the sentences that they choose."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from homeassistant.helpers import issue_registry as ir

from ..const import DOMAIN


class Celsius(float):
    """A temperature in °C, shown in Home Assistant's unit."""


class Litres(float):
    """A volume in L, shown in Home Assistant's unit."""


type Value = str | float | datetime
"""Placeholder of a text, shown in Home Assistant's language and time zone."""
type Values = Mapping[str, Value]


class Sentence(NamedTuple):
    """One sentence, by the key of its text."""

    key: str
    values: Values = MappingProxyType({})


type Explanation = tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Row[*S]:
    """A row of a table over a situation: the first that applies gives the sentence."""

    key: str
    applies: Callable[[*S], object]
    values: Callable[[*S], Values] = lambda *situation: {}
    more: Callable[[*S], Explanation] = lambda *situation: ()
    """The sentences that follow."""


def explain[*S](rows: Iterable[Row[*S]], *situation: *S) -> Explanation:
    """Return the sentences of the first row that applies; the last always does."""
    row = next(each for each in rows if each.applies(*situation))
    return Sentence(row.key, row.values(*situation)), *row.more(*situation)


def rounded(at: datetime, step: timedelta = timedelta(minutes=1)) -> datetime:
    """Return a time rounded to a step."""
    rest = timedelta(seconds=at.timestamp() % step.total_seconds())
    return at - rest + (step if rest * 2 >= step else timedelta())


class Severity(StrEnum):
    """Severity of a problem; the highest is the state of *Status*."""

    NOTICE = "notice"
    """Good to know."""
    PROBLEM = "problem"
    """The user has to act."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A controller or an account that has problems."""

    subject_id: str
    """Suffix of its repairs' IDs."""
    title: str
    """Name shown to users."""
    read_at: float | None = None
    """Time of the newest read of a controller (monotonic, s)."""
    commanded_at: float | None = None
    """Time of the newest command to a controller (monotonic, s)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair[F]:
    """How a problem is also shown under Repairs."""

    wanted: Callable[[F], bool | None] = lambda situation: True
    """Whether the problem is a repair now; `None` leaves that unchanged."""
    patience: float = 300.0
    """Seconds the problem must have lasted: most end by themselves (chosen)."""
    severity: ir.IssueSeverity = ir.IssueSeverity.WARNING
    fixable: bool = False
    learn_more_url: str | None = None


class Action(NamedTuple):
    """What does a next step: a button of the controller, its switch, or a page."""

    key: str
    """Key of the button, or of the text for anything else."""
    url: str = ""
    """Address of the page in Home Assistant."""
    switch: str = ""
    """Key of the switch to turn off."""


_INTEGRATION: Final = f"/config/integrations/integration/{DOMAIN}"
SIGN_IN: Final = Action("sign_in", _INTEGRATION)
SETTINGS: Final = Action("settings", _INTEGRATION)
REPAIR: Final = Action("repair", "/config/repairs")
RESUME: Final = Action("resume_schedules")
STOP_PUMP: Final = Action("stop_pump", switch="pump")


@dataclass(frozen=True, slots=True)
class Form[F](Row[F]):
    """One form of a problem: its sentence and its next step."""

    severity: Severity = Severity.PROBLEM
    action: Action | None = None
    """What does its next step."""


@dataclass(frozen=True, slots=True)
class Problem[F](Form[F]):
    """One possible problem; its key is its name in triggers and conditions."""

    applies: Callable[[F], bool | None]
    """Whether it exists, `None` if that is not currently known."""
    patience: float | Callable[[F], float] = 0.0
    """Seconds it must have lasted."""
    variants: tuple[Form[F], ...] = ()
    """The first that applies replaces the sentence and the severity."""
    steps: tuple[Form[F], ...] = ()
    """The first that applies replaces the next step and its action."""
    repair: Repair[F] | None = None
    began: Callable[[F], datetime | None] = lambda situation: None
    """When it began if that is known better than by the first read that shows it."""

    def waits(self, situation: F) -> float:
        """Return for how many seconds it must have lasted."""
        return self.patience(situation) if callable(self.patience) else self.patience

    def variant(self, situation: F) -> Form[F]:
        """Return the variant that applies now, else the problem itself."""
        return next((each for each in self.variants if each.applies(situation)), self)

    def step(self, situation: F) -> Form[F]:
        """Return the form whose next step applies now, usually the problem itself."""
        return next((each for each in self.steps if each.applies(situation)), self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Active:
    """A problem that exists now."""

    key: str
    variant: str
    severity: Severity
    since: datetime
    values: Values
    step: str = ""
    """Key of a next step other than that of the variant."""
    action: Action | None = None


ALL_WELL: Final = "all_well"


class Status(NamedTuple):
    """Value of the sensor *Status*, with the active problems."""

    value: str | None = None
    """`ALL_WELL` or the highest severity; `None` until the first read."""
    problems: tuple[Active, ...] = ()
    """Active problems, the worst first."""

    @classmethod
    def of(cls, *active: Active) -> Self:
        """Return the status of a controller with these problems."""
        first = sorted(active, key=lambda each: each.severity is Severity.NOTICE)
        return cls(first[0].severity if first else ALL_WELL, tuple(first))
