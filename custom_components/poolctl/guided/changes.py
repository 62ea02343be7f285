"""Changes that the guided check can make and undo: one harmless change of each kind.

Chosen: no change doses, heats or switches the spa. A setpoint moves towards less
dosing, a schedule must not run within two hours, and held outputs are left alone.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from ..client.control.controller import Controller
from ..client.equipment import MAX_SPEED, SPEED_STEP, Role, Slot
from ..client.exceptions import CannotReleaseError
from ..client.holds.rules import CLOCKS, running_schedule
from ..client.occurrences import occurrences
from ..client.pool.dosing import ACID, DOSING, AnyDosing
from ..client.pool.state import PoolState, PumpStatus
from ..client.schedule import Schedule
from ..client.stored import Stored, each, number, text, whole

_HELD = timedelta(seconds=60)
"""Duration of a hold, which then ends even if the check has not released it."""
_SCHEDULE = "schedule"
_STORED_INT = whole(0, 100_000)
_STORED_FLOAT = number(0, 100_000)
_KINDS: Final = {kind.key: kind for kind in DOSING}


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """A changed setting that still has to be restored, also after a restart."""

    of: str
    """`schedule`, or the key of a kind of dosing."""
    index: int = 0
    """Index of the schedule."""
    when: tuple[int, ...] = ()
    """Its `Schedule.when`: another schedule that has its index now is left alone."""
    old: float = 0.0
    new: float = 0.0
    """Setpoints; any other value is another client's choice and is kept."""


def _setting(value: object) -> str:
    if (of := text(value)) != _SCHEDULE and of not in _KINDS:
        raise ValueError("not a setting")
    return of


