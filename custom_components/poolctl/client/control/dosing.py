"""Changes to the dosing settings.

Observed, not published (protocol.md O3 to O5). The firmware sets values that are missing
in a settings object to 0, so the whole object is read, changed and written back, with
unknown keys. An object that was just read is not read again (`Queries.recent`).
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
import time

from ..cloud import COPY_AGE, CloudClient
from ..lan import LanClient
from ..pool.dosing import DRUM_SIZE, AnyDosing, DoserKind
from ..pool.state import PoolState
from ..wire.commands import DrumKeys, SettingsObject, decode_json, encode_cmd
from ..wire.exceptions import (
    InvalidCommandError,
    NotOfferedError,
    NotSupportedError,
    PoolctlError,
    ReplyError,
)
from ..wire.frame import StateFrame
from ..wire.json_values import Answer, object_of
from .command import CloudCommand, Command, LanCommand
from .queries import QUEUED
from .sender import Control, Sender

_CARD = "chemistryCard"
_OLD_COPY = 300.0 + COPY_AGE
"""Seconds by which a cloud copy of settings may be older than our write (chosen)."""


@dataclass(slots=True)
class _Written:
    """Our own writes to one settings object."""

    values: dict[str, tuple[object, object, float]]
    """By key: the written value, the value read before it, the time (monotonic, s)."""
    lock: asyncio.Lock
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

    def add(self, values: Mapping[str, object], read: Answer) -> None:
        now = time.monotonic()
        self.values |= {key: (raw, read.get(key), now) for key, raw in values.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """A requested value for one key of a settings object."""

    of: SettingsObject
    key: str
    raw: int | bool
    """Value as sent on the wire; a flag is a bool."""
    show: Callable[[PoolState], PoolState]

    def edit(self, settings: Answer) -> Mapping[str, object]:
        """Return the key to write and its value; raises ReplyError if it is missing."""
        if (previous := settings.get(self.key)) is None:
            raise ReplyError(f"the settings have no {self.key}")
        # A flag is written in the form in which it was read: true or 1.
        as_number = isinstance(self.raw, bool) and type(previous) is int
        return {self.key: int(self.raw) if as_number else self.raw}

    lasting = edit
    """The object reports the same values after the write."""

    def confirms(self, state: PoolState) -> bool:
        """Return whether a reported state already has the value."""
        return self.show(state) == state


@dataclass(frozen=True, slots=True, kw_only=True)
class _Refill:
    """A request to mark a drum as full."""

    of: SettingsObject
    drum: DrumKeys

    def edit(self, settings: Answer) -> Mapping[str, object]:
        """Return the flag to write; raises InvalidCommandError without a drum size."""
        if not settings.get(self.drum.size):
            raise InvalidCommandError(
                "the drum has no size", reason="drum_without_size"
            )
        return {self.of.reset: True}

    def lasting(self, settings: Answer) -> Mapping[str, object]:
        """Return the value that the flag sets: the drum's full size remains."""
        return {self.drum.remaining: settings[self.drum.size]}


type _Write = _Change | _Refill


