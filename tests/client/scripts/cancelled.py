"""Hold an output for an hour, and be stopped in the middle: nothing is left behind."""

import asyncio
from datetime import timedelta
import os

from aiohttp import ClientSession
from poolctl_client import ACID, ClosingRequest, Controller, LanClient


async def main() -> None:
    address, key = os.environ["POOL_ADDRESS"], os.environ["POOL_KEY"]
    async with ClientSession(request_class=ClosingRequest) as session:
        lan = LanClient(session, address, key)
        async with Controller(lan=lan).running() as pool:
            await pool.holds.hold("Waterfall", True, timedelta(hours=1))
            await pool.pauses.begin([ACID], timedelta(hours=1))
            print("held", flush=True)
            async with asyncio.timeout(float(os.environ.get("POOL_PATIENCE", "3600"))):
                await asyncio.sleep(3600)


if __name__ == "__main__":
    asyncio.run(main())
