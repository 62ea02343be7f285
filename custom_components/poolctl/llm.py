"""The tool of assistants that explains why equipment runs or not, and what is wrong.

It only reads, and answers only about exposed entities. People stay unnamed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
import re
from typing import Final, override

from homeassistant.components.homeassistant.exposed_entities import async_should_expose
from homeassistant.components.llm import LLMTools
from homeassistant.const import STATE_UNAVAILABLE, Platform
from homeassistant.core import HomeAssistant, State, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.entity_platform import async_get_platforms
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

from .account import async_controllers
from .client.pool import DOSING
from .const import ATTR_PROBLEMS, DOMAIN
from .devices.output_attributes import (
    ATTR_EXPLANATION,
    ATTR_SPEEDS,
    ATTR_WARM_BY_EXPLANATION,
    RUN_BY,
)
from .entity import OfSchedule, OutputEntity

_OUTPUTS: Final = {Platform.SWITCH, Platform.LIGHT}
_OUTPUT: Final = re.compile(r"pump|spa_mode|slot_\d+")
"""Keys of the entities of outputs."""
_EXPLAINED: Final = re.compile(
    "|".join([_OUTPUT.pattern, *(kind.enabled_key for kind in DOSING)])
)
"""Keys of the entities of outputs and of the switches of dosers."""
_ID: Final = len("AA_BB_CC_0A_0B_0C")
"""Length of a controller's identifier, with which each unique ID begins."""


@dataclass(frozen=True, slots=True)
class _Thing:
    """A pool by its *Status*, or an entity that has an explanation."""

    name: str
    pool: str
    state: State
    exposed: bool
    is_pool: bool


def _pool_name(hass: HomeAssistant, device_id: str) -> str:
    devices = dr.async_get(hass).async_get_devices(identifiers={(DOMAIN, device_id)})
    return next((each.name_by_user or each.name or "" for each in devices), "")


@callback
def _things(hass: HomeAssistant, assistant: str) -> Iterator[_Thing]:
    for entry in er.async_get(hass).entities.values():
        if entry.platform != DOMAIN or not (state := hass.states.get(entry.entity_id)):
            continue
        device_id, key = entry.unique_id[:_ID], entry.unique_id[_ID + 1 :]
        is_pool = (entry.domain, key) == (Platform.SENSOR, "status")
        is_explained = entry.domain in _OUTPUTS and _EXPLAINED.fullmatch(key)
        if is_pool or is_explained or entry.domain == Platform.CLIMATE:
            pool = _pool_name(hass, device_id)
            exposed = async_should_expose(hass, assistant, entry.entity_id)
            yield _Thing(pool if is_pool else state.name, pool, state, exposed, is_pool)


def _labels(things: Iterable[_Thing]) -> dict[str, _Thing]:
    """Return the exposed things by unique names, with their pool or a number."""
    exposed = [each for each in things if each.exposed]
    names = Counter(each.name for each in exposed)
    labels = [
        each.name if names[each.name] == 1 else f"{each.name} ({each.pool})"
        for each in exposed
    ]
    shared, labelled = Counter(labels), dict[str, _Thing]()
    for label, thing in zip(labels, exposed, strict=True):
        free = (
            numbered
            for number in count(1)
            if (numbered := f"{label} {number}") not in {*shared, *labelled}
        )
        labelled[label if shared[label] == 1 else next(free)] = thing
    return labelled


def _exposed_names(hass: HomeAssistant, assistant: str) -> set[str]:
    """Return the controllers' names of the exposed outputs and schedules."""
    shown = [
        entity
        for platform in async_get_platforms(hass, DOMAIN)
        for entity_id, entity in platform.entities.items()
        if async_should_expose(hass, assistant, entity_id)
    ]
    slots = [each.slot for each in shown if isinstance(each, OutputEntity)]
    schedules = [each.schedule for each in shown if isinstance(each, OfSchedule)]
    return {each.name for each in (*slots, *schedules) if each}


