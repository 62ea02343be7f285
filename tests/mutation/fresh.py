"""A second run of mutants in code that runs while modules are loaded, as for tables.

mutmut's processes have loaded everything before a mutant is switched on, so no test
can notice these. Here all tests run in a new process for each of them.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
import json
import os
from pathlib import Path
import subprocess
import sys
from typing import Final

_PATIENCE: Final = 900
"""Seconds for all tests; a module may load for ever."""


def killed(
    work: Path, names: Iterable[str], tests: Sequence[str], processes: int
) -> set[str]:
    """Return the survivors that a test notices in a new process."""
    loading = set(json.loads((work / "loading.json").read_text()))
    found = [name for name in names if name.partition("__mutmut_")[0] in loading]
    with ThreadPoolExecutor(processes) as pool:
        noticed = pool.map(lambda name: _notices(work, name, tests), found)
        return {name for name, dead in zip(found, noticed, strict=True) if dead}


def _notices(work: Path, name: str, tests: Sequence[str]) -> bool:
    try:
        subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"),
                *("-p", "no:xdist", "--timeout=30", "--rootdir=.", *tests),
            ],
            cwd=work / "mutants",
            env={**os.environ, "MUTANT_UNDER_TEST": name},
            check=True,
            capture_output=True,
            timeout=_PATIENCE,
        )
    except subprocess.CalledProcessError, subprocess.TimeoutExpired:
        return True
    return False
