"""Permissions of the actions: users change only what their policy allows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from homeassistant.auth.models import Group, User
from homeassistant.const import Platform
from homeassistant.core import Context
from homeassistant.exceptions import HomeAssistantError, Unauthorized, UnknownUser
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    label_registry as lr,
)
from homeassistant.util.yaml import load_yaml_dict
import pytest
from pytest_homeassistant_custom_component.common import MockUser
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components import poolctl
from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.assistant.schedule_actions import new
from tests.world.assistant.unchanged import unchanged

pytestmark = pytest.mark.usefixtures("freezer", "quick")
few_platforms = only(
    Platform.CALENDAR,
    Platform.CLIMATE,
    Platform.LIGHT,
    Platform.SENSOR,
    Platform.SWITCH,
)

ACTIONS: dict[str, tuple[tuple[str, str], dict[str, Any]]] = {
    "create_schedule": (("calendar", "schedules"), {}),
    "delete_schedule": (("switch", "schedule_1"), {}),
    "get_schedules": (("calendar", "schedules"), {}),
    "hold": (("switch", "slot_3"), {"state": True, "duration": 60}),
    "pause_dosing": (("switch", "automatic_ph"), {"duration": 60}),
    "plan_hours": (
        ("calendar", "schedules"),
        {"blocks": [{"start": "03:00", "end": "04:00"}]},
    ),
    "reset_run_hours": (("sensor", "uv_run_hours"), {}),
    "resume_schedule": (("switch", "slot_3"), {}),
    "update_schedule": (("switch", "schedule_1"), {"name": "Mine"}),
    "cancel_warm_by": (("climate", "pool_heating"), {}),
    "warm_by": (("climate", "pool_heating"), {"at": "2026-12-31T12:00:00+00:00"}),
}
"""An entity and the fields of each action except the two of raw access."""


def targets(home: Home, entity_id: str) -> Iterator[dict[str, str]]:
    """Yield each way to target an entity of the whole house."""
    entity = er.async_get(home.hass).async_get(entity_id)
    assert entity is not None
    yield {"entity_id": entity_id}
    yield {"entity_id": "all"}
    if entity.device_id:
        yield {"device_id": entity.device_id}
    yield {"device_id": home.device().id}
    yield {"area_id": "garden"}
    yield {"label_id": "mine"}


def mark(home: Home) -> None:
    """Put all devices into one area, and give all entities one label."""
    hass, entities = home.hass, er.async_get(home.hass)
    area = ar.async_get(hass).async_create("Garden")
    label = lr.async_get(hass).async_create("Mine")
    assert (area.id, label.label_id) == ("garden", "mine")
    for entity in home.entities():
        entities.async_update_entity(entity.entity_id, labels={label.label_id})
    devices, controller = dr.async_get(hass), home.device().id
    devices.async_update_device(controller, area_id=area.id)
    for part in dr.async_entries_for_parent_device(devices, controller):
        devices.async_update_child_device(part.id, area_id=area.id)


async def run(home: Home, name: str, user: User | None, data: dict[str, Any]) -> Any:
    """Run an action as a user; `None` is one who does not exist."""
    return await home.hass.services.async_call(
        DOMAIN,
        name,
        data,
        blocking=True,
        context=Context(user_id=user.id if user else "nobody"),
        return_response=name in {"get_schedules", "send_query"},
    )


async def test_whoever_may_only_read(
    full: Home,
    hass_read_only_user: MockUser,
    hass_ws_client: WebSocketGenerator,
    hass_read_only_access_token: str,
    subtests: pytest.Subtests,
) -> None:
    """They change nothing, by whatever target, and their requests stay here."""
    await full.enable_all()
    mark(full)
    actions = full.hass.services.async_services()[DOMAIN].keys()
    assert actions - ACTIONS.keys() == {"send_action", "send_query"}
    hours = full.value("sensor", "uv_run_hours")
    for name, ((domain, key), more) in ACTIONS.items():
        data = (new(full) if name == "create_schedule" else {}) | more
        entity_id = full.entity_id(domain, key)
        for target in targets(full, entity_id):
            for user in (hass_read_only_user, None):
                with subtests.test(name, **target, user=bool(user)), unchanged(full):
                    refused: Exception | None = None
                    try:
                        await run(full, name, user, target | data)
                    except HomeAssistantError as err:
                        refused = err
                    if "." in target.get("entity_id", ""):
                        expected = Unauthorized if user else UnknownUser
                        assert isinstance(refused, expected)
    data = {"device_id": full.device().id, "name": "set_time"}
    for name in ("send_action", "send_query"):
        with subtests.test(name), pytest.raises(Unauthorized):
            await run(full, name, hass_read_only_user, data)
    client = await hass_ws_client(full.hass, hass_read_only_access_token)
    for start, end in (
        ("2026-07-01", "2026-07-02"),
        ("2026-07-01", "2126-07-01"),
        ("0001-01-01", "9999-12-31"),
        ("9999-12-30", "9999-12-31"),
    ):
        await client.send_json_auto_id(
            {
                "type": "poolctl/plan",
                "device_id": full.device().id,
                "start": start,
                "end": end,
            }
        )
        answer = await client.receive_json()
        assert answer["success"], start
        # Three schedules, on each day of at most a year.
        assert len(answer["result"]["runs"]) <= 3 * 368
    assert full.value("sensor", "uv_run_hours") == hours
    assert not full.actions and not full.cloud_writes


async def test_whoever_controls_the_calendar_alone(full: Home) -> None:
    """They add a schedule, but do not switch the output that it runs."""
    calendar = full.entity_id("calendar", "schedules")
    policy = {"entities": {"entity_ids": {calendar: {"control": True}}}}
    user = MockUser(groups=[Group("Some", policy=policy)]).add_to_hass(full.hass)
    waterfall = full.entity_id("switch", "slot_3")
    with pytest.raises(Unauthorized):
        await run(full, "resume_schedule", user, {"entity_id": waterfall})
    adding = run(full, "create_schedule", user, {"entity_id": calendar, **new(full)})
    full.hass.async_create_task(adding)
    await full.settle()
    names = [each.name for each in full.pool.schedules if each.used]
    assert "Morning fall" in names


async def test_actions_are_found_from_what_they_act_on(full: Home) -> None:
    """Each offers its entity as a target, also one that is a setting or diagnostic."""
    await full.enable_all()
    described = load_yaml_dict(str(Path(poolctl.__file__).parent / "services.yaml"))
    for name, ((domain, key), _) in ACTIONS.items():
        target = described[name]["target"]
        filters = target["entity"]
        entity = full.registered(domain, key)
        assert entity is not None
        fitting = [
            each
            for each in (filters if isinstance(filters, list) else [filters])
            if each["integration"] == DOMAIN
            and each["domain"] == domain
            and each.get("device_class") in (None, entity.original_device_class)
        ]
        assert fitting, name
        assert entity.entity_category is None or not target["primary_entities_only"]
