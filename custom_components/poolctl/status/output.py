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
from .sentence import Cause, Explanation, Sentence, Situation, explain


@dataclass(frozen=True)
class OutputFacts:
    """Recorded facts about an output."""

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
    facts = OutputFacts(at, slot)
    return *explain(OUTPUT_CAUSES, facts), *_dry(facts), *_runs_on(facts)


def why_pump(at: Situation) -> Explanation:
    """Return why the pump is off, to explain equipment that needs it."""
    if (pump := at.state.outputs.pump) is None:
        return ()
    return Sentence("of_pump"), *why_output(at, pump)


def _expander_lost(facts: OutputFacts) -> bool:
    there = facts.state.signals.expanders
    return any(
        facts.slot.index in slots and connected is False
        for slots, connected in zip(SLOTS_OF_EXPANDERS, there, strict=True)
    )


def _held(facts: OutputFacts, *, on: bool) -> bool:
    """Return whether it is held; an override may be reported before there is a hold."""
    if facts.hold is not None:
        return facts.hold.on is on
    return facts.by_lan and facts.slot.held is True and facts.on is on


def _of_hold(facts: OutputFacts) -> Explanation:
    """Return who asked for a hold, and when it ends."""
    if (hold := facts.hold) is None:
        return ()
    values: Values = {"time": hold.since, "name": hold.requester}
    here = "by_name" if hold.requester else "by_us"
    asked = {Asked.HERE: here, Asked.ELSEWHERE: "by_other"}.get(hold.asked)
    return (
        *((Sentence(asked, values),) if asked else ()),
        *(facts.at.until(hold.until) if hold.until else (Sentence("no_end"),)),
    )


def _schedule(facts: OutputFacts) -> dict[str, str]:
    return {"schedule": facts.state.running_schedule(facts.mode) or ""}


def _end_of_window(facts: OutputFacts) -> Explanation:
    """Return the end of the run, if the running schedule is in its window."""
    window, running = facts.window, facts.running
    open_now = running is not None and end_of(facts.state, (running,), facts.at.now)
    return facts.at.until(
        window.until - facts.at.ahead if window and open_now else None
    )


def _has_schedule(facts: OutputFacts) -> bool:
    return any(each.enabled for each in schedules_of(facts.state, facts.slot).values())


def _next_run(facts: OutputFacts) -> Explanation:
    if (run := next_run(facts.state, facts.slot, facts.at.now)) is None:
        return ()
    name = run.schedule.name or str(run.index + 1)
    values: Values = {"time": run.start - facts.at.ahead, "schedule": name}
    return (Sentence("next", values),)


def _spa_waits(facts: OutputFacts) -> bool | None:
    is_spa = facts.slot == facts.state.outputs.spa
    return is_spa and facts.state.spa_waits_for_pump


def _needs_pump(facts: OutputFacts) -> bool:
    linked = facts.slot.role is Role.PUMP_LINKED
    return linked and facts.on is not True and facts.state.pump_on is False


def _runs_on(facts: OutputFacts) -> Explanation:
    if not facts.is_pump or not facts.state.signals.pump_cooling_down:
        return ()
    return Sentence("cooling_down"), *facts.at.until(facts.at.run_on_ends)


def _dry(facts: OutputFacts) -> Explanation:
    signals = facts.state.signals
    if not facts.is_pump or not signals.dry_run:
        return ()
    return (Sentence("no_water" if signals.retries_exceeded else "dry"),)


def _stopped(facts: OutputFacts) -> bool | None:
    """Return whether the controller keeps the pump off until a user acts."""
    waits = facts.state.signals.retries_exceeded or facts.window is not None
    return facts.on is False and bool(_dry(facts)) and waits


OUTPUT_CAUSES: Final[tuple[Cause[OutputFacts], ...]] = (
    Cause("expander_lost", _expander_lost),
    Cause(
        "hold_over",
        lambda facts: (
            (hold := facts.hold) and hold.state in OVER and facts.on is hold.on
        ),
    ),
    Cause("spa_waits", _spa_waits, more=lambda facts: why_pump(facts.at)),
    Cause(
        "stopped_by_spa",
        lambda facts: (
            facts.on is False
            and any(h.slot == facts.slot.index for h in facts.at.stopped_by_spa)
        ),
    ),
    Cause("needs_pump", _needs_pump, more=lambda facts: why_pump(facts.at)),
    Cause(
        "timer",
        lambda facts: facts.on and facts.timer,
        more=lambda facts: facts.at.until(facts.timer),
    ),
    Cause("unknown", lambda facts: facts.doubtful),
    Cause("held_on", lambda facts: _held(facts, on=True), more=_of_hold),
    Cause("held_off", lambda facts: _held(facts, on=False), more=_of_hold),
    Cause(
        "schedule",
        lambda facts: facts.on and facts.running is not None,
        values=_schedule,
        more=_end_of_window,
    ),
    # Mode 99 does not mean a user: the firmware sets it, too (protocol.md L27).
    Cause("cloud", lambda facts: facts.on and facts.state.source is Source.CLOUD),
    Cause("stopped", _stopped),
    # The cloud alone reports no schedules: then no sentence about them is possible.
    Cause(
        "unknown",
        lambda facts: facts.on is not False or facts.state.schedules.records is None,
    ),
    Cause("schedule_should_run", lambda facts: facts.window is not None),
    Cause("no_run", _has_schedule, more=_next_run),
    Cause("no_schedule", lambda facts: True),
)
"""Causes in order: the first that applies is the explanation."""
