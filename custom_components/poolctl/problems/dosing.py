"""The issues of dosing: drums that are nearly empty, and acid that does not help."""

from collections.abc import Mapping
from datetime import UTC, datetime

from ..client.pool.dosing import ACID, DOSERS, DoserKind
from ..network.health import Health
from .problem import Problem


def _drum_low(doser: DoserKind) -> Problem:
    """Return the row of a drum that is nearly empty, as its binary sensor says.

    That sensor and a trigger tell of it, too: it is an issue only where its owner asked.
    """

    def exists(health: Health) -> bool | None:
        state = health.state
        if not health.drum_repairs or state.outputs.fitted(doser.fitted) is False:
            return False
        return doser.of(state).low

    return Problem(
        key=f"{doser.key}_low",
        exists=exists,
        placeholders=lambda health: {
            "litres": f"{doser.of(health.state).litres_left:.1f}"
        },
    )


def _acid_doser(health: Health) -> bool:
    """Tell whether the pool may have a doser of acid."""
    return health.state.outputs.fitted(ACID.fitted) is not False


def _acid_limit(health: Health) -> bool | None:
    """All doses of the day are taken, and the pH is still too high."""
    if not _acid_doser(health):
        return False
    state = health.state
    reached, ph = state.acid.limit_reached(datetime.now(UTC)), state.chemistry.ph
    if not reached or ph is None or state.acid.desired is None:
        return reached and None
    return ph > state.acid.desired


def _acid_without_effect(health: Health) -> bool | None:
    return health.state.acid.without_effect if _acid_doser(health) else False


def _acid_doses(health: Health) -> Mapping[str, str]:
    acid = health.state.acid
    return {
        "doses": str(acid.doses),
        "idle": str(acid.idle_doses),
        "ph": str(acid.reading_before),
    }


DOSING_PROBLEMS = (
    *(_drum_low(doser) for doser in DOSERS),
    Problem(
        key="acid_limit",
        exists=_acid_limit,
        fixable=False,
        placeholders=_acid_doses,
    ),
    Problem(
        key="acid_without_effect",
        exists=_acid_without_effect,
        fixable=False,
        placeholders=_acid_doses,
    ),
)
"""Their part of the table of all issues."""
