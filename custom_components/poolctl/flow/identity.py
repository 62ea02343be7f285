"""Identity of an account: identifiers that the service does not always report."""

import asyncio
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Final, Self

from ..client import CloudClient, Inventory, UnreachableError

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
    """Identifiers of an account, as far as a sign-in reported them; kept in the entry."""

    subject: str | None = None
    """`sub` from `userinfo`."""
    claim: str | None = None
    """`sub` claim of the access token."""
    sites: tuple[str, ...] = ()

    def completed(self, previous: Self) -> Self:
        """Return this identity; missing values are taken from `previous`."""
        reported = {name: value for name, value in asdict(self).items() if value}
        return replace(previous, **reported)

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
