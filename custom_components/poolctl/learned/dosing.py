"""Learned values of a doser: doses today, consumption, and the effect of its doses."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Final, NamedTuple

from ..client.codec import UNSTORED, Within
from ..client.pool.dosing import ACID, CHLORINE, DoserKind
from ..client.pool.parts import Chemistry
from ..client.pool.state import PoolState
from .consumption import Consumption, reported_level
from .doses import DoseCount, reported_count
from .read import Read


class Effect(NamedTuple):
    """The effect that doses should have on a reading (all values are chosen)."""

    reading: Callable[[Chemistry], float | None]
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


@dataclass(slots=True, eq=False)
class DoserModel:
    """The doses and the consumption of one doser."""

    kind: Annotated[DoserKind, UNSTORED] = ACID
    doses: DoseCount | None = None
    drum: Consumption | None = None
    _shown: tuple[object, ...] = ()

    def take(self, read: Read) -> bool:
        """Take a read; return whether a shown value changed."""
        doser, zone = self.kind.of(read.state), read.now.tzinfo
        if (count := reported_count(doser)) is not None:
            self.doses = (self.doses or DoseCount.from_first(count)).with_report(
                count, zone
            )
        if (level := reported_level(doser)) is not None:
            self.drum = self.drum or Consumption(level)
            self.drum.take(level, zone)
        previous, now = self._shown, read.now
        left = self.drum and self.drum.level.ml
        self._shown = self.doses_today(now), self.used_today(now), left
        return self._shown != previous

    def doses_today(self, now: datetime) -> int | None:
        """Return the doses today so far, at a local time."""
        return None if self.doses is None else self.doses.at(now)

    def used_today(self, now: datetime) -> float | None:
        """Return the mL used today so far, at a local time."""
        return None if self.drum is None else self.drum.used_today(now)

    def lasts_until(self, left: float | None, now: datetime) -> date | None:
        """Return the date on which the litres left are used up, at a local time."""
        if self.drum is None or left is None:
            return None
        return self.drum.lasts_until(left * 1000, now)


@dataclass(slots=True, eq=False)
class DosingEffect:
    """Checks if doses move their reading: else a probe is wrong, or a drum empty."""

    kind: Annotated[DoserKind, UNSTORED] = ACID
    reading: Annotated[float | None, Within(0, 2_000)] = None
    """Reading when it last moved as doses should move it."""
    idle: Annotated[int, Within(0, 10_000)] = 0
    """Doses since then, without an effect."""
    _doses: int | None = None

    def take(self, read: Read) -> bool:
        """Take a read; return whether a shown value changed."""
        doser, previous = self.kind.of(read.state), (self.reading, self.idle)
        if doser.doses is not None:
            if self._doses is not None:
                # A lower count has restarted or is an older copy: it adds no doses.
                self.idle += max(doser.doses - self._doses, 0)
            self._doses = doser.doses
        reading = EFFECTS[self.kind].reading(read.state.measured_chemistry)
        if read.state.signals.chemistry_stable and reading is not None:
            self._take_reading(reading, doser.desired)
        return (self.reading, self.idle) != previous

    def _take_reading(self, newest: float, desired: float | None) -> None:
        _, direction, least, _ = EFFECTS[self.kind]
        right = desired is not None and (newest - desired) * direction >= 0
        moved = 0.0 if self.reading is None else (newest - self.reading) * direction
        # Without a dose, the reading drifts back by itself; later drift is ignored.
        by_itself = not self.idle and moved < 0
        if self.reading is None or right or by_itself or moved > least:
            self.reading, self.idle = newest, 0

    def missing(self, state: PoolState) -> bool | None:
        """Return whether doses fail to move the reading."""
        if self.reading is None or self.kind.of(state).doses is None:
            return None
        return self.idle >= EFFECTS[self.kind].doses
