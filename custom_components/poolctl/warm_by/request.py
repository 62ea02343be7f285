"""A user's request: a body of water that is warm by a time."""

from dataclasses import dataclass, field
from datetime import MAXYEAR, datetime, timedelta
from typing import Final, Self

from ..client.pool.heating import BODIES, Body
from ..client.stored import Reader, Stored, each, flag, moment, number, text, whole
from ..client.wire.equipment import HeatSource

LASTS: Final = timedelta(hours=3)
"""Default time for which the water stays warm."""
AHEAD: Final = timedelta(days=7)
"""Longest time between a request and the time by which the water is warm."""
LONGEST: Final = timedelta(days=1)
"""Longest time for which the water may stay warm."""

_BODIES: Final = {body.key: body for body in BODIES}
_LAST_SLOT: Final = 63


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request for one body of water, and the commands sent for it.

    Two requests are equal if their stored values are equal.
    """

    body: Body
    by: datetime
    """Requested time by the trusted clock, in UTC."""
    lasts: timedelta = LASTS
    """Time for which the water stays warm."""
    begun: bool = False
    heats: bool = False
    """Whether a read has shown since then that a heat source may run."""
    held: tuple[tuple[int, datetime], ...] = ()
    """Outputs held for it: slot and start of the hold."""
    selected: tuple[HeatSource, ...] = ()
    """Heat sources selected for it."""
    over: bool = False
    """Whether it has ended, and its holds and heat sources only need releasing."""
    doubtful: bool = field(default=False, compare=False)
    """Whether the last check showed it switched off: one read may be odd."""
    tries: int = field(default=0, compare=False)
    """Number of failed commands since the last success."""
    retry_at: float = field(default=0.0, compare=False)
    """Time of the next attempt (monotonic, s)."""

    @property
    def until(self) -> datetime:
        """Time until which the water stays warm."""
        return self.by + self.lasts

    @classmethod
    def from_stored(cls, value: object) -> Self:
        """Return a stored request; raises like a `Reader` if it is odd."""
        stored = Stored(value)
        return cls(
            body=stored.need("body", lambda key: _BODIES[text(key)]),
            by=stored.need("by", _by),
            lasts=stored.need("lasts", _lasts),
            begun=stored.need("begun", flag),
            heats=stored.need("heats", flag),
            held=stored.need("held", each(_held)),
            selected=stored.need("selected", each(HeatSource)),
            over=stored.need("over", flag),
        )

    def as_dict(self) -> dict[str, object]:
        """Return the values to store."""
        return {
            "body": self.body.key,
            "by": self.by.isoformat(),
            "lasts": self.lasts.total_seconds(),
            "begun": self.begun,
            "heats": self.heats,
            "held": [[slot, since.isoformat()] for slot, since in self.held],
            "selected": self.selected,
            "over": self.over,
        }


_seconds: Reader[float] = number(0, LONGEST.total_seconds())
_slot: Reader[int] = whole(0, _LAST_SLOT)


def _by(value: object) -> datetime:
    when = moment(value)
    if when.year >= MAXYEAR:
        raise ValueError("not possible")
    return when


def _lasts(value: object) -> timedelta:
    return timedelta(seconds=_seconds(value))


def _held(value: object) -> tuple[int, datetime]:
    slot, since = each(lambda item: item)(value)
    return _slot(slot), moment(since)


@dataclass(frozen=True, slots=True)
class KeptRequests:
    """The stored requests of one controller."""

    requests: tuple[Request, ...]

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return the stored requests."""
        return cls(stored.list("requests", Request.from_stored))

    def as_dict(self) -> dict[str, object]:
        """Return the values to store."""
        return {"requests": [request.as_dict() for request in self.requests]}
