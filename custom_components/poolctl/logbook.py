"""Activity log: the reasons for output changes that Home Assistant did not request."""

from collections.abc import Callable

from homeassistant.components.logbook.const import (
    LOGBOOK_ENTRY_ENTITY_ID,
    LOGBOOK_ENTRY_MESSAGE,
    LOGBOOK_ENTRY_NAME,
)
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import Event, HomeAssistant, callback

from .const import DOMAIN
from .devices.output_attributes import ATTR_EXPLANATION
from .status.output import EVENT_CHANGED


@callback
def async_describe_events(
    hass: HomeAssistant,
    async_describe_event: Callable[[str, str, Callable[[Event], dict[str, str]]], None],
) -> None:
    """Register the line for a change of an output."""

    @callback
    def describe(event: Event) -> dict[str, str]:
        entity_id = event.data[ATTR_ENTITY_ID]
        state = hass.states.get(entity_id)
        return {
            LOGBOOK_ENTRY_NAME: state.name if state else entity_id,
            LOGBOOK_ENTRY_MESSAGE: event.data[ATTR_EXPLANATION],
            LOGBOOK_ENTRY_ENTITY_ID: entity_id,
        }

    async_describe_event(DOMAIN, EVENT_CHANGED, describe)
