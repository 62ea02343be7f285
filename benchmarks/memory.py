"""Memory of a registered entity, compared with that of a trivial integration's.

Half of our entities are disabled; the trivial integration has only enabled sensors.
"""

import asyncio
from collections.abc import Awaitable
import gc
import logging
import tracemalloc
from typing import Final, override

from homeassistant.components.sensor import SensorEntity
from homeassistant.config_entries import ConfigEntry, ConfigFlow
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.update_coordinator import (
    CoordinatorEntity,
    DataUpdateCoordinator,
)
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockModule,
    MockPlatform,
    mock_config_flow,
    mock_integration,
    mock_platform,
)

from custom_components.poolctl.const import DOMAIN

from .home import add, home
from .rows import Row, at_most
from .service import Elsewhere, elsewhere

FEW: Final = 10
TRIVIAL: Final = "trivial"
MOST: Final = 1.05

_LOGGER = logging.getLogger(__name__)


def rows(*, short: bool) -> list[Row]:
    """Measure the memory kept for each entity of controllers after the first."""
    with elsewhere(FEW) as service:
        return [asyncio.run(_compare(service))]


async def _compare(service: Elsewhere) -> Row:
    async with home() as hass:
        await add(hass, service.first_entry_data)
        registered, devices = _sizes(hass, DOMAIN)
        ours = await _kept(add(hass, service.entry_data))
    trivial = await _trivial(registered, devices)
    ratio = ours / registered / FEW / trivial
    return at_most(
        f"memory of each of {registered} registered entities, to that of a trivial"
        " integration's",
        ratio,
        MOST,
        " x",
        f"{ratio:.2f} x ({ratio * trivial / 1024:.1f} : {trivial / 1024:.1f} KiB)",
    )


def _sizes(hass: HomeAssistant, domain: str) -> tuple[int, int]:
    """Return how many entities are registered, and on how many devices."""
    entities = [
        each for each in er.async_get(hass).entities.values() if each.platform == domain
    ]
    return len(entities), len({each.device_id for each in entities})


async def _kept(adding: Awaitable[object]) -> int:
    """Return the bytes that are still allocated after adding."""
    gc.collect()
    tracemalloc.start()
    await adding
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return kept


# --- The trivial integration ------------------------------------------------------


class _Trivial(CoordinatorEntity[DataUpdateCoordinator[int]], SensorEntity):
    """A sensor that shows one number."""

    _attr_has_entity_name = True

    def __init__(
        self,
        coordinator: DataUpdateCoordinator[int],
        number: int,
        device: dr.DeviceInfo,
    ) -> None:
        super().__init__(coordinator)
        self._attr_unique_id = f"{coordinator.name}_{number}"
        self._attr_name = f"Value {number}"
        self._attr_device_info = device

    @property
    @override
    def native_value(self) -> int:
        return self.coordinator.data


async def _trivial(registered: int, devices: int) -> float:
    """Return the bytes of each trivial sensor, with as many sensors and devices."""

    async def set_up(
        hass: HomeAssistant,
        entry: ConfigEntry,
        async_add_entities: AddConfigEntryEntitiesCallback,
    ) -> None:
        for number in entry.data["numbers"]:
            coordinator: DataUpdateCoordinator[int] = DataUpdateCoordinator(
                hass, _LOGGER, name=f"{TRIVIAL} {number}", config_entry=entry
            )
            coordinator.data = 7
            infos = [
                dr.DeviceInfo(
                    identifiers={(TRIVIAL, f"{number}_{device}")},
                    name=f"Device {number} {device}",
                )
                for device in range(devices)
            ]
            async_add_entities(
                _Trivial(coordinator, each, infos[each % devices])
                for each in range(registered)
            )

    async def set_up_entry(hass: HomeAssistant, entry: ConfigEntry) -> bool:
        await hass.config_entries.async_forward_entry_setups(entry, ["sensor"])
        return True

    async with home() as hass:
        mock_integration(hass, MockModule(TRIVIAL, async_setup_entry=set_up_entry))
        mock_platform(hass, f"{TRIVIAL}.config_flow")
        platform = MockPlatform(async_setup_entry=set_up)
        mock_platform(hass, f"{TRIVIAL}.sensor", platform)
        with mock_config_flow(TRIVIAL, ConfigFlow):
            await _add_trivial(hass, [0])
            assert _sizes(hass, TRIVIAL) == (registered, devices)
            kept = await _kept(_add_trivial(hass, list(range(1, FEW + 1))))
    return kept / registered / FEW


async def _add_trivial(hass: HomeAssistant, numbers: list[int]) -> None:
    entry = MockConfigEntry(domain=TRIVIAL, data={"numbers": numbers})
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
