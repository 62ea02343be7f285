"""Diagnostics of an account or of one controller, to attach to a bug report.

The file is built from data that is safe to share, instead of redacting secrets in all
data: it contains no token, key or address, and nothing that identifies the owner. Text
that users typed (names of outputs and schedules) is replaced.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from homeassistant.components.diagnostics import REDACTED
from homeassistant.const import CONF_URL
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, issue_registry as ir
from homeassistant.loader import async_get_integration

from .account import AccountCoordinator, PoolctlConfigEntry
from .application_credentials import async_sign_in_observers
from .client.bounds import Private
from .client.codec import to_stored
from .client.facts import SERVICE, Frame
from .client.holds import Claim, Decision, HeatClaim, Hold, Pause
from .client.pool import PoolState
from .const import CONF_OWN_RANGES, CONF_USES, DOMAIN, MIN_FIRMWARE, REPORT_FORMAT
from .coordinator import ControllerCoordinator
from .devices.parts import controller_of
from .options import options_of
from .report.masks import masked_frame
from .report.statistics import LinkStatistics, Observers
from .status.situation import Situation
from .warm_by.request import Request

type _Json = Mapping[str, object]


async def async_get_config_entry_diagnostics(
    hass: HomeAssistant, entry: PoolctlConfigEntry, device_id: str | None = None
) -> _Json:
    """Return the diagnostics of an account, with all of its controllers or one."""
    integration = await async_get_integration(hass, DOMAIN)
    found: _Json = {
        "format": REPORT_FORMAT,
        "versions": {
            "integration": str(integration.version),
            "entry": f"{entry.version}.{entry.minor_version}",
            "minimum_firmware": MIN_FIRMWARE,
        },
        "entry": {"state": entry.state, "source": entry.source},
        # Only the values of these: their keys contain MAC addresses.
        "options": {
            **entry.options,
            CONF_USES: list((options_of(entry).uses or {}).values()),
            CONF_OWN_RANGES: list(options_of(entry).own_ranges.values()),
        },
    }
    # An entry whose set-up did not begin has no runtime data.
    account: AccountCoordinator | None = getattr(entry, "runtime_data", None)
    if account is not None:
        controllers = [
            _controller(coordinator, account.observers)
            for coordinator in account.controllers.values()
            if device_id in (None, coordinator.registered_id)
        ]
        found = {**found, "account": _account(account), "controllers": controllers}
    return _plain_items(found)


async def async_get_device_diagnostics(
    hass: HomeAssistant, entry: PoolctlConfigEntry, device: dr.AnyDeviceEntry
) -> _Json:
    """Return the diagnostics of an account and one of its controllers."""
    return await async_get_config_entry_diagnostics(hass, entry, controller_of(device))


def _account(account: AccountCoordinator) -> _Json:
    url = account.config_entry.data[CONF_URL]
    return {
        "inventory_read": account.last_update_success,
        "last_exception": _kind(account.last_exception),
        "controllers": len(account.controllers),
        "cloud": _link(account.observers.service),
        "not_offered": sorted(account.cloud.not_offered),
        "recording": _recording(account.observers, SERVICE),
        "sign_in": _recording(async_sign_in_observers(account.hass, url), SERVICE),
    }


def _controller(coordinator: ControllerCoordinator, observers: Observers) -> _Json:
    """Return one controller, with the number that identifies it in the log."""
    controller, situation = coordinator.controller, coordinator.situation()
    record = situation.record
    statistics = observers.statistics[record.device_id]
    return {
        "number": coordinator.number,
        "available": coordinator.view.reached,
        "last_exception": _kind(coordinator.last_exception),
        "record": {
            "firmware": record.firmware,
            "address_known": record.host is not None,
            "address_by_hand": record.by_hand,
            "port": record.port,
            "key_known": record.key is not None,
        },
        "announced": _announced(situation),
        "paths": {
            "uses_lan": coordinator.options.uses_lan,
            "uses_cloud": situation.paths.cloud is not None,
            "on_lan": situation.paths.on_lan,
            "interval": controller.poller.interval,
        },
        "lan": _link(statistics.lan),
        "cloud": _link(statistics.cloud),
        "lan_error": _kind(situation.paths.lan_error),
        "cloud_error": _kind(situation.paths.cloud_error),
        "issues": sorted(
            str(issue.translation_key)
            for (domain, _), issue in ir.async_get(coordinator.hass).issues.items()
            if domain == DOMAIN
            and (issue.data or {}).get("device_id") == coordinator.registered_id
        ),
        "last_frame": _frame(statistics.last_frame),
        "undecoded_frame": _frame(statistics.undecoded_frame),
        "state": _state(controller.live.reported),
        "learned": coordinator.learned.as_dict(),
        "choices": to_stored(controller.live.choices),
        "preferences": to_stored(coordinator.preferences),
        # What the user requested and what ends by itself
        "holds": to_stored(controller.holds.all, tuple[Hold, ...]),
        "pauses": to_stored(controller.pauses.all, tuple[Pause, ...]),
        "heat": to_stored(controller.heat.all, tuple[HeatClaim, ...]),
        "changes": {
            "holds": list(map(_change, controller.holds.changes)),
            "pauses": list(map(_change, controller.pauses.changes)),
            "heat": list(map(_change, controller.heat.changes)),
        },
        "warm_by": to_stored(coordinator.warm_by.all, tuple[Request, ...]),
        "recording": _recording(observers, record.device_id),
    }


def _change[C: Claim](change: Decision[C]) -> _Json:
    """Return what was decided about a claim, and why."""
    claim = change.claim
    shown = {
        "index": claim.index,
        "on": claim.on,
        "until": claim.until,
        "claimants": [*claim.claimants],
        "failures": claim.failures.count,
    }
    return {**change._asdict(), "claim": shown}


def _recording(observers: Observers, device_id: str) -> list[object]:
    recorder = observers.recorders.get(device_id)
    return recorder.as_list() if recorder else []


def _announced(situation: Situation) -> _Json | None:
    """Return the newest mDNS announcement since Home Assistant started."""
    if (observed := situation.announced) is None:
        return None
    return {
        "firmware": observed.firmware,
        "protocol": observed.protocol,
        "at_the_known_address": observed.address == situation.record.address,
    }


def _link(link: LinkStatistics) -> _Json:
    """Return the statistics of a path; latencies are in ms."""
    average = link.latency_average
    return {
        "polls": link.polls,
        "misses": link.misses,
        "misses_in_a_row": link.misses_in_a_row,
        "latency_average_ms": None if average is None else round(average * 1000, 1),
        "latency_worst_ms": round(link.latency_worst * 1000, 1),
        "last_answer_at": link.last_answer_at,
        "last_error": link.last_error and link.last_error.__name__,
        "last_error_at": link.last_error_at,
    }


def _frame(frame: Frame | None) -> _Json | None:
    """Return a frame, masked to measurements and settings (protocol.md O2)."""
    if frame is None:
        return None
    return {
        "counter": frame.counter,
        "payload": masked_frame(frame.payload).hex(),
        "received_at": datetime.fromtimestamp(frame.at, UTC),
    }


def _state(state: PoolState) -> _Json:
    form: Any = to_stored(state)
    return {
        **form,
        "slots": {
            slot.index: {"kind": slot.kind, "role": slot.role, "on": slot.on}
            for slot in state.outputs.slots
            if slot.type_code
        },
    }


def _kind(error: BaseException | None) -> str | None:
    """Return the class of an error; its message may be text from the service."""
    return None if error is None else type(error).__name__


def _plain_items[K](items: Mapping[K, object]) -> _Json:
    return {str(key): _plain(item) for key, item in items.items()}


def _plain(value: object) -> object:
    """Return a value as JSON types; private texts are redacted."""
    match value:
        case Enum():
            return value.value
        case Private() if value:
            return REDACTED
        case datetime():
            return value.isoformat()
        case Mapping():
            return _plain_items(value)
        case list() | tuple() | set() | frozenset():
            return [_plain(item) for item in value]
        case _:
            return value
