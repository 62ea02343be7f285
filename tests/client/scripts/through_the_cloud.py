"""Read and switch the pump through the cloud alone, with a refresh token."""

import asyncio
import os

from aiohttp import ClientSession
from poolctl_client import CloudClient, Controller, request_tokens

SERVICE = os.environ["POOL_SERVICE"]


class Access:
    """Renews the access token when it is refused, and at the start."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self._refresh = os.environ["POOL_REFRESH_TOKEN"]
        self._access = ""

    async def __call__(self, *, refused: str | None = None) -> str:
        if self._access in ("", refused):
            form = {
                "grant_type": "refresh_token",
                "refresh_token": self._refresh,
                "client_id": os.environ["POOL_CLIENT"],
                "client_secret": os.environ["POOL_SECRET"],
            }
            tokens = await request_tokens(self._session, SERVICE, form)
            self._access = tokens.access
            self._refresh = tokens.refresh or self._refresh
        return self._access


async def main() -> None:
    async with ClientSession() as session:
        cloud = CloudClient(session, SERVICE, Access(session))
        inventory = await cloud.inventory()
        for device in inventory.devices:
            print(device.device_id, device.name)
        key = await cloud.envelope_key(inventory.devices[0].device_id)
        print("a key of", len(key), "bytes")
        pool = Controller(inventory.devices[0].device_id, cloud=cloud)
        async with pool.running():
            print("pH", pool.state.chemistry.ph, pool.state.source)
            await pool.holds.switch(pool.state.outputs.pump, False)
            print("pump", pool.state.pump_status)


if __name__ == "__main__":
    asyncio.run(main())
