"""Known lists of prices and forecasts: where each lies, and the names that it has.

This module is data. A list is recognised by these names alone; they are those of public
payloads. Of several names, separated by spaces, the first that an entry has counts. A
dot leads into an object, or to the amount with such a unit.
"""

from enum import StrEnum
from typing import Final, NamedTuple


class Kind(StrEnum):
    """What a value is."""

    PRICE = "price"
    POWER = "power"
    ENERGY = "energy of its period"
    RISING = "energy of the day until then"
    ASKED = "what a request asks for"


type Names = str | tuple[str, ...]
"""Names: separated by spaces, or as a user gave them, who may have one with spaces."""


class ListSource(NamedTuple):
    """A list, by its names."""

    title: str
    start: Names = ""
    """Name of the begin; empty where times have no name, as keys."""
    end: Names = ""
    """Name of the end or the duration; without one, an entry lasts until the next."""
    value: Names = ""
    kind: Kind = Kind.PRICE
    unit: str = ""
    """Unit of its values; empty if it is that of the entity."""
    at: Names = ""
    """Names under which it lies, and nowhere else; empty if those of its entries say enough."""

    @property
    def begin(self) -> Names:
        """Name of the time by which entries are known, which may be their end."""
        return self.start or self.end


_W, _KW, _WH = (Kind.POWER, "W"), (Kind.POWER, "kW"), (Kind.ENERGY, "Wh")
_DAYS: Final = "raw_today raw_tomorrow"
_START: Final = "start start_time start_timestamp from time datetime timestamp date"
_END: Final = "end end_time endTime end_timestamp till until"
_STAMPS: Final = "start_timestamp", "end_timestamp"
_KEYS: Final = "", "", ""
_RADIATION: Final = "global_tilted_irradiance shortwave_radiation"
_NODES: Final = "node.validFrom", "node.validTo"
_TIMES: Final = "start_time", "end_time"

KNOWN: Final = (
    ListSource("Amber Electric", "start_time startTime start", _END, "per_kwh perKwh"),
    ListSource("All-in prices", _START, _END, "all_in all_in_price allInPrice"),
    ListSource("aWATTar", *_STAMPS, "marketprice"),
    ListSource("elprisetjustnu.se", "time_start", "time_end", "SEK_per_kWh"),
    ListSource("EMHASS", "date", "", "unit_load_cost mpc_general_price"),
    ListSource("EMHASS", _START, _END, "price_eur_per_kwh"),
    ListSource("EMHASS", _START, _END, "p_pv_forecast mpc_pv_power", *_W),
    ListSource("Energi Data Service", "hour", "", "price"),
    ListSource("Energi Data Service", "HourUTC", "", "SpotPriceEUR"),
    ListSource("Energi Data Service", "TimeUTC", "", "DayAheadPriceEUR"),
    ListSource("Energy-Charts", "unix_seconds", "", "price"),
    ListSource("EnergyZero", "timestamp", "", "price"),
    ListSource("ENTSO-e", "time", "", "price"),
    ListSource(
        "EPEX Spot", *_TIMES, "price_per_kwh price_ct_per_kwh price_eur_per_mwh"
    ),
    ListSource("ESIOS", "datetime", "", "value"),
    ListSource("Frank Energie", "from", "till", "price"),
    ListSource("hvakosterstrommen.no", "time_start", "time_end", "NOK_per_kWh"),
    ListSource("Nord Pool", "start", "end", "value", at=_DAYS),
    ListSource("Octopus Energy", "start", "end", "value_inc_vat"),
    ListSource("Octopus Energy", "valid_from", "valid_to", "value_inc_vat"),
    ListSource("Octopus Energy", *_NODES, "node.unitRate node.value"),
    ListSource("OMIE", at="today_hours tomorrow_hours"),
    ListSource("PSE", "", "dtime_utc", "rce_pln"),
    ListSource("PVPC", at="price_ price_next_day_"),
    ListSource("spot-hinta.fi", "DateTime", "", "PriceWithTax"),
    ListSource("Strømligning", "date", "", "price.total"),
    ListSource(
        "Swiss tariffs of 2026",
        *_STAMPS,
        "integrated.CHF_kWh integrated.CHF/kWh vario_plus",
    ),
    ListSource("Tibber", "start_time", "", "price"),
    ListSource("Tibber", "startsAt", "", "total"),
    ListSource("Zonneplan", "datetime", "", "electricity_price"),
    ListSource("Forecast.Solar", *_KEYS, *_W, at="watts"),
    ListSource(
        "Forecast.Solar", *_KEYS, *_WH, at="wh_period wh_hours watt_hours_period"
    ),
    ListSource("Forecast.Solar", kind=Kind.RISING, unit="Wh", at="watt_hours"),
    ListSource("Hours of solar energy", "hour", "", "kwh", Kind.ENERGY, "kWh"),
    ListSource("Open-Meteo", "time", "", _RADIATION, *_W),
    ListSource(
        "Solcast", "period_start", "", "pv_estimate", *_KW, at="detailedForecast"
    ),
    ListSource("Solcast", "period_start", "", "pv_estimate", *_KW, at="detailedHourly"),
    ListSource("Solcast", "period_start", "", "pv_estimate", *_KW),
    ListSource("Solcast", "", "period_end", "pv_estimate", *_KW),
)
_BEGIN, _LASTS = "start period.start", "end period.end duration"
COMMON: Final = (
    ListSource("", _BEGIN, _LASTS, "price.amount price"),
    ListSource("", _BEGIN, _LASTS, "power", Kind.POWER),
    ListSource("", _BEGIN, _LASTS, "energy wh", Kind.ENERGY),
    ListSource("", _BEGIN, _LASTS, "value", Kind.ASKED),
    ListSource("", kind=Kind.ASKED),
)
"""The common form, which counts where no known list was found."""
TABLE: Final = (*KNOWN, *COMMON)
