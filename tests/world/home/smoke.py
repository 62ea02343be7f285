"""A smoke run, from scripts/develop to a relay that moves: `python -m tests.world.home.smoke`."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
import sys
from typing import Any, Final

from aiohttp import ClientError, ClientSession

from .api import HomeAssistant, Json, new_session
from .errors import ApiError, HomeError
from .running import development_home
from .settings import DOMAIN
from .waiting import until

# Stopping everything takes its time too.
TIMEOUT: Final = 180
# Values appear after the first poll; a switch takes one round trip.
VALUE_SECONDS: Final = 30
SWITCH_SECONDS: Final = 10
# A general slot that both simulated pools have.
SWITCH_NAME: Final = "Waterfall"
# History that the demo must have: the pump runs two thirds of each day.
DAYS: Final = 22
STATES: Final = 10
HOURS: Final = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Smoke:
    """One simulated pool, and where Home Assistant shows it."""

    home: HomeAssistant
    session: ClientSession
    control_url: str
    entities: list[Json]
    device_id: str

    async def pool(self) -> Json:
        """Return the true state of the pool."""
        async with self.session.get(f"{self.control_url}/api/state") as response:
            pools: list[Json] = (await response.json())["controllers"]
        return next(pool for pool in pools if pool["device_id"] == self.device_id)

    def entity_id(self, domain: str, accept: Callable[[Json], bool]) -> str:
        """Find an entity of this pool in the entity registry."""
        for entity in self.entities:
            if (
                entity["platform"] == DOMAIN
                and entity["unique_id"].startswith(self.device_id)
                and entity["entity_id"].startswith(f"{domain}.")
                and accept(entity)
            ):
                return str(entity["entity_id"])
        raise ApiError(f"{self.device_id} has no such {domain}")

    async def state(self, entity_id: str) -> str:
        """Return the state that Home Assistant shows."""
        return str((await self.home.get(f"/api/states/{entity_id}"))["state"])

    async def ph_has_a_value(self) -> str:
        """Check that the pH sensor shows a number, and that it came over the LAN."""
        ph = f"{self.device_id}_ph"
        entity_id = self.entity_id("sensor", lambda item: item["unique_id"] == ph)
        value = await until(
            lambda: self.state(entity_id),
            lambda value: value.replace(".", "", 1).isdigit(),
            what=entity_id,
            seconds=VALUE_SECONDS,
        )
        if not (requests := (await self.pool())["requests"]):
            raise ApiError(f"{entity_id} is {value}, but not over the LAN")
        return f"{entity_id} is {value}, after {requests} requests over the LAN"

    async def history_is_there(self) -> str:
        """Check that the ORP has states of days and statistics of weeks."""
        orp = f"{self.device_id}_orp"
        entity_id = self.entity_id("sensor", lambda item: item["unique_id"] == orp)
        weeks_ago = (datetime.now(UTC) - timedelta(days=DAYS)).isoformat()
        states: dict[str, list[Json]] = await self.home.command(
            "history/history_during_period",
            start_time=weeks_ago,
            entity_ids=[entity_id],
            minimal_response=True,
        )
        hours: dict[str, list[Json]] = await self.home.command(
            "recorder/statistics_during_period",
            start_time=weeks_ago,
            statistic_ids=[entity_id],
            period="hour",
        )
        found = len(states.get(entity_id, ())), len(hours.get(entity_id, ()))
        if found[0] < STATES or found[1] < HOURS:
            raise ApiError(f"{entity_id} has {found[0]} states and {found[1]} hours")
        return f"{entity_id} has {found[0]} states and {found[1]} hours of statistics"

    async def switch_moves_its_relay(self) -> str:
        """Check that a switch in Home Assistant moves the right relay.

        A schedule of the demo may have closed it already: that depends on the hour.
        """
        entity_id = self.entity_id(
            "switch", lambda item: item["original_name"] == SWITCH_NAME
        )
        slots = (await self.pool())["slots"]
        slot = next(str(s["slot"]) for s in slots if s["name"] == SWITCH_NAME)
        wanted = "off" if (await self.pool())["relays"][slot] else "on"
        await self.home.call("switch", f"turn_{wanted}", entity_id=entity_id)
        await until(
            self.pool,
            lambda pool: bool(pool["relays"][slot]) is (wanted == "on"),
            what=f"relay {slot} is {wanted}",
            seconds=SWITCH_SECONDS,
        )
        await until(
            lambda: self.state(entity_id),
            lambda value: value == wanted,
            what=entity_id,
            seconds=SWITCH_SECONDS,
        )
        return f"{entity_id} turned relay {slot} {wanted}"


async def run() -> None:
    """Start everything, check it, stop everything; raise HomeError if a check fails."""
    async with (
        asyncio.timeout(TIMEOUT),
        development_home("--demo") as settings,
        HomeAssistant.signed_in(settings.home_url) as home,
        new_session() as session,
    ):
        entities = await home.command("config/entity_registry/list")
        async with session.get(f"{settings.control_url}/api/state") as response:
            pools = (await response.json())["controllers"]
        failed = 0
        for pool in pools:
            smoke = Smoke(
                home=home,
                session=session,
                control_url=settings.control_url,
                entities=entities,
                device_id=pool["device_id"],
            )
            for check in (
                smoke.ph_has_a_value,
                smoke.history_is_there,
                smoke.switch_moves_its_relay,
            ):
                failed += not await _passes(pool["name"], check())
        if failed:
            raise HomeError(f"{failed} of the checks failed")


async def _passes(pool: str, check: Coroutine[Any, Any, str]) -> bool:
    try:
        _say(f"ok    {pool}: {await check}")
    except (HomeError, ClientError) as error:
        _say(f"FAIL  {pool}: {error}")
        return False
    return True


def main() -> int:
    """Run the checks; return the exit code."""
    try:
        asyncio.run(run())
    except (HomeError, ClientError) as error:
        _say(f"FAIL  {error}")
    except TimeoutError:
        _say(f"FAIL  not done within {TIMEOUT} s")
    except asyncio.CancelledError:
        _say("FAIL  stopped by a signal")
    else:
        return 0
    return 1


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
