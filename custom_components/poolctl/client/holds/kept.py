"""The holds of a controller in the form that is stored across restarts."""

from dataclasses import dataclass
from typing import Self, override

from ..stored import Reader, Stored, each, flag, moment, number, text, whole
from ..wire.equipment import MAX_SLOTS
from ..wire.schedule import MAX_SCHEDULES
from .claim import LONGEST, End, State
from .hold import Asked, Hold

_LASTING = {State.REQUESTED, State.WATCHED}
"""States that reads cannot restore."""


@dataclass(frozen=True, slots=True, eq=False)
class KeptHolds:
    """The stored holds of one controller."""

    holds: tuple[Hold, ...]

    @override
    def __eq__(self, other: object) -> bool:
        """Return whether the same would be stored."""
        return isinstance(other, KeptHolds) and self.as_dict() == other.as_dict()

    @override
    def __hash__(self) -> int:
        """Return a hash that is equal for equal holds."""
        return hash(self.holds)

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return the stored holds."""
        return cls(stored.list("holds", _hold))

    def as_dict(self) -> dict[str, object]:
        """Return the holds in stored form."""
        return {"holds": [_stored(hold) for hold in self.holds]}


def _stored(hold: Hold) -> dict[str, object]:
    return {
        "slot": hold.slot,
        "on": hold.on,
        "since": hold.since.isoformat(),
        "until": hold.until and hold.until.isoformat(),
        "end": hold.end.value,
        "needed": hold.needed,
        "by_cloud": hold.by_cloud,
        "lasts": hold.lasts,
        "schedules": list(hold.schedules),
        "latest": hold.latest and hold.latest.isoformat(),
        "restarts": hold.restarts,
        "state": (hold.state if hold.state in _LASTING else State.ACTIVE).value,
        "previous": hold.previous and _stored(hold.previous),
        "asked": hold.asked.value,
        "requester": hold.requester,
    }


def _hold(value: object) -> Hold:
    """Read a hold, or fail as a whole: with a wrong end, it could last for good."""
    stored = Stored(value)
    return Hold(
        slot=stored.need("slot", whole(0, MAX_SLOTS - 1)),
        on=stored.need("on", flag),
        since=stored.need("since", moment),
        until=stored.need("until", _maybe(moment)),
        end=stored.need("end", End),
        needed=stored.need("needed", flag),
        by_cloud=stored.need("by_cloud", flag),
        lasts=stored.need("lasts", _maybe(number(0, LONGEST.total_seconds()))),
        schedules=stored.need("schedules", each(whole(0, MAX_SCHEDULES - 1))),
        latest=stored.need("latest", _maybe(moment)),
        restarts=stored.need("restarts", whole(0, 1000)),
        state=stored.need("state", lambda state: State(text(state))),
        previous=stored.need("previous", _maybe(_hold)),
        asked=stored.need("asked", lambda asked: Asked(text(asked))),
        requester=stored.need("requester", text),
    )


def _maybe[T](read: Reader[T]) -> Reader[T | None]:
    return lambda value: None if value is None else read(value)
