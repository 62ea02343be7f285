"""Run an output for some seconds, and see that it is given back: `holding.py NAME SECONDS`."""

import asyncio
from datetime import timedelta
import os
import sys

from aiohttp import ClientSession
from poolctl_client import ClosingRequest, Controller, LanClient


async def main(name: str, seconds: float) -> None:
    address, key = os.environ["POOL_ADDRESS"], os.environ["POOL_KEY"]
    async with ClientSession(request_class=ClosingRequest) as session:
        lan = LanClient(session, address, key)
        async with Controller(lan=lan).running() as pool:
            await pool.holds.hold(name, True, timedelta(seconds=seconds))
            output = pool.state.outputs.named(name)
            print(output.name, "on" if output.on else "off", flush=True)
            while (hold := pool.holds.of(output)) is not None:
                print("until", hold.until, flush=True)
                await asyncio.sleep(1)
            output = pool.state.outputs.named(name)
            print(output.name, "on" if output.on else "off", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2])))
