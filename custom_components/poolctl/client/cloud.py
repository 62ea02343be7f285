"""The cloud service (interface.md 2 to 8).

Published: sign-in, sites, `dashboardInfo`, `setPumpInfo`, the error table and limits.
Observed (layouts.md 5): `userinfo` and the path and shape of `envelope-key`.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPMethod, HTTPStatus
import json
import time
from typing import Protocol

from aiohttp import ClientSession
from yarl import URL

from .clock import Clock
from .cloud_answers import (
    DEFAULT_RETRY_AFTER,
    Device,
    Inventory,
    check,
    check_write,
    is_device_id,
    may_blame_token,
    parse_device,
    parse_envelope_key,
    parse_inventory,
)
from .equipment import MAIN_PUMP
from .exceptions import (
    AuthenticationError,
    BusyError,
    NotOfferedError,
    PoolctlError,
    ProtocolError,
    RefusedError,
    ServiceError,
    UnexpectedResponseError,
    UnreachableError,
)
from .facts import SERVICE, AccessRenewed, CloudRequest, FactsOf, Online, unobserved
from .http import Response, exchange
from .json_values import Answer, list_of

V1 = "api-gateway/v1"
_V2 = "api-gateway/v2"
MAX_RESPONSE = 1024 * 1024
TIMEOUT = 20.0
"""s; the service itself waits up to 10 s for a controller (interface.md 8)."""
WRITE_SPACING = 2.0
"""s between two writes to one controller (interface.md 8)."""
PATIENCE = 20.0
"""s a person's command waits while the controller is busy."""
FRESH = 300.0
"""s for which a token that took the place of another one is beyond doubt."""
UNCHANGED = 900.0
"""s for which a controller that is said to be offline may tell nothing new."""
COPY_AGE = 35.0
"""s a read may be older than the controller: copies are 30 (interface.md 8), and some."""
_ONLINE = "deviceOnlineStatuses"
_ONLINE_AGE = 25.0
"""s; less than the 30 between two read cycles, so that each cycle asks."""


class TokenProvider(Protocol):
    """Hands out the access token."""

    async def __call__(self, *, refused: str | None = None) -> str:
        """Return a token other than the refused one, or raise a PoolctlError."""


