"""Options flow of an account."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import StrEnum
from math import inf

from homeassistant.config_entries import ConfigFlowResult, OptionsFlowWithReload
from homeassistant.const import CONF_DEVICE_ID
from homeassistant.helpers.selector import (
    BooleanSelector,
    EntitySelector,
    EntitySelectorConfig,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectSelector,
    SelectSelectorConfig,
)
import probatio as vol

from ..client.bounds import Within
from ..client.codec import to_stored
from ..client.pool import Role, Slot
from ..const import CONF_OWN_RANGES, CONF_USES
from ..devices.parts import Use, proposed_use
from ..devices.ranges import READINGS, Reading
from ..entity import SlotEntity, async_outputs
from ..network.record import stored_records
from ..options import Options, OwnRanges, options_of
from .forms import UserInput, choice


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
        if each.name not in (CONF_OWN_RANGES, CONF_USES)
    }
)


def _limits(reading: Reading) -> tuple[str, str]:
    """Return the names of the fields for a good range."""
    return f"{reading.key}_from", f"{reading.key}_to"


_RANGES = vol.Schema(
    {
        vol.Optional(name): NumberSelector(
            NumberSelectorConfig(
                min=reading.possible.low,
                max=reading.possible.high,
                step=10**-reading.digits,
                unit_of_measurement=reading.unit,
                mode=NumberSelectorMode.BOX,
            )
        )
        for reading in READINGS
        for name in _limits(reading)
    }
)


def _chosen(outputs: Mapping[str, str], answer: UserInput) -> list[tuple[str, Use]]:
    """Return the chosen outputs; one that was chosen for two uses occurs twice."""
    names = ((name, use) for use in Use for name in answer.get(use, ()))
    return [(outputs[name], use) for name, use in names if name in outputs]


class PoolctlOptionsFlow(OptionsFlowWithReload):
    """Asks for connection, readings, holds, good ranges and uses of outputs."""

    _device_id: str
    """Controller whose good ranges are asked for."""

    async def async_step_init(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Offer the settings, the good ranges, and the outputs if there are any."""
        pages = ["settings", "water", *["outputs"] * any(self._general())]
        return self.async_show_menu(step_id="init", menu_options=pages)

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

    async def async_step_water(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Ask for which controller the good ranges are, if there are several."""
        records, _ = stored_records(self.config_entry.data)
        if user_input is None and len(records) != 1:
            pools = [choice(each, found.title, None) for each, found in records.items()]
            chosen = SelectSelector(SelectSelectorConfig(options=pools))
            schema = vol.Schema({vol.Required(CONF_DEVICE_ID): chosen})
            return self.async_show_form(step_id="water", data_schema=schema)
        self._device_id = (user_input or {}).get(CONF_DEVICE_ID) or next(iter(records))
        return await self.async_step_ranges()

    async def async_step_ranges(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Ask for the good ranges of a pool; one that is left empty is the usual one."""
        known, errors = options_of(self.config_entry).own_ranges, {}
        records, _ = stored_records(self.config_entry.data)
        if user_input is None:
            own = known.get(self._device_id, {})
            user_input = {
                name: limit
                for reading in READINGS
                if (good := own.get(reading.key)) is not None
                for name, limit in zip(
                    _limits(reading), (good.low, good.high), strict=True
                )
            }
        else:
            entered = {}
            for reading in READINGS:
                low, high = _limits(reading)
                if not {low, high} & user_input.keys():
                    continue
                if user_input.get(low, inf) < user_input.get(high, -inf):
                    entered[reading.key] = Within(user_input[low], user_input[high])
                else:
                    errors[high] = "range_reversed"
            if not errors:
                known = {**known, self._device_id: entered}
                return self._save({CONF_OWN_RANGES: to_stored(known, OwnRanges)})
        return self.async_show_form(
            step_id="ranges",
            data_schema=self.add_suggested_values_to_schema(_RANGES, user_input),
            errors=errors,
            description_placeholders={"pool": records[self._device_id].title},
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
