"""The figures on the pages are those of the code, and each of them is compared."""

from datetime import timedelta
from functools import cache
import re
from typing import Final

import pytest

from custom_components.poolctl.client import clock, lan
from custom_components.poolctl.client.control import live_state, poller, sender
from custom_components.poolctl.client.holds import HeatClaim, claims, pauses
from custom_components.poolctl.client.pool import queries, state
from custom_components.poolctl.client.pool.dosing import ACID
from custom_components.poolctl.client.pool.heating import POOL, SPA
from custom_components.poolctl.client.wire import schedule
from custom_components.poolctl.const import MIN_FIRMWARE
from custom_components.poolctl.devices.ranges import ORP_READING, PH_READING
from custom_components.poolctl.learned import (
    cooling,
    dosing,
    filter as clean_filter,
    preferences,
    read,
)
from custom_components.poolctl.learned.dosing import EFFECTS
from custom_components.poolctl.learned.steady import BANDS, DIFFERENCE_LASTS
from custom_components.poolctl.status import account, connection
from custom_components.poolctl.status.rows import Repair
from custom_components.poolctl.store import memory
from custom_components.poolctl.warm_by import blocks, outlook, request
from tests.devices.test_parts import MOST, MOST_OF_ITS_OWN
from tests.project.pages import DOCS, README
from tests.validation import Repository

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
HOURS = timedelta(hours=1)
OLDEST: Final = Repository(README.parent).load("hacs.json")["homeassistant"]

