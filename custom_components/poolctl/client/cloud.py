"""The cloud service (protocol.md 2 to 8).

Published: sign-in, sites, `dashboardInfo`, `setPumpInfo`, the error table and limits.
Observed (protocol.md O5): `userinfo` and the path and shape of `envelope-key`.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
import time
from typing import Protocol

from aiohttp import ClientSession
from yarl import URL

from .clock import Clock
from .endpoints import (
    DASHBOARD,
    ENDPOINTS,
    KEY,
    SITES,
    STATUSES,
    USER_INFO,
    Gate,
    Gates,
    ServiceRequest,
)
from .facts import SERVICE, Change, CloudRequest, Facts, FactsOf
from .wire.cloud_answers import (
    DEFAULT_RETRY_AFTER,
    Device,
    Inventory,
    check,
    check_write,
    dashboard_of,
    data_of,
    may_blame_token,
    parse_device,
    parse_envelope_key,
    parse_inventory,
)
from .wire.exceptions import (
    AuthenticationError,
    BusyError,
    NotOfferedError,
    NotSupportedError,
    PoolctlError,
    ProtocolError,
    RefusedError,
    UnreachableError,
)
from .wire.http import Response, exchange
from .wire.json_values import Answer, as_json, list_of, text

MAX_CLOUD_RESPONSE = 1024 * 1024
CLOUD_TIMEOUT = 20.0
"""Seconds for an answer; the service waits 10 s for a controller (protocol.md 8)."""
_LOST_AFTER = 30.0
"""Seconds between two reads (protocol.md 8); two fit before a state expires."""
_UNSENT = 0.5
"""Seconds after its end in which a request that was sent reports its own error."""
WRITE_SPACING = 2.0
"""Seconds between two writes to one controller (protocol.md 8)."""
_USER_INFO_LIMIT = 5.0
"""Seconds; a user waits for it, and can do without."""
QUEUE_TIMEOUT = 65.0
"""Seconds for a command of 10 s behind five others of 10 s, and for the longest wait that
is documented, 1m0s (protocol.md 7.1, 8)."""
COPY_AGE = 35.0
"""Maximum age of a read in seconds: 30 for copies (protocol.md 8), plus a margin."""
TOKEN_IS_NEW = 300.0
"""Seconds for which a renewed token is assumed to be valid."""
SILENT_AFTER = 900.0
"""Seconds without a change after which a controller reported offline is unreachable."""
_STATUSES_AGE = 25.0
"""Seconds; less than the 30 between read cycles, so that each cycle may read them."""
_SITES_AGE = 120.0
"""Seconds; the sites are larger, and only read if statuses are refused (chosen)."""


class TokenProvider(Protocol):
    """Provides the access token."""

    async def __call__(self, *, refused: str | None = None) -> str:
        """Return a token other than the refused one, or raise a PoolctlError."""


class CloudClient:
    """Talks to the service for one account.

    Methods raise UnreachableError, ForbiddenError (403), NotOfferedError (404, 405),
    BusyError (429, with `retry_after`), ServiceError (5xx), CommandFailedError
    (`status: FAILED`) and ProtocolError; those of published endpoints raise
    AuthenticationError (401), too. Writes raise UnconfirmedError if the answer does
    not state whether they were done.

    The answers of an endpoint that is not published affect only that endpoint.
    """

    def __init__(
        self,
        session: ClientSession,
        base_url: str,
        token: TokenProvider,
        facts: FactsOf = lambda device_id: Facts(),
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
        self._facts = facts
        self.gates = defaultdict(Gate) if gates is None else gates
        self._key_path = 0
        """Index of the key's path that last worked."""
        self._token = token
        self._fresh = ""
        """The newest renewed token."""
        self._fresh_until = 0.0
        self._refused_anyway: set[str] = set()
        """Paths that also refused a renewed token."""
        self._dashboards: dict[str, tuple[Answer, float]] = {}
        """Newest dashboards, and when the controllers were last alive (monotonic)."""
        self._online: dict[str, bool | None] = {}
        self._online_until = 0.0
        self._online_lock = asyncio.Lock()

    @property
    def not_offered(self) -> frozenset[str]:
        """The endpoints that this service has answered with a 404 or 405."""
        paths = Counter(
            (device_id, path.rsplit("/", 1)[1])
            for device_id, gate in self.gates.items()
            for path, failure in gate.failures.items()
            if isinstance(failure.error, NotOfferedError)
        )
        return frozenset(
            name
            for (_, name), count in paths.items()
            if count == len(ENDPOINTS[name].paths)
        )

    async def inventory(self) -> Inventory:
        """List the sites and their controllers (protocol.md 4.1)."""
        return parse_inventory(await self._send_once(ServiceRequest(SITES), check))

    async def user_id(self) -> str | None:
        """Return the account's identifier; never raises, as the account has others."""
        try:
            async with asyncio.timeout(_USER_INFO_LIMIT):
                answer = await self._send_once(ServiceRequest(USER_INFO), check)
        except PoolctlError, TimeoutError:
            return None
        return text(answer, "sub") or None

    async def envelope_key(self, device_id: str, *, urgent: bool = False) -> bytes:
        """Return the envelope key of a controller (protocol.md 5.2, O5).

        Its path is not published: if one fails, the next one is tried. Raises the first
        error, which is EnvelopeError if the answer contained no key. A path that was
        not offered is tried once a day, or at a user's urgent request.
        """
        refusal: PoolctlError | None = None
        count = len(KEY.paths)
        for number in ((self._key_path + step) % count for step in range(count)):
            request = ServiceRequest(KEY, device_id, number)
            if urgent:
                self.gates[device_id].failures.pop(request.path, None)
            try:
                key = parse_envelope_key(await self._send_in_turn(request, data_of))
            except (RefusedError, ProtocolError) as err:
                refusal = refusal or err
            else:
                self._key_path = number
                return key
        raise refusal or NotOfferedError("no path of the key")

    async def dashboard(self, device_id: str) -> Answer:
        """Return the dashboard of a controller (protocol.md 2.5).

        If nothing comes in the time between two reads, it is requested again, once: the
        answer may be lost, or behind six commands (protocol.md 8), and then is a copy.
        """
        read = partial(dashboard_of, fields=DASHBOARD.fields)
        request, asked = ServiceRequest(DASHBOARD, device_id), time.monotonic()
        try:
            return await self._send_in_turn(request._replace(silence=_LOST_AFTER), read)
        except UnreachableError:
            if time.monotonic() - asked < _LOST_AFTER:
                raise
        return await self._send_in_turn(request, read)

    async def live_dashboard(self, device_id: str) -> Answer:
        """Return the dashboard if the service reaches the controller.

        Raises UnreachableError if the controller has been reported offline, without a
        change of its dashboard, for 15 minutes: what the service reports may be as old
        as its copies, so a dashboard that changes is trusted (chosen).
        """
        dashboard = await self.dashboard(device_id)
        now = time.monotonic()
        previous, since = self._dashboards.get(device_id, (None, now))
        if dashboard != previous:
            since = now
        else:
            online = await self.online(device_id)
            self._facts(device_id).emit(Change("online", online))
            since = since if online is False else now
        self._dashboards[device_id] = dashboard, since
        if now - since >= SILENT_AFTER:
            raise UnreachableError("the service does not reach the controller")
        return dashboard

    async def online(self, device_id: str) -> bool | None:
        """Return `online` as the service reports it, `None` if it does not.

        It is read for all controllers of the account at once: observed
        (`deviceOnlineStatuses`, protocol.md O5), else published (protocol.md 2.4).
        """
        async with self._online_lock:
            if time.monotonic() >= self._online_until:
                devices: Iterable[Device | None] = ()
                age = _STATUSES_AGE
                try:
                    read = partial(data_of, fields=STATUSES.fields)
                    data = await self._send_once(ServiceRequest(STATUSES), read)
                    devices = (parse_device(e, "") for e in list_of(data, "devices"))
                except PoolctlError:
                    age = _SITES_AGE
                    with suppress(PoolctlError):
                        devices = (await self.inventory()).devices
                self._online = {each.device_id: each.online for each in devices if each}
                self._online_until = time.monotonic() + age
        return self._online.get(device_id)

    async def read(
        self, device_id: str, endpoint: str, *, give_up: float | None = None
    ) -> Answer:
        """Return the data of an observed endpoint (protocol.md O5).

        An endpoint that failed is not requested again for a while. A user's command,
        which gives up at a time, requests it anyway and waits for a busy controller.
        """
        request = ServiceRequest(ENDPOINTS[endpoint], device_id, give_up=give_up)
        read = partial(data_of, fields=request.endpoint.fields)
        return await self._send_in_turn(request, read)

    async def write(
        self,
        device_id: str,
        endpoint: str,
        body: Answer,
        *,
        give_up: float | None = None,
    ) -> None:
        """Send a command (protocol.md 4.1, O5); returns once the controller took it."""
        end = time.monotonic() + QUEUE_TIMEOUT if give_up is None else give_up
        data, known = as_json(body), ENDPOINTS[endpoint]
        request = ServiceRequest(known, device_id, data=data, give_up=end)
        await self._send_in_turn(request, check_write)

    async def _send_in_turn[T](
        self, request: ServiceRequest, read: Callable[[Response], T]
    ) -> T:
        """Send a request to a controller, one at a time.

        An urgent one waits while the controller is busy. What was answered with a 429
        did not run, so a write may be sent again.
        """
        gate = self.gates[request.device_id]
        limit = request.seconds() + _UNSENT if request.urgent else None
        try:
            async with (
                # What was sent ends by itself, so this ends what was not sent yet.
                asyncio.timeout(limit),
                gate.turns.held(urgent=request.urgent),
            ):
                while True:
                    if request.data is not None and gate.next_write > gate.busy_until:
                        wait = gate.next_write - time.monotonic()
                        await asyncio.sleep(max(0.0, wait))
                    try:
                        return await self._send_once(request, read)
                    except BusyError as err:
                        wait = err.retry_after or DEFAULT_RETRY_AFTER
                        if not request.urgent or wait > request.seconds():
                            raise
                        await asyncio.sleep(wait)
        except TimeoutError:
            raise UnreachableError("no turn in time", ran=False) from None

    async def _send_once[T](
        self, request: ServiceRequest, read: Callable[[Response], T]
    ) -> T:
        """Send a request, return what `read` makes of the answer, and emit a fact.

        Raises the error that keeps it from being sent now, or that of the answer.
        """
        gate, endpoint = self.gates[request.device_id], request.endpoint
        gate.check(request)
        token = await self._token()  # if there is none, the endpoint did not fail
        started, response = time.monotonic(), None
        error: PoolctlError | None = None
        raised: PoolctlError | None = None
        try:
            response = await self._answered(request, token)
            return read(response)
        except PoolctlError as err:
            error = raised = err
            if not endpoint.published and isinstance(err, AuthenticationError):
                raised = NotSupportedError(str(err))
            raise raised from None
        finally:
            if request.data is not None:
                gate.next_write = time.monotonic() + WRITE_SPACING
            if response is not None or error is not None:
                gate.answered(request, raised)
                fact = CloudRequest(
                    method=request.method,
                    endpoint=endpoint.name,
                    body=request.data or b"",
                    response=response,
                    seconds=time.monotonic() - started,
                    error=error,
                )
                self._facts(request.device_id).emit(fact)

    async def _answered(self, request: ServiceRequest, token: str) -> Response:
        """Return an answer; repeat the request if the token may be invalid."""
        response = await self._send(request, token)
        if not may_blame_token(response):
            self._refused_anyway.discard(request.path)
            return response
        newer = token
        if request.endpoint.published:
            certain = response.status == HTTPStatus.UNAUTHORIZED
            newer = await self._renewed(request.path, token, certain=certain)
        elif request.urgent:
            # It proves nothing about a token: a published endpoint is requested.
            try:
                await self.inventory()
            except AuthenticationError:
                raise
            except PoolctlError:
                return response
            newer = await self._token()
        if newer == token:
            return response
        again = await self._send(request, newer)
        if may_blame_token(again):
            self._refused_anyway.add(request.path)
        elif again.status < HTTPStatus.MULTIPLE_CHOICES:
            self._facts(SERVICE).emit(Change("access", response.status))
        return again

    async def _renewed(self, path: str, token: str, *, certain: bool) -> str:
        """Return another token if a published endpoint may have refused this one.

        401 means that it did (`certain`); other refusals may mean it, unless the token
        is fresh. If an endpoint also refuses the renewed token, its refusals are ignored
        until it succeeds (chosen; protocol.md C2).
        """
        now = time.monotonic()
        fresh = token == self._fresh and now < self._fresh_until
        if path in self._refused_anyway or (fresh and not certain):
            return token
        try:
            newer = await self._token(refused=token)
        except BusyError, UnreachableError:
            if certain:
                raise  # whether a sign-in is needed is not clear
            return token
        self._fresh, self._fresh_until = newer, now + TOKEN_IS_NEW
        return newer

    async def _send(self, request: ServiceRequest, token: str) -> Response:
        response = await exchange(
            self._session,
            request.method,
            self._base.joinpath(request.path),
            data=request.data,
            headers={
                "Authorization": f"Bearer {token}",
                "Content-Type": "application/json",
            },
            timeout=request.seconds(QUEUE_TIMEOUT if request.queued else CLOUD_TIMEOUT),
            silence=request.silence,
            limit=MAX_CLOUD_RESPONSE,
        )
        if self._clock is not None:
            self._clock.confirm(response.headers.get("Date"))
        return response


class UrgentCloud:
    """The cloud for one command of a user: its requests go first, and share its time."""

    def __init__(self, cloud: CloudClient, device_id: str, give_up: float) -> None:
        """Send to one controller until a time (monotonic, s)."""
        self._cloud, self._device_id, self._give_up = cloud, device_id, give_up

    async def read(self, endpoint: str) -> Answer:
        """Return the data of an observed endpoint, as `CloudClient.read` does."""
        return await self._cloud.read(self._device_id, endpoint, give_up=self._give_up)

    async def write(self, endpoint: str, body: Answer) -> None:
        """Send a command, as `CloudClient.write` does."""
        await self._cloud.write(self._device_id, endpoint, body, give_up=self._give_up)
