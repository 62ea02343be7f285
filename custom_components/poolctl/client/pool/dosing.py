"""Dosing: the equipment it needs, and where its values are reported and written.

Observed, not published (protocol.md O2.2, O3 to O5). The ranges offered to users are ours
(chosen): wider than any pool needs.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, override

from ..wire.commands import (
    ACID_DRUM_KEYS,
    ACID_KEYS,
    CHLORINATOR_KEYS,
    CHLORINE_DRUM_KEYS,
    CHLORINE_KEYS,
    DosingKeys,
    DrumKeys,
    SettingsObject,
)
from ..wire.equipment import CHLORINATORS, LIQUID_CHLORINE, PH_DOSERS
from ..wire.exceptions import InvalidCommandError
from ..wire.frame import DESIRED_ORP, PH, VOLUME, Signals
from ..wire.json_values import Answer, byte, number
from ..wire.layout import Between
from .choices import Choices
from .parts import Doser, Dosing
from .state import PoolState


class Choice(NamedTuple):
    """The range that a user may choose a value from."""

    low: float
    high: float
    step: float

    def check(self, value: float) -> None:
        """Raise InvalidCommandError for a value outside the range."""
        if not self.low <= value <= self.high:
            raise InvalidCommandError(
                f"{value} is not between {self.low} and {self.high}"
            )


DRUM_SIZE = Choice(1_000, 200_000, 100)
"""Sizes of a drum in mL."""
_ORP = Choice(400, 900, 10)
"""Desired ORP in mV."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DosingKind[D: Dosing]:
    """One kind of dosing: its names, equipment, wire keys and place in the state."""

    key: str
    """Stable name, from which the keys of its entities are made."""
    desired_key: str
    """Stable name of its desired value."""
    enabled_key: str
    """Stable name of its switch: whether the firmware may run it."""
    fitted: frozenset[int]
    """Aux types; the dosing exists if one of them is wired."""
    keys: DosingKeys
    factor: int = 1
    """The desired value on the wire is ours multiplied by this factor."""
    choice: Choice
    """Range of the desired value that a user may choose from."""
    possible: Between
    """Range of plausible desired values from the controller."""
    of: Callable[[PoolState], D]
    into: Callable[[PoolState, D], PoolState]

    def with_desired(self, state: PoolState, desired: float) -> PoolState:
        """Return the state with another desired value."""
        return self.into(state, replace(self.of(state), desired=desired))

    def with_enabled(self, state: PoolState, enabled: bool) -> PoolState:
        """Return the state with the dosing enabled or disabled."""
        return self.into(state, replace(self.of(state), enabled=enabled))

    def merge(self, state: PoolState, settings: Answer, now: datetime) -> PoolState:
        """Return the state with the values of a settings object; the rest stays."""
        keys, known = self.keys, self.of(state)
        desired = number(settings, keys.desired, self.factor, self.possible)
        enabled = byte(settings, keys.enabled)
        reported = replace(
            known,
            desired=known.desired if desired is None else desired,
            enabled=known.enabled if enabled is None else bool(enabled),
        )
        return self.into(state, reported)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DoserKind(DosingKind[Doser]):
    """A kind of dosing from a drum."""

    drum_keys: DrumKeys
    doses_now: Callable[[Signals], bool | None]
    low_level: Callable[[Choices], int]
    """Level in % at or below which the drum is nearly empty."""
    with_low_level: Callable[[Choices, int], Choices]

    def low(self, state: PoolState, choices: Choices) -> bool | None:
        """Return whether the drum is nearly empty."""
        return self.of(state).low(self.low_level(choices))

    def with_drum(self, state: PoolState, size: float) -> PoolState:
        """Return the state with another drum size in mL."""
        return self.into(state, replace(self.of(state), drum_ml=size))

    def with_full_drum(self, state: PoolState) -> PoolState:
        """Return the state with a full drum."""
        doser = self.of(state)
        return self.into(state, replace(doser, remaining_ml=doser.drum_ml))

    @override
    def merge(self, state: PoolState, settings: Answer, now: datetime) -> PoolState:
        state = super(DoserKind, self).merge(state, settings, now)
        known = self.of(state)
        size = number(settings, self.drum_keys.size, possible=VOLUME)
        left = number(settings, self.drum_keys.remaining, possible=VOLUME)
        doses = byte(settings, self.drum_keys.doses)
        reported = replace(known, drum_ml=known.drum_ml if size is None else size)
        if left is not None:
            reported = replace(reported, remaining_ml=left, level_at=now)
        if doses is not None:
            reported = replace(reported, doses=doses, doses_at=now)
        return self.into(state, reported)


ACID = DoserKind(
    key="acid",
    enabled_key="ph_dosing",
    desired_key="desired_ph",
    fitted=PH_DOSERS,
    keys=ACID_KEYS,
    drum_keys=ACID_DRUM_KEYS,
    factor=10,
    choice=Choice(6.8, 8.2, 0.1),
    possible=PH,
    of=lambda state: state.acid,
    into=lambda state, doser: replace(state, acid=doser),
    doses_now=lambda signals: signals.ph_dosing,
    low_level=lambda choices: choices.acid_low_level,
    with_low_level=lambda choices, level: replace(choices, acid_low_level=level),
)
CHLORINE = DoserKind(
    key="chlorine",
    enabled_key="liquid_chlorine",
    desired_key="desired_orp_liquid",
    fitted=LIQUID_CHLORINE,
    keys=CHLORINE_KEYS,
    drum_keys=CHLORINE_DRUM_KEYS,
    choice=_ORP,
    possible=DESIRED_ORP,
    of=lambda state: state.chlorine,
    into=lambda state, doser: replace(state, chlorine=doser),
    doses_now=lambda signals: signals.chlorine_dosing,
    low_level=lambda choices: choices.chlorine_low_level,
    with_low_level=lambda choices, level: replace(choices, chlorine_low_level=level),
)
CHLORINATOR = DosingKind(
    key="chlorinator",
    enabled_key="chlorinator",
    desired_key="desired_orp_mineral",
    fitted=CHLORINATORS,
    keys=CHLORINATOR_KEYS,
    choice=_ORP,
    possible=DESIRED_ORP,
    of=lambda state: state.chlorinator,
    into=lambda state, dosing: replace(state, chlorinator=dosing),
)
DOSERS = (ACID, CHLORINE)

type AnyDosing = DosingKind[Dosing] | DoserKind
DOSING: tuple[AnyDosing, ...] = (ACID, CHLORINATOR, CHLORINE)


def merge_settings(
    of: SettingsObject, state: PoolState, settings: Answer, now: datetime
) -> PoolState:
    """Return the state with the values of a settings object; the rest stays."""
    for kind in DOSING:
        if kind.keys.settings is of:
            state = kind.merge(state, settings, now)
    return state
