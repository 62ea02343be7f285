"""Which path is read when, and what happens when none answers."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from custom_components.poolctl.client.cloud import SILENT_AFTER
from custom_components.poolctl.client.pool.state import Source
from custom_components.poolctl.client.wire.exceptions import (
    BusyError,
    ServiceError,
    UnreachableError,
)
from tests.client.conftest import Rig
from tests.world.simulator.cloud_dialects import CloudDialect as D

LAN, CLOUD = Source.LAN, Source.CLOUD


def polled(rig: Rig) -> tuple[Source | None, float]:
    """Return the source, and the seconds until the next poll."""
    return rig.shown.source, rig.controller.poller.interval


def errors(rig: Rig) -> tuple[type, type]:
    return type(rig.controller.paths.lan_error), type(rig.controller.paths.cloud_error)


def cut(rig: Rig, *, lan: bool = True, cloud: bool = False) -> None:
    """Make the LAN and the cloud refuse connections, or accept them again."""
    for wanted, faults in ((lan, rig.pool.faults), (cloud, rig.service.cloud.faults)):
        if wanted:
            faults.on("refuse")
        else:
            faults.off("refuse")


# When the LAN is read, when the cloud, and how often


async def test_a_lan_that_misses_goes_and_comes_back(rig: Rig) -> None:
    dashboards = rig.service.requests
    assert polled(rig)[0] is None
    for _ in range(10):
        await rig.polls(15)
        assert polled(rig) == (LAN, 15)
    assert len(rig.asked("state")) == len(rig.published) == 10

    for asked in (12, 15):
        before = rig.shown
        rig.pool.faults.once("garbage", 2)  # the poll and its quick retry
        await rig.polls(15)
        assert rig.controller.paths.lan_error is not None and rig.shown == before
        # The retry took a second, which counts: polls begin 15 s apart as always.
        assert (polled(rig), len(rig.asked("state"))) == ((LAN, 14), asked)
        await rig.polls(15)  # so that the two misses are not in a row
    assert rig.service.cloud.requests == []

    cut(rig)
    await rig.polls(15)
    assert polled(rig)[0] is LAN
    await rig.polls(15)
    assert (polled(rig), dashboards("dashboardInfo")) == ((CLOUD, 14), 1)
    assert rig.shown.readings.ph is not None and rig.shown.outputs.assumed

    cut(rig, lan=False)
    rig.pool.faults.once("garbage", 4)
    rig.forget()
    for _ in range(2):
        await rig.polls(30)
        assert polled(rig)[0] is CLOUD
    assert (len(rig.asked("state")), dashboards("dashboardInfo")) == (4, 3)

    await rig.polls(30)
    assert (polled(rig), rig.shown.outputs.assumed) == ((LAN, 15), False)
    seen = len(rig.service.cloud.requests)
    await rig.polls(15)
    assert len(rig.service.cloud.requests) == seen


async def test_starts_with_one_path_or_none(
    cloud_only: Rig, make_rig: Callable[..., Rig]
) -> None:
    assert polled(cloud_only) == (CLOUD, 30)
    assert cloud_only.shown.readings.pump_speed == 75
    assert not cloud_only.controller.paths.on_lan
    assert not cloud_only.controller.queries.due
    assert cloud_only.asked() == []

    lan_only, rig = make_rig(cloud=False), make_rig()
    await lan_only.polls()
    cut(rig)
    await rig.polls()
    assert (polled(rig), rig.service.requests("dashboardInfo")) == ((CLOUD, 14), 2)
    await lan_only.polls(15, times=5)
    assert lan_only.shown.source is LAN
    with pytest.raises(UnreachableError, match="no connection"):
        await lan_only.polls(15)
    with pytest.raises(UnreachableError, match="no connection to the controller"):
        await make_rig(lan=False, cloud=False).polls()


# Neither path answers


async def test_a_state_lasts_90_s(rig: Rig) -> None:
    cut(rig, cloud=True)
    with pytest.raises(UnreachableError):
        await rig.polls()
    # A cable that is plugged in again is noticed soon.
    assert rig.controller.poller.interval == 14
    assert errors(rig)[1] is UnreachableError
    assert rig.published == []

    cut(rig, lan=False)
    await rig.polls(30)
    cut(rig, cloud=True)
    before, published = rig.shown, len(rig.published)
    for seconds in (15, 15, 30, 25.9):  # plus a second before each retry
        await rig.polls(seconds)
        assert rig.shown == before
    for seconds in (0.1, 30):
        with pytest.raises(UnreachableError):
            await rig.polls(seconds)
    assert len(rig.published) == published
    cut(rig, lan=False)
    await rig.polls(30)
    assert rig.shown.source is LAN


# The cloud's limits


@pytest.mark.row("4.1 row 6", "8 rule 2", "8 rule 3")
@pytest.mark.parametrize(
    ("busy", "polls"),
    [
        (None, [(15, 1), (13.9, 1), (0.1, 2), (28, 2), (2, 3)]),
        (60, [(30, 2), (30, 2), (28.5, 2), (1.5, 3)]),
        (45, [(30, 2), (30, 2), (13.5, 2), (1.5, 3)]),
        (5, [(30, 2), (10, 2), (20, 3)]),  # does not hasten the next read
    ],
)
async def test_cloud_reads_keep_apart(
    cloud_only: Rig, busy: int | None, polls: list[tuple[float, int]]
) -> None:
    cloud = cloud_only.service.cloud
    if busy:
        cloud.rate_limited.message = f"device busy: retry after {busy}s"
        cloud.faults.once("rate_limited", 1, "dashboardInfo")
    for seconds, reads in polls:
        await cloud_only.polls(seconds)
        assert cloud_only.service.requests("dashboardInfo") == reads
        is_busy = bool(busy) and reads == 2
        assert errors(cloud_only)[1] is (BusyError if is_busy else type(None))
    requests = [r for r in cloud.requests if r.name == "dashboardInfo"]
    assert all(b.at - a.at >= 30 for a, b in pairwise(requests))


async def test_a_dashboard_that_failed_is_read_in_the_next_poll(
    cloud_only: Rig,
) -> None:
    """Only reads that are not published become less frequent."""
    for fails in (True, True, False):
        if fails:
            cloud_only.service.cloud.faults.once("error_500", 1, "dashboardInfo")
        await cloud_only.polls(30)
        assert (errors(cloud_only)[1] is ServiceError) is fails
    assert cloud_only.service.requests("dashboardInfo") == 4


@pytest.mark.row("C16")
@pytest.mark.parametrize(
    "dialect", [None, D.C14_401, D.C14_404, D.C14_429, D.C14_SILENT, D.C14_HTML]
)
async def test_what_the_service_serves_of_a_controller_it_lost_is_old(
    cloud_only: Rig, dialect: D | None
) -> None:
    """It is offline according to `deviceOnlineStatuses`, else to the sites."""
    rig = cloud_only
    rig.service.cloud.dialects = {dialect} if dialect else set()
    rig.pool.cloud_link = False  # its dashboard is still served, from a copy
    gone: list[float] = []
    begun = rig.time.now
    for _ in range(18):
        try:
            await rig.polls(62)
        except UnreachableError:
            gone.append(rig.time.now - begun)
    assert SILENT_AFTER <= gone[0] < SILENT_AFTER + 220
    assert errors(rig)[1] is UnreachableError
    assert rig.service.requests("sites") <= (10 if dialect else 0)
    rig.pool.cloud_link = True
    await rig.polls(120)
    assert rig.shown.source is CLOUD


# Another address


async def test_a_poll_comes_in_time_for_what_is_about_to_expire(small: Rig) -> None:
    """The next poll comes before the state expires, but not within a second."""
    for since, wait in ((0, 15), (9, 6), (14.5, 1), (500, 1)):
        with small.time.later(since):
            assert small.controller.poller.interval == pytest.approx(wait)
    cut(small, cloud=True)
    for seconds, wait in ((60, 14), (19, 9), (7, 1)):  # and a second for each retry
        await small.polls(seconds)
        assert small.controller.poller.interval == pytest.approx(wait)


async def test_another_address_of_a_controller_that_answers(small: Rig) -> None:
    """It counts as answering at a new address only if it did at the old one."""
    paths = small.controller.paths
    lan = paths.lan

    def found() -> tuple[bool, bool]:
        return paths.on_lan, paths.lan_answers

    paths.set_lan(lan)
    assert found() == (True, True)
    paths.lan_missed()
    paths.lan_missed()
    assert found() == (False, False)
    paths.set_lan(None)
    assert found() == (False, False)
    paths.set_lan(lan)
    assert found() == (True, False)
    assert paths.lan_missed()
    paths.set_lan(None)
    assert not await small.controller.poller.read_lan()
    await small.polls(15)
    assert polled(small) == (CLOUD, 30)
