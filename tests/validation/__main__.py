"""Name everything that is wrong with the repository: `python -m tests.validation`."""

from pathlib import Path
import sys

from . import validate


def main(root: Path) -> int:
    """Print the problems; return the exit code."""
    problems = list(validate(root))
    for problem in problems:
        sys.stdout.write(f"{problem}\n")
    sys.stdout.write(f"validation: {len(problems) or 'no'} problems\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
