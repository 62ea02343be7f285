"""What the cards show is true in every minute: nothing is green that is not measured now."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
import re
from typing import Final

from playwright.async_api import Locator, Page, expect
import pytest
import pytest_asyncio

from tests.world.home.api import HomeAssistant
from tests.world.home.settings import Settings

from .conftest import EnterHome
from .dashboards import PHONE, card, controller, look, output, pretended, pretending
from .pools import FULL_ID, Pools, entity, shown
from .test_cards import GOOD, GREEN, POLL_MS

KINDS: Final = ("pool", "water", "day", "outputs", "drums")
# Returns what is painted in a colour, in the card and in its shadow tree.
PAINTED: Final = """(card, colour) => [...card.shadowRoot.querySelectorAll("*")]
    .filter(part => {
        const style = getComputedStyle(part);
        return [style.fill, style.stroke, style.backgroundColor].includes(colour)
            && !part.closest("defs");
    })
    .map(part => part.getAttribute("class"))"""
GREY: Final = "rgb(189, 189, 189)"
"""Colour of what is disabled in the theme of Home Assistant."""
SOFT: Final = "rgb(94, 94, 94)"
"""Colour of secondary text in the theme of Home Assistant."""
PAUSE_S: Final = 2.0
# Samples what one read shows, each time it changes: the time in ms, the pH, the word of the pool,
# and whether anything of the pool's card or of the pH is green.
SAMPLED: Final = """green => {
    const deep = (root, name) => {
        for (const each of root?.querySelectorAll("*") ?? []) {
            const found = each.localName === name ? each : deep(each.shadowRoot, name);
            if (found) return found;
        }
    };
    const [pool, water] = ["pool", "water"].map(kind => deep(document, `poolctl-${kind}-card`).shadowRoot);
    const painted = part => {
        const style = getComputedStyle(part);
        return [style.fill, style.stroke, style.backgroundColor].includes(green);
    };
    window.samples = [];
    setInterval(() => {
        const ph = [...water.querySelectorAll(".reading")].find(part => part.innerText.startsWith("pH"));
        const parts = [...pool.querySelectorAll(".headline *"), ...ph.querySelectorAll(".scale *, .line *")];
        const now = [ph.querySelector(".value").innerText, pool.querySelector(".word").innerText, parts.some(painted)];
        if (String(now) !== String(window.samples.at(-1)?.slice(1))) window.samples.push([Date.now(), ...now]);
    }, 50);
}"""
# Returns on how many lines the text of an element is.
LINES: Final = """part => Math.round(
    part.getBoundingClientRect().height / parseFloat(getComputedStyle(part).lineHeight))"""
MOST_LINES: Final = 2
LOW_DRUM: Final = {"acid_drum_size": 40, "acid_low_level": 50}
"""With these settings, what is left in the drum of acid is little."""
USUAL_DRUM: Final = {"acid_drum_size": 20, "acid_low_level": 10}
GROUPS: Final = ["Schedules", "Acid", "Chlorine", "Heating", "Lights", "Pump"]
CONFIRMED_MS: Final = 6000
"""Time for a second read, which follows the first in 2 to 3 s, and for the way to the page."""
# Takes the constructor of style sheets away, which Safari before 16.4 does not have.
OLD: Final = """
    const sheets = CSSStyleSheet;
    delete sheets.prototype.replace;
    delete sheets.prototype.replaceSync;
    window.CSSStyleSheet = new Proxy(sheets, {
        construct() { throw new TypeError("Illegal constructor"); },
    });
