"""When an access token is renewed ahead of its time (chosen; unknowns: C2)."""

from http import HTTPStatus
import time
from typing import Protocol

from .cloud_answers import may_blame_token
from .exceptions import UnreachableError
from .http import Response

FRESH = 300.0
"""s for which a token that replaced another one is beyond doubt."""


class TokenProvider(Protocol):
    """Hands out the access token."""

    async def __call__(self, *, refused: str | None = None) -> str:
        """Return a token other than the refused one, or raise a PoolctlError."""


class Renewals:
    """Decides whether a refusal by a published endpoint is one of the token.

    401 says so; anything else may, while the token is not fresh. An endpoint that refused
    the next token, too, is not believed until it answers well.
    """

    def __init__(self, token: TokenProvider) -> None:
        """Renew nothing yet."""
        self._token = token
        self._fresh = ""
        self._fresh_until = 0.0
        self._in_vain: set[str] = set()
        """Paths that refused a fresh token, too."""

    async def newer(self, response: Response, path: str, token: str) -> str | None:
        """Return another token where an answer may blame this one, else `None`."""
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
                raise  # a sign-in may be needed, or not
            return None
        self._fresh, self._fresh_until = newer, now + FRESH
        return None if newer == token else newer

    def in_vain(self, response: Response, path: str) -> bool:
        """Return whether a path refuses the newer token, too, and remember that."""
        if vain := may_blame_token(response):
            self._in_vain.add(path)
        return vain
