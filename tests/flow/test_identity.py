"""Signing in again when the service identifies the account in another way."""

from itertools import permutations

from homeassistant.config_entries import ConfigFlowResult
import pytest

from tests.flow.test_config_flow import start
from tests.world.assistant.fixtures import SignIn
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator import Account
from tests.world.simulator.cloud_dialects import CloudDialect

pytestmark = pytest.mark.usefixtures("current_request_with_host")
few_platforms = only()

# What identifies the account: whether userinfo does, and the access token's `sub`.
TOLD = {
    "both": (True, "user-1"),
    "different ones": (True, "token-user-1"),
    "userinfo": (True, ""),
    "token": (False, "token-user-1"),
    "sites": (False, ""),
}


def tell(home: Home, account: Account, told: str) -> None:
    """Let the service identify an account in this way from now on."""
    userinfo, account.token_sub = TOLD[told]
    if account is not home.account:
        account.token_sub = account.token_sub.replace("user-1", "user-2")
    hidden = home.cloud.not_offered
    (hidden.discard if userinfo else hidden.add)("userinfo")


async def sign_in_again(
    home: Home, sign_in: SignIn, email: str = "demo@example.com"
) -> ConfigFlowResult:
    home.entry.async_start_reauth(home.hass)
    await home.hass.async_block_till_done()
    (flow,) = home.flows
    flow = await home.answer(flow, {})
    result = await sign_in(flow, email)
    await home.hass.async_block_till_done()
    return result


@pytest.mark.parametrize(
    ("before", "now"),
    # Without userinfo, a token with another `sub` is that of another account.
    [pair for pair in permutations(TOLD, 2) if set(pair) != {"both", "token"}],
)
async def test_the_same_account(
    home: Home, sign_in: SignIn, before: str, now: str
) -> None:
    home.own(home.service.small)
    tell(home, home.account, before)
    result = await sign_in(await start(home, home.cloud.base_url))
    home.entry = result["result"]
    await home.hass.async_block_till_done()
    unique_id = home.entry.unique_id
    for told in (now, before, now):
        tell(home, home.account, told)
        result = await sign_in_again(home, sign_in)
        assert result["reason"] == "reauth_successful"
        assert home.entry.unique_id == unique_id


@pytest.mark.parametrize("told", [told for told in TOLD if told != "sites"])
async def test_another_account_of_the_same_sites(
    home: Home, sign_in: SignIn, told: str
) -> None:
    home.own(home.service.small)
    tell(home, home.account, told)
    result = await sign_in(await start(home, home.cloud.base_url))
    home.entry = result["result"]
    await home.hass.async_block_till_done()
    # A sign-in that does not identify the owner keeps the stored identity.
    tell(home, home.account, "sites")
    result = await sign_in_again(home, sign_in)
    assert result["reason"] == "reauth_successful"
    eve = Account("eve@example.com", "demo", sub="user-2", sites=home.account.sites)
    home.cloud.accounts.append(eve)
    tell(home, eve, told)
    result = await sign_in_again(home, sign_in, "eve@example.com")
    assert result["reason"] == "wrong_account"


async def test_an_inventory_that_is_empty_once(home: Home, sign_in: SignIn) -> None:
    """The owner can sign in again after it (protocol.md C11)."""
    home.own(home.service.small)
    home.cloud.dialects.add(CloudDialect.C11_EMPTY_ONCE)
    result = await sign_in(await start(home, home.cloud.base_url))
    home.entry = result["result"]
    await home.hass.async_block_till_done()
    home.cloud.told_once.clear()
    result = await sign_in_again(home, sign_in)
    assert result["reason"] == "reauth_successful"


async def test_an_account_that_has_lost_its_controllers(
    home: Home, sign_in: SignIn
) -> None:
    """Its owner can sign in again, and another account is still refused."""
    home.own(home.service.small)
    result = await sign_in(await start(home, home.cloud.base_url))
    home.entry = result["result"]
    await home.hass.async_block_till_done()
    sites = home.entry.data["identity"]["sites"]
    assert sites
    home.account.sites.clear()
    result = await sign_in_again(home, sign_in)
    assert result["reason"] == "reauth_successful"
    assert home.entry.data["identity"]["sites"] == sites
    eve = Account("eve@example.com", "demo", sub="user-2")
    home.cloud.accounts.append(eve)
    result = await sign_in_again(home, sign_in, "eve@example.com")
    assert result["reason"] == "wrong_account"
