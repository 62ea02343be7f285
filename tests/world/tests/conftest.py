"""The tests of the simulated world need no Home Assistant."""

from tests.world.plain import *  # noqa: F403 - its fixtures
