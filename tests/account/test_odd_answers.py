"""Odd but signed frames, replies and answers, in a Home Assistant with everything enabled.

A longer run: `POOLCTL_ODD_ANSWERS=20000 scripts/test tests/account/test_odd_answers.py`
(`POOLCTL_ODD_SEED` selects other scenarios).
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
import json
import logging
import os
from random import Random
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component
import pytest
import voluptuous as vol

from custom_components.poolctl.client.control import (
    poller as poller_module,
    queries as queries_module,
)
from custom_components.poolctl.client.pool.queries import QUERIES
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.exceptions import BusyError
from custom_components.poolctl.const import Connection
from custom_components.poolctl.diagnostics import async_get_config_entry_diagnostics
from tests.fuzz.mutations import mutate_json
from tests.world.assistant.home import Home
from tests.world.assistant.schedule_actions import new
from tests.world.simulator.answers import success

pytestmark = pytest.mark.usefixtures("quick", "hurried")

SCENARIOS: Final = int(os.environ.get("POOLCTL_ODD_ANSWERS", "10"))
SEED: Final = os.environ.get("POOLCTL_ODD_SEED", "1")
BATCH: Final = 10
"""Number of scenarios after which every entity must be available again."""
NAMES: Final = [query.name for query in QUERIES]
EDGES: Final = (0, 1, 2, 0x63, 0x7F, 0x80, 0xFE, 0xFF)


def odd_bytes(chance: Random, data: bytes) -> bytes:
    """Change some bytes in place, so that most of the data can still be read."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 2, 4, 8, 32))):
        at = chance.randrange(len(changed))
        width = chance.choice((1, 1, 2, 4))
        value = chance.choice((chance.choice(EDGES), chance.randrange(256)))
        changed[at : at + width] = bytes([value]) * len(changed[at : at + width])
    return bytes(changed)


class Odd:
    """Changes the controller's payloads and the cloud's answers while it is on."""

    def __init__(self, home: Home, patch: pytest.MonkeyPatch, chance: Random) -> None:
        self.on, self.chance = False, chance
        self._sign = home.controller._sign
        patch.setattr(home.controller, "_sign", self.sign)
        patch.setattr("tests.world.simulator.cloud.success", self.success)

    def sign(self, payload: bytes, *places: str) -> bytes:
        if self.on and self.chance.random() < 0.8:
            if payload[:1] == b"{":
                body = mutate_json(self.chance, json.loads(payload))
                payload = json.dumps(body).encode("utf-8", "replace")
            elif len(payload) > 2:
                payload = payload[:2] + odd_bytes(self.chance, payload[2:])
        return self._sign(payload, *places)

    def success(self, data: Any = None) -> Any:
        answer = success(data)
        if self.on and data and "sites" not in data and self.chance.random() < 0.8:
            # aiohttp cannot encode a lone surrogate.
            text = json.dumps(mutate_json(self.chance, data))
            answer["data"] = json.loads(text.encode("ascii", "replace"))
        return answer


type Action = tuple[str, dict[str, Any]]


def actions(home: Home, chance: Random, right: dict[str, str]) -> Iterator[Action]:
    """Yield an action of every entity that has one, and the integration's actions."""
    for state in home.hass.states.async_all():
        shown = state.attributes
        possible: tuple[Action, ...] = ()
        match state.domain:
            case "button":
                possible = (("button.press", {}),)
            case "switch":
                possible = (
                    (f"switch.{chance.choice(('turn_on', 'turn_off'))}", {}),
                    ("poolctl.resume_schedule", {}),
                    ("poolctl.hold", {"state": False, "duration": 60}),
                    ("poolctl.hold", {"state": True, "duration": 60}),
                )
            case "light":
                effect = chance.choice(shown.get("effect_list") or [None])
                possible = (("light.turn_on", {"effect": effect}),)
            case "number":
                limit = chance.choice((shown["min"], shown["max"]))
                possible = (("number.set_value", {"value": limit}),)
            case "select" if state.entity_id in right:
                # A choice lasts, and another type of light would have other buttons.
                option = right[state.entity_id]
                possible = (("select.select_option", {"option": option}),)
            case "climate":
                mode = chance.choice(shown["hvac_modes"])
                possible = (
                    ("climate.set_hvac_mode", {"hvac_mode": mode}),
                    ("climate.set_temperature", {"temperature": 30}),
                )
        for action, data in possible:
            yield action, {"entity_id": state.entity_id, **data}
    yield from actions_of_the_controller(home, chance)


