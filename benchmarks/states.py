"""States written to the state machine, and their size in a recorder's database."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
import random
import sqlite3
from typing import Any, Final

from freezegun import freeze_time
from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, HomeAssistant, State, callback
from homeassistant.helpers.recorder import async_initialize_recorder, get_instance
from homeassistant.setup import async_setup_component

from tests.world.simulator import Controller
from tests.world.soak.timelapse import SharedClock, timelapse

from .home import add, entity_id, home
from .rows import Row, at_most, only_a_figure
from .service import Service

POLL: Final = 15.0
HOUR: Final = 3600.0
START: Final = "2026-06-01 09:00:00"
STEADY: Final = 80
NOISY: Final = 4000
NOISE: Final = {"ph": 0.03, "orp": 2.0, "temperature": 0.05, "ambient": 0.1}
"""Standard deviations of readings in constant water, in pH, mV and °C (chosen: we have
no such probe to measure)."""
SEED: Final = 2026


def rows(*, short: bool) -> list[Row]:
    """Measure; an hour of simulated time takes a second."""
    with freeze_time(START) as frozen:
        assert isinstance(frozen, FrozenDateTimeFactory)
        steady, noisy = asyncio.run(_imagine(frozen, 1 if short else 24))
    size = asyncio.run(_recorded(noisy.states))
    day = 24 * HOUR / noisy.seconds
    hour, whole = len(steady.states), len(noisy.states) * day
    calm = "states written in an hour of a full pool that runs steadily"
    loud = "states written in a day with the noise of probes"
    kept = "what the recorder writes on such a day"
    return [
        at_most(calm, hour, STEADY, "", f"{hour} ({steady.most})"),
        at_most(loud, whole, NOISY, "", f"{whole:.0f} ({noisy.most})"),
        only_a_figure(kept, f"{size * day / 2**20:.2f} MiB"),
    ]


@dataclass(frozen=True, slots=True)
class Written:
    """States that were written in a number of seconds."""

    states: list[State]
    seconds: float

    @property
    def most(self) -> str:
        """The three entities that wrote the most states."""
        counts = Counter(
            state.entity_id.partition(".")[2].partition("_")[2] for state in self.states
        )
        return ", ".join(f"{name} {count}" for name, count in counts.most_common(3))


async def _imagine(
    frozen: FrozenDateTimeFactory, hours: int
) -> tuple[Written, Written]:
    with timelapse(frozen):
        async with Service(1, SharedClock()) as service, home() as hass:
            await add(hass, service.entry_data())
            (controller,) = service.controllers
            pump = entity_id(hass, "switch", controller.device_id, "pump")
            await hass.services.async_call(
                "switch", "turn_on", {"entity_id": pump}, blocking=True
            )
            await asyncio.sleep(HOUR / 3)
            controller.pool.water.drift = 0.0
            async with _states(hass) as steady:
                await asyncio.sleep(HOUR)
            controller.pool.water.drift = 1.0
            async with _states(hass) as noisy:
                await _be_noisy(controller, hours * HOUR)
    return Written(steady, HOUR), Written(noisy, hours * HOUR)


async def _be_noisy(controller: Controller, seconds: float) -> None:
    """Add noise to the readings of the probes at every poll."""
    chance, water = random.Random(SEED), controller.pool.water  # noqa: S311
    for _ in range(round(seconds / POLL)):
        off = {name: chance.gauss(0, noise) for name, noise in NOISE.items()}
        _shift(water, off, 1)
        await asyncio.sleep(POLL)
        _shift(water, off, -1)


def _shift(water: Any, off: Mapping[str, float], sign: int) -> None:
    for name, value in off.items():
        setattr(water, name, getattr(water, name) + sign * value)


@asynccontextmanager
async def _states(hass: HomeAssistant) -> AsyncGenerator[list[State]]:
    """Collect the states that are written."""
    found: list[State] = []

    @callback
    def note(event: Event[Any]) -> None:
        if (state := event.data["new_state"]) is not None:
            found.append(state)

    end = hass.bus.async_listen(EVENT_STATE_CHANGED, note)
    yield found
    end()


async def _recorded(states: list[State]) -> int:
    """Write states to the database of a real recorder; return the bytes it grew by."""
    async with home() as hass:
        path = Path(hass.config.config_dir) / "states.db"
        async_initialize_recorder(hass)
        config = {"db_url": f"sqlite:///{path}", "commit_interval": 0}
        assert await async_setup_component(hass, "recorder", {"recorder": config})
        await _settle(hass)
        before = _size(path)
        for state in states:
            hass.states.async_set_internal(
                state.entity_id,
                state.state,
                state.attributes,
                True,
                None,
                None,
                state.last_updated_timestamp,
            )
            await asyncio.sleep(0)
        await _settle(hass)
        return _size(path) - before


async def _settle(hass: HomeAssistant) -> None:
    await hass.async_block_till_done()
    await get_instance(hass).async_block_till_done()


def _size(path: Path) -> int:
    """Return the bytes of a database, including its write-ahead log."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    return int(pages * size)
