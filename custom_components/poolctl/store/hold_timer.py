"""Timer of a controller's holds and pauses, and their end before control is lost."""

from collections.abc import Callable, Coroutine, Iterable
from datetime import datetime
import logging
import time
from typing import Protocol

from homeassistant.components import persistent_notification
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.translation import async_get_translations

from ..client.controller import Controller
from ..client.holds.hold import output_names
from ..const import DOMAIN
from ..warm_by.warm_by import WarmBy

_LOGGER = logging.getLogger(__name__)

_AFTER_ERROR = 60.0
"""Seconds to wait after an unexpected error, which must not become a loop."""

type _InBackground = Callable[[Coroutine[None, None, None], str], None]


class _EndsByItself(Protocol):
    """A claimant: holds, pauses or requests that end by themselves."""

    @property
    def wait(self) -> float | None:
        """Seconds until there is something to do; `None` if nothing ends by itself."""

    async def work(self) -> None:
        """Do what is due."""


class HoldTimer:
    """Wakes the holds and pauses of one controller when there is something to do."""

    def __init__(
        self,
        hass: HomeAssistant,
        claimants: Iterable[_EndsByItself],
        in_background: _InBackground,
    ) -> None:
        self._hass = hass
        self._claimants = tuple(claimants)
        self._in_background = in_background
        self._cancel: CALLBACK_TYPE | None = None
        self._working = self._stopped = self._failed = False
        self._not_before = 0.0
        """Time of the next wake-up after an unexpected error (monotonic, s)."""

    @callback
    def async_check(self) -> None:
        """Schedule the next wake-up."""
        if self._cancel is not None:
            self._cancel()
            self._cancel = None
        if self._working or self._stopped:
            return
        waits = [wait for each in self._claimants if (wait := each.wait) is not None]
        waits = [max(wait, self._not_before - time.monotonic()) for wait in waits]
        if waits and min(waits) <= 0:
            self._wake()
        elif waits:
            self._cancel = async_call_later(self._hass, min(waits), self._wake)

    @callback
    def async_stop(self) -> None:
        """Stop without releasing the holds: they are stored with their ends."""
        self._stopped = True
        self.async_check()

    @callback
    def _wake(self, now: datetime | None = None) -> None:
        self._cancel, self._working = None, True
        self._in_background(self._async_work(), "holds")

    async def _async_work(self) -> None:
        try:
            errors = [
                each for claimant in self._claimants if (each := await _work(claimant))
            ]
            if errors:
                self._not_before = time.monotonic() + _AFTER_ERROR
                if not self._failed:
                    _LOGGER.error("Unexpected error; trying again", exc_info=errors[0])
            self._failed = bool(errors)
        finally:
            self._working = False
            self.async_check()


async def _work(claimant: _EndsByItself) -> Exception | None:
    """Return an unexpected error of a claimant: it must not keep the others from work."""
    try:
        await claimant.work()
    except Exception as err:  # noqa: BLE001
        return err
    return None


async def async_leave(
    hass: HomeAssistant, controller: Controller, warm_by: WarmBy, name: str
) -> None:
    """End holds, pauses and requests; name those that remain in a notification.

    A repair cannot name them, because repairs are deleted with the entry.
    """
    if sources := await warm_by.leave():
        keys = [f"{source}_selected" for source in sources]
        values = {"name": name, "sources": await _async_switch_names(hass, keys)}
        await _async_report(hass, values, translation_key="heat_left")
    if left := await controller.holds.leave():
        outputs = output_names(left, controller.store.reported)
        values = {"name": name, "outputs": outputs}
        await _async_report(hass, values, translation_key="holds_left")
    if paused := await controller.pauses.leave():
        keys = [pause.kind.enabled_key for pause in paused]
        dosers = await _async_switch_names(hass, keys)
        values = {"name": name, "dosers": dosers}
        await _async_report(hass, values, translation_key="pauses_left")


async def _async_switch_names(hass: HomeAssistant, keys: Iterable[str]) -> str:
    language = hass.config.language
    texts = await async_get_translations(hass, language, "entity", [DOMAIN])
    start = f"component.{DOMAIN}.entity.switch"
    return ", ".join(texts[f"{start}.{key}.name"] for key in keys)


async def _async_report(
    hass: HomeAssistant, values: dict[str, str], *, translation_key: str
) -> None:
    language = hass.config.language
    texts = await async_get_translations(hass, language, "exceptions", [DOMAIN])
    text = texts[f"component.{DOMAIN}.exceptions.{translation_key}.message"]
    persistent_notification.async_create(
        hass, text.format_map(values), title=values["name"]
    )
