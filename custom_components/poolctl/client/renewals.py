"""Renewal of an access token before it expires (chosen; protocol.md C2)."""

from http import HTTPStatus
import time
from typing import Protocol

from .wire.cloud_answers import may_blame_token
from .wire.exceptions import UnreachableError
from .wire.http import Response

FRESH = 300.0
"""Seconds for which a renewed token is assumed to be valid."""


class TokenProvider(Protocol):
    """Provides the access token."""

    async def __call__(self, *, refused: str | None = None) -> str:
        """Return a token other than the refused one, or raise a PoolctlError."""


class Renewals:
    """Decides whether a refusal by a published endpoint is caused by the token.

    401 means that it is; other refusals may mean it, unless the token is fresh. If an
    endpoint also refuses the renewed token, its refusals are ignored until it succeeds.
    """

    def __init__(self, token: TokenProvider) -> None:
        """Start without a renewed token."""
        self._token = token
        self._fresh = ""
        self._fresh_until = 0.0
        self._in_vain: set[str] = set()
        """Paths that also refused a renewed token."""

    async def newer(self, response: Response, path: str, token: str) -> str | None:
        """Return another token if this one may have been refused, else `None`."""
        if not may_blame_token(response):
            self._in_vain.discard(path)
            return None
        now, certain = time.monotonic(), response.status == HTTPStatus.UNAUTHORIZED
        fresh = token == self._fresh and now < self._fresh_until
        if path in self._in_vain or (fresh and not certain):
            return None
        try:
            newer = await self._token(refused=token)
        except UnreachableError:
            if certain:
                raise  # whether a sign-in is needed is not clear
            return None
        self._fresh, self._fresh_until = newer, now + FRESH
        return None if newer == token else newer

    def in_vain(self, response: Response, path: str) -> bool:
        """Return whether a path also refuses the newer token, and remember it."""
        if vain := may_blame_token(response):
            self._in_vain.add(path)
        return vain
