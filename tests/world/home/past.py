"""Imports the demo's history: the past of the simulated pools.

Statistics are imported through Home Assistant's API. For states there is none: rows of the
last days are added to those that the recorder itself writes into its database. Totals that
the integration sums up are put into its store before it is set up.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import pairwise
import json
from pathlib import Path
import sqlite3
from statistics import fmean
from typing import Final
from uuid import uuid4

from .api import HomeAssistant, Json
from .settings import Settings
from .waiting import until

STATE_DAYS: Final = 10
"""Days for which Home Assistant keeps states by default."""
_RECORDED_SECONDS: Final = 60
_HOUR: Final = 3600
_SAMPLE_HOURS: Final = 600 / _HOUR
_UNIT_CLASSES: Final = {"temperature", "power", "voltage", "volume_flow_rate"}
"""Device classes whose units Home Assistant can convert."""

_IN_FLOW: Final = {"ph", "orp", "water_temperature"}
"""Probes that count in flowing water only."""
MEASURED: Final = {name: name for name in _IN_FLOW} | {
    "air_temperature": "ambient_temperature",
    "pump_speed": "speed",
    "flow_rate": "flow_rate",
    "pump_power": "power",
}
"""Names of a sample's values, by the keys of the sensors that show them."""
ENERGY: Final = "pump_energy"

type _Growth = list[tuple[float, float]]
"""Unix times, and by how much something grew until then."""


def _kwh(lived: list[Json]) -> _Growth:
    return [(each["at"], each["power"] * _SAMPLE_HOURS / 1000) for each in lived]


def _used(lived: list[Json], drum: str) -> _Growth:
    """Return the mL that were dosed from a drum."""
    return [
        (each["at"], max(before["left"][drum] - each["left"][drum], 0))
        for before, each in pairwise(lived)
    ]


def _by_pool(settings: Settings) -> dict[str, list[Json]]:
    pools: defaultdict[str, list[Json]] = defaultdict(list)
    for sample in json.loads(settings.past.read_text()):
        pools[sample["pool"]].append(sample)
    return dict(pools)


def learned_from(settings: Settings) -> Mapping[str, Json]:
    """Return what the integration would have learned by now, as it stores it."""
    return {
        device_id: {"learned": {"totals": _totals(lived), **_drums(lived)}}
        for device_id, lived in _by_pool(settings).items()
    }


def _totals(lived: list[Json]) -> Json:
    today = _day(lived[-1]["at"])
    of_today = [each for each in lived if _day(each["at"]) == today]
    runs = [_SAMPLE_HOURS * ("0" in each["relays"]) for each in lived]
    totals = {
        ENERGY: sum(kwh for _, kwh in _kwh(lived)),
        "pump_run_hours": sum(runs),
        "pump_running_today": sum(runs[-len(of_today) :]),
        "water_filtered_today": sum(
            each["flow_rate"] * _SAMPLE_HOURS * 60 / 1000 for each in of_today
        ),
        "pool_heater_run_hours": sum(_SAMPLE_HOURS * each["heating"] for each in lived),
    }
    return {
        "day": today.isoformat(),
        "of": [[key, {"exact": total}] for key, total in totals.items()],
    }


