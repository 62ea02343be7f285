"""What is decided about a claim, by what was requested, what is read, and the time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, strategies as st
import pytest

from custom_components.poolctl.client.backoff import NO_FAILURES, Failures
from custom_components.poolctl.client.holds.claim import Why
from custom_components.poolctl.client.holds.claims import UNDO_AGAIN
from custom_components.poolctl.client.holds.decide import (
    Do,
    Now,
    Seen,
    Way,
    decide,
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
OLD = timedelta(days=30)


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
