"""The timer of what is undone later: it never becomes a loop."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.poolctl.client.undoing import Undoing
from custom_components.poolctl.hold_timer import HoldTimer


@dataclass
class Claimant:
    """Something that always has work to do, and counts how often it was asked."""

    error: Exception | None = None
    wait: float = 0.0
    worked: int = 0

    async def work(self) -> None:
        self.worked += 1
        if self.error is not None:
            raise self.error


def started(hass: HomeAssistant, *claimants: Any) -> HoldTimer:
    def in_background(task: Any, name: str) -> None:
        hass.async_create_background_task(task, name)

    timer = HoldTimer(hass, Undoing(*claimants), in_background)
    timer.async_check()
    return timer


async def pass_time(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory, seconds: float
) -> None:
    freezer.tick(timedelta(seconds=seconds))
    async_fire_time_changed(hass)
    await hass.async_block_till_done(wait_background_tasks=True)


async def test_work_that_stays(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory
) -> None:
    """What is due, but cannot be done yet, is looked at once a second."""
    busy = Claimant()
    timer = started(hass, busy)
    for seconds in (0.0, 0.2, 0.2):
        await pass_time(hass, freezer, seconds)
    assert busy.worked == 1
    await pass_time(hass, freezer, 1)
    assert busy.worked == 2
    timer.async_stop()


async def test_an_unexpected_error(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is logged once, keeps no other claimant from work, and is tried each minute."""
    wrong, other = Claimant(ZeroDivisionError("of a test")), Claimant()
    timer = started(hass, wrong, other)
    for seconds in (0.0, 30, 28):
        await pass_time(hass, freezer, seconds)
    assert (wrong.worked, other.worked) == (1, 1)
    await pass_time(hass, freezer, 2)
    assert (wrong.worked, other.worked) == (2, 2)
    assert caplog.text.count("Unexpected error; trying again") == 1
    wrong.error = None
    await pass_time(hass, freezer, 61)
    await pass_time(hass, freezer, 2)
    assert wrong.worked == 4
    timer.async_stop()
