"""A small command line: `command_line.py [status | on NAME | off NAME | back NAME]`."""

import argparse
import asyncio
import os
import sys

from aiohttp import ClientSession
from poolctl_client import ClosingRequest, Controller, LanClient, PoolctlError


async def run(command: str, name: str | None) -> None:
    address, key = os.environ["POOL_ADDRESS"], os.environ["POOL_KEY"]
    async with ClientSession(request_class=ClosingRequest) as session:
        lan = LanClient(session, address, key)
        async with Controller(lan=lan).running() as pool:
            if command == "status" or name is None:
                for output in pool.state.outputs.slots:
                    if output.name:
                        print(output.index, output.name, "on" if output.on else "off")
            elif command == "back":
                await pool.holds.resume(name)
            else:
                await pool.holds.switch(name, command == "on")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=("status", "on", "off", "back"))
    parser.add_argument("name", nargs="?")
    options = parser.parse_args()
    try:
        asyncio.run(run(options.command, options.name))
    except PoolctlError as err:
        ran = {False: "it did not run", None: "it may have run", True: "it ran"}
        print(f"{type(err).__name__}: {err} ({ran[err.ran]})", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
