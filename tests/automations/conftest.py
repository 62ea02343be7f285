"""These tests have a Home Assistant if they ask for one."""

from tests.world.assistant.fixtures import *  # noqa: F403
