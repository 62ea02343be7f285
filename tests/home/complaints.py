"""Lines of the log in which Home Assistant complains of the integration.

A release of Home Assistant announces there what the next ones take away. Warnings as
errors do not catch that: Home Assistant logs it.
"""

from collections.abc import Generator
from contextlib import contextmanager
import logging
import re
from typing import Final, override

from .settings import DOMAIN

_WORDS: Final = re.compile(
    r"deprecated|will be removed|will stop working|Detected that|Traceback \(most"
)


def is_complaint(text: str) -> bool:
    """Tell whether a record of the log, with its traceback, complains of ours."""
    return DOMAIN in text and _WORDS.search(text) is not None


class _Listener(logging.Handler):
    """Keeps what is a complaint."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[str] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        # Without tracebacks: tests break things on purpose.
        if is_complaint(text := f"{record.name}: {record.getMessage()}"):
            self.found.append(text)


@contextmanager
def no_complaints() -> Generator[None]:
    """Raise AssertionError if Home Assistant complained of the integration meanwhile."""
    listener = _Listener()
    logging.getLogger().addHandler(listener)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(listener)
    assert not listener.found, "\n".join(listener.found)
