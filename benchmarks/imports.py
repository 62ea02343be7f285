"""How long a start of Home Assistant takes to import the integration's modules."""

import os
from pathlib import Path
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import Final

from .rows import Row, only_a_figure

ROOT: Final = Path(__file__).parents[1]
_SCRIPT: Final = """
import importlib, pathlib, sys, time
root = pathlib.Path("custom_components/poolctl")
names = [
    ".".join(path.with_suffix("").parts) for path in sorted(root.rglob("*.py"))
    if path.name != "__init__.py"
]
for name in names:
    importlib.import_module(name)
ours = [name for name in sys.modules if name.startswith("custom_components")]
for name in ours:
    del sys.modules[name]
started = time.process_time()
for name in names:
    importlib.import_module(name)
print(time.process_time() - started)
"""


def rows(*, short: bool) -> list[Row]:
    """Measure all our modules; modules of other packages are already imported."""
    with TemporaryDirectory() as compiled:
        _milliseconds(compiled)
        best = min(_milliseconds(compiled) for _ in range(1 if short else 5))
    name, figure = (
        "import of all modules, those of others being there",
        f"{best:.0f} ms",
    )
    return [only_a_figure(name, figure)]


def _milliseconds(compiled: str) -> float:
    """Return the time; `compiled` caches bytecode, as real installations do."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(  # noqa: S603 - a script of ours
        [sys.executable, "-c", _SCRIPT],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    )
    return float(done.stdout) * 1000
