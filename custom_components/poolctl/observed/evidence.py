"""How often each assumption was confirmed, and what was observed instead.

`docs/protocol.md` names the assumptions by these identifiers. Nothing here identifies a
controller or its owner: it holds counts, texts of ours and names of fields.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
import re
from typing import Any, Self

from ..client.stored import Stored, text, whole

_MAX_OBSERVED = 6
"""Different observations kept of each assumption: enough to show a pattern."""
_MAX_WORD = 60
"""Characters kept of each observation."""


class Assumption(StrEnum):
    """A row of `docs/protocol.md` that ordinary traffic confirms or contradicts."""

    text: str
    account: bool
    """Whether it concerns the service and not a controller."""

    def __new__(cls, value: str, text: str, account: bool = False) -> Self:
        """Create a row from its identifier and the text of the assumption."""
        row = str.__new__(cls, value)
        row._value_ = value
        row.text, row.account = text, account
        return row

    # About a controller, on the LAN
    ENVELOPE = "envelope", "version 1, hex, a tag that verifies"
    COUNTER_OUT = (
        "counter_out",
        "a request is accepted when it is signed with the Unix time",
    )
    COUNTER_FRAMES = "counter_frames", "the counter of state frames never goes back"
    COUNTER_REPLIES = "counter_replies", "replies share the counter of the frames"
    FRAME_VERSION = "frame_version", "state frames have version 1"
    FRAME_SECTIONS = "frame_sections", "three sections that fill the frame"
    TELEMETRY_LENGTH = "telemetry_length", "49 bytes and the slots"
    CONFIGURATION_LENGTH = "configuration_length", "90 bytes and the slots"
    TIMERS_LENGTH = "timers_length", "1 byte and 5 for each timer"
    FLAGS = "flags", "only documented bits are set"
    MODES = "modes", "modes are 0 to 20 or 99"
    AUX_TYPES = (
        "aux_types",
        "the codes of aux types are documented ones, on at most 37 slots",
    )
    SCHEDULE_NUMBER = "schedule_number", "a mode is the position of a schedule in use"
    SCHEDULE_TIMES = (
        "schedule_times",
        "a schedule begins at its time, in the time zone of Home Assistant",
    )
    SCHEDULE_MIDNIGHT = (
        "schedule_midnight",
        "a schedule that ends before it starts goes on after midnight",
    )
    REPLY_LENGTHS = "reply_lengths", "replies to queries end where their layout does"
    REPLY_KEYS = "reply_keys", "replies in JSON have the keys that are used"
    HEATING_KEYS = "heating_keys", "`v2_temp_get` has all that is written back"
    ACTION_ENV = "action_env", "`env` of an action is hex or left out"
    AUX_REPLY = "aux_reply", "the reply to `aux` shows the output switched"
    AUX_HELD = "aux_held", "the override bit follows the third byte of `aux`"
    CMD_REPLY = "cmd_reply", "the reply to `cmd` has no configuration"
    BUSY = "busy", "after `busy`, nothing has run"
    # About a controller, in the cloud
    DASHBOARD_FIELDS = "dashboard_fields", "the dashboard has the fields that are read"
    DRY_RUN_STATUS = "dry_run_status", "the dashboard's dry run is 1, 3 or 4"
    ONLINE = (
        "online",
        "the dashboard of a controller that is reported offline does not change",
    )
    CLOUD_READS = "cloud_reads", "the observed reads are offered, with their data"
    CLOUD_WRITES = "cloud_writes", "the observed writes are offered"
    WRITE_STATUS = "write_status", "a write is answered with 200 `SUCCESS`"
    COPY_AGE = "copy_age", "reads are at most 35 s behind a write"
    SILENCE = "silence", "a controller that does not answer is reported by 504"
    KEY_FORM = "key_form", "the key is `key_hex`, 32 hex characters"
    # About a service
    INVENTORY = "inventory", "all of the inventory is understood", True
    USERINFO = "userinfo", "`userinfo` has `sub`", True
    DEAD_ACCESS = (
        "dead_access_token",
        "an access token that ended is refused by 401",
        True,
    )
    REFUSED_GRANT = "refused_grant", "the token endpoint refuses by 400 or 401", True
    ROTATION = "refresh_rotation", "a renewal brings a new refresh token", True
    RETRY_AFTER = "retry_after", "a 429 has a time to wait, of at most 60 s", True


@dataclass(slots=True)
class Tally:
    """The results of the checks of one assumption."""

    confirmed: int = 0
    contradicted: int = 0
    observed: dict[str, int] = field(default_factory=dict)
    """Observations that differ from the assumption or add to it, with their counts."""

    def note(self, words: str, times: int = 1) -> bool:
        """Count an observation; return whether it is new.

        Of too many different observations, only the first are kept.
        """
        words = words[:_MAX_WORD]
        new = words not in self.observed
        if new and len(self.observed) >= _MAX_OBSERVED:
            return False
        self.observed[words] = self.observed.get(words, 0) + times
        return new

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        self.confirmed += other.confirmed
        self.contradicted += other.contradicted
        for words, times in other.observed.items():
            self.note(words, times)


class Evidence:
    """The tallies of one controller, or of the service."""

    def __init__(self) -> None:
        """Start without tallies."""
        self._tallies: dict[Assumption, Tally] = {}
        self.settle: Callable[[], None] = _nothing
        """Called before tallies are read; adds the counts that are still pending."""
        self.changed: Callable[[], None] = _nothing
        """Called when something is observed for the first time."""

    @property
    def tallies(self) -> Mapping[Assumption, Tally]:
        """The tally of each assumption that was checked."""
        self.settle()
        return self._tallies

    def check(self, assumption: Assumption, *instead: str, times: int = 1) -> None:
        """Count an assumption as contradicted by `instead`, or confirmed without it."""
        tally = self._tally(assumption)
        if not instead:
            tally.confirmed += times
            return
        tally.contradicted += times
        for words in instead:
            if tally.note(words, times):
                self.changed()

    def note(self, assumption: Assumption, *more: str) -> None:
        """Keep what was observed in addition to what was expected."""
        for words in more:
            if self._tally(assumption).note(words):
                self.changed()

    def _tally(self, assumption: Assumption) -> Tally:
        if (tally := self._tallies.get(assumption)) is None:
            tally = self._tallies[assumption] = Tally()
            self.changed()
        return tally

    def add(self, other: Evidence) -> None:
        """Add the counts of other evidence."""
        for assumption, tally in other.tallies.items():
            self._tallies.setdefault(assumption, Tally()).add(tally)

    def reported(self, *, account: bool) -> dict[str, dict[str, object]]:
        """Return how often each assumption was confirmed (docs/protocol.md).

        `account` selects the assumptions about the service instead of a controller.
        """
        none = Tally()
        return {
            assumption: {
                "expected": assumption.text,
                "confirmed": tally.confirmed,
                "contradicted": tally.contradicted,
                "observed": tally.observed,
            }
            for assumption in Assumption
            if assumption.account is account
            for tally in (self.tallies.get(assumption, none),)
        }

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return the stored evidence."""
        evidence = cls()
        for assumption in Assumption:
            part = stored.part(assumption)
            confirmed = part.get("confirmed", _COUNT, 0)
            contradicted = part.get("contradicted", _COUNT, 0)
            observed = dict(part.list("observed", _observation)[:_MAX_OBSERVED])
            if confirmed or contradicted or observed:
                tally = Tally(confirmed, contradicted, observed)
                evidence._tallies[assumption] = tally
        return evidence

    def as_dict(self) -> dict[str, object]:
        """Return the tallies in JSON types."""
        return {
            assumption: {
                "confirmed": tally.confirmed,
                "contradicted": tally.contradicted,
                "observed": [*tally.observed.items()],
            }
            for assumption, tally in self.tallies.items()
        }


def _nothing() -> None:
    """Do nothing."""


_COUNT = whole(0, 1 << 53)


def _observation(value: Any) -> tuple[str, int]:
    words, times = value
    return text(words)[:_MAX_WORD], _COUNT(times)


type EvidenceById = defaultdict[str, Evidence]
"""The evidence of each controller by its identifier, and that of `SERVICE`."""


_FIELD = re.compile(r"(?!(?:.*\d){3})[A-Za-z]+\d?(?:_[A-Za-z]+\d?)*")
_MAX_FIELD = 40


def field_name(name: object) -> str:
    """Return the name of a field, or only its length if it may be an identifier.

    That may be a text with more than two digits, or with characters unusual in names.
    """
    text = str(name)
    if len(text) <= _MAX_FIELD and _FIELD.fullmatch(text):
        return text
    return f"a name of {len(text)} characters"


def missing(fields: Iterable[object], wanted: Iterable[str]) -> list[str]:
    """Return a text for each wanted field that an answer lacks."""
    present = set(fields)
    return [f"without {name}" for name in wanted if name not in present]
