"""Mutates bytes, texts and JSON values at random, from a seed."""

from collections.abc import Callable
import json
from random import Random
from typing import Final

type Json = dict[str, Json] | list[Json] | str | float | bool | None

ODD_NUMBERS: Final = (0, 1, -1, 255, 256, 65535, 2**31, 2**63, 10**400, 1e308, -0.5)
ODD_TEXTS: Final = (
    *("", " ", "0", "-1", "null", "SUCCESS", "FAILED", "AA_BB_CC_DD_EE_FF", "{", "="),
    *("\x00", "\ud800", "\udfff\ud83d", "\u202e\u2028", "١٢٣", "é" * 22),
    *("x" * 20_000, "9" * 5000, "![](http://evil.example)", "<img src=x>"),
    *("retry after 99999999999999999999s", "retry after 1m" + "9" * 400 + "s"),
    "Fri, 31 Dec 9999 23:59:59 -2359",
)
ODD_BYTES: Final = (
    *(b"", b"\x00", b"\xff" * 4, b"\x80", b"{", b"[" * 2000, b"\xed\xa0\x80"),
)
_DEEP: Final = 3


def mutate_bytes(chance: Random, data: bytes) -> bytes:
    """Change, remove or insert some bytes."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 4, 16))):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(8):
            case 0 | 1 if at < len(changed):
                changed[at] ^= 1 << chance.randrange(8)
            case 2 | 3 if at < len(changed):
                odd = (0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256))
                changed[at] = chance.choice(odd)
            case 4:
                more = chance.randbytes(chance.randint(1, 5))
                changed[at:at] = chance.choice((*ODD_BYTES, more))
            case 5:
                del changed[at : at + chance.randint(1, 8)]
            case 6:
                del changed[at:]
            case 7:
                changed[at:at] = changed[at : at + chance.randint(1, 32)]
    return bytes(changed)


def mutate_text(chance: Random, text: str) -> str:
    """Change a text; the result may be one that cannot be encoded."""
    at = chance.randrange(len(text) + 1)
    odd = chance.choice(ODD_TEXTS)
    choices: tuple[Callable[[], str], ...] = (
        lambda: odd,
        lambda: text[:at],
        lambda: text[:at] + odd + text[at:],
        lambda: text[:at] + chr(chance.randrange(0x3000)) + text[at + 1 :],
        text.swapcase,
    )
    return chance.choice(choices)()


def mutate_json(chance: Random, value: Json) -> Json:
    """Change one value somewhere inside."""
    if isinstance(value, dict) and value and chance.random() < 0.8:
        name = chance.choice(list(value))
        if chance.random() < 0.1:
            rest = {key: each for key, each in value.items() if key != name}
            odd = {chance.choice(ODD_TEXTS): value[name]}
            return rest | odd if chance.random() < 0.5 else rest
        return value | {name: mutate_json(chance, value[name])}
    if isinstance(value, list) and value and chance.random() < 0.8:
        at = chance.randrange(len(value))
        if chance.random() < 0.1:
            return value[:at] + value[at:] * 2
        return [*value[:at], mutate_json(chance, value[at]), *value[at + 1 :]]
    if isinstance(value, str) and chance.random() < 0.5:
        return mutate_text(chance, value)
    return odd_value(chance, value)


def odd_value(chance: Random, value: Json, deep: int = 0) -> Json:
    """Return an odd replacement of a value."""
    choices: list[Json] = [
        *(None, True, False, [], {}, [value], {"d": value}, {"status": value}),
        *(chance.choice(ODD_NUMBERS), float("nan"), float("inf"), str(value)[:50]),
        *(chance.choice(ODD_TEXTS), chance.randint(-300, 300)),
    ]
    if deep < _DEEP:
        choices.append([odd_value(chance, value, deep + 1)] * chance.randint(1, 3))
    return chance.choice(choices)


def mutated_answer(chance: Random, value: Json) -> bytes:
    """Return the bytes of a JSON answer that was changed as a value, as bytes, or both."""
    for _ in range(chance.choice((0, 1, 1, 1, 2, 4))):
        value = mutate_json(chance, value)
    data = json.dumps(value).encode()
    return mutate_bytes(chance, data) if chance.random() < 0.3 else data
