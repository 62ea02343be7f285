"""A check for cases that share a home: each must leave it unchanged."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from tests.world.assistant.home import Home

SETTABLE = ("calendar", "climate", "light", "number", "select", "switch")
"""Domains of entities that show settings of the user."""


@contextmanager
def unchanged(home: Home) -> Generator[None]:
    """Fail if a setting changes, in Home Assistant or in the pool.

    So no case can hide the effect of another one.
    """
    before = _settings(home)
    yield
    now = _settings(home)
    assert {key: now.get(key) for key in before.keys() | now.keys()} == before


def _settings(home: Home) -> dict[str, object]:
    """Return all settings: those of the pool, and as Home Assistant shows them."""
    pool = home.pool
    return {
        state.entity_id: (state.state, state.attributes.get("temperature"))
        for state in home.hass.states.async_all(SETTABLE)
    } | {
        "settings": dict(pool.settings),
        "probes": dict(pool.probes),
        "lights": {name: [*modes] for name, modes in pool.lights.items()},
        "schedules": [replace(schedule) for schedule in pool.schedules],
        "speed": pool.pump.asked,
        "slots": [
            (slot.on, slot.hand, slot.held, slot.name, slot.aux_type)
            for slot in pool.slots
        ],
    }
