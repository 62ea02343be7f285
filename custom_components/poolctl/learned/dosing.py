"""Learned values of a doser: doses today, consumption, and the effect of its doses."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Final, NamedTuple, Self

from ..client.pool.dosing import ACID, CHLORINE, DoserKind
from ..client.pool.parts import Chemistry
from ..client.pool.state import PoolState
from ..client.stored import Stored, number, whole
from .consumption import Consumption, reported_level
from .doses import DoseCount, reported_count
from .read import Read


class Effect(NamedTuple):
    """The effect that doses should have on a reading (all values are chosen)."""

    of: Callable[[Chemistry], float | None]
    direction: int
    """1 if doses raise the reading, -1 if they lower it."""
    least: float
    """Smallest change that counts as an effect; readings are not exact."""
    doses: int
    """Number of doses after which an effect must show."""


EFFECTS: Final = {
    ACID: Effect(lambda chemistry: chemistry.ph, -1, 0.09, 8),
    # The sun consumes chlorine during dosing: 24 is more than a large pool needs a day.
    CHLORINE: Effect(lambda chemistry: chemistry.orp, 1, 9.0, 24),
}


class DoserModel:
    """The doses and the consumption of one doser."""

    def __init__(self, kind: DoserKind) -> None:
        """Begin with nothing."""
        self._kind = kind
        self._count: DoseCount | None = None
        self._consumption: Consumption | None = None
        self._shown: tuple[object, ...] = ()

    def take(self, read: Read) -> bool:
        """Take a read; return whether a shown value changed."""
        doser, zone = self._kind.of(read.state), read.now.tzinfo
        if (count := reported_count(doser)) is not None:
            self._count = (self._count or DoseCount.begin(count)).then(count, zone)
        if (level := reported_level(doser)) is not None:
            self._consumption = self._consumption or Consumption(level)
            self._consumption.take(level, zone)
        previous, now = self._shown, read.now
        drum = self._consumption and self._consumption.level.ml
        self._shown = self.doses_today(now), self.used_today(now), drum
        return self._shown != previous

    def doses_today(self, now: datetime) -> int | None:
        """Return the doses today so far, at a local time."""
        return None if self._count is None else self._count.at(now)

    def used_today(self, now: datetime) -> float | None:
        """Return the mL used today so far, at a local time."""
        drum = self._consumption
        return None if drum is None else drum.used_today(now)

    def lasts_until(self, left: float | None, now: datetime) -> date | None:
        """Return the date on which the litres left are used up, at a local time."""
        if self._consumption is None or left is None:
            return None
        return self._consumption.lasts_until(left * 1000, now)

    def as_dict(self) -> dict[str, object]:
        """Return the values to store."""
        return {
            "doses": self._count and self._count.as_dict(),
            "drum": self._consumption and self._consumption.as_dict(),
        }

    @classmethod
    def from_dict(cls, kind: DoserKind, stored: Stored) -> Self:
        """Return the stored model."""
        model = cls(kind)
        model._count = DoseCount.from_dict(stored.part("doses"))
        model._consumption = Consumption.from_dict(stored.part("drum"))
        return model


class DosingEffect:
    """Checks if doses move their reading: else a probe is wrong, or a drum empty."""

    def __init__(
        self, kind: DoserKind, reading: float | None = None, idle: int = 0
    ) -> None:
        """Continue from the stored values."""
        self._kind, self._effect = kind, EFFECTS[kind]
        self.reading = reading
        """Reading when it last moved as doses should move it."""
        self.idle = idle
        """Doses since then, without an effect."""
        self._doses: int | None = None

    def take(self, read: Read) -> bool:
        """Take a read; return whether a shown value changed."""
        doser, previous = self._kind.of(read.state), (self.reading, self.idle)
        if doser.doses is not None:
            if self._doses is not None:
                # A lower count has restarted or is an older copy: it adds no doses.
                self.idle += max(doser.doses - self._doses, 0)
            self._doses = doser.doses
        reading = self._effect.of(read.state.measured_chemistry)
        if read.state.signals.chemistry_stable and reading is not None:
            self._take_reading(reading, doser.desired)
        return (self.reading, self.idle) != previous

    def _take_reading(self, newest: float, desired: float | None) -> None:
        _, direction, least, _ = self._effect
        right = desired is not None and (newest - desired) * direction >= 0
        moved = 0.0 if self.reading is None else (newest - self.reading) * direction
        # Without a dose, the reading drifts back by itself; later drift is ignored.
        by_itself = not self.idle and moved < 0
        if self.reading is None or right or by_itself or moved > least:
            self.reading, self.idle = newest, 0

    def missing(self, state: PoolState) -> bool | None:
        """Return whether doses fail to move the reading."""
        if self.reading is None or self._kind.of(state).doses is None:
            return None
        return self.idle >= self._effect.doses

    def as_dict(self) -> dict[str, object]:
        """Return the values to store."""
        return {"reading": self.reading, "idle": self.idle}

    @classmethod
    def from_dict(cls, kind: DoserKind, stored: Stored) -> Self:
        """Return the stored effect."""
        return cls(
            kind,
            stored.get("reading", number(0, 2_000), None),
            stored.get("idle", whole(0, 10_000), 0),
        )
