"""Reads and checks diagnostics files; refuses those with private data."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
import json
from pathlib import Path
import re
from typing import Any, Final

from custom_components.poolctl.observed.masks import (
    masked_answer,
    masked_frame,
    masked_reply,
)

type Json = dict[str, Any]

FORMATS: Final = (1,)
"""Formats of diagnostics that can be read (`diagnostics.FORMAT`)."""
FOLDER: Final = Path(__file__).parent
PARTS: Final = ("record", "state", "evidence", "recording", "last_frame", "issues")
"""Parts of a controller in a file of the current format."""

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


PAGES: Final = (FOLDER.parents[1] / "README.md", FOLDER.parents[1] / "docs/protocol.md")
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
        after = _VERIFIED.sub(text, before)
        changed |= after != before
        page.write_text(after, encoding="utf-8")
    return changed


class ReportError(Exception):
    """A file that cannot be used, and why."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event of a recording, with its raw data."""

    at: float
    """Unix time, s."""
    event: str
    of: str
    payload: bytes
    reply: bytes
    error: str | None
    counter: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """One controller of a report, with the evidence of its account."""

    data: Json
    evidence: Mapping[str, Json]
    missing: tuple[str, ...] = ()
    anchors: Json = field(default_factory=dict)

    @property
    def accepted(self) -> list[str]:
        """Return the contradictions that the code allows for, entered by hand."""
        return list(self.data.get("accepted", ()))

    @property
    def firmware(self) -> str:
        """Return the firmware, or `unknown` if the file has none."""
        return str(self.data.get("record", {}).get("firmware") or "unknown")

    def events(self) -> list[Recorded]:
        """Return the events of the LAN, the oldest first, the last frame last."""
        frames = (self.data.get(name) for name in ("undecoded_frame", "last_frame"))
        events = [event for event in self.data.get("recording", ()) if _lan(event)]
        events += [{"event": "frame", **frame} for frame in frames if frame]
        return [_recorded(event) for event in events]

    @property
    def frames(self) -> list[bytes]:
        """Return the recorded state frames, the oldest first."""
        return [each.payload for each in self.events() if each.event == "frame"]

    @property
    def replies(self) -> dict[str, bytes]:
        """Return the newest recorded reply to each query."""
        return {
            each.of: each.reply
            for each in self.events()
            if each.event == "request" and each.reply
        }

    @property
    def commands(self) -> list[Recorded]:
        """Return the recorded commands."""
        return [each for each in self.events() if each.event == "command"]


@dataclass(frozen=True, slots=True)
class Report:
    """A diagnostics file."""

    versions: Json
    parts: list[Part]
    missing: tuple[str, ...]
    """Top-level parts of the current format that this file lacks."""


def read(path: Path, anchors: Json | None = None) -> Report:
    """Read a file; raise ReportError if it is not a report or has private data."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as err:
        raise ReportError(f"it cannot be read: {err}") from None
    data = whole.get("data", whole) if isinstance(whole, dict) else None
    if not isinstance(data, dict) or not isinstance(data.get("controllers", []), list):
        raise ReportError("it is not a diagnostics file of this integration")
    if data.get("format", 1) not in FORMATS:
        raise ReportError(f"its format is {data['format']}, known are {FORMATS}")
    if private := [*private_parts(data)]:
        raise ReportError("it holds private data: " + "; ".join(private[:5]))
    account = data.get("account") or {}
    parts = [
        Part(
            each,
            {**account.get("evidence", {}), **each.get("evidence", {})},
            tuple(name for name in PARTS if name not in each),
            anchors or each.get("anchors", {}),
        )
        # After a failed sign-in there are no controllers, only answers of the service.
        for each in data.get("controllers") or [{}]
    ]
    lacking = [name for name in ("format", "versions", "account") if name not in data]
    return Report(data.get("versions", {}), parts, tuple(lacking))


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
    elif isinstance(value, str):
        for what, pattern in _PRIVATE.items():
            if pattern.search(value):
                yield f"{what} in {path}"


def _unmasked(event: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the places of raw data in which the recorder would have masked text."""
    of, kind = str(event.get("of", "")), event.get("event", "frame")
    for name in _HEX & event.keys():
        text = str(event[name])
        if not _lan(event):
            clean = masked_answer(text.encode()).decode("utf-8", "replace") == text
        elif (data := _bytes(text)) is None:
            clean = False
        elif kind == "frame" or (kind == "command" and name == "reply"):
            clean = masked_frame(data) == data
        else:
            clean = masked_reply(of, data) == data
        if not clean:
            yield f"a text in {path}.{name}"


def _lan(event: Mapping[str, Any]) -> bool:
    return not (event.get("route") == "cloud" or event.get("op") in ("GET", "POST"))


def _bytes(text: object) -> bytes | None:
    try:
        return bytes.fromhex(str(text))
    except ValueError:
        return None


def _recorded(event: Mapping[str, Any]) -> Recorded:
    return Recorded(
        at=_time(event),
        event=str(event.get("event")),
        of=str(event.get("of", "")),
        payload=_bytes(event.get("payload", "")) or b"",
        reply=_bytes(event.get("reply", "")) or b"",
        error=event.get("error"),
        counter=int(event.get("counter", 0)),
    )


def _time(event: Mapping[str, Any]) -> float:
    """Return when an event or a frame was recorded (Unix, s)."""
    if received := event.get("received_at"):
        return datetime.fromisoformat(received).timestamp()
    return float(event.get("at", 0.0))
