"""Issues about access: a missing key, and a sign-in that is about to end."""

from datetime import UTC, datetime, timedelta
import time

from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl.application_credentials import CONF_REFRESH_SINCE
from tests.status.test_repairs import shown
from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("freezer")

DAY = 24 * 60 * 60


# The key (protocol.md C5)


async def test_no_key(home: Home) -> None:
    """The account is asked again for ten minutes, then the issue appears."""
    home.own(home.service.small)
    home.cloud.faults.on("failed", "envelope-key")
    await home.set_up_with(key=None)
    await home.advance(570, step=30)
    assert not shown(home)
    await home.advance(90, step=30)
    issue = shown(home)["no_key"]
    assert set(shown(home)) == {"no_key"} and not issue.is_fixable
    assert issue.translation_placeholders == {"name": "Home pool"}
    home.cloud.faults.clear()
    await home.advance(3700)
    await home.advance(60, step=30)
    assert home.source == "lan"
    assert not shown(home)


# The sign-in (protocol.md C3)


async def signed_in(home: Home, days_ago: float) -> None:
    """Set up with a refresh token of this age, which the service never renews."""
    home.own(home.service.small)
    since = time.time() - days_ago * DAY
    token = home.service.token() | {CONF_REFRESH_SINCE: since}
    await home.set_up(home.controller, token=token)


async def test_before_a_sign_in_ends(home: Home) -> None:
    """The issue appears a week before the end, with the date."""
    await signed_in(home, 22.9)
    end = datetime.fromtimestamp(time.time(), UTC) + timedelta(days=7.1)
    assert not shown(home)
    await home.advance(0.2 * DAY)
    issue = shown(home)["sign_in_ends"]
    assert issue.issue_id == f"sign_in_ends_{home.entry.entry_id}"
    assert not issue.is_fixable
    assert issue.translation_placeholders == {
        "name": "Home",
        "date": dt_util.as_local(end).date().isoformat(),
    }
    # Signed in again.
    token = home.entry.data["token"] | {CONF_REFRESH_SINCE: time.time()}
    home.hass.config_entries.async_update_entry(
        home.entry, data={**home.entry.data, "token": token}
    )
    await home.advance(600)
    assert not shown(home)


async def test_a_sign_in_that_has_ended(home: Home) -> None:
    """It is not an issue, because Home Assistant itself asks for a new sign-in."""
    await signed_in(home, 31)
    await home.advance(15)
    assert "sign_in_ends" not in shown(home)


@pytest.mark.parametrize("how", ["removed", "disabled"])
async def test_it_goes_with_the_account(home: Home, how: str) -> None:
    await signed_in(home, 25)
    assert set(shown(home)) == {"sign_in_ends"}
    entries, entry_id = home.hass.config_entries, home.entry.entry_id
    if how == "removed":
        await entries.async_remove(entry_id)
    else:
        await entries.async_set_disabled_by(entry_id, ConfigEntryDisabler.USER)
    await home.settle()
    assert not shown(home)


async def test_a_sign_in_that_is_renewed_ends_never(small: Home) -> None:
    await small.advance(3700)
    assert not shown(small)
