"""Texts of others: cleaned where JSON is taken apart."""

from base64 import urlsafe_b64encode
import json

import pytest

from custom_components.poolctl.client.account import account_id
from custom_components.poolctl.client.cloud_answers import Inventory
from custom_components.poolctl.client.exceptions import CommandFailedError
from custom_components.poolctl.client.http import Response
from custom_components.poolctl.client.json_values import (
    MAX_TEXT,
    clean_text,
    parse_json,
    parse_object,
)
from tests.simulator.cloud_dialects import CloudDialect as D

from .conftest import Service

TEXTS = [D.C10_SURROGATES, D.C10_CONTROL, D.C10_LONG, D.C10_MARKDOWN, D.C10_HTML]


def assert_clean(text: str) -> None:
    """See that a text can be stored, logged and shown."""
    text.encode()
    assert text.isprintable() and len(text) <= MAX_TEXT
    assert not set(text) & set("<>[]`") and "://" not in text


@pytest.mark.parametrize("dialect", TEXTS)
async def test_what_a_service_says(service: Service, dialect: D) -> None:
    service.cloud.dialects = {dialect}
    cloud, device_id = service.cloud_client(), service.small.device_id
    for device in (await cloud.inventory()).devices:
        assert_clean(device.name)
        assert_clean(device.site)
        assert "pool" in device.name
    aux = json.dumps(await cloud.read(device_id, "auxInfo"), ensure_ascii=False)
    aux.encode()
    assert "http://" not in aux and len(aux) < 20_000
    service.small.faults.on("decline")
    with pytest.raises(CommandFailedError) as caught:
        await cloud.set_pump(device_id, 0, True, 85)
    assert_clean(caught.value.said)


@pytest.mark.parametrize(
    ("text", "clean"),
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
def test_clean_text(text: str, clean: str) -> None:
    assert clean_text(text) == clean
    assert clean_text(clean) == clean


def test_a_shorter_limit() -> None:
    assert clean_text("Swimming pool", 9) == "Swimming…"


def test_everything_in_an_answer_is_cleaned() -> None:
    answer = parse_object(
        '{"a\\ud800": ["<b>", {"b": "x\\u0000", "c": 1.5}], "d": null}'
    )
    assert answer == {"a": ["\u2039b\u203a", {"b": "x", "c": 1.5}], "d": None}
    assert Response(200, {}, b'{"a": "\\udc00"}').json() == {"a": ""}


def test_a_pair_of_surrogates_is_a_character() -> None:
    assert parse_json('"\\ud83c\\udfca"') == "🏊"


def test_bytes_that_hold_a_surrogate() -> None:
    assert parse_json(b'"a\xed\xa0\x80b"') == "ab"


def test_control_characters_inside_a_text() -> None:
    assert parse_object(b'{"a": "x\ny\x01z"}') == {"a": "x y z"}


def test_names_of_fields_are_kept() -> None:
    """A settings object is written back whole, with what a later firmware added."""
    name = "a_long_name_of_something_" * 20
    assert parse_object(json.dumps({name: 1, "a\x00b": 2})) == {name: 1, "a b": 2}


def test_an_envelope_is_not_cut() -> None:
    """interface.md 2.7."""
    text = "0a " * 400
    assert parse_object(json.dumps({"env": text})) == {"env": text}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, b"\xff", "1" * 5000],
    ids=["nothing", "cut", "deep", "bytes", "number"],
)
def test_what_is_no_json(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)
    assert parse_object(text) is None


def test_the_subject_of_a_token() -> None:
    """It becomes the unique id of the account."""
    middle = urlsafe_b64encode(b'{"sub": "a\\ud800\\u0000b"}').decode()
    assert account_id(None, f"e30.{middle}.x", Inventory((), ())) == "a b"
