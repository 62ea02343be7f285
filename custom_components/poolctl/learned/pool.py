"""A pool as entities and problems see it: reported, chosen, learned."""

from typing import NamedTuple

from ..client.pool.choices import Choices
from ..client.pool.state import PoolState


class Pool(NamedTuple):
    """Everything there is to show of one pool at one moment."""

    state: PoolState
    """What the controller and the cloud reported."""
    choices: Choices
    """What the user chose."""


def needs_cleaning(pool: Pool) -> bool | None:
    """Tell whether the load of the filter has reached its limit."""
    load = pool.state.filter.load
    return None if load is None else load >= pool.choices.filter_limit
