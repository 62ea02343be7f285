"""Signed envelopes: bytes on the wire <-> verified payload.

Observed, not published (protocol.md O1): u8 version, u32 counter, payload, and the first
4 bytes of AES-128-CMAC (RFC 4493) over all preceding bytes. Integers are little-endian.
"""

from collections.abc import Callable
from enum import Enum, auto
from hmac import compare_digest
import logging
import struct
from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from .clock import Clock
from .exceptions import (
    ClockError,
    EnvelopeError,
    InvalidCommandError,
    ReplayError,
    SignatureError,
)
from .turns import Turns

_LOGGER = logging.getLogger(__name__)

VERSION = 1
MAX_COUNTER = 0xFFFF_FFFF
_FAR = 5 * 365 * 24 * 60 * 60
"""Seconds that a counter may exceed an accepted one before our clock counts as wrong:
longer than a house stands empty (chosen)."""
_KEY_SIZE = 16
_TAG_SIZE = 4
_HEAD = struct.Struct("<BI")
OVERHEAD = _HEAD.size + _TAG_SIZE
"""Bytes that an envelope adds to its payload."""


class Envelope(NamedTuple):
    """A verified envelope: the signer's counter and the payload."""

    counter: int
    payload: bytes


def parse_key(text: str) -> bytes:
    """Return the 16 bytes of an envelope key given as 32 hex characters.

    Raises EnvelopeError, whose message does not contain the text.
    """
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != _KEY_SIZE:
        raise EnvelopeError("envelope key is not 32 hex characters")
    return key


def _tag(key: bytes, signed: bytes) -> bytes:
    cmac = CMAC(AES(key))
    cmac.update(signed)
    return cmac.finalize()[:_TAG_SIZE]


def from_hex(text: str) -> bytes:
    """Return the bytes of hex text (protocol.md 2.7); raises EnvelopeError."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        pass
    try:
        # White space is ignored anywhere (protocol.md 2.7), even within a byte.
        return bytes.fromhex("".join(text.split()))
    except ValueError:
        raise EnvelopeError("envelope is not hex") from None


def wrap(key: bytes, counter: int, payload: bytes) -> bytes:
    """Return the signed envelope of a payload (protocol.md O1).

    Raises InvalidCommandError for a counter that does not fit into 32 bits.
    """
    if not 0 <= counter <= MAX_COUNTER:
        raise InvalidCommandError("envelope counter does not fit into 32 bits")
    signed = _HEAD.pack(VERSION, counter) + payload
    return signed + _tag(key, signed)


def unwrap(key: bytes, data: bytes | str) -> Envelope:
    """Return the verified content of an envelope, given as bytes or as hex text.

    Raises EnvelopeError for a malformed envelope and SignatureError for a wrong tag.
    """
    if isinstance(data, str):
        data = from_hex(data)
    if len(data) < OVERHEAD:
        raise EnvelopeError(f"envelope of {len(data)} bytes is too short")
    version, counter = _HEAD.unpack_from(data)
    if version != VERSION:
        raise EnvelopeError(f"envelope version {version} is not known")
    signed, tag = data[:-_TAG_SIZE], data[-_TAG_SIZE:]
    if not compare_digest(_tag(key, signed), tag):
        raise SignatureError("envelope tag does not verify")
    return Envelope(counter, payload_of(data))


def payload_of(data: bytes) -> bytes:
    """Return the payload of an envelope of `OVERHEAD` bytes or more, unverified."""
    return data[_HEAD.size : -_TAG_SIZE]


class ClockFault(Enum):
    """A clock error that makes our signed requests fail."""

    OURS = auto()
    """Our clock is far from the counters the controller accepted: nothing is signed."""
    OTHERS = auto()
    """The controller refuses our counters: another client's clock is ahead of ours."""


class OutgoingCounter:
    """Counter of signed requests: strictly increasing, near Unix time (protocol.md O1).

    A counter far above the accepted ones is never used: a controller that accepted it
    would refuse every client until that time.
    """

    def __init__(
        self,
        last: int = 0,
        *,
        clock: Clock | None = None,
        used: Callable[[], None] = lambda: None,
    ) -> None:
        """Start above `last`, the newest counter that was used.

        `used` is called after each use, so that the counter can be stored.
        """
        self.last = last
        self.clock = clock or Clock()
        self._used = used
        self.accepted: int | None = None
        """Newest counter that the controller accepted, `None` if there was none yet."""
        self.clock_fault: ClockFault | None = None
        """The last clock error, `None` once the controller accepted a counter."""

    @property
    def ahead(self) -> int:
        """Seconds that the newest counter is ahead of the clock, 0 if it is not."""
        return max(0, self.last - int(self.clock.time()))

    def next(self) -> int:
        """Return a counter that was never used.

        Raises ClockError if the clock is far from the counters the controller accepted.
        """
        return self._use(max(self.last + 1, int(self.clock.time())))

    def skip(self, seconds: int) -> None:
        """Skip counters because another client is ahead of us; raises ClockError."""
        self._use(self.last + seconds)

    def take_back(self, last: int) -> None:
        """Return to an earlier counter: the controller refused all later ones."""
        self.last = last
        self._used()

    def accept(self, counter: int) -> None:
        """Note that the controller has accepted a counter."""
        self.accepted, self.clock_fault = counter, None

    def refused(self) -> None:
        """Note that the controller refuses counters because of a clock error.

        Unless our clock is trusted, the error is attributed to it.
        """
        trusted = self.clock.trusted
        self.clock_fault = ClockFault.OTHERS if trusted else ClockFault.OURS

    def _use(self, counter: int) -> int:
        known = self.accepted or self.last
        if counter > MAX_COUNTER or (known and counter > known + _FAR):
            self.clock_fault = ClockFault.OURS
            raise ClockError("the clock is far from what the controller accepted")
        self.last = counter
        self._used()
        return counter


class IncomingCounter:
    """Detects replayed envelopes (protocol.md O1).

    A counter lower than the last verified one is a replay. Two envelopes in a row that
    advance from a lower baseline mean that the controller restarted its counter.
    """

    def __init__(self) -> None:
        """Start without a baseline: the first envelope sets it."""
        self._last: int | None = None
        self._candidate: int | None = None

    @property
    def newest(self) -> int | None:
        """The newest accepted counter, `None` if there was none."""
        return self._last

    def accept(self, counter: int) -> None:
        """Check the counter of a verified envelope; raises ReplayError for a replay."""
        if self._last is None or counter >= self._last:
            self._last, self._candidate = counter, None
        elif self._candidate is not None and counter > self._candidate:
            _LOGGER.warning("The controller restarted its message counter")
            self._last, self._candidate = counter, None
        else:
            self._candidate = counter
            raise ReplayError("envelope is older than one already seen")


class Counters(OutgoingCounter):
    """All counters of one controller, kept when its address or key changes.

    Whether replies to queries share the counter of the state frames is not documented
    (protocol.md O4): each kind has its own baseline.
    """

    def __init__(
        self,
        last: int = 0,
        *,
        clock: Clock | None = None,
        used: Callable[[], None] = lambda: None,
    ) -> None:
        """Start without baselines."""
        super().__init__(last, clock=clock, used=used)
        self.frames = IncomingCounter()
        self.replies = IncomingCounter()
        self.turns = Turns()
        """The controller handles one request at a time (protocol.md 4.2 rule 8)."""
        self.answered: tuple[str, bytes] | None = None
        """Name and payload of a query that it answered, and would answer again."""
