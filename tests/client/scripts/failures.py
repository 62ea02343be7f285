"""Name the error of a start, and what can be done about it."""

import asyncio
import os

from aiohttp import ClientSession
from poolctl_client import (
    AuthenticationError,
    BusyError,
    ClosingRequest,
    Controller,
    InvalidCommandError,
    LanClient,
    ProtocolError,
    RefusedError,
    UnreachableError,
)


async def main() -> None:
    async with ClientSession(request_class=ClosingRequest) as session:
        try:
            lan = LanClient(session, os.environ["POOL_ADDRESS"], os.environ["POOL_KEY"])
            async with Controller(lan=lan).running() as pool:
                await pool.holds.switch("Waterfall", True)
                print("it works")
        except InvalidCommandError as err:
            print("mistake:", err)
        except UnreachableError as err:
            print("try again:", err)
        except BusyError as err:
            print("try again", err.retry_after, err)
        except RefusedError as err:
            print("refused:", err)
        except ProtocolError as err:
            print("not understood:", type(err).__name__, err)
        except AuthenticationError as err:
            print("sign in:", err)


if __name__ == "__main__":
    asyncio.run(main())
