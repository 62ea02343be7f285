"""Home Assistant accepts every example in YAML of the pages."""

import re
from typing import Any, Final

from homeassistant.components.automation.config import async_validate_config_item
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest

from tests.project.pages import ENGLISH, INTEGRATION, PAGES
from tests.world.assistant.home import Home

BLOCKS: Final[list[tuple[str, Any]]] = [
    (f"{page.stem}-{number}", parse_yaml(block))
    for page in PAGES
    for number, block in enumerate(
        re.findall(r"```yaml\n(.*?)```", page.read_text(), re.DOTALL)
    )
]
CARDS: Final = "".join(
    path.read_text() for path in (INTEGRATION / "frontend").glob("card-*.js")
)


async def _automation(home: Home, example: dict[str, Any]) -> None:
    config = await async_validate_config_item(home.hass, "example", example)
    assert config is not None and config.validation_status == "ok", config


async def _action(home: Home, example: dict[str, Any]) -> None:
    domain, _, name = example["action"].partition(".")
    service = home.hass.services.async_services_for_domain(domain)[name]
    assert service.schema is not None
    service.schema({**example.get("data", {}), **example.get("target", {})})


async def _card(home: Home, example: dict[str, Any]) -> None:
    name = example["type"].removeprefix("custom:poolctl-").removesuffix("-card")
    assert (INTEGRATION / f"frontend/card-{name}.js").is_file()
    assert example.keys() <= {"type", "device_id", "show"}
    for part in example["show"]:
        assert re.search(rf"\b{part}\b", CARDS), part


KINDS: Final = {"triggers": _automation, "action": _action, "type": _card}
"""How an example is tried, by a key that it has."""


@pytest.mark.parametrize(
    "example", [block for _, block in BLOCKS], ids=[name for name, _ in BLOCKS]
)
async def test_an_example(full: Home, example: dict[str, Any]) -> None:
    """A reader who copies it gets no error."""
    assert await async_setup_component(full.hass, "automation", {})
    (check,) = [KINDS[key] for key in KINDS if key in example]
    await check(full, example)


@pytest.mark.parametrize(
    ("key", "kind"),
    [("action", "services"), ("trigger", "triggers"), ("condition", "conditions")],
)
def test_each_has_an_example(key: str, kind: str) -> None:
    """A page shows the YAML of each action, trigger and condition."""
    pages = "".join(page.read_text() for page in PAGES)
    shown = {*re.findall(rf"\b{key}: poolctl\.(\w+)", pages)}
    assert shown == {*ENGLISH[kind]}, f"docs/: an example for each of {kind}"
