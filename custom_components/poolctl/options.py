"""Options of an entry, as the user chose them or by default."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from homeassistant.config_entries import ConfigEntry

from .client.codec import from_stored
from .client.pool.choices import WithoutFlow
from .const import (
    CONF_CONNECTION,
    CONF_DRUM_REPAIRS,
    CONF_HOLDS,
    CONF_USES,
    CONF_WITHOUT_FLOW,
    Connection,
    HoldsEnd,
)
from .devices.uses import Use, Uses


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of an entry, with their defaults."""

    connection: Connection = Connection.AUTOMATIC
    without_flow: WithoutFlow = WithoutFlow.HOLD
    holds_end: HoldsEnd = HoldsEnd.ENDS_BY_ITSELF
    drum_repairs: bool = False
    """Whether a nearly empty drum is also a repair."""
    uses: Mapping[str, Use] = field(default_factory=dict)
    """Uses of general outputs, by the unique ID of their entities."""

    def uses_of(self, device_id: str) -> Uses:
        """Return the uses of the general outputs of one controller."""
        prefix = f"{device_id}_slot_"
        return {
            int(number): use
            for unique_id, use in self.uses.items()
            if (number := unique_id.removeprefix(prefix)).isdecimal()
        }


DEFAULTS = Options()


def options_of(entry: ConfigEntry) -> Options:
    """Return the options; an entry of another version may have other options."""
    chosen = entry.options
    stored = {
        "connection": chosen.get(CONF_CONNECTION),
        "without_flow": chosen.get(CONF_WITHOUT_FLOW),
        "holds_end": chosen.get(CONF_HOLDS),
        "drum_repairs": chosen.get(CONF_DRUM_REPAIRS),
        "uses": chosen.get(CONF_USES),
    }
    return from_stored(Options, stored)
