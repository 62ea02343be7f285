"""The published package that owners install, and the targets of its links."""

import json
import os
from pathlib import Path
import shutil
import subprocess
from typing import Final
import zipfile

from homeassistant.components.brands.const import ALLOWED_IMAGES
import pytest

from tests.project.broken import MANIFEST, copied, put, replace

HERE: Final = "me/pools"
PLACEHOLDER: Final = "poolctl/poolctl"
DATE: Final = "2026-12-01"
COMMIT: Final = (
    "git -c user.name=x -c user.email=x@example.com commit --quiet --all --message=x"
)


def run(copy: Path, command: str) -> str:
    """Run a command in the copy; return its error output, empty if it succeeded."""
    environment = {k: v for k, v in os.environ.items() if k != "GITHUB_REPOSITORY"}
    result = subprocess.run(
        command.split(),
        check=False,
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert bool(result.returncode) == bool(result.stderr), result.stderr
    return result.stderr


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a committed copy of the repository, ready to be released."""
    copy = copied(tmp_path_factory.mktemp("release") / "copy")
    put(copy / MANIFEST, "version", "7.0.0")
    replace(copy / "CHANGELOG.md", "## [", f"## [7.0.0] - {DATE}\n\n## [")
    for command in (
        "git init --quiet",
        "git add .",
        COMMIT,
        f"scripts/publish_at {HERE}",
        COMMIT,
    ):
        assert run(copy, command) == ""
    return copy


@pytest.fixture
def copy(committed: Path, tmp_path: Path) -> Path:
    return shutil.copytree(committed, tmp_path / "copy")


def test_the_package_has_what_was_committed(copy: Path) -> None:
    (copy / "custom_components/poolctl/left_over.py").write_text("")
    assert run(copy, "scripts/package v7.0.0") == ""
    with zipfile.ZipFile(copy / "poolctl.zip") as package:
        names = set(package.namelist())
        assert json.loads(package.read("manifest.json"))["version"] == "7.0.0"
        assert package.read("LICENSE").startswith(b"MIT License")
    # Home Assistant shows each of these images.
    assert {f"brand/{image}" for image in ALLOWED_IMAGES} <= names
    assert {"__init__.py", "client/lan.py"} <= names
    assert "left_over.py" not in names


def test_what_is_not_released(copy: Path) -> None:
    """Another version, one without a date, and links to a placeholder or elsewhere."""
    assert run(copy, f"scripts/publish_at --check {HERE}") == ""
    elsewhere = "env GITHUB_REPOSITORY=you/fork scripts/package v7.0.0"
    assert "the links lead to me/pools, not to you/fork" in run(copy, elsewhere)
    assert "the manifest says 7.0.0" in run(copy, "scripts/package v9.9.9")
    for name in ("", "me", "me/pools/tree", "https://x/me/pools"):
        assert "OWNER/REPOSITORY" in run(copy, f"scripts/publish_at {name}")
    replace(copy / "CHANGELOG.md", f"[7.0.0] - {DATE}", "[7.0.0] - unreleased")
    assert "has no date for 7.0.0" in run(copy, "scripts/package 7.0.0")
    replace(copy / "CHANGELOG.md", "[7.0.0] - unreleased", f"[7.0.0] - {DATE}")
    assert run(copy, f"scripts/publish_at {PLACEHOLDER}") == ""
    assert "a placeholder" in run(copy, "scripts/package v7.0.0")
    assert not (copy / "poolctl.zip").exists()


def test_every_link_follows(copy: Path) -> None:
    for path in copy.rglob("*"):
        if path.suffix in {".json", ".md", ".py", ".yaml", ".yml"}:
            text = path.read_text()
            assert f".com/{PLACEHOLDER}" not in text, path
            assert "%2F" + PLACEHOLDER.replace("/", "%2F") not in text, path
            assert "owner=poolctl" not in text, path
    assert "owner=me&repository=pools&category=" in (copy / "README.md").read_text()
    assert json.loads((copy / MANIFEST).read_text())["codeowners"] == ["@me"]
