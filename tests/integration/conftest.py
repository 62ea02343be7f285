"""A real Home Assistant core beside the simulated service, over real sockets."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from dataclasses import dataclass, field
import socket
import time
from typing import Any, override
from unittest.mock import patch

from aiohttp import ClientSession
from aiohttp.abc import AbstractResolver, ResolveResult
from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.application_credentials import (
    ClientCredential,
    async_import_client_credential,
)
from homeassistant.config_entries import ConfigFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity import Entity
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)
from pytest_homeassistant_custom_component.syrupy import HomeAssistantSnapshotExtension
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator
from syrupy.assertion import SnapshotAssertion
from yarl import URL

from custom_components.poolctl.client.control import (
    commander as commander_module,
    poller as poller_module,
)
from custom_components.poolctl.client.control.pending import Coalescer
from custom_components.poolctl.const import DOMAIN
from tests.simulator import NOON, Account, Clock, Cloud, Controller, Pool, Site

# Before anybody freezes time.
_REAL_SLEEP = time.sleep

CLIENT_ID, CLIENT_SECRET = "client-id", "client-secret"
SMALL_ID, FULL_ID = "AA_BB_CC_00_00_01", "AA_BB_CC_00_00_02"


@dataclass
class Service:
    """The simulated service: one account with a small and a fully equipped pool."""

    clock: Clock
    small: Controller
    full: Controller
    account: Account = field(init=False)
    cloud: Cloud = field(init=False)

    def __post_init__(self) -> None:
        sites = [
            Site("Home", controllers=[self.small]),
            Site("Beach", controllers=[self.full]),
        ]
        self.account = Account("demo@example.com", "demo", sub="user-1", sites=sites)
        self.cloud = Cloud(
            clock=self.clock,
            clients={CLIENT_ID: CLIENT_SECRET},
            accounts=[self.account],
        )

    @property
    def controllers(self) -> list[Controller]:
        return [self.small, self.full]

    def token(self) -> dict[str, Any]:
        """Sign in; return the token as an entry holds it."""
        sign_ins = self.cloud.sign_ins
        answer = sign_ins.token(
            {
                "grant_type": "authorization_code",
                "code": sign_ins.code(self.account, CLIENT_ID, "https://ha.example"),
                "redirect_uri": "https://ha.example",
                "client_id": CLIENT_ID,
                "client_secret": CLIENT_SECRET,
            }
        )
        return {**answer, "expires_at": time.time() + answer["expires_in"]}

    def entry(self, *controllers: Controller, **data: Any) -> MockConfigEntry:
        """Return an entry that remembers these controllers and their addresses."""
        return MockConfigEntry(
            domain=DOMAIN,
            title="Home",
            unique_id=self.account.sub,
            data={
                "auth_implementation": DOMAIN,
                "token": self.token(),
                "url": self.cloud.base_url,
                "controllers": {c.device_id: record(c) for c in controllers},
                **data,
            },
        )


def record(controller: Controller, **changes: Any) -> dict[str, Any]:
    """Return what an entry remembers of a controller."""
    return {
        "device_id": controller.device_id,
        "name": controller.name,
        "site": "Home",
        "mac": ":".join(controller.device_id.lower().split("_")),
        "firmware": controller.firmware,
        "host": controller.host,
        "port": controller.port,
        "key": controller.key.hex(),
        **changes,
    }


@pytest.fixture(autouse=True)
def _custom_integration(enable_custom_integrations: None, socket_enabled: None) -> None:
    """Let Home Assistant load ours, and everybody use loopback."""


@pytest.fixture
async def service(socket_enabled: None) -> AsyncGenerator[Service]:
    """Run the simulated service."""
    clock = Clock(start=NOON)
    found = Service(
        clock,
        *(
            Controller(
                device_id=device_id,
                key=bytes([number]) * 16,
                name=name,
                pool=pool,
                clock=clock,
            )
            for number, device_id, name, pool in (
                (1, SMALL_ID, "Home pool", Pool.small()),
                (2, FULL_ID, "Beach pool", Pool.full()),
            )
        ),
    )
    await found.cloud.start()
    for controller in found.controllers:
        await controller.start()
    # Let pumps prime and the chemistry settle.
    clock.advance(600)
    yield found
    for controller in found.controllers:
        await controller.stop()
    await found.cloud.stop()


@pytest.fixture
async def credentials(hass: HomeAssistant) -> None:
    """Application credentials of the simulated service."""
    assert await async_setup_component(hass, "application_credentials", {})
    await async_import_client_credential(
        hass, DOMAIN, ClientCredential(CLIENT_ID, CLIENT_SECRET), DOMAIN
    )


type SignIn = Callable[..., Awaitable[ConfigFlowResult]]


@pytest.fixture
def sign_in(
    hass: HomeAssistant, service: Service, hass_client_no_auth: ClientSessionGenerator
) -> SignIn:
    """Go through the sign-in page as a browser does; return how the flow goes on."""

    async def go(
        flow: ConfigFlowResult,
        email: str = "demo@example.com",
        *,
        cancel: bool = False,
        state: str | None = None,
        before_return: Callable[[str], object] = lambda code: None,
    ) -> ConfigFlowResult:
        assert flow["type"] is FlowResultType.EXTERNAL_STEP
        page = URL(flow["url"])
        assert page.query["scope"] == "profile"
        back = URL(page.query["redirect_uri"])
        if cancel:
            back = back.with_query(error="access_denied", state=page.query["state"])
        else:
            form = {**page.query, "email": email, "password": "demo"}
            async with (
                ClientSession() as browser,
                browser.post(page, data=form, allow_redirects=False) as response,
            ):
                back = URL(response.headers["Location"], encoded=True)
                before_return(back.query["code"])
        if state is not None:
            back = back.update_query(state=state)
        home = await hass_client_no_auth()
        answer = await home.get(str(back.relative()))
        if state is not None:
            assert answer.status == 400
            assert "Invalid state" in await answer.text()
            return flow
        assert answer.status == 200
        return await hass.config_entries.flow.async_configure(flow["flow_id"])

    return go


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for the effect of a command sooner than people would."""
    monkeypatch.setattr(commander_module, "READ_BACK", (0.05, 0.1, 0.2, 0.3))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send one value of a slider right after the other: people wait a second."""
    monkeypatch.setattr(Coalescer.__init__, "__defaults__", (0.01,))


class Names(AbstractResolver):
    """Names on the network of a test; look-ups of all others fail at once."""

    def __init__(self) -> None:
        self.addresses = {"localhost": "127.0.0.1"}
        self.asked: list[str] = []

    @override
    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,
    ) -> list[ResolveResult]:
        self.asked.append(host)
        if (address := self.addresses.get(host)) is None:
            raise OSError(f"no such name: {host}")
        return [
            ResolveResult(
                hostname=host, host=address, port=port, family=family, proto=0, flags=0
            )
        ]

    @override
    async def close(self) -> None:
        """Have nothing to close."""

    real_close = close


@pytest.fixture(autouse=True)
def names(mock_zeroconf_resolver: Any) -> Generator[Names]:
    """Take the place of Home Assistant's resolver, which would ask the network."""
    found = Names()
    with patch(
        "homeassistant.helpers.aiohttp_client._async_make_resolver", return_value=found
    ):
        yield found


