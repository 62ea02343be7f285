"""The dashboard: its module in the frontend, and the runs that it shows."""

from datetime import datetime
from pathlib import Path
import re
from typing import Any, Final

from homeassistant.components.lovelace.const import LOVELACE_DATA
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.const import CONF_URL, EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import HomeAssistant
from homeassistant.loader import async_get_integration
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser
from pytest_homeassistant_custom_component.typing import (
    ClientSessionGenerator,
    WebSocketGenerator,
)

from custom_components.poolctl import dashboard
from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home
from tests.world.simulator.schedules import Schedule

# A module that index.html makes a browser load.
EXTRA_MODULE: Final = re.compile(rf'import\("(/{DOMAIN}_frontend/[^"]+)"\)')
MODULE: Final = "poolctl.js"
IMPORT: Final = re.compile(r'^import .* from "\./(.+)";$', re.MULTILINE)

# Origin of the page on a cast device.
CAST: Final = "https://cast.home-assistant.io"

# Without this, the frontend begins with the onboarding page.
ONBOARDED: Final = {"done": ["user", "core_config", "analytics", "integration"]}


def stored(key: str, data: object) -> dict[str, Any]:
    return {"version": 1, "key": key, "data": data}


def resource(number: int, version: str) -> dict[str, str]:
    """Return a stored resource of dashboards, which is our module of this version."""
    url = f"{dashboard.FRONTEND_PATH}/{version}/poolctl.js"
    return {"id": str(number), "type": "module", "url": url}


async def _offered(hass_client: ClientSessionGenerator) -> list[str]:
    """Return our modules that a browser loads with the frontend."""
    page = await (await (await hass_client()).get("/")).text()
    return EXTRA_MODULE.findall(page)


def _resources(hass: HomeAssistant) -> list[str]:
    return [item[CONF_URL] for item in hass.data[LOVELACE_DATA].resources.async_items()]


@pytest.fixture
def onboarded(hass_storage: dict[str, Any]) -> None:
    hass_storage["onboarding"] = {**stored("onboarding", ONBOARDED), "version": 4}


@pytest.fixture
async def frontend(hass: HomeAssistant, onboarded: None) -> None:
    assert await async_setup_component(hass, "frontend", {})


async def test_frontend_loads_dashboard(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, frontend: None, home: Home
) -> None:
    """The module and what it imports are JavaScript that may be cached and cast."""
    home.own(home.service.small)
    await home.set_up(home.service.small)
    (module,) = await _offered(hass_client)
    assert _resources(hass) == [module]
    client, found, wanted = await hass_client(), set[str](), {MODULE}
    while wanted:
        name = wanted.pop()
        found.add(name)
        url = module.replace(MODULE, name)
        answer = await client.get(url, headers={"Origin": CAST})
        assert answer.status == 200
        assert answer.content_type == "text/javascript"
        assert "max-age" in answer.headers["Cache-Control"]
        assert answer.headers["Access-Control-Allow-Origin"] == CAST
        wanted |= set(IMPORT.findall(await answer.text())) - found
    assert found == {file.name for file in dashboard.FOLDER.iterdir()}


async def test_goes_with_the_last_account(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, frontend: None, home: Home
) -> None:
    """The resource goes with the last account; until a restart dashboards are drawn."""
    home.own(home.service.small, home.service.full)
    data = home.service.entry(home.service.full).data
    another = MockConfigEntry(domain=DOMAIN, unique_id="another", data=data)
    entries = [
        await home.set_up(home.service.small),
        await home.set_up_entry(another),
    ]
    assert len(_resources(hass)) == 1
    await hass.config_entries.async_remove(entries[0].entry_id)
    assert _resources(hass) == await _offered(hass_client) != []
    await hass.config_entries.async_remove(entries[1].entry_id)
    assert _resources(hass) == []
    assert len(await _offered(hass_client)) == 1


async def test_other_version(
    hass: HomeAssistant, hass_storage: dict[str, Any], frontend: None, home: Home
) -> None:
    """Our resources of other versions are replaced; all others stay as they are."""
    card = {"id": "1", "type": "module", "url": "/local/card.js"}
    ours = resource(2, "old"), resource(3, "older")
    hass_storage["lovelace_resources"] = stored(
        "lovelace_resources", {"items": [card, *ours]}
    )
    home.own(home.service.small)
    await home.set_up(home.service.small)
    kept, new = _resources(hass)
    assert kept == card["url"]
    assert new not in {each["url"] for each in ours}
    assert new.startswith(f"{dashboard.FRONTEND_PATH}/")