def _drums(lived: list[Json]) -> Json:
    """Return the consumption of the last days from each drum."""
    now = datetime.fromtimestamp(lived[-1]["at"], UTC)
    found: Json = {}
    for drum, left in lived[-1]["left"].items():
        days: defaultdict[date, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for at, used in _used(lived, drum):
            days[_day(at)][0] += used
            days[_day(at)][1] += _SAMPLE_HOURS * _HOUR
        found[drum] = {
            "drum": {
                "level": [left, now.isoformat()],
                "days": [[day.isoformat(), each] for day, each in days.items()],
            }
        }
    return found


def _day(at: float) -> date:
    return datetime.fromtimestamp(at, UTC).date()


@dataclass(frozen=True, kw_only=True, slots=True)
class Past:
    """An entity of a pool, and its past."""

    entity_id: str
    values: list[tuple[float, float | str]]
    """Unix time and value of each sample."""


async def add_past(home: HomeAssistant, settings: Settings) -> None:
    """Import the past of all pools; raises TooLateError if the recorder does not start."""
    ours = {
        (item["entity_id"].split(".")[0], item["unique_id"]): item["entity_id"]
        for item in await home.entities()
        if not item["disabled_by"]
    }
    states = await home.states()
    entities: list[Past] = []
    for device_id, lived in _by_pool(settings).items():
        for key, name in MEASURED.items():
            if entity_id := ours.get(("sensor", f"{device_id}_{key}")):
                values = [
                    (each["at"], each[name])
                    for each in lived
                    if each["flow_rate"] or key not in _IN_FLOW
                ]
                await _import_means(home, states[entity_id], values)
                entities.append(Past(entity_id=entity_id, values=[*values]))
        if entity_id := ours.get(("sensor", f"{device_id}_{ENERGY}")):
            whole = await _import_growth(home, entity_id, _kwh(lived), "energy", "kWh")
            entities.append(Past(entity_id=entity_id, values=[*whole]))
        for drum in lived[-1]["left"]:
            if entity_id := ours.get(("sensor", f"{device_id}_{drum}_used_today")):
                used = _used(lived, drum)
                await _import_growth(home, entity_id, used, "volume", "mL", daily=True)
        entities += _switches(ours, device_id, lived)
    await _until_imported(home, [each.entity_id for each in entities])
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
    home: HomeAssistant, state: Json, values: list[tuple[float, float]]
) -> None:
    hours: defaultdict[int, list[float]] = defaultdict(list)
    for at, value in values:
        hours[int(at // _HOUR)].append(value)
    attributes = state["attributes"]
    kind = attributes.get("device_class")
    await import_statistics(
        home,
        state["entity_id"],
        [
            {"start": _at(hour), "mean": fmean(of), "min": min(of), "max": max(of)}
            for hour, of in sorted(hours.items())
        ],
        mean_type=1,
        has_sum=False,
        unit_class=kind if kind in _UNIT_CLASSES else None,
        unit_of_measurement=attributes.get("unit_of_measurement"),
    )


async def _import_growth(
    home: HomeAssistant,
    entity_id: str,
    growth: _Growth,
    unit_class: str,
    unit: str,
    *,
    daily: bool = False,
) -> _Growth:
    """Import a total that grows, for `daily` from 0 on each day; return its values.

    Its sum ends at 0, from where Home Assistant continues.
    """
    values: _Growth = []
    stats: dict[str, Json] = {}
    sum_of = -sum(each for _, each in growth)
    state, day = 0.0, _day(growth[0][0])
    for at, grown in growth:
        if daily and _day(at) != day:
            state, day = 0.0, _day(at)
        state += grown
        sum_of += grown
        values.append((at, round(state, 2)))
        start = _at(int(at // _HOUR))
        stats[start] = {"start": start, "sum": sum_of, "state": state}
        if daily:
            stats[start]["last_reset"] = f"{day.isoformat()}T00:00:00+00:00"
    await import_statistics(
        home,
        entity_id,
        [*stats.values()],
        mean_type=0,
        has_sum=True,
        unit_class=unit_class,
        unit_of_measurement=unit,
    )
    return values


async def import_statistics(
    home: HomeAssistant, entity_id: str, stats: list[Json], **metadata: object
) -> None:
    """Import statistics of the hours before this one."""
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


async def _until_imported(home: HomeAssistant, entity_ids: list[str]) -> None:
    """Wait until the recorder has imported these sensors: it only queues what is sent."""
    sensors = {each for each in entity_ids if each.startswith("sensor.")}

    async def imported() -> set[str]:
        return set(
            await home.command(
                "recorder/statistics_during_period",
                start_time=_at(0),
                statistic_ids=[*sensors],
                period="month",
            )
        )

    await until(
        imported,
        lambda found: found == sensors,
        what="the recorder imports statistics",
        seconds=_RECORDED_SECONDS,
    )


def _at(hour: int) -> str:
    return datetime.fromtimestamp(hour * _HOUR, UTC).isoformat()


async def until_recorded(settings: Settings) -> None:
    """Wait until the recorder has written the first states."""
    await until(
        lambda: asyncio.to_thread(_count_states, settings.config),
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
        if at < newest - STATE_DAYS * 86400:
            continue
        # A day begins with a state: the recorder knows none from before it was started.
        if (value, _day(at)) == shown:
            continue
        shown = value, _day(at)
        yield str(value), at, at, uuid4().bytes, entity.entity_id
