"""The cloud service (protocol.md 2 to 8).

Published: sign-in, sites, `dashboardInfo`, `setPumpInfo`, the error table and limits.
Observed (protocol.md O5): `userinfo` and the path and shape of `envelope-key`.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPMethod, HTTPStatus
import time

from aiohttp import ClientSession
from yarl import URL

from .clock import Clock
from .endpoints import (
    DASHBOARD,
    ENDPOINTS,
    KEY,
    MANUAL_SET,
    SET_PUMP,
    SITES,
    STATUSES,
    USER_INFO,
    Attempts,
    Endpoint,
)
from .facts import SERVICE, Change, CloudRequest, FactsOf, unobserved
from .online import Liveness
from .renewals import Renewals, TokenProvider
from .wire.cloud_answers import (
    DEFAULT_RETRY_AFTER,
    Inventory,
    check,
    check_write,
    is_device_id,
    may_blame_token,
    parse_envelope_key,
    parse_inventory,
)
from .wire.equipment import MAIN_PUMP
from .wire.exceptions import (
    AuthenticationError,
    BusyError,
    NotOfferedError,
    NotSupportedError,
    PoolctlError,
    ProtocolError,
    RefusedError,
    UnexpectedResponseError,
)
from .wire.http import Response, exchange
from .wire.json_values import Answer, as_json, text

MAX_RESPONSE = 1024 * 1024
TIMEOUT = 20.0
"""Seconds for a read; the service waits 10 s for a controller (protocol.md 8)."""
_USER_INFO_LIMIT = 5.0
"""Seconds; a user waits for it, and can do without."""
WRITE_TIMEOUT = 65.0
"""Seconds for a write: 10 s, behind five others of 10 s (protocol.md 8)."""
WRITE_SPACING = 2.0
"""Seconds between two writes to one controller (protocol.md 8)."""
PATIENCE = 65.0
"""Seconds that a user's command waits while the controller is busy: the longest wait
that is documented is 1m0s (protocol.md 7.1)."""
COPY_AGE = 35.0
"""Maximum age of a read in seconds: 30 for copies (protocol.md 8), plus a margin."""


@dataclass(slots=True)
class Gate:
    """The limits of one controller (protocol.md 8), times are monotonic in seconds."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    next_write: float = 0.0
    busy_until: float = 0.0
    """End of the wait that the service asked for (protocol.md 7.1)."""
    read_busy_until: float = 0.0
    """The same for the published read: its copy is served during a cool-down."""

    last_busy: str = ""
    """Endpoint that started the last wait."""

    def check(self, *, published: bool) -> None:
        """Raise BusyError during a wait that the service asked for."""
        until = self.read_busy_until if published else self.busy_until
        if (left := until - time.monotonic()) > 0:
            raise BusyError("the service asked to wait", retry_after=left)

    def wait(self, seconds: float, endpoint: str, *, published: bool) -> None:
        """Start a wait; a busy published read means that all else is busy, too."""
        self.last_busy = endpoint
        self.busy_until = max(self.busy_until, time.monotonic() + seconds)
        if published:
            self.read_busy_until = self.busy_until


class Gates(defaultdict[str, Gate]):
    """The gates of an account by controller, `SERVICE` for the account itself.

    They may outlast the client: a wait ends neither with a reload nor with a failed
    set-up.
    """

    def __init__(self) -> None:
        """Start without waits."""
        super().__init__(Gate)


