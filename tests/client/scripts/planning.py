"""List the schedules, add one of two hours in the night, move it, and delete it again."""

import asyncio
from dataclasses import replace
from datetime import time
import os

from aiohttp import ClientSession
from poolctl_client import ClosingRequest, Controller, LanClient, Schedule


async def main() -> None:
    address, key = os.environ["POOL_ADDRESS"], os.environ["POOL_KEY"]
    async with ClientSession(request_class=ClosingRequest) as session:
        lan = LanClient(session, address, key)
        async with Controller(lan=lan).running() as pool:
            for number, schedule in (await pool.schedules.read()).items():
                print(number, schedule.name, schedule.begins_at, schedule.ends_at)
            waterfall = pool.state.outputs.named("Waterfall")
            night = Schedule.of(
                waterfall, time(2), time(4), weekdays=(5, 6), name="Night"
            )
            index = await pool.schedules.create(night)
            if index is None:
                raise SystemExit("nobody knows where it is")
            made = (await pool.schedules.read())[index]
            print("made", made.name, made.begins_at, made.ends_at, made.days)
            later = replace(made, start=150)
            await pool.schedules.update(index, later, observed=made)
            moved = pool.state.schedules.used[index]
            print("moved", moved.name, moved.begins_at)
            await pool.schedules.delete(index, observed=moved)
            print("left", *(one.name for one in pool.state.schedules.used.values()))


if __name__ == "__main__":
    asyncio.run(main())
