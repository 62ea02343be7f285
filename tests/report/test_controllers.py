"""Every kept report of an owner (tests/controllers) keeps its meaning.

A report is played as a controller that answers with recorded bytes. The verdicts, the
state of each entity and the bytes of the commands are snapshots. Review what
`--snapshot-update` changes: that owner would see it, too.
"""

from datetime import UTC, datetime
from typing import Any

from freezegun.api import FrozenDateTimeFactory
import pytest
from syrupy.assertion import SnapshotAssertion

from tests.controllers.__main__ import contradicted
from tests.controllers.playback import Playback
from tests.controllers.report import FOLDER, Part, read
from tests.controllers.verdicts import Outcome, verdicts
from tests.report.test_evidence import try_to
from tests.world.assistant.home import Home

REPORTS = sorted(FOLDER.rglob("*.json"))
PARTS = {path.stem: read(path).parts for path in REPORTS}
"""The controller of each file, of which there is only one."""
EVERY = pytest.mark.parametrize("part", [part for (part,) in PARTS.values()], ids=PARTS)
ON_LAN = {name: part for name, (part,) in PARTS.items() if part.frames}
REACHED_ON_LAN = pytest.mark.parametrize("part", ON_LAN.values(), ids=ON_LAN)
COMMANDS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("switch", "turn_on", {}),
    ("switch", "turn_off", {}),
    ("number", "set_value", {"value": 60}),
    ("climate", "set_temperature", {"temperature": 27}),
)


def test_there_are_reports() -> None:
    """There are at least the simulated pools, in the current format."""
    assert {path.parent.name for path in REPORTS} >= {"simulated"}


@EVERY
def test_what_it_proves(part: Part, snapshot: SnapshotAssertion) -> None:
    found = {v.assumption: v for v in verdicts(part) if v.outcome is not Outcome.AGREES}
    assert [name for name in contradicted(part) if name not in part.accepted] == []
    assert [f"{v.outcome} {name} {v.observed}" for name, v in found.items()] == snapshot


@REACHED_ON_LAN
async def test_what_it_shows(
    home: Home, part: Part, freezer: FrozenDateTimeFactory, snapshot: SnapshotAssertion
) -> None:
    controller = await playback(home, part, freezer)
    await home.enable_all()
    states = {
        f"{entity.domain} {entity.unique_id.removeprefix(controller.device_id + '_')}": (
            home.state_of(entity.entity_id).state
        )
        for entity in home.entities()
    }
    assert states["sensor connection"] == "lan"
    assert [f"{name}: {value}" for name, value in sorted(states.items())] == snapshot


@REACHED_ON_LAN
async def test_what_it_is_sent(
    home: Home, part: Part, freezer: FrozenDateTimeFactory, snapshot: SnapshotAssertion
) -> None:
    """Each command is sent once, although a recording never shows its effect."""
    controller = await playback(home, part, freezer)
    sent = []
    for entity in sorted(home.entities(), key=lambda entity: entity.unique_id):
        key = entity.unique_id.removeprefix(f"{controller.device_id}_")
        for domain, action, data in COMMANDS:
            if entity.domain != domain or entity.disabled_by is not None:
                continue
            before = len(controller.commands)
            await home.finish(try_to(home, f"{domain}.{action}", key, **data))
            sent += [
                f"{domain} {key} {action}: {each.name} {each.payload!r}"
                for each in controller.commands[before:]
            ]
    assert sent == snapshot


async def playback(home: Home, part: Part, freezer: FrozenDateTimeFactory) -> Playback:
    """Set up Home Assistant with the controller of a report, at the end of its recording."""
    freezer.move_to(datetime.fromtimestamp(part.events()[-1].at, UTC))
    service = home.service
    controller = Playback(part, clock=service.clock, name="Pool")
    controller.to_the_end()
    home.own(service.small)
    service.account.sites[0].controllers = [controller]
    await service.small.stop()
    service.small, home.controller = controller, controller
    await controller.start()
    await home.set_up(controller)
    await home.refresh()
    return controller
