"""The pumps are on the energy dashboard of the development home."""

from playwright.async_api import Page, expect

from tests.world.home.api import HomeAssistant
from tests.world.home.settings import Settings

from .pools import entity


async def test_pumps_on_the_energy_dashboard(
    page: Page, home: Settings, api: HomeAssistant
) -> None:
    """Home Assistant accepts the energy and power of the pumps, and shows them."""
    energy = await entity(api, "pump_energy", "sensor")
    power = await entity(api, "pump_power", "sensor")
    prefs = await api.command("energy/get_prefs")
    pumps = {row["stat_consumption"]: row for row in prefs["device_consumption"]}
    assert pumps[energy]["stat_rate"] == power
    checked = await api.command("energy/validate")
    found = {
        problem["type"] for row in checked["device_consumption"] for problem in row
    }
    # The recorder writes the first statistics after some minutes.
    assert found <= {"statistics_not_defined"}

    await page.goto(f"{home.home_url}/energy")
    shown = page.locator("hui-energy-devices-graph-card")
    await expect(shown).to_contain_text("Individual devices")
