"""The tools of an assistant: they read, and answer only about exposed entities."""

from typing import Any

from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.auth.models import User
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.core import Context
from homeassistant.helpers import entity_registry as er, llm
from homeassistant.setup import async_setup_component
import pytest

from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("freezer")
CONVERSATION = "conversation"
"""The assistant that entities are exposed to."""
EXPLAIN = "poolctl__explain"
WATERFALL, SLIDE, BUBBLER, FILTER = "slot_3", "slot_21", "slot_32", "pump"


class Assistant:
    def __init__(self, home: Home) -> None:
        self.home = home

    async def api(self) -> llm.APIInstance:
        context = llm.LLMContext(
            platform="test",
            context=Context(),
            language="*",
            assistant=CONVERSATION,
            device_id=None,
        )
        return await llm.async_get_api(self.home.hass, llm.LLM_API_ASSIST, context)

    async def ask(self, tool: str, **arguments: str) -> dict[str, Any]:
        asked = llm.ToolInput(tool_name=tool, tool_args=arguments)
        answer: Any = await (await self.api()).async_call_tool(asked)
        data: dict[str, Any] = getattr(answer, "data", answer)
        return data

    async def why(self, key: str) -> dict[str, Any]:
        name = self.home.state("switch", key).name
        return await self.ask(EXPLAIN, name=name)

    def expose(self, domain: str, key: str, exposed: bool = True) -> None:
        entity_id = self.home.entity_id(domain, key)
        async_expose_entity(self.home.hass, CONVERSATION, entity_id, exposed)


@pytest.fixture
async def assistant(home: Home) -> Assistant:
    """Return an assistant of the full pool, with all of its entities exposed."""
    for component in ("homeassistant", "llm"):
        assert await async_setup_component(home.hass, component, {})
    home.own(home.service.full)
    await home.set_up(home.controller)
    found = Assistant(home)
    for entity in home.entities():
        if home.hass.states.get(entity.entity_id):
            async_expose_entity(home.hass, CONVERSATION, entity.entity_id, True)
    return found


async def test_why(assistant: Assistant) -> None:
    """The assistant gets the explanation of the entity (`test_explained.py`)."""
    home = assistant.home
    for domain, key in (
        ("switch", FILTER),
        ("climate", "pool"),
        ("switch", "ph_dosing"),
    ):
        state = home.state(domain, key)
        answer = await assistant.ask(EXPLAIN, name=state.name)
        assert answer["explanation"] == state.attributes["explanation"] != ""
        assert (answer["state"], answer["name"]) == (state.state, state.name)


async def test_why_nobody_knows(assistant: Assistant) -> None:
    assistant.home.disconnect()
    await assistant.home.advance(120, step=30)
    answer = await assistant.why(FILTER)
    assert answer["explanation"] == "Not known: the controller does not answer."


async def test_a_pool_is_explained(assistant: Assistant) -> None:
    assistant.home.pool.water.ph = 8.2
    assistant.home.pool.water.drift = 0
    await assistant.home.advance(30, step=15)
    answer = await assistant.ask(EXPLAIN, name="Beach pool")
    assert answer["state"] == "problem" and "8.2" in answer["problems"][0]["sentence"]


async def test_only_what_is_exposed(assistant: Assistant) -> None:
    """Only exposed entities are ever named; without any, there is no tool."""
    home = assistant.home
    name = home.state("switch", WATERFALL).name
    assistant.expose("switch", WATERFALL, exposed=False)
    tools = {tool.name: tool for tool in (await assistant.api()).tools}
    assert name not in str(tools[EXPLAIN].parameters.schema)
    for entity in home.entities():
        if home.hass.states.get(entity.entity_id):
            async_expose_entity(home.hass, CONVERSATION, entity.entity_id, False)
    assert EXPLAIN not in {t.name for t in (await assistant.api()).tools}


async def switched_on_by(home: Home, name: str) -> User:
    user = await home.hass.auth.async_create_user(name, group_ids=[GROUP_ID_USER])
    await home.hass.services.async_call(
        "switch",
        "turn_on",
        {"entity_id": home.entity_id("switch", WATERFALL)},
        blocking=True,
        context=Context(user_id=user.id),
    )
    return user


