"""Attributes of an output's entity that show what runs it, as far as it is known."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from homeassistant.const import UnitOfTemperature
from homeassistant.util.unit_system import UnitSystem

from ..client.holds import Hold
from ..client.pool import MODE_MANUAL, MODE_OFF, SCHEDULE_MODES, PoolState, Role, Slot

ATTR_MODE: Final = "mode"
ATTR_RUNNING_SCHEDULE: Final = "schedule"
"""The name of the schedule that runs the output."""
ATTR_HELD: Final = "held_by_hand"
ATTR_HELD_SINCE: Final = "held_since"
"""When the hold was first observed, in UTC."""
ATTR_HELD_UNTIL: Final = "held_until"
"""When the output is given back, in UTC; missing if only a user gives it back."""
ATTR_TIMER_ENDS: Final = "timer_ends"
"""When the running timer switches the output off, in UTC, to the minute."""
ATTR_ENDS: Final = "ends"
"""When the run-on or the priming of the pump ends, in UTC."""
ATTR_SPEEDS: Final = "speeds"
"""Speeds of the pump in % by their names, `low` to `high`."""
ATTR_REASON: Final = "reason"
ATTR_EXPLANATION: Final = "explanation"
"""Why it runs or does not, in the language of Home Assistant."""
ATTR_REASONS: Final = "reasons"
"""The same for cards: the keys of its texts, with their values and times in ISO 8601."""
ATTR_WARM_BY_EXPLANATION: Final = "warm_by_explanation"
"""What a request for warm water will do, or why it does not."""
ATTR_GOOD_FROM: Final = "good_from"
ATTR_GOOD_TO: Final = "good_to"
"""The good range of a reading, in the unit of its entity."""
ATTR_LAST_TEMPERATURE: Final = "last_temperature"
"""Last temperature that is not measured now, in Home Assistant's unit."""
ATTR_MEASURED_AT: Final = "measured_at"
"""Time of a reading that is not current."""

MODE_NAMES: Final[Mapping[int | None, str]] = {
    MODE_OFF: "off",
    **dict.fromkeys(SCHEDULE_MODES, "schedule"),
    MODE_MANUAL: "manual",
}
"""Names of the modes of outputs (protocol.md O2.1)."""

RUN_BY: Final = {
    Role.DOSING: "dosing",
    Role.HEATING: "heating",
    Role.VIRTUAL: "no_relay",
}
"""Why a slot cannot be switched: the firmware runs it, or there is no relay."""


def attributes(
    state: PoolState, slot: Slot | None, hold: Hold | None
) -> dict[str, str | bool]:
    """Return the attributes of an output, empty if its slot is unknown."""
    if slot is None:
        return {}
    if slot.role in RUN_BY:
        return {ATTR_REASON: RUN_BY[slot.role]}
    mode = state.output_mode(slot)
    since = until = None
    if hold and slot.held is not False:
        since, until = hold.since, hold.shown_until
    found = {
        ATTR_MODE: MODE_NAMES.get(mode),
        ATTR_RUNNING_SCHEDULE: state.schedule_of_mode(mode),
        ATTR_HELD: slot.held,
        ATTR_HELD_SINCE: _moment(since),
        ATTR_HELD_UNTIL: _moment(until),
        ATTR_TIMER_ENDS: _moment(timer_end(state, slot)),
    }
    return {name: value for name, value in found.items() if value is not None}


def timer_end(state: PoolState, slot: Slot) -> datetime | None:
    """Return when the timer of an output switches it off."""
    ends = (each.at for each in state.timer_ends if each.slot == slot.index)
    return next(ends, None)


def _moment(at: datetime | None) -> str | None:
    return at.isoformat(timespec="seconds") if at else None


def last_temperature(
    units: UnitSystem, celsius: float, at: datetime
) -> dict[str, object]:
    """Return the attributes of the last temperature and its time, in UTC."""
    shown = units.temperature(celsius, UnitOfTemperature.CELSIUS)
    return {
        ATTR_LAST_TEMPERATURE: round(shown, 1),
        ATTR_MEASURED_AT: at.astimezone(UTC).isoformat(timespec="seconds"),
    }
