"""Check that every language has the texts and the placeholders of English."""

from collections.abc import Iterator
from string import Formatter

from .report import Json, Problem, Repository


def texts(tree: Json, path: str = "") -> dict[str, str]:
    """Return all texts by their path."""
    found: dict[str, str] = {}
    for name, branch in tree.items():
        here = f"{path}.{name}" if path else name
        if isinstance(branch, dict):
            found |= texts(branch, here)
        else:
            found[here] = str(branch)
    return found


def check(repository: Repository) -> Iterator[Problem]:
    """Compare every language with English."""
    english = texts(repository.english)
    for path in sorted((repository.integration / "translations").glob("*.json")):
        data, problems = repository.load(path)
        yield from problems
        for problem in compare(english, texts(data or {})):
            yield Problem(repository.name(path), problem)


def compare(english: dict[str, str], other: dict[str, str]) -> Iterator[str]:
    """Yield texts that are missing, extra, or have other placeholders than English."""
    for path in sorted(english.keys() - other.keys()):
        yield f"{path} is missing"
    for path in sorted(other.keys() - english.keys()):
        yield f"{path} is not in en.json"
    for path in sorted(english.keys() & other.keys()):
        try:
            wanted, found = placeholders(english[path]), placeholders(other[path])
        except ValueError as err:
            yield f"{path}: a brace is alone: {err}"
            continue
        if wanted != found:
            yield f"{path} has the placeholders {found}, English has {wanted}"


def placeholders(text: str) -> list[str]:
    """Return the placeholders of a text, each once; ValueError for a lone brace."""
    return sorted({name for _, name, *_ in Formatter().parse(text) if name is not None})
