"""A report of the pool every morning."""

from typing import Any

from homeassistant.core import ServiceCall, SupportsResponse
import pytest
from pytest_homeassistant_custom_component.common import async_mock_service

from .conftest import TELL, House

NAME = "morning_report"

pytestmark = [
    pytest.mark.usefixtures("freezer"),
    pytest.mark.freeze_time("2026-07-02 07:25:00-07:00"),
]


def statistics(house: House, error: Exception | None = None) -> list[ServiceCall]:
    """Mock the statistics of yesterday's energy; return the requests for them."""
    day = {"start": "2026-07-01T07:00:00+00:00", "end": "2026-07-02T07:00:00+00:00"}
    energy = house.entity_id("sensor", "pump_energy")
    calls: list[ServiceCall] = async_mock_service(
        house.hass,
        "recorder",
        "get_statistics",
        response={"statistics": {energy: [day | {"change": 7.123456}]}},
        raise_exception=error,
        supports_response=SupportsResponse.ONLY,
    )
    return calls


async def report(house: House, *, minutes: float = 6, **more: Any) -> None:
    """Set up the automation, which reports at half past seven."""
    keys = {
        "readings": ("ph", "acid_lasts_until"),
        "used": ("pump_energy", "acid_used_today"),
        "status": ("status",),
    }
    inputs: dict[str, Any] = {
        name: [house.entity_id("sensor", key) for key in of]
        for name, of in keys.items()
    }
    await house.automate(NAME, **inputs | more)
    await house.wait(minutes=minutes, step=60)


READINGS = ["Beach pool Water pH: 7.4", "Beach pool Dosing Acid lasts until: -"]
USED = [
    "Beach pool Pump Energy, yesterday: 7.12 kWh",
    "Beach pool Dosing Acid used today, yesterday: -",
]


def sent(calls: list[ServiceCall]) -> tuple[str, list[str]]:
    """Return the title and the lines of the only report."""
    (call,) = calls
    message: str = call.data["message"]
    return call.data["title"], message.splitlines()


async def test_a_fine_morning(full: House, told: list[ServiceCall]) -> None:
    requests = statistics(full)
    await report(full, minutes=4, notify=TELL)
    assert told == []
    await full.wait(minutes=2, step=60)
    assert sent(told) == ("The pool is fine", [*READINGS, *USED])
    (request,) = requests
    assert request.data["period"] == "day" and request.data["types"] == ["change"]
    assert str(request.data["start_time"]) == "2026-07-01 00:00:00-07:00"
    assert str(request.data["end_time"]) == "2026-07-02 00:00:00-07:00"


@pytest.mark.parametrize("only_problems", [False, True])
async def test_a_problem(
    full: House, told: list[ServiceCall], only_problems: bool
) -> None:
    statistics(full)
    full.pool.settings["acid_remaining"] = 0
    await report(full, notify=TELL, only_problems=only_problems)
    title, (first, *others) = sent(told)
    assert title == "The pool needs you"
    assert first.startswith("Beach pool: The acid drum is empty. Refill the drum")
    assert others == [*READINGS, *USED]


@pytest.mark.parametrize("only_problems", [False, True])
async def test_a_notice(
    full: House, told: list[ServiceCall], only_problems: bool
) -> None:
    """A notice is in the report, but the title calls the pool fine."""
    full.pool.settings["acid_remaining"] = 500
    await report(full, notify=TELL, used=[], only_problems=only_problems)
    if only_problems:
        assert told == []
    else:
        title, (first, *_) = sent(told)
        assert title == "The pool is fine"
        assert first.startswith("Beach pool: The acid drum is nearly empty.")


async def test_readings_alone(full: House, told: list[ServiceCall]) -> None:
    """Without `used` and `status` the report has the readings, and no statistics."""
    await report(full, notify=TELL, used=[], status=[])
    assert sent(told)[1] == READINGS


async def test_statistics_that_fail(full: House, told: list[ServiceCall]) -> None:
    statistics(full, RuntimeError("no recorder"))
    await report(full, notify=TELL)
    unknown = [use[: use.index(":")] + ": -" for use in USED]
    assert sent(told)[1] == [*READINGS, *unknown]


async def test_as_home_assistant_shows_it(full: House) -> None:
    """By default the report is a persistent notification."""
    shown = async_mock_service(full.hass, "persistent_notification", "create")
    await report(full, used=[])
    assert sent(shown) == ("The pool is fine", READINGS)
