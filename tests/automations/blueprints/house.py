"""A home with an automation from a blueprint, and what happens there, step by step."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple, override
from unittest.mock import patch

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.const import Platform
from homeassistant.core import CoreState, HomeAssistant, ServiceCall, State
from homeassistant.helpers.restore_state import StoredState, async_get
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import async_mock_service

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home
from tests.world.assistant.service import Service
from tests.world.assistant.timers import fire_timers
from tests.world.loops import LeapingLoop
from tests.world.simulator import Controller

BLUEPRINTS: Final = Path(__file__).parents[3] / "blueprints"
ALIAS: Final = "automation.pool"
POLL, MINUTE, LEAP = 15, 60, 4 * 3600
PATIENCE: Final = 2.5
"""Seconds; longer work of the service goes on only when a test lets time pass."""


def _steps(seconds: float, fine: int) -> list[float]:
    """Return the lengths of the steps in which time passes.

    The first one is a poll, which reads what the test changed. The last ones, before
    the test checks, are so many minutes and polls. Between the two, hours pass at once.
    """
    polls = round(seconds / POLL)
    if polls <= MINUTE / POLL:
        return [POLL] * polls
    minutes, left = divmod(polls * POLL - MINUTE, MINUTE)
    left += max(0, minutes - fine) * MINUTE
    leaps, rest = divmod(left, LEAP)
    return [
        POLL,
        *[LEAP] * leaps,
        *[rest] * (rest > 0),
        *[MINUTE] * min(minutes, fine),
        *[POLL] * 3,
    ]


class House(Home):
    """A home in which time stands still, unless a test waits."""

    blueprint: Blueprint
    story: str
    """The name of what happens now, for the message of a failed test."""
    last: ServiceCall
    """The message that was sent last."""
    asked: list[ServiceCall]
    """Requests for statistics."""

    def __init__(
        self, hass: HomeAssistant, service: Service, request: pytest.FixtureRequest
    ) -> None:
        super().__init__(hass, service, request)
        self.messages: list[ServiceCall] = async_mock_service(hass, "test", "tell")
        self._rule: dict[str, Any] = {}

    async def automate(self) -> None:
        """Set up the automation."""
        self._rule = self._made({})
        rules = {AUTOMATION: [self._rule]}
        assert await async_setup_component(self.hass, AUTOMATION, rules)
        await self._begin()

    def _made(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the configuration of the automation, with its usual inputs and these."""
        path = f"{DOMAIN}/{self.blueprint.name}.yaml"
        pool = {"pool": self.device().id}
        filled = {**pool, **self.blueprint.inputs, **inputs}
        filled = {name: value for name, value in filled.items() if value is not None}
        made = {"path": path, "input": filled}
        return {"id": "pool", "alias": "Pool", "use_blueprint": made}

    async def _begin(self) -> None:
        await self.second()
        assert self.state_of(ALIAS).state == "on"

    async def _load(self, *rules: dict[str, Any]) -> None:
        """Load all automations anew, which ends what they waited for."""
        loaded = {AUTOMATION: [*rules]}
        with patch("homeassistant.config.load_yaml_config_file", return_value=loaded):
            await self.hass.services.async_call(AUTOMATION, "reload", blocking=True)

    async def edit(self, **inputs: Any) -> None:
        """Change inputs of the automation; the others are the usual ones."""
        self._rule = self._made(inputs)
        await self._load(self._rule)
        await self._begin()

    async def start_anew(
        self,
        ran: timedelta | None = None,
        meanwhile: tuple[Happening, Until] | None = None,
        seconds: float = 1,
    ) -> None:
        """Start Home Assistant anew, after something happened while it was off.

        `ran` is how long ago the automation ran, if it is not what it really did. It
        takes some seconds from the set-up of the controllers to the automation.
        """
        await self._load()
        await self.unload()
        if meanwhile:
            await self.happens(*meanwhile)
        if ran is not None:
            then = (dt_util.utcnow() - ran).isoformat()
            state = State(ALIAS, "on", {"last_triggered": then})
            stored = StoredState(state, None, dt_util.utcnow())
            restored = async_get(self.hass)
            await restored.store.async_save([stored.as_dict()])
            await restored.async_load()
        self.hass.set_state(CoreState.not_running)
        entries = self.hass.config_entries
        self.hass.async_create_task(entries.async_setup(self.entry.entry_id))
        await self.wait(seconds=seconds)
        await self._load(self._rule)
        await self.hass.async_start()
        await self._begin()

    async def second(self) -> None:
        """Let a second pass, in which no poll is due."""
        await self._quiet()
        await self._pass(1)

    async def wait(self, minutes: float = 0, seconds: float = 0) -> None:
        """Let time pass, for the pools at most a minute in a step: more is slow.

        The waits of the automation go on meanwhile: `advance` and `settle` would wait
        for their end.
        """
        await self._quiet()  # or requests sent just now would time out
        for each in _steps(minutes * 60 + seconds, self.blueprint.fine):
            await self._pass(each)

    async def _pass(self, seconds: float) -> None:
        if seconds > POLL and self._commanded:
            await self._pass(POLL)  # a leap would end it unread
            seconds -= POLL
        self.freezer.tick(seconds)
        self.clock.advance(min(seconds, 60))
        fire_timers(self.hass)
        await self._quiet()

    @property
    def _commanded(self) -> bool:
        """Whether a command was sent just now, and may wait to be read back."""
        runs = getattr(self.entry, "runtime_data", None)
        found = runs.controllers.values() if runs else ()
        ats = [each.controller.live.commanded_at for each in found]
        return any(at is not None and monotonic() - at < POLL for at in ats)

    async def _quiet(self) -> None:
        """Wait until only tasks that wait for a later time of Home Assistant are left.

        Meanwhile the service's time moves on to its work that is due within `PATIENCE`.
        """
        loop = self.hass.loop
        assert isinstance(loop, LeapingLoop)
        await loop.idle()
        while (seconds := self.clock.next_in) is not None and seconds <= PATIENCE:
            self.clock.advance(seconds)
            await loop.idle()

    @override
    async def act(
        self,
        action: str,
        key: str,
        *,
        domain: str = "switch",
        of: Controller | None = None,
        **data: Any,
    ) -> None:
        """Perform an action on an entity, as a user does; time goes on meanwhile."""
        done = asyncio.create_task(
            super().act(action, key, domain=domain, of=of, **data)
        )
        while not done.done():
            await self.second()
        await done

    async def happens(self, happening: Happening, until: Until) -> None:
        """Let something happen, and then time pass."""
        if (done := happening(self)) is not None:
            await done
        if isinstance(until, str):
            hour, minute = map(int, until.split(":"))
            now = dt_util.now()
            then = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
            left = (then - now) % timedelta(days=1)
            until = POLL / 60 * ceil(left.total_seconds() / POLL)
        await self.wait(until)

    async def lives(self, story: Story) -> None:
        """Let a story happen, and check what is shown after each step."""
        for number, (happening, until, expected) in enumerate(story):
            await self.happens(happening, until)
            shown = self.blueprint.shows(self)
            assert shown == expected, f"{self.story}, step {number}"

    def waits(self) -> bool:
        """Whether the automation waits for something."""
        return bool(self.state_of(ALIAS).attributes["current"])

    async def leave(self) -> None:
        """End the waits of the automation."""
        if self.hass.services.has_service(AUTOMATION, "reload"):
            await self._load()


