"""A module imports only from its own layer and those below it."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INTEGRATION = ROOT / "custom_components" / "poolctl"
CLIENT = INTEGRATION / "client"
SIMULATOR = ROOT / "tests" / "world" / "simulator"
TESTS_OF_THE_CLIENT = ROOT / "tests" / "client"
BESIDE_THE_CLIENT = (
    "tests.client",
    *(f"tests.world.{name}" for name in ("loops", "plain", "service", "simulator")),
)
"""What `scripts/client` copies to where the integration is not installed."""
PLATFORM_TABLES = (
    "binary_sensor.py",
    "button.py",
    "calendar.py",
    "climate.py",
    "light.py",
    "number.py",
    "select.py",
    "sensor.py",
    "switch.py",
)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    """Return the absolute names of all modules that a module imports.

    Imports for types count, too: a reader of the module has to know them as well.
    """
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = [*base, *(node.module.split(".") if node.module else ())]
            for alias in node.names:
                inner = ROOT.joinpath(*stem, alias.name)
                here = inner.is_dir() or inner.with_suffix(".py").is_file()
                yield ".".join([*stem, alias.name] if here else stem)


def modules(folder: Path) -> list[Path]:
    """Return the Python files of a folder; there must be some."""
    found = sorted(folder.rglob("*.py"))
    assert found
    return found


@pytest.mark.parametrize(
    ("folder", "outside", "inside"),
    [
        (CLIENT, "homeassistant", ""),
        (CLIENT, "custom_components", "custom_components.poolctl.client"),
        (SIMULATOR, "custom_components", ""),
        (INTEGRATION, "tests", ""),
        (TESTS_OF_THE_CLIENT, "homeassistant", ""),
        (TESTS_OF_THE_CLIENT, "custom_components", "custom_components.poolctl.client"),
        (TESTS_OF_THE_CLIENT, "tests", BESIDE_THE_CLIENT),
    ],
)
def test_a_folder_knows_nothing_of_another(
    folder: Path, outside: str, inside: str | tuple[str, ...]
) -> None:
    for path in modules(folder):
        for name in imports(path):
            allowed = inside and name.startswith(inside)
            assert allowed or not name.startswith(outside), f"{path}: {name}"


@pytest.mark.parametrize("name", PLATFORM_TABLES)
def test_platforms_see_neither_bytes_nor_addresses(name: str) -> None:
    reached = set(imports(INTEGRATION / name))
    for hidden in ("wire.envelope", "lan", "cloud", "wire.http", "wire.commands"):
        assert f"custom_components.poolctl.client.{hidden}" not in reached


# Layers of the client, the lowest first; its own folder holds clocks and connections.
FLOORS = ("wire", "", "pool", "control", "holds", "controller")


def floor(path: Path) -> int:
    """Return the index in FLOORS of the layer of a module of the client."""
    if path in (CLIENT / "controller.py", CLIENT / "__init__.py"):
        return FLOORS.index("controller")
    folder = str(path.relative_to(CLIENT).parent)
    return FLOORS.index("" if folder == "." else folder)


@pytest.mark.parametrize(
    "path", modules(CLIENT), ids=lambda path: str(path.relative_to(CLIENT))
)
def test_no_floor_of_the_client_uses_one_above_it(path: Path) -> None:
    above = FLOORS[floor(path) + 1 :]
    for name in imports(path):
        inside = name.removeprefix("custom_components.poolctl.client.")
        assert inside.split(".")[0] not in above, name


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Return the modules of a circle of imports, none if there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as err:
        return list(err.args[1])
    return []


def test_no_import_runs_in_a_circle() -> None:
    paths = modules(INTEGRATION)
    names = {module_name(path) for path in paths}
    graph = {
        module_name(path): {*imports(path)} & names - {module_name(path)}
        for path in paths
    }
    assert sum(map(len, graph.values())) > 200  # imports are found at all
    assert not circle(graph)
    # One more import, even for types alone, would be a circle.
    client = "custom_components.poolctl.client"
    graph[f"{client}.pool.state"].add(f"{client}.controller")
    assert circle(graph)


def room(name: str) -> str:
    """Return the room of a module: a folder, or a file at the top or in client/."""
    parts = name.removeprefix("custom_components.poolctl").strip(".").split(".")
    folder = INTEGRATION.joinpath(*parts)
    if folder.is_dir():
        return ".".join(parts)
    return ".".join(parts if parts[:-1] in ([], ["client"]) else parts[:-1])


def test_rooms_are_levels() -> None:
    paths = modules(INTEGRATION)
    names = {module_name(path) for path in paths}
    rooms: defaultdict[str, set[str]] = defaultdict(set)
    for path in paths:
        here = room(module_name(path))
        rooms[here] |= {room(name) for name in {*imports(path)} & names} - {here}
    assert rooms["entity"] >= {"coordinator", "client.pool"}  # imports are found at all
    assert not circle(rooms)
    # The controller's side may not use the account's, even for types alone.
    rooms["network"].add("account")
    assert circle(rooms)
