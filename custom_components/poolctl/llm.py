"""Tools for Home Assistant's assistants: how the pools are, and why an output runs or not.

They only read, and return nothing but the states of entities that are exposed. A cause is
what these states say; where they do not say it, it is not known.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
import re
from typing import Final, override

from homeassistant.components.homeassistant.exposed_entities import async_should_expose
from homeassistant.components.llm import LLMTools
from homeassistant.const import (
    ATTR_UNIT_OF_MEASUREMENT,
    STATE_OFF,
    STATE_ON,
    STATE_UNAVAILABLE,
    STATE_UNKNOWN,
    Platform,
)
from homeassistant.core import HomeAssistant, State, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.llm import (
    LLM_API_ASSIST,
    LLMContext,
    Tool,
    ToolAnnotations,
    ToolInput,
    ToolResult,
)
from homeassistant.util.json import JsonObjectType
import probatio as vol

from .const import DOMAIN
from .output_attributes import (
    ATTR_HELD,
    ATTR_HELD_SINCE,
    ATTR_HELD_UNTIL,
    ATTR_MODE,
    ATTR_REASON,
    ATTR_RUNNING_SCHEDULE,
    ATTR_TIMER_ENDS,
    NEEDS_PUMP,
    PUMP_HELD_OFF,
)
from .problems.status import ATTR_PROBLEMS

_READ_ONLY: Final = ToolAnnotations(
    read_only=True, destructive=False, idempotent=True, open_world=False
)
_OUTPUTS: Final = {Platform.SWITCH, Platform.LIGHT}
_OUTPUT: Final = re.compile(r"pump|spa_mode|slot_\d+")
"""Keys of their entities."""
_SHOWN: Final = {
    *("ph", "orp", "water_temperature", "ambient_temperature"),
    *("pump_status", "pump_speed", "running_schedule", "connection"),
    *("acid_remaining", "chlorine_remaining", "acid_lasts_until"),
    *("chlorine_lasts_until", "pool_warm_at", "spa_warm_at"),
}
"""Keys of the sensors that tell how a pool is."""
_DETAILS: Final = {
    ATTR_RUNNING_SCHEDULE: "schedule",
    ATTR_HELD_SINCE: "held_since",
    ATTR_HELD_UNTIL: "held_until",
    ATTR_TIMER_ENDS: "timer_ends",
}
_ID: Final = len("AA_BB_CC_0A_0B_0C")
"""Characters of a controller's identifier, with which each unique ID begins."""

type _Applies = Callable[[State], object]


def _attribute(name: str, value: object = True) -> _Applies:
    return lambda state: state.attributes.get(name) == value


_CAUSES: Final[tuple[tuple[_Applies, str], ...]] = (
    (
        lambda state: state.state == STATE_UNAVAILABLE,
        "not known: the controller does not answer",
    ),
    (lambda state: state.state == STATE_UNKNOWN, "not known"),
    (
        _attribute(ATTR_REASON, PUMP_HELD_OFF),
        "spa mode is on, but nothing happens: the pump is held off by hand",
    ),
    (
        _attribute(ATTR_REASON, NEEDS_PUMP),
        "it needs the pump, which is off",
    ),
    (
        lambda state: _held(state) and state.state == STATE_ON,
        "somebody switched it on by hand, against or without a schedule",
    ),
    (
        lambda state: _held(state) and state.state == STATE_OFF,
        "somebody holds it off by hand, so its schedules do not start it",
    ),
    (lambda state: state.attributes.get(ATTR_TIMER_ENDS), "a timer runs it"),
    (_attribute(ATTR_MODE, "schedule"), "its schedule runs it"),
    (
        _attribute(ATTR_MODE, "manual"),
        "somebody switched it on, in the app, at the controller or here",
    ),
    (
        lambda state: state.state == STATE_OFF and state.attributes.get(ATTR_MODE),
        "no schedule runs it now, and nobody switched it on",
    ),
)
"""The first that applies is the cause."""


def _held(state: State) -> bool:
    return state.attributes.get(ATTR_HELD) is True


def cause(state: State) -> str:
    """Return why an output is as it is, `not known` where nothing says so."""
    return next((words for applies, words in _CAUSES if applies(state)), "not known")


@dataclass(frozen=True, slots=True)
class _Exposed:
    """An entity of ours that an assistant may see."""

    controller: str
    key: str
    domain: str
    state: State


@callback
def _exposed(hass: HomeAssistant, assistant: str) -> Iterator[_Exposed]:
    for entry in er.async_get(hass).entities.values():
        if entry.platform != DOMAIN or not (state := hass.states.get(entry.entity_id)):
            continue
        if async_should_expose(hass, assistant, entry.entity_id):
            unique_id = entry.unique_id
            yield _Exposed(unique_id[:_ID], unique_id[_ID + 1 :], entry.domain, state)


