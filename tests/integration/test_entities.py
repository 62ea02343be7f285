"""Every entity of a small and of a fully equipped pool, as snapshots."""

from homeassistant.const import Platform
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    snapshot_platform,
)
from syrupy.assertion import SnapshotAssertion

import custom_components.poolctl as integration

from .home import Home

NOTHING = {
    (Platform.CLIMATE, "small"),
    (Platform.CLIMATE, "cloud_only"),
}
"""Of these platforms these pools have nothing."""


@pytest.mark.parametrize("platform", integration.PLATFORMS)
@pytest.mark.parametrize("pool", ["small", "full", "cloud_only"])
@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
@pytest.mark.usefixtures("all_enabled")
async def test_platform(
    home: Home,
    monkeypatch: pytest.MonkeyPatch,
    snapshot: SnapshotAssertion,
    platform: Platform,
    pool: str,
) -> None:
    monkeypatch.setattr(integration, "PLATFORMS", [platform])
    controller = home.service.full if pool == "full" else home.controller
    home.account.sites = [
        site for site in home.account.sites if controller in site.controllers
    ]
    remembered = [] if pool == "cloud_only" else [controller]
    entry: MockConfigEntry = await home.set_up(*remembered)
    if home.entities():
        await snapshot_platform(
            home.hass, er.async_get(home.hass), snapshot, entry.entry_id
        )
    else:
        assert (platform, pool) in NOTHING
