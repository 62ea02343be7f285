"""The counter that all clients share, and the clocks behind it (protocol.md L1 and L14)."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from custom_components.poolctl.client.clock import Clock
from custom_components.poolctl.client.counters import Counters
from custom_components.poolctl.client.facts import Change
from custom_components.poolctl.client.lan import LanClient
from custom_components.poolctl.client.wire.envelope import MAX_COUNTER
from custom_components.poolctl.client.wire.exceptions import ClockError
from tests.client.conftest import Rig, UnixTime
from tests.world.simulator.wire import WireError

WATERFALL = 3
HOUR, DAY = 3600, 24 * 3600


@pytest.fixture
def clocked(make_rig: Callable[..., Rig], unix_time: UnixTime) -> Callable[..., Rig]:
    """Return a maker of rigs whose outgoing counters use the simulated clock."""

    def make(**options: bool) -> Rig:
        rig = make_rig(full=True, **options)
        advance = rig.time.advance

        def advance_both(seconds: float) -> None:
            advance(seconds)
            unix_time.now = rig.pool.clock.time()

        advance_both(0)
        rig.time.advance = advance_both  # type: ignore[method-assign]
        return rig

    return make


@pytest.fixture
async def rig(clocked: Callable[..., Rig]) -> Rig:
    rig = clocked()
    await read(rig)
    return rig


async def read(rig: Rig) -> None:
    """Read everything of the full pool; 15 s later, commands may be given."""
    await rig.read()
    rig.forget()
    rig.time.advance(15)


def lan_of(rig: Rig) -> LanClient:
    assert rig.controller.paths.lan is not None
    return rig.controller.paths.lan


def ran(rig: Rig) -> list[bool]:
    """Return whether each action was run or refused."""
    return [request.ok for request in rig.asked("a")]


AHEAD = ["counter_ahead_1_s", "counter_ahead_3_s", "counter_ahead_30_s"]


@pytest.mark.row("L1")
@pytest.mark.parametrize("dialect", [*AHEAD, "counter_ahead_5_min"])
async def test_another_client_is_ahead(
    rig: Rig, dialect: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The command runs once, over the LAN; the wait is reported."""
    skipped = list[Change]()
    rig.controller.paths.facts.listen(Change, skipped.append)
    rig.pool.dialects.add(dialect)
    await rig.controller.outputs.switch(WATERFALL, True)
    assert sum(ran(rig)) == 1 and rig.written() == []
    waits = [each.to for each in skipped if each.what == "counter"]
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256][: len(waits)]
    assert caplog.text.count("Another client signs commands ahead") == bool(waits)
    assert waits or dialect == "counter_ahead_1_s"
    ahead = lan_of(rig).counters.last - rig.pool.clock.time()
    assert ahead < 2 * {"1_s": 8, "3_s": 8, "30_s": 40}.get(dialect[14:], 300) + 20


@pytest.mark.row("L1")
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("cloud", [True, False])
async def test_another_client_is_a_day_ahead(
    clocked: Callable[..., Rig], cloud: bool, known: bool
) -> None:
    """The cloud runs the command, or else the error names the clock.

    That no query was ever answered points to the counter, too. Ours is not driven
    ahead.
    """
    rig = clocked(cloud=cloud)
    if known:
        await read(rig)
    rig.pool.dialects.add("counter_ahead_1_day")
    if not known:
        await rig.controller.poller.poll()
        await rig.controller.queries.refresh(first_only=True)
    if cloud:
        await rig.controller.outputs.switch(WATERFALL, True)
        assert rig.written() == ["manualSet"] and not any(ran(rig))
        assert not known or lan_of(rig).counters.ahead < 10
    else:
        with pytest.raises(ClockError) as caught:
            await rig.controller.outputs.switch(WATERFALL, True)
        assert caught.value.reason == "clock"


@pytest.mark.row("L1")
async def test_nothing_was_ever_answered(clocked: Callable[..., Rig]) -> None:
    """The command is sent once more after 1.1 s."""
    rig = clocked()
    await rig.controller.poller.poll()
    rig.forget()
    rig.pool.sign_elsewhere()
    await rig.controller.outputs.switch(WATERFALL, True)
    assert rig.time.slept[0] == 1.1 and rig.written() == []
    assert ran(rig) == [False, True]


@pytest.mark.row("L1")
@pytest.mark.parametrize("dialect", AHEAD)
async def test_names_that_are_refused_first(
    clocked: Callable[..., Rig], dialect: str
) -> None:
    """Names are read within a minute, and entities wait for them."""
    rig = clocked()
    rig.pool.dialects.add(dialect)
    queries = rig.controller.queries
    await rig.controller.poller.poll()
    await queries.refresh(first_only=True)
    assert not rig.reported.outputs.names
    due = [queries.names_due]
    await queries.refresh()
    assert [*due, queries.names_due] == [True, False]
    assert rig.reported.outputs.names[WATERFALL] == "Waterfall"
    assert sum(rig.time.slept) < 60


SIGNED, LATER = 1_800_000_000, 900


@pytest.mark.row("L14", "W19")
@pytest.mark.parametrize(
    ("ahead", "service", "signed"),
    [
        # Without the service, a stop of 35 h explains it; else the counter goes on.
        (10 * HOUR, None, 10 * HOUR),
        (34 * HOUR, None, 34 * HOUR),
        (36 * HOUR, None, 0),
        (20 * DAY, None, 0),
        (400 * DAY, None, 0),
        # Never further ahead than the service's time.
        (20 * DAY, 20 * DAY, 20 * DAY),
        (20 * DAY, HOUR, HOUR),
        (HOUR, 20 * DAY, HOUR),
        (20 * DAY, -20 * DAY, 0),
    ],
)
@pytest.mark.parametrize("restarted", [False, True])
def test_what_is_signed(
    ahead: int, service: int | None, signed: int, restarted: bool
) -> None:
    """The clock shows a time ahead of the counter that was accepted."""
    now, wrong = SIGNED, 0

    def clock(since: float | None = None) -> Clock:
        return Clock(since=since, wall=lambda: now + wrong, steady=lambda: now)

    ours = clock()
    counters = Counters(clock=ours)
    counters.accept(counters.next())
    wrong = ahead
    if restarted:
        ours = clock(SIGNED)
        counters = Counters(counters.last, clock=ours)
    while now < SIGNED + LATER:
        now += 15
        ours.check()
    if service is not None:
        at = datetime.fromtimestamp(SIGNED + LATER + service, UTC)
        ours.confirm(format_datetime(at, usegmt=True))
    assert counters.next() == SIGNED + LATER + signed


@pytest.mark.row("L14")
def test_no_counter_is_clipped(unix_time: UnixTime) -> None:
    """A controller that took 2^32 - 1 would refuse every client for ever."""
    unix_time.now = MAX_COUNTER + 5
    counter = Counters()
    with pytest.raises(ClockError):
        counter.next()
    assert counter.last == 0


async def test_a_query_that_is_declined(rig: Rig) -> None:
    """A query that is declined again and again is asked less often."""
    verify = rig.pool.verify

    def decline(env: object) -> bytes:
        verify(env)
        raise WireError("declined")

    rig.pool.verify = decline  # type: ignore[method-assign]
    rig.controller.queries.expire("pump_id")
    for _ in range(8):
        await rig.controller.queries.refresh()
        rig.time.advance(30)
    assert 0 < rig.names("q").count("pump_id") <= 4
