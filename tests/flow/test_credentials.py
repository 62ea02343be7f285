"""Application credentials without the address of a service."""

from homeassistant.components.application_credentials import ClientCredential
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ImplementationUnavailableError
import pytest

from custom_components.poolctl.application_credentials import (
    async_get_auth_implementation,
    service_address,
)
from custom_components.poolctl.const import DOMAIN


async def test_nobody_signs_in_nowhere(hass: HomeAssistant) -> None:
    credential = ClientCredential("id", "secret")
    with pytest.raises(ImplementationUnavailableError) as raised:
        await async_get_auth_implementation(hass, DOMAIN, credential)
    # An argument would be shown instead of Home Assistant's translated sentence.
    assert raised.value.translation_key == "oauth2_implementation_unavailable"
    assert raised.value.generate_message

    with service_address("https://pool.example.com"):
        found = await async_get_auth_implementation(hass, DOMAIN, credential)
    assert found.token_url.startswith("https://pool.example.com/")