type Happening = Callable[[House], Awaitable[object] | None]
type Act = Callable[[House], Awaitable[object]]
type Until = float | str
"""Minutes, or the next local time, as "23:01"."""
type Step = tuple[Happening, Until, Any]
"""Something that happens, how long it lasts, and what is shown then."""
type Story = tuple[Step, ...]


def passes(house: House) -> None:
    """Nothing happens; time passes."""


class Never(str):
    """The reason why a blueprint has nothing to expect."""

    __slots__ = ()


AS_USUAL: Final = None
"""What is shown if nothing else was said."""


class Change(NamedTuple):
    """What makes an automation start or stop."""

    does: Happening
    not_yet: Until | None
    """When it has no effect yet."""
    until: Until
    """When it has its effect."""


class ByHand(NamedTuple):
    """What a person does, and what is shown then while the automation acts and after."""

    does: Happening
    acts: Any
    stopped: Any


@dataclass(frozen=True, kw_only=True)
class Blueprint:
    """What a blueprint does, and what is right in each case of `test_stories.py`."""

    name: str
    platforms: tuple[Platform, ...]
    begins: str = "2026-11-18 12:00:00-08:00"
    full: bool = False
    """Whether its pool is the fully equipped one."""
    prepare: Callable[[House], None]
    furnish: Happening = passes
    """What is chosen once Home Assistant has the pool."""
    inputs: Mapping[str, Any]
    """What a user fills in; the ID of the device is added. `None` is the default."""
    fine: int = 2
    """How many minutes pass one by one before something is checked."""
    shows: Callable[[House], Any]
    """Return what is compared: what its equipment does, or what it has sent meanwhile."""

    starts: Change
    stops: Change
    rests: Any
    acts: Any
    """What is shown while it is at rest, and once it has started."""
    goes_on: Any = AS_USUAL
    """What is shown while it goes on acting, by default the same."""
    stopped: Any = AS_USUAL
    """What is shown when it stops, by default what is shown at rest."""

    on_by_hand: ByHand | Never
    """What a person does before it starts."""
    off_by_hand: ByHand | Never
    """What a person does while it acts."""
    given_back: Happening = passes
    """How a person undoes either."""
    remembers: timedelta | None = None
    """How long ago it may have run to stop what it started before a restart."""
    forgets: timedelta | None = None
    """How long ago it has run to leave that on, as if a person had switched it on."""

    # What is shown in the end, by default as if nothing had come between
    start_missed: Any = AS_USUAL
    """if Home Assistant was off when it should have started"""
    stop_missed: Any = AS_USUAL
    """if Home Assistant was off when it should have stopped"""
    stops_after_restart: Any = AS_USUAL
    """if Home Assistant started anew meanwhile"""
    away_at_start: Any = AS_USUAL
    """if the controller did not answer when it should have started"""
    away_at_stop: Any = AS_USUAL
    """if the controller did not answer when it should have stopped"""
    cloud_only: tuple[Happening, Any] | Never
    """What happens first, and what is shown after a start without the local network."""
    own: Mapping[str, Story]
    """Stories of this blueprint alone."""


