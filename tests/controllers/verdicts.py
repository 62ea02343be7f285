"""Whether a recording agrees with the assumptions of docs/protocol.md.

Each check yields the name of an assumption and what was observed instead, empty if it is
as assumed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
import json
from pathlib import Path
import re
from typing import Any, Final

from custom_components.poolctl.client.wire.commands import (
    ACID_KEYS,
    CHLORINATOR_KEYS,
    CHLORINE_KEYS,
    CHLORINE_SETTINGS,
    HEATING_QUERY,
    LIGHTS_QUERY,
    PH_SETTINGS,
    PROBE_CHANNELS,
    SELECTED,
    DosingKeys,
    decode_json,
    decode_schedules,
    string_spans,
)
from custom_components.poolctl.client.wire.equipment import MAX_SLOTS
from custom_components.poolctl.client.wire.exceptions import FrameError, ReplyError
from custom_components.poolctl.client.wire.frame import (
    CONFIGURATION_HEAD,
    FRAME_VERSIONS,
    MODE_OFF,
    POSSIBLE_MODES,
    SCHEDULE_MODES,
    TELEMETRY_HEAD,
    TIMER,
    StateFrame,
    Telemetry,
    decode_frame,
    sections,
    telemetry_size,
)
from custom_components.poolctl.client.wire.schedule import DAY, Schedule

from .report import Part, Recorded

ASSUMPTIONS: Final[Mapping[str, str]] = {
    "envelope": "version 1, hex, a tag that verifies",
    "counter_out": "a request is accepted when it is signed with the Unix time",
    "counter_frames": "the counter of state frames never goes back",
    "frame_version": "state frames have version 1",
    "frame_sections": "three sections that fill the frame",
    "telemetry_length": "49 bytes and the slots",
    "configuration_length": "90 bytes and the slots",
    "timers_length": "1 byte and 5 for each timer",
    "flags": "only documented bits are set",
    "modes": "modes are 0 to 20 or 99",
    "aux_types": "there are at most 37 slots",
    "schedule_number": "a mode is the position of a schedule in use",
    "schedule_times": "a schedule begins at its time, in the time zone of Home Assistant",
    "schedule_midnight": "a schedule that ends before it starts goes on after midnight",
    "reply_lengths": "replies to queries end where their layout does",
    "reply_keys": "replies in JSON have the keys that are used",
    "heating_keys": "`v2_temp_get` has all that is written back",
    "aux_reply": "the reply to `aux` shows the output switched",
    "aux_held": "the override bit follows the third byte of `aux`",
    "cmd_reply": "the reply to `cmd` has no configuration",
    "busy": "after `busy`, nothing has run",
    "dashboard_fields": "the dashboard has the fields that are read",
    "dry_run_status": "the dashboard's dry run is 1, 3 or 4",
    "online": "the dashboard of a controller that is reported offline does not change",
    "cloud_reads": "the observed reads are offered, with their data",
    "cloud_writes": "the observed writes are offered",
    "write_status": "a write is answered with 200 `SUCCESS`",
    "silence": "a controller that does not answer is reported by 504",
    "key_form": "the key is `key_hex`, 32 characters",
    "inventory": "the sites list controllers",
    "userinfo": "`userinfo` has `sub`",
    "dead_access_token": "an access token that ended is refused by 401",
    "refused_grant": "the token endpoint refuses by 400 or 401",
    "refresh_rotation": "a renewal brings a new refresh token",
    "retry_after": "a 429 in JSON has a time to wait, of at most 60 s",
}
"""The text of each assumption, by the name that docs/protocol.md gives it."""

PAGE: Final = Path(__file__).parents[2] / "docs" / "protocol.md"
_IDS: Final = re.compile(r"`(\w+)`")
MASKED: Final = b"xxx"
"""Bytes that the recorder writes in place of text (report/masks.py)."""

type Seen = Iterator[tuple[str, str]]


class Outcome(StrEnum):
    """Whether a report agrees with an assumption."""

    AGREES = "agrees"
    CONTRADICTS = "contradicts"
    NOT_OBSERVED = "not observed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one assumption, the observed values, and its row of the page."""

    assumption: str
    outcome: Outcome
    observed: tuple[str, ...]
    row: str


