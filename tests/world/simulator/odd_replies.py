"""Single replies with wrong content, of queries and of the cloud (protocol.md L31)."""

from contextlib import suppress
from typing import Any, Final

from . import wire
from .faults import Faults
from .schedules import Schedule

ODD: Final = {
    "odd_zeros": "a reply is all zeros: numbers 0, flags off, texts and places empty",
    "odd_half": "the second half of a reply is zeros, or the first of its schedules",
    "odd_count": "a reply has a list that is empty, or an object without its keys",
    "odd_order": "a reply has its list the other way round",
    "odd_text": "a reply has texts in place of numbers",
}
"""Faults of a query, or of an endpoint, and what each does."""


def spoiled_reply(reply: bytes, name: str, faults: Faults) -> bytes:
    """Return the reply to a query as the faults that are switched on make it."""
    for fault in ODD:
        if faults.take(fault, name):
            with suppress(wire.WireError, IndexError):  # a dialect has other records
                reply = _spoil(reply, name, fault)
    return reply


def _spoil(reply: bytes, name: str, fault: str) -> bytes:
    if name == "schedules":
        count, records = reply[0], list[Schedule]()
        rest = reply[1:]
        for _ in range(count):
            enabled, (record, rest) = rest[0], wire.decode_record(rest[1:])
            record.enabled = bool(enabled)
            records.append(record)
        return wire.encode_schedules(_spoiled(records, Schedule(), fault, first=True))
    if name in ("aux_names", "pump_id"):
        counted, texts = name == "aux_names", list[str]()
        rest = reply[counted:]
        for _ in range(reply[0] if counted else 3):
            text, rest = wire.decode_text(rest)
            texts.append(text)
        texts = _spoiled(texts, "", fault)
        if counted:
            return wire.encode_names(texts)
        return wire.encode_texts([*texts, "", "", ""][:3])
    body = wire.parse_json(reply)
    return wire.encode_json(spoil_json(body.get("d", body), fault), "d" in body)


def _spoiled[T](items: list[T], zero: T, fault: str, *, first: bool = False) -> list[T]:
    half = len(items) // 2
    match fault:
        case "odd_zeros":
            return [zero for _ in items]
        case "odd_half":
            zeros, rest = [zero] * half, items[half:] if first else items[:half]
            return [*zeros, *rest] if first else [*rest, *zeros]
        case "odd_count":
            return []
        case "odd_order":
            return items[::-1]
    return items


def spoil_json(body: Any, fault: str) -> Any:
    """Return JSON with every number or list of it changed."""
    match body, fault:
        case dict(), _:
            return _spoiled_object(body, fault)
        case list(), "odd_zeros" | "odd_text":
            return [spoil_json(each, fault) for each in body]
        case list(), _:
            return _spoiled(body, {}, fault, first=True)
        case bool() | int() | float(), "odd_zeros":
            return type(body)(0)
        case bool() | int() | float(), "odd_text":
            return str(body)
    return body


def _spoiled_object(body: wire.Json, fault: str) -> wire.Json:
    """Return an object likewise; only the innermost ones lose something."""
    keys = [*body]
    if fault == "odd_half" and not any(isinstance(v, dict) for v in body.values()):
        half = len(keys) // 2
        zeros = {key: spoil_json(body[key], "odd_zeros") for key in keys[half:]}
        return {key: body[key] for key in keys[:half]} | zeros
    if fault == "odd_count" and not any(
        isinstance(v, dict | list) for v in body.values()
    ):
        return {}
    if fault == "odd_order":
        keys.reverse()
    return {key: spoil_json(body[key], fault) for key in keys}
