"""A small client of Home Assistant's own API.

It does over HTTP what a user does in a browser: sign in, add an integration, look at
states, use a switch. `--ready`, the smoke run and the browser tests share it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any, Final, Self, cast

import aiohttp

from .errors import ApiError
from .settings import DOMAIN, HOME_USER, Account

type Json = dict[str, Any]

FLOWS: Final = "/api/config/config_entries/flow"
OPTIONS: Final = "/api/config/config_entries/options/flow"
REQUEST_TIMEOUT: Final = aiohttp.ClientTimeout(total=30)
# More steps than any config flow has: this only ends an endless one.
MAX_FLOW_STEPS: Final = 10


def new_session() -> aiohttp.ClientSession:
    """Return a session for this API: no environment proxies, bounded requests."""
    return aiohttp.ClientSession(timeout=REQUEST_TIMEOUT, trust_env=False)


class HomeAssistant:
    """A signed-in user of one Home Assistant."""

    def __init__(self, session: aiohttp.ClientSession, url: str, token: str) -> None:
        """Use an access token of the Home Assistant at this address."""
        self.url = url
        self._session = session
        self._token = token

    @classmethod
    @asynccontextmanager
    async def signed_in(
        cls, url: str, account: Account = HOME_USER
    ) -> AsyncIterator[Self]:
        """Sign in with name and password; sign out at the end."""
        async with new_session() as session:
            code = await _login_code(session, url, account)
            tokens = await exchange_code(session, url, code)
            try:
                yield cls(session, url, tokens["access_token"])
            finally:
                # Without this, every start would leave a session in the user's profile.
                with suppress(aiohttp.ClientError, TimeoutError):
                    await revoke(session, url, tokens["refresh_token"])

    async def get(self, path: str) -> Any:
        """Read a path of the REST API."""
        return await self._request("GET", path)

    async def post(self, path: str, data: Json) -> Any:
        """Post JSON to a path of the REST API."""
        return await self._request("POST", path, data)

    async def command(self, kind: str, **fields: object) -> Any:
        """Send one websocket command and return its result."""
        async with self._session.ws_connect(f"{self.url}/api/websocket") as socket:
            await socket.receive_json()
            await socket.send_json({"type": "auth", "access_token": self._token})
            if (answer := await socket.receive_json())["type"] != "auth_ok":
                raise ApiError(f"websocket sign-in refused: {answer}")
            await socket.send_json({"id": 1, "type": kind, **fields})
            answer = await socket.receive_json()
        if not answer["success"]:
            raise ApiError(f"{kind}: {answer['error']['message']}")
        return answer["result"]

    async def states(self) -> dict[str, Json]:
        """Return the state of every entity, by entity id."""
        return {state["entity_id"]: state for state in await self.get("/api/states")}

    async def call(self, domain: str, action: str, **data: object) -> None:
        """Perform an action, as a button of the frontend does."""
        await self.post(f"/api/services/{domain}/{action}", data)

    async def entries(self, domain: str) -> list[Json]:
        """Return the config entries of an integration."""
        path = f"/api/config/config_entries/entry?domain={domain}"
        return cast("list[Json]", await self.get(path))

    async def entities(self) -> list[Json]:
        """Return the registered entities of the integration."""
        entities: list[Json] = await self.command("config/entity_registry/list")
        return [entity for entity in entities if entity["platform"] == DOMAIN]

    async def choose(self, domain: str, **options: object) -> None:
        """Set options of an integration's only entry; the others get their defaults.

        The entry may still be reloading afterwards.
        """
        (entry,) = await self.entries(domain)
        path, _ = await self.open_options(entry["entry_id"])
        await self.post(path, options)

    async def open_options(self, entry_id: str) -> tuple[str, Json]:
        """Open the options of an entry; return the path of the answer, and the form."""
        menu: Json = await self.post(OPTIONS, {"handler": entry_id})
        path = f"{OPTIONS}/{menu['flow_id']}"
        return path, await self.post(path, {"next_step_id": "settings"})

    async def add_integration(
        self,
        domain: str,
        answers: Mapping[str, Json],
        visit: Callable[[str], Awaitable[None]],
    ) -> Json:
        """Walk a config flow from the start to its config entry, which is returned.

        `answers` has the input of each step; `visit` opens the page of an external step
        and returns once the user there is done.
        """
        step: Json = await self.post(FLOWS, {"handler": domain})
        for _ in range(MAX_FLOW_STEPS):
            path = f"{FLOWS}/{step['flow_id']}"
            match step["type"]:
                case "create_entry":
                    return cast("Json", step["result"])
                case "form" if step["step_id"] in answers and not step["errors"]:
                    step = await self.post(path, answers[step["step_id"]])
                case "external":
                    await visit(step["url"])
                    step = await self.get(path)
                case "external_done" | "progress" | "progress_done":
                    await asyncio.sleep(0.2)
                    step = await self.get(path)
                case _:
                    break
        raise ApiError(f"the config flow of {domain} did not finish: {step}")

    async def _request(self, method: str, path: str, data: Json | None = None) -> Any:
        headers = {
            "Authorization": f"Bearer {self._token}",
            # What the frontend sends: the redirect address of OAuth is built from it.
            "HA-Frontend-Base": self.url,
        }
        async with self._session.request(
            method, f"{self.url}{path}", json=data, headers=headers
        ) as response:
            if not response.ok:
                raise ApiError(
                    f"{method} {path}: {response.status} {await response.text()}"
                )
            return await response.json()


async def exchange_code(session: aiohttp.ClientSession, url: str, code: str) -> Json:
    """Return the tokens for an authorization code of Home Assistant."""
    form = {"grant_type": "authorization_code", "code": code, "client_id": f"{url}/"}
    async with session.post(f"{url}/auth/token", data=form) as response:
        response.raise_for_status()
        return cast("Json", await response.json())


async def revoke(session: aiohttp.ClientSession, url: str, refresh_token: str) -> None:
    """Sign out: forget the tokens of one sign-in."""
    form = {"action": "revoke", "token": refresh_token}
    async with session.post(f"{url}/auth/token", data=form):
        pass


async def _login_code(
    session: aiohttp.ClientSession, url: str, account: Account
) -> str:
    """Walk the login flow of Home Assistant; return its authorization code."""
    start = {
        "client_id": f"{url}/",
        "redirect_uri": f"{url}/",
        "handler": ["homeassistant", None],
    }
    async with session.post(f"{url}/auth/login_flow", json=start) as response:
        response.raise_for_status()
        flow = (await response.json())["flow_id"]
    login = {
        "client_id": f"{url}/",
        "username": account.name,
        "password": account.password,
    }
    async with session.post(f"{url}/auth/login_flow/{flow}", json=login) as response:
        response.raise_for_status()
        step = await response.json()
    if step["type"] != "create_entry":
        raise ApiError(f"{url}: {account.name} could not sign in: {step['errors']}")
    return cast("str", step["result"])


async def probe(session: aiohttp.ClientSession, url: str) -> HTTPStatus | None:
    """Return the status of an address, None while nothing listens there."""
    try:
        async with session.get(url, allow_redirects=False) as response:
            return HTTPStatus(response.status)
    except aiohttp.ClientError, TimeoutError:
        return None
