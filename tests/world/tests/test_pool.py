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

PUMP, LIGHT, SPA_LIGHT, WATERFALL, HEATER, ACID = 0, 1, 2, 3, 4, 6
CHLORINATOR, CLEANER, RETURN, SUCTION, SPA_HEATER, OZONE = 8, 9, 10, 11, 12, 26


class Bench:
    """A pool under test."""

    def __init__(self, pool: Pool) -> None:
        self.clock = Clock(start=NOON)
        self.pool = pool
        pool.attach(self.clock)

    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.pool.update()

    def aux(self, slot: int, on: bool, precedence: bool = True) -> None:
        self.pool.update()
        act(self.pool, "aux", encode_aux(slot, on, precedence))

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


def test_still_water(full: Bench) -> None:
    full.pool.water.drift = 0
    before = (full.pool.water.ph, full.pool.water.orp, full.pool.water.temperature)
    full.wait(86400)
    water = full.pool.water
    assert (water.ph, water.orp, water.temperature) == before


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


def test_a_dirty_filter(small: Bench) -> None:
    """A dirty filter causes more pressure and less flow at the same speed."""
    small.pool.water.dirt = 1.0
    small.wait(10)
    fields = telemetry.telemetry(small.pool, online=True).fields
    assert (fields["pump_speed"], fields["flow_rate"]) == (75, 240)
    assert fields["pressure"] == round(2 * 240**2 / 1500) > 60


def test_precedence_holds_a_slot_until_it_is_given_back(small: Bench) -> None:
    small.pool.schedules[1] = Schedule(2, 1, 0, 0, 600, 900, 127, "Fall", True)
    small.wait(1)
    assert (small.on(2), small.mode(2), small.held()) == (True, 2, [])
    small.aux(2, False)
    small.wait(3600)
    assert (small.on(2), small.mode(2), small.held()) == (False, 0, [2])
    small.aux(2, False, precedence=False)
    assert (small.on(2), small.held()) == (False, [])
    small.wait(1.1)
    assert (small.on(2), small.mode(2)) == (True, 2)


def test_without_precedence_the_schedules_win_at_once(small: Bench) -> None:
    small.aux(2, True, precedence=False)
    assert (small.on(2), small.held()) == (True, [])
    small.wait(1.1)
    assert not small.on(2)


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


def test_the_pump_follows_its_schedule(small: Bench) -> None:
    small.pool.schedules[0] = Schedule(PUMP, 31, 0, 60, 480, 1080, 127, "Day", True)
    small.wait(10)
    assert (small.pool.pump.mode, small.pool.pump.speed) == (1, 60)
    small.wait(6 * 3600)
    assert (small.pool.pump.mode, small.pool.pump.speed) == (0, 0)


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


def test_spa_actuators_move_together(full: Bench) -> None:
    full.aux(SUCTION, True)
    assert full.on(RETURN) and full.on(SUCTION) and full.pool.spa_mode
    full.aux(RETURN, False)
    assert not (full.on(RETURN) or full.on(SUCTION))


@pytest.mark.parametrize(
    "slot", [HEATER, ACID, CHLORINATOR, OZONE, 22, 36, 37, 99], ids=str
)
def test_slots_that_are_never_switched(full: Bench, slot: int) -> None:
    with pytest.raises(DeclinedError):
        full.aux(slot, True)
    with pytest.raises(DeclinedError):
        full.command("v2_manual_set", aux_switch_state=True, aux_slot_num=slot)


def test_the_virtual_slot_has_no_relay(full: Bench) -> None:
    full.wait(1)
    assert (full.on(OZONE), full.mode(OZONE)) == (False, 1)


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


def test_the_spa_is_heated_in_spa_mode(full: Bench) -> None:
    full.aux(RETURN, True)
    full.wait(10)
    assert full.pool.heaters["spa"] and not full.pool.heaters["pool"]
    assert full.on(SPA_HEATER)
    before = full.pool.water.temperature
    full.wait(1200)
    # A spa has little water, so it warms faster than a pool.
    assert full.pool.water.temperature == pytest.approx(before + 2, abs=0.1)
    full.command("v2_temp_set", desire_pool_temp=28, desire_spa_temp=36)
    full.wait(10)
    assert not any(full.pool.heaters.values())  # missing fields became 0
    assert full.pool.probes == {"temp2_ch": 0, "temp3_ch": 0}


def test_the_pump_runs_on_after_the_heater_that_ran(full: Bench) -> None:
    settings = full.pool.settings
    settings |= {"heater_cooldown": 60, "spa_heater_cooldown": 180, "heating": 4}
    full.aux(RETURN, True)
    full.wait(10)
    assert full.pool.heaters == {"pool": False, "solar": False, "spa": True}
    full.aux(PUMP, False)
    assert full.pool.pump.run_on == pytest.approx(180)
    full.aux(RETURN, False)
    settings["heating"] = 2
    full.aux(PUMP, True)
    full.wait(10)
    full.aux(PUMP, False)
    assert full.pool.pump.run_on == pytest.approx(60)


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


