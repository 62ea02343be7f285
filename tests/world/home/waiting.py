"""Waiting for something that is about to happen."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from .errors import TooLateError

PAUSE: Final = 0.3
SHOWN: Final = 500
"""Characters of the last value in an error: it may be the states of a whole home."""


async def until[T](
    read: Callable[[], Awaitable[T]],
    accept: Callable[[T], bool],
    *,
    what: str,
    seconds: float,
) -> T:
    """Read repeatedly; return the first value that is accepted.

    Raises TooLateError, with the last value, if none is accepted in time.
    """
    value: T | None = None
    try:
        async with asyncio.timeout(seconds):
            while True:
                if accept(value := await read()):
                    return value
                await asyncio.sleep(PAUSE)
    except TimeoutError:
        last = f"{value!s:.{SHOWN}}"
        raise TooLateError(f"{what}: not within {seconds:g} s, but {last}") from None