def rows() -> list[list[str]]:
    """Return part, mark and evidence of each row that a report may prove."""
    found, section = [], PAGE.read_text().split("## What a report can prove")[1]
    for line in section.split("\n## ")[0].splitlines():
        if line.startswith("| ") and not line.startswith(("| Part", "| ---")):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            found.append([cells[0], cells[1], cells[-1]])
    return found


def ids(evidence: str) -> list[str]:
    return _IDS.findall(evidence)


def verdicts(part: Part) -> list[Verdict]:
    """Return the verdict of each assumption, those of the LAN first."""
    names = {name: part for part, _, evidence in rows() for name in ids(evidence)}
    seen: dict[str, dict[str, None]] = {}
    for check in _CHECKS:
        for name, words in check(part):
            seen.setdefault(name, {})[words] = None
    found = []
    for name in ASSUMPTIONS:
        instead = tuple(filter(None, seen.get(name, ())))
        outcome = Outcome.AGREES if name in seen else Outcome.NOT_OBSERVED
        if instead:
            outcome = Outcome.CONTRADICTS
        row = names.get(name, "how a command is confirmed")
        found.append(Verdict(name, outcome, instead, row))
    return found


# On the LAN


def _envelopes(part: Part) -> Seen:
    counter: int | None = None
    answered = set[str]()
    for event in part.recording:
        if event.event == "frame":
            yield "envelope", ""
            if counter is not None:
                same = "the same again" if event.counter == counter else "a lower one"
                yield "counter_frames", same if event.counter <= counter else ""
            counter = event.counter
        elif not event.lan or event.of == "":
            continue
        elif event.error == "SignatureError":
            yield "envelope", "a tag that does not verify"
        elif event.error == "EnvelopeError":
            yield "envelope", "another form"
        elif event.error is None or event.error == "ReplayError":
            yield "counter_out", ""
            answered.add(event.of)
        elif event.error == "DeclinedError" and event.event == "request":
            again = event.of in answered
            yield "counter_out", f"{event.of} is refused later" if again else ""


def _frames(part: Part) -> Seen:
    """Check all frames without masked text: the bytes of others mean nothing."""
    records: Sequence[Schedule] = ()
    for event in part.events():
        if event.of == "schedules" and event.reply:
            records = _records(event.reply)
        elif event.event == "frame" and MASKED not in event.payload:
            yield from check_frame(event.payload, records)


def check_frame(payload: bytes, records: Sequence[Schedule] = ()) -> Seen:
    """Check a verified frame, and its modes against the records of schedules."""
    if len(payload) < 2:
        yield "frame_sections", f"{len(payload)} bytes"
        return
    version = payload[0]
    yield "frame_version", "" if version in FRAME_VERSIONS else f"version {version}"
    try:
        frame, (telemetry, configuration, timers, end) = (
            decode_frame(payload),
            sections(payload),
        )
    except FrameError:
        yield "frame_sections", "a section runs past the end"
        return
    unknown, more = payload[1] & ~(1 | 2 | 4), len(payload) - end
    yield "frame_sections", f"mask bits {unknown:#04x}" if unknown else ""
    yield "frame_sections", f"{more} bytes after the sections" if more else ""
    if telemetry is not None and frame.telemetry is not None:
        yield _slots(telemetry, TELEMETRY_HEAD, telemetry_size, "telemetry")
        yield from _check_telemetry(frame.telemetry, records)
    if configuration is not None:
        head = CONFIGURATION_HEAD
        yield _slots(configuration, head, lambda slots: head + slots, "configuration")
        slots = len((frame.configuration and frame.configuration.aux_types) or ())
        yield "aux_types", f"{slots} slots" if slots > MAX_SLOTS else ""
    if timers is not None:
        size = 1 + int.from_bytes(timers[:1]) * TIMER.size
        yield "timers_length", _other_length(timers, size)


def _slots(
    section: bytes, head: int, size: Callable[[int], int], name: str
) -> tuple[str, str]:
    """Check the length of a section whose head ends with the number of slots."""
    if len(section) < head:
        return f"{name}_length", f"{len(section)} bytes"
    return f"{name}_length", _other_length(section, size(section[head - 1]))


