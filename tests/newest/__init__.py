"""The integration in the newest Home Assistant, compared with the one that all tests use.

The harness of the tests pins one Home Assistant; owners install another. `scripts/newest`
makes an environment with the newest one and the frontend that it asks for, pinned in
`requirements.txt`, and runs `python -m tests.newest`: the real thing beside the simulated
pools, in three homes. The first is the pinned Home Assistant, the second the newest one in
an empty folder, the third the newest one in the folder that the first leaves behind, as
after an update.
"""
