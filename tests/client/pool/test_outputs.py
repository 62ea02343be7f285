"""Outputs: what is wired to a slot, what runs it, and what a person can do with it."""

import pytest

from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.equipment import AUX_TYPES, Role, Slot
from custom_components.poolctl.client.wire.exceptions import NotSupportedError
from custom_components.poolctl.client.wire.frame import Configuration
from tests.client.pool.test_state import from_lan


@pytest.mark.parametrize(("count", "virtual"), [(37, True), (36, False), (27, False)])
def test_the_virtual_slot(count: int, virtual: bool) -> None:
    types = (31, *[10] * (count - 1))
    state = from_lan(configuration=Configuration(aux_types=types))
    roles = [slot.role for slot in state.outputs.slots]
    assert len(roles) == count and (roles[26] is Role.VIRTUAL) is virtual
    assert set(roles[1:26] + roles[27:]) <= {Role.PUMP_LINKED}
    assert state.outputs.slots[26].kind == "ozone"


def test_slots() -> None:
    known = Outputs(names=("Pump", "Light"))
    state = from_lan(PoolState(outputs=known))
    assert state.outputs.slots == (
        Slot(index=0, type_code=31, name="Pump", mode=1, held=False),
        Slot(index=1, type_code=13, name="Light", mode=0, held=False),
        Slot(index=2, type_code=1, name="", mode=99, held=True),
    )
    assert [slot.on for slot in state.outputs.slots] == [True, False, True]
    assert state.outputs.slot(2) == state.outputs.slots[2]
    assert state.outputs.slot(3) is None
    for name, slot in zip(known.names, state.outputs.slots, strict=False):
        assert state.outputs.named(name) == state.outputs.find(name) == slot
    for nobodys in ("light", "Lamp"):
        with pytest.raises(NotSupportedError, match=f"has the name {nobodys}"):
            state.outputs.named(nobodys)
    assert state.outputs.pump == state.outputs.slots[0]
    assert state.outputs.fitted({13, 12}) and not state.outputs.fitted({2, 32})
    unknown, empty = Slot(index=3, type_code=250), Slot(index=3, type_code=0)
    assert (unknown.kind, empty.kind) == ("general", "empty")
    outputs = PoolState().outputs
    assert outputs.slots == () and outputs.pump is None and outputs.slot(0) is None
    assert not outputs.fitted({31})


@pytest.mark.parametrize(
    ("role", "codes"),
    [
        (Role.EMPTY, [0]),
        (Role.GENERAL, [1, 22, 23, 24, 25, 37, 99, 250, 255]),
        (Role.PUMP, [31]),
        (Role.PUMP_LINKED, [3, 4, 9, 10, 11]),
        (Role.DOSING, [5, 6, 7, 8]),
        (Role.HEATING, [2, 17, 18, 19, 32]),
        (Role.SPA_ACTUATOR, [20, 21, 33, 34]),
        (Role.POOL_LIGHT, [12, 13, 14, 15, 16, 35]),
        (Role.SPA_LIGHT, [26, 27, 28, 29, 30, 36]),
    ],
)
def test_roles(role: Role, codes: list[int]) -> None:
    assert [Slot(index=0, type_code=code).role for code in codes] == [role] * len(codes)
    known = [c for c, aux in AUX_TYPES.items() if aux.role is role and c >= 0]
    assert set(known) <= set(codes)
