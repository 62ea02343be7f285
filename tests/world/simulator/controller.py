"""A networked pool controller: its identity, its keys and counters, its pool."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from copy import copy
import re
from typing import Final

from . import actions, odd_frames, odd_replies, schedules, telemetry, wire
from .clock import Clock
from .dialects import (
    AHEAD,
    CLOCKS,
    DRIFT,
    FRAME_VERSIONS,
    ODD,
    REPLY_COUNTERS,
    Dialect,
    Dialects,
)
from .equipment import PUMP
from .faults import Faults
from .lan import FAULTS, LanEndpoint, Request
from .pool import Pool

DEVICE_ID: Final = re.compile(r"[0-9A-F]{2}(_[0-9A-F]{2}){5}")
LAN_FIRMWARE: Final = (2, 5, 46)  # the first to serve the LAN (protocol.md 1)
IDENTIFY_SECONDS: Final = 60.0  # from a restart until the pump is identified (chosen)
CUT: Final = 20  # bytes missing from a truncated frame
DEMO_KEY: Final = bytes(range(16))


class Controller:
    """A controller on the LAN and, through `ask` and `tell`, in the cloud."""

    def __init__(
        self,
        *,
        device_id: str = "AA_BB_CC_0A_0B_0C",
        key: bytes = DEMO_KEY,
        name: str = "Pool",
        firmware: str = "2.5.46",
        pool: Pool | None = None,
        clock: Clock | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        counter: int = 1000,
        dialects: Iterable[str] = (),
    ) -> None:
        """Create a controller that is switched off; port 0 takes any free port."""
        if not DEVICE_ID.fullmatch(device_id):
            raise ValueError(f"not a device id: {device_id}")
        self.device_id, self.key, self.name = device_id, key, name
        self.firmware = firmware
        self.clock = clock or Clock()
        self._made = self.clock.time()
        self._pool = pool or Pool.small()
        self._pool.attach(self.clock)
        self.counter = counter  # of the last envelope sent
        self.frames = 1  # number of the next state frame; every hundredth may be odd
        self.accepted_counter = 0  # of the last accepted envelope, from any client
        self.query_counter = 0  # of replies to queries, where a dialect has another
        self._reply_counter = 0  # of the next reply to a query
        self.dialects = Dialects(dialects)
        self._pool.dialects = self._pool.pump.dialects = self.dialects
        self._signed_ahead: set[Dialect] = set()
        self.odd: list[Callable[[wire.Frame], None]] = []  # each spoils one frame
        self.refused_queries: set[str] = set()  # that this firmware refuses for good
        self.cloud_link = True
        self.started = False
        self.moved: list[Callable[[Controller], Awaitable[None]]] = []
        self.faults = Faults(FAULTS, self.plug)
        self._lan = LanEndpoint(self, host, port)
        self._oldest: bytes | None = None  # the first envelope sent, for `replay`

    # --- Identity and address ---

    @property
    def mac(self) -> str:
        """MAC address: 12 lower-case hex digits."""
        return self.device_id.replace("_", "").lower()

    @property
    def announced_mac(self) -> str:
        """TXT `mac`, which may differ from the one in the identifier."""
        if Dialect.SECOND_INTERFACE in self.dialects:
            return f"{int(self.mac, 16) ^ 0x80:012x}"
        return self.mac

    @property
    def hostname(self) -> str:
        """Name in mDNS (protocol.md 2.8)."""
        return f"ctrl-{self.announced_mac[-6:]}.local"

    @property
    def host(self) -> str:
        return self._lan.listener.host

    @property
    def port(self) -> int:
        return self._lan.listener.port

    @property
    def serves_lan(self) -> bool:
        """Whether the firmware supports Command Protocol v2."""
        return telemetry.version(self.firmware) >= LAN_FIRMWARE

    @property
    def online(self) -> bool:
        """Whether the cloud can reach the controller."""
        return self.started and self.cloud_link

    @property
    def pool(self) -> Pool:
        """The pool, updated to the current time."""
        self._pool.clock_ahead = sum(
            seconds for name, seconds in CLOCKS.items() if name in self.dialects
        )
        if Dialect.CLOCK_DRIFTS in self.dialects:
            self._pool.clock_ahead += (self.clock.time() - self._made) * DRIFT
        self._pool.update()
        return self._pool

    @property
    def requests(self) -> list[Request]:
        return self._lan.requests

    # --- Start, stop and changes ---

    async def start(self) -> None:
        self.started = True
        if Dialect.ODD_SETTINGS in self.dialects:
            self.pool.more = dict(ODD)
        if Dialect.PUMP_AT_REST in self.dialects:
            slot = self.pool.find(PUMP)
            if slot is not None:
                self.pool.switch(slot, False)
        self.plug()

    async def stop(self) -> None:
        """Switch the controller off, and close everything that it opened."""
        self.started = False
        await self._lan.stop()

    async def move(self, host: str, port: int = 0) -> None:
        """Take another address, as from another DHCP lease."""
        await self._lan.stop()
        self._lan.listener.host, self._lan.listener.port = host, port
        self.plug()
        for hook in self.moved:
            await hook(self)

    def restart(self, counter: int = 0) -> None:
        """Restart: envelopes count from `counter`, the pump is not identified yet.

        That the doses of the day are forgotten, too, is not documented (chosen).
        """
        self.counter, self._oldest = counter, None
        pool, identity = self.pool, self._pool.pump_identity
        pool.acid.doses = pool.chlorine.doses = 0
        unidentified = (identity[0], "Single Speed", "")

        def identified() -> None:
            pool.pump_identity = identity

        if identity != unidentified:  # otherwise the last restart was a moment ago
            pool.pump_identity = unidentified
            pool.after(IDENTIFY_SECONDS, identified)
        self._lan.listener.close()
        self.plug()

    def rotate_key(self, key: bytes) -> None:
        """Sign with another key from now on, and accept no other."""
        self.key, self._oldest = key, None

    def trouble_with_next(self, number: int = 1) -> None:
        """Let the rare error of a dialect hit the `number`-th next request."""
        self._lan.until_trouble = number

    def plug(self) -> None:
        """Open or close the port, depending on the state and the faults."""
        closed = "refuse" in self.faults or self._lan.paused
        if self.started and self.serves_lan and not closed:
            self._lan.listener.open()
        else:
            self._lan.listener.close()

    # --- Access over the LAN ---

    def verify(self, env: object) -> bytes:
        """Return the payload of an envelope; `WireError` for a bad tag or counter."""
        if not isinstance(env, str):
            raise wire.WireError("no envelope")
        counter, payload = wire.unwrap(self.key, wire.from_hex(env))
        self._others_sign()
        self.query_counter = self.query_counter % 1000 + 1
        mixed = Dialect.QUERY_COUNTER_MIXED in self.dialects
        echo = Dialect.QUERY_COUNTER_ECHO in self.dialects
        if mixed:
            echo = self.query_counter % 2 == 1
        self._reply_counter = counter if echo else self.query_counter
        if counter <= self.accepted_counter:
            raise wire.WireError("a counter seen before")
        self.accepted_counter = counter
        return payload

    def _others_sign(self) -> None:
        """Let another client sign with a clock that is ahead, once per such dialect."""
        for dialect, seconds in AHEAD.items():
            if dialect not in self.dialects:
                self._signed_ahead.discard(dialect)
            elif dialect not in self._signed_ahead:
                self._signed_ahead.add(dialect)
                self.sign_elsewhere(seconds)

    def sign_elsewhere(self, ahead: int = 0) -> None:
        """Accept a command of another client whose clock is `ahead` seconds ahead."""
        now = int(self.clock.time()) + ahead
        self.accepted_counter = max(self.accepted_counter + 1, now)

    def act(self, name: str, payload: bytes) -> None:
        self.command(lambda pool: actions.act(pool, name, payload), name)

    def signed_state(self, *places: str, configuration: bool = True) -> bytes:
        pool = self.pool
        frame = telemetry.frame(
            pool,
            online=self.online,
            firmware=self.firmware,
            full=configuration and not self.faults.take("no_config", *places),
        )
        if self.frames % odd_frames.ONE_IN == 0:
            odd_frames.spoil(frame, pool)
        if self.odd:
            self.odd.pop(0)(frame)
        if self.faults.take("odd_value", *places):
            odd_frames.spoil_value(frame, self.frames)
        self.frames += 1
        data = wire.encode_frame(frame)
        for dialect, version in FRAME_VERSIONS.items():
            if dialect in self.dialects:
                data = bytes([version]) + data[1:]
        if self.faults.take("truncated_frame", *places):
            data = data[:-CUT]
        return self._sign(data, *places)

    def signed_reply(self, name: str) -> bytes:
        """Build a signed reply to a query; raises `DeclinedError`."""
        if name in self.refused_queries:
            raise actions.DeclinedError(f"the query {name}")
        reply = actions.query(self.pool, name)
        reply = odd_replies.spoiled_reply(reply, name, self.faults)
        return self._sign(reply, "q", name)

    def _sign(self, payload: bytes, *places: str) -> bytes:
        own = REPLY_COUNTERS & self.dialects
        if own and "q" in places and "replay" not in self.faults:
            return wire.wrap(self.key, self._reply_counter, payload)
        self.counter += 1
        if self.faults.take("replay", *places):
            return self._oldest or wire.wrap(self.key, 0, payload)
        if self.faults.take("wrong_key", *places):
            other = bytes(byte ^ 0xFF for byte in self.key)
            return wire.wrap(other, self.counter, payload)
        envelope = wire.wrap(self.key, self.counter, payload)
        if self._oldest is None:
            self._oldest = envelope
        if self.faults.take("bad_tag", *places):
            return envelope[:-1] + bytes([envelope[-1] ^ 1])
        return envelope

    # --- Access by the cloud, which faults of the LAN connection do not affect ---

    async def ask[T](self, question: Callable[[Pool], T]) -> T:
        """Read from the pool; never returns while the cloud cannot reach it."""
        if not self.online:
            await asyncio.Event().wait()
        if Dialect.CLOUD_SIGNS_ALL in self.dialects:
            self.sign_elsewhere()
        # The service passes on the records that the firmware lists.
        listed = copy(self.pool)
        listed.schedules = [*schedules.reported(self.pool.schedules, self.dialects)]
        return question(listed)

    async def tell(self, change: Callable[[Pool], None], name: str) -> None:
        """Change the pool likewise; cloud and LAN share one counter (protocol.md O1)."""
        await self.ask(lambda pool: None)
        if Dialect.CLOUD_SIGNS_ALL not in self.dialects:
            self.accepted_counter += 1
        self.command(change, name)

    def command(self, change: Callable[[Pool], None], name: str) -> None:
        """Change the pool unless a fault prevents it."""
        if self.faults.take("decline", "a", name):
            raise actions.DeclinedError("the fault `decline`")
        if not self.faults.take("ignore_writes", "a", name):
            change(self.pool)
