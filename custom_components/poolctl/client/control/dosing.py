"""Settings objects of the dosing: what they tell, and how a value of them changes.

Observed, not published (layouts.md 3 to 5). The firmware sets what a settings object
lacks to 0, so the whole object is read, changed and written back, unknown keys kept.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
import time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..cloud import COPY_AGE, CloudClient
from ..commands import decode_json, encode_cmd
from ..exceptions import (
    InvalidCommandError,
    NotOfferedError,
    NotSupportedError,
    ReplyError,
)
from ..frame import StateFrame
from ..lan import LanClient
from ..pool.json_values import object_of, with_settings
from ..pool.state import PoolState
from .pending import Pending

if TYPE_CHECKING:
    from .commander import Commander

_CARD = "chemistryCard"
_LAN_AGE = 3.0
"""s a reply of the LAN may be older than what we wrote: a `cmd` is queued (chosen)."""


class Range(NamedTuple):
    """What a person may choose (chosen: wider than any pool needs)."""

    low: float
    high: float
    step: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsObject:
    """An object that is read and written whole, and the drum that it is about."""

    query: str
    """The LAN's query for it."""
    command: str
    """The LAN's command that writes it."""
    card: str
    """Its key in the cloud's `chemistryCard`."""
    endpoint: str
    """The cloud's endpoint that writes it."""
    reset: str
    """The flag that comes with every write: whether the drum was refilled."""
    drum: str
    """Key: size of the drum in mL."""
    remaining: str
    """Key: what is left in it in mL."""
    substance: str
    """What is in the drum: fields of the state that are about it begin with that."""

    @property
    def drum_field(self) -> str:
        """Field of Configuration: size of the drum in mL."""
        return f"{self.substance}_drum_ml"

    @property
    def remaining_field(self) -> str:
        """Field of Configuration: what is left in it in mL."""
        return f"{self.substance}_remaining_ml"

    @property
    def low_level_field(self) -> str:
        """Field of PoolState: below how many % it is nearly empty."""
        return f"{self.substance}_low_level"