def _other_length(section: bytes, size: int) -> str:
    same = len(section) == size
    return "" if same else f"{len(section)} bytes instead of {size}"


_LISTED: Final = {"flags": 0b1110_1100_0011_1111, "flags2": 0b1_1111_1111}
"""The bits that the page lists; some of them are not used."""


def _check_telemetry(decoded: Telemetry, records: Sequence[Schedule]) -> Seen:
    for name, value in (("flags", decoded.flags), ("flags2", decoded.flags2)):
        if value is not None:
            bits = value & ~_LISTED[name]
            yield "flags", f"{name} {bits:#06x}" if bits else ""
    modes = {*(decoded.aux_modes or ())}
    yield "modes", ", ".join(f"mode {mode}" for mode in sorted(modes - POSSIBLE_MODES))
    used = [number for number, each in enumerate(records, 1) if each.used]
    for mode in sorted(modes & {*SCHEDULE_MODES} if used else ()):
        wrong = mode not in used
        yield "schedule_number", f"number {mode} of {used}" if wrong else ""


def _schedules(part: Part) -> Seen:
    """Check when schedules begin and go on, between two frames without a gap."""
    records: Sequence[Schedule] = ()
    before: tuple[float, Telemetry] | None = None
    for event in part.recording:
        if event.of == "schedules" and event.reply:
            records, before = _records(event.reply), None
        elif event.event != "frame":
            before = before if event.error is None else None
        elif (telemetry := _telemetry(event.payload)) is not None:
            if before is not None and event.at - before[0] <= _GAP:
                yield from _runs(part, records, before, (event.at, telemetry))
            before = event.at, telemetry


_GAP: Final = 330.0
"""Seconds; while a frame is unchanged, it is recorded every five minutes."""


def _runs(
    part: Part,
    records: Sequence[Schedule],
    before: tuple[float, Telemetry],
    now: tuple[float, Telemetry],
) -> Seen:
    passed = (now[0] - before[0]) / 60
    minute = part.minute(now[0])
    held = {*(before[1].held_slots or ()), *(now[1].held_slots or ())}
    pairs = zip(before[1].aux_modes or (), now[1].aux_modes or (), strict=False)
    for slot, (was, mode) in enumerate(pairs):
        number = max(was, mode) if mode in (was, MODE_OFF) or was == MODE_OFF else 0
        if minute is None or slot in held or not 0 < number <= len(records):
            continue
        schedule = records[number - 1]
        if was == MODE_OFF and schedule.used:
            late = round((minute - schedule.start + DAY / 2) % DAY - DAY / 2)
            yield "schedule_times", "" if abs(late) < 3 else f"{late} min late"
        elif schedule.stop >= DAY + 20:
            if mode == MODE_OFF and min(minute, DAY - minute) <= 2:
                yield "schedule_midnight", "it ended at midnight"
            elif mode == was and minute - passed < 10 <= minute < schedule.stop - DAY:
                yield "schedule_midnight", ""


def _doser(keys: DosingKeys) -> tuple[str, ...]:
    used = keys.desired, keys.enabled, keys.size, keys.remaining, keys.doses
    return tuple(filter(None, used))


_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    PH_SETTINGS.query: _doser(ACID_KEYS),
    CHLORINE_SETTINGS.query: (*_doser(CHLORINATOR_KEYS)[:2], *_doser(CHLORINE_KEYS)),
    LIGHTS_QUERY: tuple(
        f"g_{group}_light_{what}"
        for group in ("pool", "spa")
        for what in ("type_mode", "mode")
    ),
}


def _replies(part: Part) -> Seen:
    for name, payload in part.replies.items():
        if name in ("aux_names", "pump_id", "schedules"):
            try:
                more = len(payload) - string_spans(name, payload)[1]
            except ReplyError:
                yield "reply_lengths", f"{name} ends too early"
            else:
                yield "reply_lengths", f"{name}: {more} more bytes" if more else ""
        elif name in (HEATING_QUERY, *_KEYS):
            kind = "heating_keys" if name == HEATING_QUERY else "reply_keys"
            try:
                answer: Any = decode_json(payload)
            except ReplyError:
                yield kind, f"{name}: no JSON object"
                continue
            lacks = (
                _heating(answer)
                if name not in _KEYS
                else _without(answer, *_KEYS[name])
            )
            yield kind, ", ".join(f"{name} {what}" for what in lacks)


