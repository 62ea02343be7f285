"""Every part of Home Assistant that the code imports is named in the manifest."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from homeassistant.const import Platform
from homeassistant.requirements import DISCOVERY_INTEGRATIONS

from .report import Problem, Repository

_COMPONENTS: Final = ["homeassistant", "components"]

# What hassfest lets every integration import.
FREE: Final = frozenset(Platform) | {
    "alert",
    "automation",
    "conversation",
    "default_config",
    "device_automation",
    "frontend",
    "group",
    "homeassistant",
    "input_boolean",
    "input_button",
    "input_datetime",
    "input_number",
    "input_select",
    "input_text",
    "labs",
    "media_source",
    "mjpeg",
    "onboarding",
    "panel_custom",
    "persistent_notification",
    "person",
    "script",
    "shopping_list",
    "stream",
    "sun",
    "system_health",
    "system_log",
    "timer",
    "webhook",
    "websocket_api",
    "zone",
}


def imported(path: Path) -> Iterator[str]:
    """Yield the parts of Home Assistant that a module imports when it runs."""
    waiting: list[ast.AST] = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith(
            "TYPE_CHECKING"
        ):
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        for name in _names(node):
            parts = name.split(".")
            if parts[:2] == _COMPONENTS and len(parts) > 2:
                yield parts[2]


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def check(repository: Repository) -> Iterator[Problem]:
    """Compare the imports with the manifest."""
    manifest, folder = repository.manifest, repository.integration
    allowed = {
        *FREE,
        *manifest.get("dependencies", ()),
        *manifest.get("after_dependencies", ()),
        *(
            name
            for name, keys in DISCOVERY_INTEGRATIONS.items()
            if any(key in manifest for key in keys)
        ),
        # A platform for another integration: diagnostics.py for diagnostics.
        *(path.stem for path in folder.glob("*.py")),
        *(path.name for path in folder.iterdir() if path.is_dir()),
    }
    for path in sorted(folder.glob("**/*.py")):
        try:
            missing = sorted(set(imported(path)) - allowed)
        except SyntaxError as err:
            yield Problem(repository.name(path), f"cannot be read: {err}")
            continue
        for name in missing:
            yield Problem(
                repository.name(path),
                f"{name} is neither in dependencies nor in after_dependencies",
            )
