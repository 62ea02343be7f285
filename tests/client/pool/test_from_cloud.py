"""The cloud's answers merged into a PoolState (protocol.md 2.5, O5)."""

from dataclasses import replace
from typing import Any

import pytest

from custom_components.poolctl.client.pool.from_cloud import (
    merge_dashboard,
    merge_pump,
    merge_slots,
    merge_temperatures,
)
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.parts import Doser, Dosing, Schedules
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.commands import PumpIdentity
from custom_components.poolctl.client.wire.equipment import Role
from custom_components.poolctl.client.wire.frame import Chemistry, Readings, Signals
from tests.client.pool.test_state import DASHBOARD, LATER, NOW, from_cloud, from_lan

# The dashboard


NOTHING = PoolState(
    source=Source.CLOUD,
    outputs=Outputs(assumed=True),
    schedules=Schedules(assumed=True),
)


def test_dashboard() -> None:
    assert merge_dashboard(PoolState(), {}, NOW) == NOTHING
    assert from_cloud() == replace(
        NOTHING,
        readings=Readings(
            ph=7.2,
            orp=640,
            flow_rate=190,
            pressure=70,
            pump_speed=80,
            main_pump_mode=99,
        ),
        signals=Signals(
            pool_heater=True,
            solar=False,
            spa_heater=True,
            chemistry_stable=True,
            dry_run=False,
            retries_exceeded=False,
        ),
        valid_chemistry=Chemistry(ph=7.2, orp=640),
        last_speed=80,
        acid=Doser(desired=7.3),
        chlorinator=Dosing(desired=660),
    )


@pytest.mark.parametrize("key", DASHBOARD)
def test_wrong_types_are_unknown(key: str) -> None:
    without = {name: value for name, value in DASHBOARD.items() if name != key}
    expected = merge_dashboard(PoolState(), without, LATER)
    other = 1 if isinstance(DASHBOARD[key], bool) else True
    wrong: Any
    for wrong in ("seven", "7", None, [], {}, [7], other):
        assert from_cloud(**{key: wrong}) == expected, wrong


ENTRY = {"aux_slot_num": 1, "aux_type_code": 13, "aux_tag": "Light", "aux_status": 1}


@pytest.mark.parametrize("huge", [float("nan"), float("inf"), 10**400])
def test_huge_numbers(huge: float) -> None:
    """They mean as much as nothing."""
    for name in ("main_pump_status", "actual_ph"):
        assert from_cloud(from_lan(), **{name: huge}) == from_cloud(
            from_lan(), **{name: None}
        )
    water = merge_temperatures(from_lan(), {"ambientTemp": {"water_temp": huge}}, NOW)
    assert water.readings.water_temperature is None
    slots = {"manual": {"spa": [ENTRY | {"aux_type_code": huge}]}}
    assert merge_slots(from_lan(), slots, NOW).outputs.types == from_lan().outputs.types


# The observed answers


def test_slots_of_the_cloud() -> None:
    manual = {
        "pump_devices": [ENTRY | {"aux_slot_num": 0, "aux_type_code": 31}],
        "other_devices": [ENTRY | {"aux_slot_num": 3, "aux_status": 0}],
    }
    state = merge_slots(PoolState(), {"manual": manual}, NOW)
    roles = [slot.role for slot in state.outputs.slots]
    assert roles[:4] == [Role.PUMP, Role.EMPTY, Role.EMPTY, Role.POOL_LIGHT]
    assert set(roles[4:]) <= {Role.EMPTY, Role.VIRTUAL}
    assert [slot.on for slot in state.outputs.slots[:4]] == [True, None, None, False]
    assert [slot.name for slot in state.outputs.slots[:4]] == ["Light", "", "", "Light"]
    assert not state.outputs.types_complete and state.outputs.fitted({2}) is None
    assert state.outputs.fitted({31}) is True and not state.outputs.assumed


def test_slots_that_cannot_be() -> None:
    for index in (-1, 37, None, "0", True):
        manual: Any = {"spa": [ENTRY | {"aux_slot_num": index}, 7]}
        slots = merge_slots(PoolState(), {"manual": manual}, NOW).outputs.slots
        shown = {(slot.kind, slot.name, slot.on) for slot in slots}
        assert shown <= {("unknown", "", None)}, index


def test_temperatures_and_pump() -> None:
    answer = {"ambientTemp": {"water_temp": 264, "ambient_temp": 2150}}
    state = merge_temperatures(from_cloud(), answer, NOW)
    assert state.readings.water_temperature == state.chemistry.water_temperature == 26.4
    assert state.readings.ambient_temperature == 21.5 and state.readings.orp == 640
    pump = {
        "pump_type": "Variable Speed",
        "pump_brand": "Acme",
        "pump_model": "X",
        "pump_cooldown": True,
        "pump_cooldown_left": 60,
    }
    state = merge_pump(state, {"pump": pump}, NOW)
    assert state.pump == PumpIdentity("Variable Speed", "Acme", "X")
    assert state.signals.pump_cooling_down is True
    assert state.readings.pump_cooldown_remaining == 60
    assert merge_pump(state, {"pump": {"pump_type": "x"}}, NOW).pump == state.pump
