"""Verify + decode of a state frame, beside the AES-CMAC and hex it cannot do without."""

from collections.abc import Callable
import time
from typing import Final

from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from custom_components.poolctl.client.envelope import unwrap
from custom_components.poolctl.client.frame import decode_frame
from tests.simulator import Controller, Pool

from .rows import Row

POLL: Final = 15.0
FRAMES: Final = 240
MOST: Final = 3.0
REASON: Final = (
    "the rest is Python objects: some 60 values of a frame become two frozen "
    "dataclasses and three tuples"
)


def rows(*, short: bool) -> list[Row]:
    """Measure interleaved, best of many: the two see the same machine."""
    controller = Controller(pool=Pool.full())
    key, frames = controller.key, _polled(controller)

    def needed(text: str) -> None:
        data = bytes.fromhex(text)
        mac = CMAC(AES(key))
        mac.update(data[:-4])
        mac.finalize()

    def all_of_it(text: str) -> None:
        decode_frame(unwrap(key, text).payload)

    least, whole = float("inf"), float("inf")
    for _ in range(40 if short else 300):
        least = min(least, _seconds(needed, frames))
        whole = min(whole, _seconds(all_of_it, frames))
    ratio = whole / least
    return [
        Row(
            "verify + decode of a 37-slot frame, to its AES-CMAC + hex",
            f"{ratio:.2f} x ({whole * 1e6:.1f} us)",
            f"<= {MOST:g} x",
            ratio <= MOST,
            REASON,
        )
    ]


def _polled(controller: Controller) -> list[str]:
    """Return what an hour of polls gets: telemetry changes, the rest now and then."""
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
