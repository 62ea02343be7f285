"""Section B of a state frame: the configuration (protocol.md O2.2, observed)."""

from dataclasses import dataclass, fields
from functools import lru_cache

from .layout import BYTE, WORD, Between, Layout, Row, Section, bits, flagged, skip

# Bounds wide enough for any pool (chosen).
PH = Between(0.1, 14)
DESIRED_ORP = Between(1, 0xFFFE)
"""Possible values in mV."""
VOLUME = Between(0, 0xFFFF_FFFE)
"""Possible values in mL."""
_TARGET = Between(1, 0xFE)
_DOSES = Between(1, 0xFE)


@dataclass(frozen=True, slots=True)
class InstallerSettings:
    """Settings of the installer in the vendor's app; only displayed.

    The values are as received: their units are not documented.
    """

    pool_size: int | None = None
    prime_time: int | None = None
    preset_speeds: tuple[int, ...] | None = None
    """Six speeds of the pump, from "start" to "cleaner"."""
    backwash_pressure: int | None = None
    min_flow: int | None = None
    min_pressure: int | None = None
    heater_cooldown: int | None = None
    spa_heater_cooldown: int | None = None
    solar_hysteresis: int | None = None
    """A temperature."""
    solar_hysteresis_time: int | None = None
    acid_dosing_time: int | None = None
    acid_dose_interval: int | None = None
    acid_dose_rate: int | None = None
    liquid_dose_time: int | None = None
    """Dose time of the liquid chlorine doser; `liquid_dose_rate` is its rate."""
    liquid_dose_rate: int | None = None
    water_offset: int | None = None
    """Offset of a temperature sensor, as is `ambient_offset`."""
    ambient_offset: int | None = None


@dataclass(frozen=True, slots=True)
class Configuration(InstallerSettings):
    """The used fields of section B; a field without a value is `None`."""

    pool_target: int | None = None
    """°C."""
    spa_target: int | None = None
    """°C."""
    solar_selected: bool | None = None
    pool_heater_selected: bool | None = None
    spa_heater_selected: bool | None = None
    desired_ph: float | None = None
    acid_drum_ml: float | None = None
    acid_remaining_ml: float | None = None
    max_ph_doses: int | None = None
    """Maximum number of pH doses a day."""
    desired_orp_mineral: float | None = None
    """mV."""
    desired_orp_liquid: float | None = None
    """mV."""
    chlorine_drum_ml: float | None = None
    chlorine_remaining_ml: float | None = None
    schedules_enabled: tuple[int, ...] | None = None
    """Indices of the enabled schedules, counted from 0."""
    firmware: str | None = None
    aux_types: tuple[int, ...] | None = None
    """Aux type code of each slot (protocol.md O2.4)."""


CONFIGURATION_HEAD = Layout(
    Row("pool_size", "B", 1, BYTE),
    skip(3),  # electricity cost, max run current
    Row("prime_time", "H", 1, WORD),
    Row("preset_speeds", "6s"),
    Row("backwash_pressure", "H", 1, WORD),
    skip(2),  # flow retry time and cycles
    Row("min_flow", "H", 1, WORD),
    Row("min_pressure", "h"),
    Row("pool_target", "B", 1, _TARGET),
    Row("spa_target", "B", 1, _TARGET),
    Row("heating_flags", "B"),
    Row("heater_cooldown", "H", 1, WORD),
    Row("spa_heater_cooldown", "H", 1, WORD),
    Row("solar_hysteresis", "B", 1, BYTE),
    Row("solar_hysteresis_time", "H", 1, WORD),
    skip(5),  # ambient hysteresis time, solar flush time, pH dosing
    Row("acid_dosing_time", "H", 1, WORD),
    Row("desired_ph", "B", 10, PH),
    Row("acid_drum_ml", "I", 1, VOLUME),
    Row("acid_remaining_ml", "I", 1, VOLUME),
    Row("max_ph_doses", "B", 1, _DOSES),
    Row("acid_dose_interval", "H", 1, WORD),
    Row("acid_dose_rate", "H", 1, WORD),
    skip(1),  # ORP flags
    Row("desired_orp_mineral", "H", 1, DESIRED_ORP),
    skip(4),  # mineral max duration
    Row("desired_orp_liquid", "H", 1, DESIRED_ORP),
    Row("liquid_dose_time", "H", 1, WORD),
    Row("chlorine_drum_ml", "I", 1, VOLUME),
    Row("chlorine_remaining_ml", "I", 1, VOLUME),
    Row("liquid_dose_rate", "H", 1, WORD),
    skip(6),  # setpoints of chlorine save and ozone save, light modes
    Row("water_offset", "h"),
    Row("ambient_offset", "h"),
    Row("schedules_enabled", "I"),
    Row("firmware", "3s"),
    Row("slots", "B"),  # number of slots; their aux type codes follow
)
_HEATING_FLAGS = {
    "solar_selected": 0,
    "pool_heater_selected": 1,
    "spa_heater_selected": 2,
}
_ROWS = [row.name for row in CONFIGURATION_HEAD.rows]
_fields = {field.name for field in fields(InstallerSettings)}
_installer = [name for name in _ROWS if name in _fields]
_own = [name for name in _ROWS if name not in _fields]
INSTALLER = Section(InstallerSettings, _installer, CONFIGURATION_HEAD)
CONFIGURATION = Section(
    Configuration,
    [*_installer, *_own[:2], *_HEATING_FLAGS, *_own[3:-1], "aux_types"],
    CONFIGURATION_HEAD,
)


@lru_cache(maxsize=64)
def decode_configuration(data: bytes) -> Configuration:
    """Return the content of a section B."""
    values = dict(zip(_ROWS, CONFIGURATION_HEAD.unpack(data), strict=True))
    heating, slots = values.pop("heating_flags"), values.pop("slots")
    speeds, schedules, firmware = (
        values.pop(name) for name in ("preset_speeds", "schedules_enabled", "firmware")
    )
    selected = flagged(heating, _HEATING_FLAGS.values())
    types = data[CONFIGURATION_HEAD.size :]
    return Configuration(
        **values,
        **dict(zip(_HEATING_FLAGS, selected, strict=True)),
        preset_speeds=None if speeds is None else tuple(speeds),
        schedules_enabled=None if schedules is None else bits(schedules),
        firmware=None if firmware is None else ".".join(map(str, firmware)),
        aux_types=None if slots is None or slots > len(types) else tuple(types[:slots]),
    )
