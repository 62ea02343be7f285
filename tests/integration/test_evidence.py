"""The evidence on each assumption in the diagnostics, in every dialect."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
import json
from pathlib import Path
from typing import Any

from homeassistant.const import EVENT_HOMEASSISTANT_STOP, Platform
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.poolctl.observed.evidence import Assumption
from tests.controllers.__main__ import contradicted, main
from tests.controllers.report import read
from tests.simulator.cloud_dialects import CloudDialect as C
from tests.simulator.dialects import Dialect

from .conftest import SignIn
from .home import Home
from .platforms import only
from .test_config_flow import start
from .test_diagnostics import dump

pytestmark = pytest.mark.usefixtures("quick", "at_once")
few_platforms = only(Platform.CLIMATE, Platform.SWITCH)

type Step = Callable[[Home], Awaitable[None]]


async def replayed(
    home: Home, hass_client: ClientSessionGenerator, folder: Path
) -> list[str]:
    """Return the assumptions that the diagnostics contradict, by `scripts/replay`."""
    file = folder / "diagnostics.json"
    file.write_text(json.dumps({"data": await dump(home, hass_client)}))
    (part,) = read(file).parts
    found = contradicted(part)
    assert main([str(file)]) == bool(found)
    return found


async def evidence(
    home: Home, hass_client: ClientSessionGenerator
) -> dict[str, dict[str, Any]]:
    """Return the evidence on all assumptions in the diagnostics."""
    found = await dump(home, hass_client)
    (controller,) = found["controllers"]
    told: dict[str, dict[str, Any]] = controller["evidence"]
    assert not told.keys() & found["account"]["evidence"].keys()
    return {**told, **found["account"]["evidence"]}


async def try_to(home: Home, *args: Any, **data: Any) -> None:
    """Run an action that may fail with an error in a dialect."""
    with suppress(HomeAssistantError):
        await home.act(*args, **data)


async def nothing(home: Home) -> None:
    """Do nothing: the reads at the start are enough."""


async def heat(home: Home) -> None:
    target = home.pool.settings["pool_target"]
    await try_to(home, "climate.set_temperature", "pool", temperature=61 - int(target))


async def switch(home: Home) -> None:
    await try_to(home, "switch.turn_on", "slot_3")


async def test_everything_as_expected(
    full: Home, hass_client: ClientSessionGenerator, tmp_path: Path
) -> None:
    """The simulator follows layouts.md: no assumption is contradicted."""
    full.pool.slots[3].timer = (full.pool.now + 600, 1200)
    await heat(full)
    await switch(full)
    await full.act("switch.turn_off", "slot_3")
    await full.refresh()
    told = await evidence(full, hass_client)
    assert list(told) == [str(each) for each in Assumption]
    wrong = {each: row for each, row in told.items() if row["contradicted"]}
    assert not wrong
    # Assumptions about the LAN come first.
    rows = list(Assumption)
    on_lan = {*rows[: rows.index(Assumption.DASHBOARD_FIELDS)]}
    confirmed = {each for each in on_lan if told[each]["confirmed"]}
    assert on_lan - confirmed == {
        *(Assumption.BUSY, Assumption.SCHEDULE_TIMES, Assumption.SCHEDULE_MIDNIGHT)
    }
    assert told[Assumption.FRAME_VERSION]["expected"] == "state frames have version 1"
    assert await replayed(full, hass_client, tmp_path) == []


async def test_a_small_pool_as_expected(
    small: Home, hass_client: ClientSessionGenerator, tmp_path: Path
) -> None:
    assert await replayed(small, hass_client, tmp_path) == []


LAN: list[tuple[Dialect, Assumption, str, Step]] = [
    (Dialect.FRAME_VERSION_0, Assumption.FRAME_VERSION, "version 0", nothing),
    (Dialect.FRAME_VERSION_2, Assumption.FRAME_VERSION, "version 2", nothing),
    (Dialect.FRAME_VERSION_3, Assumption.FRAME_VERSION, "version 3", nothing),
    (Dialect.QUERY_COUNTER_OWN, Assumption.COUNTER_REPLIES, "a lower one", nothing),
    (
        Dialect.QUERY_COUNTER_ECHO,
        Assumption.COUNTER_REPLIES,
        "that of the query",
        nothing,
    ),
    (
        Dialect.LONGER_REPLIES,
        Assumption.REPLY_LENGTHS,
        "aux_names: 1 more bytes",
        nothing,
    ),
    (
        Dialect.LONGER_REPLIES,
        Assumption.REPLY_LENGTHS,
        "pump_id: 3 more bytes",
        nothing,
    ),
    (Dialect.LONGER_RECORDS, Assumption.REPLY_LENGTHS, "schedules", nothing),
    (Dialect.TEMP_WITHOUT_TEMP2_CH, Assumption.HEATING_KEYS, "without temp2_ch", heat),
    (Dialect.TEMP_WITHOUT_TEMP3_CH, Assumption.HEATING_KEYS, "without temp3_ch", heat),
    (
        Dialect.TEMP_WITHOUT_FLAGS,
        Assumption.HEATING_KEYS,
        "without is_solar_heater_selected",
        heat,
    ),
    (Dialect.BUSY_AFTER, Assumption.BUSY, "it had run", switch),
    (Dialect.ENV_NULL, Assumption.ACTION_ENV, "null", switch),
    (Dialect.ENV_EMPTY, Assumption.ACTION_ENV, "empty", switch),
]


@pytest.mark.parametrize(("dialect", "assumption", "seen", "step"), LAN)
async def test_a_controller_that_is_otherwise(
    home: Home,
    hass_client: ClientSessionGenerator,
    dialect: Dialect,
    assumption: Assumption,
    seen: str,
    step: Step,
    tmp_path: Path,
) -> None:
    home.own(home.service.full if step is heat else home.service.small)
    home.controller.dialects.add(dialect)
    await home.set_up(home.controller)
    await step(home)
    row = (await evidence(home, hass_client))[assumption]
    assert row["contradicted"]
    assert any(seen in words for words in row["observed"]), row
    assert await replayed(home, hass_client, tmp_path) == [assumption]


@pytest.mark.parametrize(
    ("ahead", "seen"),
    [(3, "s ahead"), (30, "s ahead"), (300, "s ahead"), (86400, "far")],
)
async def test_another_client_is_ahead(
    small: Home, hass_client: ClientSessionGenerator, ahead: int, seen: str
) -> None:
    """The counter is raised directly: the dialects of L1 follow the simulated clock."""
    small.controller.accepted_counter += ahead
    await switch(small)
    row = (await evidence(small, hass_client))[Assumption.COUNTER_OUT]
    assert row["contradicted"] == 1
    assert any(seen in words for words in row["observed"]), row


async def pump(home: Home) -> None:
    on = home.pool.pump.mode
    action = "switch.turn_off" if on else "switch.turn_on"
    done = home.hass.async_create_task(try_to(home, action, "pump"))
    while not done.done():
        await home.pass_time(1)


async def silent(home: Home) -> None:
    """Send a command through the cloud, which does not reach the controller."""
    home.controller.cloud_link = False
    await pump(home)


async def busy(home: Home) -> None:
    home.cloud.faults.on("rate_limited")
    await home.advance(60, step=30)


async def expire(home: Home) -> None:
    home.cloud.expire_tokens()
    await home.advance(30)


async def revoke(home: Home) -> None:
    home.cloud.revoke(home.account)
    await home.advance(30)


async def polls(home: Home) -> None:
    for desired in (71, 73, 72):
        home.pool.settings["desired_ph"] = desired
        home.clock.advance(60)
        await home.advance(90, step=30)


CLOUD: list[tuple[C, Assumption, str, Step]] = [
    (C.C1_MISSING, Assumption.WRITE_STATUS, "HTTP 200 missing", pump),
    (C.C1_PENDING, Assumption.WRITE_STATUS, "HTTP 200 PENDING", pump),
    (C.C1_QUEUED, Assumption.WRITE_STATUS, "HTTP 200 QUEUED", pump),
    (C.C1_NULL, Assumption.WRITE_STATUS, "HTTP 200 null", pump),
    (C.C1_201, Assumption.WRITE_STATUS, "HTTP 201 SUCCESS", pump),
    (C.C1_202, Assumption.WRITE_STATUS, "HTTP 202 SUCCESS", pump),
    (C.C2_403, Assumption.DEAD_ACCESS, "HTTP 403", expire),
    (C.C2_400, Assumption.DEAD_ACCESS, "HTTP 400", expire),
    (C.C2_FAILED, Assumption.DEAD_ACCESS, "HTTP 200", expire),
    (C.C3_KEPT, Assumption.ROTATION, "none came", expire),
    (C.C3_FAILED, Assumption.REFUSED_GRANT, "HTTP 200", revoke),
    (C.C3_NULL, Assumption.REFUSED_GRANT, "HTTP 200", revoke),
    (C.C5_KEY, Assumption.KEY_FORM, "key: 32 characters", nothing),
    (C.C5_ENVELOPE_KEY, Assumption.KEY_FORM, "envelope_key: 32 characters", nothing),
    (C.C5_BASE64, Assumption.KEY_FORM, "key_hex: 24 characters", nothing),
    (C.C6_STALE, Assumption.ONLINE, "offline, and the dashboard changes", polls),
    (C.C6_ABSENT, Assumption.ONLINE, "not reported", polls),
    (C.C7_ZERO_NORMAL, Assumption.DRY_RUN_STATUS, "0", polls),
    (C.C8_FAILED, Assumption.SILENCE, "HTTP 200 FAILED", silent),
    (C.C8_408, Assumption.SILENCE, "HTTP 408", silent),
    (C.C8_500, Assumption.SILENCE, "HTTP 500", silent),
    (C.C9_HUGE, Assumption.RETRY_AFTER, "message: 99999999s", busy),
    (C.C9_NEGATIVE, Assumption.RETRY_AFTER, "message: -1s", busy),
    (C.C9_DATE, Assumption.RETRY_AFTER, "header: no number", busy),
    (C.C9_NOTHING, Assumption.RETRY_AFTER, "nothing", busy),
    (C.C11_EMPTY_ONCE, Assumption.INVENTORY, "empty", nothing),
]


@pytest.mark.parametrize(("dialect", "assumption", "seen", "step"), CLOUD)
@pytest.mark.usefixtures("freezer")
async def test_a_service_that_is_otherwise(
    home: Home,
    hass_client: ClientSessionGenerator,
    dialect: C,
    assumption: Assumption,
    seen: str,
    step: Step,
    tmp_path: Path,
) -> None:
    home.own(home.service.small)
    home.cloud.dialects = {dialect}
    await home.set_up_with(host=None, key=None)
    await step(home)
    row = (await evidence(home, hass_client))[assumption]
    assert row["contradicted"]
    assert any(seen in words for words in row["observed"]), row
    assert await replayed(home, hass_client, tmp_path) == [assumption]


async def reload(home: Home) -> None:
    await home.restart()


async def stop(home: Home) -> None:
    """Stop Home Assistant, and start it with only the written data."""
    home.hass.bus.async_fire(EVENT_HOMEASSISTANT_STOP)
    await home.shut_down()
    await home.boot()


@pytest.mark.parametrize("step", [reload, stop])
async def test_it_is_kept(
    full: Home, hass_client: ClientSessionGenerator, step: Step
) -> None:
    before = await evidence(full, hass_client)
    await step(full)
    after = await evidence(full, hass_client)
    for assumption in (
        Assumption.FRAME_VERSION,
        Assumption.REPLY_LENGTHS,
        Assumption.INVENTORY,
    ):
        assert after[assumption]["confirmed"] > before[assumption]["confirmed"] > 0


@pytest.mark.usefixtures("current_request_with_host")
async def test_what_was_seen_at_sign_in_counts(
    home: Home, hass_client: ClientSessionGenerator, sign_in: SignIn
) -> None:
    home.own(home.service.small)
    home.cloud.dialects = {C.C4_403}
    # Before a browser connects: afterwards, no component can add pages.
    assert await async_setup_component(home.hass, "diagnostics", {})
    flow = await start(home, home.cloud.base_url)
    result = await sign_in(flow)
    await home.hass.async_block_till_done()
    home.entry = result["result"]
    row = (await evidence(home, hass_client))[Assumption.USERINFO]
    assert row["observed"] == {"ForbiddenError": 1}
