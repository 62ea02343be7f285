"""`scripts/setup` where something is missing: it says what, in words."""

import os
from pathlib import Path
import shutil
import subprocess

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("fails", "error", "cause"),
    [
        ("venv", "No space left on device (os error 28)", "the disk is full."),
        ("pip", "error: Failed to fetch: dns error", "there is no network"),
        ("pip", "error: Connection refused (os error 111)", "there is no network"),
    ],
)
def test_the_first_error_and_its_cause_are_shown(
    tmp_path: Path, fails: str, error: str, cause: str
) -> None:
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    programs = tmp_path / "programs"
    programs.mkdir()
    uv = programs / "uv"
    uv.write_text(
        f"#!/bin/sh\n[ $1 = {fails} ] || {{ echo python; exit; }}\n"
        f"echo 'warning: an old cache' >&2\necho '{error}' >&2\nexit 2\n"
    )
    uv.chmod(0o755)
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    done = subprocess.run(
        [tmp_path / "scripts/setup"],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"setup: the first error: {error}" in done.stderr
    assert f"setup: {cause}" in done.stderr
