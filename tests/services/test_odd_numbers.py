"""Invalid numbers raise a validation error, and nothing is sent (W7)."""

from math import inf, nan
from typing import Any

from homeassistant.const import Platform
from homeassistant.exceptions import ServiceValidationError
import pytest

from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only
from tests.world.assistant.schedule_actions import act, new
from tests.world.assistant.unchanged import unchanged

pytestmark = pytest.mark.usefixtures("quick")
few_platforms = only(
    Platform.CALENDAR, Platform.CLIMATE, Platform.NUMBER, Platform.SWITCH
)


@pytest.mark.row("W7")
async def test_no_entity_takes_one(full: Home, subtests: pytest.Subtests) -> None:
    await full.enable_all()
    await full.settle()
    actions = [
        (state.entity_id, "number", "set_value", {"value": value})
        for state in full.hass.states.async_all("number")
        for value in (nan, inf, -inf)
    ] + [
        (state.entity_id, "climate", "set_temperature", {"temperature": value})
        for state in full.hass.states.async_all("climate")
        for value in (nan, inf, -inf)
    ]
    assert len(actions) > 30
    for entity_id, domain, action, data in actions:
        with (
            subtests.test(entity_id, **data),
            unchanged(full),
            pytest.raises(ServiceValidationError),
        ):
            await full.hass.services.async_call(
                domain, action, {"entity_id": entity_id, **data}, blocking=True
            )
    assert full.actions == []


HOUR = {"hours": 1}
ODD = (inf, nan, 52.5, 10**400)
ACTIONS: list[tuple[str, dict[str, Any]]] = [
    *(
        ("hold", {"state": True, "duration": duration})
        for duration in (inf, nan, {"hours": inf}, {"hours": nan}, {"days": 1e300})
    ),
    *(("hold", {"state": True, "duration": HOUR, "speed": speed}) for speed in ODD),
    *(("create_schedule", {"pump_speed": speed}) for speed in ODD),
    *(("update_schedule", {"schedule": 1, "pump_speed": speed}) for speed in ODD),
]


@pytest.mark.row("W7")
async def test_no_action_takes_one(full: Home, subtests: pytest.Subtests) -> None:
    """A sentence names the range; "50.0" is whole, too."""
    for action, data in ACTIONS:
        if action == "hold":
            call = full.act("poolctl.hold", "pump", **data)
        else:
            fields = new(full) if action == "create_schedule" else {}
            call = act(full, action, **fields | data)
        refused = failure(
            "schedule_speed" if "speed" in str(data) else "out_of_range",
            ServiceValidationError,
        )
        with subtests.test(action, **data), unchanged(full), refused:
            await call
    assert full.actions == []
    await act(full, "update_schedule", schedule=1, pump_speed="50.0")
    assert full.pool.schedules[0].speed == 50
