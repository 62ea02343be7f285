"""What a person asks for: a body of water that is warm by a time."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Self

from ..client.equipment import HeatSource
from ..client.pool.heating import BODIES, Body
from ..client.stored import Reader, Stored, each, flag, moment, number, text, whole

LASTS: Final = timedelta(hours=3)
"""For which the water stays warm where nothing else is asked."""
LONGEST: Final = timedelta(days=1)
"""For which it may be asked."""

_BODIES: Final = {body.key: body for body in BODIES}
_LAST_SLOT: Final = 63


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One body of water, and what was done for it.

    Two requests are equal if the same is stored of them.
    """

    body: Body
    by: datetime
    """By the trusted clock, UTC."""
    lasts: timedelta = LASTS
    """For which it stays warm."""
    begun: bool = False
    heats: bool = False
    """Whether a read showed that a heat source may run since then."""
    held: tuple[tuple[int, datetime], ...] = ()
    """The outputs that are held for it: slot, and since when."""
    selected: tuple[HeatSource, ...] = ()
    """The heat sources that were selected for it."""
    over: bool = False
    """Whether all that is left is to give that back."""
    doubtful: bool = field(default=False, compare=False)
    """Whether the last look found it switched off: one read may be odd."""
    tries: int = field(default=0, compare=False)
    """How often a command failed since one worked."""
    retry_at: float = field(default=0.0, compare=False)
    """Monotonic, s."""

    @property
    def until(self) -> datetime:
        """How long the water stays warm."""
        return self.by + self.lasts

    @classmethod
    def from_stored(cls, value: object) -> Self:
        """Return what was stored; raises as readers do for anything else."""
        stored = Stored(value)
        return cls(
            body=stored.need("body", lambda key: _BODIES[text(key)]),
            by=stored.need("by", moment),
            lasts=stored.need("lasts", _lasts),
            begun=stored.need("begun", flag),
            heats=stored.need("heats", flag),
            held=stored.need("held", each(_held)),
            selected=stored.need("selected", each(HeatSource)),
            over=stored.need("over", flag),
        )

    def as_dict(self) -> dict[str, object]:
        """Return it as the store has it."""
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


def _lasts(value: object) -> timedelta:
    return timedelta(seconds=_seconds(value))


def _held(value: object) -> tuple[int, datetime]:
    slot, since = each(lambda item: item)(value)
    return _slot(slot), moment(since)


@dataclass(frozen=True, slots=True)
class KeptRequests:
    """What is stored of the requests of one controller."""

    requests: tuple[Request, ...]

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored."""
        return cls(stored.list("requests", Request.from_stored))

    def as_dict(self) -> dict[str, object]:
        """Return it as the store has it."""
        return {"requests": [request.as_dict() for request in self.requests]}
