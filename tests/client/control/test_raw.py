"""Raw actions and queries are sent unchanged, and listeners receive every read."""

import pytest

from custom_components.poolctl.client.control.raw import parse_payload
from custom_components.poolctl.client.lan import state_after
from custom_components.poolctl.client.pool.state import PoolState, Source
from tests.client.conftest import FRAMES, Rig

FRAME = bytes.fromhex(FRAMES[0]["payload"])


def queries_due(rig: Rig) -> bool:
    return rig.controller.queries.due


def names_due(rig: Rig) -> bool:
    return rig.controller.queries.names_due


@pytest.mark.parametrize(
    ("text", "payload"),
    [
        ("", b""),
        ("  \n", b""),
        ("020101", b"\x02\x01\x01"),
        ("02 01\t01", b"\x02\x01\x01"),
        ("fF", b"\xff"),
    ],
)
def test_payloads(text: str, payload: bytes) -> None:
    assert parse_payload(text) == payload


def test_the_state_in_a_reply() -> None:
    assert state_after(FRAME) is not None
    assert state_after(b"") is None
    assert state_after(FRAME[:-1]) is None


async def test_an_action(rig: Rig) -> None:
    """The reply of a raw action is returned unchanged, and merged like any other."""
    await rig.controller.poller.poll()
    await rig.controller.queries.refresh()
    assert queries_due(rig) is False
    published = len(rig.published)
    reply = await rig.controller.raw.action("aux", b"\x02\x01\x01")
    slot = rig.controller.store.reported.outputs.slot(2)
    assert slot is not None
    assert slot.on
    assert len(rig.published) == published + 1
    assert state_after(reply) is not None
    assert queries_due(rig) is True
    assert rig.names("a") == ["aux"]


async def test_an_action_without_a_state(rig: Rig) -> None:
    """If a reply has no state, the last known state stays until the next poll."""
    await rig.controller.poller.poll()
    rig.pool.faults.once("truncated_frame", 1, "a")
    reply = await rig.controller.raw.action("aux", b"\x02\x01\x01")
    assert reply
    assert rig.pool.pool.slots[2].on
    slot = rig.controller.store.reported.outputs.slot(2)
    assert slot is not None
    assert slot.on is False


async def test_a_query(rig: Rig) -> None:
    reply = await rig.controller.raw.query("pump_id", b"\x07")
    assert reply == b"\x0eVariable Speed\x04Acme\x05VSX-2"
    (request,) = rig.asked("q")
    assert request.payload == b"\x07"


# Listeners


async def test_every_read_is_reported_with_its_time(rig: Rig) -> None:
    """Listeners receive reads without news, those of commands, and the cloud's."""
    heard: list[tuple[Source | None, float]] = []

    def hear(state: PoolState, at: float) -> None:
        assert state is rig.controller.store.reported
        heard.append((state.source, at - started))

    started = rig.time.monotonic()
    end = rig.controller.store.add_read_listener(hear)
    await rig.polls(15)
    await rig.polls(15)
    await rig.controller.queries.refresh()
    rig.time.now = started + 40
    await rig.controller.outputs.switch(2, True)
    assert heard == [(Source.LAN, 15), (Source.LAN, 30), (Source.LAN, 40)]

    rig.pool.faults.on("refuse")
    await rig.polls(15)
    assert len(heard) == 3
    await rig.polls(15)
    assert {source for source, _ in heard[3:]} == {Source.CLOUD}
    end()
    heard.clear()
    await rig.polls(30)
    assert not heard


async def test_whether_names_are_about_to_be_read(rig: Rig) -> None:
    """Names are due after other wiring, until they were tried or the LAN fails."""
    assert names_due(rig) is False
    await rig.controller.poller.poll()
    assert names_due(rig) is True
    await rig.controller.queries.refresh(first_only=True)
    assert names_due(rig) is False

    rig.pool.pool.slots[5].aux_type = 1
    await rig.polls(15)
    assert names_due(rig) is False  # one frame may be odd
    await rig.polls(15)
    assert names_due(rig) is True
    rig.pool.faults.on("garbage", "aux_names")
    await rig.controller.queries.refresh(first_only=True)
    assert names_due(rig) is False

    rig.pool.pool.slots[5].aux_type = 0
    await rig.polls(15)
    await rig.polls(15)
    assert names_due(rig) is True
    rig.pool.faults.on("refuse")
    await rig.polls(15)
    assert names_due(rig) is False
