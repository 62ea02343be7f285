"""What is kept of each controller over restarts of Home Assistant, in one store.

The counter of what we sign, because a controller takes none twice and clocks jump back;
the equipment, so that its entities exist where a start finds only the cloud; the last
valid readings of the probes; and what was chosen last. All of it is written lazily.
"""

from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.storage import Store
from homeassistant.util.hass_dict import HassKey

from ..client.commands import PumpIdentity
from ..client.envelope import OutgoingCounter
from ..client.frame import Configuration
from ..client.pool.state import LOW_LEVEL, Chemistry, PoolState
from ..const import DOMAIN

_SAVE_DELAY: Final = 60.0
"""s; readings change with every poll, and memory cards wear out."""


class Memory:
    """The store, by controller identifier."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Prepare; `async_load` reads what was kept."""
        self._store: Store[dict[str, dict[str, Any]]] = Store(hass, 1, DOMAIN)
        self._counters: dict[str, OutgoingCounter] = {}
        self._states: dict[str, PoolState] = {}
        self._pending = False

    async def async_load(self) -> None:
        """Read what was kept."""
        for device_id, kept in (await self._store.async_load() or {}).items():
            self._counters[device_id] = OutgoingCounter(
                kept["counter"], used=self._save
            )
            self._states[device_id] = _restored(kept)

    @callback
    def counter(self, device_id: str) -> OutgoingCounter:
        """Return the counter of a controller, the same one every time."""
        return self._counters.setdefault(device_id, OutgoingCounter(used=self._save))

    @callback
    def state(self, device_id: str) -> PoolState:
        """Return what is remembered of a controller."""
        return self._states.get(device_id, PoolState())

    @callback
    def remember(self, device_id: str, state: PoolState) -> None:
        """Keep what lasts of a state."""
        lasting = _lasting(state)
        if lasting != self._states.get(device_id):
            self._save()
        self._states[device_id] = lasting

    @callback
    def forget(self, device_id: str) -> None:
        """Drop a controller that is gone; its counter stays, should it come back."""
        self._states.pop(device_id, None)
        self._save()

    @callback
    def _save(self) -> None:
        if not self._pending:
            # Once: asking again would put the writing off again and again.
            self._pending = True
            self._store.async_delay_save(self._data, _SAVE_DELAY)

    @callback
    def _data(self) -> dict[str, dict[str, Any]]:
        self._pending = False
        return {
            device_id: {"counter": counter.last, **_stored(self.state(device_id))}
            for device_id, counter in self._counters.items()
        }


DATA_MEMORY: HassKey[Memory] = HassKey(DOMAIN)


def _lasting(state: PoolState) -> PoolState:
    return PoolState(
        configuration=Configuration(aux_types=state.configuration.aux_types),
        names=state.names,
        pump=state.pump,
        start_speed=state.start_speed,
        pool_sources=state.pool_sources,
        pool_light_choice=state.pool_light_choice,
        spa_light_choice=state.spa_light_choice,
        acid_low_level=state.acid_low_level,
        chlorine_low_level=state.chlorine_low_level,
        valid_chemistry=state.valid_chemistry,
        valid_at=state.valid_at,
    )


def _stored(state: PoolState) -> dict[str, Any]:
    return {
        "aux_types": state.configuration.aux_types,
        "names": state.names,
        "pump": asdict(state.pump) if state.pump else None,
        "start_speed": state.start_speed,
        "pool_sources": state.pool_sources,
        "pool_light_choice": state.pool_light_choice,
        "spa_light_choice": state.spa_light_choice,
        "acid_low_level": state.acid_low_level,
        "chlorine_low_level": state.chlorine_low_level,
        "chemistry": asdict(state.valid_chemistry),
        "chemistry_at": state.valid_at.isoformat() if state.valid_at else None,
    }


def _restored(kept: dict[str, Any]) -> PoolState:
    types, at = kept["aux_types"], kept["chemistry_at"]
    return PoolState(
        configuration=Configuration(aux_types=None if types is None else tuple(types)),
        names=tuple(kept["names"]),
        pump=PumpIdentity(**kept["pump"]) if kept["pump"] else None,
        start_speed=kept["start_speed"],
        # Stores of earlier versions have none.
        pool_sources=tuple(kept.get("pool_sources", ())),
        pool_light_choice=kept.get("pool_light_choice"),
        spa_light_choice=kept.get("spa_light_choice"),
        acid_low_level=kept.get("acid_low_level", LOW_LEVEL),
        chlorine_low_level=kept.get("chlorine_low_level", LOW_LEVEL),
        valid_chemistry=Chemistry(**kept["chemistry"]),
        valid_at=datetime.fromisoformat(at) if at else None,
    )