@dataclass(frozen=True, slots=True)
class Pending:
    """Section of the store with the setting to restore."""

    undo: Undo | None = None

    @classmethod
    def from_dict(cls, stored: Stored) -> Pending:
        """Return the section from its stored form."""
        if (of := stored.get("of", _setting, None)) is None:
            return cls()
        return cls(
            Undo(
                of=of,
                index=stored.get("index", _STORED_INT, 0),
                when=stored.get("when", each(_STORED_INT), ()),
                old=stored.get("old", _STORED_FLOAT, 0.0),
                new=stored.get("new", _STORED_FLOAT, 0.0),
            )
        )

    def as_dict(self) -> dict[str, object]:
        """Return the stored form of the section."""
        if (undo := self.undo) is None:
            return {}
        return {
            "of": undo.of,
            "index": undo.index,
            "when": undo.when,
            "old": undo.old,
            "new": undo.new,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A reversible change that a user can allow."""

    key: str
    what: str = ""
    """The name of the output or of the schedule."""
    old: str = ""
    new: str = ""
    make: Callable[[], Awaitable[object]]
    made: Callable[[PoolState], bool]
    give_back: Callable[[], Awaitable[object]]
    restored: Callable[[PoolState], bool]
    undo: Undo | None = None
    """For a setting only: holds of outputs are stored and released anyway."""

    def same_as(self, other: Change) -> bool:
        """Return whether both read the same to a user."""
        return (self.key, self.what, self.old, self.new) == (
            *(other.key, other.what),
            *(other.old, other.new),
        )


def offers(it: Controller, now: datetime) -> tuple[Change, ...]:
    """Return the changes possible now; `now` is the time of the controller's clock."""
    found = (_light(it), _speed(it), _schedule(it, now), _setpoint(it))
    return tuple(change for change in found if change is not None)


def _free(it: Controller, slot: Slot) -> bool:
    return not slot.held and it.holds.of(slot.index) is None


def _light(it: Controller) -> Change | None:
    """Return a light to switch on; the cloud would hold it off against schedules."""
    state = it.store.state
    lights = (
        slot
        for slot in state.outputs.slots
        if slot.role in (Role.POOL_LIGHT, Role.SPA_LIGHT) and slot.on is False
    )
    slot = next((light for light in lights if _free(it, light)), None)
    if slot is None or state.outputs.assumed or not it.paths.on_lan:
        return None
    index = slot.index
    return Change(
        key="light",
        what=_name(slot),
        make=lambda: it.holds.hold(slot, True, _HELD),
        made=lambda state: _on(state, index) is True,
        give_back=lambda: it.holds.resume(slot),
        restored=lambda state: _on(state, index) is False,
    )


def _on(state: PoolState, index: int) -> bool | None:
    slot = state.outputs.slot(index)
    return None if slot is None else slot.on


def _speed(it: Controller) -> Change | None:
    """Return another speed for a scheduled pump; the cloud cannot release a pump."""
    state = it.store.state
    pump, old = state.outputs.pump, state.readings.pump_speed
    if pump is None or not old or not it.paths.on_lan or not _free(it, pump):
        return None
    if old % SPEED_STEP or not _runs_by_schedule(state, pump):
        return None
    new = int(old) + (SPEED_STEP if old + SPEED_STEP <= MAX_SPEED else -SPEED_STEP)

    async def give_back() -> None:
        try:
            await it.holds.resume(pump)
        except CannotReleaseError:
            # The pump stays held, but at its old speed; the release is retried.
            await it.holds.hold(pump, True, _HELD, int(old))
            raise

    return Change(
        key="speed",
        what=_name(pump),
        old=f"{old:.0f}",
        new=f"{new}",
        make=lambda: it.holds.hold(pump, True, _HELD, new),
        made=lambda state: state.readings.pump_speed == new,
        give_back=give_back,
        restored=lambda state: state.readings.pump_speed == old,
    )


def _runs_by_schedule(state: PoolState, pump: Slot) -> bool:
    return bool(
        state.variable_speed
        and not state.spa_mode
        and state.pump_status is PumpStatus.RUNNING
        and running_schedule(state, pump) is not None
    )


def _schedule(it: Controller, now: datetime) -> Change | None:
    state = it.store.state
    if state.schedules.assumed:
        return None
    for index, schedule in state.schedules.used.items():
        slot = state.outputs.slot(schedule.slot)
        if slot is None or slot.role is Role.SPA_ACTUATOR or not _free(it, slot):
            continue
        if schedule.enabled and not _near(schedule, now):
            return _of_schedule(it, index, schedule)
    return None


def _near(schedule: Schedule, now: datetime) -> bool:
    """Return whether a schedule may run now, as the controller's clock may be wrong."""
    zone = now.tzinfo or UTC
    return bool(occurrences({0: schedule}, now - CLOCKS, now + CLOCKS, zone))


def _of_schedule(it: Controller, index: int, schedule: Schedule) -> Change:
    undo = Undo(of=_SCHEDULE, index=index, when=schedule.when)
    return Change(
        key=_SCHEDULE,
        what=schedule.name or f"#{index + 1}",
        make=lambda: it.schedules.enable(index, False, observed=schedule),
        made=lambda state: _armed(state, index) is False,
        give_back=partial(give_back, it, undo),
        restored=lambda state: _armed(state, index) is True,
        undo=undo,
    )


def _armed(state: PoolState, index: int) -> bool | None:
    schedule = state.schedules.used.get(index)
    return None if schedule is None else schedule.enabled


def _setpoint(it: Controller) -> Change | None:
    """Return a step of the first available setpoint, towards less dosing."""
    state = it.store.state
    for kind in DOSING:
        desired = kind.of(state).desired
        if desired is None or state.outputs.fitted(kind.fitted) is False:
            continue
        step = kind.choice.step if kind is ACID else -kind.choice.step
        new = round(desired + step, 1)
        if kind.choice.low <= new <= kind.choice.high:
            return _of_setpoint(it, kind, desired, new)
    return None


def _of_setpoint(it: Controller, kind: AnyDosing, old: float, new: float) -> Change:
    undo = Undo(of=kind.key, old=old, new=new)
    form = "pH {:.1f}" if kind is ACID else "{:.0f} mV"
    return Change(
        key="setpoint",
        old=form.format(old),
        new=form.format(new),
        make=lambda: it.dosing.set_desired(kind, new),
        made=lambda state: kind.of(state).desired == new,
        give_back=partial(give_back, it, undo),
        restored=lambda state: kind.of(state).desired == old,
        undo=undo,
    )


def _name(slot: Slot) -> str:
    return slot.name or f"#{slot.index + 1}"


async def give_back(it: Controller, undo: Undo) -> bool:
    """Restore a changed setting; return whether nothing is left to do.

    A setting that another client changed meanwhile is kept. Raises as commands do.
    """
    if undo.of == _SCHEDULE:
        return await _arm_again(it, undo)
    kind = _KINDS[undo.of]
    if (desired := kind.of(it.store.reported).desired) is None:
        return False  # not read yet since the start
    if desired in (undo.old, undo.new):
        await it.dosing.set_desired(kind, undo.old)
    return True


async def _arm_again(it: Controller, undo: Undo) -> bool:
    schedules = it.store.reported.schedules
    schedule = schedules.used.get(undo.index)
    if schedule is not None and schedule.when == undo.when:
        await it.schedules.enable(undo.index, True, observed=schedule)
    return schedules.records is not None
