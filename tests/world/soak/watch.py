"""Watches for unexpected log lines, and for resources that grow."""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
import gc
import linecache
import logging
import re
import sys
import time
from typing import Any, Final, override

import psutil  # type: ignore[import-untyped]

OURS: Final = "custom_components.poolctl"

LOST: Final = re.compile(r"Error fetching (?P<who>.+?) data: .+")
BACK: Final = re.compile(r"Fetching (?P<who>.+) data recovered")

# All other lines at INFO and above that are allowed, by their loggers.
EXPECTED: Final[tuple[tuple[str, str], ...]] = (
    (f"{OURS}.client.counters", r"The controller restarted its message counter"),
    (f"{OURS}.client.control.store", r".+ was accepted but never took effect"),
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
    """Reads log lines: the integration's from DEBUG on, all others from WARNING on.

    A first read that fails is not logged, so what is read later counts as recovered.

    `wrong` collects the lines that are not allowed, `counts` counts the others.
    """

    def __init__(self, secrets: Callable[[], Iterable[str]]) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.counts: Counter[str] = Counter()
        self.lines = 0
        self._secrets = secrets
        self._is_lost: dict[str, bool] = {}

    def started_anew(self) -> None:
        """Note a start: what was lost before it is not logged as recovered."""
        self._is_lost.clear()

    @override
    def emit(self, record: logging.LogRecord) -> None:
        ours = record.name.startswith(OURS)
        if not ours and record.levelno < logging.WARNING:
            return
        self.lines += 1
        text = self.format(record)
        if any(secret in text for secret in self._secrets()):
            self.wrong.append(f"a secret in a line of {record.name}: {record.msg!r}")
        if record.levelno >= logging.INFO:
            self._judge(record, text)

    def _judge(self, record: logging.LogRecord, text: str) -> None:
        """Allow expected lines; lost and recovered must alternate."""
        if record.name.startswith(OURS):
            for lost, pattern in ((True, LOST), (False, BACK)):
                if found := pattern.fullmatch(text):
                    self._turn(found["who"], lost)
                    return
        for name, expected in EXPECTED:
            if record.name == name and re.match(expected, text):
                self.counts[expected] += 1
                return
        line = f"{record.levelname} {record.name}: {text}"
        if line not in self.wrong:
            self.wrong.append(line)

    def _turn(self, who: str, lost: bool) -> None:
        """Note a change; the first one after a start may be either."""
        what = "lost" if lost else "back"
        self.counts[f"{who} {what}"] += 1
        if self._is_lost.get(who, not lost) is lost:
            when = time.strftime("%d %H:%M:%S", time.gmtime())
            self.wrong.append(f"{when} {who} is {what}, said twice")
        self._is_lost[who] = lost


@contextmanager
def watching(watch: LogWatch, level: int = logging.DEBUG) -> Generator[None]:
    """Read the log during the block; the integration's lines go nowhere else.

    `level` applies to the integration's lines.
    """
    ours, root = logging.getLogger(OURS), logging.getLogger()
    before = ours.level, ours.propagate
    # The access log cannot format its times while time is frozen.
    logging.getLogger("aiohttp.access").setLevel(logging.CRITICAL)
    ours.setLevel(level)
    ours.propagate = False
    ours.addHandler(watch)
    root.addHandler(watch)
    try:
        yield
    finally:
        ours.removeHandler(watch)
        root.removeHandler(watch)
        ours.level, ours.propagate = before


# --- Growth -----------------------------------------------------------------------

# A few timers come and go: a file waits to be written, a debouncer cools down, and a
# hold of each controller may have an end.
_SLACK: Final = {"tasks": 0, "timers": 4, "descriptors": 0, "sockets": 0}
_OTHERS: Final = (
    "Clock._ring",  # of the simulated controllers and cloud
    "UTC converter",  # of a calendar: start and end of its next event
    "RequestHandler",  # of a server's and a client's idle connection
    "TCPConnector",
)
"""Timers that are not counted: they come and go with the hour."""
_ADDRESS: Final = re.compile(r"0x[0-9a-f]+|[\d.]{4,}")


@dataclass(frozen=True, slots=True)
class Resources:
    """Resources in use in a quiet moment."""

    tasks: int
    timers: int
    descriptors: int
    sockets: int
    blocks: int
    """Blocks of memory that the interpreter has allocated."""
    rss: int
    """Memory of the process in bytes."""
    kinds: Counter[str]
    """Number of objects by type, to show which ones grow."""
    waiting: Counter[str]
    """Number of timers by what they call, for the same reason."""

    @classmethod
    def now(cls) -> Resources:
        """Count, without garbage and the source lines cached for tracebacks."""
        linecache.clearcache()
        gc.collect()
        kinds = Counter(type(found).__qualname__ for found in gc.get_objects())
        gc.collect()
        loop: Any = asyncio.get_running_loop()
        pending = [
            _ADDRESS.sub("", f"{handle._callback} {handle._args}")[:160]
            for handle in loop._scheduled
            if not handle.cancelled()
        ]
        timers = Counter(
            each for each in pending if not any(other in each for other in _OTHERS)
        )
        process = psutil.Process()
        tasks = [repr(task) for task in asyncio.all_tasks()]
        # A connection that the client keeps for its next request; it has two ends.
        kept = any("RequestHandler" in task for task in tasks)
        return cls(
            # Without those of the simulated cloud, which refreshes all cached copies.
            tasks=sum("Pipeline" not in task for task in tasks) - kept,
            timers=timers.total(),
            descriptors=process.num_fds() - 2 * kept,
            sockets=len(process.net_connections()) - 2 * kept,
            blocks=sys.getallocatedblocks(),
            rss=process.memory_info().rss,
            kinds=kinds,
            waiting=timers,
        )

    def grown_since(self, before: Resources, *, memory: float) -> list[str]:
        """Describe what grew; `memory` is the share by which memory may grow.

        The interpreter's blocks are exact. The allocator keeps pages, so the memory of
        the process may grow by twice as much.
        """
        grown = [
            f"{name}: {was} -> {now}"
            for name, slack in _SLACK.items()
            if (now := getattr(self, name)) > (was := getattr(before, name)) + slack
        ]
        if any(line.startswith("timers") for line in grown):
            grown += [f"timer: {each}" for each in self.waiting - before.waiting]
        for name, share in (("blocks", memory), ("rss", 2 * memory)):
            was, now = getattr(before, name), getattr(self, name)
            if now > was * (1 + share):
                most = (self.kinds - before.kinds).most_common(8)
                grown.append(f"{name}: {was} -> {now}, of these {most}")
        return grown
