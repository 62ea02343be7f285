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


OTHERS = frozenset(
    {
        # of Home Assistant and of the Marketplace
        *("⋮", "Actions", "Add", "Add action", "Add card", "Add condition", "Delete"),
        *("Add dashboard", "Add device", "Add event", "Add integration", "Add trigger"),
        *("Assist", "Community dashboards", "Create", "Dashboards", "Developer tools"),
        *("Devices & services", "Discovered", "Download", "Download diagnostics"),
        *("Electricity", "Enable polling for changes", "Expose", "Heat", "Install"),
        *("Individual electrical devices", "Keep", "Marketplace", "Reconfigure"),
        *("Remove", "Repairs", "State", "System", "System information", "Uninstall"),
        *("System options", "Take control", "This and all future events"),
        *("Voice assistants", "safe mode", "cast"),
        # of the vendor, of the network, of this project
        *(
            "Command Protocol v2",
            "Too many attempts",
            "Bonjour",
            "Pool Math",
            "HA plan",
        ),
        *("How it goes on my controller", "Check it on your controller"),
        # words that are stressed, or said by voice
        *("when", "and if", "changes", "general", "pool heating", "the spa", "n"),
        *("Network",),  # a column of the same page
    }
)
"""What is in italics on the pages for owners, and not a text of ours on screen."""


PART_OF_A_MESSAGE = 4
"""How many words of a message are quoted at least."""


def _on_screen(found: Any) -> set[str]:
    if isinstance(found, str):
        return {found.casefold().strip(".")}
    return {text for each in found.values() for text in _on_screen(each)}


def test_names_on_screen() -> None:
    """A page names an entity, an option or a button as the screen does."""
    blueprints = (README.parent / "blueprints").rglob("*.yaml")
    names = {load_yaml_dict(str(file))["blueprint"]["name"] for file in blueprints}
    texts = _on_screen(ENGLISH) | {name.casefold() for name in names}
    for page in {README, *DOCS.glob("*.md")} - {DOCS / "protocol.md"}:
        plain = re.sub(r"```.*?```|\*\*", "", page.read_text(), flags=re.DOTALL)
        italics = re.findall(
            r"(?<![\w\\*])\*([^*\s][^*]{0,60}?)\*(?!\w)", " ".join(plain.split())
        )
        for name in {each.strip("[]") for each in italics} - OTHERS:
            shown = name.casefold().removeprefix("... ")
            # A message is quoted in part, and so is a choice that explains itself.
            long = len(shown.split()) >= PART_OF_A_MESSAGE
            assert any(
                shown == text
                or text.startswith(f"{shown}:")
                or (long and shown in text)
                for text in texts
            ), f"{page.name}: no text on screen is {name!r}"
