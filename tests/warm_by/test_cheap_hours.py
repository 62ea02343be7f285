"""Water warm by a time, heated in the hours that cost least."""

from datetime import timedelta
from typing import Any

from homeassistant.exceptions import ServiceValidationError
import pytest

from custom_components.poolctl.client.holds.holds import Holds
from custom_components.poolctl.client.pool.heating import SPA
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.exceptions import DeclinedError
from custom_components.poolctl.diagnostics import async_get_config_entry_diagnostics
from custom_components.poolctl.learned.warming import LearnedRate
from tests.world.assistant.home import Home, failure

from .asked import (
    HASTE,
    STEP,
    as_before,
    ask,
    at,
    cancel,
    explanation,
    heated,
    heating_off,
    requested,
    until,
    warm_by,
)

pytestmark = [
    pytest.mark.usefixtures("freezer", "quick", "hurried"),
    pytest.mark.freeze_time("2026-05-01 12:00:00+00:00"),
]


def cheap(*hours: int, until: int = 24) -> list[dict[str, Any]]:
    """Return prices of today that are low in some hours."""
    return [
        {
            "start": at(hour).isoformat(),
            "end": (at(hour) + timedelta(hours=1)).isoformat(),
            "price": 0.05 if hour in hours else 0.3,
        }
        for hour in range(until)
    ]


def heats_fast(home: Home) -> None:
    """Let it have learned how fast its heater warms the spa, in °C an hour."""
    (coordinator, *_) = home.entry.runtime_data.controllers.values()
    rates = (LearnedRate((HeatSource.SPA_HEATER,), 5.9),)
    coordinator.learned.warming[SPA].rates = rates


async def needs_two_hours(home: Home) -> None:
    """Let its spa be so cold that an hour does not suffice."""
    heats_fast(home)
    home.pool.water.temperature = home.pool.water.ambient = 25.5
    await home.live(STEP, step=STEP)


async def test_in_the_cheapest_hours(spa: Home) -> None:
    """Each block is a claim of its own, over restarts; nothing heats in between."""
    heats_fast(spa)
    spa.hass.states.async_set("sensor.prices", "0.3", {"raw_today": cheap(13, 14)})
    await ask(spa, at(18), price_entities="sensor.prices")
    await spa.live(2 * STEP, step=STEP)
    assert explanation(spa).startswith("The water will have 36 °C at 18:00")
    assert "Heating: 13:" in explanation(spa)
    why = spa.state("climate", "spa_heating").attributes["explanation"]
    assert why.startswith("It waits for cheaper hours, from 13:")
    await until(spa, at(12, 55))
    assert as_before(spa)
    await until(spa, at(13, 55))
    assert heated(spa)
    why = spa.state("climate", "spa_heating").attributes["explanation"]
    assert "These hours, until 1" in why
    await spa.restart()
    await spa.live(2 * STEP, step=STEP)
    assert heated(spa)
    await until(spa, at(15, 30))
    assert as_before(spa)
    await spa.restart()
    await spa.live(2 * STEP, step=STEP)
    assert as_before(spa) and warm_by(spa) == at(18)
    await until(spa, at(18))
    assert spa.pool.water.temperature == pytest.approx(36, abs=0.5)
    await until(spa, at(21, 3))
    assert as_before(spa) and warm_by(spa) is None


async def test_new_prices_move_the_blocks(spa: Home) -> None:
    """The entities are read again; without an answer, the newest prices stay."""
    heats_fast(spa)
    states = spa.hass.states
    states.async_set("sensor.prices", "0.3", {"raw_today": cheap(13, 14)})
    await ask(spa, at(18), price_entities="sensor.prices")
    states.async_set("sensor.prices", "0.3", {"raw_today": cheap(15, 16)})
    await until(spa, at(14, 50))
    assert as_before(spa)
    states.async_set("sensor.prices", "unavailable")
    found = await async_get_config_entry_diagnostics(spa.hass, spa.entry)
    assert "0.05" in str(found) and "sensor.prices" not in str(found)
    await until(spa, at(16, 20))
    assert heated(spa)
    await until(spa, at(18))
    assert spa.pool.water.temperature == pytest.approx(36, abs=0.5)


async def test_a_person_wants_no_heat_after_the_time_was_moved(spa: Home) -> None:
    """What has happened goes on to count: the request that continues has begun, too."""
    await needs_two_hours(spa)
    await ask(spa, at(18), prices=cheap(13, 16))
    await until(spa, at(14, 50))
    await ask(spa, at(18, 30), prices=cheap(13, 16))
    await spa.restart()
    assert as_before(spa) and warm_by(spa) == at(18, 30)
    await heating_off(spa)
    assert warm_by(spa) is None
    await until(spa, at(17))
    assert as_before(spa)


