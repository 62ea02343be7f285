"""Turns an empty folder into a Home Assistant that is past its onboarding.

Where Home Assistant has an API, it is used, after the first start. Comments give the
reason for the few files that are written before.
"""

from contextlib import suppress
from http import HTTPStatus
import json
from pathlib import Path
import shutil
from typing import Final

import aiohttp

from .api import HomeAssistant, Json, exchange_code, new_session, probe, revoke
from .errors import ApiError, HomeError
from .past import learned_from
from .settings import (
    DOMAIN,
    HOME_USER,
    LOOPBACK,
    OAUTH_CLIENT,
    POOL_OWNER,
    REPOSITORY,
    Settings,
)
from .waiting import until

POOLS: Final = 2
DISCOVERED_TIMEOUT: Final = 20.0
FIRST_LINE: Final = "# Written once by scripts/develop; yours to change."
AUTOMATIONS: Final = "automations.yaml"

# Only what discovered devices, device pages, history, dashboards and blueprints need:
# default_config would add integrations that use the internet (my, cloud, updates), and
# dhcp needs root.
CONFIGURATION: Final = f"""{FIRST_LINE}
homeassistant:
  name: Pool house
  latitude: -33.87
  longitude: 151.21
  elevation: 20
  unit_system: metric
  country: AU
  currency: AUD
  time_zone: UTC  # the clock of the simulated pools

logger:
  default: warning
  logs:
    custom_components.{DOMAIN}: info

automation: !include {AUTOMATIONS}

frontend:
config:
history:
logbook:
sun:
zeroconf:
"""

# For the demo: every browser on this machine is signed in.
NO_SIGN_IN: Final = f"""
  auth_providers:
    - type: trusted_networks
      trusted_networks: [{LOOPBACK}]
      allow_bypass_login: true
    - type: homeassistant
"""
DASHBOARD: Final = "pool-demo"
HELD: Final = "slot_21"
"""The output that the demo holds: a water slide."""

# The core_config step also adds integrations that need the internet (met, radio_browser,
# google_translate) and a shopping list. It stores only that it is done.
ONBOARDING: Final = {"done": ["core_config", "analytics", "integration"]}

START_TIMEOUT: Final = 120
LOADED_TIMEOUT: Final = 60


def prepare(settings: Settings, *, demo: bool = False) -> None:
    """Write the configuration folder, but keep an existing configuration.yaml."""
    configuration = settings.config / "configuration.yaml"
    if not configuration.exists():
        settings.config.mkdir(parents=True, exist_ok=True)
        text = CONFIGURATION
        if demo:
            text = text.replace("\n\nlogger:", f"{NO_SIGN_IN}\nlogger:", 1)
            # Home Assistant reads only stores that are there when it starts.
            _store(settings, DOMAIN, 1, {})
        configuration.write_text(text)
        (settings.config / AUTOMATIONS).write_text("[]\n")
        _store(settings, "onboarding", 4, ONBOARDING)
    # On every start, because each start may have another port. In configuration.yaml
    # these two would be deprecated, and undone after a trial of five minutes.
    _store(
        settings, "http", 1, {"server_host": [LOOPBACK], "server_port": settings.port}
    )
    _link(REPOSITORY / "custom_components" / DOMAIN, settings.config)
    _link_blueprints(REPOSITORY / "blueprints", settings.config)


def reset(settings: Settings) -> None:
    """Delete the data folder, if it is one of ours."""
    configuration = settings.config / "configuration.yaml"
    if configuration.exists() and configuration.read_text().startswith(FIRST_LINE):
        shutil.rmtree(settings.data)
    elif settings.data.exists() and any(settings.data.iterdir()):
        raise SystemExit(f"{settings.data} was not made by scripts/develop: kept")


async def onboard(session: aiohttp.ClientSession, settings: Settings) -> None:
    """Wait for Home Assistant and create its user, unless there is one."""
    status = await until(
        lambda: probe(session, f"{settings.home_url}/auth/providers"),
        lambda status: status is not None,
        what="Home Assistant answers",
        seconds=START_TIMEOUT,
    )
    if status is HTTPStatus.OK:
        return
    user = {
        "name": "Demo",
        "username": HOME_USER.name,
        "password": HOME_USER.password,
        "client_id": f"{settings.home_url}/",
        "language": "en",
    }
    url = f"{settings.home_url}/api/onboarding/users"
    async with session.post(url, json=user) as response:
        if response.status == HTTPStatus.FORBIDDEN:
            return  # there is one: a start that took too long has created it
        response.raise_for_status()
        code = (await response.json())["auth_code"]
    # The code that comes with the user is a sign-in that is not needed.
    tokens = await exchange_code(session, settings.home_url, code)
    await revoke(session, settings.home_url, tokens["refresh_token"])


async def until_running(home: HomeAssistant) -> None:
    """Wait until everything that Home Assistant starts has been started."""
    config: Json = await until(
        lambda: home.get("/api/config"),
        lambda config: config["state"] == "RUNNING",
        what="Home Assistant runs",
        seconds=START_TIMEOUT,
    )
    if config["recovery_mode"]:
        raise ApiError("Home Assistant started in recovery mode; see its log")


async def store_credentials(home: HomeAssistant) -> None:
    """Store the application credentials of the simulated service."""
    stored = await home.command("application_credentials/list")
    if not any(item["domain"] == DOMAIN for item in stored):
        await home.command(
            "application_credentials/create",
            domain=DOMAIN,
            client_id=OAUTH_CLIENT.name,
            client_secret=OAUTH_CLIENT.password,
            name="Simulated service",
        )


