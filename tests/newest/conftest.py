"""The private API is looked at in the newest Home Assistant, too, without the harness."""

from tests.world.plain import *  # noqa: F403 - its fixtures
