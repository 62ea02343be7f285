"""These tests have a Home Assistant if they ask for one."""

from homeassistant.const import Platform

from tests.world.assistant.fixtures import *  # noqa: F403
from tests.world.assistant.platforms import only

few_platforms = only(Platform.SENSOR)
