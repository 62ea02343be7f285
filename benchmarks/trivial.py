"""A trivial integration, as the measure of what Home Assistant itself needs."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from itertools import count
import logging
import time
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

TRIVIAL: Final = "trivial"

_LOGGER = logging.getLogger(__name__)

type Coordinators = list[DataUpdateCoordinator[int]]
TIMES: Final = 200
"""Times that states are written for one figure."""


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


@contextmanager
def trivial(
    hass: HomeAssistant, sensors: int, devices: int
) -> Generator[Callable[[int], Awaitable[Coordinators]]]:
    """Yield a function that adds coordinators, each with some sensors on some devices."""
    added: Coordinators = []
    numbers = count()

    async def set_up(
        hass: HomeAssistant,
        entry: ConfigEntry,
        async_add_entities: AddConfigEntryEntitiesCallback,
    ) -> None:
        for _ in range(entry.data["coordinators"]):
            number = next(numbers)
            coordinator: DataUpdateCoordinator[int] = DataUpdateCoordinator(
                hass, _LOGGER, name=f"{TRIVIAL} {number}", config_entry=entry
            )
            coordinator.data = 7
            added.append(coordinator)
            infos = [
                dr.DeviceInfo(
                    identifiers={(TRIVIAL, f"{number}_{device}")},
                    name=f"Device {number} {device}",
                )
                for device in range(devices)
            ]
            async_add_entities(
                _Trivial(coordinator, each, infos[each % devices])
                for each in range(sensors)
            )

    async def set_up_entry(hass: HomeAssistant, entry: ConfigEntry) -> bool:
        await hass.config_entries.async_forward_entry_setups(entry, ["sensor"])
        return True

    async def add(coordinators: int) -> Coordinators:
        data = {"coordinators": coordinators}
        entry = MockConfigEntry(domain=TRIVIAL, data=data)
        entry.add_to_hass(hass)
        assert await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()
        return added[-coordinators:]

    mock_integration(hass, MockModule(TRIVIAL, async_setup_entry=set_up_entry))
    mock_platform(hass, f"{TRIVIAL}.config_flow")
    platform = MockPlatform(async_setup_entry=set_up)
    mock_platform(hass, f"{TRIVIAL}.sensor", platform)
    with mock_config_flow(TRIVIAL, ConfigFlow):
        yield add


async def ms_to_write(hass: HomeAssistant, domain: str) -> float:
    """Return the CPU time in ms in which Home Assistant writes as many new states.

    They are as many as the states of an integration with one controller.
    """
    entities = er.async_get(hass).entities.values()
    ids = {each.entity_id for each in entities if each.platform == domain}
    states = len(ids & set(hass.states.async_entity_ids()))
    with trivial(hass, states, 1) as add:
        (coordinator,) = await add(1)
        started = time.thread_time()
        for number in range(TIMES):
            coordinator.async_set_updated_data(number)
        spent = time.thread_time() - started
    return spent / TIMES * 1000
