"""Identity of an account: identifiers that the service does not always report."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Self

from ..client.account import subject_claim
from ..client.cloud import CloudClient
from ..client.wire.cloud_answers import Inventory
from ..client.wire.exceptions import UnreachableError

CONF_IDENTITY = "identity"
_AGAIN: Final = 2.0
"""Seconds until the inventory is requested again."""


async def read_inventory(cloud: CloudClient) -> Inventory:
    """Return what an account owns; retry once, so that no second sign-in is needed.

    An inventory may be empty once (protocol.md C11). Raises as `inventory` does.
    """
    with suppress(UnreachableError):
        if (inventory := await cloud.inventory()).devices:
            return inventory
    await asyncio.sleep(_AGAIN)
    return await cloud.inventory()


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Identifiers of an account, as far as the service reported them at a sign-in."""

    subject: str | None = None
    """`sub` from `userinfo`."""
    claim: str | None = None
    """`sub` claim of the access token."""
    sites: tuple[str, ...] = ()
    controllers: tuple[str, ...] = ()

    @classmethod
    def reported(cls, subject: str | None, token: str, inventory: Inventory) -> Self:
        """Return the identity that the service reports now."""
        return cls(
            subject=subject,
            claim=subject_claim(token),
            sites=inventory.site_ids,
            controllers=tuple(device.device_id for device in inventory.devices),
        )

    @classmethod
    def stored(cls, data: Mapping[str, Any], controllers: Mapping[str, object]) -> Self:
        """Return the stored identity."""
        found = data.get(CONF_IDENTITY, {})
        return cls(
            subject=found.get("subject"),
            claim=found.get("claim"),
            sites=tuple(found.get("sites", ())),
            controllers=tuple(controllers),
        )

    def as_stored(self, previous: Self) -> dict[str, object]:
        """Return it for `entry.data`; missing values are taken from `previous`."""
        return {
            "subject": self.subject or previous.subject,
            "claim": self.claim or previous.claim,
            "sites": self.sites or previous.sites,
        }

    def fits(self, unique_id: str | None, previous: Self) -> bool:
        """Return whether this is the account with a unique ID and a previous identity.

        `subject`, else `claim`, decides if it was reported both times; otherwise the
        unique ID or a common site.
        """
        if self.subject and previous.subject:
            return self.subject == previous.subject
        if self.claim and previous.claim:
            return self.claim == previous.claim
        known = unique_id in (self.subject, self.claim, *self.sites)
        return known or not set(self.sites).isdisjoint(previous.sites)
