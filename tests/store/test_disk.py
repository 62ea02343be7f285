"""A store that cannot be read is left alone; without a disk, no promise is made."""

from copy import deepcopy
from datetime import timedelta
from typing import Any

from homeassistant.const import Platform
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers.storage import Store
from homeassistant.util.file import WriteError
import pytest

from tests.status.test_repairs import shown
from tests.store.test_memory import STORED, in_store
from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only

pytestmark = pytest.mark.freeze_time("2026-11-21 10:00:00+00:00")
few_platforms = only(Platform.SENSOR, Platform.SWITCH)
LASTS = timedelta(minutes=30)


def problems(home: Home) -> set[str]:
    """Return the problems of the store that *Status* lists."""
    listed = home.state("sensor", "status").attributes["problems"]
    return {each["key"] for each in listed if each["key"].startswith("store_")}


async def promises_are_refused(home: Home) -> None:
    """Check that nothing is sent that ends by itself, and that switching goes on."""
    before = home.pool.relays[3]
    with failure("not_stored", ServiceValidationError):
        await home.act("poolctl.hold", "slot_3", state=not before, duration=LASTS)
    dosing = {"entity_id": home.entity_id("switch", "automatic_ph"), "duration": LASTS}
    with failure("not_stored", ServiceValidationError):
        await home.hass.services.async_call(
            "poolctl", "pause_dosing", dosing, blocking=True
        )
    assert home.pool.relays[3] is before and home.pool.settings["ph_dosing"]
    assert home.value("switch", "slot_3") == ("on" if before else "off")
    for on in (True, False):
        await home.act(f"switch.turn_{'on' if on else 'off'}", "slot_3")
        assert home.pool.relays[3] is on


@pytest.mark.row("W24")
@pytest.mark.parametrize("cause", [0, 2, "disk"])
async def test_a_store_that_cannot_be_read_is_left_alone(
    home: Home,
    hass_storage: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    cause: int | str,
) -> None:
    home.own(home.service.full)
    device_id = home.controller.device_id
    version = cause if isinstance(cause, int) else 1
    hass_storage["poolctl"] = stored = in_store(version, {device_id: STORED})
    if cause == "disk":

        async def fail(store: Store[Any]) -> Any:
            if store.key == "poolctl":
                raise OSError("of a test")
            return await load(store)

        load = Store.async_load
        monkeypatch.setattr(Store, "async_load", fail)
    before = deepcopy(stored)
    await home.set_up(home.controller)
    assert home.value("sensor", "connection") == "lan"
    assert problems(home) == {"store_unread"} <= shown(home).keys()
    await promises_are_refused(home)
    await home.live(1300, step=60)
    await home.shut_down()
    assert hass_storage["poolctl"] == before


@pytest.mark.row("W24")
async def test_a_full_disk(full: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    await full.live(60)

    async def fail(store: Store[Any], data: Any) -> None:
        data.get("data_func", dict)()
        raise WriteError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "_async_write_data", fail)
        await promises_are_refused(full)
        await full.live(660, step=60)
        assert problems(full) == {"store_unwritten"}
    await full.live(1260, step=60)
    assert problems(full) == set()
    await full.act("poolctl.hold", "slot_3", state=True, duration=LASTS)
    assert full.pool.relays[3]
