"""The soak: a week of troubles in a few minutes, after which nothing may be left over.

A real Home Assistant core runs the integration against the simulated service over real
sockets, with one account and two controllers (a small and a fully equipped pool). Time
is simulated (timelapse.py): no poll, retry, time-out or token is left out or shortened.
Each of the 40 320 polls of a controller in a week happens when it is due unless trouble
delays it; a fault that hangs lasts its full ten seconds.

Drawn from a seed: faults of the LAN (those of tests/world/simulator/lan.py except `no_state`)
and of the cloud; controllers that are cut from the cloud, restart, move, swap addresses
or change their keys; expired tokens; reloads; and a user at every switch, number,
light, climate and button, who signs in again when asked to. The dialects of the cloud
and the controllers change during the run (draws.py), and hostile neighbours make false
announcements. judge.py has the table of failures that are right for such a reason.

Checked more than an hour after the last trouble: every entity against the pool itself
(right.py) and against a fresh start; tasks, timers, sockets, descriptors and memory
against those after the warm-up; every command that failed without trouble; entities
that were removed, though nothing was ever unplugged; every log line. Checked all week
long: holds by hand that should have been released (holds.py).

`POOLCTL_SOAK_SEED` and `POOLCTL_SOAK_DAYS` choose another week;
`POOLCTL_SOAK_DIALECTS=none` one without dialects and hostile neighbours.
"""

import asyncio
from collections.abc import Callable
import time
from typing import Any, Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import HomeAssistant, State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er, issue_registry as ir
from homeassistant.util import slugify
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.service import Service
from tests.world.names import Names
from tests.world.simulator.visitors import Announcement

from .draws import DAYS, SEED
from .holds import Holds
from .judge import may_be_missing
from .neighbours import Neighbours
from .person import Owner, Person
from .right import expected, same
from .speech import Speech
from .timelapse import timelapse
from .watch import Resources, watching
from .week import FOUND, HOUR, MINUTE, RECOVERY, Week

WARM_UP: Final = 2 / 7
"""Share of the run after which everything was used once."""
MEMORY: Final = 0.02
"""Share by which memory may grow: bounded caches go on filling a little. One object
kept for every third poll exceeds it."""


@pytest.mark.usefixtures("current_request_with_host")
@pytest.mark.timeout(7200)
@pytest.mark.freeze_time("2026-11-02 00:00:00")
async def test_a_week(
    hass: HomeAssistant,
    service: Service,
    lan: Names,
    entry: MockConfigEntry,
    hass_client_no_auth: ClientSessionGenerator,
    freezer: FrozenDateTimeFactory,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seconds = DAYS * 24 * HOUR
    asyncio.get_running_loop().set_debug(False)
    week = Week(hass, service, entry, lan, SEED)
    speech = Speech(week, seconds)
    owner = Owner(hass, week)
    week.everywhere += [speech.releases, owner.sign_ins]
    neighbours = Neighbours(hass, week, seconds)
    week.at_each += [
        *(speech.updates, speech.others),
        *(Person(hass, week).play, neighbours.announce, Holds(week).watch),
    ]
    with timelapse(freezer), watching(week.watch):
        await hass.config_entries.async_setup(entry.entry_id)
        for controller in service.controllers:
            await week.hear(Announcement.of(controller))
        owner.browser = await hass_client_no_auth()
        slugify("ü")  # loads its tables now, not with the first such name
        neighbours.replayer.start()
        await asyncio.sleep(HOUR)
        started = time.monotonic()
        await week.live(seconds * WARM_UP)
        before = await _quiet(entry)
        await week.live(seconds * (1 - WARM_UP))
        after = await _quiet(entry)
        passed = time.monotonic() - started

        speech.calm()
        await asyncio.sleep(RECOVERY + FOUND)
        wrong = await _put_right(hass, service)
        wrong += await _twice(lambda: _compare(hass, entry, service))
        shown = _states(hass, service)
        await hass.config_entries.async_reload(entry.entry_id)
        await asyncio.sleep(300)
        wrong += await _twice(
            lambda: [
                f"{name}: {shown.get(name)}, after a fresh start {state}"
                for name, state in _states(hass, service).items()
                if shown.get(name) != state
            ]
        )
        await hass.config_entries.async_unload(entry.entry_id)
        await asyncio.sleep(HOUR)
        await neighbours.replayer.stop()

    grown = after.grown_since(before, memory=MEMORY)
    with capsys.disabled():
        print(_report(week, speech, passed, before, after))  # noqa: T201 - it is asked for
    came = sum(n for what, n in week.counts.items() if what.startswith("visitor "))
    if week.counts["commands"] < 20 * DAYS or came < neighbours.planned / 2:
        wrong.append(f"only {week.counts['commands']} commands and {came} visitors")
    # Causes first, because only 50 lines are shown.
    wrong = [*week.watch.wrong, *week.wrong, *grown, *wrong]
    assert not wrong, "\n".join(["", *wrong[:50]])
    assert not [i for i in ir.async_get(hass).issues.values() if i.domain == DOMAIN]
    assert not hass.config_entries.flow.async_progress()


async def _quiet(entry: MockConfigEntry) -> Resources:
    """Count in a quiet moment: polls and slow requests last some seconds.

    Waits until the entry is loaded, because it has fewer timers while it is not.
    """
    for _ in range(600):
        if entry.state is ConfigEntryState.LOADED:
            break
        await asyncio.sleep(MINUTE)
    counted = []
    for _ in range(12):
        counted.append(Resources.now())
        await asyncio.sleep(7)
    return min(counted, key=lambda it: (it.tasks, it.sockets, it.descriptors))


async def _put_right(hass: HomeAssistant, service: Service) -> list[str]:
    """Run the pumps until readings are valid, then stop all changes of the water."""
    registry, failed = er.async_get(hass), []
    for controller in service.account.controllers:
        # As in the vendor's app: with some dialects the integration cannot do it.
        controller.pool.schedules[0].enabled = True
        for domain, action, key in (
            ("switch", "turn_on", "pump"),
            ("button", "press", "resume_schedules"),
            ("button", "press", "refill_acid"),
            ("button", "press", "refill_chlorine"),
        ):
            target = registry.async_get_entity_id(
                domain, DOMAIN, f"{controller.device_id}_{key}"
            )
            shown = hass.states.get(target or "")
            if shown is None or shown.state == STATE_UNAVAILABLE:
                continue
            try:
                await hass.services.async_call(
                    domain, action, {"entity_id": target}, blocking=True
                )
            except HomeAssistantError as err:
                failed.append(f"{action} of {target}: {err!r}")
    await asyncio.sleep(HOUR)
    for controller in service.account.controllers:
        pool = controller.pool
        pool.water.drift = 0.0
        # Once the pH is right, the daily limit of acid is not a problem any more.
        pool.settings["desired_ph"], pool.water.ph = 74, 7.4
        pool.settings["ph_dosing"] = pool.settings["orp_flags"] = 0  # no more doses
    await asyncio.sleep(900)
    return failed


async def _twice(compare: Callable[[], list[str]]) -> list[str]:
    """Return what is wrong now and a minute later: an odd frame is shown for one poll."""
    if not (wrong := compare()):
        return []
    await asyncio.sleep(MINUTE)
    again = compare()
    return [each for each in wrong if each in again]


def _compare(
    hass: HomeAssistant, entry: MockConfigEntry, service: Service
) -> list[str]:
    """Compare every entity with its pool."""
    wrong = [] if entry.state is ConfigEntryState.LOADED else [f"{entry.state}"]
    controllers = {each.device_id: each for each in service.controllers}
    for entity in er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id):
        state = hass.states.get(entity.entity_id)
        if entity.disabled:
            continue
        device_id, key = entity.unique_id[:17], entity.unique_id[18:]
        value = expected(controllers[device_id].pool, entity.domain, key)
        if state is None or state.state == STATE_UNAVAILABLE:
            if not may_be_missing(controllers[device_id], key):
                wrong.append(
                    f"{entity.domain} {entity.unique_id} is not there: {state}"
                )
        elif (
            value is not None
            and not may_be_missing(controllers[device_id], key)
            and not same(state.state, value)
        ):
            wrong.append(f"{entity.unique_id} shows {state.state}, it is {value}")
    return wrong


