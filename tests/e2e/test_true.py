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

from .dashboards import PHONE, card, output, pretended, pretending
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
# Two polls without an answer, and a little more.
SILENT_MS: Final = 60_000
# The LAN is tried twice, 15 s apart, before the cloud is asked.
CLOUD_MS: Final = 90_000
READINGS: Final = 4
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
    pool: Page, headline: Locator, age: Locator, pools: Pools
) -> None:
    """The cloud is named at once, with what it cannot do; only the dials are missing."""
    readings = card(pool, "water").locator(".reading")
    dials = pool.locator("hui-target-temperature-card-feature:visible")
    await expect(readings).to_have_count(READINGS)
    try:
        await pools.fault(FULL_ID, "refuse", on=True)
        await expect(headline).to_contain_text("Through the cloud", timeout=CLOUD_MS)
        for text in ("heating is not available", "filtering"):
            await expect(headline).to_contain_text(text)
        await expect(age).to_have_text("via the cloud")
        await expect(dials).to_have_count(0)
        await expect(readings).to_have_count(READINGS)
        await nothing_is_green(pool)
    finally:
        await pools.fault(FULL_ID, "refuse", on=False)
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
        await expect(headline).to_contain_text("No answer since", timeout=SILENT_MS)
        await ring_is(headline, GREY)
        await expect(age).to_have_text(re.compile(r"^at \d+:\d\d"))
        aged = card(pool, "water").locator(".reading.aged")
        await expect(aged).to_have_count(READINGS)
        await nothing_is_green(pool)
    finally:
        for target, fault in faults:
            await pools.fault(target, fault, on=False)
    await expect(headline).to_contain_text("All well", timeout=POLL_MS)


@pytest.mark.usefixtures("often_read")
async def test_situations(
    pool: Page, headline: Locator, age: Locator, pools: Pools
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
    await expect(drums.locator(".drum:not(.good):not(.none)")).to_contain_text("empty")

    await pools.situation(FULL_ID, "dry_run", on=True)
    await expect(headline).to_contain_text("dry", timeout=POLL_MS)
    await expect(headline).to_have_class(POOR)
    await expect(age).to_have_text(re.compile(r"^at \d+:\d\d"))
    # The pH is still too high, so it is red.
    await expect(water.locator(".reading.none", has_text="ORP")).to_have_count(1)
    assert await water.evaluate(PAINTED, GREEN) == []
    for situation in situations:
        await pools.situation(FULL_ID, situation, on=False)
    await expect(headline).to_contain_text("All well", timeout=POLL_MS)
    await expect(age).to_have_text("measured now")


async def test_spa(headline: Locator, api: HomeAssistant) -> None:
    """While the spa is on, it says how warm it is, and when it is warm."""
    soon = (datetime.now(UTC) + timedelta(minutes=40)).isoformat()
    warmth = {"current_temperature": 28, "temperature": 36}
    async with pretending(
        api,
        ("switch", "spa_mode", "on", {}),
        ("climate", "spa", "heat", warmth),
        ("sensor", "spa_warm_at", soon, {}),
    ):
        shown = re.compile(r"Spa 28 → 36 °C, warm at \S+")
        await expect(headline).to_contain_text(shown)


async def test_spa_at_rest(pool: Page, api: HomeAssistant) -> None:
    """While other water circulates, the spa has its last reading in grey, with its time."""
    last = {"last_temperature": 31.25, "measured_at": "2026-01-05T18:40:00+00:00"}
    async with pretending(api, ("climate", "spa", None, last)):
        shown = output(pool, "Spa · Mode").locator(".soft")
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
        await expect(doing).to_contain_text("filtering")
        await expect(headline.locator(".open")).to_contain_text("+1")
    async with pretending(
        api,
        ("sensor", "status", "problem", {"problems": problems, **next_run}),
        ("sensor", "pump_status", "off", {}),
    ):
        await expect(doing).to_contain_text(
            re.compile(r"pump off.* · next: Evening \d")
        )


async def test_thermostats(pool: Page, api: HomeAssistant) -> None:
    """A thermostat that does not heat is idle."""
    for key in ("pool", "spa"):
        async with pretending(api, ("climate", key, "heat", {"hvac_action": "idle"})):
            tile = pool.locator("hui-tile-card:visible", has_text="Heating").filter(
                has_text="Idle"
            )
            await expect(tile.first).to_be_visible()


async def test_slowest_speed(pool: Page, api: HomeAssistant) -> None:
    """The bar of the speed begins at 0, and what cannot be set is marked."""
    speed = await entity(api, "pump_speed", "number")
    low = (await api.states())[speed]["attributes"]["min"]
    bar = pool.locator("poolctl-speed:visible")
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
    """The action of the next step is a button in the card, and says what it does."""
    button = await entity(api, "refill_acid", "button")
    name, step = "Mark acid drum full", "Fill the drum, then press the button."
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
        await expect(dialog).to_contain_text(step)
        await dialog.get_by_role("button", name=name).click()
        await shown(api, button, lambda found: bool(found["state"] != pressed))
    page = {"label": "Open settings", "url": "/config/repairs"}
    problems = [problem | {"action": page}]
    async with pretending(api, ("sensor", "status", "notice", {"problems": problems})):
        await top.get_by_role("button", name="Open settings").click()
        await expect(pool).to_have_url(re.compile("/config/repairs"))


async def test_menu(pool: Page) -> None:
    """An output without a schedule is not kept off until its schedule."""
    outputs = card(pool, "outputs")
    await outputs.get_by_role("button", expanded=False).click()
    await outputs.get_by_role("button", name="Hold Water Slide").click()
    dialog = outputs.get_by_role("dialog")
    await expect(
        dialog.get_by_role("button", name="Until you give it back")
    ).to_be_visible()
    await expect(
        dialog.get_by_role("button", name="Off; it has no schedule")
    ).to_be_visible()
    await expect(dialog.get_by_role("button", name="Until its schedule")).to_have_count(
        0
    )
    await dialog.get_by_role("button", name="Cancel").click()
    await outputs.get_by_role("button", expanded=True).click()


async def test_pages(pool: Page) -> None:
    """History and settings are behind buttons with their names."""
    for name in ("History", "Settings"):
        await pool.locator("hui-tile-card:visible", has_text=name).click()
        await expect(pool.locator("hui-root")).to_contain_text(f"Home pool: {name}")
        await pool.go_back()
        await expect(card(pool, "pool")).to_be_visible()
