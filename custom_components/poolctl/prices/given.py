"""Prices and forecasts that a call of an action gives: a list, or entities that have one.

Prices of several entities replace each other; their forecasts are added. What cannot be
used is refused, with what was found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice, pairwise
from typing import Any, Final

from homeassistant.components.sensor.const import DEVICE_CLASS_UNITS
from homeassistant.const import (
    ATTR_UNIT_OF_MEASUREMENT,
    STATE_UNAVAILABLE,
    STATE_UNKNOWN,
)
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import VolDictType
from homeassistant.util import dt as dt_util
import probatio as vol

from ..client.bounds import PrivateText
from ..errors import mistake
from .reader import ListError, Price, PriceList, price_at, read
from .sources import COMMON, TABLE, Kind, ListSource

ATTR_PRICES: Final = "prices"
ATTR_PRICE_ENTITIES: Final = "price_entities"
LISTS: Final = {ATTR_PRICES, ATTR_PRICE_ENTITIES}
ATTR_PREFER: Final = "prefer"
HIGHEST: Final = "highest"
ATTR_FIELDS: Final = "fields"
FIELDS: Final = ("attribute", "begin", "end", "value")
PUMP_HOURS: Final = "pump_hours"
"""What asks for a list, beside the bodies of water: an automation that tries again."""
PRICE_FIELDS: Final[VolDictType] = {
    vol.Optional(ATTR_PRICES): object,
    vol.Optional(ATTR_PRICE_ENTITIES): cv.entity_ids,
    vol.Optional(ATTR_FIELDS): {vol.Optional(name): cv.string for name in FIELDS},
    vol.Optional(ATTR_PREFER, default="lowest"): vol.In(("lowest", HIGHEST)),
}
"""Fields of the actions that choose times by prices or forecasts."""
_WATTS: Final = {"W": 1.0, "Wh": 1.0, "kW": 1e3, "kWh": 1e3, "MW": 1e6, "MWh": 1e6}
_SUN: Final = {*_WATTS, "W/m²", "BTU/(h⋅ft²)", ""}
_MEASURED: Final = {unit for units in DEVICE_CLASS_UNITS.values() for unit in units}
"""Units of what is measured: no price has one of them."""
_AWAY: Final = STATE_UNAVAILABLE, STATE_UNKNOWN
_FORGOTTEN: Final = timedelta(days=2)
"""Time after which an automation asks no more: it asks once a day."""
_NAMES, _LETTERS = 8, 40
"""Maximum names of what was found, and letters of a text."""


def asked(
    entities: Sequence[str], highest: bool, fields: Sequence[str]
) -> dict[str, Any]:
    """Return the data of a call that gave entities."""
    return {
        ATTR_PRICE_ENTITIES: entities,
        ATTR_PREFER: HIGHEST if highest else "lowest",
        ATTR_FIELDS: dict(zip(FIELDS, fields, strict=False)),
    }


@dataclass(frozen=True, slots=True)
class RefusedList:
    """A list that could not be used, until its asker gives one that can."""

    name: PrivateText
    at: datetime


class Lists:
    """The lists that automations give, and those of them that cannot be used."""

    def __init__(self, hass: HomeAssistant, refused: Mapping[str, RefusedList]) -> None:
        self._hass = hass
        self.refused = dict(refused)
        """By what asked for it. One that asks no more is forgotten."""

    def refused_name(self, *askers: str) -> str | None:
        """Return the name of a list of one of these that cannot be used."""
        since = dt_util.utcnow() - _FORGOTTEN
        found = [self.refused[asker] for asker in askers if asker in self.refused]
        return next((each.name for each in found if each.at > since), None)

    async def given(
        self, asker: str, data: Mapping[str, Any], *, later: bool
    ) -> list[Price] | None:
        """Return the prices that a call gives, `None` if it gives none.

        A call that makes do without them `later` shows no error, so *Status* does.
        Of prices that several entities have for the same time, the last one counts;
        their forecasts are added. Raises ListError for what is no such list.
        """
        if data.keys() >= LISTS:
            raise mistake("one_of", fields=", ".join(sorted(LISTS)))
        found, names = None, data.get(ATTR_PRICE_ENTITIES) or [ATTR_PRICES]
        try:
            if LISTS & data.keys():
                run = self._hass.async_add_executor_job
                found = await run(_given, self._hass, names, data)
        except ListError as err:
            if later:
                name = err.first if err.first in names else names[0]
                self.refused[asker] = RefusedList(name, dt_util.utcnow())
            raise
        if later or found:
            self.refused.pop(asker, None)
        return found


def _given(
    hass: HomeAssistant, names: Sequence[str], data: Mapping[str, Any]
) -> list[Price]:
    highest = data.get(ATTR_PREFER) == HIGHEST
    lists = [each for name in names if (each := _list_of(hass, name, data, highest))]
    if not lists:
        raise ListError("prices_missing", names[0])
    units = list(dict.fromkeys(unit for _, unit in lists if unit))
    if len(units) > 1:
        raise ListError("prices_units", *units[:2])
    prices = _together([found for found, _ in lists], add=highest)
    if not prices or prices[-1].end <= dt_util.utcnow():
        raise ListError("prices_past", names[0])
    return prices


def _list_of(
    hass: HomeAssistant, name: str, data: Mapping[str, Any], highest: bool
) -> tuple[Sequence[Price], str] | None:
    """Return a list and its unit, `None` if an entity has no prices at present."""
    given, unit, written = data.get(ATTR_PRICES), "", None
    empty = given == []
    if ATTR_PRICES not in data:
        state = hass.states.get(name) or State(name, STATE_UNAVAILABLE)
        given, written = state.attributes, state.last_reported
        unit = str(given.get(ATTR_UNIT_OF_MEASUREMENT, ""))
        empty = state.state in _AWAY or [] in given.values()
    table = _table(data.get(ATTR_FIELDS, {}))
    if found := read(given, table, highest=highest, written=written):
        return _in_unit(found, name, unit, highest)
    if empty and highest:
        # A roof without its forecast, for example.
        raise ListError("prices_missing", name)
    if empty:
        return None
    raise ListError(
        "forecast_unknown" if highest else "prices_unknown", name, _shown(given)
    )


def _in_unit(
    found: PriceList, name: str, unit: str, highest: bool
) -> tuple[Sequence[Price], str]:
    """Return a list and its unit, which is W for power; refuse one that does not fit."""
    unit = found.source.unit or unit
    fits = unit in _SUN if highest else unit not in _MEASURED
    if not (fits or found.source.title):
        raise ListError("forecast_unit" if highest else "prices_unit", name, unit)
    if (watts := _WATTS.get(unit)) is None:
        return found.prices, unit
    return [replace(each, value=each.value * watts) for each in found.prices], "W"


def _table(fields: Mapping[str, str]) -> Sequence[ListSource]:
    """Return the sources that count: with `fields`, the common form with these names."""
    at, start, end, value = (fields.get(name) for name in FIELDS)
    named = {"start": start, "end": end, "value": value, "at": at}
    names: dict[str, Any] = {name: (each,) for name, each in named.items() if each}
    # A value that is named is what is asked for.
    common = [one for one in COMMON if one.kind is Kind.ASKED or not value]
    return [one._replace(**names) for one in common] if names else TABLE


def _together(lists: Sequence[Sequence[Price]], *, add: bool) -> list[Price]:
    """Return one list of several. A price is that of one place, a forecast of one roof."""
    edges = {at for prices in lists for each in prices for at in (each.start, each.end)}
    found = []
    for start, end in pairwise(sorted(edges)):
        values = [v for prices in lists if (v := price_at(prices, start)) is not None]
        if values:
            found.append(Price(start, end, sum(values) if add else values[-1]))
    return found


def _shown(data: object) -> str:
    """Return the names of what was found, for a person."""
    while isinstance(data, list | tuple):
        data = data[0] if data else ""
    if not isinstance(data, Mapping):
        return str(data)[:_LETTERS]
    names = []
    for key, each in islice(data.items(), _NAMES):
        inner = _shown(each) if isinstance(each, list) else ""
        names.append(f"{key} ({inner})" if inner else str(key))
    return ", ".join(names)
