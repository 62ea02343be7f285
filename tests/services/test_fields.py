"""Each field of each action: what cannot be is refused in the language of the home."""

from pathlib import Path
import re
from typing import Any

from homeassistant.const import Platform
from homeassistant.exceptions import ServiceValidationError
from homeassistant.util.yaml import load_yaml_dict
import pytest

from custom_components import poolctl
from custom_components.poolctl.const import DOMAIN
from tests.services.test_permissions import ACTIONS
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

NEVER = (None, [None], {"no": "such"})
"""What no field takes; a list that cannot be used is refused with what it has."""
WRONG: dict[str, tuple[object, ...]] = {
    "time": ("25:00", "noon", 7.5, [], ""),
    "datetime": ("2026-13-01 12:00", "soon", 5, "", "9999-12-31 23:59:59-23:59"),
    "boolean": ("maybe", [], "2"),
    "select": ("dearest", 5, ["someday"]),
    "duration": ("soon", -5, 1e300, {"hours": 10**400}, {"hours": "two"}),
    "number": ("fast", -5, 1e300, 10**400, []),
    "entity": ("pump", 5, ["nothing"]),
    "device": (["no such"],),
    "text": ([],),
    "object": (),
}
"""What the fields of a selector do not take; text is what a number can be written as."""
ANYTHING = {"prices"}
"""Lists of any form: what was found in them is named by its own sentences."""


async def call(home: Home, action: str, data: dict[str, Any]) -> str | None:
    """Run an action; return the key of the sentence that refuses it."""
    answers = action in {"get_schedules", "send_query"}
    with pytest.raises(ServiceValidationError) as caught:
        await home.hass.services.async_call(
            DOMAIN, action, data, blocking=True, return_response=answers
        )
    assert caught.value.translation_domain == DOMAIN
    placeholders = set(caught.value.translation_placeholders or ())
    assert not placeholders & set(re.findall(r"\{(\w+)\}", str(caught.value)))
    return caught.value.translation_key


async def test_every_field(full: Home, subtests: pytest.Subtests) -> None:
    """Missing, of another type, outside of its range, or none of its choices."""
    await full.enable_all()
    described = load_yaml_dict(str(Path(poolctl.__file__).parent / "services.yaml"))
    raw = {"device_id": full.device().id, "name": "set_time"}
    rows: dict[str, dict[str, Any]] = {"send_action": raw, "send_query": raw}
    for name, ((domain, key), more) in ACTIONS.items():
        target = {"entity_id": full.entity_id(domain, key)}
        rows[name] = target | (new(full) if name == "create_schedule" else {}) | more
    assert rows.keys() == described.keys()
    tried = 0
    for name, right in rows.items():
        with subtests.test(name, field=None), unchanged(full):
            assert await call(full, name, right | {"speeed": 50}) == "field_unknown"
            if "entity_id" in right:
                untargeted = {k: v for k, v in right.items() if k != "entity_id"}
                targets: list[dict[str, Any]] = [{}, {"entity_id": 5}, {"area_id": {}}]
                for target in targets:
                    found = await call(full, name, untargeted | target)
                    assert found == "target_missing"
        for field, about in described[name].get("fields", {}).items():
            [kind] = about["selector"]
            if about.get("required"):
                without = {k: v for k, v in right.items() if k != field}
                with subtests.test(name, field=str(field)), unchanged(full):
                    assert await call(full, name, without) == "field_missing"
            for value in () if field in ANYTHING else WRONG[kind] + NEVER:
                if (field, value) == ("blocks", None):
                    continue  # as an empty list: no blocks
                tried += 1
                with (
                    subtests.test(name, field=str(field), value=str(value)[:20]),
                    unchanged(full),
                ):
                    assert await call(full, name, right | {field: value})
    assert tried > 200
    assert not full.actions and not full.cloud_writes


async def test_what_a_sentence_names(full: Home, subtests: pytest.Subtests) -> None:
    """The field, and what it takes."""
    await full.enable_all()
    for action, more, words in (
        ("create_schedule", {"start": "8 o'clock"}, ("start", "18:30")),
        ("plan_hours", {"hours": 3, "earliest": "25:00"}, ("earliest", "18:30")),
        ("plan_hours", {"blocks": [{"start": "x"}]}, ("blocks", "end: 05:00")),
        ("warm_by", {"prefer": "cheap"}, ("prefer", "lowest, highest")),
        ("warm_by", {"at": "tomorrow"}, ("at", "2027-06-30 18:30")),
        ("warm_by", {"duration": "long"}, ("duration", "0 s", "24 h")),
        ("update_schedule", {"weekdays": ["monday"]}, ("weekdays", "mon, tue")),
    ):
        domain, key = ACTIONS[action][0]
        data: dict[str, Any] = {"entity_id": full.entity_id(domain, key)}
        data |= new(full) if action == "create_schedule" else {}
        with subtests.test(action, **more):
            with pytest.raises(ServiceValidationError) as caught:
                await full.hass.services.async_call(
                    DOMAIN,
                    action,
                    data | ({"at": "2026-12-31"} if action == "warm_by" else {}) | more,
                    blocking=True,
                )
            assert [word for word in words if word not in str(caught.value)] == []