@pytest.mark.row("W6")
async def test_a_disabled_account_is_deleted_after_a_restart(
    hass: HomeAssistant, hass_storage: dict[str, Any], frontend: None, home: Home
) -> None:
    """Only the counters stay behind, although the integration never ran."""
    hass_storage["lovelace_resources"] = stored(
        "lovelace_resources", {"items": [resource(2, "old")]}
    )
    device_id = home.service.small.device_id
    record = {"counters": {"counter": 7}, "volume": 50_000}
    hass_storage[DOMAIN] = stored(DOMAIN, {device_id: record})
    data = home.service.entry(home.service.small).data
    entry = MockConfigEntry(
        domain=DOMAIN, data=data, disabled_by=ConfigEntryDisabler.USER
    )
    entry.add_to_hass(hass)
    await hass.config_entries.async_remove(entry.entry_id)
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await hass.async_block_till_done()
    assert _resources(hass) == []
    left = hass_storage[DOMAIN]["data"][device_id]
    assert left == {"counters": {"counter": 7, "frames": None}}


async def test_resources_in_yaml(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    onboarded: None,
    home: Home,
) -> None:
    """Resources in YAML stay as they are, and browsers load the module anyway."""
    assert await async_setup_component(
        hass, "lovelace", {"lovelace": {"resource_mode": "yaml", "resources": []}}
    )
    assert await async_setup_component(hass, "frontend", {})
    home.own(home.service.small)
    await home.set_up(home.service.small)
    assert len(await _offered(hass_client)) == 1
    assert _resources(hass) == []


async def test_without_frontend(hass: HomeAssistant) -> None:
    """Home Assistant can run without it; else it is set up before we check for it."""
    assert await async_setup_component(hass, DOMAIN, {})
    assert "frontend" not in hass.config.components
    integration = await async_get_integration(hass, DOMAIN)
    assert {"frontend", "http"} <= set(integration.after_dependencies)


def test_changed_files_have_another_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser that cached the old module requests the new one."""
    for file in dashboard.FOLDER.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    version = dashboard.version()
    monkeypatch.setattr(dashboard, "FOLDER", tmp_path)
    assert dashboard.version() == version
    with (tmp_path / "words.js").open("a") as words:
        words.write("\n")
    assert dashboard.version() != version


async def test_plan(
    hass_ws_client: WebSocketGenerator, hass_admin_user: MockUser, home: Home
) -> None:
    """Users receive the runs of their permitted entities, whole even over midnight."""
    home.own(home.service.small)
    home.pool.schedules[1] = Schedule(2, 1, 0, 0, 22 * 60, 120, 127, "Late", True)
    home.pool.schedules[2] = Schedule(3, 1, 0, 0, 60, 120, 127, "Off", False)
    home.pool.schedules[3] = Schedule(2, 1, 0, 0, 120, 200, 127, "Later", True)
    home.pool.schedules[0] = Schedule(0, 31, 0, 50, 0, 1439, 127, "Always", True)
    await home.set_up(home.controller)
    client = await hass_ws_client()
    pump = home.registered("switch", "pump")
    assert pump is not None
    day = {"start": "2026-03-02T00:00:00", "end": "2026-03-03T00:00:00"}
    message = {"type": f"{DOMAIN}/plan", "device_id": pump.device_id, **day}
    await client.send_json_auto_id(message)
    runs = (await client.receive_json())["result"]["runs"]
    fall = home.entity_id("switch", "slot_2")
    late = [(run["start"], run["end"]) for run in runs if run["name"] == "Late"]
    hours = [datetime.fromisoformat(at) for run in late for at in run]
    assert [(at.day, at.hour) for at in hours] == [(1, 22), (2, 2), (2, 22), (3, 2)]
    assert {run["entity_id"] for run in runs} == {fall, pump.entity_id}
    # Another schedule may follow, and one may never end.
    ends = {run["name"]: run["until"] for run in runs}
    zone = dt_util.get_default_time_zone()
    stops = [
        datetime.fromisoformat(ends.pop(name)).astimezone(zone)
        for name in ("Late", "Later")
    ]
    assert [(at.day, at.hour, at.minute) for at in stops] == [(3, 3, 20), (2, 3, 20)]
    assert ends == {"Always": None}

    for wrong in ({"device_id": "none"}, {"start": "yesterday"}):
        await client.send_json_auto_id(message | wrong)
        assert not (await client.receive_json())["success"]
    hass_admin_user.groups = []
    hass_admin_user.mock_policy({"entities": {"entity_ids": {fall: True}}})
    await client.send_json_auto_id(message)
    runs = (await client.receive_json())["result"]["runs"]
    assert {run["entity_id"] for run in runs} == {fall}
