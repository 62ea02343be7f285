"""How frames and the cloud's answers change a PoolState."""

from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any

import pytest

from custom_components.poolctl.client.pool.from_cloud import merge_dashboard
from custom_components.poolctl.client.pool.from_lan import merge_frame
from custom_components.poolctl.client.pool.heating import POOL, SPA, temperature
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.parts import Doser, Dosing
from custom_components.poolctl.client.pool.state import PoolState, with_readings
from custom_components.poolctl.client.wire.commands import PumpIdentity
from custom_components.poolctl.client.wire.frame import (
    Chemistry,
    Configuration,
    Readings,
    Signals,
    StateFrame,
    Telemetry,
    Timer,
)

NOW = datetime(2026, 1, 2, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)
STABLE = 1 << 5 | 3 << 13 | 1 << 15
"""Chemistry stable, no dry run, flow (protocol.md O2.1)."""

TELEMETRY = Telemetry(
    flags=STABLE,
    water_temperature=26.4,
    ambient_temperature=21.5,
    ph=7.4,
    orp=655,
    flow_rate=180,
    pressure=60,
    pump_speed=75,
    pump_power=600,
    drive_temperature=38,
    main_pump_mode=1,
    sanitiser_output=80,
    flags2=0,
    aux_modes=(1, 0, 99),
    held_slots=(2,),
    pump_cooldown_remaining=0,
    pump_priming_remaining=0,
)
CONFIGURATION = Configuration(
    pool_target=28, desired_ph=7.4, desired_orp_mineral=650, aux_types=(31, 13, 1)
)
DASHBOARD: dict[str, Any] = {
    "actual_ph": 72,
    "actual_orp": 640,
    "d_ph": 73,
    "d_orp_mineral": 660,
    "actual_pump_speed": 80,
    "actual_flow_rate": 190,
    "actual_pressure": 70,
    "main_pump_status": 99,
    "heater_state": True,
    "solar_state": False,
    "spa_heater_state": True,
    "chemistry_stable": True,
    "dry_run_status": 3,
}


def from_lan(
    state: PoolState | None = None,
    *,
    configuration: Configuration | None = CONFIGURATION,
    timers: tuple[Timer, ...] | None = (),
    now: datetime = NOW,
    **changes: Any,
) -> PoolState:
    """Merge a frame with these changes into a state."""
    frame = StateFrame(replace(TELEMETRY, **changes), configuration, timers)
    return merge_frame(state or PoolState(), frame, now)


def from_cloud(state: PoolState | None = None, **changes: Any) -> PoolState:
    """Merge a dashboard with these changes into a state."""
    return merge_dashboard(state or PoolState(), DASHBOARD | changes, LATER)


# Possible values


@pytest.mark.parametrize(
    ("field", "bad", "good"),
    [
        ("ph", [0.0, 14.1, 25.5], [0.1, 7.4, 14.0]),
        ("orp", [0xFFFF], [0, 655, 0xFFFE]),
        ("water_temperature", [100.1, 6553.5], [0.0, 26.4, 100.0]),
        ("ambient_temperature", [0.0, 655.35], [0.01, 45.0]),
        ("flow_rate", [2001, 0xFFFF], [0, 180, 2000]),
        ("pressure", [1001, 0xFFFF], [0, 60, 1000]),
        ("pump_speed", [101, 0xFF], [0, 100]),
        ("pump_power", [10_001, 0xFFFF], [0, 600, 10_000]),
        ("drive_temperature", [0xFF], [0, 60]),
        ("sanitiser_output", [0xFFFF], [0, 80]),
        ("pump_cooldown_remaining", [0xFFFF], [0, 120]),
        ("pump_priming_remaining", [0xFFFF], [0, 120]),
        ("main_pump_mode", [21, 50, 98, 100, 0xFF], [0, 1, 20, 99]),
    ],
)
def test_impossible_readings(field: str, bad: list[Any], good: list[Any]) -> None:
    for value in [*bad, None]:
        assert asdict(from_lan(**{field: value}).readings)[field] is None, value
    for value in good:
        assert asdict(from_lan(**{field: value}).readings)[field] == value


