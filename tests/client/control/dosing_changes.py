"""Every dosing setting that a user may change, for the tests of the dosing."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from custom_components.poolctl.client.control.dosing import DosingControl
from custom_components.poolctl.client.pool.dosing import ACID, CHLORINATOR, CHLORINE
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


NUMBERS = [
    Change(
        id="desired_ph",
        send=lambda dosing: dosing.set_desired(ACID, 7.2),
        shown=lambda state: state.acid.desired,
        value=7.2,
        of=PH_SETTINGS,
        key="desired_ph_level",
        raw=72,
        setting="desired_ph",
        stored=72,
    ),
    Change(
        id="acid_drum",
        send=lambda dosing: dosing.set_drum(ACID, 15_000),
        shown=lambda state: state.acid.drum_ml,
        value=15_000,
        of=PH_SETTINGS,
        key="acid_drum_volume",
        raw=15_000,
        setting="acid_drum",
        stored=15_000,
    ),
    Change(
        id="desired_orp_mineral",
        send=lambda dosing: dosing.set_desired(CHLORINATOR, 700),
        shown=lambda state: state.chlorinator.desired,
        value=700,
        of=CHLORINE_SETTINGS,
        key="desired_orp_level_mineral",
        raw=700,
        setting="desired_orp_mineral",
        stored=700,
    ),
    Change(
        id="desired_orp_liquid",
        send=lambda dosing: dosing.set_desired(CHLORINE, 720),
        shown=lambda state: state.chlorine.desired,
        value=720,
        of=CHLORINE_SETTINGS,
        key="desired_orp_level_liquid",
        raw=720,
        setting="desired_orp_liquid",
        stored=720,
    ),
    Change(
        id="chlorine_drum",
        send=lambda dosing: dosing.set_drum(CHLORINE, 25_500),
        shown=lambda state: state.chlorine.drum_ml,
        value=25_500,
        of=CHLORINE_SETTINGS,
        key="chlorine_drum_volume",
        raw=25_500,
        setting="chlorine_drum",
        stored=25_500,
    ),
]
FLAGS = [
    Change(
        id="ph_dosing",
        send=lambda dosing: dosing.enable(ACID, False),
        shown=lambda state: state.acid.enabled,
        value=False,
        of=PH_SETTINGS,
        key="ph_dosing",
        raw=False,
        setting="ph_dosing",
        stored=0,
    ),
    Change(
        id="chlorinator",
        send=lambda dosing: dosing.enable(CHLORINATOR, False),
        shown=lambda state: state.chlorinator.enabled,
        value=False,
        of=CHLORINE_SETTINGS,
        key="orp_controlled",
        raw=False,
        setting="orp_flags",
        stored=0b10,
    ),
    Change(
        id="liquid_chlorine",
        send=lambda dosing: dosing.enable(CHLORINE, False),
        shown=lambda state: state.chlorine.enabled,
        value=False,
        of=CHLORINE_SETTINGS,
        key="liquid_chlorine_dosing",
        raw=False,
        setting="orp_flags",
        stored=0b01,
    ),
]
