"""Which failures of a command are right without any fault: the one table of them."""

from collections.abc import Callable, Mapping, Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

from homeassistant.exceptions import HomeAssistantError

from tests.simulator import Cloud, Controller
from tests.simulator.cloud_dialects import CloudDialect as C
from tests.simulator.dialects import SOMETIMES, Dialect as L

from .week import CLOUD, HOME

TOO_FAR: Final = 500
"""s that the shared counter may be ahead before nobody follows it there."""

_UNTOLD: Final = {C.C1_MISSING, C.C1_PENDING, C.C1_QUEUED, C.C1_NULL}


def in_touch(stored: Mapping[str, Any], controller: Controller) -> bool:
    """Tell whether Home Assistant has the controller's key and address.

    Where neighbours lie and the LAN loses requests, a new address may take hours, and a
    new key shows only then. That both were found is asked at the end of the week.
    """
    here = controller.key.hex(), controller.host, controller.port
    return (stored["key"], stored["host"], stored["port"]) == here


@dataclass(frozen=True, slots=True)
class Asked:
    """A command, and whom it was for."""

    domain: str
    key: str
    data: AbstractSet[str]
    """Names of what it was given."""
    controller: Controller
    cloud: Cloud
    in_touch: bool
    """As the function."""

    @property
    def is_show(self) -> bool:
        """Whether a light is told to show something: nothing tells what it shows."""
        effect = self.domain == "light" and "effect" in self.data
        return effect or (self.domain == "button" and "_light_" in self.key)

    @property
    def by_cloud(self) -> bool:
        """Whether only the cloud is left: a clock is far ahead, or the LAN is lost."""
        controller = self.controller
        ahead = controller.accepted_counter - controller.clock.time()
        return ahead > TOO_FAR or not self.in_touch

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the places that had to be without trouble for it to work.

        Where the LAN loses requests, the command may take the way through the cloud.
        """
        places = HOME, self.controller.device_id
        loses = bool(SOMETIMES.keys() & self.controller.dialects)
        return (*places, CLOUD) if self.by_cloud or loses else places

    def cloud_speaks(self, dialects: AbstractSet[C]) -> bool:
        """Tell whether only the cloud can sign, and how it speaks."""
        return self.by_cloud and not dialects.isdisjoint(self.cloud.dialects)


_TAKEN_OVER: Final = {"pump", "slot_9", "slot_16"}
_LISTED_ONLY: Final = {f"schedule_{index}" for index in range(18, 24)}

LEGITIMATE: Final[tuple[tuple[str, Callable[[Asked], bool]], ...]] = (
    # `busy` may come after a show began, and nothing tells whether it did.
    (
        "outcome_unknown",
        lambda it: it.is_show and L.BUSY_AFTER in it.controller.dialects,
    ),
    # Nobody follows a clock that is a day ahead, and the cloud cannot do everything.
    ("clock", lambda it: it.by_cloud),
    ("not_supported", lambda it: it.by_cloud),
    # The only one left to take it is behind a proxy that has a bad moment.
    ("not_reached", lambda it: it.cloud_speaks({C.C18_502})),
    # The only one left to take it does not say that it did, or did not do it.
    ("unconfirmed", lambda it: it.cloud_speaks(_UNTOLD)),
    ("unexpected_answer", lambda it: it.cloud_speaks(_UNTOLD)),
    # A pump that runs on looks as if nothing had run after `busy`.
    (
        "busy",
        lambda it: (
            it.key == "pump"
            and {L.BUSY_AFTER, L.RUNS_ON_MANUAL} <= it.controller.dialects
        ),
    ),
    # Nothing is left that gives a pump back that was switched by hand. What once held
    # it off is not tried again, though another firmware may clear the override.
    (
        "not_given_back",
        lambda it: (
            it.key == "resume_schedules"
            and L.PUMP_AUX_DECLINED in it.controller.dialects
        ),
    ),
    # Nothing is left that holds a pump off while its schedule runs.
    (
        "not_applied",
        lambda it: (
            it.key == "pump"
            and {L.PUMP_OFF_CLEARS, L.PUMP_AUX_DECLINED} <= it.controller.dialects
        ),
    ),
    # Spa mode decides on the pump and on cleaners.
    (
        "not_applied",
        lambda it: it.key in _TAKEN_OVER and L.SPA_TAKES_OVER in it.controller.dialects,
    ),
    # Schedules that cannot be read cannot be changed.
    (
        "unexpected_answer",
        lambda it: (
            it.key.startswith("schedule_")
            and L.LONGER_RECORDS in it.controller.dialects
        ),
    ),
    *(
        (refused, right)
        for refused in ("service_refused", "refused")
        for right in (
            lambda it: it.cloud_speaks({C.C1_FAILED}),
            # The firmware lists records that are not there, or the one before did, and
            # they cannot be read again.
            lambda it: (
                it.key in _LISTED_ONLY
                and {L.SCHEDULES_ODD, L.SCHEDULES_MORE, L.LONGER_RECORDS}
                & it.controller.dialects
            ),
        )
    ),
)
"""Key of the sentence that a person is told, and when it is right."""


def legitimate(error: HomeAssistantError, asked: Asked) -> bool:
    """Tell whether a command had to fail this way."""
    return any(
        key == error.translation_key and right(asked) for key, right in LEGITIMATE
    )


def may_be_missing(controller: Controller, key: str) -> bool:
    """Tell whether an entity need not be there, or right: of schedules nobody can read."""
    of_schedules = key.startswith("schedule") or key in ("running_schedule", "pump")
    return of_schedules and L.LONGER_RECORDS in controller.dialects
