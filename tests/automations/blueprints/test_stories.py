"""What every blueprint has in common, and the stories that each has of its own.

Each blueprint is described in `pump.py`, `hours.py`, `heating.py`, `spa.py` or
`messages.py`. One home lives through all cases, and another one through the stories of
that blueprint alone.
"""

from collections.abc import Iterable
import logging
from typing import Any

from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

import custom_components.poolctl as integration

from . import heating, hours, messages, pump, spa
from .house import (
    AS_USUAL,
    Blueprint,
    ByHand,
    Happening,
    House,
    Never,
    Until,
    another_edited,
    passes,
    restarted,
)

pytestmark = pytest.mark.usefixtures("freezer", "quick", "at_once")

ALL = [
    *pump.ALL,
    *hours.ALL,
    *heating.ALL,
    *spa.ALL,
    *messages.ALL,
]


def marked(blueprints: Iterable[Blueprint]) -> list[Any]:
    """Return them as parameters, each with the time at which its tests begin."""
    return [
        pytest.param(each, marks=pytest.mark.freeze_time(each.begins), id=each.name)
        for each in blueprints
    ]


EVERY = pytest.mark.parametrize("blueprint", marked(ALL))
BACK = 11
"""Minutes within which an automation does what it could not do before."""
LONG_LOADED = 20
"""Minutes after which what is on cannot be left over from before it was loaded."""


async def move_in(
    home: House, blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch, *, lan: bool
) -> None:
    """Set up the pool as the blueprint needs it."""
    monkeypatch.setattr(integration, "PLATFORMS", blueprint.platforms)
    home.own(home.service.full if blueprint.full else home.service.small)
    blueprint.prepare(home)
    home.blueprint = blueprint
    await home.set_up(*[home.controller] * lan)
    await home.happens(blueprint.furnish, 0)


