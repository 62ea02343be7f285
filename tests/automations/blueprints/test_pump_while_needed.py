"""Blueprints that run the pump while it is needed: on solar surplus, and in the cold."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from homeassistant.const import Platform
import pytest

from tests.world.assistant.platforms import only

from .conftest import House, by_hand, pump_is

pytestmark = pytest.mark.usefixtures("freezer", "quick", "at_once")
few_platforms = only(Platform.SWITCH)

SENSOR = "sensor.need"


@dataclass(frozen=True, kw_only=True)
class Need:
    """A blueprint, the input for its sensor, and values with and without a need."""

    name: str
    sensor: dict[str, Any]
    yes: float
    no: float
    waits: bool
    """Whether the need must last before the pump runs after a start, too."""
    remembers: timedelta
    """How long ago it may have run to have left the pump on."""

    async def show(self, house: House, needed: bool, minutes: float = 0) -> str:
        """Show a need for some minutes; return what the pump does then."""
        house.hass.states.async_set(SENSOR, str(self.yes if needed else self.no))
        await house.wait(minutes=minutes)
        return pump_is(house)

    def inputs(self, house: House) -> dict[str, Any]:
        """Return the inputs that a user fills in, with short delays."""
        pump = house.entity_id("switch", "pump")
        delays = {"start_after": {"minutes": 1}, "stop_after": {"minutes": 2}}
        return {"pump": pump, **delays, **self.sensor}


NEEDS = (
    Need(
        name="pump_on_solar_surplus",
        sensor={"surplus": SENSOR},
        yes=2000,
        no=-100,
        waits=True,
        remembers=timedelta(days=1),
    ),
    Need(
        name="pump_freeze_guard",
        sensor={"thermometers": [SENSOR]},
        yes=1,
        no=9,
        waits=False,
        remembers=timedelta(days=7),
    ),
)
LATELY, LONG_AGO = 0.9, 1.1
"""How long ago it ran, as a part of what it remembers."""


@pytest.fixture(params=NEEDS, ids=lambda need: need.name)
def need(request: pytest.FixtureRequest) -> Need:
    found: Need = request.param
    return found


async def test_a_pump_switched_on_by_hand_stays_on(house: House, need: Need) -> None:
    await by_hand(house, "switch.turn_on")
    await need.show(house, False)
    await house.automate(need.name, **need.inputs(house))
    for needed in (True, False):
        assert await need.show(house, needed, 5) == "held on"


@pytest.mark.usefixtures("pool")
async def test_without_the_lan_it_is_left_alone(home: House, need: Need) -> None:
    """Without the LAN the pump could not be given back, so it is not started."""
    home.own(home.service.small)
    await home.set_up()
    assert home.value("switch", "pump") == "off"
    await need.show(home, False)
    await home.automate(need.name, **need.inputs(home))
    assert await need.show(home, True, 10) == "off"


# Starting anew


async def test_needed_at_the_start(house: House, need: Need) -> None:
    await need.show(house, True)
    await house.start_anew(need.name, LONG_AGO * need.remembers, **need.inputs(house))
    assert await need.show(house, True, 0.5) == ("off" if need.waits else "held on")
    assert await need.show(house, True, 1) == "held on"
    assert await need.show(house, False, 4) == "off"


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("needed", [True, False])
async def test_what_was_left_over_by_a_restart(
    house: House, need: Need, needed: bool, ours: bool
) -> None:
    """A pump held on is given back if the automation ran not too long ago."""
    await by_hand(house, "switch.turn_on")
    await need.show(house, needed)
    last_run = (LATELY if ours else LONG_AGO) * need.remembers
    await house.start_anew(need.name, last_run, **need.inputs(house))
    assert await need.show(house, needed, 5 if needed else 1) == "held on"
    assert await need.show(house, False, 4) == ("off" if ours else "held on")


async def test_what_was_left_over_is_found_after_the_start(
    house: House, need: Need
) -> None:
    await by_hand(house, "switch.turn_on")
    house.disconnect()
    await house.wait(minutes=3)
    await need.show(house, False)
    await house.start_anew(need.name, LATELY * need.remembers, **need.inputs(house))
    await house.wait(minutes=3)
    house.controller.faults.clear()
    assert await need.show(house, False, 4) == "off"
