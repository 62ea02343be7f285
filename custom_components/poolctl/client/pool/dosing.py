"""Dosing: the equipment it needs, and where its values are reported and written.

Observed, not published (protocol.md O2.2, O3 to O5). The ranges offered to users are ours
(chosen): wider than any pool needs.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import override

from ..bounds import Within
from ..wire.commands import (
    ACID_KEYS,
    CHLORINATOR_KEYS,
    CHLORINE_KEYS,
    DosingKeys,
    SettingsObject,
)
from ..wire.equipment import CHLORINATORS, LIQUID_CHLORINE, PH_DOSERS
from ..wire.exceptions import InvalidCommandError, ReplyError, impossible_settings
from ..wire.frame import DESIRED_ORP, DRUM_VOLUME, PH, Signals
from ..wire.json_values import Answer, byte, number
from .choices import Choices
from .parts import Doser, Dosing
from .state import Place, PoolState, newer


@dataclass(frozen=True, slots=True)
class Choice(Within):
    """The range that a user may choose a value from."""

    step: float

    def check(self, value: float) -> None:
        """Raise InvalidCommandError for a value outside the range."""
        if value not in self:
            raise InvalidCommandError(
                f"{value} is not between {self.low} and {self.high}"
            )


DRUM_SIZE = Choice(1_000, 200_000, 100)
"""Sizes of a drum in mL."""
_ORP = Choice(400, 900, 10)
"""Desired ORP in mV."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DosingKind[D: Dosing](Place[D]):
    """One kind of dosing: its names, equipment, wire keys and place in the state."""

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
    possible: Within
    """Range of plausible desired values from the controller."""

    def merge(self, state: PoolState, settings: Answer, now: datetime) -> PoolState:
        """Return the state with the values of a settings object; the rest stays."""
        desired = number(settings, self.keys.desired, self.factor, self.possible)
        flag = byte(settings, self.keys.enabled)
        return self.edit(
            state,
            lambda known: replace(
                known,
                desired=newer(desired, known.desired),
                enabled=known.enabled if flag is None else bool(flag),
            ),
        )

    def values(self, state: PoolState) -> dict[str, float | None]:
        """Return its values by wire key, `None` if one was never reported."""
        known, keys = self.of(state), self.keys
        desired = known.desired and known.desired * self.factor
        return {keys.desired: desired, keys.enabled: known.enabled}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DoserKind(DosingKind[Doser]):
    """A kind of dosing from a drum."""

    doses_now: Callable[[Signals], bool | None]
    low_level: Callable[[Choices], int]
    """Level in % at or below which the drum is nearly empty."""
    with_low_level: Callable[[Choices, int], Choices]

    def low(self, state: PoolState, choices: Choices) -> bool | None:
        """Return whether the drum is at or below its low level."""
        doser = self.of(state)
        if not doser.drum_ml or doser.remaining_ml is None:
            return None
        return doser.remaining_ml * 100 <= doser.drum_ml * self.low_level(choices)

    @override
    def merge(self, state: PoolState, settings: Answer, now: datetime) -> PoolState:
        size = number(settings, self.keys.size, possible=DRUM_VOLUME)
        left = number(settings, self.keys.remaining, possible=DRUM_VOLUME)
        doses = byte(settings, self.keys.doses)
        return self.edit(
            super(DoserKind, self).merge(state, settings, now),
            lambda known: replace(
                known,
                drum_ml=newer(size, known.drum_ml),
                remaining_ml=newer(left, known.remaining_ml),
                level_at=known.level_at if left is None else now,
                doses=newer(doses, known.doses),
                doses_at=known.doses_at if doses is None else now,
            ),
        )

    @override
    def values(self, state: PoolState) -> dict[str, float | None]:
        known, keys = self.of(state), self.keys
        drum = {keys.size: known.drum_ml, keys.remaining: known.remaining_ml}
        return super(DoserKind, self).values(state) | drum


