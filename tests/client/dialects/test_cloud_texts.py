"""Texts of the service are cleaned where they are taken out of JSON."""

from datetime import UTC, datetime
import math

import pytest

from custom_components.poolctl.client.pool.from_cloud import merge_slots
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire import http
from custom_components.poolctl.client.wire.cloud_answers import (
    check_write,
    may_blame_token,
)
from custom_components.poolctl.client.wire.commands import encode_cmd
from custom_components.poolctl.client.wire.exceptions import (
    CommandFailedError,
    InvalidCommandError,
)
from custom_components.poolctl.client.wire.http import Response
from custom_components.poolctl.client.wire.json_values import (
    MAX_TEXT,
    Answer,
    as_json,
    clean_text,
    parse_json,
    parse_object,
    text,
)
from tests.client.conftest import Service, set_pump
from tests.world.simulator.cloud_dialects import CloudDialect as D


def assert_clean(words: str) -> None:
    """Check that a text can be stored, logged and shown."""
    words.encode()
    assert words.isprintable() and len(words) <= MAX_TEXT
    assert not set(words) & set("<>[]`") and "://" not in words


@pytest.mark.row("C10")
@pytest.mark.parametrize("dialect", [each for each in D if each.startswith("C10_")])
async def test_what_a_service_says(service: Service, dialect: D) -> None:
    service.cloud.dialects = {dialect}
    cloud, device_id = service.cloud_client(), service.small.device_id
    for device in (await cloud.inventory()).devices:
        assert_clean(device.name)
        assert_clean(device.site)
        assert "pool" in device.name
    aux = await cloud.read(device_id, "auxInfo")
    for name in merge_slots(PoolState(), aux, datetime.now(UTC)).outputs.names:
        assert_clean(name)
    service.small.faults.on("decline")
    with pytest.raises(CommandFailedError) as caught:
        await set_pump(cloud, device_id, 0, True, 85)
    assert_clean(caught.value.message)


@pytest.mark.row("C10")
@pytest.mark.parametrize(
    ("words", "clean"),
    [
        ("Home pool", "Home pool"),
        ("  Pool\t\n of  Zoë ", "Pool of Zoë"),
        ("a\ud83db\udc00c", "abc"),
        ("a\x00b\x1b[31mc\x7f", "a b (31mc"),
        ("\u202eloop\u200b", "loop"),
        ("a\u2028b", "a b"),
        ("👨\u200d👩\u200d👧 ☀\ufe0f", "👨\u200d👩\u200d👧 ☀\ufe0f"),
        ("![x](http://evil.example)", "!(x)(http: //evil.example)"),
        ("WWW.evil.example", "www evil.example"),
        ("<b>`x`</b>", "\u2039b\u203a'x'\u2039/b\u203a"),
        ("auth0|12345_6*7#8", "auth0|12345_6*7#8"),
        ("x" * 255, "x" * 255),
        ("x" * 256, "x" * 254 + "…"),
        ("x" * 20_000, "x" * 254 + "…"),
        ("", ""),
    ],
)  # fmt: skip
def test_clean_text(words: str, clean: str) -> None:
    assert clean_text(words) == clean
    assert clean_text(clean) == clean
    assert clean_text("Swimming pool", 9) == "Swimming…"


def test_an_answer_stays_as_it_came() -> None:
    """Objects stay unchanged, as some are written back; `text` cleans for display."""
    words = '{"a\\ud800":["<b>",{"b":"x\\u0000","c":1.5}],"d":null,"e":"  [x]","f":7}'
    answer = parse_object(words)
    assert answer is not None
    assert as_json(answer) == words.encode()
    assert [text(answer, name) for name in "adefg"] == [None, None, "(x)", "7", None]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, b"", {1.5j}])
def test_what_json_does_not_have_is_not_sent(value: object) -> None:
    with pytest.raises(InvalidCommandError):
        as_json({"a": [value]})
    with pytest.raises(InvalidCommandError):
        encode_cmd("set_ph_settings", {"a": value})


def test_odd_characters() -> None:
    assert parse_json('"\\ud83c\\udfca"') == "🏊"
    assert clean_text(str(parse_json(b'"a\xed\xa0\x80b"'))) == "a\xed b"
    assert text(parse_object(b'{"a": "x\ny\x01z"}') or {}, "a") == "x y z"


@pytest.mark.row("C19")
def test_a_byte_that_is_no_utf_8() -> None:
    """Such a byte is read as Latin-1, and the rest as UTF-8."""
    assert parse_json(b'["caf\xe9", "na\xc3\xafve", 1]') == ["caf\xe9", "na\xefve", 1]


def test_an_answer_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[object] = []
    parse = parse_object

    def count(data: bytes) -> Answer | None:
        parsed.append(data)
        return parse(data)

    monkeypatch.setattr(f"{http.__name__}.parse_object", count)
    response = Response(200, {}, b'{"status": "FAILED", "message": "no"}')
    assert may_blame_token(response) is False
    with pytest.raises(CommandFailedError):
        check_write(response)
    assert len(parsed) == 1


def test_what_is_no_json() -> None:
    nothing, cut, deep, number = "", "{", "[" * 100_000, "1" * 5000
    for data in (nothing, cut, deep, number, b"\xff"):
        with pytest.raises(ValueError, match=r"."):
            parse_json(data)
        assert parse_object(data) is None


@pytest.mark.row("C19")
async def test_a_tag_in_latin_1(service: Service) -> None:
    service.cloud.dialects = {D.C19_LATIN_1}
    names = [each.name for each in (await service.cloud_client().inventory()).devices]
    assert names == ["Home pool \xe9", "Beach pool \xe9"]
