"""Why an output runs or does not, and why it was switched without a command."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from ..client.holds import Asked, Do, Hold, Origin, Why
from ..client.pool import (
    SLOTS_OF_EXPANDERS,
    Role,
    Slot,
    Source,
    Window,
    next_run,
    running_schedule,
    schedules_of,
    window_at,
    window_of,
)
from ..const import DOMAIN
from ..devices.output_attributes import RUN_BY, timer_end
from .rows import Explanation, Row, Sentence, Values, explain, rounded
from .situation import Situation

EVENT_CHANGED: Final = f"{DOMAIN}_output_changed"
_RECENT: Final = timedelta(hours=12)
"""Time for which the end of a hold is part of the explanation (chosen)."""
_NO_CAUSE: Final = frozenset({"unknown", "no_run", "no_schedule", "should_run"})
"""Causes that leave open who switched the output."""
_ENDS: Final[Mapping[tuple[Do, Why | None], str]] = {
    (Do.UNDO, None): "hold_ended",
    (Do.DROP, Why.NOT_SHOWN): "hold_ended_by_other",
}
"""What ended a hold, by the last decision about it."""
ASKED: Final = 60.0
"""Seconds in which a change follows a command (chosen: the cloud takes that long)."""


def why_output(pool: Situation, slot: Slot | None) -> Explanation:
    """Return why an output runs or not, empty if a user cannot switch it.

    If the cause leaves open who decided, what ended its last hold comes first.
    """
    if slot is None or slot.role in RUN_BY:
        return ()
    why = (
        *explain(OUTPUT_CAUSES, pool, slot),
        *_dry(pool, slot),
        *_runs_on(pool, slot),
    )
    happened = _happened(pool, slot)
    if happened and why[0].key in _NO_CAUSE:
        return *happened, *(each for each in why if each.key != "unknown")
    return (*why, *happened) if why[0].key == "schedule" else why


def _happened(pool: Situation, slot: Slot) -> Explanation:
    """Return what ended the last hold of an output without one, and by whom."""
    if held := _stored_hold(pool, slot):
        return _ends_now(pool, slot, held)
    found = (each for each in reversed(pool.changes) if each.claim.slot == slot.index)
    if (last := next(found, None)) is None or pool.now - last.at > _RECENT:
        return ()
    if not last.claim.needs_undoing and _on(pool, slot) is last.claim.on:
        return (Sentence(_switched(last.claim), _origin(last.claim)),)
    how = _ENDS.get((last.do, last.why))
    return (Sentence(how, {"time": last.at}),) if how else ()


def _ends_now(pool: Situation, slot: Slot, held: Hold) -> Explanation:
    """Return what ends a hold, if the newest read is the first one that shows its end."""
    if _hold(pool, slot) is held or held.on is _on(pool, slot):
        return ()
    soon = pool.now + timedelta(seconds=ASKED)
    ended = held.until is not None and held.until <= soon
    key = "hold_ended" if ended else "hold_ended_by_other"
    return (Sentence(key, {"time": pool.now}),)


def why_pump(pool: Situation) -> Explanation:
    """Return what the pump does and why, empty if that is not known."""
    if (pump := pool.state.outputs.pump) is None:
        return ()
    return Sentence("of_pump"), *why_output(pool, pump)


def _until(pool: Situation, at: datetime | None) -> Explanation:
    """Return the sentence about an end that is still to come, if there is one."""
    if at is None or at <= pool.now:
        return ()
    return (Sentence("until", {"time": rounded(at)}),)


def _on(pool: Situation, slot: Slot) -> bool | None:
    return pool.state.pump_on if slot.role is Role.PUMP else slot.on


def _overrides_known(pool: Situation) -> bool:
    """Return whether overrides are reported: those of the cloud are last known ones."""
    return pool.state.source is Source.LAN


def _stored_hold(pool: Situation, slot: Slot) -> Hold | None:
    return next((each for each in pool.holds if each.slot == slot.index), None)


def _hold(pool: Situation, slot: Slot) -> Hold | None:
    """Return its hold, unless the output is reported as no longer held."""
    released = _overrides_known(pool) and slot.held is False
    return None if released else _stored_hold(pool, slot)


def _hold_over(pool: Situation, slot: Slot) -> bool:
    hold = _hold(pool, slot)
    return (
        hold is not None and hold.end_has_come(pool.now) and _on(pool, slot) is hold.on
    )


def _doubtful(pool: Situation, slot: Slot) -> bool:
    """Return whether the output is not in the state in which it was held."""
    hold, on = _hold(pool, slot), _on(pool, slot)
    if hold is None or not hold.confirmed or hold.end_has_come(pool.now):
        return False
    return on is not None and on is not hold.on


def _held(pool: Situation, slot: Slot, *, on: bool) -> bool:
    """Return whether it is held; an override may be reported before there is a hold."""
    if (hold := _hold(pool, slot)) is not None:
        return hold.on is on
    return _overrides_known(pool) and slot.held is True and _on(pool, slot) is on


def _by(origin: Origin) -> str:
    """Return who switched an output, as the end of the key of a sentence."""
    here = "by_name" if origin.name else "by_us"
    return {Asked.HERE: here, Asked.ELSEWHERE: "by_other"}.get(origin.where, "by_hand")


def _switched(hold: Hold) -> str:
    return f"{'on' if hold.on else 'off'}_{_by(hold.origin)}"


def _held_by(pool: Situation, slot: Slot, *, on: bool, by: str) -> bool:
    if not _held(pool, slot, on=on):
        return False
    hold, commanded_at = _hold(pool, slot), pool.commanded_at
    if hold is not None:
        return by == _by(hold.origin)
    ours = commanded_at is not None and (pool.read_at or 0.0) - commanded_at <= ASKED
    return by == ("by_hand" if ours else "by_other")


def _requested(pool: Situation, slot: Slot) -> Values:
    hold = _hold(pool, slot)
    return _origin(hold) if hold else {"time": pool.now}


def _origin(hold: Hold) -> Values:
    return {"time": hold.origin.at, "name": hold.origin.name}


def _held_until(pool: Situation, slot: Slot) -> Explanation:
    """Return what a hold prevents, and when it ends."""
    if (hold := _hold(pool, slot)) is None:
        return () if _on(pool, slot) else (Sentence("kept_off"),)
    if (until := hold.shown_until) is None:
        kept = () if hold.on else (Sentence("kept_off"),)
        return *kept, Sentence("no_end")
    at = until + pool.ahead
    follows = window_at(schedules_of(pool.state, slot), at)
    if not hold.on:
        run = None if follows else next_run(pool.state, slot, at)
        begins = run.start - pool.ahead if run else until
        return (Sentence("kept_off_until", {"time": rounded(begins)}),)
    if not follows:
        return _until(pool, until)
    ends = follows.until and follows.until - pool.ahead
    return Sentence("follows", {"time": rounded(until)}), *_until(pool, ends)


def _running(pool: Situation, slot: Slot) -> int | None:
    """Return the schedule that runs it, `None` unless it is certainly its own."""
    index = running_schedule(pool.state, slot)
    if pool.state.schedules.records is None or index in schedules_of(pool.state, slot):
        return index
    return None


def _window(pool: Situation, slot: Slot) -> Window | None:
    """Return the schedule window that should run it now."""
    return window_of(pool.state, slot, pool.local)


def _end_of_window(pool: Situation, slot: Slot) -> Explanation:
    """Return the end of the run, if the running schedule is in its window."""
    window, running = _window(pool, slot), _running(pool, slot)
    schedule = window and running is not None and window.schedules.get(running)
    if not (window and window.until and schedule):
        return ()
    open_now = window_at({0: schedule}, pool.local)
    return _until(pool, window.until - pool.ahead if open_now else None)


def _next_run(pool: Situation, slot: Slot) -> Explanation:
    if (run := next_run(pool.state, slot, pool.local)) is None:
        return ()
    name = run.schedule.name or str(run.index + 1)
    values: Values = {"time": rounded(run.start - pool.ahead), "schedule": name}
    return (Sentence("next", values),)


def _expander_lost(pool: Situation, slot: Slot) -> bool:
    connected = pool.state.signals.expanders
    expanders = zip(SLOTS_OF_EXPANDERS, connected, strict=True)
    return any(slot.index in slots and there is False for slots, there in expanders)


def _runs_on(pool: Situation, slot: Slot) -> Explanation:
    if slot.role is not Role.PUMP or not pool.state.signals.pump_cooling_down:
        return ()
    return Sentence("cooling_down"), *_until(pool, pool.learned.ends.run_on)


def _dry(pool: Situation, slot: Slot) -> Explanation:
    signals = pool.state.signals
    if slot.role is not Role.PUMP or not signals.dry_run:
        return ()
    return (Sentence("no_water" if signals.retries_exceeded else "dry"),)


def _stopped(pool: Situation, slot: Slot) -> bool:
    """Return whether the controller keeps the pump off until a user acts."""
    if _on(pool, slot) is not False or not _dry(pool, slot):
        return False
    return bool(pool.state.signals.retries_exceeded or _window(pool, slot))


_KEPT: Final = frozenset({Why.NO_PATH, Why.NOT_SHOWN, Why.OLD, Why.FAILED})
"""Reasons to keep a hold after its end that a user can do something about."""
OUTPUT_CAUSES: Final[tuple[Row[Situation, Slot], ...]] = (
    Row("expander_lost", _expander_lost),
    Row(
        "hold_over",
        _hold_over,
        more=lambda pool, slot: (
            (Sentence(f"kept_{hold.why}"),)
            if (hold := _hold(pool, slot)) and hold.why in _KEPT
            else ()
        ),
    ),
    Row(
        "spa_waits",
        lambda pool, slot: (
            slot == pool.state.outputs.spa and pool.state.spa_waits_for_pump
        ),
        more=lambda pool, slot: why_pump(pool),
    ),
    Row(
        "stopped_by_spa",
        lambda pool, slot: (
            _on(pool, slot) is False
            and any(hold.slot == slot.index for hold in pool.stopped_by_spa)
        ),
    ),
    Row(
        "needs_pump",
        lambda pool, slot: (
            slot.role is Role.PUMP_LINKED
            and pool.state.pump_on is False
            and slot.on is not True
        ),
        more=lambda pool, slot: why_pump(pool),
    ),
    Row(
        "timer",
        lambda pool, slot: _on(pool, slot) and timer_end(pool.state, slot),
        more=lambda pool, slot: _until(pool, timer_end(pool.state, slot)),
    ),
    Row("unknown", _doubtful),
    *(
        Row(
            f"{'on' if on else 'off'}_{by}",
            partial(_held_by, on=on, by=by),
            _requested,
            _held_until,
        )
        for on in (True, False)
        for by in ("by_name", "by_us", "by_other", "by_hand")
    ),
    Row(
        "schedule",
        lambda pool, slot: _on(pool, slot) and _running(pool, slot) is not None,
        lambda pool, slot: {
            "schedule": pool.state.schedule_of_mode(pool.state.output_mode(slot)) or ""
        },
        _end_of_window,
    ),
    # Mode 99 does not mean a user: the firmware sets it, too (protocol.md L27).
    Row(
        "cloud",
        lambda pool, slot: _on(pool, slot) and pool.state.source is Source.CLOUD,
    ),
    Row("stopped", _stopped),
    # The cloud alone reports no schedules: then no sentence about them is possible.
    Row(
        "unknown",
        lambda pool, slot: (
            _on(pool, slot) is not False or pool.state.schedules.records is None
        ),
    ),
    Row("should_run", _window, more=lambda pool, slot: (Sentence("unknown"),)),
    Row(
        "no_run",
        lambda pool, slot: any(
            each.enabled for each in schedules_of(pool.state, slot).values()
        ),
        more=_next_run,
    ),
    Row("no_schedule", lambda pool, slot: True),
)
"""Causes in order: the first that applies is the explanation."""
