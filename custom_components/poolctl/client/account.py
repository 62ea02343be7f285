"""An account of the service: where it signs in, and what identifies it.

Published: the addresses of sign-in (interface.md 4.1). Observed: the `sub` of userinfo
and of the access token (layouts.md 5).
"""

from base64 import urlsafe_b64decode
from http import HTTPMethod

from aiohttp import ClientSession
from yarl import URL

from .cloud import MAX_RESPONSE, TIMEOUT, V1
from .cloud_answers import Inventory
from .http import exchange
from .json_values import parse_object


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
        URL(base_url).joinpath(f"{V1}/user/sites"),
        data=None,
        headers={},
        timeout=TIMEOUT,
        limit=MAX_RESPONSE,
    )


def account_id(subject: str | None, token: str, inventory: Inventory) -> str | None:
    """Return what identifies an account (design.md 2).

    The subject of userinfo, else the `sub` claim of the access token, else the smallest
    site identifier; `None` where there is none of these.
    """
    return subject or _subject_claim(token) or min(inventory.site_ids, default=None)


def _subject_claim(token: str) -> str | None:
    """Return `sub` of a JWT-shaped token, unverified: it comes from the service."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        claims = parse_object(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return None
    subject = claims.get("sub") if claims else None
    return str(subject) if subject else None
