"""A simulated week of two pools: faults come and go while a user operates them."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from random import Random
import re
import time
from typing import Final, override

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    SOURCE_ZEROCONF,
    ConfigEntry,
    ConfigEntryChange,
    ConfigEntryState,
)
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import Event, State, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo

from custom_components.poolctl.client.pool.queries import QUERIES
from custom_components.poolctl.const import DOMAIN
from tests.world.names import Names
from tests.world.simulator import Cloud, Controller
from tests.world.simulator.faults import Faults
from tests.world.simulator.odd_replies import ODD
from tests.world.simulator.visitors import Announcement

from .engine import HOUR, MINUTE, SEED, Run

LAN_FAULTS: Final = (
    *("refuse", "reset", "hang", "slow_headers", "busy", "redirect", "html"),
    *("garbage", "oversized", "close_mid_body", "truncated_frame", "bad_tag"),
    *("wrong_key", "replay", "no_config", "decline", "ignore_writes"),
)
# Without `unauthorized` and `revoked`: after those, a user must sign in again.
CLOUD_FAULTS: Final = (
    *("refuse", "hang", "error_500", "error_503", "token_5xx", "rate_limited"),
    *("html", "truncated_json", "wrong_types", "failed", "empty", "no_body"),
)
NAMES: Final = [query.name for query in QUERIES]
WRITTEN_BACK: Final = "chemistryCard", "scheduleInfo"
"""Reads of the cloud from which commands are built."""
type Work = Coroutine[None, None, None]
HOME, CLOUD = "home", "cloud"
"""Places of trouble; the others are the device IDs of the controllers."""
LENGTHS: Final = (10.0, 40.0, 100.0, 5 * MINUTE, 20 * MINUTE, 2 * HOUR)
"""Durations of faults in seconds, give or take half."""
ABSENCES: Final = (MINUTE, 20 * MINUTE, 2 * HOUR, 8 * HOUR, 30 * HOUR)
"""Longest durations in seconds for which Home Assistant is off, give or take half."""
RECOVERY: Final = 14 * MINUTE
"""Seconds after the last trouble from which on everything must work: a controller that
moved unannounced is searched for every 5 minutes, and false announcements of it, eight
at most, take a minute each."""
KEY_RECOVERY: Final = 1.2 * HOUR
"""Seconds for which the cloud must work until a rotated key is in use: it is fetched at
most once an hour, and every five minutes while the cloud does not answer."""
LISTED_ONLY: Final = re.compile(r"_schedule_1[89](_|$)")
"""Keys of schedules that do not exist, but that the firmware lists for a while."""
FOUND: Final = 8 * MINUTE
"""Seconds until a new address is tried again if another client signed meanwhile. While
another client's clock is ahead, no address can be proven (network/proof.py)."""


