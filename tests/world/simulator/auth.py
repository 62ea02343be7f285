"""Authorization codes and tokens (protocol.md 2.2, 3.1, 3.3 and 5.1; RFC 6749)."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
import hashlib
import hmac
from itertools import count
import json
import secrets
from typing import Any, Final

from .accounts import Account
from .clock import Clock

CODE_SECONDS: Final = 300
ACCESS_SECONDS: Final = 86400
REFRESH_SECONDS: Final = 30 * 86400
SCOPE: Final = "profile"
_SIGNATURE_KEY: Final = b"simulated service"


class OAuthError(Exception):
    """An error response of the token endpoint (RFC 6749 section 5.2)."""

    def __init__(self, error: str, description: str = "", status: int = 400) -> None:
        super().__init__(error)
        self.status = status
        self.body = {"error": error, "error_description": description or error}


@dataclass(frozen=True, slots=True)
class _Grant:
    """A code or a token; only a code has an address to redirect to."""

    account: Account
    client_id: str
    expires: float
    redirect_uri: str = ""


class SignIns:
    """Issued codes and tokens, and whether they are still valid.

    Validity is measured in monotonic time: setting the clock back does not revive an
    expired token.
    """

    def __init__(self, clock: Clock, clients: Mapping[str, str]) -> None:
        """Start without sign-ins; `clients` maps client IDs to their secrets."""
        self._clock, self.clients = clock, clients
        self._codes: dict[str, _Grant] = {}
        self.access: dict[str, _Grant] = {}
        self._refresh: dict[str, _Grant] = {}
        self._serial = count(1)
        self.rotates = True  # whether a renewal issues a new refresh token
        self.issued: set[str] = set()  # every token ever issued

    def code(self, account: Account, client_id: str, redirect_uri: str) -> str:
        code = secrets.token_urlsafe(24)
        expires = self._clock.monotonic() + CODE_SECONDS
        self._codes[code] = _Grant(account, client_id, expires, redirect_uri)
        return code

    def token(self, form: Mapping[str, str]) -> dict[str, Any]:
        """Answer a request to the token endpoint; raises `OAuthError`."""
        client_id, secret = form.get("client_id", ""), form.get("client_secret", "")
        known = self.clients.get(client_id)
        if known is None or not hmac.compare_digest(known.encode(), secret.encode()):
            raise OAuthError("invalid_client", status=401)
        match form.get("grant_type"):
            case "authorization_code":
                return self._issue(self._redeem_code(form, client_id), client_id)
            case "refresh_token":
                answer = self._issue(self._redeem_refresh(form, client_id), client_id)
                if not self.rotates:
                    del self._refresh[answer.pop("refresh_token")]
                return answer
        raise OAuthError("unsupported_grant_type")

    def login(self, account: Account) -> dict[str, Any]:
        """Issue tokens for a sign-in without a browser."""
        return self._issue(account, "")

    def account(self, token: str) -> Account | None:
        """Return the account of an access token, `None` if it is not valid."""
        grant = self.access.get(token)
        if grant is None or grant.expires <= self._clock.monotonic():
            return None
        return grant.account

    def used(self, token: str) -> bool:
        """Return whether a refresh token was used, revoked or never issued."""
        return token not in self._refresh

    def revoke(self, account: Account) -> None:
        """Revoke every token of an account; its owner can sign in again."""
        for grants in (self.access, self._refresh):
            for token, grant in tuple(grants.items()):
                if grant.account is account:
                    del grants[token]

    def dump(self) -> dict[str, Any]:
        """Return every token with its remaining seconds, for `load` in a later run."""
        now = self._clock.monotonic()
        return {
            name: {
                token: [grant.account.email, grant.client_id, grant.expires - now]
                for token, grant in grants.items()
            }
            for name, grants in self._grants.items()
        }

    def load(self, dumped: Mapping[str, Any], accounts: Mapping[str, Account]) -> None:
        """Accept the tokens of an earlier run for their remaining seconds."""
        now = self._clock.monotonic()
        for name, grants in self._grants.items():
            for token, (email, client_id, left) in dumped.get(name, {}).items():
                if email in accounts:
                    grants[token] = _Grant(accounts[email], client_id, now + left)

    @property
    def _grants(self) -> dict[str, dict[str, _Grant]]:
        return {"access": self.access, "refresh": self._refresh}

    def _redeem_code(self, form: Mapping[str, str], client_id: str) -> Account:
        # Removed first: a failed attempt uses up the code, too.
        code = self._codes.pop(form.get("code", ""), None)
        if code is None:
            raise OAuthError("invalid_grant", "unknown or used code")
        if code.expires <= self._clock.monotonic():
            raise OAuthError("invalid_grant", "expired code")
        if (code.client_id, code.redirect_uri) != (client_id, form.get("redirect_uri")):
            raise OAuthError("invalid_grant", "code of another request")
        return code.account

    def _redeem_refresh(self, form: Mapping[str, str], client_id: str) -> Account:
        token = form.get("refresh_token", "")
        grant = self._refresh.get(token)
        if grant is None or grant.expires <= self._clock.monotonic():
            raise OAuthError("invalid_grant", "unknown, used or expired refresh token")
        if grant.client_id != client_id:
            raise OAuthError("invalid_grant", "token of another client")
        if self.rotates:  # the response carries the new one
            del self._refresh[token]
        return grant.account

    def _issue(self, account: Account, client_id: str) -> dict[str, Any]:
        now = self._clock.monotonic()
        access, refresh = self._jwt(account), secrets.token_urlsafe(32)
        self.access[access] = _Grant(account, client_id, now + ACCESS_SECONDS)
        self._refresh[refresh] = _Grant(account, client_id, now + REFRESH_SECONDS)
        self.issued |= {access, refresh}
        return {
            "access_token": access,
            "token_type": "Bearer",
            "expires_in": ACCESS_SECONDS,
            "refresh_token": refresh,
            "scope": SCOPE,
        }

    def _jwt(self, account: Account) -> str:
        issued = int(self._clock.time())
        claims = {
            "sub": account.token_sub,
            "scope": SCOPE,
            "iat": issued,
            "exp": issued + ACCESS_SECONDS,
            "jti": str(next(self._serial)),
        }
        body = f"{_part({'alg': 'HS256', 'typ': 'JWT'})}.{_part(claims)}"
        signature = hmac.digest(_SIGNATURE_KEY, body.encode(), hashlib.sha256)
        return f"{body}.{_base64(signature)}"


def _part(claims: dict[str, Any]) -> str:
    return _base64(json.dumps(claims, separators=(",", ":")).encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
