"""A person adds the ready-made dashboard, uses it, and makes it their own."""

from datetime import UTC, datetime, timedelta
from math import sin, tau
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Page, expect

from tests.home.api import HomeAssistant
from tests.home.settings import Settings

from .conftest import WINDOW
from .dashboards import PHONE, STRATEGY, URL_PATH, tile
from .pools import FULL as POOL, SMALL, entity
from .steps import click_until, come_to_rest, take_picture

FOUNTAIN: Final = "slot_30"
HEADINGS: Final = (
    "Water",
    "Pump",
    "Spa and heating",
    "Lights",
    "Outputs",
    "Chemistry",
    "Schedules",
    "History",
)

# The heading of the first section, and what is shown where there is nothing.
FIRST_HEADING: Final = {
    "en": "Water",
    "en-GB": "Water",
    "de": "Wasser",
    "fr": "Eau",
    "es": "Agua",
    "it": "Acqua",
    "nl": "Water",
    "pt-BR": "Água",
    "cs": "Voda",
    "sv": "Vatten",
    "ja": "Water",
}

# Sensors of the past that the graphs show: the middle, the swing, class and unit.
PAST: Final[dict[str, tuple[float, float, str | None, str | None]]] = {
    "ph": (7.4, 0.1, None, None),
    "orp": (670, 20, "voltage", "mV"),
    "water_temperature": (26, 0.8, "temperature", "°C"),
    "ambient_temperature": (24, 3, "temperature", "°C"),
}
PAST_DAYS: Final = 32

# The configuration of every card, by walking down to where there are cards.
ALL_CARDS: Final = """config => config.views.flatMap(
    view => view.sections.flatMap(section => section.cards))"""

# Cards whose own editor refuses them: a person could change them only as YAML.
NOT_EDITABLE: Final = """async cards => {
    const refused = [];
    for (const card of cards) {
        const tag = `hui-${card.type}-card`;
        try {
            const editor = await customElements.get(tag).getConfigElement();
            editor.hass = document.querySelector("home-assistant").hass;
            editor.setConfig(card);
        } catch (error) {
            refused.push(`${JSON.stringify(card)}: ${error}`);
        }
    }
    return refused;
}"""

# What the strategy makes in a language, with all controllers and with none.
MADE_IN: Final = """async language => {
    const real = document.querySelector("home-assistant").hass;
    const dashboard = customElements.get("ll-strategy-dashboard-poolctl");
    const view = customElements.get("ll-strategy-view-poolctl");
    const hass = { ...real, language };
    const made = await view.generate({}, hass);
    const none = await view.generate({}, { ...hass, entities: {} });
    return {
        title: dashboard.getCreateSuggestions(hass).title,
        headings: made.sections.flatMap(section => section.cards)
            .filter(card => card.type === "heading").map(card => card.heading),
        none: none.cards[0].content,
    };
}"""


async def test_dashboard(
    page: Page, home: Settings, api: HomeAssistant, screenshots: Path
) -> None:
    """Added with a few clicks, follows the equipment, is edited and stays so."""
    await make_past(api)
    await add_dashboard(page, home)
    assert await stored(api) == STRATEGY

    await open_pool(page, home)
    await take_picture(page, screenshots / "dashboard.png")
    await page.set_viewport_size(PHONE)
    await take_picture(page, screenshots / "dashboard_phone.png")
    await page.set_viewport_size(WINDOW)

    await use_it(page, api)
    await speaks_languages(page)
    await follows_equipment(page, api)
    await take_control(page, api)

    for dashboard in await api.command("lovelace/dashboards/list"):
        if dashboard["url_path"] == URL_PATH:
            await api.command(
                "lovelace/dashboards/delete", dashboard_id=dashboard["id"]
            )
    await set_hidden(api, FOUNTAIN, None)


async def add_dashboard(page: Page, home: Settings) -> None:
    """Choose the dashboard among those that can be added; take what is proposed."""
    await page.goto(f"{home.home_url}/config/lovelace/dashboards")
    await page.get_by_role("button", name="Add dashboard").click()
    card = page.locator("dashboard-card", has_text="schedules of your pools")
    create = page.get_by_role("button", name="Create")
    await click_until(card, expect(create).to_be_visible)
    await create.click()
    await expect(page.locator(f"ha-sidebar a[href='/{URL_PATH}']")).to_be_visible()
    # A dialog that closes goes back in the history, also from where we go meanwhile.
    await come_to_rest(page)


async def open_pool(page: Page, home: Settings) -> None:
    """Open the view of the fully equipped pool."""
    await page.goto(f"{home.home_url}/{URL_PATH}")
    await page.get_by_text(POOL, exact=True).first.click()
    for heading in HEADINGS:
        found = page.locator("hui-heading-card").get_by_text(heading, exact=True)
        await expect(found).to_be_attached()
    # A name without the name of the device, and nothing that cannot be shown.
    await expect(tile(page, "Target speed")).to_be_visible()
    await expect(page.locator("hui-error-card, hui-warning")).to_have_count(0)
    await expect(page.locator("hui-gauge-card")).to_have_count(2)
    bars = page.locator("hui-statistics-graph-card")
    used = bars.filter(has_text="Acid used per day · last 14 days")
    await expect(used).to_have_count(1)
    # Of what has no past there is no graph.
    await expect(bars.filter(has_text="Chlorine used per day")).to_have_count(0)


