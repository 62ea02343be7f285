"""A minimal client of the cloud, for the simulator's own tests."""

from collections.abc import Mapping
import json
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import aiohttp

from .accounts import Account
from .cloud import V1, Cloud
from .controller import Controller

CALLBACK: Final = "http://localhost:8123/auth/external/callback"
STATE: Final = "st&te"


class Visitor:
    """A client with an account, one of its controllers, and an HTTP session."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        cloud: Cloud,
        account: Account,
        controller: Controller,
    ) -> None:
        self.session, self.cloud, self.account = session, cloud, account
        self.clock, self.controller = cloud.clock, controller
        client_id, secret = next(iter(cloud.clients.items()))
        self.client = {"client_id": client_id, "client_secret": secret}
        self.person = {"email": account.email, "password": account.password}
        self.authorize = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": CALLBACK,
            "scope": "profile",
            "state": STATE,
            "code_challenge": "ignored",
        }
        self.token = ""
        self.headers: Mapping[str, str] = {}  # of the last answer

    async def call(
        self, method: str, path: str, *, token: str | None = None, **options: Any
    ) -> tuple[int, Any]:
        """Send a request; return the status, and the body as JSON or text."""
        headers = {"Authorization": f"Bearer {self.token if token is None else token}"}
        url = self.cloud.base_url + path
        async with self.session.request(
            method, url, headers=headers, allow_redirects=False, **options
        ) as response:
            self.headers = response.headers
            text = await response.text()
            is_json = text and response.content_type == "application/json"
            return response.status, json.loads(text) if is_json else text

    async def get(self, path: str, **options: Any) -> tuple[int, Any]:
        return await self.call("GET", V1 + path, **options)

    async def post(self, path: str, **options: Any) -> tuple[int, Any]:
        return await self.call("POST", V1 + path, **options)

    def device(self, name: str) -> str:
        return f"/iot-shadow/device/{self.controller.device_id}/{name}"

    async def read(self, name: str) -> Any:
        """Return the data of a device endpoint, which must succeed."""
        status, body = await self.get(self.device(name))
        assert (status, body["status"]) == (200, "SUCCESS"), body
        return body["data"]

    async def write(self, name: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        return await self.post(self.device(name), json=body)

    async def code(self) -> str:
        """Sign in through the form; return the code of the redirect."""
        form = self.authorize | self.person
        assert (await self.post("/oauth/authorize", data=form))[0] == 302
        query = parse_qs(urlsplit(self.headers["Location"]).query)
        assert query["state"] == [STATE]
        return query["code"][0]

    async def redeem(self, code: str, /, **changes: str) -> tuple[int, Any]:
        form = {"grant_type": "authorization_code", "code": code, **self.client}
        form |= {"redirect_uri": CALLBACK, **changes}
        return await self.post("/oauth/token", data=form)

    async def renew(self, token: str) -> tuple[int, Any]:
        form = {"grant_type": "refresh_token", "refresh_token": token, **self.client}
        return await self.post("/oauth/token", data=form)

    async def sign_in(self) -> dict[str, Any]:
        """Sign in, and use the access token from now on."""
        status, tokens = await self.redeem(await self.code())
        assert status == 200
        self.token = tokens["access_token"]
        return dict(tokens)
