"""Options flow of an account."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import StrEnum

from homeassistant.config_entries import ConfigFlowResult, OptionsFlowWithReload
from homeassistant.helpers.selector import (
    BooleanSelector,
    EntitySelector,
    EntitySelectorConfig,
    SelectSelector,
    SelectSelectorConfig,
)
import probatio as vol

from ..client.pool import Role, Slot
from ..const import CONF_USES
from ..devices.parts import Use, proposed_use
from ..entity import SlotEntity, async_outputs
from ..options import Options, options_of
from .forms import UserInput


def _selector(name: str, default: object) -> SelectSelector | BooleanSelector:
    if not isinstance(default, StrEnum):
        return BooleanSelector()
    return SelectSelector(
        SelectSelectorConfig(options=[*type(default)], translation_key=name)
    )


_SCHEMA = vol.Schema(
    {
        vol.Required(each.name, default=each.default): _selector(
            each.name, each.default
        )
        for each in fields(Options)
        if each.name != CONF_USES
    }
)


def _chosen(outputs: Mapping[str, str], answer: UserInput) -> list[tuple[str, Use]]:
    """Return the chosen outputs; one that was chosen for two uses occurs twice."""
    names = ((name, use) for use in Use for name in answer.get(use, ()))
    return [(outputs[name], use) for name, use in names if name in outputs]


class PoolctlOptionsFlow(OptionsFlowWithReload):
    """Asks for connection, readings, holds and uses of outputs."""

    async def async_step_init(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Offer the settings and the outputs, or the settings alone."""
        if not any(self._general()):
            return await self.async_step_settings()
        return self.async_show_menu(
            step_id="init", menu_options=["settings", "outputs"]
        )

    async def async_step_settings(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Ask for the general options."""
        if user_input is not None:
            return self._save(user_input)
        return self.async_show_form(
            step_id="settings",
            data_schema=self.add_suggested_values_to_schema(
                _SCHEMA, self.config_entry.options
            ),
        )

    async def async_step_outputs(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Ask for the uses of general outputs, which the controller does not report."""
        outputs = {each.entity_id: str(each.unique_id) for each, _ in self._general()}
        uses, errors = self._uses(), {}
        if user_input is None:
            user_input = {
                use: [name for name, key in outputs.items() if uses.get(key) is use]
                for use in Use
            }
        else:
            chosen = _chosen(outputs, user_input)
            if len(dict(chosen)) == len(chosen):
                others = uses.keys() - outputs.values()
                kept = {key: use for key, use in uses.items() if key in others}
                return self._save({CONF_USES: {**kept, **dict(chosen)}})
            errors["base"] = "output_twice"
        selector = EntitySelector(
            EntitySelectorConfig(include_entities=list(outputs), multiple=True)
        )
        schema = vol.Schema({vol.Optional(use.value): selector for use in Use})
        return self.async_show_form(
            step_id="outputs",
            data_schema=self.add_suggested_values_to_schema(schema, user_input),
            errors=errors,
        )

    def _general(self) -> Iterator[tuple[SlotEntity, Slot]]:
        for entity in async_outputs(self.hass):
            if (
                entity.coordinator.config_entry is self.config_entry
                and isinstance(entity, SlotEntity)
                and (slot := entity.slot) is not None
                and slot.role is Role.GENERAL
            ):
                yield entity, slot

    def _uses(self) -> Mapping[str, Use]:
        """Return uses by unique ID: the chosen ones, by default those that names show."""
        if (uses := options_of(self.config_entry).uses) is not None:
            return uses
        return {
            str(entity.unique_id): use
            for entity, slot in self._general()
            if (use := proposed_use(slot.name)) is not None
        }

    def _save(self, changed: UserInput) -> ConfigFlowResult:
        return self.async_create_entry(data={**self.config_entry.options, **changed})
