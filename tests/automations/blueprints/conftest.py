"""A home with the simulated pools, which reads blueprints from the project."""

from collections.abc import AsyncGenerator
from types import CodeType
from typing import Final

from homeassistant.components.blueprint.models import DomainBlueprints
from homeassistant.core import HomeAssistant
from jinja2 import Environment
import pytest

from tests.world.assistant.service import Service

from .house import BLUEPRINTS, House

_CODES: Final[dict[object, CodeType]] = {}
_compile = Environment.compile


def _compile_once(environment: Environment, source: str) -> CodeType:
    """Compile a template once for equal environments, not in every home anew."""
    key = source, frozenset(environment.filters), frozenset(environment.tests)
    if key not in _CODES:
        _CODES[key] = _compile(environment, source)
    return _CODES[key]


@pytest.fixture(autouse=True)
def templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep compiled templates between tests: compiling takes a tenth of the time."""
    monkeypatch.setattr(Environment, "compile", _compile_once)


@pytest.fixture
async def home(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncGenerator[House]:
    """Return a home whose Home Assistant reads blueprints from `BLUEPRINTS`."""
    folder = property(lambda blueprints: BLUEPRINTS / blueprints.domain)
    monkeypatch.setattr(DomainBlueprints, "blueprint_folder", folder)
    found = House(hass, service, request)
    yield found
    await found.leave()
