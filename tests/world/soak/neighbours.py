"""Hostile neighbours of the two pools and their false announcements (rows H1 to H4)."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from homeassistant.config_entries import SOURCE_ZEROCONF
from homeassistant.core import HomeAssistant

from custom_components.poolctl.const import DOMAIN
from tests.world.simulator import Controller
from tests.world.simulator.visitors import (
    Announcement,
    Replayer,
    crowd,
    lure,
    under_another_mac,
)

from .draws import FULL, SMALL, visits
from .engine import MINUTE
from .week import Week

MOST_CARDS: Final = 20
"""Largest number of discoveries that a user may be shown at once."""
CROWD: Final = 60
LIAR, NOWHERE = "127.0.0.77", "127.0.0.78"


class Neighbours:
    """Neighbours whose announcements must not change any stored data."""

    def __init__(self, hass: HomeAssistant, week: Week, seconds: float) -> None:
        self.hass, self.week = hass, week
        self._visits = {
            controller.device_id: visits(week.seed, who, seconds)
            for controller, who in zip(week.controllers, (SMALL, FULL), strict=True)
        }
        self.planned = sum(map(len, self._visits.values()))
        self.replayer = Replayer(LIAR)

    async def announce(self, controller: Controller) -> None:
        """Announce something false about a controller every now and then."""
        told = self._visits[controller.device_id]
        while told and await self.week.until(told[0].at):
            (kind,) = told.pop(0).dialects
            self.week.counts[f"visitor {kind}"] += 1
            before = self.replayer.connections
            for lie in LIES[kind](self, controller):
                await self.week.hear(lie)
            await asyncio.sleep(5 * MINUTE)
            self._judge(kind, controller, self.replayer.connections - before)

    def listen(self, controller: Controller) -> None:
        """Record some frames, to play them back."""
        self.replayer.envelopes.clear()
        self.replayer.listen_to(controller, self.week.random.randint(1, 3))

    def _judge(self, kind: str, controller: Controller, connections: int) -> None:
        """Check that no false data is stored, and that few connections were made."""
        entry, week = self.week.entry, self.week
        records = entry.data["controllers"]
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
        flows = self.hass.config_entries.flow
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


def _replays(it: Neighbours, controller: Controller) -> Iterable[Announcement]:
    it.listen(controller)
    return [it.replayer.announces(controller)]


def _other_macs(it: Neighbours, controller: Controller) -> Iterable[Announcement]:
    """Announce the other controller's, and an invented one at another address.

    Nothing proves which one the controller at the true address has: with an invented
    one there, its name would not be found until it announces itself again.
    """
    other = next(each for each in it.week.controllers if each is not controller)
    invented = under_another_mac(controller, "0e0000000001")
    return [under_another_mac(controller, other.mac), replace(invented, host=NOWHERE)]


def _crowd(it: Neighbours, controller: Controller) -> Iterable[Announcement]:
    return crowd(CROWD)


def _lures(it: Neighbours, controller: Controller) -> Iterable[Announcement]:
    """Announce many addresses that do not exist, and then one that does."""
    it.listen(controller)
    nowhere = (replace(lie, host=NOWHERE) for lie in lure(controller, range(1, 20)))
    return [*nowhere, it.replayer.announces(controller)]


LIES: Final[dict[str, Callable[[Neighbours, Controller], Iterable[Announcement]]]] = {
    "H1": _replays,
    "H2": _other_macs,
    "H3": _crowd,
    "H4": _lures,
}
"""Announcements of each row."""
