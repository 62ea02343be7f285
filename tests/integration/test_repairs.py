"""Issues come and go with live data, and a person can settle them."""

import json
from pathlib import Path
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.repairs import RepairsFlowResult, repairs_flow_manager
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl import repairs
from custom_components.poolctl.const import DOMAIN, MIN_FIRMWARE
from custom_components.poolctl.errors import ADDRESS_ERRORS, KEY_ERRORS, REFILL_ERRORS
from custom_components.poolctl.upkeep.issues import (
    PROBLEMS,
    REPORT_URL,
    REQUIREMENTS_URL,
    Problem,
)
from tests.simulator import Controller

from .conftest import (
    Service,
    advance,
    pass_time,
    record,
    restart,
    set_up,
    settle,
    value,
)
from .test_config_flow import discover

pytestmark = pytest.mark.usefixtures("freezer")

PATIENCE = {problem.key: problem.patience for problem in PROBLEMS}
ROOT = Path(__file__).parents[2]
TEXTS = json.loads(
    (ROOT / "custom_components/poolctl/translations/en.json").read_text()
)["issues"]


def shown(hass: HomeAssistant) -> dict[str, ir.IssueEntry]:
    """Return the issues a person sees, by the key of their texts."""
    return {
        str(issue.translation_key): issue
        for (domain, _), issue in ir.async_get(hass).issues.items()
        if domain == DOMAIN and issue.active
    }


class Repair:
    """A person who settles an issue."""

    def __init__(
        self,
        hass: HomeAssistant,
        service: Service,
        freezer: FrozenDateTimeFactory,
        key: str,
    ) -> None:
        self.hass, self.service, self.freezer, self.key = hass, service, freezer, key
        self.result: RepairsFlowResult

    async def start(self) -> Repair:
        """Open it."""
        assert await async_setup_component(self.hass, "repairs", {})
        manager = repairs_flow_manager(self.hass)
        assert manager is not None
        self.manager = manager
        issue = shown(self.hass)[self.key]
        self.result = await manager.async_init(
            DOMAIN, context={"issue_id": issue.issue_id}
        )
        return self

    async def go(self, answer: dict[str, Any] | None = None) -> RepairsFlowResult:
        """Answer what is shown; return what comes next."""
        task = self.hass.async_create_task(
            self.manager.async_configure(self.result["flow_id"], answer or {})
        )
        while not task.done():
            await pass_time(self.hass, self.service, self.freezer, 0.5, step=0.25)
        self.result = await task
        self._check()
        return self.result

    def _check(self) -> None:
        """Every step and every sentence has its text."""
        texts = TEXTS[self.key]["fix_flow"]
        if self.result["type"] is FlowResultType.FORM:
            assert self.result["step_id"] in texts["step"]
            assert set((self.result["errors"] or {}).values()) <= set(texts["error"])
        if self.result["type"] is FlowResultType.ABORT:
            assert self.result["reason"] in texts["abort"]

    @property
    def repaired(self) -> bool:
        """Whether the flow has settled it."""
        return self.result["type"] is FlowResultType.CREATE_ENTRY


async def rejected(
    hass: HomeAssistant, service: Service, freezer: FrozenDateTimeFactory
) -> None:
    """Let the controller sign with a key that the account does not have."""
    service.small.faults.on("wrong_key")
    await advance(hass, service, freezer, PATIENCE["key_rejected"] - 60, step=30)
    assert not shown(hass)
    await advance(hass, service, freezer, 120, step=30)
    assert set(shown(hass)) == {"key_rejected"}


# --- The table ---


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.key)
def test_every_problem_has_its_texts(problem: Problem) -> None:
    texts = TEXTS[problem.key]
    assert "{name}" in texts["title"]
    assert ("description" in texts) is not problem.fixable
    assert ("fix_flow" in texts) is problem.fixable
    assert (problem.key in repairs._FLOWS) is problem.fixable
    assert problem.patience == (900 if problem.key == "address_lost" else 300)


def test_nothing_is_told_that_is_no_problem() -> None:
    assert set(TEXTS) == {problem.key for problem in PROBLEMS}
    told = {
        sentence
        for errors in (KEY_ERRORS, REFILL_ERRORS, ADDRESS_ERRORS)
        for sentence in errors.values()
    } | {"failed", "not_found", "controller_not_found"}
    existing = {
        key
        for texts in TEXTS.values()
        for key in texts.get("fix_flow", {}).get("error", {})
    }
    assert existing == told


def test_where_to_learn_more() -> None:
    """The addresses are those of this project, and the section exists."""
    manifest = json.loads(
        (ROOT / "custom_components/poolctl/manifest.json").read_text()
    )
    page, _, section = REQUIREMENTS_URL.partition("#")
    assert page == manifest["documentation"]
    assert f"\n## {section.capitalize()}\n" in (ROOT / "README.md").read_text()
    assert REPORT_URL.startswith(manifest["issue_tracker"])


