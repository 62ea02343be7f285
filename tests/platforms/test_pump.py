"""The pump as a user sees it: its speed while it starts, runs and stands still."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl.client.pool.choices import Choices, named_speeds
from custom_components.poolctl.client.pool.parts import Schedules
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.commands import PumpIdentity
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.client.wire.schedule import Schedule
from custom_components.poolctl.number import NUMBERS
from tests.status.test_table import view
from tests.world.assistant.home import Home

BY_SCHEDULE = Schedule(
    slot=0, aux_type=31, turnover=0, speed=75, start=0, end=60, weekdays=127,
    name="Filter", enabled=True,
)  # fmt: skip


def shown(
    hass: HomeAssistant,
    rows: Iterable[Any],
    key: str,
    state: PoolState,
    choices: Choices | None = None,
) -> Any:
    """Return the value of an entity, by its key in a table of descriptions."""
    (row,) = (each for each in rows if each.key == key)
    return row.value_fn(view(hass, state=state, choices=choices or Choices()))


@pytest.mark.row("L19")
async def test_the_speed_that_is_shown(hass: HomeAssistant) -> None:
    """The chosen or running speed is shown, never that of priming."""
    for mode, speed, primes, expected in (
        (0, 0, False, 50),
        (99, 0, False, 50),  # until the motor turns
        (99, 100, True, 50),
        (99, 60, False, 60),
        (1, 0, True, 75),
        (1, 100, True, 75),
        (1, 75, False, 75),
        (None, None, None, 50),
    ):
        state = PoolState(
            readings=Readings(main_pump_mode=mode, pump_speed=speed),
            signals=Signals(pump_priming=primes),
            schedules=Schedules(records=(BY_SCHEDULE,), armed=(0,)),
        )
        chosen = Choices(pump_speed=50)
        assert shown(hass, NUMBERS, "pump_target_speed", state, chosen) == expected


def test_status() -> None:
    """It explains why the motor runs although the pump is off (protocol.md L19)."""
    for mode, speed, primes, runs_on, expected in (
        (0, 0, False, False, "off"),
        (99, 0, False, False, "starting"),
        (99, 0, True, False, "starting"),
        (99, 100, True, False, "priming"),
        (1, 75, False, False, "running"),
        (1, None, None, None, "running"),
        (0, 75, False, True, "cooling_down"),
        (99, 75, False, True, "cooling_down"),
        (0, 0, None, None, "off"),
        (None, None, None, None, None),
    ):
        state = PoolState(
            readings=Readings(main_pump_mode=mode, pump_speed=speed),
            signals=Signals(pump_priming=primes, pump_cooling_down=runs_on),
            pump=PumpIdentity("Variable Speed", "Brand", "P320"),
        )
        assert state.pump_status == expected


@pytest.mark.parametrize(
    ("presets", "expected"),
    [
        (None, [40, 70, 100]),
        ((0, 0, 0, 0, 0, 0), [40, 70, 100]),
        ((60, 50, 50, 90, 255, 85), [40, 70, 100]),  # only two differ
        ((60, 85, 45, 255, 70, 100), [45, 70, 85]),
        ((80, 52, 65, 80, 100, 85), [50, 65, 80]),
    ],
)
def test_speeds_with_names(
    presets: tuple[int, ...] | None, expected: list[int]
) -> None:
    """The installer's speeds are used if three of them are valid and differ."""
    speeds = named_speeds(PoolState(preset_speeds=presets))
    assert [*speeds] == ["low", "medium", "high"]
    assert [*speeds.values()] == expected


async def test_the_pump_names_its_speeds(full: Home) -> None:
    speeds = full.state("switch", "pump").attributes["speeds"]
    assert speeds == {"low": 50, "medium": 65, "high": 80}


async def test_a_pump_of_one_speed_has_no_names_for_it(home: Home) -> None:
    home.service.full.pool.pump_identity = ("Single Speed", "Brand", "P100")
    home.own(home.service.full)
    await home.set_up(home.service.full)
    await home.refresh()
    assert "pump_target_speed" not in home.entity_keys("number")
    assert "speeds" not in home.state("switch", "pump").attributes


@pytest.mark.usefixtures("freezer", "quick")
async def test_the_end_of_priming(full: Home) -> None:
    full.pool.pump.priming = 180.0
    states = full.follow("sensor", "pump_status")

    def ends() -> datetime:
        status = full.state("sensor", "pump_status")
        assert status.state == "priming"
        return datetime.fromisoformat(status.attributes["ends"])

    begun = dt_util.utcnow()
    await full.live(60)
    assert abs(ends() - begun - timedelta(seconds=180)) < timedelta(seconds=20)
    # A count that runs down as time passes is one end: one state, not one each poll.
    assert len(states) == 1
    await full.live(180)
    assert "ends" not in full.state("sensor", "pump_status").attributes
    ends_of_counts = []
    for count in (60.0, 240.0):
        full.pool.pump.priming = count
        await full.live(15)
        ends_of_counts.append(ends())
    assert ends_of_counts[1] - ends_of_counts[0] > timedelta(seconds=120)