COMPARED: Final[tuple[tuple[str, str, object], ...]] = (
    ("README", "on your own network every {} seconds", poller.LAN_INTERVAL),
    ("README", "(firmware {} or later)", MIN_FIRMWARE),
    ("README", "| Home Assistant | {} or later. |", OLDEST),
    ("data", "**Every {} seconds**", poller.LAN_INTERVAL),
    ("data", "reads the cloud every {} seconds", poller.CLOUD_INTERVAL),
    ("data", "neither answers for {} seconds", live_state.MAX_AGE),
    ("data", "**Every {} minutes**", queries.QUERY_INTERVAL / MINUTE),
    ("data", "of the pump every {} minutes", queries.IDENTITY_INTERVAL / MINUTE),
    ("data", "at least {} mV", BANDS[1]),
    ("data", "mV, {} °C or", BANDS[2]),
    ("data", "two steps of pH ({})", BANDS[0]),
    ("data", "differs by {} L/min", BANDS[4]),
    ("data", "L/min, {} kPa", BANDS[5]),
    ("data", "after {} minutes if it differs by less", DIFFERENCE_LASTS / MINUTE),
    ("data", "checks it for {} seconds", sender.READ_BACK[-1]),
    ("data", "the cloud take {} seconds at most", sender.CLICK_PATIENCE + 1),
    ("setup", "(it lasts {} days)", account._SIGN_IN_LASTS.days),
    ("setup", "reads it only every {} seconds", live_state.MAX_AGE),
    ("setup", "have values again after {} days", dosing.ENOUGH.days),
    ("limits", "it is asked every {} seconds", poller.CLOUD_INTERVAL),
    ("limits", "holds at most {}.", schedule.MAX_SCHEDULES),
    ("limits", "gaps of more than {} seconds", live_state.MAX_AGE),
    ("limits", "at least {} kPa", clean_filter.MIN_PRESSURE),
    ("limits", "at least {} L/min", clean_filter.MIN_FLOW),
    ("limits", "need {} full days of readings", dosing.ENOUGH.days),
    ("limits", "the last {} days", dosing.WINDOW),
    ("limits", "each of which counts {} %", read.WEIGHT * 100),
    ("limits", "the sensors change every {} minutes", memory.PERIOD / MINUTE),
    ("limits", "rests of at least {} hours", cooling.REST / timedelta(hours=1)),
    ("holds", "at most {} hours", pauses.Pause.LONGEST / timedelta(hours=1)),
    ("holds", "after an {} *Status* reports", claims.OVERDUE),
    ("heating", "the water warm for {} hours", request.WARM_LASTS / timedelta(hours=1)),
    ("heating", "at most {} days ahead", request.AHEAD.days),
    ("heating", "to end {} minutes before", outlook.SPARE / timedelta(minutes=1)),
    ("heating", "assumes {} °C an hour for a spa", outlook.USUAL[SPA]),
    ("heating", "and {} °C for a pool", outlook.USUAL[POOL]),
    (
        "chemistry-and-filter",
        "clean filter after {} minutes",
        clean_filter.STEADY / MINUTE,
    ),
    ("chemistry-and-filter", "load every {} minutes", clean_filter.STEADY / MINUTE),
    (
        "chemistry-and-filter",
        "The default is {} %",
        preferences.Preferences().filter_limit,
    ),
    ("chemistry-and-filter", "is more than {} %", clean_filter.FAR),
    ("chemistry-and-filter", "% for {} days", clean_filter.LONG.days),
    ("heating", "at most {} hours before", outlook.LONGEST_HEATING[SPA] / HOURS),
    (
        "heating",
        "at most 6 hours before for a spa, and {} hours for a pool",
        outlook.LONGEST_HEATING[POOL] / HOURS,
    ),
    ("heating", "a heater begins {} hours", outlook.LONGEST_HEATING[SPA] / 2 / HOURS),
    (
        "heating",
        "begins 3 hours before for a spa, and {} hours for a pool",
        outlook.LONGEST_HEATING[POOL] / 2 / HOURS,
    ),
    ("repairs", "after it has lasted {} minutes", Repair().patience / MINUTE),
    ("troubleshooting", "For {} days, the pump has", clean_filter.LONG.days),
    (
        "data",
        "not valid for {} minutes of flowing",
        state._SETTLES / timedelta(minutes=1),
    ),
    ("dashboard", "After {} seconds only this card", live_state.MAX_AGE),
    ("troubleshooting", "did not use it for {} days", account._SIGN_IN_LASTS.days),
    ("troubleshooting", "carry it out within {} seconds", sender.READ_BACK[-1]),
    (
        "repairs",
        "then. This repair appears after {} minutes",
        connection._CLOCK_PATIENCE / MINUTE,
    ),
    (
        "entities",
        "(`duration`, default {} hours)",
        request.WARM_LASTS / timedelta(hours=1),
    ),
    ("entities", "fewer than {} schedules", schedule.MAX_SCHEDULES),
    (
        "repairs",
        "asks for the key every hour. This repair appears after {} minutes",
        connection._KEY_PATIENCE / MINUTE,
    ),
    (
        "repairs",
        "that Home Assistant runs on. This repair appears after {} minutes",
        connection._CLOCK_PATIENCE / MINUTE,
    ),
    (
        "repairs",
        "let Home Assistant search. This repair appears after {} minutes",
        connection._ADDRESS_PATIENCE / MINUTE,
    ),
    ("CONTRIBUTING", "A full pool has at most {} enabled entities", MOST),
    ("CONTRIBUTING", "the page of its controller at most {},", MOST_OF_ITS_OWN),
    ("dashboard", "which may take {} seconds", poller.LAN_INTERVAL),
    ("holds", "if that was more than {} days ago", clock.LONG_STOP.days),
    ("CHANGELOG", "on the local network every {} seconds", poller.LAN_INTERVAL),
    ("CHANGELOG", "reads the cloud every {} seconds", poller.CLOUD_INTERVAL),
    ("heating", "heat for a time, at most {} days", HeatClaim.LONGEST.days),
    ("heating", "in the {} hours before", blocks.AHEAD_OF_TIME / HOURS),
    ("data", "It waits {} seconds", lan.LAN_TIMEOUT),
    ("heating", "at most {} blocks", blocks.MAX_STARTS),
    ("repairs", "after {} doses that did not lower the pH", EFFECTS[ACID].doses),
    ("automations", "pH is good from {} below", PH_READING.below),
    ("automations", "to {} above the target, and ORP", PH_READING.above),
    ("automations", "ORP from {} mV below", ORP_READING.below),
    ("automations", "mV below to {} mV above", ORP_READING.above),
    ("automations", "Otherwise, {} to 7.8", PH_READING.usual.low),
    ("automations", "Otherwise, 7.0 to {} and", PH_READING.usual.high),
    ("automations", "and {} to 850 mV are good", ORP_READING.usual.low),
    ("automations", "and 600 to {} mV are good", ORP_READING.usual.high),
)
"""Page, words with {} for the figure, and the figure in the code."""

