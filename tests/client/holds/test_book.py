"""The book of holds while outputs are switched, and the clocks that holds use."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

from custom_components.poolctl.client.clock import Clock, ControllerClock
from custom_components.poolctl.client.holds import book as book_module
from custom_components.poolctl.client.holds.book import SETTLING, Book
from custom_components.poolctl.client.holds.hold import Doubt, Hold
from custom_components.poolctl.client.holds.times import Times

NOW = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)
AT = 100.0
SLOT, OTHER = 3, 5
HOLD = Hold(slot=SLOT, on=True, since=NOW, doubt=Doubt(50.0, by_cloud=False))


@pytest.fixture(autouse=True)
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_module, "time", SimpleNamespace(monotonic=lambda: AT))


def test_no_read_is_evidence_until_the_last_command_is_done() -> None:
    book = Book([HOLD])
    with book.switching(OTHER):
        with book.switching(SLOT):
            with book.switching(SLOT):
                assert book.is_switching(SLOT)
            assert book.is_switching(SLOT) and book.is_switching(OTHER)
        assert not book.is_switching(SLOT) and book.is_switching(OTHER)
        with book.switching(SLOT):
            assert book.is_switching(SLOT)
    assert not book.is_switching(OTHER)


def test_a_command_settles() -> None:
    """After a command, reads do not count until it has settled, and doubts are gone."""
    book = Book([HOLD])
    with book.switching(SLOT):
        assert book.get(SLOT) == HOLD
    hold = book.get(SLOT)
    assert hold is not None
    assert (hold.settled_at, hold.doubt) == (AT + SETTLING, None)
    with book.switching(OTHER):
        pass
    assert book.get(OTHER) is None


def test_the_controllers_local_time() -> None:
    controller = ControllerClock()
    controller.offset = timedelta(hours=1)
    clock = Clock(wall=NOW.timestamp, steady=lambda: AT)
    times = Times(clock, lambda: ZoneInfo("Australia/Sydney"), controller)
    assert times.now == NOW
    assert times.local.replace(tzinfo=None) == datetime(2026, 11, 22, 22, 0)  # noqa: DTZ001
    assert str(times.local.tzinfo) == "Australia/Sydney"
    assert replace(times, controller=ControllerClock()).local == NOW
