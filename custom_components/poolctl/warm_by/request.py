"""A user's request: a body of water that is warm by a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, Final

from ..client import NO_FAILURES, Failures, InvalidCommandError
from ..client.bounds import UNSTORED, OneOf, PrivateText, Within
from ..client.pool import BODIES, Body, HeatSource
from ..prices.reader import Price, price_at
from .blocks import AHEAD_OF_TIME, Block

WARM_LASTS: Final = timedelta(hours=3)
"""Default time for which the water stays warm."""
AHEAD: Final = timedelta(days=7)
"""Longest time between a request and the time by which the water is warm."""
LONGEST_WARM: Final = timedelta(days=1)
"""Longest time for which the water may stay warm."""
MOST_PRICES: Final = 400
"""Maximum stored prices: 36 hours of five minutes each."""
_ANOTHER: Final = timedelta(hours=12)
"""A request for a time that is later than the previous one by that is a new one."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Which hours a user prefers: the cheapest, or the sunniest ones."""

    prices: tuple[Price, ...] = ()
    """Newest prices or forecast before the requested time, in the order of time."""
    entities: tuple[PrivateText, ...] = ()
    """Entities that have newer ones later."""
    fields: tuple[PrivateText, ...] = ()
    """Names in their lists, if they are not known: attribute, begin, end and value."""
    highest: bool = False
    """Whether the highest values are preferred."""

    @property
    def costs(self) -> tuple[Price, ...]:
        """What heating costs in these hours; the sun's highest hours cost nothing."""
        if not self.highest:
            return self.prices
        highest = max((price.value for price in self.prices), default=0.0)
        return tuple(replace(one, value=highest - one.value) for one in self.prices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request for one body of water; its claims show the progress of its heating.

    Two requests are equal if their stored values are equal.
    """

    body: Annotated[Body, OneOf({body.key: body for body in BODIES})]
    by: datetime
    """Requested time by the trusted clock, in UTC."""
    lasts: Annotated[timedelta, Within(0, LONGEST_WARM.total_seconds())] = WARM_LASTS
    """Time for which the water stays warm."""
    wish: Wish | None = None
    """`None`: heating begins as late as possible."""
    without: tuple[HeatSource, ...] = ()
    """Heat sources that somebody switched off while others went on."""
    done: tuple[Block, ...] = ()
    """Blocks in which a heater was started for it; the end of one that runs is planned."""
    failures: Annotated[Failures, UNSTORED] = field(default=NO_FAILURES, compare=False)
    """Failed commands since the last success."""

    @property
    def claimant(self) -> str:
        """Its name among the claims on outputs and heat sources."""
        return f"warm_by {self.body.key}"

    @property
    def until(self) -> datetime:
        """Time until which the water stays warm."""
        return self.by + self.lasts

    def with_prices(self, found: Sequence[Price], now: datetime) -> Request:
        """Return the request with newer prices.

        Those that it has stay, also of the day before, whose hours stand for unknown ones.
        """
        if self.wish is None:
            return self
        first = min(now, self.by - AHEAD_OF_TIME) - _DAY
        kept = (p for p in self.wish.prices if price_at(found, p.start) is None)
        prices = {each.start: each for each in (*kept, *found)}
        used = [prices[start] for start in sorted(prices) if start < self.by + _DAY]
        used = [each for each in used if each.end > first][-MOST_PRICES:]
        return replace(self, wish=replace(self.wish, prices=tuple(used)))


def new_request(
    wanted: Request, lasts: timedelta | None, previous: Request | None, now: datetime
) -> Request:
    """Return a new request, which lasts as long as the previous one if not said.

    Raises InvalidCommandError for a time in the past or more than a week ahead.
    """
    if wanted.by <= now:
        raise InvalidCommandError("it has passed", reason="warm_by_passed")
    if wanted.by - now > AHEAD:
        raise InvalidCommandError("it is too far", reason="warm_by_too_far")
    previous = previous or wanted
    lasts = previous.lasts if lasts is None else min(lasts, LONGEST_WARM)
    wanted = replace(wanted, lasts=lasts)
    if now >= previous.by or wanted.by - previous.by >= _ANOTHER:
        return wanted
    # The same water: what has happened goes on to count.
    wanted = replace(wanted, done=previous.done, without=previous.without)
    wish, kept = wanted.wish, previous.wish
    if wish is None or kept is None or replace(wish, prices=kept.prices) != kept:
        return wanted
    return replace(wanted, wish=kept).with_prices(wish.prices, now)
