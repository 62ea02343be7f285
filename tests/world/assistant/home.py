"""A home for tests: Home Assistant, an account of the simulated service, and time."""

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from datetime import timedelta
import itertools
import time
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigFlowResult
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import (
    Context,
    Event,
    EventStateChangedData,
    HomeAssistant,
    State,
    callback,
)
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.store.memory import DATA_MEMORY, Memory
from tests.world.assistant.service import Service, record
from tests.world.assistant.timers import fire_timers
from tests.world.loops import LeapingLoop
from tests.world.simulator import Account, Clock, Cloud, Controller, Pool

MOST_SENT = 2
"""Most times that a declined command is sent: again only after a query has shown that
its counter was not the reason (unless that was shown just before)."""

# Taken before time is frozen.
_REAL_SLEEP = time.sleep


_SHORT, _LONG = 300, 3000
"""Turns of `settle` after which a task probably sleeps in frozen time; `_LONG` applies
while a thread works."""


class Home:
    """Home Assistant with an account, and the controller that is tested.

    Time is real, except with the fixture `freezer`: then it stands still from the
    start, as a clock must not change under a timer, and passes only when a test lets
    it (`advance` and similar methods). `of` selects another controller.
    """

    entry: MockConfigEntry
    """The entry that was set up last."""

    def __init__(
        self, hass: HomeAssistant, service: Service, request: pytest.FixtureRequest
    ) -> None:
        self.hass, self.service = hass, service
        self.controller = service.small
        self._request = request

    @property
    def pool(self) -> Pool:
        """The simulated pool, updated to the current time."""
        return self.controller.pool

    @property
    def cloud(self) -> Cloud:
        return self.service.cloud

    @property
    def account(self) -> Account:
        return self.service.account

    @property
    def clock(self) -> Clock:
        """The time of the service; Home Assistant's is `freezer`."""
        return self.service.clock

    # --- Time ---

    @property
    def freezer(self) -> FrozenDateTimeFactory:
        """Home Assistant's time."""
        assert "freezer" in self._request.fixturenames, "time is real in this test"
        found: FrozenDateTimeFactory = self._request.getfixturevalue("freezer")
        return found

    async def settle(self) -> None:
        """Wait until Home Assistant is idle; in frozen time, the service's goes on."""
        done = self.hass.async_create_task(
            self.hass.async_block_till_done(wait_background_tasks=True)
        )
        if not self._frozen and isinstance(self.hass.loop, LeapingLoop):
            await done  # the loop leaps over sleeps
            return
        for turn in itertools.count():
            if done.done():
                break
            # Home Assistant and the service run in this loop; only threads, which
            # read files, take real time.
            await (self.spin() if turn < 100 else self.moment())
            patience = _LONG if self._threads_work else _SHORT
            if turn > patience and self._frozen:
                self.freezer.tick(0.05)  # a task sleeps in frozen time
            self.clock.advance(0.05)

    @property
    def _frozen(self) -> bool:
        return "freezer" in self._request.fixturenames

    @property
    def _threads_work(self) -> bool:
        loop = self.hass.loop
        return not isinstance(loop, LeapingLoop) or loop.threads_work

    async def spin(self, turns: int = 10) -> None:
        """Let all tasks of this loop run, without any time passing."""
        for _ in range(turns):
            await asyncio.sleep(0)

    async def moment(self, seconds: float = 0.001) -> None:
        """Let real time pass, even while Home Assistant's time is frozen."""
        await self.hass.loop.run_in_executor(None, _REAL_SLEEP, seconds)

    async def advance(self, seconds: float, *, step: float | None = None) -> None:
        """Let Home Assistant's time pass in steps; due timers fire after each."""
        for part in _parts(seconds, step or seconds):
            self.freezer.tick(part)
            fire_timers(self.hass)
            await self.settle()

    async def live(self, seconds: float, *, step: float = 15) -> None:
        """Let time pass for the pools, too, by default in steps of one poll."""
        for part in _parts(seconds, step):
            self.clock.advance(part)
            await self.advance(part)

    async def pass_time(self, seconds: float, *, step: float = 1.0) -> None:
        """Let time pass here and in the service, without waiting for tasks to end.

        Unlike with `advance`, a request without an answer times out.
        """
        for part in _parts(seconds, step):
            self.freezer.tick(part)
            self.clock.advance(part)
            fire_timers(self.hass)
            await self.spin(40)
            await self.moment(0.002)

    async def finish(self, action: Coroutine[Any, Any, object]) -> None:
        """Let time pass until an action ends: it checks for its effect repeatedly."""
        task = self.hass.async_create_task(action)
        for _ in range(40):
            if task.done():
                break
            await self.pass_time(1)
        await task

    def go_to(self, weekday: int, hour: int, minute: int = 0) -> None:
        """Advance the service's clock to a weekday and time in the pool's time zone."""
        now = self.pool.local_time()
        there = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
        there += timedelta(days=(weekday - now.weekday()) % 7)
        if there <= now:
            there += timedelta(days=7)
        self.clock.advance((there - now).total_seconds())
        assert self.pool.local_time().weekday() == weekday

    # --- The account ---

    def own(self, *controllers: Controller) -> None:
        """Leave only these controllers in the account; the first one is tested."""
        self.account.sites = [
            site
            for site in self.account.sites
            if any(controller in site.controllers for controller in controllers)
        ]
        self.controller = controllers[0]

    async def set_up(
        self,
        *stored: Controller,
        options: dict[str, Any] | None = None,
        **data: Any,
    ) -> MockConfigEntry:
        """Add an entry that remembers these controllers, and start it.

        Other controllers are found in the cloud, and reached only through it.
        """
        entry = self.service.entry(*stored, options=options, **data)
        return await self.set_up_entry(entry)

    async def set_up_entry(self, entry: MockConfigEntry) -> MockConfigEntry:
        """Add any entry, and start it."""
        self.entry = entry
        entry.add_to_hass(self.hass)
        await self.start()
        return entry

    async def set_up_with(self, **changes: Any) -> MockConfigEntry:
        """Set up an entry whose record of the controller has these changes."""
        stored = record(self.controller, **changes)
        return await self.set_up(controllers={self.controller.device_id: stored})

    async def start(self) -> None:
        """Start the entry and wait for it."""
        entries = self.hass.config_entries
        self.hass.async_create_task(entries.async_setup(self.entry.entry_id))
        await self.settle()

    async def unload(self) -> None:
        assert await self.hass.config_entries.async_unload(self.entry.entry_id)

    async def restart(self) -> None:
        entries = self.hass.config_entries
        self.hass.async_create_task(entries.async_reload(self.entry.entry_id))
        await self.settle()

    async def shut_down(self) -> None:
        """Stop the entry, and write all that a stopping Home Assistant writes."""
        await self.unload()
        self.hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
        await self.hass.async_block_till_done()

    async def boot(self) -> None:
        """Start the entry in a Home Assistant that has only the written data."""
        self.hass.data.pop("poolctl_evidence", None)
        self.hass.data[DATA_MEMORY] = Memory(self.hass)
        await self.hass.data[DATA_MEMORY].async_load()
        await self.start()

    async def refresh(self) -> None:
        """Read the state of the controller now."""
        account = self.entry.runtime_data
        await account.controllers[self.controller.device_id].async_refresh()
        # New entities come one platform after the other.
        await self.spin(30)

    @property
    def stored(self) -> dict[str, Any]:
        """The entry's record of the controller."""
        found: dict[str, Any] = self.entry.data["controllers"][
            self.controller.device_id
        ]
        return found

    @property
    def flows(self) -> list[ConfigFlowResult]:
        """The flows that wait for a user: discoveries, and requests to sign in."""
        return self.hass.config_entries.flow.async_progress()

    async def answer(
        self, flow: ConfigFlowResult, data: dict[str, Any]
    ) -> ConfigFlowResult:
        """Submit the form of a flow; return its next step."""
        manager = self.hass.config_entries.flow
        return await manager.async_configure(flow["flow_id"], data)

    # --- What a user sees ---

    def device(self, of: Controller | None = None) -> dr.DeviceEntry:
        identifier = (DOMAIN, (of or self.controller).device_id)
        found = dr.async_get(self.hass).async_get_device_by_identifier(
            identifier, self.entry.entry_id
        )
        assert isinstance(found, dr.DeviceEntry)
        return found

    def entities(self) -> list[er.RegistryEntry]:
        """Return all entities of the entry, including disabled ones."""
        registry = er.async_get(self.hass)
        return er.async_entries_for_config_entry(registry, self.entry.entry_id)

    def entity_keys(self, domain: str | None = None) -> set[str]:
        """Return the keys of the controller's entities, of all domains or of one."""
        prefix = f"{self.controller.device_id}_"
        return {
            entity.unique_id.removeprefix(prefix)
            for entity in self.entities()
            if entity.unique_id.startswith(prefix) and domain in (None, entity.domain)
        }

    def registered(
        self, domain: str, key: str, of: Controller | None = None
    ) -> er.RegistryEntry | None:
        """Return the registry entry of an entity, if it exists."""
        registry = er.async_get(self.hass)
        unique_id = f"{(of or self.controller).device_id}_{key}"
        found = registry.async_get_entity_id(domain, DOMAIN, unique_id)
        return registry.async_get(found) if found else None

    def entity_id(self, domain: str, key: str, of: Controller | None = None) -> str:
        found = self.registered(domain, key, of)
        assert found is not None, f"no {domain} {key}"
        return found.entity_id

    def state(self, domain: str, key: str, of: Controller | None = None) -> State:
        """Return the state of an entity, with its attributes."""
        return self.state_of(self.entity_id(domain, key, of))

    def state_of(self, entity_id: str) -> State:
        found = self.hass.states.get(entity_id)
        assert found is not None, entity_id
        return found

    def value(self, domain: str, key: str, of: Controller | None = None) -> str:
        """Return the state of an entity without its attributes."""
        return self.state(domain, key, of).state

    @property
    def problems(self) -> set[str]:
        """The keys of what *Status* lists, notices too."""
        listed = self.state("sensor", "status").attributes["problems"]
        return {problem["key"] for problem in listed}

    @property
    def source(self) -> str:
        """State of the sensor *Connection*."""
        return self.value("sensor", "connection")

    def follow(self, domain: str, key: str) -> list[State]:
        """Return a list to which every state of an entity is added from now on."""
        return self.follow_entity(self.entity_id(domain, key))

    def follow_entity(self, entity_id: str) -> list[State]:
        """Return such a list for an entity that may not exist yet."""
        states: list[State] = []

        @callback
        def changed(event: Event[EventStateChangedData]) -> None:
            state = event.data["new_state"]
            if event.data["entity_id"] == entity_id and state is not None:
                states.append(state)

        self.hass.bus.async_listen("state_changed", changed)
        return states

    # --- What a user does ---

    async def act(
        self,
        action: str,
        key: str,
        *,
        domain: str = "switch",
        of: Controller | None = None,
        **data: Any,
    ) -> None:
        """Run an action on an entity; for our own actions, `domain` is the entity's."""
        kind, _, name = action.partition(".")
        entity_id = self.entity_id(domain if kind == DOMAIN else kind, key, of)
        target = {"entity_id": entity_id}
        await self.hass.services.async_call(kind, name, target | data, blocking=True)

    async def act_on_device(
        self,
        action: str,
        /,
        *,
        of: Controller | None = None,
        answers: bool = False,
        context: Context | None = None,
        **data: Any,
    ) -> Any:
        """Run one of our actions on the controller's device; return its response."""
        return await self.hass.services.async_call(
            DOMAIN,
            action,
            {"device_id": self.device(of).id, **data},
            blocking=True,
            context=context,
            return_response=answers,
        )

    async def act_on_calendar(
        self,
        action: str,
        /,
        *,
        of: Controller | None = None,
        answers: bool = False,
        context: Context | None = None,
        **data: Any,
    ) -> Any:
        """Run one of our actions on the calendar of schedules; return its response."""
        calendar = self.entity_id("calendar", "schedules", of)
        found = await self.hass.services.async_call(
            DOMAIN,
            action,
            {"entity_id": calendar, **data},
            blocking=True,
            context=context,
            return_response=answers,
        )
        return found[calendar] if found else None

    async def enable_all(self) -> None:
        """Enable the entities that are disabled by default, and reload."""
        registry = er.async_get(self.hass)
        for entity in self.entities():
            if entity.disabled_by is er.RegistryEntryDisabler.INTEGRATION:
                registry.async_update_entity(entity.entity_id, disabled_by=None)
        await self.restart()

    # --- Requests to the service ---

    @property
    def cloud_writes(self) -> list[str]:
        """The names of the writes that reached the cloud."""
        return [r.name for r in self.cloud.requests if r.method == "POST"]

    @property
    def actions(self) -> list[str]:
        """The names of the actions that reached the controller over the LAN."""
        return [r.name for r in self.controller.requests if r.op == "a"]

    def disconnect(self) -> None:
        """Let neither the controller on the LAN nor the cloud answer."""
        for faults in (self.controller.faults, self.cloud.faults):
            faults.on("refuse")

    def reconnect(self) -> None:
        """End every fault of both."""
        for faults in (self.controller.faults, self.cloud.faults):
            faults.clear()


def _parts(seconds: float, step: float) -> Generator[float]:
    """Yield steps that are as long as a time together: the last one may be shorter."""
    while seconds > 1e-6:
        yield (part := min(step, seconds))
        seconds -= part


@contextmanager
def failure(
    key: str, error: type[HomeAssistantError] = HomeAssistantError
) -> Generator[pytest.ExceptionInfo[HomeAssistantError]]:
    """Expect an error with a translation key; the translation must exist."""
    with pytest.raises(error) as caught:
        yield caught
    assert caught.value.translation_key == key
    assert str(caught.value) != key
