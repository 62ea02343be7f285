"""What a person may choose once the account is there."""

from enum import StrEnum

from homeassistant.config_entries import ConfigFlowResult, OptionsFlowWithReload
from homeassistant.helpers.selector import (
    BooleanSelector,
    SelectSelector,
    SelectSelectorConfig,
)
import probatio as vol

from ..client.pool.choices import WithoutFlow
from ..const import (
    CONF_CONNECTION,
    CONF_DRUM_REPAIRS,
    CONF_HOLDS,
    CONF_WITHOUT_FLOW,
    Connection,
    HoldsEnd,
)
from ..options import DEFAULTS
from .forms import UserInput
from .guided import GuidedSteps


def _choice(key: str, values: type[StrEnum]) -> SelectSelector:
    return SelectSelector(
        SelectSelectorConfig(options=list(values), translation_key=key)
    )


_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_CONNECTION, default=DEFAULTS.connection): _choice(
            CONF_CONNECTION, Connection
        ),
        vol.Required(CONF_WITHOUT_FLOW, default=DEFAULTS.without_flow): _choice(
            CONF_WITHOUT_FLOW, WithoutFlow
        ),
        vol.Required(CONF_HOLDS, default=DEFAULTS.holds_end): _choice(
            CONF_HOLDS, HoldsEnd
        ),
        vol.Required(
            CONF_DRUM_REPAIRS, default=DEFAULTS.drum_repairs
        ): BooleanSelector(),
    }
)


class PoolctlOptionsFlow(GuidedSteps, OptionsFlowWithReload):
    """Asks how controllers are reached, what to show and what holds last; or checks them."""

    async def async_step_init(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Ask what it is about."""
        return self.async_show_menu(
            step_id="init", menu_options=["settings", "guided_check"]
        )

    async def async_step_settings(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Ask for all options."""
        if user_input is not None:
            return self.async_create_entry(data=user_input)
        return self.async_show_form(
            step_id="settings",
            data_schema=self.add_suggested_values_to_schema(
                _SCHEMA, self.config_entry.options
            ),
        )
