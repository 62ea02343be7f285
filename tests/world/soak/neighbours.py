"""Hostile neighbours of the two pools and their false announcements."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from homeassistant.config_entries import SOURCE_ZEROCONF

from custom_components.poolctl.const import DOMAIN
from tests.world.simulator import Controller
from tests.world.simulator.visitors import (
    Announcement,
    Replayer,
    crowd,
    lure,
    under_another_mac,
)

from .engine import HOUR, MINUTE
from .week import Week

ROWS: Final = ("H1", "H2", "H3", "H4")
"""Rows of protocol.md: a replay, another MAC address, a crowd, many addresses."""
VISITS: Final = 2 * HOUR
"""Mean seconds between two visits to a controller."""
MOST_CARDS: Final = 20
"""Largest number of discoveries that a user may be shown at once."""
CROWD: Final = 60
LIAR, NOWHERE = "127.0.0.77", "127.0.0.78"


class Neighbours:
    """Neighbours whose announcements must not change any stored data."""

    def __init__(self, week: Week) -> None:
        self.week = week
        self.replayer = Replayer(LIAR)

    async def announce(self, controller: Controller) -> None:
        """Announce something false about a controller every now and then."""
        while await self.week.pause(VISITS):
            kind = self.week.random.choice(ROWS)
            self.week.counts[f"visitor {kind}"] += 1
            before = self.replayer.connections
            for lie in self._lies(kind, controller):
                await self.week.hear(lie)
            await asyncio.sleep(5 * MINUTE)
            self._judge(kind, self.replayer.connections - before)

    def _lies(self, kind: str, controller: Controller) -> Iterable[Announcement]:
        """Return the false announcements of a row."""
        self.replayer.envelopes.clear()
        self.replayer.listen_to(controller, self.week.random.randint(1, 3))
        replayed = self.replayer.announces(controller)
        if kind == "H1":
            return [replayed]
        if kind == "H2":
            # Nothing proves which one the controller at the true address has: with an
            # invented one there, its name would not be found until it announces itself.
            other = next(
                each for each in self.week.controllers if each is not controller
            )
            invented = under_another_mac(controller, "0e0000000001")
            return [
                under_another_mac(controller, other.mac),
                replace(invented, host=NOWHERE),
            ]
        if kind == "H3":
            return crowd(CROWD)
        nowhere = (replace(lie, host=NOWHERE) for lie in lure(controller, range(1, 20)))
        return [*nowhere, replayed]

    def _judge(self, kind: str, connections: int) -> None:
        """Check that no false data is stored, and that few connections were made."""
        week, records = self.week, self.week.entry.data["controllers"]
        if set(records) != {each.device_id for each in week.controllers}:
            week.note(f"{kind}: other controllers are stored")
        for each in week.controllers:
            stored = records[each.device_id]
            if stored["host"] == LIAR or stored["port"] != each.port:
                week.note(f"{kind}: {stored['host']}:{stored['port']} is stored")
            if stored["mac"].replace(":", "") not in (each.mac, each.announced_mac):
                week.note(f"{kind}: the MAC address of {each.name} is another one")
        # One attempt a minute, of up to four requests: two frames, each tried twice.
        if connections > 4 * 6 * len(week.controllers):
            week.note(f"{kind}: {connections} connections to a liar in five minutes")
        self._look_at_cards(kind)

    def _look_at_cards(self, kind: str) -> None:
        """Check the discoveries that a user is shown, and ignore them."""
        flows = self.week.hass.config_entries.flow
        cards = [
            flow
            for flow in flows.async_progress_by_handler(DOMAIN)
            if flow["context"]["source"] == SOURCE_ZEROCONF
        ]
        if len(cards) > MOST_CARDS:
            self.week.note(f"{kind}: {len(cards)} cards")
        known = {each.announced_mac for each in self.week.controllers}
        for card in cards:
            if str(card["context"].get("unique_id")).replace(":", "") in known:
                self.week.note(f"{kind}: a card of a controller that is known")
            flows.async_abort(card["flow_id"])
