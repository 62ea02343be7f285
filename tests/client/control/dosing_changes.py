"""Every dosing setting that a user may change, for the tests of the dosing."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

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
    CHLORINE_SETTINGS,
    PH_SETTINGS,
    SettingsObject,
)


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of one setting: how it is sent, and its expected effects."""

    id: str
    """Stable name of the setting."""
    send: Callable[[DosingControl], Awaitable[None]]
    shown: Callable[[PoolState], float | None]
    value: float
    """Value that is shown after the change."""
    of: SettingsObject
    key: str
    """Key in the settings object."""
    raw: int | bool
    """Value in the settings object after the change."""
    setting: str
    """Name of the setting in the simulated pool."""
    stored: int
    """Value in the simulated pool after the change."""


def desired(
    kind: AnyDosing, value: float, of: SettingsObject, key: str, setting: str, raw: int
) -> Change:
    return Change(
        id=setting,
        send=lambda dosing: dosing.set_desired(kind, value),
        shown=lambda state: kind.of(state).desired,
        value=value,
        of=of,
        key=key,
        raw=raw,
        setting=setting,
        stored=raw,
    )


def drum(kind: DoserKind, size: int, of: SettingsObject, key: str) -> Change:
    return Change(
        id=f"{kind.key}_drum",
        send=lambda dosing: dosing.set_drum(kind, size),
        shown=lambda state: kind.of(state).drum_ml,
        value=size,
        of=of,
        key=key,
        raw=size,
        setting=f"{kind.key}_drum",
        stored=size,
    )


def off(
    name: str, kind: AnyDosing, of: SettingsObject, key: str, setting: str, stored: int
) -> Change:
    return Change(
        id=name,
        send=lambda dosing: dosing.enable(kind, False),
        shown=lambda state: kind.of(state).enabled,
        value=False,
        of=of,
        key=key,
        raw=False,
        setting=setting,
        stored=stored,
    )


PH, ORP = PH_SETTINGS, CHLORINE_SETTINGS
NUMBERS = [
    desired(ACID, 7.2, PH, "desired_ph_level", "desired_ph", 72),
    drum(ACID, 15_000, PH, "acid_drum_volume"),
    desired(
        CHLORINATOR, 700, ORP, "desired_orp_level_mineral", "desired_orp_mineral", 700
    ),
    desired(CHLORINE, 720, ORP, "desired_orp_level_liquid", "desired_orp_liquid", 720),
    drum(CHLORINE, 25_500, ORP, "chlorine_drum_volume"),
]
FLAGS = [
    off("ph_dosing", ACID, PH, "ph_dosing", "ph_dosing", 0),
    off("chlorinator", CHLORINATOR, ORP, "orp_controlled", "orp_flags", 0b10),
    off("liquid_chlorine", CHLORINE, ORP, "liquid_chlorine_dosing", "orp_flags", 0b01),
]
