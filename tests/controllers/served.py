"""The simulated service with the controller of a report (`scripts/replay FILE --home`)."""

import asyncio
from pathlib import Path

from tests.world.simulator import Clock, Controller
from tests.world.simulator.__main__ import main, parser

from .playback import Playback
from .report import read


def serve() -> None:
    options = parser()
    options.add_argument("--report", type=Path, required=True, metavar="FILE")
    given = options.parse_args()

    def make(clock: Clock, port: int, past: Path | None) -> list[Controller]:
        (part, *_) = read(given.report).parts
        return [Playback(part, name="Pool of a report", clock=clock, port=port)]

    asyncio.run(main(given, make))


if __name__ == "__main__":
    serve()
