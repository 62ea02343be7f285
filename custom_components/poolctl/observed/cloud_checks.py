"""Checks of our assumptions about the service (`docs/protocol.md`)."""

from collections.abc import Container, Mapping
from http import HTTPStatus
from itertools import islice
import re
from typing import Final

from ..client.cloud_answers import FAILED, SUCCESS
from ..client.exceptions import (
    AuthenticationError,
    NotOfferedError,
    PoolctlError,
    ProtocolError,
    RefusedError,
    ServiceError,
    UnconfirmedError,
)
from ..client.facts import (
    AccessRenewed,
    CloudRequest,
    Facts,
    InventoryRead,
    Online,
    TokenAnswer,
    WriteShown,
)
from ..client.http import Response
from ..client.json_values import Answer, list_of, object_of
from .evidence import Assumption, Evidence, field_name, missing

_WAIT = re.compile(r"retry after\s*(-?[0-9hms. ]{1,16})", re.IGNORECASE)
_PUBLISHED_WAIT = re.compile(r"1m0s|60s|[1-5]?\ds")
_STATUS = re.compile(r"[A-Za-z_]{1,20}")
_LONGEST_HEADER = 60
"""Longest wait in seconds that `Retry-After` asks for (interface.md 7.1)."""

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
"""Published fields of the dashboard (interface.md 2.5)."""
_DASHBOARD_MORE = (
    "actual_pressure",
    "ph_switch_status",
    "orp_switch_status",
    "solar_state",
    "spa_heater_state",
    "dry_run_status",
)
_MOST_FIELDS = 100
"""Fields of an answer that are checked in addition to the expected ones."""
_DRY_RUN: Container[object] = (1, 3, 4)
_READS: Final[Mapping[str, tuple[str, ...]]] = {
    "auxInfo": ("manual",),
    "ambientTemp": ("ambientTemp",),
    "chemistryCard": ("phSettings", "chlorineSettings"),
    "pumpInfo": ("pump",),
    "scheduleInfo": ("scheduleInfo",),
}
"""Expected keys in the data of each observed read (layouts.md 5)."""


