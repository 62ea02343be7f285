"""A user adds the ready-made dashboard, uses it, and edits it."""

from itertools import chain
from pathlib import Path
import re
from typing import Any, Final

from playwright.async_api import Page, expect

from tests.world.home.api import HomeAssistant
from tests.world.home.provision import DASHBOARD
from tests.world.home.settings import Settings

from .dashboards import PHONE, STRATEGY, URL_PATH, card, output
from .pools import FULL as POOL, SMALL, entity
from .steps import click_until, come_to_rest, take_picture

FOUNTAIN: Final = "slot_30"
CARDS: Final = ("pool", "water", "day", "outputs", "drums")

# Names of the dashboard and a view; a language without texts has the English ones.
NAMED: Final = {
    "fr": ("Piscine", "Historique"),
    "ja": ("Pool", "History"),
}

# Returns the cards of each view, from all of its sections.
CARDS_OF_VIEWS: Final = """config => config.views.map(
    view => view.sections.flatMap(section => section.cards))"""
MOST_CARDS: Final = 20
MOST_IN_COLUMN: Final = 10

# Returns the cards that can be edited only as YAML: their own editor refuses them.
NOT_EDITABLE: Final = """async cards => {
    const refused = [];
    const helpers = await window.loadCardHelpers();
    for (const card of cards) {
        const [own, tag] = [card.type.startsWith("custom:"), card.type.replace("custom:", "")];
        try {
            // Its rows that only show a value are edited as YAML.
            if (card.type === "entities") continue;
            helpers.createCardElement(card);
            const kind = await customElements.whenDefined(own ? tag : `hui-${tag}-card`);
            if (own) {
                const { schema, computeLabel } = kind.getConfigForm();
                if (!schema.every(computeLabel)) throw new Error("no label");
                continue;
            }
            const editor = await kind.getConfigElement();
            editor.hass = document.querySelector("home-assistant").hass;
            editor.setConfig(card);
        } catch (error) {
            refused.push(`${JSON.stringify(card)}: ${error}`);
        }
    }
    return refused;
}"""

# Returns texts that the strategy makes in a language, with all controllers and none.
MADE_IN: Final = """async language => {
    const real = document.querySelector("home-assistant").hass;
    const dashboard = customElements.get("ll-strategy-dashboard-poolctl");
    const view = customElements.get("ll-strategy-view-poolctl");
    const hass = { ...real, language };
    const made = await dashboard.generate({}, hass);
    const none = await view.generate({}, { ...hass, entities: {} });
    return {
        title: dashboard.getCreateSuggestions(hass).title,
        history: made.views[1].title.split(" · ")[1],
        none: none.cards[0].content,
    };
}"""

# Returns the cards that the card picker proposes for each entity.
PROPOSED: Final = """ids => {
    const { hass } = document.querySelector("home-assistant");
    return ids.map(id => window.customCards
        .filter(card => card.getEntitySuggestion?.(hass, id)?.config.device_id)
        .map(card => card.type).join());
}"""


async def test_demo(
    demo_home: Settings, visitor: Page, screenshots: Path | None
) -> None:
    """The dashboard of the demo needs no sign-in, and its graphs have a past."""
    await open_pool(visitor, demo_home, DASHBOARD)
    await take_picture(visitor, screenshots, "dashboard.png")
    await visitor.set_viewport_size(PHONE)
    await take_picture(visitor, screenshots, "dashboard_phone.png")
    await visitor.locator("hui-tile-card:visible", has_text="History").click()
    graphs = visitor.locator("hui-statistics-graph-card:visible")
    await expect(graphs.first).to_contain_text(
        re.compile(r"pH · good 7\.0.7\.8 · last 30 days")
    )


async def test_dashboard(page: Page, home: Settings, api: HomeAssistant) -> None:
    """The dashboard is added in a few clicks, follows the equipment and keeps edits."""
    await add_dashboard(page, home)
    assert await stored(api) == STRATEGY

    await open_pool(page, home)
    await use_it(page, api)
    await speaks_languages(page)
    await is_proposed(page, api)
    await follows_equipment(page, api)
    await take_control(page, api)

    for dashboard in await api.command("lovelace/dashboards/list"):
        if dashboard["url_path"] == URL_PATH:
            await api.command(
                "lovelace/dashboards/delete", dashboard_id=dashboard["id"]
            )
    await set_hidden(api, FOUNTAIN, None)


async def add_dashboard(page: Page, home: Settings) -> None:
    """Choose the dashboard in the list of those offered, with the proposed settings."""
    await page.goto(f"{home.home_url}/config/lovelace/dashboards")
    await page.get_by_role("button", name="Add dashboard").click()
    card = page.locator("dashboard-card", has_text="drums of your pools")
    create = page.get_by_role("button", name="Create")
    await click_until(card, expect(create).to_be_visible)
    await create.click()
    await expect(page.locator(f"ha-sidebar a[href='/{URL_PATH}']")).to_be_visible()
    # A dialog that closes goes back in the history, even from a page opened meanwhile.
    await come_to_rest(page)