def _without(answer: Any, *wanted: str) -> list[str]:
    fields = answer if isinstance(answer, dict) else {}
    return [f"without {name}" for name in wanted if name not in fields]


def _heating(answer: Mapping[str, Any]) -> list[str]:
    """Return the keys that `v2_temp_set` needs and the reply to `v2_temp_get` lacks."""
    listed = answer.get("temperature")
    entries = (
        [each for each in listed if isinstance(each, dict)]
        if isinstance(listed, list)
        else []
    )
    bodies = {each.get("category"): each for each in entries}
    return [
        *_without(answer, *PROBE_CHANNELS),
        *_without(bodies.get("pool"), "target_temp", *SELECTED.values()),
        *(f"{what} of the spa" for what in _without(bodies.get("spa"), "target_temp")),
    ]


def _actions(part: Part) -> Seen:
    """Check that the frame in the reply to an action shows it, and what `busy` meant."""
    recording, before = part.recording, None
    waiting: bytes | None = None
    for event, following in zip_longest(recording, recording[1:]):
        if event.event == "frame":
            telemetry = _telemetry(event.payload)
            done = following and following.event == "command" and not following.error
            if waiting and telemetry and not done:
                ran = _shows(telemetry, waiting) and not _shows(before, waiting)
                yield "busy", "it had run" if ran else ""
                waiting = None
            before = telemetry or before
        elif event.event == "command" and event.lan and event.of in ("aux", "cmd"):
            busy = event.of == "aux" and event.error == "LanBusyError"
            waiting = event.payload if busy and len(event.payload) == 3 else None
            yield from _check_action(event)


def _check_action(event: Recorded) -> Seen:
    if (frame := _frame(event.reply)) is None:
        return
    if event.of == "cmd":
        yield "cmd_reply", "it has" if frame.configuration else ""
    elif frame.telemetry is not None and len(event.payload) == 3:
        slot, on, held = event.payload
        modes = frame.telemetry.aux_modes or ()
        if slot < len(modes) and (on or held):
            same = (modes[slot] != MODE_OFF) is bool(on)
            yield "aux_reply", "" if same else f"mode {modes[slot]} after {on}"
        if slot < len(modes) and frame.telemetry.held_slots is not None:
            bit = slot in frame.telemetry.held_slots
            same = bit is bool(held)
            yield "aux_held", "" if same else f"bit {int(bit)} after {on}, {held}"


def _shows(telemetry: Telemetry | None, payload: bytes) -> bool:
    slot, on, _ = payload
    modes = (telemetry and telemetry.aux_modes) or ()
    return slot < len(modes) and (modes[slot] != MODE_OFF) is bool(on)


def _frame(payload: bytes) -> StateFrame | None:
    try:
        return decode_frame(payload) if MASKED not in payload else None
    except FrameError:
        return None


def _telemetry(payload: bytes) -> Telemetry | None:
    return frame.telemetry if (frame := _frame(payload)) else None


def _records(payload: bytes) -> Sequence[Schedule]:
    try:
        return decode_schedules(payload)
    except ReplyError:
        return ()


# In the cloud

_DASHBOARD: Final = (
    *("actual_ph", "actual_orp", "d_ph", "d_orp_mineral", "actual_pump_speed"),
    *("actual_flow_rate", "main_pump_status", "heater_state", "chemistry_stable"),
    *("actual_pressure", "ph_switch_status", "orp_switch_status", "solar_state"),
    *("spa_heater_state", "dry_run_status"),
)
_READS: Final[Mapping[str, tuple[str, ...]]] = {
    "auxInfo": ("manual",),
    "ambientTemp": ("ambientTemp",),
    "chemistryCard": ("phSettings", "chlorineSettings"),
    "pumpInfo": ("pump",),
    "scheduleInfo": ("scheduleInfo",),
}
"""Expected keys in the data of each observed read."""