class CloudChecks:
    """Checks the facts of the service, or of one controller in the cloud."""

    def __init__(self, evidence: Evidence, service: Evidence, facts: Facts) -> None:
        """Count in `evidence`, and in `service` what concerns the service itself."""
        self._evidence = evidence
        self._service = service
        self._online: bool | None = None
        facts.listen(CloudRequest, self.request)
        facts.listen(InventoryRead, self.inventory_read)
        facts.listen(AccessRenewed, self.access_renewed)
        facts.listen(TokenAnswer, self.token_answer)
        facts.listen(Online, self.online)
        facts.listen(WriteShown, self.write_shown)

    def request(self, request: CloudRequest) -> None:
        """Check the answer to a request."""
        response = request.response
        if response is None:
            return
        if response.status == HTTPStatus.TOO_MANY_REQUESTS:
            self._service.check(Assumption.RETRY_AFTER, *_odd_wait(response))
        if self._evidence is self._service:
            self._of_account(request)
        elif request.error is not None:
            self._failed(request.endpoint, response, request.error)
        elif request.method == "POST":
            other = response.status != HTTPStatus.OK
            self._evidence.check(Assumption.CLOUD_WRITES)
            instead = [_status(response)] * other
            self._evidence.check(Assumption.WRITE_STATUS, *instead)
        else:
            data = object_of(request.answer or {}, "data")
            self._data(request.endpoint, data)

    def _of_account(self, request: CloudRequest) -> None:
        answer, error = request.answer or {}, request.error
        if request.endpoint == "userinfo" and (
            error is None or isinstance(error, (RefusedError, ProtocolError))
        ):
            kind = type(error).__name__ if error else "without sub"
            self._service.check(Assumption.USERINFO, *[kind] * (not answer.get("sub")))

    def inventory_read(self, fact: InventoryRead) -> None:
        """Check the sites of the account."""
        instead = ["a part is not understood"] * (not fact.inventory.complete)
        instead += ["empty"] * (not fact.inventory.devices)
        self._service.check(Assumption.INVENTORY, *instead)

    def _failed(self, endpoint: str, response: Response, error: PoolctlError) -> None:
        if isinstance(error, NotOfferedError):
            read = endpoint in _READS
            of = Assumption.CLOUD_READS if read else Assumption.CLOUD_WRITES
            self._evidence.check(of, f"{endpoint}: HTTP 404")
        elif isinstance(error, UnconfirmedError):
            self._evidence.check(Assumption.WRITE_STATUS, _status(response))
        elif isinstance(error, ServiceError):
            status = response.status
            other = status != HTTPStatus.GATEWAY_TIMEOUT
            instead = f"HTTP {status}" + (f" {FAILED}" if status < 300 else "")
            self._evidence.check(Assumption.SILENCE, *[instead] * other)

    def _data(self, endpoint: str, data: Answer) -> None:
        if endpoint == "dashboardInfo":
            if isinstance(data.get("dashboard"), dict):
                self._dashboard(object_of(data, "dashboard"))
        elif endpoint == "envelope-key":
            self._key(data)
        else:
            self._read(endpoint, data)

    def _dashboard(self, dashboard: Answer) -> None:
        names = (*_DASHBOARD, *_DASHBOARD_MORE)
        lacks = missing(dashboard, names)
        self._evidence.check(Assumption.DASHBOARD_FIELDS, *lacks)
        # Limited: to check all fields of a huge answer takes a tenth of a second.
        others = (name for name in dashboard if name not in names)
        more = sorted(map(field_name, islice(others, _MOST_FIELDS)))
        self._evidence.note(Assumption.DASHBOARD_FIELDS, *more)
        status = dashboard.get("dry_run_status")
        if isinstance(status, int):
            instead = [str(int(status))] * (status not in _DRY_RUN)
            self._evidence.check(Assumption.DRY_RUN_STATUS, *instead)

    def _read(self, endpoint: str, data: Answer) -> None:
        lacks = missing(data, _READS.get(endpoint, ()))
        if endpoint == "scheduleInfo":
            entries = list_of(object_of(data, endpoint), "schedules")
            numbers = [entry.get("schedule_num") for entry in entries]
            lacks += ["a number below 1"] * (0 in numbers)
        instead = (f"{endpoint} {what}" for what in lacks)
        self._evidence.check(Assumption.CLOUD_READS, *instead)

    def _key(self, data: Answer) -> None:
        """Check the form of an envelope key; nothing of the key itself is kept."""
        text = data.get("key_hex")
        good = isinstance(text, str) and re.fullmatch("[0-9a-fA-F]{32}", text)
        forms = (
            f"{field_name(name)}: {len(value)} characters"
            for name, value in islice(data.items(), _MOST_FIELDS)
            if isinstance(value, str)
        )
        instead = [] if good else sorted(forms) or ["no text"]
        self._evidence.check(Assumption.KEY_FORM, *instead)

    def access_renewed(self, fact: AccessRenewed) -> None:
        """Check the status with which an access token was refused."""
        other = fact.status != HTTPStatus.UNAUTHORIZED
        self._service.check(Assumption.DEAD_ACCESS, *[f"HTTP {fact.status}"] * other)

    def token_answer(self, fact: TokenAnswer) -> None:
        """Check how the token endpoint refuses, and whether it renews both tokens."""
        if isinstance(fact.error, AuthenticationError):
            known = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED)
            instead = [f"HTTP {fact.status}"] * (fact.status not in known)
            self._service.check(Assumption.REFUSED_GRANT, *instead)
        elif fact.error is None and fact.grant == "refresh_token":
            instead = ["none came"] * (not fact.rotated)
            self._service.check(Assumption.ROTATION, *instead)

    def online(self, fact: Online) -> None:
        """Check that the dashboard of a controller reported offline does not change."""
        previous, self._online = self._online, fact.online
        if fact.online is None:
            self._evidence.check(Assumption.ONLINE, "not reported")
        else:
            offline = fact.online is False and previous is False
            contradicts = offline and fact.changed
            words = "offline, and the dashboard changes"
            self._evidence.check(Assumption.ONLINE, *[words] * contradicts)

    def write_shown(self, fact: WriteShown) -> None:
        """Check whether a read showed a write in time."""
        instead = ["not shown after 35 s"] * (not fact.in_time)
        self._evidence.check(Assumption.COPY_AGE, *instead)


def _status(response: Response) -> str:
    answer = response.json() or {}
    status = answer.get("status", "missing")
    if status is None:
        word = "null"
    elif status == SUCCESS or (isinstance(status, str) and _STATUS.fullmatch(status)):
        word = str(status)
    else:
        word = "something else"
    return f"HTTP {response.status} {word}"


def _odd_wait(response: Response) -> tuple[str, ...]:
    """Return the form of the wait in a 429 if it is not the published form."""
    message = str((response.json() or {}).get("message") or "")
    header = response.headers.get("Retry-After", "")
    if match := _WAIT.search(message):
        wait = match[1].strip()
        return () if _PUBLISHED_WAIT.fullmatch(wait) else (f"message: {wait}",)
    if header.strip().isdecimal():
        short = int(header) <= _LONGEST_HEADER
        return () if short else (f"header: {header.strip()[:16]}",)
    if header:
        return ("header: no number",)
    return () if "too many pending" in message else ("nothing",)
