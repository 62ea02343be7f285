"""hassfest's plugins: which of its rules are checked here, with whose code, and which are not.

hassfest is in neither of Home Assistant's archives on PyPI, so it cannot be run here. What
the package does have of its rules (validators, selectors, icons, languages, brands) is
used as it is; the rest was written down again. The workflow *Validation* runs the real one.
"""

import ast
from collections.abc import Iterator
from typing import Final

from .report import Problem, Repository

# A plugin that looks at custom integrations: what checks the same here.
CHECKED: Final = {
    "conditions": "descriptions.py, with Home Assistant's own selectors and validators",
    "config_flow": "here, and manifest.py",
    "config_schema": "here",
    "dependencies": "dependencies.py, with Home Assistant's own list of discoveries",
    "icons": "icons.py, with the frontend's own list of icons",
    "json": "report.py, which reads every file",
    "manifest": "manifest.py, with Home Assistant's own types and versions",
    "quality_scale": "quality_scale.py, and tests/unit/test_quality_scale.py for the code",
    "services": "descriptions.py, with Home Assistant's own selectors and validators",
    "translations": "translations.py, with Home Assistant's own validators and languages",
    "triggers": "descriptions.py, with Home Assistant's own selectors and validators",
}
# A plugin: why nothing here checks what it does.
UNCHECKED: Final = {
    "application_credentials": "writes a list of the core's integrations",
    "bluetooth": "the manifest names none",
    "codeowners": "writes a list of the core's integrations",
    "dhcp": "writes a list of the core's integrations",
    "integration_info": "looks at the core's integrations only",
    "labs": "writes a list of the core's integrations",
    "mqtt": "the manifest names none",
    "requirements": "the manifest names none, which manifest.py holds",
    "ssdp": "the manifest names none",
    "usb": "the manifest names none",
    "zeroconf": "writes a list of the core's integrations",
}

_DISCOVERIES: Final = (
    "bluetooth",
    "dhcp",
    "homekit",
    "mqtt",
    "ssdp",
    "usb",
    "zeroconf",
)
_SCHEMAS: Final = {"CONFIG_SCHEMA", "PLATFORM_SCHEMA", "PLATFORM_SCHEMA_BASE"}


def check(repository: Repository) -> Iterator[Problem]:
    """Check what hassfest reads in the code."""
    module = repository.integration / "__init__.py"
    names = _names(module.read_text()) if module.is_file() else set()
    if names & {"async_setup", "setup"} and not names & _SCHEMAS:
        yield Problem(repository.name(module), "has a set-up, but no CONFIG_SCHEMA")
    flow = repository.integration / "config_flow.py"
    code = flow.read_text() if flow.is_file() else ""
    if "async_set_unique_id" not in code:
        for name in _DISCOVERIES:
            if f"async_step_{name}" in code:
                yield Problem(
                    repository.name(flow), f"{name} finds devices without a unique id"
                )


def _names(code: str) -> set[str]:
    """Return what a module defines, sets or imports by name."""
    names: set[str] = set()
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {item.id for item in targets if isinstance(item, ast.Name)}
    return names


def report() -> Iterator[str]:
    """Yield the lines that say what is not checked."""
    yield f"hassfest is not in the package; checked here are {', '.join(CHECKED)}"
    for name, reason in UNCHECKED.items():
        yield f"not checked here: {name} ({reason})"
