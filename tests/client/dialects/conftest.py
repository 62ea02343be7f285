"""Controllers that speak dialects."""

from collections.abc import Awaitable, Callable

import pytest

from tests.client.conftest import Rig

type Speak = Callable[..., Awaitable[Rig]]


@pytest.fixture
def speak(make_rig: Callable[..., Rig]) -> Speak:
    """Return a maker of rigs that have read everything from a controller with dialects."""

    async def speak(*dialects: str, full: bool = True, **options: bool) -> Rig:
        rig = make_rig(full=full, **options)
        rig.pool.dialects.update(dialects)
        await rig.read()
        return rig

    return speak
