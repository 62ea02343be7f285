"""Which bytes of a state frame are documented, for reports that mask the others."""

from .exceptions import FrameError
from .frame import (
    CONFIGURATION_HEAD,
    SECTIONS,
    TELEMETRY_HEAD,
    TIMER,
    sections,
    slots_in,
    telemetry_head,
    telemetry_size,
)


def documented_spans(payload: bytes) -> list[tuple[int, int]]:
    """Return the starts and ends of the documented parts of a state frame, in order.

    There are none in a payload without sections, which may be the reply to a query.
    """
    try:
        *found, _ = sections(payload)
    except FrameError:
        return []
    telemetry, configuration, timers = found
    slots = slots_in(configuration)
    documented = (
        telemetry_spans(telemetry, slots),
        [] if slots is None else [(0, CONFIGURATION_HEAD + slots)],
        [(0, 1 + timers[0] * TIMER.size)] if timers else [],
    )
    spans, at = [(0, 2)], 2
    for (_, size), section, parts in zip(SECTIONS, found, documented, strict=True):
        if section is not None:
            start, at = at + size, at + size + len(section)
            spans.append((start - size, start))
            spans += [(start + a, start + b) for a, b in parts if start + b <= at]
    return spans if at > 2 else []


def telemetry_spans(section: bytes | None, slots: int | None) -> list[tuple[int, int]]:
    """Return the documented parts of section A: values, then slots with pump times."""
    head = None if section is None else telemetry_head(section, slots)
    if section is None or head is None or len(section) < head:
        return []
    end = head - TELEMETRY_HEAD + telemetry_size(section[head - 1])
    return [(0, TELEMETRY_HEAD - 1), (head - 1, end)]
