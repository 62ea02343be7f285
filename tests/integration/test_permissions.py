"""Permissions of the actions: users change only what their policy allows."""

from collections.abc import Mapping
from typing import Any

from homeassistant.auth.models import Group, User
from homeassistant.auth.permissions.types import PolicyType
from homeassistant.const import Platform
from homeassistant.core import Context
from homeassistant.exceptions import Unauthorized, UnknownUser
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.poolctl.const import DOMAIN

from .home import Home
from .platforms import only
from .schedule_actions import new
from .unchanged import unchanged

pytestmark = pytest.mark.usefixtures("freezer", "quick")
few_platforms = only(Platform.CALENDAR, Platform.SWITCH)

_ACTIONS: dict[str, dict[str, Any]] = {
    "create_schedule": {},
    "update_schedule": {"schedule": 1, "name": "Mine"},
    "delete_schedule": {"schedule": 1},
}


async def run(home: Home, action: str, user: User | None, **data: Any) -> Any:
    """Run an action on the full pool as a user; `None` is one who does not exist."""
    data = _ACTIONS.get(action, {}) | data
    if action == "create_schedule":
        data = new(home) | data
    return await home.act_on_device(
        action,
        answers=action == "get_schedules",
        context=Context(user_id=user.id if user else "nobody"),
        **data,
    )


def somebody(home: Home, *entity_ids: str) -> MockUser:
    """Return a user who may read all entities, but control only these."""
    control: Mapping[str, Mapping[str, bool]] = {
        entity_id: {"control": True} for entity_id in entity_ids
    }
    policy: PolicyType = {"entities": {"all": {"read": True}, "entity_ids": control}}
    return MockUser(groups=[Group("Some", policy=policy)]).add_to_hass(home.hass)


def names(home: Home) -> list[str]:
    """Return the names of the schedules of the simulated pool."""
    return [each.name for each in home.pool.schedules if each.used]


async def test_whoever_may_only_read(
    full: Home, hass_read_only_user: MockUser, subtests: pytest.Subtests
) -> None:
    """They can read the schedules, but not change them, nor release an output."""
    for action in _ACTIONS:
        for user, error in ((hass_read_only_user, Unauthorized), (None, UnknownUser)):
            with (
                subtests.test(action, error=error.__name__),
                unchanged(full),
                pytest.raises(error),
            ):
                await run(full, action, user)
    with (
        subtests.test("resume_schedule"),
        unchanged(full),
        pytest.raises(Unauthorized),
    ):
        await full.hass.services.async_call(
            DOMAIN,
            "resume_schedule",
            {"entity_id": full.entity_id("switch", "slot_3")},
            blocking=True,
            context=Context(user_id=hass_read_only_user.id),
        )
    assert not full.actions
    answer = await run(full, "get_schedules", hass_read_only_user)
    assert len(answer["schedules"]) == len(names(full)) == 3


async def test_whoever_may_not_even_read(full: Home) -> None:
    user = MockUser(groups=[Group("None", policy={})]).add_to_hass(full.hass)
    with pytest.raises(Unauthorized):
        await run(full, "get_schedules", user)


async def test_the_calendar_and_the_output(full: Home) -> None:
    """A new schedule needs the permission to control both."""
    calendar = full.entity_id("calendar", "schedules")
    switch = full.entity_id("switch", "slot_3")
    for keys in ([calendar], [switch]):
        user = somebody(full, *keys)
        with pytest.raises(Unauthorized):
            await run(full, "create_schedule", user)
    user = somebody(full, calendar, switch)
    full.hass.async_create_task(run(full, "create_schedule", user))
    await full.settle()
    assert "Morning fall" in names(full)
