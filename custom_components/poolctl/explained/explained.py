"""The explanations of one controller, and their words."""

from homeassistant.core import Context, HomeAssistant

from ..client.control.controller import Controller
from ..client.equipment import Slot
from ..client.pool.dosing import AnyDosing
from ..client.pool.heating import Body
from ..output_attributes import RUN_BY
from ..problems.texts import filled, text
from .dosing import why_dosing
from .heating import why_heating
from .output import why_output
from .sentence import Explanation, Situation


def explain_output(controller: Controller, slot: Slot | None) -> Explanation:
    """Return why an output runs or does not, where somebody switches it."""
    if slot is None or slot.role in RUN_BY:
        return ()
    return why_output(_situation(controller), slot)


def explain_heating(controller: Controller, body: Body) -> Explanation:
    """Return why a body of water is heated or is not."""
    return why_heating(_situation(controller), body)


def explain_dosing(controller: Controller, kind: AnyDosing) -> Explanation:
    """Return why a doser doses or does not."""
    return why_dosing(_situation(controller), kind)


def _situation(controller: Controller) -> Situation:
    return Situation(
        state=controller.store.state,
        holds=controller.holds.shown,
        stopped_by_spa=controller.holds.stopped_by_spa,
        now=controller.times.local,
        ahead=controller.times.offset,
    )


def in_words(hass: HomeAssistant, explanation: Explanation) -> str:
    """Return an explanation in the language of Home Assistant."""
    return " ".join(
        text(hass, f"why_{each.key}", filled(hass, each.values)) for each in explanation
    )


async def async_requester(hass: HomeAssistant, context: Context | None) -> str:
    """Return who asks for something: a user, an automation or a script.

    "" where Home Assistant does not say.
    """
    if context is None:
        return ""
    if context.user_id and (user := await hass.auth.async_get_user(context.user_id)):
        return user.name or ""
    running = hass.states.async_all(("automation", "script"))
    return next((each.name for each in running if each.context.id == context.id), "")
