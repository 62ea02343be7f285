"""Judges of what the service says (`docs/protocol.md`)."""

from collections.abc import Callable, Container, Mapping
from http import HTTPStatus
import re
from typing import Final

from ..cloud_answers import FAILED, SUCCESS, Inventory, check_write
from ..exceptions import NotOfferedError, PoolctlError, ServiceError, UnconfirmedError
from ..http import Response
from ..json_values import Answer, list_of, object_of
from .ledger import SERVICE, Bet, Evidence, Ledgers, field_name, missing

_DEVICE = re.compile(r"/device/([0-9A-F_]+)/(\w[\w-]*)$")
_WAIT = re.compile(r"retry after\s*(-?[0-9hms. ]{1,16})", re.IGNORECASE)
_PUBLISHED_WAIT = re.compile(r"1m0s|60s|[1-5]?\ds")
_STATUS = re.compile(r"[A-Za-z_]{1,20}")
_LONGEST_HEADER = 60
"""s that `Retry-After` asks for at most (interface.md 7.1)."""

_DASHBOARD = (
    "actual_ph",
    "actual_orp",
    "d_ph",
    "d_orp_mineral",
    "actual_pump_speed",
    "actual_flow_rate",
    "main_pump_status",
    "heater_state",
    "chemistry_stable",
)
"""Published (interface.md 2.5)."""
_DASHBOARD_MORE = (
    "actual_pressure",
    "ph_switch_status",
    "orp_switch_status",
    "solar_state",
    "spa_heater_state",
    "dry_run_status",
)
_DRY_RUN: Container[object] = (1, 3, 4)
_READS: Final[Mapping[str, tuple[str, ...]]] = {
    "auxInfo": ("manual",),
    "ambientTemp": ("ambientTemp",),
    "chemistryCard": ("phSettings", "chlorineSettings"),
    "pumpInfo": ("pump",),
    "scheduleInfo": ("scheduleInfo",),
}
"""What the data of an observed read holds (layouts.md 5)."""


