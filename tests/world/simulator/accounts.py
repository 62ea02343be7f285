"""Accounts, their sites, and rate limits (protocol.md 2.3 and 8)."""

from collections import defaultdict
from dataclasses import dataclass, field
import hashlib

from .clock import Clock
from .controller import Controller


def object_id(*parts: str) -> str:
    """Make a record identifier that is the same in every run."""
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:10]


@dataclass(slots=True)
class Site:
    name: str
    city: str = "Sydney"
    state: str = "NSW"
    controllers: list[Controller] = field(default_factory=list)

    def describe(self) -> dict[str, object]:
        """Return the site as `/user/sites` shows it."""
        return {
            "objectId": object_id(self.name, self.city, self.state),
            "name": self.name,
            "city": self.city,
            "state": self.state,
            "device_list": [
                {
                    "objectId": object_id(controller.device_id),
                    "deviceId": controller.device_id,
                    "tag": controller.name,
                    "online": controller.online,
                }
                for controller in self.controllers
            ],
        }


@dataclass(slots=True, eq=False)
class Account:
    email: str
    password: str
    sub: str = ""
    name: str = ""
    sites: list[Site] = field(default_factory=list)
    token_sub: str = ""  # `sub` of its access tokens

    def __post_init__(self) -> None:
        """Fill in what was not given."""
        self.sub = self.sub or object_id(self.email)
        self.token_sub = self.token_sub or self.sub
        self.name = self.name or self.email.partition("@")[0]

    @property
    def controllers(self) -> list[Controller]:
        return [controller for site in self.sites for controller in site.controllers]


class RateLimit:
    """A limit of attempts in a minute, for each key."""

    def __init__(self, clock: Clock, limit: int) -> None:
        self._clock, self._limit = clock, limit
        self._attempts: defaultdict[str, list[float]] = defaultdict(list)

    def allow(self, key: str) -> bool:
        """Count an attempt; return whether it is within the limit."""
        now = self._clock.monotonic()
        recent = [at for at in self._attempts[key] if at > now - 60]
        allowed = len(recent) < self._limit
        self._attempts[key] = [*recent, now] if allowed else recent
        return allowed
