"""The integration in a home whose language is German."""

from collections.abc import AsyncIterator
import json
from typing import Any, Final

from playwright.async_api import expect
import pytest
import pytest_asyncio

from tests.world.home.api import HomeAssistant
from tests.world.home.settings import DOMAIN, REPOSITORY, Settings

from .conftest import EnterHome
from .pools import FULL
from .steps import open_device, open_flow, open_part, row

TRANSLATIONS: Final = REPOSITORY / "custom_components" / DOMAIN / "translations"

# Entities of several kinds of the fully equipped pool: platform and key, by their part.
SHOWN: Final[dict[str, list[tuple[str, str]]]] = {
    "pump": [("switch", "pump"), ("number", "pump_speed")],
    "spa": [("climate", "spa")],
    "water": [("sensor", "water_temperature")],
    "dosing": [("switch", "ph_dosing"), ("sensor", "acid_remaining")],
}
OF_THE_CONTROLLER: Final = [("button", "resume_schedules"), ("calendar", "schedules")]


@pytest.fixture
def german() -> dict[str, Any]:
    """Return the German texts."""
    texts: dict[str, Any] = json.loads((TRANSLATIONS / "de.json").read_text())
    return texts


@pytest_asyncio.fixture(loop_scope="session")
async def german_home(
    german: dict[str, Any], home: Settings, api: HomeAssistant
) -> AsyncIterator[Settings]:
    """Set the home's language, in which its entities are named, to German."""
    await speak(api, "de")
    yield home
    await speak(api, "en")


async def test_german(
    enter: EnterHome, german: dict[str, Any], german_home: Settings
) -> None:
    """Names, states, the first step of the flow and its error are in German."""
    page = await enter(locale="de-DE")
    await open_device(page, german_home, FULL)
    for platform, key in OF_THE_CONTROLLER:
        name = german["entity"][platform][key]["name"]
        await expect(row(page, name)).to_be_attached()
    connection = german["entity"]["sensor"]["connection"]
    lan = connection["state"]["lan"]
    await expect(row(page, connection["name"])).to_contain_text(lan)
    for part, entities in SHOWN.items():
        title, _, _ = german["device"][part]["name"].partition("{")
        await open_part(page, german_home, FULL, title)
        for platform, key in entities:
            name = german["entity"][platform][key]["name"]
            # What is named after its part has the name of the pool, as there are two.
            shown = f"{name} ({FULL})" if key == "pump" else name
            await expect(row(page, shown)).to_be_attached()

    dialog = await open_flow(page, german_home)
    step = german["config"]["step"]["user"]
    await expect(dialog).to_contain_text(step["title"])
    await expect(dialog).to_contain_text(step["description"])
    await dialog.get_by_role("textbox", name=step["data"]["url"]).fill("ftp://pool")
    await dialog.get_by_role("button", name="OK").click()
    error, _, _ = german["config"]["error"]["invalid_url"].partition("{")
    await expect(dialog).to_contain_text(error)


async def speak(api: HomeAssistant, language: str) -> None:
    """Set Home Assistant's language; reload the entry so that entities are renamed."""
    if (await api.get("/api/config"))["language"] == language:
        return
    await api.command("config/core/update", language=language)
    (entry,) = await api.entries(DOMAIN)
    await api.post(f"/api/config/config_entries/entry/{entry['entry_id']}/reload", {})