class CloudJudge:
    """Looks at what passes by, and asks for nothing."""

    def __init__(self, ledgers: Ledgers) -> None:
        """Write into these ledgers."""
        self._ledgers = ledgers
        self._service: Evidence = ledgers[SERVICE]

    # Any answer

    def reading[T](
        self, path: str, response: Response, read: Callable[[Response], T]
    ) -> T:
        """Return what is read of an answer, and judge how it was said."""
        if response.status == HTTPStatus.TOO_MANY_REQUESTS:
            self._service.judge(Bet.RETRY_AFTER, *_odd_wait(response))
        try:
            found = read(response)
        except PoolctlError as err:
            self._failed(path, response, err)
            raise
        if read is check_write:
            self._written(path, response)
        return found

    def renewed(self, refused: Response, newer: Response) -> None:
        """Judge how a token was refused that another one took the place of."""
        if newer.status < HTTPStatus.MULTIPLE_CHOICES:
            status = refused.status
            told = status != HTTPStatus.UNAUTHORIZED
            self._service.judge(Bet.DEAD_ACCESS, *[f"HTTP {status}"] * told)

    def _failed(self, path: str, response: Response, error: PoolctlError) -> None:
        """Judge an answer that is an error."""
        evidence, endpoint = self._of(path)
        if evidence is None:
            return
        if isinstance(error, NotOfferedError) and endpoint in _READS:
            evidence.judge(Bet.CLOUD_READS, f"{endpoint}: HTTP 404")
        elif isinstance(error, NotOfferedError):
            evidence.judge(Bet.CLOUD_WRITES, f"{endpoint}: HTTP 404")
        elif isinstance(error, UnconfirmedError):
            evidence.judge(Bet.WRITE_STATUS, _status(response))
        elif isinstance(error, ServiceError):
            status = response.status
            told = status != HTTPStatus.GATEWAY_TIMEOUT
            seen = f"HTTP {status}" + (f" {FAILED}" if status < 300 else "")
            evidence.judge(Bet.SILENCE, *[seen] * told)

    def _written(self, path: str, response: Response) -> None:
        """Judge the answer to a write that was done."""
        evidence, _ = self._of(path)
        if evidence is not None:
            told = response.status != HTTPStatus.OK
            evidence.judge(Bet.CLOUD_WRITES)
            evidence.judge(Bet.WRITE_STATUS, *[_status(response)] * told)

    def _of(self, path: str) -> tuple[Evidence | None, str]:
        """Return the evidence of the controller that a path names, and the endpoint."""
        if (found := _DEVICE.search(path)) is None:
            return None, ""
        return self._ledgers[found[1]], found[2]

    # What certain answers hold

    def dashboard(self, device_id: str, dashboard: Answer) -> None:
        """Judge the fields of a dashboard."""
        evidence = self._ledgers[device_id]
        known = (*_DASHBOARD, *_DASHBOARD_MORE)
        evidence.judge(Bet.DASHBOARD_FIELDS, *missing(dashboard, known))
        more = sorted(map(field_name, dashboard.keys() - set(known)))
        evidence.note(Bet.DASHBOARD_FIELDS, *more)
        status = dashboard.get("dry_run_status")
        if isinstance(status, int):
            told = status not in _DRY_RUN
            evidence.judge(Bet.DRY_RUN_STATUS, *[str(int(status))] * told)

    def reached(self, device_id: str, online: bool | None, *, changed: bool) -> None:
        """Judge what was said of `online` by whether the dashboard has changed."""
        evidence = self._ledgers[device_id]
        if online is None:
            evidence.judge(Bet.ONLINE, "not told")
        elif online or not changed:
            evidence.judge(Bet.ONLINE)
        else:
            evidence.judge(Bet.ONLINE, "offline, and the dashboard changes")

    def read(self, device_id: str, endpoint: str, data: Answer) -> None:
        """Judge the data of an observed read."""
        lacks = missing(data, _READS.get(endpoint, ()))
        if endpoint == "scheduleInfo":
            entries = list_of(object_of(data, endpoint), "schedules")
            numbers = [entry.get("schedule_num") for entry in entries]
            lacks += ["a number below 1"] * (0 in numbers)
        seen = (f"{endpoint} {what}" for what in lacks)
        self._ledgers[device_id].judge(Bet.CLOUD_READS, *seen)

    def key(self, device_id: str, data: Answer) -> None:
        """Judge the form of an envelope key, of which nothing is kept."""
        text = data.get("key_hex")
        known = isinstance(text, str) and re.fullmatch("[0-9a-fA-F]{32}", text)
        forms = (
            f"{field_name(name)}: {len(value)} characters"
            for name, value in data.items()
            if isinstance(value, str)
        )
        seen = [] if known else sorted(forms) or ["no text"]
        self._ledgers[device_id].judge(Bet.KEY_FORM, *seen)

    def copied(self, device_id: str) -> Callable[[bool], None]:
        """Return what judges whether a write was to be seen in a read in time."""
        evidence = self._ledgers[device_id]
        old = "not shown after 35 s"
        return lambda seen: evidence.judge(Bet.COPY_AGE, *[old] * (not seen))

    # The account

    def inventory(self, inventory: Inventory) -> None:
        """Judge whether all of an inventory was understood."""
        seen = ["a part is not understood"] * (not inventory.complete)
        seen += ["empty"] * (not inventory.devices)
        self._service.judge(Bet.INVENTORY, *seen)

    def user_info(self, subject: str | None, error: PoolctlError | None) -> None:
        """Judge whether the service tells who the account is."""
        if subject:
            self._service.judge(Bet.USERINFO)
            return
        kind = "without sub" if error is None else type(error).__name__
        self._service.judge(Bet.USERINFO, kind)


def judge_renewal(evidence: Evidence, refresh: str | None) -> None:
    """Judge whether a renewal brought another refresh token."""
    evidence.judge(Bet.ROTATION, *["none came"] * (refresh is None))


def judge_refusal(evidence: Evidence, response: Response) -> None:
    """Judge how the token endpoint refuses."""
    status = response.status
    known = status in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED)
    evidence.judge(Bet.REFUSED_GRANT, *[f"HTTP {status}"] * (not known))


def _status(response: Response) -> str:
    answer = response.json() or {}
    told = answer.get("status", "missing")
    if told is None:
        word = "null"
    elif told == SUCCESS or (isinstance(told, str) and _STATUS.fullmatch(told)):
        word = str(told)
    else:
        word = "something else"
    return f"HTTP {response.status} {word}"


def _odd_wait(response: Response) -> tuple[str, ...]:
    """Return how a 429 tells when to ask again, where that is not as published."""
    message = str((response.json() or {}).get("message") or "")
    header = response.headers.get("Retry-After", "")
    if found := _WAIT.search(message):
        told = found[1].strip()
        return () if _PUBLISHED_WAIT.fullmatch(told) else (f"message: {told}",)
    if header.strip().isdecimal():
        short = int(header) <= _LONGEST_HEADER
        return () if short else (f"header: {header.strip()[:16]}",)
    if header:
        return ("header: no number",)
    return () if "too many pending" in message else ("nothing",)