@dataclass(eq=False)
class Week(Run):
    """The week of troubles."""

    lan: Names
    everywhere: list[Callable[[], Work]] = field(default_factory=list)
    """Further tasks that run once, in addition to the troubles here."""
    at_each: list[Callable[[Controller], Work]] = field(default_factory=list)
    """Further tasks that run for each controller."""
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _chances: dict[str, Random] = field(default_factory=dict)
    _end: float = 0.0
    _troubles: Counter[str] = field(default_factory=Counter)
    _counted: Counter[str] = field(default_factory=Counter)
    """Highest counter of the messages of a controller before it restarted."""
    _calm_since: dict[str, float] = field(default_factory=dict)

    @override
    def __post_init__(self) -> None:
        super().__post_init__()
        self.hass.bus.async_listen(er.EVENT_ENTITY_REGISTRY_UPDATED, self._registry)
        async_dispatcher_connect(
            self.hass, SIGNAL_CONFIG_ENTRY_CHANGED, self._entry_changed
        )

    @callback
    def _registry(self, event: Event[er.EventEntityRegistryUpdatedData]) -> None:
        """Note a removed entity: nothing is ever unplugged here, so none may go."""
        if event.data["action"] != "remove":
            return
        entity_id = event.data["entity_id"]
        removed = er.async_get(self.hass).deleted_entities.values()
        keys = [each.unique_id for each in removed if each.entity_id == entity_id]
        if not any(map(LISTED_ONLY.search, keys)):
            self.note(f"{entity_id} {keys} was removed")

    @callback
    def _entry_changed(self, change: ConfigEntryChange, entry: ConfigEntry) -> None:
        """Expect no log line about a recovered connection after a reload."""
        if entry.state is ConfigEntryState.SETUP_IN_PROGRESS:
            self.watch.started_anew()

    @property
    def cloud(self) -> Cloud:
        return self.service.cloud

    @property
    def controllers(self) -> list[Controller]:
        return self.service.controllers

    async def live(self, seconds: float) -> None:
        """Run everything for some seconds; at the end every trouble is over."""
        self._end = time.monotonic() + seconds
        everywhere = (
            *(self._cloud_trouble, self._tokens, self._swaps, self._reloads),
            *(self._absences, *self.everywhere),
        )
        each = (
            *(self._lan_trouble, self._flapping, self._restarts, self._moves),
            *(self._new_keys, self._cloud_link, self._odd_values),
            *self.at_each,
        )
        async with asyncio.TaskGroup() as tasks:
            for number, task in enumerate(everywhere):
                tasks.create_task(task(), name=f"everywhere {number}")
            for controller in self.controllers:
                for number, one in enumerate(each):
                    name = f"{controller.device_id} {number}"
                    tasks.create_task(one(controller), name=name)
        await asyncio.sleep(KEY_RECOVERY)
        self.forget()

    def forget(self) -> None:
        """Empty the simulator's own records, which are not read here."""
        self.cloud.requests.clear()
        for controller in self.controllers:
            controller.requests.clear()
            self.cloud.pipeline(controller).commands.clear()

    def shown(self, controller: Controller) -> list[tuple[er.RegistryEntry, State]]:
        """Return the entities of a controller that are available."""
        registry, entry_id = er.async_get(self.hass), self.entry.entry_id
        return [
            (entity, state)
            for entity in er.async_entries_for_config_entry(registry, entry_id)
            if entity.unique_id.startswith(controller.device_id)
            and (state := self.hass.states.get(entity.entity_id)) is not None
            and state.state != STATE_UNAVAILABLE
        ]

    # --- Time and trouble ---

    @property
    def over(self) -> bool:
        """Whether every trouble has to be over."""
        return time.monotonic() >= self._end

    @property
    def random(self) -> Random:
        """Random numbers of the present task, which other tasks do not influence."""
        task = asyncio.current_task()
        name = task.get_name() if task else ""
        return self._chances.setdefault(name, Random(f"{SEED} {name}"))

    async def pause(self, mean: float) -> bool:
        """Wait for a random time; return whether there is time left."""
        await self.sleep(self.random.expovariate(1 / mean))
        self.forget()
        return not self.over

    async def sleep(self, seconds: float) -> None:
        """Wait, but not beyond the end."""
        left = self._end - time.monotonic()
        await asyncio.sleep(max(0.0, min(seconds, left)))

    def length(self) -> float:
        """Return a random duration of a trouble in seconds."""
        return self.random.choice(LENGTHS) * self.random.uniform(0.5, 1.5)

    @contextmanager
    def trouble(self, where: str, what: str) -> Generator[None]:
        """Count a trouble at a place: it need not work then and for a while after."""
        self.counts[what] += 1
        self._troubles[where] += 1
        try:
            yield
        finally:
            self._troubles[where] -= 1
            self._calm_since[where] = time.monotonic()

    def trouble_free(self, since: float, *places: str) -> bool:
        """Return whether some places had to work from a moment on until now."""
        return not any(
            self._troubles[where]
            or since < self._calm_since.get(where, -RECOVERY) + RECOVERY
            for where in places
        )

    # --- Troubles ---

    async def _suffer(self, where: str, faults: Faults, fault: str) -> None:
        path = "cloud" if where == CLOUD else "lan"
        with self.trouble(where, f"{path} {fault}"):
            faults.on(fault)
            await self.sleep(self.length())
            faults.off(fault)

    async def _lan_trouble(self, controller: Controller) -> None:
        while await self.pause(50 * MINUTE):
            fault = self.random.choice(LAN_FAULTS)
            await self._suffer(controller.device_id, controller.faults, fault)

    async def _cloud_trouble(self) -> None:
        while await self.pause(50 * MINUTE):
            fault = self.random.choice(CLOUD_FAULTS)
            await self._suffer(CLOUD, self.cloud.faults, fault)

    async def _flapping(self, controller: Controller) -> None:
        """Lose the LAN every other poll."""
        while await self.pause(12 * HOUR):
            with self.trouble(controller.device_id, "lan flapping"):
                for _ in range(10):
                    controller.faults.on("reset")
                    await self.sleep(self.random.uniform(10, 40))
                    controller.faults.off("reset")
                    await self.sleep(15)

    async def _cloud_link(self, controller: Controller) -> None:
        """Cut the controller from its cloud, which then waits for it in vain."""
        while await self.pause(8 * HOUR):
            with self.trouble(controller.device_id, "controller offline"):
                controller.cloud_link = False
                await self.sleep(self.length())
                controller.cloud_link = True

    async def _tokens(self) -> None:
        while await self.pause(10 * HOUR):
            self.counts["tokens expired"] += 1
            self.cloud.expire_tokens()

    async def _restarts(self, controller: Controller) -> None:
        while await self.pause(9 * HOUR):
            with self.trouble(controller.device_id, "restart"):
                self.restart(controller)
                await self.sleep(MINUTE)

    async def _new_keys(self, controller: Controller) -> None:
        while await self.pause(30 * HOUR):
            with self.trouble(controller.device_id, "new key"):
                controller.rotate_key(self.random.randbytes(16))
                # The end of the week does not cut this short: it waits as long itself.
                await self._works_for(KEY_RECOVERY, lambda: not self._troubles[CLOUD])

    async def _moves(self, controller: Controller) -> None:
        while await self.pause(10 * HOUR):
            with self.trouble(controller.device_id, "new address"):
                await self._move(controller, self._free_host())
                await self._may_be_found(controller)

    async def _swaps(self) -> None:
        """Let the two controllers exchange their addresses."""
        while await self.pause(20 * HOUR):
            one, other = self.controllers
            with (
                self.trouble(one.device_id, "swapped addresses"),
                self.trouble(other.device_id, "swapped addresses"),
            ):
                first, second = one.host, other.host
                await self._move(one, self._free_host())
                await self._move(other, first)
                await self._move(one, second)
                await self._may_be_found(one, other)

    async def _may_be_found(self, *moved: Controller) -> None:
        """Announce controllers after a while, and wait until each can be found."""
        await self.sleep(self.length())
        for controller in moved:
            if self.random.random() > 0.3:  # Home Assistant misses some announcements
                await self.hear(Announcement.of(controller))

        def takes_ours() -> bool:
            now = self.service.clock.time()
            return self.over or all(each.accepted_counter <= now for each in moved)

        await self._works_for(FOUND, takes_ours)

    async def _works_for(self, seconds: float, works: Callable[[], bool]) -> None:
        """Wait until something has worked for some seconds in total."""
        while seconds > 0:
            await asyncio.sleep(MINUTE)
            if works():
                seconds -= MINUTE

    def _free_host(self) -> str:
        taken = {controller.host for controller in self.controllers}
        while (host := f"127.0.1.{self.random.randint(1, 250)}") in taken:
            pass
        return host

    def _most(self, controller: Controller) -> int:
        """Return the highest counter of a controller's messages so far."""
        return max(controller.counter, self._counted[controller.device_id])

    def restart(self, controller: Controller) -> None:
        """Restart a controller; one that is being searched for counts on."""
        most = self._counted[controller.device_id] = self._most(controller)
        stored = self.entry.data["controllers"][controller.device_id]["host"]
        controller.restart(0 if stored == controller.host else most)

    async def _move(self, controller: Controller, host: str) -> None:
        """Change its address; a new counter with it is not found (docs/limits.md)."""
        controller.counter = self._most(controller)
        await controller.move(host, controller.port)
        self.lan.addresses[controller.hostname] = host

    async def hear(self, announced: Announcement) -> None:
        """Let Home Assistant hear an announcement, true or not."""
        kind, host = "_ctrl._tcp.local.", ip_address(announced.host)
        await self.hass.config_entries.flow.async_init(
            DOMAIN,
            context={"source": SOURCE_ZEROCONF},
            data=ZeroconfServiceInfo(
                ip_address=host,
                ip_addresses=[host],
                port=announced.port,
                hostname=announced.hostname,
                type=kind,
                name=f"{announced.name}.{kind}",
                properties=announced.text,
            ),
        )

    async def _reloads(self) -> None:
        while await self.pause(16 * HOUR):
            async with self._starting:
                with self.trouble(HOME, "reload"):
                    await self.hass.config_entries.async_unload(self.entry.entry_id)
                    await self.hass.config_entries.async_setup(self.entry.entry_id)
                    await self.sleep(MINUTE)

    async def _absences(self) -> None:
        """Stop Home Assistant, and start it later, also while the service is away."""
        while await self.pause(20 * HOUR):
            async with self._starting:
                with self.trouble(HOME, "Home Assistant off"):
                    await self.stop()
                    absent = self.random.choice(ABSENCES)
                    await self.sleep(absent * self.random.uniform(0.5, 1))
                    if self.random.random() < 0.5:
                        with self.trouble(CLOUD, "start without internet"):
                            self.cloud.faults.on("refuse")
                            await self.start()
                            await self.sleep(self.length())
                            self.cloud.faults.off("refuse")
                    else:
                        await self.start()
                        await self.sleep(MINUTE)

    async def _odd_values(self, controller: Controller) -> None:
        """Let a frame or a reply be odd: nothing that lasts may follow.

        It is so once, or twice with a good one between.
        """
        while await self.pause(15 * MINUTE):
            odd = self.random.choice([*ODD])
            faults, fault, at = self.random.choice(
                [
                    (controller.faults, "odd_value", ()),
                    (controller.faults, odd, self.random.sample(NAMES, 1)),
                    (self.cloud.faults, odd, WRITTEN_BACK),
                ]
            )
            self.counts[fault] += 1
            for _ in range(self.random.randint(1, 2)):
                faults.once(fault, 1, *at)
                await self.sleep(40)
                faults.off(fault)  # nobody may have asked
                await self.sleep(20)