@dataclass(slots=True)
class _Gate:
    """Keeps the limits of one controller (interface.md 8)."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    next_write: float = 0.0


class CloudClient:
    """Talks to the service for one account.

    Methods raise UnreachableError, AuthenticationError, ForbiddenError (403),
    NotOfferedError (404), BusyError (429, with `retry_after`), ServiceError (5xx),
    CommandFailedError (`status: FAILED`) and UnexpectedResponseError; writes raise
    UnconfirmedError where the answer does not tell whether they were done, too.
    """

    def __init__(
        self,
        session: ClientSession,
        base_url: str,
        token: TokenProvider,
        facts: FactsOf = unobserved,
        clock: Clock | None = None,
    ) -> None:
        """Prepare; the session stays the caller's.

        `facts` returns where it is reported what happens. `clock` is confirmed by the
        `Date` of answers.
        """
        self._session = session
        self._clock = clock
        self._base = URL(base_url)
        self._token = token
        self._gates: defaultdict[str, _Gate] = defaultdict(_Gate)
        self._not_offered: set[str] = set()
        self._fresh = ""
        self._fresh_until = 0.0
        self._blameless: set[str] = set()
        """Paths whose refusal was no matter of the token."""
        self._dashboards: dict[str, tuple[Answer, float]] = {}
        """The newest of each controller, and since when it says the same (monotonic)."""
        self._online: dict[str, bool] = {}
        self._online_until = 0.0
        self._online_lock = asyncio.Lock()
        self._facts = facts

    @property
    def not_offered(self) -> frozenset[str]:
        """The observed endpoints that this service has answered with a 404."""
        return frozenset(self._not_offered)

    async def inventory(self) -> Inventory:
        """List the sites and their controllers (interface.md 4.1)."""
        return parse_inventory(await self._data(HTTPMethod.GET, f"{V1}/user/sites"))

    async def reachable(self, device_id: str) -> bool | None:
        """Tell what the service says of `online`, `None` where it does not say.

        What it serves of one that it does not reach is old, however often it is read
        (interface.md 3.2). Asked for all controllers of the account at once, and kept
        for as long as the service's own copies.
        """
        async with self._online_lock:
            if time.monotonic() >= self._online_until:
                self._online = await self._read_online()
                self._online_until = time.monotonic() + _ONLINE_AGE
        return self._online.get(device_id)

    async def _read_online(self) -> dict[str, bool]:
        """Read `deviceOnlineStatuses` (layouts.md 5), else the sites (interface.md 2.4).

        Raises UnreachableError and AuthenticationError: any other read would, too.
        """
        for read in (self._read_statuses, self._read_devices):
            try:
                devices = await read()
            except NotOfferedError:
                self._not_offered.add(_ONLINE)
            except ServiceError:
                return {}
            except UnreachableError, AuthenticationError:
                raise
            except PoolctlError:
                return {}
            else:
                return {
                    each.device_id: each.online
                    for each in devices
                    if each.online is not None
                }
        return {}

    async def _read_statuses(self) -> tuple[Device, ...]:
        if _ONLINE in self._not_offered:
            raise NotOfferedError(f"{_ONLINE} is not offered")
        data = await self._data(HTTPMethod.GET, f"{V1}/user/{_ONLINE}")
        found = [parse_device(entry, "") for entry in list_of(data, "devices")]
        return tuple(filter(None, found))

    async def _read_devices(self) -> tuple[Device, ...]:
        return (await self.inventory()).devices

    async def user_id(self) -> str | None:
        """Return the account's stable identifier, `None` where it is not offered.

        Whatever else the service answers instead, the account has other identifiers.
        """
        try:
            path = f"{V1}/oauth/userinfo"
            answer = await self._request(HTTPMethod.GET, path, check)
        except RefusedError, ProtocolError:
            return None
        return str(answer.get("sub") or "") or None

    async def envelope_key(self, device_id: str) -> bytes:
        """Return the key a controller signs with (interface.md 5.2, layouts.md 5).

        Raises EnvelopeError where the answer holds no key.
        """
        data = await self._data(
            HTTPMethod.GET, f"{_V2}/iot-shadow/device/{device_id}/envelope-key"
        )
        return parse_envelope_key(data)

    async def dashboard(self, device_id: str) -> Answer:
        """Return the dashboard of a controller (interface.md 2.5)."""
        async with self._gates[device_id].lock:
            data = await self._data(
                HTTPMethod.GET, _device_path(device_id, "dashboardInfo")
            )
        dashboard = data.get("dashboard")
        if not isinstance(dashboard, dict):
            raise UnexpectedResponseError("the answer has no dashboard")
        return dashboard

    async def live_dashboard(self, device_id: str) -> Answer:
        """Return the dashboard of a controller that is there.

        What the service says of `online` may be as old as its copies, so a dashboard
        that changes is believed. Raises UnreachableError where the controller is said
        to be offline and nothing has changed for 15 minutes.
        """
        online = await self.reachable(device_id)
        dashboard, now = await self.dashboard(device_id), time.monotonic()
        before, since = self._dashboards.get(device_id, (dashboard, now))
        self._facts(device_id).emit(Online(online, dashboard != before))
        if dashboard != before or online is not False:
            since = now
        self._dashboards[device_id] = dashboard, since
        if now - since >= UNCHANGED:
            raise UnreachableError("the service does not reach the controller")
        return dashboard

    async def read(
        self, device_id: str, endpoint: str, *, urgent: bool = False
    ) -> Answer:
        """Return the data of an observed endpoint (layouts.md 5).

        A 404 marks it as not offered for as long as this client lives. For a read that
        is part of a person's command a busy controller is waited out.
        """
        if endpoint in self._not_offered:
            raise NotOfferedError(f"{endpoint} is not offered")
        path, give_up = _device_path(device_id, endpoint), time.monotonic() + PATIENCE
        async with self._gates[device_id].lock:
            while True:
                try:
                    return await self._data(HTTPMethod.GET, path)
                except NotOfferedError:
                    self._not_offered.add(endpoint)
                    raise
                except BusyError as err:
                    wait = err.retry_after or DEFAULT_RETRY_AFTER
                    if not urgent or time.monotonic() + wait > give_up:
                        raise
                    await asyncio.sleep(wait)

    async def set_aux(self, device_id: str, slot: int, aux_type: int, on: bool) -> None:
        """Switch a slot by hand (observed, layouts.md 5)."""
        await self._write(
            device_id,
            "manualSet",
            {
                "aux_switch_state": int(on),
                "aux_type_code": aux_type,
                "aux_slot_num": slot,
            },
        )

    async def set_pump(self, device_id: str, slot: int, on: bool, speed: int) -> None:
        """Run or stop the main pump at a speed in % (interface.md 2.6, layouts.md 5).

        Returns when the controller has acknowledged it.
        """
        await self._write(
            device_id,
            "setPumpInfo",
            {
                "aux_switch_state": int(on),
                "aux_type_code": MAIN_PUMP,
                "pump_speed": speed,
                "aux_slot_num": slot,
            },
        )

    async def write(self, device_id: str, endpoint: str, body: Answer) -> None:
        """Send a command to an observed endpoint (layouts.md 5).

        A 404 marks it as not offered, as in `read`.
        """
        if endpoint in self._not_offered:
            raise NotOfferedError(f"{endpoint} is not offered")
        try:
            await self._write(device_id, endpoint, body)
        except NotOfferedError:
            self._not_offered.add(endpoint)
            raise

    async def _write(self, device_id: str, endpoint: str, body: Answer) -> None:
        """Send a command; wait out a busy controller as long as a person would."""
        gate = self._gates[device_id]
        give_up = time.monotonic() + PATIENCE
        async with gate.lock:
            while True:
                wait = gate.next_write - time.monotonic()
                if gate.next_write > give_up:
                    raise BusyError("the controller is busy", retry_after=wait)
                await asyncio.sleep(max(0, wait))
                spacing = WRITE_SPACING
                try:
                    path = _device_path(device_id, endpoint)
                    await self._request(HTTPMethod.POST, path, check_write, body)
                except BusyError as err:
                    # Rejected at once, so not run: it is safe to send it again.
                    spacing = err.retry_after or DEFAULT_RETRY_AFTER
                else:
                    return
                finally:
                    gate.next_write = time.monotonic() + spacing

    async def _data(self, method: HTTPMethod, path: str) -> Answer:
        data = (await self._request(method, path, check)).get("data")
        if not isinstance(data, dict):
            raise UnexpectedResponseError("the answer has no data")
        return data

    async def _request[T](
        self,
        method: HTTPMethod,
        path: str,
        read: Callable[[Response], T],
        body: Answer | None = None,
    ) -> T:
        """Return what is read of an answer; ask again where the token may be void."""
        started, response, error, answer = time.monotonic(), None, None, None
        data = b"" if body is None else json.dumps(body).encode()
        try:
            response = await self._answered(method, path, data)
            result = read(response)
            answer = result if isinstance(result, dict) else None
        except PoolctlError as err:
            error = err
            raise
        else:
            return result
        finally:
            if response is not None or error is not None:
                device_id, endpoint = _owner(path)
                seconds = time.monotonic() - started
                self._facts(device_id).emit(
                    CloudRequest(
                        method, endpoint, data, response, answer, seconds, error
                    )
                )

    async def _answered(self, method: HTTPMethod, path: str, data: bytes) -> Response:
        token = await self._token()
        response = await self._send(method, path, data, token)
        newer = await self._newer_token(response, path, token)
        if newer is None:
            return response
        status = response.status
        response = await self._send(method, path, data, newer)
        if may_blame_token(response):
            self._blameless.add(path)
        elif response.status < HTTPStatus.MULTIPLE_CHOICES:
            self._facts(SERVICE).emit(AccessRenewed(status))
        return response

    async def _newer_token(
        self, response: Response, path: str, token: str
    ) -> str | None:
        """Return another token where a refusal may blame this one, else `None`.

        401 does. Of 400, 403 and `FAILED` nobody knows: they count while the token is
        not fresh, unless the endpoint has refused a fresh one, too.
        """
        if not may_blame_token(response):
            self._blameless.discard(path)
            return None
        if response.status == HTTPStatus.UNAUTHORIZED:
            return await self._token(refused=token)
        now = time.monotonic()
        if path in self._blameless or (
            token == self._fresh and now < self._fresh_until
        ):
            return None
        try:
            newer = await self._token(refused=token)
        except UnreachableError:
            return None
        self._fresh, self._fresh_until = newer, now + FRESH
        return None if newer == token else newer

    async def _send(
        self,
        method: HTTPMethod,
        path: str,
        data: bytes,
        token: str,
    ) -> Response:
        response = await exchange(
            self._session,
            method,
            self._base.joinpath(path),
            data=data or None,
            headers={
                "Authorization": f"Bearer {token}",
                "Content-Type": "application/json",
            },
            timeout=TIMEOUT,
            limit=MAX_RESPONSE,
        )
        if self._clock is not None:
            self._clock.confirm(response.headers.get("Date"))
        return response


def _owner(path: str) -> tuple[str, str]:
    """Return whose facts a path belongs to, and its endpoint."""
    *_, owner, endpoint = path.split("/")
    return (owner if is_device_id(owner) else SERVICE), endpoint


def _device_path(device_id: str, endpoint: str) -> str:
    return f"{V1}/iot-shadow/device/{device_id}/{endpoint}"
