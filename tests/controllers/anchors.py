"""Compares values that an owner read in the vendor's app with the decoded ones.

Only this reveals a wrong scale: evidence counts lengths, codes and keys.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from custom_components.poolctl.client.wire.commands import decode_schedules
from custom_components.poolctl.client.wire.frame import (
    MODE_OFF,
    Configuration,
    Telemetry,
)

from .decoded import newest_frame
from .report import Part, ReportError


@dataclass(frozen=True, slots=True)
class _Decoded:
    telemetry: Telemetry
    configuration: Configuration
    schedules: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Anchor:
    """How to read a value of the app from a report, and its tolerance."""

    value: Callable[[_Decoded], object]
    tolerance: float = 0.0


def _litres(volume: float | None) -> float | None:
    return None if volume is None else volume / 1000


ANCHORS: Final[Mapping[str, Anchor]] = {
    "ph": Anchor(lambda it: it.telemetry.ph, 0.1),
    "orp": Anchor(lambda it: it.telemetry.orp, 10),
    "water": Anchor(lambda it: it.telemetry.water_temperature, 0.5),
    "ambient": Anchor(lambda it: it.telemetry.ambient_temperature, 1),
    "speed": Anchor(lambda it: it.telemetry.pump_speed, 1),
    "running": Anchor(
        lambda it: sum(mode != MODE_OFF for mode in it.telemetry.aux_modes or ())
    ),
    "pool_target": Anchor(lambda it: it.configuration.pool_target),
    "spa_target": Anchor(lambda it: it.configuration.spa_target),
    "ph_target": Anchor(lambda it: it.configuration.desired_ph, 0.01),
    "orp_target": Anchor(
        lambda it: (
            it.configuration.desired_orp_liquid or it.configuration.desired_orp_mineral
        )
    ),
    "acid_left": Anchor(lambda it: _litres(it.configuration.acid_remaining_ml), 0.5),
    "chlorine_left": Anchor(
        lambda it: _litres(it.configuration.chlorine_remaining_ml), 0.5
    ),
    "schedules": Anchor(lambda it: it.schedules),
}
"""Anchors by the name that an owner writes; °C, mV, %, L; `running` counts outputs."""


def read_anchors(path: Path) -> dict[str, Any]:
    """Read a YAML file of anchors; raise ReportError if a name is not an anchor."""
    try:
        anchors = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as err:
        raise ReportError(f"the anchors cannot be read: {err}") from None
    return checked(anchors)


def checked(anchors: object) -> dict[str, Any]:
    """Return anchors; raise ReportError if a name is not an anchor."""
    if not isinstance(anchors, dict) or not anchors or anchors.keys() - ANCHORS.keys():
        raise ReportError(f"anchors are {', '.join(ANCHORS)}")
    return anchors


def compared(part: Part) -> Iterator[tuple[str, object, object, bool]]:
    """Yield name, value in the app, decoded value and agreement of each anchor."""
    frame = newest_frame(part)
    if not part.anchors or frame is None:
        return
    assert frame.telemetry is not None and frame.configuration is not None
    ours = _Decoded(frame.telemetry, frame.configuration, _schedules(part))
    for name, noted in checked(part.anchors).items():
        anchor = ANCHORS[name]
        value = anchor.value(ours)
        yield name, noted, value, _same(noted, value, anchor.tolerance)


def _same(noted: object, value: object, tolerance: float) -> bool:
    if isinstance(noted, int | float) and isinstance(value, int | float):
        return abs(noted - value) <= tolerance + 1e-9
    if isinstance(noted, list) and isinstance(value, tuple):
        return sorted(map(str, noted)) == sorted(value)
    if isinstance(noted, int) and isinstance(value, tuple):
        return noted == len(value)
    return noted == value


def _schedules(part: Part) -> tuple[str, ...] | None:
    """Return `08:00-12:00` for each schedule in use."""
    if (payload := part.replies.get("schedules")) is None:
        return None
    return tuple(
        f"{_time(each.start)}-{_time(each.end)}"
        for each in decode_schedules(payload)
        if each.used
    )


def _time(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
