"""The frontend is given the dashboard, and the dashboard knows our entities."""

from pathlib import Path
import re
from typing import Any, Final

from homeassistant.components.lovelace.const import LOVELACE_DATA
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.const import CONF_URL, EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import HomeAssistant
from homeassistant.loader import async_get_integration
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.poolctl import dashboard
from custom_components.poolctl.const import DOMAIN

from .home import Home

# What index.html tells a browser to load.
EXTRA_MODULE: Final = re.compile(rf'import\("(/{DOMAIN}_frontend/[^"]+)"\)')
IMPORT: Final = re.compile(r"(?:from|import) \"\./([a-z]+\.js)\"")

# The page that a screen shows that something is cast to.
CAST: Final = "https://cast.home-assistant.io"

# Before it, there is another page.
ONBOARDED: Final = {
    "version": 4,
    "key": "onboarding",
    "data": {"done": ["user", "core_config", "analytics", "integration"]},
}

# A row of the table in sections.js: its domain, and what it looks for.
ROW: Final = re.compile(r'^ +\["([a-z_]+)", (?:/(.+)/|ALL), ', re.MULTILINE)
LANGUAGE: Final = re.compile(r"^  ([a-z]{2}): \[", re.MULTILINE)
WORD: Final = re.compile(r'"[^"\n]+"')
LANGUAGES: Final = {"en", "de", "fr", "es", "it", "nl", "pt", "cs", "sv"}


async def _offered(hass_client: ClientSessionGenerator) -> list[str]:
    """Return what of ours a browser is told to load with the frontend."""
    client = await hass_client()
    page = await (await client.get("/")).text()
    return EXTRA_MODULE.findall(page)


def _resources(hass: HomeAssistant) -> list[str]:
    """Return the resources of dashboards that are kept now."""
    return [item[CONF_URL] for item in hass.data[LOVELACE_DATA].resources.async_items()]


@pytest.fixture
async def frontend(hass: HomeAssistant, hass_storage: dict[str, Any]) -> None:
    """Run Home Assistant with its frontend."""
    hass_storage["onboarding"] = ONBOARDED
    assert await async_setup_component(hass, "frontend", {})


async def test_frontend_loads_dashboard(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, frontend: None, home: Home
) -> None:
    """The module and all it imports are there, as JavaScript that may be kept, for casts, too."""
    home.own(home.service.small)
    await home.set_up(home.service.small)
    (module,) = await _offered(hass_client)
    assert _resources(hass) == [module]
    client = await hass_client()
    folder, first = module.rsplit("/", 1)
    waiting, loaded = [first], set[str]()
    while waiting:
        if (name := waiting.pop()) in loaded:
            continue
        loaded.add(name)
        answer = await client.get(f"{folder}/{name}", headers={"Origin": CAST})
        assert answer.status == 200
        assert answer.content_type == "text/javascript"
        assert "max-age" in answer.headers["Cache-Control"]
        assert answer.headers["Access-Control-Allow-Origin"] == CAST
        waiting += IMPORT.findall(await answer.text())
    assert loaded == {file.name for file in dashboard.FOLDER.iterdir()}


async def test_goes_with_the_last_account(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, frontend: None, home: Home
) -> None:
    """One account goes and another stays; then that goes, too, and so does the module."""
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
    assert _resources(hass) == await _offered(hass_client) == []


async def test_other_version(
    hass: HomeAssistant, hass_storage: dict[str, Any], frontend: None, home: Home
) -> None:
    """The resource of another version is brought up to date; others stay as they are."""
    card = {"id": "1", "type": "module", "url": "/local/card.js"}
    old = {"id": "2", "type": "module", "url": f"{dashboard.PATH}/old/poolctl.js"}
    older = {"id": "3", "type": "module", "url": f"{dashboard.PATH}/older/poolctl.js"}
    hass_storage["lovelace_resources"] = {
        "version": 1,
        "key": "lovelace_resources",
        "data": {"items": [card, old, older]},
    }
    home.own(home.service.small)
    await home.set_up(home.service.small)
    kept, ours = _resources(hass)
    assert kept == card["url"]
    assert ours not in {old["url"], older["url"]}
    assert ours.startswith(f"{dashboard.PATH}/")


