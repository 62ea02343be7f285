"""An account of the service: where it signs in, and what identifies it.

Published: the addresses of sign-in (interface.md 4.1). Observed: the `sub` of userinfo
and of the access token (layouts.md 5).
"""

from base64 import urlsafe_b64decode
from collections.abc import Mapping
from http import HTTPMethod, HTTPStatus
from typing import NamedTuple
from urllib.parse import urlencode

from aiohttp import ClientSession
from yarl import URL

from .cloud import MAX_RESPONSE, TIMEOUT
from .cloud_answers import Inventory, has_failed
from .endpoints import SITES, V1
from .exceptions import (
    AuthenticationError,
    BusyError,
    PoolctlError,
    ServiceError,
    UnexpectedResponseError,
)
from .facts import Facts, TokenAnswer
from .http import Response, exchange
from .json_values import Answer, parse_json, parse_object, text

TOKEN_TIMEOUT = 60.0
"""s; whoever asks is less patient and says so."""
LIFETIME = 86400
"""s that an access token lives (interface.md 2.2) where the answer does not say."""
_MAX_LIFETIME = 366 * 86400


class Tokens(NamedTuple):
    """What the token endpoint hands out (interface.md 2.2)."""

    access: str
    refresh: str | None
    """`None` where the old one goes on."""
    expires_in: int
    """s."""


def authorize_url(base_url: str) -> str:
    """Return where a person signs in (interface.md 4.1)."""
    return str(URL(base_url).joinpath(f"{V1}/oauth/authorize"))


def token_url(base_url: str) -> str:
    """Return where codes and refresh tokens become access tokens."""
    return str(URL(base_url).joinpath(f"{V1}/oauth/token"))


async def probe(session: ClientSession, base_url: str) -> None:
    """See that something answers at a service address; raises UnreachableError.

    Asks for the sites without a token: no rate limit counts that (interface.md 8), and
    whatever is answered, somebody is there.
    """
    await exchange(
        session,
        HTTPMethod.GET,
        URL(base_url).joinpath(SITES.path("")),
        data=None,
        headers={},
        timeout=TIMEOUT,
        limit=MAX_RESPONSE,
    )


async def request_tokens(
    session: ClientSession,
    address: str,
    form: Mapping[str, str],
    facts: Facts | None = None,
) -> Tokens:
    """Trade a code or a refresh token for tokens (interface.md 4.1, RFC 6749).

    Redirects are not followed: the form holds secrets of this origin. Raises
    AuthenticationError where it is refused, in whatever form that is said, else
    BusyError, UnreachableError or UnexpectedResponseError.
    """
    response = await exchange(
        session,
        HTTPMethod.POST,
        URL(address),
        data=urlencode(form).encode(),
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        timeout=TOKEN_TIMEOUT,
        limit=MAX_RESPONSE,
    )
    tokens, error = None, None
    try:
        tokens = _tokens(response)
    except PoolctlError as err:
        error = err
        raise
    finally:
        if facts is not None:
            grant, rotated = form.get("grant_type", ""), bool(tokens and tokens.refresh)
            facts.emit(TokenAnswer(grant, response.status, rotated, error))
    return tokens


def _tokens(response: Response) -> Tokens:
    answer = _token_answer(response)
    access, refresh = (
        _token(answer, f"{name}_token") for name in ("access", "refresh")
    )
    if access is None:
        # Told with 200, by `FAILED`, null, a list or anything else without a token.
        raise AuthenticationError("the service hands out no token")
    return Tokens(access, refresh, _lifetime(answer))


def _token_answer(response: Response) -> Answer:
    status = response.status
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        raise BusyError("the service asks to wait")
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == (
        HTTPStatus.REQUEST_TIMEOUT
    ):
        raise ServiceError(f"the service says HTTP {status}")
    if status >= HTTPStatus.BAD_REQUEST and _refuses(response):
        raise AuthenticationError(f"the service says HTTP {status}")
    if status >= HTTPStatus.MULTIPLE_CHOICES:
        raise UnexpectedResponseError(
            f"HTTP {status} does not come of a token endpoint"
        )
    try:
        answer = parse_json(response.data)
    except ValueError:
        raise UnexpectedResponseError(f"HTTP {status} without JSON") from None
    return answer if isinstance(answer, dict) else {}


def _refuses(response: Response) -> bool:
    """Return whether a 4xx ends a sign-in: it is an OAuth error (RFC 6749 5.2) or `FAILED`.

    A page, or JSON of something else, comes of a proxy.
    """
    answer = response.json() or {}
    return isinstance(answer.get("error"), str) or has_failed(answer)


def _token(answer: Answer, name: str) -> str | None:
    """Return a token that fits into a header, `None` for anything else."""
    token = answer.get(name)
    if not isinstance(token, str) or not token.isascii() or not token.isprintable():
        return None
    return token if token and " " not in token else None


def _lifetime(answer: Answer) -> int:
    reported = answer.get("expires_in")
    if isinstance(reported, str) and reported.isdecimal() and len(reported) < 10:
        reported = int(reported)
    # Neither too short to be of use, nor so long that a date overflows.
    if isinstance(reported, int | float) and 1 <= reported <= _MAX_LIFETIME:
        return int(reported)
    return LIFETIME


def account_id(subject: str | None, token: str, inventory: Inventory) -> str | None:
    """Return what identifies an account (design.md 2).

    The subject of userinfo, else the `sub` claim of the access token, else the smallest
    site identifier; `None` where there is none of these.
    """
    return subject or subject_claim(token) or min(inventory.site_ids, default=None)


def subject_claim(token: str) -> str | None:
    """Return `sub` of a JWT-shaped token, unverified: it comes from the service."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        claims = parse_object(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return None
    return (text(claims, "sub") or None) if claims else None
