"""Changes to the dosing settings.

Observed, not published (protocol.md O3 to O5). The firmware sets values that are missing
in a settings object to 0, so the whole object is read, changed and written back, with
unknown keys.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
import math
import time

from ..cloud import COPY_AGE, UrgentCloud
from ..lan import LanClient
from ..pool.dosing import (
    DRUM_SIZE,
    AnyDosing,
    DoserKind,
    check_settings,
    whole_settings,
)
from ..pool.queries import BY_NAME
from ..pool.state import PoolState, Source
from ..wire.commands import DosingKeys, SettingsObject
from ..wire.exceptions import (
    BusyError,
    InvalidCommandError,
    NotSupportedError,
    ReplyError,
)
from ..wire.frame import StateFrame
from ..wire.json_values import Answer, object_of
from .command import Command
from .frames import AGAIN
from .live_state import LiveState
from .paths import Paths
from .queries import COPIES_APART, QUEUED, Queries
from .sender import Sender

_CARD = "chemistryCard"
_OLD_SETTINGS = 300.0 + COPY_AGE
"""Seconds by which a cloud copy of settings may be older than our write (chosen)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """A requested value for one key of a settings object."""

    of: SettingsObject
    key: str
    raw: int | bool
    """Value as sent on the wire; a flag is a bool."""
    show: Callable[[PoolState], PoolState]
    confirms: Callable[[PoolState], bool]
    refills: DosingKeys | None = None
    """Keys of the drum that the change marks as full."""
    query: str | None = None
    """See `Command`."""

    def edit(self, settings: Answer) -> dict[str, object]:
        """Return the object to write; raises an error if it lacks the value."""
        if self.refills is not None:
            if not settings.get(self.refills.size):
                raise InvalidCommandError(reason="drum_without_size")
        elif settings.get(self.key) is None:
            raise ReplyError(f"the settings have no {self.key}")
        # A flag is written in the form in which it was read: true or 1.
        as_number = type(settings.get(self.key)) is int
        raw = int(self.raw) if as_number and self.refills is None else self.raw
        return {**settings, self.of.reset: False, self.key: raw}

    def effect(self, body: Answer) -> tuple[str, object]:
        """Return the key that a written object changes, and its value after it."""
        if self.refills is not None:
            return self.refills.remaining, body[self.refills.size]
        return self.key, body[self.key]


@dataclass(slots=True)
class _Written:
    """Our own writes to one settings object."""

    values: dict[str, tuple[object, object, float]] = field(default_factory=dict)
    """By key: the written value, the value read before it, the time (monotonic, s)."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held during a change: the next one must read what this one wrote."""

    def over(self, read: Answer, age: float, most: float = 0.0) -> Answer:
        """Return a read object with the values that were written after it was read.

        Writes of the last `age` s always apply; those of the last `most` s only if the
        object has the value read before: any other is a newer choice of another client.
        """
        now = time.monotonic()
        newer = {
            key: raw
            for key, (raw, previous, at) in self.values.items()
            if now - at <= age or (now - at <= most and read.get(key) == previous)
        }
        return {**read, **newer}

    def add(self, key: str, value: object, read: Answer) -> None:
        self.values[key] = value, read.get(key), time.monotonic()