@pytest.fixture(autouse=True)
def no_spacing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask background queries at once: sleepers never wake while time stands still."""
    monkeypatch.setattr(poller_module, "QUERY_SPACING", 0.0)


async def advance(
    hass: HomeAssistant,
    service: Service,
    freezer: FrozenDateTimeFactory,
    seconds: float,
    *,
    step: float | None = None,
) -> None:
    """Let time pass, in steps short enough for every timer to fire when it is due."""
    step = step or seconds
    for _ in range(round(seconds / step)):
        freezer.tick(step)
        async_fire_time_changed(hass)
        await settle(hass, service)


async def settle(hass: HomeAssistant, service: Service) -> None:
    """Wait for Home Assistant; the service's time goes on while ours stands still."""
    done = hass.async_create_task(
        hass.async_block_till_done(wait_background_tasks=True)
    )
    while not done.done():
        await hass.loop.run_in_executor(None, _REAL_SLEEP, 0.001)
        service.clock.advance(0.05)


async def pass_time(
    hass: HomeAssistant,
    service: Service,
    freezer: FrozenDateTimeFactory,
    seconds: float,
    *,
    step: float = 1.0,
) -> None:
    """Let time pass for everybody, without waiting until all is done.

    Unlike with `advance`, what nobody answers runs into its time-out.
    """
    for _ in range(round(seconds / step)):
        freezer.tick(step)
        service.clock.advance(step)
        async_fire_time_changed(hass)
        for _ in range(4):
            await hass.loop.run_in_executor(None, _REAL_SLEEP, 0.002)


async def set_up(
    hass: HomeAssistant, service: Service, entry: MockConfigEntry
) -> MockConfigEntry:
    """Set an entry up and wait for it."""
    entry.add_to_hass(hass)
    hass.async_create_task(hass.config_entries.async_setup(entry.entry_id))
    await settle(hass, service)
    return entry


async def restart(
    hass: HomeAssistant, service: Service, entry: MockConfigEntry
) -> None:
    """Start an entry anew."""
    hass.async_create_task(hass.config_entries.async_reload(entry.entry_id))
    await settle(hass, service)


@pytest.fixture
async def small(
    hass: HomeAssistant, service: Service, credentials: None
) -> MockConfigEntry:
    """Set up an account with just the small pool."""
    service.account.sites = service.account.sites[:1]
    return await set_up(hass, service, service.entry(service.small))


@pytest.fixture
async def full(
    hass: HomeAssistant, service: Service, credentials: None
) -> MockConfigEntry:
    """Set up an account with just the fully equipped pool."""
    service.account.sites = service.account.sites[1:]
    return await set_up(hass, service, service.entry(service.full))


def entity_id(
    hass: HomeAssistant, domain: str, controller: Controller, key: str
) -> str:
    """Return the entity of a controller with a key."""
    found = er.async_get(hass).async_get_entity_id(
        domain, DOMAIN, f"{controller.device_id}_{key}"
    )
    assert found is not None, f"no {domain} {key}"
    return found


def value(hass: HomeAssistant, domain: str, controller: Controller, key: str) -> str:
    """Return the state of an entity."""
    state = hass.states.get(entity_id(hass, domain, controller, key))
    assert state is not None
    return state.state


@pytest.fixture
def all_enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enable the entities, too, that are disabled by default."""
    monkeypatch.setattr(
        Entity, "entity_registry_enabled_default", property(lambda self: True)
    )


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Keep snapshots beside the tests, in Home Assistant's own form."""
    return snapshot.use_extension(HomeAssistantSnapshotExtension)
