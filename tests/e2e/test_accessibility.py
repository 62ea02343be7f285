"""Tests accessibility: axe-core has no serious finding, and the keyboard suffices."""

from itertools import product
import re
from typing import Any, Final, Literal

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, expect

from tests.world.home.api import HomeAssistant
from tests.world.home.settings import DOMAIN, Settings

from .dashboards import LAYOUT_MS, card, controller, look, output, pretending
from .pools import Pools, entity, relay

GRAVE: Final = {"serious", "critical"}

# Findings in Home Assistant's own elements: the rule, and the element that contains the
# finding. An integration cannot avoid them, whatever it shows.
OF_THE_FRONTEND: Final = {
    # The icon of a tile that switches has no name, but the tile beside it has one.
    ("aria-command-name", "ha-tile-icon"),
    # The slider, the buttons and the dial of a card that names its entity above them.
    ("aria-input-field-name", "ha-control-slider"),
    ("aria-input-field-name", "ha-control-number-buttons"),
    ("aria-input-field-name", "ha-control-circular-slider"),
}

# The last element of a selector counts: "ul > ha-switch[title="On"]:nth-child(2)".
ATTRIBUTE: Final = re.compile(r"\[[^\]]*\]")
NAME: Final = re.compile(r"(?<![:.#\w-])[a-z][a-z0-9-]*")

# Returns the kind of card that has the focus, and the entity that is switched there.
FOCUSED: Final = """() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    const host = element?.getRootNode().host?.localName ?? "";
    return [host, element?.dataset?.focus ?? ""];
}"""
OURS: Final = {
    f"{DOMAIN}-{kind}-card" for kind in ("pool", "water", "outputs", "drums")
}
SCHEMES: Final[tuple[Literal["dark", "light"], ...]] = ("dark", "light")
MOST_TABS: Final = 100


async def test_axe(desk: Page, home: Settings, api: HomeAssistant) -> None:
    """The dashboard has no serious finding, in dark and light, with a next step.

    The pages of devices are made of Home Assistant's own elements alone.
    """
    path = await controller(api)
    problem = {
        "key": "held_off",
        "severity": "problem",
        "sentence": "Switched off by hand for more than a day: Pump.",
        "action": {"key": "repair", "label": "Open repairs", "url": "/config/repairs"},
    }
    step = ("sensor", "status", "problem", {"problems": [problem]})
    async with pretending(api, step):
        for view, scheme in product((path, f"{path}-history"), SCHEMES):
            await look(desk, home, view)
            await desk.emulate_media(color_scheme=scheme)
            await desk.wait_for_timeout(LAYOUT_MS)
            assert await findings(desk) == {}, f"{view}, {scheme}"


async def findings(page: Page) -> dict[tuple[str, str], str]:
    """Return one of axe-core's findings for each rule and containing element."""
    results = await Axe().run(page)
    violations: list[dict[str, Any]] = results.response["violations"]
    found = {
        (violation["id"], host(node["target"])): node["html"]
        for violation in violations
        if violation["impact"] in GRAVE
        for node in violation["nodes"]
    }
    return {key: found[key] for key in found.keys() - OF_THE_FRONTEND}


def host(target: list[str | list[str]]) -> str:
    """Return the name of the element that contains a finding: the last but one."""
    path = [
        part for each in target for part in ([each] if isinstance(each, str) else each)
    ]
    selector = ATTRIBUTE.sub("", path[-2] if len(path) > 1 else "")
    return NAME.findall(selector)[-1] if NAME.search(selector) else ""


async def test_keyboard(
    desk: Page, home: Settings, api: HomeAssistant, pools: Pools
) -> None:
    """The tab key leads to every card, and a key switches an output."""
    switched = await entity(api, "slot_3", "switch")
    await look(desk, home, await controller(api))
    outputs = card(desk, "outputs")
    await outputs.get_by_role("button", expanded=False).click()
    reached, done = set[str](), False
    for _ in range(MOST_TABS):
        await desk.keyboard.press("Tab")
        host, entity_id = await desk.evaluate(FOCUSED)
        reached.add(host)
        if entity_id == switched and not done:
            for on in (True, False):
                await desk.keyboard.press("Enter")
                await pools.becomes(relay("Waterfall"), on)
                switch = output(desk, "Waterfall").get_by_role("switch", checked=on)
                # The row moves, but its switch keeps the focus.
                await expect(switch).to_be_focused()
            done = True
        if done and reached >= OURS:
            break
    assert done
    assert reached >= OURS
    await outputs.get_by_role("button", expanded=True).click()
