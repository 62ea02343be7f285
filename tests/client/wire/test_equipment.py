"""Kinds and roles of slots."""

from custom_components.poolctl.client.wire.equipment import Role, Slot


def test_a_type_that_nobody_knows_is_something_to_switch() -> None:
    slot = Slot(index=3, type_code=250)
    assert (slot.kind, slot.role) == ("general", Role.GENERAL)


def test_an_empty_slot_is_nothing() -> None:
    slot = Slot(index=3, type_code=0)
    assert (slot.kind, slot.role) == ("empty", Role.EMPTY)
