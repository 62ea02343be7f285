"""Why an output runs or does not."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final

from ..client.holds.claim import OVER, State
from ..client.holds.hold import Asked, Hold
from ..client.holds.rules import (
    Window,
    end_of,
    next_run,
    running_schedule,
    schedules_of,
    window_of,
)
from ..client.pool.state import PoolState, Source
from ..client.wire.equipment import SLOTS_OF_EXPANDERS, Role, Slot
from .problem import Values
from .sentence import Cause, Explanation, Sentence, Situation, explain, rounded


@dataclass(frozen=True)
class OutputSituation:
    """What is known about an output."""

    at: Situation
    slot: Slot

    @property
    def state(self) -> PoolState:
        """State that the controller or the cloud reported."""
        return self.at.state

    @property
    def is_pump(self) -> bool:
        """Whether it is the main pump."""
        return self.slot.role is Role.PUMP

    @property
    def on(self) -> bool | None:
        """Whether it runs."""
        return self.state.pump_on if self.is_pump else self.slot.on

    @property
    def mode(self) -> int | None:
        """Mode of the output (protocol.md O2.1), `None` if it is not reported."""
        return self.state.output_mode(self.slot)

    @cached_property
    def hold(self) -> Hold | None:
        """Its hold, unless the output is reported as no longer held."""
        if self.by_lan and self.slot.held is False:
            return None
        holds = (each for each in self.at.holds if each.slot == self.slot.index)
        return next(holds, None)

    @property
    def by_lan(self) -> bool:
        """Whether overrides are reported: those of the cloud are last known ones."""
        return self.state.source is Source.LAN

    @property
    def doubtful(self) -> bool:
        """Whether the output is not in the state in which it was held."""
        hold = self.hold
        return (
            hold is not None
            and hold.state in (State.ACTIVE, State.DOUBTFUL)
            and self.on is not None
            and self.on is not hold.on
        )

    @cached_property
    def running(self) -> int | None:
        """Index of the schedule that runs it, `None` unless it is certainly its own."""
        index = running_schedule(self.state, self.slot)
        if index is None or self.state.schedules.records is None:
            return index
        return index if index in schedules_of(self.state, self.slot) else None

    @cached_property
    def window(self) -> Window | None:
        """The schedule window that should run it now."""
        return window_of(self.state, self.slot, self.at.now)

    @property
    def timer(self) -> datetime | None:
        """When its timer switches it off."""
        ends = self.state.timer_ends
        return next((each.at for each in ends if each.slot == self.slot.index), None)


def why_output(at: Situation, slot: Slot) -> Explanation:
    """Return why an output runs or does not."""
    situation = OutputSituation(at, slot)
    return *explain(OUTPUT_CAUSES, situation), *_dry(situation), *_runs_on(situation)


def why_pump(at: Situation) -> Explanation:
    """Return why the pump is off, to explain equipment that needs it."""
    if (pump := at.state.outputs.pump) is None:
        return ()
    return Sentence("of_pump"), *why_output(at, pump)


def _expander_lost(situation: OutputSituation) -> bool:
    there = situation.state.signals.expanders
    return any(
        situation.slot.index in slots and connected is False
        for slots, connected in zip(SLOTS_OF_EXPANDERS, there, strict=True)
    )


def _held(situation: OutputSituation, *, on: bool) -> bool:
    """Return whether it is held; an override may be reported before there is a hold."""
    if situation.hold is not None:
        return situation.hold.on is on
    return situation.by_lan and situation.slot.held is True and situation.on is on


def _of_hold(situation: OutputSituation) -> Explanation:
    """Return who asked for a hold, and when it ends."""
    if (hold := situation.hold) is None:
        return ()
    values: Values = {"time": hold.since, "name": hold.requester}
    here = "by_name" if hold.requester else "by_us"
    asked = {Asked.HERE: here, Asked.ELSEWHERE: "by_other"}.get(hold.asked)
    return (
        *((Sentence(asked, values),) if asked else ()),
        *(situation.at.until(hold.until) if hold.until else (Sentence("no_end"),)),
    )


def _schedule(situation: OutputSituation) -> dict[str, str]:
    return {"schedule": situation.state.running_schedule(situation.mode) or ""}


def _end_of_window(situation: OutputSituation) -> Explanation:
    """Return the end of the run, if the running schedule is in its window."""
    window, running = situation.window, situation.running
    open_now = running is not None and end_of(
        situation.state, (running,), situation.at.now
    )
    return situation.at.until(
        window.until - situation.at.ahead if window and open_now else None
    )


def _has_schedule(situation: OutputSituation) -> bool:
    return any(
        each.enabled for each in schedules_of(situation.state, situation.slot).values()
    )


def _next_run(situation: OutputSituation) -> Explanation:
    if (run := next_run(situation.state, situation.slot, situation.at.now)) is None:
        return ()
    name = run.schedule.name or str(run.index + 1)
    values: Values = {"time": rounded(run.start - situation.at.ahead), "schedule": name}
    return (Sentence("next", values),)


def _spa_waits(situation: OutputSituation) -> bool | None:
    is_spa = situation.slot == situation.state.outputs.spa
    return is_spa and situation.state.spa_waits_for_pump


def _needs_pump(situation: OutputSituation) -> bool:
    linked = situation.slot.role is Role.PUMP_LINKED
    return linked and situation.on is not True and situation.state.pump_on is False


def _runs_on(situation: OutputSituation) -> Explanation:
    if not situation.is_pump or not situation.state.signals.pump_cooling_down:
        return ()
    return Sentence("cooling_down"), *situation.at.until(situation.at.run_on_ends)


def _dry(situation: OutputSituation) -> Explanation:
    signals = situation.state.signals
    if not situation.is_pump or not signals.dry_run:
        return ()
    return (Sentence("no_water" if signals.retries_exceeded else "dry"),)


def _stopped(situation: OutputSituation) -> bool | None:
    """Return whether the controller keeps the pump off until a user acts."""
    waits = situation.state.signals.retries_exceeded or situation.window is not None
    return situation.on is False and bool(_dry(situation)) and waits


OUTPUT_CAUSES: Final[tuple[Cause[OutputSituation], ...]] = (
    Cause("expander_lost", _expander_lost),
    Cause(
        "hold_over",
        lambda situation: (
            (hold := situation.hold) and hold.state in OVER and situation.on is hold.on
        ),
    ),
    Cause("spa_waits", _spa_waits, more=lambda situation: why_pump(situation.at)),
    Cause(
        "stopped_by_spa",
        lambda situation: (
            situation.on is False
            and any(h.slot == situation.slot.index for h in situation.at.stopped_by_spa)
        ),
    ),
    Cause("needs_pump", _needs_pump, more=lambda situation: why_pump(situation.at)),
    Cause(
        "timer",
        lambda situation: situation.on and situation.timer,
        more=lambda situation: situation.at.until(situation.timer),
    ),
    Cause("unknown", lambda situation: situation.doubtful),
    Cause("held_on", lambda situation: _held(situation, on=True), more=_of_hold),
    Cause("held_off", lambda situation: _held(situation, on=False), more=_of_hold),
    Cause(
        "schedule",
        lambda situation: situation.on and situation.running is not None,
        values=_schedule,
        more=_end_of_window,
    ),
    # Mode 99 does not mean a user: the firmware sets it, too (protocol.md L27).
    Cause(
        "cloud",
        lambda situation: situation.on and situation.state.source is Source.CLOUD,
    ),
    Cause("stopped", _stopped),
    # The cloud alone reports no schedules: then no sentence about them is possible.
    Cause(
        "unknown",
        lambda situation: (
            situation.on is not False or situation.state.schedules.records is None
        ),
    ),
    Cause("schedule_should_run", lambda situation: situation.window is not None),
    Cause("no_run", _has_schedule, more=_next_run),
    Cause("no_schedule", lambda situation: True),
)
"""Causes in order: the first that applies is the explanation."""
