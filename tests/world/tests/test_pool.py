"""How a simulated pool behaves (protocol.md O2.4, O3 and O4.1)."""

from collections.abc import Callable

import pytest

from tests.world.simulator import NOON, Clock, Pool, telemetry
from tests.world.simulator.actions import DeclinedError, act, query
from tests.world.simulator.pump import MANUAL
from tests.world.simulator.schedules import Schedule
from tests.world.simulator.wire import (
    encode_aux,
    encode_cmd,
    encode_record,
    encode_telemetry,
)

PUMP, WATERFALL, HEATER, ACID, CLEANER = 0, 3, 4, 6, 9


class Bench:
    """A pool under test."""

    def __init__(self, pool: Pool) -> None:
        self.clock = Clock(start=NOON)
        self.pool = pool
        pool.attach(self.clock)

    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.pool.update()

    def aux(self, slot: int, on: bool) -> None:
        self.pool.update()
        act(self.pool, "aux", encode_aux(slot, on))

    def command(self, name: str, **body: object) -> None:
        self.pool.update()
        act(self.pool, "cmd", encode_cmd(name, body))

    def on(self, slot: int) -> bool:
        return self.pool.slots[slot].on

    def mode(self, slot: int) -> int:
        return self.pool.slots[slot].mode

    def held(self) -> list[int]:
        return [n for n, slot in enumerate(self.pool.slots) if slot.held]


@pytest.fixture
def full() -> Bench:
    return Bench(Pool.full())


@pytest.fixture
def small() -> Bench:
    return Bench(Pool.small())


@pytest.mark.parametrize("make", [Pool.small, Pool.full])
def test_nothing_happens_nothing_changes(make: Callable[[], Pool]) -> None:
    bench = Bench(make())
    bench.wait(1)
    before = encode_telemetry(telemetry.telemetry(bench.pool, online=True))
    for _ in range(4):
        bench.wait(15)
        after = encode_telemetry(telemetry.telemetry(bench.pool, online=True))
        assert after == before


def test_a_pool_is_the_same_however_often_one_looks(full: Bench) -> None:
    other = Bench(Pool.full())
    full.aux(CLEANER, True)
    other.aux(CLEANER, True)
    for _ in range(60):
        full.wait(60)
    other.wait(3600)
    assert full.pool.water.temperature == pytest.approx(
        other.pool.water.temperature, abs=0.05
    )
    assert full.pool.relays == other.pool.relays


def test_pump_start(small: Bench) -> None:
    """The pump primes, then water flows; the probes count after about two minutes."""
    pool, water = small.pool, small.pool.water
    small.aux(PUMP, False)
    small.wait(20)
    assert (pool.pump.mode, pool.pump.speed, water.flow) == (0, 0, 0)
    assert not telemetry.telemetry(pool, online=True).fields["flags"] & (
        1 << 15 | 1 << 5
    )
    assert small.mode(PUMP) == MANUAL  # although the motor stands
    small.aux(PUMP, True)
    small.wait(5)
    assert pool.pump.mode == MANUAL
    assert pool.pump.priming == pytest.approx(25, abs=0.5)
    assert telemetry.telemetry(pool, online=True).fields["flags2"] >> 1 & 1
    small.wait(110)
    flags = telemetry.telemetry(pool, online=True).fields["flags"]
    assert (flags >> 15 & 1, flags >> 5 & 1) == (1, 0)
    small.wait(15)
    assert telemetry.telemetry(pool, online=True).fields["flags"] >> 5 & 1
    assert pool.pump.priming == 0


@pytest.mark.parametrize(("speed", "flow"), [(40, 160), (75, 300), (100, 400)])
def test_flow_pressure_and_power_follow_the_speed(
    small: Bench, speed: int, flow: int
) -> None:
    small.command(
        "v2_manual_set", aux_switch_state=True, aux_slot_num=PUMP, pump_speed=speed
    )
    small.wait(10)
    fields = telemetry.telemetry(small.pool, online=True).fields
    assert (fields["pump_speed"], fields["flow_rate"]) == (speed, flow)
    assert fields["pressure"] == round(flow**2 / 1500)
    assert fields["pump_power"] == round(1400 * (speed / 100) ** 3)


