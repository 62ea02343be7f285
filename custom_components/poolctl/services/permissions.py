"""Permissions for actions that name a device: the policies of its entities decide."""

from homeassistant.auth.permissions.const import CAT_ENTITIES
from homeassistant.const import Platform
from homeassistant.core import ServiceCall
from homeassistant.exceptions import Unauthorized, UnknownUser
from homeassistant.helpers import entity_registry as er

from ..const import DOMAIN
from ..coordinator import ControllerCoordinator

SCHEDULES_KEY = "schedules"
"""Key of the calendar that shows a controller's schedules."""


async def async_check_schedules(
    call: ServiceCall, coordinator: ControllerCoordinator, policy: str
) -> None:
    """Check that the caller has the permission `policy` for the schedules' calendar.

    Raises Unauthorized or UnknownUser.
    """
    unique_id = f"{coordinator.record.device_id}_{SCHEDULES_KEY}"
    calendar = er.async_get(call.hass).async_get_entity_id(
        Platform.CALENDAR, DOMAIN, unique_id
    )
    await async_check_entity(call, calendar, policy)


async def async_check_entity(
    call: ServiceCall, entity_id: str | None, policy: str
) -> None:
    """Check that the caller has the permission `policy` for an entity.

    Without an entity, the caller needs the permission for all entities. Raises
    Unauthorized or UnknownUser.
    """
    context = call.context
    if context.user_id is None:
        return
    if (user := await call.hass.auth.async_get_user(context.user_id)) is None:
        raise UnknownUser(
            context=context, permission=policy, perm_category=CAT_ENTITIES
        )
    allowed = (
        user.permissions.check_entity(entity_id, policy)
        if entity_id
        else user.permissions.access_all_entities(policy)
    )
    if not allowed:
        raise Unauthorized(
            context=context,
            entity_id=entity_id,
            perm_category=CAT_ENTITIES,
            permission=policy,
        )
