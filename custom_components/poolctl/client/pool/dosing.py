"""Dosing: which equipment it needs, and where its values are reported and written.

Observed, not published (layouts.md 2.2, 3 to 5); the ranges a person may choose from are
ours (chosen): wider than any pool needs.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, override

from ..commands import (
    ACID_DRUM_KEYS,
    ACID_KEYS,
    CHLORINATOR_KEYS,
    CHLORINE_DRUM_KEYS,
    CHLORINE_KEYS,
    DosingKeys,
    DrumKeys,
    SettingsObject,
)
from ..configuration import DESIRED_ORP, PH, VOLUME
from ..equipment import CHLORINATORS, LIQUID_CHLORINE, PH_DOSERS
from ..exceptions import InvalidCommandError
from ..frame import Signals
from ..json_values import Answer, byte, number
from ..layout import Between
from .choices import Choices
from .parts import Doser, Dosing
from .state import PoolState


class Choice(NamedTuple):
    """What a person may choose."""

    low: float
    high: float
    step: float

    def check(self, value: float) -> None:
        """Raise InvalidCommandError outside the range."""
        if not self.low <= value <= self.high:
            raise InvalidCommandError(
                f"{value} is not between {self.low} and {self.high}"
            )


DRUM_SIZE = Choice(1_000, 200_000, 100)
"""mL."""
_ORP = Choice(400, 900, 10)
"""mV."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DosingKind[D: Dosing]:
    """One kind of dosing: what belongs to it, wherever it is needed."""

    key: str
    """Stable name, from which those of its entities are made."""
    desired_key: str
    """Stable name of its desired value."""
    enabled_key: str
    """Stable name of whether the firmware may run it."""
    fitted: frozenset[int]
    """Aux types one of which must be wired for it to exist."""
    keys: DosingKeys
    factor: int = 1
    """The wire's desired value is ours times this."""
    choice: Choice
    """Of the desired value."""
    possible: Between
    """The desired values that the controller may tell."""
    of: Callable[[PoolState], D]
    into: Callable[[PoolState, D], PoolState]

    def with_desired(self, state: PoolState, desired: float) -> PoolState:
        """Return the state with another desired value."""
        return self.into(state, replace(self.of(state), desired=desired))

    def with_enabled(self, state: PoolState, enabled: bool) -> PoolState:
        """Return the state with another answer to whether the firmware may run it."""
        return self.into(state, replace(self.of(state), enabled=enabled))

    def merge(self, state: PoolState, settings: Answer, now: datetime) -> PoolState:
        """Return the state with what a settings object tells; the rest stays."""
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
    """A kind of dosing that empties a drum."""

    drum_keys: DrumKeys
    doses_now: Callable[[Signals], bool | None]
    low_level: Callable[[Choices], int]
    """% of the drum from which on it is nearly empty."""
    with_low_level: Callable[[Choices, int], Choices]

    def low(self, state: PoolState, choices: Choices) -> bool | None:
        """Return whether the drum is nearly empty."""
        return self.of(state).low(self.low_level(choices))

    def with_drum(self, state: PoolState, size: float) -> PoolState:
        """Return the state with another size of the drum in mL."""
        return self.into(state, replace(self.of(state), drum_ml=size))

    def with_full_drum(self, state: PoolState) -> PoolState:
        """Return the state with as much left as the drum holds."""
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
            reported = replace(reported, doses=doses, told_at=now)
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
    """Return the state with what a settings object tells; what it lacks stays."""
    for kind in DOSING:
        if kind.keys.settings is of:
            state = kind.merge(state, settings, now)
    return state
