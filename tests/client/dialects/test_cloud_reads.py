"""When the cloud is read, and when its answers are believed."""

from collections.abc import Callable

import pytest

from custom_components.poolctl.client.cloud import COPY_AGE, SILENT_AFTER, CloudClient
from custom_components.poolctl.client.wire.exceptions import UnreachableError
from tests.client.conftest import FakeTime, RawServer, Rig
from tests.world.simulator.cloud_dialects import CloudDialect as D

OTHER_ID = "AA_BB_CC_FF_FF_FF"
OFFLINE = '"devices": [{"deviceId": "AA_BB_CC_FF_FF_FF", "online": false}]'


def say(raw: RawServer, ph: int, devices: str = OFFLINE) -> None:
    """Have the service report a pH, and whether the controller is online."""
    raw.say(200, f'{{"data": {{"dashboard": {{"actual_ph": {ph}}}, {devices}}}}}')


# Reported offline


@pytest.mark.row("C6")
async def test_offline_and_unchanged_means_gone(
    raw_cloud: CloudClient, raw: RawServer, fake_time: FakeTime
) -> None:
    for ph in range(75, 80):  # one that changes is believed
        say(raw, ph)
        assert await raw_cloud.live_dashboard(OTHER_ID) == {"actual_ph": ph}
        fake_time.advance(SILENT_AFTER - 1)
    say(raw, 74)
    for _ in range(3):
        assert await raw_cloud.live_dashboard(OTHER_ID) == {"actual_ph": 74}
        fake_time.advance(SILENT_AFTER / 3)
    for _ in range(2):
        with pytest.raises(UnreachableError):
            await raw_cloud.live_dashboard(OTHER_ID)
        fake_time.advance(30)
    say(raw, 75)
    assert await raw_cloud.live_dashboard(OTHER_ID) == {"actual_ph": 75}


@pytest.mark.parametrize("devices", [OFFLINE.replace("false", "true"), '"devices": []'])
async def test_a_still_pool_is_not_gone(
    raw_cloud: CloudClient, raw: RawServer, fake_time: FakeTime, devices: str
) -> None:
    """A pool whose values stay the same is gone only if `online` is false as well."""
    say(raw, 74, devices)
    for seconds in (SILENT_AFTER, SILENT_AFTER, 30):
        await raw_cloud.live_dashboard(OTHER_ID)
        fake_time.advance(seconds)
    say(raw, 74)
    await raw_cloud.live_dashboard(OTHER_ID)


@pytest.mark.row("C6")
@pytest.mark.parametrize("dialect", [D.C6_STALE, D.C6_ABSENT])
async def test_a_pool_is_there_whatever_online_says(
    make_rig: Callable[..., Rig], dialect: D
) -> None:
    rig = make_rig(full=True, lan=False)
    rig.service.cloud.dialects = {dialect}
    await rig.controller.poller.poll()
    assert rig.shown.readings.ph is not None
    await rig.polls(30)
    assert rig.controller.paths.cloud_error is None


# After a write


@pytest.mark.row("C12")
@pytest.mark.parametrize("dialects", [set(), {D.C12_FRESH}])
async def test_a_write_causes_no_read(away: Rig, dialects: set[D]) -> None:
    """Copies are up to 30 s old (protocol.md 8): a read would show nothing new."""
    away.service.cloud.dialects = dialects
    for speed in (50, 60, 70, 80):
        await away.controller.holds.set_speed(speed)
    assert away.written() == ["setPumpInfo"] * 4
    assert {request.method for request in away.service.cloud.requests} == {"POST"}


@pytest.mark.row("C12")
async def test_what_a_write_said_is_shown_until_a_newer_read(away: Rig) -> None:
    """A read that may be older than the write disproves nothing."""
    away.pool.faults.on("ignore_writes")
    await away.controller.holds.set_speed(55)
    shown = away.shown.readings.pump_speed
    await away.polls(COPY_AGE - 5)
    assert away.shown.readings.pump_speed == shown
    assert away.reported.readings.pump_speed != shown
    await away.polls(30)
    assert away.shown.readings.pump_speed != shown
