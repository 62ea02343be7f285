"""The table of failures of a command that are right without any fault."""

from collections.abc import Callable, Mapping, Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

from homeassistant.exceptions import HomeAssistantError

from tests.world.simulator import Cloud, Controller
from tests.world.simulator.cloud_dialects import CloudDialect as C
from tests.world.simulator.dialects import SOMETIMES, Dialect as L

from .week import CLOUD, HOME

TOO_FAR: Final = 500
"""Seconds beyond which the integration does not follow a counter that is ahead."""

_UNTOLD: Final = {C.C1_MISSING, C.C1_PENDING, C.C1_QUEUED, C.C1_NULL}


def in_touch(stored: Mapping[str, Any], controller: Controller) -> bool:
    """Return whether Home Assistant has the controller's key and address.

    With hostile neighbours and lost requests, it may take hours to find a new address,
    and a new key is noticed only then. The end of the week checks that both were found.
    """
    here = controller.key.hex(), controller.host, controller.port
    return (stored["key"], stored["host"], stored["port"]) == here


@dataclass(frozen=True, slots=True)
class Asked:
    """A command and its controller."""

    domain: str
    key: str
    data: AbstractSet[str]
    """Names of its parameters."""
    controller: Controller
    cloud: Cloud
    in_touch: bool
    """Result of the function `in_touch`."""

    @property
    def is_show(self) -> bool:
        """Whether the command starts a light show, which no reading confirms."""
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
        """Places that had to be without trouble for the command to work.

        If the LAN loses requests, the command may be sent through the cloud.
        """
        places = HOME, self.controller.device_id
        loses = bool(SOMETIMES.keys() & self.controller.dialects)
        return (*places, CLOUD) if self.by_cloud or loses else places

    def cloud_speaks(self, dialects: AbstractSet[C]) -> bool:
        """Return whether only the cloud is left, and speaks one of these dialects."""
        return self.by_cloud and not dialects.isdisjoint(self.cloud.dialects)


_TAKEN_OVER: Final = {"pump", "slot_9", "slot_16"}
_LISTED_ONLY: Final = {f"schedule_{index}" for index in range(18, 24)}

LEGITIMATE: Final[tuple[tuple[str, Callable[[Asked], bool]], ...]] = (
    # `busy` may come after a show began, and no reading confirms that it did.
    (
        "outcome_unknown",
        lambda it: it.is_show and L.BUSY_AFTER in it.controller.dialects,
    ),
    # A clock that is a day ahead is not followed, and the cloud cannot do everything.
    ("clock", lambda it: it.by_cloud),
    ("not_supported", lambda it: it.by_cloud),
    # Only the cloud is left, behind a proxy that fails once.
    ("not_reached", lambda it: it.cloud_speaks({C.C18_502})),
    # Only the cloud is left, and it does not confirm that the command was done.
    ("unconfirmed", lambda it: it.cloud_speaks(_UNTOLD)),
    ("unexpected_answer", lambda it: it.cloud_speaks(_UNTOLD)),
    ("outcome_unknown", lambda it: it.cloud_speaks(_UNTOLD)),
    # After `busy`, a pump that runs on looks as if the command had not run, and so does
    # one that its schedule runs because no command is left that holds it off.
    *(
        (
            "busy",
            lambda it, why=why: (
                it.key == "pump" and {L.BUSY_AFTER, *why} <= it.controller.dialects
            ),
        )
        for why in ((L.RUNS_ON_MANUAL,), (L.PUMP_OFF_CLEARS, L.PUMP_AUX_DECLINED))
    ),
    # No command is left that releases a pump. The one that once held it off is not
    # tried again, though with another firmware it may clear the override.
    (
        "not_given_back",
        lambda it: (
            it.key == "resume_schedules"
            and L.PUMP_AUX_DECLINED in it.controller.dialects
        ),
    ),
    # No command is left that holds a pump off while its schedule runs.
    (
        "not_applied",
        lambda it: (
            it.key == "pump"
            and {L.PUMP_OFF_CLEARS, L.PUMP_AUX_DECLINED} <= it.controller.dialects
        ),
    ),
    # Spa mode controls the pump and the cleaners.
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
            # The firmware lists records that do not exist, or the previous one did, and
            # they cannot be read again.
            lambda it: (
                it.key in _LISTED_ONLY
                and {L.SCHEDULES_ODD, L.SCHEDULES_MORE, L.LONGER_RECORDS}
                & it.controller.dialects
            ),
        )
    ),
)
"""Translation key of an error, and the condition under which it is right."""


def legitimate(error: HomeAssistantError, asked: Asked) -> bool:
    """Return whether a command was right to fail this way."""
    return any(
        key == error.translation_key and right(asked) for key, right in LEGITIMATE
    )


def may_be_missing(controller: Controller, key: str) -> bool:
    """Return whether an entity may be missing or wrong, as schedules are unreadable."""
    of_schedules = key.startswith("schedule") or key in ("running_schedule", "pump")
    return of_schedules and L.LONGER_RECORDS in controller.dialects
