"""The water, and how the pump changes it: slowly, smoothly and not at random."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PUMP_WATTS: Final = 1400
FLOW_PER_PERCENT: Final = 4.0  # L/min
FLOW_CHANGE: Final = 100.0  # L/min per second
FLOW_PRESENT: Final = 60.0  # L/min at which the flow switch closes
FLOW_SQUARE_PER_KPA: Final = 1500  # (L/min)², through a clean filter
PUMP_YIELDS: Final = 0.25  # the flow is divided by 1 + this times `dirt`
STABLE_SECONDS: Final = 120.0  # of flow (protocol.md O2.4)
HOUR: Final = 3600.0

PH_RISE: Final = 0.01  # per hour
ORP_FALL: Final = 2.0  # mV per hour
CHLORINATOR_RISE: Final = 20.0  # mV per hour
HEATER_RISE: Final = {"pool": 1.5, "solar": 0.5, "spa": 6.0}  # °C per hour
COOLING: Final = 0.01  # share of the difference to the air, per hour
PH_PER_DOSE: Final = 0.05
ORP_PER_DOSE: Final = 6.0


@dataclass(slots=True)
class Water:
    """One body of water; its values start in the middle of a step of the readings."""

    ph: float = 7.45
    orp: float = 655.5
    temperature: float = 26.45
    ambient: float = 24.5
    drift: float = 1.0  # speed of all changes; 0 keeps the water as it is
    flow: float = 0.0
    flow_seconds: float = 0.0
    sunshine: float = 1.0  # multiplies the rise by solar heating
    dirt: float = 0.0  # added resistance of the filter; 1 doubles it

    @property
    def flow_present(self) -> bool:
        """Whether the flow switch is closed."""
        return self.flow >= FLOW_PRESENT

    @property
    def stable(self) -> bool:
        """Whether the probes measure fresh water: flow for about 2 minutes."""
        return self.flow_seconds >= STABLE_SECONDS

    @property
    def pressure(self) -> int:
        """Filter pressure in kPa."""
        return round(self.flow**2 * (1 + self.dirt) / FLOW_SQUARE_PER_KPA)

    def flow_at(self, speed: int) -> float:
        """Return the flow in L/min at a speed of the pump in %."""
        return speed * FLOW_PER_PERCENT / (1 + PUMP_YIELDS * self.dirt)

    def settle(self, speed: int) -> None:
        """Set the flow as if the pump had run at `speed` for a long time."""
        self.flow = self.flow_at(speed)
        self.flow_seconds = STABLE_SECONDS if speed else 0.0

    def step(
        self, seconds: float, *, speed: int, heaters: Mapping[str, bool], chlorine: bool
    ) -> None:
        wanted = self.flow_at(speed)
        change = FLOW_CHANGE * seconds
        self.flow += max(-change, min(change, wanted - self.flow))
        self.flow_seconds = self.flow_seconds + seconds if self.flow_present else 0.0
        hours = seconds / HOUR * self.drift
        self.ph = min(8.4, self.ph + PH_RISE * hours)
        self.orp += (CHLORINATOR_RISE * chlorine - ORP_FALL) * hours
        self.orp = max(300.0, min(850.0, self.orp))
        rises = HEATER_RISE | {"solar": HEATER_RISE["solar"] * self.sunshine}
        warming = sum(rise * heaters[name] for name, rise in rises.items())
        warming += COOLING * (self.ambient - self.temperature)
        self.temperature += warming * hours


def pump_watts(speed: int) -> int:
    """Return the power in W that the pump draws at a speed in %."""
    return round(PUMP_WATTS * (speed / 100) ** 3)
