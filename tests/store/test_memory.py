"""The store is read as it was written, and an odd value in it is lost alone."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
import json
import os
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.parts import LightShow
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.commands import PumpIdentity
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.frame import Chemistry, Readings
from custom_components.poolctl.store.controller import ControllerStore
from custom_components.poolctl.store.memory import Memory
from tests.world.assistant.home import Home
from tests.world.assistant.service import FULL_ID, SMALL_ID

EVERY = int(os.environ.get("POOLCTL_ODD_STORES", "3"))
"""With 1, each value of the store is each odd value once; else every n-th of them."""
DEVICE_ID = "AA_BB_CC_00_11_22"
OTHER_ID = "AA_BB_CC_00_11_33"
STORED: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "fixtures/store.json").read_text()
)
"""What is stored of a controller."""
STATE = PoolState(
    outputs=Outputs(types=(1, 20, 0, 0), names=("Filter", "Waterfall", "", "")),
    pump=PumpIdentity("Variable Speed", "Brand", "P320"),
    last_speed=75,
    pool_sources=(HeatSource.SOLAR,),
    pool_lights=LightShow(2, None),
    spa_lights=LightShow(0, None),
    valid_chemistry=Chemistry(ph=7.2, orp=650, water_temperature=27.5),
    valid_at=datetime(2026, 11, 21, 9, 30, 15, 250000, UTC),
)


def in_store(version: int, data: Any) -> dict[str, Any]:
    return {"version": version, "minor_version": 1, "key": "poolctl", "data": data}


ODD: tuple[Any, ...] = (
    "of a newer version",
    True,
    -1,
    2**62,
    1e30,
    [],
    [[]],
    {},
    {"kind": "new"},
    "2026-11-21T09:30:15",
)


async def load(
    hass: HomeAssistant, hass_storage: dict[str, Any], stored: Any
) -> Memory:
    """Return the memory of a store with this record."""
    hass_storage["poolctl"] = in_store(1, {DEVICE_ID: stored})
    memory = Memory(hass)
    await memory.async_load()
    return memory


async def use(memory: Memory, hass_storage: dict[str, Any]) -> Any:
    """Read every section of a controller; return what is stored of it afterwards."""
    ControllerStore(memory, DEVICE_ID)
    await memory._hass.async_block_till_done()
    await memory._store.async_save(memory._data())
    return hass_storage["poolctl"]["data"][DEVICE_ID]


def remembered_state(memory: Memory, device_id: str) -> PoolState:
    return ControllerStore(memory, device_id).to_start_from().state


def leaves(
    stored: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of all objects, lists and values of a store."""
    if path:
        yield path
    if isinstance(stored, dict):
        items: Any = stored.items()
    else:
        items = enumerate(stored) if isinstance(stored, list) else ()
    for key, value in items:
        yield from leaves(value, (*path, key))