# What may happen in any home


def refuses(house: House) -> None:
    house.controller.faults.on("decline")


def another_edited(house: House) -> None:
    """Another automation is edited: Home Assistant loads only that one anew."""
    house.hass.bus.async_fire("automation_reloaded")


def by_hand(action: str, key: str = "pump", **data: Any) -> Act:
    return lambda house: house.act(action, key, **data)


def shows(entity_id: str, value: object, **attributes: Any) -> Happening:
    """Let an entity that is not ours show a value."""
    return lambda house: house.hass.states.async_set(entity_id, str(value), attributes)


def water(**readings: float) -> Happening:
    """Let the water and the air have these readings."""

    def change(house: House) -> None:
        for name, value in readings.items():
            setattr(house.pool.water, name, value)

    return change


def check(read: Callable[[House], object], expected: object) -> Happening:
    """Check something else than what the blueprint shows."""

    def happens(house: House) -> None:
        assert read(house) == expected

    return happens


def edited(**inputs: Any) -> Happening:
    return lambda house: house.edit(**inputs)


def restarted(**ran: float) -> Happening:
    """Home Assistant starts anew; the automation ran that long ago."""
    return lambda house: house.start_anew(timedelta(**ran))


def run_by_hand(house: House) -> Awaitable[object]:
    return house.hass.services.async_call(AUTOMATION, "trigger", {"entity_id": ALIAS})