class DosingControl(Control):
    """Changes the dosing settings of one controller over the LAN or the cloud.

    In addition to Sender's errors, changes raise InvalidCommandError for a value that
    is not allowed, and ReplyError if the controller's object lacks the value.
    """

    def __init__(self, sender: Sender) -> None:
        super().__init__(sender)
        self._written: defaultdict[str, _Written] = defaultdict(
            lambda: _Written({}, asyncio.Lock())
        )

    async def set_desired(self, kind: AnyDosing, value: float) -> None:
        """Set the desired pH, or the desired ORP in mV."""
        kind.choice.check(value)
        raw = round(value * kind.factor)
        shown = raw if kind.factor == 1 else raw / kind.factor
        keys = kind.keys
        await self._change(
            _Change(
                of=keys.settings,
                key=keys.desired,
                raw=raw,
                show=lambda state: kind.edit(
                    state, lambda part: replace(part, desired=shown)
                ),
            )
        )

    async def read_enabled(self, kind: AnyDosing) -> bool | None:
        """Read over the LAN whether a doser is on; `None` if that failed."""
        on_lan, query = self._paths.on_lan, kind.keys.settings.query
        if on_lan and await self._queries.ask(query):
            return kind.of(self._store.reported).enabled
        return None

    async def enable(self, kind: AnyDosing, on: bool) -> None:
        """Allow or forbid dosing, and wait until that is confirmed."""
        keys = kind.keys
        change = _Change(
            of=keys.settings,
            key=keys.enabled,
            raw=on,
            show=lambda state: kind.edit(state, lambda part: replace(part, enabled=on)),
        )
        # No state frame reports this flag: the object must be read again.
        await self._change(change, query=keys.settings.query)

    async def set_drum(self, kind: DoserKind, size: float) -> None:
        """Set the size of a drum in mL."""
        DRUM_SIZE.check(size)
        raw = round(size)
        await self._change(
            _Change(
                of=kind.keys.settings,
                key=kind.keys.size,
                raw=raw,
                show=lambda state: kind.edit(
                    state, lambda doser: replace(doser, drum_ml=raw)
                ),
            )
        )

    def set_low_level(self, kind: DoserKind, percent: int) -> None:
        """Store the % of its size below which a drum counts as nearly empty."""
        self._store.choose(lambda choices: kind.with_low_level(choices, percent))

    async def refill(self, kind: DoserKind) -> None:
        """Mark a drum as full.

        Raises InvalidCommandError if the drum has no size: "full" is not defined then.
        """
        refill = _Refill(of=kind.keys.settings, drum=kind.keys)
        previous = kind.of(self._store.reported).remaining_ml or 0

        def confirms(state: PoolState) -> bool:
            doser = kind.of(state)
            left = doser.remaining_ml
            # A dose may already have been taken from the full drum.
            return left is not None and (left > previous or left == doser.drum_ml)

        await self._sender.run(
            Command(
                key=refill.of.reset,
                show=lambda state: kind.edit(
                    state, lambda doser: replace(doser, remaining_ml=doser.drum_ml)
                ),
                confirms=confirms,
                lan=self._by_lan(refill),
                cloud=self._by_cloud(refill),
            )
        )

    async def _change(self, change: _Change, *, query: str | None = None) -> None:
        await self._sender.coalescer.run(
            change.key,
            change,
            self._send,
            partial(self._sender.confirm, query=query),
        )

    async def _send(self, change: _Change) -> Command:
        return await self._sender.send(
            Command(
                key=change.key,
                show=change.show,
                confirms=change.confirms,
                lan=self._by_lan(change),
                cloud=self._by_cloud(change),
            )
        )

    def _by_lan(self, change: _Write) -> LanCommand:
        """Return a function that reads, changes and writes an object over the LAN."""
        of = change.of

        async def write(lan: LanClient) -> StateFrame | None:
            written = self._written[of.query]
            async with written.lock:
                reported = await self._queries.recent(of.query, lan)
                read = decode_json(reported.reply)
                settings = written.over(read, time.monotonic() - reported.at + QUEUED)
                body = {**settings, of.reset: False, **change.edit(settings)}
                try:
                    frame = await lan.action("cmd", encode_cmd(of.command, body))
                except PoolctlError:
                    self._queries.forget(of.query)
                    raise
                written.add(change.lasting(settings), read)
                if isinstance(change, _Change):
                    self._queries.wrote(of.query, change.show)
                else:
                    # The next dose may be taken from the full drum at once.
                    self._queries.forget(of.query)
                return frame

        return write

    def _by_cloud(self, change: _Write) -> CloudCommand:
        """Return a function that does the same through the cloud."""
        of = change.of

        async def write(cloud: CloudClient) -> None:
            written = self._written[of.query]
            async with written.lock:
                try:
                    card = await cloud.read(self._paths.device_id, _CARD, urgent=True)
                    if not (read := object_of(card, of.card)):
                        raise NotSupportedError(f"the cloud does not report {of.card}")
                    # The copy may be older than our last changes, and must not undo
                    # them.
                    settings = written.over(read, COPY_AGE, _OLD_COPY)
                    body = {**settings, of.reset: False, **change.edit(settings)}
                    await cloud.write(self._paths.device_id, of.endpoint, body)
                except NotOfferedError as err:
                    raise NotSupportedError("the cloud does not offer this") from err
                written.add(change.lasting(settings), read)
            # If the LAN comes back, its frames do not report all settings.
            self._queries.expire(of.query)

        return write
