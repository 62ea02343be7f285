"""Sensor of the outputs that are held by hand against their schedules."""

from dataclasses import dataclass
from typing import Final, override

from homeassistant.components.sensor import SensorEntity, SensorEntityDescription
from homeassistant.components.sensor.const import SensorStateClass

from ..client.holds.evidence import held_outputs
from ..client.pool.state import PoolState
from ..entity import PoolctlEntity, PoolctlEntityDescription
from .outputs import OutputNames

ATTR_OUTPUTS: Final = "outputs"


@dataclass(frozen=True, kw_only=True)
class PoolctlHeldDescription(PoolctlEntityDescription[int], SensorEntityDescription):
    """Description of the sensor of held outputs."""


def _number(state: PoolState) -> int | None:
    return None if (held := held_outputs(state)) is None else len(held)


HELD = (
    PoolctlHeldDescription(
        key="held_outputs",
        translation_key="held_outputs",
        state_class=SensorStateClass.MEASUREMENT,
        value_fn=_number,
        assumed_fn=lambda state: state.outputs.assumed,
    ),
)


class PoolctlHeldOutputs(PoolctlEntity[int], SensorEntity):
    """Sensor of the number of held outputs, with their names."""

    entity_description: PoolctlHeldDescription
    shows_figures = False

    @override
    def _details(self) -> tuple[object, ...]:
        state = self.coordinator.data
        return *super()._details(), held_outputs(state), state.outputs.names

    @property
    @override
    def native_value(self) -> int | None:
        """Return the number of held outputs."""
        return self._value

    @property
    @override
    def extra_state_attributes(self) -> dict[str, list[str]]:
        """Return the names of the held outputs, as their entities are named."""
        names = OutputNames(self.coordinator, self.platform_data.platform_translations)
        held = held_outputs(self.coordinator.data) or ()
        return {ATTR_OUTPUTS: [names[slot.index] for slot in held]}