async def use_it(page: Page, api: HomeAssistant) -> None:
    """Stop the pump and let it go on; fill a drum, but only after a question."""
    entity_id = await entity(api, "pump", "switch")
    switch = page.locator("hui-toggle-card-feature").get_by_role("switch")
    pump = tile(page, "Pump").first
    for state in ("Off", "On"):
        await switch.click()
        await expect(pump).to_contain_text(state)
        assert (await api.states())[entity_id]["state"] == state.lower()
    # The other tests of this home begin with nothing held by hand.
    await api.call("poolctl", "resume_schedule", entity_id=entity_id)

    entity_id = await entity(api, "acid_remaining", "sensor")
    before = float((await api.states())[entity_id]["state"])
    for answer, litres in (("Cancel", f"{before:.1f}"), ("OK", "20.0")):
        await tile(page, "Acid refilled").click()
        await page.get_by_role("button", name=answer, exact=True).click()
        await expect(tile(page, "Acid remaining")).to_contain_text(f"{litres} L")


async def speaks_languages(page: Page) -> None:
    """All words are there in every language, English where there is none."""
    made = {
        language: await page.evaluate(MADE_IN, language) for language in FIRST_HEADING
    }
    for language, words in made.items():
        assert words["headings"][0] == FIRST_HEADING[language]
        assert len(words["headings"]) == len(made["en"]["headings"])
        assert all((*words["headings"], words["title"], words["none"]))
    assert made["ja"] == made["en-GB"] == made["en"]
    assert made["pt-BR"]["title"] == "Piscina"
    assert made["de"]["none"] == "Es ist keine Poolsteuerung eingerichtet."


async def follows_equipment(page: Page, api: HomeAssistant) -> None:
    """Hide an entity: its card goes without anybody touching the dashboard."""
    for hidden_by, count in (("user", 0), (None, 1)):
        await set_hidden(api, FOUNTAIN, hidden_by)
        await expect(tile(page, "Fountain")).to_have_count(count)


async def take_control(page: Page, api: HomeAssistant) -> None:
    """Take control and change it: it is a person's own from then on."""
    await page.get_by_role("button", name="Edit dashboard").click()
    await page.get_by_role("button", name="Take control").click()
    await expect(page.get_by_role("button", name="Done")).to_be_visible()
    config = await stored(api)
    assert "strategy" not in str(config)
    titles = [view["title"] for view in config["views"]]
    assert titles == [SMALL, f"{SMALL}: Settings", POOL, f"{POOL}: Settings"]
    cards = await page.evaluate(ALL_CARDS, config)
    assert len(cards) > 50
    assert await page.evaluate(NOT_EDITABLE, cards) == []

    title = page.locator("hui-heading-card").first
    # What lies over a card while the dashboard is edited; a click there opens its editor.
    await page.locator("hui-card-edit-mode").first.click()
    editor = page.locator("hui-dialog-edit-card")
    await editor.get_by_role("textbox").first.fill("My water")
    await editor.get_by_role("button", name="Save").click()
    await page.get_by_role("button", name="Done").click()
    await page.reload()
    await expect(title).to_contain_text("My water")
    await set_hidden(api, FOUNTAIN, "user")
    await page.reload()
    await expect(title).to_contain_text("My water")
    assert "My water" in str(await stored(api))


async def stored(api: HomeAssistant) -> dict[str, Any]:
    """Return the dashboard as Home Assistant keeps it."""
    config: dict[str, Any] = await api.command("lovelace/config", url_path=URL_PATH)
    return config


async def set_hidden(api: HomeAssistant, key: str, by: str | None) -> None:
    """Hide a switch, or show it again, as its settings do."""
    await api.command(
        "config/entity_registry/update",
        entity_id=await entity(api, key, "switch"),
        hidden_by=by,
    )


async def make_past(api: HomeAssistant) -> None:
    """Give the graphs a past: a home that was just set up has none."""
    await make_use(api)
    end = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    hours = [end - timedelta(hours=ago) for ago in range(24 * PAST_DAYS, 0, -1)]
    for key, (middle, swing, unit_class, unit) in PAST.items():
        await api.command(
            "recorder/import_statistics",
            metadata={
                "mean_type": 1,
                "has_sum": False,
                "name": None,
                "source": "recorder",
                "statistic_id": await entity(api, key, "sensor"),
                "unit_class": unit_class,
                "unit_of_measurement": unit,
            },
            stats=[
                {
                    "start": hour.isoformat(),
                    "mean": (value := middle + swing * wave(hour, len(key))),
                    "min": value - swing / 4,
                    "max": value + swing / 4,
                }
                for hour in hours
            ],
        )


async def make_use(api: HomeAssistant, what: str = "acid", daily: int = 240) -> None:
    """Let so many mL of acid or chlorine have been used on each of the days before."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    days = range(PAST_DAYS, 0, -1)
    await api.command(
        "recorder/import_statistics",
        metadata={
            "mean_type": 0,
            "has_sum": True,
            "name": None,
            "source": "recorder",
            "statistic_id": await entity(api, f"{what}_used_today", "sensor"),
            "unit_class": "volume",
            "unit_of_measurement": "mL",
        },
        stats=[
            {
                "start": (today - timedelta(days=ago)).isoformat(),
                "sum": daily * (number + sin(2 * number) / 4),
            }
            for number, ago in enumerate(days)
        ],
    )


def wave(hour: datetime, shift: int) -> float:
    """Go up and down with the day and, slower, with the days."""
    day = sin((hour.hour - shift) / 24 * tau)
    return day / 2 + sin(hour.timestamp() / 86400 / 5 + shift) / 2
