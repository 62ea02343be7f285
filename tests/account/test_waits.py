"""What failed is not sent again and again: refused sign-ins, and waits of the service."""

from collections.abc import Callable

from homeassistant.config_entries import SOURCE_REAUTH
from homeassistant.const import Platform
import pytest

from custom_components.poolctl.client.endpoints import READS
from tests.account.test_dialects_account import requests
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator.cloud_dialects import CloudDialect as D

pytestmark = [pytest.mark.usefixtures("freezer"), pytest.mark.usefixtures("quick")]
few_platforms = only(Platform.SENSOR)

FEW = 4
"""Most times that a refused refresh token is sent."""


def refuse(*dialects: D) -> Callable[[Home], None]:
    def revoke(home: Home) -> None:
        home.cloud.dialects |= {*dialects}
        home.cloud.revoke(home.account)

    return revoke


# A sign-in that is refused (protocol.md C3, C18, C27)


@pytest.mark.parametrize(
    "dialects", [(), (D.C2_403,), (D.C3_FAILED,), (D.C3_NULL,)], ids=str
)
async def test_a_refused_sign_in_is_sent_a_few_times(
    home: Home, dialects: tuple[D, ...]
) -> None:
    """In all: across polls, controllers, reloads and restarts."""
    await home.set_up_with(host=None)
    refuse(*dialects)(home)
    for how in (home.refresh, home.restart, home.refresh, home.restart):
        await home.advance(1800, step=60)
        await how()
    await home.shut_down()
    await home.boot()
    await home.advance(7200, step=60)
    assert 2 <= requests(home, "token") <= FEW
    home.cloud.requests.clear()
    await home.advance(3600, step=120)
    assert home.cloud.requests == []
    assert [flow["context"]["source"] for flow in home.flows] == [SOURCE_REAUTH]


async def test_a_new_sign_in_starts_afresh(home: Home) -> None:
    """The tries belong to the token that was refused."""
    home.own(home.service.small)
    await home.set_up_with(host=None)
    refuse()(home)
    await home.advance(3 * 3600, step=120)
    entries = home.hass.config_entries
    data = {**home.entry.data, "token": home.service.token()}
    entries.async_update_entry(home.entry, data=data)
    await home.restart()
    await home.advance(60, step=30)
    assert home.source == "cloud"
    home.cloud.expire_tokens()
    await home.advance(120, step=30)
    assert home.source == "cloud"
    before = requests(home, "token")
    refuse()(home)
    await home.advance(3 * 3600, step=120)
    assert requests(home, "token") - before >= 2


async def test_a_refusal_that_was_a_fault_is_forgotten(home: Home) -> None:
    home.own(home.service.small)
    await home.set_up_with(host=None)
    for _ in range(4):
        home.cloud.expire_tokens()
        home.cloud.faults.once("failed", 1, "token")
        await home.advance(300, step=30)
        assert home.source == "cloud" and not home.flows


# A token endpoint that asks to wait, or fails


@pytest.mark.parametrize("how", ["goes on", "reload", "restart"])
async def test_a_busy_token_endpoint_is_waited_out(home: Home, how: str) -> None:
    home.own(home.service.small)
    await home.set_up_with(host=None)
    home.cloud.expire_tokens()
    limit = home.cloud.rate_limited
    limit.message, limit.text = "Too many requests, please try again later", True
    limit.retry_after = "200"
    home.cloud.faults.on("rate_limited", "token")
    home.cloud.requests.clear()
    await home.advance(30)
    assert requests(home, "token") == 1
    home.cloud.faults.clear()
    for _ in range(6):
        if how == "reload":
            await home.restart()
        elif how == "restart":
            await home.shut_down()
            await home.boot()
        await home.advance(30)
    assert requests(home, "token") == 1
    await home.advance(90, step=10)
    assert requests(home, "token") == 2
    assert home.source == "cloud" and not home.flows


@pytest.mark.parametrize("fault", ["token_5xx", "html", "error_500", "no_body"])
async def test_a_token_endpoint_that_fails(home: Home, fault: str) -> None:
    """It is asked once a minute, and nobody is asked to sign in (protocol.md C18)."""
    await home.set_up_with(host=None)
    home.cloud.expire_tokens()
    home.cloud.faults.on(fault, *(() if fault == "token_5xx" else ("token",)))
    home.cloud.requests.clear()
    await home.advance(900, step=30)
    assert 3 <= requests(home, "token") <= 16
    assert not home.flows
    home.cloud.faults.clear()
    await home.advance(360, step=30)
    assert home.source == "cloud"


# A controller of which the service asks to wait (protocol.md C28)


@pytest.mark.parametrize("endpoint", ["dashboardInfo", *READS])
async def test_one_wait_for_all_observed_reads(home: Home, endpoint: str) -> None:
    home.own(home.service.small)
    await home.set_up_with(host=None)
    home.cloud.rate_limited.message = "device busy: cooling down, retry after 4m0s"
    home.cloud.faults.on("rate_limited", endpoint)
    while home.cloud.requests[-1].status != 429:
        await home.advance(15)
    home.cloud.requests.clear()
    home.cloud.faults.clear()
    await home.shut_down()
    await home.boot()
    await home.advance(150, step=15)
    assert [r.name for r in home.cloud.requests if r.name in READS] == []
    dashboards = requests(home, "dashboardInfo")
    assert dashboards == 0 if endpoint == "dashboardInfo" else dashboards >= 4
    await home.advance(600, step=15)
    assert requests(home, endpoint) >= 1
