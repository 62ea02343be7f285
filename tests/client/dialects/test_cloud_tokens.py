"""Answers by which a service rejects an access token."""

from aiohttp import ClientSession
import pytest

from custom_components.poolctl.client.cloud import TOKEN_IS_NEW, CloudClient
from custom_components.poolctl.client.wire.exceptions import (
    AuthenticationError,
    CommandFailedError,
    ForbiddenError,
)
from tests.client.conftest import FakeTime, RawServer, Service, set_pump
from tests.world.simulator.cloud_dialects import CloudDialect as D

OTHER_ID = "AA_BB_CC_FF_FF_FF"
DEAD = [set(), {D.C2_403}, {D.C2_400}, {D.C2_FAILED}]
"""Dialects in which a dead token is refused; by default with 401."""


@pytest.mark.row("5.1 rule 4", "C2")
@pytest.mark.parametrize("dialects", DEAD)
async def test_a_dead_token_is_renewed_once(
    service: Service, cloud: CloudClient, fake_time: FakeTime, dialects: set[D]
) -> None:
    """A refused renewal ends the sign-in."""
    service.cloud.dialects = dialects
    await cloud.inventory()
    first = service.tokens.access
    service.cloud.expire_tokens()
    await set_pump(cloud, service.small.device_id, 0, True, 85)
    assert service.tokens.refused == [None, None, first]
    assert service.requests("setPumpInfo") == 2
    fake_time.advance(TOKEN_IS_NEW + 1)
    service.cloud.revoke(service.account)
    with pytest.raises(AuthenticationError, match="revoked"):
        await set_pump(cloud, service.full.device_id, 0, True, 85)
    assert service.requests("setPumpInfo") == 3


@pytest.mark.row("C2")
@pytest.mark.parametrize("dialects", DEAD[1:])
async def test_a_fresh_token_is_not_to_blame(
    service: Service, cloud: CloudClient, fake_time: FakeTime, dialects: set[D]
) -> None:
    """A token is renewed once, and then never again because of this endpoint."""
    service.cloud.dialects = dialects
    await cloud.inventory()
    service.tokens.refused.clear()
    for seconds in (0, 10, TOKEN_IS_NEW + 10):
        fake_time.advance(seconds)
        with pytest.raises(ForbiddenError):
            await cloud.dashboard(OTHER_ID)
    assert sum(refused is not None for refused in service.tokens.refused) == 1
    # Once the token is no longer fresh, a refusal by another endpoint renews it.
    fake_time.advance(TOKEN_IS_NEW + 1)
    service.cloud.expire_tokens()
    await cloud.inventory()


@pytest.mark.parametrize(
    ("renewed", "messages"),
    [
        (True, ["Token expired", "invalid access_token", "Unauthorized"]),
        (True, ["please log in again", "your session has ended"]),
        (False, ["pump_speed is out of range", "device refused: no slot 9", ""]),
    ],
)
async def test_words_on_the_token(
    session: ClientSession, raw: RawServer, renewed: bool, messages: list[str]
) -> None:
    asked: list[str | None] = []

    async def tokens(*, refused: str | None = None) -> str:
        asked.append(refused)
        return f"token {len(asked)}"

    for message in messages:
        asked.clear()
        cloud = CloudClient(session, f"http://127.0.0.1:{raw.port}", tokens)
        raw.say(200, f'{{"status": "FAILED", "message": "{message}"}}')
        with pytest.raises(CommandFailedError):
            await cloud.dashboard(OTHER_ID)
        assert asked == ([None, "token 1"] if renewed else [None]), message
