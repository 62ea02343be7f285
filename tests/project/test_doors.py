"""The integration uses the client through its doors: public modules, and names they list."""

import ast
from pathlib import Path

INTEGRATION = Path(__file__).parents[2] / "custom_components/poolctl"
CLIENT = INTEGRATION / "client"
DOORS = {"", "pool", "holds", "wire", "codec", "bounds", "facts"}
"""Public modules of the client, below its package."""


def listed(door: str) -> set[str]:
    """Return the names in `__all__` of a door."""
    path = CLIENT / door
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    for node in ast.parse(path.read_text()).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                return {*ast.literal_eval(value)}
    return set()


def imports(path: Path) -> list[tuple[str, str]]:
    """Return what a file imports from the client: module and name."""
    depth = len(path.relative_to(INTEGRATION).parts)
    return [
        (node.module.removeprefix("client").removeprefix("."), alias.name)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and node.level == depth
        and node.module is not None
        and node.module.split(".")[0] == "client"
        for alias in node.names
    ]


USERS = [
    path
    for path in sorted(INTEGRATION.rglob("*.py"))
    if CLIENT not in path.parents and imports(path)
]


def test_each_import_goes_through_a_door() -> None:
    assert len(USERS) > 50
    names = {door: listed(door) for door in DOORS}
    past = [
        f"{path.relative_to(INTEGRATION)}: client.{module} {name}"
        for path in USERS
        for module, name in imports(path)
        if name not in names.get(module, ())
    ]
    assert not past


def test_a_door_lists_no_name_that_only_tests_use() -> None:
    """All but the package itself, whose page is for scripts, list what somebody uses."""
    used = {item for path in USERS for item in imports(path)}
    for door in DOORS - {""}:
        assert listed(door) <= {name for module, name in used if module == door}
