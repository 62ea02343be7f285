"""A home with the simulated pools and an automation made from a blueprint."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path
from types import CodeType
from typing import Any, Final, override

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.components.blueprint.models import DomainBlueprints
from homeassistant.core import CoreState, HomeAssistant, ServiceCall, State
from homeassistant.helpers.restore_state import StoredState, async_get
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from jinja2 import Environment
import pytest
from pytest_homeassistant_custom_component.common import async_mock_service

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home
from tests.world.assistant.service import Service
from tests.world.assistant.timers import fire_timers
from tests.world.loops import LeapingLoop
from tests.world.simulator import Controller, Pool
from tests.world.simulator.pool import SPA_HEATER

BLUEPRINTS: Final = Path(__file__).parents[3] / "blueprints"
ALIAS: Final = "automation.pool"
POLL, MINUTE, HOUR = 15, 60, 3600
PATIENCE: Final = 2.5
"""Seconds; longer work of the service goes on only when a test lets time pass."""


TELL: Final = [
    {
        "action": "test.tell",
        "data": {
            "title": "{{ title }}",
            "message": "{{ message }}",
            "data": {"actions": "{{ buttons | default }}"},
        },
    }
]
"""Actions that notify; a test reads them in `told`."""


def rule(name: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of an automation made from a blueprint."""
    return {
        "id": "pool",
        "alias": "Pool",
        "use_blueprint": {"path": f"{DOMAIN}/{name}.yaml", "input": inputs},
    }


def _steps(seconds: float, step: float | None) -> list[float]:
    """Return the lengths of the steps in which time passes.

    Without `step`, the first one is a poll, which reads what the test changed. The last
    five minutes, before the test checks, are minutes and polls. Nothing is done between
    the two: hours pass at once.
    """
    if step is not None:
        return [step] * round(seconds / step)
    polls = round(seconds / POLL)
    if polls <= MINUTE / POLL:
        return [POLL] * polls
    minutes, left = divmod(polls * POLL - MINUTE, MINUTE)
    left += max(0, minutes - 4) * MINUTE
    hours, rest = divmod(left, HOUR)
    return [
        POLL,
        *[HOUR] * hours,
        *[rest] * (rest > 0),
        *[MINUTE] * min(minutes, 4),
        *[POLL] * 3,
    ]


class House(Home):
    """A home in which time stands still, unless a test waits."""

    async def automate(self, name: str, **inputs: Any) -> None:
        """Set up an automation made from a blueprint."""
        config = {AUTOMATION: [rule(name, inputs)]}
        assert await async_setup_component(self.hass, AUTOMATION, config)
        await self.wait(seconds=1, step=1)
        assert self.state_of(ALIAS).state == "on"

    async def start_anew(self, name: str, last_run: timedelta, **inputs: Any) -> None:
        """Start Home Assistant with an automation that ran some time ago."""
        attributes = {"last_triggered": (dt_util.utcnow() - last_run).isoformat()}
        self.hass.set_state(CoreState.not_running)
        stored = StoredState(State(ALIAS, "on", attributes), None, dt_util.utcnow())
        restored = async_get(self.hass)
        await restored.store.async_save([stored.as_dict()])
        await restored.async_load()
        await self.automate(name, **inputs)
        await self.hass.async_start()
        await self.wait(seconds=1, step=1)

    async def wait(
        self, minutes: float = 0, seconds: float = 0, step: float | None = None
    ) -> None:
        """Let time pass, for the pools at most a minute in a step: more is slow.

        The waits of the automation go on meanwhile: `advance` and `settle` would wait
        for their end.
        """
        await self._quiet()  # or requests sent just now would time out
        for each in _steps(minutes * 60 + seconds, step):
            self.freezer.tick(each)
            self.clock.advance(min(each, 60))
            fire_timers(self.hass)
            await self._quiet()

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
            await self.wait(seconds=1, step=1)
        await done

    @property
    def waiting(self) -> bool:
        """Whether the automation waits for something."""
        return bool(self.state_of(ALIAS).attributes["current"])

    async def leave(self) -> None:
        """End the waits of the automation."""
        if self.hass.services.has_service(AUTOMATION, "turn_off"):
            await self.hass.services.async_call(
                AUTOMATION, "turn_off", {"entity_id": "all"}, blocking=True
            )


_CODES: Final[dict[object, CodeType]] = {}
_compile = Environment.compile


def _compile_once(environment: Environment, source: str) -> CodeType:
    """Compile a template once for equal environments, not in every home anew."""
    key = source, frozenset(environment.filters), frozenset(environment.tests)
    if key not in _CODES:
        _CODES[key] = _compile(environment, source)
    return _CODES[key]


@pytest.fixture(autouse=True)
def templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep compiled templates between tests: compiling takes a tenth of the time."""
    monkeypatch.setattr(Environment, "compile", _compile_once)


@pytest.fixture
def told(hass: HomeAssistant) -> list[ServiceCall]:
    """Return the notifications that are sent."""
    calls: list[ServiceCall] = async_mock_service(hass, "test", "tell")
    return calls


@pytest.fixture
async def home(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncGenerator[House]:
    """Return a home whose Home Assistant reads blueprints from `BLUEPRINTS`."""
    folder = property(lambda blueprints: BLUEPRINTS / blueprints.domain)
    monkeypatch.setattr(DomainBlueprints, "blueprint_folder", folder)
    found = House(hass, service, request)
    yield found
    await found.leave()


@pytest.fixture
def pool(service: Service) -> Pool:
    """Return the small pool in autumn, whose pump has no schedule and is off."""
    found = service.small.pool
    found.schedules[0].enabled = False
    found.water.ambient = 8.0
    service.clock.advance(300)
    found.update()
    assert not found.pump.running
    return found


@pytest.fixture
def house(pool: Pool, small: House) -> House:
    """Return the home of this pool."""
    return small


async def by_hand(house: House, action: str, key: str = "pump", **data: Any) -> None:
    """Perform an action, by default on the pump's switch, as a user does."""
    await house.act(action, key, **data)
    await house.wait(seconds=30)


def pump_is(house: House) -> str:
    """Return `on` or `off`, after `held` if the small pool's pump is held by hand."""
    held = "held " if house.pool.slots[0].held else ""
    return held + ("on" if house.pool.pump.running else "off")


def spa_heats(pool: Pool) -> bool:
    """Return whether the spa's heater may run."""
    return bool(int(pool.settings["heating"]) & SPA_HEATER)
