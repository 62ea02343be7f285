"""Checks of the layout of a state frame (layouts.md 2): lengths, bits and codes."""

from collections.abc import Iterable, Iterator

from ..client.configuration import CONFIGURATION_HEAD, Configuration
from ..client.equipment import MAX_SLOTS
from ..client.exceptions import FrameError
from ..client.frame import (
    LISTED_FLAGS,
    LISTED_FLAGS2,
    MODES,
    RUNNING,
    TELEMETRY_HEAD,
    TIMER,
    VERSION,
    WHOLE,
    Telemetry,
    decode_frame,
    sections,
    telemetry_size,
)
from ..client.schedule import UNUSED_SLOT
from .evidence import Assumption

type Check = tuple[Assumption, tuple[str, ...]]
"""An assumption, and the observations that contradict it."""


def check_frame(payload: bytes, schedule_slots: tuple[int, ...]) -> Iterator[Check]:
    """Check a verified frame; `schedule_slots` has the slot of each schedule record."""
    if len(payload) < 2:
        yield Assumption.FRAME_SECTIONS, (f"{len(payload)} bytes",)
        return
    version = payload[0]
    odd = (f"version {version}",) if version != VERSION else ()
    yield Assumption.FRAME_VERSION, odd
    try:
        frame, (telemetry, configuration, timers, end) = (
            decode_frame(payload),
            sections(payload),
        )
    except FrameError:
        yield Assumption.FRAME_SECTIONS, ("a section runs past the end",)
        return
    yield Assumption.FRAME_SECTIONS, (*_odd_sections(payload, end),)
    if telemetry is not None and frame.telemetry is not None:
        yield from _check_telemetry(telemetry, frame.telemetry)
        yield from _check_modes(frame.telemetry.aux_modes or (), schedule_slots)
    if configuration is not None and frame.configuration is not None:
        yield from _check_configuration(configuration, frame.configuration)
    if timers is not None:
        count = int.from_bytes(timers[:1])
        yield Assumption.TIMERS_LENGTH, _other_length(timers, 1 + count * TIMER.size)


def _odd_sections(payload: bytes, end: int) -> Iterator[str]:
    if unknown := payload[1] & ~WHOLE:
        yield f"mask bits {unknown:#04x}"
    if end < len(payload):
        yield f"{len(payload) - end} bytes after the sections"


def _other_length(section: bytes, size: int) -> tuple[str, ...]:
    return () if len(section) == size else (f"{len(section)} bytes instead of {size}",)


def _check_telemetry(section: bytes, decoded: Telemetry) -> Iterator[Check]:
    if len(section) < TELEMETRY_HEAD.size:
        yield Assumption.TELEMETRY_LENGTH, (f"{len(section)} bytes",)
        return
    size = telemetry_size(section[TELEMETRY_HEAD.size - 1])
    yield Assumption.TELEMETRY_LENGTH, _other_length(section, size)
    unlisted = {
        "flags": (decoded.flags or 0) & ~LISTED_FLAGS,
        "flags2": (decoded.flags2 or 0) & ~LISTED_FLAGS2,
    }
    odd = (f"{name} {bits:#06x}" for name, bits in unlisted.items() if bits)
    yield Assumption.FLAGS, (*odd,)


def _check_modes(
    modes: Iterable[int], schedule_slots: tuple[int, ...]
) -> Iterator[Check]:
    """Check the modes, and that schedule modes are positions of schedules in use."""
    odd = sorted(set(modes) - MODES)
    yield Assumption.MODES, (*(f"mode {mode}" for mode in odd),)
    used = [i for i, slot in enumerate(schedule_slots, 1) if slot != UNUSED_SLOT]
    if used and (numbers := set(modes) & set(RUNNING)):
        wrong = sorted(numbers - {*used})
        odd_numbers = (f"number {number} of {used}" for number in wrong)
        yield Assumption.SCHEDULE_NUMBER, (*odd_numbers,)


def _check_configuration(section: bytes, decoded: Configuration) -> Iterator[Check]:
    if len(section) < CONFIGURATION_HEAD.size:
        yield Assumption.CONFIGURATION_LENGTH, (f"{len(section)} bytes",)
        return
    slots = section[CONFIGURATION_HEAD.size - 1]
    yield (
        Assumption.CONFIGURATION_LENGTH,
        _other_length(section, CONFIGURATION_HEAD.size + slots),
    )
    # General outputs may have any code; report codes above the table of layouts.md 2.4.
    odd = sorted(set(decoded.aux_types or ()) - set(range(MAX_SLOTS)))
    too_many = (f"{slots} slots",) if slots > MAX_SLOTS else ()
    yield Assumption.AUX_TYPES, (*too_many, *(f"code {code}" for code in odd))