def test_schedules_run_by_weekday_and_over_midnight(small: Bench) -> None:
    # From Friday 22:00 to 02:00, on Fridays only.
    small.pool.schedules[4] = Schedule(2, 1, 0, 0, 1320, 120, 1 << 4, "Late", True)
    hours = {}
    for hour in range(12, 40):
        small.pool.update()
        hours[hour] = small.on(2)
        small.wait(3600)
    assert [hour for hour, on in hours.items() if on] == [22, 23, 24, 25]
    small.wait(6 * 86400)
    assert not small.on(2)


def test_linked_equipment_starts_the_pump_and_stops_with_it(full: Bench) -> None:
    full.aux(PUMP, False)
    full.wait(200)
    full.aux(CLEANER, True)
    full.wait(1)
    assert full.pool.pump.running and full.on(CLEANER)
    full.aux(PUMP, False)
    full.wait(1)
    assert not full.on(CLEANER)
    assert CLEANER not in full.held()
    full.aux(PUMP, True)
    full.wait(1)
    assert not full.on(CLEANER)


def test_heating_and_run_on(full: Bench) -> None:
    full.pool.water.temperature = 20
    full.wait(1)
    assert full.pool.heaters == {"pool": True, "solar": True, "spa": False}
    assert full.on(HEATER)
    before = full.pool.water.temperature
    full.wait(3600)
    assert full.pool.water.temperature > before + 1
    full.aux(PUMP, False)
    full.wait(30)
    assert (full.pool.pump.mode, full.on(HEATER)) == (0, False)
    assert full.pool.pump.speed == 75  # it runs on
    frame = telemetry.telemetry(full.pool, online=True)
    assert frame.fields["flags2"] & 1
    assert frame.cooldown == pytest.approx(90, abs=1)
    full.wait(91)
    assert full.pool.pump.speed == 0


def test_acid_is_dosed_until_the_drum_is_empty(full: Bench) -> None:
    pool = full.pool
    pool.water.ph = 7.9
    pool.settings["acid_remaining"] = 40
    full.wait(5)
    full.wait(5)
    assert pool.acid.dosing and full.on(ACID)
    assert telemetry.telemetry(pool, online=True).fields["flags"] >> 3 & 1
    full.wait(30)
    assert (pool.acid.dosing, pool.acid.doses) == (False, 1)
    assert pool.settings["acid_remaining"] == pytest.approx(10)
    assert pool.water.ph < 7.86
    full.wait(1801)
    full.wait(120)
    assert pool.settings["acid_remaining"] == 0
    full.wait(86400)
    assert pool.acid.doses == 0  # a new day, and nothing to dose


def test_a_settings_object_with_a_bad_value_changes_nothing(full: Bench) -> None:
    before = dict(full.pool.settings)
    with pytest.raises(DeclinedError):
        full.command("set_ph_settings", desired_ph_level=72, ph_dosing_time="long")
    assert full.pool.settings == before


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\4",
        b"\2\x13",  # unused
        b"\3\0\2",
        b"\0" + encode_record(Schedule(HEATER, 2)),
        b"\0" + encode_record(Schedule(WATERFALL, 1)) + b"?",
        b"\0" + encode_record(Schedule(WATERFALL, 1, start=1441)),
    ],
)
def test_schedule_actions_that_are_declined(full: Bench, payload: bytes) -> None:
    with pytest.raises(DeclinedError):
        act(full.pool, "schedule", payload)


def test_twenty_schedules_and_no_more(full: Bench) -> None:
    payload = b"\0" + encode_record(Schedule(WATERFALL, 1, name="x"))
    for _ in range(17):
        act(full.pool, "schedule", payload)
    with pytest.raises(DeclinedError):
        act(full.pool, "schedule", payload)
    assert query(full.pool, "schedules")[0] == 20


def test_expanders_and_spa_in_the_flags(full: Bench, small: Bench) -> None:
    first = telemetry.telemetry(full.pool, online=False).fields
    assert (first["flags"] >> 10 & 3, first["flags2"] >> 4 & 0b11111) == (3, 0b11100)
    other = telemetry.telemetry(small.pool, online=True).fields
    assert (other["flags"] >> 10 & 3, other["flags2"] >> 4 & 0b11111) == (0, 0b00011)


def test_faults_in_the_flags(full: Bench) -> None:
    full.pool.pump.dry_run_status = 1
    full.pool.lost_expanders = {2, 3}
    fields = telemetry.telemetry(full.pool, online=False).fields
    assert fields["flags"] >> 13 & 3 == 1
    assert (fields["flags"] >> 10 & 3, fields["flags2"] >> 7 & 3) == (0b01, 0b10)
