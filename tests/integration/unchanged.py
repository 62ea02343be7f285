"""Cases that share a home, though each should find it as it was."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from .home import Home

SETTABLE = ("calendar", "climate", "light", "number", "select", "switch")
"""Domains of entities that show what a person has set."""


@contextmanager
def unchanged(home: Home) -> Generator[None]:
    """Fail if anything is other than before that a person sets, here or there.

    No case can so hide what another one does.
    """
    before = _settings(home)
    yield
    now = _settings(home)
    assert {key: now.get(key) for key in before.keys() | now.keys()} == before


def _settings(home: Home) -> dict[str, object]:
    """Return what a person may set: of the pool, and as Home Assistant shows it."""
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
