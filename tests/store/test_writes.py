"""How often the store is written, which wears out memory cards; a restored backup."""

from copy import deepcopy
from typing import Any

from homeassistant.const import Platform
import pytest

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.store.memory import DATA_MEMORY
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

pytestmark = pytest.mark.usefixtures("freezer")
few_platforms = only(Platform.SENSOR, Platform.SWITCH)


def watch(full: Home, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list to which each writing of the store is added from now on."""
    memory, found = full.hass.data[DATA_MEMORY], list[Any]()
    form = memory._data

    def note() -> dict[str, Any]:
        found.append(full.freezer.time_to_freeze)
        return form()

    monkeypatch.setattr(memory, "_data", note)
    return found


async def test_it_is_written_once_in_ten_minutes(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Totals, counters and dosing of all controllers are written together."""
    home.own(home.service.full, home.service.small)
    await home.set_up(home.service.full, home.service.small)
    written, water = watch(home, monkeypatch), home.pool.water
    for runs in (True, False):
        if not runs:
            await home.act("switch.turn_off", "pump")
        await home.live(600, step=60)
        written.clear()
        for number in range(30):
            water.ph += 0.1 if number % 2 else -0.1
            water.orp += 10 if number % 3 else -20
            home.pool.settings["acid_remaining"] -= 1 * runs
            await home.live(60, step=60)
        assert 2 <= len(written) <= 3


TOTALS = ("pump_energy", "pump_run_hours")
DAILY = ("pump_runtime_today", "water_filtered_today")


@pytest.mark.usefixtures("all_enabled")
async def test_no_total_decreases_after_a_restored_backup(
    full: Home, hass_storage: dict[str, Any]
) -> None:
    """What is counted for ever goes on from the backup; a day begins at 0 once."""
    await full.live(900, step=30)
    backup = deepcopy(hass_storage[DOMAIN])
    shown = {key: float(full.value("sensor", key)) for key in (*TOTALS, *DAILY)}
    assert all(shown.values())
    await full.unload()
    hass_storage[DOMAIN] = backup
    full.freezer.tick(3 * 86_400)
    full.clock.advance(3 * 86_400)
    await full.boot()
    fallen = dict.fromkeys(shown, 0)
    for _ in range(30):
        await full.live(30, step=30)
        for key, before in shown.items():
            shown[key] = float(full.value("sensor", key))
            fallen[key] += shown[key] < before
    assert fallen == dict.fromkeys(TOTALS, 0) | dict.fromkeys(DAILY, 1)
