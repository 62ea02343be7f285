"""The simulated service, and the entry of its account in Home Assistant."""

from typing import Any

from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import CONF_USES, DOMAIN
from tests.world import service
from tests.world.service import (
    CLIENT_ID,
    CLIENT_SECRET,
    FULL_ID,
    SMALL_ID,
    record,
    two_controllers,
)
from tests.world.simulator import Controller

__all__ = [
    "CLIENT_ID",
    "CLIENT_SECRET",
    "FULL_ID",
    "SMALL_ID",
    "Service",
    "record",
    "two_controllers",
]


class Service(service.Service):
    """The simulated service; makes the entry of its account."""

    def entry(
        self,
        *controllers: Controller,
        options: dict[str, Any] | None = None,
        **data: Any,
    ) -> MockConfigEntry:
        """Return an entry that remembers these controllers and their addresses."""
        return MockConfigEntry(
            domain=DOMAIN,
            title="Home",
            unique_id=self.account.sub,
            # An owner who was asked which kinds the outputs are, and left them.
            options={CONF_USES: {}} | (options or {}),
            data={
                "auth_implementation": DOMAIN,
                "token": self.token(),
                "url": self.cloud.base_url,
                "controllers": {c.device_id: record(c) for c in controllers},
                **data,
            },
        )
