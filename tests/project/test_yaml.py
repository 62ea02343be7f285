"""Home Assistant accepts every example in YAML of the pages."""

from copy import deepcopy
from datetime import UTC, datetime, timedelta
import json
import re
import time
from typing import Any, Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.automation.config import async_validate_config_item
from homeassistant.core import Context
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from homeassistant.util.yaml import parse_yaml
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from tests.project.pages import ENGLISH, INTEGRATION, PAGES
from tests.world.assistant.home import Home
from tests.world.assistant.schedule_actions import look

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


async def _of_evcc(home: Home, example: dict[str, Any]) -> None:
    """Leave it to tests/automations/test_energy_managers.py."""


KINDS: Final = {
    "chargers": _of_evcc,
    "triggers": _automation,
    "action": _action,
    "type": _card,
}
"""How an example is tried, by a key that it has."""


async def test_examples(full: Home, subtests: pytest.Subtests) -> None:
    """A reader who copies one gets no error."""
    assert await async_setup_component(full.hass, "automation", {})
    for name, example in BLOCKS:
        with subtests.test(name):
            (check,) = [KINDS[key] for key in KINDS if key in example]
            await check(full, example)


OURS: Final = {
    name: example
    for name, example in BLOCKS
    if example.get("action", "").startswith("poolctl.")
    and "device_id" not in example.get("data", {})  # only a reader knows it
}


async def test_no_action_is_refused(
    home: Home,
    freezer: FrozenDateTimeFactory,
    hass_admin_user: MockUser,
    subtests: pytest.Subtests,
) -> None:
    """The demo's pool does each, a day before the date that it has.

    As the page says, the schedule that runs the pump all day is off.
    """
    dates = {
        name.replace("-", "_"): datetime.fromisoformat(at) - timedelta(days=1)
        for name, example in OURS.items()
        if (at := example.get("data", {}).get("at"))
    }
    freezer.move_to(first := min(dates.values()))
    home.clock.set_back(home.clock.time() - time.time())
    home.service.full.pool.schedules[0].enabled = False
    home.own(home.service.full)
    await home.set_up(home.service.full)
    midnight = dt_util.start_of_local_day()
    for name, attribute, begin, value in (
        ("electricity_price", "raw_today", "start", "value"),
        ("my_supplier", "tariffs", "from_time", "cents"),
    ):
        rows = [
            {begin: (midnight + timedelta(hours=hour)).isoformat(), value: hour % 7}
            for hour in range(48)
        ]
        home.hass.states.async_set(f"sensor.{name}", "9", {attribute: rows})
    scripts = {
        name.replace("-", "_"): {"sequence": [_of_the_demo(OURS[name])]}
        for name in sorted(
            OURS, key=lambda name: dates.get(name.replace("-", "_"), first)
        )
    }
    assert await async_setup_component(home.hass, "script", {"script": scripts})
    schedules, owner = (
        deepcopy(home.pool.schedules),
        Context(user_id=hass_admin_user.id),
    )
    for name in scripts:
        freezer.move_to(max(dt_util.utcnow(), dates.get(name, first).astimezone(UTC)))
        home.pool.schedules[:] = deepcopy(schedules)
        # A raw action has everything read again.
        await home.act_on_device("send_action", name="evt_rewind")
        await look(home)
        with subtests.test(name):
            act = home.hass.services.async_call("script", name, {}, True, owner)
            await home.finish(act)


def _of_the_demo(example: dict[str, Any]) -> Any:
    return json.loads(json.dumps(example).replace(".home_pool_", ".beach_pool_"))


@pytest.mark.parametrize(
    ("key", "kind"),
    [("action", "services"), ("trigger", "triggers"), ("condition", "conditions")],
)
def test_each_has_an_example(key: str, kind: str) -> None:
    """A page shows the YAML of each action, trigger and condition."""
    pages = "".join(page.read_text() for page in PAGES)
    shown = {*re.findall(rf"\b{key}: poolctl\.(\w+)", pages)}
    assert shown == {*ENGLISH[kind]}, f"docs/: an example for each of {kind}"
