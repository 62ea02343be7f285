"""Finds log lines in which Home Assistant complains about the integration.

A release of Home Assistant announces there the removals of later releases. Warnings
as errors do not catch that: Home Assistant only logs it.
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


# Not a folder with this name in the traceback of another integration.
_OURS: Final = re.compile(
    rf"custom_components[./]{DOMAIN}\b|(?<![-\w./]){DOMAIN}(?![-\w/])"
)


def is_complaint(text: str) -> bool:
    """Return whether a log record, with its traceback, is about the integration."""
    return _OURS.search(text) is not None and _WORDS.search(text) is not None


class _Listener(logging.Handler):
    """Collects complaints."""

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
    """Raise AssertionError if Home Assistant complains during the block."""
    listener = _Listener()
    logging.getLogger().addHandler(listener)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(listener)
    assert not listener.found, "\n".join(listener.found)