def _states(hass: HomeAssistant, service: Service) -> dict[str, Any]:
    """Return the states that a fresh start has to show again."""
    registry = er.async_get(hass)
    controllers = {each.device_id: each for each in service.controllers}

    def may_be_missing_now(entity_id: str) -> bool:
        if (entity := registry.async_get(entity_id)) is None:
            return False
        device_id, key = entity.unique_id[:17], entity.unique_id[18:]
        return device_id in controllers and may_be_missing(controllers[device_id], key)

    def shown(state: State) -> str:
        # A time changes only by more than its accuracy (learned/ends.py).
        expected = state.entity_id.endswith("_warm_at") and state.state != STATE_UNKNOWN
        return "expected" if expected else state.state

    def described(state: State) -> dict[str, Any]:
        # After a start, the time since when a problem exists begins anew.
        problems = state.attributes.get("problems", ())
        found = [{**each, "since": None} for each in problems]
        # Schedules are read minutes after a start; until then there is no explanation.
        later = dict.fromkeys(
            ("explanation", "pump_until", "next_run", "next_schedule")
        )
        return {**state.attributes, **later, "problems": found}

    return {
        state.entity_id: (shown(state), described(state))
        for state in hass.states.async_all()
        # A button shows when it was last pressed, and totals go on.
        if state.domain != "button"
        and state.attributes.get("state_class") not in ("total", "total_increasing")
        and not may_be_missing_now(state.entity_id)
    }


def _report(
    week: Week, speech: Speech, passed: float, before: Resources, after: Resources
) -> str:
    troubles = {
        name: count
        for name, count in sorted(week.counts.items())
        if not name.startswith("commands")
    }
    rows = [
        f"seed {SEED}, {passed / 86400:.2f} simulated days",
        f"{sum(troubles.values())} troubles: "
        + ", ".join(f"{name} {count}" for name, count in troubles.items()),
        "commands {commands}, of them failed {commands that failed}".format_map(
            week.counts
        ),
        f"log lines {week.watch.lines}: "
        + ", ".join(f"{line} {n}" for line, n in sorted(week.watch.counts.items())),
    ]
    rows += speech.report()
    rows += [
        f"{name} {getattr(before, name)} -> {getattr(after, name)}"
        for name in ("tasks", "timers", "descriptors", "sockets", "blocks", "rss")
    ]
    return "\n".join(["", *rows])
