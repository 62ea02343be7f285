"""LLM tools for assistants: the status of pools, and why equipment runs or does not.

They only read, and return only the states of exposed entities.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
import re
from typing import Final, override

from homeassistant.components.homeassistant.exposed_entities import async_should_expose
from homeassistant.components.llm import LLMTools
from homeassistant.const import (
    ATTR_UNIT_OF_MEASUREMENT,
    STATE_ON,
    STATE_UNAVAILABLE,
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

from .client.pool.dosing import DOSING
from .const import DOMAIN
from .output_attributes import ATTR_EXPLANATION
from .problems.status import ATTR_PROBLEMS

_READ_ONLY: Final = ToolAnnotations(
    read_only=True, destructive=False, idempotent=True, open_world=False
)
_OUTPUTS: Final = {Platform.SWITCH, Platform.LIGHT}
_OUTPUT: Final = re.compile(r"pump|spa_mode|slot_\d+")
"""Keys of the entities of outputs."""
_EXPLAINED: Final = re.compile(
    "|".join([_OUTPUT.pattern, *(kind.enabled_key for kind in DOSING)])
)
"""Keys of the entities of outputs and of the switches of dosers."""
_SHOWN: Final = {
    *("ph", "orp", "water_temperature", "ambient_temperature"),
    *("pump_status", "pump_speed", "running_schedule", "connection"),
    *("acid_remaining", "chlorine_remaining", "acid_lasts_until"),
    *("chlorine_lasts_until", "pool_warm_at", "spa_warm_at"),
}
"""Keys of the sensors that the status of a pool includes."""
_ID: Final = len("AA_BB_CC_0A_0B_0C")
"""Length of a controller's identifier, with which each unique ID begins."""


@dataclass(frozen=True, slots=True)
class _Exposed:
    """An entity of this integration that is exposed to an assistant."""

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


def _outputs(exposed: Iterable[_Exposed]) -> dict[str, State]:
    """Return the states of outputs by name, without the switches of settings."""
    return {
        each.state.name: each.state
        for each in exposed
        if each.domain in _OUTPUTS and _OUTPUT.fullmatch(each.key)
    }


def _explained(exposed: Iterable[_Exposed]) -> dict[str, State]:
    """Return the states with an explanation by name: outputs, thermostats, dosers."""
    return {
        each.state.name: each.state
        for each in exposed
        if each.domain == Platform.CLIMATE
        or (each.domain in _OUTPUTS and _EXPLAINED.fullmatch(each.key))
    }


class ExplainTool(Tool):
    """Explains why equipment runs or does not run."""

    name = f"{DOMAIN}__explain"
    title = "Explain what the pool does"
    description = (
        "Says why an output of the pool (the pump, a light, a waterfall, spa mode), its"
        " heating or its dosing runs or does not run, who asked for that, since when and"
        " until when; or what is wrong with the pool. Repeat only what it says."
    )
    annotations = _READ_ONLY
    integration = DOMAIN

    def __init__(self, names: list[str]) -> None:
        """Accept these names of entities and pools."""
        self.parameters = vol.Schema({vol.Required("name"): vol.In(names)})

    @override
    async def async_call(
        self, hass: HomeAssistant, tool_input: ToolInput, llm_context: LLMContext
    ) -> ToolResult:
        """Return the explanation of an entity, or the status of a pool."""
        name = self.parameters(tool_input.tool_args)["name"]
        exposed = [*_exposed(hass, llm_context.assistant or "")]
        if state := _explained(exposed).get(name):
            unavailable = state.state == STATE_UNAVAILABLE
            unknown = "Not known: the controller does not answer." * unavailable
            return ToolResult(
                data={
                    "name": name,
                    "state": state.state,
                    "since": state.last_changed.isoformat(timespec="seconds"),
                    "explanation": unknown
                    or state.attributes.get(ATTR_EXPLANATION, "Not known."),
                }
            )
        if pool := _pools(hass, exposed).get(name):
            return ToolResult(data={"name": name, **_status(pool)})
        return ToolResult(data={"error": "There is no such thing"}, error=True)


def _pools(
    hass: HomeAssistant, exposed: Iterable[_Exposed]
) -> dict[str, list[_Exposed]]:
    """Return the exposed entities of each pool, by the name of the pool."""
    pools: dict[str, list[_Exposed]] = {}
    for each in exposed:
        pools.setdefault(_name(hass, each.controller), []).append(each)
    return pools


class PoolStatusTool(Tool):
    """Reports the status of the pools."""

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
        """Return the status of each pool."""
        pools = _pools(hass, _exposed(hass, llm_context.assistant or ""))
        data: JsonObjectType = {
            "pools": [{"name": name, **_status(pool)} for name, pool in pools.items()]
        }
        return ToolResult(data=data)


def _name(hass: HomeAssistant, device_id: str) -> str:
    found = dr.async_get(hass).async_get_devices(identifiers={(DOMAIN, device_id)})
    return next((each.name_by_user or each.name or "" for each in found), "")


def _status(found: list[_Exposed]) -> JsonObjectType:
    status = _first(found, Platform.SENSOR, "status")
    outputs = _outputs(found)
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
    """Return the current or next run, `None` if there is none."""
    if calendar is None or "start_time" not in calendar.attributes:
        return None
    attributes = calendar.attributes
    return {
        "schedule": attributes.get("message"),
        "start": attributes["start_time"],
        "end": attributes.get("end_time"),
    }


def _value(state: State) -> JsonObjectType:
    """Return a value with its unit and the time of its measurement, if not now."""
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
    """Return the tools if entities of this integration are exposed to an assistant."""
    if api_id != LLM_API_ASSIST or not llm_context.assistant:
        return None
    exposed = [*_exposed(hass, llm_context.assistant)]
    if not exposed:
        return None
    names = {*_explained(exposed), *_pools(hass, exposed)}
    return LLMTools(tools=[PoolStatusTool(), ExplainTool(sorted(names))])
