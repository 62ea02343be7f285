"""A user at every switch, number, light, climate and button of a pool."""

import asyncio
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
from homeassistant.core import State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from yarl import URL

from tests.world.simulator import Controller
from tests.world.simulator.cloud_dialects import CloudDialect

from .engine import HOUR, MINUTE
from .judge import Asked, legitimate, only_cloud
from .week import CLOUD, HOME, Week

type Wish = tuple[str, dict[str, Any]]

DOMAINS: Final = ("switch", "number", "button", "climate", "light")
_ASKED_WITHIN: Final = 1.2 * HOUR
"""Seconds until a sign-in must be requested: the account is read hourly."""


def wish(chance: Random, state: State) -> Wish:
    """Draw an action on an entity, with its data."""
    shown = state.attributes
    if state.domain == "button":
        return "button.press", {}
    if state.domain == "number":
        low, step = shown.get("min", 0), shown.get("step", 1)
        steps = chance.randint(0, round((shown.get("max", 0) - low) / step))
        return "number.set_value", {"value": round(low + step * steps, 3)}
    if state.domain == "climate" and chance.random() < 0.5:
        return "climate.set_temperature", {"temperature": chance.randint(20, 35)}
    if state.domain == "climate":
        return "climate.set_hvac_mode", {"hvac_mode": chance.choice(("heat", "off"))}
    return _switch(chance, state)


def _switch(chance: Random, state: State) -> Wish:
    """Draw an action on a switch or a light: a light may also start a show."""
    effects = state.attributes.get("effect_list")
    if effects and chance.random() < 0.3:
        return "light.turn_on", {"effect": chance.choice(effects)}
    if "held_by_hand" in state.attributes and chance.random() < 0.25:
        data = {"state": chance.random() < 0.5}
        return "poolctl.hold", data | {"duration": {"minutes": chance.randint(1, 300)}}
    return f"{state.domain}.{chance.choice(('turn_on', 'turn_off'))}", {}


async def operate(week: Week, controller: Controller) -> None:
    """Operate a random entity every now and then; without trouble, that has to work."""
    while await week.pause(25 * MINUTE):
        shown = week.shown(controller)
        if usable := [each for each in shown if each[0].domain in DOMAINS]:
            await _operate(week, controller, *week.random.choice(usable))


async def _operate(
    week: Week, controller: Controller, entity: er.RegistryEntry, state: State
) -> None:
    """Give one command, or ten at once, as a slider may."""
    chance, started = week.random, time.monotonic()
    times = 10 if entity.domain == "number" and chance.random() < 0.3 else 1
    wishes = [wish(chance, state) for _ in range(times)]
    action, data = wishes[-1]
    results = await _act(week, entity.entity_id, *wishes)
    if results[-1] is not None and chance.random() < 0.5:
        # An impatient user asks for the same again.
        await asyncio.sleep(chance.uniform(1, 70))
        if entity.entity_id in {each.entity_id for each, _ in week.shown(controller)}:
            results += await _act(week, entity.entity_id, wishes[-1])
    asked = Asked(
        domain=entity.domain,
        key=entity.unique_id.removeprefix(f"{controller.device_id}_"),
        data=data.keys(),
        controller=controller,
        cloud=week.cloud.dialects,
        by_cloud=only_cloud(week, controller),
    )
    week.counts["commands"] += len(results)
    for error in filter(None, results):
        cause = error.__cause__
        what = f"{action} {data} of {entity.unique_id}: {error!r} of {cause!r}"
        _judge(week, error, asked, what, started)


async def _act(week: Week, entity_id: str, *wishes: Wish) -> list[BaseException | None]:
    acts = (week.act(entity_id, action, **data) for action, data in wishes)
    return await asyncio.gather(*acts, return_exceptions=True)


def _judge(
    week: Week, error: BaseException, asked: Asked, what: str, started: float
) -> None:
    """Note a failure that nothing explains, or that has no error message."""
    week.counts["commands that failed"] += 1
    if not isinstance(error, HomeAssistantError):
        week.note(f"no error message: {what}")
    elif legitimate(error, asked):
        week.counts[f"commands that had to: {error.translation_key}"] += 1
    elif week.trouble_free(started, *asked.needs):
        reasons = [each.err for each in asked.controller.requests if not each.ok]
        speaks = sorted(asked.controller.dialects)
        week.note(f"failed without any trouble: {what} {reasons} {speaks}")


class Owner:
    """Signs in again when asked to, and only then."""

    def __init__(self, week: Week, browser: TestClient[Any, Any]) -> None:
        """`browser` opens Home Assistant's pages."""
        self.week, self.browser = week, browser

    async def sign_ins(self) -> None:
        """Have the sign-in revoked every now and then, and sign in again on request."""
        while await self.week.pause(40 * HOUR):
            with self.week.trouble(CLOUD, "sign-in revoked"):
                self.week.cloud.revoke(self.week.service.account)
                if (flow := await self._asked()) is None:
                    self.week.note("nobody asked for a new sign-in")
                else:
                    await self._sign_in(flow)

    async def _asked(self) -> ConfigFlowResult | None:
        """Return the request for a sign-in; `None` if a working service makes none."""
        calm = 0.0
        while calm < _ASKED_WITHIN:
            await asyncio.sleep(MINUTE)
            for flow in self.week.hass.config_entries.flow.async_progress():
                if flow["context"]["source"] == SOURCE_REAUTH:
                    return flow
            on = self.week.entry.state is ConfigEntryState.LOADED
            calm = calm + MINUTE if on and self._page_works() else 0.0
        return None

    def _page_works(self) -> bool:
        cloud = self.week.cloud
        return not cloud.faults and CloudDialect.C13_REDIRECT not in cloud.dialects

    async def _sign_in(self, flow: ConfigFlowResult) -> None:
        """Go through the sign-in page as a browser does."""
        flows = self.week.hass.config_entries.flow
        step = await flows.async_configure(flow["flow_id"], {})
        page = URL(step["url"])
        back = await self._submit(page)
        answer = await self.browser.get(str(back.relative()))
        await answer.read()
        with self.week.trouble(HOME, "signed in again"):
            result = await flows.async_configure(flow["flow_id"])
            if result.get("reason") != "reauth_successful":
                self.week.note(f"not signed in: {result.get('reason')}")
            await asyncio.sleep(MINUTE)

    async def _submit(self, page: URL) -> URL:
        """Submit the page until the service answers: a fault may start just then."""
        account = self.week.service.account
        form = {**page.query, "email": account.email, "password": account.password}
        while True:
            if self._page_works():
                async with (
                    ClientSession() as session,
                    session.post(page, data=form, allow_redirects=False) as response,
                ):
                    if location := response.headers.get("Location"):
                        return URL(location, encoded=True)
            await asyncio.sleep(MINUTE)
