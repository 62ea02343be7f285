"""Giving back by itself what a person switched by hand, when its time is over.

The client knows what is over (client/control/holds.py); here is who looks at the clock. It
is given back at its end, and where nobody answers then, as soon as the controller does.
"""

from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
import logging
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later

from ..client.control.controller import Controller
from ..client.exceptions import BusyError, PoolctlError, UnreachableError
from ..client.pool.state import PoolState

_LOGGER = logging.getLogger(__name__)

_FIRST_WAIT: Final = timedelta(minutes=1)
"""Until it is tried again, each time twice as long: a controller that declines may have a
reason that goes away."""
_LONGEST_WAIT: Final = timedelta(minutes=15)

type _InBackground = Callable[[Coroutine[None, None, None], str], None]


class HoldKeeper:
    """Looks at the clock for the holds of one controller."""

    def __init__(
        self,
        hass: HomeAssistant,
        controller: Controller,
        in_background: _InBackground,
    ) -> None:
        """Follow the reads of a controller."""
        self._hass = hass
        self._clock = controller.clock
        self._holds = controller.holds
        self._in_background = in_background
        self._timer: CALLBACK_TYPE | None = None
        self._running = False
        self._stopped = False
        self._wait = _FIRST_WAIT
        self._again: datetime | None = None
        """Not to be tried before, after it failed."""
        self._unheard = False
        """Whether it failed because nobody answered: an answer makes it worth a try."""
        controller.store.add_read_listener(self._read)

    @callback
    def async_check(self) -> None:
        """Give back what is over, and have the clock looked at for what is next."""
        self._set(None)
        if self._running or self._stopped:
            return
        now = self._clock.now()
        if not self._holds.due:
            self._wait, self._again = _FIRST_WAIT, None
            self._set(self._holds.next_end)
        elif self._again is not None and now < self._again:
            self._set(self._again)
        else:
            self._running = True
            self._in_background(self._async_give_back(), "holds")

    @callback
    def async_stop(self) -> None:
        """Leave them as they are: what is kept of them tells when they end."""
        self._stopped = True
        self._set(None)

    @callback
    def _read(self, state: PoolState, at: float) -> None:
        if self._unheard:
            self._again, self._unheard = None, False
        self.async_check()

    async def _async_give_back(self) -> None:
        try:
            await self._holds.give_back()
        except PoolctlError as err:
            _LOGGER.debug("A hold is not given back yet: %s", err)
            self._unheard = isinstance(err, UnreachableError | BusyError)
            self._again = self._clock.now() + self._wait
            self._wait = min(2 * self._wait, _LONGEST_WAIT)
        finally:
            self._running = False
            self.async_check()

    @callback
    def _set(self, at: datetime | None) -> None:
        """Look at the clock again at some time, `None` for never."""
        if self._timer is not None:
            self._timer()
            self._timer = None
        if at is not None:
            # By the trusted time: the wall clock may have jumped.
            wait = at - self._clock.now()
            self._timer = async_call_later(self._hass, wait, self._due)

    @callback
    def _due(self, now: datetime) -> None:
        self._timer = None
        self.async_check()
