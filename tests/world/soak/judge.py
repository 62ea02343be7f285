"""What is right without any fault: failures of commands, and holds that go on."""

from collections.abc import Iterator, Set as AbstractSet
from dataclasses import dataclass
from datetime import timedelta
import time
from typing import Final

from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util

from tests.world.simulator import Controller
from tests.world.simulator.cloud_dialects import CloudDialect as C
from tests.world.simulator.dialects import SOMETIMES, Dialect as L

from .engine import MINUTE
from .week import CLOUD, HOME, Week

TOO_FAR: Final = 500
"""Seconds beyond which the integration does not follow a counter that is ahead."""
PATIENCE: Final = timedelta(minutes=20)
"""Longest delay of a release while nothing prevents it: it is repeated within a quarter
of an hour."""

_UNCONFIRMED: Final = {C.C1_MISSING, C.C1_PENDING, C.C1_QUEUED, C.C1_NULL}
_TAKEN_OVER: Final = {"pump", "slot_9", "slot_16"}
_LISTED_ONLY: Final = {f"schedule_{index}" for index in range(18, 24)}


def only_cloud(week: Week, controller: Controller) -> bool:
    """Return whether only the cloud is left: a clock is far ahead, or the LAN is lost.

    With hostile neighbours and lost requests, it may take hours to find a new address,
    and a new key is noticed only then. The end of the week checks that both were found.
    """
    stored = week.entry.data["controllers"][controller.device_id]
    here = controller.key.hex(), controller.host, controller.port
    in_touch = (stored["key"], stored["host"], stored["port"]) == here
    ahead = controller.accepted_counter - controller.clock.time()
    return ahead > TOO_FAR or not in_touch


@dataclass(frozen=True, slots=True)
class Asked:
    """A command and its controller."""

    domain: str
    key: str
    data: AbstractSet[str]
    """Names of its parameters."""
    controller: Controller
    cloud: AbstractSet[C]
    """Dialects of the cloud."""
    by_cloud: bool
    """Whether only the cloud is left."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Places that had to be without trouble for the command to work.

        If the LAN loses requests, the command may be sent through the cloud.
        """
        places = HOME, self.controller.device_id
        loses = bool(SOMETIMES.keys() & self.controller.dialects)
        return (*places, CLOUD) if self.by_cloud or loses else places


def legitimate(error: HomeAssistantError, it: Asked) -> bool:
    """Return whether a command was right to fail this way."""
    right = {*_of_cloud(it), *_of_pump(it), *_of_schedules(it)}
    if L.BUSY_AFTER in it.controller.dialects and (
        (it.domain == "light" and "effect" in it.data)
        or (it.domain == "button" and "_light_" in it.key)
    ):
        # `busy` may come after a show began, and no reading confirms that it did.
        right.add("outcome_unknown")
    return error.translation_key in right


def _of_cloud(it: Asked) -> Iterator[str]:
    if not it.by_cloud:
        return
    # It cannot do everything; a clock that is a day ahead is not followed.
    yield from ("clock", "not_supported", "undone_later")
    if C.C18_502 in it.cloud:  # it is behind a proxy that fails once
        yield "not_reached"
    if _UNCONFIRMED & it.cloud:  # it does not confirm that the command was done
        yield from ("unconfirmed", "unexpected_answer", "outcome_unknown")
    if C.C1_FAILED in it.cloud:
        yield from ("service_refused", "refused")


def _of_pump(it: Asked) -> Iterator[str]:
    spoken = it.controller.dialects
    # No command is left that holds a pump off while its schedule runs, or releases it.
    # The one that once held it off is not tried again, though with another firmware it
    # may clear the override.
    unheld = {L.PUMP_OFF_CLEARS, L.PUMP_AUX_DECLINED} <= spoken
    if it.key == "resume_schedules" and L.PUMP_AUX_DECLINED in spoken:
        yield "not_given_back"
    if it.key == "pump" and unheld:
        yield "not_applied"
    # Spa mode controls the pump and the cleaners.
    if it.key in _TAKEN_OVER and L.SPA_TAKES_OVER in spoken:
        yield "not_applied"
    # After `busy`, a pump that runs on, or by its schedule, looks as if the command had
    # not run.
    runs_on = unheld or L.RUNS_ON_MANUAL in spoken
    if it.key == "pump" and L.BUSY_AFTER in spoken and runs_on:
        yield "busy"


def _of_schedules(it: Asked) -> Iterator[str]:
    spoken = it.controller.dialects
    # Schedules that cannot be read cannot be changed.
    if it.key.startswith("schedule_") and L.LONGER_RECORDS in spoken:
        yield "unexpected_answer"
    # The firmware lists records that do not exist, or the previous one did, and they
    # cannot be read again.
    odd = {L.SCHEDULES_ODD, L.SCHEDULES_MORE, L.LONGER_RECORDS}
    if it.key in _LISTED_ONLY and odd & spoken:
        yield from ("service_refused", "refused")


def may_be_missing(controller: Controller, key: str) -> bool:
    """Return whether an entity may be missing or wrong, as schedules are unreadable."""
    of_schedules = key.startswith("schedule") or key == "pump"
    return of_schedules and L.LONGER_RECORDS in controller.dialects


async def watch_holds(week: Week, controller: Controller) -> None:
    """Note every hold that is not released in time while nothing prevents it."""
    since, conditions = dt_util.utcnow(), (frozenset[str](), False)
    while not week.over:
        await week.sleep(5 * MINUTE)
        now, by_cloud = dt_util.utcnow(), only_cloud(week, controller)
        before, conditions = conditions, (frozenset(controller.dialects), by_cloud)
        start = time.monotonic() - PATIENCE.total_seconds()
        free = week.trouble_free(start, HOME, controller.device_id)
        if conditions != before or not free:
            since = now
        # The cloud has no command that releases an output.
        if by_cloud or now - since < PATIENCE:
            continue
        for entity, state in week.shown(controller):
            until = dt_util.parse_datetime(state.attributes.get("held_until", ""))
            declined = L.PUMP_AUX_DECLINED in controller.dialects
            if entity.unique_id.endswith("_pump") and declined:
                continue
            if until is not None and now - until > PATIENCE:
                week.note(f"{entity.entity_id} held until {until} is forgotten")
