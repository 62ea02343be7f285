"""What one kind of issue is: when it exists, for how long, and how it is shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from homeassistant.helpers import issue_registry as ir

from ..network.health import Health

PATIENCE = 300.0
"""s: twenty polls of the LAN. Nothing here is urgent, and most of it heals by itself."""

type Exists = Callable[[Health], bool | None]
type _Placeholders = Callable[[Health], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One kind of issue."""

    key: str
    """Of its texts; its id begins with it."""
    exists: Exists
    """Whether the problem exists, `None` where that cannot be told now."""
    patience: float = PATIENCE
    """s for which it must have lasted."""
    severity: ir.IssueSeverity = ir.IssueSeverity.WARNING
    fixable: bool = True
    learn_more_url: str | None = None
    placeholders: _Placeholders = lambda health: {}
    """What its texts are filled with, beside `name`."""
