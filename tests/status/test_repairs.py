"""Repair issues: when they appear and disappear, and how a user resolves them."""

import json
from pathlib import Path
from typing import Any

from homeassistant.components.repairs import RepairsFlowResult, repairs_flow_manager
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl import repairs
from custom_components.poolctl.const import DOMAIN, MIN_FIRMWARE
from custom_components.poolctl.errors import (
    ADDRESS_ERRORS,
    KEY_ERRORS,
    NOT_REACHED_ERRORS,
)
from custom_components.poolctl.status.account import ACCOUNT_PROBLEMS
from custom_components.poolctl.status.connection import REPORT_URL, REQUIREMENTS_URL
from custom_components.poolctl.status.rows import Problem
from custom_components.poolctl.status.table import PROBLEMS
from tests.flow.test_config_flow import discover
from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("freezer")

ROWS: tuple[Problem[Any], ...] = (*PROBLEMS, *ACCOUNT_PROBLEMS)
REPAIRS = {row.key: row.repair for row in ROWS if row.repair}
PATIENCE = {key: repair.patience for key, repair in REPAIRS.items()}
ROOT = Path(__file__).parents[2]
TEXTS = json.loads(
    (ROOT / "custom_components/poolctl/translations/en.json").read_text()
)["issues"]


def shown(home: Home) -> dict[str, ir.IssueEntry]:
    """Return the active issues by translation key."""
    return {
        str(issue.translation_key): issue
        for (domain, _), issue in ir.async_get(home.hass).issues.items()
        if domain == DOMAIN and issue.active
    }


class Repair:
    """A user who goes through the repair flow of an issue."""

    def __init__(self, home: Home, key: str) -> None:
        self.home, self.key = home, key
        self.result: RepairsFlowResult

    async def start(self) -> Repair:
        """Open the repair flow."""
        assert await async_setup_component(self.home.hass, "repairs", {})
        manager = repairs_flow_manager(self.home.hass)
        assert manager is not None
        self.manager = manager
        issue = shown(self.home)[self.key]
        self.result = await manager.async_init(
            DOMAIN, context={"issue_id": issue.issue_id}
        )
        return self

    async def go(self, answer: dict[str, Any] | None = None) -> RepairsFlowResult:
        """Answer the current step and return the next one."""
        task = self.home.hass.async_create_task(
            self.manager.async_configure(self.result["flow_id"], answer or {})
        )
        while not task.done():
            await self.home.pass_time(0.5, step=0.25)
        self.result = await task
        self._check()
        return self.result

    def _check(self) -> None:
        """Check that the step, its errors or the abort reason have a text."""
        texts = TEXTS[self.key]["fix_flow"]
        if self.result["type"] is FlowResultType.FORM:
            assert self.result["step_id"] in texts["step"]
            assert set((self.result["errors"] or {}).values()) <= set(texts["error"])
        if self.result["type"] is FlowResultType.ABORT:
            assert self.result["reason"] in texts["abort"]

    @property
    def repaired(self) -> bool:
        """Whether the flow has resolved the issue."""
        return self.result["type"] is FlowResultType.CREATE_ENTRY


async def rejected(home: Home) -> None:
    """Let the controller sign with a key that the account does not have."""
    home.controller.faults.on("wrong_key")
    await home.advance(PATIENCE["key_rejected"] - 60, step=30)
    assert not shown(home)
    await home.advance(120, step=30)
    assert set(shown(home)) == {"key_rejected"}


# --- The table ---


@pytest.mark.parametrize("key", REPAIRS)
def test_every_repair_has_its_texts(key: str) -> None:
    texts, fixable = TEXTS[key], REPAIRS[key].fixable
    assert "{name" in texts["title"] + texts.get("description", "")
    assert ("description" in texts) is not fixable
    assert ("fix_flow" in texts) is fixable
    assert (key in repairs._FLOWS) is fixable
    grave = key in {"key_rejected", "clock_wrong", "controllers_left_out"}
    assert (REPAIRS[key].severity is ir.IssueSeverity.ERROR) is grave
    others = {"address_lost": 900, "clock_ahead": 600, "clock_wrong": 600}
    others |= {"no_key": 600, "service_silent": 86400}
    # These describe something that has lasted long already: no delay.
    long = (
        "held_off",
        "hold_overdue",
        "dosing_paused_too_long",
        "heat_overdue",
        "sign_in_ends",
        "controllers_left_out",
        "controllers_shared",
    )
    others |= dict.fromkeys(long, 0)
    assert PATIENCE[key] == others.get(key, 300)


