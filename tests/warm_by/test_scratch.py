from datetime import timedelta
import pytest
from tests.services.test_pause_dosing import done
from tests.warm_by.test_warm_by import STEP, ask, dt_util, as_before, heated, warm_by, explanation, at, until, soon, PUMP, SPA_RETURN
from tests.warm_by.test_warm_by import few_platforms, noon, spa, clocks
from tests.world.assistant.home import Home
from tests.world.simulator.pool import POOL_HEATER, SOLAR, SPA_HEATER

pytestmark = pytest.mark.usefixtures("quick", "hurried")


@pytest.mark.parametrize("odd", [10.0, 0.0, 60.0])
async def test_odd(spa: Home, odd) -> None:
    pool = spa.pool
    await spa.enable_all()
    await done(spa, spa.act("switch.turn_on", "pump"))
    pool.settings["pool_target"], pool.water.temperature = 30, 29.0
    await spa.live(1200, step=60)
    await ask(spa, at(23), "pool")
    await spa.live(300, step=60)
    assert not int(pool.settings["heating"])
    for _ in range(3):
        pool.water.temperature = odd
        await spa.live(60, step=60)
        pool.water.temperature = 29.0
        print(spa.state("climate", "pool").attributes["current_temperature"], int(pool.settings["heating"]), explanation(spa, "pool"))
        await spa.live(300, step=60)
        print(spa.state("climate", "pool").attributes["current_temperature"], int(pool.settings["heating"]), explanation(spa, "pool"))

async def test_why(spa: Home) -> None:
    from custom_components.poolctl.client.pool.heating import POOL
    pool = spa.pool
    await spa.enable_all()
    await done(spa, spa.act("switch.turn_on", "pump"))
    pool.settings["pool_target"], pool.water.temperature = 30, 29.0
    await spa.live(1200, step=60)
    await ask(spa, at(23), "pool")
    (c,) = spa.entry.runtime_data.controllers.values()
    for _ in range(6):
        await spa.live(60, step=60)
        r = c.warm_by.of(POOL)
        print(dt_util.now().time(), int(pool.settings["heating"]), pool.water.temperature, r and r.begun, c.warm_by.outlook(r), c.learned.cooling[POOL].estimate(POOL, c.clock.now(), 20.0))
