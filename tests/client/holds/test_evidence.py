"""Evidence: what a read shows of a claim, case by case."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from custom_components.poolctl.client.holds.claim import Claim
from custom_components.poolctl.client.holds.decide import Seen
from custom_components.poolctl.client.holds.evidence import seen
from custom_components.poolctl.client.holds.heat import HeatClaim
from custom_components.poolctl.client.holds.hold import Hold
from custom_components.poolctl.client.holds.pauses import Pause
from custom_components.poolctl.client.pool.dosing import ACID
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.parts import Doser
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.equipment import HeatSource

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
LIGHT, WATERFALL = 1, 2
AT = 10_000.0
HOLD = Hold(slot=WATERFALL, on=True, since=NOW, sent_at=97.0, confirmed=False)


# Reads


def output(
    on: bool | None, *, held: bool | None = False, code: int = 1, cloud: bool = False
) -> PoolState:
    """Return a state in which all outputs are alike."""
    mode = None if on is None else 99 * on
    outputs = Outputs(
        types=(31, 13, code),
        modes=(mode,) * 3,
        held=None if held is None else (0, 1, 2) * held,
    )
    return PoolState(outputs=outputs, source=Source.CLOUD if cloud else Source.LAN)


def doser(enabled: bool | None, source: Source = Source.LAN) -> PoolState:
    return PoolState(acid=Doser(enabled=enabled), source=source)


def heat(
    selected: bool | None, source: Source = Source.LAN, *, settings: bool = True
) -> PoolState:
    sources = {**PoolState().heat, HeatSource.SOLAR: selected}
    return PoolState(heat=sources, source=source, settings_reported=settings)


PAUSE = Pause(kind=ACID, until=NOW)
SUN = HeatClaim(source=HeatSource.SOLAR)
OFF = replace(HOLD, on=False)
LIGHT_ON = replace(HOLD, slot=LIGHT)
NOTHING = Seen(AT)
COPY_OURS, COPY_OTHER = (Seen(AT, ours, 300.0, 600.0) for ours in (True, False))
OURS, OTHER = Seen(AT, True), Seen(AT, False)

SHOWS: tuple[tuple[str, Claim, PoolState, Seen], ...] = (
    ("held on", HOLD, output(True, held=True), OURS),
    ("held off", OFF, output(False, held=True), OURS),
    ("released", HOLD, output(False), OTHER),
    ("on, not held", HOLD, output(True), OTHER),
    ("held the other way", HOLD, output(False, held=True), OTHER),
    ("no override reported", HOLD, output(True, held=None), NOTHING),
    ("no mode reported", HOLD, output(None, held=True), NOTHING),
    ("its type reads 0", HOLD, output(False, code=0), NOTHING),
    ("its type is not reported", HOLD, output(False, code=-1), NOTHING),
    ("there is no such output", replace(HOLD, slot=3), output(False), NOTHING),
    (
        "a pulse of a light show",
        LIGHT_ON,
        output(False, held=True),
        Seen(AT, False, agreeing=120.0),
    ),
    ("a light that is not held", LIGHT_ON, output(False), OTHER),
    ("a copy shows it on", HOLD, output(True, held=None, cloud=True), COPY_OURS),
    ("a copy shows it off", HOLD, output(False, cloud=True), COPY_OTHER),
    ("a copy of what was held off", OFF, output(False, cloud=True), COPY_OURS),
    ("a copy without modes", HOLD, output(None, cloud=True), NOTHING),
    ("a doser is off", PAUSE, doser(False), Seen(AT, True, agreeing=0.0)),
    ("a doser is on", PAUSE, doser(True), Seen(AT, False, agreeing=0.0)),
    ("no settings of a doser", PAUSE, doser(None), NOTHING),
    ("a copy of a doser off", PAUSE, doser(False, Source.CLOUD), COPY_OURS),
    ("a copy of a doser on", PAUSE, doser(True, Source.CLOUD), COPY_OTHER),
    ("no copy of a doser", PAUSE, doser(None, Source.CLOUD), NOTHING),
    ("a source is selected", SUN, heat(True), OURS),
    ("a source is not selected", SUN, heat(False), OTHER),
    ("a source is not reported", SUN, heat(None), NOTHING),
    ("a frame without settings", SUN, heat(False, settings=False), NOTHING),
    ("the cloud reports no sources", SUN, heat(False, Source.CLOUD), NOTHING),
)


def test_what_a_read_shows(subtests: pytest.Subtests) -> None:
    """Each kind, each source, each reason: ours, not ours, or nothing."""
    for reason, claim, state, shows in SHOWS:
        with subtests.test(reason):
            assert seen(claim, state, AT) == shows
        undone = replace(claim, maybe_undone=True)
        with subtests.test(reason, lost=True):
            # A lost answer to our own command explains a change, but no old copy.
            agreeing = 0.0 if shows.agreeing == 10.0 else shows.agreeing
            found = seen(undone, state, AT)
            assert found == shows._replace(agreeing=found.agreeing)
            assert found.agreeing == agreeing or shows is NOTHING
