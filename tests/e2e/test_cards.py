"""The cards follow the pool without a reload, and can be used by touch."""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
import re
from typing import Final

from playwright.async_api import Page, ViewportSize, expect
import pytest

from custom_components.poolctl.status.account import ACCOUNT_PROBLEMS
from custom_components.poolctl.status.table import PROBLEMS
from tests.world.home.api import HomeAssistant
from tests.world.home.settings import Settings

from .dashboards import (
    LAYOUT_MS,
    PHONE,
    URL_PATH,
    card,
    controller,
    look,
    make_dashboard,
    output,
    pretending,
)
from .pools import SMALL_ID, Pools, entity, relay, shown
from .steps import click_until, repeat_until, take_picture

# Two polls: the first may have begun before the change.
POLL_MS: Final = 45_000
LONG_MS: Final = 700
SATURDAY: Final = 5
TALLEST: Final = 2200
GOOD: Final = re.compile(r"\bgood\b")
EVENING: Final = "2099-12-04T18:40:00+00:00"
"""A time so far away that its date is shown, not its day of the week."""
PROBLEMS_SHOWN: Final = sorted(
    {
        (row.key, str(each.severity))
        for table in (PROBLEMS, ACCOUNT_PROBLEMS)
        for row in table
        for each in (row, *row.variants)
    }
)
"""Keys of the tables of problems, with each severity that they may have."""
RATES: Final = {"problem": re.compile(r"\bpoor\b"), "notice": re.compile(r"\bfair\b")}
PARTS: Final = {
    "ph_out_of_range": [("water", ".reading", "pH")],
    "orp_out_of_range": [("water", ".reading", "ORP")],
    "stale_readings": [("water", ".reading", "pH"), ("water", ".reading", "ORP")],
    "acid_low": [("drums", ".drum", "Acid")],
    "acid_limit": [("drums", ".drum", "Acid")],
    "acid_without_effect": [("drums", ".drum", "Acid")],
    "chlorine_low": [("drums", ".drum", "Chlorine")],
    "chlorine_without_effect": [("drums", ".drum", "Chlorine")],
}
"""Parts of cards that a problem keeps from being green: card, part and its name."""
GREEN: Final = "rgb(67, 160, 71)"
"""Colour of good values in the theme of Home Assistant."""
HEIGHT: Final = "view => view.getBoundingClientRect().height"
HEIGHTS: Final = """sections => sections.map(section => {
    const cards = [...(section.shadowRoot ?? section).querySelectorAll(".card")];
    const boxes = cards.map(card => card.getBoundingClientRect()).filter(({ height }) => height);
    return Math.max(...boxes.map(box => box.bottom)) - Math.min(...boxes.map(box => box.top));
})"""
LOWEST: Final = 0.6
"""Share of the higher column that the other one has at least."""


async def test_pause(pool: Page, api: HomeAssistant) -> None:
    """Dosing is paused for a time; the end is shown, and the pause can be ended."""
    drums = card(pool, "drums")
    acid = await entity(api, "automatic_ph", "switch")
    await drums.get_by_role("button", name="Pause dosing").click()
    dialog = drums.get_by_role("dialog")
    await expect(dialog).to_contain_text("are not dosed for this time")
    await dialog.get_by_role("button", name="30 min").click()
    await expect(drums.get_by_role("status")).to_contain_text("Dosing is paused until")
    # One command follows the other, and the end is stored before they are sent.
    state = await shown(
        api,
        acid,
        lambda found: found["state"] == "off" and "paused_until" in found["attributes"],
    )
    end = datetime.fromisoformat(state["attributes"]["paused_until"])
    left = end - datetime.fromisoformat(state["last_changed"])
    assert timedelta(minutes=29) < left
    pause = drums.get_by_role("button", name="Pause dosing")
    await click_until(
        drums.get_by_role("button", name="Resume dosing"), expect(pause).to_be_visible
    )
    assert (await api.states())[acid]["state"] == "on"


