"""A user at every switch, number, light, climate and button of a pool."""

import asyncio
from collections.abc import Callable
from random import Random
import time
from typing import Any, Final

from aiohttp import ClientSession
from aiohttp.test_utils import TestClient
from homeassistant.config_entries import (
    SOURCE_REAUTH,
    ConfigEntryState,
    ConfigFlowResult,
)
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import HomeAssistant, State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from yarl import URL

from tests.world.simulator import Controller
from tests.world.simulator.cloud_dialects import CloudDialect

from .engine import HOUR, MINUTE
from .judge import Asked, in_touch, legitimate
from .week import CLOUD, HOME, Week

type Wish = tuple[str, dict[str, Any]]


def switch(chance: Random, state: State) -> Wish:
    """Return the action to switch an entity, or to hold an output for a time."""
    if "held_by_hand" in state.attributes and chance.random() < 0.25:
        minutes = chance.randint(1, 300)
        on = chance.random() < 0.5
        return "poolctl.hold", {"state": on, "duration": {"minutes": minutes}}
    return f"{state.domain}.{chance.choice(('turn_on', 'turn_off'))}", {}


def slide(chance: Random, state: State) -> Wish:
    """Return the action to set a number that its slider can show."""
    slider = state.attributes
    low, step = slider.get("min", 0), slider.get("step", 1)
    steps = round((slider.get("max", 0) - low) / step)
    value = round(low + step * chance.randint(0, steps), 3)
    return "number.set_value", {"value": value}


def warm(chance: Random, state: State) -> Wish:
    """Return the action to set a target temperature or a mode."""
    if chance.random() < 0.5:
        return "climate.set_temperature", {"temperature": chance.randint(20, 35)}
    return "climate.set_hvac_mode", {"hvac_mode": chance.choice(("heat", "off"))}


def light(chance: Random, state: State) -> Wish:
    """Return the action to switch a light, or to start a show."""
    effects = state.attributes.get("effect_list") or []
    if effects and chance.random() < 0.3:
        return "light.turn_on", {"effect": chance.choice(effects)}
    return switch(chance, state)


WISHES: Final[dict[str, Callable[[Random, State], Wish]]] = {
    "switch": switch,
    "number": slide,
    "button": lambda chance, state: ("button.press", {}),
    "climate": warm,
    "light": light,
}
"""Function that draws an action of a user, by domain."""


_ASKED_WITHIN: Final = 1.2 * HOUR
"""Seconds until a sign-in must be requested: the account is read hourly."""


class Person:
    """Operates the entities of a pool; without trouble everything has to work."""

    def __init__(self, hass: HomeAssistant, week: Week) -> None:
        self.hass, self.week = hass, week

    async def play(self, controller: Controller) -> None:
        """Operate a random entity every now and then."""
        while await self.week.pause(25 * MINUTE):
            registry, entry_id = er.async_get(self.hass), self.week.entry.entry_id
            found = [
                (entity, state)
                for entity in er.async_entries_for_config_entry(registry, entry_id)
                if entity.unique_id.startswith(controller.device_id)
                and entity.domain in WISHES
                and (state := self.hass.states.get(entity.entity_id)) is not None
                and state.state != STATE_UNAVAILABLE
            ]
            if found:
                await self._want(controller, *self.week.random.choice(found))

    async def _want(
        self, controller: Controller, entity: er.RegistryEntry, state: State
    ) -> None:
        """Give one command, or ten at once, as a slider may."""
        chance, act, started = self.week.random, self.week.act, time.monotonic()
        times = 10 if entity.domain == "number" and chance.random() < 0.3 else 1
        wishes = [WISHES[entity.domain](chance, state) for _ in range(times)]
        results = await asyncio.gather(
            *(act(entity.entity_id, action, **data) for action, data in wishes),
            return_exceptions=True,
        )
        if results[-1] is not None and chance.random() < 0.5:
            # An impatient user asks for the same again.
            await asyncio.sleep(chance.uniform(1, 70))
            shown = self.hass.states.get(entity.entity_id)
            if shown is not None and shown.state != STATE_UNAVAILABLE:
                again = act(entity.entity_id, wishes[-1][0], **wishes[-1][1])
                results += await asyncio.gather(again, return_exceptions=True)
        _, data = wishes[-1]
        key = entity.unique_id.removeprefix(f"{controller.device_id}_")
        stored = self.week.entry.data["controllers"][controller.device_id]
        asked = Asked(
            *(entity.domain, key, data.keys(), controller, self.week.service.cloud),
            in_touch(stored, controller),
        )
        for result in results:
            self.week.counts["commands"] += 1
            if result is not None:
                cause = getattr(result, "__cause__", None)
                what = f"{wishes[-1]} of {entity.unique_id}: {result!r} of {cause!r}"
                self._judge(result, asked, what, started)

    def _judge(self, result: object, asked: Asked, what: str, started: float) -> None:
        """Note a failure that nothing explains, or that has no error message."""
        week = self.week
        week.counts["commands that failed"] += 1
        if not isinstance(result, HomeAssistantError):
            week.note(f"not told in words: {what}")
        elif legitimate(result, asked):
            week.counts[f"commands that had to: {result.translation_key}"] += 1
        elif week.trouble_free(started, *asked.needs):
            requests = asked.controller.requests
            reasons = [each.err for each in requests if not each.ok]
            speaks = sorted(asked.controller.dialects)
            week.note(f"failed without any trouble: {what} {reasons} {speaks}")


