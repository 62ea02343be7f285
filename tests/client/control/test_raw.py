"""Raw actions and queries are sent unchanged, and listeners receive every read."""

from custom_components.poolctl.client.control.raw import parse_payload
from custom_components.poolctl.client.lan import state_after
from custom_components.poolctl.client.pool.state import PoolState, Source
from tests.client.conftest import FRAME, Rig


def test_payloads() -> None:
    payloads = {"": b"", "  \n": b"", "020101": b"\2\1\1", "02 01\t01": b"\2\1\1"}
    payloads |= {"fF": b"\xff"}
    assert {text: parse_payload(text) for text in payloads} == payloads


def test_the_state_in_a_reply() -> None:
    assert state_after(FRAME) is not None
    assert state_after(b"") is state_after(FRAME[:-1]) is None


async def test_actions_and_a_query(rig: Rig) -> None:
    """The reply of a raw action is returned unchanged, and merged like any other."""
    raw = rig.controller.raw
    await rig.read()
    assert (rig.output(2).on, rig.controller.queries.due) == (False, False)
    rig.forget()
    reply = await raw.action("aux", b"\x02\x01\x01")
    assert rig.output(2).on and state_after(reply) is not None
    assert (rig.names("a"), len(rig.published)) == (["aux"], 1)
    assert rig.controller.queries.due
    # If a reply has no state, the last known state stays until the next poll.
    rig.pool.faults.once("truncated_frame", 1, "a")
    assert await raw.action("aux", b"\x02\x00\x00")
    assert rig.output(2).on and not rig.pool.pool.slots[2].on
    reply = await raw.query("pump_id", b"\x07")
    assert reply == b"\x0eVariable Speed\x04Acme\x05VSX-2"
    assert [request.payload for request in rig.asked("q")] == [b"\x07"]


# Listeners


async def test_every_read_is_reported_with_its_time(rig: Rig) -> None:
    """Listeners receive reads without news, those of commands, and the cloud's."""
    heard: list[tuple[Source | None, float]] = []

    def hear(state: PoolState, at: float) -> None:
        assert state is rig.reported
        heard.append((state.source, at - started))

    started = rig.time.monotonic()
    rig.controller.live.read_listeners.append(hear)
    await rig.polls(15, times=2)
    await rig.controller.queries.refresh()
    rig.time.now = started + 40
    await rig.controller.outputs.switch(2, True)
    assert heard == [(Source.LAN, 15), (Source.LAN, 30), (Source.LAN, 40)]

    rig.pool.faults.on("refuse")
    await rig.polls(15)
    assert len(heard) == 3
    await rig.polls(15)
    assert {source for source, _ in heard[3:]} == {Source.CLOUD}
