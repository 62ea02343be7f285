"""Neither diagnostics files nor logs reveal whose pool it is."""

from collections.abc import Coroutine, Iterator
import json
import logging
import random
from types import SimpleNamespace
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from tests.controllers.report import private_parts
from tests.flow.test_config_flow import discover
from tests.store.test_memory import (
    STORED,
    changed,
    in_store,
    leaves,
    load,
    use,
    value_at,
)
from tests.world.assistant.home import Home
from tests.world.assistant.service import CLIENT_SECRET, Service, record
from tests.world.simulator import Clock, Controller, Pool

PACKAGE = "custom_components.poolctl"

_letters = st.characters(codec="utf-8", categories=("L", "N", "P", "S"))
_typed = st.text(_letters, min_size=5, max_size=12).map(lambda text: f"Zq{text}")
"""Texts that a user may type, too long to occur by chance."""


_MAC = st.binary(min_size=6, max_size=6).filter(lambda mac: len(set(mac)) > 4)
_KEY = st.binary(min_size=16, max_size=16).filter(lambda key: len(set(key)) > 8)
_secrets = st.builds(
    SimpleNamespace,
    email=_typed.map(lambda text: f"{text}@example.com"),
    # Cleaned for display, and therefore also kept as it was received.
    schedule=_typed.map(lambda text: f"{text}]"),
    key=_KEY,
    mac=_MAC,
    **dict.fromkeys(
        ("subject", "owner", "site", "city", "name", "slot", "complaint"), _typed
    ),
)
"""One value of each kind that must not be revealed."""


class Planted:
    """The simulated service with secrets in every place that has room for one."""

    def __init__(self, secrets: SimpleNamespace) -> None:
        self.secrets = secrets
        self.device_id = secrets.mac.hex("_").upper()
        clock, pool = Clock(), Pool.full()
        for slot in pool.slots:
            slot.name = f"{slot.name[:4]}{secrets.slot}" if slot.name else ""
        pool.settings["acid_remaining"] = 100
        for schedule in pool.schedules:
            schedule.name = secrets.schedule
        controllers = [
            Controller(
                device_id=device_id, key=secrets.key, name=name, pool=found, clock=clock
            )
            for device_id, name, found in (
                (self.device_id, secrets.name, pool),
                ("AA_BB_CC_00_00_01", "", Pool.small()),
            )
        ]
        self.service = Service(clock, *controllers)
        self.controller = controllers[0]
        account, cloud = self.service.account, self.service.cloud
        account.email, account.sub = secrets.email, secrets.subject
        account.name = secrets.owner
        for site in account.sites:
            site.name, site.city = secrets.site, secrets.city
        # Messages of the service name the account and the controller.
        words = f"{secrets.complaint} {secrets.email} {self.device_id}"
        cloud.complaint = words
        cloud.rate_limited.message = f"busy: {words}, retry after 1s"

    def entry(self) -> MockConfigEntry:
        """Return an entry as the set-up of this account would leave it."""
        stored = {
            controller.device_id: record(controller, site=self.secrets.site)
            for controller in self.service.controllers
        }
        # So that a repair is reported.
        options = {"drum_repairs": True}
        entry = self.service.entry(controllers=stored, options=options)
        object.__setattr__(entry, "title", self.secrets.site)
        return entry

    def keys(self) -> Iterator[str]:
        """Yield what must be in no log, not even in that of Home Assistant."""
        yield from self.service.cloud.sign_ins.issued
        yield CLIENT_SECRET
        for key in (self.secrets.key, self.secrets.key[::-1]):
            yield key.hex()
            yield repr(key)[2:-1]

    def forbidden(self) -> Iterator[str]:
        """Yield everything that must not be revealed, in every possible notation."""
        secrets = self.secrets
        for text in vars(secrets).values():
            if isinstance(text, str):
                yield text
                yield text.encode().hex()
        for slot in self.controller.pool.slots:
            if slot.name:
                yield slot.name
                yield slot.name.encode().hex()
        yield from self.keys()
        yield self.device_id
        yield secrets.mac.hex()
        yield secrets.mac.hex(":")
        yield secrets.mac.hex("-")
        yield self.controller.hostname
        yield self.controller.host
        yield self.service.cloud.base_url.removeprefix("http://")


def strings(tree: Any) -> Iterator[str]:
    """Yield every text of a JSON document, keys and values."""
    if isinstance(tree, dict):
        for key, branch in tree.items():
            yield key
            yield from strings(branch)
    elif isinstance(tree, list):
        for branch in tree:
            yield from strings(branch)
    else:
        yield str(tree)


async def do(home: Home, task: Coroutine[Any, Any, Any]) -> None:
    """Run a task to its end while time passes, and ignore its outcome."""
    done = home.hass.async_create_task(task)
    while not done.done():
        await home.pass_time(1)
    done.exception()