class Owner:
    """Signs in again when asked to, and only then."""

    browser: TestClient[Any, Any]
    """Opens Home Assistant's pages; created once all of them exist."""

    def __init__(self, hass: HomeAssistant, week: Week) -> None:
        self.hass, self.week = hass, week

    async def sign_ins(self) -> None:
        """Have the sign-in revoked every now and then, and sign in again on request."""
        while await self.week.pause(40 * HOUR):
            with self.week.trouble(CLOUD, "sign-in revoked"):
                self.week.cloud.revoke(self.week.service.account)
                if (flow := await self._asked()) is None:
                    self.week.note("nobody asked for a new sign-in")
                    continue
                await self._sign_in(flow)

    async def _asked(self) -> ConfigFlowResult | None:
        """Return the request for a sign-in; `None` if a working service makes none."""
        calm = 0.0
        while calm < _ASKED_WITHIN:
            await asyncio.sleep(MINUTE)
            for flow in self.hass.config_entries.flow.async_progress():
                if flow["context"]["source"] == SOURCE_REAUTH:
                    return flow
            off = self.week.entry.state is not ConfigEntryState.LOADED
            calm = 0.0 if off or self._no_page else calm + MINUTE
        return None

    @property
    def _no_page(self) -> bool:
        cloud = self.week.cloud
        return bool(cloud.faults) or CloudDialect.C13_REDIRECT in cloud.dialects

    async def _page_is_there(self) -> None:
        for _ in range(600):
            if not self._no_page:
                return
            await asyncio.sleep(MINUTE)

    async def _sign_in(self, flow: ConfigFlowResult) -> None:
        """Go through the sign-in page as a browser does."""
        flows, account = self.hass.config_entries.flow, self.week.service.account
        step = await flows.async_configure(flow["flow_id"], {})
        page = URL(step["url"])
        form = {**page.query, "email": account.email, "password": account.password}
        if (back := await self._submit(page, form)) is None:
            self.week.note("the sign-in page never answered")
            return
        answer = await self.browser.get(str(back.relative()))
        await answer.read()
        with self.week.trouble(HOME, "signed in again"):
            result = await flows.async_configure(flow["flow_id"])
            if result.get("reason") != "reauth_successful":
                self.week.note(f"not signed in: {result.get('reason')}")
            await asyncio.sleep(MINUTE)

    async def _submit(self, page: URL, form: dict[str, str]) -> URL | None:
        """Submit the page until the service answers: a fault may start just then."""
        for _ in range(10):
            await self._page_is_there()
            async with (
                ClientSession() as session,
                session.post(page, data=form, allow_redirects=False) as response,
            ):
                if "Location" in response.headers:
                    return URL(response.headers["Location"], encoded=True)
            await asyncio.sleep(MINUTE)
        return None
