"""What a person chose in the options of an entry, or would get without choosing."""

from dataclasses import dataclass

from homeassistant.config_entries import ConfigEntry

from .client.pool.state import WithoutFlow
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
    """Return what was chosen; an entry may be older than an option."""
    chosen = entry.options
    return Options(
        connection=Connection(chosen.get(CONF_CONNECTION, DEFAULTS.connection)),
        without_flow=WithoutFlow(chosen.get(CONF_WITHOUT_FLOW, DEFAULTS.without_flow)),
        holds_end=HoldsEnd(chosen.get(CONF_HOLDS, DEFAULTS.holds_end)),
        drum_repairs=chosen.get(CONF_DRUM_REPAIRS, DEFAULTS.drum_repairs),
    )
