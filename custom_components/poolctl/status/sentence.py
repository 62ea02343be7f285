"""The situation that explanations are based on, and the sentences they consist of."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from ..client.holds.hold import Hold
from ..client.pool.state import PoolState
from .problem import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What is known about a pool at one moment."""

    state: PoolState
    holds: tuple[Hold, ...] = ()
    stopped_by_spa: tuple[Hold, ...] = ()
    pauses: Mapping[str, datetime] = field(default_factory=dict)
    """End of the pause of each paused doser, by the doser's key."""
    run_on_ends: datetime | None = None
    now: datetime
    """The controller's local time."""
    ahead: timedelta = timedelta()
    """How far the controller's clock is ahead of ours."""

    @property
    def here(self) -> datetime:
        """The trusted time."""
        return self.now - self.ahead

    def until(self, at: datetime | None) -> Explanation:
        """Return the sentence about an end that is still to come, if there is one."""
        if at is None or at <= self.here:
            return ()
        return (Sentence("until", {"time": rounded(at)}),)


class Sentence(NamedTuple):
    """One sentence, by the key of its text."""

    key: str
    values: Mapping[str, Value] = MappingProxyType({})


def rounded(at: datetime, step: timedelta = timedelta(minutes=1)) -> datetime:
    """Return a time rounded to a step."""
    rest = timedelta(seconds=at.timestamp() % step.total_seconds())
    return at - rest + (step if rest * 2 >= step else timedelta())


type Explanation = tuple[Sentence, ...]


class Cause[F](NamedTuple):
    """A row of a table of causes: the first that applies is the explanation."""

    key: str
    applies: Callable[[F], object]
    values: Callable[[F], Mapping[str, Value]] = lambda situation: {}
    more: Callable[[F], Explanation] = lambda situation: ()
    """The sentences that follow."""


def explain[F](causes: Iterable[Cause[F]], situation: F) -> Explanation:
    """Return the sentences of the first cause that applies; the last always does."""
    cause = next(each for each in causes if each.applies(situation))
    return Sentence(cause.key, cause.values(situation)), *cause.more(situation)
