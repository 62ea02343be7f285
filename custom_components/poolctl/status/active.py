"""The active problems, with their duration and their repairs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
import time

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from ..client import AGREEMENT
from ..client.codec import to_stored
from ..client.facts import Change, Facts
from ..const import DOMAIN
from ..store.memory import DATA_MEMORY
from .rows import Active, Problem, Subject
from .texts import filled


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Since when the problems of one controller or account exist, by key."""

    since: dict[str, datetime] = field(default_factory=dict)


@dataclass(slots=True)
class _Course:
    """One problem from test to test."""

    since: datetime | None = None
    """Its beginning, by the trusted time; this is stored."""
    began: float | None = None
    """The same if it began in this run (monotonic, s)."""
    active: Active | None = None


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
        self._observed = observed
        self._memory = memory = hass.data[DATA_MEMORY]
        self._clock = memory.clock
        since = memory.read(subject, "problems", Beginnings).since
        self._rows = [(row, _Course(since.get(row.key))) for row in table]
        memory.keep(subject, "problems", lambda: to_stored(Beginnings(self._since)))
        self._stopped = False
        self.tested = False

    @property
    def active(self) -> tuple[Active, ...]:
        """The active problems, in the order of the table."""
        return tuple(course.active for _, course in self._rows if course.active)

    @property
    def _since(self) -> dict[str, datetime]:
        return {row.key: course.since for row, course in self._rows if course.since}

    @callback
    def async_test(self, situation: F) -> None:
        """Test every row with the newest situation; `None` keeps the state of a row."""
        if self._stopped:
            return
        self.tested = True
        before = self._since
        for row, course in self._rows:
            previous = course.active
            course.active = self._tested(row, course, situation)
            if bool(previous) is not bool(course.active):
                self._observed.emit(Change(row.key, course.active is not None))
        if self._since != before:
            self._memory.save()

    def _tested(self, row: Problem[F], course: _Course, situation: F) -> Active | None:
        """Return a problem if it has existed for long enough; show its repair."""
        exists = row.applies(situation)
        if exists is None:
            return course.active
        lasted = None
        if exists:
            lasted = self._lasted(course)
        else:
            course.since = course.began = None
        self._show_repair(row, situation, lasted)
        if lasted is None or lasted < row.waits(situation) or course.since is None:
            return None
        variant, step = row.variant(situation), row.step(situation)
        return Active(
            key=row.key,
            variant=variant.key,
            severity=variant.severity,
            since=row.began(situation) or course.since,
            values=row.values(situation),
            step="" if step is row else step.key,
            action=step.action,
        )

    def _lasted(self, course: _Course) -> float:
        """Return how long a problem has existed in s, by the trusted time if it is stored.

        The trusted time may be corrected long after a start. This moves the beginning of
        a problem that began in this run, as its duration is known.
        """
        now, at = self._clock.now(), time.monotonic()
        since = course.since
        if course.began is None and since is not None and since <= now:
            return (now - since).total_seconds()
        course.began = at if course.began is None else course.began
        lasted = at - course.began
        exact = now - timedelta(seconds=lasted)
        if since is None or abs((exact - since).total_seconds()) > AGREEMENT:
            course.since = exact
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
