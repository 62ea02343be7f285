"""List all problems of the repository: `python -m tests.validation`.

With `--write`, first update the tables of the documentation that come from the code.
"""

import argparse
from pathlib import Path
import sys

from . import validate
from .tables import write


def main(arguments: list[str]) -> int:
    """Print the problems; return the exit code."""
    parser = argparse.ArgumentParser(prog="tests.validation")
    parser.add_argument("root", nargs="?", type=Path, default=Path())
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args(arguments)
    root: Path = chosen.root
    if chosen.write:
        write(root)
    problems = list(validate(root))
    for problem in problems:
        sys.stdout.write(f"{problem}\n")
    sys.stdout.write(f"validation: {len(problems) or 'no'} problems\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