async def test_hold(pool: Page, pools: Pools, api: HomeAssistant) -> None:
    """A long press offers to hold; the end is shown, and the hold can be ended."""
    await card(pool, "outputs").get_by_role("button", expanded=False).click()
    waterfall = output(pool, "Waterfall")
    dialog = card(pool, "outputs").get_by_role("dialog")
    await waterfall.get_by_role("switch").click(delay=LONG_MS)
    keep_on = dialog.get_by_role("group", name="Keep on")
    await keep_on.get_by_role("button", name="30 min").click()
    await expect(dialog).to_have_count(0)
    await pools.becomes(relay("Waterfall"), True)
    await expect(waterfall).to_contain_text("by hand · until")
    state = (await api.states())[await entity(api, "slot_3", "switch")]
    end = datetime.fromisoformat(state["attributes"]["held_until"])
    left = end - datetime.fromisoformat(state["last_changed"])
    assert timedelta(minutes=29) < left < timedelta(minutes=31)
    # The hold is ended by keyboard.
    await waterfall.get_by_role("button", name="Hold Waterfall").press("Enter")
    await expect(dialog).to_contain_text("Switched on by ")
    await expect(dialog).to_contain_text(" at ")
    await dialog.get_by_role("button", name="Give back now").press("Enter")
    await pools.becomes(relay("Waterfall"), False)
    await expect(waterfall).not_to_contain_text("by hand")
    await card(pool, "outputs").get_by_role("button", expanded=True).click()


async def test_resume(
    pool: Page, pools: Pools, api: HomeAssistant, screenshots: Path | None
) -> None:
    """The outputs that would be given back are named first."""
    held = [await entity(api, slot, "switch") for slot in ("slot_3", "slot_30")]
    hold = {"state": True, "duration": {"hours": 2}}
    await api.call("poolctl", "hold", entity_id=held, **hold)
    outputs = card(pool, "outputs")
    await expect(outputs.locator(".row.held")).to_have_count(2)
    await take_picture(outputs, screenshots, "holds.png")
    await outputs.get_by_role("button", name="Resume schedules").click()
    dialog = outputs.get_by_role("dialog")
    await expect(dialog).to_contain_text("Fountain, Waterfall")
    await dialog.get_by_role("button", name="Resume schedules").click()
    await pools.becomes(relay("Waterfall"), False)
    await expect(outputs.locator(".row.held")).to_have_count(0)


async def test_run_on(pool: Page, api: HomeAssistant) -> None:
    """For a pump that runs on after it was switched off, reason and end are shown."""
    headline = card(pool, "pool").locator(".headline")
    run_on = ("sensor", "pump_status", "cooling_down", {"ends": EVENING})
    async with pretending(api, run_on):
        await expect(headline).to_contain_text("Stopping")
        await expect(headline).to_contain_text("cooling the heater until Dec 4, 6:40")
    await expect(headline).to_contain_text("filtering")


async def test_day(pool: Page, api: HomeAssistant) -> None:
    """Planned hours follow the schedules, and hours in which the pump ran are shown."""
    day = card(pool, "day")
    pump = day.get_by_role("img", name="Pump")
    await expect(pump.locator(".planned")).to_have_count(1)
    await expect(pump.locator(".ran").first).to_be_attached()
    await expect(day.locator(".row.pump .label")).to_contain_text(
        re.compile(r"\d \w+ of \d")
    )
    # One schedule has the working days, the other the weekends.
    working = datetime.now(UTC).weekday() < SATURDAY
    number, name = (1, "Waterfall") if working else (2, "Pool Light")
    schedule = await entity(api, f"schedule_{number}", "switch")
    planned = day.get_by_role("img", name=name).locator(".planned")
    await api.call("switch", "turn_on", entity_id=schedule)
    await expect(planned.first).to_be_attached()
    await api.call("switch", "turn_off", entity_id=schedule)
    await expect(planned).to_have_count(0)


async def test_light_shows(pool: Page, api: HomeAssistant) -> None:
    """Shows are offered only while a light is on."""
    shows = pool.locator("hui-light-effect-card-feature:visible")
    await expect(shows).to_have_count(0)
    async with pretending(api, ("light", "slot_1", "on", {})):
        await expect(shows).to_have_count(1)


