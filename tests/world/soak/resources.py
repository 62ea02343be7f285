"""Counts resources that may grow."""

import asyncio
from collections import Counter
from dataclasses import dataclass
import gc
import linecache
import re
import sys
from typing import Any, Final

import psutil  # type: ignore[import-untyped]

# A few timers come and go: a file waits to be written, a debouncer cools down, and a
# hold of each controller may have an end.
_MORE: Final = {"tasks": 0, "timers": 4, "descriptors": 0, "sockets": 0}
_SHARES: Final = {"blocks": 0.02, "rss": 0.04}
"""Share by which memory may grow: bounded caches go on filling a little. One object kept
for every third poll exceeds it. The interpreter's blocks are exact. The allocator keeps
pages, so the memory of the process may grow by twice as much."""
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
        pending = (
            _ADDRESS.sub("", f"{handle._callback} {handle._args}")[:160]
            for handle in loop._scheduled
            if not handle.cancelled()
        )
        waiting = Counter(
            each for each in pending if not any(other in each for other in _OTHERS)
        )
        process = psutil.Process()
        tasks = [repr(task) for task in asyncio.all_tasks()]
        # A connection that the client keeps for its next request; it has two ends.
        kept = any("RequestHandler" in task for task in tasks)
        return cls(
            # Without those of the simulated cloud, which refreshes all cached copies.
            tasks=sum("Pipeline" not in task for task in tasks) - kept,
            timers=waiting.total(),
            descriptors=process.num_fds() - 2 * kept,
            sockets=len(process.net_connections()) - 2 * kept,
            blocks=sys.getallocatedblocks(),
            rss=process.memory_info().rss,
            kinds=kinds,
            waiting=waiting,
        )

    def grown_since(self, before: Resources) -> list[str]:
        """Describe what grew."""
        grown = []
        for name in (*_MORE, *_SHARES):
            was, now = getattr(before, name), getattr(self, name)
            if now > was * (1 + _SHARES.get(name, 0)) + _MORE.get(name, 0):
                more = self.waiting - before.waiting
                if name in _SHARES:
                    more = self.kinds - before.kinds
                grown.append(f"{name}: {was} -> {now}, of these {more.most_common(8)}")
        return grown
