"""Run the parsers on a million mutated inputs, or on as many as asked for."""

import argparse
import sys
import time

from .run import run


def main() -> int:
    """Run the parsers and print the result; return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.monotonic()
    result = run(options.inputs, options.seed)
    print(result.report())  # noqa: T201 - it is asked for
    print(f"seed {options.seed}, {time.monotonic() - started:.0f} s")  # noqa: T201
    return bool(result.wrong)


if __name__ == "__main__":
    sys.exit(main())
