"""Parts of a state frame that can be compared undecoded (layouts.md 2)."""

from .configuration import CONFIGURATION_HEAD
from .frame import (
    PUMP_TIMES,
    TELEMETRY_HEAD,
    TIMER,
    TIMERS_PRESENT,
    WHOLE,
    sections,
    telemetry_size,
)

_FLAGS_END = 2 + 1 + 2
_FLAGS2_AT = 2 + 1 + TELEMETRY_HEAD.size - 3
_SLOTS_AT = _FLAGS2_AT + 2
_TIMES_SIZE = PUMP_TIMES.size


def listed_lengths(payload: bytes) -> list[tuple[int, int]]:
    """Return actual and listed lengths (layouts.md 2) of the frame and each section.

    Raises FrameError if a length runs past the end.
    """
    telemetry, configuration, timers, end = sections(payload)
    lengths = [(len(payload), end)]
    if telemetry is not None:
        slots = telemetry[TELEMETRY_HEAD.size - 1 :][:1]
        lengths.append((len(telemetry), telemetry_size(slots[0]) if slots else 0))
    if configuration is not None:
        slots = configuration[CONFIGURATION_HEAD.size - 1 :][:1]
        size = CONFIGURATION_HEAD.size + slots[0] if slots else 0
        lengths.append((len(configuration), size))
    if timers is not None:
        lengths.append((len(timers), 1 + timers[0] * TIMER.size if timers else 1))
    return lengths


def without_readings(payload: bytes) -> bytes:
    """Return a frame without its measured values and running times.

    The rest changes only if an output, a setting or the layout does. A frame that lacks
    telemetry or configuration, or has telemetry of another length, stays as it is.
    """
    try:
        if payload[1] | TIMERS_PRESENT != WHOLE or payload[2] != telemetry_size(
            payload[_SLOTS_AT]
        ):
            return payload
        end = 3 + payload[2]
        timers = end + 2 + (payload[end] | payload[end + 1] << 8)
    except IndexError:
        return payload
    times = end - _TIMES_SIZE
    # The head of the timers, which contains their number, is kept.
    return payload[:_FLAGS_END] + payload[_FLAGS2_AT:times] + payload[end : timers + 2]
