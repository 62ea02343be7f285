"""The tools of an assistant: they read, and answer only about exposed entities."""

from datetime import timedelta
from typing import Any

from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.auth.models import User
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.const import Platform
from homeassistant.core import Context
from homeassistant.helpers import entity_registry as er, llm
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest

from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator import Controller

pytestmark = pytest.mark.usefixtures("freezer")
few_platforms = only(Platform.CLIMATE, Platform.LIGHT, Platform.SENSOR, Platform.SWITCH)
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

    def hide(self, key: str) -> None:
        entity_id = self.home.entity_id("switch", key)
        async_expose_entity(self.home.hass, CONVERSATION, entity_id, False)

    async def ask_about_status(self, sentence: str) -> str:
        """Let *Status* show a problem with this sentence; return what is answered."""
        status = self.home.entity_id("sensor", "status")
        problem = {"sentence": sentence, "next_step": "Give it back."}
        self.home.hass.states.async_set(status, "notice", {"problems": [problem]})
        answer = await self.ask(EXPLAIN, name="Beach pool")
        assert answer["problems"][0]["next_step"] == "Give it back."
        return str(answer["problems"][0]["sentence"])


def expose_all(home: Home, exposed: bool = True) -> None:
    for entity in er.async_get(home.hass).entities.values():
        if home.hass.states.get(entity.entity_id):
            async_expose_entity(home.hass, CONVERSATION, entity.entity_id, exposed)


async def set_up(home: Home, *controllers: Controller) -> Assistant:
    """Set up these pools and an assistant to which all entities are exposed."""
    for component in ("homeassistant", "llm"):
        assert await async_setup_component(home.hass, component, {})
    home.own(*controllers)
    await home.set_up(*controllers)
    expose_all(home)
    return Assistant(home)


@pytest.fixture
async def assistant(home: Home) -> Assistant:
    return await set_up(home, home.service.full)


async def test_why(assistant: Assistant) -> None:
    """The assistant gets the explanation of the entity (`test_explained.py`)."""
    home = assistant.home
    at = dt_util.utcnow() + timedelta(hours=8)
    await home.act("poolctl.warm_by", "pool_heating", domain="climate", at=at)
    (tool,) = [t for t in (await assistant.api()).tools if t.integration == "poolctl"]
    assert tool.name == EXPLAIN and tool.title and tool.description
    assert tool.annotations.read_only
    home.controller.requests.clear()
    for domain, key in (
        ("switch", FILTER),
        ("climate", "pool_heating"),
        ("switch", "automatic_ph"),
    ):
        state = home.state(domain, key)
        answer = await assistant.ask(EXPLAIN, name=state.name)
        shown = map(state.attributes.get, ("explanation", "warm_by_explanation"))
        assert answer["explanation"] == " ".join(filter(None, shown)) != ""
        assert (answer["state"], answer["name"]) == (state.state, state.name)
        assert answer.get("speeds_in_percent") == state.attributes.get("speeds")
    assert home.state("climate", "pool_heating").attributes["warm_by_explanation"]
    assert not home.controller.requests

    home.pool.water.ph, home.pool.water.drift = 8.2, 0.0
    await home.advance(30, step=15)
    answer = await assistant.ask(EXPLAIN, name="Beach pool")
    assert answer["state"] == "problem" and "8.2" in answer["problems"][0]["sentence"]

    home.disconnect()
    await home.advance(120, step=30)
    answer = await assistant.why(FILTER)
    assert answer["explanation"] == "Not known: the controller does not answer."


async def test_only_what_is_exposed(assistant: Assistant) -> None:
    """Only exposed entities are ever named; without any, there is no tool."""
    home = assistant.home
    name = home.state("switch", WATERFALL).name
    assistant.hide(WATERFALL)
    tools = {tool.name: tool for tool in (await assistant.api()).tools}
    assert name not in str(tools[EXPLAIN].parameters.schema)
    expose_all(home, False)
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
    sentence = f"{state.name} is held."
    assert await assistant.ask_about_status(sentence) == sentence
    assistant.hide(WATERFALL)
    assert await assistant.ask_about_status(sentence) == "… is held."


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
        assistant.hide(key)
    await home.settle()
    names = "Water Slide", "Bubbler", "Filter"
    sentence = await assistant.ask_about_status(
        "Held: Waterfall, Water Slide, Bubbler. Filter runs it."
    )
    assert "Waterfall" in sentence
    assert not [name for name in names if name in sentence]


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
    names = tool.parameters.schema["name"].container
    jets = [each for each in names if each.startswith("Jet")]
    asked = [await assistant.ask(EXPLAIN, name=each) for each in jets]
    explained = {each["name"] for each in asked if "explanation" in each}
    assert explained >= {f"Jet (Beach pool) {number}" for number in (1, 2, 3)}


async def test_equal_names(home: Home) -> None:
    """Two outputs "Jet" in one pool, and a pump in each of two: asked back."""
    assistant = await set_up(home, *home.service.controllers)
    registry = er.async_get(home.hass)
    jets = [e.entity_id for e in registry.entities.values() if e.domain == "switch"]
    jets = [e for e in jets if e.endswith(("_bubbler", "_fountain"))]
    for entity_id in jets:
        registry.async_update_entity(entity_id, name="Jet")
    await home.hass.async_block_till_done()
    answer = await assistant.ask(EXPLAIN, name="Pump")
    assert sorted(answer["names"]) == ["Pump (Beach pool)", "Pump (Home pool)"]
    for name in answer["names"]:
        assert (await assistant.ask(EXPLAIN, name=name))["explanation"]
    (jet,) = {state.name for each in jets if (state := home.hass.states.get(each))}
    answer = await assistant.ask(EXPLAIN, name=jet)
    assert answer["names"] == [f"{jet} (Beach pool) {number}" for number in (1, 2)]
