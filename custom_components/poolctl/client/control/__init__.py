"""Control of one controller: reading it, and sending commands to it.

**Reads.** `poller.py` reads frames on the LAN, or the cloud, and `queries.py` what only
signed queries report. `live_state.py` passes the new state to its listeners. `paths.py`
knows how well LAN and cloud worked.

**Commands.** The module of the equipment (`outputs.py`, `pump.py`, `heating.py`,
`lights.py`, `dosing.py`, `schedules.py`) makes one `Command`: how each path sends it, how
it is shown, and what confirms it. `sender.py` chooses the path and waits for the effect.
`lan_delivery.py` sends it again as long as it certainly did not run. Until a read
confirms it, its value is shown on top of the state that was read.

`plan.py` writes the schedules of a day's pump hours, `raw.py` sends what a user composed,
and `clock_watch.py` measures the controller's clock by its schedules.
"""
