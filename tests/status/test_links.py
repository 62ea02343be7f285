"""The sensors of the local network and the cloud: why each does not work."""

import pytest

from tests.flow.test_options import choose
from tests.world.assistant.home import Home

# Time is frozen from the start, because a clock must not change under a timer.
pytestmark = pytest.mark.usefixtures("all_enabled", "freezer")


def links(home: Home) -> tuple[str, str]:
    return home.value("sensor", "local_network"), home.value("sensor", "cloud_service")


async def test_by_the_cloud(small: Home, subtests: pytest.Subtests) -> None:
    assert links(small) == ("works", "not_needed")
    for fault, reason in (
        ("refuse", "no_answer"),
        ("bad_tag", "not_verified"),
        ("truncated_frame", "not_understood"),
        ("html", "not_understood"),
        ("busy", "busy"),
    ):
        with subtests.test(fault):
            small.controller.faults.on(fault)
            await small.advance(15)
            assert links(small) == ("works", "not_needed"), "one poll is missed"
            await small.advance(30, step=15)
            assert small.source == "cloud"
            assert links(small) == (reason, "works")
            small.controller.faults.off(fault)
            await small.advance(60, step=15)
            assert links(small) == ("works", "not_needed")


async def test_lost(small: Home) -> None:
    """Both still show their reason while everything else is unavailable."""
    small.controller.faults.on("refuse")
    small.cloud.faults.on("rate_limited")
    await small.advance(150, step=15)
    assert small.value("sensor", "ph") == "unavailable"
    assert links(small) == ("no_answer", "busy")
    small.cloud.faults.off("rate_limited")
    small.cloud.faults.on("refuse")
    await small.advance(600, step=30)
    assert links(small) == ("no_answer", "no_answer"), "it is another reason now"
    shown = small.state("sensor", "cloud_service")
    await small.advance(600, step=30)
    assert small.state("sensor", "cloud_service") is shown, "since when"


async def test_by_option(small: Home) -> None:
    await choose(small, connection="lan")
    assert links(small) == ("works", "off")
    await choose(small, connection="cloud")
    assert links(small) == ("off", "works")
