"""The water and what the pump does to it: slow, smooth and without any chance."""

from dataclasses import dataclass
from typing import Final

PUMP_WATTS: Final = 1400
FLOW_PER_PERCENT: Final = 4.0  # L/min
FLOW_CHANGE: Final = 100.0  # L/min in a second
FLOW_PRESENT: Final = 60.0
FLOW_SQUARE_PER_KPA: Final = 1500  # (L/min)², through a clean filter
PUMP_YIELDS: Final = 0.25  # of its flow, to a filter that resists twice as much
STABLE_SECONDS: Final = 120.0  # of flow (layouts.md 2.4)
HOUR: Final = 3600.0

PH_RISE: Final = 0.01  # an hour
ORP_FALL: Final = 2.0  # mV an hour
CHLORINATOR_RISE: Final = 20.0
HEATER_RISE: Final = 1.5  # °C an hour
SOLAR_RISE: Final = 0.5
COOLING: Final = 0.01  # of the difference to the air, an hour
PH_PER_DOSE: Final = 0.05
ORP_PER_DOSE: Final = 6.0


@dataclass(slots=True)
class Water:
    """One body of water. Values start in the middle of what a reading can tell."""

    ph: float = 7.45
    orp: float = 655.5
    temperature: float = 26.45
    ambient: float = 24.5
    drift: float = 1.0  # how fast the water changes; 0 holds it still
    flow: float = 0.0
    flow_seconds: float = 0.0
    dirt: float = 0.0  # how much more the filter resists; 1 is twice as much

    @property
    def flow_present(self) -> bool:
        """Whether the flow switch is closed."""
        return self.flow >= FLOW_PRESENT

    @property
    def stable(self) -> bool:
        """Whether the probes see fresh water: flow held for about 2 minutes."""
        return self.flow_seconds >= STABLE_SECONDS

    @property
    def pressure(self) -> int:
        """Filter pressure in kPa."""
        return round(self.flow**2 * (1 + self.dirt) / FLOW_SQUARE_PER_KPA)

    def flow_at(self, speed: int) -> float:
        """Return the flow in L/min that the pump brings about at a speed in %."""
        return speed * FLOW_PER_PERCENT / (1 + PUMP_YIELDS * self.dirt)

    def settle(self, speed: int) -> None:
        """Begin as if the pump had run at `speed` for a long time."""
        self.flow = self.flow_at(speed)
        self.flow_seconds = STABLE_SECONDS if speed else 0.0

    def step(
        self, seconds: float, *, speed: int, heating: bool, solar: bool, chlorine: bool
    ) -> None:
        """Let `seconds` pass."""
        wanted = self.flow_at(speed)
        change = FLOW_CHANGE * seconds
        self.flow += max(-change, min(change, wanted - self.flow))
        self.flow_seconds = self.flow_seconds + seconds if self.flow_present else 0.0
        hours = seconds / HOUR * self.drift
        self.ph = min(8.4, self.ph + PH_RISE * hours)
        self.orp += (CHLORINATOR_RISE * chlorine - ORP_FALL) * hours
        self.orp = max(300.0, min(850.0, self.orp))
        warming = HEATER_RISE * heating + SOLAR_RISE * solar
        warming += COOLING * (self.ambient - self.temperature)
        self.temperature += warming * hours


def pump_watts(speed: int) -> int:
    """Return what the pump draws at a speed in %."""
    return round(PUMP_WATTS * (speed / 100) ** 3)
