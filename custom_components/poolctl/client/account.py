"""An account of the service: its sign-in addresses and its identifier.

Published: the addresses of sign-in (protocol.md 4.1). Observed: the `sub` of userinfo
and of the access token (protocol.md O5).
"""

from collections.abc import Mapping
from http import HTTPMethod, HTTPStatus
from typing import NamedTuple
from urllib.parse import urlencode

from aiohttp import ClientSession
import jwt
from yarl import URL

from .cloud import CLOUD_TIMEOUT, MAX_CLOUD_RESPONSE
from .endpoints import SITES, TOKEN, V1, ServiceRequest
from .facts import Facts, TokenAnswer
from .wire.cloud_answers import ERRORS, Inventory, check, has_failed
from .wire.exceptions import (
    AuthenticationError,
    BusyError,
    PoolctlError,
    ProtocolError,
    ServiceError,
)
from .wire.http import Response, exchange
from .wire.json_values import Answer, parse_json, text

TOKEN_TIMEOUT = 60.0
"""Seconds; callers with less time set their own timeout."""
LIFETIME = 86400
"""Lifetime of an access token in seconds if none is reported (protocol.md 2.2)."""
_REFUSALS = HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN
"""Refusals of a request without a token: the first and the last are chosen."""
_MAX_LIFETIME = 366 * 86400


class Tokens(NamedTuple):
    """Tokens issued by the token endpoint (protocol.md 2.2)."""

    access: str
    refresh: str | None
    """`None` if the previous one remains valid."""
    expires_in: int
    """Lifetime of the access token in seconds."""


def authorize_url(base_url: str) -> str:
    """Return the address at which a user signs in (protocol.md 4.1)."""
    return str(URL(base_url).joinpath(f"{V1}/oauth/authorize"))


def token_url(base_url: str) -> str:
    """Return the address that exchanges codes and refresh tokens for access tokens."""
    return str(URL(base_url).joinpath(TOKEN.path))


async def probe(session: ClientSession, base_url: str) -> None:
    """Check that the service answers at an address; raises ProtocolError for others.

    Requests the sites without a token, which counts towards no rate limit (protocol.md
    8). The service refuses that or fails (protocol.md 7.1); a router's page or a captive
    portal shows a page, redirects, or does not know the path. Raises UnreachableError
    without an answer.
    """
    response = await exchange(
        session,
        HTTPMethod.GET,
        URL(base_url).joinpath(ServiceRequest(SITES).path),
        timeout=CLOUD_TIMEOUT,
        limit=MAX_CLOUD_RESPONSE,
    )
    page = response.data.lstrip()[:1] == b"<"
    refused = response.status in (*_REFUSALS, HTTPStatus.TOO_MANY_REQUESTS)
    if response.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ServiceError(f"HTTP {response.status}")
    if page or not (refused or has_failed(response.json or {})):
        raise ProtocolError(f"HTTP {response.status} of something else")


async def request_tokens(
    session: ClientSession,
    base_url: str,
    form: Mapping[str, str],
    facts: Facts | None = None,
) -> Tokens:
    """Exchange a code or a refresh token for tokens (protocol.md 4.1, RFC 6749).

    `form` has `grant_type`, `client_id`, `client_secret`, and either `refresh_token`, or
    `code` and `redirect_uri`. Redirects are not followed: the form contains secrets of this origin. Raises
    AuthenticationError for a refusal in any form, otherwise BusyError,
    UnreachableError or ProtocolError.
    """
    response = await exchange(
        session,
        HTTPMethod.POST,
        URL(token_url(base_url)),
        data=urlencode(form).encode(),
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        timeout=TOKEN_TIMEOUT,
        limit=MAX_CLOUD_RESPONSE,
    )
    tokens, error = None, None
    try:
        tokens = _tokens(response)
    except PoolctlError as err:
        error = err
        if isinstance(err, AuthenticationError):
            err.date = response.headers.get("Date")
        raise
    finally:
        if facts is not None:
            fact = TokenAnswer(
                grant=form.get("grant_type", ""),
                status=response.status,
                rotated=bool(tokens and tokens.refresh),
                error=error,
            )
            facts.emit(fact)
    return tokens


def _tokens(response: Response) -> Tokens:
    status, answer = response.status, response.json or {}
    if ERRORS.get(status) in (BusyError, ServiceError):
        check(response)  # raises it, with the wait that the service asks for
    if status >= HTTPStatus.MULTIPLE_CHOICES:
        # An OAuth error (RFC 6749 5.2) or `FAILED` ends a sign-in; an HTML page, or any
        # other JSON, comes from a proxy.
        refuses = isinstance(answer.get("error"), str) or has_failed(answer)
        if refuses and status >= HTTPStatus.BAD_REQUEST:
            raise AuthenticationError(f"the service says HTTP {status}")
        raise ProtocolError(f"HTTP {status} is not from a token endpoint")
    try:
        parse_json(response.data)
    except ValueError:
        raise ProtocolError(f"HTTP {status} without JSON") from None
    access, refresh = (
        _token(answer, f"{name}_token") for name in ("access", "refresh")
    )
    if access is None:
        # A 200 without a token (`FAILED`, null, a list, anything else) is a refusal.
        raise AuthenticationError("the answer has no token")
    return Tokens(access, refresh, _lifetime(answer))


def _token(answer: Answer, name: str) -> str | None:
    """Return a token that can be sent in a header, otherwise `None`."""
    token = answer.get(name)
    if not isinstance(token, str) or not token.isascii() or not token.isprintable():
        return None
    return token if token and " " not in token else None


def _lifetime(answer: Answer) -> int:
    reported = answer.get("expires_in")
    if isinstance(reported, str) and reported.isdecimal() and len(reported) < 10:
        reported = int(reported)
    if isinstance(reported, bool) or not isinstance(reported, int | float):
        return LIFETIME
    # A shorter lifetime is useless, and a longer one could make a date overflow.
    return int(reported) if 1 <= reported <= _MAX_LIFETIME else LIFETIME


def account_id(subject: str | None, token: str, inventory: Inventory) -> str | None:
    """Return an account's identifier, `None` if there is none.

    It is the subject of userinfo or of the access token, else the smallest site's.
    """
    return subject or subject_claim(token) or min(inventory.site_ids, default=None)


def subject_claim(token: str) -> str | None:
    """Return `sub` of a JWT-shaped token, not verified: it comes from the service."""
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
    except jwt.PyJWTError, RecursionError:
        return None
    return text(claims, "sub") or None
