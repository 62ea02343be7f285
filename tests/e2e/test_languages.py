"""A person whose home speaks German."""

from collections.abc import AsyncIterator
import json
from typing import Any, Final

from playwright.async_api import expect
import pytest
import pytest_asyncio

from tests.home.api import HomeAssistant
from tests.home.settings import DOMAIN, REPOSITORY, Settings

from .conftest import EnterHome
from .pools import FULL
from .steps import open_device, open_flow, row

TRANSLATIONS: Final = REPOSITORY / "custom_components" / DOMAIN / "translations"

# Of each kind of entity one that the fully equipped pool has: platform and key.
SHOWN: Final = (
    ("switch", "pump"),
    ("number", "pump_speed"),
    ("climate", "spa"),
    ("button", "resume_schedules"),
    ("sensor", "water_temperature"),
    ("binary_sensor", "acid_low"),
    ("event", "doses"),
    ("calendar", "schedules"),
)


@pytest.fixture
def german() -> dict[str, Any]:
    """Return the German texts."""
    if not (file := TRANSLATIONS / "de.json").exists():
        pytest.skip("there is no German yet")
    texts: dict[str, Any] = json.loads(file.read_text())
    return texts


@pytest_asyncio.fixture(loop_scope="session")
async def german_home(
    german: dict[str, Any], home: Settings, api: HomeAssistant
) -> AsyncIterator[Settings]:
    """Let the home speak German: entities are named in its language."""
    await speak(api, "de")
    yield home
    await speak(api, "en")


async def test_german(
    enter: EnterHome, german: dict[str, Any], german_home: Settings
) -> None:
    """Names, states, the first step of the flow, and what is wrong with an answer."""
    page = await enter(locale="de-DE")
    await open_device(page, german_home, FULL)
    for platform, key in SHOWN:
        name = german["entity"][platform][key]["name"]
        await expect(row(page, name)).to_be_attached()
    mode = german["entity"]["sensor"]["pump_mode"]
    await expect(row(page, mode["name"])).to_contain_text(mode["state"]["schedule"])

    dialog = await open_flow(page, german_home)
    step = german["config"]["step"]["user"]
    await expect(dialog).to_contain_text(step["title"])
    await expect(dialog).to_contain_text(step["description"])
    await dialog.get_by_role("textbox", name=step["data"]["url"]).fill("pool")
    await dialog.get_by_role("button", name="OK").click()
    error, _, _ = german["config"]["error"]["invalid_url"].partition("{")
    await expect(dialog).to_contain_text(error)


async def speak(api: HomeAssistant, language: str) -> None:
    """Change the language of Home Assistant, and have the entities named anew."""
    await api.command("config/core/update", language=language)
    (entry,) = await api.entries(DOMAIN)
    await api.post(f"/api/config/config_entries/entry/{entry['entry_id']}/reload", {})
