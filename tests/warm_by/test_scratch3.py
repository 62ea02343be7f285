from datetime import timedelta
import pytest
from tests.services.test_pause_dosing import done
from tests.warm_by.test_warm_by import STEP, ask, dt_util, as_before, heated, warm_by, explanation, at, until, soon, PUMP, SPA_RETURN
from tests.warm_by.test_warm_by import few_platforms, noon, spa, clocks
from tests.world.assistant.home import Home
from homeassistant.config_entries import ConfigEntryDisabler
from tests.account.test_two_accounts import second_account

pytestmark = pytest.mark.usefixtures("quick", "hurried")

def notes(home):
    return [n["message"] for n in home.hass.data.get("persistent_notification", {}).values()]

def problems(home):
    return [p["key"] + ": " + p["sentence"] for p in home.state("sensor", "status").attributes.get("problems", [])]


@pytest.mark.parametrize("how", ["delete", "disable", "retire"])
async def test_s6(spa: Home, how) -> None:
    first = spa.entry
    second = await spa.set_up_entry(second_account(spa))
    await spa.settle()
    spa.entry = first
    by = await soon(spa, 40)
    call = spa.act_on_device  # noqa
    await done(spa, spa.hass.services.async_call("poolctl", "pause_dosing", {"entity_id": spa.entity_id("switch", "ph_dosing"), "duration": {"minutes": 30}}, blocking=True))
    assert not spa.pool.settings["ph_dosing"]
    if how == "delete":
        await done(spa, spa.hass.config_entries.async_remove(first.entry_id))
    elif how == "disable":
        await done(spa, spa.hass.config_entries.async_set_disabled_by(first.entry_id, ConfigEntryDisabler.USER))
    else:
        for s in spa.account.sites:
            s.controllers.clear()
        await spa.live(3*3600, step=300)
    spa.entry = second
    await spa.live(10 * STEP, step=STEP)
    p = spa.pool; p.update()
    print(how, p.slots[PUMP].held, p.spa_mode, p.settings["heating"], p.settings["ph_dosing"], notes(spa), second.runtime_data.controllers.keys(), warm_by(spa))
    await spa.live(4 * 3600, step=300)
    p.update()
    print(how, p.slots[PUMP].held, p.spa_mode, p.settings["heating"], p.settings["ph_dosing"], notes(spa))
    assert as_before(spa)
    assert p.settings["ph_dosing"]
