"""The main pump: its mode, priming when it starts, and run-on after heating."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from .dialects import Dialect

OFF: Final = 0
MANUAL: Final = 99
DRY_RUN_NORMAL: Final = 3  # normal dry-run status; any other is a problem
LOWEST, HIGHEST, STEP = 40, 100, 5  # % (protocol.md O3)
PRIME_TIME: Final = 240.0  # s at full speed (unknowns L19)
TURNS: Final = 20.0  # s until the motor turns


@dataclass(slots=True)
class Pump:
    """The motor, and why it runs (`mode`: protocol.md O2.1, main pump mode)."""

    mode: int = OFF
    asked: int = 75  # speed in % when it runs
    priming: float = 0.0  # seconds left
    run_on: float = 0.0  # seconds left after a heater
    dialects: AbstractSet[str] = frozenset()
    # 0: running dry, 1: retries exceeded; the simulation itself never changes it
    dry_run_status: int = DRY_RUN_NORMAL
    effort: float = 1.0  # share of the usual power

    @property
    def running(self) -> bool:
        """Whether the motor turns, by its mode or in the run-on."""
        return self.mode != OFF or self.run_on > 0

    @property
    def speed(self) -> int:
        """Speed in %; it primes at the requested speed (chosen), or at full speed."""
        if self.priming and Dialect.PRIMES_AT_FULL_SPEED in self.dialects:
            return HIGHEST if self.priming <= PRIME_TIME - TURNS else 0
        return self.asked if self.running else 0

    def slot_mode(self, mode: int) -> int:
        """Return the mode that its slot reports; it can be wrong (protocol.md O2.4)."""
        primes = self.priming > 0 and Dialect.PRIMES_AT_FULL_SPEED in self.dialects
        runs_on = self.run_on > 0 and Dialect.RUNS_ON_MANUAL in self.dialects
        return MANUAL if primes or runs_on else mode

    def ask(self, mode: int, *, prime_time: float, run_on: float) -> None:
        """Change the mode, which may start or stop the motor."""
        if mode == OFF and self.mode != OFF:
            self.priming, self.run_on = 0.0, run_on
        elif mode != OFF and not self.running:
            full = Dialect.PRIMES_AT_FULL_SPEED in self.dialects
            self.priming = PRIME_TIME if full else prime_time
        if mode != OFF:
            self.run_on = 0.0
        self.mode = mode

    def step(self, seconds: float) -> None:
        self.priming = max(0.0, self.priming - seconds)
        self.run_on = max(0.0, self.run_on - seconds)


def valid_speed(speed: int) -> bool:
    return LOWEST <= speed <= HIGHEST and speed % STEP == 0
