"""Print the pH and the water temperature again and again: `reading.py [SECONDS [TIMES]]`."""

import asyncio
import os
import sys

from aiohttp import ClientSession
from poolctl_client import ClosingRequest, Controller, LanClient, PoolctlError


async def main(seconds: float, times: int) -> None:
    address, key = os.environ["POOL_ADDRESS"], os.environ["POOL_KEY"]
    async with ClientSession(request_class=ClosingRequest) as session:
        lan = LanClient(session, address, key)
        async with Controller(lan=lan).running() as pool:
            for _ in range(times):
                try:
                    chemistry = pool.state.chemistry
                except PoolctlError as err:
                    print("no values:", err, flush=True)
                else:
                    ph, water = chemistry.ph, chemistry.water_temperature
                    print("pH", "?" if ph is None else f"{ph:.1f}", end=" ")
                    print("?" if water is None else f"{water:.1f}", "°C", flush=True)
                await asyncio.sleep(seconds)


if __name__ == "__main__":
    numbers = [float(text) for text in sys.argv[1:]]
    asyncio.run(
        main(numbers[0] if numbers else 15, int(numbers[1]) if numbers[1:] else 4)
    )
