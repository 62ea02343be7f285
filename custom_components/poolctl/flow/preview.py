"""Preview of a discovered controller, shown before the user has signed in.

Its state is not verified and not stored: it only helps the user to decide whether to
sign in. Only numbers that we format are shown, no text from the controller.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
import time

from homeassistant.const import UnitOfTemperature
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.loader import async_get_integration
from homeassistant.util.hass_dict import HassKey

from ..client import (
    BusyError,
    FrameError,
    PoolctlError,
    UnreachableError,
    unverified_state,
)
from ..client.pool import MODE_OFF, Readings
from ..client.wire import StateFrame, Telemetry, decode_frame, decode_signals, plausible
from ..const import DOMAIN
from ..network.addresses import ObservedAddress
from ..status.texts import decimal

_TIMEOUT = 2.5
"""Seconds; a dialog waits for the preview."""
_INTERVAL = 60.0
"""Seconds between reads of a controller: any device can announce any address."""
_KEPT = 20
"""Maximum number of previews kept at once."""
_UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class Preview:
    """The step that shows a preview, and the placeholders of its text."""

    step_id: str = "confirm"
    placeholders: Mapping[str, str] = field(default_factory=dict)
    readings: str = ""
    """pH and water temperature, if reported, in a form that fits every language."""


NO_PREVIEW = Preview()

_PREVIEWS: HassKey[dict[str, tuple[float, asyncio.Task[Preview]]]] = HassKey(
    "poolctl_previews"
)
"""Start of the last preview of each controller (monotonic, s), and its task."""


async def async_preview(hass: HomeAssistant, observed: ObservedAddress) -> Preview:
    """Read the state of a discovered controller, once a minute, for up to 2.5 s."""
    previews, now = hass.data.setdefault(_PREVIEWS, {}), time.monotonic()
    for device_id, (began, _) in list(previews.items()):
        if now - began >= _INTERVAL:
            del previews[device_id]
    if (preview := previews.get(observed.device_id)) is None:
        if len(previews) >= _KEPT:
            return NO_PREVIEW
        task = hass.async_create_background_task(
            _async_read(hass, observed), "poolctl preview"
        )
        preview = previews[observed.device_id] = now, task
    # Closing one dialog must not cancel the preview of another one.
    return await asyncio.shield(preview[1])


async def _async_read(hass: HomeAssistant, observed: ObservedAddress) -> Preview:
    session = async_get_clientsession(hass)
    try:
        async with asyncio.timeout(_TIMEOUT):
            payload = await unverified_state(
                session, observed.host, observed.port, timeout=_TIMEOUT
            )
    except UnreachableError, BusyError, TimeoutError:
        return NO_PREVIEW
    except PoolctlError as err:
        return await _async_odd(hass, type(err).__name__)
    try:
        frame = decode_frame(payload)
    except FrameError:
        frame = None
    if frame is None or frame.telemetry is None:
        # The length and the first bytes show the reader of a report what is wrong.
        odd = f"{FrameError.__name__}, {len(payload)} bytes, {payload[:4].hex()}"
        return await _async_odd(hass, odd)
    reported = _shown(hass, frame, frame.telemetry)
    known = (("pH {}", reported["ph"]), ("{}", reported["water"]))
    readings = ", ".join(
        text.format(value) for text, value in known if value != _UNKNOWN
    )
    return Preview(step_id="confirm_seen", placeholders=reported, readings=readings)


async def _async_odd(hass: HomeAssistant, problem: str) -> Preview:
    integration = await async_get_integration(hass, DOMAIN)
    reported = {"problem": problem, "report_url": integration.issue_tracker or ""}
    return Preview(step_id="confirm_odd", placeholders=reported)


def _shown(
    hass: HomeAssistant, frame: StateFrame, telemetry: Telemetry
) -> dict[str, str]:
    """Return the values of a frame as texts without words, for every language."""
    readings = plausible(Readings, telemetry)
    stable = decode_signals(telemetry.flags, telemetry.flags2).chemistry_stable
    # Without flow, the probes are in still water (protocol.md O2.4).
    water = readings.water_temperature if stable else None
    ph = readings.ph if stable else None
    speed = 0.0 if telemetry.main_pump_mode == MODE_OFF else readings.pump_speed
    types = frame.configuration.aux_types if frame.configuration else None
    units = hass.config.units
    if water is not None:
        water = units.temperature(water, UnitOfTemperature.CELSIUS)
    return {
        # The number of outputs with equipment
        "outputs": _UNKNOWN if types is None else str(sum(map(bool, types))),
        "water": _UNKNOWN
        if water is None
        else f"{decimal(hass, water)} {units.temperature_unit}",
        "ph": _UNKNOWN if ph is None else decimal(hass, ph),
        "pump": _UNKNOWN if speed is None else f"{speed:.0f} %",
    }
