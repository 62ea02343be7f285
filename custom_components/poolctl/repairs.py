"""Repair flows: each explains an issue, acts, and shows the result."""

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property, partial

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.const import CONF_HOST, CONF_PORT
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
import probatio as vol

from .account import async_controllers
from .client import PoolctlError
from .client.pool import DOSERS, DoserKind
from .coordinator import ControllerCoordinator
from .errors import KEY_ERRORS, NOT_REACHED_ERRORS, Sentences, sentence
from .flow.forms import ADDRESS_FIELDS, UserInput, async_adopt_address
from .status.pool import held_off
from .status.situation import Situation

type _Fix = Callable[[ControllerCoordinator, Situation], Awaitable[None]]
"""Function that fixes an issue as the user saw it; raises a PoolctlError if it fails."""


class _ControllerFlow(RepairsFlow):
    """A flow about one controller."""

    @property
    def _coordinator(self) -> ControllerCoordinator | None:
        """The controller, `None` if it is gone or its account is not loaded."""
        device_id = (self.data or {}).get("device_id")
        all_of_them = async_controllers(self.hass)
        return next((c for c in all_of_them if c.registered_id == device_id), None)

    @cached_property
    def _placeholders(self) -> dict[str, str] | None:
        """The placeholders of the issue, which may be gone before the flow ends."""
        issue = ir.async_get(self.hass).async_get_issue(self.handler, self.issue_id)
        return issue.translation_placeholders if issue else None

    def _form(
        self,
        step_id: str,
        errors: dict[str, str],
        schema: vol.Schema | None = None,
    ) -> RepairsFlowResult:
        return self.async_show_form(
            step_id=step_id,
            data_schema=schema or vol.Schema({}),
            errors=errors,
            description_placeholders=self._placeholders,
        )


class _ConfirmFlow(_ControllerFlow):
    """Explains an issue, and fixes it once the user confirms."""

    def __init__(self, fix: _Fix, errors: Sentences) -> None:
        self._fix, self._errors = fix, errors
        self._shown: Situation | None = None
        """The situation that the user confirms."""

    async def async_step_init(
        self, user_input: UserInput | None = None
    ) -> RepairsFlowResult:
        return await self.async_step_confirm()

    async def async_step_confirm(
        self, user_input: UserInput | None = None
    ) -> RepairsFlowResult:
        """Explain, then act."""
        if (coordinator := self._coordinator) is None:
            return self.async_abort(reason="gone")
        if user_input is None or self._shown is None:
            self._shown = coordinator.situation()
            return self._form("confirm", {})
        try:
            await self._fix(coordinator, self._shown)
        except PoolctlError as err:
            return self._form("confirm", {"base": sentence(err, self._errors)})
        return self.async_create_entry(data={})


class _AddressFlow(_ControllerFlow):
    """Asks for another address, or searches for the controller."""

    async def async_step_init(
        self, user_input: UserInput | None = None
    ) -> RepairsFlowResult:
        """Let the user choose between the two."""
        return self.async_show_menu(
            step_id="init",
            menu_options=["address", "search"],
            description_placeholders=self._placeholders,
        )

    async def async_step_address(
        self, user_input: UserInput | None = None
    ) -> RepairsFlowResult:
        """Ask for its address and check that it answers there."""
        if (coordinator := self._coordinator) is None:
            return self.async_abort(reason="gone")
        record, errors = coordinator.record, {}
        if user_input is not None:
            errors = await async_adopt_address(coordinator.recovery, user_input)
            if not errors:
                return self.async_create_entry(data={})
        known = user_input or {CONF_HOST: record.host, CONF_PORT: record.port}
        schema = self.add_suggested_values_to_schema(vol.Schema(ADDRESS_FIELDS), known)
        return self._form("address", errors, schema)

    async def async_step_search(
        self, user_input: UserInput | None = None
    ) -> RepairsFlowResult:
        if user_input is None:
            return self._form("search", {})
        if (coordinator := self._coordinator) is None:
            return self.async_abort(reason="gone")
        await coordinator.recovery.async_search()
        await coordinator.async_refresh()
        if coordinator.controller.paths.on_lan:
            return self.async_create_entry(data={})
        return self._form("search", {"base": "not_found"})


def _refill(doser: DoserKind) -> Callable[[], RepairsFlow]:
    return partial(
        _ConfirmFlow,
        lambda coordinator, shown: coordinator.controller.dosing.refill(doser),
        NOT_REACHED_ERRORS,
    )


async def _give_back_held_off(
    coordinator: ControllerCoordinator, shown: Situation
) -> None:
    """Give back the outputs that the repair names, unless they were switched since."""
    holds = coordinator.controller.holds
    named = [hold.slot for hold in held_off(shown) if holds.of(hold.slot) == hold]
    await holds.resume_each(named)


_FLOWS: Mapping[str, Callable[[], RepairsFlow]] = {
    "key_rejected": partial(
        _ConfirmFlow,
        lambda coordinator, shown: coordinator.recovery.async_adopt_key(),
        KEY_ERRORS,
    ),
    "address_lost": _AddressFlow,
    "held_off": partial(_ConfirmFlow, _give_back_held_off, NOT_REACHED_ERRORS),
    **{f"{doser.key}_low": _refill(doser) for doser in DOSERS},
}
"""Factories of flows by the key of the problem (status/table.py)."""


async def async_create_fix_flow(
    hass: HomeAssistant,
    issue_id: str,
    data: dict[str, str | int | float | None] | None,
) -> RepairsFlow:
    """Return the flow that fixes an issue."""
    return _FLOWS[str((data or {})["problem"])]()