async def open_pool(page: Page, home: Settings, url_path: str = URL_PATH) -> None:
    await page.goto(f"{home.home_url}/{url_path}")
    await page.get_by_text(POOL, exact=True).first.click()
    for kind in CARDS:
        await expect(card(page, kind)).to_be_visible()
    # No card failed.
    await expect(page.locator("hui-error-card, hui-warning")).to_have_count(0)


async def use_it(page: Page, api: HomeAssistant) -> None:
    """Switch the pump off and on; mark a drum as full, which asks for confirmation."""
    entity_id = await entity(api, "pump", "switch")
    pump = output(page, "Pump")
    # It may have to run on until a heater has cooled down.
    for state, shown in (("off", re.compile("Off|Cooling down")), ("on", "On")):
        await pump.get_by_role("switch").click()
        await expect(pump).to_contain_text(shown)
        assert (await api.states())[entity_id]["state"] == state
    # The other tests of this home begin without holds.
    await api.call("poolctl", "resume_schedule", entity_id=entity_id)

    drums, name = card(page, "drums"), "Mark acid drum full"
    # Another test of this home may have had acid dosed.
    sensor = (await api.states())[await entity(api, "acid_remaining", "sensor")]
    left = f"{float(sensor['state']):.1f}"
    for answer, litres in (("Cancel", left), (name, "20.0")):
        acid = drums.locator(".drum", has_text="Acid")
        await acid.click()
        dialog = drums.get_by_role("dialog")
        await expect(dialog).to_contain_text("counts from a full drum of 20")
        await dialog.get_by_role("button", name=answer).click()
        await expect(acid.get_by_text(f"{litres} L", exact=True)).to_be_visible()


async def speaks_languages(page: Page) -> None:
    """Check texts in a language that has them, and in one that has the English ones."""
    for language, (title, history) in NAMED.items():
        made = await page.evaluate(MADE_IN, language)
        assert (made["title"], made["history"]) == (title, history)
        assert made["none"]


async def is_proposed(page: Page, api: HomeAssistant) -> None:
    """Check that the picker proposes one card for our entities, none for others."""
    wanted = {
        await entity(api, "ph", "sensor"): "poolctl-water-card",
        await entity(api, "slot_3", "switch"): "poolctl-outputs-card",
        await entity(api, "acid_remaining", "sensor"): "poolctl-drums-card",
        await entity(api, "schedules", "calendar"): "poolctl-day-card",
        await entity(api, "connection", "sensor"): "poolctl-pool-card",
        "sun.sun": "",
    }
    assert await page.evaluate(PROPOSED, list(wanted)) == list(wanted.values())


async def follows_equipment(page: Page, api: HomeAssistant) -> None:
    """Check that a hidden entity leaves the dashboard, and returns when it is shown."""
    await card(page, "outputs").get_by_role("button", expanded=False).click()
    for hidden_by, count in (("user", 0), (None, 1)):
        await set_hidden(api, FOUNTAIN, hidden_by)
        await expect(output(page, "Fountain")).to_have_count(count)


async def take_control(page: Page, api: HomeAssistant) -> None:
    """Take control of the dashboard and edit it; check that the edit stays."""
    await page.get_by_role("button", name="Edit dashboard").click()
    await page.get_by_role("button", name="Take control").click()
    await expect(page.get_by_role("button", name="Done")).to_be_visible()
    config = await stored(api)
    assert "strategy" not in str(config)
    views = ["", " · History", " · Settings"]
    titles = [view["title"] for view in config["views"]]
    assert titles == [f"{pool}{view}" for pool in (SMALL, POOL) for view in views]
    made = await page.evaluate(CARDS_OF_VIEWS, config)
    assert max(map(len, made)) <= MOST_CARDS
    (pump,) = (
        section["cards"]
        for section in config["views"][3]["sections"]
        if "pool-card" in section["cards"][0]["type"]
    )
    assert len(pump) <= MOST_IN_COLUMN
    assert await page.evaluate(NOT_EDITABLE, [*chain(*made)]) == []

    readings = card(page, "water").locator(".reading")
    # The layer over a card while the dashboard is edited; a click opens its editor.
    water = page.locator("hui-card-edit-mode", has=page.locator("poolctl-water-card"))
    await water.first.click()
    editor = page.locator("hui-dialog-edit-card")
    # The drawn checkbox covers the real one, which the keyboard reaches.
    await editor.get_by_role("checkbox", name="pH").press("Space")
    await expect(editor.locator("poolctl-water-card .reading")).to_have_count(1)
    await editor.get_by_role("button", name="Save").click()
    await page.get_by_role("button", name="Done").click()
    for _ in range(2):
        await expect(readings).to_have_count(1)
        await set_hidden(api, FOUNTAIN, "user")
        await page.reload()


async def stored(api: HomeAssistant) -> dict[str, Any]:
    config: dict[str, Any] = await api.command("lovelace/config", url_path=URL_PATH)
    return config


async def set_hidden(api: HomeAssistant, key: str, by: str | None) -> None:
    """Hide a switch, or show it again, as its settings do."""
    await api.command(
        "config/entity_registry/update",
        entity_id=await entity(api, key, "switch"),
        hidden_by=by,
    )
