"""The forecast, in sentences, for water that a user wants warm by a time."""

from datetime import timedelta
from typing import Final

from ..warm_by.outlook import Outlook
from ..warm_by.request import Request
from .sentence import Celsius, Explanation, Row, Sentence, Values, explain, rounded

_STEP: Final = timedelta(minutes=5)
"""Step to which times are rounded: a forecast is not more exact."""

PASSED: Final[Explanation] = (Sentence("warm_by_passed"),)
"""Explanation for an entered time that has passed."""


def why_warm_by(request: Request, expected: Outlook | None) -> Explanation:
    """Return the forecast for a request, empty if the target is unknown."""
    return explain(WARM_BY_CAUSES, request, expected) if expected else ()


def late(request: Request, outlook: Outlook) -> Values:
    """Return when the water is wanted, its target, and how warm it will be then."""
    return {
        "time": request.by,
        "target": Celsius(outlook.target),
        "expected": Celsius(outlook.expected or 0.0),
    }


def _heats(request: Request, outlook: Outlook) -> Values:
    target = Celsius(outlook.target)
    if outlook.warm_at is None:
        return {"target": target}
    return {"target": target, "time": rounded(outlook.warm_at, _STEP)}


WARM_BY_CAUSES: Final[tuple[Row[Request, Outlook], ...]] = (
    Row(
        "warm_by_waits",
        lambda request, outlook: not (request.begun or outlook.due),
        lambda request, outlook: {"time": rounded(outlook.begins, _STEP)},
    ),
    Row("warm_by_blocked", lambda request, outlook: not request.begun),
    Row(
        "warm_by_warm",
        lambda request, outlook: outlook.warm,
        lambda request, outlook: {"time": request.until},
    ),
    Row("warm_by_late", lambda request, outlook: outlook.late, late),
    Row("warm_by_heats", lambda request, outlook: outlook.warm_at, _heats),
    Row("warm_by_begun", lambda request, outlook: True),
)
"""Causes in order: the first that applies is the explanation."""
