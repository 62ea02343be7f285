"""A Home Assistant core for measurements, with only this integration."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import ExitStack, asynccontextmanager
import logging
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from homeassistant import loader
from homeassistant.components.application_credentials import (
    ClientCredential,
    async_import_client_credential,
)
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er, frame
from homeassistant.helpers.update_coordinator import (
    CoordinatorEntity,
    DataUpdateCoordinator,
)
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_test_home_assistant,
)

from custom_components.poolctl.const import DOMAIN
from tests.world.names import known_names
from tests.world.service import CLIENT_ID, CLIENT_SECRET

_SERVER = "homeassistant.components.http.HomeAssistantHTTP"


@asynccontextmanager
async def home() -> AsyncGenerator[HomeAssistant]:
    """Run a Home Assistant with the credentials of the simulated service.

    Its files are in a temporary folder, and its HTTP server is not started.
    """
    logging.getLogger().setLevel(logging.CRITICAL)
    with TemporaryDirectory() as folder, ExitStack() as patches:
        for method in ("async_bind", "start"):
            patches.enter_context(patch(f"{_SERVER}.{method}"))
        patches.enter_context(known_names())
        async with async_test_home_assistant(config_dir=folder) as hass:
            # The harness disables custom integrations; let Home Assistant find them.
            hass.data.pop(loader.DATA_CUSTOM_COMPONENTS)
            frame.async_setup(hass)
            assert await async_setup_component(hass, "application_credentials", {})
            credential = ClientCredential(CLIENT_ID, CLIENT_SECRET)
            await async_import_client_credential(hass, DOMAIN, credential, DOMAIN)
            yield hass
            for entry in hass.config_entries.async_loaded_entries(DOMAIN):
                await hass.config_entries.async_unload(entry.entry_id)
            # A stop does not wait for what began before it, such as a save.
            await hass.async_block_till_done()
            await hass.async_stop(force=True)


async def add(hass: HomeAssistant, data: dict[str, Any]) -> MockConfigEntry:
    """Set up an account and wait for its entities."""
    entry = MockConfigEntry(domain=DOMAIN, title="Home", data=data)
    entry.add_to_hass(hass)
    await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    if entry.state is not ConfigEntryState.LOADED:
        raise RuntimeError(f"the account did not start: {entry.reason}")
    return entry


def entity_id(hass: HomeAssistant, domain: str, device_id: str, key: str) -> str:
    """Return the ID of a controller's entity by its key."""
    found = er.async_get(hass).async_get_entity_id(domain, DOMAIN, f"{device_id}_{key}")
    assert found is not None, f"no {domain} {key}"
    return found


def value(hass: HomeAssistant, domain: str, device_id: str, key: str) -> str:
    """Return the state of an entity."""
    state = hass.states.get(entity_id(hass, domain, device_id, key))
    return state.state if state else ""


def coordinator(
    hass: HomeAssistant, domain: str, device_id: str, key: str
) -> DataUpdateCoordinator[Any]:
    """Return the coordinator that polls for an entity."""
    entity = hass.data[domain].get_entity(entity_id(hass, domain, device_id, key))
    assert isinstance(entity, CoordinatorEntity)
    found: DataUpdateCoordinator[Any] = entity.coordinator
    return found


async def until(condition: Callable[[], bool], *, step: float = 0.1) -> None:
    """Wait until a condition is true, for at most 10 minutes."""
    async with asyncio.timeout(600):
        while not condition():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(step)
