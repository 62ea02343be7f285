"""Reads and checks diagnostics files; refuses those with private data.

A file comes from a stranger: a value that is not what it should be reads as absent.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
import json
from pathlib import Path
import re
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from custom_components.poolctl.report.masks import (
    masked_answer,
    masked_frame,
    masked_reply,
)

type Json = dict[str, Any]

_LATEST: Final = 4e9
"""Unix time, far beyond any report."""
_LARGEST: Final = 16 << 20
"""Bytes of a file; a report has about 100 KiB for each controller."""
_LONGEST: Final = 1000
"""Characters of a text that is no raw data: patterns take long for longer ones."""

FORMATS: Final = (1,)
"""Formats of diagnostics that can be read (`diagnostics.FORMAT`)."""
FOLDER: Final = Path(__file__).parent

_PRIVATE: Final = {
    "an e-mail address": re.compile(r"[\w.+-]+@[\w-]+\.\w+"),
    "an IP address": re.compile(
        r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\da-f]{1,4}(?::[\da-f]{0,4}){3,}"
    ),
    "a MAC address": re.compile(r"\b[\da-f]{2}(?:[:_-][\da-f]{2}){5}\b", re.IGNORECASE),
    "a key or token": re.compile(
        r"\beyJ[\w-]{8,}|\bBearer\s|\b[\da-f]{32,}\b|\b[\w+/-]{40,}={0,2}",
        re.IGNORECASE,
    ),
    "a host name": re.compile(
        r"https?://|\b[\w-]+\.(?:local|lan|home)\b", re.IGNORECASE
    ),
}
_HEX: Final = {"payload", "reply"}
"""Fields of frames and events that hold masked hex."""


_ROOT: Final = FOLDER.parents[1]
PAGES: Final = tuple(
    _ROOT / name
    for name in ("README.md", "docs/how-sure-we-are.md", "docs/protocol.md")
)
"""Pages that show how many owners have verified the integration, by firmware."""
_VERIFIED: Final = re.compile(
    r"(?<=<!-- verified -->).*?(?=<!-- /verified -->)", re.DOTALL
)


def verified(names: Iterable[str]) -> str:
    """Return how many owners have verified it, from the names of the kept files."""
    firmware = Counter(name.rpartition("-")[0] for name in names)
    versions = ", ".join(f"{version}: {n}" for version, n in sorted(firmware.items()))
    return f"**{firmware.total()}**" + (f" (firmware {versions})" if versions else "")


def write_verified(pages: Iterable[Path] = PAGES, folder: Path = FOLDER) -> bool:
    """Write that number into the pages; return whether any page changed."""
    text, changed = verified(path.stem for path in folder.glob("*.json")), False
    for page in pages:
        before = page.read_text(encoding="utf-8")
        after = _VERIFIED.sub(lambda match: text, before)
        changed |= after != before
        page.write_text(after, encoding="utf-8")
    return changed


class ReportError(Exception):
    """A file that cannot be used, and why."""


@dataclass(frozen=True, slots=True)
class Recorded:
    data: Json

    @property
    def at(self) -> float:
        try:
            at = datetime.fromisoformat(self.data["received_at"]).timestamp()
        except KeyError, TypeError, ValueError, OverflowError:
            at = number(self.data.get("at"))
        return min(max(at, 0.0), _LATEST)

    @property
    def event(self) -> str:
        return str(self.data.get("event"))

    @property
    def of(self) -> str:
        """Name of the query, action or endpoint, empty if there is none."""
        return str(self.data.get("of", ""))

    @property
    def payload(self) -> bytes:
        """The frame, or what was sent."""
        return _bytes(self.data.get("payload", "")) or b""

    @property
    def reply(self) -> bytes:
        return _bytes(self.data.get("reply", "")) or b""

    @property
    def text(self) -> str:
        return str(self.data.get("reply", ""))

    @property
    def json(self) -> Json:
        """The answer of the cloud, empty if it is not a whole JSON object."""
        try:
            answer = json.loads(self.text)
        except ValueError:
            return {}
        return answer if isinstance(answer, dict) else {}

    @property
    def error(self) -> str | None:
        """Kind of the error, `None` if there was none."""
        error = self.data.get("error")
        return None if error is None else str(error)

    @property
    def counter(self) -> int:
        return int(number(self.data.get("counter")))

    @property
    def lan(self) -> bool:
        cloud = self.data.get("route") == "cloud"
        return not (cloud or self.data.get("op") in ("GET", "POST"))


@dataclass(frozen=True, slots=True)
class Part:
    """One controller of a report, with what was recorded of its account."""

    data: Json
    account: tuple[Recorded, ...] = ()
    """Events of the account and of its sign-ins, the oldest first."""
    zone: str = ""
    """Time zone of Home Assistant."""
    anchors: Json = field(default_factory=dict)

    @property
    def accepted(self) -> list[str]:
        """Return the contradictions that the code allows for, entered by hand."""
        return [str(each) for each in _list(self.data.get("accepted"))]

    @property
    def firmware(self) -> str:
        """Return the firmware, or `unknown` if the file has no version number."""
        firmware = str(_object(self.data.get("record")).get("firmware"))
        known = re.fullmatch(r"\d{1,4}(\.\d{1,4}){0,3}", firmware, re.ASCII)
        return firmware if known else "unknown"

    @property
    def recording(self) -> list[Recorded]:
        return recorded(self.data.get("recording"))

    def events(self) -> list[Recorded]:
        """Return the events of the LAN, the oldest first, the last frame last."""
        frames = (self.data.get(name) for name in ("undecoded_frame", "last_frame"))
        last = [{"event": "frame", **_object(frame)} for frame in frames if frame]
        return [each for each in self.recording if each.lan] + recorded(last)

    def minute(self, at: float) -> float | None:
        """Return the minute of the day of a Unix time, `None` without a time zone."""
        try:
            local = datetime.fromtimestamp(at, ZoneInfo(self.zone))
        except ValueError, ZoneInfoNotFoundError, OSError:
            return None
        return local.hour * 60 + local.minute + local.second / 60

    @property
    def frames(self) -> list[bytes]:
        return [each.payload for each in self.events() if each.event == "frame"]

    @property
    def replies(self) -> dict[str, bytes]:
        return {
            each.of: each.reply
            for each in self.events()
            if each.event == "request" and each.reply
        }

    @property
    def commands(self) -> list[Recorded]:
        return [each for each in self.events() if each.event == "command"]


@dataclass(frozen=True, slots=True)
class Report:
    versions: Json
    parts: list[Part]


def read(path: Path, anchors: Json | None = None) -> Report:
    """Read a file; raise ReportError if it is not a report or has private data."""
    try:
        if path.stat().st_size > _LARGEST:
            raise ReportError("it is too large")
        whole = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as err:
        raise ReportError(f"it cannot be read: {err}") from None
    data = _object(whole).get("data", whole)
    if not isinstance(data, dict) or not isinstance(data.get("controllers", []), list):
        raise ReportError("it is not a diagnostics file of this integration")
    if data.get("format", 1) not in FORMATS:
        raise ReportError(f"its format is {data['format']}, known are {FORMATS}")
    if private := [*private_parts(data)]:
        raise ReportError("it holds private data: " + "; ".join(private[:5]))
    account = _object(data.get("account"))
    zone = str(_object(_object(whole).get("home_assistant")).get("timezone"))
    events = recorded(account.get("sign_in")) + recorded(account.get("recording"))
    parts = [
        Part(
            each,
            tuple(events),
            zone,
            anchors or _object(each.get("anchors")),
        )
        # After a failed sign-in there are no controllers, only answers of the service.
        for each in map(_object, data.get("controllers") or [{}])
    ]
    return Report(_object(data.get("versions")), parts)


def recorded(events: object) -> list[Recorded]:
    """Return the events of a list, without those that are none."""
    return [Recorded(each) for each in _list(events) if isinstance(each, dict)]


def number(value: object) -> float:
    """Return a number, 0 for anything else."""
    whole = isinstance(value, int | float) and abs(value) < 1 << 53
    return value if whole and isinstance(value, int | float) else 0.0


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def private_parts(value: object, path: str = "") -> Iterator[str]:
    """Yield the kind and place of each text that may be private."""
    if isinstance(value, Mapping):
        if "event" in value or {"counter", "payload"} <= value.keys():
            yield from _unmasked(value, path)
            value = {name: each for name, each in value.items() if name not in _HEX}
        for name, each in value.items():
            yield from private_parts(str(name), f"{path}.{name}")
            yield from private_parts(each, f"{path}.{name}")
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from private_parts(each, f"{path}[{index}]")
    elif isinstance(value, str) and len(value) > _LONGEST:
        yield f"a long text in {path}"
    elif isinstance(value, str):
        for what, pattern in _PRIVATE.items():
            if pattern.search(value):
                yield f"{what} in {path}"


def _unmasked(event: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the places of raw data in which the recorder would have masked text."""
    of, kind = str(event.get("of", "")), event.get("event", "frame")
    for name in _HEX & event.keys():
        text = str(event[name])
        if not Recorded(dict(event)).lan:
            sent = text.encode("utf-8", "replace")
            clean = masked_answer(sent).decode("utf-8", "replace") == text
        elif (data := _bytes(text)) is None:
            clean = False
        elif kind == "frame" or (kind == "command" and name == "reply"):
            clean = masked_frame(data) == data
        else:
            clean = masked_reply(of, data) == data
        if not clean:
            yield f"a text in {path}.{name}"


def _bytes(text: object) -> bytes | None:
    try:
        return bytes.fromhex(str(text))
    except ValueError:
        return None