async def test_every_problem(pool: Page, api: HomeAssistant) -> None:
    """Each problem is the headline, in its colour; a tap shows the next step."""
    top = card(pool, "pool")
    headline = top.locator(".headline")

    async def tap() -> None:
        # For a moment after a poll, it is the true state that is tapped: a dialog opens.
        await pool.keyboard.press("Escape")
        await headline.click(timeout=LONG_MS * 5)

    assert PARTS.keys() <= {key for key, _ in PROBLEMS_SHOWN}
    for key, severity in PROBLEMS_SHOWN:
        problem = {
            "key": key,
            "severity": severity,
            "sentence": f"What {key} is.",
            "next_step": f"What helps with {key}.",
            "since": EVENING,
        }
        status = ("sensor", "status", severity, {"problems": [problem]})
        async with pretending(api, status):
            await expect(headline).to_contain_text(problem["sentence"])
            await expect(headline).to_have_class(RATES[severity])
            await expect(headline).not_to_have_class(GOOD)
            step = problem["next_step"]
            await repeat_until(tap, partial(expect(top).to_contain_text, step))
            await repeat_until(tap, partial(expect(top).not_to_contain_text, step))
            for kind, part, name in PARTS.get(key, ()):
                rated = card(pool, kind).locator(part, has_text=name)
                await expect(rated).to_have_class(RATES[severity])
                await expect(rated).not_to_have_class(GOOD)
                for drawn in await rated.locator(".range").all():
                    await expect(drawn).not_to_have_css("fill", GREEN)
    await expect(headline).to_contain_text("All well")
    good = card(pool, "water").locator(".reading", has_text="pH").locator(".range")
    await expect(good).to_have_css("fill", GREEN)


async def test_lost(pool: Page, api: HomeAssistant) -> None:
    """A lost controller has one card only, with the last contact and readings."""
    lost = (
        ("sensor", key, "unavailable", dict[str, object]())
        for key in ("ph", "connection")
    )
    async with pretending(api, *lost):
        await expect(card(pool, "pool")).to_contain_text("Last seen")
        await expect(card(pool, "pool")).to_contain_text("is not reading it")
        last = card(pool, "pool").get_by_label("Last readings")
        await expect(last).to_contain_text(re.compile(r"pH\s*7\.\d"))
        for kind in ("water", "day", "outputs", "drums"):
            await expect(card(pool, kind)).to_have_count(0)
    await expect(card(pool, "water")).to_be_visible()


async def test_alone(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """Each card works alone in any dashboard, with the options chosen for it."""
    device_id = await controller(api, SMALL_ID)
    kinds = ("pool", "water", "day", "outputs", "drums")
    cards: list[dict[str, object]] = [
        {"type": f"custom:poolctl-{kind}-card", "device_id": device_id}
        for kind in kinds
    ]
    cards[1]["show"] = ["ph"]
    view = {"type": "masonry", "title": "Mine", "cards": cards}
    made = await make_dashboard(api, URL_PATH, {"views": [view]})
    await desk.goto(f"{home.home_url}/{URL_PATH}")
    for kind in kinds:
        await expect(card(desk, kind)).to_be_visible()
    await expect(card(desk, "water").locator(".reading")).to_have_count(1)
    await expect(desk.locator("hui-error-card")).to_have_count(0)
    await api.command("lovelace/dashboards/delete", dashboard_id=made)


async def test_phone(pool: Page) -> None:
    """A phone shows the state at once, all on three screens; a desktop has two full columns."""
    await pool.set_viewport_size(PHONE)
    for kind in ("pool", "day"):
        await expect(card(pool, kind)).to_be_in_viewport(ratio=1)
    view = pool.locator("hui-sections-view")
    assert await view.evaluate(HEIGHT) <= TALLEST
    pump = output(pool, "Pump")
    await expect(pump.get_by_role("slider", name="Target speed")).to_be_visible()
    for width in (1024, 1440):
        await pool.set_viewport_size(ViewportSize(width=width, height=PHONE["height"]))
        await pool.wait_for_timeout(LAYOUT_MS)
        left, right = await pool.locator("hui-grid-section:visible").evaluate_all(
            HEIGHTS
        )
        assert min(left, right) > max(left, right) * LOWEST, width


@pytest.mark.last
async def test_volume(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """Once the pool's volume is entered, the turnovers of its water are shown."""
    path = await controller(api)
    turnovers = card(desk, "day").get_by_text("turnovers")
    await look(desk, home, path)
    await expect(turnovers).to_have_count(0)
    await look(desk, home, f"{path}-settings")
    await desk.get_by_text("Pool volume", exact=True).click()
    dialog = desk.locator("ha-more-info-dialog")
    volume = dialog.get_by_role("spinbutton")
    await volume.fill("50")
    await volume.press("Enter")
    await dialog.get_by_role("button", name="Close").first.click()
    await expect(dialog.get_by_role("dialog")).to_have_count(0)
    await look(desk, home, path)
    await expect(turnovers).to_be_visible()
