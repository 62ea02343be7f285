"""Why a doser or a chlorinator doses or does not."""

from datetime import datetime
from typing import Final

from ..client.pool import ACID, AnyDosing, Doser, DoserKind
from ..learned.totals import chlorinates
from .output import why_pump
from .rows import Explanation, Row, Values, explain
from .situation import Situation


def why_dosing(pool: Situation, kind: AnyDosing) -> Explanation:
    """Return why a doser doses or does not."""
    return explain(DOSING_CAUSES, pool, kind)


def _pause(pool: Situation, kind: AnyDosing) -> datetime | None:
    """Return the end of its pause, `None` if it is not paused."""
    enabled = kind.of(pool.state).enabled
    return None if enabled else pool.pauses.get(kind.key)


def _doses(pool: Situation, kind: AnyDosing) -> bool | None:
    if isinstance(kind, DoserKind):
        return kind.doses_now(pool.state.signals)
    return chlorinates(pool.state)


def _doser(pool: Situation, kind: AnyDosing) -> Doser | None:
    """Return its drum and its number of doses, `None` for a chlorinator."""
    return kind.of(pool.state) if isinstance(kind, DoserKind) else None


def _target(pool: Situation, kind: AnyDosing) -> Values:
    desired = kind.of(pool.state).desired or 0
    return {"target": float(desired) if kind is ACID else round(desired)}


def _reached(pool: Situation, kind: AnyDosing) -> bool:
    desired = kind.of(pool.state).desired
    reading = pool.chemistry.ph if kind is ACID else pool.chemistry.orp
    if desired is None or reading is None:
        return False
    return reading <= desired if kind is ACID else reading >= desired


DOSING_CAUSES: Final[tuple[Row[Situation, AnyDosing], ...]] = (
    Row(
        "dose_pause_over",
        lambda pool, kind: (end := _pause(pool, kind)) and end <= pool.now,
    ),
    Row("dose_paused", _pause, lambda pool, kind: {"time": pool.pauses[kind.key]}),
    Row("dose_off", lambda pool, kind: kind.of(pool.state).enabled is False),
    Row("doses", _doses),
    Row(
        "dose_limit",
        lambda pool, kind: (
            (doser := _doser(pool, kind)) and doser.limit_reached(pool.now)
        ),
    ),
    Row(
        "dose_empty",
        lambda pool, kind: (doser := _doser(pool, kind)) and doser.empty,
    ),
    Row(
        "dose_needs_pump",
        lambda pool, kind: pool.state.pump_on is False,
        more=lambda pool, kind: why_pump(pool),
    ),
    Row(
        "dose_unstable",
        lambda pool, kind: pool.state.signals.chemistry_stable is False,
    ),
    Row(
        "dose_ph_reached",
        lambda pool, kind: kind is ACID and _reached(pool, kind),
        _target,
    ),
    Row("dose_orp_reached", _reached, _target),
    Row(
        "dose_waits",
        lambda pool, kind: _doses(pool, kind) is False and kind.of(pool.state).enabled,
    ),
    Row("unknown", lambda pool, kind: True),
)
"""Causes in order: the first that applies is the explanation."""