class DosingControl:
    """Changes the dosing settings of one controller over the LAN or the cloud.

    In addition to Sender's errors, changes raise InvalidCommandError for a value that
    is not allowed, and ReplyError if the controller's object lacks the value.
    """

    def __init__(
        self, sender: Sender, queries: Queries, paths: Paths, live: LiveState
    ) -> None:
        self._sender, self._queries = sender, queries
        self._paths, self._live = paths, live
        self._written: defaultdict[str, _Written] = defaultdict(_Written)

    async def set_desired(self, kind: AnyDosing, value: float) -> None:
        """Set the desired pH, or the desired ORP in mV."""
        kind.choice.check(value)
        raw = round(value * kind.factor)
        shown = raw if kind.factor == 1 else raw / kind.factor
        await self._set(
            kind,
            kind.keys.desired,
            raw,
            lambda state: kind.edit(state, lambda part: replace(part, desired=shown)),
        )

    async def read_enabled(self, kind: AnyDosing) -> bool | None:
        """Read over the LAN whether a doser is on; `None` if that failed."""
        on_lan, query = self._paths.on_lan, kind.keys.settings.query
        if on_lan and await self._queries.ask(query):
            return kind.of(self._live.reported).enabled
        return None

    def reported_at(self, kind: AnyDosing) -> float:
        """Return when its source last reported whether it is on (monotonic, s)."""
        if self._live.reported.source is Source.CLOUD:
            return self._queries.copied_at.get(kind.keys.enabled, -math.inf)
        return self._queries.merged_at.get(kind.keys.settings.query, -math.inf)

    async def enable(self, kind: AnyDosing, on: bool) -> None:
        """Allow or forbid dosing, and wait until that is confirmed."""
        await self._set(
            kind,
            kind.keys.enabled,
            on,
            lambda state: kind.edit(state, lambda part: replace(part, enabled=on)),
            # No state frame reports this flag: the object must be read again.
            query=kind.keys.settings.query,
        )

    async def set_drum(self, kind: DoserKind, size: float) -> None:
        """Set the size of a drum in mL."""
        DRUM_SIZE.check(size)
        raw = round(size)
        await self._set(
            kind,
            kind.keys.size,
            raw,
            lambda state: kind.edit(state, lambda doser: replace(doser, drum_ml=raw)),
        )

    async def refill(self, kind: DoserKind) -> None:
        """Mark a drum as full; raises InvalidCommandError if it has no size."""
        of, previous = kind.keys.settings, kind.of(self._live.reported).remaining_ml

        def confirms(state: PoolState) -> bool:
            doser = kind.of(state)
            left = doser.remaining_ml
            # A dose may already have been taken from the full drum.
            return left is not None and (
                left > (previous or 0) or left == doser.drum_ml
            )

        await self._change(
            _Change(
                of=of,
                key=of.reset,
                raw=True,
                show=lambda state: kind.edit(
                    state, lambda doser: replace(doser, remaining_ml=doser.drum_ml)
                ),
                confirms=confirms,
                refills=kind.keys,
            )
        )

    async def _set(
        self,
        kind: AnyDosing,
        key: str,
        raw: int | bool,
        show: Callable[[PoolState], PoolState],
        query: str | None = None,
    ) -> None:
        await self._change(
            _Change(
                of=kind.keys.settings,
                key=key,
                raw=raw,
                show=show,
                confirms=lambda state: show(state) == state,
                query=query,
            )
        )

    async def _change(self, change: _Change) -> None:
        command = Command(
            key=change.key,
            show=change.show,
            confirms=change.confirms,
            query=change.query,
            lan=partial(self._by_lan, change),
            cloud=partial(self._by_cloud, change),
        )
        await self._sender.coalescer.run(
            change.key, command, self._sender.send, self._sender.confirm
        )

    async def _by_lan(self, change: _Change, lan: LanClient) -> StateFrame | None:
        """Read, change and write an object over the LAN."""
        of, written = change.of, self._written[change.of.query]
        async with written.lock:
            frame, read, body = await self._queries.rewrite(
                lan,
                BY_NAME[of.query],
                of.command,
                lambda read, at: self._edited(
                    change, written.over(read, time.monotonic() - at + QUEUED)
                ),
            )
            written.add(*change.effect(body), read)
            return frame

    async def _by_cloud(self, change: _Change, cloud: UrgentCloud) -> None:
        """Do the same through the cloud."""
        of, written = change.of, self._written[change.of.query]
        async with written.lock:
            read = await self._read_card(of, cloud, change.key)
            # The copy may be older than our last changes, and must not undo them.
            body = self._edited(change, written.over(read, COPY_AGE, _OLD_SETTINGS))
            await cloud.write(of.endpoint, body)
            written.add(*change.effect(body), read)
        # If the LAN comes back, its frames do not report all settings.
        self._queries.expire(of.query)

    async def _read_card(
        self, of: SettingsObject, cloud: UrgentCloud, written: str
    ) -> Answer:
        """Read an object of the cloud, again if it surprises: only one may be odd."""
        for again in (True, False):
            card = await cloud.read(_CARD)
            if read := object_of(self._queries.admitted(card, written), of.card):
                return read
            if again:
                await asyncio.sleep(AGAIN)
        if object_of(card, of.card):
            raise BusyError("they differ from before", retry_after=COPIES_APART)
        raise NotSupportedError(f"the cloud does not report {of.card}")

    def _edited(self, change: _Change, read: Answer) -> dict[str, object]:
        known = self._live.reported
        body = change.edit(whole_settings(change.of, read, known))
        check_settings(change.of, body, known)
        effect = dict((change.effect(body),))
        self._queries.door.note_write(
            change.of.query, lambda _: {key: (body | effect)[key] for key in read}
        )
        return body
