"""Imports the demo's history: the past of the simulated pools.

Statistics are imported through Home Assistant's API. For states there is none: rows of the
last days are added to those that the recorder itself writes into its database.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
import json
from pathlib import Path
import sqlite3
from statistics import fmean
from typing import Final
from uuid import uuid4

from .api import HomeAssistant, Json
from .settings import DOMAIN, Settings
from .waiting import until

STATE_DAYS: Final = 10
"""Days for which Home Assistant keeps states by default."""
_RECORDED_SECONDS: Final = 60
_HOUR: Final = 3600
_W_TO_KWH_IN_A_SAMPLE: Final = 600 / _HOUR / 1000
_UNIT_CLASSES: Final = {
    "temperature": "temperature",
    "power": "power",
    "voltage": "voltage",
    "volume_flow_rate": "volume_flow_rate",
}

type _Value = Callable[[Json], float | None]


def _in_flow(name: str) -> _Value:
    """Return a reader of a probe, which counts in flowing water only."""
    return lambda sample: sample[name] if sample["flow_rate"] else None


MEASURED: Final[dict[str, _Value]] = {
    "ph": _in_flow("ph"),
    "orp": _in_flow("orp"),
    "water_temperature": _in_flow("water_temperature"),
    "ambient_temperature": lambda sample: sample["ambient_temperature"],
    "pump_speed": lambda sample: sample["speed"],
    "flow_rate": lambda sample: sample["flow_rate"],
    "pump_power": lambda sample: sample["power"],
}
"""Readers of samples for sensors, by the ends of their unique IDs."""
ENERGY: Final = "pump_energy"


@dataclass(frozen=True, kw_only=True, slots=True)
class Past:
    """An entity of a pool, and its past."""

    entity_id: str
    values: list[tuple[float, float | str | None]]
    """Unix time and value of each sample."""


async def add_past(home: HomeAssistant, settings: Settings) -> None:
    """Import the past of all pools; raises TooLateError if the recorder does not start."""
    samples: list[Json] = json.loads(settings.past.read_text())
    registered: list[Json] = await home.command("config/entity_registry/list")
    ours = {
        (item["entity_id"].split(".")[0], item["unique_id"]): item["entity_id"]
        for item in registered
        if item["platform"] == DOMAIN and not item["disabled_by"]
    }
    pools: defaultdict[str, list[Json]] = defaultdict(list)
    for sample in samples:
        pools[sample["pool"]].append(sample)
    states = await home.states()
    entities: list[Past] = []
    for device_id, lived in pools.items():
        for key, value in MEASURED.items():
            if entity_id := ours.get(("sensor", f"{device_id}_{key}")):
                values = [(sample["at"], value(sample)) for sample in lived]
                await _import_means(home, states[entity_id], values)
                entities.append(Past(entity_id=entity_id, values=[*values]))
        if entity_id := ours.get(("sensor", f"{device_id}_{ENERGY}")):
            await _import_energy(home, entity_id, lived)
        entities += _switches(ours, device_id, lived)
    await asyncio.to_thread(insert_states, settings.config, entities)


def _switches(
    ours: dict[tuple[str, str], str], device_id: str, lived: list[Json]
) -> Iterator[Past]:
    """Yield the pump and the outputs, with their past states."""
    keys = {"pump": "0"} | {f"slot_{slot}": str(slot) for slot in range(1, 37)}
    for key, slot in keys.items():
        for domain in ("switch", "light"):
            if entity_id := ours.get((domain, f"{device_id}_{key}")):
                yield Past(
                    entity_id=entity_id,
                    values=[
                        (each["at"], "on" if slot in each["relays"] else "off")
                        for each in lived
                    ],
                )


async def _import_means(
    home: HomeAssistant, state: Json, values: list[tuple[float, float | None]]
) -> None:
    hours: defaultdict[int, list[float]] = defaultdict(list)
    for at, value in values:
        if value is not None:
            hours[int(at // _HOUR)].append(value)
    attributes = state["attributes"]
    await _import(
        home,
        state["entity_id"],
        [
            {
                "start": _at(hour),
                "mean": fmean(each),
                "min": min(each),
                "max": max(each),
            }
            for hour, each in sorted(hours.items())
        ],
        mean_type=1,
        has_sum=False,
        unit_class=_UNIT_CLASSES.get(attributes.get("device_class")),
        unit_of_measurement=attributes.get("unit_of_measurement"),
    )


async def _import_energy(
    home: HomeAssistant, entity_id: str, lived: list[Json]
) -> None:
    """Import energy; its sum ends at 0, from where Home Assistant continues."""
    hours: defaultdict[int, float] = defaultdict(float)
    for sample in lived:
        hours[int(sample["at"] // _HOUR)] += sample["power"] * _W_TO_KWH_IN_A_SAMPLE
    stats: list[Json] = []
    whole, used = sum(hours.values()), 0.0
    for hour, each in sorted(hours.items()):
        used += each
        stats.append({"start": _at(hour), "sum": used - whole, "state": used})
    await _import(
        home,
        entity_id,
        stats,
        mean_type=0,
        has_sum=True,
        unit_class="energy",
        unit_of_measurement="kWh",
    )


async def _import(
    home: HomeAssistant, entity_id: str, stats: list[Json], **metadata: object
) -> None:
    this_hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0).isoformat()
    await home.command(
        "recorder/import_statistics",
        metadata={
            "statistic_id": entity_id,
            "source": "recorder",
            "name": None,
            **metadata,
        },
        # Home Assistant itself writes the statistics of the current hour.
        stats=[each for each in stats if each["start"] < this_hour],
    )


def _at(hour: int) -> str:
    return datetime.fromtimestamp(hour * _HOUR, UTC).isoformat()


async def until_recorded(settings: Settings) -> None:
    """Wait until the recorder has written the first states."""

    async def recorded() -> int:
        return await asyncio.to_thread(_count_states, settings.config)

    await until(
        recorded,
        lambda number: number > 0,
        what="the recorder writes states",
        seconds=_RECORDED_SECONDS,
    )


@contextmanager
def _database(config: Path) -> Iterator[sqlite3.Connection]:
    """Open the recorder's database, and commit the changes at the end."""
    with (
        closing(
            sqlite3.connect(config / "home-assistant_v2.db", timeout=30)
        ) as database,
        database,
    ):
        yield database


def _count_states(config: Path) -> int:
    try:
        with _database(config) as database:
            ((number,),) = database.execute(
                "SELECT count(*) FROM states_meta WHERE entity_id LIKE '%pump%'"
            ).fetchall()
            return int(number)
    except sqlite3.OperationalError:
        return 0  # not made yet


def insert_states(config: Path, entities: list[Past]) -> None:
    """Insert the changes of the last days, with the attributes of today."""
    with _database(config) as database:
        for entity in entities:
            database.executemany(
                "INSERT INTO states (state, metadata_id, attributes_id, last_updated_ts,"
                " last_reported_ts, origin_idx, context_id_bin)"
                " SELECT ?, states.metadata_id, states.attributes_id, ?, ?, 0, ?"
                " FROM states JOIN states_meta USING (metadata_id)"
                " WHERE states_meta.entity_id = ?"
                " ORDER BY states.last_updated_ts DESC LIMIT 1",
                list(_changes(entity)),
            )


def _changes(entity: Past) -> Iterator[tuple[object, ...]]:
    newest = entity.values[-1][0]
    shown: object = None
    for at, value in entity.values:
        # Without flow, the last valid reading stays.
        if value is None or value == shown or at < newest - STATE_DAYS * 86400:
            continue
        shown = value
        yield str(value), at, at, uuid4().bytes, entity.entity_id
