"""Waking the holds of one controller, and releasing them before the means is lost."""

from collections.abc import Callable, Coroutine, Iterable
from datetime import datetime

from homeassistant.components import persistent_notification
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.translation import async_get_translations

from ..client.holds.hold import Hold
from ..client.holds.owner import Holds
from ..client.pool.state import PoolState
from ..const import DOMAIN

type _InBackground = Callable[[Coroutine[None, None, None], str], None]


class HoldTimer:
    """Wakes the holds of one controller when there is something to do."""

    def __init__(
        self, hass: HomeAssistant, holds: Holds, in_background: _InBackground
    ) -> None:
        """Prepare; nothing is due yet."""
        self._hass = hass
        self._holds = holds
        self._in_background = in_background
        self._cancel: CALLBACK_TYPE | None = None
        self._working = self._stopped = False

    @callback
    def async_check(self) -> None:
        """Wait until there is something to do."""
        if self._cancel is not None:
            self._cancel()
            self._cancel = None
        if self._working or self._stopped or (wait := self._holds.wait) is None:
            return
        if wait <= 0:
            self._wake()
        else:
            self._cancel = async_call_later(self._hass, wait, self._wake)

    @callback
    def async_stop(self) -> None:
        """Leave the holds as they are: what is stored of them has their ends."""
        self._stopped = True
        self.async_check()

    @callback
    def _wake(self, now: datetime | None = None) -> None:
        self._cancel, self._working = None, True
        self._in_background(self._async_work(), "holds")

    async def _async_work(self) -> None:
        try:
            await self._holds.work()
        finally:
            self._working = False
            self.async_check()


def output_names(holds: Iterable[Hold], state: PoolState) -> str:
    """Return the names of held outputs, as their owner named them."""
    names = (
        (slot.name if (slot := state.outputs.slot(hold.slot)) else "")
        or f"#{hold.slot + 1}"
        for hold in holds
    )
    return ", ".join(names)


async def async_report_left(hass: HomeAssistant, name: str, outputs: str) -> None:
    """Tell a person which outputs stay held, where no repair can: the entry goes away."""
    text = await _async_text(hass, translation_key="holds_left")
    message = text.format(name=name, outputs=outputs)
    persistent_notification.async_create(hass, message, title=name)


async def _async_text(hass: HomeAssistant, translation_key: str) -> str:
    texts = await async_get_translations(
        hass, hass.config.language, "exceptions", [DOMAIN]
    )
    return texts[f"component.{DOMAIN}.exceptions.{translation_key}.message"]
