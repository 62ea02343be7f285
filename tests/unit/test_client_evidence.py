"""The ledger of what was taken for granted: bounded, harmless, and complete."""

import ast
import json
from pathlib import Path
import random
import string

import pytest

from custom_components.poolctl.client.commands import PROBE_CHANNELS, SELECTED
from custom_components.poolctl.client.envelope import Envelope
from custom_components.poolctl.client.equipment import HeatSource
from custom_components.poolctl.client.evidence import frames
from custom_components.poolctl.client.evidence.frames import judge_frame
from custom_components.poolctl.client.evidence.lan import LanJudge
from custom_components.poolctl.client.evidence.ledger import (
    BETS,
    Bet,
    Evidence,
    field_name,
)
from custom_components.poolctl.client.exceptions import EnvelopeError, SignatureError

ROOM = Path(frames.__file__).parent
LAN_ROOM = {"lan", "frames", "replies"}


def judged_in(module: str) -> set[str]:
    """Return the names of the bets that a module of the room speaks of."""
    tree = ast.parse((ROOM / f"{module}.py").read_text())
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "Bet"
    }


def test_each_bet_is_judged_in_one_of_the_rooms() -> None:
    assert list(BETS) == list(Bet)
    on_lan: set[str] = set().union(*map(judged_in, LAN_ROOM))
    in_cloud = judged_in("cloud")
    assert on_lan | in_cloud == {bet.name for bet in BETS}
    assert not on_lan & in_cloud


def test_a_bet_is_confirmed_or_contradicted() -> None:
    evidence = Evidence()
    evidence.judge(Bet.BUSY)
    evidence.judge(Bet.BUSY, "it had run")
    evidence.judge(Bet.BUSY, "it had run")
    tally = evidence.tallies[Bet.BUSY]
    assert (tally.confirmed, tally.contradicted) == (1, 2)
    assert tally.seen == {"it had run": 2}
    evidence.note(Bet.BUSY, "more")
    assert (tally.confirmed, tally.contradicted) == (1, 2)
    assert tally.seen == {"it had run": 2, "more": 1}


def test_it_stays_small() -> None:
    """Whatever is seen, for as long as it takes."""
    evidence = Evidence()
    for bet in Bet:
        for number in range(1000):
            evidence.judge(bet, f"{number} " + "x" * 10_000)
    assert all(tally.contradicted == 1000 for tally in evidence.tallies.values())
    size = sum(
        len(words) + 100 for tally in evidence.tallies.values() for words in tally.seen
    )
    assert size < 40_000


@pytest.mark.parametrize("name", ["temp2_ch", "desired_ph_level", "isOn", "key_hex"])
def test_names_of_fields_are_told(name: str) -> None:
    assert field_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "AA_BB_CC_00_00_01",
        "aabbcc000001",
        "a1_b2_c3",
        "a@b.example",
        "Zoë",
        "x" * 41,
        "",
        123456,
    ],
)
def test_what_may_be_more_than_a_field_is_not(name: object) -> None:
    assert field_name(name) == f"a name of {len(str(name))} characters"


@pytest.mark.parametrize(
    ("payload", "bet", "seen"),
    [
        ("", Bet.FRAME_SECTIONS, "0 bytes"),
        ("0100ff", Bet.FRAME_SECTIONS, "1 bytes after the sections"),
        ("0108", Bet.FRAME_SECTIONS, "mask bits 0x08"),
        ("010105", Bet.FRAME_SECTIONS, "a section runs past the end"),
        ("01010100", Bet.TELEMETRY_LENGTH, "1 bytes"),
        ("0102010000", Bet.CONFIGURATION_LENGTH, "1 bytes"),
        ("01040201ff", Bet.TIMERS_LENGTH, "2 bytes instead of 6"),
        ("010131" + "c0" + "00" * 48, Bet.FLAGS, "flags 0x00c0"),
        ("010131" + "00" * 43 + "80" + "00" * 5, Bet.FLAGS, "flags2 0x8000"),
        ("010131" + "00" * 44 + "01" + "00" * 4, Bet.TELEMETRY_LENGTH, "49 bytes instead of 51"),
        ("010133" + "00" * 44 + "0115" + "00" * 5, Bet.MODES, "mode 21"),
        ("01025b00" + "00" * 89 + "01c8", Bet.AUX_TYPES, "code 200"),
        ("0102" + "5a00" + "00" * 89 + "01", Bet.CONFIGURATION_LENGTH, "90 bytes instead of 91"),
    ],
)  # fmt: skip
def test_odd_frames(payload: str, bet: Bet, seen: str) -> None:
    evidence = Evidence()
    judge_frame(evidence, bytes.fromhex(payload))
    assert seen in evidence.tallies[bet].seen
    assert evidence.tallies[bet].contradicted == 1