"""
# Two polls without an answer, and a little more.
SILENT_MS: Final = 60_000
# The LAN is tried twice, 15 s apart, before the cloud is asked.
CLOUD_MS: Final = 90_000
READINGS: Final = 4
AGED: Final = re.compile(r"^Not measured since \d+:\d\d")
POOR: Final = re.compile(r"\bpoor\b")


@pytest.fixture
def headline(pool: Page) -> Locator:
    return card(pool, "pool").locator(".headline")


@pytest.fixture
def age(pool: Page) -> Locator:
    return card(pool, "water").get_by_role("status")


@pytest_asyncio.fixture(loop_scope="session")
async def often_read(api: HomeAssistant) -> AsyncIterator[None]:
    """Let Home Assistant read the pool as often as it can, not every 15 s."""
    connection = await entity(api, "connection", "sensor")

    async def read() -> None:
        while True:
            await api.call("homeassistant", "update_entity", entity_id=connection)
            await asyncio.sleep(PAUSE_S)

    reading = asyncio.create_task(read())
    yield
    reading.cancel()
    with suppress(asyncio.CancelledError):
        await reading


async def nothing_is_green(pool: Page) -> None:
    """Check the computed colours of all cards."""
    for kind in KINDS:
        shown = card(pool, kind)
        if await shown.count():
            assert await shown.evaluate(PAINTED, GREEN) == [], kind


async def ring_is(headline: Locator, colour: str) -> None:
    await expect(headline.locator(".ring")).to_have_css("stroke", colour)


@pytest.mark.usefixtures("often_read")
async def test_through_the_cloud(
    pool: Page, headline: Locator, age: Locator, pools: Pools, api: HomeAssistant
) -> None:
    """The cloud is named at once, with what it cannot do; only the dials are missing."""
    readings = card(pool, "water").locator(".reading")
    dials = pool.locator("hui-target-temperature-card-feature:visible")
    await expect(readings).to_have_count(READINGS)
    for key, value in LOW_DRUM.items():
        number = await entity(api, key, "number")
        await api.call("number", "set_value", entity_id=number, value=value)
    await expect(headline).to_contain_text("nearly empty", timeout=POLL_MS)
    try:
        await pools.fault(FULL_ID, "refuse", on=True)
        await expect(headline).to_contain_text("Through the cloud", timeout=CLOUD_MS)
        for text in ("heating is not available", "filtering"):
            await expect(headline).to_contain_text(text, ignore_case=True)
        await expect(headline.locator(".open")).to_contain_text("+1")
        await expect(age).to_have_text("Via the cloud")
        for reading in await readings.locator(".value").all():
            await expect(reading).to_have_css("color", SOFT)
        await expect(dials).to_have_count(0)
        await expect(readings).to_have_count(READINGS)
        await nothing_is_green(pool)
    finally:
        await pools.fault(FULL_ID, "refuse", on=False)
    await expect(headline).not_to_contain_text("Through the cloud", timeout=CLOUD_MS)
    for key, value in USUAL_DRUM.items():
        number = await entity(api, key, "number")
        await api.call("number", "set_value", entity_id=number, value=value)
    await expect(headline).to_contain_text("All well", timeout=CLOUD_MS)
    await expect(dials).to_have_count(2)
    await ring_is(headline, GREEN)


@pytest.mark.usefixtures("often_read")
async def test_silent(
    pool: Page, headline: Locator, age: Locator, pools: Pools
) -> None:
    """After two polls without an answer nothing is green, and all readings have one time."""
    faults = ((FULL_ID, "refuse"), ("cloud", "error_503"))
    for target, fault in faults:
        await pools.fault(target, fault, on=True)
    try:
        await expect(headline).to_contain_text("No answer", timeout=SILENT_MS)
        await ring_is(headline, GREY)
        await pool.set_viewport_size(PHONE)
        text = await card(pool, "pool").locator("ha-card").inner_text()
        for once in ("Check its power", "Since", r"\d:\d\d"):
            assert len(re.findall(once, text)) == 1, once
        for line in (".word", ".sentence"):
            assert await headline.locator(line).evaluate(LINES) <= MOST_LINES
        await expect(age).to_have_text(AGED)
        aged = card(pool, "water").locator(".reading.aged")
        await expect(aged).to_have_count(READINGS)
        await nothing_is_green(pool)
    finally:
        for target, fault in faults:
            await pools.fault(target, fault, on=False)
    await expect(headline).to_contain_text("All well", timeout=POLL_MS)


@pytest.mark.usefixtures("often_read")
async def test_situations(
    pool: Page, headline: Locator, age: Locator, pools: Pools, api: HomeAssistant
) -> None:
    """Problems are named on the first screen; in a dry run the readings are doubtful."""
    await pool.set_viewport_size(PHONE)
    await expect(headline).to_contain_text("All well")
    situations = ("bad_ph", "acid_empty", "dry_run")
    water, drums = card(pool, "water"), card(pool, "drums")
    for situation in situations[:2]:
        await pools.situation(FULL_ID, situation, on=True)
    await expect(headline.locator(".open")).to_contain_text("+1", timeout=POLL_MS)
    await expect(headline).to_be_in_viewport(ratio=1)
    await expect(headline).not_to_have_class(GOOD)
    await headline.click()
    for text in ("too high", "empty"):
        await expect(card(pool, "pool")).to_contain_text(text)
    await expect(card(pool, "pool").get_by_role("listitem")).to_have_count(2)
    await headline.click()
    await expect(water.locator(".reading.poor", has_text="pH")).to_have_count(1)
    await expect(drums.locator(".drum:not(.good):not(.none)")).to_contain_text("Empty")

    await pools.situation(FULL_ID, "dry_run", on=True)
    await expect(headline).to_contain_text("dry", timeout=POLL_MS)
    await expect(headline).to_have_class(POOR)
    await expect(headline).to_contain_text("check the water level")
    await expect(headline).not_to_contain_text("filtering", ignore_case=True)
    await expect(age).to_have_text(AGED)
    # The pH is still too high, so it is red.
    await expect(water.locator(".reading.none", has_text="ORP")).to_have_count(1)
    assert await water.evaluate(PAINTED, GREEN) == []
    await card(pool, "pool").get_by_role("button", name="Stop the pump").click()
    pump = await entity(api, "pump", "switch")
    await shown(api, pump, lambda found: bool(found["state"] == "off"))
    resume = await entity(api, "resume_schedules", "button")
    await api.call("button", "press", entity_id=resume)
    for situation in situations:
        await pools.situation(FULL_ID, situation, on=False)
    await expect(headline).to_contain_text("All well", timeout=POLL_MS)
    await expect(age).to_have_text("Measured now")


async def test_one_read(pool: Page, headline: Locator, pools: Pools) -> None:
    """What one read shows is never green; the second one follows in seconds."""
    await expect(headline).to_contain_text("All well", timeout=POLL_MS)
    await pool.evaluate(SAMPLED, GREEN)
    await pools.situation(FULL_ID, "bad_ph", on=True)
    try:
        await expect(headline).to_contain_text("too high", timeout=POLL_MS)
        await pool.wait_for_timeout(200)
        samples = await pool.evaluate("() => window.samples")
    finally:
        await pools.situation(FULL_ID, "bad_ph", on=False)
    high = [sample for sample in samples if sample[1].startswith("8")]
    assert not any(green for *_, green in high), samples
    assert {word for _, _, word, _ in high} <= {"Notice", "Needs you"}
    assert high[-1][2] == "Needs you"
    assert high[-1][0] - high[0][0] < CONFIRMED_MS, samples
    await expect(headline).to_contain_text("All well", timeout=POLL_MS)


async def test_held(pool: Page, age: Locator, api: HomeAssistant) -> None:
    """A value that is older than the others is grey, with its own time."""
    held = card(pool, "water").locator(".reading.aged")
    at = {"measured_at": "2026-01-05T18:40:00+00:00"}
    for state, more in ((None, at), ("unknown", at | {"last_temperature": 26.4})):
        async with pretending(api, ("sensor", "water_temperature", state, more)):
            await expect(held).to_have_count(1)
            shown = re.compile(r"^Not measured since Jan 5, \d+:\d\d")
            await expect(held.locator(".own")).to_have_text(shown)
            await expect(held.locator(".value")).to_have_text(re.compile(r"^\d\d\.\d"))
            await expect(held.locator(".value")).to_have_css("color", SOFT)
            await expect(age).to_have_text("Measured now")
        await expect(held).to_have_count(0)


async def test_old_browser(
    enter: EnterHome, home: Settings, api: HomeAssistant
) -> None:
    """All cards are drawn where style sheets cannot be constructed, as on old tablets."""
    page = await enter()
    await page.add_init_script(OLD)
    await look(page, home, await controller(api))
    for kind in KINDS:
        shown = card(page, kind)
        await expect(shown.locator("h2, .headline").first).to_be_visible()
        await expect(shown.locator("ha-card")).to_have_css("padding", "16px")


async def test_spa(headline: Locator, api: HomeAssistant) -> None:
    """While the spa is on, it says how warm it is, and when it is warm."""
    soon = (datetime.now(UTC) + timedelta(minutes=40)).isoformat()
    warmth = {"current_temperature": 28, "temperature": 36, "expected_warm_time": soon}
    async with pretending(
        api,
        ("switch", "spa_mode", "on", {}),
        ("climate", "spa_heating", "heat", warmth),
    ):
        shown = re.compile(r"Spa 28 → 36 °C, warm at about \S+")
        await expect(headline).to_contain_text(shown)


async def test_spa_at_rest(pool: Page, api: HomeAssistant) -> None:
    """While other water circulates, the spa has its last reading in grey, with its time."""
    last = {"last_temperature": 31.25, "measured_at": "2026-01-05T18:40:00+00:00"}
    async with pretending(api, ("climate", "spa_heating", None, last)):
        shown = output(pool, "Spa mode").locator(".soft")
        await expect(shown).to_have_text(re.compile(r"^31\.3 °C at Jan 5, \d+:\d\d"))
        await expect(shown).to_have_css("color", SOFT)


async def test_pump_beside_a_problem(headline: Locator, api: HomeAssistant) -> None:
    """A problem never hides the pump; one that is off runs again at a time."""
    problems = [
        {"key": key, "severity": "problem", "sentence": f"{key} is wrong."}
        for key in ("ph_out_of_range", "acid_low")
    ]
    soon = (datetime.now(UTC) + timedelta(minutes=40)).isoformat()
    next_run = {"next_run": soon, "next_schedule": "Evening"}
    doing = headline.locator(".doing")
    async with pretending(api, ("sensor", "status", "problem", {"problems": problems})):
        await expect(doing).to_contain_text("Filtering")
        await expect(headline.locator(".open")).to_contain_text("+1")
    async with pretending(
        api,
        ("sensor", "status", "problem", {"problems": problems, **next_run}),
        ("sensor", "pump_status", "off", {}),
    ):
        await expect(doing).to_contain_text(
            re.compile(r"Pump off.* · next: Evening (?:\w{3} )?\d")
        )


async def test_thermostats(pool: Page, api: HomeAssistant) -> None:
    """A thermostat that does not heat is idle, and its card says why."""
    why = "It heats again below 27 °C."
    for body, name in (("pool", "Heating"), ("spa", "Spa · Heating")):
        idle = {"hvac_action": "idle", "explanation": why, "reasons": []}
        async with pretending(api, ("climate", f"{body}_heating", "heat", idle)):
            # The other pool has such parts, too, but this page is about one.
            named = pool.get_by_text(name, exact=True)
            tile = pool.locator("hui-tile-card:visible").filter(has=named)
            await expect(tile).to_contain_text("Idle")
            await expect(tile).to_contain_text(why)


async def test_slowest_speed(pool: Page, api: HomeAssistant) -> None:
    """The bar of the speed begins at 0, and what cannot be set is marked."""
    speed = await entity(api, "pump_target_speed", "number")
    low = (await api.states())[speed]["attributes"]["min"]
    bar = card(pool, "outputs").locator(".speed")
    async with pretended(api, speed, str(low)):
        whole = await bar.locator("label").bounding_box()
        assert whole is not None
        for part in (".at", ".below"):
            await expect(bar.locator(part)).to_have_attribute("style", f"width: {low}%")
            box = await bar.locator(part).bounding_box()
            assert box is not None
            assert abs(box["width"] - whole["width"] * low / 100) < 2


async def test_times(pool: Page, api: HomeAssistant) -> None:
    """The end of the day is "midnight" on the axis and in the menu."""
    await expect(card(pool, "day").locator(".axis")).to_contain_text("midnight")
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    end = (midnight + timedelta(days=1)).isoformat()
    headline = card(pool, "pool").locator(".headline")
    pump = card(pool, "outputs").locator(".row", has_text="Pump")
    async with pretending(
        api,
        ("switch", "pump", "on", {"timer_ends": end}),
        ("sensor", "status", "all_well", {"pump_until": end}),
    ):
        await expect(headline).to_contain_text("filtering until midnight")
        await expect(pump.first).to_contain_text("until midnight")


async def test_next_step(pool: Page, api: HomeAssistant) -> None:
    """The action of the next step is a button in the card, and states its effect."""
    button = await entity(api, "mark_acid_drum_full", "button")
    name, step = "Mark acid drum full", "Fill the drum."
    problem = {
        "key": "acid_low",
        "severity": "notice",
        "sentence": "The acid drum is nearly empty.",
        "next_step": step,
        "action": {"label": name, "entity_id": button},
    }
    top = card(pool, "pool")
    async with pretending(api, ("sensor", "status", "notice", {"problems": [problem]})):
        pressed = (await api.states())[button]["state"]
        await top.get_by_role("button", name=name).click()
        dialog = top.get_by_role("dialog")
        await expect(dialog).to_contain_text("counts from a full drum of")
        await expect(dialog.locator(".primary")).to_have_text(name)
        await dialog.get_by_role("button", name=name).click()
        await shown(api, button, lambda found: bool(found["state"] != pressed))
    page = {"label": "Open settings", "url": "/config/repairs"}
    problems = [problem | {"action": page}]
    async with pretending(api, ("sensor", "status", "notice", {"problems": problems})):
        await top.get_by_role("button", name="Open settings").click()
        await expect(pool).to_have_url(re.compile("/config/repairs"))


async def test_menu(pool: Page, api: HomeAssistant) -> None:
    """The menu offers what works now, with its times; one button is the main one."""
    outputs = card(pool, "outputs")
    dialog = outputs.get_by_role("dialog")
    keep_on = dialog.get_by_role("group", name="Keep on").get_by_role("button")
    keep_off = dialog.get_by_role("group", name="Keep off").get_by_role("button")

    async def offered(name: str, on: list[str], off: list[str]) -> None:
        await outputs.get_by_role("button", name=f"Hold {name}").click()
        await expect(keep_on).to_have_text([re.compile(each) for each in on])
        await expect(keep_off).to_have_text([re.compile(each) for each in off])
        await expect(dialog.locator(".primary")).to_have_count(0)
        await dialog.get_by_role("button", name="Cancel").click()

    now = ["^30 min$", "^2 hr$", "^Until I give it back$"]
    scheduled = r"^Until (its schedule ends|.* \(its schedule\))$"
    await outputs.get_by_role("button", expanded=False).click()
    # The schedule of the pump may run all day, without an end; the slide has none.
    status = (await api.states())[await entity(api, "status", "sensor")]
    runs = [scheduled] if "pump_until" in status["attributes"] else []
    await offered("Pump", [*now[:2], *runs, now[2]], [*now[:2], *runs])
    await offered("Water Slide", now, [])
    async with pretending(api, ("sensor", "connection", "cloud", {})):
        await offered("Pump", [*now[:2], *runs, now[2]], [])
    await outputs.get_by_role("button", expanded=True).click()


async def test_pages(pool: Page) -> None:
    """History and settings are behind buttons with their names."""
    for name in ("History", "Settings"):
        await pool.locator("hui-tile-card:visible", has_text=name).click()
        await expect(pool.locator("hui-root")).to_contain_text(f"Home pool · {name}")
        if name == "Settings":
            headings = pool.locator("hui-heading-card:visible")
            await expect(headings).to_have_text(GROUPS)
        await pool.go_back()
        await expect(card(pool, "pool")).to_be_visible()
