"""Private API of Home Assistant: it still exists, and only one file uses it."""

import ast
from collections.abc import Iterator
import importlib
import inspect
import pkgutil
import textwrap
from typing import Final

from homeassistant.helpers import aiohttp_client, service
from homeassistant.helpers.aiohttp_client import HomeAssistantTCPConnector
from homeassistant.helpers.condition import EntityConditionBase
from homeassistant.helpers.config_entry_oauth2_flow import LocalOAuth2Implementation
from homeassistant.helpers.trigger import Trigger
import pytest

import custom_components.poolctl
from custom_components.poolctl import private

# The members that custom_components/poolctl/private.py uses, each with its class.
MEMBERS: Final[tuple[tuple[type, str], ...]] = (
    (LocalOAuth2Implementation, "_token_request"),
    (Trigger, "_hass"),
    (EntityConditionBase, "_check_all_match_state"),
    (EntityConditionBase, "_domain_specs"),
    (EntityConditionBase, "_primary_entities_only"),
    (EntityConditionBase, "_schema"),
    (EntityConditionBase, "_should_include"),
    (EntityConditionBase, "_state_valid_since"),
    (EntityConditionBase, "_update_valid_since"),
    (EntityConditionBase, "_valid_since_from_history"),
)
# Names with an underscore that are documented for developers of integrations.
DOCUMENTED: Final = {
    "_abort_if_unique_id_configured",
    "_abort_if_unique_id_mismatch",
    "_async_abort_entries_match",
    "_async_current_entries",
    "_async_current_ids",
    "_async_in_progress",
    "_async_migrate_func",
    "_async_setup",
    "_async_update_data",
    "_get_reauth_entry",
    "_get_reconfigure_entry",
    "_handle_coordinator_update",
    "_set_confirm_only",
    "_unrecorded_attributes",
}


def tree(kind: type) -> ast.Module:
    """Return the syntax tree of a class."""
    return ast.parse(textwrap.dedent(inspect.getsource(kind)))


def own_names(kind: type) -> set[str]:
    """Return the private names that a class defines, declares or sets."""
    names = set(vars(kind)) | set(inspect.get_annotations(kind))
    names |= {
        node.attr
        for node in ast.walk(tree(kind))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    return {
        name
        for name in names
        if name.startswith("_") and not name.startswith(("__", "_attr_"))
    }


def used_names(kind: type) -> set[str]:
    """Return the names that a class uses, sets or overrides."""
    nodes = list(ast.walk(tree(kind)))
    return {
        *(node.attr for node in nodes if isinstance(node, ast.Attribute)),
        *(node.id for node in nodes if isinstance(node, ast.Name)),
        *(
            node.name
            for node in nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ),
    }


def classes() -> Iterator[type]:
    """Yield the classes of the integration, except those of `private`."""
    package = custom_components.poolctl
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(found.name)
        for kind in vars(module).values():
            if (
                inspect.isclass(kind)
                and kind.__module__ == found.name != private.__name__
            ):
                yield kind


@pytest.mark.parametrize(
    ("owner", "member"), MEMBERS, ids=lambda value: getattr(value, "__name__", value)
)
def test_it_is_still_there(owner: type, member: str) -> None:
    there = {name for kind in owner.__mro__ for name in _names(kind)}
    assert member in there, (
        f"Home Assistant's {owner.__name__} has no {member} any more"
    )


def _names(kind: type) -> set[str]:
    return own_names(kind) if kind.__module__.startswith("homeassistant") else set()


def test_entities_can_still_be_called() -> None:
    code = inspect.unwrap(service.entity_service_call).__code__
    assert code.co_varnames[:4] == ("hass", "registered_entities", "func", "call")


def test_names_can_still_be_resolved() -> None:
    """The connector of a session is the one that `private` takes it for."""
    assert inspect.iscoroutinefunction(HomeAssistantTCPConnector.async_resolve_host)
    source = inspect.getsource(aiohttp_client._async_get_connector)
    assert "connector = HomeAssistantTCPConnector(" in source


def test_no_other_file_uses_anything_private() -> None:
    found = {
        f"{kind.__module__}.{kind.__name__}: {name}"
        for kind in classes()
        for base in kind.__mro__
        if base.__module__.startswith("homeassistant")
        for name in (own_names(base) & used_names(kind)) - DOCUMENTED
    }
    assert not found
