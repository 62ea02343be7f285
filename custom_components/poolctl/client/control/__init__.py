"""Control of one controller: reading it, and sending commands to it.

Who calls whom, in one direction; what stands lower knows nothing of what is above it:

    holds/, controller.py   what is undone later, and the parts together
      outputs pump heating lights dosing schedules   one `Command` each (`command.py`)
        sender                     which path carries it, and whether it took effect
          lan_delivery             sent again as long as it certainly did not run
          poller                   LAN and cloud, each read at its own beat
            queries                what only signed queries report
              paths, live_state    how well both work; the state and its listeners
                lan.py, cloud.py   requests, one at a time; commands go first

**Reads.** A poll reads the LAN. Once that failed twice or is silent, `poller.py` also reads
the cloud, and the first that answers publishes. No path waits for the other one: a read of
the cloud goes on by itself, until the LAN answers or a command goes first.

**Commands.** A command says how each path sends it, how it is shown, and what confirms it.
All its attempts share the time that a user waits. Until a read confirms it, its value is
shown on top of the state that was read.

**Waits.** `turns.py` is the queue of each path, and the only one. A `Coalescer` keeps the
newest of several values for one thing. Schedules and settings are changed one at a time,
because each change begins with what the previous one wrote.

`raw.py` sends what a user composed, and `clock_watch.py` measures the controller's clock by its schedules.
"""
