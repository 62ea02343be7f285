"""Run the integration with few platforms: entities take most of its start-up time."""

from collections.abc import Callable

from homeassistant.const import Platform
import pytest

import custom_components.poolctl as integration


def only(*platforms: Platform) -> Callable[[pytest.MonkeyPatch], None]:
    """Return a fixture that leaves all other platforms out, for every test of a module or folder."""

    @pytest.fixture(autouse=True)
    def few_platforms(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(integration, "PLATFORMS", platforms)

    return few_platforms
