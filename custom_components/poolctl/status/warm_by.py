"""The forecast, in sentences, for water that a user wants warm by a time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_cached_translations

from ..client.pool.heating import Body
from ..const import DOMAIN
from ..warm_by.outlook import Outlook
from ..warm_by.request import Request
from .problem import Celsius, Values
from .sentence import Cause, Explanation, Sentence, explain, rounded

_STEP: Final = timedelta(minutes=5)
"""Step to which times are rounded: a forecast is not more exact."""


@dataclass(frozen=True)
class _Situation:
    request: Request
    expected: Outlook


PASSED: Final[Explanation] = (Sentence("warm_by_passed"),)
"""Explanation for an entered time that has passed."""


def why_warm_by(request: Request, expected: Outlook | None) -> Explanation:
    """Return the forecast for a request, empty if the target is unknown."""
    return explain(WARM_BY_CAUSES, _Situation(request, expected)) if expected else ()


def _late(situation: _Situation) -> Values:
    return {
        "time": situation.request.by,
        "target": Celsius(situation.expected.target),
        "expected": Celsius(situation.expected.expected or 0.0),
    }


def _heats(situation: _Situation) -> Values:
    expected = situation.expected
    values: dict[str, Celsius | datetime] = {"target": Celsius(expected.target)}
    return values | (
        {"time": rounded(expected.warm_at, _STEP)} if expected.warm_at else {}
    )


WARM_BY_CAUSES: Final[tuple[Cause[_Situation], ...]] = (
    Cause(
        "warm_by_waits",
        lambda situation: not (situation.request.begun or situation.expected.due),
        values=lambda situation: {"time": rounded(situation.expected.begins, _STEP)},
    ),
    Cause("warm_by_blocked", lambda situation: not situation.request.begun),
    Cause(
        "warm_by_warm",
        lambda situation: situation.expected.warm,
        values=lambda situation: {"time": situation.request.until},
    ),
    Cause("warm_by_late", lambda situation: situation.expected.late, values=_late),
    Cause("warm_by_heats", lambda situation: situation.expected.warm_at, values=_heats),
    Cause("warm_by_begun", lambda situation: True),
)
"""Causes in order: the first that applies is the explanation."""


def name_of(hass: HomeAssistant, body: Body) -> str:
    """Return the translated name of the request for a body of water."""
    texts = async_get_cached_translations(hass, hass.config.language, "entity", DOMAIN)
    key = f"component.{DOMAIN}.entity.{Platform.DATETIME}.{body.key}_warm_by.name"
    return texts.get(key, "")
