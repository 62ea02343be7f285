"""Signed envelopes: bytes on the wire <-> verified payload.

Observed, not published (protocol.md O1): u8 version, u32 counter, payload, and the first
4 bytes of AES-128-CMAC (RFC 4493) over all preceding bytes. Integers are little-endian.
"""

from hmac import compare_digest
import struct
from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from .exceptions import EnvelopeError, InvalidCommandError, SignatureError

ENVELOPE_VERSION = 1
MAX_COUNTER = 0xFFFF_FFFF
_KEY_SIZE = 16
_TAG_SIZE = 4
_HEAD = struct.Struct("<BI")
OVERHEAD = _HEAD.size + _TAG_SIZE
"""Bytes that an envelope adds to its payload."""


class Envelope(NamedTuple):
    """A verified envelope: the signer's counter and the payload."""

    counter: int
    payload: bytes


def parse_key(key: bytes | str) -> bytes:
    """Return a key given as 16 bytes, or as 32 hex digits, which may have spaces.

    Raises EnvelopeError, which never contains the key.
    """
    try:
        key = bytes.fromhex(key) if isinstance(key, str) else bytes(key)
    except ValueError:
        key = b""
    if len(key) != _KEY_SIZE:
        raise EnvelopeError("an envelope key has 16 bytes, or 32 hex digits as text")
    return key


def _tag(key: bytes, signed: bytes) -> bytes:
    cmac = CMAC(AES(key))
    cmac.update(signed)
    return cmac.finalize()[:_TAG_SIZE]


def from_hex(text: str) -> bytes:
    """Return the bytes of hex text (protocol.md 2.7); raises EnvelopeError."""
    try:
        # White space is ignored anywhere (protocol.md 2.7), even within a byte.
        return bytes.fromhex("".join(text.split()))
    except ValueError:
        raise EnvelopeError("envelope is not hex") from None


def wrap(key: bytes, counter: int, payload: bytes) -> bytes:
    """Return a signed envelope (protocol.md O1), or raise InvalidCommandError."""
    if not 0 <= counter <= MAX_COUNTER:
        raise InvalidCommandError("envelope counter does not fit into 32 bits")
    signed = _HEAD.pack(ENVELOPE_VERSION, counter) + payload
    return signed + _tag(key, signed)


def unwrap(key: bytes, data: bytes | str) -> Envelope:
    """Return the verified content of an envelope.

    Raises EnvelopeError for a malformed one and SignatureError for a wrong tag.
    """
    if isinstance(data, str):
        data = from_hex(data)
    if len(data) < OVERHEAD:
        raise EnvelopeError(f"envelope of {len(data)} bytes is too short")
    version, counter = _HEAD.unpack_from(data)
    if version != ENVELOPE_VERSION:
        raise EnvelopeError(f"envelope version {version} is not known")
    signed, tag = data[:-_TAG_SIZE], data[-_TAG_SIZE:]
    if not compare_digest(_tag(key, signed), tag):
        raise SignatureError("envelope tag does not verify")
    return Envelope(counter, payload_of(data))


def payload_of(data: bytes) -> bytes:
    """Return the payload of an envelope of `OVERHEAD` bytes or more, unverified."""
    return data[_HEAD.size : -_TAG_SIZE]
