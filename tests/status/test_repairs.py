"""Repair issues: when they appear and disappear, and how a user resolves them."""

from datetime import UTC, datetime, timedelta
import json
from pathlib import Path
import time
from typing import Any

from homeassistant.components.repairs import RepairsFlowResult, repairs_flow_manager
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.const import Platform
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl import repairs
from custom_components.poolctl.application_credentials import CONF_REFRESH_SINCE
from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.errors import (
    ADDRESS_ERRORS,
    KEY_ERRORS,
    NOT_REACHED_ERRORS,
)
from custom_components.poolctl.status.account import ACCOUNT_PROBLEMS
from custom_components.poolctl.status.rows import Problem
from custom_components.poolctl.status.table import PROBLEMS
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

pytestmark = pytest.mark.usefixtures("freezer")
few_platforms = only(Platform.SENSOR)

DAY = 24 * 60 * 60
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
    def __init__(self, home: Home, key: str) -> None:
        self.home, self.key = home, key
        self.result: RepairsFlowResult

    async def start(self) -> Repair:
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
        return self.result["type"] is FlowResultType.CREATE_ENTRY


async def rejected(home: Home) -> None:
    """Let the controller sign with a key that the account does not have."""
    home.controller.faults.on("wrong_key")
    await home.advance(PATIENCE["key_rejected"] - 60, step=30)
    assert not shown(home)
    await home.advance(120, step=30)
    assert set(shown(home)) == {"key_rejected"}


# --- The table ---

UNREAD = ("store_unread",)


@pytest.mark.parametrize("key", REPAIRS)
def test_every_repair_has_its_texts(key: str) -> None:
    texts, fixable = TEXTS[key], REPAIRS[key].fixable
    assert "{name" in texts["title"] + texts.get("description", "")
    assert ("description" in texts) is not fixable
    assert ("fix_flow" in texts) is fixable
    assert (key in repairs._FLOWS) is fixable
    grave = key in {"key_rejected", "clock_wrong", "controllers_left_out", *UNREAD}
    assert (REPAIRS[key].severity is ir.IssueSeverity.ERROR) is grave


def test_every_text_has_its_repair() -> None:
    assert set(TEXTS) == set(REPAIRS)
    errors = {"failed", "not_found", "controller_not_found"}.union(
        *(each.values() for each in (KEY_ERRORS, NOT_REACHED_ERRORS, ADDRESS_ERRORS))
    )
    flows = [texts.get("fix_flow", {}) for texts in TEXTS.values()]
    assert {key for flow in flows for key in flow.get("error", {})} == errors


# --- What is reported ---


def renew(home: Home, days_ago: float) -> None:
    token = home.entry.data["token"] | {
        CONF_REFRESH_SINCE: time.time() - days_ago * DAY
    }
    home.hass.config_entries.async_update_entry(
        home.entry, data={**home.entry.data, "token": token}
    )


async def test_a_sign_in_that_ends(small: Home) -> None:
    """The issue appears a week before (protocol.md C3)."""
    renew(small, 22.9)
    end = datetime.fromtimestamp(time.time(), UTC) + timedelta(days=7.1)
    await small.advance(600)
    assert not shown(small)
    await small.advance(0.2 * DAY)
    issue = shown(small)["sign_in_ends"]
    assert issue.issue_id == f"sign_in_ends_{small.entry.entry_id}"
    assert not issue.is_fixable
    assert issue.translation_placeholders == {
        "name": "Home",
        "date": dt_util.as_local(end).date().isoformat(),
    }
    # Signed in again; and once it has ended, Home Assistant itself asks.
    for days_ago in (0, 31):
        renew(small, days_ago)
        await small.advance(600)
        assert "sign_in_ends" not in shown(small)


# --- The end of an issue ---


@pytest.mark.parametrize("how", ["controller", "entry", "disabled"])
async def test_issues_go_with_what_they_are_about(small: Home, how: str) -> None:
    await rejected(small)
    renew(small, 25)
    await small.advance(600)
    assert set(shown(small)) == {"key_rejected", "sign_in_ends"}
    controller = small.entry.runtime_data.controllers[small.controller.device_id]
    repair = await Repair(small, "key_rejected").start()
    entries, entry_id = small.hass.config_entries, small.entry.entry_id
    if how == "controller":
        small.account.sites[0].controllers = [small.service.full]
        await small.advance(7400, step=3700)
    elif how == "entry":
        await entries.async_remove(entry_id)
    else:
        await entries.async_set_disabled_by(entry_id, ConfigEntryDisabler.USER)
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
    """It ends by itself as soon as a frame verifies."""
    await home.set_up(*home.service.controllers)
    for controller in home.service.controllers:
        controller.faults.on("bad_tag")
    await home.advance(600, step=30)
    left = {
        (DOMAIN, f"key_rejected_{home.device(controller).id}"): controller
        for controller in home.service.controllers
    }
    while left:
        assert ir.async_get(home.hass).issues.keys() == left.keys()
        left.popitem()[1].faults.clear()
        await home.advance(60, step=30)
