"""The pages of the documentation, and the tables on them."""

from collections.abc import Iterator
import json
from pathlib import Path
import re
from typing import Final

README: Final = Path(__file__).parents[2] / "README.md"
DOCS: Final = README.parent / "docs"
PAGES: Final = [README, *sorted(DOCS.glob("*.md"))]
INTEGRATION: Final = README.parent / "custom_components/poolctl"
ENGLISH: Final = json.loads((INTEGRATION / "translations/en.json").read_text())


def rows(page: str, heading: str) -> Iterator[list[str]]:
    """Return the cells of the table rows below a heading of a page."""
    text = (DOCS / f"{page}.md").read_text()
    section = re.split(rf"\n##+ {heading}\n", text)[1].split("\n#")[0]
    for line in section.splitlines():
        if line.startswith("| ") and not line.startswith("| ---"):
            yield [cell.strip() for cell in line.strip("|").split("|")]
