"""The store of all data that is kept across restarts of Home Assistant.

Each controller, and the home, has sections:

- `clock`: the trusted time of the home;
- `counters`: counters of our requests and of the controller's messages;
- `waits`: ends of the waits that the service asked for, by account;
- `equipment`, `learned`, and `requested` by users (controller.py);
- `problems`: since when problems exist; those of an account are stored by its entry.

Data is saved once in each period, of all controllers together, unless it is asked to
save at once.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
import logging
import time
from typing import Annotated, Final, NamedTuple

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util.hass_dict import HassKey

from ..client import MAX_RETRY_AFTER, Clock, Counters, Gate, Gates, InvalidCommandError
from ..client.bounds import Within
from ..client.codec import from_stored, to_stored
from ..client.wire import MAX_COUNTER
from ..const import DOMAIN
from ..private import NotingStore

_LOGGER = logging.getLogger(__name__)

PERIOD: Final = 600.0
"""Seconds between two saves: readings change with every poll, and each write wears out
memory cards. Six of them make an hour of Home Assistant's statistics."""
_LEAD: Final = 35.0
"""Seconds before the end of a period at which it is saved, so that the statistics of an
hour include what it saves of totals: the cloud is read every 30 s."""
_AHEAD: Final = 64
"""Number of counters that are stored as used before they are: after a crash amid many
commands, none is used twice. Each delays the controller's other clients by a second at
most, and only while our counter is ahead of the clock anyway."""
_RESTART: Final = 5
"""Seconds that Home Assistant needs at least to start again after a crash: a counter
that is ahead of the clock by less is in the past then."""
_HOME: Final = "home"
"""Owner of the clock."""


@dataclass(frozen=True, slots=True)
class _ClockTime:
    trusted: Annotated[float | None, Within(0, MAX_COUNTER)] = None


class _Ends(NamedTuple):
    """Ends of the waits of one controller, in Unix time."""

    all: float
    reads: float
    """End of the wait of published reads."""


@dataclass(frozen=True, slots=True)
class _Waits:
    ends: Mapping[str, _Ends] = field(default_factory=dict)
    """By controller."""


@dataclass(frozen=True, slots=True)
class _UsedCounters:
    counter: Annotated[int, Within(0, MAX_COUNTER)] = 0
    """A counter that no request exceeds before the next save."""
    frames: Annotated[int | None, Within(0, MAX_COUNTER)] = None


