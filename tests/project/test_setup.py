"""`scripts/setup` where something is missing: it says what, in words."""

import os
from pathlib import Path
import shutil
import subprocess

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = "bash cat cut dirname env grep head mktemp rm sed sha256sum tee"
"""Programs that every machine has."""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Return a folder for programs that the script beside it finds first."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (found := tmp_path / "programs").mkdir()
    return found


def complaint(path: str) -> str:
    """Return what the script writes when it fails with these programs."""
    place = Path(path.split(":", maxsplit=1)[0]).parent
    done = subprocess.run(
        [place / "scripts/setup"],
        env={**os.environ, "PATH": path, "XDG_CACHE_HOME": str(place / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    return done.stderr


@pytest.mark.parametrize(
    ("fails", "error", "cause"),
    [
        ("venv", "No space left on device (os error 28)", "the disk is full."),
        ("pip", "error: Failed to fetch: dns error", "there is no network"),
        ("pip", "error: Connection refused (os error 111)", "there is no network"),
    ],
)
def test_the_first_error_and_its_cause_are_shown(
    programs: Path, fails: str, error: str, cause: str
) -> None:
    uv = programs / "uv"
    uv.write_text(
        f"#!/bin/sh\n[ $1 = {fails} ] || {{ echo python; exit; }}\n"
        f"echo 'warning: an old cache' >&2\necho '{error}' >&2\nexit 2\n"
    )
    uv.chmod(0o755)
    shown = complaint(f"{programs}:{os.environ['PATH']}")
    assert f"setup: the first error: {error}" in shown
    assert f"setup: {cause}" in shown


def test_what_is_missing_on_the_machine_is_named(programs: Path) -> None:
    """Without pip, nothing is said of another cause."""
    for name in NEEDED.split():
        (programs / name).symlink_to(str(shutil.which(name)))
    shown = complaint(str(programs))
    assert "setup: the first error: 'uv' is needed and python3 has no pip" in shown
    assert "network" not in shown
