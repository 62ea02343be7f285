"""The settings objects of a pool as JSON (protocol.md O3 and O4).

A settings command writes the whole object: the firmware sets missing values to 0.
"""

from dataclasses import dataclass
import math
import struct
from typing import Any, Final

from .pool import Pool
from .wire import CONFIGURATION, Json

_MOST: Final = {
    name: 256 ** struct.calcsize(f"<{code}") - 1 for name, code in CONFIGURATION
}
"""Largest value that a frame has room for, by setting."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a settings object: the setting behind it, or one bit of that."""

    setting: str
    bit: int | None = None  # a boolean; None: the whole number

    def read(self, pool: Pool) -> int | bool:
        value = int(pool.settings.get(self.setting, 0))
        return value if self.bit is None else bool(value >> self.bit & 1)

    def write(self, pool: Pool, value: Any) -> None:
        """Set from the JSON value; ValueError for one of the wrong type or size."""
        most = _MOST.get(self.setting, math.inf)
        if not isinstance(value, int) or not 0 <= value <= most:
            raise ValueError(f"{self.setting}: {value!r}")
        if self.bit is not None:
            others = int(pool.settings.get(self.setting, 0)) & ~(1 << self.bit)
            value = others | bool(value) << self.bit
        pool.settings[self.setting] = value


type Keys = dict[str, Key]

PH: Final[Keys] = {
    "desired_ph_level": Key("desired_ph"),
    "acid_drum_volume": Key("acid_drum"),
    "remain_acid_volume": Key("acid_remaining"),
    "ph_dosing": Key("ph_dosing", bit=0),
    "ph_dosing_time": Key("ph_dosing_time"),
    "max_ph_dose_per_day": Key("max_ph_doses"),
    "ph_dose_interval": Key("ph_dose_interval"),
    "ph_dose_rate": Key("ph_dose_rate"),
}
CHLORINE: Final[Keys] = {
    "desired_orp_level_mineral": Key("desired_orp_mineral"),
    "desired_orp_level_liquid": Key("desired_orp_liquid"),
    "chlorine_drum_volume": Key("chlorine_drum"),
    "remain_chlorine_volume": Key("chlorine_remaining"),
    "orp_controlled": Key("orp_flags", bit=0),
    "liquid_chlorine_dosing": Key("orp_flags", bit=1),
    "liquid_dose_time": Key("liquid_dose_time"),
    "liquid_dose_rate": Key("liquid_dose_rate"),
    "max_mineral_duration": Key("mineral_max_duration"),
}
TEMPERATURE: Final[Keys] = {
    "desire_pool_temp": Key("pool_target"),
    "desire_spa_temp": Key("spa_target"),
    "is_solar_heater_selected": Key("heating", bit=0),
    "is_pool_heater_selected": Key("heating", bit=1),
    "is_spa_heater_selected": Key("heating", bit=2),
}
_HEAT_SOURCES: Final = tuple(key for key in TEMPERATURE if key.startswith("is_"))


def read(pool: Pool, keys: Keys) -> Json:
    return {**{name: key.read(pool) for name, key in keys.items()}, **pool.more}


def write(pool: Pool, keys: Keys, body: Json) -> None:
    """Write a whole settings object, or change nothing if a value is invalid."""
    before = dict(pool.settings)
    try:
        for name, key in keys.items():
            key.write(pool, body.get(name, 0))
        pool.more = {name: body.get(name, 0) for name in pool.more}
    except ValueError:
        pool.settings = before
        raise


def read_ph(pool: Pool) -> Json:
    """Answer `get_ph_settings`."""
    return read(pool, PH) | {"current_dose_today": pool.acid.doses}


def read_chlorine(pool: Pool) -> Json:
    """Answer `get_chlorine_settings`."""
    return read(pool, CHLORINE) | {"current_dose_today": pool.chlorine.doses}


def read_temperature(pool: Pool) -> Json:
    """Answer `v2_temp_get`."""
    flags = {name: TEMPERATURE[name].read(pool) for name in _HEAT_SOURCES}
    settings = pool.settings
    return {
        "temperature": [
            {"category": "pool", "target_temp": int(settings["pool_target"]), **flags},
            {"category": "spa", "target_temp": int(settings["spa_target"])},
        ],
        **pool.probes,
    }


def read_lights(pool: Pool) -> Json:
    """Answer `get_pool_light_switch_mode`."""
    return {
        f"g_{group}_light_{what}": value
        for group, modes in pool.lights.items()
        for what, value in zip(("type_mode", "mode"), modes, strict=True)
    }


def write_ph(pool: Pool, body: Json) -> None:
    """Do `set_ph_settings`."""
    write(pool, PH, body)
    if body.get("reset_acid_volume"):
        pool.settings["acid_remaining"] = pool.settings["acid_drum"]


def write_chlorine(pool: Pool, body: Json) -> None:
    """Do `set_chlorine_settings`."""
    write(pool, CHLORINE, body)
    if body.get("reset_chlorine_volume"):
        pool.settings["chlorine_remaining"] = pool.settings["chlorine_drum"]


def write_temperature(pool: Pool, body: Json) -> None:
    """Do `v2_temp_set`."""
    write(pool, TEMPERATURE, body)
    pool.probes = {name: int(body.get(name, 0)) for name in pool.probes}
