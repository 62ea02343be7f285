"""What is undone later: holds of outputs, pauses of dosing, selected heat sources.

A **claim** is one of them, and how its change ends (`claim.py`). It records only what
was requested (on or off, until when, for whom) and what happened (a command was sent, it
took effect, attempts to undo it failed). It is on disk before its command is sent.

What a read shows of it is **seen**: the claim, or something else, or nothing. One table
says so for every kind and source (`evidence.py`). The override of a slot is observed
(protocol.md O2.1, O3).

What to do is **decided** by one pure function, `decide.py`, from the claim, the newest
read, the time, and whether a path could undo it. So if something is not released, one of
these is the reason (`Why`), in this order:

1. Its end has not come. A user, a claimant or a schedule moves it; leaving is the end.
2. No path can undo it now, or at all.
3. The newest read does not show it. A second one that agrees ends the claim, and nothing
   is undone: somebody else decided, or its command never ran (then what it replaced
   applies again).
4. It ended a month before the start: after an old backup, a user decides.
5. It needs no undoing (off, and not held), and no read shows that it is held nevertheless.
6. Its command was sent a moment ago, and no read can show yet whether it ran.
7. An attempt failed, and the next one is due later.

`claims.py` does what is decided and records what came of it. It asks at every read, when
a time has come (`wait`), before each attempt, and on leaving. `hold.py` and `holds.py` add
what only outputs have: requests of users, other clients, schedules.
"""

from .claim import Claim, Why
from .claims import UNDO_AGAIN
from .decide import OLD, Decision, Do
from .evidence import held_outputs, runs
from .heat import HeatClaim, HeatClaims, index_of
from .hold import Asked, Hold, Origin, output_names
from .holds import Holds
from .pauses import Pause

__all__ = [
    "OLD",
    "UNDO_AGAIN",
    "Asked",
    "Claim",
    "Decision",
    "Do",
    "HeatClaim",
    "HeatClaims",
    "Hold",
    "Holds",
    "Origin",
    "Pause",
    "Why",
    "held_outputs",
    "index_of",
    "output_names",
    "runs",
]
