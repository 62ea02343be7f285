"""The cloud's answers merged into a PoolState (protocol.md 2.5, O5)."""

from dataclasses import replace
from typing import Any

import pytest

from custom_components.poolctl.client.pool.from_cloud import (
    merge_dashboard,
    merge_slots,
)
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.parts import Doser, Dosing, Schedules
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.frame import Chemistry, Readings, Signals
from tests.client.pool.test_state import DASHBOARD, LATER, NOW, from_cloud

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


# The observed answers


def test_slots_that_cannot_be() -> None:
    for index in (-1, 37, None, "0", True):
        manual: Any = {"spa": [ENTRY | {"aux_slot_num": index}, 7]}
        slots = merge_slots(PoolState(), {"manual": manual}, NOW).outputs.slots
        shown = {(slot.kind, slot.name, slot.on) for slot in slots}
        assert shown <= {("unknown", "", None)}, index