ORP, VOLUME = ([0, 0xFFFF], [1, 650, 0xFFFE]), ([0xFFFFFFFF], [0, 20_000, 0xFFFFFFFE])
PH = ([0.0, 14.1, 25.5], [0.1, 7.4, 14.0])


@pytest.mark.parametrize(
    ("field", "part", "bad", "good"),
    [
        ("pool_target", "pool_target", [0, 0xFF], [1, 28, 0xFE]),
        ("spa_target", "spa_target", [0, 0xFF], [1, 40, 0xFE]),
        ("desired_ph", "acid.desired", *PH),
        ("desired_orp_mineral", "chlorinator.desired", *ORP),
        ("desired_orp_liquid", "chlorine.desired", *ORP),
        ("acid_drum_ml", "acid.drum_ml", *VOLUME),
        ("acid_remaining_ml", "acid.remaining_ml", *VOLUME),
        ("chlorine_drum_ml", "chlorine.drum_ml", *VOLUME),
        ("chlorine_remaining_ml", "chlorine.remaining_ml", *VOLUME),
    ],
)
def test_impossible_settings(
    field: str, part: str, bad: list[float], good: list[float]
) -> None:
    for value in [*bad, None, *good]:
        changes: dict[str, Any] = {field: value}
        state = from_lan(configuration=replace(CONFIGURATION, **changes))
        assert attrgetter(part)(state) == (value if value in good else None), value


# Values that stay, and values that do not


def test_absent_parts_stay_in_force() -> None:
    state = from_lan(timers=(Timer(3, 10, 20),))
    assert [end.slot for end in state.timer_ends] == [3]
    nothing = StateFrame(None, None, None)
    assert merge_frame(state, nothing, LATER) == state
    assert from_lan(state, configuration=None, timers=None) == state
    assert from_lan(state, timers=None).timer_ends == state.timer_ends
    assert from_lan(state, timers=()).timer_ends == ()
    only = merge_frame(
        state, StateFrame(None, Configuration(pool_target=30), None), NOW
    )
    # A configuration replaces all earlier settings.
    assert only == replace(state, pool_target=30, acid=Doser(), chlorinator=Dosing())
    slots = from_lan(state, aux_modes=None, held_slots=None).outputs.slots
    assert [(slot.mode, slot.on, slot.held) for slot in slots] == [(None,) * 3] * 3


# Chemistry


def test_the_last_valid_chemistry_is_held() -> None:
    valid = Chemistry(ph=7.4, orp=655, water_temperature=26.4)
    state = from_lan()
    assert (state.valid_chemistry, state.valid_at) == (valid, NOW)
    still = from_lan(state, flags=0, ph=6.0, orp=300, water_temperature=35.0, now=LATER)
    assert (still.readings.ph, still.chemistry, still.valid_at) == (6.0, valid, NOW)
    again = from_lan(still, ph=7.5, now=LATER)
    assert (again.chemistry.ph, again.valid_at) == (7.5, LATER)
    # Each reading that is not reported is held, too.
    nothing = {"ph": None, "orp": None, "water_temperature": None}
    without = from_lan(state, now=LATER, **nothing)
    assert without.valid_chemistry == valid
    assert without.chemistry is without.readings
    from_the_start = from_lan(flags=0)
    assert (from_the_start.chemistry, from_the_start.valid_at) == (Chemistry(), None)
    by_cloud = from_cloud(state)
    assert by_cloud.valid_chemistry == replace(valid, ph=7.2, orp=640)
    assert by_cloud.chemistry.water_temperature is None  # the source has none now
    still = from_cloud(by_cloud, chemistry_stable=False)
    assert still.chemistry.water_temperature == 26.4
    # Stability that is not reported does not void readings.
    unknown = from_cloud(chemistry_stable=None)
    assert unknown.chemistry is unknown.readings and unknown.readings.ph is not None
    assert unknown.valid_chemistry == Chemistry()


def in_spa_mode(state: PoolState, on: bool) -> PoolState:
    return replace(state, outputs=Outputs(types=(20,), modes=(99 if on else 0,)))


