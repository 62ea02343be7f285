"""Fixtures: Home Assistant's core and the simulated service, over real sockets.

A folder of tests of the integration has a `conftest.py` that imports everything from here.
What every test gets costs a test nothing that has no event loop.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
import inspect
import logging
import threading
from types import ModuleType
from typing import Any, Final

from aiohttp import ClientSession
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
from homeassistant.util import executor
import pytest
from pytest_homeassistant_custom_component import patch_time
from pytest_homeassistant_custom_component.syrupy import HomeAssistantSnapshotExtension
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator
from syrupy.assertion import SnapshotAssertion
from yarl import URL

from custom_components.poolctl.binary_sensor import PoolctlBinarySensor
from custom_components.poolctl.client import cloud as cloud_module, coalescing
from custom_components.poolctl.client.backoff import Backoff
from custom_components.poolctl.client.control import (
    frames as frames_module,
    lan_delivery,
    poller as poller_module,
    queries as queries_module,
    sender as sender_module,
)
from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.network import addresses, proof as proof_module
from tests.world.assistant.home import Home
from tests.world.assistant.service import (
    CLIENT_ID,
    CLIENT_SECRET,
    Service,
    two_controllers,
)
from tests.world.home.complaints import no_complaints
from tests.world.loops import never_waiting
from tests.world.names import Names, known_names
from tests.world.simulator import NOON, Clock, pipeline
from tests.world.simulator.visitors import Replayer

# Home Assistant logs a line for every registered entity and formats it four times: a
# fifth of the time of all tests.
logging.getLogger("homeassistant").setLevel(logging.WARNING)

PATIENCE: Final = 10
"""Seconds within which a thread must end after its test."""

pytest_asyncio_loop_factories = never_waiting


def _join(
    threads: set[threading.Thread], timeout: float, log: bool
) -> set[threading.Thread]:
    """Wait for the threads of a home, and interrupt none.

    On a busy machine, a thread that takes long to end waits for its turn. If it were
    interrupted then, it would not wake the next one, and the test would hang.
    """
    for thread in threads:
        thread.join(PATIENCE)
    return threads


executor.join_or_interrupt_threads = _join


def _names_of(module: ModuleType) -> str:
    """Return a text that changes when a module gets another name."""
    return f"{id(module)}-{len(module.__dict__)}"


# freezegun scans a module again if this changed. Comparing all names of 2,600 modules
# was half of the time that freezing took in every test; their number is enough.
patch_time.ha_get_module_attributes_hash = _names_of


def _goes_on() -> bool:
    """Return whether time is no longer frozen."""
    return not freezegun.api.freeze_factories


# Likewise slow: every call looked for pytest on the stack, to give it the real time. As
# freezegun leaves `_pytest.timing` alone, pytest has that anyway.
freezegun.configure(extend_ignore_list=["_pytest.timing"])
patch_time.ha_should_use_real_time = _goes_on


NOON_OF_A_WEDNESDAY = "2026-11-18 20:00:00+00:00"
"""Noon in the time zone of the tests (US/Pacific)."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests with `freezer` begin at noon unless they choose another time.

    Otherwise a test would begin at the current hour, and sometimes cross midnight.
    """
    for item in items:
        frozen = "freezer" in getattr(item, "fixturenames", ())
        if frozen and item.get_closest_marker("freeze_time") is None:
            item.add_marker(pytest.mark.freeze_time(NOON_OF_A_WEDNESDAY))


def _with_loop(request: pytest.FixtureRequest, fixture: str) -> None:
    """Use a fixture in tests that have an event loop."""
    if inspect.iscoroutinefunction(request.function):
        request.getfixturevalue(fixture)


@pytest.fixture(autouse=True)
def configure_event_loop(request: pytest.FixtureRequest) -> None:
    """Replace the harness's fixture, which makes a loop for each test."""
    _with_loop(request, "configure_event_loop")


@pytest.fixture(autouse=True)
def verify_cleanup(request: pytest.FixtureRequest) -> None:
    """Replace the harness's fixture, which makes a loop for each test."""
    _with_loop(request, "verify_cleanup")


@pytest.fixture(autouse=True)
def leave_no_thread(request: pytest.FixtureRequest, verify_cleanup: None) -> None:
    """Wait for the threads of tests with a loop."""
    _with_loop(request, "threads_end")


@pytest.fixture
async def threads_end() -> AsyncGenerator[None]:
    """Wait for ending threads before the test harness checks for remaining ones.

    On a busy machine, a thread of Home Assistant may outlive its test for a moment.
    Home Assistant has stopped by then, as its fixture is set up after this one.
    """
    ahead = {*threading.enumerate()}
    yield
    await asyncio.get_running_loop().shutdown_default_executor()
    for thread in {*threading.enumerate()} - ahead:
        if not thread.daemon:
            thread.join(PATIENCE)