PH = SettingsObject(
    query="get_ph_settings",
    command="set_ph_settings",
    card="phSettings",
    endpoint="setPhSettings",
    reset="reset_acid_volume",
    drum="acid_drum_volume",
    remaining="remain_acid_volume",
    substance="acid",
)
CHLORINE = SettingsObject(
    query="get_chlorine_settings",
    command="set_chlorine_settings",
    card="chlorineSettings",
    endpoint="setChlorineSettings",
    reset="reset_chlorine_volume",
    drum="chlorine_drum_volume",
    remaining="remain_chlorine_volume",
    substance="chlorine",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value of a settings object: where it is kept, and where it is shown."""

    of: SettingsObject
    key: str
    part: Literal["configuration", "dosing"]
    """The part of PoolState that has a field for it."""
    factor: int = 1
    """The wire's value is the field's times this."""
    range: Range | None = None
    """What a person may choose; neither range nor flag: the controller tells it."""
    flag: bool = False
    """Whether it is a yes or no that a person may choose."""

    def encode(self, value: float) -> int | bool:
        """Return the wire's value; raises InvalidCommandError for one out of range."""
        if self.flag:
            return bool(value)
        if self.range is None or not self.range.low <= value <= self.range.high:
            raise InvalidCommandError(f"{value} is not a value of {self.key}")
        return round(value * self.factor)

    def decode(self, raw: float) -> float:
        """Return the field's value."""
        return raw if self.factor == 1 else raw / self.factor


_ORP = Range(400, 900, 10)
_DRUM = Range(1_000, 200_000, 100)

SETTINGS = {
    "desired_ph": Setting(
        of=PH,
        key="desired_ph_level",
        part="configuration",
        factor=10,
        range=Range(6.8, 8.2, 0.1),
    ),
    "acid_drum_ml": Setting(of=PH, key=PH.drum, part="configuration", range=_DRUM),
    "acid_remaining_ml": Setting(of=PH, key=PH.remaining, part="configuration"),
    "ph_enabled": Setting(of=PH, key="ph_dosing", part="dosing", flag=True),
    "acid_doses": Setting(of=PH, key="current_dose_today", part="dosing"),
    "desired_orp_mineral": Setting(
        of=CHLORINE, key="desired_orp_level_mineral", part="configuration", range=_ORP
    ),
    "desired_orp_liquid": Setting(
        of=CHLORINE, key="desired_orp_level_liquid", part="configuration", range=_ORP
    ),
    "chlorine_drum_ml": Setting(
        of=CHLORINE, key=CHLORINE.drum, part="configuration", range=_DRUM
    ),
    "chlorine_remaining_ml": Setting(
        of=CHLORINE, key=CHLORINE.remaining, part="configuration"
    ),
    "chlorinator_enabled": Setting(
        of=CHLORINE, key="orp_controlled", part="dosing", flag=True
    ),
    "liquid_enabled": Setting(
        of=CHLORINE, key="liquid_chlorine_dosing", part="dosing", flag=True
    ),
    "chlorine_doses": Setting(of=CHLORINE, key="current_dose_today", part="dosing"),
}
"""By field of Configuration or Dosing."""


def merge_settings(
    of: SettingsObject, state: PoolState, settings: Mapping[str, Any]
) -> PoolState:
    """Return the state with what an object tells; what it lacks stays as it was."""
    rows = {field: row for field, row in SETTINGS.items() if row.of is of}
    values = {
        field: (row.key, row.factor)
        for field, row in rows.items()
        if row.part == "configuration"
    }
    told: dict[str, Any] = {
        field: bool(found) if row.flag else int(found)
        for field, row in rows.items()
        if row.part == "dosing"
        and isinstance(found := settings.get(row.key), int)
        and 0 <= found <= 0xFF
    }
    if told:
        told[f"{of.substance}_told_at"] = datetime.now(UTC)
    state = with_settings(state, settings, values)
    return replace(state, dosing=replace(state.dosing, **told))


merge_ph_settings = partial(merge_settings, PH)
merge_chlorine_settings = partial(merge_settings, CHLORINE)

type _Edit = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Returns the keys of an object to write differently; raises where it cannot."""


@dataclass(slots=True)
class _Written:
    """What we ourselves wrote of one object, and when."""

    values: dict[str, tuple[Any, float]]
    lock: asyncio.Lock
    """Of two changes of one object the later must read what the earlier wrote."""

    def since(self, age: float) -> dict[str, Any]:
        """Return what was written during the last seconds: a read may be older."""
        oldest = time.monotonic() - age
        return {key: raw for key, (raw, at) in self.values.items() if at >= oldest}

    def add(self, values: Mapping[str, Any]) -> None:
        """Keep what was just written."""
        now = time.monotonic()
        self.values |= {key: (raw, now) for key, raw in values.items()}


class Settings:
    """Changes the dosing settings of one controller, by the LAN or the cloud."""

    def __init__(self, commander: Commander) -> None:
        """Send through a commander."""
        self._commander = commander
        self._written: defaultdict[str, _Written] = defaultdict(
            lambda: _Written({}, asyncio.Lock())
        )

    async def change(self, field: str, value: float) -> None:
        """Change one of SETTINGS, by its field and in the field's unit.

        Raises InvalidCommandError outside the setting's range, and ReplyError where the
        object lacks the value to change.
        """
        setting = SETTINGS[field]
        setting.encode(value)
        confirm = self._commander.confirm
        if setting.part == "dosing":
            # No state frame tells it: the object itself has to be read again.
            confirm = partial(confirm, query=setting.of.query)
        await self._commander.coalescer.run(
            field, value, partial(self._send, field), confirm
        )

    async def refill(self, of: SettingsObject) -> None:
        """Tell the controller that a drum is full again.

        Raises InvalidCommandError where the drum has no size: what would full be?
        """

        def edit(settings: Mapping[str, Any]) -> dict[str, Any]:
            if not settings.get(of.drum):
                raise InvalidCommandError(
                    "the drum has no size", reason="drum_without_size"
                )
            return {of.reset: True}

        before = getattr(self._commander.known.configuration, of.remaining_field)

        def show(state: PoolState) -> PoolState:
            full = {of.remaining_field: getattr(state.configuration, of.drum_field)}
            return replace(state, configuration=replace(state.configuration, **full))

        def holds(state: PoolState) -> bool:
            left: int | None = getattr(state.configuration, of.remaining_field)
            full: int | None = getattr(state.configuration, of.drum_field)
            # A dose may have been taken out of the full drum already.
            return left is not None and (left > (before or 0) or left == full)

        await self._commander.command(of.reset, show, holds, **self._writes(of, edit))

    async def _send(self, field: str, value: float) -> Pending:
        setting = SETTINGS[field]
        raw = setting.encode(value)
        changes: dict[str, Any] = {field: setting.decode(raw)}

        def edit(settings: Mapping[str, Any]) -> dict[str, Any]:
            if (before := settings.get(setting.key)) is None:
                raise ReplyError(f"the settings have no {setting.key}")
            # A flag goes back in the form in which it came: true or 1.
            as_read = isinstance(before, bool | int) and setting.flag
            return {setting.key: type(before)(raw) if as_read else raw}

        def show(state: PoolState) -> PoolState:
            part = replace(getattr(state, setting.part), **changes)
            return replace(state, **{setting.part: part})

        return await self._commander.send(
            field,
            show,
            lambda state: show(state) == state,
            **self._writes(setting.of, edit),
        )

    def _writes(self, of: SettingsObject, edit: _Edit) -> dict[str, Any]:
        """Return a change of an object as both paths carry it."""
        return {
            "lan": lambda lan: self._write_lan(lan, of, edit),
            "cloud": lambda cloud: self._write_cloud(cloud, of, edit),
        }

    async def _write_lan(
        self, lan: LanClient, of: SettingsObject, edit: _Edit
    ) -> StateFrame | None:
        written = self._written[of.query]
        async with written.lock:
            settings = decode_json(await lan.query(of.query, urgent=True))
            settings |= written.since(_LAN_AGE)
            changes = {of.reset: False} | edit(settings)
            frame = await lan.action("cmd", encode_cmd(of.command, settings | changes))
            written.add(_lasting(of, settings | changes, changes))
            return frame

    async def _write_cloud(
        self, cloud: CloudClient, of: SettingsObject, edit: _Edit
    ) -> None:
        commander, written = self._commander, self._written[of.query]
        async with written.lock:
            try:
                card = await cloud.read(commander.device_id, _CARD)
                settings = dict(object_of(card, of.card))
                if not settings:
                    raise NotSupportedError(f"the cloud does not tell {of.card}")
                # The copy may be older than our own last changes, which it must not undo.
                settings |= written.since(COPY_AGE)
                changes = {of.reset: False} | edit(settings)
                await cloud.write(commander.device_id, of.endpoint, settings | changes)
            except NotOfferedError as err:
                raise NotSupportedError("the cloud does not offer this") from err
            written.add(_lasting(of, settings | changes, changes))
        # Should the LAN come back, its frames do not tell all of it.
        commander.details_changed(of.query)


def _lasting(
    of: SettingsObject, settings: Mapping[str, Any], changes: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what a write will have changed: not the flag, but what it stands for."""
    lasting = {key: raw for key, raw in changes.items() if key != of.reset}
    if changes[of.reset]:
        lasting[of.remaining] = settings[of.drum]
    return lasting
