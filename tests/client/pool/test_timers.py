"""Running timers: a count that runs down is shown as the time of its end."""

from datetime import UTC, datetime, timedelta

from custom_components.poolctl.client.pool.state import (
    TIMER_MARGIN,
    PoolState,
    with_timers,
    without_past_timers,
)

NOW = datetime(2026, 7, 6, 18, 0, 20, tzinfo=UTC)
SLOT = 3


def shown(state: PoolState) -> list[tuple[int, str]]:
    """Return slots and ends as they are shown."""
    return [(end.slot, f"{end.at:%H:%M:%S}") for end in state.timer_ends]


def test_a_count_that_runs_down() -> None:
    state = with_timers(PoolState(), {SLOT: 2400, 5: 60}, NOW)
    for passed in range(0, 2400, 15):
        # Every second count is 15 s old, like a copy of the cloud.
        left = 2400 - passed + passed % 30
        after = with_timers(state, {SLOT: left}, NOW + timedelta(seconds=passed))
        assert shown(after) == [(SLOT, "18:40:00")]


def test_to_the_minute() -> None:
    for seconds, at in ((2400, "18:40:00"), (2409, "18:40:00"), (2411, "18:41:00")):
        state = with_timers(PoolState(), {SLOT: seconds}, NOW)
        assert shown(state) == [(SLOT, at)]
        longer = seconds + TIMER_MARGIN.total_seconds() + 60  # another timer
        assert shown(with_timers(state, {SLOT: longer}, NOW)) != shown(state)
        for counts in ({SLOT: 0}, {}):
            assert shown(with_timers(state, counts, NOW)) == []
        assert without_past_timers(state, NOW) is state
        assert shown(without_past_timers(state, NOW + timedelta(hours=1))) == []
