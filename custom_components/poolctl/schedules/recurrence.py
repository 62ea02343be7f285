"""Schedules as calendar events, and calendar events as schedules: nothing but values.

A schedule repeats every week, for ever, by the wall clock. In RFC 5545 that is a rule
like `FREQ=WEEKLY;BYDAY=MO,TU`. Anything beyond that is refused with InvalidCommandError,
whose reason names the sentence.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
import hashlib
import re

from ..client.exceptions import InvalidCommandError
from ..client.schedule import ALL_WEEK, Schedule

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_SPEED = re.compile(r"(\d+)\s*%")
_DAY = timedelta(days=1)


# Rules


def format_rule(schedule: Schedule) -> str:
    """Return the recurrence rule of a schedule."""
    return f"FREQ=WEEKLY;BYDAY={','.join(WEEKDAYS[day] for day in schedule.days)}"


def parse_rule(rule: str | None, first: date) -> int:
    """Return the weekdays of a rule as bits; by default the one of the first event."""
    if not rule:
        raise InvalidCommandError("no rule", reason="event_repeats_not")
    parts = dict(part.partition("=")[::2] for part in rule.upper().split(";"))
    if parts.keys() & {"COUNT", "UNTIL"}:
        raise InvalidCommandError("it ends", reason="event_repeats_ends")
    by_default = {"DAILY": ALL_WEEK, "WEEKLY": 1 << first.weekday()}
    frequency = parts.pop("FREQ", "")
    days = set(filter(None, parts.pop("BYDAY", "").split(",")))
    # On which day weeks begin makes no difference to what happens every week.
    parts.pop("WKST", None)
    weekly = frequency in by_default and parts in ({}, {"INTERVAL": "1"})
    if not weekly or not days.issubset(WEEKDAYS):
        raise InvalidCommandError("not weekly", reason="event_repeats_otherwise")
    return sum(1 << WEEKDAYS.index(day) for day in days) or by_default[frequency]


# Times


def parse_window(start: date, end: date) -> tuple[int, int]:
    """Return the wall-clock times of an event as minutes after midnight.

    An event of a whole day is a schedule of a whole day; seconds are left out.
    """
    first, last = _wall(start), _wall(end)
    if last - first > _DAY:
        raise InvalidCommandError("over a day", reason="event_too_long")
    return first.hour * 60 + first.minute, last.hour * 60 + last.minute


def _wall(when: date) -> datetime:
    if isinstance(when, datetime):
        return when.replace(tzinfo=None, second=0, microsecond=0)
    return datetime.combine(when, time.min)


# Identity


def make_uid(index: int, schedule: Schedule) -> str:
    """Return the identifier of a schedule: another one at its index has another."""
    content = repr(schedule.content).encode()
    return f"{index}-{hashlib.blake2s(content, digest_size=8).hexdigest()}"


def find_uid(
    uid: str, schedules: Mapping[int, Schedule]
) -> tuple[int, Schedule] | None:
    """Return the schedule that a page showed by an identifier, `None` if it is gone."""
    for index, schedule in schedules.items():
        if make_uid(index, schedule) == uid:
            return index, schedule
    return None


# Equipment


def format_description(name: str, speed: int) -> str:
    """Return what an event says of its equipment and of the pump's speed in %."""
    return f"{name}\n{speed} %" if speed else name


def parse_description(
    text: str, names: Mapping[str, int], listed: Iterable[str]
) -> tuple[int | None, int | None]:
    """Return the slot and the speed in % of a text, `None` for what it does not say.

    `names` maps every name of the equipment to its slot; `listed` are those that a
    person is informed where none of them is found.
    """
    words, slot = _words(text), None
    for name in sorted(names, key=len, reverse=True):
        if (found := _find(_words(name), words)) is not None:
            slot = names[name]
            # A name may hold numbers, too: what is left of the text has the speed.
            words = f"{words[: found.start()]} {words[found.end() :]}"
            break
    speed = _SPEED.search(words)
    if slot is None and _SPEED.sub("", words, count=1).strip():
        raise InvalidCommandError(
            "no such equipment", reason="event_equipment", names=", ".join(listed)
        )
    return slot, int(speed.group(1)) if speed else None


def _words(text: str) -> str:
    return " ".join(text.casefold().split())


def _find(name: str, words: str) -> re.Match[str] | None:
    """Find a name among words, and not as a part of one, nor as a speed."""
    end = r"(?!\w|\s*%)" if name[-1:].isdecimal() else r"(?!\w)"
    return re.search(rf"(?<!\w){re.escape(name)}{end}", words) if name else None
