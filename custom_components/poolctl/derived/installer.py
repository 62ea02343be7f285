"""Settings of an installer in the vendor's app: read-only, to compare with the app.

Only LAN frames report them, without units (layouts.md 2.2, observed).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import override

from homeassistant.components.sensor import SensorEntity, SensorEntityDescription
from homeassistant.const import EntityCategory

from ..client.configuration import InstallerSettings
from ..client.equipment import (
    LIQUID_CHLORINE,
    PH_DOSERS,
    POOL_HEATERS,
    SOLAR,
    SPA_HEATERS,
)
from ..entity import PoolctlEntity, PoolctlEntityDescription


@dataclass(frozen=True, kw_only=True)
class PoolctlInstallerDescription(
    PoolctlEntityDescription[int], SensorEntityDescription
):
    """Description of one setting."""


def _row(
    key: str,
    read: Callable[[InstallerSettings], int | None],
    fitted: frozenset[int] | None = None,
) -> PoolctlInstallerDescription:
    return PoolctlInstallerDescription(
        key=key,
        translation_key=key,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        fitted=fitted,
        once_reported=True,
        value_fn=lambda state: read(state.installer),
    )


def _preset_speed(index: int) -> PoolctlInstallerDescription:
    """Return one of six speeds; only the first and the last are documented."""
    number = str(index + 1)
    row = _row(
        f"preset_speed_{number}",
        lambda s: None if s.preset_speeds is None else s.preset_speeds[index],
    )
    return replace(
        row,
        translation_key="preset_speed",
        translation_placeholders={"number": number},
    )


INSTALLER = (
    _row("pool_size", lambda s: s.pool_size),
    _row("prime_time", lambda s: s.prime_time),
    *map(_preset_speed, range(6)),
    _row("backwash_pressure", lambda s: s.backwash_pressure),
    _row("min_flow", lambda s: s.min_flow),
    _row("min_pressure", lambda s: s.min_pressure),
    _row("heater_cooldown", lambda s: s.heater_cooldown, POOL_HEATERS),
    _row("spa_heater_cooldown", lambda s: s.spa_heater_cooldown, SPA_HEATERS),
    _row("solar_hysteresis", lambda s: s.solar_hysteresis, SOLAR),
    _row("solar_hysteresis_time", lambda s: s.solar_hysteresis_time, SOLAR),
    _row("acid_dosing_time", lambda s: s.acid_dosing_time, PH_DOSERS),
    _row("acid_dose_interval", lambda s: s.acid_dose_interval, PH_DOSERS),
    _row("acid_dose_rate", lambda s: s.acid_dose_rate, PH_DOSERS),
    _row("liquid_dose_time", lambda s: s.liquid_dose_time, LIQUID_CHLORINE),
    _row("liquid_dose_rate", lambda s: s.liquid_dose_rate, LIQUID_CHLORINE),
    _row("water_offset", lambda s: s.water_offset),
    _row("ambient_offset", lambda s: s.ambient_offset),
)


class PoolctlInstallerSetting(PoolctlEntity[int], SensorEntity):
    """Sensor of one setting, in the units of the wire."""

    entity_description: PoolctlInstallerDescription

    @property
    @override
    def native_value(self) -> int | None:
        """Return the value of the setting."""
        return self._value
