"""A second look at mutants of what is called while modules are loaded, as tables are.

mutmut never shows them to a test, because its processes have loaded everything before the
mutant is switched on. Here each of them gets a process of its own, and all tests.
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
"""s for all tests; a module may load for ever."""


def killed(
    work: Path, names: Iterable[str], tests: Sequence[str], processes: int
) -> set[str]:
    """Return those of some survivors that a test notices from the start."""
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