async def test_a_disabled_account_is_deleted_after_a_restart(
    hass: HomeAssistant, hass_storage: dict[str, Any], frontend: None, home: Home
) -> None:
    """Nothing of ours ran since the start, and nothing stays behind (W6)."""
    ours = {"id": "2", "type": "module", "url": f"{dashboard.PATH}/old/poolctl.js"}
    hass_storage["lovelace_resources"] = {
        "version": 1,
        "key": "lovelace_resources",
        "data": {"items": [ours]},
    }
    device_id = home.service.small.device_id
    hass_storage[DOMAIN] = {
        "version": 1,
        "key": DOMAIN,
        "data": {device_id: {"counters": {"sent": 7}, "volume": 50_000}},
    }
    data = home.service.entry(home.service.small).data
    entry = MockConfigEntry(
        domain=DOMAIN, data=data, disabled_by=ConfigEntryDisabler.USER
    )
    entry.add_to_hass(hass)
    await hass.config_entries.async_remove(entry.entry_id)
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await hass.async_block_till_done()
    assert _resources(hass) == []
    stored = hass_storage[DOMAIN]["data"][device_id]
    assert stored == {"counters": {"sent": 7}}


async def test_resources_in_yaml(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    hass_storage: dict[str, Any],
    home: Home,
) -> None:
    """Where resources are kept in YAML they stay as they are; browsers load it still."""
    hass_storage["onboarding"] = ONBOARDED
    assert await async_setup_component(
        hass, "lovelace", {"lovelace": {"resource_mode": "yaml", "resources": []}}
    )
    assert await async_setup_component(hass, "frontend", {})
    home.own(home.service.small)
    entry = await home.set_up(home.service.small)
    assert len(await _offered(hass_client)) == 1
    assert _resources(hass) == []
    await hass.config_entries.async_remove(entry.entry_id)
    assert await _offered(hass_client) == []


async def test_without_frontend(hass: HomeAssistant) -> None:
    """Home Assistant without a frontend, or without even http, does not mind."""
    assert await async_setup_component(hass, DOMAIN, {})
    assert "frontend" not in hass.config.components


async def test_starts_after_frontend(hass: HomeAssistant) -> None:
    """Whether there is a frontend is known by the time it is asked for."""
    integration = await async_get_integration(hass, DOMAIN)
    assert {"frontend", "http"} <= set(integration.after_dependencies)


def test_changed_files_have_another_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser that kept the old files asks for the new ones."""
    for file in dashboard.FOLDER.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    before = dashboard._fingerprint()
    monkeypatch.setattr(dashboard, "FOLDER", tmp_path)
    assert dashboard._fingerprint() == before
    with (tmp_path / "words.js").open("a") as words:
        words.write("\n")
    assert dashboard._fingerprint() != before


async def test_every_row_finds_an_entity(full: Home) -> None:
    """What the table of the dashboard looks for is there in a fully equipped pool."""
    found = [
        (
            entity.domain,
            entity.translation_key or "",
            entity.original_device_class or "",
        )
        for entity in full.entities()
    ]
    rows = ROW.findall((dashboard.FOLDER / "sections.js").read_text())
    assert len(rows) > 30
    idle = [
        (domain, pattern)
        for domain, pattern in rows
        if pattern
        and not any(
            domain == entity_domain
            and (re.search(pattern, key) or re.search(pattern, device_class))
            for entity_domain, key, device_class in found
        )
    ]
    assert idle == []


def test_every_language_has_its_words() -> None:
    """All words are there in every language of the integration."""
    keys, words = (dashboard.FOLDER / "words.js").read_text().split("const WORDS")
    assert set(LANGUAGE.findall(words)) == LANGUAGES
    count = len(WORD.findall(keys))
    rows = LANGUAGE.split(words.partition("\n};")[0])[2::2]
    assert [len(WORD.findall(row)) for row in rows] == [count] * len(LANGUAGES)
