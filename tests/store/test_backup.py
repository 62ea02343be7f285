"""A backup of months ago is restored."""

from copy import deepcopy
from typing import Any

import pytest

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("freezer", "all_enabled")

TOTALS = ("pump_energy", "pump_run_hours")
DAILY = ("pump_running_today", "water_filtered_today")


async def test_no_total_decreases(full: Home, hass_storage: dict[str, Any]) -> None:
    """What is counted for ever goes on from the backup; a day begins at 0 once."""
    await full.live(900)
    backup = deepcopy(hass_storage[DOMAIN])
    shown = {key: float(full.value("sensor", key)) for key in (*TOTALS, *DAILY)}
    assert all(shown.values())
    await full.unload()
    hass_storage[DOMAIN] = backup
    full.freezer.tick(90 * 86_400)
    full.clock.advance(90 * 86_400)
    await full.boot()
    fallen = dict.fromkeys(shown, 0)
    for _ in range(60):
        await full.live(15)
        for key, before in shown.items():
            shown[key] = float(full.value("sensor", key))
            fallen[key] += shown[key] < before
    assert fallen == dict.fromkeys(TOTALS, 0) | dict.fromkeys(DAILY, 1)