class CloudClient:
    """Talks to the service for one account.

    Methods raise UnreachableError, ForbiddenError (403), NotOfferedError (404, 405),
    BusyError (429, with `retry_after`), ServiceError (5xx), CommandFailedError
    (`status: FAILED`) and UnexpectedResponseError; those of published endpoints raise
    AuthenticationError (401), too. Writes raise UnconfirmedError if the answer does
    not state whether they were done.

    The answers of an endpoint that is not published affect only that endpoint.
    """

    def __init__(
        self,
        session: ClientSession,
        base_url: str,
        token: TokenProvider,
        facts: FactsOf = unobserved,
        clock: Clock | None = None,
        gates: Gates | None = None,
    ) -> None:
        """Create the client; the caller keeps ownership of the session.

        `facts` returns the object that emits facts. `clock` is compared with the `Date`
        header of answers. `gates` are those of earlier clients of this account.
        """
        self._session = session
        self._clock = clock
        self._base = URL(base_url)
        self._token = token
        self._renewals = Renewals(token)
        self._gates = Gates() if gates is None else gates
        self._attempts: defaultdict[tuple[str, str], Attempts] = defaultdict(Attempts)
        """Attempts by controller ("" for the account) and endpoint."""
        self._key_path = 0
        """Index of the key's path that last worked."""
        self._facts = facts
        self._liveness = Liveness(self._statuses, self.inventory, facts)

    @property
    def not_offered(self) -> frozenset[str]:
        """The endpoints that this service has answered with a 404 or 405."""
        return frozenset(
            name
            for (_, name), attempts in self._attempts.items()
            if isinstance(attempts.error, NotOfferedError)
        )

    def last_busy(self, device_id: str) -> str:
        """Return the last endpoint that was busy: it may always be."""
        return self._gates[device_id].last_busy

    async def inventory(self) -> Inventory:
        """List the sites and their controllers (protocol.md 4.1)."""
        answer = await self._request(SITES, SITES.path(""), check)
        return parse_inventory(answer)

    async def _statuses(self) -> Answer:
        return await self._attempt(STATUSES)

    async def user_id(self) -> str | None:
        """Return the account's stable identifier, `None` if it is not offered.

        No error is raised: the account has other identifiers.
        """
        try:
            async with asyncio.timeout(_USER_INFO_LIMIT):
                answer = await self._request(USER_INFO, USER_INFO.path(""), check)
        except PoolctlError, TimeoutError:
            return None
        return text(answer, "sub") or None

    async def envelope_key(self, device_id: str) -> bytes:
        """Return the envelope key of a controller (protocol.md 5.2, O5).

        Its path is not published: if one fails, the next one is tried. Raises the first
        error, which is EnvelopeError if the answer contained no key.
        """
        refusal: PoolctlError | None = None
        count = len(KEY.paths)
        for number in ((self._key_path + step) % count for step in range(count)):
            try:
                async with self._gates[device_id].lock:
                    data = await self._data(KEY, KEY.path(device_id, number))
                key = parse_envelope_key(data)
            except (RefusedError, ProtocolError) as err:
                refusal = refusal or err
            else:
                self._key_path = number
                return key
        raise refusal or NotOfferedError("no path of the key")

    async def dashboard(self, device_id: str) -> Answer:
        """Return the dashboard of a controller (protocol.md 2.5)."""
        async with self._gates[device_id].lock:
            data = await self._data(DASHBOARD, DASHBOARD.path(device_id))
        dashboard = data.get("dashboard")
        if not isinstance(dashboard, dict):
            raise UnexpectedResponseError("the answer has no dashboard")
        return dashboard

    async def live_dashboard(self, device_id: str) -> Answer:
        """Return the dashboard; raises UnreachableError as `Liveness.check` does."""
        dashboard = await self.dashboard(device_id)
        await self._liveness.check(device_id, dashboard)
        return dashboard

    async def read(
        self, device_id: str, endpoint: str, *, urgent: bool = False
    ) -> Answer:
        """Return the data of an observed endpoint (protocol.md O5).

        An endpoint that failed is not requested again for a while. An urgent read, part
        of a user's command, requests it anyway and waits for a busy controller.
        """
        async with self._gates[device_id].lock:
            give_up = time.monotonic() + PATIENCE
            while True:
                try:
                    return await self._attempt(
                        ENDPOINTS[endpoint], device_id, urgent=urgent
                    )
                except BusyError as err:
                    wait = err.retry_after or DEFAULT_RETRY_AFTER
                    if not urgent or time.monotonic() + wait > give_up:
                        raise
                    await asyncio.sleep(wait)

    async def _attempt(
        self, endpoint: Endpoint, device_id: str = "", *, urgent: bool = False
    ) -> Answer:
        """Read an observed endpoint unless it failed recently."""
        self._gates[device_id or SERVICE].check(published=False)
        attempts = self._attempts[device_id, endpoint.name]
        if not urgent or isinstance(attempts.error, NotOfferedError):
            attempts.check()
        try:
            data = await self._data(endpoint, endpoint.path(device_id), urgent=urgent)
        except PoolctlError as err:
            attempts.failed(err)
            raise
        attempts.worked()
        return data

    async def set_aux(self, device_id: str, slot: int, aux_type: int, on: bool) -> None:
        """Switch a slot by hand (observed, protocol.md O5)."""
        await self._write(
            device_id,
            MANUAL_SET,
            {
                "aux_switch_state": int(on),
                "aux_type_code": aux_type,
                "aux_slot_num": slot,
            },
        )

    async def set_pump(self, device_id: str, slot: int, on: bool, speed: int) -> None:
        """Run or stop the main pump at a speed in % (protocol.md 2.6, O5).

        Returns when the controller has acknowledged it.
        """
        await self._write(
            device_id,
            SET_PUMP,
            {
                "aux_switch_state": int(on),
                "aux_type_code": MAIN_PUMP,
                "pump_speed": speed,
                "aux_slot_num": slot,
            },
        )

    async def write(self, device_id: str, endpoint: str, body: Answer) -> None:
        """Send a command to an observed endpoint (protocol.md O5).

        A 404 marks it as not offered, as in `read`.
        """
        attempts = self._attempts[device_id, endpoint]
        attempts.check()
        try:
            await self._write(device_id, ENDPOINTS[endpoint], body)
        except NotOfferedError as err:
            attempts.failed(err)
            raise

    async def _write(self, device_id: str, endpoint: Endpoint, body: Answer) -> None:
        """Send a command; wait up to `PATIENCE` seconds for a busy controller."""
        gate, data = self._gates[device_id], as_json(body)
        give_up = time.monotonic() + PATIENCE
        async with gate.lock:
            while True:
                ready = max(gate.next_write, gate.busy_until)
                wait = ready - time.monotonic()
                if ready > give_up:
                    raise BusyError("the controller is busy", retry_after=wait)
                await asyncio.sleep(max(0, wait))
                try:
                    path = endpoint.path(device_id)
                    await self._request(
                        endpoint, path, check_write, data=data, urgent=True
                    )
                except BusyError:
                    continue  # it was rejected and did not run: it is sent again
                else:
                    return
                finally:
                    gate.next_write = time.monotonic() + WRITE_SPACING

    async def _data(
        self, endpoint: Endpoint, path: str, *, urgent: bool = False
    ) -> Answer:
        answer = await self._request(endpoint, path, check, urgent=urgent)
        data = answer.get("data")
        if not isinstance(data, dict):
            raise UnexpectedResponseError("the answer has no data")
        return data

    async def _request[T](
        self,
        endpoint: Endpoint,
        path: str,
        read: Callable[[Response], T],
        *,
        data: bytes | None = None,
        urgent: bool = False,
    ) -> T:
        """Send a request, return what `read` makes of the answer, and emit a fact."""
        device_id, name = _owner(path)
        gate, published = self._gates[device_id], endpoint.published and data is None
        gate.check(published=published)
        started, response = time.monotonic(), None
        error: PoolctlError | None = None
        try:
            response = await self._answered(endpoint, path, data, urgent=urgent)
            result = read(response)
        except AuthenticationError as err:
            error = err
            if endpoint.published:
                raise
            raise NotSupportedError(str(err)) from None
        except PoolctlError as err:
            error = err
            if isinstance(err, BusyError):
                wait = err.retry_after or DEFAULT_RETRY_AFTER
                gate.wait(wait, name, published=published)
            raise
        else:
            return result
        finally:
            if response is not None or error is not None:
                seconds = time.monotonic() - started
                method, body = _method(data), data or b""
                self._facts(device_id).emit(
                    CloudRequest(method, name, body, response, seconds, error)
                )

    async def _answered(
        self, endpoint: Endpoint, path: str, data: bytes | None, *, urgent: bool
    ) -> Response:
        """Return an answer; repeat the request if the token may be invalid.

        An endpoint that is not published does not prove that: if the user waits, a
        published one is requested to check the token.
        """
        token = await self._token()
        response = await self._send(path, data, token)
        newer = None
        if endpoint.published:
            newer = await self._renewals.newer(response, path, token)
        elif urgent and may_blame_token(response):
            newer = await self._checked(token)
        if newer is None:
            return response
        status = response.status
        response = await self._send(path, data, newer)
        in_vain = self._renewals.in_vain(response, path)
        if not in_vain and response.status < HTTPStatus.MULTIPLE_CHOICES:
            self._facts(SERVICE).emit(Change("access", status))
        return response

    async def _checked(self, token: str) -> str | None:
        """Return another token if a published endpoint refuses this one, or `None`."""
        try:
            await self.inventory()
        except AuthenticationError:
            raise
        except PoolctlError:
            return None
        newer = await self._token()
        return None if newer == token else newer

    async def _send(self, path: str, data: bytes | None, token: str) -> Response:
        response = await exchange(
            self._session,
            _method(data),
            self._base.joinpath(path),
            data=data,
            headers={
                "Authorization": f"Bearer {token}",
                "Content-Type": "application/json",
            },
            timeout=TIMEOUT if data is None else WRITE_TIMEOUT,
            limit=MAX_RESPONSE,
        )
        if self._clock is not None:
            self._clock.confirm(response.headers.get("Date"))
        return response


def _method(data: bytes | None) -> HTTPMethod:
    return HTTPMethod.GET if data is None else HTTPMethod.POST


def _owner(path: str) -> tuple[str, str]:
    """Return the controller, or `SERVICE`, and the endpoint of a path."""
    *_, owner, endpoint = path.split("/")
    return (owner if is_device_id(owner) else SERVICE), endpoint
