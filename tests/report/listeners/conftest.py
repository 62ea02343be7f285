"""These tests listen to the client of one controller, and need no Home Assistant."""

from tests.client.conftest import *  # noqa: F403 - its fixtures