def _own_names(hass: HomeAssistant) -> tuple[set[str], set[str]]:
    """Return the controllers' names of outputs and schedules, and who holds outputs."""
    names, people = set[str](), set[str]()
    for each in async_controllers(hass):
        slots, schedules = each.state.outputs.slots, each.state.schedules.used
        names |= {slot.name for slot in slots if slot.role not in RUN_BY}
        names |= {schedule.name for schedule in schedules.values()}
        people |= {
            origin.name
            for hold in each.controller.holds.shown
            for origin in hold.origins.values()
        }
    return names, people


async def _async_hidden(
    hass: HomeAssistant, things: list[_Thing], assistant: str
) -> re.Pattern[str]:
    """Return what matches the names of people, and those of what is not exposed.

    Explanations name outputs and schedules as the controller does, and whoever asked
    for a hold by the name of that time.
    """
    names, people = _own_names(hass)
    names |= {each.name for each in things if not (each.exposed or each.is_pool)}
    names -= {each.name for each in things if each.exposed}
    names -= _exposed_names(hass, assistant)
    people |= {user.name or "" for user in await hass.auth.async_get_users()}
    people |= {state.name for state in hass.states.async_all("person")}
    longest_first = sorted(filter(None, names | people), key=len, reverse=True)
    return re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first)) or '$.'})(?!\w)"
    )


class ExplainTool(Tool):
    """Explains why equipment runs or does not run."""

    name = f"{DOMAIN}__explain"
    title = "Explain what the pool does"
    description = (
        "Says why an output of the pool (the pump, a light, a waterfall, spa mode), its"
        " heating or its dosing runs or does not run, and until when; or what is wrong"
        " with the pool. Repeat only what it says."
    )
    annotations = ToolAnnotations(
        read_only=True, destructive=False, idempotent=True, open_world=False
    )
    integration = DOMAIN

    def __init__(self, names: Iterable[str]) -> None:
        self.parameters = vol.Schema({vol.Required("name"): vol.In(sorted(names))})

    @override
    async def async_call(
        self, hass: HomeAssistant, tool_input: ToolInput, llm_context: LLMContext
    ) -> ToolResult:
        """Return the explanation of an entity, or the problems of a pool."""
        name = self.parameters(tool_input.tool_args)["name"]
        assistant = llm_context.assistant or ""
        things = [*_things(hass, assistant)]
        labels = _labels(things)
        if (thing := labels.get(name)) is None:
            equal = [label for label, each in labels.items() if each.name == name]
            if len(equal) != 1:
                error = "There are several: ask which" if equal else "Nothing has it"
                return ToolResult(data={"error": error, "names": [*equal]}, error=True)
            thing = labels[equal[0]]
        hidden = await _async_hidden(hass, things, assistant)
        answer = _answer(thing, lambda text: hidden.sub("…", str(text)))
        return ToolResult(data={"name": name, "state": thing.state.state, **answer})


def _answer(thing: _Thing, public: Callable[[object], str]) -> JsonObjectType:
    state = thing.state
    if state.state == STATE_UNAVAILABLE:
        return {"explanation": "Not known: the controller does not answer."}
    if not thing.is_pool:
        keys = ATTR_EXPLANATION, ATTR_WARM_BY_EXPLANATION
        sentences = filter(None, map(state.attributes.get, keys))
        speeds = state.attributes.get(ATTR_SPEEDS)
        return {
            "explanation": public(" ".join(sentences) or "Not known."),
            **({"speeds_in_percent": speeds} if speeds else {}),
        }
    return {
        "problems": [
            {key: public(value) for key, value in problem.items()}
            for problem in state.attributes.get(ATTR_PROBLEMS, [])
        ]
    }


@callback
def async_get_tools(
    hass: HomeAssistant, llm_context: LLMContext, api_id: str
) -> LLMTools | None:
    """Return the tool if entities that it can explain are exposed to an assistant."""
    if api_id != LLM_API_ASSIST or not llm_context.assistant:
        return None
    labels = _labels(_things(hass, llm_context.assistant))
    names = {*labels, *(each.name for each in labels.values())}
    return LLMTools(tools=[ExplainTool(names)]) if names else None
