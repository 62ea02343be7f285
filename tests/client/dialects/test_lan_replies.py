"""LAN replies that differ from what was observed (protocol.md L2 to L4, L9, L11)."""

import pytest

from custom_components.poolctl.client.pool.heating import POOL
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.exceptions import ReplayError
from tests.client.conftest import Rig
from tests.client.dialects.conftest import Speak

WATERFALL = 3


@pytest.mark.row("L2", "L18")
@pytest.mark.parametrize(
    "dialect", ["query_counter_own", "query_counter_echo", "query_counter_mixed"]
)
async def test_replies_with_another_counter(speak: Speak, dialect: str) -> None:
    """Names are read, heating works, and frames are accepted."""
    rig = await speak(dialect)
    for _ in range(8):
        await rig.controller.queries.ask("aux_names")
    await rig.polls(15)
    assert rig.reported.outputs.names[WATERFALL] == "Waterfall"
    await rig.controller.heating.change(POOL, target=30)
    assert rig.settings["pool_target"] == 30
    assert rig.controller.paths.lan_error is None


@pytest.mark.row("L2")
async def test_baselines_outlive_an_address(pool: Rig) -> None:
    """A recorded frame is rejected at another address of the controller, too."""
    lan = pool.controller.paths.lan
    assert lan is not None
    await pool.polls(15)
    moved = pool.service.lan_client(pool.pool, counter=lan.counters)
    pool.pool.faults.on("replay")
    with pytest.raises(ReplayError):
        await moved.state()


@pytest.mark.row("L4")
async def test_a_few_bytes_more(speak: Speak) -> None:
    """More bytes are accepted after `aux_names`, `schedules` and `pump_id`."""
    rig = await speak("longer_replies")
    known = rig.reported
    assert known.outputs.names[WATERFALL] == "Waterfall"
    assert known.schedules.used and known.pump is not None


@pytest.mark.row("L4")
async def test_longer_records(pool: Rig) -> None:
    """A reply that cannot be decoded keeps the last known values."""
    before = pool.reported.schedules
    assert before.used
    pool.pool.dialects.add("longer_records")
    pool.controller.queries.expire("schedules")
    await pool.controller.queries.refresh()
    assert pool.names("q") == ["schedules"]
    assert pool.reported.schedules == before


@pytest.mark.row("L9")
@pytest.mark.parametrize(
    ("dialect", "lacks"),
    [
        ("temp_without_temp2_ch", {"temp2_ch"}),
        ("temp_without_temp3_ch", {"temp3_ch"}),
        ("temp_without_flags", set()),
    ],
)
async def test_heating_without_all_of_it(
    pool: Rig, dialect: str, lacks: set[str]
) -> None:
    """Flags come from section B; missing channels are left out of the write."""
    pool.pool.dialects.add(dialect)
    heating = int(pool.settings["heating"])
    await pool.controller.heating.change(POOL, target=30)
    await pool.controller.heating.select(HeatSource.SOLAR, not heating & 1)
    assert pool.settings["pool_target"] == 30
    assert pool.settings["heating"] == heating ^ 1
    for _, body in pool.sent():
        assert not lacks & set(body)
        assert {"temp2_ch", "temp3_ch"} - lacks <= set(body)


@pytest.mark.row("L11")
@pytest.mark.parametrize("dialect", ["env_null", "env_empty", "env_omitted"])
async def test_no_frame_after_an_action(pool: Rig, dialect: str) -> None:
    """The action counts as run, and the state is read."""
    pool.pool.dialects.add(dialect)
    await pool.controller.outputs.switch(WATERFALL, True)
    assert pool.names() == ["aux", "state"]
    assert pool.settled and pool.output(WATERFALL).on


@pytest.mark.row("L11")
async def test_a_full_frame_after_a_command(pool: Rig) -> None:
    """A frame with the configuration of before undoes nothing."""
    pool.pool.dialects.add("cmd_full_frame")
    await pool.controller.heating.change(POOL, target=30)
    assert pool.settings["pool_target"] == 30
    assert pool.names() == ["v2_temp_get", "cmd"] and pool.settled
