"""Answers of a service to reads, and its requests to wait."""

from base64 import b64encode
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.pool.from_cloud import merge_dashboard
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.cloud_answers import (
    DEFAULT_RETRY_AFTER,
    MAX_RETRY_AFTER,
    parse_envelope_key,
    parse_retry_after,
)
from custom_components.poolctl.client.wire.exceptions import BusyError, EnvelopeError
from tests.client.conftest import KEY, Service
from tests.world.simulator.cloud_dialects import CloudDialect as D

NOW = datetime.now(UTC)
ODD_KEY = bytes.fromhex("fbefbefffffffffffffffffffffffbef")

# How long to wait


@pytest.mark.row("C9")
@pytest.mark.parametrize(
    ("dialect", "seconds"),
    [
        (D.C9_HUGE, MAX_RETRY_AFTER),
        (D.C9_DATE, MAX_RETRY_AFTER),
        (D.C9_NEGATIVE, DEFAULT_RETRY_AFTER),
        (D.C9_NOTHING, DEFAULT_RETRY_AFTER),
    ],
)
async def test_how_long_to_wait(
    service: Service, cloud: CloudClient, dialect: D, seconds: float
) -> None:
    """protocol.md 7.1 rule 1."""
    service.cloud.dialects = {dialect}
    service.cloud.faults.on("rate_limited")
    with pytest.raises(BusyError) as caught:
        await cloud.dashboard(service.small.device_id)
    assert caught.value.retry_after == seconds


def test_a_date_to_wait_for() -> None:
    soon = datetime.now(UTC) + timedelta(seconds=90)
    header = format_datetime(soon, usegmt=True)
    assert parse_retry_after("", header) == pytest.approx(90, abs=3)
    assert parse_retry_after("retry after 7s", header) == 7
    for odd in ("soon", "Fri, 99 Foo 2100", "0", "", "9" * 400):
        assert 0 < parse_retry_after("", odd) <= MAX_RETRY_AFTER


# Dry run


@pytest.mark.row("C7")
async def test_dry_run(service: Service, cloud: CloudClient) -> None:
    """Where 0 is normal, and where 3 is."""
    service.cloud.dialects = {D.C7_ZERO_NORMAL}
    normal = (await cloud.dashboard(service.small.device_id))["dry_run_status"]
    assert normal == 0
    for statuses, problem in (
        ((normal, 2, 3, 5), False),
        ((1, 4), True),
        ((None,), None),
    ):
        for status in statuses:
            state = merge_dashboard(PoolState(), {"dry_run_status": status}, NOW)
            assert state.signals.dry_run is problem, status


# The envelope key


@pytest.mark.row("C5")
async def test_the_key_in_other_forms(service: Service, cloud: CloudClient) -> None:
    forms = [{D.C5_KEY}, {D.C5_ENVELOPE_KEY}, {D.C5_BASE64}, {D.C5_SPACES}]
    for dialects in (*forms, {D.C5_KEY, D.C5_BASE64, D.C5_SPACES}):
        service.cloud.dialects = dialects
        assert await cloud.envelope_key(service.small.device_id) == KEY


def test_parse_envelope_key() -> None:
    base64 = b64encode(ODD_KEY).decode()
    for text in (
        *(ODD_KEY.hex(), ODD_KEY.hex().upper(), " ".join(ODD_KEY.hex())),
        *(base64, base64.rstrip("="), b64encode(ODD_KEY, altchars=b"-_").decode()),
    ):
        for name in ("key_hex", "key", "envelope_key"):
            assert parse_envelope_key({name: text}) == ODD_KEY
        assert parse_envelope_key({"key_hex": None, "key": text}) == ODD_KEY


@pytest.mark.parametrize(
    "text",
    ["", "0" * 31, "0" * 33, "g" * 32, "a" * 21, "ä" * 22, "!" * 22, 7, None, []],
)
def test_what_is_no_key(text: object) -> None:
    with pytest.raises(EnvelopeError):
        parse_envelope_key({"key_hex": text})
