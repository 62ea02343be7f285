"""The active problems, with their duration and their repairs."""

from collections.abc import Sequence
from datetime import datetime
import time

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.util import dt as dt_util

from ..client.facts import Change, Facts as ObservedFacts
from ..const import DOMAIN
from .problem import Active, Facts, Problem, Repair
from .texts import filled


class ActiveProblems[F: Facts]:
    """The active problems of one controller or account."""

    def __init__(
        self,
        hass: HomeAssistant,
        table: Sequence[Problem[F]],
        observed: ObservedFacts,
    ) -> None:
        """Start without active problems; emit each change to `observed`."""
        self._hass = hass
        self._table = table
        self._observed = observed
        self._since: dict[str, tuple[float, datetime]] = {}
        """Beginning of each problem by key: monotonic, and by the wall clock."""
        self._stopped = False
        self.active: tuple[Active, ...] = ()
        self.tested = False

    @callback
    def async_test(self, facts: F) -> None:
        """Test every row with the newest facts; `None` keeps the state of a row."""
        if self._stopped:
            return
        self.tested = True
        now = time.monotonic(), dt_util.utcnow()
        previous = {each.key: each for each in self.active}
        active = []
        for row in self._table:
            if (exists := row.exists(facts)) is None:
                if row.key in previous:
                    active.append(previous[row.key])
                continue
            if not exists:
                self._since.pop(row.key, None)
                self._delete(row, facts.owner_id)
                continue
            began, since = self._since.setdefault(row.key, now)
            lasted = now[0] - began
            self._show_repair(row, facts, lasted)
            if lasted >= row.patience:
                active.append(self._active(row, facts, since))
        self.active = tuple(active)
        keys = {each.key for each in active}
        for key in sorted(previous.keys() ^ keys):
            self._observed.emit(Change(key, key in keys))

    def _active(self, row: Problem[F], facts: F, since: datetime) -> Active:
        variant = row.variant(facts)
        return Active(
            key=row.key,
            variant=variant.key,
            severity=variant.severity,
            since=since,
            values=filled(self._hass, row.values(facts)),
        )

    def _show_repair(self, row: Problem[F], facts: F, lasted: float) -> None:
        if (repair := row.repair) is None:
            return
        wanted = repair.wanted(facts)
        if wanted is False:
            self._delete(row, facts.owner_id)
        elif wanted and lasted >= repair.patience:
            self._create(row, repair, facts)

    def _create(self, row: Problem[F], repair: Repair[F], facts: F) -> None:
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            f"{row.key}_{facts.owner_id}",
            data={"problem": row.key, "device_id": facts.owner_id},
            is_fixable=repair.fixable,
            is_persistent=repair.persistent,
            learn_more_url=repair.learn_more_url,
            severity=repair.severity,
            translation_key=row.key,
            translation_placeholders={
                "name": facts.title,
                **filled(self._hass, row.values(facts)),
            },
        )

    def _delete(self, row: Problem[F], owner_id: str) -> None:
        if row.repair is not None:
            ir.async_delete_issue(self._hass, DOMAIN, f"{row.key}_{owner_id}")

    @callback
    def async_stop(self) -> None:
        """Stop testing, as a poll may be in progress; all repairs stay as they are."""
        self._stopped = True
