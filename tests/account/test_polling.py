"""How a controller is polled, as Home Assistant shows it."""

import asyncio
from datetime import timedelta

from homeassistant.config_entries import ConfigEntryState
from homeassistant.util import dt as dt_util
import pytest

from tests.world.assistant.home import Home
from tests.world.simulator.lan import LanEndpoint

# Time is frozen from the start, because a clock must not change under a timer.
pytestmark = pytest.mark.usefixtures("freezer")


def ph(home: Home) -> str:
    return home.value("sensor", "ph")


async def test_no_connection_stays_open(
    small: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even with a controller that would keep it open (protocol.md 4.2 rule 8)."""
    ends: list[bytes] = []

    async def keep_open(
        endpoint: LanEndpoint,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        answer = await endpoint._answer(reader)
        writer.write(answer.replace(b"Connection: close\r\n", b""))
        ends.append(await reader.read(1))
        writer.close()

    monkeypatch.setattr(LanEndpoint, "_serve", keep_open)
    asked = len(small.controller.requests)
    for _ in range(3):
        await small.advance(15)
        assert small.source == "lan"
        assert ends == [b""] * (len(small.controller.requests) - asked)
    assert ends


async def test_lan_lost_and_found(small: Home) -> None:
    """The second missed poll brings the cloud, and one answer brings the LAN back."""
    assert small.source == "lan"
    small.controller.faults.on("refuse")
    await small.advance(15)
    assert small.source == "lan"
    await small.advance(15)
    assert small.source == "cloud"
    assert 6 < float(ph(small)) < 9
    # Values that the cloud does not report are unknown, not the last ones.
    assert small.value("sensor", "pump_power") == "unknown"

    small.controller.faults.off("refuse")
    await small.advance(30)
    assert small.source == "lan"
    assert small.value("sensor", "pump_power") != "unknown"


async def test_a_silent_controller_has_the_time_of_its_last_answer(small: Home) -> None:
    """The second missed poll shows it, unless the cloud answers; the next answer ends it."""

    def last_answer() -> str | None:
        answer: str | None
        answer = small.state("sensor", "connection").attributes.get("last_answer")
        return answer

    assert small.source == "lan"
    answered = dt_util.utcnow()
    small.disconnect()
    await small.advance(15)
    assert last_answer() is None
    await small.advance(15)
    assert small.source == "lan"
    shown = dt_util.parse_datetime(last_answer() or "")
    assert shown is not None and abs(shown - answered) <= timedelta(seconds=2)
    before = last_answer()
    await small.advance(120, step=15)
    assert (small.source, last_answer()) == ("lost", before)
    small.cloud.faults.clear()
    await small.advance(60, step=15)
    assert (small.source, last_answer()) == ("cloud", None)


async def test_both_gone_and_both_back(
    small: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """The last state holds for 90 s; one log line reports the loss, one the return."""
    small.disconnect()
    caplog.clear()
    for _ in range(89):
        await small.advance(1)
        assert ph(small) != "unavailable"
    await small.advance(2)
    assert ph(small) == "unavailable"
    await small.advance(300, step=15)
    assert small.entry.state is ConfigEntryState.LOADED

    small.controller.faults.off("refuse")
    await small.advance(15)
    assert small.source == "lan"
    assert 6 < float(ph(small)) < 9
    lines = [
        (record.levelname, record.message)
        for record in caplog.records
        if record.name.startswith("custom_components")
        and "pool controller 1" in record.message
        and record.levelname != "DEBUG"
    ]
    assert [level for level, _ in lines] == ["ERROR", "INFO"], lines


async def test_the_lan_alone_needs_no_cloud(small: Home) -> None:
    seen = len(small.cloud.requests)
    await small.advance(600, step=15)
    assert small.source == "lan"
    assert len(small.cloud.requests) == seen


async def test_start_without_the_cloud(home: Home) -> None:
    home.cloud.faults.on("refuse")
    entry = await home.set_up(home.controller)
    assert entry.state is ConfigEntryState.LOADED
    assert home.source == "lan"


async def test_start_while_everything_is_down(home: Home) -> None:
    home.disconnect()
    entry = await home.set_up(home.controller)
    assert [entry.state] == [ConfigEntryState.SETUP_RETRY]
    home.controller.faults.off("refuse")
    await home.advance(90, step=10)
    assert [entry.state] == [ConfigEntryState.LOADED]
    assert home.source == "lan"