def changed(stored: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """Return a copy of a store with another value at a path."""
    if not path:
        return value
    copy = stored.copy()
    copy[path[0]] = changed(stored[path[0]], path[1:], value)
    return copy


@pytest.mark.freeze_time("2026-11-21 10:00:00+00:00")
async def test_what_is_stored_is_read(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    memory = await load(hass, hass_storage, STORED)
    assert remembered_state(memory, DEVICE_ID) == STATE
    # This field does not count for equality.
    assert remembered_state(memory, DEVICE_ID).valid_at == STATE.valid_at
    counters = memory.counters(DEVICE_ID)
    assert (counters.last, counters.frames.newest) == (1795253415, 48213)
    assert counters is memory.counters(DEVICE_ID)
    stored = await use(memory, hass_storage)
    assert stored == STORED


async def test_a_controller_that_nothing_is_stored_of(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    memory = await load(hass, hass_storage, {})
    assert remembered_state(memory, DEVICE_ID) == PoolState()
    stored = await use(memory, hass_storage)
    assert stored.keys() == STORED.keys()
    assert stored["requested"]["holds"] == []
    assert stored["requested"]["choices"]["acid_low_level"] == 10
    assert stored["requested"]["preferences"]["volume"] is None


async def test_only_what_lasts_is_kept(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    memory = await load(hass, hass_storage, STORED)
    counters = memory.counters(DEVICE_ID)
    stored = ControllerStore(memory, DEVICE_ID)
    assert [hold.slot for hold in stored.requested.holds] == [1, 2]
    state = PoolState(
        outputs=Outputs(names=("Filter",), held=(1,)), readings=Readings(ph=7.9)
    )
    stored.async_store(state, replace(stored.requested, holds=()))
    kept = PoolState(outputs=Outputs(names=("Filter",)))
    assert remembered_state(memory, DEVICE_ID) == kept
    # A change of holds is written at once.
    await hass.async_block_till_done()
    assert hass_storage["poolctl"]["data"][DEVICE_ID]["requested"]["holds"] == []
    memory.forget(DEVICE_ID)
    assert remembered_state(memory, DEVICE_ID) == PoolState()
    assert memory.counters(DEVICE_ID) is counters


async def test_times_that_move_with_every_read_cause_no_save(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """A new reading causes one."""
    stored = ControllerStore(await load(hass, hass_storage, STORED), DEVICE_ID)
    state, later = stored.to_start_from().state, dt_util.utcnow()

    async def saved(**changes: Any) -> Any:
        """Return what is on disk once these changes are saved, if they are."""
        stored.async_store(replace(state, **changes), stored.requested)
        async_fire_time_changed(hass, dt_util.utcnow() + timedelta(hours=1))
        await hass.async_block_till_done()
        return hass_storage["poolctl"]["data"][DEVICE_ID]

    before = await saved()
    assert await saved(valid_at=later) == before
    assert await saved(settles_since=later) == before
    assert await saved(valid_chemistry=Chemistry(ph=7.9)) != before


_FLAGS = {
    "on",
    "maybe_undone",
    "measurable",
    "needs_undoing",
    "by_cloud",
    "begun",
    "heats",
    "over",
}
_BELOW_ZERO = {
    *("water_temperature", "water", "previous_water", "air", "mean_air", "estimate"),
    *("orp", "change"),
}


def _possible(path: tuple[str | int, ...], odd: Any) -> bool:
    """Return whether an odd value is valid at a path."""
    return (
        (path[-1] in _FLAGS and odd is True)
        or (path[1] in ("names", "pump") and path[2:] != () and isinstance(odd, str))
        or (path[1:2] == ("types",) and odd == -1)
        or ("origins" in path and path[-1] == 2 and isinstance(odd, str))
        or (path[-1] in _BELOW_ZERO and odd == -1)
        or (path[1:2] == ("clock",) and odd == -1 and path[-1] != "differences")
    )


@pytest.mark.freeze_time("2026-11-21 10:00:00+00:00")
async def test_an_odd_value_is_lost_alone(
    hass: HomeAssistant, hass_storage: dict[str, Any], subtests: pytest.Subtests
) -> None:
    """All other values stay."""
    for number, path in enumerate(leaves(STORED)):
        for odd in ODD[number % EVERY :: EVERY]:
            if odd in ([], {}) or (len(path) > 1 and _possible(path, odd)):
                continue
            if isinstance(odd, dict) and isinstance(value_at(STORED, path), dict):
                continue
            with subtests.test(f"{path} {odd}"):
                memory = await load(hass, hass_storage, changed(STORED, path, odd))
                stored = await use(memory, hass_storage)
                whole = (at for at, name in enumerate(path, 1) if name in _WHOLE)
                lost = path[: next(whole, None)]
                if path[-1] in ("today", "day"):
                    lost = path[:2]  # what may be of another day begins anew
                for other in leaves(STORED):
                    if other[: len(lost)] != lost[: len(other)]:
                        assert value_at(stored, other) == value_at(STORED, other), other


_WHOLE = {
    *("types", "names", "pump", "pool_sources", "holds", "heat", "warm_by", "rest"),
    "refused_lists",
    *("planned", "of", "level"),
    *(
        "rates",
        "sun",
        "usual",
        "differences",
        "doses",
        "drum",
        "days",
        "yesterday",
        "today",
    ),
}
"""Keys of values that are lost as a whole, because a part of them has no meaning."""


def value_at(stored: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        stored = stored[key]
    return stored


async def test_a_store_that_cannot_be_read(
    hass: HomeAssistant, hass_storage: dict[str, Any], subtests: pytest.Subtests
) -> None:
    """A record that is none reads as empty, and the other record is read.

    Of a newer version, or not a store: everything is empty.
    """
    rows: tuple[tuple[Any, PoolState], ...] = (
        *(
            (in_store(1, {OTHER_ID: odd, DEVICE_ID: STORED}), STATE)
            for odd in (*ODD, None)
        ),
        (in_store(2, {DEVICE_ID: STORED}), PoolState()),
        (in_store(1, []), PoolState()),
    )
    for stored, state in rows:
        with subtests.test(str(stored)[:80]):
            hass_storage["poolctl"] = stored
            memory = Memory(hass)
            await memory.async_load()
            assert remembered_state(memory, DEVICE_ID) == state
            assert remembered_state(memory, OTHER_ID) == PoolState()


@pytest.mark.usefixtures("freezer")
async def test_a_home_with_an_odd_store(
    home: Home, hass_storage: dict[str, Any]
) -> None:
    """Every pool is set up, with the entities of the odd values."""
    odd: dict[str, Any] = {
        "requested": {
            "choices": {"pool_lights": 999, "volume": 1e30, "pump_speed": 10**9}
        },
        "learned": {"filter": {"clean": 0, "cleaned_at": "2026-11-20T08:15:00+00:00"}},
    }
    hass_storage["poolctl"] = in_store(1, {SMALL_ID: "new", FULL_ID: odd})
    await home.set_up(*home.service.controllers)
    for controller in home.service.controllers:
        assert home.value("sensor", "connection", of=controller) == "lan"
    full = home.service.full
    assert home.value("select", "pool_light_type", of=full) != "unavailable"
    assert home.value("number", "volume", of=full) == "unknown"
    await home.advance(45, step=15)
    assert home.value("sensor", "connection", of=full) == "lan"


async def test_an_option_of_another_version(home: Home) -> None:
    """An unknown option counts as not chosen."""
    await home.set_up(
        home.controller,
        options={"connection": "radio", "readings_without_flow": 7, "drum_repairs": []},
    )
    assert home.value("sensor", "connection") == "lan"
    await home.unload()
