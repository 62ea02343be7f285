"""Blueprints: each is described once, and lives through the cases of `test_stories.py`."""

import pytest

# So that failed assertions there are explained as those in tests are.
for name in ("heating", "hours", "house", "messages", "pump", "spa"):
    pytest.register_assert_rewrite(f"{__name__}.{name}")
