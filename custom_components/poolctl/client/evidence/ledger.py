"""How often each thing we took for granted was confirmed, and what was seen instead.

`docs/protocol.md` names the bets by these identifiers. Nothing here tells whose
controller it is: counts, and words that are ours or names of fields.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
import re
from typing import Final, NamedTuple

_MAX_SEEN = 6
"""Different things that are kept of each bet: enough to see a pattern."""
_MAX_WORD = 60
"""Characters of each."""


class Bet(StrEnum):
    """What is observed or chosen, and can be judged by what passes by anyway."""

    # Of a controller, on the network
    ENVELOPE = "envelope"
    COUNTER_OUT = "counter_out"
    COUNTER_FRAMES = "counter_frames"
    COUNTER_REPLIES = "counter_replies"
    FRAME_VERSION = "frame_version"
    FRAME_SECTIONS = "frame_sections"
    TELEMETRY_LENGTH = "telemetry_length"
    CONFIGURATION_LENGTH = "configuration_length"
    TIMERS_LENGTH = "timers_length"
    FLAGS = "flags"
    MODES = "modes"
    AUX_TYPES = "aux_types"
    SCHEDULE_NUMBER = "schedule_number"
    REPLY_LENGTHS = "reply_lengths"
    REPLY_KEYS = "reply_keys"
    HEATING_KEYS = "heating_keys"
    ACTION_ENV = "action_env"
    AUX_REPLY = "aux_reply"
    AUX_HELD = "aux_held"
    CMD_REPLY = "cmd_reply"
    BUSY = "busy"
    # Of a controller, in the cloud
    DASHBOARD_FIELDS = "dashboard_fields"
    DRY_RUN_STATUS = "dry_run_status"
    ONLINE = "online"
    CLOUD_READS = "cloud_reads"
    CLOUD_WRITES = "cloud_writes"
    WRITE_STATUS = "write_status"
    COPY_AGE = "copy_age"
    SILENCE = "silence"
    KEY_FORM = "key_form"
    # Of a service
    INVENTORY = "inventory"
    USERINFO = "userinfo"
    DEAD_ACCESS = "dead_access_token"
    REFUSED_GRANT = "refused_grant"
    ROTATION = "refresh_rotation"
    RETRY_AFTER = "retry_after"


class Judged(NamedTuple):
    """What a bet says, and whom it is about."""

    says: str
    account: bool = False
    """Whether it is about the service and not about a controller."""


BETS: Final[Mapping[Bet, Judged]] = {
    Bet.ENVELOPE: Judged("version 1, hex, a tag that verifies"),
    Bet.COUNTER_OUT: Judged("signed with the Unix time, a request is taken"),
    Bet.COUNTER_FRAMES: Judged("the counter of state frames never goes back"),
    Bet.COUNTER_REPLIES: Judged("replies share the counter of the frames"),
    Bet.FRAME_VERSION: Judged("state frames have version 1"),
    Bet.FRAME_SECTIONS: Judged("three sections that fill the frame"),
    Bet.TELEMETRY_LENGTH: Judged("49 bytes and the slots"),
    Bet.CONFIGURATION_LENGTH: Judged("90 bytes and the slots"),
    Bet.TIMERS_LENGTH: Judged("1 byte and 5 for each timer"),
    Bet.FLAGS: Judged("no bit is set that nobody knows"),
    Bet.MODES: Judged("modes are 0 to 20 or 99"),
    Bet.AUX_TYPES: Judged("codes of aux types are known ones, on 37 slots"),
    Bet.SCHEDULE_NUMBER: Judged("a mode is the position of a schedule in use"),
    Bet.REPLY_LENGTHS: Judged("replies to queries end where we think"),
    Bet.REPLY_KEYS: Judged("replies in JSON have the keys we use"),
    Bet.HEATING_KEYS: Judged("`v2_temp_get` has all that is written back"),
    Bet.ACTION_ENV: Judged("`env` of an action is hex or left out"),
    Bet.AUX_REPLY: Judged("the reply to `aux` shows the output switched"),
    Bet.AUX_HELD: Judged("the override bit follows the third byte of `aux`"),
    Bet.CMD_REPLY: Judged("the reply to `cmd` has no configuration"),
    Bet.BUSY: Judged("after `busy`, nothing has run"),
    Bet.DASHBOARD_FIELDS: Judged("the dashboard has the fields we read"),
    Bet.DRY_RUN_STATUS: Judged("the dashboard's dry run is 1, 3 or 4"),
    Bet.ONLINE: Judged("a controller said to be offline tells nothing new"),
    Bet.CLOUD_READS: Judged("the observed reads are there, with their data"),
    Bet.CLOUD_WRITES: Judged("the observed writes are there"),
    Bet.WRITE_STATUS: Judged("a write is answered with 200 `SUCCESS`"),
    Bet.COPY_AGE: Judged("reads are at most 35 s behind a write"),
    Bet.SILENCE: Judged("a controller that is silent is told by 504"),
    Bet.KEY_FORM: Judged("the key is `key_hex`, 32 hex characters"),
    Bet.INVENTORY: Judged("all of the inventory is understood", True),
    Bet.USERINFO: Judged("`userinfo` tells `sub`", True),
    Bet.DEAD_ACCESS: Judged("a dead access token is told by 401", True),
    Bet.REFUSED_GRANT: Judged("the token endpoint refuses by 400 or 401", True),
    Bet.ROTATION: Judged("a renewal brings a new refresh token", True),
    Bet.RETRY_AFTER: Judged("a 429 says when, in at most 60 s", True),
}


@dataclass(slots=True)
class Tally:
    """What came of one bet."""

    confirmed: int = 0
    contradicted: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    """What was seen instead or beside it, and how often."""

    def see(self, words: str) -> None:
        """Count what was seen; of too many different things only the first ones."""
        words = words[:_MAX_WORD]
        if words in self.seen or len(self.seen) < _MAX_SEEN:
            self.seen[words] = self.seen.get(words, 0) + 1


class Evidence:
    """The tallies of one controller, or of the service."""

    def __init__(self) -> None:
        """Start without any."""
        self.tallies: dict[Bet, Tally] = {}

    def judge(self, bet: Bet, *instead: str) -> None:
        """Count a bet as contradicted by what was seen instead, else as confirmed."""
        tally = self._tally(bet)
        if not instead:
            tally.confirmed += 1
            return
        tally.contradicted += 1
        for words in instead:
            tally.see(words)

    def note(self, bet: Bet, *more: str) -> None:
        """Keep what was seen beside what was expected."""
        for words in more:
            self._tally(bet).see(words)

    def _tally(self, bet: Bet) -> Tally:
        tally = self.tallies.get(bet)
        if tally is None:
            tally = self.tallies[bet] = Tally()
        return tally


type Ledgers = defaultdict[str, Evidence]
"""The evidence of each controller by its identifier, and that of the service."""

SERVICE: Final = ""
"""Stands for the service in a ledger."""


def new_ledgers() -> Ledgers:
    """Return ledgers in which nothing stands yet."""
    return defaultdict(Evidence)


_FIELD = re.compile(r"(?!(?:.*\d){3})[A-Za-z]+\d?(?:_[A-Za-z]+\d?)*")
_MAX_FIELD = 40


def field_name(name: object) -> str:
    """Return the name of a field of somebody else, if it can be no more than that.

    What holds more than two digits, or other characters than a name has, may be an identifier.
    """
    text = str(name)
    if len(text) <= _MAX_FIELD and _FIELD.fullmatch(text):
        return text
    return f"a name of {len(text)} characters"


def missing(found: Iterable[object], wanted: Iterable[str]) -> list[str]:
    """Return what an answer lacks, in words."""
    there = set(found)
    return [f"without {name}" for name in wanted if name not in there]
