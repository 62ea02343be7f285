"""The integration in the newest Home Assistant, compared with the pinned version.

The test harness pins one version of Home Assistant, but users install newer ones.
`scripts/newest` makes an environment with the newest version and its frontend, both
pinned in `requirements.txt`, and runs `python -m tests.newest`: a real Home Assistant
with the simulated pools, in three homes. The first is the pinned version, the second
the newest version in an empty folder, and the third the newest version in the first
home's folder, as after an update.
"""
