"""The integration in a real Home Assistant core, against the simulated service."""

import pytest

# So that what is wrong there is told as it is in a test.
pytest.register_assert_rewrite("tests.integration.home")
