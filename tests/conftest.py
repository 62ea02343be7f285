"""What every test may use."""

# Imported ahead of the test harness, whose own `custom_components` would hide ours.
import custom_components.poolctl  # noqa: F401