def at_probe(
    state: PoolState, water: float, minutes: float, stable: bool = True
) -> PoolState:
    """Return the state after a reading of the probe."""
    now = NOW + timedelta(minutes=minutes)
    signals = Signals(chemistry_stable=stable)
    return with_readings(state, Readings(water_temperature=water), signals, now)


def test_pipes_still_contain_spa_water_after_spa_mode() -> None:
    """Readings of the shared probe count again once the water has settled."""
    state = at_probe(in_spa_mode(PoolState(), on=False), 24.0, 0)
    assert temperature(state, POOL) == 24.0
    state = at_probe(in_spa_mode(state, on=True), 25.0, 1)
    assert temperature(state, SPA) is None
    state = at_probe(state, 37.0, 6)
    assert (temperature(state, SPA), state.chemistry.water_temperature) == (37, 37)
    state = in_spa_mode(state, on=False)
    assert temperature(state, POOL) is None
    for minutes in (7, 9, 11.9):
        state = at_probe(state, 36.0, minutes)
        assert state.signals.chemistry_stable is False
        assert temperature(state, POOL) is None
        assert state.valid_at == NOW + timedelta(minutes=6)
    state = at_probe(state, 24.2, 12)
    assert temperature(state, POOL) == 24.2
    assert state.valid_at == NOW + timedelta(minutes=12)


# The pump


@pytest.mark.parametrize(
    ("expected", "reads"),
    [
        (60, [(99, 60)]),
        (75, [(1, 75)]),
        (50, [(0, 0), (0, 60), (99, 0), (99, None), (None, 60)]),
    ],
)
def test_last_speed(expected: int, reads: list[tuple[int | None, int | None]]) -> None:
    state = PoolState(last_speed=50)
    for mode, speed in reads:
        lan: dict[str, Any] = {"main_pump_mode": mode, "pump_speed": speed}
        cloud = {"main_pump_status": mode, "actual_pump_speed": speed}
        assert from_lan(state, **lan).last_speed == expected
        assert from_cloud(state, **cloud).last_speed == expected
        assert from_lan(state, **lan, flags2=2).last_speed == 50  # it primes


@pytest.mark.row("L15")
def test_one_odd_speed() -> None:
    """The pump does not start at it later."""
    state, found = PoolState(), []
    for speed in (75, 75, 100, 75, 40, 0, 60, 60):
        mode = 99 if speed else 0
        state = from_lan(state, main_pump_mode=mode, pump_speed=speed)
        found.append(state.last_speed)
    assert found == [75, 75, 75, 75, 75, 75, 75, 60]


@pytest.mark.parametrize(("speed", "flags2"), [(0, 0), (0, 2), (100, 2)])
@pytest.mark.parametrize(
    ("prime_time", "remaining", "seconds", "over"),
    [
        (30, 0, 30, False),
        (30, 0, 31, True),
        (30, None, 31, True),
        (30, 5, 31, False),  # the controller still counts down
        (240, 0, 200, False),
        (None, 0, 9000, False),
        (0, 0, 9000, False),
        (4, 0, 9000, False),  # perhaps minutes
        (0xFFFF, 0, 90000, False),
    ],
)
def test_a_start_lasts_for_the_prime_time(
    speed: int,
    flags2: int,
    prime_time: int | None,
    remaining: int | None,
    seconds: int,
    over: bool,
) -> None:
    def read(state: PoolState, after: int, mode: int = 99) -> PoolState:
        return from_lan(
            state,
            configuration=replace(CONFIGURATION, prime_time=prime_time),
            now=NOW + timedelta(seconds=after),
            main_pump_mode=mode,
            pump_speed=speed,
            flags2=flags2,
            pump_priming_remaining=remaining,
        )

    pump = PumpIdentity("Variable Speed", "Acme", "X")
    first = read(PoolState(pump=pump, last_speed=50), 0)
    assert first.pump_status == ("priming" if speed else "starting")
    later = read(first, seconds)
    assert later.pump_status == ("running" if over else first.pump_status)
    assert (later == first) is not over
    assert later.last_speed == (100 if over and speed else 50)
    # The next start is timed anew.
    stopped = read(later, seconds + 30, mode=0)
    assert stopped.pump_status == "off"
    assert read(stopped, seconds + 45).pump_status == first.pump_status
