"""The active problems, with their duration and their repairs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
import time

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from ..client.clock import AGREEMENT
from ..client.codec import to_stored
from ..client.facts import Change, Facts
from ..client.holds.evidence import AGREEING
from ..const import DOMAIN
from ..store.memory import DATA_MEMORY
from .rows import Active, Problem, Subject
from .texts import filled


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Since when the problems of one controller or account exist, by key."""

    since: dict[str, datetime] = field(default_factory=dict)


class ActiveProblems[F: Subject]:
    """The active problems of one controller or account."""

    def __init__(
        self,
        hass: HomeAssistant,
        table: Sequence[Problem[F]],
        observed: Facts,
        subject: str,
    ) -> None:
        """Emit each change to `observed`; `subject` is a controller's or entry's ID."""
        self._hass = hass
        self._table = table
        self._observed = observed
        self._memory = memory = hass.data[DATA_MEMORY]
        self._clock = memory.clock
        beginnings = memory.read(subject, "problems", Beginnings)
        memory.keep(subject, "problems", lambda: to_stored(beginnings))
        self._since = beginnings.since
        """Beginning of each problem by key, by the trusted time."""
        self._read: set[str] = set()
        """Rows about which a read of this run has said something."""
        self._first: dict[str, float] = {}
        """Time of the first read (monotonic, s) that a second one has to confirm."""
        self._began: dict[str, float] = {}
        """Beginning of those that began in this run (monotonic, s)."""
        self._stopped = False
        self._active: dict[str, Active] = {}
        self.tested = False

    @property
    def active(self) -> tuple[Active, ...]:
        """The active problems, in the order of the table."""
        return tuple(self._active.values())

    @callback
    def async_test(self, situation: F) -> None:
        """Test every row with the newest situation; `None` keeps the state of a row."""
        if self._stopped:
            return
        self.tested = True
        before, previous = dict(self._since), self._active
        self._active = {
            row.key: found
            for row in self._table
            if (found := self._tested(row, situation))
        }
        if self._since != before:
            self._memory.save()
        for key in sorted(previous.keys() ^ self._active.keys()):
            self._observed.emit(Change(key, key in self._active))

    def _tested(self, row: Problem[F], situation: F) -> Active | None:
        """Return a problem if it has existed for long enough; show its repair."""
        exists = row.applies(situation)
        if row.confirmed and exists is not None:
            exists = self._confirmed(row, situation, exists)
        if exists is None:
            return self._active.get(row.key)
        if not exists:
            self._since.pop(row.key, None)
            self._began.pop(row.key, None)
        lasted = self._lasted(row.key) if exists else None
        self._show_repair(row, situation, lasted)
        patience = row.patience(situation) if callable(row.patience) else row.patience
        if lasted is None or lasted < patience:
            return None
        variant, step = row.variant(situation), row.step(situation)
        return Active(
            key=row.key,
            variant=variant.key,
            severity=variant.severity,
            since=self._since[row.key],
            values=filled(self._hass, row.values(situation)),
            step="" if step is row else step.key,
            action=step.action,
        )

    def _confirmed(self, row: Problem[F], situation: F, exists: bool) -> bool | None:
        """Return whether a problem exists, `None` until two reads agree on a change.

        Its variants count: one odd read makes no notice a problem. The first read of a
        run changes nothing, so it needs no second one.
        """
        if (read_at := situation.read_at) is None:
            return None
        if row.key not in self._read:
            self._read.add(row.key)
            return exists
        shown = self._active.get(row.key)
        if shown is None and row.key in self._since:
            settled = exists  # it has lasted since before a restart
        else:
            now = row.variant(situation).key if exists else None
            settled = now == (shown and shown.variant)
        first = self._first.setdefault(row.key, read_at)
        if not settled and read_at - first < AGREEING:
            return None
        del self._first[row.key]
        return exists

    def _lasted(self, key: str) -> float:
        """Return how long a problem has existed in s, by the trusted time if it is stored.

        The trusted time may be corrected long after a start. This moves the beginning of
        a problem that began in this run, as its duration is known.
        """
        now, at = self._clock.now(), time.monotonic()
        since, began = self._since.get(key), self._began.get(key)
        if began is None and since is not None and since <= now:
            return (now - since).total_seconds()
        lasted = at - self._began.setdefault(key, at)
        exact = now - timedelta(seconds=lasted)
        if since is None or abs((exact - since).total_seconds()) > AGREEMENT:
            self._since[key] = exact
        return lasted

    def _show_repair(self, row: Problem[F], situation: F, lasted: float | None) -> None:
        if (repair := row.repair) is None:
            return
        issue_id = f"{row.key}_{situation.subject_id}"
        if lasted is None or (wanted := repair.wanted(situation)) is False:
            ir.async_delete_issue(self._hass, DOMAIN, issue_id)
        elif wanted and lasted >= repair.patience:
            values = filled(self._hass, row.values(situation))
            ir.async_create_issue(
                self._hass,
                DOMAIN,
                issue_id,
                data={"problem": row.key, "device_id": situation.subject_id},
                is_fixable=repair.fixable,
                is_persistent=False,
                learn_more_url=repair.learn_more_url,
                severity=repair.severity,
                translation_key=row.key,
                translation_placeholders={"name": situation.title, **values},
            )

    @callback
    def async_stop(self) -> None:
        """Stop testing, as a poll may be in progress; all repairs stay as they are."""
        self._stopped = True
