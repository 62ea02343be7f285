"""What scripts/replay finds in the diagnostics, in every dialect."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
import json
from pathlib import Path
from typing import Any

from homeassistant.const import Platform
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from tests.controllers.__main__ import contradicted, main
from tests.controllers.report import read
from tests.controllers.verdicts import ASSUMPTIONS, Outcome, Verdict, verdicts
from tests.flow.test_config_flow import start
from tests.report.test_diagnostics import dump
from tests.world.assistant.fixtures import SignIn
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator.cloud_dialects import CloudDialect as C
from tests.world.simulator.dialects import Dialect as L

pytestmark = pytest.mark.usefixtures("quick", "at_once")
few_platforms = only(Platform.CLIMATE, Platform.SWITCH)

type Step = Callable[[Home], Awaitable[None]]


async def replayed(
    home: Home, hass_client: ClientSessionGenerator, folder: Path
) -> dict[str, Verdict]:
    """Return the verdict on each assumption, from the diagnostics alone."""
    file = folder / "diagnostics.json"
    zone = {"timezone": home.hass.config.time_zone}
    data = await dump(home, hass_client)
    file.write_text(json.dumps({"home_assistant": zone, "data": data}))
    (part,) = read(file).parts
    assert main([str(file)]) == bool(contradicted(part))
    return {verdict.assumption: verdict for verdict in verdicts(part)}


def contradicting(found: dict[str, Verdict]) -> dict[str, tuple[str, ...]]:
    """Return what was observed instead of each assumption."""
    return {name: each.observed for name, each in found.items() if each.observed}


async def try_to(home: Home, *args: Any, **data: Any) -> None:
    """Run an action that may fail with an error in a dialect."""
    with suppress(HomeAssistantError):
        await home.act(*args, **data)


async def nothing(home: Home) -> None:
    """Do nothing: the reads at the start are enough."""


async def heat(home: Home) -> None:
    target = home.pool.settings["pool_target"]
    warmer = {"temperature": 61 - int(target)}
    await home.finish(try_to(home, "climate.set_temperature", "pool_heating", **warmer))


async def switch(home: Home) -> None:
    await home.finish(try_to(home, "switch.turn_on", "slot_3"))


@pytest.mark.usefixtures("freezer")
async def test_everything_as_expected(
    full: Home, hass_client: ClientSessionGenerator, tmp_path: Path
) -> None:
    """The simulator follows the page: nothing is contradicted, and most is shown."""
    full.pool.slots[3].timer = (full.pool.now + 600, 1200)
    await heat(full)
    await switch(full)
    await full.act("switch.turn_off", "slot_3")
    await full.refresh()
    found = await replayed(full, hass_client, tmp_path)
    assert not contradicting(found)
    on_lan = [*ASSUMPTIONS][: [*ASSUMPTIONS].index("dashboard_fields")]
    unseen = {name for name in on_lan if found[name].outcome is not Outcome.AGREES}
    assert unseen == {"busy", "schedule_times", "schedule_midnight"}


LAN: list[tuple[L, str, str, Step]] = [
    (L.FRAME_VERSION_2, "frame_version", "version 2", nothing),
    (L.LONGER_REPLIES, "reply_lengths", "aux_names: 1 more bytes", nothing),
    (L.LONGER_RECORDS, "reply_lengths", "schedules", nothing),
    (L.TEMP_WITHOUT_FLAGS, "heating_keys", "without is_solar_heater_selected", heat),
    (L.BUSY_AFTER, "busy", "it had run", switch),
]


@pytest.mark.parametrize("ahead", [3, 86400])
@pytest.mark.usefixtures("freezer")
async def test_another_client_is_ahead(
    small: Home, hass_client: ClientSessionGenerator, ahead: int, tmp_path: Path
) -> None:
    """The counter is raised directly: the dialects of L1 follow the simulated clock."""
    small.controller.accepted_counter += ahead
    await switch(small)
    assert [*contradicting(await replayed(small, hass_client, tmp_path))] == [
        "counter_out"
    ]


async def pump(home: Home) -> None:
    action = "switch.turn_off" if home.pool.pump.mode else "switch.turn_on"
    await home.finish(try_to(home, action, "pump"))


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
        await home.advance(330, step=30)


CLOUD: list[tuple[C, str, str, Step]] = [
    (C.C1_MISSING, "write_status", 'HTTP 200 "missing"', pump),
    (C.C1_PENDING, "write_status", 'HTTP 200 "PENDING"', pump),
    (C.C1_201, "write_status", 'HTTP 201 "SUCCESS"', pump),
    (C.C2_403, "dead_access_token", "HTTP 403", expire),
    (C.C2_FAILED, "dead_access_token", "HTTP 200", expire),
    (C.C3_KEPT, "refresh_rotation", "none came", expire),
    (C.C3_FAILED, "refused_grant", "HTTP 200", revoke),
    (C.C5_KEY, "key_form", "key: 32 characters", nothing),
    (C.C5_BASE64, "key_form", "key_hex: 24 characters", nothing),
    (C.C6_STALE, "online", "offline, and the dashboard changes", polls),
    (C.C6_ABSENT, "online", "not reported", polls),
    (C.C7_ZERO_NORMAL, "dry_run_status", "0", polls),
    (C.C8_FAILED, "silence", "HTTP 200 FAILED", silent),
    (C.C8_408, "silence", "HTTP 408", silent),
    (C.C9_HUGE, "retry_after", "no such time", busy),
    (C.C9_DATE, "retry_after", "no such time", busy),
    (C.C11_EMPTY_ONCE, "inventory", "empty", nothing),
]


@pytest.mark.parametrize(("dialect", "assumption", "observed", "step"), [*LAN, *CLOUD])
@pytest.mark.usefixtures("freezer")
async def test_who_is_otherwise(
    home: Home,
    hass_client: ClientSessionGenerator,
    dialect: L | C,
    assumption: str,
    observed: str,
    step: Step,
    tmp_path: Path,
) -> None:
    home.own(home.service.full if step is heat else home.service.small)
    if isinstance(dialect, L):
        home.controller.dialects.add(dialect)
        await home.set_up(home.controller)
    else:
        home.cloud.dialects = {dialect}
        await home.set_up_with(host=None, key=None)
    await step(home)
    found = contradicting(await replayed(home, hass_client, tmp_path))
    assert [*found] == [assumption]
    assert any(observed in words for words in found[assumption]), found


@pytest.mark.usefixtures("current_request_with_host")
async def test_what_was_seen_at_sign_in_counts(
    home: Home, hass_client: ClientSessionGenerator, sign_in: SignIn, tmp_path: Path
) -> None:
    home.own(home.service.small)
    home.cloud.dialects = {C.C4_403}
    # Before a browser connects: afterwards, no component can add pages.
    assert await async_setup_component(home.hass, "diagnostics", {})
    flow = await start(home, home.cloud.base_url)
    result = await sign_in(flow)
    await home.hass.async_block_till_done()
    home.entry = result["result"]
    found = contradicting(await replayed(home, hass_client, tmp_path))
    assert found == {"userinfo": ("ForbiddenError",)}
