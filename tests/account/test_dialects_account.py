"""The account, in each dialect of the service."""

from homeassistant.const import Platform
from homeassistant.helpers import device_registry as dr
import pytest

from custom_components.poolctl.client.endpoints import ENDPOINTS
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.assistant.service import record
from tests.world.simulator import auth
from tests.world.simulator.cloud_dialects import CloudDialect as D

pytestmark = pytest.mark.usefixtures("freezer")
few_platforms = only(Platform.SENSOR)


def requests(home: Home, name: str) -> int:
    return sum(request.name == name for request in home.cloud.requests)


def devices(home: Home) -> set[str | None]:
    """Return the names of the account's controllers in Home Assistant."""
    registry = dr.async_get(home.hass)
    found = dr.async_entries_for_config_entry(registry, home.entry.entry_id)
    return {device.name for device in found if device.via_device_id is None}


# The inventory


@pytest.mark.row("C11")
@pytest.mark.parametrize("dialect", [D.C11_EMPTY_ONCE, D.C11_SHORTER_ONCE])
async def test_an_inventory_that_is_wrong_once(home: Home, dialect: D) -> None:
    """No controller is lost, nor an address that a user entered, nor a key."""
    home.cloud.dialects = {dialect}
    stored = {
        each.device_id: record(each, by_hand=True) for each in home.service.controllers
    }
    entry = await home.set_up(controllers=stored)
    for _ in range(3):
        assert devices(home) >= {"Home pool", "Beach pool"}
        for device_id, kept in entry.data["controllers"].items():
            for name in ("host", "port", "by_hand", "key"):
                assert kept[name] == stored[device_id][name]
        await home.advance(3700)
    assert requests(home, "sites") >= 3


@pytest.mark.row("C22")
@pytest.mark.parametrize("dialect", [D.C22_NEXT, D.C22_COUNT])
async def test_a_controller_on_another_page(home: Home, dialect: D) -> None:
    await home.set_up()
    home.cloud.dialects = {dialect}
    for _ in range(3):
        await home.advance(3700)
    assert devices(home) >= {"Home pool", "Beach pool"}


async def test_a_controller_that_verifies_on_the_lan_stays(small: Home) -> None:
    small.account.sites.clear()
    for _ in range(3):
        await small.advance(3700)
        await small.advance(15)
        assert small.source == "lan"
    assert devices(small) == {"Home pool"}
    small.controller.faults.on("refuse")
    await small.advance(60, step=15)
    await small.advance(3700)
    assert devices(small) == set()


# Keys


@pytest.mark.row("C5")
async def test_when_a_key_is_requested_again(home: Home) -> None:
    """It is requested by the polls after 30 s, 2, 8 and 32 min, then hourly."""
    home.own(home.service.small)
    home.cloud.faults.on("error_500", "envelope-key")
    await home.set_up_with(key=None)
    counts = [requests(home, "envelope-key")]
    for seconds in (28, 2, 90, 60, 420, 90, 1800, 150, 3450, 270):
        await home.advance(seconds, step=min(seconds, 30 if seconds < 3000 else 270))
        counts.append(requests(home, "envelope-key"))
    assert counts == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]


async def test_a_key_that_the_account_does_not_have(home: Home) -> None:
    """After a clear refusal, it is requested once a day, also if the entry is loaded."""
    home.own(home.service.small)
    home.cloud.not_offered.add("envelope-key")
    await home.set_up_with(key=None)
    await home.advance(600, step=60)
    await home.restart()
    await home.advance(22 * 3600, step=3600)
    assert requests(home, "envelope-key") == 3  # at each of its paths
    home.cloud.not_offered.clear()
    await home.advance(2 * 3600, step=3600)
    assert home.stored["key"]


# A busy service


@pytest.mark.row("C28")
@pytest.mark.parametrize("how", ["set-up", "reload", "restart"])
async def test_a_cool_down_outlasts_the_entry(home: Home, how: str) -> None:
    """A controller that cools down is not asked before, however often we start."""
    home.own(home.service.small)
    cloud = home.cloud
    if how != "set-up":
        await home.set_up_with(host=None)
        await home.advance(30)
    cloud.rate_limited.message = "device busy: cooling down, retry after 1m0s"
    cloud.faults.on("rate_limited", "dashboardInfo")
    cloud.requests.clear()
    if how == "set-up":
        await home.set_up_with(host=None)
    else:
        await home.advance(30)
    assert [r.status for r in cloud.requests if r.name == "dashboardInfo"] == [429]
    cloud.faults.clear()
    for _ in range(5):
        if how == "reload":
            await home.restart()
        elif how == "restart":
            await home.shut_down()
            await home.boot()
        await home.advance(10)
    assert requests(home, "dashboardInfo") == 1
    for _ in range(9):
        await home.advance(10)
    assert home.source == "cloud"


# Staying signed in


@pytest.mark.row("C3")
async def test_the_old_refresh_token_goes_on(home: Home) -> None:
    home.own(home.service.small)
    home.cloud.dialects = {D.C3_KEPT}
    entry = await home.set_up_with(host=None)
    before = entry.data["token"]
    for _ in range(2):
        home.cloud.expire_tokens()
        await home.advance(60, step=30)
    after = entry.data["token"]
    assert after["refresh_token"] == before["refresh_token"]
    assert after["access_token"] != before["access_token"]
    assert home.source == "cloud" and not home.flows


@pytest.mark.parametrize(("lifetime", "dies"), [(1, True), (15, False), (50, True)])
async def test_a_renewal_a_minute_at_most(
    home: Home, monkeypatch: pytest.MonkeyPatch, lifetime: int, dies: bool
) -> None:
    """A token may live shorter, or be said to."""
    monkeypatch.setattr(auth, "ACCESS_SECONDS", lifetime)
    home.own(home.service.small)
    await home.set_up_with(host=None)
    for _ in range(8):
        if dies:
            home.cloud.expire_tokens()
        await home.advance(30, step=15)
    assert 3 <= requests(home, "token") <= 5
    assert home.source == "cloud" and not home.flows


# A service that serves only the published endpoints

# The others are left to the unit test, as are time-outs: time stands still here.
FAILURES = [D.C14_401, D.C14_404, D.C14_429, D.C14_HTML, D.C26_EMPTY, D.C17_PUBLISHED]
UNPUBLISHED = {each.name for each in ENDPOINTS.values() if not each.published}


@pytest.mark.row("C14")
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("failure", FAILURES)
async def test_published_endpoints_are_enough(home: Home, failure: D) -> None:
    """They suffice for the account, a controller on the LAN and one in the cloud."""
    home.cloud.dialects, home.cloud.failing = {failure}, UNPUBLISHED
    home.service.full.faults.on("refuse")
    stored = {each.device_id: record(each) for each in home.service.controllers}
    entry = await home.set_up(controllers=stored)
    await home.live(120)
    assert home.source == "lan"
    assert 6 < float(home.value("sensor", "ph")) < 9
    full = home.service.full
    assert home.value("sensor", "connection", full) == "cloud"
    assert float(home.value("sensor", "orp", full)) > 100
    assert entry.runtime_data.last_update_success
    assert home.flows == []
    assert all(request.name != "token" for request in home.cloud.requests)
