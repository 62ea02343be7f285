"""Answers of the token endpoint; no secret is sent to another address."""

from aiohttp import ClientSession
import pytest

from custom_components.poolctl.client.account import Tokens, request_tokens
from custom_components.poolctl.client.wire.exceptions import (
    AuthenticationError,
    BusyError,
    PoolctlError,
    ProtocolError,
    ServiceError,
)
from tests.client.conftest import RawServer, Service
from tests.world.simulator.cloud_dialects import CloudDialect as D

CLIENT = {"client_id": "client-id", "client_secret": "client-secret"}
REDIRECT = "https://ha.example"


async def trade(service: Service, **form: str) -> Tokens:
    return await request_tokens(service.session, service.cloud.base_url, CLIENT | form)


async def sign_in(service: Service, code: str | None = None) -> Tokens:
    code = code or service.cloud.sign_ins.code(service.account, "client-id", REDIRECT)
    form = {"grant_type": "authorization_code", "redirect_uri": REDIRECT}
    return await trade(service, code=code, **form)


async def renew(service: Service, refresh: str | None) -> Tokens:
    return await trade(service, grant_type="refresh_token", refresh_token=refresh or "")


@pytest.mark.row("C3")
@pytest.mark.parametrize("dialect", [D.C3_FAILED, D.C3_NULL, D.C3_LIST, D.C3_CONTROL])
async def test_a_refusal(service: Service, dialect: D) -> None:
    """A refused renewal and a wrong code are recognised in every form."""
    service.cloud.dialects = {dialect}
    with pytest.raises(AuthenticationError):
        await renew(service, "a dead one")
    with pytest.raises(AuthenticationError):
        await sign_in(service, "a wrong one")
    await sign_in(service)


@pytest.mark.row("C18")
@pytest.mark.parametrize(
    ("dialect", "error"),
    [(D.C18_404, ProtocolError), (D.C18_403, ProtocolError), (D.C18_502, ServiceError)],
)
async def test_a_page_of_a_proxy_ends_no_sign_in(
    service: Service, dialect: D, error: type[PoolctlError]
) -> None:
    first = await sign_in(service)
    service.cloud.dialects = {dialect}
    with pytest.raises(error, match=r"HTTP (403|404|502)") as caught:
        await renew(service, first.refresh)
    assert type(caught.value) is error
    await renew(service, first.refresh)


@pytest.mark.row("C13")
async def test_a_redirect_is_not_followed(service: Service, raw: RawServer) -> None:
    raw.say(200, '{"access_token": "stolen"}')
    service.cloud.dialects = {D.C13_REDIRECT}
    service.cloud.elsewhere = f"http://127.0.0.1:{raw.port}"
    for trading in (sign_in(service), renew(service, "one")):
        with pytest.raises(ProtocolError, match=r"HTTP 30\d is not from a token"):
            await trading
    assert raw.connections == 0


ANSWERS: dict[type[PoolctlError], list[tuple[int, str]]] = {
    AuthenticationError: [
        (400, '{"error": "invalid_grant"}'),
        (403, '{"status": "FAILED", "message": "no"}'),
        (200, "{}"),
        (200, '"text"'),
        *(
            (200, f'{{"access_token": {odd}}}')
            for odd in ("null", '""', '"two words"', '"a\\nb"', '"\\ud800"')
        ),
    ],
    ProtocolError: [
        *((401, ""), (403, '{"message": "Forbidden"}'), (403, "<html>"), (200, "")),
        *((404, "<html>"), (200, '{"access_token": "cut'), (200, "<html>")),
        *((300, "{}"), (302, ""), (307, "")),
    ],
    BusyError: [(429, "")],
    ServiceError: [(408, ""), (500, ""), (503, "<html>")],
}


@pytest.mark.parametrize("error", ANSWERS)
async def test_answers(
    session: ClientSession, raw: RawServer, error: type[PoolctlError]
) -> None:
    for status, body in ANSWERS[error]:
        raw.say(status, body)
        with pytest.raises(PoolctlError) as caught:
            await request_tokens(session, f"http://127.0.0.1:{raw.port}", CLIENT)
        assert type(caught.value) is error, (status, body)
        assert "client-secret" not in str(caught.value)
    assert b"client_secret=client-secret" in raw.requests[0]


DAY, LONGEST = 86400, 366 * 86400


@pytest.mark.parametrize(
    ("expires_in", "texts"),
    [
        (3600, ["3600", '"3600"', "3600.5"]),
        (1, ["1"]),
        (LONGEST, [str(LONGEST)]),
        (DAY, [str(LONGEST + 1), '"1234567890"', "0", "-5", "1e300", "true"]),
        (DAY, ["NaN", "null", "[]", '"soon"', f'"{"9" * 5000}"']),
    ],
)
async def test_how_long_a_token_lives(
    session: ClientSession, raw: RawServer, expires_in: int, texts: list[str]
) -> None:
    access = "x" * 2000
    for text in texts:
        raw.say(201, f'{{"access_token": "{access}", "expires_in": {text}}}')
        address = f"http://127.0.0.1:{raw.port}"
        tokens = await request_tokens(session, address, CLIENT)
        assert tokens == Tokens(access, None, expires_in), text
