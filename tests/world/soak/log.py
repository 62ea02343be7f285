"""Watches for unexpected log lines."""

from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
import logging
import re
from typing import Final, override

OURS: Final = "custom_components.poolctl"

LOST_OR_BACK: Final = re.compile(
    r"Error fetching (?P<lost>.+?) data: .+|Fetching (?P<back>.+) data recovered"
)

# All other lines at INFO and above that are allowed, by their loggers.
EXPECTED: Final[tuple[tuple[str, str], ...]] = (
    (f"{OURS}.client.counters", r"The controller restarted its message counter"),
    # The counter of another client is ahead (protocol.md L1).
    (f"{OURS}.client.control.lan_delivery", r"Another client signs commands ahead"),
    (f"{OURS}.client.control.live_state", r".+ was accepted but never took effect"),
    (f"{OURS}.report.statistics", r"The controller sends state frames of version"),
    (f"{OURS}.report.statistics", r"The controller answers in a form that is not"),
    (f"{OURS}.account", r"Authentication failed while fetching pool account data"),
    (f"{OURS}.config_flow", r"Successfully authenticated"),
    (f"{OURS}.network.recovery", r".+ has a new (address|envelope key)"),
    # The controller's clock differs (protocol.md L17).
    (f"{OURS}.client.holds.holds", r"Schedule of slot \d+ ran on after its end"),
    # Home Assistant itself repeats a reload during which nothing answers.
    (OURS, r"Config entry '.+' for poolctl .+ not ready yet"),
)


class LogWatch(logging.Handler):
    """Reads log lines: the integration's from DEBUG on, all others from WARNING on."""

    def __init__(
        self,
        secrets: Callable[[], Iterable[str]],
        note: Callable[[str], None],
        counts: Counter[str],
    ) -> None:
        """Read nothing yet; lines that are not allowed are noted, lines counted."""
        super().__init__()
        self._secrets, self._note, self._counts = secrets, note, counts
        self._is_lost: dict[str, bool] = {}

    def started_anew(self) -> None:
        """Forget what was lost: after a start, nothing says that it is back."""
        self._is_lost.clear()

    @contextmanager
    def reading(self) -> Generator[None]:
        """Read the log during the block; the integration's lines go nowhere else."""
        ours, root = logging.getLogger(OURS), logging.getLogger()
        level, propagate = ours.level, ours.propagate
        # The access log cannot format its times while time is frozen.
        logging.getLogger("aiohttp.access").setLevel(logging.CRITICAL)
        ours.setLevel(logging.DEBUG)
        ours.propagate = False
        ours.addHandler(self)
        root.addHandler(self)
        try:
            yield
        finally:
            ours.removeHandler(self)
            root.removeHandler(self)
            ours.setLevel(level)
            ours.propagate = propagate

    @override
    def emit(self, record: logging.LogRecord) -> None:
        ours = record.name.startswith(OURS)
        if not ours and record.levelno < logging.WARNING:
            return
        self._counts["log lines"] += 1
        text = self.format(record)
        if any(secret in text for secret in self._secrets()):
            self._note(f"a secret in a line of {record.name}: {record.msg!r}")
        if record.levelno < logging.INFO:
            return
        if ours and (change := LOST_OR_BACK.fullmatch(text)):
            self._turn(change["lost"] or change["back"], bool(change["lost"]))
        elif not any(
            record.name == name and re.match(expected, text)
            for name, expected in EXPECTED
        ):
            self._note(f"{record.levelname} {record.name}: {text}")

    def _turn(self, who: str, lost: bool) -> None:
        """Lost and back must alternate; the first line after a start may be either.

        A first read that fails is not logged, so what is read later counts as back.
        """
        what = f"{who} is {'lost' if lost else 'back'}"
        self._counts[what] += 1
        if self._is_lost.get(who, not lost) is lost:
            self._note(f"{what}, said twice")
        self._is_lost[who] = lost
