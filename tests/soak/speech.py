"""How the cloud and the controllers speak in the course of a run."""

from typing import Final

from tests.simulator import Controller
from tests.simulator.cloud_dialects import CloudDialect
from tests.simulator.dialects import AHEAD, Dialect

from .draws import CLOUD, FULL, SMALL, Draw, draws
from .week import CLOUD as CLOUD_PLACE, MINUTE, Week

_OTHERS: Final = 20 * MINUTE
"""s between two commands of somebody else's app, whose clock may be ahead."""


class Speech:
    """Dialects as drawn for one seed; `heard` are those that came to be spoken."""

    def __init__(self, week: Week, seconds: float) -> None:
        """Draw them all; the first ones are spoken already."""
        self.week = week
        self.names = dict(
            zip((c.device_id for c in week.controllers), (SMALL, FULL), strict=True)
        )
        self.drawn = {
            who: draws(week.seed, who, seconds) for who in (CLOUD, *self.names.values())
        }
        self.heard: set[str] = set()
        self._next = dict.fromkeys(self.drawn, 0)
        self._speak_cloud(self._take(CLOUD))
        for controller in week.controllers:
            self._speak(controller, self._take(self.names[controller.device_id]))

    def report(self) -> list[str]:
        """Say what was drawn, and how much of it there is."""
        there_is = {*Dialect, *CloudDialect}
        lines = [f"{len(self.heard)} of {len(there_is)} dialects were spoken:"]
        for who, drawn in self.drawn.items():
            lines += [f"  {who}, {draw}" for draw in drawn[: self._next[who]]]
        return lines

    async def releases(self) -> None:
        """Let the cloud change how it speaks: nobody may notice."""
        while (draw := await self._wait(CLOUD)) is not None:
            self._speak_cloud(draw)
            if CloudDialect.C13_REDIRECT in draw.dialects:
                await self._redirected()

    async def _redirected(self) -> None:
        """Send those who renew a token elsewhere, for a while."""
        week = self.week
        with week.trouble(CLOUD_PLACE, "token endpoint moved"):
            week.cloud.expire_tokens()
            await week.sleep(week.length())
            week.cloud.dialects.discard(CloudDialect.C13_REDIRECT)

    async def updates(self, controller: Controller) -> None:
        """Update the firmware of a controller, which restarts."""
        who = self.names[controller.device_id]
        while (draw := await self._wait(who)) is not None:
            with self.week.trouble(controller.device_id, "firmware update"):
                self._speak(controller, draw)
                controller.restart()
                await self.week.sleep(MINUTE)

    async def others(self, controller: Controller) -> None:
        """Let somebody else's app send commands, too: no trouble for us."""
        while await self.week.pause(_OTHERS):
            for dialect, seconds in AHEAD.items():
                if dialect in controller.dialects:
                    controller.sign_elsewhere(seconds)

    def calm(self) -> None:
        """End what cannot be put right by hand; the rest stays as it is."""
        for controller in self.week.controllers:
            controller.dialects -= {
                Dialect.COUNTER_AHEAD_1_DAY,
                Dialect.PUMP_AUX_DECLINED,
            }
            now = int(controller.clock.time())
            controller.accepted_counter = min(controller.accepted_counter, now)

    async def _wait(self, who: str) -> Draw | None:
        """Wait for the next draw of somebody; `None` where none comes in time."""
        if self._next[who] >= len(self.drawn[who]):
            return None
        came = await self.week.until(self.drawn[who][self._next[who]].at)
        return self._take(who) if came else None

    def _take(self, who: str) -> Draw:
        self._next[who] += 1
        draw = self.drawn[who][self._next[who] - 1]
        self.heard |= draw.dialects
        return draw

    def _speak(self, controller: Controller, draw: Draw) -> None:
        controller.dialects.clear()
        controller.dialects |= draw.dialects

    def _speak_cloud(self, draw: Draw) -> None:
        cloud = self.week.cloud
        cloud.told_once.clear()
        cloud.dialects = {CloudDialect(name) for name in draw.dialects}
