"""The integration in a real Home Assistant core, against the simulated service."""

import pytest

# So that failed assertions there are explained as those in tests are.
pytest.register_assert_rewrite("tests.world.assistant.home")