async def test_no_names_of_people_or_of_what_is_not_exposed(
    assistant: Assistant,
) -> None:
    """A person who switched something on, and an output that Status names."""
    home = assistant.home
    await switched_on_by(home, "Annabel")
    state = home.state("switch", WATERFALL)
    assert "Annabel" in state.attributes["explanation"]
    answer = await assistant.why(WATERFALL)
    assert "Annabel" not in str(answer) and answer["explanation"]
    status = home.entity_id("sensor", "status")
    problem = {"sentence": f"{state.name} is held.", "next_step": "Give it back."}
    home.hass.states.async_set(status, "notice", {"problems": [problem]})
    answer = await assistant.ask(EXPLAIN, name="Beach pool")
    assert state.name in answer["problems"][0]["sentence"]
    assistant.expose("switch", WATERFALL, exposed=False)
    answer = await assistant.ask(EXPLAIN, name="Beach pool")
    assert answer["problems"][0] == {
        "sentence": "… is held.",
        "next_step": "Give it back.",
    }


async def test_what_an_explanation_names_is_hidden_by_any_of_its_names(
    assistant: Assistant,
) -> None:
    """A user, an output and a schedule that were renamed since, and a disabled one."""
    home = assistant.home
    user = await switched_on_by(home, "Annabel")
    await home.hass.auth.async_update_user(user, name="Zoe")
    assert "Annabel" in home.state("switch", WATERFALL).attributes["explanation"]
    assert "Annabel" not in str(await assistant.why(WATERFALL))

    registry = er.async_get(home.hass)
    registry.async_update_entity(home.entity_id("switch", SLIDE), name="Cascade")
    bubbler = home.entity_id("switch", BUBBLER)
    registry.async_update_entity(bubbler, disabled_by=er.RegistryEntryDisabler.USER)
    for key in (SLIDE, "schedule_0"):
        assistant.expose("switch", key, exposed=False)
    await home.settle()
    names = "Water Slide", "Bubbler", "Filter"
    problem = {"sentence": "Held: Waterfall, Water Slide, Bubbler. Filter runs it."}
    status = home.entity_id("sensor", "status")
    home.hass.states.async_set(status, "notice", {"problems": [problem]})
    answer = await assistant.ask(EXPLAIN, name="Beach pool")
    told = answer["problems"][0]["sentence"]
    assert "Waterfall" in told and not [each for each in names if each in told]


async def test_a_name_that_looks_like_a_number_added(assistant: Assistant) -> None:
    """Every output can be asked for, whatever their owner calls them."""
    registry, home = er.async_get(assistant.home.hass), assistant.home
    for key, name in (
        (WATERFALL, "Jet"),
        (SLIDE, "Jet"),
        (BUBBLER, "Jet (Beach pool) 1"),
    ):
        registry.async_update_entity(home.entity_id("switch", key), name=name)
    await home.settle()
    (tool,) = [t for t in (await assistant.api()).tools if t.name == EXPLAIN]
    names = [
        each
        for each in tool.parameters.schema["name"].container
        if each.startswith("Jet")
    ]
    asked = [await assistant.ask(EXPLAIN, name=each) for each in names]
    explained = {each["name"] for each in asked if "explanation" in each}
    assert explained >= {f"Jet (Beach pool) {number}" for number in (1, 2, 3)}


async def test_equal_names(home: Home) -> None:
    """Two outputs "Jet" in one pool, and a pump in each of two: asked back."""
    for component in ("homeassistant", "llm"):
        assert await async_setup_component(home.hass, component, {})
    await home.set_up(*home.service.controllers)
    assistant = Assistant(home)
    registry = er.async_get(home.hass)
    jets = [e.entity_id for e in registry.entities.values() if e.domain == "switch"]
    jets = [e for e in jets if e.endswith(("_bubbler", "_fountain"))]
    for entity_id in jets:
        registry.async_update_entity(entity_id, name="Jet")
    await home.hass.async_block_till_done()
    for entry in registry.entities.values():
        if home.hass.states.get(entry.entity_id):
            async_expose_entity(home.hass, CONVERSATION, entry.entity_id, True)
    answer = await assistant.ask(EXPLAIN, name="Pump")
    assert sorted(answer["names"]) == ["Pump (Beach pool)", "Pump (Home pool)"]
    for name in answer["names"]:
        assert (await assistant.ask(EXPLAIN, name=name))["explanation"]
    (jet,) = {state.name for each in jets if (state := home.hass.states.get(each))}
    answer = await assistant.ask(EXPLAIN, name=jet)
    assert answer["names"] == [
        f"{jet} (Beach pool) 1",
        f"{jet} (Beach pool) 2",
    ]


async def test_it_only_reads(assistant: Assistant) -> None:
    tools = [t for t in (await assistant.api()).tools if t.integration == "poolctl"]
    assert [tool.name for tool in tools] == [EXPLAIN]
    assert all(tool.annotations.read_only for tool in tools)
    assert all(tool.title and tool.description for tool in tools)
    sent = len(assistant.home.controller.requests)
    await assistant.why(FILTER)
    assert len(assistant.home.controller.requests) == sent
