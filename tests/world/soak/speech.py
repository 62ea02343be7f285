"""The dialects of the cloud and the controllers in the course of a run."""

from typing import Final

from tests.world.simulator import Controller
from tests.world.simulator.cloud_dialects import CloudDialect
from tests.world.simulator.dialects import AHEAD, Dialect

from .draws import CLOUD, FULL, SMALL, Draw, draws
from .engine import MINUTE
from .week import CLOUD as CLOUD_PLACE, Week

_OTHERS: Final = 20 * MINUTE
"""Mean seconds between two commands of another client, whose clock may be ahead."""


class Speech:
    """Dialects as drawn for one seed; `heard` are those that were spoken."""

    def __init__(self, week: Week, seconds: float) -> None:
        """Draw all dialects, and apply the first ones."""
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
        """Return lines on the dialects that were spoken."""
        there_is = {*Dialect, *CloudDialect}
        lines = [f"{len(self.heard)} of {len(there_is)} dialects were spoken:"]
        for who, drawn in self.drawn.items():
            lines += [f"  {who}, {draw}" for draw in drawn[: self._next[who]]]
        return lines

    async def releases(self) -> None:
        """Change the dialects of the cloud, which must have no effect."""
        while (draw := await self._wait(CLOUD)) is not None:
            self._speak_cloud(draw)
            if CloudDialect.C13_REDIRECT in draw.dialects:
                await self._redirected()

    async def _redirected(self) -> None:
        """Redirect renewals of tokens for a while."""
        week = self.week
        with week.trouble(CLOUD_PLACE, "token endpoint moved"):
            week.cloud.expire_tokens()
            await week.sleep(week.length())
            week.cloud.dialects.discard(CloudDialect.C13_REDIRECT)

    async def updates(self, controller: Controller) -> None:
        """Update the firmware of a controller: it restarts with other dialects."""
        who = self.names[controller.device_id]
        while (draw := await self._wait(who)) is not None:
            with self.week.trouble(controller.device_id, "firmware update"):
                self._speak(controller, draw)
                self.week.restart(controller)
                await self.week.sleep(MINUTE)

    async def others(self, controller: Controller) -> None:
        """Let another client send commands, which must cause no trouble."""
        while await self.week.pause(_OTHERS):
            for dialect, seconds in AHEAD.items():
                if dialect in controller.dialects:
                    controller.sign_elsewhere(seconds)

    def calm(self) -> None:
        """End the dialects whose effects no command can undo; keep all others."""
        for controller in self.week.controllers:
            controller.dialects -= {
                Dialect.COUNTER_AHEAD_1_DAY,
                Dialect.PUMP_AUX_DECLINED,
            }
            now = int(controller.clock.time())
            controller.accepted_counter = min(controller.accepted_counter, now)

    async def _wait(self, who: str) -> Draw | None:
        """Wait for the next draw of the cloud or a controller, `None` at the end."""
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
