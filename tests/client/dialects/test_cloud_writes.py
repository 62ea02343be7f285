"""Answers of a service to a write, and controllers that do not answer one."""

import pytest

from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.pool.dosing import ACID
from custom_components.poolctl.client.wire.exceptions import (
    CommandFailedError,
    PoolctlError,
    ServiceError,
    UnconfirmedError,
    UnreachableError,
)
from tests.client.conftest import FakeTime, RawServer, Rig, Service, set_pump
from tests.world.simulator.cloud_dialects import CloudDialect as D


@pytest.mark.row("C1")
@pytest.mark.parametrize(
    "dialect", [D.C1_MISSING, D.C1_PENDING, D.C1_QUEUED, D.C1_NULL]
)
async def test_only_success_is_success(
    service: Service, cloud: CloudClient, dialect: D
) -> None:
    """protocol.md 4.1 rule 2."""
    service.cloud.dialects = {dialect}
    with pytest.raises(UnconfirmedError) as caught:
        await set_pump(cloud, service.small.device_id, 0, True, 85)
    assert caught.value.ran is None
    assert service.requests("setPumpInfo") == 1


@pytest.mark.row("C1")
async def test_failed_in_other_letters(service: Service, cloud: CloudClient) -> None:
    service.cloud.dialects = {D.C1_FAILED}
    with pytest.raises(CommandFailedError) as caught:
        await set_pump(cloud, service.small.device_id, 0, True, 85)
    assert caught.value.message == "it did not work"


@pytest.mark.row("C1")
@pytest.mark.parametrize("dialect", [D.C1_201, D.C1_202])
async def test_success_with_another_2xx(
    service: Service, cloud: CloudClient, dialect: D
) -> None:
    service.cloud.dialects = {dialect}
    await set_pump(cloud, service.small.device_id, 0, True, 85)
    service.clock.advance(2)
    assert service.small.pool.pump.speed == 85


@pytest.mark.row("C23")
async def test_a_slow_write_of_a_person(away: Rig) -> None:
    """A write that is answered late succeeds, and is sent once."""
    away.service.cloud.dialects = {D.C23_SLOW}
    await away.controller.dosing.set_desired(ACID, 7.1)
    assert away.settings["desired_ph"] == 71
    assert away.written() == ["setPhSettings"]


async def test_answers_to_a_write(raw_cloud: CloudClient, raw: RawServer) -> None:
    unconfirmed = ("", "null", "{}", '{"status": "success"}', '{"status": ["SUCCESS"]}')
    for status, body, error in (
        *((200, text, UnconfirmedError) for text in unconfirmed),
        (204, "", UnconfirmedError),
        (200, '{"status": "Failed", "message": "no"}', CommandFailedError),
        (409, '{"status": "SUCCESS"}', CommandFailedError),
    ):
        raw.say(status, body)
        with pytest.raises(PoolctlError) as caught:
            await set_pump(raw_cloud, "AA_BB_CC_FF_FF_FF", 0, True, 85)
        assert type(caught.value) is error, body
    # A read needs no status.
    raw.say(200, '{"data": {"dashboard": {"actual_ph": 74}}}')
    assert await raw_cloud.dashboard("AA_BB_CC_FF_FF_FF") == {"actual_ph": 74}


@pytest.mark.row("C8")
@pytest.mark.parametrize("dialect", [D.C8_FAILED, D.C8_408, D.C8_500])
async def test_a_controller_that_does_not_answer(
    service: Service, cloud: CloudClient, fake_time: FakeTime, dialect: D
) -> None:
    """The controller has not declined the write, and may have run it."""
    service.clock.speed = 1000
    service.cloud.dialects = {dialect}
    service.small.cloud_link = False
    with pytest.raises(UnreachableError) as caught:
        await set_pump(cloud, service.small.device_id, 0, True, 85)
    assert type(caught.value) is ServiceError and caught.value.ran is None
    assert service.requests("setPumpInfo") == 1
