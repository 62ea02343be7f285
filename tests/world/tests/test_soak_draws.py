"""What the soak draws from, without running it."""

from collections import Counter

from tests.world.simulator.cloud_dialects import CloudDialect
from tests.world.simulator.dialects import Dialect
from tests.world.soak.dialects import FIRMWARE, KEY_PATHS, NOT_DRAWN, SERVICE, WIRING


def test_every_dialect_is_in_one_group() -> None:
    groups = [*WIRING, *FIRMWARE, *KEY_PATHS, *SERVICE]
    counts = Counter(dialect for group in groups for dialect in group)
    assert set(counts) == {*Dialect, *CloudDialect} - NOT_DRAWN
    assert set(counts.values()) == {1}
