"""The evidence for assumptions is bounded, harmless and complete."""

import ast
import json
from pathlib import Path
import random
import string

import pytest

from custom_components.poolctl.client.commands import PROBE_CHANNELS, SELECTED
from custom_components.poolctl.client.equipment import HeatSource
from custom_components.poolctl.client.exceptions import (
    EnvelopeError,
    PoolctlError,
    SignatureError,
)
from custom_components.poolctl.client.facts import (
    Facts,
    Frame,
    LanRequest,
    Rejected,
    Reply,
)
from custom_components.poolctl.client.http import Response
from custom_components.poolctl.client.stored import Stored
from custom_components.poolctl.observed import lan_checks
from custom_components.poolctl.observed.evidence import Assumption, Evidence, field_name
from custom_components.poolctl.observed.frame_checks import check_frame
from custom_components.poolctl.observed.lan_checks import LanChecks

FOLDER = Path(lan_checks.__file__).parent
ON_LAN = {"lan_checks", "frame_checks", "reply_checks"}


def checked_in(module: str) -> set[str]:
    """Return the names of the assumptions that a module checks."""
    tree = ast.parse((FOLDER / f"{module}.py").read_text())
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "Assumption"
    }


def replied(name: str, payload: bytes) -> Evidence:
    """Return the evidence of the reply to a query."""
    facts = Facts()
    LanChecks(evidence := Evidence(), facts)
    facts.emit(Reply(name, 0, 1, payload, False))
    return evidence


def test_each_assumption_is_checked_in_one_place() -> None:
    on_lan: set[str] = set().union(*map(checked_in, ON_LAN))
    in_cloud = checked_in("cloud_checks")
    assert on_lan | in_cloud == {each.name for each in Assumption}
    assert not on_lan & in_cloud


def test_an_assumption_is_confirmed_or_contradicted() -> None:
    evidence = Evidence()
    evidence.check(Assumption.BUSY)
    evidence.check(Assumption.BUSY, "it had run")
    evidence.check(Assumption.BUSY, "it had run")
    tally = evidence.tallies[Assumption.BUSY]
    assert (tally.confirmed, tally.contradicted) == (1, 2)
    assert tally.observed == {"it had run": 2}
    evidence.note(Assumption.BUSY, "more")
    assert (tally.confirmed, tally.contradicted) == (1, 2)
    assert tally.observed == {"it had run": 2, "more": 1}


def test_it_is_kept() -> None:
    """Only odd parts of a store are lost; each new observation is reported once."""
    news = list[None]()
    evidence = Evidence()
    evidence.changed = lambda: news.append(None)
    evidence.check(Assumption.BUSY)
    for _ in range(3):
        evidence.check(Assumption.BUSY, "it had run")
        evidence.note(Assumption.MODES, "mode 21")
    assert len(news) == 4
    stored = json.loads(json.dumps(evidence.as_dict()))
    assert Evidence.from_dict(Stored(stored)).tallies == evidence.tallies
    stored["busy"]["observed"] += [["x", -1], "odd", 7]
    stored["modes"] = "odd"
    read = Stored(stored)
    kept = Evidence.from_dict(read)
    assert kept.tallies == {Assumption.BUSY: evidence.tallies[Assumption.BUSY]}
    assert read.odd.keys() == {"busy", "modes"}
    kept.add(evidence)
    assert kept.tallies[Assumption.BUSY].contradicted == 6
    assert kept.tallies[Assumption.BUSY].observed == {"it had run": 6}


def test_it_stays_small() -> None:
    """The evidence stays small, however many and long the observations are."""
    evidence = Evidence()
    for assumption in Assumption:
        for number in range(1000):
            evidence.check(assumption, f"{number} " + "x" * 10_000)
    assert all(tally.contradicted == 1000 for tally in evidence.tallies.values())
    size = sum(
        len(words) + 100
        for tally in evidence.tallies.values()
        for words in tally.observed
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
    ("payload", "assumption", "words"),
    [
        ("", Assumption.FRAME_SECTIONS, "0 bytes"),
        ("0100ff", Assumption.FRAME_SECTIONS, "1 bytes after the sections"),
        ("0108", Assumption.FRAME_SECTIONS, "mask bits 0x08"),
        ("010105", Assumption.FRAME_SECTIONS, "a section runs past the end"),
        ("01010100", Assumption.TELEMETRY_LENGTH, "1 bytes"),
        ("0102010000", Assumption.CONFIGURATION_LENGTH, "1 bytes"),
        ("01040201ff", Assumption.TIMERS_LENGTH, "2 bytes instead of 6"),
        ("010131" + "c0" + "00" * 48, Assumption.FLAGS, "flags 0x00c0"),
        ("010131" + "00" * 43 + "80" + "00" * 5, Assumption.FLAGS, "flags2 0x8000"),
        ("010131" + "00" * 44 + "01" + "00" * 4, Assumption.TELEMETRY_LENGTH, "49 bytes instead of 51"),
        ("010133" + "00" * 44 + "0115" + "00" * 5, Assumption.MODES, "mode 21"),
        ("01025b00" + "00" * 89 + "01c8", Assumption.AUX_TYPES, "code 200"),
        ("0102" + "5a00" + "00" * 89 + "01", Assumption.CONFIGURATION_LENGTH, "90 bytes instead of 91"),
    ],
)  # fmt: skip
def test_odd_frames(payload: str, assumption: Assumption, words: str) -> None:
    assert words in dict(check_frame(bytes.fromhex(payload), ()))[assumption]


