"""What the dashboard shows is true at any time, without a reload."""

from datetime import datetime
from pathlib import Path
from typing import Final

from playwright.async_api import Locator, Page, expect

from tests.home.api import HomeAssistant
from tests.home.settings import DOMAIN, Settings
from tests.home.waiting import until

from .dashboards import (
    GO,
    PHONE,
    badge,
    controller,
    dashboard,
    look,
    pretended,
    show,
    tile,
)
from .pools import FULL, FULL_ID, SECONDS, SMALL_ID, Pools, entity, relay
from .steps import come_to_rest, pick

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

# The LAN is tried twice, 15 s apart, before the cloud is asked.
CLOUD_MS: Final = 90_000


async def set_number(api: HomeAssistant, key: str, value: float) -> float:
    """Set a number as its stepper does; return what it was."""
    entity_id = await entity(api, key, "number")
    before = float((await api.states())[entity_id]["state"])
    await api.call("number", "set_value", entity_id=entity_id, value=value)
    return before


async def test_drums(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """The bar follows the size of its drum, and is amber while that is nearly empty."""
    await look(desk, home, await controller(api))
    drum = tile(desk, "Acid remaining").locator(DRUM)
    states = await api.states()
    left = float(states[await entity(api, "acid_remaining", "sensor")]["state"])
    amber = await desk.evaluate(AMBER)
    before = await set_number(api, "acid_drum", 2 * left)
    await expect(drum).to_have_text("50%")
    await set_number(api, "acid_drum", 2.5 * left)
    await expect(drum).to_have_text("40%")
    assert await drum.evaluate(COLOUR) != amber

    level = await set_number(api, "acid_low_level", 45)
    await expect(badge(desk, "Acid nearly empty")).to_be_visible()
    await expect(badge(desk, "No problems")).to_have_count(0)
    assert await drum.evaluate(COLOUR) == amber
    await set_number(api, "acid_low_level", level)
    await expect(badge(desk, "No problems")).to_be_visible()
    await set_number(api, "acid_drum", before)


async def test_desired_value(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """What is green is around what this pool is to have."""
    await look(desk, home, await controller(api))
    gauge = desk.locator("hui-gauge-card").first
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


async def test_light_type(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """Shows are offered only for lights that have some."""
    await look(desk, home, await controller(api))
    shows = tile(desk, "Pool Light").locator("hui-light-effect-card-feature")
    kind = await entity(api, "pool_light_type", "select")
    before = (await api.states())[kind]["state"]
    # The one type has shows and no buttons, the other neither.
    for option, count in (("pal_colour_touch", 1), ("other", 0), (before, 1)):
        await api.call("select", "select_option", entity_id=kind, option=option)
        await expect(shows).to_have_count(count)


async def test_nothing_to_show(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """A pool without a past has no empty graphs, and no fault where there was none."""
    await look(desk, home, await controller(api, SMALL_ID))
    graphs = desk.locator("hui-history-graph-card, hui-statistics-graph-card")
    await expect(graphs).to_have_count(0)
    await expect(tile(desk, "Dry run")).to_be_visible()
    await expect(tile(desk, "Last fault")).to_have_count(0)


async def test_through_the_cloud(
    desk: Page, home: Settings, api: HomeAssistant, pools: Pools
) -> None:
    """What only the LAN can do says so, and is not offered as if it could be done."""
    await look(desk, home, await controller(api))
    thermostats = desk.locator("hui-thermostat-card:visible")
    await expect(thermostats).to_have_count(2)
    for fault, timeout in ((True, CLOUD_MS), (False, CLOUD_MS)):
        await pools.fault(FULL_ID, "refuse", on=fault)
        dials = 0 if fault else 2
        await expect(thermostats).to_have_count(dials, timeout=timeout)
        seen = tile(desk, "Spa Heating (read-only)")
        await expect(seen).to_have_count(int(fault))
        await expect(badge(desk, "Cloud")).to_have_count(int(fault))
        note = desk.get_by_text("What it cannot do that way")
        await expect(note).to_be_visible(visible=fault)
        reason = tile(desk, "Local network").filter(has_text="No answer")
        await expect(reason).to_have_count(int(fault))
        await expect(tile(desk, "Resume schedules")).to_have_count(int(not fault))


async def test_lost(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """A controller that does not answer says since when, and what to do."""
    connection = await entity(api, "connection", "sensor")
    state = (await api.states())[connection]
    await look(desk, home, await controller(api))
    await expect(tile(desk, "Local network")).to_have_count(0)
    # As it is once the last state is too old: the dashboard is tested here, and it
    # knows a controller by its states alone.
    await api.post(f"/api/states/{connection}", state | {"state": "unavailable"})
    await expect(badge(desk, "Unavailable")).to_contain_text("ago")
    await expect(desk.get_by_text("The controller does not answer")).to_be_visible()
    await expect(tile(desk, "Local network")).to_contain_text("ago")
    await expect(tile(desk, "Cloud")).to_contain_text("Not needed now")
    await expect(badge(desk, "No problems")).to_have_count(0)
    await api.post(f"/api/states/{connection}", state)
    await expect(badge(desk, "No problems")).to_be_visible()


async def test_held_by_hand(
    desk: Page, home: Settings, api: HomeAssistant, pools: Pools, screenshots: Path
) -> None:
    """What is held has a badge, its names, and says until when; a timer, when it ends."""
    waterfall = await entity(api, "slot_3", "switch")
    count, until_when = tile(desk, "Held outputs"), tile(desk, "Waterfall Held until")
    timer = tile(desk, "Waterfall Timer ends")
    resume = await entity(api, "resume_schedules", "button")
    await api.call("button", "press", entity_id=resume)
    await look(desk, home, await controller(api))
    for seen in (badge(desk, "Held outputs"), count, until_when, timer):
        await expect(seen).to_have_count(0)
    await hold_for_days(desk, "Waterfall", 2)
    await pools.becomes(relay("Waterfall"), True)
    await look(desk, home, await controller(api))
    await expect(badge(desk, "Held outputs")).to_contain_text("1")
    await expect(count).to_contain_text("1 · Waterfall")
    end = (await api.states())[waterfall]["attributes"]["held_until"]
    await expect(until_when).to_contain_text(f"{datetime.fromisoformat(end):%-d, %Y}")
    await come_to_rest(desk)
    outputs = desk.locator("hui-grid-section").filter(has=count)
    await outputs.screenshot(path=screenshots / "holds.png")
    await api.call("poolctl", "resume_schedule", entity_id=waterfall)
    for seen in (badge(desk, "Held outputs"), count, until_when):
        await expect(seen).to_have_count(0)

    evening = {"timer_ends": "2026-12-04T18:40:00+00:00"}
    async with pretended(api, waterfall, attributes=evening):
        await expect(timer).to_contain_text("December 4, 2026 at 6:40")
    await expect(timer).to_have_count(0)


async def test_warm_at(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """When the water is warm stands by the thermostats, while something heats it."""
    await look(desk, home, await controller(api))
    section = desk.locator("hui-grid-section").filter(has=tile(desk, "Spa Mode"))
    for key, name in (("pool_warm_at", "Warm at"), ("spa_warm_at", "Spa Warm at")):
        shown = tile(desk, name).and_(section.locator("*"))
        await expect(shown).to_have_count(0)
        async with pretended(
            api, await entity(api, key, "sensor"), "2026-12-04T18:40:00+00:00"
        ):
            await expect(shown).to_be_visible()
        await expect(shown).to_have_count(0)


async def hold_for_days(page: Page, output: str, days: int) -> None:
    """Hold an output on by the action, as a person who tries it does."""
    await page.evaluate(GO, "/config/tools/action")
    action = page.locator("ha-service-picker")
    await action.click()
    await pick(action, f"{DOMAIN}.hold", "Hold an output")
    target = page.locator("ha-target-picker")
    await target.get_by_role("button", name="Add target").click()
    await pick(target, FULL, output)
    duration = page.locator("ha-duration-input")
    await duration.get_by_role("spinbutton", name="dd").fill(f"{days}")
    await page.get_by_role("button", name="Perform action").click()


async def test_problems(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """Each problem is told where all is well otherwise."""
    await look(desk, home, await controller(api))
    for key, name in (
        ("acid_limit_reached", "Daily acid limit reached"),
        ("acid_without_effect", "Acid dosing without effect"),
        ("filter_needs_cleaning", "Filter needs cleaning"),
    ):
        await expect(badge(desk, name)).to_have_count(0)
        async with pretended(api, await entity(api, key, "binary_sensor"), "on"):
            await expect(badge(desk, name)).to_be_visible()
            await expect(badge(desk, "No problems")).to_have_count(0)
        await expect(badge(desk, "No problems")).to_be_visible()


async def test_places(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """What belongs together stands together, in both views."""
    path = await controller(api)
    await look(desk, home, path)
    lasts = tile(desk, "Acid lasts until")
    await expect(lasts).to_have_count(0)
    async with pretended(
        api, await entity(api, "acid_lasts_until", "sensor"), "2026-12-04"
    ):
        await expect(lasts).to_contain_text("2026-12-04")
        await stand_in_order(desk, "Acid remaining", "Acid lasts until")
        await stand_in_order(desk, "Acid lasts until", "Chlorine remaining")
    await stand_in_order(desk, "Acid remaining", "Acid used today")
    section = desk.locator("hui-grid-section").filter(
        has=tile(desk, "Water filtered today")
    )
    await expect(tile(desk, "Target speed").and_(section.locator("*"))).to_be_visible()

    await look(desk, home, f"{path}-settings")
    await expect(tile(desk, "Pool volume")).to_be_visible()
    names = desk.locator("hui-tile-card:visible").locator("[slot=primary]")
    texts = [text.strip() for text in await names.all_inner_texts() if text.strip()]
    at = texts.index("Filter schedule")
    assert texts[at : at + 3] == ["Filter schedule", "Start", "End"]


async def stand_in_order(desk: Page, above: str, below: str) -> None:
    """Check that a tile stands above another of its section."""
    first = await tile(desk, above).first.bounding_box()
    second = await tile(desk, below).first.bounding_box()
    assert first is not None
    assert second is not None
    assert first["x"] <= second["x"] + second["width"]
    assert first["y"] < second["y"]


async def test_section(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """The same cards drop into a dashboard that somebody already has."""
    strategy = {"type": f"custom:{DOMAIN}", "device_id": await controller(api)}
    sections = [
        {"strategy": strategy | {"section": "pump"}},
        {"strategy": strategy | {"section": "nonsense"}},
    ]
    view = {"type": "sections", "title": "Mine", "sections": sections}
    async with dashboard(api, {"views": [view]}):
        await show(desk, home)
        headings = desk.locator("hui-heading-card:visible")
        await expect(headings).to_have_text(["Pump"])
        await expect(tile(desk, "Target speed")).to_be_visible()
        await expect(desk.get_by_text("No pool controller is set up")).to_be_visible()


async def test_first_screen_of_a_phone(
    desk: Page, home: Settings, api: HomeAssistant
) -> None:
    """Whether all is well is seen without a finger."""
    await desk.set_viewport_size(PHONE)
    await look(desk, home, await controller(api))
    for part in (
        badge(desk, "No problems"),
        badge(desk, "°C"),
        badge(desk, "pH"),
        badge(desk, "ORP"),
        badge(desk, "%"),
        desk.locator("hui-gauge-card").first,
        desk.locator("hui-gauge-card").last,
    ):
        await expect(part).to_be_in_viewport(ratio=1)
