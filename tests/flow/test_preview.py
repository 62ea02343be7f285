"""The preview in the dialog of a discovered controller, before any sign-in."""

import asyncio
from dataclasses import replace
import json
import re
import time
from typing import Any

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from tests.client.conftest import RawServer, raw
from tests.flow.test_config_flow import discover, hear
from tests.world.assistant.fixtures import SignIn
from tests.world.assistant.home import Home
from tests.world.simulator import Controller
from tests.world.simulator.dialects import Dialect
from tests.world.simulator.visitors import Announcement

__all__ = ["raw"]

pytestmark = pytest.mark.usefixtures("current_request_with_host")


async def open_card(home: Home, flow: ConfigFlowResult) -> ConfigFlowResult:
    """Open the dialog of a card, as the frontend does: it asks for the current step."""
    return await home.hass.config_entries.flow.async_configure(flow["flow_id"])


async def see(home: Home, controller: Controller, **changes: Any) -> ConfigFlowResult:
    return await open_card(home, await discover(home, controller, **changes))


def shown(flow: ConfigFlowResult) -> dict[str, str]:
    """Return the placeholders of the text, except those of the announcement."""
    placeholders = dict(flow["description_placeholders"] or {})
    for announced in ("name", "host", "firmware", "example_url"):
        placeholders.pop(announced, None)
    return placeholders


async def test_what_the_card_shows(home: Home) -> None:
    """protocol.md 5.2 rule 1: reading the state needs no credential."""
    controller = home.service.full
    flow = await see(home, controller)
    assert flow["step_id"] == "confirm_seen"
    water = controller.pool.water
    wired = sum(slot.aux_type != 0 for slot in controller.pool.slots)
    assert shown(flow) == {
        "outputs": str(wired),
        "water": f"{int(water.temperature * 10) / 10:.1f} °C",
        "ph": f"{int(water.ph * 10) / 10:.1f}",
        "pump": f"{controller.pool.pump.speed} %",
    }
    assert [(r.op, r.name) for r in controller.requests] == [("state", "")]


async def test_still_water(home: Home) -> None:
    home.pool.switch(0, False)
    home.clock.advance(60)
    values = shown(await see(home, home.controller))
    assert (values["water"], values["ph"], values["pump"]) == ("?", "?", "0 %")


async def test_degrees_of_the_home(home: Home) -> None:
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    flow = await see(home, home.controller)
    celsius = int(home.pool.water.temperature * 10) / 10
    assert shown(flow)["water"] == f"{celsius * 1.8 + 32:.1f} °F"


@pytest.mark.parametrize("language", ["de", "pt-BR"])
async def test_decimals_of_the_home(home: Home, language: str) -> None:
    """As in all sentences, and in the list of several controllers."""
    home.hass.config.language = language
    values = shown(await see(home, home.controller))
    assert re.fullmatch(r"\d+,\d °C", values["water"])
    assert re.fullmatch(r"\d,\d", values["ph"])


async def test_a_frame_of_another_form(home: Home) -> None:
    home.controller.faults.on("no_config")
    home.controller.dialects.add(Dialect.FRAME_VERSION_2)
    flow = await see(home, home.controller)
    assert flow["step_id"] == "confirm_seen"
    assert shown(flow)["outputs"] == "?"


@pytest.mark.row("H4")
async def test_nothing_is_read_before_the_card_is_opened(home: Home) -> None:
    """An announcement alone does not make the integration connect to an address."""
    flow = await discover(home, home.controller)
    await home.hass.async_block_till_done(wait_background_tasks=True)
    assert flow["step_id"] == "confirm"
    assert not home.controller.requests


@pytest.mark.row("H4")
async def test_one_read_a_minute(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """One read serves all dialogs that are opened within a minute."""
    now = time.monotonic()
    flow = await discover(home, home.controller)
    found = await asyncio.gather(*(open_card(home, flow) for _ in range(4)))
    assert {each["step_id"] for each in found} == {"confirm_seen"}
    await open_card(home, flow)
    assert len(home.controller.requests) == 1
    monkeypatch.setattr(
        "custom_components.poolctl.flow.preview.time.monotonic", lambda: now + 61
    )
    assert (await open_card(home, flow))["step_id"] == "confirm_seen"
    assert len(home.controller.requests) == 2


FAULTS = {
    **dict.fromkeys(("refuse", "hang", "reset", "slow_headers", "busy"), ""),
    **dict.fromkeys(("garbage", "html", "oversized", "redirect"), "ProtocolError"),
    "truncated_frame": r"FrameError, \d+ bytes, 01[0-9a-f]{6}",
}
"""Faults, and the problem that the dialog names then."""


async def test_an_answer_that_is_odd_or_missing(
    home: Home, subtests: pytest.Subtests
) -> None:
    """The dialog still opens within 3 s, with the problem and the address for a report."""
    for number, (fault, problem) in enumerate(FAULTS.items()):
        with subtests.test(fault):
            home.controller.faults.on(fault)
            started = time.monotonic()
            flow = await see(home, home.controller, id=another(number))
            assert time.monotonic() - started < 3
            assert flow["step_id"] == ("confirm_odd" if problem else "confirm")
            values = shown(flow)
            assert re.fullmatch(problem, values.pop("problem", ""))
            addresses = [*values.values()]
            assert len(addresses) == bool(problem)
            assert all(each.startswith("https://github.com/") for each in addresses)
        home.controller.faults.clear()


def another(number: int) -> str:
    """Return the ID of another controller, which was not read yet."""
    return f"AA_BB_CC_00_01_{number:02}"


ODD_ANSWERS: tuple[object, ...] = (
    {},
    {"env": None},
    {"env": 7},
    {"env": "no hex ![x](http://evil.example)"},
    {"env": "01"},
    {"env": "01000000000100000000"},
    {"env": (b"\x01" + bytes(4) + b"![x](//e)" + bytes(4)).hex()},
    {"ok": False, "err": "**no** [x](//e)"},
    ["![x](//e)"],
)


async def test_words_of_a_stranger_are_not_shown(
    home: Home, raw: RawServer, subtests: pytest.Subtests
) -> None:
    """Odd answers raise no unexpected error, and their text is not shown."""
    announced = replace(Announcement.of(home.controller), port=raw.port)
    for number, answer in enumerate(ODD_ANSWERS):
        with subtests.test(str(answer)):
            raw.say(200, json.dumps(answer))
            flow = await hear(home, announced, id=another(number))
            flow = await open_card(home, flow)
            assert flow["step_id"] == "confirm_odd"
            problem = shown(flow)["problem"]
            assert re.fullmatch(r"\w+Error(, \d+ bytes, [0-9a-f]*)?", problem)


async def test_nothing_of_it_is_stored(home: Home, sign_in: SignIn) -> None:
    """The sign-in goes on after the preview, whose values are not stored."""
    flow = await see(home, home.controller)
    flow = await home.answer(flow, {"url": "ftp://nowhere"})
    assert flow["step_id"] == "confirm_seen"
    assert flow["errors"] == {"url": "invalid_url"}
    flow = await home.answer(flow, {"url": home.cloud.base_url})
    result = await sign_in(flow)
    await home.hass.async_block_till_done()
    assert result["type"] is FlowResultType.CREATE_ENTRY
    stored = json.dumps({**result["result"].data})
    assert not {"outputs", "water", "problem", "pump"} & set(re.findall(r"\w+", stored))
