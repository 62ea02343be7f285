"""What one path keeps waiting while the other one fails, in leaping time."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
import time
from typing import Final, NamedTuple

from freezegun import freeze_time
from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.coordinator import ControllerCoordinator
from tests.world.simulator import Controller
from tests.world.soak.timelapse import SharedClock, timelapse

from .home import add, coordinator, entity_id, home, until, value
from .hours import BACK, START, WATERFALL
from .rows import Row, at_most
from .service import Service

CLICK, CLICK_BACK, HOLD, BY_CLOUD, STARTS, LOST = 35.0, 3.0, 100.0, 25.0, 30.0, 70.0
SILENT: Final = 37.0
"""Goals in seconds."""
FEW: Final = 3
CLOUD: Final = "hang", "refuse", "trickle"
LAN: Final = ("hang", 17.0), ("refuse", 32.0), ("hang", 32.0), ("hang", 40.0)


def rows(*, short: bool) -> list[Row]:
    """Measure; the short run has a cloud that hangs only."""
    faults = CLOUD[:1] if short else CLOUD
    with freeze_time(START) as frozen:
        assert isinstance(frozen, FrozenDateTimeFactory)
        return asyncio.run(_rows(frozen, faults))


async def _rows(frozen: FrozenDateTimeFactory, faults: tuple[str, ...]) -> list[Row]:
    with timelapse(frozen):
        found = [row for cloud in faults for row in await _both(cloud)]
        alone = await _no_answer(), await _first_answer(), await _cloud_alone()
        return [*found, *alone]


class Pool(NamedTuple):
    """A pool, and what Home Assistant shows of it."""

    hass: HomeAssistant
    service: Service
    controller: Controller

    def shown(self, key: str = "connection") -> str:
        """Return the state of a sensor."""
        return value(self.hass, "sensor", self.controller.device_id, key)

    async def click(self, action: str = "turn_on") -> tuple[float, str]:
        """Return the seconds that a click takes, and the key of its error."""
        switch = entity_id(self.hass, "switch", self.controller.device_id, WATERFALL)
        started, error = time.monotonic(), ""
        try:
            await self.hass.services.async_call(
                "switch", action, {"entity_id": switch}, blocking=True
            )
        except HomeAssistantError as err:
            error = err.translation_key or ""
        return time.monotonic() - started, error

    async def lose(self, lan: str, cloud: str) -> None:
        """Lose both right after a poll, which is the worst moment."""
        polls = len(self.controller.requests)
        await until(lambda: len(self.controller.requests) > polls)
        if cloud:
            self.service.cloud.faults.on(cloud)
        self.controller.faults.on(lan)

    async def watched(self, done: Callable[[], bool]) -> tuple[float, bool]:
        """Return the seconds until something is so, and if values were unavailable."""
        started, unavailable = time.monotonic(), False

        def over() -> bool:
            nonlocal unavailable
            unavailable = unavailable or self.shown("ph") == "unavailable"
            return done()

        await until(over)
        return time.monotonic() - started, unavailable

    async def wait(self, seconds: float) -> bool:
        """Return whether values were unavailable in some seconds."""
        end = time.monotonic() + seconds
        return (await self.watched(lambda: time.monotonic() >= end))[1]

    async def until_read(self) -> tuple[float, bool]:
        """Return the seconds until the LAN is read, and if values were unavailable."""
        found = coordinator(self.hass, "sensor", self.controller.device_id, "ph")
        assert isinstance(found, ControllerCoordinator)
        live, paths, started = (
            found.controller.live,
            found.controller.paths,
            time.monotonic(),
        )
        return await self.watched(
            lambda: paths.lan_answers and (live.read_at or 0) > started
        )

    async def restore(self) -> None:
        """End all faults, and wait for the LAN."""
        self.service.cloud.faults.clear()
        self.controller.faults.clear()
        await self.until_read()
        await asyncio.sleep(120)


@asynccontextmanager
async def _pool(*, lan: bool = True) -> AsyncGenerator[Pool]:
    async with Service(1, SharedClock()) as service, home() as hass:
        data = service.entry_data()
        if not lan:
            for record in data["controllers"].values():
                record["host"] = record["key"] = None
        await add(hass, data)
        await asyncio.sleep(600)
        yield Pool(hass, service, service.controllers[0])


async def _both(cloud: str) -> list[Row]:
    """Let the cloud fail in one way, and the LAN in several."""
    found = []
    async with _pool() as pool:
        for lan, lasts in LAN:
            await pool.lose(lan, cloud)
            gone = await pool.wait(lasts)
            pool.controller.faults.clear()
            seconds, unavailable = await pool.until_read()
            what = f"LAN {lan} for {lasts:.0f} s: from its end to values"
            found.append(_available(what, cloud, seconds, BACK, gone or unavailable))
            await pool.restore()
        for lan in ("hang", "refuse"):
            await pool.lose(lan, cloud)
            await asyncio.sleep(70)
            what = f"a click without an answer, LAN {lan}: its error"
            found.append(_row(what, cloud, *await pool.click(), CLICK))
            pool.controller.faults.clear()
            await asyncio.sleep(3)
            what = f"a click, LAN ({lan}) back for 3 s"
            found.append(_row(what, cloud, *await pool.click("turn_off"), CLICK_BACK))
            await pool.restore()
        seconds = await _hold(pool, cloud)
        found.append(_row("a hold of 90 s, LAN back at 80 s", cloud, seconds, "", HOLD))
    seconds = await _start(cloud)
    what = f"a start of {FEW} controllers that are silent"
    return [*found, _row(what, cloud, seconds, "", STARTS)]


async def _hold(pool: Pool, cloud: str) -> float:
    """Return the seconds from the beginning of a hold to its end."""
    started = time.monotonic()
    switch = entity_id(pool.hass, "switch", pool.controller.device_id, WATERFALL)
    data = {"entity_id": switch, "state": True, "duration": {"seconds": 90}}
    await pool.hass.services.async_call(DOMAIN, "hold", data, blocking=True)
    await pool.lose("hang", cloud)
    await asyncio.sleep(80 - (time.monotonic() - started))
    pool.controller.faults.clear()
    await until(lambda: not any(slot.held for slot in pool.controller.pool.slots))
    seconds = time.monotonic() - started
    await pool.restore()
    return seconds


async def _start(cloud: str) -> float:
    """Return the seconds of a set-up while nothing answers."""
    async with Service(FEW, SharedClock()) as service, home() as hass:
        service.cloud.faults.on(cloud)
        for controller in service.controllers:
            controller.faults.on("hang")
        entry = MockConfigEntry(domain=DOMAIN, title="Home", data=service.entry_data())
        entry.add_to_hass(hass)
        started = time.monotonic()
        await hass.config_entries.async_setup(entry.entry_id)
        seconds = time.monotonic() - started
        service.cloud.faults.clear()
        return seconds


async def _no_answer() -> Row:
    """Lose both, with the LAN as the source, until the page says so."""
    async with _pool() as pool:
        await pool.lose("hang", "refuse")

        def shown() -> bool:
            key = "sensor", pool.controller.device_id, "connection"
            state = pool.hass.states.get(entity_id(pool.hass, *key))
            return state is not None and "last_answer" in state.attributes

        seconds, _ = await pool.watched(shown)
        return _row("LAN hang: *No answer*", "refuse", seconds, "", SILENT)


async def _first_answer() -> Row:
    """Lose the LAN, and the first answer of the cloud."""
    async with _pool() as pool:
        await pool.lose("hang", "")
        pool.service.cloud.faults.once("hang", 1, "dashboardInfo")
        seconds, unavailable = await pool.watched(lambda: pool.shown() == "cloud")
        what = "LAN hang: to values of the cloud"
        return _available(what, "first answer lost", seconds, LOST, unavailable)


async def _cloud_alone() -> Row:
    async with _pool(lan=False) as pool:
        pool.service.cloud.faults.once("hang", 1, "dashboardInfo")
        await asyncio.sleep(40)
        result = await pool.click()
        return _row("a click by the cloud alone", "one answer lost", *result, BY_CLOUD)


def _row(what: str, cloud: str, seconds: float, note: str, goal: float) -> Row:
    name = f"{what} (cloud: {cloud})"
    return at_most(name, seconds, goal, " s", f"{seconds:.1f} s {note}".rstrip())


def _available(
    what: str, cloud: str, seconds: float, goal: float, unavailable: bool
) -> Row:
    note = "and unavailable" if unavailable else ""
    row = _row(what, cloud, seconds, note, goal)
    return replace(row, ok=row.ok and not unavailable)
