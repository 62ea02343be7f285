"""Every dosing setting that a user may change, for the tests of the dosing."""

from dataclasses import dataclass

import pytest

from custom_components.poolctl.client.control.dosing import DosingControl
from custom_components.poolctl.client.pool.dosing import (
    ACID,
    CHLORINATOR,
    CHLORINE,
    AnyDosing,
    DoserKind,
)
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.commands import (
    CHLORINE_SETTINGS as ORP,
    PH_SETTINGS as PH,
    SettingsObject,
)


@dataclass(frozen=True)
class Change:
    """A change of one setting, and its expected effects."""

    kind: AnyDosing
    field: str
    """Name in the state."""
    value: float
    """Value that is shown after the change."""
    of: SettingsObject
    key: str
    raw: int | bool
    """Key and value in the settings object after the change."""
    setting: str
    stored: int
    """Name and value in the simulated pool after the change."""

    def shown(self, state: PoolState) -> object:
        return getattr(self.kind.of(state), self.field)

    async def send(self, dosing: DosingControl) -> None:
        if self.field == "desired":
            await dosing.set_desired(self.kind, self.value)
        elif isinstance(self.kind, DoserKind) and self.field == "drum_ml":
            await dosing.set_drum(self.kind, self.value)
        else:
            await dosing.enable(self.kind, bool(self.value))


_MINERAL, _LIQUID = "desired_orp_mineral", "desired_orp_liquid"
_KEY = "desired_orp_level_"
_DRUM = "acid_drum_volume", "chlorine_drum_volume"
CHANGES = [
    Change(ACID, "desired", 7.2, PH, "desired_ph_level", 72, "desired_ph", 72),
    Change(CHLORINATOR, "desired", 700, ORP, f"{_KEY}mineral", 700, _MINERAL, 700),
    Change(CHLORINE, "desired", 720, ORP, f"{_KEY}liquid", 720, _LIQUID, 720),
    Change(ACID, "drum_ml", 15_000, PH, _DRUM[0], 15_000, "acid_drum", 15_000),
    Change(CHLORINE, "drum_ml", 25_500, ORP, _DRUM[1], 25_500, "chlorine_drum", 25_500),
    Change(ACID, "enabled", False, PH, "ph_dosing", False, "ph_dosing", 0),
    Change(
        CHLORINATOR, "enabled", False, ORP, "orp_controlled", False, "orp_flags", 0b10
    ),
    Change(
        CHLORINE,
        "enabled",
        False,
        ORP,
        "liquid_chlorine_dosing",
        False,
        "orp_flags",
        0b01,
    ),
]
EACH_CHANGE = pytest.mark.parametrize(
    "change", CHANGES, ids=lambda change: f"{change.kind.key} {change.field}"
)
