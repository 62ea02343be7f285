"""Kinds and roles of slots."""

from custom_components.poolctl.client.wire.equipment import Role, Slot


def test_a_type_that_nobody_knows_is_something_to_switch() -> None:
    for code, kind, role in ((250, "general", Role.GENERAL), (0, "empty", Role.EMPTY)):
        slot = Slot(index=3, type_code=code)
        assert (slot.kind, slot.role) == (kind, role)
