"""Options of an entry, as the user chose them or by default."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from homeassistant.config_entries import ConfigEntry

from .client.bounds import Within
from .client.codec import from_stored
from .const import Connection, HoldsEnd
from .devices.parts import Use, Uses
from .learned.preferences import WithoutFlow

type OwnRanges = Mapping[str, Mapping[str, Within]]
"""Good ranges by the ID of the controller, then by the key of the reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of an entry, by their keys there, with their defaults."""

    connection: Connection = Connection.AUTOMATIC
    readings_without_flow: WithoutFlow = WithoutFlow.HOLD
    holds_by_hand: HoldsEnd = HoldsEnd.ENDS_BY_ITSELF
    drum_repairs: bool = False
    """Whether a nearly empty drum is also a repair."""
    uses: Mapping[str, Use] | None = None
    """Uses of general outputs, by the unique ID of their entities; `None` until a user
    has answered."""
    own_ranges: OwnRanges = field(default_factory=dict)

    @property
    def uses_lan(self) -> bool:
        """Whether the LAN is allowed."""
        return self.connection is not Connection.CLOUD

    def uses_of(self, device_id: str) -> Uses:
        """Return the uses of the general outputs of one controller."""
        prefix = f"{device_id}_slot_"
        return {
            int(number): use
            for unique_id, use in (self.uses or {}).items()
            if (number := unique_id.removeprefix(prefix)).isdecimal()
        }


def options_of(entry: ConfigEntry) -> Options:
    """Return the options; an entry of another version may have other options."""
    return from_stored(Options, entry.options)