async def live_through(home: Home) -> None:
    """Go through polls, failures of every kind, and commands that work or fail."""
    controller, account = home.controller, home.entry.runtime_data

    controller.rotate_key(controller.key[::-1])
    await home.advance(300, step=30)
    assert home.stored["key"] == controller.key.hex()
    await discover(home, controller)
    await do(home, discover(home, controller, fw="2.5.40"))
    await do(home, home.act("switch.turn_on", "slot_3"))
    for fault in ("decline", "bad_tag", "truncated_frame", "replay", "html", "garbage"):
        controller.faults.on(fault)
        await do(home, home.act("switch.turn_off", "slot_3"))
        await home.advance(45, step=15)
        controller.faults.clear()
        await home.advance(15)
    controller.faults.on("refuse")
    for fault in ("failed", "rate_limited", "error_500", "unauthorized", "html"):
        home.cloud.faults.on(fault)
        if fault == "failed":
            await do(home, home.act("switch.turn_on", "pump"))
        # Until the last state has expired.
        await home.advance(120, step=30)
        await do(home, account.async_refresh())
        home.cloud.faults.clear()
        # A failure is logged again after a success.
        await do(home, account.async_refresh())
        await home.advance(30)
    home.cloud.faults.on("failed", "auxInfo")
    await home.advance(30)


@given(_secrets)
@settings(
    max_examples=3,
    # Shrinking a failing example would take minutes.
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@pytest.mark.usefixtures("freezer", "credentials", "quick")
async def test_nothing_tells_whose_pool_it_is(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    request: pytest.FixtureRequest,
    caplog: pytest.LogCaptureFixture,
    secrets: SimpleNamespace,
) -> None:
    """Neither the diagnostics files nor a debug log contain any of the secrets."""
    # Home Assistant draws random identifiers: every example needs its own.
    random.seed()
    for name in (None, "homeassistant"):
        caplog.set_level(logging.DEBUG, logger=name)
    caplog.clear()
    assert await async_setup_component(hass, "diagnostics", {})
    planted = Planted(secrets)
    home, began = Home(hass, planted.service, request), dt_util.utcnow()
    async with planted.service.running():
        entry = await home.set_up_entry(planted.entry())
        assert home.source == "lan"
        client = await hass_client()
        files = []
        for live in (True, False):
            for path in ("", f"/device/{home.device().id}"):
                url = f"/api/diagnostics/config_entry/{entry.entry_id}{path}"
                response = await client.get(url)
                assert response.status == 200
                files.append(await response.text())
            if live:
                await live_through(home)
        await do(home, hass.config_entries.async_remove(entry.entry_id))
        await home.settle()
    # Back to the start, because the client is signed in for half an hour only.
    home.freezer.move_to(began)
    log = "\n".join(
        caplog.handler.format(line)
        for line in caplog.records
        if line.name.startswith(PACKAGE)
    )
    # scripts/replay accepts such files, as its own check finds nothing private.
    assert not [
        each for file in files for each in private_parts(json.loads(file)["data"])
    ]
    everything = "\n".join(
        [*(t for file in files for t in strings(json.loads(file))), log]
    )
    assert len(log.splitlines()) > 20
    assert "key_known" in everything
    assert "acid_low_" in everything
    assert len({*planted.forbidden()}) >= 40
    for forbidden, text in (
        (planted.forbidden(), everything.lower()),
        (planted.keys(), caplog.text.lower()),
    ):
        assert not [each for each in forbidden if each.lower() in text]


SHOWN = {("equipment", "pump", key) for key in ("type", "brand", "model")}
"""Texts in the store that name nobody."""


@pytest.mark.freeze_time("2026-11-21 09:30:00+00:00")
async def test_a_name_in_every_stored_text(
    home: Home, hass_client: ClientSessionGenerator, hass_storage: dict[str, Any]
) -> None:
    """Diagnostics show none of them, whatever the section or the depth."""
    assert await async_setup_component(home.hass, "diagnostics", {})
    name, planted = "Zqlivia", 0
    held = STORED["requested"]["holds"][1]
    stored = changed(STORED, ("requested", "holds", 0, "previous"), {**held, "slot": 1})
    for path in leaves(stored):
        if isinstance(value_at(stored, path), str) and path not in SHOWN:
            named = changed(stored, path, name)
            kept = await use(await load(home.hass, hass_storage, named), hass_storage)
            if json.dumps(kept).count(name) > planted:  # else a time, or a word
                stored, planted = named, planted + 1
    assert planted >= 8
    hass_storage["poolctl"] = in_store(1, {home.controller.device_id: stored})
    home.controller.faults.on("refuse")  # what was stored is not replaced by a read
    home.cloud.faults.on("error_500")
    entry = await home.set_up_with(site=name, name=name)
    client = await hass_client()
    response = await client.get(f"/api/diagnostics/config_entry/{entry.entry_id}")
    file = await response.text()
    assert '"origins"' in file
    assert name not in file


async def test_a_user_sees_what_the_service_said(home: Home) -> None:
    home.own(home.service.small)
    await home.set_up()
    home.cloud.complaint = "only on Sundays"
    home.cloud.faults.on("failed", "setPumpInfo")
    with pytest.raises(HomeAssistantError, match="only on Sundays"):
        await home.act("switch.turn_off", "pump")
