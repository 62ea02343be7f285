"""Dosing from a drum: acid and liquid chlorine."""

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Final

MINUTE: Final = 60.0


@dataclass(slots=True)
class Doser:
    """A dosing pump; the settings named here have its timing (protocol.md O2.2)."""

    time: str  # setting: seconds a dose takes
    rate: str  # setting: mL/min
    remaining: str  # setting: mL in the drum
    interval: str | None = None  # setting: minutes between doses
    most: str | None = None  # setting: largest number of doses a day
    doses: int = 0  # today
    left: float = 0.0  # seconds left of the current dose
    pause: float = 0.0  # seconds until the next dose may start
    dosed: float = 0.0  # mL in all

    @property
    def dosing(self) -> bool:
        return self.left > 0

    def step(
        self, seconds: float, settings: MutableMapping[str, float], wanted: bool
    ) -> bool:
        """Let `seconds` pass; return whether a dose was finished."""
        self.pause = max(0.0, self.pause - seconds)
        if not self.dosing:
            if wanted and self._may(settings):
                self.left = settings[self.time]
            return False
        used = min(seconds, self.left)
        self.left -= used
        amount = min(used * settings[self.rate] / MINUTE, settings[self.remaining])
        settings[self.remaining] -= amount
        self.dosed += amount
        if settings[self.remaining] == 0:
            self.left = 0.0
        if self.left > 0:
            return False
        self.doses += 1
        minutes = settings[self.interval] if self.interval else 30.0
        self.pause = minutes * MINUTE
        return True

    def _may(self, settings: MutableMapping[str, float]) -> bool:
        most = settings[self.most] if self.most else 20
        return not self.pause and settings[self.remaining] > 0 and self.doses < most


def acid() -> Doser:
    return Doser(
        time="ph_dosing_time", rate="ph_dose_rate", remaining="acid_remaining",
        interval="ph_dose_interval", most="max_ph_doses",
    )  # fmt: skip


def chlorine() -> Doser:
    return Doser(
        time="liquid_dose_time", rate="liquid_dose_rate", remaining="chlorine_remaining"
    )