ACID = DoserKind(
    key="acid",
    enabled_key="automatic_ph",
    desired_key="ph_target",
    fitted=PH_DOSERS,
    keys=ACID_KEYS,
    factor=10,
    choice=Choice(6.8, 8.2, 0.1),
    possible=PH,
    of=lambda state: state.acid,
    edit=lambda state, change: replace(state, acid=change(state.acid)),
    doses_now=lambda signals: signals.ph_dosing,
    low_level=lambda choices: choices.acid_low_level,
    with_low_level=lambda choices, level: replace(choices, acid_low_level=level),
)
CHLORINE = DoserKind(
    key="chlorine",
    enabled_key="automatic_liquid_chlorine",
    desired_key="liquid_chlorine_orp_target",
    fitted=LIQUID_CHLORINE,
    keys=CHLORINE_KEYS,
    choice=_ORP,
    possible=DESIRED_ORP,
    of=lambda state: state.chlorine,
    edit=lambda state, change: replace(state, chlorine=change(state.chlorine)),
    doses_now=lambda signals: signals.chlorine_dosing,
    low_level=lambda choices: choices.chlorine_low_level,
    with_low_level=lambda choices, level: replace(choices, chlorine_low_level=level),
)
CHLORINATOR = DosingKind(
    key="chlorinator",
    enabled_key="automatic_chlorination",
    desired_key="chlorinator_orp_target",
    fitted=CHLORINATORS,
    keys=CHLORINATOR_KEYS,
    choice=_ORP,
    possible=DESIRED_ORP,
    of=lambda state: state.chlorinator,
    edit=lambda state, change: replace(state, chlorinator=change(state.chlorinator)),
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


_COUNTED = {
    key: most
    for kind in DOSERS
    for key, most in ((kind.keys.remaining, 250.0), (kind.keys.doses, 5.0))
}
"""How far what is counted may move between two replies, in mL and doses (chosen)."""


def same_settings(one: Answer, other: Answer) -> bool:
    """Return whether settings are the same, apart from what is counted meanwhile."""
    return one.keys() == other.keys() and all(
        value == other[key]
        or (
            (most := _COUNTED.get(key)) is not None
            and (old := number(one, key)) is not None
            and (new := number(other, key)) is not None
            and abs(new - old) <= most
        )
        for key, value in one.items()
    )


def settings_agree(of: SettingsObject, state: PoolState, settings: Answer) -> bool:
    """Return whether settings are complete, and have what the newest frame has."""
    framed = framed_settings(of, state)
    return all(
        isinstance(value := settings.get(key), int | float)
        and framed.get(key) in (None, value)
        for kind in _fitted(of, state)
        for key in kind.values(state)
    )


def framed_settings(of: SettingsObject, state: PoolState) -> dict[str, int | None]:
    """Return the settings that frames report, too, as they are in the object."""
    return {
        key: None if known is None else round(known)
        for kind in _fitted(of, state)
        for key, known in kind.values(state).items()
        if key in (kind.keys.desired, kind.keys.size)
    }


def _fitted(of: SettingsObject, state: PoolState) -> list[AnyDosing]:
    return [
        kind
        for kind in DOSING
        if kind.keys.settings is of and state.outputs.fitted(kind.fitted)
    ]


def whole_settings(of: SettingsObject, settings: Answer, known: PoolState) -> Answer:
    """Return a settings object with the values that it lacks, as last reported.

    The controller may set missing values to 0. Raises ReplyError if the target of fitted
    equipment was never reported: dosing towards 0 would be dangerous.
    """
    missing: dict[str, object] = {}
    for kind in DOSING:
        values = kind.values(known) if kind.keys.settings is of else {}
        for key, value in values.items():
            if isinstance(settings.get(key), int | float):
                continue
            if value is not None:
                missing[key] = value if isinstance(value, bool) else round(value)
            elif key == kind.keys.desired and known.outputs.fitted(kind.fitted):
                raise ReplyError(f"the settings have no {key}")
    return {**settings, **missing}


def check_settings(of: SettingsObject, body: Answer, known: PoolState) -> None:
    """Raise InvalidCommandError if a target to be written is one nobody may choose."""
    for kind in _fitted(of, known):
        value = number(body, kind.keys.desired, kind.factor)
        if value not in kind.choice:
            raise impossible_settings(kind.keys.desired, value)
