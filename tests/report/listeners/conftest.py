"""These tests listen to the client of one controller, and need no Home Assistant."""

import pytest

from custom_components.poolctl.client.facts import FactsOf
from custom_components.poolctl.report.statistics import ControllerStatistics, Observers
from tests.client.conftest import *  # noqa: F403 - its fixtures
from tests.client.conftest import Service


@pytest.fixture
def observers() -> Observers:
    return Observers()


@pytest.fixture(name="facts")
def observed_facts(observers: Observers) -> FactsOf:
    return observers.facts


@pytest.fixture
def statistics(observers: Observers, service: Service) -> ControllerStatistics:
    """Return the statistics of the small pool."""
    return observers.statistics[service.small.device_id]
