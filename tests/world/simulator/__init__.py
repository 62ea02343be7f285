"""A simulator of the whole service of protocol.md: pools, controllers, cloud.

It shares no code with the integration and uses real sockets. `python -m
tests.world.simulator --help` shows how to run it by hand.
"""

from .accounts import Account, Site
from .clock import NOON, Clock
from .cloud import Cloud
from .controller import Controller
from .pool import Pool

__all__ = ["NOON", "Account", "Clock", "Cloud", "Controller", "Pool", "Site"]
