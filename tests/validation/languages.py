"""Check that every language has the texts and the placeholders of English."""

from collections.abc import Iterator

from .report import Json, Problem, Repository
from .texts import placeholders


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
        data, _ = repository.load(path)
        if path.stem == "en" or data is None:
            continue
        for problem in compare(english, texts(data)):
            yield Problem(repository.name(path), problem)


def compare(english: dict[str, str], other: dict[str, str]) -> Iterator[str]:
    """Yield texts that are missing, extra, or have other placeholders than English."""
    for path in sorted(english.keys() - other.keys()):
        yield f"{path} is missing"
    for path in sorted(other.keys() - english.keys()):
        yield f"{path} is not in en.json"
    for path in sorted(english.keys() & other.keys()):
        wanted, found = _names(english[path]), _names(other[path])
        if wanted != found:
            yield f"{path} has the placeholders {found}, English has {wanted}"


def _names(text: str) -> list[str]:
    try:
        return sorted(set(placeholders(text)))
    except ValueError:
        # The check of the texts reports a brace that is alone.
        return []
