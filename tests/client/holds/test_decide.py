"""What is decided about a claim, by what was requested, what is read, and the time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, strategies as st
import pytest

from custom_components.poolctl.client.backoff import NO_FAILURES, Failures
from custom_components.poolctl.client.holds.claim import Claim, Why
from custom_components.poolctl.client.holds.claims import UNDO_AGAIN
from custom_components.poolctl.client.holds.decide import (
    Do,
    Now,
    Seen,
    Way,
    decide,
    is_contradicted,
    is_old,
    seconds_left,
    with_read,
)
from custom_components.poolctl.client.holds.hold import Hold

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
AT, SENT_AT = 10_000.0, 9_000.0
PRESENT = Now(NOW, AT, AT)
WAITS = Failures(retry_at=AT + 60)
FAILED = Failures(UNDO_AGAIN, 3, AT - 1)
EARLIER = Hold(slot=2, on=True, since=NOW)
HELD = Hold(
    slot=2,
    on=False,
    since=NOW - HOUR,
    until=NOW + HOUR,
    lasts=2 * 3600.0,
    sent_at=SENT_AT,
    failures=FAILED,
    previous=EARLIER,
)
ENDED: dict[str, Any] = {"until": NOW}
NOT_YET: dict[str, Any] = {"confirmed": False}
NOT_NEEDED: dict[str, Any] = {"needs_undoing": False, "until": NOW - HOUR}
DOUBTED: dict[str, Any] = {"doubted_at": AT - 9.9}
OURS, OTHER = {"ours": True}, {"ours": False}
COPY: dict[str, Any] = {"ours": True, "old": 300.0}
OLD = timedelta(days=30)


def decided(
    changes: dict[str, Any],
    shows: dict[str, Any] | None = None,
    way: Way = Way.NOW,
    **now: Any,
) -> tuple[Do, float | None, Claim | None]:
    """Return what is done about a hold that a read shows in some way."""
    shown = Seen(AT, **(shows or {}))
    present = PRESENT._replace(**now)
    found = decide(replace(HELD, **changes), shown, present, way)
    return found.do, found.wait, found.claim


# Is it over?


@pytest.mark.parametrize("ended", [{}, ENDED, {"until": None}])
@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("leaving", [False, True])
def test_two_reads_agree_that_it_is_over(
    ended: dict[str, Any], way: Way, leaving: bool
) -> None:
    doubted = ended | {"doubted_at": AT - 10}
    assert decided(doubted, OTHER, way, leaving=leaving) == (Do.DROP, None, None)
    # If its command never ran, what it replaced applies again.
    left = decided(doubted | NOT_YET, OTHER, way, leaving=leaving)
    assert left == (Do.DROP, None, EARLIER)


@pytest.mark.parametrize("changes", [{}, DOUBTED, NOT_YET, NOT_YET | DOUBTED])
def test_one_read_proves_nothing(changes: dict[str, Any]) -> None:
    do, wait, claim = decided(changes, OTHER)
    assert (do, wait) == (Do.KEEP, 3600.0)
    assert claim is not None
    assert claim.doubted_at == changes.get("doubted_at", AT)


# Has its end come?


def test_no_end() -> None:
    do, wait, claim = decided({"until": None})
    assert (do, wait, claim) == (Do.KEEP, None, replace(HELD, until=None))


@pytest.mark.parametrize("seconds", [0.001, 1.0, 3600.0])
@pytest.mark.parametrize("way", Way)
def test_its_end_has_not_come(seconds: float, way: Way) -> None:
    """Attempts begin afresh if the end moves into the future."""
    do, wait, claim = decided({"until": NOW + seconds * SECOND}, way=way)
    assert do is Do.KEEP and wait == pytest.approx(seconds)
    assert claim is not None
    assert claim.failures == NO_FAILURES


@pytest.mark.parametrize("since", [timedelta(), HOUR, timedelta(days=29)])
def test_its_end_has_come(since: timedelta) -> None:
    do, wait, claim = decided({"until": NOW - since})
    assert (do, wait) == (Do.UNDO, 0.0)
    assert claim is not None
    assert claim.failures == FAILED


def test_leaving_is_the_end() -> None:
    for changes in ({}, {"until": None}, {"failures": WAITS}, NOT_YET | NOT_NEEDED):
        assert decided(changes, leaving=True)[:2] == (Do.UNDO, 0.0)


# Is there a reason to wait?


@pytest.mark.parametrize("leaving", [False, True])
@pytest.mark.parametrize(
    ("changes", "shows", "way"),
    [
        (ENDED, {}, Way.LATER),
        (ENDED, {}, Way.NEVER),
        (ENDED, OTHER, Way.NOW),
        (ENDED | DOUBTED, {}, Way.NOW),
        ({"until": NOW - OLD - SECOND}, {}, Way.NOW),
    ],
)
def test_until_a_path_a_read_or_a_user_changes_it(
    changes: dict[str, Any], shows: dict[str, Any], way: Way, leaving: bool
) -> None:
    assert decided(changes, shows, way, leaving=leaving)[:2] == (Do.KEEP, None)


@pytest.mark.parametrize(
    ("changes", "shows", "do"),
    [
        (NOT_YET, {}, Do.KEEP),
        (NOT_YET, COPY, Do.KEEP),
        (NOT_YET, OURS, Do.UNDO),
        ({}, {}, Do.UNDO),
    ],
)
def test_an_override_that_nobody_wanted(
    changes: dict[str, Any], shows: dict[str, Any], do: Do
) -> None:
    """It is only released once a read shows it."""
    wait = 0.0 if do is Do.UNDO else None
    assert decided(NOT_NEEDED | changes, shows)[:2] == (do, wait)


@pytest.mark.parametrize(
    ("changes", "wait"),
    [
        ({"failures": Failures(retry_at=AT)}, 0.0),
        ({"failures": WAITS}, 60.0),
        (NOT_YET | {"sent_at": AT - 3}, 0.0),
        (NOT_YET | {"sent_at": AT - 1}, 2.0),
        (NOT_YET | {"sent_at": AT - 1, "failures": WAITS}, 60.0),
        ({"sent_at": AT - 1}, 0.0),
    ],
)
def test_how_long_to_wait(changes: dict[str, Any], wait: float) -> None:
    """A command that is not confirmed may still be under way for 3 s."""
    do = Do.KEEP if wait else Do.UNDO
    assert decided(ENDED | changes)[:2] == (do, wait)


def test_why(subtests: pytest.Subtests) -> None:
    """The first reason that applies, in the order of the page; none of them: undone."""
    rows: tuple[tuple[Why | None, dict[str, Any], dict[str, Any], Way], ...] = (
        (Why.NOT_OVER, {}, {}, Way.NEVER),
        (Why.NOT_OVER, {"until": None}, OTHER, Way.NOW),
        (Why.NO_PATH, ENDED | DOUBTED, {}, Way.LATER),
        (Why.NOT_SHOWN, {"until": NOW - OLD - SECOND}, OTHER, Way.NOW),
        (Why.NOT_SHOWN, {"doubted_at": AT - 10}, OTHER, Way.LATER),
        (Why.OLD, NOT_NEEDED | NOT_YET | {"until": NOW - OLD - SECOND}, {}, Way.NOW),
        (Why.NOT_NEEDED, NOT_NEEDED | NOT_YET | {"sent_at": AT - 1}, {}, Way.NOW),
        (
            Why.SENT,
            ENDED | NOT_YET | {"sent_at": AT - 1, "failures": WAITS},
            {},
            Way.NOW,
        ),
        (Why.FAILED, ENDED | {"failures": WAITS}, {}, Way.NOW),
        (None, ENDED, {}, Way.NOW),
    )
    for why, changes, shows, way in rows:
        with subtests.test(str(why), changes=str(changes)):
            assert (
                decide(replace(HELD, **changes), Seen(AT, **shows), PRESENT, way).why
                is why
            )


# What a read adds


@pytest.mark.parametrize(
    ("doubted_at", "at", "shows", "doubted_later", "confirmed"),
    [
        # It shows the claim: the first one after the command counts.
        (None, SENT_AT + 0.1, OURS, None, True),
        (SENT_AT + 5, SENT_AT + 6, OURS, None, True),
        (SENT_AT + 5, SENT_AT, OURS, SENT_AT + 5, False),
        # It does not: the command has to settle first, and the first doubt stays.
        (None, SENT_AT + 2.9, OTHER, None, False),
        (None, SENT_AT + 3, OTHER, SENT_AT + 3, False),
        (SENT_AT + 5, SENT_AT + 9, OTHER, SENT_AT + 5, False),
        (None, SENT_AT + 302.9, OTHER | {"old": 300.0}, None, False),
        (None, SENT_AT + 303, OTHER | {"old": 300.0}, SENT_AT + 303, False),
        # It says nothing.
        (None, AT, {"ours": None}, None, False),
        (SENT_AT + 5, AT, {"ours": None}, SENT_AT + 5, False),
        # A copy confirms nothing, and ends a doubt only if it is certainly newer.
        (None, AT, COPY, None, False),
        (AT - 299, AT, COPY, AT - 299, False),
        (AT - 300, AT, COPY, None, False),
    ],
)
def test_a_read(
    doubted_at: float | None,
    at: float,
    shows: dict[str, Any],
    doubted_later: float | None,
    confirmed: bool,
) -> None:
    hold = replace(HELD, doubted_at=doubted_at, maybe_undone=True, **NOT_YET)
    found = with_read(hold, Seen(at, **shows))
    assert (found.doubted_at, found.confirmed) == (doubted_later, confirmed)
    replaces = confirmed or shows == COPY
    assert found.previous is (None if replaces else EARLIER)
    assert found.maybe_undone is not confirmed


@pytest.mark.row("C29")
@pytest.mark.parametrize(("age", "replaces"), [(299.9, False), (300.0, True)])
def test_a_copy_that_may_be_older_than_the_command(age: float, replaces: bool) -> None:
    """It does not show that the claim has replaced the previous one."""
    found = with_read(replace(HELD, **NOT_YET), Seen(SENT_AT + age, **COPY))
    assert (found.previous is None, found.confirmed) == (replaces, False)


@pytest.mark.parametrize(
    ("doubted_at", "shows", "over"),
    [
        (AT - 10, OTHER, True),
        (AT - 9.9, OTHER, False),
        (None, OTHER, False),
        (AT - 10, OURS, False),
        (AT - 10, {"ours": None}, False),
        (AT, OTHER | {"agreeing": 0.0}, True),
        (AT - 599, OTHER | {"agreeing": 600.0}, False),
    ],
)
def test_contradicted(
    doubted_at: float | None, shows: dict[str, Any], over: bool
) -> None:
    hold = replace(HELD, doubted_at=doubted_at)
    assert is_contradicted(hold, Seen(AT, **shows)) is over


# Ends


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ({"until": None}, None),
        ({"until": NOW + HOUR}, 3600.0),
        ({"until": NOW - HOUR}, -3600.0),
        ({"until": NOW + HOUR, "needs_undoing": False}, 0.0),
        ({"until": NOW - HOUR, "needs_undoing": False}, -3600.0),
    ],
)
def test_what_is_left(changes: dict[str, Any], left: float | None) -> None:
    assert seconds_left(replace(HELD, **changes), PRESENT) == left


@pytest.mark.parametrize(
    ("changes", "now", "old"),
    [
        ({"until": NOW - OLD}, {}, False),
        ({"until": NOW - OLD - SECOND}, {}, True),
        ({"until": NOW - OLD - SECOND}, {"at": AT + 1}, False),
        ({"until": None}, {}, False),
    ],
)
def test_an_end_long_before_the_start(
    changes: dict[str, Any], now: dict[str, Any], old: bool
) -> None:
    assert is_old(replace(HELD, **changes), PRESENT._replace(**now)) is old


# What holds for every claim, read and time

TIMES = st.sampled_from([0.0, AT - 700, AT - 11, AT - 9, AT - 1, AT])
ENDS = st.none() | st.sampled_from([-40 * 86400, -9000, -1, 0, 1, 9000]).map(
    lambda seconds: NOW + timedelta(seconds=seconds)
)
HOLDS = st.builds(
    Hold,
    slot=st.just(2),
    on=st.booleans(),
    since=st.just(NOW),
    until=ENDS,
    needs_undoing=st.booleans(),
    confirmed=st.booleans(),
    sent_at=TIMES,
    doubted_at=st.none() | TIMES,
    failures=st.sampled_from([NO_FAILURES, WAITS]),
)
READS = st.builds(
    Seen,
    TIMES,
    st.none() | st.booleans(),
    st.sampled_from([0.0, 300.0]),
    st.sampled_from([0.0, 10.0, 600.0]),
)


@given(HOLDS, READS, st.sampled_from(Way), st.booleans())
def test_rules(hold: Hold, shown: Seen, way: Way, leaving: bool) -> None:
    now = PRESENT._replace(leaving=leaving)
    found = decide(hold, shown, now, way)
    # The same read at the same time adds nothing.
    assert with_read(with_read(hold, shown), shown) == with_read(hold, shown)
    if found.do is Do.DROP:
        assert shown.ours is False
        return
    assert found.claim is not None
    assert decide(found.claim, shown, now, way) == found
    # A wait of 0 wakes somebody up, so there is something to do.
    assert (found.wait == 0.0) is (found.do is Do.UNDO)
    if found.do is Do.UNDO:
        over = hold.until is not None and hold.until <= NOW
        assert leaving or over or not hold.needs_undoing
        assert way is Way.NOW
        assert found.claim.doubted_at is None
        assert hold.until is None or NOW - hold.until <= OLD