class Memory:
    """The stored data by subject (the ID of a controller or entry), then by section."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Prepare; `async_load` reads the store."""
        self._hass = hass
        self._store = NotingStore[dict[str, dict[str, object]]](hass, 1, DOMAIN)
        self.unread = False
        """Whether the store exists and cannot be read: it is left as it is."""
        self._stored: dict[str, dict[str, object]] = {}
        """Data as it was read; for sections in use, `_forms` has newer data."""
        self._forms: dict[str, dict[str, Callable[[], object]]] = defaultdict(dict)
        self._counters: dict[str, Counters] = {}
        self._gates: dict[str, Gates] = {}
        self._pending = False
        self._saving: asyncio.Task[None] | None = None
        """The newest save at once."""

    async def async_load(self) -> None:
        """Read the store; Home Assistant renames a corrupt file."""
        try:
            found: object = await self._store.async_load()
        except (
            HomeAssistantError,
            OSError,
            LookupError,
            TypeError,
            RuntimeError,
        ) as err:
            # Of another version, or a fault of the disk: a user decides about it.
            _LOGGER.warning("The store cannot be read (%s)", type(err).__name__)
            self._store.make_read_only()
            self.unread = True
            return
        if isinstance(found, dict):
            self._stored = {k: v for k, v in found.items() if isinstance(v, dict)}

    @cached_property
    def clock(self) -> Clock:
        """The trusted time of this home: one clock for all controllers."""
        clock = Clock(since=self.read(_HOME, "clock", _ClockTime).trusted)
        self.keep(_HOME, "clock", lambda: {"trusted": clock.time()})
        return clock

    @callback
    def counters(self, device_id: str) -> Counters:
        """Return the counters of a controller, always the same object.

        A controller accepts each counter of our signed requests only once. The counter
        is kept whatever our clock shows, because the controller keeps it, too. The
        newest counter of its frames shows that an older frame is a recording.
        """
        if (known := self._counters.get(device_id)) is not None:
            return known
        stored = self.read(device_id, "counters", _UsedCounters)
        reserved = 0

        def used() -> None:
            """Save the counters: at once before those that are stored as used run out.

            Only a counter ahead of the clock could be used again after a crash.
            """
            nonlocal reserved
            few_left = counters.last > reserved - _AHEAD // 2
            at_once = counters.ahead >= _RESTART and few_left
            if at_once:
                reserved = counters.last + _AHEAD
            self.save(at_once=at_once)

        def form() -> dict[str, object]:
            last = max(counters.last, reserved) if counters.ahead else counters.last
            return {"counter": last, "frames": counters.frames.newest}

        counters = Counters(stored.counter, clock=self.clock, used=used)
        if stored.frames is not None:
            counters.frames.accept(stored.frames)
        self._counters[device_id] = counters
        self.keep(device_id, "counters", form)
        return counters

    @callback
    def gates(self, account: str) -> Gates:
        """Return the limits of requests for an account, always the same object.

        A wait that the service asked for goes on over a reload and a restart. No clock
        makes it longer than a service can ask for.
        """
        if (known := self._gates.get(account)) is not None:
            return known
        clock, stored = self.clock, self.read(account, "waits", _Waits)

        def until(end: float) -> float:
            left = end - clock.time()
            return time.monotonic() + left if 0 < left <= MAX_RETRY_AFTER else 0.0

        def form() -> object:
            now = time.monotonic()
            since = clock.time() - now
            ends = {
                subject: _Ends(gate.busy_until + since, gate.read_busy_until + since)
                for subject, gate in gates.items()
                if gate.busy_until > now
            }
            return to_stored(_Waits(ends)) if ends else None

        gates: Gates = defaultdict(
            lambda: Gate(
                wait_began=lambda seconds: self.save(at_once=seconds > _RESTART)
            )
        )
        for subject, ends in stored.ends.items():
            gates[subject].busy_until = until(ends.all)
            gates[subject].read_busy_until = until(ends.reads)
        self._gates[account] = gates
        self.keep(account, "waits", form)
        return gates

    @callback
    def read[T](self, subject: str, section: str, kind: type[T]) -> T:
        """Return a section as a dataclass; a value that does not fit is its default."""
        return from_stored(kind, self.stored(subject, section))

    @callback
    def stored(self, subject: str, section: str) -> object:
        """Return the stored form of a section, `None` if there is none."""
        if form := self._forms[subject].get(section):
            return form()
        return self._stored.get(subject, {}).get(section)

    @callback
    def keep(self, subject: str, section: str, form: Callable[[], object]) -> None:
        """Store what `form` returns at each save, in JSON types."""
        self._forms[subject][section] = form

    @callback
    def forget(self, subject: str) -> None:
        """Drop a removed controller or entry; counters stay in case it comes back."""
        for sections in (self._forms[subject], self._stored.get(subject, {})):
            for name in sections.keys() - {"counters"}:
                sections.pop(name)
        self.save()

    @callback
    def save(self, *, at_once: bool = False) -> None:
        """Save everything, at the end of the period at the latest."""
        if at_once:
            saving = self._store.async_save(self._data())
            self._saving = self._hass.async_create_task(saving)
        elif not self._pending:
            # Only once: a request at the end of a period would postpone the save.
            self._pending = True
            delay = PERIOD - (self.clock.time() + _LEAD) % PERIOD
            self._store.async_delay_save(self._data, delay)

    @property
    def unwritten(self) -> bool:
        """Whether the newest save failed: the disk is full or read-only."""
        return not self._store.written

    async def async_saved(self) -> None:
        """Wait until what was to be saved at once is on disk.

        Raises InvalidCommandError if it cannot be saved.
        """
        if self._saving is not None:
            await asyncio.wait([self._saving])
        if self.unread or self.unwritten:
            raise InvalidCommandError("it cannot be stored", reason="not_stored")

    @callback
    def _data(self) -> dict[str, dict[str, object]]:
        self._pending = False
        data = dict(self._stored)
        for subject, forms in self._forms.items():
            newest = {name: form() for name, form in forms.items()}
            data[subject] = data.get(subject, {}) | newest
        filled = {s: {n: v for n, v in each.items() if v} for s, each in data.items()}
        return {subject: sections for subject, sections in filled.items() if sections}


DATA_MEMORY: HassKey[Memory] = HassKey(DOMAIN)
