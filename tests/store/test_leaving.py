"""What is undone before an account goes away: by any path, within 10 s in all."""

from datetime import timedelta

from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.const import CONF_TOKEN, Platform
import pytest

from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

pytestmark = pytest.mark.freeze_time("2026-11-23 08:00:00+00:00")
WATERFALL = 3
LASTS = timedelta(minutes=30)
few_platforms = only(Platform.SWITCH)


async def begin(home: Home, **options: str) -> None:
    """Hold the waterfall on and pause dosing, for half an hour."""
    home.own(home.service.full, home.service.small)
    await home.set_up(home.service.full, home.service.small, options=options)
    await home.live(60, step=60)
    await home.finish(home.act("poolctl.hold", "slot_3", state=True, duration=LASTS))
    dosing = {"entity_id": home.entity_id("switch", "automatic_ph"), "duration": LASTS}
    pause = home.hass.services.async_call(
        "poolctl", "pause_dosing", dosing, blocking=True
    )
    await home.finish(pause)
    await home.live(60, step=60)
    assert left(home) == (True, 0)


def left(home: Home) -> tuple[bool, float]:
    """Return whether the waterfall runs, and whether acid is dosed."""
    return home.pool.relays[WATERFALL], home.pool.settings["ph_dosing"]


async def go_away(home: Home, way: str) -> float:
    """Delete or disable the account; return how many seconds that took."""
    entries, entry_id = home.hass.config_entries, home.entry.entry_id
    began = home.hass.loop.time()
    if way == "deleted":
        await home.finish(entries.async_remove(entry_id))
    else:
        off = entries.async_set_disabled_by(entry_id, ConfigEntryDisabler.USER)
        await home.finish(off)
    return home.hass.loop.time() - began


@pytest.mark.row("W3")
@pytest.mark.parametrize("way", ["deleted", "disabled"])
@pytest.mark.parametrize("lan", ["answers", "unused", "refuse", "hang"])
async def test_by_any_path(home: Home, way: str, lan: str) -> None:
    await begin(home, **({"connection": "cloud"} if lan == "unused" else {}))
    if lan in ("refuse", "hang"):
        home.controller.faults.on(lan)
    assert await go_away(home, way) < 12
    assert left(home) == (False, 1)


async def test_without_the_cloud(home: Home) -> None:
    """An account that may not use it leaves everything on, and names that."""
    await begin(home, connection="lan")
    home.controller.faults.on("refuse")
    await go_away(home, "deleted")
    assert (left(home), home.cloud_writes) == ((True, 0), [])
    notices = home.hass.data["persistent_notification"].values()
    for name in ("Waterfall", "Automatic pH"):
        assert sum(name in each["message"] for each in notices) == 1


async def test_a_token_that_has_expired(home: Home) -> None:
    """It is renewed once more, although the account has just been deleted."""
    await begin(home, connection="cloud")
    await home.unload()
    expired = {**home.entry.data[CONF_TOKEN], "expires_at": 0}
    data = {**home.entry.data, CONF_TOKEN: expired}
    home.hass.config_entries.async_update_entry(home.entry, data=data)
    await go_away(home, "deleted")
    assert left(home) == (False, 1)
    assert not home.flows


@pytest.mark.row("W3")
@pytest.mark.parametrize("way", ["deleted", "disabled"])
async def test_many_controllers_without_an_answer(home: Home, way: str) -> None:
    """All are waited for at the same time, and each is named in a notification."""
    await begin(home)
    small = home.service.small
    hold = home.act("poolctl.hold", "slot_2", of=small, state=True, duration=LASTS)
    await home.finish(hold)
    for controller in (home.service.full, small):
        controller.faults.on("hang")
    home.cloud.faults.on("hang")
    assert await go_away(home, way) < 12
    notices = home.hass.data["persistent_notification"]
    assert len({each["title"] for each in notices.values()}) == 2
