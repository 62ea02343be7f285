"""A user enters the pool's volume, and uses an example of the docs."""

from datetime import datetime
from typing import Final

from homeassistant.util.yaml import parse_yaml
from playwright.async_api import Locator, Page, expect

from tests.world.home.api import HomeAssistant
from tests.world.home.settings import REPOSITORY, Settings
from tests.world.home.waiting import until

from .dashboards import card, controller, look
from .pools import FULL_ID, Pools, shown

README: Final = REPOSITORY / "docs/schedules.md"
VOLUME: Final = 50  # m³
WATERFALL: Final = 1  # its number among the schedules of the controller


async def test_volume(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """Once the volume is entered, the dashboard shows the turnovers of the water."""
    path = await controller(api)
    turnovers = card(desk, "day").get_by_text("turnovers")
    await look(desk, home, path)
    await expect(turnovers).to_have_count(0)
    await look(desk, home, f"{path}-settings")
    await desk.get_by_text("Pool volume", exact=True).click()
    dialog = desk.locator("ha-more-info-dialog")
    volume = dialog.get_by_role("spinbutton")
    await volume.fill(f"{VOLUME}")
    await volume.press("Enter")
    await close(dialog)
    await look(desk, home, path)
    await expect(turnovers).to_be_visible()


async def close(dialog: Locator) -> None:
    await dialog.get_by_role("button", name="Close").first.click()
    await expect(dialog.get_by_role("dialog")).to_have_count(0)


async def test_until_sunset(api: HomeAssistant, pools: Pools) -> None:
    """The example in docs/schedules.md ends a schedule when the sun sets."""
    pasted = README.read_text().split('"Pool: pump until sunset"')[1].split("```")[0]
    example = parse_yaml(pasted)
    assert isinstance(example, dict)
    (action,) = example["actions"]

    # Not the pump's schedule: the water must flow for the other tests.
    async def switches() -> list[str]:
        key = f"{FULL_ID}_schedule_{WATERFALL}"
        return [e["entity_id"] for e in await api.entities() if e["unique_id"] == key]

    # Schedules are read some time after the account was loaded, as by the last test.
    (schedule,) = await until(switches, bool, what="a schedule is there", seconds=120)
    action["target"]["entity_id"] = schedule
    await shown(api, schedule, lambda found: found["state"] in {"on", "off"})
    await api.command("execute_script", sequence=[action])
    sunset = (await api.states())["sun.sun"]["attributes"]["next_setting"]
    sets = datetime.fromisoformat(sunset)
    await pools.becomes(
        lambda pool: pool["schedules"][WATERFALL]["end"], sets.hour * 60 + sets.minute
    )
    await api.call("poolctl", "update_schedule", entity_id=schedule, end="12:00:00")
