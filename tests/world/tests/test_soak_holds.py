"""The soak's check of holds: which are overdue, and which cannot be released."""

from datetime import UTC, datetime, timedelta

import pytest

from custom_components.poolctl.client.holds.hold import Hold
from tests.world.soak.holds import PATIENCE, Way, forgotten

NOW = datetime(2026, 11, 2, tzinfo=UTC)
LATE = NOW - PATIENCE - timedelta(minutes=1)
PLAIN = Way(frozenset(), 0)
DECLINED = Way(frozenset({"pump_aux_declined"}), 0)


def hold(slot: int = 2, *, until: datetime | None = LATE, on: bool = False) -> Hold:
    return Hold(slot=slot, on=on, since=LATE, until=until)


@pytest.mark.parametrize("on", [True, False])
def test_a_hold_that_is_over(on: bool) -> None:
    assert len(forgotten([hold(on=on), hold(0, on=on)], PLAIN, NOW)) == 2


@pytest.mark.parametrize("until", [None, NOW, NOW - PATIENCE, NOW + timedelta(days=1)])
def test_a_hold_that_lasts(until: datetime | None) -> None:
    assert forgotten([hold(until=until)], PLAIN, NOW) == []


def test_what_cannot_be_given_back() -> None:
    assert forgotten([hold(0)], DECLINED, NOW) == []
    assert len(forgotten([hold(2)], DECLINED, NOW)) == 1
    assert forgotten([hold(2)], Way(frozenset(), 86400), NOW) == []