def test_nothing_that_passes_by_raises() -> None:
    """A judge looks at what nobody has looked at yet."""
    draw = random.Random(7)
    names = ["aux_names", "schedules", "pump_id", "v2_temp_get", "get_ph_settings", "x"]
    evidence = Evidence()
    for number in range(3000):
        payload = draw.randbytes(draw.randrange(160))
        if number % 3 == 0:
            payload = bytes([1, draw.randrange(8), draw.randrange(60)]) + payload
        judge = LanJudge(evidence)
        for name in names:
            judge.received("q", name, 5, Envelope(number, payload))
        judge.received("state", "", 0, Envelope(number, payload))
        judge.ran("aux", draw.randbytes(3), payload)
        judge.ran("cmd", payload, payload)
        text = "".join(draw.choices(string.printable, k=draw.randrange(12)))
        judge.rejected(text, draw.choice((EnvelopeError(), SignatureError())))
    assert evidence.tallies[Bet.FRAME_SECTIONS].contradicted > 100


@pytest.mark.parametrize(
    ("reply", "seen"),
    [
        ("000000", None),
        ("00", "pump_id ends too early"),
        ("01610000", None),
        ("000000ff", "pump_id: 1 more bytes"),
    ],
)
def test_ends_of_replies(reply: str, seen: str | None) -> None:
    judge = LanJudge(evidence := Evidence())
    payload = bytes.fromhex(reply)
    judge.received("q", "pump_id", 0, Envelope(1, payload))
    tally = evidence.tallies[Bet.REPLY_LENGTHS]
    assert list(tally.seen) == ([seen] if seen else [])


def test_more_keys_are_named() -> None:
    """Keys that nobody has told of are no contradiction, but news."""
    judge = LanJudge(evidence := Evidence())
    reply = (
        b'{"d": {"desired_ph_level": 1, "acid_drum_volume": 1, "remain_acid_volume": 1,'
        b'"ph_dosing": true, "current_dose_today": 0, "new_key": 1, "s3r1al9988": 2}}'
    )
    judge.received("q", "get_ph_settings", 0, Envelope(1, reply))
    tally = evidence.tallies[Bet.REPLY_KEYS]
    assert (tally.confirmed, tally.contradicted) == (1, 0)
    assert set(tally.seen) == {
        "get_ph_settings has new_key",
        "get_ph_settings has a name of 10 characters",
    }
    judge.received("q", "get_ph_settings", 0, Envelope(2, b"[]"))
    assert "get_ph_settings: no JSON object" in tally.seen


@pytest.mark.parametrize(
    ("envelope", "error", "seen"),
    [
        ("0155aa", EnvelopeError(), "6 characters, of version 1"),
        ("0a55 aa bb", EnvelopeError(), "10 characters, of version 10"),
        ("01\n55", EnvelopeError(), "5 characters, of version 1"),
        ("xy", EnvelopeError(), "2 characters, of version unknown"),
        (" ", EnvelopeError(), "1 characters, of version unknown"),
        ("0155aa", SignatureError(), "a tag that does not verify"),
    ],
)
def test_envelopes_that_are_not_taken(
    envelope: str, error: EnvelopeError, seen: str
) -> None:
    LanJudge(evidence := Evidence()).rejected(envelope, error)
    tally = evidence.tallies[Bet.ENVELOPE]
    assert (tally.contradicted, dict(tally.seen)) == (1, {seen: 1})
    assert list(evidence.tallies) == [Bet.ENVELOPE]


@pytest.mark.parametrize(
    ("seconds", "seen"),
    [
        (None, "others are far ahead"),
        (1, "others are up to 1 s ahead"),
        (256, "others are up to 256 s ahead"),
        (0, None),
    ],
)
def test_how_far_others_are_ahead(seconds: int | None, seen: str | None) -> None:
    LanJudge(evidence := Evidence()).caught_up(seconds)
    wanted = {} if seen is None else {Bet.COUNTER_OUT: {seen: 1}}
    assert {bet: tally.seen for bet, tally in evidence.tallies.items()} == wanted


@pytest.mark.parametrize(
    ("left_out", "seen"),
    [
        (None, []),
        ("probe", ["v2_temp_get without temp2_ch"]),
        (
            "pool",
            [
                "v2_temp_get without target_temp",
                "v2_temp_get without is_solar_heater_selected",
            ],
        ),
        ("spa", ["v2_temp_get without target_temp of the spa"]),
        ("category", None),
        ("temperature", None),
    ],
)
def test_what_heating_needs(left_out: str | None, seen: list[str] | None) -> None:
    """layouts.md 4: what is read of it is what is written back."""
    bodies = {
        "pool": {"target_temp": 80, **dict.fromkeys(SELECTED.values(), 1)},
        "spa": {"target_temp": 95},
    }
    answer: dict[str, object] = dict.fromkeys(PROBE_CHANNELS, 1)
    if left_out == "probe":
        del answer["temp2_ch"]
    elif left_out == "pool":
        del bodies["pool"]["target_temp"], bodies["pool"][SELECTED[HeatSource.SOLAR]]
    elif left_out == "spa":
        del bodies["spa"]["target_temp"]
    name = "kind" if left_out == "category" else "category"
    entries = [{name: body, **told} for body, told in bodies.items()]
    answer["list" if left_out == "temperature" else "temperature"] = entries
    LanJudge(evidence := Evidence()).received(
        "q", "v2_temp_get", 0, Envelope(1, json.dumps(answer).encode())
    )
    tally = evidence.tallies[Bet.HEATING_KEYS]
    if seen is None:
        lacks = [words for words in tally.seen if " without " in words]
        assert tally.contradicted == 1 and len(lacks) == 5
    else:
        assert list(tally.seen) == seen and tally.confirmed == (not seen)
