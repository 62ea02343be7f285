"""What most homes do not have: warm water by a time, narrow cards, an entity that is new."""

from datetime import UTC, datetime, timedelta
import re
from typing import Final

from playwright.async_api import Page, ViewportSize, expect

from tests.world.home.api import HomeAssistant, Json
from tests.world.home.settings import Settings
from tests.world.home.waiting import until

from .dashboards import (
    LAYOUT_MS,
    PHONE,
    URL_PATH,
    card,
    controller,
    look,
    make_dashboard,
    pretending,
)
from .pools import FULL, FULL_ID, SECONDS, entity, shown
from .steps import open_part, row
from .test_labels import CUT

KINDS: Final = ("pool", "water", "day", "outputs", "drums")
NEW: Final = "pool_heater_power"
"""Key of a number that is disabled by default."""
ENABLED_S: Final = 60.0
"""Time after which Home Assistant has loaded an entity that was enabled: it waits 30 s."""
# Whether something is wider than the page.
SCROLLS: Final = """() => document.documentElement.scrollWidth > innerWidth"""
# What runs out of a card.
WIDER: Final = """cards => {
    const inside = root => [...root.querySelectorAll("*")].flatMap(
        each => [each, ...(each.shadowRoot ? inside(each.shadowRoot) : [])]);
    const right = each => each.getBoundingClientRect().right;
    return cards.flatMap(card => inside(card)
        .filter(each => right(each) > right(card) + 1).map(each => each.localName));
}"""
IDS: Final = re.compile(r"\b(number|sensor|switch)\.home_pool")


def hour(at: float) -> str:
    """Return a time of today, as entities have it."""
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight + timedelta(hours=at)).isoformat()


async def fits(page: Page) -> None:
    """Check that nothing runs out of its card, on a phone and on a desktop."""
    for width in (1440, PHONE["width"]):
        await page.set_viewport_size(ViewportSize(width=width, height=PHONE["height"]))
        await page.wait_for_timeout(LAYOUT_MS)
        assert await page.locator("ha-card").evaluate_all(WIDER) == [], f"{width} px"
        assert not await page.evaluate(SCROLLS)


async def test_warm_by(pool: Page, home: Settings, api: HomeAssistant) -> None:
    """The thermostat of the spa asks for a time; its plan is shown, and can be cancelled."""
    await fits(pool)
    thermostat = await entity(api, "spa_heating", "climate")
    tile = pool.locator("hui-tile-card:visible", has_text="Spa · Heating")
    await tile.get_by_role("button", name="Warm by …").click()
    dialog = tile.get_by_role("dialog")
    await expect(dialog).to_contain_text("keep it warm for 3 hours")
    await dialog.get_by_label("Day").select_option(index=1)
    await dialog.get_by_label("Time").fill("18:30")
    await expect(dialog).to_contain_text(re.compile(r"Heating begins at about \S+"))
    # Nothing is asked for yet.
    assert "warm_by" not in (await api.states())[thermostat]["attributes"]
    assert not await pool.evaluate(SCROLLS)
    await dialog.get_by_role("button", name="6:30").click()
    state = await shown(api, thermostat, lambda found: "warm_by" in found["attributes"])
    time = state["attributes"]["warm_by"]
    assert "T18:30:00" in time
    ahead = datetime.fromisoformat(time) - datetime.now(UTC)
    assert timedelta(days=1) < ahead < timedelta(days=2)
    await open_part(pool, home, FULL, "Spa")
    await expect(row(pool, "Heating")).to_be_visible()
    await fits(pool)
    await look(pool, home, await controller(api))
    await expect(tile).to_contain_text(re.compile(r"\d+ °C by .* · heating \d"))
    await fits(pool)
    await tile.get_by_role("button", name="Cancel").click()
    await shown(api, thermostat, lambda found: "warm_by" not in found["attributes"])
    await expect(tile.get_by_role("button", name="Warm by …")).to_be_visible()


async def test_hours_of_warm_water(pool: Page, api: HomeAssistant) -> None:
    """Hours that cost least are planned in Today, beside what was heated and the prices."""
    blocks = [{"start": hour(at), "end": hour(at + 1)} for at in (2, 18)]
    plan: Json = {
        "warm_by": hour(24),  # not over at any hour of the day
        "warm_by_done": blocks[:1],
        "warm_by_planned": blocks[1:],
        "warm_by_prices": [[hour(at), hour(at + 1), at % 7] for at in range(24)],
    }
    tile = pool.locator("hui-tile-card:visible", has_text="Spa · Heating")
    async with pretending(api, ("climate", "spa_heating", None, plan)):
        await expect(tile).to_contain_text("heating 2:00")
        row = card(pool, "day").locator(".row", has_text="Spa")
        await expect(row.locator(".planned")).to_have_count(2)
        await expect(row.locator(".price")).to_be_visible()


async def test_narrow_cards(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """Cards of half a phone are not cut; a card names a pool or a content there is not."""
    device_id = await controller(api, FULL_ID)
    half = {"columns": 6, "rows": "auto"}
    ours: list[Json] = [
        {
            "type": f"custom:poolctl-{kind}-card",
            "device_id": device_id,
            "grid_options": half,
        }
        for kind in KINDS
    ]
    wrong: list[Json] = [
        {"type": "custom:poolctl-water-card", "device_id": "gone"},
        {"type": "custom:poolctl-water-card", "device_id": device_id, "show": ["hp"]},
    ]
    sections = [{"type": "grid", "cards": cards} for cards in (ours, wrong)]
    view = {"type": "sections", "title": "Mine", "sections": sections}
    made = await make_dashboard(api, URL_PATH, {"views": [view]})
    await desk.set_viewport_size(PHONE)
    await desk.goto(f"{home.home_url}/{URL_PATH}")
    for kind in KINDS[2:]:
        await expect(card(desk, kind)).to_be_visible()

    async def cut() -> list[str]:
        found: list[str] = await desk.locator("hui-view").evaluate(CUT)
        return found

    # The page lays the cards out again once it knows how many columns each needs.
    await until(cut, [].__eq__, what="no text is cut", seconds=SECONDS)
    assert not await desk.evaluate(SCROLLS)
    await expect(desk.get_by_text("device_id: gone was not found")).to_be_visible()
    await expect(desk.get_by_text("show: hp was not found")).to_be_visible()
    await api.command("lovelace/dashboards/delete", dashboard_id=made)


async def test_an_entity_enabled_just_now(
    desk: Page, home: Settings, api: HomeAssistant
) -> None:
    """What was enabled is shown by its name, without a reload, never by its ID."""
    new = await entity(api, NEW, "number")
    await look(desk, home, f"{await controller(api)}-settings")
    view = desk.locator("hui-view")

    async def enable(by: str | None) -> None:
        await api.command(
            "config/entity_registry/update", entity_id=new, disabled_by=by
        )

    await enable(None)

    async def there() -> bool:
        assert not IDS.search(await view.inner_text())
        return new in await api.states()

    await until(there, bool, what=new, seconds=ENABLED_S)
    await expect(view.get_by_text("Pool heater power")).to_be_visible()
    await enable("user")
