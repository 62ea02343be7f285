"""A user operates the entities on a device page; each click acts on the pool."""

from pathlib import Path
from typing import Final

from playwright.async_api import Locator, Page, expect
import pytest

from tests.world.home.api import new_session
from tests.world.home.settings import Settings

from .pools import FULL, Pools, relay
from .steps import (
    choose,
    come_to_rest,
    open_entity,
    open_integration,
    open_part,
    row,
    sign_in,
    take_picture,
    take_picture_of,
    toggle,
)

# The pool begins with light type 2; type 5 is another maker's (protocol.md O4.1).
OWN_LIGHTS: Final = "Spa Electrics Multi Plus"
OTHER_LIGHTS: Final = "PAL Colour Touch"
NORTHERN_LIGHTS: Final = [5, 7]

VALVES: Final = ("Spa Return", "Spa Suction")


async def test_light(
    page: Page, home: Settings, pools: Pools, screenshots: Path | None
) -> None:
    """The effects are those of the chosen light type; the chosen effect is shown."""
    await open_part(page, home, FULL, "Lights")
    kind = page.locator("ha-select").filter(has_text="Pool light type")
    await choose(kind, OTHER_LIGHTS)
    dialog = await open_entity(page, "Pool Light")
    effect = dialog.locator("ha-control-select-menu").filter(has_text="Effect")
    await choose(effect, "Northern Lights")
    await pools.becomes(lambda pool: pool["lights"]["pool"], NORTHERN_LIGHTS)
    await expect(effect).to_contain_text("Northern Lights")
    await expect(dialog.get_by_role("switch", name="Toggle")).to_be_checked()
    await effect.click()
    await expect(effect.get_by_role("menuitem").first).to_be_visible()
    await take_picture(page, screenshots, "light.png")
    await page.keyboard.press("Escape")

    await pools.becomes(relay("Pool Light"), True)
    await dialog.get_by_role("switch", name="Toggle").click()
    await pools.becomes(relay("Pool Light"), False)
    await dialog.get_by_role("button", name="Close").click()
    await choose(kind, OWN_LIGHTS)
    await expect(kind).to_contain_text(OWN_LIGHTS)


@pytest.mark.last
async def test_spa_temperature(
    page: Page, home: Settings, pools: Pools, screenshots: Path | None
) -> None:
    """Spa mode moves the valves, and a click changes the target by one degree.

    For minutes afterwards, the readings of the pool are not new.
    """
    await open_part(page, home, FULL, "Spa")
    await toggle(page, "Spa")
    for valve in VALVES:
        await pools.becomes(relay(valve), True)
    before = int((await pools.read())["settings"]["spa_target"])
    dialog = await open_entity(page, "Heating")
    less, more = (dialog.locator("ha-outlined-icon-button").nth(n) for n in (0, 1))
    for button, asked in ((more, before + 1), (less, before)):
        await button.click()
        await pools.becomes(lambda pool: pool["settings"]["spa_target"], asked)
        await expect(dialog).to_contain_text(f"{asked} °C")
    await expect(dialog).to_contain_text("Heating")
    await take_picture_of(dialog, screenshots, "spa.png")
    await dialog.get_by_role("button", name="Close").click()
    await toggle(page, "Spa")
    for valve in VALVES:
        await pools.becomes(relay(valve), False)


async def test_kinds_of_outputs(
    visitor: Page, asked_home: Settings, screenshots: Path | None
) -> None:
    """The names of outputs propose their kinds; a light is one until that is undone."""
    page, home = visitor, asked_home
    await sign_in(page, home)
    dialog = await open_kinds(page, home)
    for name in ("Pond Pump", "Garden Lights"):
        await expect(dialog).to_contain_text(name)
    await take_picture(page, screenshots, "kinds_of_outputs.png")
    await submit(page, dialog)

    await open_part(page, home, FULL, "Lights")
    async with new_session() as session:
        pools = Pools(session, home.control_url)
        for on in (True, False):
            await toggle(page, "Garden Lights")
            await pools.becomes(relay("Garden Lights"), on)

    dialog = await open_kinds(page, home)
    await expect(dialog).to_contain_text("Garden Lights")
    clear = dialog.locator(".clear")
    while await clear.count():
        await clear.first.click()
    await submit(page, dialog)
    await open_part(page, home, FULL, "Outputs")
    await expect(row(page, "Garden Lights")).to_be_visible()


async def open_kinds(page: Page, home: Settings) -> Locator:
    await open_integration(page, home)
    await page.get_by_role("button", name="Configure").click()
    dialog = page.locator("dialog-data-entry-flow")
    await dialog.get_by_text("Kinds of outputs", exact=True).click()
    await expect(dialog).to_contain_text("Heaters")
    return dialog


async def submit(page: Page, dialog: Locator) -> None:
    await dialog.get_by_role("button", name="Submit").click()
    await dialog.get_by_role("button", name="Finish").click()
    await expect(dialog).to_be_hidden()
    # A dialog that closes goes back in the history, even from a page opened meanwhile.
    await come_to_rest(page)
