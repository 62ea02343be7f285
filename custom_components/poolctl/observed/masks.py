"""Masking of raw data: each text in it is replaced at equal length.

Names of outputs, schedules and people never enter a recording. Data that does not
decode is masked where it may be text; the layouts of layouts.md have no other texts.
"""

import re

from ..client.commands import string_spans
from ..client.exceptions import FrameError, ReplyError
from ..client.frame_parts import listed_lengths
from .evidence import field_name

_RUN = re.compile(rb"(?:[\x20-\x7e]|[\xc2-\xf4][\x80-\xbf]{1,3}){3,}")
"""Bytes that may be text in UTF-8."""
_JSON = re.compile(
    rb'"((?:[^"\\]|\\.)*)("?)(\s*:)?'
    rb"|(true|false|null)|[A-Za-z_\x80-\xff]{2,}|\d{8,}|\d+\.\d{3,}",
    re.DOTALL,
)
"""A string, a word outside a string, or a possible telephone number or coordinate."""
_WORDS = frozenset({b"pool", b"spa", b"Single Speed"})
"""Texts of the protocol itself (layouts.md 2.4 and 4): without them, a recorded reply
would have another meaning."""


def masked_frame(payload: bytes) -> bytes:
    """Return a state frame; possible texts are masked if its layout is different."""
    try:
        lengths = listed_lengths(payload)
    except FrameError:
        return masked_text(payload)
    # A payload without sections may be a replayed reply to a query.
    listed = len(lengths) > 1 and all(length == size for length, size in lengths)
    return payload if listed else masked_text(payload)


def masked_reply(name: str, payload: bytes) -> bytes:
    """Return the reply to a query, or the payload of an action, with masked texts."""
    try:
        spans, end = string_spans(name, payload)
    except ReplyError:
        return masked_text(payload)
    data = bytearray(payload)
    for start, stop in spans:
        text = payload[start:stop]
        if text not in _WORDS and (name != "cmd" or not _is_field(text)):
            data[start:stop] = b"x" * (stop - start)
    return bytes(data[:end]) + masked_answer(payload[end:])


def masked_answer(data: bytes) -> bytes:
    """Return JSON, even if it is damaged, or any other data with masked texts."""
    if data.lstrip()[:1] in (b"{", b"[", b'"'):
        return _JSON.sub(_masked, data)
    return masked_text(data)


def masked_text(data: bytes) -> bytes:
    """Return data in which everything that may be text is masked."""
    return _RUN.sub(lambda run: b"x" * len(run[0]), data)


def _masked(match: re.Match[bytes]) -> bytes:
    whole, text, end, colon, constant = match.group(0, 1, 2, 3, 4)
    if constant or text in _WORDS or (colon and _is_field(text)):
        return whole
    if text is not None:
        return b'"' + b"x" * len(text) + end + (colon or b"")
    return re.sub(rb"[^.]", b"9" if whole[:1].isdigit() else b"x", whole)


def _is_field(text: bytes) -> bool:
    """Return whether a text is the name of a field, and cannot be an identifier."""
    name = text.decode("utf-8", "replace")
    return field_name(name) == name
