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


@pytest.mark.row("C27")
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


async def test_a_new_sign_in_starts_afresh(in_cloud: Home) -> None:
    """The tries belong to the token that was refused."""
    refuse()(in_cloud)
    await in_cloud.advance(3 * 3600, step=120)
    entries = in_cloud.hass.config_entries
    data = {**in_cloud.entry.data, "token": in_cloud.service.token()}
    entries.async_update_entry(in_cloud.entry, data=data)
    await in_cloud.restart()
    await in_cloud.advance(60, step=30)
    assert in_cloud.source == "cloud"
    in_cloud.cloud.expire_tokens()
    await in_cloud.advance(120, step=30)
    assert in_cloud.source == "cloud"
    before = requests(in_cloud, "token")
    refuse()(in_cloud)
    await in_cloud.advance(3 * 3600, step=120)
    assert requests(in_cloud, "token") - before >= 2


async def test_a_refusal_that_was_a_fault_is_forgotten(in_cloud: Home) -> None:
    for _ in range(4):
        in_cloud.cloud.expire_tokens()
        in_cloud.cloud.faults.once("failed", 1, "token")
        await in_cloud.advance(300, step=30)
        assert in_cloud.source == "cloud" and not in_cloud.flows


# A token endpoint that asks to wait, or fails


@pytest.mark.row("C27")
@pytest.mark.parametrize("how", ["goes on", "reload", "restart"])
async def test_a_busy_token_endpoint_is_waited_out(in_cloud: Home, how: str) -> None:
    in_cloud.cloud.expire_tokens()
    limit = in_cloud.cloud.rate_limited
    limit.message, limit.text = "Too many requests, please try again later", True
    limit.retry_after = "200"
    in_cloud.cloud.faults.on("rate_limited", "token")
    in_cloud.cloud.requests.clear()
    await in_cloud.advance(30)
    assert requests(in_cloud, "token") == 1
    in_cloud.cloud.faults.clear()
    for _ in range(6):
        if how == "reload":
            await in_cloud.restart()
        elif how == "restart":
            await in_cloud.shut_down()
            await in_cloud.boot()
        await in_cloud.advance(30)
    assert requests(in_cloud, "token") == 1
    await in_cloud.advance(90, step=10)
    assert requests(in_cloud, "token") == 2
    assert in_cloud.source == "cloud" and not in_cloud.flows


@pytest.mark.row("C27")
@pytest.mark.parametrize("fault", ["token_5xx", "html", "error_500", "no_body"])
async def test_a_token_endpoint_that_fails(in_cloud: Home, fault: str) -> None:
    """It is asked once a minute, and nobody is asked to sign in (protocol.md C18)."""
    in_cloud.cloud.expire_tokens()
    in_cloud.cloud.faults.on(fault, *(() if fault == "token_5xx" else ("token",)))
    in_cloud.cloud.requests.clear()
    await in_cloud.advance(900, step=30)
    assert 3 <= requests(in_cloud, "token") <= 16
    assert not in_cloud.flows
    in_cloud.cloud.faults.clear()
    await in_cloud.advance(360, step=30)
    assert in_cloud.source == "cloud"


# A controller of which the service asks to wait (protocol.md C28)


@pytest.mark.row("C28")
@pytest.mark.parametrize("endpoint", ["dashboardInfo", *READS])
async def test_one_wait_for_all_observed_reads(in_cloud: Home, endpoint: str) -> None:
    in_cloud.cloud.rate_limited.message = "device busy: cooling down, retry after 4m0s"
    in_cloud.cloud.faults.on("rate_limited", endpoint)
    while in_cloud.cloud.requests[-1].status != 429:
        await in_cloud.advance(15)
    in_cloud.cloud.requests.clear()
    in_cloud.cloud.faults.clear()
    await in_cloud.shut_down()
    await in_cloud.boot()
    await in_cloud.advance(150, step=15)
    assert [r.name for r in in_cloud.cloud.requests if r.name in READS] == []
    dashboards = requests(in_cloud, "dashboardInfo")
    assert dashboards == 0 if endpoint == "dashboardInfo" else dashboards >= 4
    await in_cloud.advance(600, step=60)
    assert requests(in_cloud, endpoint) >= 1
