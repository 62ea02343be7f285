"""Two controllers in one program; each has its own waterfall."""

import asyncio
from contextlib import AsyncExitStack
import os

from aiohttp import ClientSession
from poolctl_client import ClosingRequest, Controller, InvalidCommandError, LanClient


async def main() -> None:
    addresses, keys = os.environ["POOL_ADDRESSES"], os.environ["POOL_KEYS"]
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(
            ClientSession(request_class=ClosingRequest)
        )
        first, second = [
            await stack.enter_async_context(
                Controller(lan=LanClient(session, address, key)).running()
            )
            for address, key in zip(addresses.split(), keys.split(), strict=True)
        ]
        print("pH", first.state.chemistry.ph, second.state.chemistry.ph)
        try:
            await second.holds.switch(first.state.outputs.named("Waterfall"), True)
        except InvalidCommandError as err:
            print("refused:", err)
        await asyncio.gather(
            first.holds.switch("Waterfall", True),
            second.holds.switch("Garden Lights", True),
        )
        print(first.state.outputs.named("Waterfall").on)
        print(second.state.outputs.named("Garden Lights").on)


if __name__ == "__main__":
    asyncio.run(main())
