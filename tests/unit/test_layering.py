"""No module reaches past its neighbour (design.md 1)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INTEGRATION = ROOT / "custom_components" / "poolctl"
CLIENT = INTEGRATION / "client"
SIMULATOR = ROOT / "tests" / "simulator"
PLATFORM_TABLES = (
    "binary_sensor.py",
    "button.py",
    "calendar.py",
    "climate.py",
    "event.py",
    "light.py",
    "number.py",
    "select.py",
    "sensor.py",
    "switch.py",
)


def imports(path: Path) -> Iterator[str]:
    """Return the absolute names of everything a module imports."""
    package = list(path.relative_to(ROOT).with_suffix("").parts[:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            yield ".".join([*base, *(node.module or "").split(".")]).strip(".")


def modules(folder: Path) -> list[Path]:
    """Return the Python files of a folder; there must be some."""
    found = sorted(folder.rglob("*.py"))
    assert found
    return found


@pytest.mark.parametrize(
    "path", modules(CLIENT), ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_client_knows_no_home_assistant(path: Path) -> None:
    outside = {name for name in imports(path) if name.startswith("homeassistant")}
    above = {
        name
        for name in imports(path)
        if name.startswith("custom_components")
        and not name.startswith("custom_components.poolctl.client")
    }
    assert not outside | above


@pytest.mark.parametrize(
    "path", modules(SIMULATOR), ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_simulator_shares_no_code_with_the_integration(path: Path) -> None:
    assert not {name for name in imports(path) if name.startswith("custom_components")}


@pytest.mark.parametrize(
    "path", modules(INTEGRATION), ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_integration_knows_no_simulator(path: Path) -> None:
    assert not {name for name in imports(path) if name.startswith("tests")}


@pytest.mark.parametrize("name", PLATFORM_TABLES)
def test_platforms_see_neither_bytes_nor_addresses(name: str) -> None:
    reached = set(imports(INTEGRATION / name))
    for hidden in ("envelope", "lan", "cloud", "http", "commands"):
        assert f"custom_components.poolctl.client.{hidden}" not in reached
