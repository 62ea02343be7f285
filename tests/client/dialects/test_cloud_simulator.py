"""The dialects of the simulated cloud: each is described and off by default."""

import pytest

from tests.world.simulator import Cloud
from tests.world.simulator.cloud_dialects import DIALECTS, CloudDialect


def test_each_is_described_and_off() -> None:
    assert set(DIALECTS) == set(CloudDialect)
    assert not Cloud().dialects
    assert Cloud(dialects={CloudDialect.C1_NULL}).dialects == {"C1_null"}


@pytest.mark.parametrize("row", range(1, 14))
def test_each_row_has_some(row: int) -> None:
    assert any(dialect.startswith(f"C{row}_") for dialect in CloudDialect)
