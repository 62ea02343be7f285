"""Reads and changes the simulated pools directly."""

from collections.abc import Callable
from typing import Any, Final

from aiohttp import ClientSession

from tests.world.home.api import HomeAssistant, Json
from tests.world.home.waiting import until

FULL: Final = "Home pool"
FULL_ID: Final = "AA_BB_CC_0A_0B_0C"
SMALL: Final = "Beach house"
SMALL_ID: Final = "AA_BB_CC_0D_0E_0F"

# A command takes one round trip; a slider sends only once it has come to rest.
SECONDS: Final = 30


class Pools:
    """Both pools, through the page that shows and changes them."""

    def __init__(self, session: ClientSession, control_url: str) -> None:
        self._session = session
        self._url = control_url

    async def read(self, name: str = FULL) -> Json:
        """Return the whole state of a pool."""
        async with self._session.get(f"{self._url}/api/state") as response:
            pools: list[Json] = (await response.json())["controllers"]
        return next(pool for pool in pools if pool["name"] == name)

    async def becomes(
        self, what: Callable[[Json], Any], value: object, name: str = FULL
    ) -> None:
        """Wait until `what` of a pool is `value`; raise TooLateError if it never is."""

        async def read() -> object:
            return what(await self.read(name))

        await until(
            read, lambda found: found == value, what=f"{value}", seconds=SECONDS
        )

    async def revoke_sign_in(self, *, on: bool) -> None:
        """Let the service refuse all earlier sign-ins, or accept them again."""
        await self.fault("cloud", "revoked", on=on)

    async def fault(self, target: str, name: str, *, on: bool) -> None:
        """Switch a fault of the cloud, or of the controller with a device id."""
        await self._post("fault", {"target": target, "name": name, "on": on})

    async def situation(self, target: str, name: str, *, on: bool) -> None:
        """Bring the pool with a device id into a situation, or out of it."""
        await self._post("situation", {"target": target, "name": name, "on": on})

    async def _post(self, what: str, body: Json) -> None:
        url = f"{self._url}/api/{what}"
        async with self._session.post(url, json=body) as response:
            response.raise_for_status()


async def entity(api: HomeAssistant, key: str, domain: str) -> str:
    """Return the entity ID that Home Assistant made for a key of the full pool."""
    (found,) = (
        str(entity["entity_id"])
        for entity in await api.entities()
        if entity["unique_id"] == f"{FULL_ID}_{key}"
        and entity["entity_id"].startswith(f"{domain}.")
    )
    return found


async def shown(
    api: HomeAssistant, entity_id: str, accept: Callable[[Json], bool]
) -> Json:
    """Wait until Home Assistant shows such a state of an entity; return it."""

    async def state() -> Json:
        return (await api.states())[entity_id]

    return await until(state, accept, what=entity_id, seconds=SECONDS)


def slot(pool: Json, name: str) -> int:
    return next(int(each["slot"]) for each in pool["slots"] if each["name"] == name)


def relay(name: str) -> Callable[[Json], bool]:
    """Return a function that reads the relay of a slot."""
    return lambda pool: bool(pool["relays"][str(slot(pool, name))])
