"""What is shown of a controller besides what it reports."""

from ..client.control.controller import Controller
from ..learned.learned import Learned
from ..warm_by.owner import WarmBy


class Besides:
    """Choices, holds and what was learned, as they were published last."""

    def __init__(
        self, controller: Controller, learned: Learned, warm_by: WarmBy
    ) -> None:
        """Begin with nothing published."""
        self._controller, self._learned = controller, learned
        self._warm_by = warm_by
        self._chosen: tuple[object, ...] = ()
        self._revision = 0
        self.shown: tuple[object, ...] = ()
        """What is shown besides figures: the same object for as long as it is equal."""

    def renew(self) -> bool:
        """Take it over as it is now; return whether anything changed."""
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

    def look(self, *others: object) -> None:
        """Compare what is shown besides figures: choices, holds and others."""
        if (shown := (self._chosen, *others)) != self.shown:
            self.shown = shown