FREE: Final = (
    # percentages that the words define, and choices of a menu
    ("chemistry-and-filter", "At {} % the filter is clean"),
    ("chemistry-and-filter", "at {} % it resists twice"),
    ("dashboard", "for {} minutes or"),
    ("dashboard", "minutes or {} hours"),
    # measured in benchmarks/
    ("dashboard", "after about {} seconds"),
    ("data", "arrive within {} seconds"),
    ("data", "at most {} seconds after the controller"),
    # names of numbers that the installer entered, or examples of them
    ("entities", "or 40, 70 and {} %"),
    # of the controller (docs/protocol.md)
    ("heating", "for up to {} minutes. Meanwhile"),
    ("troubleshooting", "flowed for less than {} minutes"),
    ("README", "flowed for less than {} minutes"),
)
"""Page and words with a figure that no constant has."""

WORDS: Final = dict(
    zip(
        [
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "fourteen",
            "fifteen",
            "thirty",
            "hour",
        ],
        (*range(2, 11), 14, 15, 30, timedelta(hours=1)),
        strict=True,
    )
)


@cache
def words_of(page: str) -> str:
    folder = README.parent if page.isupper() else DOCS
    path = folder / f"{page}.md"
    return " ".join(path.read_text().split())


def figure(text: str) -> object:
    """Return the figure that a word or a number stands for."""
    if text in WORDS:
        return WORDS[text]
    return float(text) if re.fullmatch(r"\d+(?:\.\d+)?", text) else text


def matches(page: str, words: str) -> list[re.Match[str]]:
    """Return where a page has these words, with any figure."""
    before, after = map(re.escape, words.split("{}"))
    return [*re.finditer(rf"{before}([\w.]+?)\.?{after}", words_of(page))]


@pytest.mark.parametrize(("page", "words", "value"), COMPARED)
def test_a_figure(page: str, words: str, value: object) -> None:
    """A changed limit, wait or default is changed on its page, too."""
    found = matches(page, words)
    assert found, f"docs/{page}.md no longer has: {words}"
    assert {figure(each[1]) for each in found} == {value}


_FIGURE: Final = re.compile(
    rf"\b(?:\d+(?:\.\d+)?|{'|'.join(WORDS)}) "
    r"(?:seconds?|minutes?|hours?|days?|%|kPa|mV|°C|L/min)(?!\w)"
)


@pytest.mark.parametrize(
    "page",
    sorted(
        {page for page, *_ in COMPARED} - {"CHANGELOG", "CONTRIBUTING", "automations"}
    ),
)
def test_every_figure_is_compared(page: str) -> None:
    """A new figure is compared with the code, or is listed as one that is not of it."""
    known = [
        range(found.start(), found.end())
        for name, words in (*(row[:2] for row in COMPARED), *FREE)
        if name == page
        for found in matches(page, words)
    ]
    text = words_of(page)
    lost = [
        text[max(found.start() - 40, 0) : found.end() + 20]
        for found in _FIGURE.finditer(text)
        if not any(found.start() in span for span in known)
    ]
    assert not lost, f"{page}: add each to COMPARED or FREE: {lost}"
