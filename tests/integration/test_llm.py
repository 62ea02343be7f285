"""The tools of an assistant: they read, and answer only about exposed entities."""

from typing import Any

from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.core import Context
from homeassistant.helpers import llm
from homeassistant.setup import async_setup_component
import pytest

from .home import Home

pytestmark = pytest.mark.usefixtures("freezer")
CONVERSATION = "conversation"
"""The assistant that entities are exposed to."""
EXPLAIN, STATUS = "poolctl__explain", "poolctl__pool_status"
WATERFALL, SLIDE, BUBBLER, FILTER = "slot_3", "slot_21", "slot_32", "pump"


class Assistant:
    """An assistant of Home Assistant, as a conversation agent uses it."""

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
        """Call a tool; return its answer."""
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
        assert answer["since"] == state.last_changed.isoformat(timespec="seconds")


async def test_why_nobody_knows(assistant: Assistant) -> None:
    assistant.home.disconnect()
    await assistant.home.advance(120, step=30)
    answer = await assistant.why(FILTER)
    assert answer["explanation"] == "Not known: the controller does not answer."


async def test_a_pool_is_explained(assistant: Assistant) -> None:
    assistant.home.pool.water.ph = 8.2
    assistant.home.pool.water.drift = 0
    await assistant.home.refresh()
    answer = await assistant.ask(EXPLAIN, name="Beach pool")
    assert answer["status"] == "problem" and "8.2" in answer["problems"][0]["sentence"]


async def test_how_the_pool_is(assistant: Assistant) -> None:
    home = assistant.home
    (pool,) = (await assistant.ask(STATUS))["pools"]
    assert (pool["name"], pool["status"], pool["problems"]) == (
        "Beach pool",
        "all_well",
        [],
    )
    assert "Pump" in " ".join(pool["running"])
    values = {each["name"]: each for each in pool["values"]}
    water = values[home.state("sensor", "water_temperature").name]
    assert (water["unit"], water["measured"]) == ("°C", "now")
    assert pool["next_run"]["schedule"]
    home.pool.water.ph = 8.2
    home.pool.water.drift = 0
    await home.refresh()
    (pool,) = (await assistant.ask(STATUS))["pools"]
    assert pool["status"] == "problem"
    assert pool["problems"][0]["next_step"]


async def test_only_what_is_exposed(assistant: Assistant) -> None:
    """Only exposed entities are ever named; without any, there are no tools."""
    home = assistant.home
    name = home.state("switch", WATERFALL).name
    assistant.expose("switch", WATERFALL, exposed=False)
    await home.act("switch.turn_on", WATERFALL)
    tools = {tool.name: tool for tool in (await assistant.api()).tools}
    assert name not in str(tools[EXPLAIN].parameters.schema)
    assert name not in str(await assistant.ask(STATUS))
    for entity in home.entities():
        if home.hass.states.get(entity.entity_id):
            async_expose_entity(home.hass, CONVERSATION, entity.entity_id, False)
    assert not {EXPLAIN, STATUS} & {t.name for t in (await assistant.api()).tools}


async def test_they_only_read(assistant: Assistant) -> None:
    tools = [t for t in (await assistant.api()).tools if t.integration == "poolctl"]
    assert {tool.name for tool in tools} == {EXPLAIN, STATUS}
    assert all(tool.annotations.read_only for tool in tools)
    assert all(tool.title and tool.description for tool in tools)
    sent = len(assistant.home.controller.requests)
    await assistant.ask(STATUS)
    await assistant.why(FILTER)
    assert len(assistant.home.controller.requests) == sent
