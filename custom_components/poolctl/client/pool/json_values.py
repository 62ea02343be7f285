"""Values out of JSON answers, of the controller and of the cloud: any may be odd."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .state import PoolState, plausible

_TOO_LARGE = 1e12


def with_settings(
    state: PoolState,
    answer: Mapping[str, Any],
    table: Mapping[str, tuple[str, int]],
) -> PoolState:
    """Return the state with the plausible settings of an answer; others stay."""
    found = numbers(answer, table)
    told = {name: value for name, value in found.items() if value is not None}
    return replace(state, configuration=replace(state.configuration, **told))


def numbers(
    answer: Mapping[str, Any], table: Mapping[str, tuple[str, int]]
) -> dict[str, Any]:
    """Return the plausible numbers of an answer, `None` for all others."""
    found: dict[str, Any] = {}
    for name, (key, divisor) in table.items():
        value = number(answer, key)
        found[name] = value if value is None or divisor == 1 else value / divisor
    return plausible(found)


def number(answer: Mapping[str, Any], key: str) -> int | float | None:
    """Return a number of an answer, `None` for anything else."""
    value = answer.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # JSON knows numbers that no pool does, and that do not even convert.
    return value if abs(value) < _TOO_LARGE else None


def object_of(answer: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return an object of an answer, an empty one for anything else."""
    found = answer.get(key)
    return found if isinstance(found, dict) else {}


def list_of(answer: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """Return the objects in a list of an answer."""
    found = answer.get(key)
    if not isinstance(found, list):
        return []
    return [entry for entry in found if isinstance(entry, dict)]