def test_nothing_is_reported_that_is_not_a_problem() -> None:
    assert set(TEXTS) == set(REPAIRS)
    told = {
        sentence
        for errors in (KEY_ERRORS, NOT_REACHED_ERRORS, ADDRESS_ERRORS)
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
    assert (
        f"\n## {section.capitalize().replace('-', ' ')}\n"
        in (ROOT / "README.md").read_text()
    )
    assert REPORT_URL.startswith(manifest["issue_tracker"])


# --- Firmware ---


async def old_firmware(home: Home) -> MockConfigEntry:
    """Set up a controller that announces a firmware without LAN control."""
    home.own(home.service.small)
    await home.controller.stop()
    home.controller.firmware = "2.5.40"
    await home.controller.start()
    entry = await home.set_up_with(firmware=None, host=None)
    await home.advance(600, step=30)
    # It has not been announced yet, so its firmware is not known.
    assert not shown(home)
    await discover(home, home.controller)
    await home.settle()
    await home.advance(360, step=30)
    return entry


async def test_firmware_too_old(home: Home) -> None:
    await old_firmware(home)
    issue = shown(home)["firmware_too_old"]
    assert not issue.is_fixable
    assert issue.learn_more_url == REQUIREMENTS_URL
    assert issue.translation_placeholders == {
        "name": "Home pool",
        "firmware": "2.5.40",
        "minimum": MIN_FIRMWARE,
    }
    # Updated in the vendor's app.
    home.controller.firmware = "2.5.46"
    await home.controller.start()
    await discover(home, home.controller)
    await home.settle()
    await home.advance(60, step=15)
    assert home.source == "lan"
    assert not shown(home)


# --- A frame that does not decode ---


async def test_a_frame_that_does_not_decode(
    small: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged once and raises no issue, because the user cannot fix it."""
    small.controller.faults.on("truncated_frame")
    await small.advance(600, step=30)
    assert not shown(small)
    assert caplog.text.count("a form that is not understood") == 1


# --- The end of an issue ---


@pytest.mark.parametrize("how", ["controller", "entry", "disabled"])
async def test_issues_go_with_what_they_are_about(small: Home, how: str) -> None:
    await rejected(small)
    controller = small.entry.runtime_data.controllers[small.controller.device_id]
    repair = await Repair(small, "key_rejected").start()
    if how == "controller":
        small.account.sites[0].controllers = [small.service.full]
        await small.advance(7400, step=3700)
    elif how == "entry":
        await small.hass.config_entries.async_remove(small.entry.entry_id)
    else:
        await small.hass.config_entries.async_set_disabled_by(
            small.entry.entry_id, ConfigEntryDisabler.USER
        )
    await small.settle()
    # A poll that was under way checks the problems once more.
    controller.problems.async_test(controller.situation())
    assert not shown(small)
    # The repair dialog is still open.
    result = await repair.go()
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "gone"


async def test_an_issue_that_is_ignored_stays_so_over_a_reload(small: Home) -> None:
    await rejected(small)
    issue = shown(small)["key_rejected"]
    ir.async_ignore_issue(small.hass, DOMAIN, issue.issue_id, True)
    await small.restart()
    await small.advance(600, step=30)
    assert shown(small)["key_rejected"].dismissed_version


async def test_each_controller_has_its_own(home: Home) -> None:
    await home.set_up(*home.service.controllers)
    for controller in home.service.controllers:
        controller.faults.on("bad_tag")

    def issues() -> set[str]:
        return {issue_id for domain, issue_id in ir.async_get(home.hass).issues}

    await home.advance(600, step=30)
    small, full = (
        f"key_rejected_{home.device(controller).id}"
        for controller in home.service.controllers
    )
    assert issues() == {small, full}
    home.controller.faults.clear()
    await home.advance(60, step=30)
    assert issues() == {full}