def _outputs(exposed: Iterator[_Exposed]) -> dict[str, State]:
    """Return the outputs by name: what is switched, not the settings beside it."""
    return {
        each.state.name: each.state
        for each in exposed
        if each.domain in _OUTPUTS and _OUTPUT.fullmatch(each.key)
    }


class ExplainTool(Tool):
    """Says why one output runs or does not."""

    name = f"{DOMAIN}__explain"
    title = "Explain an output of the pool"
    description = (
        "Says why an output of the pool (the pump, a light, a waterfall, spa mode) runs"
        " or does not run, by which schedule, and until when. Repeat only what it says."
    )
    annotations = _READ_ONLY
    integration = DOMAIN

    def __init__(self, names: list[str]) -> None:
        """Offer the outputs with these names."""
        self.parameters = vol.Schema({vol.Required("name"): vol.In(names)})

    @override
    async def async_call(
        self, hass: HomeAssistant, tool_input: ToolInput, llm_context: LLMContext
    ) -> ToolResult:
        """Return the cause, and what is recorded of it."""
        name = self.parameters(tool_input.tool_args)["name"]
        exposed = _exposed(hass, llm_context.assistant or "")
        if (state := _outputs(exposed).get(name)) is None:
            return ToolResult(data={"error": "There is no such output"}, error=True)
        details: JsonObjectType = {
            words: state.attributes[attribute]
            for attribute, words in _DETAILS.items()
            if attribute in state.attributes
        }
        return ToolResult(
            data={"name": name, "state": state.state, "cause": cause(state), **details}
        )


class PoolStatusTool(Tool):
    """Says how the pools are."""

    name = f"{DOMAIN}__pool_status"
    title = "Status of the pool"
    description = (
        "Says how the pool is: its problems with the next step, readings with their unit"
        " and time, what runs, the next planned run, and what is left in the drums."
    )
    annotations = _READ_ONLY
    integration = DOMAIN

    @override
    async def async_call(
        self, hass: HomeAssistant, tool_input: ToolInput, llm_context: LLMContext
    ) -> ToolResult:
        """Return it for each pool."""
        pools: dict[str, list[_Exposed]] = {}
        for each in _exposed(hass, llm_context.assistant or ""):
            pools.setdefault(each.controller, []).append(each)
        return ToolResult(
            data={
                "pools": [
                    {"name": _name(hass, device_id), **_status(found)}
                    for device_id, found in pools.items()
                ]
            }
        )


def _name(hass: HomeAssistant, device_id: str) -> str:
    found = dr.async_get(hass).async_get_devices(identifiers={(DOMAIN, device_id)})
    return next((each.name_by_user or each.name or "" for each in found), "")


def _status(found: list[_Exposed]) -> JsonObjectType:
    status = _first(found, Platform.SENSOR, "status")
    outputs = _outputs(iter(found))
    return {
        "status": status.state if status else None,
        "problems": status.attributes.get(ATTR_PROBLEMS, []) if status else [],
        "values": [_value(each.state) for each in found if _is_shown(each)],
        "running": [name for name, each in outputs.items() if each.state == STATE_ON],
        "next_run": _next_run(_first(found, Platform.CALENDAR, "schedules")),
    }


def _first(found: list[_Exposed], domain: Platform, key: str) -> State | None:
    states = (e.state for e in found if (e.domain, e.key) == (domain, key))
    return next(states, None)


def _is_shown(each: _Exposed) -> bool:
    return each.domain == Platform.SENSOR and each.key in _SHOWN


def _next_run(calendar: State | None) -> JsonObjectType | None:
    """Return the run that goes on or comes next, `None` where there is none."""
    if calendar is None or "start_time" not in calendar.attributes:
        return None
    attributes = calendar.attributes
    return {
        "schedule": attributes.get("message"),
        "start": attributes["start_time"],
        "end": attributes.get("end_time"),
    }


def _value(state: State) -> JsonObjectType:
    """Return a value with its unit, and when it was measured where it is not new."""
    return {
        "name": state.name,
        "value": state.state,
        "unit": state.attributes.get(ATTR_UNIT_OF_MEASUREMENT),
        "measured": state.attributes.get("measured_at", "now"),
    }


@callback
def async_get_tools(
    hass: HomeAssistant, llm_context: LLMContext, api_id: str
) -> LLMTools | None:
    """Return the tools where something of ours is exposed to an assistant."""
    if api_id != LLM_API_ASSIST or not llm_context.assistant:
        return None
    exposed = [*_exposed(hass, llm_context.assistant)]
    if not exposed:
        return None
    tools: list[Tool] = [PoolStatusTool()]
    if names := sorted(_outputs(iter(exposed))):
        tools.append(ExplainTool(names))
    return LLMTools(tools=tools)
