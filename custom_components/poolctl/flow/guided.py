"""The dialog of the guided check: consent, reading, one change at a time, a report."""

from collections.abc import Iterator
from typing import Final

from homeassistant.config_entries import ConfigFlowResult, OptionsFlow
from homeassistant.const import CONF_DEVICE_ID
from homeassistant.data_entry_flow import AbortFlow
from homeassistant.helpers.selector import (
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectSelector,
    SelectSelectorConfig,
)
import probatio as vol

from ..account import AccountCoordinator
from ..guided.changes import Change
from ..guided.check import GuidedCheck, Outcome, Result
from ..guided.compare import VALUES, values
from ..guided.report import async_issue_url, async_lines
from .forms import UserInput, choice

_NUMBER: Final = NumberSelector(
    NumberSelectorConfig(step="any", mode=NumberSelectorMode.BOX)
)
_NOTHING: Final = "-"


class GuidedSteps(OptionsFlow):
    """Steps of the guided check; closing the dialog at any point undoes the change."""

    _check: GuidedCheck | None = None
    _change: Change | None = None
    """The change that is offered or being made."""

    @property
    def _account(self) -> AccountCoordinator:
        """The account; ends the dialog if it is not loaded."""
        account: AccountCoordinator | None = getattr(
            self.config_entry, "runtime_data", None
        )
        if account is None or not account.guided:
            raise AbortFlow("not_loaded")
        return account

    @property
    def _running(self) -> GuidedCheck:
        """The check of the chosen controller; ends the dialog if it was removed."""
        if self._check not in self._account.guided.values() or self._check is None:
            raise AbortFlow("not_loaded")
        return self._check

    async def async_step_guided_check(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Ask for consent and for the controller to check."""
        guided = self._account.guided
        if user_input is not None:
            chosen = user_input.get(CONF_DEVICE_ID, next(iter(guided)))
            self._check = guided.get(chosen)
            self._running.begin()
            return await self.async_step_guided_reading()
        records = {key: each.coordinator.record for key, each in guided.items()}
        choices = [
            choice(key, record.title, record.host) for key, record in records.items()
        ]
        field = SelectSelector(SelectSelectorConfig(options=choices))
        schema = {vol.Required(CONF_DEVICE_ID): field} if len(records) > 1 else {}
        return self.async_show_form(
            step_id="guided_check", data_schema=vol.Schema(schema)
        )

    async def async_step_guided_reading(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Show the progress while everything is read once."""
        if (task := self.async_get_progress_task()) is None:
            task = self.hass.async_create_task(self._running.async_read())
        if task.done():
            return self.async_show_progress_done(next_step_id="guided_compare")
        return self.async_show_progress(
            step_id="guided_reading",
            progress_action="guided_reading",
            progress_task=task,
        )

    async def async_step_guided_compare(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Show the values read, and ask for those that the vendor's app shows."""
        check = self._running
        if user_input is not None:
            check.anchors = {
                key: int(value) if float(value).is_integer() else float(value)
                for key, value in user_input.items()
            }
            return await self.async_step_guided_step()
        found = values(check.coordinator.data)
        return self.async_show_form(
            step_id="guided_compare",
            data_schema=vol.Schema({vol.Optional(key): _NUMBER for key in found}),
            description_placeholders={
                key: f"{found[key]:g}" if key in found else _NOTHING for key in VALUES
            },
        )

    async def async_step_guided_step(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Offer the next change."""
        self._change = change = next(self._left(), None)
        if change is None:
            return await self.async_step_guided_end()
        lines = await async_lines(self.hass, self._running)
        return self.async_show_menu(
            step_id="guided_step",
            menu_options=[f"guided_{change.key}", "guided_skip", "guided_end"],
            description_placeholders={
                "what": change.what,
                "old": change.old,
                "new": change.new,
                "last": lines[-1] if lines else _NOTHING,
            },
        )

    def _left(self) -> Iterator[Change]:
        results = self._running.results
        return (each for each in self._running.offers() if each.key not in results)

    async def async_step_guided_skip(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Skip the offered change."""
        if self._change is not None:
            self._running.results[self._change.key] = Result(Outcome.SKIPPED)
        return await self.async_step_guided_step()

    async def async_step_guided_change(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Make the change that the user allowed, unless it differs by now."""
        if (task := self.async_get_progress_task()) is None:
            allowed, now = self._change, next(self._left(), None)
            if allowed is None or now is None or not now.same_as(allowed):
                return await self.async_step_guided_step()
            task = self.hass.async_create_task(self._running.async_run(now))
        if task.done():
            return self.async_show_progress_done(next_step_id="guided_step")
        return self.async_show_progress(
            step_id="guided_change",
            progress_action="guided_change",
            progress_task=task,
        )

    async_step_guided_light = async_step_guided_speed = async_step_guided_change
    async_step_guided_schedule = async_step_guided_setpoint = async_step_guided_change

    async def async_step_guided_end(
        self, user_input: UserInput | None = None
    ) -> ConfigFlowResult:
        """Show the results, and how to send them."""
        if user_input is not None:
            return self.async_create_entry(data=dict(self.config_entry.options))
        check, account = self._running, self._account
        lines = await async_lines(self.hass, check)
        return self.async_show_form(
            step_id="guided_end",
            data_schema=vol.Schema({}),
            description_placeholders={
                "results": "\n".join(f"- {line}" for line in lines) or _NOTHING,
                "url": await async_issue_url(self.hass, check, account.observers),
            },
        )