def actions_of_the_controller(home: Home, chance: Random) -> Iterator[Action]:
    """Yield the actions of the controller, and those on a few of its entities."""
    device = {"device_id": home.device().id}
    sensors = home.hass.states.async_entity_ids("sensor")
    run_hours = [each for each in sensors if each.endswith("_run_hours")]
    if run_hours:
        yield "poolctl.reset_run_hours", {"entity_id": chance.choice(run_hours)}
    query = chance.choice(("schedules", "aux_names", "get_ph_settings", "none"))
    yield "poolctl.send_query", {**device, "name": query}
    name, payload = chance.choice(
        (("aux", "020101"), ("schedule", "0200"), ("cmd", "00"))
    )
    yield "poolctl.send_action", {**device, "name": name, "payload": payload}
    fields = new(home, start=f"{chance.randrange(24):02}:00:00")
    if shown := home.registered("calendar", "schedules"):
        calendar = {"entity_id": shown.entity_id}
        yield "poolctl.get_schedules", calendar
        yield "poolctl.create_schedule", calendar | fields
    changed = {name: fields[name] for name in chance.sample(sorted(fields), 2)}
    if switch := home.registered("switch", f"schedule_{chance.randrange(3)}"):
        one = {"entity_id": switch.entity_id}
        yield "poolctl.update_schedule", one | changed
        yield "poolctl.delete_schedule", one
    yield "calendar.get_events", {"entity_id": "all", "duration": {"days": 8}}


def choose(home: Home, chance: Random, right: dict[str, str]) -> Action:
    """Choose an action, each with the same chance, and then its target."""
    by_action: dict[str, list[Action]] = {}
    for each in actions(home, chance, right):
        by_action.setdefault(each[0], []).append(each)
    return chance.choice(chance.choice([*by_action.values()]))


async def use(hass: HomeAssistant, action: str, data: dict[str, Any]) -> None:
    domain, name = action.split(".")
    answers = name.startswith(("get_", "send_"))
    with suppress(HomeAssistantError, vol.Invalid):
        await hass.services.async_call(
            domain, name, data, blocking=True, return_response=answers
        )


def entities(home: Home) -> set[str]:
    return {
        state.entity_id
        for state in home.hass.states.async_all()
        if state.state != "unavailable"
    }


def settings(home: Home) -> dict[str, Any]:
    names = ("settings", "schedules", "lights", "slots")
    return {name: getattr(home.pool, name) for name in names}


async def right_again(home: Home) -> None:
    """Let commands end and cached copies expire, then read everything twice.

    What an odd answer changed takes two right ones, of two copies.
    """
    await asyncio.sleep(300)
    coordinator = home.entry.runtime_data.controllers[home.controller.device_id]
    for _ in range(3):
        coordinator.controller.queries.expire(*NAMES)
        await home.refresh()
        with suppress(BusyError):
            await coordinator.controller.schedules.read()
        await home.settle()


def complaints(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the errors in the log, except those about failed polls."""
    return [
        f"{record.name}: {record.getMessage()}"
        for record in caplog.records
        if record.levelno >= logging.ERROR
        and not record.getMessage().startswith("Error fetching")
    ]


@pytest.mark.timeout(0)  # depends on SCENARIOS
@pytest.mark.parametrize("path", ["lan", "cloud"])
async def test_nothing_raises_and_no_entity_goes(
    home: Home,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    path: str,
) -> None:
    caplog.set_level(logging.WARNING)  # lower levels would take most of the time
    chance = Random(f"{SEED} {path}")
    monkeypatch.setattr(poller_module, "CLOUD_INTERVAL", 0.0)
    for module in (poller_module, queries_module):
        monkeypatch.setattr(module, "COPIES_APART", 0.0)
    assert await async_setup_component(home.hass, "homeassistant", {})
    home.own(home.service.full)
    options = {"connection": Connection.CLOUD if path == "cloud" else "automatic"}
    await home.set_up(home.controller, options=options)
    await home.enable_all()
    was = deepcopy(settings(home))
    await right_again(home)
    before = entities(home)
    selects = home.hass.states.async_all("select")
    right = {each.entity_id: each.state for each in selects}
    assert len(before) > 35
    odd = Odd(home, monkeypatch, chance)
    states: list[PoolState] = []
    caplog.clear()
    for number in range(SCENARIOS):
        odd.on = True
        coordinator = home.entry.runtime_data.controllers[home.controller.device_id]
        coordinator.controller.queries.expire()
        await home.refresh()
        if coordinator.state not in states[-1:]:
            states.append(coordinator.state)
        chosen = choose(home, chance, right)
        await use(home.hass, *chosen)
        await home.settle()
        # No controller has values that do not fit into its frames.
        for name, value in deepcopy(was).items():
            setattr(home.pool, name, value)
        if not number % 7:
            await async_get_config_entry_diagnostics(home.hass, home.entry)
        assert not complaints(caplog), (number, chosen)
        if number % BATCH == BATCH - 1:
            odd.on = False
            await right_again(home)
            gone = before - entities(home)
            assert not gone, (number, chosen)
        caplog.clear()
    assert len(states) > SCENARIOS / 4, "most of it was understood"