@pytest.fixture
async def house(
    home: House, blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> House:
    await move_in(home, blueprint, monkeypatch, lan=True)
    return home


def usually(usual: object, other: object) -> object:
    return usual if other is AS_USUAL else other


class Life:
    """The automation of a blueprint; the cases of its life follow each other."""

    def __init__(self, house: House, blueprint: Blueprint) -> None:
        self.house, self.of = house, blueprint
        self.goes_on = usually(blueprint.acts, blueprint.goes_on)
        self.stopped = usually(blueprint.rests, blueprint.stopped)

    async def happens(self, happening: Happening, until: Until, shown: object) -> None:
        await self.house.lives(((happening, until, shown),))

    async def start(self, shown: object = AS_USUAL) -> None:
        does, _, until = self.of.starts
        await self.happens(does, until, usually(self.of.acts, shown))

    async def stop(self, shown: object = AS_USUAL) -> None:
        does, _, until = self.of.stops
        await self.happens(does, until, usually(self.stopped, shown))

    async def give_back(self) -> None:
        """Let a person undo what was done by hand."""
        await self.happens(self.of.given_back, 1, self.of.rests)

    async def starts_and_stops(self) -> None:
        """Neither happens too early."""
        does, not_yet, _ = self.of.starts
        if not_yet is not None:
            await self.happens(does, not_yet, self.of.rests)
        await self.start()
        does, not_yet, _ = self.of.stops
        if not_yet is not None:
            await self.happens(does, not_yet, self.goes_on)
        await self.stop()

    async def switched_on_by_hand_before(self) -> None:
        if isinstance(person := self.of.on_by_hand, ByHand):
            await self.happens(passes, LONG_LOADED, self.of.rests)
            await self.house.happens(person.does, 0.5)
            await self.start(person.acts)
            await self.stop(person.stopped)
            await self.give_back()

    async def switched_off_by_hand_meanwhile(self) -> None:
        if isinstance(person := self.of.off_by_hand, ByHand):
            await self.start()
            await self.happens(person.does, 6, person.acts)
            await self.stop(person.stopped)
            await self.give_back()

    async def restarted_meanwhile(self) -> None:
        await self.start()
        await self.happens(restarted(), BACK, self.goes_on)
        await self.stop(self.of.stops_after_restart)

    async def off_when_it_should_start(self) -> None:
        does, _, until = self.of.starts
        await self.house.start_anew(meanwhile=(does, until))
        await self.happens(passes, BACK, usually(self.of.acts, self.of.start_missed))
        await self.stop(self.of.stops_after_restart)

    async def off_when_it_should_stop(self) -> None:
        """Let the controller answer only after Home Assistant has started.

        What the automation started long ago may be what a person did since.
        """
        does, _, until = self.of.stops
        rows = [(self.of.remembers, usually(self.stopped, self.of.stop_missed))]
        if self.of.forgets:
            rows.append((self.of.forgets, self.goes_on))
        for ran, shown in rows:
            await self.start()
            await self.happens(House.disconnect, 3, self.goes_on)
            await self.house.start_anew(ran, (does, until))
            await self.happens(House.reconnect, BACK, shown)
        if self.of.forgets:
            await self.give_back()

    async def away_when_it_should_start(self) -> None:
        if isinstance(self.of.away_at_start, Never):
            return
        await self.happens(House.disconnect, 3, self.of.rests)
        await self.start(self.of.rests)
        await self.happens(
            House.reconnect, BACK, usually(self.of.acts, self.of.away_at_start)
        )
        await self.stop()

    async def away_when_it_should_stop(self) -> None:
        if isinstance(self.of.away_at_stop, Never):
            return
        await self.start()
        await self.happens(House.disconnect, 3, self.goes_on)
        await self.stop(self.goes_on)
        await self.happens(
            House.reconnect, BACK, usually(self.stopped, self.of.away_at_stop)
        )


CASES = (
    Life.starts_and_stops,
    Life.switched_on_by_hand_before,
    Life.switched_off_by_hand_meanwhile,
    Life.restarted_meanwhile,
    Life.off_when_it_should_start,
    Life.off_when_it_should_stop,
    Life.away_when_it_should_start,
    Life.away_when_it_should_stop,
)


@EVERY
async def test_a_life(house: House, blueprint: Blueprint) -> None:
    await house.automate()
    life = Life(house, blueprint)
    for case in CASES:
        house.story = case.__name__
        await life.happens(passes, 0, blueprint.rests)
        await case(life)
        assert not house.waits(), house.story


@EVERY
async def test_its_own_stories(house: House, blueprint: Blueprint) -> None:
    await house.automate()
    for house.story, steps in blueprint.own.items():
        await house.edit()
        await house.lives(steps)
        assert not house.waits(), house.story


@pytest.mark.parametrize(
    "blueprint", marked(each for each in ALL if not isinstance(each.cloud_only, Never))
)
async def test_without_the_lan(
    home: House, blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cloud cannot give back what it switches on."""
    assert not isinstance(blueprint.cloud_only, Never)
    first, shown = blueprint.cloud_only
    await move_in(home, blueprint, monkeypatch, lan=False)
    await home.happens(first, 0)
    await home.automate()
    life = Life(home, blueprint)
    home.story = "without the LAN"
    await life.start(shown)
    await life.stop()


# What needs another home


@pytest.mark.parametrize("blueprint", marked(spa.ALL))
async def test_a_temperature_in_fahrenheit(
    home: House, blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default is 37 °C there, too."""
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    await move_in(home, blueprint, monkeypatch, lan=True)
    await home.automate()
    life = Life(home, blueprint)
    home.story = "°F"
    for target, expected in ((100, 38), (None, 37)):
        await home.edit(heat_to="temperature", target=target)
        await life.start()
        assert home.pool.settings["spa_target"] == expected
        await life.stop()


@pytest.mark.parametrize("blueprint", marked([spa.SESSION]))
async def test_an_account_that_is_disabled_or_deleted(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is done, and nothing is logged as an error."""
    await house.automate()
    caplog.clear()
    entries, entry_id = house.hass.config_entries, house.entry.entry_id
    for end in (
        entries.async_set_disabled_by(entry_id, ConfigEntryDisabler.USER),
        entries.async_remove(entry_id),
    ):
        await end
        another_edited(house)
        await house.happens(spa.press, 3)
    errors = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert not [each.getMessage() for each in errors]


@pytest.mark.parametrize("blueprint", marked([hours.HOURS]))
async def test_a_plan_that_is_refused(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    for each in house.pool.schedules:
        each.slot, each.aux_type, each.start, each.end = 1, 26, 60, 120
        each.weekdays, each.name = 1, "Light"
    await house.automate()
    await house.happens(passes, "00:07")
    assert not house.waits() and "schedule" not in house.actions
    assert "All 20 schedules" in caplog.text
