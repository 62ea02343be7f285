"""The sentences of problems: formatted values, and no text for an unknown key."""

from datetime import timedelta

from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations
from homeassistant.util import dt as dt_util
from homeassistant.util.unit_system import (
    METRIC_SYSTEM,
    US_CUSTOMARY_SYSTEM,
    UnitSystem,
)
import pytest

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.status.rows import (
    Active,
    Celsius,
    Litres,
    Severity,
    Value,
)
from custom_components.poolctl.status.texts import filled, next_step, sentence, text


async def test_values(hass: HomeAssistant) -> None:
    rows: tuple[tuple[Value, str, UnitSystem, str], ...] = (
        (7.25, "en", METRIC_SYSTEM, "7.2"),
        (7.25, "de", METRIC_SYSTEM, "7,2"),
        (7.25, "pt-BR", METRIC_SYSTEM, "7,2"),
        (720, "de", METRIC_SYSTEM, "720"),
        ("Spa", "de", METRIC_SYSTEM, "Spa"),
        (Celsius(28), "en", METRIC_SYSTEM, "28 °C"),
        (Celsius(28), "de", US_CUSTOMARY_SYSTEM, "82 °F"),
        (Litres(1.5), "de", METRIC_SYSTEM, "1,5 L"),
        (Litres(1.5), "en", US_CUSTOMARY_SYSTEM, "0.4 gal"),
    )
    for value, language, units, written in rows:
        hass.config.language, hass.config.units = language, units
        assert filled(hass, {"value": value}) == {"value": written}


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_times(hass: HomeAssistant) -> None:
    """Times are local, with a date if they are on another day; today ends at 24:00."""
    await hass.config.async_set_time_zone("Europe/Berlin")
    for hours, written in (
        (6.5, "20:30"),
        (24, "2026-07-02 14:00"),
        (11, "2026-07-02 01:00"),
        (10, "24:00"),
        (34, "2026-07-03 00:00"),
        (-14, "00:00"),
    ):
        at = dt_util.utcnow() + timedelta(hours=hours)
        assert filled(hass, {"at": at}) == {"at": written}


async def test_texts(hass: HomeAssistant) -> None:
    """A variant without its own next step uses that of its row; "" means no text."""
    await async_get_translations(hass, "en", "common", [DOMAIN])
    problem = Active(
        key="acid_limit",
        variant="acid_limit_high",
        severity=Severity.PROBLEM,
        values={"doses": "6"},
        since=dt_util.utcnow(),
    )
    assert "still too high" in sentence(hass, problem)
    assert "by hand" in next_step(hass, problem)
    assert text(hass, {}, "none") == ""
