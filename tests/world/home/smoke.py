"""A smoke run of the demo, from scripts/develop on: `python -m tests.world.home.smoke`.

Both pools show values of the LAN, and weeks of history. What a switch does is checked in a
browser (tests/e2e/test_device.py).
"""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
import sys
from typing import Final

from aiohttp import ClientError

from .api import HomeAssistant, Json, new_session
from .errors import ApiError, HomeError
from .provision import POOLS
from .running import development_home

# Stopping everything takes its time too.
TIMEOUT: Final = 180
# History that the demo must have: the pump runs two thirds of each day.
DAYS: Final = 22
STATES: Final = 10
HOURS: Final = 300


async def checked() -> AsyncGenerator[str]:
    """Start the demo and say what it has; raise HomeError if something is missing."""
    async with (
        asyncio.timeout(TIMEOUT),
        development_home("--demo") as settings,
        HomeAssistant.signed_in(settings.home_url) as home,
        new_session() as session,
    ):
        found = {e["unique_id"]: e["entity_id"] for e in await home.entities()}
        states = f"{settings.control_url}/api/state"
        for number in range(POOLS):
            async with session.get(states) as response:
                pool = (await response.json())["controllers"][number]
            ph, orp = (found[f"{pool['device_id']}_{key}"] for key in ("ph", "orp"))
            shown = (await home.get(f"/api/states/{ph}"))["state"]
            if not shown.replace(".", "", 1).isdigit() or not pool["requests"]:
                raise ApiError(f"{ph} is {shown}, after {pool['requests']} requests")
            counts = await history(home, orp)
            if counts[0] < STATES or counts[1] < HOURS:
                raise ApiError(f"{orp} has {counts} states and hours")
            yield f"{pool['name']}: values over the LAN, {counts} states and hours"


async def history(home: HomeAssistant, entity_id: str) -> tuple[int, int]:
    """Count the states of some days, and the hours of statistics of weeks."""
    begin = (datetime.now(UTC) - timedelta(days=DAYS)).isoformat()
    states: dict[str, list[Json]] = await home.command(
        "history/history_during_period",
        start_time=begin,
        entity_ids=[entity_id],
        minimal_response=True,
    )
    hours: dict[str, list[Json]] = await home.command(
        "recorder/statistics_during_period",
        start_time=begin,
        statistic_ids=[entity_id],
        period="hour",
    )
    return len(states.get(entity_id, ())), len(hours.get(entity_id, ()))


async def main() -> int:
    """Run the checks; return the exit code."""
    try:
        async for line in checked():
            sys.stdout.write(f"ok    {line}\n")
    except (HomeError, ClientError, TimeoutError, asyncio.CancelledError) as error:
        sys.stdout.write(f"FAIL  {error!r}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
