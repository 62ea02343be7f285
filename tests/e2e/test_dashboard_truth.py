"""What the dashboard shows is true at any time, without a reload."""

from typing import Final

from playwright.async_api import Locator, Page, expect

from tests.home.api import HomeAssistant
from tests.home.settings import DOMAIN, Settings
from tests.home.waiting import until

from .conftest import EnterHome
from .dashboards import PHONE, badge, controller, dashboard, show, tile
from .pools import FULL_ID, SECONDS, SMALL_ID, Pools, entity

DRUM: Final = "poolctl-drum"

# The colour of what is left of a drum, as the browser draws it, and the theme's amber.
COLOUR: Final = """drum => getComputedStyle(
    drum.shadowRoot.querySelector(".left")).backgroundColor"""
AMBER: Final = """() => {
    const sample = document.body.appendChild(document.createElement("i"));
    sample.style.color = "var(--warning-color)";
    const { color } = getComputedStyle(sample);
    sample.remove();
    return color;
}"""

# Where the green of a gauge begins and ends.
GREEN: Final = """gauge => {
    const { segments } = gauge._config;
    const first = segments.findIndex(each => each.color.includes("success"));
    return [segments[first].from, segments[first + 1].from];
}"""

# The badges for held outputs that a pool gets, without such a sensor and with one.
HELD: Final = """async device_id => {
    const { hass } = document.querySelector("home-assistant");
    const view = customElements.get("ll-strategy-view-poolctl");
    const id = "sensor.held";
    const entity = {
        entity_id: id, device_id, platform: "poolctl", translation_key: "held_outputs",
    };
    const state = { entity_id: id, state: "2", attributes: {} };
    const badges = async hass => (await view.generate({ device_id }, hass)).badges
        .filter(badge => badge.entity === id).map(badge => badge.visibility);
    return [
        await badges(hass),
        await badges({
            ...hass,
            entities: { ...hass.entities, [id]: entity },
            states: { ...hass.states, [id]: state },
        }),
    ];
}"""

# The LAN is tried twice, 15 s apart, before the cloud is asked.
CLOUD_MS: Final = 90_000


async def set_number(api: HomeAssistant, key: str, value: float) -> float:
    """Set a number as its stepper does; return what it was."""
    entity_id = await entity(api, key, "number")
    before = float((await api.states())[entity_id]["state"])
    await api.call("number", "set_value", entity_id=entity_id, value=value)
    return before


async def test_drums(page: Page, home: Settings, api: HomeAssistant) -> None:
    """The bar follows the size of its drum, and is amber while that is nearly empty."""
    async with dashboard(api):
        await show(page, home, await controller(api))
        drum = tile(page, "Acid remaining").locator(DRUM)
        states = await api.states()
        left = float(states[await entity(api, "acid_remaining", "sensor")]["state"])
        amber = await page.evaluate(AMBER)
        before = await set_number(api, "acid_drum", 2 * left)
        await expect(drum).to_have_text("50%")
        await set_number(api, "acid_drum", 2.5 * left)
        await expect(drum).to_have_text("40%")
        assert await drum.evaluate(COLOUR) != amber

        level = await set_number(api, "acid_low_level", 45)
        await expect(badge(page, "Acid nearly empty")).to_be_visible()
        await expect(badge(page, "No problems")).to_have_count(0)
        assert await drum.evaluate(COLOUR) == amber
        await set_number(api, "acid_low_level", level)
        await expect(badge(page, "No problems")).to_be_visible()
        await set_number(api, "acid_drum", before)


async def test_desired_value(page: Page, home: Settings, api: HomeAssistant) -> None:
    """What is green is around what this pool is to have."""
    async with dashboard(api):
        await show(page, home, await controller(api))
        gauge = page.locator("hui-gauge-card").first
        before = await set_number(api, "desired_ph", 7.2)
        for desired in (7.2, before):
            await set_number(api, "desired_ph", desired)
            await becomes_green(gauge, desired)


async def becomes_green(gauge: Locator, desired: float) -> None:
    """Wait until what is green is around a value."""
    good = [round(desired - 0.2, 2), round(desired + 0.2, 2)]
    await until(
        lambda: gauge.evaluate(GREEN),
        lambda found: found == good,
        what=f"{good} is green",
        seconds=SECONDS,
    )


