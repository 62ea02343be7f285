"""Acid and chlorine used, and how long they last: shown, and kept over restarts."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from homeassistant.const import Platform
import pytest

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

pytestmark = [
    pytest.mark.usefixtures("freezer"),
    pytest.mark.freeze_time("2026-07-01 12:00:00+00:00"),
]
few_platforms = only(Platform.SENSOR)


@pytest.fixture
async def pool(home: Home) -> Home:
    """Set up the fully equipped pool, which takes no dose by itself."""
    await home.hass.config.async_set_time_zone("UTC")
    home.own(home.service.full)
    water = home.pool.water
    water.ph, water.orp, water.drift = 7.2, 800, 0.0
    await home.set_up(home.service.full)
    return home


def use(home: Home, ml: float, of: str = "acid") -> None:
    """Take an amount out of a drum."""
    home.pool.settings[f"{of}_remaining"] -= ml


def used(home: Home, of: str = "acid") -> str:
    return home.value("sensor", f"{of}_used_today")


async def test_use_over_a_restart_and_in_the_cloud(pool: Home) -> None:
    assert used(pool) == used(pool, "chlorine") == "0"
    followed = pool.follow("sensor", "acid_used_today")
    use(pool, 30)
    use(pool, 120, "chlorine")
    await pool.live(15)
    use(pool, 45)
    await pool.live(60)
    assert (used(pool), used(pool, "chlorine")) == ("75", "120")
    # The state is written when it changes, not with every poll.
    assert [state.state for state in followed] == ["30", "75"]
    assert {
        "device_class": "volume",
        "state_class": "total",
        "unit_of_measurement": "mL",
        "last_reset": "2026-07-01T00:00:00+00:00",
    }.items() <= pool.state("sensor", "acid_used_today").attributes.items()

    # Use during a restart counts; nothing counts twice.
    await pool.unload()
    use(pool, 40)
    pool.freezer.tick(1800)
    await pool.restart()
    for polls in (1, 3):
        await pool.advance(polls * 15, step=15)
        assert used(pool) == "115"

    pool.controller.faults.on("refuse")
    await pool.live(180, step=30)
    assert pool.source == "cloud"
    use(pool, 50)
    await pool.live(240, step=30)  # its copies are old
    assert used(pool) == "165"


async def test_true_doses(pool: Home) -> None:
    """The use shown is what the simulated firmware took out of the drum."""
    water, settings = pool.pool.water, pool.pool.settings
    before = settings["acid_remaining"]
    water.ph, water.drift = 7.9, 1.0
    await pool.live(2 * 3600, step=120)
    taken = before - pool.pool.settings["acid_remaining"]
    assert taken >= 90
    assert float(used(pool)) == pytest.approx(taken, abs=1)


def kept(days: int) -> dict[str, object]:
    """Return stored data of days on which 400 mL were used each."""
    today = date(2026, 7, 1)
    return {
        "level": [12_600, datetime(2026, 7, 1, tzinfo=UTC).isoformat()],
        "refilled_at": None,
        "days": [
            [(today - timedelta(days=n)).isoformat(), [400, 86_400]]
            for n in range(1, days + 1)
        ],
    }


@pytest.mark.parametrize(
    ("days", "shown"), [(14, "2026-08-01"), (3, "2026-08-01"), (2, "unknown")]
)
async def test_lasts_until(
    home: Home, hass_storage: dict[str, Any], days: int, shown: str
) -> None:
    """12,500 mL are left at noon, 100 were used today: 31.5 days from midnight."""
    await home.hass.config.async_set_time_zone("UTC")
    home.own(home.service.full)
    stored = {home.controller.device_id: {"learned": {"acid": {"drum": kept(days)}}}}
    hass_storage[DOMAIN] = {"version": 1, "minor_version": 1, "data": stored}
    await home.set_up(home.controller)
    assert home.value("sensor", "acid_lasts_until") == shown
    state = home.state("sensor", "acid_lasts_until")
    assert state.attributes["device_class"] == "date"
    assert "last_reset" not in state.attributes
