"""Signing in again when the service identifies the account in another way."""

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
WAYS = {
    "both": (True, "user-1"),
    "different ones": (True, "token-user-1"),
    "userinfo": (True, ""),
    "token": (False, "token-user-1"),
    "sites": (False, ""),
}


def identify(home: Home, account: Account, way: str) -> None:
    userinfo, account.token_sub = WAYS[way]
    if account is not home.account:
        account.token_sub = account.token_sub.replace("user-1", "user-2")
    hidden = home.cloud.not_offered
    (hidden.discard if userinfo else hidden.add)("userinfo")


async def set_up(home: Home, sign_in: SignIn) -> None:
    home.own(home.service.small)
    result = await sign_in(await start(home, home.cloud.base_url))
    home.entry = result["result"]
    await home.hass.async_block_till_done()


async def sign_in_again(
    home: Home, sign_in: SignIn, account: Account | None = None
) -> str:
    """Sign in to the same account or to another one; return how it ends."""
    if account:
        home.cloud.accounts.append(account)
    home.entry.async_start_reauth(home.hass)
    await home.hass.async_block_till_done()
    (flow,) = home.flows
    flow = await home.answer(flow, {})
    result = await sign_in(flow, (account or home.account).email)
    await home.hass.async_block_till_done()
    return result["reason"]


@pytest.mark.parametrize("before", WAYS)
async def test_the_same_account(
    home: Home, sign_in: SignIn, before: str, subtests: pytest.Subtests
) -> None:
    identify(home, home.account, before)
    await set_up(home, sign_in)
    data, unique_id = home.entry.data, home.entry.unique_id
    for now in WAYS:
        # Without userinfo, a token with another `sub` is that of another account.
        if now == before or {now, before} == {"both", "token"}:
            continue
        home.hass.config_entries.async_update_entry(home.entry, data=data)
        home.clock.advance(60)  # the service limits sign-ins
        for way in (now, before, now):
            with subtests.test(now, way=way):
                identify(home, home.account, way)
                assert await sign_in_again(home, sign_in) == "reauth_successful"
                assert home.entry.unique_id == unique_id


@pytest.mark.parametrize("way", [way for way in WAYS if way != "sites"])
async def test_another_account_of_the_same_sites(
    home: Home, sign_in: SignIn, way: str
) -> None:
    """A sign-in that does not identify the owner keeps the stored identity."""
    identify(home, home.account, way)
    await set_up(home, sign_in)
    identify(home, home.account, "sites")
    assert await sign_in_again(home, sign_in) == "reauth_successful"
    eve = Account("eve@example.com", "demo", sub="user-2", sites=home.account.sites)
    identify(home, eve, way)
    assert await sign_in_again(home, sign_in, eve) == "wrong_account"


async def test_an_inventory_that_is_empty_once(home: Home, sign_in: SignIn) -> None:
    """The owner can sign in again after it (protocol.md C11)."""
    home.cloud.dialects.add(CloudDialect.C11_EMPTY_ONCE)
    await set_up(home, sign_in)
    home.cloud.answered_once.clear()
    assert await sign_in_again(home, sign_in) == "reauth_successful"


async def test_an_account_that_has_lost_its_controllers(
    home: Home, sign_in: SignIn
) -> None:
    """Its owner can sign in again, and another account is still refused."""
    await set_up(home, sign_in)
    sites = home.entry.data["identity"]["sites"]
    assert sites
    home.account.sites.clear()
    assert await sign_in_again(home, sign_in) == "reauth_successful"
    assert home.entry.data["identity"]["sites"] == sites
    eve = Account("eve@example.com", "demo", sub="user-2")
    assert await sign_in_again(home, sign_in, eve) == "wrong_account"
