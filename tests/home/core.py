"""Home Assistant's own start, without the kinds of platforms that a pool never has.

Home Assistant starts every kind there is. Those below are voice and video: their packages
are not in the environment, some have to be compiled or need libraries of the system, and
each would greet the developer with an error.
"""

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


def leave_out(platform: str) -> None:
    """Do not start a kind of platform."""
    bootstrap.DEFAULT_INTEGRATIONS.discard(platform)
    # The frontend waits for the descriptions of all actions, and for those Home Assistant
    # imports some kinds of platforms whether they were started or not.
    module = f"homeassistant.components.{platform}"
    sys.modules[module] = ModuleType(module)


if __name__ == "__main__":
    for name in LEFT_OUT:
        leave_out(name)
    sys.exit(main())
