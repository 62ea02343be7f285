"""Home Assistant shows this project's own images for the integration."""

from http import HTTPStatus
from pathlib import Path

from homeassistant.components.brands.const import ALLOWED_IMAGES
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

import custom_components.poolctl as integration

BRAND = Path(integration.__file__).parent / "brand"


@pytest.mark.parametrize("name", sorted(ALLOWED_IMAGES))
async def test_images_are_served(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, name: str
) -> None:
    """Every allowed image is served from its own file in the project."""
    assert await async_setup_component(hass, "brands", {})
    client = await hass_client()
    response = await client.get(f"/api/brands/integration/poolctl/{name}")
    assert response.status == HTTPStatus.OK
    assert response.content_type == "image/png"
    assert await response.read() == (BRAND / name).read_bytes()
