"""The preview in the dialog of a discovered controller, before any sign-in."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
import json
import re
import time
from typing import Any

from homeassistant.config_entries import SOURCE_ZEROCONF, ConfigFlowResult
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.poolctl.const import DOMAIN
from tests.flow.test_config_flow import announcement, discover
from tests.world.assistant.fixtures import SignIn
from tests.world.assistant.home import Home
from tests.world.simulator import Controller
from tests.world.simulator.dialects import Dialect
from tests.world.simulator.visitors import Announcement

pytestmark = pytest.mark.usefixtures("current_request_with_host")


async def open_card(home: Home, flow: ConfigFlowResult) -> ConfigFlowResult:
    """Open the dialog of a card, as the frontend does: it asks for the current step."""
    return await home.hass.config_entries.flow.async_configure(flow["flow_id"])


async def look(home: Home, controller: Controller, **changes: Any) -> ConfigFlowResult:
    """Discover a controller and open its card."""
    return await open_card(home, await discover(home, controller, **changes))


def shown(flow: ConfigFlowResult) -> dict[str, str]:
    """Return the placeholders of the text, except those of the announcement."""
    placeholders = dict(flow["description_placeholders"] or {})
    for announced in ("name", "host", "firmware", "example_url"):
        placeholders.pop(announced, None)
    return placeholders


async def test_what_it_says(home: Home) -> None:
    """protocol.md 5.2 rule 1: reading the state needs no credential."""
    controller = home.service.full
    flow = await look(home, controller)
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


async def test_still_water_tells_nothing(home: Home) -> None:
    home.pool.switch(0, False)
    home.clock.advance(60)
    flow = await look(home, home.controller)
    told = shown(flow)
    assert (told["water"], told["ph"], told["pump"]) == ("?", "?", "0 %")


async def test_degrees_of_the_home(home: Home) -> None:
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    flow = await look(home, home.controller)
    celsius = int(home.pool.water.temperature * 10) / 10
    assert shown(flow)["water"] == f"{celsius * 1.8 + 32:.1f} °F"


async def test_a_frame_without_its_configuration(home: Home) -> None:
    home.controller.faults.on("no_config")
    flow = await look(home, home.controller)
    assert flow["step_id"] == "confirm_seen"
    assert shown(flow)["outputs"] == "?"


async def test_another_frame_version(home: Home) -> None:
    home.controller.dialects.add(Dialect.FRAME_VERSION_2)
    flow = await look(home, home.controller)
    assert flow["step_id"] == "confirm_seen"


async def test_nothing_happens_before_somebody_looks(home: Home) -> None:
    """An announcement alone does not make the integration connect to an address."""
    flow = await discover(home, home.controller)
    await home.hass.async_block_till_done(wait_background_tasks=True)
    assert flow["step_id"] == "confirm"
    assert not home.controller.requests


async def test_one_look_a_minute(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.parametrize("fault", ["refuse", "hang", "reset", "slow_headers", "busy"])
async def test_one_that_does_not_answer(home: Home, fault: str) -> None:
    """The dialog still opens within 3 s, with the announced data alone."""
    home.controller.faults.on(fault)
    started = time.monotonic()
    flow = await look(home, home.controller)
    assert time.monotonic() - started < 3
    assert flow["step_id"] == "confirm"
    assert shown(flow) == {}


@pytest.mark.parametrize("fault", ["garbage", "html", "oversized", "redirect"])
async def test_an_answer_that_is_none(home: Home, fault: str) -> None:
    """The problem is shown, with the address for a report."""
    home.controller.faults.on(fault)
    flow = await look(home, home.controller)
    assert flow["step_id"] == "confirm_odd"
    told = shown(flow)
    assert told["problem"] == "ProtocolError"
    assert told["report_url"].startswith("https://github.com/")


async def test_a_frame_that_does_not_decode(home: Home) -> None:
    home.controller.faults.on("truncated_frame")
    flow = await look(home, home.controller)
    assert flow["step_id"] == "confirm_odd"
    frame, size, head = shown(flow)["problem"].split(", ")
    assert frame == "FrameError"
    assert size.endswith(" bytes") and int(head, 16) >> 24 == 1


class Stranger:
    """Answers instead of a controller, with any bytes."""

    def __init__(self) -> None:
        self.body = b""
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(self.body)}\r\n\r\n"
        writer.write(head.encode() + self.body)
        await writer.drain()
        writer.close()

    def stop(self) -> None:
        if self._server is not None:
            self._server.close()


@pytest.fixture
async def stranger(home: Home) -> AsyncGenerator[Stranger]:
    found = Stranger()
    await found.start()
    yield found
    found.stop()


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"env": None},
        {"env": 7},
        {"env": "no hex ![x](http://evil.example)"},
        {"env": "01"},
        {"env": "01000000000100000000"},
        {"env": (b"\x01" + bytes(4) + b"![x](//e)" + bytes(4)).hex()},
        {"ok": False, "err": "**no** [x](//e)"},
        ["![x](//e)"],
    ],
)
async def test_words_of_a_stranger_are_not_shown(
    home: Home, stranger: Stranger, answer: object
) -> None:
    """Odd answers raise no unexpected error, and their text is not shown."""
    stranger.body = json.dumps(answer).encode()
    there = replace(Announcement.of(home.controller), port=stranger.port)
    info = announcement(there)
    flow = await home.hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_ZEROCONF}, data=info
    )
    flow = await open_card(home, flow)
    assert flow["step_id"] == "confirm_odd"
    problem = shown(flow)["problem"]
    assert re.fullmatch(r"\w+Error(, \d+ bytes, [0-9a-f]*)?", problem)


async def test_nothing_of_it_is_stored(home: Home, sign_in: SignIn) -> None:
    """The sign-in goes on after the preview, whose values are not stored."""
    flow = await look(home, home.controller)
    flow = await home.answer(flow, {"url": "ftp://nowhere"})
    assert (flow["step_id"], flow["errors"]) == (
        "confirm_seen",
        {"url": "invalid_url"},
    )
    flow = await home.answer(flow, {"url": home.cloud.base_url})
    result = await sign_in(flow)
    await home.hass.async_block_till_done()
    assert result["type"] is FlowResultType.CREATE_ENTRY
    stored = json.dumps({**result["result"].data})
    assert not {"outputs", "water", "problem", "pump"} & set(re.findall(r"\w+", stored))
