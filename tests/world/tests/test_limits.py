"""The limits of the cloud: protocol.md 3.2, 7.1 and 8, rule by rule."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from tests.world.simulator import Account
from tests.world.simulator.raw import until
from tests.world.simulator.visitor import Visitor

pytestmark = pytest.mark.usefixtures("socket_enabled")

DEVICE = "AA_BB_CC_0A_0B_0C"
PUMP = {"aux_switch_state": 1, "aux_type_code": 31, "pump_speed": 60, "aux_slot_num": 0}
MANUAL = {"aux_switch_state": 1, "aux_type_code": 1, "aux_slot_num": 3}
PH = {"desired_ph_level": 72}
BODIES: dict[str, dict[str, Any]] = {
    "setPumpInfo": PUMP, "manualSet": MANUAL, "setPhSettings": PH,
    "setChlorineSettings": {},
}  # fmt: skip


def busy(why: str) -> tuple[int, dict[str, str]]:
    return 429, {"status": "FAILED", "message": f"device busy: {why}"}


FULL = busy(f"too many pending commands for device {DEVICE}")


def cooling(left: str) -> tuple[int, dict[str, str]]:
    return busy(f"device {DEVICE} is cooling down after timeouts, retry after {left}")


async def cancel(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


class Bench(Visitor):
    """A client that is signed in, and looks into the pipeline of its controller."""

    async def ask(self, name: str) -> tuple[int, Any]:
        """Call a device endpoint by its name."""
        if name in BODIES:
            return await self.write(name, BODIES[name])
        return await self.get(self.device(name))

    def start(self, *names: str) -> list[asyncio.Task[tuple[int, Any]]]:
        return [asyncio.create_task(self.ask(name)) for name in names]

    @property
    def sent(self) -> list[tuple[str, float]]:
        return self.cloud.pipeline(self.controller).commands

    @property
    def gaps(self) -> list[float]:
        """Seconds between the commands sent."""
        times = [at for _, at in self.sent]
        return [after - before for before, after in pairwise(times)]

    @property
    def pending(self) -> int:
        return self.cloud.pipeline(self.controller).pending

    async def time_out(self, name: str = "setPumpInfo", wait: float = 10) -> None:
        """Let one command time out."""
        task = self.start(name)[0]
        await until(lambda: self.pending == 1 and self.clock.waiting > 0)
        self.clock.advance(0.6)  # past the gap between commands
        await asyncio.sleep(0.02)
        self.clock.advance(wait)
        assert (await task)[0] == 504


@pytest.fixture
async def bench(service: Visitor) -> Bench:
    bench = Bench(service.session, service.cloud, service.account, service.controller)
    await bench.sign_in()
    return bench


# --- Attempts ---------------------------------------------------------------------


@pytest.mark.row("7.1 row 1", "8 row 1")
async def test_limit_of_sign_ins(bench: Bench) -> None:
    """10 sign-ins a minute per address, with one counter for login and authorize."""
    paths = ("/auth/login", "/oauth/authorize") * 5  # the fixture made one attempt
    answers = [await bench.post(path, data=bench.person) for path in paths]
    assert [status for status, _ in answers] == [200, 400] * 4 + [200, 429]
    too_many = (429, "Too many attempts, please try again later")
    assert await bench.post("/auth/login", data=bench.person) == too_many
    assert bench.headers["Retry-After"] == "60"
    assert bench.headers["Content-Type"].startswith("text/plain")
    for seconds, status in ((58, 429), (2, 200)):
        bench.clock.advance(seconds)
        assert (await bench.post("/auth/login", data=bench.person))[0] == status


@pytest.mark.row("4.1 row 5", "4.1 rule 4", "7.1 row 2", "8 row 2")
async def test_limit_of_refresh_site(bench: Bench) -> None:
    """One refresh a minute per user."""
    too_many = (429, "Too many requests, please try again later")
    assert (await bench.post("/user/refreshSite"))[0] == 200
    assert await bench.post("/user/refreshSite") == too_many
    assert bench.headers["Retry-After"] == "60"
    other = Account("you@example.com", "secret")
    token = bench.cloud.sign_ins.login(other)["access_token"]
    assert (await bench.post("/user/refreshSite", token=token))[0] == 200
    assert (await bench.post("/user/refreshSite"))[0] == 429
    for seconds, status in ((58, 429), (2, 200)):
        bench.clock.advance(seconds)
        assert (await bench.post("/user/refreshSite"))[0] == status


@pytest.mark.row("8 row 3", "8 rule 1")
async def test_no_limit_elsewhere(bench: Bench) -> None:
    """Other endpoints have no fixed rate; cached reads are not commands."""
    for _ in range(40):
        assert (await bench.get("/user/sites"))[0] == 200
        assert (await bench.ask("dashboardInfo"))[0] == 200
    assert len(bench.sent) == 1


# --- The pipeline -----------------------------------------------------------------


@pytest.mark.row("8 row 4", "8 row 5")
@pytest.mark.parametrize(
    ("names", "least", "most"),
    [
        (("dashboardInfo", "setChlorineSettings", "auxInfo", "ambientTemp"), 0.5, 1.2),
        (("setPumpInfo", "setChlorineSettings", "dashboardInfo"), 0.5, 1.2),
        (("setPumpInfo", "manualSet", "setPhSettings"), 2, 3),
    ],
)
async def test_commands_keep_apart(
    bench: Bench, names: tuple[str, ...], least: float, most: float
) -> None:
    """Commands run one at a time, 500 ms apart, and three writes 2 s apart."""
    answers = await asyncio.gather(*map(bench.ask, names))
    assert {status for status, _ in answers} == {200}
    assert all(least <= gap < most for gap in bench.gaps)


@pytest.mark.row("7.1 row 3", "7.1 rule 1", "8 row 6")
async def test_six_pending_and_no_more(bench: Bench) -> None:
    """Reject any seventh command at once."""
    bench.controller.cloud_link = False  # the first one keeps all waiting
    tasks = bench.start("setPumpInfo", *["auxInfo"] * 5)
    await until(lambda: bench.pending == 6)
    for name in ("manualSet", "dashboardInfo", "scheduleInfo"):
        assert await bench.ask(name) == FULL
    await cancel(*tasks)


@pytest.mark.row("8 row 6")
@pytest.mark.parametrize(("name", "again"), [("scheduleInfo", 2), ("pumpInfo", 0)])
async def test_reads_that_take_two(bench: Bench, name: str, again: int) -> None:
    """`scheduleInfo` always, `pumpInfo` while there is no copy of it."""
    bench.controller.cloud_link = False
    tasks = bench.start(*["dashboardInfo"] * 5)
    await until(lambda: bench.pending == 5)
    assert await bench.ask(name) == FULL  # 5 pending, and 2 more
    tasks += bench.start("ambientTemp")
    await until(lambda: bench.pending == 6)
    await cancel(*tasks)
    await bench.cloud.pipeline(bench.controller).stop()
    assert bench.pending == 0
    bench.controller.cloud_link = True
    before = len(bench.sent)
    for _ in range(2):
        assert (await bench.ask(name))[0] == 200
    assert [sent for sent, _ in bench.sent[before:]] == [name] * (2 + again)


# --- Waiting for the controller ---------------------------------------------------


@pytest.mark.row("8 row 8")
@pytest.mark.parametrize(
    ("name", "seconds"),
    [("setPumpInfo", 10), ("manualSet", 10), ("setPhSettings", 3), ("scheduleInfo", 3)],
)
async def test_how_long_it_waits(bench: Bench, name: str, seconds: float) -> None:
    """Up to 10 s for pump and equipment, 3 s for chemistry and schedules.

    Reads of schedules: chosen.
    """
    bench.controller.cloud_link = False
    (task,) = bench.start(name)
    await until(lambda: bench.clock.waiting == 1)
    begun = bench.clock.monotonic()  # the loop leaps to the end of the wait
    status, body = await task
    assert (status, body["status"]) == (504, "FAILED")
    assert seconds - 0.1 <= bench.clock.monotonic() - begun < seconds + 0.5


# --- Cool-down (3.2) --------------------------------------------------------------


@pytest.mark.row(
    "3.2 row 1", "3.2 row 2", "3.2 row 3", "7.1 row 4", "7.1 rule 1", "8 row 7"
)
async def test_ladder(bench: Bench) -> None:
    """5 s after the first timeout, 10 s after the second, 60 s from the third on."""
    bench.controller.cloud_link = False
    for left, seconds in (("5s", 5), ("10s", 10), ("1m0s", 60), ("1m0s", 60)):
        await bench.time_out()
        assert await bench.ask("dashboardInfo") == cooling(left)
        assert await bench.ask("setPumpInfo") == cooling(left)
        bench.clock.advance(seconds - 1)
        assert await bench.ask("auxInfo") == cooling("1s")
        bench.clock.advance(1.1)


@pytest.mark.row("3.2 row 4")
@pytest.mark.parametrize("status", ["SUCCESS", "FAILED"])
async def test_an_answer_resets_the_ladder(bench: Bench, status: str) -> None:
    """End the series of timeouts with any answer of the controller."""
    bench.controller.cloud_link = False
    for seconds in (5, 10):
        await bench.time_out()
        bench.clock.advance(seconds + 0.1)
    bench.controller.cloud_link = True
    if status == "FAILED":
        bench.controller.faults.on("decline")
    assert (await bench.ask("setPumpInfo"))[1]["status"] == status
    bench.clock.advance(2)
    bench.controller.cloud_link = False
    await bench.time_out()
    assert await bench.ask("manualSet") == cooling("5s")


@pytest.mark.row("3.2 rule 1", "8 rule 1")
async def test_copies_are_served_during_cool_down(bench: Bench) -> None:
    """Serve a read with a copy at once during a cool-down."""
    _, before = await bench.ask("dashboardInfo")
    bench.controller.cloud_link = False
    await bench.time_out()
    assert await bench.ask("dashboardInfo") == (200, before)
    assert await bench.ask("auxInfo") == cooling("5s")


# --- Copies -----------------------------------------------------------------------


async def speed_read(bench: Bench) -> int:
    _, body = await bench.ask("dashboardInfo")
    return int(body["data"]["dashboard"]["actual_pump_speed"])


@pytest.mark.row("8 rule 2")
async def test_copies_are_refreshed_each_30_s(bench: Bench) -> None:
    """Refresh a copy when it is 30 s old, not earlier."""
    assert await speed_read(bench) == 75
    bench.controller.pool.switch(0, True)
    bench.controller.pool.set_speed(60)
    bench.clock.advance(29)
    await asyncio.sleep(0.02)
    assert await speed_read(bench) == 75
    bench.clock.advance(1.1)
    await until(lambda: len(bench.sent) == 2)
    assert await speed_read(bench) == 60
