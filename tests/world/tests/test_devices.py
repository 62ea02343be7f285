"""The cloud service: device endpoints (protocol.md O5) and faults."""

from collections.abc import AsyncGenerator
import json

import aiohttp
import pytest

from tests.world.simulator import Account, Clock, Cloud, Controller, Pool, Site
from tests.world.simulator.visitor import Visitor

pytestmark = pytest.mark.usefixtures("socket_enabled")


class Service(Visitor):
    """A cloud with one controller, and a client of its owner."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        clock = Clock()
        controller = Controller(pool=Pool.full(), clock=clock, name="Home")
        site = Site("Home", controllers=[controller])
        account = Account("me@example.com", "secret", sites=[site])
        cloud = Cloud(clock=clock, accounts=[account])
        super().__init__(session, cloud, account, controller)

    async def start(self) -> None:
        await self.controller.start()
        await self.cloud.start()

    async def stop(self) -> None:
        await self.cloud.stop()
        await self.controller.stop()
        assert self.clock.waiting == 0


@pytest.fixture
async def service() -> AsyncGenerator[Service]:
    async with aiohttp.ClientSession() as session:
        service = Service(session)
        await service.start()
        yield service
        await service.stop()


@pytest.fixture
async def signed_in(service: Service) -> Service:
    await service.sign_in()
    return service


# --- Device endpoints (protocol.md O5) ----------------------------------------------


async def test_dashboard(signed_in: Service) -> None:
    """The dashboard has the published values (protocol.md 4.1 row 6)."""
    dashboard = (await signed_in.read("dashboardInfo"))["dashboard"]
    published = {
        "actual_ph": 74, "actual_orp": 655, "d_ph": 74, "d_orp_mineral": 650,
        "actual_pump_speed": 75, "actual_flow_rate": 300, "main_pump_status": 1,
        "heater_state": True, "chemistry_stable": True,
    }  # fmt: skip
    assert published.items() <= dashboard.items()


SHAPES: dict[str, dict[str, set[str]]] = {
    "pumpInfo": {"pump": {
        "pump_type", "pump_brand", "pump_model", "motor_status", "actual_flowrate",
        "actual_speed", "pump_cooldown", "pump_cooldown_left"}},
    "auxInfo": {"manual": {
        "pump_devices", "pump_linked_devices", "spa_devices", "spa", "other_devices"}},
    "chemistryCard": {
        "chemistry": {
            "ph_value", "orp_value", "desire_ph_value", "desire_orp_value"},
        "phSettings": {
            "desired_ph_level", "acid_drum_volume", "remain_acid_volume", "ph_dosing",
            "current_dose_today"},
        "chlorineSettings": {
            "desired_orp_level_mineral", "desired_orp_level_liquid", "orp_controlled",
            "chlorine_drum_volume", "remain_chlorine_volume", "current_dose_today",
            "liquid_chlorine_dosing"}},
    "ambientTemp": {"ambientTemp": {"water_temp", "ambient_temp"}},
    "scheduleInfo": {"scheduleInfo": {"schedules"}},
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
async def test_shape(service: Service, name: str) -> None:
    """Each read has its documented parts and keys (protocol.md 4.1 rule 5)."""
    service.clock.speed = 50
    await service.sign_in()
    data = await service.read(name)
    for part, keys in SHAPES[name].items():
        assert keys <= data[part].keys()


PUMP = {
    "aux_switch_state": 1, "aux_type_code": 31, "pump_speed": 60, "aux_slot_num": 0
}  # fmt: skip


async def test_writes_reach_the_pool(service: Service) -> None:
    """protocol.md 4.1 row 7, 4.1 rule 2."""
    service.clock.speed = 50
    await service.sign_in()
    for name, body in (
        ("setPumpInfo", PUMP),
        ("manualSet", {"aux_switch_state": 1, "aux_type_code": 1, "aux_slot_num": 3}),
        ("setPhSettings", {"desired_ph_level": 72, "ph_dosing": True}),
        ("setChlorineSettings", {"desired_orp_level_mineral": 700}),
    ):
        assert (await service.write(name, body))[1]["status"] == "SUCCESS"
    service.clock.advance(1.1)
    pool = service.controller.pool
    assert (pool.pump.mode, pool.pump.speed, pool.slots[3].on) == (99, 60, True)
    assert (pool.settings["desired_ph"], pool.settings["acid_drum"]) == (72, 0)
    assert pool.settings["desired_orp_mineral"] == 700


async def test_writes_are_json_with_integers(signed_in: Service) -> None:
    """protocol.md 2.6, 4.1 row 7."""
    body = {
        "aux_switch_state": 1,
        "aux_type_code": 31,
        "pump_speed": 60,
        "aux_slot_num": 0,
    }
    path, text = signed_in.device("setPumpInfo"), json.dumps(body)
    assert (await signed_in.post(path, data=text))[0] == 400  # text/plain
    for name in ("aux_switch_state", "pump_speed"):
        _, answer = await signed_in.write("setPumpInfo", body | {name: True})
        assert answer["status"] == "FAILED"
    assert (await signed_in.write("setPumpInfo", body))[1]["status"] == "SUCCESS"
