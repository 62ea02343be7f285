"""The walks of CONTRIBUTING lead from name to name through the code."""

import ast
from pathlib import Path
import re

import pytest

ROOT = Path(__file__).parents[2]
PRODUCT = ROOT / "custom_components" / "poolctl"
_PAGE = (ROOT / "CONTRIBUTING.md").read_text()
_CHAPTER = _PAGE.split("### Three walks\n")[1].split("\n## ")[0]
WALKS = dict(
    section.split("\n\n", 1)
    for section in re.split(r"^#### ", _CHAPTER, flags=re.MULTILINE)[1:]
)
LONGEST_WALK = 10
"""Lines."""


def steps(walk: str) -> list[tuple[str, str]]:
    """Return the files of a walk, each with the name that it is about."""
    return re.findall(r"`([\w/]+\.py)`\s+`([\w.]+)`", walk)


def names(path: Path) -> set[str]:
    """Return what a file defines, with and without the name of its class."""

    def defined(body: list[ast.stmt], owner: str = "") -> set[str]:
        found = set[str]()
        for node in body:
            match node:
                case ast.ClassDef():
                    found |= {node.name, *defined(node.body, f"{node.name}.")}
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    found |= {node.name, owner + node.name}
                case ast.Assign(targets=[ast.Name(id=name)]):
                    found.add(name)
                case ast.AnnAssign(target=ast.Name(id=name)):
                    found.add(name)
        return found

    return defined(ast.parse(path.read_text()).body)


def test_there_are_three() -> None:
    assert len(WALKS) == 3


@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
def test_each_name_is_where_the_walk_says(walk: str) -> None:
    assert len(walk.strip().splitlines()) <= LONGEST_WALK
    assert len(steps(walk)) >= 4
    for file, name in steps(walk):
        assert name in names(PRODUCT / file), f"{file} does not define {name}"


def uses(file: str, name: str) -> bool:
    """Return whether a file contains the last part of a name."""
    last = re.escape(name.rsplit(".", maxsplit=1)[-1])
    return re.search(rf"\b{last}\b", (PRODUCT / file).read_text()) is not None


@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
def test_each_step_follows_from_an_earlier_one(walk: str) -> None:
    """An earlier file uses its name, or its file uses an earlier name."""
    for number, (file, name) in enumerate(steps(walk)[1:], 1):
        earlier = steps(walk)[:number]
        follows = any(uses(each, name) or uses(file, it) for each, it in earlier)
        assert follows, f"no earlier step leads to {file} {name}"
