"""A pool: its equipment, its settings, and what firmware and water do by themselves."""

from collections.abc import Callable, Iterable, Mapping, Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
import heapq
from itertools import count
from typing import Final, Self

from . import dosing, presets
from .clock import Clock
from .dialects import Dialect
from .equipment import (
    BY_HAND,
    CLEANERS,
    LIGHT_NEVER_SET,
    MAX_SLOTS,
    PUMP,
    SPA_ACTUATORS,
    VIRTUAL_SLOT,
    Role,
    role,
)
from .pump import MANUAL, OFF, Pump
from .schedules import COUNT, Schedule, running
from .water import ORP_PER_DOSE, PH_PER_DOSE, Water

STEP: Final = 10.0  # seconds of physics in one step
LONG_STEP: Final = 60.0  # likewise, when hours are to be caught up on
HOUR: Final = 3600.0
GIVE_BACK: Final = 1.0  # seconds until the schedules win again (protocol.md O3)
FLAP: Final = 0.5  # seconds between two flaps of a light's relay
HEATER_MARGIN: Final = 0.3  # °C below the target at which a heater starts
SOLAR, POOL_HEATER, SPA_HEATER = 1, 2, 4  # bits of the setting `heating`
COOLDOWNS: Final = {  # settings: how long the pump runs on after each heater
    "pool": "heater_cooldown",
    "solar": "heater_cooldown",
    "spa": "spa_heater_cooldown",
}


@dataclass(slots=True)
class Slot:
    aux_type: int = 0
    name: str = ""
    on: bool = False  # the relay
    mode: int = OFF  # 0 off, 1 to 20 schedule number, 99 manual
    hand: bool | None = None  # state chosen by hand; None: schedules decide
    held: bool = False  # whether `hand` overrides the schedules
    timer: tuple[float, int] | None = None  # its end, and its seconds in all
    flapping: tuple[float, float] | None = None  # begin and end of a light show

    @property
    def role(self) -> Role:
        """How the firmware treats the slot."""
        return role(self.aux_type)


