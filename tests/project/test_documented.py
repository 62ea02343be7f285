"""The tables of the documentation agree with the texts and tables of the code."""

import re
from typing import Any

from homeassistant.util.yaml import load_yaml_dict
import pytest

from tests.project.pages import DOCS, ENGLISH, INTEGRATION, README, rows
from tests.validation import ENGLISH as FILE, Repository, tables, written


def test_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of problems is up to date, and a changed text would be noticed."""
    repository = Repository(README.parent)
    assert [*tables(repository)] == []
    page = (DOCS / "troubleshooting.md").read_text()
    english = repository.load(FILE)
    english["common"]["dry_run"] = "The pump sucks air at {time}."
    assert "| `dry_run` | The pump sucks air at …. |" in written(page, english)
    monkeypatch.setattr(repository, "load", lambda name: english)
    (problem,) = tables(repository)
    assert "--write" in problem
    keys = {cells[0].strip("`") for cells in rows("troubleshooting", r"What .* lists")}
    assert keys - {"Key"} == ENGLISH["selector"]["problem"]["options"].keys()


def test_repairs() -> None:
    """Each repair has a row with its title, without the name of the pool."""
    titles = {_shown(issue["title"]) for issue in ENGLISH["issues"].values()}
    listed = {
        title
        for row, _ in rows("repairs", "All repairs")
        for title in _each(row)
        if row != "Repair"
    }
    assert listed == titles


def _shown(title: str) -> str:
    return re.sub(r"^\{name\}:? ", "... ", title).replace("{date}", "a date")


def _each(row: str) -> list[str]:
    """Return the titles of a row, two if a word has an alternative in brackets."""
    if (found := re.search(r"(\w+) \((\w+)\)", row)) is None:
        return [row]
    return [row.replace(found[0], word) for word in found.groups()]


@pytest.mark.parametrize(
    ("kind", "heading"), [("triggers", "Triggers"), ("conditions", "Conditions")]
)
def test_what_automations_use(kind: str, heading: str) -> None:
    """Each trigger and condition has a row with its name, its key and its options."""
    described: dict[str, Any] = load_yaml_dict(str(INTEGRATION / f"{kind}.yaml"))
    truth = {
        (ENGLISH[kind][key]["name"], f"poolctl.{key}"): {*row["fields"]}
        for key, row in described.items()
        if not key.startswith(".")
    }
    _, *table = rows("automations", heading)
    listed = {}
    for name, _, options in table:
        found = re.fullmatch(r"\*\*(.+)\*\* `(.+)`", name)
        assert found, name
        outside = re.sub(r"\(.*?\)", "", options)
        listed[found.groups()] = {*re.findall(r"`(\w+)`", outside)}
    assert listed == truth