async def test_a_healthy_pool_has_no_issues(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    await advance(hass, service, freezer, 1200, step=30)
    assert not shown(hass)


# --- Firmware ---


async def old_firmware(
    hass: HomeAssistant, service: Service, freezer: FrozenDateTimeFactory
) -> MockConfigEntry:
    """Set up a controller that does not serve the LAN yet and says so."""
    service.account.sites = service.account.sites[:1]
    await service.small.stop()
    service.small.firmware = "2.5.40"
    await service.small.start()
    stored = record(service.small, firmware=None, host=None)
    entry = service.entry(controllers={service.small.device_id: stored})
    await set_up(hass, service, entry)
    await advance(hass, service, freezer, 600, step=30)
    # It was never heard: nothing is known of its firmware.
    assert not shown(hass)
    await discover(hass, service.small)
    await settle(hass, service)
    await advance(hass, service, freezer, 360, step=30)
    return entry


async def test_firmware_too_old(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    await old_firmware(hass, service, freezer)
    issue = shown(hass)["firmware_too_old"]
    assert not issue.is_fixable
    assert issue.learn_more_url == REQUIREMENTS_URL
    assert issue.translation_placeholders == {
        "name": "Home pool",
        "firmware": "2.5.40",
        "minimum": MIN_FIRMWARE,
    }
    # Updated in the vendor's app.
    service.small.firmware = "2.5.46"
    await service.small.start()
    await discover(hass, service.small)
    await settle(hass, service)
    await advance(hass, service, freezer, 60, step=15)
    assert value(hass, "sensor", service.small, "connection") == "lan"
    assert not shown(hass)


async def test_firmware_does_not_matter_where_the_lan_works(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Whatever version it says it has."""
    service.account.sites = service.account.sites[:1]
    service.small.firmware = "2.5.40"
    entry = await set_up(hass, service, service.entry(service.small))
    await advance(hass, service, freezer, 600, step=30)
    found = entry.runtime_data.controllers[service.small.device_id]
    assert found.data.configuration.firmware == "2.5.40"
    assert not shown(hass)


async def test_firmware_does_not_matter_to_the_cloud_alone(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    entry = await old_firmware(hass, service, freezer)
    assert set(shown(hass)) == {"firmware_too_old"}
    hass.config_entries.async_update_entry(entry, options={"connection": "cloud"})
    await restart(hass, service, entry)
    await advance(hass, service, freezer, 30, step=30)
    assert not shown(hass)


# --- A frame that does not decode ---


async def test_a_frame_that_does_not_decode(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    service.small.faults.on("truncated_frame")
    await advance(hass, service, freezer, PATIENCE["frame_not_understood"], step=30)
    await advance(hass, service, freezer, 60, step=30)
    issue = shown(hass)["frame_not_understood"]
    assert set(shown(hass)) == {"frame_not_understood"}
    assert not issue.is_fixable
    assert issue.learn_more_url == REPORT_URL
    service.small.faults.clear()
    await advance(hass, service, freezer, 60, step=30)
    assert not shown(hass)


async def test_one_odd_frame_now_and_then_is_no_issue(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    for _ in range(10):
        service.small.faults.once("truncated_frame", 2)
        await advance(hass, service, freezer, 60, step=15)
        assert not shown(hass)


# --- The end of an issue ---


@pytest.mark.parametrize("how", ["controller", "entry", "disabled"])
async def test_issues_go_with_what_they_are_about(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    how: str,
) -> None:
    await rejected(hass, service, freezer)
    repair = await Repair(hass, service, freezer, "key_rejected").start()
    if how == "controller":
        service.account.sites[0].controllers = [service.full]
        await advance(hass, service, freezer, 3700, step=3700)
    elif how == "entry":
        await hass.config_entries.async_remove(small.entry_id)
    else:
        await hass.config_entries.async_set_disabled_by(
            small.entry_id, ConfigEntryDisabler.USER
        )
    await settle(hass, service)
    assert not shown(hass)
    # Somebody still has its dialog open.
    result = await repair.go()
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "gone"


async def test_an_issue_that_is_ignored_stays_so_over_a_reload(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    await rejected(hass, service, freezer)
    issue = shown(hass)["key_rejected"]
    ir.async_ignore_issue(hass, DOMAIN, issue.issue_id, True)
    await restart(hass, service, small)
    await advance(hass, service, freezer, 600, step=30)
    assert shown(hass)["key_rejected"].dismissed_version


async def test_each_controller_has_its_own(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    entry = await set_up(hass, service, service.entry(*service.controllers))
    for controller in service.controllers:
        controller.faults.on("truncated_frame")
    await advance(hass, service, freezer, 400, step=30)
    ids = {issue_id for domain, issue_id in ir.async_get(hass).issues}
    assert ids == {f"frame_not_understood_{_id(entry, c)}" for c in service.controllers}
    service.small.faults.clear()
    await advance(hass, service, freezer, 60, step=30)
    ids = {issue_id for domain, issue_id in ir.async_get(hass).issues}
    assert ids == {f"frame_not_understood_{_id(entry, service.full)}"}


def _id(entry: MockConfigEntry, controller: Controller) -> str:
    found = entry.runtime_data.controllers[controller.device_id].registered_id
    assert found
    return str(found)