class Pool:
    """The pool of one controller; `update` brings it to the time of its clock.

    A pool has no task: every reader calls `update` first, so a jump of the clock is one
    call. Everything is deterministic.
    """

    def __init__(
        self,
        wiring: Mapping[int, tuple[int, str]],
        *,
        slots: int = 12,
        settings: Mapping[str, float] = presets.SETTINGS,
        schedules: Iterable[Schedule] = (),
        water: Water | None = None,
        tz: tzinfo = UTC,
    ) -> None:
        """Wire a pool: slot -> (aux type, name), all other slots empty."""
        self.slots = [Slot(*wiring.get(number, (0, ""))) for number in range(slots)]
        self.settings: dict[str, float] = dict(settings)
        self.schedules = [replace(each) for each in schedules][:COUNT]
        self.schedules += [Schedule() for _ in range(COUNT - len(self.schedules))]
        self.water = water or Water()
        self.tz = tz
        self.pump = Pump()
        self.dialects: AbstractSet[str] = frozenset()  # of its controller
        self.clock_ahead = 0.0  # seconds that the clock of the schedules is ahead
        self.lost_expanders: set[int] = set()  # numbers of unplugged expanders
        self.acid, self.chlorine = dosing.acid(), dosing.chlorine()
        self.heaters = dict.fromkeys(("pool", "solar", "spa"), False)
        self.chlorinating = False
        self.lights = {"pool": [LIGHT_NEVER_SET] * 2, "spa": [LIGHT_NEVER_SET] * 2}
        self.probes = {"temp2_ch": 1, "temp3_ch": 2}
        # Additional content of the settings objects of a later firmware.
        self.more: dict[str, object] = {}
        self.pump_identity = ("Variable Speed", "Acme", "VSX-2")
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()
        self._day: date | None = None
        self.watchers: list[Callable[[float], None]] = []  # get each step's seconds
        self.attach(Clock())

    @classmethod
    def small(cls) -> Self:
        """Return a pool with a pump that runs all day, a light, two general outputs."""
        return cls(presets.SMALL_WIRING, schedules=[presets.ALL_DAY]).running()

    @classmethod
    def full(cls) -> Self:
        """Return a pool with 37 slots, four expanders and every kind of equipment."""
        settings = presets.SETTINGS | presets.DOSING_SETTINGS | presets.FULL_EXTRAS
        pool = cls(
            presets.FULL_WIRING,
            slots=MAX_SLOTS,
            settings=settings,
            schedules=presets.FULL_SCHEDULES,
        )
        pool.lights = {name: [*modes] for name, modes in presets.FULL_LIGHTS.items()}
        return pool.running()

    def running(self) -> Self:
        """Put the pool in the state that it reaches after a long time."""
        self.settle()
        self.pump.priming = 0.0
        self.water.settle(self.pump.speed)
        self._heat()
        self.settle()
        return self

    # --- Time ---

    def attach(self, clock: Clock) -> None:
        """Use a clock from now on."""
        self.clock, self.now = clock, clock.monotonic()

    def update(self, step: float | None = None) -> None:
        """Simulate everything up to now, in steps of at most `step` seconds."""
        target = self.clock.monotonic()
        longest = step or (LONG_STEP if target - self.now > HOUR else STEP)
        while self.now < target:
            until = min(target, self.now + longest)
            if self._events:
                until = min(until, max(self.now, self._events[0][0]))
            self._step(until - self.now)
            self.now = until
            while self._events and self._events[0][0] <= self.now:
                heapq.heappop(self._events)[2]()
            self.settle()

    def after(self, seconds: float, event: Callable[[], None]) -> None:
        heapq.heappush(self._events, (self.now + seconds, next(self._order), event))

    def local_time(self) -> datetime:
        """Return the local time up to which the pool is simulated."""
        behind = self.clock.monotonic() - self.now
        return datetime.fromtimestamp(self.clock.time() - behind, self.tz)

    # --- Equipment ---

    def find(self, *aux_types: int) -> int | None:
        """Return the first slot of the first of these types that is wired."""
        wired = [slot.aux_type for slot in self.slots]
        return next((wired.index(each) for each in aux_types if each in wired), None)

    @property
    def relays(self) -> dict[int, bool]:
        return {
            number: slot.on
            for number, slot in enumerate(self.slots)
            if slot.role is not Role.EMPTY
        }

    @property
    def spa_mode(self) -> bool:
        """Whether the water goes to the spa."""
        first = self.find(*SPA_ACTUATORS)
        return first is not None and self.slots[first].on

    @property
    def timers(self) -> list[tuple[int, int, int]]:
        """Running timers: slot, seconds left, seconds in all."""
        return [
            (number, max(0, round(slot.timer[0] - self.now)), slot.timer[1])
            for number, slot in enumerate(self.slots)
            if slot.timer is not None
        ]

    @property
    def _spa_takes_over(self) -> bool:
        """Whether the firmware runs the pump for the spa, and stops the cleaners."""
        return Dialect.SPA_TAKES_OVER in self.dialects and self.spa_mode

    # --- Control by hand ---

    def can_switch(self, number: int) -> bool:
        return (
            0 <= number < len(self.slots)
            and self.slots[number].role in BY_HAND
            and not (number == VIRTUAL_SLOT and len(self.slots) == MAX_SLOTS)
        )

    def switch(self, number: int, on: bool, *, hold: bool = True) -> None:
        """Switch a slot by hand; without `hold`, the schedules win a second later."""
        group: tuple[int, ...] = (number,)
        if self.slots[number].role is Role.SPA:  # all spa actuators move together
            slots = enumerate(self.slots)
            group = tuple(each for each, slot in slots if slot.role is Role.SPA)
        if self.slots[number].role is Role.LINKED and on and self.pump.mode == OFF:
            pump = self.find(PUMP)
            group = group if pump is None else (*group, pump)
        for member in group:
            slot = self.slots[member]
            slot.hand, slot.held, slot.timer, slot.flapping = on, hold, None, None
        if not hold:
            self.after(GIVE_BACK, lambda: self._give_back(group))
        self.settle()

    def set_speed(self, speed: int) -> None:
        self.pump.asked = speed

    def start_timer(self, number: int, seconds: int) -> None:
        self.switch(number, True)
        slot = self.slots[number]
        timer = slot.timer = (self.now + seconds, seconds)

        def end() -> None:
            if slot.timer == timer:
                slot.timer, slot.hand, slot.held = None, None, False

        self.after(seconds, end)

    def show(self, number: int, light_type: int, color: int, seconds: float) -> None:
        """Run the pulse train of a light command: the relay flaps, then stays on."""
        self.switch(number, True)
        slot = self.slots[number]
        group = "spa" if slot.role is Role.SPA_LIGHT else "pool"
        self.lights[group] = [light_type, color]
        slot.flapping = (self.now, self.now + seconds)
        self.settle()

    def _give_back(self, group: tuple[int, ...]) -> None:
        for member in group:
            slot = self.slots[member]
            if not slot.held:
                slot.hand = None

    # --- Firmware and physics ---

    def settle(self) -> None:
        """Set the relays as control by hand, schedules and firmware require."""
        shown = self.local_time() + timedelta(seconds=self.clock_ahead)
        numbers = running(self.schedules, shown)
        self._settle_pump(numbers)
        first_actuator = self.find(*SPA_ACTUATORS)
        for number, slot in enumerate(self.slots):
            match slot.role:
                case Role.PUMP:
                    slot.on = self.pump.running
                    # May be manual while the motor stands (observed).
                    slot.mode = MANUAL if slot.held else self.pump.mode
                case Role.DOSING | Role.HEATING:
                    slot.on = self._firmware_runs(slot.aux_type)
                    slot.mode = self.pump.mode if slot.on else OFF
                case Role.SPA if first_actuator is not None:
                    self._settle_switched(slot, numbers.get(first_actuator, OFF))
                case Role.EMPTY:
                    pass
                case _:
                    self._settle_switched(slot, numbers.get(number, OFF))
        if len(self.slots) == MAX_SLOTS and self.slots[VIRTUAL_SLOT].aux_type:
            self.slots[VIRTUAL_SLOT].on = False
            self.slots[VIRTUAL_SLOT].mode = self.pump.mode

    def _settle_switched(self, slot: Slot, number: int) -> None:
        stopped = self._spa_takes_over and slot.aux_type in CLEANERS
        if stopped or (slot.role is Role.LINKED and self.pump.mode == OFF):
            slot.hand, slot.held, number = None, False, OFF
        if slot.flapping is not None:
            since, until = slot.flapping
            slot.on = int((self.now - since) / FLAP) % 2 == 0
            if self.now >= until:
                slot.flapping, slot.on = None, True
        elif slot.hand is not None:
            slot.on = slot.hand
        else:
            slot.on = number != OFF
        manual = slot.hand is not None
        slot.mode = (MANUAL if manual else number) if slot.on else OFF

    def _settle_pump(self, numbers: Mapping[int, int]) -> None:
        where = self.find(PUMP)
        if where is None:
            return
        slot = self.slots[where]
        mode = numbers.get(where, OFF) or self._linked_schedule(numbers)
        if self._spa_takes_over:
            mode = MANUAL
        elif slot.hand is not None:
            mode = MANUAL if slot.hand else OFF
        elif mode != OFF:
            self.pump.asked = self.schedules[mode - 1].speed or self.pump.asked
        if mode != self.pump.mode:
            heated = [name for name, on in self.heaters.items() if on]
            run_ons = (self.settings.get(COOLDOWNS[name], 0) for name in heated)
            run_on = max(run_ons, default=0.0)
            prime_time = self.settings.get("pump_prime_time", 0)
            self.pump.ask(mode, prime_time=prime_time, run_on=run_on)

    def _linked_schedule(self, numbers: Mapping[int, int]) -> int:
        """Return the schedule of pump-linked equipment, which starts the pump, too."""
        for number, slot in enumerate(self.slots):
            if slot.role is Role.LINKED and slot.hand is None and number in numbers:
                return numbers[number]
        return OFF

    def _firmware_runs(self, aux_type: int) -> bool:
        heaters = self.heaters
        return {
            2: heaters["pool"],
            17: heaters["solar"],
            18: heaters["solar"],
            19: heaters["spa"],
            32: heaters["pool"] or heaters["spa"],
            6: self.acid.dosing,
            8: self.chlorine.dosing,
        }.get(aux_type, self.chlorinating)

    def _step(self, seconds: float) -> None:
        for watch in self.watchers:
            watch(seconds)
        water, today = self.water, self.local_time().date()
        if self._day not in (None, today):
            self.acid.doses = self.chlorine.doses = 0
        self._day = today
        self.pump.step(seconds)
        water.step(
            seconds,
            speed=self.pump.speed,
            heaters=self.heaters,
            chlorine=self.chlorinating,
        )
        self._heat()
        self._dose(seconds)

    def _heat(self) -> None:
        selected = int(self.settings.get("heating", 0))
        water, spa = self.water, self.spa_mode
        target = self.settings["spa_target" if spa else "pool_target"]
        ready = water.flow_present and self.pump.mode != OFF
        sources = {
            "pool": (POOL_HEATER, (2, 32), not spa),
            "solar": (SOLAR, (17, 18), water.ambient > water.temperature),
            "spa": (SPA_HEATER, (19, 32), spa),
        }
        for name, (bit, types, possible) in sources.items():
            fitted = self.find(*types) is not None
            margin = 0 if self.heaters[name] else HEATER_MARGIN
            cold = water.temperature < target - margin
            on = bool(selected & bit) and fitted and ready and possible and cold
            self.heaters[name] = on

    def _dose(self, seconds: float) -> None:
        settings, water = self.settings, self.water
        flags = int(settings.get("orp_flags", 0))
        acid = (
            settings.get("ph_dosing", 0) and water.ph * 10 > settings["desired_ph"] + 1
        )
        liquid = flags & 2 and water.orp < settings["desired_orp_liquid"] - 10
        mineral = settings["desired_orp_mineral"] + (10 if self.chlorinating else 0)
        self.chlorinating = bool(
            flags & 1
            and water.stable
            and water.orp < mineral
            and self.find(5, 7) is not None
        )
        for doser, aux_type, wanted in (
            (self.acid, 6, acid),
            (self.chlorine, 8, liquid),
        ):
            may = bool(wanted) and water.stable
            fitted = self.find(aux_type) is not None
            if fitted and doser.step(seconds, settings, may) and water.drift:
                if doser is self.acid:
                    water.ph -= PH_PER_DOSE
                else:
                    water.orp += ORP_PER_DOSE
