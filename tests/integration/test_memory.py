"""The store: what earlier versions wrote is read, and its form stays as it is."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers.storage import Store, get_internal_store_manager
import pytest

from custom_components.poolctl.client.commands import PumpIdentity
from custom_components.poolctl.client.equipment import HeatSource
from custom_components.poolctl.client.frame import Readings
from custom_components.poolctl.client.pool.filter import Filter
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.parts import (
    LOW_LEVEL,
    Chemistry,
    Doser,
    Hold,
    Lights,
    Water,
)
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.pool.warming import LearnedRate, Warming
from custom_components.poolctl.upkeep.memory import Memory
from custom_components.poolctl.upkeep.tolerant_store import TolerantStore

from .home import Home
from .service import FULL_ID, SMALL_ID

DEVICE_ID = "AA_BB_CC_00_11_22"
STORED: dict[str, Any] = {
    "counter": 1795253415,
    "frames": 48213,
    "aux_types": [1, 20, 0, 0],
    "names": ["Filter", "Waterfall", "", ""],
    "pump": {"type": "Variable Speed", "brand": "Brand", "model": "P320"},
    "start_speed": 65,
    "volume": 48_000,
    "pool_sources": ["solar"],
    "pool_rates": [
        {"sources": ["solar"], "per_hour": 0.42},
        {"sources": ["pool_heater", "solar"], "per_hour": 1},
    ],
    "spa_rates": [{"sources": ["spa_heater"], "per_hour": 5.5}],
    "pool_light_choice": 3,
    "spa_light_choice": None,
    "acid_low_level": 15,
    "chlorine_low_level": 20,
    "acid_idle_doses": 3,
    "acid_reading_before": 7.6,
    "holds": [
        {
            "slot": 1,
            "on": False,
            "since": "2026-11-21T09:00:00+00:00",
            "until": "2026-11-21T16:00:00+00:00",
        },
        {"slot": 2, "on": True, "since": "2026-11-20T09:00:00+00:00", "until": None},
    ],
    "filter": {
        "measurable": True,
        "cleaned_at": "2026-11-20T08:15:00+00:00",
        "clean": 0.000667,
        "load": 23,
        "limit": 40,
    },
    "chemistry": {"ph": 7.2, "orp": 650, "water_temperature": 27.5},
    "chemistry_at": "2026-11-21T09:30:15.250000+00:00",
}
STATE = PoolState(
    outputs=Outputs(types=(1, 20, 0, 0), names=("Filter", "Waterfall", "", "")),
    pump=PumpIdentity("Variable Speed", "Brand", "P320"),
    start_speed=65,
    volume=48_000,
    pool_sources=(HeatSource.SOLAR,),
    pool=Water(
        warming=Warming(
            (
                LearnedRate((HeatSource.SOLAR,), 0.42),
                LearnedRate((HeatSource.POOL_HEATER, HeatSource.SOLAR), 1),
            )
        )
    ),
    spa=Water(warming=Warming((LearnedRate((HeatSource.SPA_HEATER,), 5.5),))),
    pool_lights=Lights(chosen_type=3),
    acid=Doser(low_level=15, idle_doses=3, reading_before=7.6),
    chlorine=Doser(low_level=20),
    holds=(
        Hold(
            slot=1,
            on=False,
            since=datetime(2026, 11, 21, 9, tzinfo=UTC),
            until=datetime(2026, 11, 21, 16, tzinfo=UTC),
        ),
        Hold(slot=2, on=True, since=datetime(2026, 11, 20, 9, tzinfo=UTC)),
    ),
    filter=Filter(
        measurable=True,
        cleaned_at=datetime(2026, 11, 20, 8, 15, tzinfo=UTC),
        clean=0.000667,
        load=23,
        limit=40,
    ),
    valid_chemistry=Chemistry(ph=7.2, orp=650, water_temperature=27.5),
    valid_at=datetime(2026, 11, 21, 9, 30, 15, 250000, UTC),
)
LATER = (
    "frames",
    "volume",
    "pool_sources",
    "pool_rates",
    "spa_rates",
    "pool_light_choice",
    "spa_light_choice",
    "acid_low_level",
    "chlorine_low_level",
    "acid_idle_doses",
    "acid_reading_before",
    "holds",
    "filter",
)
"""What the first version did not store."""


def in_store(version: int, data: Any) -> dict[str, Any]:
    """Return what a file of the store holds."""
    return {"version": version, "minor_version": 1, "key": "poolctl", "data": data}


async def load(
    hass: HomeAssistant, hass_storage: dict[str, Any], stored: dict[str, Any]
) -> Memory:
    hass_storage["poolctl"] = in_store(1, {DEVICE_ID: stored})
    memory = Memory(hass)
    await memory.async_load()
    return memory


async def save(memory: Memory, hass_storage: dict[str, Any]) -> Any:
    await memory._store.async_save(memory._data())
    return hass_storage["poolctl"]["data"]


async def test_what_is_stored_is_read(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    memory = await load(hass, hass_storage, STORED)
    assert memory.state(DEVICE_ID) == STATE
    # Equality leaves it out.
    assert memory.state(DEVICE_ID).valid_at == STATE.valid_at
    assert memory.counter(DEVICE_ID).last == STORED["counter"]
    assert memory.counter(DEVICE_ID).frames.newest == STORED["frames"]
    assert await save(memory, hass_storage) == {DEVICE_ID: STORED}


async def test_a_store_of_the_first_version(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    first = {key: value for key, value in STORED.items() if key not in LATER}
    memory = await load(hass, hass_storage, first)
    state = memory.state(DEVICE_ID)
    assert (state.outputs.names, state.start_speed) == (STATE.outputs.names, 65)
    assert (state.acid.low_level, state.chlorine.low_level) == (LOW_LEVEL, LOW_LEVEL)
    assert state.pool_sources == ()
    assert (await save(memory, hass_storage))[DEVICE_ID].keys() == STORED.keys()


async def test_a_store_that_lacks_something(
    hass: HomeAssistant, hass_storage: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for missing in STORED.keys() - {"counter"}:
        with subtests.test(missing):
            rest = {key: value for key, value in STORED.items() if key != missing}
            memory = await load(hass, hass_storage, rest)
            assert memory.counter(DEVICE_ID).last == STORED["counter"]
            stored = (await save(memory, hass_storage))[DEVICE_ID]
            assert stored | {missing: None} == STORED | {missing: None}


async def test_a_heat_source_that_only_a_newer_version_knows(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    newer = STORED | {
        "pool_sources": ["of_next_year", "solar"],
        "spa_rates": [
            {"sources": ["of_next_year", "solar"], "per_hour": 3},
            {"sources": ["solar"], "per_hour": 2},
        ],
    }
    memory = await load(hass, hass_storage, newer)
    state = memory.state(DEVICE_ID)
    assert state.pool_sources == (HeatSource.SOLAR,)
    assert state.spa.warming == Warming((LearnedRate((HeatSource.SOLAR,), 2),))


async def test_a_rate_that_is_not_possible(
    hass: HomeAssistant, hass_storage: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for per_hour in (0, 0.049, 20.1, -1):
        with subtests.test(str(per_hour)):
            odd = {"pool_rates": [{"sources": ["solar"], "per_hour": per_hour}]}
            memory = await load(hass, hass_storage, STORED | odd)
            assert memory.state(DEVICE_ID).pool == Water()


async def test_a_controller_that_nothing_is_known_of(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """Stored as soon as its counter is used."""
    memory = await load(hass, hass_storage, STORED)
    counter = memory.counter("AA_BB_CC_00_11_33").last
    stored = (await save(memory, hass_storage))["AA_BB_CC_00_11_33"]
    assert stored == {
        "counter": counter,
        "frames": None,
        "aux_types": None,
        "names": [],
        "pump": None,
        "start_speed": None,
        "volume": None,
        "pool_sources": [],
        "pool_rates": [],
        "spa_rates": [],
        "pool_light_choice": None,
        "spa_light_choice": None,
        "acid_low_level": 10,
        "chlorine_low_level": 10,
        "acid_idle_doses": 0,
        "acid_reading_before": None,
        "holds": [],
        "filter": {
            "measurable": False,
            "cleaned_at": None,
            "clean": None,
            "load": None,
            "limit": 50,
        },
        "chemistry": {"ph": None, "orp": None, "water_temperature": None},
        "chemistry_at": None,
    }


async def test_only_what_lasts_is_kept(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    memory = await load(hass, hass_storage, STORED)
    memory.remember(
        DEVICE_ID,
        PoolState(
            outputs=Outputs(names=("Filter",), held=(1,)), readings=Readings(ph=7.9)
        ),
    )
    assert memory.state(DEVICE_ID) == PoolState(outputs=Outputs(names=("Filter",)))
    memory.forget(DEVICE_ID)
    assert memory.state(DEVICE_ID) == PoolState()
    assert memory.counter(DEVICE_ID).last == STORED["counter"]


ODD: tuple[Any, ...] = (
    "of a newer version",
    None,
    [],
    STORED | {"names": [1, 2]},
    STORED | {"names": "Filter"},
    STORED | {"aux_types": ["pump"]},
    STORED | {"pump": {"kind": "new"}},
    STORED | {"pump": "P320"},
    STORED | {"start_speed": "fast"},
    STORED | {"pool_sources": 7},
    STORED | {"pool_rates": {"solar": 1.0}},
    STORED | {"pool_rates": [{"sources": ["solar"], "per_hour": "fast"}]},
    STORED | {"spa_rates": [{"per_hour": 1.0}]},
    STORED | {"acid_low_level": {"level": 5}},
    STORED | {"filter": {"clean": 0.0007}},
    STORED | {"filter": STORED["filter"] | {"load": "high"}},
    STORED | {"filter": STORED["filter"] | {"cleaned_at": "2026-11-20"}},
    STORED | {"chemistry": {"chlorine": 1.5}},
    STORED | {"chemistry": {"ph": "good"}},
    STORED | {"chemistry_at": "yesterday"},
    STORED | {"chemistry_at": "2026-11-21T09:30:15"},
)


async def test_an_odd_record(
    hass: HomeAssistant, hass_storage: dict[str, Any], subtests: pytest.Subtests
) -> None:
    """It is set aside; the other one is read, and of the odd one its counters are."""
    for odd in ODD:
        with subtests.test(str(odd)[:80]):
            hass_storage.pop("poolctl.set_aside", None)
            other = "AA_BB_CC_00_11_33"
            hass_storage["poolctl"] = in_store(1, {other: odd, DEVICE_ID: STORED})
            memory = Memory(hass)
            await memory.async_load()
            assert memory.state(DEVICE_ID) == STATE
            assert memory.state(other) == PoolState()
            if isinstance(odd, dict):
                assert memory.counter(other).last == STORED["counter"]
                assert memory.counter(other).frames.newest == STORED["frames"]
            (kept,) = hass_storage["poolctl.set_aside"]["data"]
            assert kept["data"] == {other: odd}
            await save(memory, hass_storage)
            # What is set aside later stands beside it.
            hass_storage["poolctl"] = in_store(1, {other: "odd", DEVICE_ID: STORED})
            await Memory(hass).async_load()
            assert [
                each["data"] for each in hass_storage["poolctl.set_aside"]["data"]
            ] == [
                {other: odd},
                {other: "odd"},
            ]


async def test_an_odd_counter(
    hass: HomeAssistant, hass_storage: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for counter in ("next", None, -1, 2**32, True, 1.5):
        with subtests.test(str(counter)):
            hass_storage["poolctl"] = in_store(
                1, {DEVICE_ID: STORED | {"counter": counter, "frames": counter}}
            )
            memory = Memory(hass)
            await memory.async_load()
            assert memory.state(DEVICE_ID) == STATE
            assert memory.counter(DEVICE_ID).last == 0
            assert memory.counter(DEVICE_ID).frames.newest is None


async def test_a_store_of_a_newer_version(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """Kept whole under another name; no counter is used twice all the same."""
    newer = {DEVICE_ID: STORED | {"names": {"0": "Filter"}}}
    hass_storage["poolctl"] = in_store(2, newer)
    memory = Memory(hass)
    await memory.async_load()
    assert memory.state(DEVICE_ID) == PoolState()
    assert memory.counter(DEVICE_ID).last == STORED["counter"]
    (kept,) = hass_storage["poolctl.set_aside"]["data"]
    assert kept["data"] == {"version": 2, "data": newer}


async def test_a_home_with_an_odd_store(
    home: Home, hass_storage: dict[str, Any]
) -> None:
    """Every pool is set up."""
    hass_storage["poolctl"] = in_store(
        3, {SMALL_ID: "new", FULL_ID: {"counter": "new"}}
    )
    await home.set_up(*home.service.controllers)
    for controller in home.service.controllers:
        assert home.value("sensor", "connection", of=controller) == "lan"


@pytest.mark.parametrize(
    "text", ['{"version": {}, "data": []}', '{"version": 1}', "[1, 2]", '"no store"']
)
async def test_a_real_file_that_is_none(
    hass: HomeAssistant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """It is moved away under a name that says so, not written over."""
    # The test harness has put its own storage in the place of files.
    monkeypatch.setattr(TolerantStore, "_async_load", Store._async_load_data)
    hass.config.config_dir = str(tmp_path)
    get_internal_store_manager(hass).async_invalidate("poolctl")
    file = tmp_path / ".storage" / "poolctl"
    file.parent.mkdir()
    file.write_text(text)
    memory = Memory(hass)
    await memory.async_load()
    assert memory.state(DEVICE_ID) == PoolState()
    (kept,) = file.parent.glob("poolctl.unreadable.*")
    assert kept.read_text() == text
    assert not file.exists()
