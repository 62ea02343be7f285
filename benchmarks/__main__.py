"""Print a table: name, figure, goal, and whether the goal is met."""

import argparse
import sys

# Imported before the test harness, whose own `custom_components` would hide ours.
import custom_components.poolctl  # noqa: F401

from . import decode, hours, imports, load, memory, outages, recorder, stalls, states
from .rows import table


def main() -> int:
    """Run all benchmarks; return 1 if a goal is missed.

    Short runs return 0: they are too short to check, and the machine may be busy.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--short", action="store_true", help="in less than a minute")
    short = parser.parse_args().short
    rows = [
        row
        for part in (
            decode,
            recorder,
            imports,
            hours,
            outages,
            states,
            load,
            memory,
            stalls,
        )
        for row in part.rows(short=short)
    ]
    print(table(rows))
    return 0 if short or all(row.ok for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
