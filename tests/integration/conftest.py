"""A real Home Assistant core beside the simulated service, over real sockets."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
import logging
import socket
import threading
from types import ModuleType
from typing import Any, Final, override
from unittest.mock import patch

from aiohttp import ClientSession
from aiohttp.abc import AbstractResolver, ResolveResult
import freezegun
from homeassistant.components.application_credentials import (
    ClientCredential,
    async_import_client_credential,
)
from homeassistant.config_entries import ConfigFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers.entity import Entity
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component import patch_time
from pytest_homeassistant_custom_component.syrupy import HomeAssistantSnapshotExtension
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator
from syrupy.assertion import SnapshotAssertion
from yarl import URL

from custom_components.poolctl.binary_sensor import PoolctlBinarySensor
from custom_components.poolctl.client import cloud as cloud_module
from custom_components.poolctl.client.coalescing import Coalescer
from custom_components.poolctl.client.control import (
    lan_delivery,
    poller as poller_module,
    queries as queries_module,
    sender as sender_module,
)
from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.entity import PoolctlEntity
from custom_components.poolctl.network import proof as proof_module
from tests.home.complaints import no_complaints
from tests.loops import never_waiting
from tests.simulator import NOON, Clock, Controller, Pool, pipeline
from tests.simulator.visitors import Replayer

from .home import Home
from .service import CLIENT_ID, CLIENT_SECRET, FULL_ID, SMALL_ID, Service

# A line for every entity that is registered, each formatted four times, is a fifth of
# the time that all tests take.
logging.getLogger("homeassistant").setLevel(logging.WARNING)

PATIENCE: Final = 10
"""Seconds that a thread of a test that is over has to end."""

pytest_asyncio_loop_factories = never_waiting


def _names_of(module: ModuleType) -> str:
    """Tell freezegun whether a module has got another name since it was looked through."""
    return f"{id(module)}-{len(module.__dict__)}"


# To compare all names of 2,600 modules took every test half of the time that it needs to
# freeze time: how many there are is enough.
patch_time.ha_get_module_attributes_hash = _names_of


def _goes_on() -> bool:
    """Tell freezegun whether time is frozen no more."""
    return not freezegun.api.freeze_factories


# Likewise, who asks for the time was looked for on the stack, to tell pytest the real one.
# That knows it by itself.
freezegun.configure(extend_ignore_list=["_pytest.timing"])
patch_time.ha_should_use_real_time = _goes_on


NOON_OF_A_WEDNESDAY = "2026-11-18 20:00:00+00:00"
"""In the time zone of the tests."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let time stand still at the same moment, unless a test says which.

    Else a test would begin at the hour at which it runs, and cross midnight now and then.
    """
    for item in items:
        frozen = "freezer" in getattr(item, "fixturenames", ())
        if frozen and item.get_closest_marker("freeze_time") is None:
            item.add_marker(pytest.mark.freeze_time(NOON_OF_A_WEDNESDAY))


@pytest.fixture(autouse=True)
async def _threads_end(verify_cleanup: None) -> AsyncGenerator[None]:
    """Let threads that are about to end do so before the test harness looks for any.

    On a busy machine a thread of Home Assistant's may outlive its test for a moment. It has
    stopped by then, because whoever asks for it asks for this first.
    """
    ahead = {*threading.enumerate()}
    yield
    await asyncio.get_running_loop().shutdown_default_executor()
    for thread in {*threading.enumerate()} - ahead:
        if not thread.daemon:
            thread.join(PATIENCE)


@pytest.fixture(autouse=True)
def _custom_integration(
    request: pytest.FixtureRequest, socket_enabled: None, _threads_end: None
) -> None:
    """Let Home Assistant, where a test has one, load ours; everybody may use loopback."""
    if "hass" in request.fixturenames:
        request.getfixturevalue("enable_custom_integrations")


@pytest.fixture(autouse=True)
def _nothing_deprecated() -> Generator[None]:
    """Fail a test during which Home Assistant announced that something of ours ends."""
    with no_complaints():
        yield


@pytest.fixture(autouse=True)
def _nothing_missed() -> Generator[None]:
    """Fail a test in which an entity that shows no figures missed that something changed."""
    missed = []

    def look(entity: PoolctlEntity[Any]) -> None:
        besides, shown = entity._besides_figures, entity._shown
        concerned = besides is not entity.coordinator.besides.shown
        if not entity.shows_figures and not concerned and entity._update():
            missed.append((entity.entity_id, shown, entity._shown))
        update(entity)

    update = PoolctlEntity._handle_coordinator_update
    with patch.object(PoolctlEntity, "_handle_coordinator_update", look):
        yield
    assert missed == []


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
    async with found.running():
        yield found


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
        service.clock.speed = 50  # the cloud takes its time
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
    monkeypatch.setattr(sender_module, "READ_BACK", (0.01, 0.03, 0.06, 0.1))
    # Where time is frozen, nothing that keeps a pace would ever be sent.
    monkeypatch.setattr(Coalescer.__init__, "__defaults__", (0.0,))


@pytest.fixture
def all_enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enable entities that are disabled by default, too."""
    always = property(lambda entity: True)
    for entity in (Entity, PoolctlBinarySensor):
        monkeypatch.setattr(entity, "entity_registry_enabled_default", always)


@pytest.fixture
def hurried(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service's time fly, and neither it nor who asks it keep a pace."""
    service.clock.speed = 50
    monkeypatch.setattr(pipeline, "WRITE_GAP", 0.0)
    monkeypatch.setattr(pipeline, "COMMAND_GAP", 0.0)
    monkeypatch.setattr(cloud_module, "WRITE_SPACING", 0.0)


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
    """Ask and send again at once: sleepers never wake while time stands still."""
    monkeypatch.setattr(queries_module, "SPACING", 0.0)
    monkeypatch.setattr(poller_module, "SECOND_TRY", 0.0)
    monkeypatch.setattr(proof_module, "BETWEEN_FRAMES", 0.0)
    monkeypatch.setattr(proof_module, "BETWEEN_QUESTIONS", 0.0)
    monkeypatch.setattr(lan_delivery, "_AGAIN", (0.0,) * 4)
    monkeypatch.setattr(lan_delivery, "_UNPROVEN", 0.0)


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Keep snapshots beside the tests, in Home Assistant's own form."""
    return snapshot.use_extension(HomeAssistantSnapshotExtension)


@pytest.fixture
def home(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    request: pytest.FixtureRequest,
) -> Home:
    """Return a home whose account is still to be set up."""
    return Home(hass, service, request)


@pytest.fixture
async def small(home: Home) -> Home:
    """Set up an account with just the small pool."""
    home.own(home.service.small)
    await home.set_up(home.service.small)
    return home


@pytest.fixture
async def full(home: Home) -> Home:
    """Set up an account with just the fully equipped pool."""
    home.own(home.service.full)
    await home.set_up(home.service.full)
    return home


@pytest.fixture
async def replayer(socket_enabled: None) -> AsyncGenerator[Replayer]:
    """Somebody on the network who answers with what was recorded."""
    found = Replayer()
    found.start()
    yield found
    await found.stop()
