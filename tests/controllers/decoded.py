"""Describes what the current code decodes from recorded frames and replies."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
import struct
from typing import Final

from custom_components.poolctl.client.wire.commands import (
    decode_aux_names,
    decode_json,
    decode_pump_id,
    decode_schedules,
)
from custom_components.poolctl.client.wire.exceptions import FrameError, ReplyError
from custom_components.poolctl.client.wire.frame import StateFrame, decode_frame
from custom_components.poolctl.client.wire.spans import documented_spans
from tests.world.simulator.wire import CONFIGURATION, TELEMETRY, Table

from .report import Part

_BINARY: Final[Mapping[str, Callable[[bytes], object]]] = {
    "aux_names": decode_aux_names,
    "pump_id": decode_pump_id,
    "schedules": lambda payload: [
        schedule for schedule in decode_schedules(payload) if schedule.used
    ],
}


def newest_frame(part: Part) -> StateFrame | None:
    whole = None
    for payload in part.frames:
        try:
            frame = decode_frame(payload)
        except FrameError:
            continue
        if frame.telemetry is not None and frame.configuration is not None:
            whole = frame
    return whole


def has_listed_layout(payload: bytes) -> bool:
    """Return whether a frame has nothing but documented parts."""
    documented = sum(end - start for start, end in documented_spans(payload))
    return 0 < documented == len(payload)


def decoded(part: Part) -> Iterator[str]:
    """Describe what is decoded; show odd frames byte by byte beside the layout."""
    odd = [
        payload
        for payload in dict.fromkeys(part.frames)
        if not has_listed_layout(payload)
    ]
    yield f"{len(part.frames)} frames, {len(odd)} of them of another layout"
    for payload in odd:
        yield from beside_layout(payload)
    if (frame := newest_frame(part)) is not None:
        for section in (frame.telemetry, frame.configuration):
            if section is not None:
                yield from (
                    f"  {name} = {value}" for name, value in asdict(section).items()
                )
        yield f"  timers = {frame.timers}"
    for name, payload in part.replies.items():
        yield f"reply to {name}: {_reply(name, payload)}"


def _reply(name: str, payload: bytes) -> str:
    try:
        return str(_BINARY.get(name, decode_json)(payload))
    except ReplyError as err:
        return f"{err}: {payload.hex(' ')}"


def beside_layout(payload: bytes) -> Iterator[str]:
    """Show the bytes of a frame, each with the name that protocol.md O2 gives it."""
    yield f"  {len(payload)} bytes:"
    at = 0
    for name, size in _names(payload):
        data = payload[at : at + size]
        value = int.from_bytes(data, "little") if 0 < len(data) <= 4 else ""
        yield f"  {at:4} {data.hex(' '):24} {name} {value}".rstrip()
        at += size
        if at >= len(payload):
            return
    yield f"  {at:4} {payload[at:].hex(' ')} is not part of the layout"


def _names(payload: bytes) -> Iterator[tuple[str, int]]:
    """Yield the names of protocol.md O2 and their sizes, as far as the frame goes."""
    mask = payload[1] if len(payload) > 1 else 0
    yield "version", 1
    yield "sections", 1
    at = 2
    for bit, size, table in ((1, 1, TELEMETRY), (2, 2, CONFIGURATION), (4, 1, ())):
        if not mask & bit:
            continue
        length = int.from_bytes(payload[at : at + size], "little")
        yield f"length of section {'ABC'[bit >> 1]}", size
        yield from _fields(table, length)
        at += size + length


def _fields(table: Table, length: int) -> Iterator[tuple[str, int]]:
    for name, code in table:
        size = struct.calcsize(f"<{code}")
        if size > length:
            break
        yield name, size
        length -= size
    if length:
        yield "slots, or more", length