def test_observers_take_anything(caplog: pytest.LogCaptureFixture) -> None:
    draw = random.Random(7)
    names = ["aux_names", "schedules", "pump_id", "v2_temp_get", "get_ph_settings", "x"]
    facts = Facts()
    LanChecks(evidence := Evidence(), facts)
    for number in range(3000):
        payload = draw.randbytes(draw.randrange(160))
        if number % 3 == 0:
            payload = bytes([1, draw.randrange(8), draw.randrange(60)]) + payload
        for name in names:
            facts.emit(Reply(name, 5, number, payload, False))
        facts.emit(Frame(number, payload, b"", 0.0, False))
        for name in ("aux", "cmd"):
            body, response = draw.randbytes(3), Response(200, {}, payload)
            facts.emit(LanRequest("a", name, body, response, payload, 0.0, None))
        text = "".join(draw.choices(string.printable, k=draw.randrange(12)))
        facts.emit(Rejected(text, draw.choice((EnvelopeError(), SignatureError()))))
    assert evidence.tallies[Assumption.FRAME_SECTIONS].contradicted > 100
    assert not caplog.records


def test_a_listener_that_fails_has_no_effect(caplog: pytest.LogCaptureFixture) -> None:
    """The message of its error is not logged, as it may contain text of an answer."""
    facts, heard = Facts(), list[Frame]()

    def fail(frame: Frame) -> None:
        raise ValueError("secret")

    facts.listen(Frame, fail)
    facts.listen(Frame, heard.append)
    for number in range(3):
        facts.emit(Frame(number, b"", b"", 0.0, False))
    assert len(heard) == 3
    assert [record.getMessage() for record in caplog.records] == [
        "An observer failed: ValueError"
    ]


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
    evidence = replied("pump_id", bytes.fromhex(reply))
    tally = evidence.tallies[Assumption.REPLY_LENGTHS]
    assert list(tally.observed) == ([seen] if seen else [])


def test_more_keys_are_named() -> None:
    """Keys that are not documented are noted, but do not contradict."""
    reply = (
        b'{"d": {"desired_ph_level": 1, "acid_drum_volume": 1, "remain_acid_volume": 1,'
        b'"ph_dosing": true, "current_dose_today": 0, "new_key": 1, "s3r1al9988": 2}}'
    )
    evidence = replied("get_ph_settings", reply)
    tally = evidence.tallies[Assumption.REPLY_KEYS]
    assert (tally.confirmed, tally.contradicted) == (1, 0)
    assert set(tally.observed) == {
        "get_ph_settings has new_key",
        "get_ph_settings has a name of 10 characters",
    }
    tally = replied("get_ph_settings", b"[]").tallies[Assumption.REPLY_KEYS]
    assert "get_ph_settings: no JSON object" in tally.observed


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
    envelope: str, error: PoolctlError, seen: str
) -> None:
    facts = Facts()
    LanChecks(evidence := Evidence(), facts)
    facts.emit(Rejected(envelope, error))
    tally = evidence.tallies[Assumption.ENVELOPE]
    assert (tally.contradicted, dict(tally.observed)) == (1, {seen: 1})
    assert list(evidence.tallies) == [Assumption.ENVELOPE]


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
    """A reply needs every key that `v2_temp_set` writes back (layouts.md 4)."""
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
    evidence = replied("v2_temp_get", json.dumps(answer).encode())
    tally = evidence.tallies[Assumption.HEATING_KEYS]
    if seen is None:
        lacks = [words for words in tally.observed if " without " in words]
        assert tally.contradicted == 1 and len(lacks) == 5
    else:
        assert list(tally.observed) == seen and tally.confirmed == (not seen)
