"""CPU time of a polled state frame, compared with its indispensable AES-CMAC and hex.

This includes verifying and decoding the frame, and its facts with all listeners.
"""

from collections.abc import Callable
import itertools
import time
from typing import Final

from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from custom_components.poolctl.client.facts import Frame, LanRequest, Poll
from custom_components.poolctl.client.wire.envelope import unwrap
from custom_components.poolctl.client.wire.frame import decode_frame
from custom_components.poolctl.client.wire.http import Response
from custom_components.poolctl.report.statistics import Observers
from tests.world.simulator import Controller, Pool

from .rows import Row, only_a_figure

POLL: Final = 15.0
FRAMES: Final = 240


def rows(*, short: bool) -> list[Row]:
    """Measure both in turn, best of many: the load of the machine is then the same."""
    controller = Controller(pool=Pool.full())
    key, frames = controller.key, _polled(controller)

    def needed(text: str) -> None:
        data = bytes.fromhex(text)
        mac = CMAC(AES(key))
        mac.update(data[:-4])
        mac.finalize()

    facts, counters = Observers().facts(controller.device_id), itertools.count()
    response = Response(200, {}, b"")

    def observed(text: str) -> None:
        payload = unwrap(key, text).payload
        facts.emit(Frame(next(counters), payload, time.time(), False))
        decode_frame(payload)
        facts.emit(LanRequest("state", "", None, response, payload, 0.1, None))
        facts.emit(Poll(True, 0.1, None))

    least = polled = float("inf")
    for _ in range(40 if short else 300):
        least = min(least, _seconds(needed, frames))
        polled = min(polled, _seconds(observed, frames))
    ratio = polled / least
    name = "verify + decode + facts of a 37-slot frame, to its AES-CMAC + hex"
    figure = f"{ratio:.2f} x ({polled * 1e6:.1f} us)"
    return [only_a_figure(name, figure)]


def _polled(controller: Controller) -> list[str]:
    """Return an hour of polled frames: telemetry changes, the rest now and then."""
    frames = []
    for _ in range(FRAMES):
        controller.clock.advance(POLL)
        frames.append(controller.signed_state("state").hex())
    return frames


def _seconds(work: Callable[[str], None], frames: list[str]) -> float:
    started = time.perf_counter()
    for frame in frames:
        work(frame)
    return (time.perf_counter() - started) / len(frames)
