"""Names of a pool's devices and entities: identifiers, and names in every language."""

from collections import Counter
from pathlib import Path
import re

from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest

from tests.devices.test_parts import page
from tests.world.assistant.home import Home
from tests.world.simulator import Pool

pytestmark = pytest.mark.usefixtures("freezer", "quick")

ROOT = Path(__file__).parents[2]
LANGUAGES = sorted(
    path.stem
    for path in (ROOT / "custom_components/poolctl/translations").glob("*.json")
)


@pytest.mark.parametrize(
    ("name", "text", "page"),
    [
        ("Beach pool", "", "beach_pool"),
        # An entity ID has letters and digits alone: a number stands for such a name.
        ("Pool", "\N{ELECTRIC LIGHT BULB}", "pool"),
    ],
)
async def test_outputs_without_a_letter(
    home: Home, name: str, text: str, page: str
) -> None:
    home.own(home.service.full)
    home.controller.name = name
    _name_all(home.pool, text)
    await home.set_up(home.controller)
    assert home.entity_id("switch", "slot_3") == f"switch.{page}_output_4"
    assert home.entity_id("switch", "schedule_0") == f"switch.{page}_1_schedule"
    if not text:
        assert home.state("switch", "schedule_0").name == "Beach pool Schedule 1"


async def test_a_person_chose_what_identifiers_are_made_of(home: Home) -> None:
    part = er.EntityNamePart
    er.async_get(home.hass).async_update_settings(
        entity_id_parts=[part.PARENT_DEVICE, part.DEVICE, part.ENTITY]
    )
    home.own(home.service.small)
    await home.set_up(home.controller)
    assert home.entity_id("sensor", "ph") == "sensor.home_pool_water_ph"


def _name_all(pool: Pool, text: str) -> None:
    """Give all slots and schedules the same name."""
    for slot in pool.slots:
        slot.name = text
    for schedule in pool.schedules:
        schedule.name = text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_names_in_every_language(
    home: Home, subtests: pytest.Subtests, language: str
) -> None:
    """No two entities of a page share a name, whatever the owner named the outputs.

    Identifiers are the same in all languages, so that examples fit everywhere.
    """
    home.hass.config.language = language
    for controller in home.service.controllers:
        controller.pool.lights |= {"pool": [2, 1], "spa": [4, 1]}
    await home.set_up(*home.service.controllers)
    assert home.entity_id("sensor", "water_temperature") == (
        "sensor.home_pool_water_temperature"
    )
    assert home.entity_id("switch", "schedule_0") == "switch.home_pool_filter_schedule"
    with subtests.test("as they are"):
        check_names(home)
        check_labels(home)
    for text in ("", "Pool"):
        with subtests.test("of its owner", text=text):
            for of in home.service.controllers:
                _name_all(of.pool, text)
                # A raw action has everything read again.
                await home.act_on_device("send_action", of=of, name="evt_rewind")
            await home.advance(15)
            for of in home.service.controllers:
                named = home.registered("switch", "schedule_0", of)
                assert named is not None
                assert ("Pool" in (named.original_name or "")) is (text == "Pool")
            check_names(home)


ROOM = {"number": 28, "select": 28, "button": 32}
"""Maximum length of a name with a control beside it; all others: 36 characters."""


def check_labels(home: Home) -> None:
    """Fail if a label would be cut off."""
    for entity in home.entities():
        name, device = entity.original_name or "", page(home, entity).name or ""
        # Home Assistant and its frontend remove the name of the device from a name.
        assert not re.match(rf"{re.escape(device)}[ :-]", name, re.IGNORECASE), name
        if not re.search("slot|schedule", entity.unique_id):
            assert len(name) <= ROOM.get(entity.domain, 36), name


def check_names(home: Home) -> None:
    """Fail if a page has a name twice, or an entity with the name of the page."""
    entities = [
        (page(home, entity), (entity.original_name or "").casefold())
        for entity in home.entities()
    ]
    names = Counter((device.id, name) for device, name in entities)
    assert [name for name, count in names.items() if count > 1] == []
    assert [
        name for device, name in entities if name == (device.name or "").casefold()
    ] == []


async def test_docs_show_identifiers_that_come_out(home: Home) -> None:
    """All identifiers in the documents are those of a full pool named "Home pool"."""
    home.own(home.service.full)
    home.controller.name = "Home pool"
    await home.set_up(home.controller)
    texts = [
        ROOT / "README.md",
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("blueprints/**/*.yaml"),
    ]
    domains = {entity.domain for entity in home.entities()}
    shown = {
        found
        for path in texts
        for found in re.findall(
            rf"\b(?:{'|'.join(domains)})\.\w*pool\w*", path.read_text()
        )
    }
    assert len(shown) > 8
    assert shown <= {entity.entity_id for entity in home.entities()}


async def test_entity_ids_are_recreated_from_the_new_name(home: Home) -> None:
    """All of them, also of disabled entities, as soon as the controller is renamed."""
    home.own(home.service.full)
    await home.set_up(home.controller)
    registry = er.async_get(home.hass)
    before = {entity.id: entity.entity_id for entity in home.entities()}
    dr.async_get(home.hass).async_update_device(home.device().id, name_by_user="Oasis")
    await home.settle()
    for entity in home.entities():
        new = registry.async_regenerate_entity_id(entity)
        assert new == before[entity.id].replace(".beach_pool_", ".oasis_")
        registry.async_update_entity(entity.entity_id, new_entity_id=new)
    await home.restart()
    assert all(".oasis_" in entity.entity_id for entity in home.entities())
    assert home.state("sensor", "status").state == "all_well"
