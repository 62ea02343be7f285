"""When again? The wait after a failure, and after more failures in a row (chosen).

Whoever tries again has one `Backoff`, where it is used:

| Backoff | Waits in s | Ends with | Why |
|---|---|---|---|
| `account.sign_in.SIGN_IN_AGAIN` | 60, 600, 3600 | a renewal, a sign-in | A refusal may be a fault of the service; after three, only the user can sign in. |
| `account.INVENTORY_AGAIN` | 300 | an answer | What it owns is known; its usual interval is an hour. |
| `client.endpoints.TOKEN` | 30, 60 | an answer | All else waits for the token. |
| `client.endpoints.KEY` | 30, 120, 480, 1920, 3600 | an answer | Without the key, there is no LAN. |
| `client.endpoints.USER_INFO` | 0 | - | It is read only in a flow, where a user waits. |
| `client.endpoints.MISSING_AGAIN` | 20, 100, 500, 2500, 3600 | an answer | An unpublished read may never work. |
| `client.control.lan_delivery.COMMAND_AGAIN` | 0.5, 1.25, 3.125, 4 | ten seconds of a command | A controller accepts no connection for some seconds (protocol.md 4.2 rule 9). |
| `client.control.queries.QUERY_AGAIN` | 30, 30 | an answer, two refusals | Its usual interval is longer; refused again and again, it is declined. |
| `client.control.queries.NAMES_AGAIN` | 3, 6, 12, 24, 30 | an answer | Entities wait for the names. |
| `client.holds.claims.UNDO_AGAIN` | 60, 120, 240, 480, 900 | a read after an outage, a new end | A command to undo something got no answer. |
| `client.holds.claims.REFUSED_AGAIN` | 900, 1800 … 21600 | new firmware, a new end | Only other firmware may accept it. |
| `client.undoing.FAULT_AGAIN` | 60 | work without a fault | A fault of our own must not become a loop. |
| `network.proof.LOST_AGAIN` | 1, 3, 5 | an answer | As for a command. |

These are no backoffs: the times at which an effect is read back (`sender.py`), intervals
of polls and queries, steps of the counter (`lan_delivery.py`), one second try, and waits
that the service asks for.
"""

from collections.abc import Iterator
from dataclasses import dataclass
import math
import time

_GROWS = 30
"""Failures after which no wait grows: it is at its longest by then."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """The waits of one kind: each is a multiple of the one before."""

    first: float
    """Seconds after the first failure."""
    longest: float
    factor: float = 2.0
    most: int | None = None
    """Failures in a row after which nothing is tried again; `None`: there is no end."""

    def after(self, failures: int) -> float:
        """Return the seconds to wait after so many failures in a row, inf: for good."""
        if self.most is not None and failures > self.most:
            return math.inf
        grown = self.first * self.factor ** (min(failures, _GROWS) - 1)
        return min(grown, self.longest)

    def __iter__(self) -> Iterator[float]:
        """Yield the waits in their order."""
        failures = 0
        while (wait := self.after(failures := failures + 1)) < math.inf:
            yield wait


@dataclass(frozen=True, slots=True)
class Failures:
    """Failures in a row of one kind, and when the next try is due."""

    backoff: Backoff | None = None
    count: int = 0
    retry_at: float = 0.0
    """Monotonic, in s; 0: at once."""

    def failed(self, backoff: Backoff, at: float) -> Failures:
        """Return them after one more, at a time (monotonic, s); another kind begins anew."""
        count = self.count + 1 if backoff == self.backoff else 1
        return Failures(backoff, count, at + backoff.after(count))

    @property
    def wait(self) -> float:
        """Seconds until the next try, 0 or less if it is due."""
        return self.retry_at - time.monotonic()


NO_FAILURES = Failures()
