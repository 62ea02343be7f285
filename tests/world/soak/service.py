"""The service of every simulated run: two controllers, and a clock that is right."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
import time

from tests.world.assistant.service import FULL_ID, SMALL_ID, Service
from tests.world.simulator import Controller, Pool

from .timelapse import SharedClock


def service_of(small: tuple[str, Pool], full: tuple[str, Pool], port: int) -> Service:
    """Return the service of two pools with their names; it is not running yet."""
    clock = SharedClock()
    named = (
        (SMALL_ID, bytes(range(16)), *small),
        (FULL_ID, bytes(range(16, 32)), *full),
    )
    return Service(
        clock,
        *(
            Controller(
                device_id=device_id,
                key=key,
                name=name,
                pool=pool,
                clock=clock,
                host=f"127.0.0.{number}",
                port=port,
            )
            for number, (device_id, key, name, pool) in enumerate(named, 2)
        ),
    )


@asynccontextmanager
async def running(service: Service) -> AsyncGenerator[Service]:
    """Run the service, with its clock set to the current time."""
    clock = service.clock
    async with service.running():
        clock.set_back(clock.time() - time.time())
        yield service
