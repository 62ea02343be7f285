"""The needed pump hours: the rule that the user chooses, and its results."""

from typing import Any

from homeassistant.const import Platform
import pytest

from custom_components.poolctl.learned import learned
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

pytestmark = pytest.mark.usefixtures("freezer", "quick")
few_platforms = only(Platform.NUMBER, Platform.SELECT, Platform.SENSOR)

NEEDED, STILL = "pump_hours_needed_today", "pump_hours_still_needed"


@pytest.fixture
async def beach(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Set up the fully equipped pool, whose pump runs all day, at 0:02."""
    # Count running hours between reads that are half an hour apart.
    monkeypatch.setattr(learned, "MAX_AGE", 1800.0)
    home.freezer.move_to("2026-07-01 00:02:00-07:00")
    home.own(home.service.full)
    home.pool.water.temperature = 24.0
    await home.set_up(home.controller)
    await home.live(60)
    return home


async def choose(home: Home, rule: str) -> None:
    await home.act("select.select_option", "pump_hours_rule", option=rule)
    await home.settle()


def missed(home: Home) -> Any:
    return home.state("sensor", STILL).attributes["missed_yesterday"]


async def test_nothing_without_a_rule(beach: Home) -> None:
    """The entities of a rule exist only while it is chosen."""
    assert beach.value("select", "pump_hours_rule") == "none"
    keys = (
        *(("sensor", NEEDED), ("sensor", STILL)),
        *(("number", "pump_hours_a_day"), ("number", "turnovers_a_day")),
    )
    for rule, expected in (
        ("none", [False, False, False, False]),
        ("half", [True, True, False, False]),
        ("fixed", [True, True, True, False]),
        ("turnovers", [True, True, False, True]),
        ("none", [False, False, False, False]),
    ):
        await choose(beach, rule)
        assert [beach.registered(*key) is not None for key in keys] == expected
        if rule == "fixed":
            await beach.act("number.set_value", "pump_hours_a_day", value=5.5)
            assert float(beach.value("sensor", NEEDED)) == 5.5
            await beach.restart()
            assert float(beach.value("sensor", NEEDED)) == 5.5


async def test_turnovers(beach: Home) -> None:
    """The hours are the volume divided by the flow of the last two days."""
    await choose(beach, "turnovers")
    assert beach.value("sensor", NEEDED) == "unknown"
    assert beach.state("sensor", NEEDED).attributes["next_step"] == "volume"
    await beach.act("number.set_value", "volume", value=48)
    await beach.live(3600, step=300)
    flow = beach.pool.water.flow_at(75) * 60 / 1000  # m³/h
    hours = float(beach.value("sensor", NEEDED))
    assert hours == pytest.approx(48 / flow, rel=0.05)
    await beach.act("number.set_value", "turnovers_a_day", value=1.5)
    assert float(beach.value("sensor", NEEDED)) == pytest.approx(1.5 * hours, abs=0.26)


async def test_what_was_missed(beach: Home) -> None:
    """A day on which the pump ran too short is made up on the next one alone."""
    await choose(beach, "fixed")
    assert missed(beach) is None  # no data of yesterday
    beach.pool.schedules[0].end = 180
    await beach.live(86400, step=600)
    assert missed(beach) == pytest.approx(5, abs=0.3)
    beach.pool.schedules[0].end = 600
    await beach.restart()
    assert missed(beach) == pytest.approx(5, abs=0.3)
    await beach.live(86400, step=1800)
    assert missed(beach) == 0.0
