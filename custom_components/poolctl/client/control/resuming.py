"""The command that releases an output to its schedules, by any LAN action."""

from dataclasses import replace

from ..pool.state import PoolState
from .command import Command, LanCommand


def resuming(key: str, slot: int, lan: LanCommand | None) -> Command:
    """Return the command for a slot; it took effect once the slot is not held."""

    def confirms(state: PoolState) -> bool:
        return state.outputs.held is not None and slot not in state.outputs.held

    return Command(
        key=key,
        show=lambda state: replace(
            state, outputs=state.outputs.with_hold(slot, held=False)
        ),
        confirms=confirms,
        lan=lan,
    )