@pytest.fixture(autouse=True)
def custom_integration(
    request: pytest.FixtureRequest, socket_enabled: None, leave_no_thread: None
) -> None:
    """Let Home Assistant load the integration; all tests may use loopback."""
    if "hass" in request.fixturenames:
        request.getfixturevalue("enable_custom_integrations")


@pytest.fixture(autouse=True)
def loopback_is_the_lan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let simulated controllers announce loopback addresses."""
    monkeypatch.setattr(addresses, "LOOPBACK", True)


@pytest.fixture(autouse=True)
def nothing_deprecated() -> Generator[None]:
    """Fail a test if Home Assistant logged a complaint, such as a deprecation."""
    with no_complaints():
        yield


@pytest.fixture
async def service(socket_enabled: None) -> AsyncGenerator[Service]:
    """Run the simulated service."""
    clock = Clock(start=NOON)
    controllers = two_controllers(clock, b"\1" * 16, b"\2" * 16)
    async with Service(clock, *controllers).running() as service:
        yield service


@pytest.fixture
async def credentials(hass: HomeAssistant) -> None:
    """Store application credentials of the simulated service."""
    assert await async_setup_component(hass, "application_credentials", {})
    await async_import_client_credential(
        hass, DOMAIN, ClientCredential(CLIENT_ID, CLIENT_SECRET), DOMAIN
    )


type SignIn = Callable[..., Awaitable[ConfigFlowResult]]


@pytest.fixture
def sign_in(
    hass: HomeAssistant, service: Service, hass_client_no_auth: ClientSessionGenerator
) -> SignIn:
    """Return a function that signs in as a browser does and returns the next step."""

    async def go(
        flow: ConfigFlowResult,
        email: str = "demo@example.com",
        *,
        cancel: bool = False,
        state: str | None = None,
        before_return: Callable[[str], object] = lambda code: None,
    ) -> ConfigFlowResult:
        if not _goes_on():
            service.clock.speed = 50  # the cloud answers slowly
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
    """Check the effect of a command sooner, and send values at once."""
    monkeypatch.setattr(sender_module, "READ_BACK", (0.01, 0.03, 0.06, 0.1))
    # While time is frozen, a value that waits for its turn would never be sent.
    monkeypatch.setattr(coalescing, "SENDING_SPACING", 0.0)


@pytest.fixture
def all_enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enable entities that are disabled by default, too."""
    always = property(lambda entity: True)
    for entity in (Entity, PoolctlBinarySensor):
        monkeypatch.setattr(entity, "entity_registry_enabled_default", always)


@pytest.fixture
def hurried(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service's time run fast, without pauses between requests."""
    if not _goes_on():
        service.clock.speed = 50
    monkeypatch.setattr(pipeline, "WRITE_GAP", 0.0)
    monkeypatch.setattr(pipeline, "COMMAND_GAP", 0.0)
    monkeypatch.setattr(cloud_module, "WRITE_SPACING", 0.0)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send values of a slider 0.01 s after each other, not one second."""
    monkeypatch.setattr(coalescing, "SENDING_SPACING", 0.01)


@pytest.fixture(autouse=True)
def names(mock_zeroconf_resolver: Any) -> Generator[Names]:
    """Replace Home Assistant's resolver, which would query the network."""
    with known_names() as found:
        yield found


@pytest.fixture(autouse=True)
def no_spacing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Query and retry without pauses: no sleep ends while time stands still."""
    monkeypatch.setattr(queries_module, "QUERY_SPACING", 0.0)
    monkeypatch.setattr(poller_module, "SECOND_TRY", 0.0)
    monkeypatch.setattr(poller_module, "AGAIN", 0.0)
    monkeypatch.setattr(poller_module, "_AGAIN_WITHIN", 600.0)
    monkeypatch.setattr(frames_module, "_ONE", 0.0)
    monkeypatch.setattr(proof_module, "BETWEEN_REQUESTS", 0.0)
    monkeypatch.setattr(lan_delivery, "COMMAND_AGAIN", Backoff(0.0, 0.0, most=4))
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
    """Return a home whose account is not set up yet."""
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
async def in_cloud(home: Home) -> Home:
    """Set up an account with just the small pool, whose address is not known."""
    home.own(home.service.small)
    await home.set_up_with(host=None)
    return home


@pytest.fixture
async def replayer(socket_enabled: None) -> AsyncGenerator[Replayer]:
    """Run a host on the network that answers with frames it once received."""
    found = Replayer()
    found.start()
    yield found
    await found.stop()