def test_the_chlorinator_raises_the_orp(full: Bench) -> None:
    full.pool.water.orp = 645
    full.wait(1)
    assert full.on(CHLORINATOR)
    full.wait(1800)
    assert full.pool.water.orp > 652
    full.wait(1800)
    assert not full.on(CHLORINATOR)


def test_a_light_show_flaps_the_relay_and_ends_on(full: Bench) -> None:
    full.command("set_pool_light_switch_mode", slot=LIGHT, light_type=1, light_color=3)
    full.wait(1)
    seen = []
    for _ in range(18):
        full.wait(0.25)
        seen.append(full.on(LIGHT))
    assert set(seen) == {True, False}
    full.wait(1)
    seen.clear()
    for _ in range(8):
        full.wait(0.25)
        seen.append(full.on(LIGHT))
    assert all(seen)
    assert full.pool.lights == {"pool": [1, 3], "spa": [4, 99]}
    fields = telemetry.configuration(full.pool, "2.5.46").fields
    assert (fields["pool_light_mode"], fields["spa_light_mode"]) == (3, 99)


def test_a_resync_takes_110_s(full: Bench) -> None:
    full.command(
        "set_pool_light_switch_mode", slot=SPA_LIGHT, light_type=2, light_color=0
    )
    full.wait(105)
    assert full.pool.slots[SPA_LIGHT].flapping
    full.wait(7)
    assert full.on(SPA_LIGHT) and not full.pool.slots[SPA_LIGHT].flapping


@pytest.mark.parametrize(
    "body",
    [
        {"slot": WATERFALL, "light_type": 1, "light_color": 1},
        {"slot": LIGHT, "light_type": 1, "light_color": 99},
        {"slot": LIGHT, "light_type": 9, "light_color": 1},
        {"slot": LIGHT, "light_type": None, "light_color": 1},
    ],
)
def test_light_commands_that_are_declined(full: Bench, body: dict[str, int]) -> None:
    with pytest.raises(DeclinedError):
        full.command("set_pool_light_switch_mode", **body)


def test_a_command_moves_its_relay_a_second_later(full: Bench) -> None:
    full.command("v2_manual_set", aux_switch_state=True, aux_slot_num=WATERFALL)
    full.wait(0.5)
    assert not full.on(WATERFALL)
    full.wait(0.6)
    assert full.on(WATERFALL)
    assert full.held() == [WATERFALL]


def test_a_settings_object_is_written_whole(full: Bench) -> None:
    full.command("set_ph_settings", desired_ph_level=72, ph_dosing=True)
    settings = full.pool.settings
    assert (settings["desired_ph"], settings["ph_dosing"]) == (72, 1)
    assert (settings["acid_drum"], settings["max_ph_doses"]) == (0, 0)
    full.command("set_chlorine_settings", chlorine_drum_volume=9, orp_controlled=True,
                 reset_chlorine_volume=True)  # fmt: skip
    assert (settings["chlorine_remaining"], settings["orp_flags"]) == (9, 1)


def test_a_settings_object_with_a_bad_value_changes_nothing(full: Bench) -> None:
    before = dict(full.pool.settings)
    with pytest.raises(DeclinedError):
        full.command("set_ph_settings", desired_ph_level=72, ph_dosing_time="long")
    assert full.pool.settings == before


@pytest.mark.parametrize("speed", [35, 72, 105])
def test_speeds_that_are_declined(small: Bench, speed: int) -> None:
    with pytest.raises(DeclinedError):
        small.command(
            "v2_manual_set", aux_switch_state=True, aux_slot_num=PUMP, pump_speed=speed
        )


def test_schedule_verbs(full: Bench) -> None:
    pool, record = full.pool, Schedule(WATERFALL, 1, 0, 0, 60, 120, 1, "Früh")
    act(pool, "schedule", b"\0" + encode_record(record))
    assert (pool.schedules[3].name, pool.schedules[3].enabled) == ("Früh", True)
    act(pool, "schedule", bytes([3, 3, 0]))
    assert not pool.schedules[3].enabled
    record.name = "Spät"
    act(pool, "schedule", bytes([1, 3]) + encode_record(record))
    assert (pool.schedules[3].name, pool.schedules[3].enabled) == ("Spät", False)
    act(pool, "schedule", bytes([2, 3]))
    assert not pool.schedules[3].used


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


def test_timers(small: Bench) -> None:
    small.pool.start_timer(2, 600)
    small.wait(200)
    assert small.pool.timers == [(2, 400, 600)]
    assert small.on(2)
    small.wait(401)
    assert (small.pool.timers, small.on(2), small.held()) == ([], False, [])


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
