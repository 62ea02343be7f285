"""Prices and forecasts that a call of an action names: a list, or entities that have one.

Prices of several entities replace each other; their forecasts are added.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from homeassistant.const import ATTR_UNIT_OF_MEASUREMENT
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import VolDictType
import probatio as vol

from .reader import Price, price_at, read, refused

ATTR_PRICES: Final = "prices"
ATTR_PRICE_ENTITIES: Final = "price_entities"
ATTR_PREFER: Final = "prefer"
HIGHEST: Final = "highest"
_EITHER: Final = f"give either {ATTR_PRICES} or {ATTR_PRICE_ENTITIES}"
PRICE_FIELDS: Final[VolDictType] = {
    vol.Exclusive(ATTR_PRICES, _EITHER, _EITHER): vol.Any(list, dict, str),
    vol.Exclusive(ATTR_PRICE_ENTITIES, _EITHER, _EITHER): cv.entity_ids,
    vol.Optional(ATTR_PREFER, default="lowest"): vol.In(("lowest", HIGHEST)),
}
"""Fields of the actions that choose times by prices or forecasts."""


def given_prices(hass: HomeAssistant, data: Mapping[str, Any]) -> list[Price] | None:
    """Return the prices that a call of an action gives, `None` if it gives none.

    Of prices that several entities have for the same time, the last one counts; their
    forecasts are added. Raises InvalidCommandError as `read` does, and for two units.
    """
    if ATTR_PRICES in data:
        found = read(data[ATTR_PRICES])
        return list(found.prices) if found else []
    if ATTR_PRICE_ENTITIES not in data:
        return None
    return prices_of(hass, data[ATTR_PRICE_ENTITIES], add=data[ATTR_PREFER] == HIGHEST)


def prices_of(
    hass: HomeAssistant, entity_ids: Collection[str], *, add: bool
) -> list[Price]:
    """Return the prices that entities have now, or the sum of their forecasts."""
    states = filter(None, map(hass.states.get, entity_ids))
    found = [
        (state, prices)
        for state in states
        if (prices := read(state.attributes, state.last_reported))
    ]
    if add and len(found) < len(entity_ids):
        return []  # a roof without its forecast
    _check_kinds(state.attributes.get(ATTR_UNIT_OF_MEASUREMENT) for state, _ in found)
    if add:
        _check_kinds(prices.field for _, prices in found)
    return _together([prices.prices for _, prices in found], add=add)


def _check_kinds(kinds: Iterable[str | None]) -> None:
    first, *others = dict.fromkeys(filter(None, kinds)) or [""]
    if others:
        raise refused("prices_units", first, others[0])


def _together(lists: Sequence[Sequence[Price]], *, add: bool) -> list[Price]:
    """Return one list of several. A price is that of one place, a forecast of one roof."""
    every = [price for prices in lists for price in prices]
    edges = sorted({price.start for price in every} | {price.end for price in every})
    found = []
    for start, end in pairwise(edges):
        values = [v for prices in lists if (v := price_at(prices, start)) is not None]
        if values:
            found.append(Price(start, end, sum(values) if add else values[-1]))
    return found