def _cloud(part: Part) -> Seen:
    for event in part.recording:
        if event.lan or event.event not in ("request", "command"):
            continue
        status = event.data.get("status")
        if event.error == "NotOfferedError":
            kind = "cloud_reads" if event.of in _READS else "cloud_writes"
            if event.of in _READS or event.event == "command":
                yield kind, f"{event.of}: HTTP {status}"
        elif event.error == "ServiceError":
            failed = " FAILED" if status == 200 else ""
            yield "silence", "" if status == 504 else f"HTTP {status}{failed}"
        elif event.event == "command" and event.error in (None, "UnconfirmedError"):
            word = event.json.get("status", "missing")
            good = status == 200 and word == "SUCCESS"
            yield "write_status", "" if good else f"HTTP {status} {json.dumps(word)}"
            yield "cloud_writes", ""
        elif status == 200 and event.of == "envelope-key":
            yield "key_form", _key(event.json.get("data"))
        elif event.error is None and event.json:
            yield from _read(event.of, event.json.get("data"))


def _key(data: Any) -> str:
    texts = {
        name: len(value)
        for name, value in (data.items() if isinstance(data, dict) else ())
        if isinstance(value, str)
    }
    if texts.get("key_hex") == 32:
        return ""
    return (
        ", ".join(f"{name}: {size} characters" for name, size in texts.items())
        or "no text"
    )


def _read(name: str, data: Any) -> Seen:
    if name == "dashboardInfo" and isinstance(data, dict):
        dashboard = data.get("dashboard")
        yield "dashboard_fields", ", ".join(_without(dashboard, *_DASHBOARD))
        if isinstance(dashboard, dict) and "dry_run_status" in dashboard:
            status = dashboard["dry_run_status"]
            yield "dry_run_status", "" if status in (1, 3, 4) else str(status)
    elif name in _READS:
        lacks = _without(data, *_READS[name])
        if name == "scheduleInfo" and re.search(
            r'"schedule_num": 0\b', json.dumps(data)
        ):
            lacks.append("a number below 1")
        yield "cloud_reads", ", ".join(f"{name} {what}" for what in lacks)


def _online(part: Part) -> Seen:
    online: object = True
    dashboard = ""
    for event in part.recording:
        if event.event == "change" and event.data.get("what") == "online":
            online = event.data.get("to")
            yield "online", "not reported" if online is None else ""
        elif event.of == "dashboardInfo" and event.error is None:
            if online is False and dashboard not in ("", event.text):
                yield "online", "offline, and the dashboard changes"
            dashboard = event.text


def _account(part: Part) -> Seen:
    for event in part.account:
        what, status = event.data.get("what", event.of), event.data.get("status")
        sites = (event.json.get("data") or {}).get("sites")
        refused = event.error not in (
            None,
            "UnreachableError",
            "ServiceError",
            "BusyError",
        )
        if what == "access":
            to = event.data.get("to")
            yield "dead_access_token", "" if to == 401 else f"HTTP {to}"
        elif event.event == "token_answer" and event.error == "AuthenticationError":
            yield "refused_grant", "" if status in (400, 401) else f"HTTP {status}"
        elif event.event == "token_answer" and event.error is None:
            if event.data.get("grant") == "refresh_token":
                yield (
                    "refresh_rotation",
                    "" if event.data.get("rotated") else "none came",
                )
        elif what == "sites" and event.error is None and event.json:
            devices = [each.get("device_list") for each in sites or ()]
            yield "inventory", "" if any(devices) else "empty"
        elif what == "userinfo" and (refused or (event.error is None and event.json)):
            yield (
                "userinfo",
                event.error or ("" if "sub" in event.json else "without sub"),
            )


def _waits(part: Part) -> Seen:
    for event in (*part.recording, *part.account):
        if event.data.get("status") == 429 and event.json:
            message = str(event.json.get("message"))
            wait = re.search(
                r"retry after (\d+|1m0)s|too many pending", message, re.IGNORECASE
            )
            good = wait and (wait[1] in (None, "1m0") or int(wait[1]) <= 60)
            yield "retry_after", "" if good else wait[0] if wait else "no such time"


_CHECKS: Final = (
    *(_envelopes, _frames, _schedules, _replies, _actions),
    *(_cloud, _online, _account, _waits),
)
