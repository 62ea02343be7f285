"""The flight recorder: its time in a poll, and its memory when it is full."""

import itertools
import time
import tracemalloc
from typing import Final

from custom_components.poolctl.client.facts import Facts, Frame, LanRequest
from custom_components.poolctl.client.wire.envelope import unwrap
from custom_components.poolctl.client.wire.http import Response
from custom_components.poolctl.report.recorder import REPEATED_AFTER, Recorder
from tests.world.simulator import Controller, Pool

from .rows import Row, at_most, only_a_figure

POLL: Final = 15.0
MOST: Final = 100.0
"""Maximum memory in KiB."""


def rows(*, short: bool) -> list[Row]:
    """Measure an hour of polls, best of many, then the memory of many events."""
    controller = Controller(pool=Pool.full())
    payload = unwrap(controller.key, controller.signed_state("state").hex()).payload
    response = Response(200, {}, b"")
    request = LanRequest("state", "", None, response, payload, 0.1, None)
    best = float("inf")
    for _ in range(20 if short else 100):
        facts = Facts()
        Recorder(facts)
        frames = [Frame(number, payload, number * POLL, False) for number in range(240)]
        started = time.perf_counter()
        for frame in frames:
            facts.emit(frame)
            facts.emit(request)
        best = min(best, (time.perf_counter() - started) / len(frames))
    kept = _memory(payload)
    full = "memory of a full flight recorder"
    return [
        only_a_figure("flight recorder in a poll", f"{best * 1e6:.1f} us"),
        at_most(full, kept, MOST, " KiB", f"{kept:.0f} KiB"),
    ]


def _memory(payload: bytes) -> float:
    tracemalloc.start()
    facts = Facts()
    recorder = Recorder(facts)
    for number, size in zip(range(2000), itertools.cycle((20, 223, 60)), strict=False):
        part = payload[:2] + number.to_bytes(2) + payload[4:size]
        facts.emit(Frame(number, part, number * REPEATED_AFTER, False))
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert recorder.as_list()
    return kept / 1024
