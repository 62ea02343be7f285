"""The door of the LAN's frames: what only one of them shows is asked again.

One odd frame proves nothing (protocol.md L15). A frame that surprises is kept until the
next one, which is read soon, and field by field what two of three frames share is
accepted: the last accepted one, the one in doubt, and the newest. So all that follows
sees only facts, and has no doubt of its own. The limits are chosen.
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import fields, replace
from math import inf
from operator import attrgetter
from typing import Any, Final

from ..pool.state import ORP_JUMP, PH_JUMP, WATER_JUMP, PoolState
from ..wire.equipment import HeatSource
from ..wire.frame import StateFrame, Timer, decode_signals

AGAIN: Final = 2.0
"""Seconds after a frame that surprises, until the next one is read."""
_ONE: Final = 1.0
"""Seconds in which two reads are one: both may be of the same odd moment."""

DRIFTS: Final[Mapping[str, float]] = {
    "ph": PH_JUMP,
    "orp": ORP_JUMP,
    "water_temperature": WATER_JUMP,
    "ambient_temperature": 5.0,
    "flow_rate": 500.0,
    "pressure": 50.0,
    "pump_speed": 5.0,
    "pump_power": 3000.0,
    "drive_temperature": 30.0,
    "sanitiser_output": inf,
    "pump_cooldown_remaining": inf,
    "pump_priming_remaining": inf,
    "acid_remaining_ml": 250.0,
    "chlorine_remaining_ml": 250.0,
}
"""Fields that are measured or counted, and how far each may move in a poll; every other
field is a fact that is the same or another one."""
_BITS: Final = {"flags", "flags2"}
_BY_SLOT: Final = {"aux_modes", "aux_types"}
_SETS: Final = {"held_slots", "schedules_enabled"}

_SHOWN: Final[Mapping[str, Callable[[PoolState], object]]] = {
    "main_pump_mode": attrgetter("readings.main_pump_mode"),
    "pump_speed": attrgetter("readings.pump_speed"),
    "aux_modes": attrgetter("outputs.modes"),
    "held_slots": attrgetter("outputs.held"),
    "schedules_enabled": attrgetter("schedules.armed"),
    "pool_target": attrgetter("pool_target"),
    "spa_target": attrgetter("spa_target"),
    "pool_heater_selected": lambda state: state.heat[HeatSource.POOL_HEATER],
    "spa_heater_selected": lambda state: state.heat[HeatSource.SPA_HEATER],
    "solar_selected": lambda state: state.heat[HeatSource.SOLAR],
    "desired_ph": attrgetter("acid.desired"),
    "desired_orp_liquid": attrgetter("chlorine.desired"),
    "desired_orp_mineral": attrgetter("chlorinator.desired"),
    "acid_drum_ml": attrgetter("acid.drum_ml"),
    "chlorine_drum_ml": attrgetter("chlorine.drum_ml"),
    "acid_remaining_ml": attrgetter("acid.remaining_ml"),
    "chlorine_remaining_ml": attrgetter("chlorine.remaining_ml"),
}
"""Fields that our commands change, and where a state has them."""
_MOVED: Final = {
    *("flags", "flags2", "main_pump_mode", "aux_modes", "held_slots"),
    *("pump_speed", "pump_power", "flow_rate", "pressure"),
}
"""Fields that also follow from a command, for as long as it is in progress."""


class Door:
    """Lets frames in, each with what two frames share."""

    def __init__(self) -> None:
        self._last: StateFrame | None = None
        """The frame that was accepted last, with all sections reported so far."""
        self._doubted: tuple[StateFrame, float] | None = None
        """A frame that surprised, and its time (monotonic, s)."""
        self.shown_at = 0.0
        """Time of the newest frame that shows all that was accepted (monotonic, s)."""
        self._rewired: tuple[int, ...] | None = None
        """Aux types that the last frame had instead of the known ones."""

    def admit(
        self,
        frame: StateFrame,
        at: float,
        known: tuple[int, ...] | None,
        explains: Callable[[], Container[str]],
        *,
        opens: bool = False,
    ) -> StateFrame | None:
        """Return what to accept of the newest frame, `None` if it has to be read again.

        `at` is its time (monotonic, s), `known` are all aux types, if they are known.
        `explains` returns the fields that show what was just commanded. The first frame
        of a run, and one that `opens` the door, is accepted as it is, except for types.
        """
        last = None if opens else self._last
        if last is not None and (differing := surprising(last, frame)):
            if self._doubted is None:
                explained = explains()
                if any(name not in explained for name in differing):
                    self._doubted = frame, at
                    return None
            elif at - self._doubted[1] < _ONE:
                return None  # of the same moment
        newest, doubted, self._doubted = frame, self._doubted, None
        self.shown_at = at
        if last is not None and doubted is not None:
            frame = accepted(last, doubted[0], newest)
            if surprising(frame, newest):
                self._doubted, self.shown_at = (newest, at), doubted[1]
        frame = self._with_types(frame, known)
        self._last = frame if last is None else _with_missing(frame, last)
        return frame

    @property
    def in_doubt(self) -> bool:
        """Whether the next frame decides about something that the last one had."""
        return self._doubted is not None

    def _with_types(
        self, frame: StateFrame, known: tuple[int, ...] | None
    ) -> StateFrame:
        """Return a frame with the known types, unless the last one had its types, too.

        Other types remove devices: even two odd frames in a row must not do that.
        """
        of, before, self._rewired = frame.configuration, self._rewired, None
        if of is None or None in (of.aux_types, known):
            return frame
        if of.aux_types in (known, before):
            return frame
        self._rewired = of.aux_types
        return frame._replace(configuration=replace(of, aux_types=known))


def explained(seen: PoolState, shown: PoolState, busy: bool) -> frozenset[str]:
    """Return the fields in which a merged frame shows what our commands did.

    Those are as the commands in progress show them; while one of them is `busy`, what
    it moves may change, too.
    """
    found = {name for name, of in _SHOWN.items() if of(seen) == of(shown)}
    return frozenset(found | _MOVED if busy else found)


def surprising(last: StateFrame, frame: StateFrame) -> list[str]:
    """Return the fields in which a frame differs from the last accepted one.

    A section or a field that is not reported changes nothing, so it is no surprise.
    """
    found = []
    for before, now in zip(last[:2], frame[:2], strict=True):
        if before is None or now is None:
            continue
        for field in fields(now):
            old, new = getattr(before, field.name), getattr(now, field.name)
            if None not in (old, new) and not _alike(field.name, old, new):
                found.append(field.name)
    if last.timers is not None and frame.timers is not None:
        found += ["timers"] * (_slots(last.timers) != _slots(frame.timers))
    return found


def differs(before: PoolState, after: PoolState) -> bool:
    """Return whether an answer of the cloud surprises, given the states around it."""
    return any(
        (old := getattr(of, field.name)) is not None
        and (new := getattr(now, field.name)) is not None
        and not _alike(field.name, old, new)
        for of, now in (
            (before.readings, after.readings),
            (before.signals, after.signals),
        )
        for field in fields(of)
    )


def accepted(last: StateFrame, first: StateFrame, second: StateFrame) -> StateFrame:
    """Return the newest of three frames, except where the two others agree."""
    timers = second.timers
    if None not in (last.timers, first.timers, timers) and (
        _slots(last.timers) == _slots(first.timers) != _slots(timers)
    ):
        timers = first.timers
    return second._replace(
        telemetry=_section(last.telemetry, first.telemetry, second.telemetry),
        configuration=_section(
            last.configuration, first.configuration, second.configuration
        ),
        timers=timers,
    )


def _section[S: Any](last: S | None, first: S | None, second: S | None) -> S | None:
    if last is None or first is None or second is None:
        return second
    values = {
        each.name: _value(
            each.name, *(getattr(of, each.name) for of in (last, first, second))
        )
        for each in fields(second)
    }
    section: S = type(second)(**values)
    return section


def _value(name: str, last: Any, first: Any, second: Any) -> Any:
    if last is None or first is None or second is None:
        return second
    if name in _BITS:
        return last & first | last & second | first & second
    if name in _SETS:
        a, b, c = set(last), set(first), set(second)
        return tuple(sorted(a & b | a & c | b & c))
    if name in _BY_SLOT and len(last) == len(first) == len(second):
        each = zip(last, first, second, strict=True)
        return tuple(a if a == b else c for a, b, c in each)
    if _alike(name, last, first) and not _alike(name, last, second):
        # A measurement that two frames show is the newer one of theirs.
        return second if _alike(name, first, second) else first
    return second


def _alike(name: str, one: Any, other: Any) -> bool:
    if name in DRIFTS:
        return bool(abs(one - other) <= DRIFTS[name])
    if name == "flags":  # unknown bits may change all the time
        return decode_signals(one, None) == decode_signals(other, None)
    if name == "flags2":
        return decode_signals(0, one) == decode_signals(0, other)
    return bool(one == other)


def _slots(timers: tuple[Timer, ...] | None) -> set[int]:
    return {timer.slot for timer in timers or ()}


def _with_missing(frame: StateFrame, last: StateFrame) -> StateFrame:
    """Return a frame with the sections that it lacks as they were reported last."""
    return frame._replace(
        telemetry=frame.telemetry or last.telemetry,
        configuration=frame.configuration or last.configuration,
        timers=last.timers if frame.timers is None else frame.timers,
    )
