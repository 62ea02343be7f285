"""The sensor *Status*: whether all is well with a controller, else what to do."""

from dataclasses import dataclass
from typing import Final, override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
)

from ..client.pool.state import PoolState
from ..entity import PoolctlEntity, PoolctlEntityDescription
from ..status.problem import ALL_WELL, Active, Severity
from ..status.texts import next_step, sentence

ATTR_PROBLEMS: Final = "problems"


def _nothing(state: PoolState) -> None:
    """Return nothing: the status does not depend on the state of the pool alone."""


@dataclass(frozen=True, kw_only=True)
class PoolctlStatusDescription(PoolctlEntityDescription[str], SensorEntityDescription):
    """The status of a controller."""


STATUS: Final = (
    PoolctlStatusDescription(
        key="status",
        translation_key="status",
        device_class=SensorDeviceClass.ENUM,
        options=[ALL_WELL, *Severity],
        value_fn=_nothing,
    ),
)


class PoolctlStatus(PoolctlEntity[str], SensorEntity):
    """The worst problem of a controller; available even if the controller is not."""

    entity_description: PoolctlStatusDescription
    _unrecorded_attributes = frozenset({ATTR_PROBLEMS})

    @property
    @override
    def available(self) -> bool:
        return True

    @override
    def _read_value(self) -> str | None:
        return self.coordinator.status.value

    @override
    def _details(self) -> tuple[object, ...]:
        return *super()._details(), self.coordinator.status.problems

    @property
    @override
    def native_value(self) -> str | None:
        """Return the severity of the worst problem."""
        return self._value

    @property
    @override
    def extra_state_attributes(self) -> dict[str, list[dict[str, str]]]:
        """Return all problems, the worst first."""
        problems = self.coordinator.status.problems
        return {ATTR_PROBLEMS: [self._explained(problem) for problem in problems]}

    def _explained(self, problem: Active) -> dict[str, str]:
        return {
            "key": problem.key,
            "severity": problem.severity,
            "sentence": sentence(self.hass, problem),
            "next_step": next_step(self.hass, problem),
            "since": problem.since.isoformat(timespec="seconds"),
        }