async def add_account(home: HomeAssistant, settings: Settings) -> None:
    """Add the demo account through the config flow, unless there is one."""
    if not await home.entries(DOMAIN):
        # As a user does: without an address, the first read goes through the cloud, and
        # other entities are added. A network without multicast discovers nothing.
        with suppress(HomeError):
            await until(
                lambda: _discovered(home),
                lambda found: found >= POOLS,
                what="the controllers are discovered",
                seconds=DISCOVERED_TIMEOUT,
            )
        await home.add_integration(
            DOMAIN,
            # The controllers discovered by then vary: "other" chooses none of them.
            {"found": {"device_id": "other"}, "user": {"url": settings.service_url}},
            _sign_in_at_service,
        )
    await _until_loaded(home)


async def _until_loaded(home: HomeAssistant) -> None:
    # Any other state, such as setup_retry, may still become loaded.
    entries = await until(
        lambda: home.entries(DOMAIN),
        lambda entries: entries[0]["state"] in ("loaded", "setup_error"),
        what=f"{DOMAIN} is loaded",
        seconds=LOADED_TIMEOUT,
    )
    if entries[0]["state"] != "loaded":
        raise ApiError(f"{DOMAIN} could not be set up: {entries[0]['reason']}")


async def leave_kinds(home: HomeAssistant) -> None:
    """Answer that no output is of another kind, as an owner does who is asked."""
    (entry,) = await home.entries(DOMAIN)
    options = "/api/config/config_entries/options/flow"
    flow = await home.post(options, {"handler": entry["entry_id"]})
    if flow["type"] == "menu":  # else no output could be of another kind
        flow = await home.post(
            f"{options}/{flow['flow_id']}", {"next_step_id": "outputs"}
        )
        await home.post(f"{options}/{flow['flow_id']}", {})
        await _until_loaded(home)


async def _sign_in_at_service(page: str) -> None:
    """Submit the sign-in page as a browser does, and follow it to Home Assistant."""
    form = {"email": POOL_OWNER.name, "password": POOL_OWNER.password}
    async with new_session() as browser, browser.post(page, data=form) as response:
        # A sign-in ends with a redirect: without one, it has failed.
        if not (response.ok and response.history):
            text = (await response.text())[:200]
            raise ApiError(f"the sign-in was refused ({response.status}): {text}")


async def _discovered(home: HomeAssistant) -> int:
    """Return how many controllers wait to be added."""
    flows = await home.command("config_entries/flow/progress")
    return sum(
        (flow["handler"], flow["context"]["source"]) == (DOMAIN, "zeroconf")
        for flow in flows
    )


async def until_fitted(home: HomeAssistant) -> None:
    """Wait for the entities: an account is loaded before its controllers have reported."""

    async def have_pump() -> list[bool]:
        devices: list[Json] = await home.command("config/device_registry/list")
        entities = {entity["unique_id"] for entity in await home.entities()}
        return [
            f"{identifier}_pump_power" in entities
            for device in devices
            if device.get("serial_number")  # a part has none
            for domain, identifier in device["identifiers"]
            if domain == DOMAIN
        ]

    await until(
        have_pump,
        lambda controllers: bool(controllers) and all(controllers),
        what="every controller has its pump",
        seconds=LOADED_TIMEOUT,
    )


async def add_dashboard(home: HomeAssistant) -> None:
    """Create the pool dashboard, as a user does under Settings > Dashboards."""
    await home.command(
        "lovelace/dashboards/create",
        url_path=DASHBOARD,
        title="Pool",
        icon="mdi:pool",
        mode="storage",
        show_in_sidebar=True,
        require_admin=False,
    )
    await home.command(
        "lovelace/config/save",
        url_path=DASHBOARD,
        config={"strategy": {"type": "custom:poolctl"}},
    )


async def live_in(home: HomeAssistant) -> None:
    """Act as an owner: enter the volume of the pool, hold an output."""
    ours = {
        (item["entity_id"].split(".")[0], item["unique_id"].split("_", 6)[-1]): item
        for item in reversed(await home.entities())
    }
    volume, held = (
        ours[key]["entity_id"] for key in (("number", "volume"), ("switch", HELD))
    )
    await home.call("number", "set_value", entity_id=volume, value=50)
    hold = {"entity_id": held, "state": True, "duration": "02:00:00"}
    await home.call(DOMAIN, "hold", **hold)


def store_past(settings: Settings) -> None:
    """Let the integration find what it would have learned, when it is set up."""
    _store(settings, DOMAIN, 1, dict(learned_from(settings)))


def _store(settings: Settings, key: str, version: int, data: Json) -> None:
    """Write one file of Home Assistant's own storage."""
    path = settings.config / ".storage" / key
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"version": version, "key": key, "data": data}))


def _link(integration: Path, config: Path) -> None:
    """Let Home Assistant load the integration from the repository."""
    link = config / "custom_components" / integration.name
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(integration, target_is_directory=True)


def _link_blueprints(blueprints: Path, config: Path) -> None:
    """Link our blueprints one by one: linked folders are not searched for them."""
    for folder in blueprints.glob(f"*/{DOMAIN}"):
        linked = config / folder.relative_to(blueprints.parent)
        linked.mkdir(parents=True, exist_ok=True)
        for link in linked.iterdir():
            if link.is_symlink():
                link.unlink()
        for file in folder.glob("*.yaml"):
            (linked / file.name).symlink_to(file)
