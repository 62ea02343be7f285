"""The full pool, read a minute ago, and each kind of what is promised to it."""

from collections.abc import Callable

import pytest

from tests.client.conftest import Rig
from tests.client.holds.test_promises import KINDS, Kind, prepared
from tests.world.simulator import NOON, Clock


@pytest.fixture
def clock() -> Clock:
    # These tests count minutes: a busy machine must not add some of its own.
    return Clock(start=NOON)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.fixture
async def full(make_rig: Callable[..., Rig]) -> Rig:
    return await prepared(make_rig)
