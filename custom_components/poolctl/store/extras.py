"""Values that are shown for a controller in addition to its reported state."""

from ..client.control.controller import Controller
from ..learned.learned import Learned
from ..warm_by.warm_by import WarmBy


class Extras:
    """Choices, holds and learned values, as they were last published."""

    def __init__(
        self, controller: Controller, learned: Learned, warm_by: WarmBy
    ) -> None:
        """Begin with nothing published."""
        self._controller, self._learned = controller, learned
        self._warm_by = warm_by
        self._chosen: tuple[object, ...] = ()
        self._revision = 0
        self.shown: tuple[object, ...] = ()
        """Shown values except figures: the same object for as long as it is equal."""

    def renew(self) -> bool:
        """Take over the current values; return whether anything changed."""
        controller, warm_by = self._controller, self._warm_by
        previous = self._chosen, self._revision
        self._revision = self._learned.revision
        self._chosen = (
            controller.queries.names_due,
            controller.store.choices,
            controller.holds.shown,
            controller.holds.stages,
            controller.holds.stopped_by_spa,
            controller.pauses.shown,
            warm_by.shown,
            warm_by.drafts,
            controller.controller_clock.shift,
        )
        return previous != (self._chosen, self._revision)

    def compare(self, *others: object) -> None:
        """Replace `shown` if choices, holds or the other values changed."""
        if (shown := (self._chosen, *others)) != self.shown:
            self.shown = shown
