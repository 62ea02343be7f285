"""No label of the dashboard is cut, in any state, language, width and colour scheme.

Each state of the pool is shown once in each language; widths and schemes take turns.
POOLCTL_EVERY_LABEL=1 tries all combinations, in all languages, and through the cloud.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import product
import json
import os
from pathlib import Path
import re
from typing import Any, Final, Literal

from playwright.async_api import Page, ViewportSize, expect
import pytest
import pytest_asyncio

from tests.world.home.api import HomeAssistant, Json
from tests.world.home.settings import DOMAIN, REPOSITORY, Settings
from tests.world.home.waiting import until

from .conftest import EnterHome
from .dashboards import LAYOUT_MS, Change, card, controller, look, pretended, pretending
from .pools import FULL_ID, SMALL_ID, Pools, entity
from .test_accessibility import SCHEMES, findings
from .test_account import connections
from .test_cards import PROBLEMS_SHOWN

EVERY: Final = "POOLCTL_EVERY_LABEL" in os.environ
LANGUAGES: Final = ("en", "de", "fr")
CLOUD_S: Final = 90.0
MORE_LANGUAGES: Final = ("es", "it", "nl", "cs", "sv", "pt-BR")
WIDTHS: Final = (1440, 1024, 390)
HEIGHT: Final = 960

# Attributes that exist only during a hold or a timer.
EVENING: Final = "2099-12-24T22:40:00+00:00"
ENDS: Final = {"held_until": EVENING, "timer_ends": EVENING}

WARM_BY: Final[Json] = {
    "warm_by": EVENING,
    "warm_by_planned": [{"start": EVENING, "end": EVENING}] * 3,
}
HELD: Final = {"held_by_hand": True, "held_until": EVENING}
STATES: Final[dict[str, list[Change]]] = {
    "lost": [
        ("sensor", "connection", "unavailable", {}),
        ("sensor", "ph", "unavailable", {}),
    ],
    "cloud": [("sensor", "connection", "cloud", {})],
    "run-on": [("sensor", "pump_status", "cooling_down", {"ends": EVENING})],
    "holds": [("switch", "pump", "off", HELD), ("switch", "slot_3", "on", HELD)],
    "empty": [
        ("sensor", "acid_remaining", "0", {}),
        ("sensor", "chlorine_remaining", "0", {}),
    ],
    "rest": [
        (
            "climate",
            "spa_heating",
            None,
            {"last_temperature": 31.2, "measured_at": EVENING},
        ),
        ("sensor", "pump_status", "off", {}),
        ("sensor", "status", None, {"next_run": EVENING, "next_schedule": "Filter"}),
    ],
    "lights": [("light", key, "on", {}) for key in ("slot_1", "slot_2", "slot_17")],
    "outside": [("sensor", "ph", "8.2", {})],
    "paused": [("switch", "automatic_ph", "off", {"paused_until": EVENING})],
}

TRANSLATIONS: Final = REPOSITORY / "custom_components" / DOMAIN / "translations"
CUT: Final = (Path(__file__).parent / "labels.js").read_text()

# Chooses the language of a user, as the profile does.
SPEAK: Final = """language => document.querySelector("home-assistant").dispatchEvent(
    new CustomEvent("hass-language-select", { detail: language }))"""

# Returns the entities of cards that fill only a part of their row, alone.
ORPHANS: Final = """sections => {
    const orphans = [];
    for (const section of sections) {
        const whole = section.getBoundingClientRect().width;
        const boxes = [...(section.shadowRoot ?? section).querySelectorAll(".card")]
            .map(card => [card, card.getBoundingClientRect()])
            .filter(([, box]) => box.height > 0);
        for (const [card, box] of boxes) {
            const beside = boxes.filter(([other, { top, bottom }]) =>
                other !== card && top < box.bottom - 1 && bottom > box.top + 1);
            if (box.width < whole * 0.6 && !beside.length) orphans.push(card.querySelector("hui-card")?.config?.entity);
        }
    }
    return orphans;
}"""


@pytest_asyncio.fixture(
    loop_scope="session", params=(*LANGUAGES, *(MORE_LANGUAGES if EVERY else ()))
)
async def language(
    request: pytest.FixtureRequest, api: HomeAssistant
) -> AsyncIterator[str]:
    """Set the home's language, in which its entities are named."""
    language: str = request.param
    await speak(api, language)
    yield language
    await speak(api, "en")


async def speak(api: HomeAssistant, language: str) -> None:
    """Set Home Assistant's language; reload the entry so that entities are renamed."""
    if (await api.get("/api/config"))["language"] == language:
        return
    await api.command("config/core/update", language=language)
    (entry,) = await api.entries(DOMAIN)
    await api.post(f"/api/config/config_entries/entry/{entry['entry_id']}/reload", {})


