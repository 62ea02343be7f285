"""Starts Home Assistant without the kinds of platforms that a pool never has.

Home Assistant starts every kind. Most of those below are for voice and video: their
packages are not in the environment, some must be compiled or need libraries of the
system, and each would log an error at every start.
"""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
import sys
from types import ModuleType
from typing import Final

from homeassistant import bootstrap
from homeassistant.__main__ import main

LEFT_OUT: Final = (
    "ai_task",
    "assist_satellite",
    "camera",
    "conversation",
    "image_processing",
    "infrared",
    "radio_frequency",
    "tts",
)
ISSUES_AT_ONCE: Final = "--issues-at-once"


def leave_out(platform: str) -> None:
    """Keep Home Assistant from starting a kind of platform."""
    bootstrap.DEFAULT_INTEGRATIONS.discard(platform)
    # The frontend waits for the descriptions of all actions, and for those Home Assistant
    # imports some kinds of platforms even if they are not started.
    module = f"homeassistant.components.{platform}"
    sys.modules[module] = ModuleType(module)


def allow_loopback() -> None:
    """Let the simulated controllers announce their loopback addresses."""
    module = vars(import_module("custom_components.poolctl.network.addresses"))
    module["LOOPBACK"] = True


def show_issues_at_once() -> None:
    """Show the issues of the integration as soon as there is a problem."""
    module = vars(import_module("custom_components.poolctl.coordinator"))
    module["PROBLEMS"] = tuple(
        replace(row, patience=0, repair=row.repair and replace(row.repair, patience=0))
        for row in module["PROBLEMS"]
    )


if __name__ == "__main__":
    for name in LEFT_OUT:
        leave_out(name)
    sys.path.insert(0, str(Path.cwd()))  # the configuration folder
    allow_loopback()
    if ISSUES_AT_ONCE in sys.argv:
        sys.argv.remove(ISSUES_AT_ONCE)
        show_issues_at_once()
    sys.exit(main())
