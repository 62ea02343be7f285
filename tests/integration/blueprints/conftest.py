"""A house with the simulated pools, in which an automation out of a blueprint lives."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import timedelta
import os
from pathlib import Path
import time
from typing import Any, Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.components.blueprint.models import DomainBlueprints
from homeassistant.core import CoreState, HomeAssistant, State
from homeassistant.helpers.restore_state import StoredState, async_get
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.poolctl.const import DOMAIN
from tests.integration.conftest import Service, entity_id
from tests.simulator import Controller

# Before anybody freezes time.
_REAL_SLEEP = time.sleep

BLUEPRINTS: Final = Path(
    os.environ.get("POOLCTL_BLUEPRINTS", Path(__file__).parents[3] / "blueprints")
)
"""Ours, or the changed ones that scripts/mutate puts in their place."""
ALIAS: Final = "automation.pool"


def rule(name: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of an automation out of a blueprint."""
    return {
        "id": "pool",
        "alias": "Pool",
        "use_blueprint": {"path": f"{DOMAIN}/{name}.yaml", "input": inputs},
    }


@dataclass
class House:
    """Time stands still in it, unless a test waits."""

    hass: HomeAssistant
    service: Service
    freezer: FrozenDateTimeFactory

    async def automate(self, name: str, **inputs: Any) -> None:
        """Set up an automation out of a blueprint."""
        config = {AUTOMATION: [rule(name, inputs)]}
        assert await async_setup_component(self.hass, AUTOMATION, config)
        await self.wait(seconds=1, step=1)
        assert self.state(ALIAS).state == "on"

    async def start_anew(self, name: str, last_run: timedelta, **inputs: Any) -> None:
        """Start Home Assistant with an automation that ran some time ago."""
        attributes = {"last_triggered": (dt_util.utcnow() - last_run).isoformat()}
        self.hass.set_state(CoreState.not_running)
        remembered = StoredState(State(ALIAS, "on", attributes), None, dt_util.utcnow())
        async_get(self.hass).last_states[ALIAS] = remembered
        await self.automate(name, **inputs)
        await self.hass.async_start()
        await self.wait(seconds=1, step=1)

    async def wait(
        self, minutes: float = 0, seconds: float = 0, step: float = 15
    ) -> None:
        """Let time pass, for the pools at most a minute in a step: more is slow.

        What the automation waits for keeps waiting: `advance` and `settle` would wait
        for it.
        """
        waiting = self._tasks
        await self._quiet(waiting)  # or what was asked just now would time out
        for _ in range(round((minutes * 60 + seconds) / step)):
            self.freezer.tick(step)
            self.service.clock.advance(min(step, 60))
            async_fire_time_changed(self.hass)
            await self._quiet(waiting)
            waiting = self._tasks

    async def _quiet(self, waiting: set[asyncio.Future[Any]]) -> None:
        """Wait until requests are answered, and all but what waited before is done.

        What begins to wait now is not told from what is busy: it gets a tenth of a second.
        """
        for moment in range(1000):
            await self.hass.loop.run_in_executor(None, _REAL_SLEEP, 0.002)
            self.service.clock.advance(0.05)  # the cloud takes its time
            if not self._requested and (self._tasks <= waiting or moment > 50):
                break

    @property
    def _tasks(self) -> set[asyncio.Future[Any]]:
        """What Home Assistant is doing."""
        return self.hass._tasks | self.hass._background_tasks

    @property
    def _requested(self) -> bool:
        """Whether a request to a controller is under way."""
        return any(
            coordinator.controller.lan is not None
            and coordinator.controller.lan._turns._taken
            for entry in self.hass.config_entries.async_loaded_entries(DOMAIN)
            for coordinator in entry.runtime_data.controllers.values()
        )

    async def act(
        self, action: str, controller: Controller, key: str, domain: str = "switch"
    ) -> None:
        """Do what a person does with an entity."""
        service, _, name = action.rpartition(".")
        target = {"entity_id": entity_id(self.hass, domain, controller, key)}
        done = self.hass.async_create_task(
            self.hass.services.async_call(
                service or domain, name, target, blocking=True
            )
        )
        while not done.done():
            await self.wait(seconds=1, step=1)
        await done

    def state(self, entity: str) -> State:
        """Return the state of an entity."""
        state = self.hass.states.get(entity)
        assert state is not None, entity
        return state

    @property
    def waiting(self) -> bool:
        """Whether the automation waits for something."""
        return bool(self.state(ALIAS).attributes["current"])

    async def leave(self) -> None:
        """End what the automation still waits for."""
        if self.hass.services.has_service(AUTOMATION, "turn_off"):
            await self.hass.services.async_call(
                AUTOMATION, "turn_off", {"entity_id": "all"}, blocking=True
            )


@pytest.fixture
async def house(
    hass: HomeAssistant,
    service: Service,
    freezer: FrozenDateTimeFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncGenerator[House]:
    """Return a house whose Home Assistant finds our blueprints where they are."""
    folder = property(lambda blueprints: BLUEPRINTS / blueprints.domain)
    monkeypatch.setattr(DomainBlueprints, "blueprint_folder", folder)
    found = House(hass, service, freezer)
    yield found
    await found.leave()
