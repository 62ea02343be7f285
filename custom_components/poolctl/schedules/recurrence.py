"""Conversion between schedules and calendar events, as values only.

A schedule repeats every week, without an end, by the wall clock. In RFC 5545 this is a
rule like `FREQ=WEEKLY;BYDAY=MO,TU`. Any other rule raises InvalidCommandError, whose
`reason` is the key of the message.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
import hashlib
import re

from ..client import InvalidCommandError
from ..client.pool import ALL_WEEK, Schedule, minute_of_day
from ..devices.parts import folded

_BYDAY = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_SPEED = re.compile(r"(\d+)\s*%")
_DAY = timedelta(days=1)


def format_rule(schedule: Schedule) -> str:
    """Return the recurrence rule of a schedule."""
    return f"FREQ=WEEKLY;BYDAY={','.join(_BYDAY[day] for day in schedule.days)}"


def parse_rule(rule: str | None, first: date) -> int:
    """Return the weekdays of a rule as bits, by default that of the first event."""
    if not rule:
        raise InvalidCommandError("no rule", reason="event_repeats_not")
    parts = dict(part.partition("=")[::2] for part in rule.upper().split(";"))
    if parts.keys() & {"COUNT", "UNTIL"}:
        raise InvalidCommandError("it ends", reason="event_repeats_ends")
    by_default = {"DAILY": ALL_WEEK, "WEEKLY": 1 << first.weekday()}
    frequency = parts.pop("FREQ", "")
    days = set(filter(None, parts.pop("BYDAY", "").split(",")))
    # The first day of the week makes no difference to weekly events.
    parts.pop("WKST", None)
    weekly = frequency in by_default and parts in ({}, {"INTERVAL": "1"})
    if not weekly or not days.issubset(_BYDAY):
        raise InvalidCommandError("not weekly", reason="event_repeats_otherwise")
    return sum(1 << _BYDAY.index(day) for day in days) or by_default[frequency]


def parse_window(start: date, end: date) -> tuple[int, int]:
    """Return the minutes after midnight of an event; an all-day one lasts all day."""
    first, last = _wall(start), _wall(end)
    if last - first > _DAY:
        raise InvalidCommandError("over a day", reason="event_too_long")
    return minute_of_day(first), minute_of_day(last)


def _wall(when: date) -> datetime:
    if isinstance(when, datetime):
        return when.replace(tzinfo=None, second=0, microsecond=0)
    return datetime.combine(when, time.min)


def make_uid(index: int, schedule: Schedule) -> str:
    """Return the UID of a schedule; another schedule at its index has another UID."""
    content = repr(schedule.content).encode()
    return f"{index}-{hashlib.blake2s(content, digest_size=8).hexdigest()}"


def format_description(name: str, speed: int) -> str:
    """Return an event's description: name of the equipment and pump speed in %."""
    return f"{name}\n{speed} %" if speed else name


def parse_description(
    text: str, names: Mapping[str, int | None], listed: Iterable[str]
) -> tuple[int | None, int | None]:
    """Return the slot and the speed in % from a text, `None` for each one missing.

    `names` maps every name of the equipment to its slot, `None` if several have it;
    `listed` are the names that the error message lists if the text contains no name.
    """
    words, slot = folded(text), None
    for name in sorted(names, key=len, reverse=True):
        if (found := _find(folded(name), words)) is not None:
            slot = names[name]
            unknown = slot is None
            # A name may contain numbers, so the speed is in the rest of the text.
            words = f"{words[: found.start()]} {words[found.end() :]}"
            break
    else:
        unknown = bool(_SPEED.sub("", words, count=1).strip())
    speed = _SPEED.search(words)
    if unknown:
        raise InvalidCommandError(
            "no such equipment", reason="event_equipment", names=", ".join(listed)
        )
    return slot, int(speed.group(1)) if speed else None


def _find(name: str, words: str) -> re.Match[str] | None:
    """Find a name in a text as whole words, and not as a speed."""
    end = r"(?!\w|\s*%)" if name[-1:].isdecimal() else r"(?!\w)"
    return re.search(rf"(?<!\w){re.escape(name)}{end}", words) if name else None
