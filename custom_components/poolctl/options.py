"""What a person chose in the options of an entry, or would get without choosing."""

from dataclasses import dataclass

from homeassistant.config_entries import ConfigEntry

from .client.pool.choices import WithoutFlow
from .client.stored import Stored, flag
from .const import (
    CONF_CONNECTION,
    CONF_DRUM_REPAIRS,
    CONF_HOLDS,
    CONF_WITHOUT_FLOW,
    Connection,
    HoldsEnd,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of an entry; its fields begin with what nobody has changed."""

    connection: Connection = Connection.AUTOMATIC
    without_flow: WithoutFlow = WithoutFlow.HOLD
    holds_end: HoldsEnd = HoldsEnd.ENDS_BY_ITSELF
    drum_repairs: bool = False
    """Whether a drum that is nearly empty is a repair, too."""


DEFAULTS = Options()


def options_of(entry: ConfigEntry) -> Options:
    """Return what was chosen; an entry may be of a version with other options."""
    chosen = Stored(entry.options)
    return Options(
        connection=chosen.get(CONF_CONNECTION, Connection, DEFAULTS.connection),
        without_flow=chosen.get(CONF_WITHOUT_FLOW, WithoutFlow, DEFAULTS.without_flow),
        holds_end=chosen.get(CONF_HOLDS, HoldsEnd, DEFAULTS.holds_end),
        drum_repairs=chosen.get(CONF_DRUM_REPAIRS, flag, DEFAULTS.drum_repairs),
    )