async def test_what_a_card_draws(spa: Home) -> None:
    """The times of heating planned and done, and the prices; the recorder has only the time."""
    await needs_two_hours(spa)
    await ask(spa, at(18), prices=cheap(13, 16))
    await spa.live(2 * STEP, step=STEP)
    shown = requested(spa)
    first, *_, last = shown["warm_by_planned"]
    assert at(13) <= first["start"] < first["end"] <= at(14, 30)
    assert last["end"] <= at(18) and not shown["warm_by_done"]
    prices = {start.hour: price for start, _, price in shown["warm_by_prices"]}
    assert (prices[13], prices[15], prices[16]) == (0.05, 0.3, 0.05)
    for time in (at(13, 40), at(15)):
        await until(spa, time)
        found = requested(spa)
        (done,), (later, *_) = found["warm_by_done"], found["warm_by_planned"]
        assert done["end"] <= later["start"]
    assert at(13) <= done["start"] < done["end"] <= at(14, 30)
    info = spa.state("climate", "spa_heating").state_info
    assert info is not None
    assert shown.keys() - info["unrecorded_attributes"] == {"warm_by"}
    await cancel(spa)
    assert as_before(spa) and requested(spa) == {}


async def test_another_output_is_not_released_then(
    spa: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is tried again by itself: the user's own action was done."""
    await needs_two_hours(spa)
    await ask(spa, at(18), prices=cheap(13, 16))
    await until(spa, at(15))

    async def work(holds: Holds) -> list[Exception]:
        return [DeclinedError("of a test")]

    monkeypatch.setattr(Holds, "work", work)
    await heating_off(spa)
    assert warm_by(spa) is None


async def test_prices_without_a_learned_rate(spa: Home) -> None:
    """Heating begins as late as possible, and a sentence says why."""
    await ask(spa, at(18), prices=cheap(13, 14))
    await spa.live(2 * STEP, step=STEP)
    assert explanation(spa) == (
        "Heating begins at about 15:35. Prices count once the temperature of the water"
        " and how fast it warms up are known."
    )


async def test_lists_that_are_refused(spa: Home) -> None:
    """Of another day, from two places, and with two readings: nothing is asked."""
    heats_fast(spa)
    past = [
        each
        | {key: each[key].replace("2026-05", "2026-04") for key in ("start", "end")}
        for each in cheap(13)
    ]
    rows: tuple[tuple[str, dict[str, Any]], ...] = (
        ("prices_past", {"prices": past}),
        ("one_of", {"prices": cheap(13), "price_entities": "sensor.x"}),
        ("prices_ambiguous", {"prices": {"Home": cheap(13), "Cabin": cheap(14)}}),
    )
    for key, prices in rows:
        with failure(key, ServiceValidationError):
            await ask(spa, at(18), **prices)
        assert warm_by(spa) is None


async def test_a_block_ends_while_the_network_is_away(spa: Home) -> None:
    """It is undone at the first contact, and the request goes on."""
    heats_fast(spa)
    prices = cheap(13, 14)
    prices[16]["price"] = 0.15  # Where the rest is even, it would go on.
    await ask(spa, at(18), prices=prices)
    await until(spa, at(13, 50))
    assert heated(spa)
    spa.controller.faults.on("refuse")
    spa.cloud.faults.on("refuse")
    await spa.live(2 * 3600, step=HASTE)
    spa.controller.faults.clear()
    spa.cloud.faults.clear()
    await spa.live(6 * STEP, step=STEP)
    assert as_before(spa) and warm_by(spa) == at(18)


async def test_a_start_while_a_block_begins(spa: Home) -> None:
    """Its heater was not started: the same block begins once more, without a rest."""
    await needs_two_hours(spa)
    await ask(spa, at(18), prices=cheap(12, 13))
    spa.controller.faults.on("hang", "cmd")
    await spa.pass_time(70)
    assert requested(spa)["warm_by_done"] and not heated(spa)
    await spa.finish(spa.hass.config_entries.async_reload(spa.entry.entry_id))
    spa.controller.faults.clear()
    heats_fast(spa)
    await spa.live(5 * STEP, step=15)
    assert heated(spa)
    assert len(requested(spa)["warm_by_done"]) == 1
