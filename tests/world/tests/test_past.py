"""The simulated past of the demo fits the present state of its pools."""

from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from itertools import groupby
import json
from pathlib import Path
import sqlite3
import time

import pytest

from custom_components.poolctl.client.pool.dosing import DOSERS
from custom_components.poolctl.learned.learned import Learned
from tests.world.home.past import Past, insert_states, learned_from
from tests.world.home.settings import Settings
from tests.world.simulator import Clock, Pool, past
from tests.world.simulator.past import DAYS

NOON = datetime(2026, 5, 11, 12, tzinfo=UTC).timestamp()
"""At night, the simulated use of chlorine does not fill three days."""


@pytest.mark.parametrize(
    ("hour", "days"), [(0, 2), (7, 2), (11, 2), (12, DAYS), (22, 2), (23, 2)]
)
def test_three_weeks_up_to_now(
    hour: int, days: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pump runs at the end of the weeks, at whatever hour a demo is started."""
    monkeypatch.setattr(past, "DAYS", days)  # the hour changes only the last one
    pools = {"full": Pool.full(), "small": Pool.small()}
    now = time.time() // 86400 * 86400 + hour * 3600
    clock = Clock(1.0, start=now - days * 86400)
    samples = past.live(pools, clock)
    assert clock.time() == pytest.approx(now, abs=60)
    assert len(samples) == 2 * days * 86400 / past.SAMPLE
    for name, pool in pools.items():
        lived = [each for each in samples if each["pool"] == name]
        assert lived[-1]["speed"] == pool.pump.speed > 0
        water = pytest.approx(pool.water.temperature, abs=0.1)
        assert lived[-1]["water_temperature"] == water
        # An owner could have these schedules: Home Assistant refuses those that overlap.
        minutes = Counter(
            minute % 1440
            for schedule in pool.schedules
            if schedule.slot == 0 and schedule.enabled
            for minute in range(
                schedule.start,
                schedule.end + 1440 * (schedule.end <= schedule.start),
            )
        )
        assert set(minutes.values()) == {1}, pool.schedules[:6]
        # One to three runs a day, and the water stays within the usual limits.
        runs = [on for on, _ in groupby(each["speed"] > 0 for each in lived)]
        assert days - 2 <= runs.count(True) <= 3 * days + 2
        assert all(7.0 <= each["ph"] <= 7.8 for each in lived)
        assert all(550 <= each["orp"] <= 800 for each in lived)
    assert pools["full"].settings["acid_remaining"] < 2000


def test_each_day_begins_with_a_state(tmp_path: Path) -> None:
    """The recorder does not look for states of a day before its own first one."""
    hours = [(NOON + hour * 3600, "on") for hour in range(48)]
    with closing(sqlite3.connect(tmp_path / "home-assistant_v2.db")) as database:
        database.executescript("""
            CREATE TABLE states_meta (metadata_id, entity_id);
            CREATE TABLE states (state, metadata_id, attributes_id, last_updated_ts,
                last_reported_ts, origin_idx, context_id_bin);
            INSERT INTO states_meta VALUES (1, 'switch.pump');
            INSERT INTO states (metadata_id, last_updated_ts) VALUES (1, 9e9);
        """)
        insert_states(tmp_path, [Past(entity_id="switch.pump", values=[*hours])])
        rows = database.execute("SELECT last_updated_ts FROM states WHERE state = 'on'")
        noon, *midnights = (at for (at,) in rows.fetchall())
    assert noon == NOON
    assert midnights == [NOON + 12 * 3600, NOON + 36 * 3600]


def test_the_integration_has_learned_from_it(tmp_path: Path) -> None:
    """Totals and drums go on from the past, in the form in which they are stored."""
    clock = Clock(1.0, start=NOON - DAYS * 86400)
    settings = Settings(data=tmp_path)
    settings.past.write_text(json.dumps(past.live({"full": Pool.full()}, clock)))
    stored = json.loads(json.dumps(learned_from(settings)))["full"]["learned"]
    learned = Learned(stored)
    now = datetime.fromtimestamp(clock.time(), UTC)
    learned.begin_day(now)
    totals = {kind.key: total for kind, total in learned.totals.of.items()}
    assert totals["pump_energy"].shown > 50
    assert totals["pump_run_hours"].shown > DAYS * 8
    lasts = [doser.lasts_until(1.5, now) for doser in learned.dosers.values()]
    assert len(lasts) == len(DOSERS)
    assert all(day is not None and day > now.date() for day in lasts)
