"""The integration with few of its platforms: most of the time it starts goes into entities."""

from collections.abc import Callable

from homeassistant.const import Platform
import pytest

import custom_components.poolctl as integration


def only(*platforms: Platform) -> Callable[[pytest.MonkeyPatch], None]:
    """Return a fixture that leaves all other platforms out, for every test of a module."""

    @pytest.fixture(autouse=True)
    def few_platforms(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(integration, "PLATFORMS", platforms)

    return few_platforms
