"""What every test may use."""

from hypothesis import settings
import pytest

# Imported ahead of the test harness, whose own `custom_components` would hide ours.
import custom_components.poolctl  # noqa: F401

# Speed is measured in benchmarks; a slow machine is no failed property.
settings.register_profile("poolctl", deadline=None)
settings.load_profile("poolctl")


@pytest.fixture(autouse=True)
def enable_event_loop_debug() -> None:
    """Leave asyncio's debug mode off: it takes half the time, for stacks nobody reads."""