@pytest.mark.parametrize("cloud", [False, True] if EVERY else [False])
async def test_labels(
    enter: EnterHome,
    standing: None,
    home: Settings,
    api: HomeAssistant,
    pools: Pools,
    language: str,
    cloud: bool,
) -> None:
    """No label is cut on a desktop, a tablet and a phone, in any state of the pool."""
    page = await enter(locale=language)
    async with AsyncExitStack() as stack:
        if cloud:
            await stack.enter_async_context(through_cloud(api, pools))
        for output in await some_outputs(api):
            await stack.enter_async_context(pretended(api, output, attributes=ENDS))
        warm: Iterator[Change] = (
            ("climate", f"{body}_heating", None, WARM_BY) for body in ("pool", "spa")
        )
        await stack.enter_async_context(pretending(api, *warm))
        for device_id in (FULL_ID, SMALL_ID):
            path = await controller(api, device_id)
            for view in (path, f"{path}-history", f"{path}-settings"):
                await look(page, home, view)
                await all_widths(page)
    if not cloud:
        await all_states(page, home, api, language)


async def test_more_languages(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """The cards speak the language of their user, and no label is cut in any."""
    await look(desk, home, await controller(api))
    age = card(desk, "water").get_by_role("status")
    try:
        for spoken in (*MORE_LANGUAGES, "de", "fr"):
            await desk.evaluate(SPEAK, spoken)
            shown = json.loads((TRANSLATIONS / f"{spoken}.json").read_text())["common"]
            await expect(age).to_have_text(shown["card_now"])
            await all_widths(desk)
    finally:
        await desk.evaluate(SPEAK, "en")


@asynccontextmanager
async def through_cloud(api: HomeAssistant, pools: Pools) -> AsyncIterator[None]:
    """Make both controllers reachable only through the cloud while the block runs."""

    async def go(way: str) -> None:
        for device_id in (FULL_ID, SMALL_ID):
            await pools.fault(device_id, "refuse", on=way == "cloud")
        await until(lambda: connections(api), {way}.__eq__, what=way, seconds=CLOUD_S)

    try:
        await go("cloud")
        yield
    finally:
        await go("lan")


async def some_outputs(api: HomeAssistant) -> list[str]:
    """Return an output, the pump and the lights of the full pool."""
    switches = [await entity(api, key, "switch") for key in ("slot_3", "pump")]
    lights = [each for each in await api.states() if each.startswith("light.home_pool")]
    return switches + lights


async def all_widths(page: Page) -> None:
    view, sections = page.locator("hui-view"), page.locator("hui-grid-section")
    for width in WIDTHS:
        await page.set_viewport_size(ViewportSize(width=width, height=HEIGHT))
        await page.wait_for_timeout(LAYOUT_MS)
        assert await view.evaluate(CUT) == [], f"at {width} px"
        assert await sections.evaluate_all(ORPHANS) == [], f"at {width} px"


async def all_states(
    page: Page, home: Settings, api: HomeAssistant, language: str
) -> None:
    """Check that in each state no label is cut, and axe-core has no serious finding."""
    path = await controller(api)
    every = ("sensor", "status", "problem", problems(language))
    states: dict[str, list[Change]] = {"problems": [every], **STATES}
    for number, (state, changes) in enumerate(states.items()):
        async with pretending(api, *changes):
            await look(page, home, path)
            if state == "problems":
                headline = card(page, "pool").locator(".headline")
                await headline.click()
            else:
                # The dialog of the previous state closes slowly.
                dialog = page.locator("ha-more-info-history")
                await expect(dialog).to_have_count(0)
            for width, scheme in looks(number, language):
                await page.emulate_media(color_scheme=scheme)
                await page.set_viewport_size(ViewportSize(width=width, height=HEIGHT))
                await page.wait_for_timeout(LAYOUT_MS)
                where = f"{state} at {width} px, {scheme}"
                assert await page.locator("hui-view").evaluate(CUT) == [], where
                assert await findings(page) == {}, where


def looks(number: int, language: str) -> list[tuple[int, Literal["dark", "light"]]]:
    """Return the widths and schemes for a state in a language: all by turns."""
    if EVERY:
        return list(product(WIDTHS, SCHEMES))
    turn = number + LANGUAGES.index(language)
    return [(WIDTHS[turn % 3], SCHEMES[turn % 2])]


def problems(language: str) -> dict[str, Any]:
    """Return every problem of the table, as the status shows them in a language."""
    texts = json.loads((TRANSLATIONS / f"{language}.json").read_text())["common"]

    def text(key: str) -> str:
        return re.sub(r"\{\w+\}", "123456", texts.get(key, ""))

    return {
        "problems": [
            {
                "key": key,
                "severity": severity,
                "sentence": text(key),
                "next_step": text(f"{key}_next"),
                "since": EVENING,
            }
            for key, severity in PROBLEMS_SHOWN
        ]
    }