async def test_light_type(page: Page, home: Settings, api: HomeAssistant) -> None:
    """Shows are offered only for lights that have some."""
    async with dashboard(api):
        await show(page, home, await controller(api))
        shows = tile(page, "Pool Light").locator("hui-light-effect-card-feature")
        kind = await entity(api, "pool_light_type", "select")
        before = (await api.states())[kind]["state"]
        # The one type has shows and no buttons, the other neither.
        for option, count in (("pal_colour_touch", 1), ("other", 0), (before, 1)):
            await api.call("select", "select_option", entity_id=kind, option=option)
            await expect(shows).to_have_count(count)


async def test_nothing_to_show(page: Page, home: Settings, api: HomeAssistant) -> None:
    """A pool without a past has no empty graphs, and no fault where there was none."""
    async with dashboard(api):
        await show(page, home, await controller(api, SMALL_ID))
        graphs = page.locator("hui-history-graph-card, hui-statistics-graph-card")
        await expect(graphs).to_have_count(0)
        await expect(tile(page, "Dry run")).to_be_visible()
        await expect(tile(page, "Last fault")).to_have_count(0)


async def test_through_the_cloud(
    page: Page, home: Settings, api: HomeAssistant, pools: Pools
) -> None:
    """What only the LAN can do says so, and is not offered as if it could be done."""
    async with dashboard(api):
        await show(page, home, await controller(api))
        thermostats = page.locator("hui-thermostat-card:visible")
        await expect(thermostats).to_have_count(2)
        for fault, timeout in ((True, CLOUD_MS), (False, CLOUD_MS)):
            await pools.fault(FULL_ID, "refuse", on=fault)
            dials = 0 if fault else 2
            await expect(thermostats).to_have_count(dials, timeout=timeout)
            seen = tile(page, "Spa Heating (read-only)")
            await expect(seen).to_have_count(int(fault))
            await expect(badge(page, "Cloud")).to_have_count(int(fault))
            note = page.get_by_text("What it cannot do that way")
            await expect(note).to_be_visible(visible=fault)
            await expect(tile(page, "Resume schedules")).to_have_count(int(not fault))


async def test_lost(page: Page, home: Settings, api: HomeAssistant) -> None:
    """A controller that does not answer says since when, and what to do."""
    connection = await entity(api, "connection", "sensor")
    state = (await api.states())[connection]
    async with dashboard(api):
        await show(page, home, await controller(api))
        # As it is once the last state is too old: the dashboard is tested here, and it
        # knows a controller by its states alone.
        await api.post(f"/api/states/{connection}", state | {"state": "unavailable"})
        await expect(badge(page, "Unavailable")).to_contain_text("ago")
        await expect(page.get_by_text("The controller does not answer")).to_be_visible()
        await expect(badge(page, "No problems")).to_have_count(0)
        await api.post(f"/api/states/{connection}", state)
        await expect(badge(page, "No problems")).to_be_visible()


async def test_held_by_hand(page: Page, home: Settings, api: HomeAssistant) -> None:
    """Held outputs have a badge where they are counted, as long as there are any."""
    async with dashboard(api):
        device_id = await controller(api)
        await show(page, home, device_id)
        without, counted = await page.evaluate(HELD, device_id)
        assert without == []
        condition = {"condition": "numeric_state", "entity": "sensor.held", "above": 0}
        assert counted == [[condition]]


async def test_section(page: Page, home: Settings, api: HomeAssistant) -> None:
    """The same cards drop into a dashboard that somebody already has."""
    strategy = {"type": f"custom:{DOMAIN}", "device_id": await controller(api)}
    sections = [
        {"strategy": strategy | {"section": "pump"}},
        {"strategy": strategy | {"section": "nonsense"}},
    ]
    view = {"type": "sections", "title": "Mine", "sections": sections}
    async with dashboard(api, {"views": [view]}):
        await show(page, home)
        headings = page.locator("hui-heading-card:visible")
        await expect(headings).to_have_text(["Pump"])
        await expect(tile(page, "Target speed")).to_be_visible()
        await expect(page.get_by_text("No pool controller is set up")).to_be_visible()


async def test_first_screen_of_a_phone(
    enter: EnterHome, home: Settings, api: HomeAssistant
) -> None:
    """Whether all is well is seen without a finger."""
    page = await enter(viewport=PHONE, has_touch=True, is_mobile=True)
    async with dashboard(api):
        await show(page, home, await controller(api))
        for part in (
            badge(page, "No problems"),
            badge(page, "°C"),
            badge(page, "pH"),
            badge(page, "ORP"),
            badge(page, "%"),
            page.locator("hui-gauge-card").first,
            page.locator("hui-gauge-card").last,
        ):
            await expect(part).to_be_in_viewport(ratio=1)
