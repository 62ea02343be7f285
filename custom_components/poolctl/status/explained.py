"""The explanations for one controller, and their texts."""

from datetime import datetime
from typing import Final

from homeassistant.core import Context, HomeAssistant

from ..client.controller import Controller
from ..client.pool.dosing import AnyDosing
from ..client.pool.heating import Body
from ..client.pool.parts import Chemistry
from ..client.wire.equipment import Slot
from ..devices.output_attributes import RUN_BY
from ..learned.learned import Learned
from .dosing import why_dosing
from .heating import why_heating
from .output import why_output, why_pump
from .sentence import Explanation, Situation
from .texts import filled, text

_TIMES: Final = {"until": "pump_until", "next": "next_run"}
"""Attributes of the sentences that name a time."""
PUMP_ATTRIBUTES: Final = frozenset({"pump", "next_schedule", *_TIMES.values()})


class Explainer:
    """Explains why the equipment of a controller runs or not."""

    def __init__(self, controller: Controller, learned: Learned) -> None:
        self._controller = controller
        self._learned = learned

    def output(self, slot: Slot | None) -> Explanation:
        """Return why an output runs or not, empty if a user cannot switch it."""
        if slot is None or slot.role in RUN_BY:
            return ()
        return why_output(self._situation(), slot)

    def pump(self) -> Explanation:
        """Return what the pump does and why, empty if that is not known."""
        return why_pump(self._situation())

    def heating(self, body: Body, shown: Chemistry) -> Explanation:
        """Return why a body of water is heated or not, empty if it has no target."""
        if body.of(self._controller.store.state).target is None:
            return ()
        return why_heating(self._situation(), body, shown)

    def dosing(self, kind: AnyDosing, shown: Chemistry) -> Explanation:
        """Return why a doser doses or does not."""
        return why_dosing(self._situation(), kind, shown)

    def _situation(self) -> Situation:
        controller = self._controller
        return Situation(
            state=controller.store.state,
            holds=controller.holds.shown,
            stopped_by_spa=controller.holds.stopped_by_spa,
            pauses={each.kind.key: each.until for each in controller.pauses.shown},
            run_on_ends=self._learned.ends.run_on,
            now=controller.times.local,
            ahead=controller.times.offset,
        )


def in_words(hass: HomeAssistant, explanation: Explanation) -> str:
    """Return an explanation in the language of Home Assistant."""
    return " ".join(
        text(hass, f"why_{each.key}", filled(hass, each.values)) for each in explanation
    )


def pump_attributes(hass: HomeAssistant, explanation: Explanation) -> dict[str, str]:
    """Return attributes that show what the pump does, and until when or when next.

    They are a sentence, and for cards the times in ISO 8601 with the schedule's name;
    what is not known is left out.
    """
    if not explanation:
        return {}
    found = {"pump": in_words(hass, explanation)}
    for key, values in explanation:
        if isinstance(at := values.get("time"), datetime) and key in _TIMES:
            found.setdefault(_TIMES[key], at.isoformat(timespec="seconds"))
        if key == "next":
            found["next_schedule"] = str(values["schedule"])
    return found


async def async_requester(hass: HomeAssistant, context: Context | None) -> str:
    """Return the name of the user, automation or script that a context belongs to.

    "" if Home Assistant does not report it.
    """
    if context is None:
        return ""
    if context.user_id and (user := await hass.auth.async_get_user(context.user_id)):
        return user.name or ""
    running = hass.states.async_all(("automation", "script"))
    return next((each.name for each in running if each.context.id == context.id), "")
